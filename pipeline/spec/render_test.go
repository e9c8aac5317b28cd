package spec

import (
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
}
