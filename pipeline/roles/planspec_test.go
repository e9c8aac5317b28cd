package roles

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/pipeline"
)

// repository is a session's folder as files below a root.
func repository(f pipeline.Folder, root string) fstest.MapFS {
	repo := fstest.MapFS{}
	for p, text := range f {
		repo[root+p] = &fstest.MapFile{Data: text}
	}
	return repo
}

// An impl-only session plans what the specification says that it was started
// with, not what its issue says.
func TestPlansTheGivenSpecification(t *testing.T) {
	f, _ := finished(t, well)
	const earlier = ".workflow/.team/TLS-webhook-4-2026-11-20/"
	older := repository(f, ".workflow/.team/TLS-webhook-3-2026-10-30/")
	maps.Copy(older, repository(f, earlier))
	tiny, err := New(Config{}).Work(context.Background(), pipeline.Assignment{Now: when, Issue: sample(t, well), Folder: upTo(t, 1),
		Session: pipeline.Session{ID: "TLS-x-1-2026-11-21", Track: pipeline.TrackTiny}, Task: pipeline.Task{ID: "DRAFT-002"}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path, from string
		repo             fstest.MapFS
		reference        string // the first task's
	}{
		{"none is held", "", "spec", fstest.MapFS{}, "issue title"},
		{"the latest session's", "", earlier + "spec", older, "STORY-001-001"},
		{"an index of a session", earlier + "spec/requirements/_index.md", earlier + "spec", older, "STORY-001-001"},
		{"one document of ours", "docs/spec.md", "docs/spec.md", fstest.MapFS{"docs/spec.md": &fstest.MapFile{Data: tiny.Text["spec/spec.md"]}}, "REQ-001"},
		{"a document of anybody's", "docs/plan.md", "docs/plan.md", fstest.MapFS{"docs/plan.md": &fstest.MapFile{Data: []byte("# Export\n\n## Requirements\n- Export all rows as CSV\n- Reject a list that is empty\n")}}, "docs/plan.md, line 4"},
		{"a path out of the repository", "../../etc/passwd", "spec", fstest.MapFS{}, "issue title"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := New(Config{}).Work(context.Background(), pipeline.Assignment{Now: when, Source: test.repo, Folder: pipeline.Folder{},
				Issue:   pipeline.IssueText{Title: "Do it across multiple modules", Body: "See the specification."},
				Session: pipeline.Session{ID: "TLS-do-5-2026-11-21", Mode: pipeline.ImplOnly, SpecPath: test.path}, Task: pipeline.Task{ID: "PLAN-001"}})
			if err != nil {
				t.Fatal(err)
			}
			var p Plan
			if err := json.Unmarshal(d.Text["plan/plan.json"], &p); err != nil {
				t.Fatal(err)
			}
			var first PlanTask
			if err := json.Unmarshal(d.Text["plan/.task/TASK-001.json"], &first); err != nil {
				t.Fatal(err)
			}
			if p.Metadata.Source != test.from || !slices.Contains(first.Reference, test.reference) {
				t.Errorf("planned from %q with %v", p.Metadata.Source, first.Reference)
			}
			if p.TaskCount < 1 || p.TaskCount > planMost || len(p.Metadata.Quality) == 0 || strings.Contains(p.Metadata.Quality, "sequence") {
				t.Errorf("%d tasks, %s", p.TaskCount, p.Metadata.Quality)
			}
		})
	}
}

// The issue's own sessions go before all others; among equals the later does,
// and the second of a day is later than the first.
func TestNewestSession(t *testing.T) {
	const day, second, tenth, other = "TLS-webhook-4-2026-11-21", "TLS-webhook-4-2026-11-21-2", "TLS-webhook-4-2026-11-21-10", "TLS-csv-14-2026-12-01"
	tests := []struct {
		issue int
		names []string
		want  string
	}{
		{4, []string{day, second}, second},
		{4, []string{day, second, tenth}, tenth},
		{4, []string{day, other}, day},
		{9, []string{day, other}, other},
		{4, []string{"notes", day}, day},
	}
	for _, test := range tests {
		repo := fstest.MapFS{}
		for _, name := range test.names {
			repo[sessionsRoot+"/"+name+"/spec/a.md"] = &fstest.MapFile{}
		}
		if got := newest(repo, test.issue); got != sessionsRoot+"/"+test.want+"/spec" {
			t.Errorf("issue %d, %v: took %q", test.issue, test.names, got)
		}
	}
}
