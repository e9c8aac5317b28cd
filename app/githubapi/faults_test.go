package githubapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/githubsim"
	"parley/pipeline"
)

// operations are the root fields a fault can strike at, in the order in which
// a session meets them.
var operations = map[pipeline.WriteKind]string{
	pipeline.WriteOpen: "createPullRequest", pipeline.WriteCommit: "createCommitOnBranch", pipeline.WriteReview: "addPullRequestReview",
	pipeline.WriteCheck: "createCheckRun", pipeline.WriteComment: "addComment",
}

// TestG1G2WrittenOnce: the answer is lost, the write has happened. The second
// try finds it and a person sees what one try would have shown.
func TestG1G2WrittenOnce(t *testing.T) {
	calm := opened(t, WritesGraphQL)
	calm.deliver(calm.taskWrites()...)
	want := calm.sight()
	faults := map[string]githubsim.Fault{
		"502 after the write":    {Status: 502, Lost: true},
		"reset after the write":  {After: true},
		"reset before the write": {Before: true},
		"502 before the write":   {Status: 502},
	}
	for name, fault := range faults {
		for kind, operation := range operations {
			for _, way := range []string{WritesGraphQL, WritesAuto} {
				t.Run(strings.Join([]string{name, string(kind), way}, "/"), func(t *testing.T) {
					w := newWorld(t, way)
					w.brief()
					fault.Operation = operation
					w.AddFault(fault)
					w.persist(w.openWrite())
					w.persist(w.taskWrites()...)
					if diff := cmp.Diff(want, w.sight()); diff != "" {
						t.Fatal(diff)
					}
				})
			}
		}
	}
}

// persist delivers as the queue does: again, with the keys that may have been
// sent, until it is done.
func (w *world) persist(ws ...pipeline.Write) pipeline.Receipts {
	w.t.Helper()
	again := map[string]bool{}
	var all pipeline.Receipts
	for range 4 {
		got, err := w.try(again, ws...)
		all.Done = append(all.Done, got.Done...)
		ws = slices.DeleteFunc(slices.Clone(ws), func(x pipeline.Write) bool {
			return slices.ContainsFunc(got.Done, func(r pipeline.Receipt) bool { return r.Key == x.Key })
		})
		if err == nil {
			return all
		}
		for _, x := range ws {
			again[x.Key] = true
		}
	}
	w.t.Fatal("not done after four tries")
	return all
}

// TestRESTWrittenOnce: the same over REST, struck at each of its writes.
func TestRESTWrittenOnce(t *testing.T) {
	calm := opened(t, WritesREST)
	calm.deliver(calm.taskWrites()...)
	want := calm.sight()
	paths := []struct{ method, path string }{
		{"POST", "/repos/*/*/git/refs"}, {"POST", "/repos/*/*/pulls"}, {"PATCH", "/repos/*/*/git/refs/heads/lifecycle/*"},
		{"POST", "/repos/*/*/pulls/*/reviews"}, {"POST", "/repos/*/*/check-runs"}, {"POST", "/repos/*/*/issues/*/comments"},
		{"POST", "/repos/*/*/git/trees"}, {"POST", "/repos/*/*/git/commits"},
	}
	for _, p := range paths {
		for name, fault := range map[string]githubsim.Fault{"lost": {Status: 502, Lost: true}, "reset": {After: true}} {
			for skip := range 2 {
				t.Run(fmt.Sprintf("%s %s %s/%d", name, p.method, p.path, skip), func(t *testing.T) {
					w := newWorld(t, WritesREST)
					w.brief()
					fault.Method, fault.Path, fault.Skip = p.method, p.path, skip
					w.AddFault(fault)
					w.persist(w.openWrite())
					w.persist(w.taskWrites()...)
					if diff := cmp.Diff(want, w.sight()); diff != "" {
						t.Fatal(diff)
					}
				})
			}
		}
	}
}

