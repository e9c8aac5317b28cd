package storetest

import (
	"context"
	"fmt"
	"time"

	"parley/pipeline"
)

var jobTests = map[string]func(*bench){
	"a job carries its spec and the session": func(b *bench) {
		b.same("made", []string{"j"}, b.begin(1, task("j")).Jobs)
		j := b.job(1, "j")
		b.same("spec", *task("j").Job, j.Spec)
		b.same("session", state(1), j.Session)
		b.same("try", 1, j.Try)
	},
	"the same job is made once": func(b *bench) {
		b.same("made", []string{"j"}, b.begin(1, task("j"), task("j")).Jobs)
	},
	"lanes do not mix": func(b *bench) {
		b.begin(1, task("slow"), pipeline.Effect{Job: &pipeline.JobSpec{ID: "quick", Kind: pipeline.JobPrepare}})
		for lane, id := range map[pipeline.Lane]string{pipeline.LaneSlow: "slow", pipeline.LaneQuick: "quick"} {
			j, err := b.store.NextJob(b.ctx, lane)
			b.must(err)
			b.same(string(lane), id, j.Spec.ID)
		}
	},
	"a job's end and its event are one": func(b *bench) {
		b.begin(1, task("j"))
		j := b.job(1, "j")
		done := event("done", 1)
		b.must(b.store.FinishJob(b.ctx, j.Lease, pipeline.Finish{Event: &done}))
		b.want(b.store.FinishJob(b.ctx, j.Lease, pipeline.Finish{Event: &done}), pipeline.ErrStale)
		t := b.turn(1)
		b.same("event", "done", t.Event.ID)
		b.same("one event", (*pipeline.Turn)(nil), b.commit(t, true).Next)
	},
	"a lost runner's result is refused": func(b *bench) { // Q2, Q12
		b.begin(1, task("j"))
		old := b.job(1, "j")
		next := b.dueJob(1, "j")
		b.same("second try", 2, next.Try)
		done := event("done", 1)
		b.want(b.store.FinishJob(b.ctx, old.Lease, pipeline.Finish{Event: &done}), pipeline.ErrStale)
		b.idle(1)
		b.must(b.store.FinishJob(b.ctx, next.Lease, pipeline.Finish{Event: &done}))
	},
	"a job that kills every runner is buried and told": func(b *bench) { // Q7
		b.begin(1, task("j"))
		for range pipeline.MaxTries {
			b.dueJob(1, "j")
		}
		t := b.due(1)
		b.same("kind", pipeline.EventFailed, t.Event.Kind)
		b.same("failure", &pipeline.Failure{Job: "j", Kind: "task", Task: "A", Try: pipeline.MaxTries, Text: "every try lost its worker", Last: true}, t.Event.Failure)
		letters, err := b.store.Dead(b.ctx)
		b.must(err)
		b.same("dead letters", 1, len(letters))
		b.same("what", "job", letters[0].What)
		b.must(b.store.Retry(b.ctx, letters[0].ID))
		b.same("retried", 1, b.job(1, "j").Try)
	},
	"a failed job waits, a buried one tells": func(b *bench) {
		b.begin(1, task("j"))
		b.must(b.store.FailJob(b.ctx, b.job(1, "j").Lease, pipeline.Setback{Text: "no", At: time.Now().Add(2 * Lease)}))
		_, err := b.store.TakeJob(b.ctx, key(1), "j")
		b.want(err, pipeline.ErrNotFound)
		j := b.dueJob(1, "j")
		b.same("try", 2, j.Try)
		failed := event("failed", 1)
		b.must(b.store.FailJob(b.ctx, j.Lease, pipeline.Setback{Text: "no", Dead: true, Tell: &failed}))
		b.same("told", "failed", b.turn(1).Event.ID)
		_, err = b.store.TakeJob(b.ctx, key(1), "j")
		b.want(err, pipeline.ErrNotFound)
	},
	"a buried job is tried again where it was, though its session never began": func(b *bench) {
		refuse := func(effects ...pipeline.Effect) {
			t := b.turn(1)
			_, err := b.store.Commit(b.ctx, t.Lease, pipeline.Commit{Event: t.Event.ID, Effects: effects})
			b.must(err)
		}
		b.accept(event("start", 1))
		refuse(task("j"))
		first, failed := b.job(1, "j"), event("failed", 1)
		b.must(b.store.FailJob(b.ctx, first.Lease, pipeline.Setback{Text: "no", Dead: true, Tell: &failed}))
		refuse()
		letters, err := b.store.Dead(b.ctx)
		b.must(err)
		b.must(b.store.Retry(b.ctx, letters[0].ID))
		again := b.job(1, "j")
		b.same("repository", first.Repo, again.Repo)
		b.same("installation", first.Lease.Installation, again.Lease.Installation)
	},
	"a yield and a wait cost a job no try": func(b *bench) {
		b.begin(1, task("j"))
		b.must(b.store.YieldJob(b.ctx, b.job(1, "j").Lease))
		j := b.job(1, "j")
		b.same("after a yield", 1, j.Try)
		b.must(b.store.FailJob(b.ctx, j.Lease, pipeline.Setback{At: time.Now(), Free: true}))
		b.same("after a wait", 1, b.dueJob(1, "j").Try)
	},
	"a cancel reaches the runner with the next beat": func(b *bench) {
		b.begin(1, task("j"))
		j := b.job(1, "j")
		b.accept(event("cancel", 1))
		b.commit(b.turn(1), false, pipeline.Effect{Cancel: "j"})
		alive, err := b.store.Beat(b.ctx, []pipeline.Lease{j.Lease})
		b.must(err)
		b.same("alive", []bool{false}, alive)
		b.want(b.store.FinishJob(b.ctx, j.Lease, pipeline.Finish{}), pipeline.ErrStale)
	},
}

