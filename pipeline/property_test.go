package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// outcomes draws what a task's job returns, good and bad.
func outcomes(r *rapid.T) func(Task) Outcome {
	return func(task Task) Outcome {
		pick := rapid.IntRange(0, 11).Draw(r, "outcome of "+string(task.ID))
		switch {
		case pick == 0 && task.Round != "":
			return blocked(task, High, true)
		case pick == 1 && task.Round != "":
			return blocked(task, High, false)
		case pick == 2 && task.Round != "":
			return blocked(task, Medium, true)
		case pick == 3 && task.Round != "":
			o := reached(task)
			o.Verdict, o.RoundErr = nil, "broken"
			return o
		case pick == 4:
			o := reached(task)
			o.Status = rapid.SampledFrom([]TaskStatus{TaskFailed, TaskPartial}).Draw(r, "status")
			return o
		case pick == 5:
			o := reached(task)
			o.Files = append(o.Files, FileRef{"../out", "x"})
			return o
		}
		o := reached(task)
		if o.Gate != nil {
			o.Gate = rapid.SampledFrom([]*Gate{gate(GatePass, 90), gate(GateReview, 70), gate(GateFail, 30)}).Draw(r, "gate")
		}
		if strings.HasPrefix(string(task.ID), "QA-FE") {
			o.Review = rapid.SampledFrom([]string{"PASS", "NEEDS_FIX", "PASS_WITH_WARNINGS", "FAIL"}).Draw(r, "audit")
		}
		return o
	}
}

var says = []string{
	"/status", "/status --explain", "/resume", "/revise DRAFT-001 a", "/revise DRAFT-002", "/revise DRAFT-004 b", "/revise QUALITY-001",
	"/revise DRAFT-003-R1 c", "/feedback the scope", "/feedback a feature", "/feedback x", "/recheck", "/improve", "/improve depth", "/finish",
	"/discuss deepen", "/accept F-02", "/accept F-01 because", "/retry DRAFT-002", "/retry PLAN-001", "/help", "/consult x",
}

// anything draws one event that may come at any time.
func anything(r *rapid.T, p *play) {
	switch rapid.IntRange(0, 16).Draw(r, "event") {
	case 0, 1, 2, 3, 4:
		p.say(rapid.SampledFrom(says).Draw(r, "say"))
	case 5:
		p.sayAs("stranger", PermRead, rapid.SampledFrom(says).Draw(r, "say"))
	case 6:
		p.edit(p.id("head"), rapid.SampledFrom([]string{"spec/product-brief.md", "spec/epics/EPIC-001-x.md", "plan/plan.json"}).Draw(r, "path"))
	case 7:
		p.do(Event{Kind: EventIssueClosed})
		p.do(Event{Kind: EventIssueReopened})
	case 8:
		p.do(Event{Kind: EventUnlabelled})
	case 9:
		p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "w"}, Permission: PermWrite})
	case 10:
		p.do(Event{Kind: EventRetargeted, Moved: &Moved{Base: "b"}})
	case 11:
		p.do(Event{Kind: EventRerequested, Actor: Actor{Login: "w"}, Permission: PermWrite})
	case 12: // a worker is lost
		p.jobs = slices.DeleteFunc(p.jobs, func(j JobSpec) bool { return j.Kind == JobTask })
	case 13:
		p.fire(r)
	case 14:
		if i := slices.IndexFunc(p.jobs, func(j JobSpec) bool { return j.Kind == JobTask }); i >= 0 {
			j := p.jobs[i]
			p.jobs = slices.Delete(p.jobs, i, i+1)
			p.do(Event{Kind: EventFailed, Job: j.ID, Failure: &Failure{Job: j.ID, Kind: string(j.Kind), Task: j.Task, Last: true, Text: "no"}})
		}
	case 15:
		p.do(Event{Kind: EventDone, Outcome: &Outcome{Task: rapid.SampledFrom(specDrafts).Draw(r, "stray"), Status: TaskCompleted}, Job: "stray"})
	case 16:
		p.deliver()
	}
}

// fire lets the earliest timer go off.
func (p *play) fire(r *rapid.T) {
	names := make([]string, 0, len(p.timers))
	for n := range p.timers {
		names = append(names, n)
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	n := rapid.SampledFrom(names).Draw(r, "timer")
	p.now = maxTime(p.now, p.timers[n])
	delete(p.timers, n)
	p.do(Event{Kind: EventTimer, Timer: n})
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// TestAnySequence draws whole lives of sessions. The play itself holds every
// state against the rules; what is left is that a session comes to rest.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := newPlay(t)
		p.t = &failer{TB: t, r: r}
		p.brief.Settings.Implementation = rapid.Bool().Draw(r, "implementation")
		p.work = outcomes(r)
		p.begin("lifecycle:" + string(rapid.SampledFrom(Modes).Draw(r, "mode")))
		for range rapid.IntRange(0, 25).Draw(r, "length") {
			if rapid.IntRange(0, 2).Draw(r, "step") > 0 && p.step() {
				continue
			}
			anything(r, p)
		}
		p.work = reached
		for n := 0; p.s.Status == SessionActive; n++ {
			if n > 300 {
				r.Fatalf("does not come to rest: %s %+v", p.statuses(), p.s.Wait)
			}
			if !p.step() {
				p.lastTimer()
			}
		}
		p.deliver()
		if len(p.s.Pending) > 0 && p.s.Status == SessionCompleted && slices.ContainsFunc(p.s.Pending, func(a FileAppend) bool { return a.Sent }) {
			r.Fatalf("sent and never applied: %+v", p.s.Pending)
		}
		if p.s.Status == SessionCompleted && p.s.unfinished() != "" {
			r.Fatalf("complete with %s open: %s", p.s.unfinished(), p.statuses())
		}
		if p.s.Status == SessionCompleted && p.s.Ended == "" {
			counted(r, p)
		}
	})
}