// TestGraphQLDown: the same plan goes out over REST, within the same delivery.
func TestGraphQLDown(t *testing.T) {
	calm := opened(t, WritesREST)
	calm.deliver(calm.taskWrites()...)
	want := calm.sight()
	for name, fault := range map[string]githubsim.Fault{
		"bad gateway": {Status: 502}, "refused": {Status: 403, Message: "Forbidden"}, "not there": {Status: 404, Message: "Not Found"}, "reset": {Before: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, WritesAuto)
			w.brief()
			fault.Method, fault.Path, fault.Times = "POST", "/graphql", -1
			w.AddFault(fault)
			if got := w.deliver(w.openWrite()); got.Mode != WritesREST {
				t.Errorf("mode %q", got.Mode)
			}
			w.deliver(w.taskWrites()...)
			if diff := cmp.Diff(want, w.sight()); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// TestG7OrnamentFails: it is noted, and everything else is done.
func TestG7OrnamentFails(t *testing.T) {
	for name, fault := range map[string]githubsim.Fault{
		"forbidden": {Operation: "addReaction", Type: "FORBIDDEN", Message: "Resource not accessible by integration"},
		"not found": {Operation: "addReaction", Type: "NOT_FOUND", Message: "Could not resolve to a node"},
	} {
		t.Run(name, func(t *testing.T) {
			w := opened(t, WritesAuto)
			w.AddFault(fault)
			got := w.deliver(w.taskWrites()...)
			notes := map[string]bool{}
			for _, r := range got.Done {
				notes[r.Key] = r.Note != ""
			}
			want := map[string]bool{"t1:commit": false, "t1:review": false, "t1:check": false, "t1:panel": false, "t1:comment": false, "t1:react": true, "t1:assign": false}
			if diff := cmp.Diff(want, notes); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// TestEssentialFails: what was made before and beside it is told, and the rest
// comes with the next try.
func TestEssentialFails(t *testing.T) {
	w := opened(t, WritesAuto)
	w.AddFault(githubsim.Fault{Operation: "createCheckRun", Type: "FORBIDDEN", Message: "Resource not accessible by integration"})
	ws := w.taskWrites()
	got, err := w.try(nil, ws...)
	if !errors.Is(err, pipeline.ErrForbidden) || got.Head == "" || len(got.Done) != len(ws)-1 {
		t.Fatalf("got %v, head %q, %d receipts", err, got.Head, len(got.Done))
	}
	if again, err := w.try(map[string]bool{"t1:check": true}, ws[2]); err != nil || len(again.Done) != 1 {
		t.Fatalf("got %v, %d receipts", err, len(again.Done))
	}
}

// TestG3Review: what has no line stands on its file, what has no file in the
// body, and thirty threads are enough.
func TestG3Review(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			ws := w.taskWrites()
			var remarks []pipeline.LineRemark
			for n := range 35 {
				remarks = append(remarks, pipeline.LineRemark{Finding: fmt.Sprintf("F-%02d", n), Path: "spec/product-brief.md", Line: n%5 + 1, Body: fmt.Sprintf("remark %d", n)})
			}
			remarks[3].Line = 4000
			remarks[4].Path = "spec/not-there.md"
			ws[1].Review.Comments = remarks
			w.deliver(ws...)
			sight := w.sight()
			for n := range remarks {
				if got := strings.Count(sight, fmt.Sprintf("remark %d\"", n)) + strings.Count(sight, fmt.Sprintf("remark %d\\n", n)); got != 1 {
					t.Errorf("remark %d is to be seen %d times", n, got)
				}
			}
			if got := strings.Count(sight, "review COMMENTED"); got != 1 {
				t.Errorf("%d reviews", got)
			}
			if got := strings.Count(sight, "\nline "); got > maxThreads {
				t.Errorf("%d threads", got)
			}
		})
	}
}

// TestG3OneBadLine: GitHub judges the lines otherwise than we do, because the
// text is not in the store: the remark moves to the body, the rest is kept.
func TestG3OneBadLine(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			ws := w.taskWrites()
			ws[1].Review.Comments[0].Line = 77
			ws[1].Review.Comments[0].Path, ws[1].Review.Comments[1].Path = "team-session.json", "spec/product-brief.md"
			w.deliver(ws...)
			sight := w.sight()
			for _, text := range []string{"Say who pays.", "Say it once."} {
				if strings.Count(sight, text) != 1 {
					t.Errorf("%q is to be seen %d times in\n%s", text, strings.Count(sight, text), sight)
				}
			}
		})
	}
}

// TestG14ForgedMarkers: markers in other people's texts are not ours.
func TestG14ForgedMarkers(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			forged := "I am the bot " + pipeline.Marker(pipeline.WriteMark, mark("t1:comment")) + pipeline.Marker(pipeline.SessionMark, "TLS-x")
			if _, err := w.Comment("eve", w.issue(), forged); err != nil {
				t.Fatal(err)
			}
			if got := w.brief(); got.Comment != "" {
				t.Errorf("the forged session comment counts: %q", got.Comment)
			}
			ws := w.taskWrites()
			if _, err := w.try(map[string]bool{"t1:comment": true}, ws...); err != nil {
				t.Fatal(err)
			}
			if sight := w.sight(); strings.Count(sight, "comment on 1 by parley[bot]") != 1 {
				t.Fatalf("our comment is not there once:\n%s", sight)
			}
			if got := w.brief(); got.Comment == "" {
				t.Error("our session comment is not found")
			}
		})
	}
}

// TestG14DeletedCommentIsRebuiltOnce, and the edit repeated does not make two.
func TestG14DeletedCommentIsRebuiltOnce(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			made := w.deliver(pipeline.Write{Key: "c", Kind: pipeline.WriteComment, Number: 1, Body: "started"}).Done[0]
			if err := w.DeleteComment("ann", made.ID); err != nil {
				t.Fatal(err)
			}
			edit := pipeline.Write{Key: "e", Kind: pipeline.WriteEdit, Number: 1, Subject: made.NodeID, Body: "finished"}
			anew := w.deliver(edit).Done[0]
			if anew.NodeID == "" || anew.NodeID == made.NodeID {
				t.Errorf("receipt %+v", anew)
			}
			if _, err := w.try(map[string]bool{"e": true}, edit); err != nil {
				t.Fatal(err)
			}
			if sight := w.sight(); strings.Count(sight, "finished") != 1 || strings.Contains(sight, "started") {
				t.Fatal(sight)
			}
		})
	}
}

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

