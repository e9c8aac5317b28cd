package redisstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/pipeline"
)

// One organisation holds its share and no more, and another's event is
// handled although none of the flood's turns ends.
func TestQ8FloodLeavesWorkersForOthers(t *testing.T) {
	s := store(t, server(t).Address, Config{Share: Share{Turns: 2}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range 200 {
		if err := s.Accept(ctx, aCommand(fmt.Sprint("flood", i), 1+i)); err != nil {
			t.Fatal(err)
		}
	}
	var now, most atomic.Int32
	var wg sync.WaitGroup
	gate, full, quiet := make(chan struct{}), make(chan struct{}, 200), make(chan string, 1)
	e := &pipeline.Engine{Store: s, Turns: 4, Policy: pipeline.Policy{
		Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			if ev.Repo.Installation == 2 {
				quiet <- ev.ID
				return st, nil, nil
			}
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			full <- struct{}{}
			<-gate
			now.Add(-1)
			return st, nil, nil
		},
	}}
	wg.Go(func() { e.Run(ctx) })
	<-full
	<-full
	for i := range 20 { // in partitions the flood waits in, too
		ev := aCommand(fmt.Sprint("quiet", i), 300+i)
		ev.Repo.Installation = 2
		if err := s.Accept(ctx, ev); err != nil {
			t.Fatal(err)
		}
		if got := <-quiet; got != ev.ID {
			t.Errorf("handled %s, want %s", got, ev.ID)
		}
	}
	close(gate)
	for range 198 {
		<-full
	}
	cancel()
	wg.Wait()
	if most.Load() != 2 {
		t.Errorf("the flood held %d turns at a time, want 2", most.Load())
	}
}

// Without any share, start-time fair queuing lets a newcomer in next.
func TestQ8NewcomerIsNext(t *testing.T) {
	s := store(t, server(t).Address, Config{Partitions: 1})
	ctx := context.Background()
	for i := range 100 {
		if err := s.Accept(ctx, aCommand(fmt.Sprint("flood", i), 1+i)); err != nil {
			t.Fatal(err)
		}
	}
	next := func() (inst int64) {
		turn, err := s.NextTurn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: turn.Event.ID}); err != nil {
			t.Fatal(err)
		}
		return turn.Lease.Installation
	}
	next()
	quiet := 0
	for i := range 10 { // it sends one at a time, as soon as the last is handled
		ev := aCommand(fmt.Sprint("quiet", i), 300)
		ev.Repo.Installation = 2
		if err := s.Accept(ctx, ev); err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			if next() == 2 {
				quiet++
				break
			}
			if n == 1 {
				t.Fatalf("event %d waits behind more than one of the flood", i)
			}
		}
	}
	flood := 0
	for range 5 {
		if next() == 1 {
			flood++
		}
	}
	if quiet != 10 || flood != 5 {
		t.Errorf("served %d and %d, want both to go on", quiet, flood)
	}
}

// holdOut is a worker that goes on until its context ends, and says why.
type holdOut struct {
	*remote
	began chan struct{}
	ended chan error
}

func (h holdOut) Work(ctx context.Context, _ pipeline.Assignment) (pipeline.Draft, error) {
	h.began <- struct{}{}
	<-ctx.Done()
	h.ended <- context.Cause(ctx)
	return pipeline.Draft{}, ctx.Err()
}

// oneTask starts a task with the first event and cancels it with the second.
func oneTask(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
	st.Schema, st.Status, st.Repo, st.Issue.Number = 1, pipeline.SessionActive, ev.Repo, ev.Issue
	if ev.ID == "cancel" {
		return st, []pipeline.Effect{{Cancel: "j"}}, nil
	}
	if ev.Kind != pipeline.EventCommand {
		return st, nil, nil
	}
	st.Tasks = []pipeline.Task{{ID: "A"}}
	return st, []pipeline.Effect{{Job: &pipeline.JobSpec{ID: "j", Kind: pipeline.JobTask, Task: "A"}}}, nil
}

// A cancel reaches a running job at serve's own times; the wait is logged.
func TestCancelAtProductionTimes(t *testing.T) {
	s := store(t, server(t).Address, Config{})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	h := holdOut{&remote{}, make(chan struct{}), make(chan error, 1)}
	e := &pipeline.Engine{Store: s, Worker: h, GitHub: h, Policy: pipeline.Policy{Advance: oneTask}}
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx) })
	if err := s.Accept(ctx, aCommand("start", 1)); err != nil {
		t.Fatal(err)
	}
	<-h.began
	began := time.Now()
	if err := s.Accept(ctx, aCommand("cancel", 1)); err != nil {
		t.Fatal(err)
	}
	if err := <-h.ended; !errors.Is(err, pipeline.ErrStale) {
		t.Errorf("ended by %v", err)
	}
	t.Logf("the cancel took %s", time.Since(began))
	stop()
	wg.Wait()
}

// A job whose worker is gone without a word is taken over at serve's own
// times; the wait is logged. Part of make soak, as it takes a whole lease.
func TestTakeoverAtProductionTimes(t *testing.T) {
	if os.Getenv("PARLEY_SOAK") == "" {
		t.Skip("part of make soak: PARLEY_SOAK=1")
	}
	srv := server(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	gone := store(t, srv.Address, Config{})
	if err := gone.Accept(ctx, aCommand("start", 1)); err != nil {
		t.Fatal(err)
	}
	turn, err := gone.NextTurn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	st, effects, _ := oneTask(turn.Session, turn.Event, time.Now())
	if _, err := gone.Commit(ctx, turn.Lease, pipeline.Commit{Event: "start", Session: st, Effects: effects}); err != nil {
		t.Fatal(err)
	}
	if _, err := gone.NextJob(ctx, pipeline.LaneSlow); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	gone.Close()
	h := holdOut{&remote{}, make(chan struct{}), make(chan error, 1)}
	e := &pipeline.Engine{Store: store(t, srv.Address, Config{}), Worker: h, GitHub: h, Policy: pipeline.Policy{Advance: oneTask}}
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx) })
	select {
	case <-h.began:
		t.Logf("taken over after %s", time.Since(began))
	case <-time.After(30 * time.Second):
		t.Error("not taken over in 30 s")
	}
	stop()
	wg.Wait()
}
