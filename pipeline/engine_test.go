package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
	"parley/pipeline/storetest"
)

// world is a GitHub, a worker and a critic made of closures; each test
// replaces the one that matters to it.
type world struct {
	permission func(login string) (pipeline.Permission, error)
	brief      func() (pipeline.Briefing, error)
	deliver    func(ctx context.Context, b pipeline.Batch) (pipeline.Receipts, error)
	folder     func(ref string) (pipeline.Snapshot, error)
	work       func(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error)
	critique   func(r pipeline.Review) (pipeline.Judgement, error)
	source     fs.FS
}

func newWorld() *world {
	return &world{
		permission: func(string) (pipeline.Permission, error) { return pipeline.PermWrite, nil },
		brief: func() (pipeline.Briefing, error) {
			return pipeline.Briefing{Body: pipeline.IssueText{Title: "Export", Body: "as CSV"}}, nil
		},
		deliver: func(_ context.Context, b pipeline.Batch) (pipeline.Receipts, error) { return receipts(b), nil },
		folder: func(string) (pipeline.Snapshot, error) {
			return pipeline.Snapshot{}, errors.New("nobody should have to read the branch")
		},
		work: func(_ context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
			text := fmt.Appendf(nil, "%s of %q over %d files", a.Task.ID, a.Issue.Title, len(a.Folder))
			path := string(a.Task.ID) + ".md"
			return pipeline.Draft{
				Outcome: pipeline.Outcome{Task: a.Task.ID, Status: pipeline.TaskCompleted, Artifact: path},
				Text:    map[string][]byte{path: text},
			}, nil
		},
		critique: func(r pipeline.Review) (pipeline.Judgement, error) {
			if _, ok := r.Folder[r.Artifact]; !ok {
				return pipeline.Judgement{}, fmt.Errorf("%s is not in the folder", r.Artifact)
			}
			return pipeline.Judgement{
				Verdict: pipeline.Verdict{Round: r.Round, Consensus: pipeline.ConsensusReached},
				Text:    map[string][]byte{"discussions/" + string(r.Round) + ".md": []byte("agreed")},
			}, nil
		},
	}
}

func receipts(b pipeline.Batch) (r pipeline.Receipts) {
	for _, w := range b.Writes {
		r.Done = append(r.Done, pipeline.Receipt{Key: w.Key, Kind: w.Kind})
	}
	return r
}

func (w *world) Permission(_ context.Context, _ pipeline.Repo, login string) (pipeline.Permission, error) {
	return w.permission(login)
}
func (w *world) Brief(ctx context.Context, _ pipeline.Repo, _ int) (pipeline.Briefing, error) {
	pipeline.Count(ctx, pipeline.Requests{Requests: 1, GraphQL: 1})
	return w.brief()
}
func (w *world) Deliver(ctx context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
	return w.deliver(ctx, b)
}
func (w *world) Folder(_ context.Context, _ pipeline.Repo, ref, _ string) (pipeline.Snapshot, error) {
	return w.folder(ref)
}
func (w *world) Source(context.Context, pipeline.Repo, string) (fs.FS, error) { return w.source, nil }
func (w *world) Head(context.Context, pipeline.Repo, string, pipeline.HeadAsk) (pipeline.HeadFacts, error) {
	return pipeline.HeadFacts{}, nil
}
func (w *world) Threads(_ context.Context, _ pipeline.Repo, pr int) ([]pipeline.Thread, error) {
	return []pipeline.Thread{{ID: fmt.Sprintf("T-of-%d", pr), Finding: "F-01", Root: "9"}}, nil
}
func (w *world) Work(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
	return w.work(ctx, a)
}
func (w *world) Critique(_ context.Context, r pipeline.Review) (pipeline.Judgement, error) {
	return w.critique(r)
}

