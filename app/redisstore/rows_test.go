package redisstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// An edited redelivery has another delivery id and the same meaning.
func TestI15SameCommentNewGUID(t *testing.T) {
	s := store(t, server(t).Address, Config{})
	ctx := context.Background()
	for i, want := range []error{nil, pipeline.ErrDuplicate, pipeline.ErrDuplicate} {
		ev := aCommand(fmt.Sprint("guid-", i), 1)
		ev.Dedupe = "IC_1:sha-of-the-text"
		if err := s.Accept(ctx, ev); !errors.Is(err, want) {
			t.Errorf("delivery %d: %v, want %v", i, err, want)
		}
	}
	if n := s.db.LLen(ctx, s.partitionOf(1).key("in:1-1")).Val(); n != 1 {
		t.Errorf("%d events stored, want 1", n)
	}
}

// What a full queue refused comes again by the sweep, and nothing is lost.
func TestI18QueueAtItsLimit(t *testing.T) {
	s := store(t, server(t).Address, Config{Waiting: 3})
	ctx, want, got := context.Background(), []string(nil), []string(nil)
	for i := range 10 {
		ev := aCommand(fmt.Sprint("e", i), 1)
		want = append(want, ev.ID)
		err := s.Accept(ctx, ev)
		if i > 0 && i%3 == 0 && !errors.Is(err, pipeline.ErrFull) {
			t.Fatalf("event %d: %v, want it refused", i, err)
		}
		if err != nil {
			got = append(got, drain(t, s, 1)...)
			err = s.Accept(ctx, ev) // the sweep
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, append(got, drain(t, s, 1)...)); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

// drain takes a session's events, in order, and returns their ids.
func drain(t *testing.T, s *Store, issue int) (ids []string) {
	t.Helper()
	turn, err := s.TakeTurn(context.Background(), pipeline.Key{Repo: int64(issue), Issue: issue})
	if err != nil {
		t.Fatal(err)
	}
	for next := &turn; next != nil; {
		ids = append(ids, next.Event.ID)
		done, err := s.Commit(context.Background(), next.Lease, pipeline.Commit{Event: next.Event.ID, Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		next = done.Next
	}
	return ids
}

// Sixteen senders, three replicas, each event once and in its session's order.
// The rate is for the benchmark to tell.
func TestI19BurstKeepsOrder(t *testing.T) {
	const sessions, each = 80, 25
	srv := server(t)
	var mu sync.Mutex
	got := map[int][]string{}
	left, done := atomic.Int32{}, make(chan struct{})
	left.Store(sessions * each)
	ctx, cancel := context.WithCancel(context.Background())
	var engines, senders sync.WaitGroup
	var intake []*Store
	for range 3 {
		s := store(t, srv.Address, Config{})
		intake = append(intake, s)
		e := &pipeline.Engine{Store: s, Policy: pipeline.Policy{Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			mu.Lock()
			got[ev.Issue] = append(got[ev.Issue], ev.ID)
			mu.Unlock()
			if left.Add(-1) == 0 {
				close(done)
			}
			return st, nil, nil
		}}}
		engines.Go(func() { e.Run(ctx) })
	}
	want := map[int][]string{}
	for issue := 1; issue <= sessions; issue++ {
		for n := range each {
			want[issue] = append(want[issue], crashID(issue, n))
		}
	}
	for lane := range 16 {
		senders.Go(func() {
			for n := range each {
				for issue := 1 + lane; issue <= sessions; issue += 16 {
					if err := intake[(issue+n)%3].Accept(ctx, aCommand(crashID(issue, n), issue)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	senders.Wait()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Errorf("%d events are lost", left.Load())
	}
	cancel()
	engines.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

// A worker that is killed at each named step in turn, from claim to finish.
func TestI20KilledAtEachStep(t *testing.T) {
	for i, step := range crashSteps {
		t.Run(strings.ReplaceAll(step, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s := newSchedule(t, server(t), uint64(len(crashSteps)*5+i)) // no poison in these
			s.orders.Die, s.orders.Delay, s.stops = 0, 0, 0
			if s.orders.Step != step {
				t.Fatalf("the seed means %q", s.orders.Step)
			}
			if errs := s.run(); len(errs) > 0 {
				t.Error(strings.Join(errs, "\n"))
			}
			if s.deaths == 0 {
				t.Error("nobody died: the step was not reached")
			}
		})
	}
}

func TestQ1TwoReplicasOneSession(t *testing.T) {
	srv := server(t)
	a, b := store(t, srv.Address, Config{}), store(t, srv.Address, Config{})
	ctx, key := context.Background(), pipeline.Key{Repo: 1, Issue: 1}
	if err := errors.Join(a.Accept(ctx, aCommand("one", 1)), b.Accept(ctx, aCommand("two", 1))); err != nil {
		t.Fatal(err)
	}
	held := make(chan pipeline.Turn, 2)
	var wg sync.WaitGroup
	both, cancel := context.WithCancel(ctx)
	for _, s := range []*Store{a, b} {
		wg.Go(func() {
			if turn, err := s.NextTurn(both); err == nil {
				held <- turn
			}
		})
	}
	first := <-held
	for _, s := range []*Store{a, b} {
		if turn, err := s.TakeTurn(ctx, key); !errors.Is(err, pipeline.ErrNotFound) {
			t.Errorf("a second holder: %+v %v", turn.Lease, err)
		}
	}
	if _, err := a.Commit(ctx, first.Lease, pipeline.Commit{Event: "one"}); err != nil {
		t.Fatal(err)
	}
	if second := <-held; first.Event.ID != "one" || second.Event.ID != "two" {
		t.Errorf("held %s, then %s", first.Event.ID, second.Event.ID)
	}
	cancel()
	wg.Wait()
}

// Whoever was paused past the lease changes no key, whatever it tries.
func TestQ2PausedHolderWritesNothing(t *testing.T) {
	s := store(t, server(t).Address, Config{Lease: 50 * time.Millisecond, grace: 1})
	ctx, key := context.Background(), pipeline.Key{Repo: 1, Issue: 1}
	job := &pipeline.JobSpec{ID: "j", Kind: pipeline.JobTask}
	if err := errors.Join(s.Accept(ctx, aCommand("one", 1)), s.Accept(ctx, aCommand("two", 1))); err != nil {
		t.Fatal(err)
	}
	first, err := s.TakeTurn(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, first.Lease, pipeline.Commit{Event: "one", Effects: []pipeline.Effect{{Job: job}}}); err != nil {
		t.Fatal(err)
	}
	turn, err := s.TakeTurn(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.TakeJob(ctx, key, "j")
	if err != nil {
		t.Fatal(err)
	}
	var turns, jobs bool
	eventually(t, "both are held by others", func() bool {
		s.Tick(ctx)
		if _, err := s.TakeTurn(ctx, key); err == nil {
			turns = true
		}
		if _, err := s.TakeJob(ctx, key, "j"); err == nil {
			jobs = true
		}
		return turns && jobs
	})
	before := dump(t, s)
	ev := aCommand("done", 1)
	for name, try := range map[string]func() error{
		"commit": func() error {
			_, err := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: "two", Effects: []pipeline.Effect{{Job: &pipeline.JobSpec{ID: "k"}}}})
			return err
		},
		"fail":   func() error { return s.FailTurn(ctx, turn.Lease, pipeline.Setback{Event: "two", Dead: true}) },
		"yield":  func() error { return s.YieldTurn(ctx, turn.Lease) },
		"finish": func() error { return s.FinishJob(ctx, run.Lease, pipeline.Finish{Event: &ev}) },
		"jfail":  func() error { return s.FailJob(ctx, run.Lease, pipeline.Setback{Dead: true}) },
		"jyield": func() error { return s.YieldJob(ctx, run.Lease) },
		"mark":   func() error { return s.Mark(ctx, run.Lease, []string{"w"}) },
		"read":   func() error { _, err := s.Entries(ctx, run.Lease); return err },
	} {
		if err := try(); !errors.Is(err, pipeline.ErrStale) {
			t.Errorf("%s: %v, want stale", name, err)
		}
	}
	if alive, err := s.Beat(ctx, []pipeline.Lease{turn.Lease, run.Lease}); err != nil || slices.Contains(alive, true) {
		t.Errorf("beats: %v %v", alive, err)
	}
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Errorf("keys changed (-before +after):\n%s", diff)
	}
}

// dump is every key with its content, but for the counters.
func dump(t *testing.T, s *Store) map[string]string {
	t.Helper()
	ctx, all := context.Background(), map[string]string{}
	keys, err := s.db.Keys(ctx, "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if !strings.HasSuffix(k, ":cnt") && !strings.HasSuffix(k, ":tick") {
			all[k] = s.db.Dump(ctx, k).Val()
		}
	}
	return all
}

// A runner dies when three of five writes are out; the next one looks, and
// makes the two that are missing.
func TestQ3KilledInTheMiddleOfADelivery(t *testing.T) {
	srv := server(t)
	cfg := Config{Lease: 100 * time.Millisecond, grace: 1}
	dying, s := store(t, srv.Address, cfg), store(t, srv.Address, cfg)
	ctx, key := context.Background(), pipeline.Key{Repo: 1, Issue: 1}
	var five []pipeline.Effect
	for i := range 5 {
		five = append(five, pipeline.Effect{Write: &pipeline.Write{Key: fmt.Sprint("w", i), Kind: pipeline.WriteComment}})
	}
	if err := s.Accept(ctx, aCommand("one", 1)); err != nil {
		t.Fatal(err)
	}
	turn, err := s.TakeTurn(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: "one", Effects: five, Session: finished(1)})
	if err != nil {
		t.Fatal(err)
	}
	j, err := dying.TakeJob(ctx, key, done.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	entries, err := dying.Entries(ctx, j.Lease)
	if err != nil || len(entries) != 5 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	if err := dying.Mark(ctx, j.Lease, []string{"w0", "w1", "w2", "w3", "w4"}); err != nil {
		t.Fatal(err)
	}
	made := map[string]int{"w0": 1, "w1": 1, "w2": 1} // and here it is killed

	settled := make(chan struct{})
	run, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	e := &pipeline.Engine{
		Store: s, Beat: 20 * time.Millisecond, Tick: 20 * time.Millisecond,
		GitHub: deliverer{remote: &remote{}, deliver: func(b pipeline.Batch) (r pipeline.Receipts, _ error) {
			for _, w := range b.Writes {
				if !b.Again[w.Key] || made[w.Key] == 0 {
					made[w.Key]++
				}
				r.Done = append(r.Done, pipeline.Receipt{Key: w.Key, Kind: w.Kind})
			}
			return r, nil
		}},
		Policy: pipeline.Policy{Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			if ev.Kind == pipeline.EventDelivered {
				close(settled)
			}
			return st, nil, nil
		}},
	}
	wg.Go(func() { e.Run(run) })
	<-settled
	cancel()
	wg.Wait()
	if diff := cmp.Diff(map[string]int{"w0": 1, "w1": 1, "w2": 1, "w3": 1, "w4": 1}, maps.Clone(made)); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
}

// deliverer is a GitHub that only takes deliveries.
type deliverer struct {
	*remote
	deliver func(pipeline.Batch) (pipeline.Receipts, error)
}

func (d deliverer) Deliver(_ context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
	return d.deliver(b)
}