var outboxTests = map[string]func(*bench){
	"writes go out in order by one job": func(b *bench) {
		done := b.begin(1, write("w1"), write("w2"), write("w1"))
		b.same("one job", 1, len(done.Jobs))
		j := b.job(1, done.Jobs[0])
		b.same("kind", pipeline.JobDeliver, j.Spec.Kind)
		b.accept(event("more", 1))
		b.same("no second job", 0, len(b.commit(b.turn(1), false, write("w3")).Jobs))
		got, err := b.store.Entries(b.ctx, j.Lease)
		b.must(err)
		b.same("entries", []pipeline.Entry{{Write: *write("w1").Write}, {Write: *write("w2").Write}, {Write: *write("w3").Write}}, got)
	},
	"whoever comes after a crash knows what may have been sent": func(b *bench) {
		done := b.begin(1, write("w1"), write("w2"))
		old := b.job(1, done.Jobs[0])
		b.must(b.store.Mark(b.ctx, old.Lease, []string{"w1"}))
		j := b.dueJob(1, done.Jobs[0])
		got, err := b.store.Entries(b.ctx, j.Lease)
		b.must(err)
		b.same("entries", []pipeline.Entry{{Write: *write("w1").Write, Again: true}, {Write: *write("w2").Write}}, got)
		b.want(b.store.Mark(b.ctx, old.Lease, []string{"w2"}), pipeline.ErrStale)
		_, err = b.store.Entries(b.ctx, old.Lease)
		b.want(err, pipeline.ErrStale)
	},
	"what is left waits for its time": func(b *bench) {
		first := b.begin(1, write("w1"), write("w2")).Jobs[0]
		told := event("delivered", 1)
		b.must(b.store.FinishJob(b.ctx, b.job(1, first).Lease, pipeline.Finish{
			Event: &told, Settled: []string{"w1"}, NotBefore: time.Now().Add(2 * Lease),
		}))
		b.same("told", "delivered", b.turn(1).Event.ID)
		var j pipeline.Job
		b.until("the rest is due", func() bool {
			var err error
			j, err = b.store.TakeJob(b.ctx, key(1), "deliver-2")
			return err == nil
		})
		got, err := b.store.Entries(b.ctx, j.Lease)
		b.must(err)
		b.same("entries", []pipeline.Entry{{Write: *write("w2").Write}}, got)
	},
	"what is set aside waits, and comes back first": func(b *bench) {
		first := b.job(1, b.begin(1, write("w1"), write("w2")).Jobs[0])
		b.must(b.store.Mark(b.ctx, first.Lease, []string{"w1"}))
		b.bury(first)
		b.accept(event("more", 1))
		told := b.commit(b.turn(1), false, pipeline.Effect{Aside: true}, behind("w3"), write("notice")).Jobs
		notice := b.job(1, told[0])
		b.same("past it", []string{"notice"}, b.outbox(notice))
		b.bury(notice)
		letters, err := b.store.Dead(b.ctx)
		b.must(err)
		b.same("one letter for all", 1, len(letters))
		b.commit(b.turn(1), false, pipeline.Effect{Aside: true})
		b.accept(event("resume", 1))
		again := b.job(1, b.commit(b.turn(1), false, pipeline.Effect{Again: true}, write("w4")).Jobs[0])
		b.same("in order", []string{"w1 again", "w2", "w3", "notice", "w4"}, b.outbox(again))
		letters, err = b.store.Dead(b.ctx)
		b.must(err)
		b.same("its letter is answered", 0, len(letters))
	},
	"what is set aside twice keeps its order and a letter": func(b *bench) {
		b.bury(b.job(1, b.begin(1, write("w1"), write("w2")).Jobs[0]))
		b.commit(b.turn(1), false, pipeline.Effect{Aside: true})
		b.must(b.store.Retry(b.ctx, b.letter().ID))
		b.accept(event("more", 1))
		b.commit(b.turn(1), false, behind("w3"))
		b.bury(b.job(1, "deliver-2"))
		b.letter()
		b.commit(b.turn(1), false, pipeline.Effect{Aside: true})
		b.accept(event("resume", 1))
		again := b.job(1, b.commit(b.turn(1), false, pipeline.Effect{Again: true}).Jobs[0])
		b.same("in order", []string{"w1", "w2", "w3"}, b.outbox(again))
	},
	"a delivery that dies behind a refusal has its letter": func(b *bench) {
		refused := event("refused", 1)
		refused.Kind = pipeline.EventRefused
		b.must(b.store.FinishJob(b.ctx, b.job(1, b.begin(1, write("w1")).Jobs[0]).Lease, pipeline.Finish{Event: &refused}))
		b.bury(b.job(1, b.commit(b.turn(1), false, pipeline.Effect{Aside: true}, write("notice")).Jobs[0]))
		b.letter()
	},
	"what is dropped goes with its letter": func(b *bench) {
		b.bury(b.job(1, b.begin(1, write("w1")).Jobs[0]))
		b.commit(b.turn(1), false, pipeline.Effect{Aside: true})
		b.letter()
		b.accept(event("next", 1))
		told := b.commit(b.turn(1), false, pipeline.Effect{Drop: true}, behind("w2"), pipeline.Effect{Again: true}).Jobs
		b.same("sent", []string{"w2"}, b.outbox(b.job(1, told[0])))
		letters, err := b.store.Dead(b.ctx)
		b.must(err)
		b.same("its letter is gone", 0, len(letters))
	},
	"the operator sends or drops what was set aside": func(b *bench) {
		for issue, act := range map[int]func(context.Context, string) error{1: b.store.Retry, 2: b.store.Drop} {
			b.bury(b.job(issue, b.begin(issue, write("w1")).Jobs[0]))
			b.commit(b.turn(issue), false, pipeline.Effect{Aside: true})
			letters, err := b.store.Dead(b.ctx)
			b.must(err)
			b.must(act(b.ctx, letters[0].ID))
			b.accept(event(fmt.Sprint("resume-", issue), issue))
			b.commit(b.turn(issue), false, pipeline.Effect{Again: true})
		}
		b.same("sent", []string{"w1"}, b.outbox(b.job(1, "deliver-2")))
		_, err := b.store.TakeJob(b.ctx, key(2), "deliver-2")
		b.want(err, pipeline.ErrNotFound)
	},
	"files are kept by their git ids": func(b *bench) {
		text := []byte("hello\n")
		b.must(b.store.PutBlobs(b.ctx, key(1), [][]byte{text, {}, text}))
		id := pipeline.BlobID(text)
		b.same("git's id", "ce013625030ba8dba906f756967f9e9ca394464a", id)
		got, err := b.store.GetBlobs(b.ctx, key(1), []string{id, "0000"})
		b.must(err)
		b.same("files", map[string][]byte{id: text}, got)
	},
}