// lastTimer fires the earliest timer, as time would.
func (p *play) lastTimer() {
	name, at := "", time.Time{}
	for n, when := range p.timers {
		if name == "" || when.Before(at) || when.Equal(at) && n < name {
			name, at = n, when
		}
	}
	if name == "" {
		p.t.Fatalf("active, and nothing will ever happen: %s", p.statuses())
	}
	p.now = maxTime(p.now, at)
	delete(p.timers, name)
	p.do(Event{Kind: EventTimer, Timer: name})
}

// counted holds beats and tasks against their definitions.
func counted(r *rapid.T, p *play) {
	base, extra := 0, 0
	for _, task := range p.s.Tasks {
		if p.s.extra(task.ID) {
			extra++
		} else {
			base++
		}
	}
	if base != len(modes[p.s.Mode]) {
		r.Fatalf("%d base tasks in mode %s", base, p.s.Mode)
	}
	if want := Beats(p.s.Mode) + extra; p.s.Beats != want {
		r.Fatalf("%d beats, want %d: %s", p.s.Beats, want, p.statuses())
	}
}

// failer lets the play's own failures shrink.
type failer struct {
	testing.TB
	r *rapid.T
}

func (f *failer) Fatalf(format string, args ...any) { f.r.Fatalf(format, args...) }
func (f *failer) Fatal(args ...any)                 { f.r.Fatal(args...) }
func (f *failer) Helper()                           {}

// TestNoCommandIsLost: every command by somebody who may speak has an answer,
// a reaction or a reply, whatever the session is doing.
func TestNoCommandIsLost(t *testing.T) {
	names, build := stances(t)
	for _, name := range names {
		for _, say := range says {
			p := build[name]()
			if p.s.Status == "" {
				continue
			}
			before := len(p.writes) + len(p.sent)
			p.say(say)
			if len(p.writes)+len(p.sent) == before {
				t.Errorf("%s: %q has no answer", name, say)
			}
			if n := len(p.audits); p.s.ID != "" && n == 0 {
				t.Errorf("%s: %q is not in the audit log", name, say)
			}
		}
	}
}

// TestIndependentEventsCommute: the results of two parallel tasks may come in
// either order.
func TestIndependentEventsCommute(t *testing.T) {
	for _, mode := range []Mode{ImplOnly, Fullstack, FullLifecycleFE} {
		end := func(swap bool) string {
			p := newPlay(t)
			p.brief.Settings.Implementation = true
			p.begin("lifecycle:" + string(mode))
			for p.s.Status != SessionCompleted {
				if p.s.Status == SessionPaused {
					p.say("/resume")
				}
				if swap && len(p.jobs) > 1 {
					p.jobs[0], p.jobs[1] = p.jobs[1], p.jobs[0]
				}
				p.now = start.Add(time.Hour) // the clock is not what differs
				p.step()
			}
			var b strings.Builder
			for _, task := range p.s.Tasks {
				fmt.Fprintln(&b, task.ID, task.Status, task.BlockedBy, task.AgentID, task.RetryCount)
			}
			fmt.Fprintln(&b, p.s.Beats, p.s.TasksCompleted, len(p.s.Manifest.Files), p.check())
			return b.String()
		}
		if a, b := end(false), end(true); a != b {
			t.Errorf("%s: the order matters:\n%s\n%s", mode, a, b)
		}
	}
}

func BenchmarkAdvance(b *testing.B) {
	p := newPlay(b)
	p.begin("lifecycle:full-lifecycle-fe")
	p.run()
	ev := Event{ID: "e", Kind: EventCommand, Repo: p.brief.Repo, Issue: 142, Actor: Actor{Login: "w"}, Permission: PermWrite,
		Command: &Command{Verb: "resume", Subject: "IC", Carrier: OnPull, At: p.now}}
	b.Run("resume at the checkpoint", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := Advance(p.s, ev, p.now); err != nil {
				b.Fatal(err)
			}
		}
	})
	q := newPlay(b)
	q.begin("lifecycle")
	for range 3 {
		q.step()
	}
	o := reached(*q.s.task("DRAFT-003"))
	done := Event{ID: "d", Kind: EventDone, Repo: q.brief.Repo, Issue: 142, Job: q.jobs[0].ID, Outcome: &o}
	b.Run("a task is done", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := Advance(q.s, done, q.now); err != nil {
				b.Fatal(err)
			}
		}
	})
}