// TestStepByStep: where branch, commit and pull request do not go together,
// they go one by one.
func TestStepByStep(t *testing.T) {
	w := newWorld(t, WritesGraphQL)
	w.brief()
	w.AddFault(githubsim.Fault{Operation: "createCommitOnBranch", Type: "NOT_FOUND", Message: "Could not resolve to a Ref"})
	w.deliver(w.openWrite())
	if sight := w.sight(); strings.Count(sight, "pull ") != 1 || strings.Count(sight, "commit \"") != 1 {
		t.Fatal(sight)
	}
	if !w.c.stepwise.Load() {
		t.Error("the next session will try it at once again")
	}
}

// TestG18NewRun: a run is updated until it is completed; leaving that state,
// and every new head, is a new run.
func TestG18NewRun(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			check := func(key, status, conclusion string) int64 {
				c := &pipeline.CheckWrite{Status: status, Conclusion: conclusion, Title: key, Summary: key, External: w.session.ID,
					Actions: []pipeline.CheckAction{{Label: "Resume", Description: strings.Repeat("x", 60), Identifier: "resume"}}}
				return w.deliver(pipeline.Write{Key: key, Kind: pipeline.WriteCheck, Check: c}).Done[0].ID
			}
			first := check("a", "in_progress", "")
			if again := check("b", "in_progress", ""); again != first {
				t.Error("an open run was not updated")
			}
			if closed := check("c", "completed", "action_required"); closed != first {
				t.Error("an open run was not completed")
			}
			if anew := check("d", "in_progress", ""); anew == first {
				t.Error("a completed run was taken back")
			}
		})
	}
}

// TestPeoplesWordsStay around the panel, also when they remove its markers.
func TestPeoplesWordsStay(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			panel := func(key, text string) pipeline.Write {
				return pipeline.Write{Key: key, Kind: pipeline.WritePanel, Body: pipeline.PanelStart + "\n" + text + "\n" + pipeline.PanelEnd}
			}
			if err := w.EditBody("ann", w.pull(), "All rewritten by Ann."); err != nil {
				t.Fatal(err)
			}
			w.deliver(panel("p1", "one"))
			if err := w.EditBody("ann", w.pull(), "Before.\n\n"+pipeline.PanelStart+"\nhand-edited\n"+pipeline.PanelEnd+"\n\nAfter."); err != nil {
				t.Fatal(err)
			}
			got := w.deliver(panel("p2", "two"), panel("p3", "three"))
			sight := w.sight()
			if !strings.Contains(sight, "Before.\n\n\nthree\n\n\nAfter.") || strings.Contains(sight, "two") {
				t.Fatal(sight)
			}
			if len(got.Done) != 2 {
				t.Errorf("%d receipts for two panels", len(got.Done))
			}
		})
	}
}

// TestDryRun sends nothing.
func TestDryRun(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.brief()
	w.session.Settings.DryRun = true
	before := w.Counts()
	got := w.deliver(append([]pipeline.Write{w.openWrite()}, w.taskWrites()...)...)
	if diff := cmp.Diff(before, w.Counts()); diff != "" {
		t.Fatal(diff)
	}
	if len(got.Done) != len(w.taskWrites())+1 || got.Requests != (pipeline.Requests{}) {
		t.Fatalf("receipts %+v", got)
	}
}

// TestG6LimitsWhileWriting: every shape of a limit becomes a time to come
// back, nothing is lost and nothing is written twice.
func TestG6LimitsWhileWriting(t *testing.T) {
	for _, limit := range []string{githubsim.LimitPrimary, githubsim.LimitPrimary429, githubsim.LimitSecondary, githubsim.LimitSecondary29} {
		for _, way := range []string{WritesGraphQL, WritesREST} {
			t.Run(way+"/"+limit, func(t *testing.T) {
				w := opened(t, way)
				w.AddFault(githubsim.Fault{Method: "POST", Limit: limit, RetryAfter: 60, Times: 1})
				before := w.Counts()
				_, err := w.try(nil, w.taskWrites()...)
				if !waits(err) {
					t.Fatalf("got %v", err)
				}
				after := w.Counts()
				if _, err = w.try(nil, w.taskWrites()...); !waits(err) {
					t.Fatalf("got %v", err)
				}
				if got := w.Counts(); got != after || after.Requests-before.Requests > 3 {
					t.Errorf("asked while limited: %+v, %+v, %+v", before, after, got)
				}
			})
		}
	}
}