var deskTests = map[string]func(*bench){
	"a dead event blocks nobody and comes back first": func(b *bench) { // Q7
		b.accept(event("poison", 1), event("good", 1))
		t := b.turn(1)
		told := event("told", 1)
		b.must(b.store.FailTurn(b.ctx, t.Lease, pipeline.Setback{Event: "poison", Text: "panic\nstack", Dead: true, Tell: &told}))
		letters, err := b.store.Dead(b.ctx)
		b.must(err)
		b.same("letters", 1, len(letters))
		b.same("tries", 1, letters[0].Tries)
		b.same("key", key(1), letters[0].Key)
		running := b.turn(1)
		b.same("the next one runs", "good", running.Event.ID)
		b.must(b.store.Retry(b.ctx, letters[0].ID))
		next := b.commit(running, true).Next
		b.same("retried", "poison", next.Event.ID)
		b.same("told", "told", b.commit(*next, true).Next.Event.ID)
		b.want(b.store.Drop(b.ctx, letters[0].ID), pipeline.ErrNotFound)
	},
	"a dropped letter is gone": func(b *bench) {
		b.accept(event("poison", 1))
		b.must(b.store.FailTurn(b.ctx, b.turn(1).Lease, pipeline.Setback{Event: "poison", Dead: true}))
		letters, err := b.store.Dead(b.ctx)
		b.must(err)
		b.must(b.store.Drop(b.ctx, letters[0].ID))
		b.want(b.store.Retry(b.ctx, letters[0].ID), pipeline.ErrNotFound)
		b.idle(1)
	},
	"a held session waits": func(b *bench) {
		b.begin(1)
		b.accept(event("a", 1))
		b.must(b.store.Hold(b.ctx, key(1), true))
		b.accept(event("b", 1))
		b.idle(1)
		b.must(b.store.Hold(b.ctx, key(1), false))
		b.same("event", "a", b.turn(1).Event.ID)
		b.want(b.store.Hold(b.ctx, key(99), true), pipeline.ErrNotFound)
	},
	"a stopped queue takes in and hands out nothing": func(b *bench) { // Q13
		b.begin(1, task("j"))
		b.must(b.store.Stop(b.ctx, true))
		b.accept(event("a", 1))
		b.idle(1)
		_, err := b.store.TakeJob(b.ctx, key(1), "j")
		b.want(err, pipeline.ErrNotFound)
		b.must(b.store.Stop(b.ctx, false))
		b.same("event", "a", b.turn(1).Event.ID)
		b.job(1, "j")
	},
}
