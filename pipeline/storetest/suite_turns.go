package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/pipeline"
)

var intakeTests = map[string]func(*bench){
	"an event is stored once, in parallel too": func(b *bench) { // I13
		var stored atomic.Int32
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := b.store.Accept(b.ctx, event("e", 1)); err == nil {
					stored.Add(1)
				}
			})
		}
		wg.Wait()
		b.same("stored", int32(1), stored.Load())
		b.same("next", (*pipeline.Turn)(nil), b.commit(b.turn(1), true).Next)
	},
	"the same meaning under another delivery is a duplicate": func(b *bench) { // I14, I15
		one, two, edited := event("d1", 1), event("d2", 1), event("d3", 1)
		one.Dedupe, two.Dedupe, edited.Dedupe = "comment-5/abc", "comment-5/abc", "comment-5/def"
		b.accept(one, edited)
		b.want(b.store.Accept(b.ctx, two), pipeline.ErrDuplicate)
	},
	"a full inbox refuses and stays as it was": func(b *bench) { // I18
		for i := range 5 {
			b.accept(event(fmt.Sprint(i), 1))
		}
		b.want(b.store.Accept(b.ctx, event("one too many", 1)), pipeline.ErrFull)
		b.commit(b.turn(1), false)
		b.accept(event("one too many", 1))
	},
	"an event comes back as it went in": func(b *bench) {
		ev := event("d/1", 1)
		ev.Title, ev.Command = "line\nline ü", &pipeline.Command{Verb: "revise", Args: []string{"DRAFT-001"}, Text: "a\n\nb"}
		ev.Failure = &pipeline.Failure{Text: "\x00 %N %d"}
		b.accept(ev)
		b.same("event", ev, b.turn(1).Event)
	},
	"a pull request leads to its issue": func(b *bench) {
		b.accept(event("start", 1))
		s := state(1)
		s.PR.Number = 7
		t := b.turn(1)
		_, err := b.store.Commit(b.ctx, t.Lease, pipeline.Commit{Event: t.Event.ID, Session: s})
		b.must(err)
		pull := event("on the pull request", 0)
		pull.PR = 7
		b.accept(pull)
		b.same("event", "on the pull request", b.turn(1).Event.ID)
	},
	"an unknown pull request is a session of that number": func(b *bench) {
		pull := event("e", 0)
		pull.PR = 9
		b.accept(pull)
		t := b.turn(9)
		_, err := b.store.Commit(b.ctx, t.Lease, pipeline.Commit{Event: t.Event.ID})
		b.must(err)
		_, err = b.store.Session(b.ctx, key(9))
		b.want(err, pipeline.ErrNotFound)
	},
	"a delivery about nobody's issue leaves nothing": func(b *bench) {
		for _, kind := range []pipeline.EventKind{pipeline.EventIssueEdited, pipeline.EventPushed, pipeline.EventCommand} {
			ev := event("foreign "+string(kind), 1)
			ev.Kind, ev.Delivery = kind, "d"
			b.want(b.store.Accept(b.ctx, ev), pipeline.ErrNotFound)
		}
		b.idle(1)
		asked := event("asked by name", 1)
		asked.Kind, asked.Delivery, asked.Command = pipeline.EventCommand, "d", &pipeline.Command{Verb: "help", Prefixed: true}
		b.accept(asked)
		late := event("foreign command", 1)
		late.Kind, late.Delivery = pipeline.EventPushed, "d"
		b.accept(late) // something is there now; its turn decides
	},
	"what happens to a repository reaches its sessions": func(b *bench) {
		b.begin(1)
		b.begin(2)
		other := event("elsewhere", 3)
		other.Repo.ID = 11
		b.accept(other)
		b.accept(event("renamed", 0))
		b.want(b.store.Accept(b.ctx, event("renamed", 0)), pipeline.ErrDuplicate)
		b.same("first", "renamed", b.turn(1).Event.ID)
		b.same("second", "renamed", b.turn(2).Event.ID)
		t, err := b.store.TakeTurn(b.ctx, pipeline.Key{Repo: 11, Issue: 3})
		b.must(err)
		b.same("other repository", "elsewhere", t.Event.ID)
	},
}

