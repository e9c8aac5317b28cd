package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/pipeline"
	"parley/pipeline/storetest"
)

// serve runs an engine until the returned func is called, which waits for it.
func serve(t *testing.T, e *pipeline.Engine) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	return func() { cancel(); wg.Wait() }
}

func engine(w *world, store pipeline.Store) *pipeline.Engine {
	return &pipeline.Engine{
		Store: store, GitHub: w, Worker: w, Critic: w, Grace: time.Second,
		Beat: 10 * time.Millisecond, Tick: 5 * time.Millisecond,
		Backoff: func(int) time.Duration { return time.Millisecond },
		Policy:  pipeline.Policy{Advance: twoTasks},
	}
}

// await polls a store for a session that is as wanted.
func await(t *testing.T, store *storetest.Memory, issue int, so func(pipeline.Session) bool) pipeline.Session {
	t.Helper()
	deadline, tick := time.After(20*time.Second), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for {
		s, err := store.Session(context.Background(), pipeline.Key{Repo: repo.ID, Issue: issue})
		if err == nil && so(s) {
			return s
		}
		select {
		case <-deadline:
			t.Fatalf("issue %d never came to it: %+v (%v)", issue, s, err)
		case <-tick.C:
		}
	}
}

func ended(s pipeline.Session) bool {
	return s.Status == pipeline.SessionCompleted || s.Status == pipeline.SessionAborted
}

func accept(t *testing.T, store pipeline.Store, events ...pipeline.Event) {
	t.Helper()
	for _, ev := range events {
		if err := store.Accept(context.Background(), ev); err != nil {
			t.Fatal(err)
		}
	}
}

// A job that panics each time is tried three times, told and buried; other
// sessions go on.
func TestQ7PoisonJob(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	work, tries := w.work, atomic.Int32{}
	w.work = func(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
		if a.Session.Issue.Number == 1 {
			tries.Add(1)
			panic("poison")
		}
		return work(ctx, a)
	}
	defer serve(t, engine(w, store))()
	accept(t, store, startEvent(1), startEvent(2))
	if s := await(t, store, 2, ended); s.Status != pipeline.SessionCompleted {
		t.Errorf("the healthy session is %s", s.Status)
	}
	s := await(t, store, 1, ended)
	if s.ModeReason != "panic: poison" || tries.Load() != pipeline.MaxTries {
		t.Errorf("told %q after %d tries", s.ModeReason, tries.Load())
	}
	letters, err := store.Dead(context.Background())
	if err != nil || len(letters) != 1 || letters[0].Kind != string(pipeline.JobTask) {
		t.Errorf("dead letters %+v (%v), want the job", letters, err)
	}
}

// An event whose decision panics goes the same way; the session hears of it.
func TestQ7PoisonEvent(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	e := engine(w, store)
	e.Policy.Advance = func(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
		if ev.Label == "poison" {
			panic("poison")
		}
		return twoTasks(s, ev, now)
	}
	defer serve(t, e)()
	poison := startEvent(1)
	poison.ID, poison.Label = "poison", "poison"
	accept(t, store, poison, startEvent(1))
	if s := await(t, store, 1, ended); s.ModeReason != "decide start: panic: poison" {
		t.Errorf("told %q", s.ModeReason)
	}
	if letters, _ := store.Dead(context.Background()); len(letters) != 1 || letters[0].ID == "" {
		t.Errorf("dead letters %+v, want the event", letters)
	}
}

// GitHub out of reach for longer than three tries is waited out: nothing is
// buried, and what was to be said is said when it is back.
func TestOutageIsWaitedOut(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	brief, deliver := w.brief, w.deliver
	var briefs, delivers atomic.Int32
	w.brief = func() (pipeline.Briefing, error) {
		if briefs.Add(1) <= 3*pipeline.MaxTries {
			return pipeline.Briefing{}, fmt.Errorf("read the issue: %w", pipeline.ErrUnavailable)
		}
		return brief()
	}
	w.deliver = func(ctx context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
		if delivers.Add(1) <= 3*pipeline.MaxTries {
			return pipeline.Receipts{}, fmt.Errorf("commit: %w", pipeline.ErrUnavailable)
		}
		return deliver(ctx, b)
	}
	defer serve(t, engine(w, store))()
	accept(t, store, startEvent(1))
	if s := await(t, store, 1, ended); s.Status != pipeline.SessionCompleted {
		t.Errorf("the session is %s: %s", s.Status, s.ModeReason)
	}
	if letters, err := store.Dead(context.Background()); err != nil || len(letters) != 0 {
		t.Errorf("dead letters %+v (%v)", letters, err)
	}
}

