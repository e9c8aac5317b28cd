package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// Store is what the suite tests: the loops' side and the operator's.
type Store interface {
	pipeline.Store
	pipeline.Desk
}

// Lease is how short leases are in the suite.
const Lease = 200 * time.Millisecond

// Run holds a kind of store to the contract. Each test gets an empty store
// whose leases last as Lease and whose sessions take 5 waiting events.
func Run(t *testing.T, open func(t *testing.T, o Options) Store) {
	for _, group := range []map[string]func(*bench){intakeTests, turnTests, jobTests, outboxTests, deskTests} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				test(&bench{T: t, ctx: ctx, store: open(t, Options{TTL: Lease, Max: 5})})
			})
		}
	}
}

// bench is a test with a store on it. Its methods fail the test on an error
// that the test did not ask for.
type bench struct {
	*testing.T
	ctx   context.Context
	store Store
}

func event(id string, issue int) pipeline.Event {
	return pipeline.Event{
		ID: id, Kind: pipeline.EventStart, At: time.UnixMilli(1000).UTC(), Issue: issue,
		Repo: pipeline.Repo{Installation: 1, ID: 10, Owner: "o", Name: "r"},
	}
}

func key(issue int) pipeline.Key { return pipeline.Key{Repo: 10, Issue: issue} }

func state(issue int) pipeline.Session {
	s := pipeline.Session{Schema: 1, ID: fmt.Sprintf("s-%d", issue), Repo: event("", issue).Repo}
	s.Issue.Number = issue
	return s
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) want(err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("got error %v, want %v", err, want)
	}
}

func (b *bench) same(what string, want, got any) {
	b.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func (b *bench) accept(events ...pipeline.Event) {
	b.Helper()
	for _, ev := range events {
		b.must(b.store.Accept(b.ctx, ev))
	}
}

func (b *bench) turn(issue int) pipeline.Turn {
	b.Helper()
	t, err := b.store.TakeTurn(b.ctx, key(issue))
	b.must(err)
	return t
}

// idle fails the test when the session is due.
func (b *bench) idle(issue int) {
	b.Helper()
	if t, err := b.store.TakeTurn(b.ctx, key(issue)); !errors.Is(err, pipeline.ErrNotFound) {
		b.Fatalf("session %d is due with %s (%v), want nothing", issue, t.Event.ID, err)
	}
}

func (b *bench) commit(t pipeline.Turn, keep bool, effects ...pipeline.Effect) pipeline.Committed {
	b.Helper()
	done, err := b.store.Commit(b.ctx, t.Lease, pipeline.Commit{Event: t.Event.ID, Session: state(t.Lease.Key.Issue), Effects: effects, Keep: keep})
	b.must(err)
	return done
}

// begin makes a session with one decided event and those effects.
func (b *bench) begin(issue int, effects ...pipeline.Effect) pipeline.Committed {
	b.Helper()
	b.accept(event(fmt.Sprintf("begin-%d", issue), issue))
	return b.commit(b.turn(issue), false, effects...)
}

// bury ends a delivery by its last try.
func (b *bench) bury(j pipeline.Job) {
	b.Helper()
	failed := pipeline.FailedJob(j.Spec, j.Repo, j.Lease.Key.Issue, "no")
	b.must(b.store.FailJob(b.ctx, j.Lease, pipeline.Setback{Text: "no", Dead: true, Tell: &failed}))
}

// letter is the one dead letter there is.
func (b *bench) letter() pipeline.DeadLetter {
	b.Helper()
	letters, err := b.store.Dead(b.ctx)
	b.must(err)
	b.same("dead letters", 1, len(letters))
	return letters[0]
}

// behind is a write that builds on what was set aside.
func behind(key string) pipeline.Effect {
	e := write(key)
	e.Write.Aside = true
	return e
}

// outbox lists the keys a delivery is to send, and which may have been sent.
func (b *bench) outbox(j pipeline.Job) (keys []string) {
	b.Helper()
	entries, err := b.store.Entries(b.ctx, j.Lease)
	b.must(err)
	for _, n := range entries {
		key := n.Write.Key
		if n.Again {
			key += " again"
		}
		keys = append(keys, key)
	}
	return keys
}

func (b *bench) job(issue int, id string) pipeline.Job {
	b.Helper()
	j, err := b.store.TakeJob(b.ctx, key(issue), id)
	b.must(err)
	return j
}

// until ticks until something is so.
func (b *bench) until(what string, so func() bool) {
	b.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-b.ctx.Done():
			b.Fatalf("%s: still not", what)
		case <-tick.C:
		}
		b.must(b.store.Tick(b.ctx))
	}
}

// due waits until the session has something due and claims it.
func (b *bench) due(issue int) (t pipeline.Turn) {
	b.Helper()
	b.until("the session is due", func() bool {
		var err error
		t, err = b.store.TakeTurn(b.ctx, key(issue))
		return err == nil
	})
	return t
}

func (b *bench) dueJob(issue int, id string) (j pipeline.Job) {
	b.Helper()
	b.until("the job is due", func() bool {
		var err error
		j, err = b.store.TakeJob(b.ctx, key(issue), id)
		return err == nil
	})
	return j
}

func task(id string) pipeline.Effect {
	return pipeline.Effect{Job: &pipeline.JobSpec{ID: id, Kind: pipeline.JobTask, Task: "A", Deadline: time.Minute}}
}

func write(key string, blobs ...string) pipeline.Effect {
	w := &pipeline.Write{Key: key, Kind: pipeline.WriteCommit, Body: "text of " + key}
	for i, id := range blobs {
		w.Files = append(w.Files, pipeline.FileChange{Path: fmt.Sprintf("f%d.md", i), Blob: id})
	}
	return pipeline.Effect{Write: w}
}

func arm(name string, at time.Time) pipeline.Effect {
	return pipeline.Effect{Timer: &pipeline.Timer{Name: name, At: at}}
}