var turnTests = map[string]func(*bench){
	"one holder at a time": func(b *bench) { // Q1
		b.accept(event("a", 1), event("b", 1))
		t := b.turn(1)
		b.idle(1)
		b.commit(t, false)
		b.same("next", "b", b.turn(1).Event.ID)
	},
	"events come in order under one lease": func(b *bench) {
		b.accept(event("a", 1), event("b", 1), event("c", 1))
		t := b.turn(1)
		var got []string
		for next := &t; next != nil; {
			got = append(got, next.Event.ID)
			next = b.commit(*next, true).Next
		}
		b.same("order", []string{"a", "b", "c"}, got)
		b.idle(1)
	},
	"state comes back as it was committed": func(b *bench) {
		b.begin(1)
		b.accept(event("again", 1))
		b.same("state", state(1), b.turn(1).Session)
		got, err := b.store.Session(b.ctx, key(1))
		b.must(err)
		b.same("session", state(1), got)
	},
	"a repeated commit gives the same answer": func(b *bench) { // I17, lost reply
		b.accept(event("a", 1), event("b", 1))
		t := b.turn(1)
		first, second := b.commit(t, true, task("j")), b.commit(t, true, task("j"))
		b.same("next", first.Next.Event, second.Next.Event)
		last := b.commit(*first.Next, true)
		b.same("released", (*pipeline.Turn)(nil), last.Next)
		b.same("repeated", (*pipeline.Turn)(nil), b.commit(*first.Next, true).Next)
		b.idle(1)
	},
	"a holder that slept cannot write": func(b *bench) { // Q2
		b.accept(event("a", 1))
		old := b.turn(1)
		next := b.due(1)
		b.same("second try", 2, next.Try)
		_, err := b.store.Commit(b.ctx, old.Lease, pipeline.Commit{Event: "a", Session: state(1), Effects: []pipeline.Effect{task("j"), write("w")}})
		b.want(err, pipeline.ErrStale)
		b.want(b.store.FailTurn(b.ctx, old.Lease, pipeline.Setback{Event: "a", Dead: true}), pipeline.ErrStale)
		b.want(b.store.YieldTurn(b.ctx, old.Lease), pipeline.ErrStale)
		_, err = b.store.TakeJob(b.ctx, key(1), "j")
		b.want(err, pipeline.ErrNotFound)
		b.commit(next, false)
	},
	"a decision about another event is refused": func(b *bench) {
		b.accept(event("a", 1), event("b", 1))
		_, err := b.store.Commit(b.ctx, b.turn(1).Lease, pipeline.Commit{Event: "b", Session: state(1)})
		b.want(err, pipeline.ErrStale)
	},
	"a beaten lease is kept, a silent one is taken": func(b *bench) {
		b.accept(event("a", 1))
		t := b.turn(1)
		last := time.Now()
		for end := last.Add(3 * Lease); last.Before(end); {
			now := time.Now()
			alive, err := b.store.Beat(b.ctx, []pipeline.Lease{t.Lease})
			b.must(err)
			if now.Sub(last) > Lease/2 {
				b.Skip("this machine stalls for longer than a lease")
			}
			b.same("alive", []bool{true}, alive)
			last = now
			b.must(b.store.Tick(b.ctx))
		}
		b.due(1)
		alive, err := b.store.Beat(b.ctx, []pipeline.Lease{t.Lease})
		b.must(err)
		b.same("alive", []bool{false}, alive)
	},
	"a failed event stays first and waits": func(b *bench) {
		b.accept(event("a", 1), event("b", 1))
		t := b.turn(1)
		b.must(b.store.FailTurn(b.ctx, t.Lease, pipeline.Setback{Event: "a", Text: "no", At: time.Now().Add(2 * Lease)}))
		b.idle(1)
		again := b.due(1)
		b.same("event", "a", again.Event.ID)
		b.same("try", 2, again.Try)
	},
	"a yield and a wait cost no try": func(b *bench) { // Q9
		b.accept(event("a", 1))
		b.must(b.store.YieldTurn(b.ctx, b.turn(1).Lease))
		t := b.turn(1)
		b.same("after a yield", 1, t.Try)
		b.must(b.store.FailTurn(b.ctx, t.Lease, pipeline.Setback{Event: "a", At: time.Now(), Free: true}))
		b.same("after a wait", 1, b.due(1).Try)
	},
	"NextTurn wakes for what comes": func(b *bench) {
		got := make(chan string, 1)
		go func() {
			t, err := b.store.NextTurn(b.ctx)
			if err != nil {
				got <- err.Error()
			}
			got <- t.Event.ID
		}()
		b.accept(event("a", 1))
		b.same("event", "a", <-got)
	},
	"installations are served in turn": func(b *bench) { // Q8
		for i := range 6 {
			b.accept(event(fmt.Sprint("flood", i), 100+i))
		}
		quiet := event("quiet", 200)
		quiet.Repo.Installation = 2
		b.accept(quiet)
		for range 2 {
			t, err := b.store.NextTurn(b.ctx)
			b.must(err)
			if t.Event.ID == "quiet" {
				return
			}
		}
		b.Error("six events of another installation went first")
	},
	"timers fire once, move and are cancelled": func(b *bench) {
		b.begin(1, arm("late", time.Now().Add(time.Hour)), arm("gone", time.Now()), arm("gone", time.Time{}), arm("now", time.Now().Add(time.Hour)), arm("now", time.Now()))
		t := b.due(1)
		b.same("timer", "now", t.Event.Timer)
		b.same("kind", pipeline.EventTimer, t.Event.Kind)
		b.same("repository", state(1).Repo, t.Event.Repo)
		b.same("nothing behind it", (*pipeline.Turn)(nil), b.commit(t, true).Next)
		b.must(b.store.Tick(b.ctx))
		b.idle(1)
	},
	"a session that asks to be forgotten is, once its writes are out": func(b *bench) {
		done := b.begin(1, write("bye"), pipeline.Effect{Forget: true})
		j := b.job(1, done.Jobs[0])
		b.must(b.store.FinishJob(b.ctx, j.Lease, pipeline.Finish{Settled: []string{"bye"}}))
		_, err := b.store.Session(b.ctx, key(1))
		b.want(err, pipeline.ErrNotFound)
	},
}
