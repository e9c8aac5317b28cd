package roles

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// The analyst leaves conventions and learnings, the writer decisions, the
// reviewer issues; nothing is noted twice.
func TestWhoWritesWisdom(t *testing.T) {
	f, _ := finished(t, well)
	tests := []struct {
		task pipeline.TaskID
		want []string
	}{
		{"RESEARCH-001", []string{"wisdom/conventions.md", "wisdom/learnings.md"}},
		{"DRAFT-001", []string{"wisdom/decisions.md"}},
		{"DRAFT-003", []string{"wisdom/decisions.md"}},
		{"QUALITY-001", []string{"wisdom/issues.md"}},
	}
	for _, test := range tests {
		t.Run(string(test.task), func(t *testing.T) {
			folder := maps.Clone(f)
			if test.task == "QUALITY-001" {
				folder, _ = finished(t, "testdata/issues/vague.md")
			}
			a := pipeline.Assignment{Session: pipeline.Session{ID: "TLS-sample-1-2026-11-21"}, Task: pipeline.Task{ID: test.task}, Issue: sample(t, well), Folder: folder, Source: shop(), Now: when}
			d, err := New(Config{}).Work(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range d.Append {
				got = append(got, w.Path)
				a.Folder[w.Path] = append(a.Folder[w.Path], w.Text...)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, slices.Compact(got)); diff != "" {
				t.Error(diff)
			}
			again, err := New(Config{}).Work(context.Background(), a)
			if err != nil || len(again.Append) > 0 {
				t.Errorf("noted twice: %v %v", again.Append, err)
			}
		})
	}
}

// Whoever asks a model shows it all four first.
func TestWisdomIsReadFirst(t *testing.T) {
	f, _ := finished(t, well)
	for _, name := range []string{"learnings", "decisions", "conventions", "issues"} {
		f["wisdom/"+name+".md"] = []byte("# " + name + "\n- known " + name + "\n")
	}
	for _, k := range kinds {
		if k.prompt == "" || k.prompt == "improve" {
			continue // improving runs the drafts
		}
		j := &job{Assignment: pipeline.Assignment{Folder: f}, kind: k}
		read := 0
		for _, s := range j.sources(nil) {
			if strings.HasPrefix(s.Name, "wisdom/") && strings.Contains(s.Text, "known ") {
				read++
			}
		}
		if read != 4 {
			t.Errorf("%s reads %d of the four", k.prefix, read)
		}
	}
}

// What a document's generation returns is kept for the drafts after it.
func TestGenerationIsKept(t *testing.T) {
	_, drafts := finished(t, well)
	var kept []map[string]json.RawMessage
	for _, m := range drafts["DRAFT-003"].Memory {
		if m.Key == "context_accumulator" {
			if err := json.Unmarshal([]byte(m.Value), &kept); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(kept) == 0 {
		t.Fatal("nothing is kept")
	}
	last := kept[len(kept)-1]
	for key, want := range map[string]string{"artifact": `"spec/architecture/_index.md"`, "summary": `"architecture, `, "key_decisions": `["ADR-001: `,
		"sections_generated": `["System Overview","Component Architecture",`, "cross_references": `spec/requirements/_index.md`, "warnings": `[`, "files_modified": `spec/architecture/_index.md`} {
		if !strings.Contains(string(last[key]), want) {
			t.Errorf("%s: %s", key, last[key])
		}
	}
}
