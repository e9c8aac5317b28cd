package pipeline

import (
	"strings"
	"testing"
)

func TestThreeTriesThenAPerson(t *testing.T) {
	p := newPlay(t)
	fails := true
	p.work = func(task Task) Outcome {
		o := reached(task)
		if task.ID == "DRAFT-003" && fails {
			o.Status = TaskFailed
		}
		return o
	}
	p.begin("lifecycle")
	p.run()
	p.want(SessionPaused, WaitRetries, "action_required")
	if task := p.s.task("DRAFT-003"); task.Status != TaskFailed || task.RetryCount != 3 {
		t.Fatalf("%+v", task)
	}
	fails = false
	p.say("/retry DRAFT-003")
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.s.Beats != 6 {
		t.Fatalf("a try is no beat: %d", p.s.Beats)
	}
}

func TestQueueSpentItsTries(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	j := p.jobs[0]
	p.jobs = nil
	p.do(Event{Kind: EventFailed, Job: j.ID, Failure: &Failure{Job: j.ID, Kind: "task", Task: j.Task, Try: 3, Text: "no", Last: true}})
	p.want(SessionPaused, WaitRetries, "action_required")
	p.say("/resume")
	if len(p.jobs) != 1 || p.jobs[0].ID == j.ID {
		t.Fatalf("jobs %v after %s", p.jobs, j.ID)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestPartialIsRunAgainAndNamed(t *testing.T) {
	p := newPlay(t)
	n := 0
	p.work = func(task Task) Outcome {
		o := reached(task)
		if task.ID == "DRAFT-001" && n == 0 {
			n++
			o.Status = TaskPartial
		}
		return o
	}
	p.begin("lifecycle")
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.s.task("DRAFT-001").RetryCount != 1 || !strings.Contains(p.appended("wisdom/issues.md"), "DRAFT-001 is run again") {
		t.Fatal("a partial result is not run again in the open")
	}
}

func TestOrphanGetsANoticeThenIsTakenBack(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	lost := p.jobs[0]
	p.jobs = nil
	p.now = p.timers["task/RESEARCH-001"]
	p.do(Event{Kind: EventTimer, Timer: "task/RESEARCH-001"})
	if p.s.task("RESEARCH-001").Status != TaskInProgress || !strings.Contains(p.appended(MessagesPath), "finish with status partial") {
		t.Fatal("no notice before it is taken back")
	}
	p.now = p.timers["task/RESEARCH-001"]
	p.do(Event{Kind: EventTimer, Timer: "task/RESEARCH-001"})
	if len(p.jobs) != 1 || p.jobs[0].ID == lost.ID {
		t.Fatalf("jobs %v", p.jobs)
	}
	o := reached(*p.s.task("RESEARCH-001"))
	before := mustJSON(t, p.s)
	p.do(Event{Kind: EventDone, Job: lost.ID, Outcome: &o})
	if mustJSON(t, p.s) != before {
		t.Fatal("the lost worker's late result was taken")
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestDeadlockIsNotCompletion(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	p.step()
	p.s.task("DRAFT-002").BlockedBy = append(p.s.task("DRAFT-002").BlockedBy, "QUALITY-001")
	p.s.task("QUALITY-001").BlockedBy = nil
	p.s.task("QUALITY-001").Status = TaskFailed
	p.step()
	p.want(SessionPaused, WaitRetries, "action_required")
	p.s.task("QUALITY-001").Status = TaskPending
	p.s.task("QUALITY-001").BlockedBy = []TaskID{"DRAFT-003"}
	p.s.task("DRAFT-003").BlockedBy = []TaskID{"DRAFT-002"}
	s, _, err := Advance(p.s, Event{ID: "x", Kind: EventCommand, Actor: Actor{Login: "w"}, Permission: PermWrite, Command: &Command{Verb: "resume", Subject: "c", Carrier: OnPull}}, p.now)
	if err != nil || s.Status != SessionPaused || s.Wait.Reason != WaitStalled || !strings.Contains(s.Wait.Detail, "DRAFT-002 needs QUALITY-001") {
		t.Fatalf("%s %+v %v", s.Status, s.Wait, err)
	}
}

func TestParkedInSilenceAndRevived(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle:full-lifecycle")
	p.run()
	p.now = p.timers["wait"]
	n := len(p.sent)
	p.do(Event{Kind: EventTimer, Timer: "wait"})
	if !p.s.Wait.Parked || len(p.sent) != n || len(p.writes) != 0 {
		t.Fatalf("parked %v with %d writes", p.s.Wait.Parked, len(p.writes))
	}
	p.say("/status")
	if p.s.Wait.Parked || !p.s.Wait.Deadline.After(p.now) {
		t.Fatalf("not revived: %+v", p.s.Wait)
	}
	if p.say("/resume"); p.s.WaitedMS < parkAfter.Milliseconds() {
		t.Errorf("waited %d ms in all, want %s at least", p.s.WaitedMS, parkAfter)
	}
}