// statusOf is what a check says, "" for any other write.
func statusOf(w pipeline.Write) string {
	if w.Check == nil {
		return ""
	}
	return w.Check.Status
}

// A commit that GitHub will not have is tried three times, told once and left;
// a person's word sends it again, in its place, and nothing is lost.
func TestRefusedForGoodEnds(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	deliver, healed, commits := w.deliver, atomic.Bool{}, atomic.Int32{}
	sent := make(chan string, 100)
	w.deliver = func(ctx context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
		var refused error // what comes before it is made, as GitHub would
		for i, one := range b.Writes {
			if one.Kind == pipeline.WriteCommit && !healed.Load() {
				refused = errors.New("commit: unprocessable (422): validation failed")
				if b.Writes = b.Writes[:i]; i == 0 {
					commits.Add(1)
				}
				break
			}
			if one.Kind == pipeline.WriteCommit {
				sent <- one.Title
			}
		}
		r, err := deliver(ctx, b)
		err = errors.Join(refused, err)
		for i := range r.Done {
			r.Done[i].Number, r.Done[i].Status = 143, statusOf(b.Writes[i])
		}
		return r, err
	}
	e := engine(w, store)
	e.Policy = pipeline.Policy{}
	brief := pipeline.Briefing{
		Repo: repo, Issue: pipeline.Issue{Number: 1, NodeID: "I_1", Title: "Export"}, Settings: pipeline.DefaultSettings(), BaseHead: "base",
		Body: pipeline.IssueText{Title: "Export", Body: "as CSV", Labels: []string{"lifecycle"}},
	}
	w.brief = func() (pipeline.Briefing, error) { return brief, nil }
	w.work = func(_ context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
		out := pipeline.Outcome{Task: a.Task.ID, Status: pipeline.TaskCompleted, Artifact: a.Task.Artifact}
		return pipeline.Draft{Outcome: out, Text: map[string][]byte{a.Task.Artifact: []byte("text")}}, nil
	}
	defer serve(t, e)()
	start := startEvent(1)
	start.Label = "lifecycle"
	accept(t, store, start)
	s := await(t, store, 1, func(s pipeline.Session) bool { return s.Posted.CheckStatus == "completed" }) // people see it
	letters, err := store.Dead(context.Background())
	if err != nil || len(letters) != 1 || letters[0].Kind != string(pipeline.JobDeliver) || commits.Load() != pipeline.MaxTries || s.Wait.Reason != pipeline.WaitUnsent {
		t.Fatalf("after %d tries it waits for %+v, letters %+v (%v)", commits.Load(), s.Wait, letters, err)
	}
	healed.Store(true)
	resume := startEvent(1)
	resume.ID, resume.Kind = "resume", pipeline.EventCommand
	resume.Command = &pipeline.Command{Verb: "resume", Subject: "IC_1", Carrier: pipeline.OnIssue, At: time.Now()}
	accept(t, store, resume)
	await(t, store, 1, ended)
	if letters, err := store.Dead(context.Background()); err != nil || len(letters) != 0 {
		t.Errorf("dead letters %+v (%v)", letters, err)
	}
	if first := <-sent; !strings.HasPrefix(first, "RESEARCH-001") {
		t.Errorf("the first commit is %q", first)
	}
}

