package githubapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// TestG15 is about the branch: what people pushed stays.
func TestG15MovedBranch(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		path := func(w *world, rel string) string { return w.session.Folder() + "/" + rel }
		tests := []struct {
			name      string
			push      func(w *world) map[string]string
			conflicts []string
			brief     string
		}{
			{"outside the folder", func(*world) map[string]string { return map[string]string{"main.go": "package main\n"} }, nil, "ours"},
			{"another document", func(w *world) map[string]string {
				return map[string]string{path(w, "spec/notes.md"): "theirs\n"}
			}, nil, "ours"},
			{"the same document", func(w *world) map[string]string {
				return map[string]string{path(w, "spec/product-brief.md"): "theirs\n"}
			}, []string{"spec/product-brief.md"}, "theirs\n"},
			{"an appended file", func(w *world) map[string]string {
				return map[string]string{path(w, "wisdom/learnings.md"): "# Mine\n"}
			}, nil, "ours"},
			{"the machine's state", func(w *world) map[string]string {
				return map[string]string{path(w, "team-session.json"): "broken"}
			}, nil, "ours"},
		}
		for _, test := range tests {
			t.Run(way+"/"+test.name, func(t *testing.T) {
				w := opened(t, way)
				if _, err := w.Push("ann", "octo/shop", w.session.Branch(), test.push(w)); err != nil {
					t.Fatal(err)
				}
				got := w.deliver(w.taskWrites()...)
				if diff := cmp.Diff(test.conflicts, got.Conflicts); diff != "" {
					t.Error("conflicts", diff)
				}
				at, err := w.c.Folder(t.Context(), w.session.Repo, w.session.Branch(), w.session.Folder())
				if err != nil {
					t.Fatal(err)
				}
				text := string(at.Text["spec/product-brief.md"])
				if test.brief == "ours" && !strings.HasPrefix(text, "# Product brief") || test.brief != "ours" && text != test.brief {
					t.Errorf("the brief is %q", text)
				}
				for p, want := range test.push(w) {
					rel, inside := strings.CutPrefix(p, w.session.Folder()+"/")
					text := string(at.Text[rel])
					if inside && rel != "team-session.json" && !strings.HasPrefix(text, want) {
						t.Errorf("%s lost what was pushed: %q", rel, text)
					}
				}
				if text := string(at.Text["wisdom/learnings.md"]); !strings.HasSuffix(text, "- pay once\n") {
					t.Errorf("wisdom is %q", text)
				}
				if string(at.Text["team-session.json"]) != "{\"n\":1}\n" {
					t.Error("the state is not ours")
				}
			})
		}
	}
}

// TestLateReceipts: the next delivery starts from a session that does not know
// of our own last commit yet. Our commits are no conflict with ourselves.
func TestLateReceipts(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			before := w.session
			ws := w.taskWrites()
			w.deliver(ws[0])
			w.session = before
			second := ws[0]
			second.Key, second.Files[0].Text, second.Files[0].Blob = "t2:commit", "# Second\n", ""
			second.Append = []pipeline.FileAppend{{Key: "w3", Path: "wisdom/learnings.md", Text: "- again\n"}}
			got := w.deliver(second)
			if got.Conflicts != nil {
				t.Errorf("conflicts %v", got.Conflicts)
			}
			at, err := w.c.Folder(t.Context(), w.session.Repo, got.Head, w.session.Folder())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("# Learnings\n- pay once\n- again\n", string(at.Text["wisdom/learnings.md"])); diff != "" {
				t.Error(diff)
			}
			if string(at.Text["spec/product-brief.md"]) != "# Second\n" {
				t.Error("the second text is not there")
			}
		})
	}
}

func TestG15BranchGoneOrTaken(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way+"/deleted", func(t *testing.T) {
			w := opened(t, way)
			if err := w.DeleteBranch("ann", "octo/shop", w.session.Branch()); err != nil {
				t.Fatal(err)
			}
			_, err := w.try(nil, w.taskWrites()[0])
			if !errors.Is(err, pipeline.ErrGone) {
				t.Fatalf("got %v", err)
			}
		})
		t.Run(way+"/taken", func(t *testing.T) {
			w := newWorld(t, way)
			w.brief()
			if _, err := w.Push("ann", "octo/shop", w.session.Branch(), map[string]string{"x": "y"}); err != nil {
				t.Fatal(err)
			}
			_, err := w.try(nil, w.openWrite())
			var refusal *pipeline.Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v", err)
			}
		})
		t.Run(way+"/protected", func(t *testing.T) {
			w := newWorld(t, way)
			w.brief()
			if err := w.Protect("octo/shop", "lifecycle/"); err != nil {
				t.Fatal(err)
			}
			_, err := w.try(nil, w.openWrite())
			if !errors.Is(err, pipeline.ErrForbidden) {
				t.Fatalf("got %v", err)
			}
		})
		t.Run(way+"/drafts refused", func(t *testing.T) {
			w := newWorld(t, way)
			w.brief()
			if err := w.ForbidDrafts("octo/shop"); err != nil {
				t.Fatal(err)
			}
			got := w.deliver(w.openWrite())
			if got.Done[0].Draft || got.Done[0].Number == 0 {
				t.Fatalf("receipt %+v", got.Done[0])
			}
		})
	}
}
