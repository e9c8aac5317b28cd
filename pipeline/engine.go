package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"
)

// MaxTries is how often an event or a job is tried before it goes to the dead letters.
const MaxTries = 3

const (
	turnEvents = 20
	turnTime   = 5 * time.Second
	beatEvery  = 1500 * time.Millisecond
	tickEvery  = 500 * time.Millisecond
	storeTime  = 5 * time.Second // for the last word to the store when the work's own context has ended
)

// DeliverDeadline bounds one delivery, reading back included.
const DeliverDeadline = 2 * time.Minute

// errHandBack is why work ends when the process is told to stop and the grace is over.
var errHandBack = errors.New("the process is stopping")

// Engine runs sessions: it claims turns and jobs from the store, lets the
// policy decide, and lets workers, critics and GitHub act. Any number of
// engines may share a store. Fill it in and call Run once.
type Engine struct {
	Store      Store
	GitHub     GitHub
	Worker     Worker
	Critic     Critic
	Discussant Discussant
	Policy     Policy
	// Compare names the items that differ between two states of a session
	// folder, and those that descend from them; nil names none.
	Compare func(before, after Folder) (items, suspect []string)
	// Retracted tells whether the comment that carried a command was deleted
	// since; nil: none was.
	Retracted func(ctx context.Context, subject string) (bool, error)
	Now       func() time.Time
	Hooks     Hooks

	Turns int           // turns at a time
	Quick int           // prepare, edited and deliver jobs at a time
	Slow  int           // task and discuss jobs at a time
	Grace time.Duration // how long running jobs may go on after Run's context has ended
	Beat  time.Duration // between two beats of all leases held; a cancel takes as long to arrive
	Tick  time.Duration // between two looks at what time has made due
	// Backoff is how long after a failed try the next one is due: 1 s, 4 s,
	// 16 s …, a half more or less.
	Backoff func(try int) time.Duration

	leases keeper
}

// Policy decides. The zero value is Advance with NeedsPermission.
type Policy struct {
	Advance         func(Session, Event, time.Time) (Session, []Effect, error)
	NeedsPermission func(Event) bool
}

// Run serves until ctx ends; then it takes nothing new, lets turns and jobs
// finish within Grace, hands back what is left and returns nil.
func (e *Engine) Run(ctx context.Context) error {
	e.fill()
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)

	var loops, keepers sync.WaitGroup
	keepCtx, stopKeepers := context.WithCancel(context.WithoutCancel(ctx))
	keepers.Go(func() { e.every(keepCtx, e.Beat, "beat", e.beat) })
	keepers.Go(func() { e.every(keepCtx, e.Tick, "tick", e.Store.Tick) })

	for range e.Turns {
		loops.Go(func() { e.turnLoop(ctx, work) })
	}
	for lane, n := range map[Lane]int{LaneQuick: e.Quick, LaneSlow: e.Slow} {
		for range n {
			loops.Go(func() { e.jobLoop(ctx, work, lane) })
		}
	}

	done := make(chan struct{})
	go func() { loops.Wait(); close(done) }()
	<-ctx.Done()
	grace := time.NewTimer(e.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		stop(errHandBack)
		<-done
	}
	stopKeepers()
	keepers.Wait()
	return nil
}

func (e *Engine) fill() {
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Policy.Advance == nil {
		e.Policy = Policy{Advance: Advance, NeedsPermission: NeedsPermission}
	}
	for _, n := range []*int{&e.Turns, &e.Quick, &e.Slow} {
		if *n == 0 {
			*n = 4
		}
	}
	if e.Beat == 0 {
		e.Beat = beatEvery
	}
	if e.Tick == 0 {
		e.Tick = tickEvery
	}
	if e.Backoff == nil {
		e.Backoff = backoff
	}
	e.leases.held = map[Lease]*hold{}
	e.Hooks.fill()
}

// every calls step now and then until ctx ends. An error is told once per
// change, so that a long outage is two lines in the log.
func (e *Engine) every(ctx context.Context, period time.Duration, name string, step func(context.Context) error) {
	t := time.NewTicker(period)
	defer t.Stop()
	last := ""
	for {
		err := step(ctx)
		if text := errorText(err); text != last && ctx.Err() == nil {
			e.Hooks.Log(LogLine{What: name, Err: err})
			last = text
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// pause waits after a store error, so that an outage is not a busy loop.
func pause(ctx context.Context, fails int) {
	t := time.NewTimer(backoff(min(fails, 4)) / 4)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// backoff is 1 s, 4 s, 16 s … up to ten minutes, each up to a half more or less.
func backoff(try int) time.Duration {
	d := time.Second << (2 * max(0, min(try, 6)-1))
	d = min(d, 10*time.Minute)
	return d/2 + rand.N(d)
}

// lastWord is a context for giving work back after its own context ended.
func lastWord(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTime)
}

// guarded runs f and turns a panic into an error that carries the stack.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