// twoTasks is the smallest policy with every shape of step in it: it briefs,
// runs A and then B, commits each and completes when B's commit is out.
func twoTasks(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
	next := map[pipeline.TaskID]pipeline.TaskID{"": "A", "A": "B"}
	write := func(kind pipeline.WriteKind) pipeline.Effect {
		return pipeline.Effect{Write: &pipeline.Write{Key: ev.ID, Kind: kind, Title: string(ev.Kind)}}
	}
	job := func(kind pipeline.JobKind, id pipeline.TaskID) pipeline.Effect {
		return pipeline.Effect{Job: &pipeline.JobSpec{ID: fmt.Sprintf("%s-%s", kind, id), Kind: kind, Task: id}}
	}
	switch ev.Kind {
	case pipeline.EventStart:
		s = pipeline.Session{Schema: 1, ID: "s", Repo: ev.Repo, Status: pipeline.SessionActive, Starter: ev.Permission.String()}
		s.Issue.Number = ev.Issue
		s.Tasks = []pipeline.Task{{ID: "A", Round: "DISCUSS-001"}, {ID: "B"}}
		return s, []pipeline.Effect{job(pipeline.JobPrepare, "")}, nil
	case pipeline.EventPrepared:
		s.Issue = ev.Briefing.Issue
		s.Issue.Number, s.RawInput = ev.Issue, ev.Briefing.Body.Title
		return s, []pipeline.Effect{write(pipeline.WriteOpen), job(pipeline.JobTask, "A")}, nil
	case pipeline.EventDone:
		if s.Manifest.Files == nil {
			s.Manifest.Files = map[string]string{}
		}
		for _, f := range ev.Outcome.Files {
			s.Manifest.Files[f.Path] = f.Blob
		}
		s.CompletedTasks = append(s.CompletedTasks, ev.Outcome.Task)
		effects := []pipeline.Effect{write(pipeline.WriteCommit)}
		if id := next[ev.Outcome.Task]; id != "" {
			effects = append(effects, job(pipeline.JobTask, id))
		}
		return s, effects, nil
	case pipeline.EventDelivered:
		for _, r := range ev.Receipts.Done {
			s.WisdomEntries = append(s.WisdomEntries, string(r.Kind))
		}
		if slices.Contains(s.CompletedTasks, "B") && len(s.WisdomEntries) == 3 {
			s.Status = pipeline.SessionCompleted
		}
	case pipeline.EventFailed, pipeline.EventRefused, pipeline.EventDead:
		s.Status, s.ModeReason = pipeline.SessionAborted, ev.Failure.Text
		return s, []pipeline.Effect{{Aside: ev.Failure.Kept}}, nil
	}
	return s, nil, nil
}

var repo = pipeline.Repo{Installation: 7, ID: 42, Owner: "o", Name: "r"}

func startEvent(issue int) pipeline.Event {
	return pipeline.Event{
		ID: fmt.Sprintf("start-%d", issue), Kind: pipeline.EventStart, Repo: repo, Issue: issue,
		Actor: pipeline.Actor{Login: "ann"}, At: time.Unix(1, 0).UTC(),
	}
}

// run lets an engine serve the events until the issue's session reaches a status.
func run(t *testing.T, w *world, store *storetest.Memory, policy func(pipeline.Session, pipeline.Event, time.Time) (pipeline.Session, []pipeline.Effect, error), events ...pipeline.Event) pipeline.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	ended := make(chan pipeline.Session, 100)
	e := &pipeline.Engine{
		Store: store, GitHub: w, Worker: w, Critic: w, Grace: time.Second,
		Policy: pipeline.Policy{Advance: policy, NeedsPermission: func(ev pipeline.Event) bool { return ev.Kind == pipeline.EventStart }},
		Hooks: pipeline.Hooks{Progress: func(p pipeline.Progress) {
			if p.Stage == pipeline.StageTurn && (p.Session.Status == pipeline.SessionCompleted || p.Session.Status == pipeline.SessionAborted) {
				ended <- p.Session
			}
		}},
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, ev := range events {
		if err := store.Accept(ctx, ev); err != nil {
			t.Fatal(err)
		}
	}
	var last pipeline.Session
	select {
	case last = <-ended:
	case <-ctx.Done():
		t.Error("the session did not end")
	}
	cancel()
	wg.Wait()
	return last
}

func TestEngineRunsASessionToItsEnd(t *testing.T) {
	s := run(t, newWorld(), storetest.NewMemory(storetest.Options{}), twoTasks, startEvent(1))
	type seen struct {
		Status pipeline.SessionStatus
		Tasks  []pipeline.TaskID
		Writes []string
		Files  []string
		Asked  int
		Who    string
	}
	var files []string
	for path := range s.Manifest.Files {
		files = append(files, path)
	}
	slices.Sort(files)
	got := seen{s.Status, s.CompletedTasks, s.WisdomEntries, files, s.Requests.Requests, s.Starter}
	want := seen{
		pipeline.SessionCompleted, []pipeline.TaskID{"A", "B"}, []string{"open", "commit", "commit"},
		[]string{"A.md", "B.md", "discussions/DISCUSS-001.md"}, 1, "write",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
}

// C10: where GitHub cannot say who somebody is, the policy hears of nobody's
// standing, and why; what is forgotten in the event never stands in for it.
func TestC10StandingUnread(t *testing.T) {
	w := newWorld()
	w.permission = func(string) (pipeline.Permission, error) { return pipeline.PermAdmin, errors.New("502") }
	start := startEvent(1)
	start.Permission = pipeline.PermAdmin
	s := run(t, w, storetest.NewMemory(storetest.Options{}), func(_ pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
		return pipeline.Session{Schema: 1, Status: pipeline.SessionAborted, ModeReason: ev.Permission.String() + ", " + ev.PermissionUnknown}, nil, nil
	}, start)
	if s.ModeReason != "none, 502" {
		t.Errorf("the policy heard %q", s.ModeReason)
	}
}

// Who judges is told which backend wrote, so that another can be asked first.
func TestRoundKnowsWhoWrote(t *testing.T) {
	w := newWorld()
	work, critique := w.work, w.critique
	w.work = func(c context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
		d, err := work(c, a)
		d.Backends = []string{"anthropic", "openai"}
		return d, err
	}
	author := make(chan []string, 9)
	w.critique = func(r pipeline.Review) (pipeline.Judgement, error) {
		author <- r.Authors
		return critique(r)
	}
	run(t, w, storetest.NewMemory(storetest.Options{}), twoTasks, startEvent(1))
	if got := <-author; !slices.Equal(got, []string{"anthropic", "openai"}) {
		t.Errorf("the round was told %q", got)
	}
}

func TestEngineFailures(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name   string
		change func(w *world)
		status pipeline.SessionStatus
		reason string
	}{
		{"a round that fails is part of the outcome", func(w *world) {
			w.critique = func(pipeline.Review) (pipeline.Judgement, error) { return pipeline.Judgement{}, boom }
		}, pipeline.SessionCompleted, ""},
		{"told to wait before anything was sent", func(w *world) {
			n := 0
			deliver := w.deliver
			w.deliver = func(ctx context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
				if n++; n == 1 {
					return pipeline.Receipts{}, &pipeline.NotBefore{At: time.Now(), Why: "rate limit"}
				}
				return deliver(ctx, b)
			}
		}, pipeline.SessionCompleted, ""},
		{"forbidden", func(w *world) {
			w.deliver = func(context.Context, pipeline.Batch) (pipeline.Receipts, error) {
				return pipeline.Receipts{}, fmt.Errorf("contents: write: %w", pipeline.ErrForbidden)
			}
		}, pipeline.SessionAborted, "contents: write: forbidden"},
		{"gone", func(w *world) {
			w.deliver = func(context.Context, pipeline.Batch) (pipeline.Receipts, error) {
				return pipeline.Receipts{}, pipeline.ErrGone
			}
		}, pipeline.SessionAborted, "gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			tt.change(w)
			s := run(t, w, storetest.NewMemory(storetest.Options{}), twoTasks, startEvent(1))
			if s.Status != tt.status || s.ModeReason != tt.reason {
				t.Errorf("ended %s (%s), want %s (%s)", s.Status, s.ModeReason, tt.status, tt.reason)
			}
		})
	}
}

