package githubapi

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/githubsim"
	"parley/pipeline"
)

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
		"502 after the write":     {Status: 502, Lost: true},
		"reset after the write":   {After: true},
		"reset before the write":  {Before: true},
		"502 before the write":    {Status: 502},
		"cut off after the write": {Truncate: 20},
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
		for name, fault := range map[string]githubsim.Fault{"lost": {Status: 502, Lost: true}, "reset": {After: true}, "cut": {Truncate: 20}} {
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
	const no = "Resource not accessible by integration"
	field := func(name, kind string) githubsim.Fault {
		return githubsim.Fault{Operation: name, Type: kind, Message: no}
	}
	call := func(method, path string) githubsim.Fault {
		return githubsim.Fault{Method: method, Path: path, Status: 403, Message: no}
	}
	for _, test := range []struct {
		name, way, noted string
		fault            githubsim.Fault
	}{
		{"reaction forbidden", WritesAuto, "t1:react", field("addReaction", "FORBIDDEN")},
		{"reaction not found", WritesAuto, "t1:react", field("addReaction", "NOT_FOUND")},
		{"assignee forbidden", WritesAuto, "t1:assign", field("addAssigneesToAssignable", "FORBIDDEN")},
		{"body edit forbidden", WritesAuto, "t1:panel", field("updatePullRequest", "FORBIDDEN")},
		{"reaction refused", WritesREST, "t1:react", call("POST", "/repos/*/*/issues/*/reactions")},
		{"assignee refused", WritesREST, "t1:assign", call("POST", "/repos/*/*/issues/*/assignees")},
		{"body edit refused", WritesREST, "t1:panel", call("PATCH", "/repos/*/*/pulls/*")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := opened(t, test.way)
			w.AddFault(test.fault)
			ws := w.taskWrites()
			ws[3].Ornament = true // the panel
			got := w.deliver(ws...)
			notes, want := map[string]bool{}, map[string]bool{}
			for _, r := range got.Done {
				notes[r.Key] = r.Note != ""
			}
			for _, x := range ws {
				want[x.Key] = x.Key == test.noted
			}
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

// TestDryRun sends nothing, and the log says what it would have sent.
func TestDryRun(t *testing.T) {
	w := newWorld(t, WritesAuto)
	var log bytes.Buffer
	w.c.cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
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
	for _, plan := range append([]pipeline.Write{w.openWrite()}, w.taskWrites()...) {
		if line := fmt.Sprintf("write=%s key=%s ", plan.Kind, plan.Key); strings.Count(log.String(), line) != 1 {
			t.Errorf("the plan does not name %q once:\n%s", line, log.String())
		}
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
