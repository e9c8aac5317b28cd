package spec

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder whose readiness report has judged it tells which links are suspect
// after an edit: those of the unchanged children of a changed item.
func TestLintFindsLinksThatBecameSuspect(t *testing.T) {
	files := sampleFiles()
	files = append(files, Readiness{Head: sampleHead(), Scores: Score(Parse(files), nil, Options{}), Set: Parse(files)}.Render()...)
	suspects := func(files []File) []string {
		var out []string
		for _, f := range Lint(files, Options{}).Findings {
			if f.Rule == "L52" {
				out = append(out, fmt.Sprint(f.Item, " ", f.Message))
			}
		}
		return out
	}
	if got := suspects(files); got != nil {
		t.Errorf("judged as it is: %v", got)
	}
	change := func(old, new string) {
		t.Helper()
		for i, f := range files {
			if bytes.Contains(f.Text, []byte(old)) && f.Path != ReadinessPath {
				files[i].Text = bytes.ReplaceAll(f.Text, []byte(old), []byte(new))
				return
			}
		}
		t.Fatalf("no document says %q", old)
	}
	change("SHOULD show an operator the last HTTP status", "SHOULD show an operator the first HTTP status")
	want := []string{"ADR-002 REQ-002 changed after ADR-002 was accepted", "EPIC-002 REQ-002 changed after EPIC-002 was accepted", "STORY-002-001 REQ-002 changed after STORY-002-001 was accepted"}
	if diff := cmp.Diff(want, suspects(files)); diff != "" {
		t.Error(diff)
	}
	change("see the last status", "see the first status")
	if diff := cmp.Diff(want[:2], suspects(files)); diff != "" {
		t.Errorf("a child that was changed, too, was read again: %s", diff)
	}
}