// TestNamedSpecificationIsLookedFor: a start that names a file is told whether
// the default branch has it.
func TestNamedSpecificationIsLookedFor(t *testing.T) {
	tests := []struct {
		path string
		want string
	}{{"docs/spec.md", "true"}, {"docs", "false"}, {"docs/none.md", "false"}, {"../etc/passwd", "false"}, {"/docs/spec.md", "false"}, {"", "true"}}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			w := newWorld()
			w.source = fstest.MapFS{"docs/spec.md": {Data: []byte("# Spec")}}
			w.brief = func() (pipeline.Briefing, error) { return pipeline.Briefing{BaseHead: "base", HasSpec: true}, nil }
			s := run(t, w, storetest.NewMemory(storetest.Options{}), func(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
				s, effects, err := twoTasks(s, ev, now)
				s.SpecPath = tt.path
				if ev.Kind == pipeline.EventPrepared {
					s.Status, s.ModeReason = pipeline.SessionAborted, fmt.Sprint(ev.Briefing.HasSpec)
				}
				return s, effects, err
			}, startEvent(1))
			if s.ModeReason != tt.want {
				t.Errorf("found %s, want %s", s.ModeReason, tt.want)
			}
		})
	}
}

// TestFormerSessionIsReadBack: the session comes back with its own pull
// request, not the present one's, and with the threads of its findings.
func TestFormerSessionIsReadBack(t *testing.T) {
	w := newWorld()
	w.folder = func(ref string) (pipeline.Snapshot, error) {
		s := pipeline.Session{Schema: 1, ID: "TLS-a-1", Status: pipeline.SessionActive,
			Tasks: []pipeline.Task{{ID: "RESEARCH-001", Owner: pipeline.Analyst, Status: pipeline.TaskPending}}}
		return pipeline.Snapshot{Head: "h", Text: pipeline.Folder{pipeline.SessionPath: []byte(pipeline.SessionFile(s))}}, nil
	}
	var got pipeline.Session
	run(t, w, storetest.NewMemory(storetest.Options{}), func(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
		switch ev.Kind {
		case pipeline.EventStart:
			s = pipeline.Session{Schema: 1, ID: "TLS-a-1-2", Repo: ev.Repo, Status: pipeline.SessionActive,
				PR: pipeline.PullRequest{Number: 145}, Earlier: []pipeline.EarlierSession{{ID: "TLS-a-1", PR: 143}}}
			s.Issue.Number = ev.Issue
			return s, []pipeline.Effect{{Job: &pipeline.JobSpec{ID: "rebuild/1", Kind: pipeline.JobRebuild, Branch: "TLS-a-1"}}}, nil
		case pipeline.EventRebuilt:
			got, s.Status = *ev.Rebuilt, pipeline.SessionCompleted
		case pipeline.EventFailed:
			s.Status, s.ModeReason = pipeline.SessionAborted, ev.Failure.Text
		}
		return s, nil, nil
	}, startEvent(1))
	if got.PR.Number != 143 || got.Posted.Threads["F-01"] != "T-of-143" || got.Posted.Roots["F-01"] != "9" {
		t.Errorf("read back: pull request %d, %+v", got.PR.Number, got.Posted)
	}
}
