package githubapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

func TestBrief(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.may("rob", "read")
	for login, text := range map[string]string{"ann": "The terminal times out.", "rob": "+1"} {
		if _, err := w.Comment(login, w.issue(), text); err != nil {
			t.Fatal(err)
		}
	}
	b := w.brief()
	if b.Issue.Title != "Pay once" || b.Issue.Author != "ann" || b.Issue.NodeID == "" || b.BaseHead == "" || b.Repo.NodeID == "" || b.PackageJSON == "" || b.EmptyRepo {
		t.Errorf("got %+v", b)
	}
	writers := map[string]bool{}
	for _, c := range b.Body.Comments {
		writers[c.Author] = c.Writer
	}
	if diff := cmp.Diff(map[string]bool{"ann": true, "rob": false}, writers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"lifecycle"}, b.Body.Labels); diff != "" {
		t.Error(diff)
	}
}

// TestSession writes one task's worth both ways; a person sees the same.
func TestSession(t *testing.T) {
	seen := map[string]string{}
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			got := w.deliver(w.taskWrites()...)
			if len(got.Done) != len(w.taskWrites()) {
				t.Errorf("%d receipts for %d writes", len(got.Done), len(w.taskWrites()))
			}
			for _, r := range got.Done {
				if r.Note != "" {
					t.Errorf("%s: %s", r.Key, r.Note)
				}
				if r.Kind == pipeline.WriteReview && len(r.Threads) != 2 {
					t.Errorf("threads %v", r.Threads)
				}
				if r.Kind == pipeline.WriteComment && r.Finding != pipeline.SessionMark {
					t.Error("the receipt does not tell the session comment")
				}
			}
			if diff := cmp.Diff([]string{"w2"}, got.Applied); diff != "" {
				t.Error(diff)
			}
			snapshot, err := w.c.Folder(t.Context(), w.session.Repo, got.Head, w.session.Folder())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(snapshot.Files, w.session.Manifest.Files); diff != "" {
				t.Error("the receipts' files are not the branch's", diff)
			}
			if snapshot.Tree != got.Tree || snapshot.Head != got.Head || snapshot.Outside != 0 {
				t.Errorf("snapshot %s %s %d, receipts %s %s", snapshot.Head, snapshot.Tree, snapshot.Outside, got.Head, got.Tree)
			}
			if text := string(snapshot.Text["wisdom/learnings.md"]); text != "# Learnings\n- pay once\n" {
				t.Errorf("wisdom is %q", text)
			}
			t.Log(got.Requests)
			seen[way] = w.sight()
		})
	}
	if diff := cmp.Diff(seen[WritesGraphQL], seen[WritesREST]); diff != "" {
		t.Error("REST shows something else:", diff)
	}
	t.Log(seen[WritesGraphQL])
}
