package spec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func rendered(t *testing.T, s *Set) []File {
	t.Helper()
	b, err := ParseBrief(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseRequirements(s)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ParseArchitecture(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseEpics(s)
	if err != nil {
		t.Fatal(err)
	}
	out := b.Render(s)
	out = append(out, r.Render(s)...)
	out = append(out, a.Render(s)...)
	return append(out, e.Render(s)...)
}

func byPath(files []File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Path] = string(f.Text)
	}
	return m
}

func TestRenderParseRenderIsTheIdentity(t *testing.T) {
	files := sampleFiles()
	again := rendered(t, Parse(files))
	if diff := cmp.Diff(byPath(files), byPath(again)); diff != "" {
		t.Error(diff)
	}
	if dir := os.Getenv("SPEC_OUT"); dir != "" {
		s := Parse(files)
		found := Check(s, Options{})
		scores := Score(s, found, Options{})
		files = append(files, Readiness{Head: sampleHead(), Scores: scores, Findings: found, Set: s}.Render()...)
		files = append(files, Summary{Head: sampleHead(), Title: "Retry", Scores: scores, Findings: found, Set: s}.Render()...)
		for _, f := range files {
			p := filepath.Join(dir, f.Path)
			os.MkdirAll(filepath.Dir(p), 0o755)
			os.WriteFile(p, f.Text, 0o644)
		}
		for _, f := range found {
			t.Logf("%s %s %s:%d %s", f.Rule, f.Grade, f.File, f.Line, f.Message)
		}
		for _, p := range Perspectives {
			r := Rate(s, found, p)
			t.Logf("%s %d %v %s", p, r.Value, r.Sum, r.Why)
		}
	}
}