// A stop hands running jobs back within the grace time, without counting the
// try; the next process finishes them.
func TestQ9DrainHandsBack(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	work, running := w.work, make(chan struct{}, 100)
	w.work = func(ctx context.Context, _ pipeline.Assignment) (pipeline.Draft, error) {
		running <- struct{}{}
		<-ctx.Done()
		return pipeline.Draft{}, ctx.Err()
	}
	e := engine(w, store)
	e.Grace, e.Slow = 20*time.Millisecond, 3
	stop := serve(t, e)
	accept(t, store, startEvent(1), startEvent(2), startEvent(3))
	for range 3 {
		<-running
	}
	stop()
	for issue := 1; issue <= 3; issue++ {
		j, err := store.TakeJob(context.Background(), pipeline.Key{Repo: repo.ID, Issue: issue}, "task-A")
		if err != nil || j.Try != 1 {
			t.Fatalf("job of issue %d: try %d, %v; want it back uncounted", issue, j.Try, err)
		}
		if err := store.YieldJob(context.Background(), j.Lease); err != nil {
			t.Fatal(err)
		}
	}
	w.work = work
	defer serve(t, engine(w, store))()
	for issue := 1; issue <= 3; issue++ {
		await(t, store, issue, ended)
	}
}

// A job past its deadline is cancelled and, after its tries, told as such.
func TestQ11Deadline(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	w.work = func(ctx context.Context, _ pipeline.Assignment) (pipeline.Draft, error) {
		<-ctx.Done()
		return pipeline.Draft{}, ctx.Err()
	}
	e := engine(w, store)
	var failure atomic.Pointer[pipeline.Failure]
	e.Policy.Advance = func(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
		if ev.Failure != nil {
			failure.Store(ev.Failure)
		}
		next, effects, err := twoTasks(s, ev, now)
		for _, eff := range effects {
			if eff.Job != nil && eff.Job.Kind == pipeline.JobTask {
				eff.Job.Deadline = 5 * time.Millisecond
			}
		}
		return next, effects, err
	}
	defer serve(t, e)()
	accept(t, store, startEvent(1))
	await(t, store, 1, ended)
	if f := failure.Load(); f == nil || !f.Timeout || !f.Last || f.Task != "A" {
		t.Errorf("failure %+v, want a last timeout of A", f)
	}
}

// A cancel reaches the running job with the next beat, and what it returns
// all the same is refused.
func TestCancelReachesARunningJob(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	running, cause := make(chan struct{}), make(chan error, 1)
	w.work = func(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
		close(running)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return pipeline.Draft{Outcome: pipeline.Outcome{Status: pipeline.TaskCompleted}}, nil
	}
	e := engine(w, store)
	e.Policy.Advance = func(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
		if ev.Kind == pipeline.EventUnlabelled {
			s.Status = pipeline.SessionAborted
			return s, []pipeline.Effect{{Cancel: "task-A"}}, nil
		}
		return twoTasks(s, ev, now)
	}
	defer serve(t, e)()
	accept(t, store, startEvent(1))
	<-running
	cancel := startEvent(1)
	cancel.ID, cancel.Kind = "cancel", pipeline.EventUnlabelled
	accept(t, store, cancel)
	if err := <-cause; !errors.Is(err, pipeline.ErrStale) {
		t.Errorf("the job ended by %v", err)
	}
	if s := await(t, store, 1, ended); len(s.CompletedTasks) > 0 {
		t.Errorf("completed %v after the cancel", s.CompletedTasks)
	}
}

// A switch that is off outlives a restart; what waited goes on when it is
// taken back.
func TestQ13Switch(t *testing.T) {
	w, store := newWorld(), storetest.NewMemory(storetest.Options{})
	ctx := context.Background()
	if err := store.Stop(ctx, true); err != nil {
		t.Fatal(err)
	}
	accept(t, store, startEvent(1))
	serve(t, engine(w, store))()
	defer serve(t, engine(w, store))()
	if s, err := store.Session(ctx, pipeline.Key{Repo: repo.ID, Issue: 1}); err == nil {
		t.Fatalf("a stopped queue moved to %s", s.Status)
	}
	if err := store.Stop(ctx, false); err != nil {
		t.Fatal(err)
	}
	await(t, store, 1, ended)
}
