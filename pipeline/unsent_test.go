package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refuse has a delivery fail for good, by its last try or by a refusal.
func (p *play) refuse(ev Event) {
	p.t.Helper()
	ev.Failure.Last = true
	p.do(ev)
}

func lastTry() Event {
	return Event{Kind: EventFailed, Failure: &Failure{Kind: string(JobDeliver), Text: "422 validation failed"}}
}

func forbidden(k WriteKind) Event {
	return Event{Kind: EventRefused, Failure: &Failure{Kind: string(k), Kept: true, Text: "422 validation failed"}}
}

func kinds(ws []Write) (out []WriteKind) {
	for _, w := range ws {
		out = append(out, w.Kind)
	}
	return out
}

// TestRefusedOpeningIsToldOnTheIssue: without a pull request the issue is the
// only place; what is made meanwhile waits behind the opening, and a word from
// a person sends it all in order.
func TestRefusedOpeningIsToldOnTheIssue(t *testing.T) {
	for _, notify := range []string{"starter", "none"} {
		t.Run(notify, func(t *testing.T) {
			p := newPlay(t)
			p.brief.Settings.Notify = notify
			p.begin("lifecycle")
			p.refuse(forbidden(WriteOpen))
			p.want(SessionPaused, WaitUnsent, "action_required")
			if diff := cmp.Diff([]WriteKind{WriteComment}, kinds(p.writes)); diff != "" {
				t.Fatalf("told elsewhere than on the issue (-want +got):\n%s", diff)
			}
			notice := p.writes[0]
			if notice.Number != 142 || !strings.Contains(notice.Body, "422 validation failed") || !strings.Contains(notice.Body, "`/resume`") || strings.Contains(notice.Body, "@") != (notify != "none") {
				t.Fatalf("the notice is %+v", notice)
			}
			p.deliver()
			p.step() // the task that was running
			if len(p.writes) > 0 || p.aside[0].Kind != WriteOpen || !slices.Contains(kinds(p.aside), WriteCommit) {
				t.Fatalf("goes out %v, waits %v", kinds(p.writes), kinds(p.aside))
			}
			p.refuse(lastTry())
			if len(p.writes) > 0 {
				t.Fatalf("told twice: %v", kinds(p.writes))
			}
			p.say("/resume")
			if p.writes[0].Kind != WriteOpen {
				t.Fatalf("sends first %v", kinds(p.writes))
			}
			p.run()
			p.want(SessionCompleted, "", "success")
			if n := len(slices.DeleteFunc(kinds(p.sent), func(k WriteKind) bool { return k != WriteOpen })); n != 1 || len(p.aside) > 0 {
				t.Fatalf("opened %d times, %v still waits", n, kinds(p.aside))
			}
		})
	}
}

// TestNextSessionSendsOnlyItsOwn: what a session set aside ends with it, by its
// /cancel or by the start of the next one.
func TestNextSessionSendsOnlyItsOwn(t *testing.T) {
	for name, end := range map[string]func(*play){
		"unopened and cancelled": func(p *play) {
			p.refuse(forbidden(WriteOpen))
			p.deliver()
			p.say("/cancel")
			if len(p.aside) > 0 {
				t.Fatalf("%v still waits after /cancel", kinds(p.aside))
			}
		},
		"opened and closed": func(p *play) {
			p.deliver()
			p.step()
			p.refuse(forbidden(WriteCommit))
			p.do(Event{Kind: EventPullClosed})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.begin("lifecycle")
			end(p)
			p.deliver()
			first := p.s.ID
			p.sent = nil
			p.begin("lifecycle")
			p.refuse(forbidden(WriteOpen))
			p.deliver()
			p.say("/resume")
			p.run()
			p.want(SessionCompleted, "", "success")
			var branches []string
			for _, w := range p.sent {
				if w.Kind == WriteOpen {
					branches = append(branches, w.Branch)
				}
			}
			if diff := cmp.Diff([]string{p.s.Branch()}, branches); diff != "" || p.s.ID == first {
				t.Fatalf("%s after %s opened (-want +got):\n%s", p.s.ID, first, diff)
			}
			if i := slices.IndexFunc(p.sent, func(w Write) bool { return w.Kind == WriteCommit || w.Kind == WriteOpen }); p.sent[i].Kind != WriteOpen {
				t.Fatalf("sends %v", kinds(p.sent))
			}
		})
	}
}

// TestSwitchedSessionSendsOnlyItsOwn: nor does a former session that takes the
// present one's place.
func TestSwitchedSessionSendsOnlyItsOwn(t *testing.T) {
	_, stances := stances(t)
	other := stances["3 rebuilt"]().s
	other.ID = "TLS-other-2026-11-20"
	p := stances["2 active"]()
	p.s.Earlier = []EarlierSession{{ID: other.ID, PR: 99, Status: SessionPaused}}
	p.writes = append(p.writes, Write{Kind: WriteCommit, Key: "stuck"})
	p.refuse(lastTry())
	p.do(Event{Kind: EventRebuilt, Rebuilt: &other})
	if p.s.ID != other.ID || len(p.aside) > 0 {
		t.Fatalf("%s has %v of the other one", p.s.ID, kinds(p.aside))
	}
}

// TestRefusedCommit is a session at each stand whose commit GitHub does not
// take, and what lets it go on.
func TestRefusedCommit(t *testing.T) {
	resume := func(p *play) { p.say("/resume") }
	tests := []struct {
		name string
		at   string // the stance of the matrix
		wait WaitReason
		on   func(*play)
	}{
		{"while it runs", "2 active", WaitUnsent, resume},
		{"at a checkpoint", "3 checkpoint", WaitCheckpoint, resume},
		{"its last one", "4 completed PASS", WaitUnsent, resume},
		{"by the end of a suspension", "2 active", WaitUnsent, func(p *play) { p.do(Event{Kind: EventUnsuspended}) }},
		{"by that at a checkpoint", "3 checkpoint", WaitCheckpoint, func(p *play) { p.do(Event{Kind: EventUnsuspended}) }},
		{"by the operator's hand", "2 active", WaitUnsent, func(p *play) {
			p.writes, p.aside = append(p.aside, p.writes...), nil
			p.deliver()
			if p.s.Status != SessionActive {
				t.Fatalf("is %s after the operator's retry", p.s.Status)
			}
		}},
	}
	_, stances := stances(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := stances[tt.at]()
			stuck := Write{Kind: WriteCommit, Key: "stuck"}
			p.writes = append(p.writes, stuck)
			p.refuse(lastTry())
			p.want(SessionPaused, tt.wait, "action_required")
			if got := kinds(p.writes); !slices.Contains(got, WriteCheck) || !slices.Contains(got, WritePanel) || slices.Contains(got, WriteCommit) {
				t.Fatalf("says %v", got)
			}
			p.deliver()
			tt.on(p)
			p.run()
			if p.s.Unsent || len(p.aside) > 0 || !slices.ContainsFunc(p.sent, func(w Write) bool { return w.Key == stuck.Key }) {
				t.Fatalf("%s, %v still waits", p.s.Status, kinds(p.aside))
			}
		})
	}
}

// TestRefusedRemarkIsGivenUp: what the branch can do without stops nobody.
func TestRefusedRemarkIsGivenUp(t *testing.T) {
	_, stances := stances(t)
	p := stances["2 active"]()
	p.refuse(Event{Kind: EventRefused, Failure: &Failure{Kind: string(WriteComment), Text: "422"}})
	if p.s.Status != SessionActive || p.s.Unsent || !strings.Contains(p.s.Warnings[len(p.s.Warnings)-1], "422") {
		t.Fatalf("%s, warnings %q", p.s.Status, p.s.Warnings)
	}
}

// TestDeadTaskRunAgain: what a failed task's dead job brings, once the operator
// has it run again, counts; another task's does not.
func TestDeadTaskRunAgain(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	job := p.jobs[0].ID
	for range maxRetries {
		p.refuse(Event{Kind: EventFailed, Failure: &Failure{Kind: string(JobTask), Task: "RESEARCH-001", Job: p.s.task("RESEARCH-001").AgentID}})
	}
	p.jobs = nil
	p.want(SessionPaused, WaitRetries, "action_required")
	result := reached(*p.s.task("RESEARCH-001"))
	p.do(Event{Kind: EventDone, Job: p.s.ID + "/DRAFT-001/1", Outcome: &result})
	p.want(SessionPaused, WaitRetries, "action_required")
	p.do(Event{Kind: EventDone, Job: job, Outcome: &result})
	if p.s.task("RESEARCH-001").Status != TaskCompleted || p.s.Status != SessionActive {
		t.Fatalf("%s: %s", p.s.Status, p.statuses())
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}

// TestDroppable: what a session waits for is not dropped under it.
func TestDroppable(t *testing.T) {
	l := DeadLetter{ID: "p0-1", Key: Key{Repo: 7, Issue: 142}, What: "job", Kind: string(JobDeliver)}
	for _, tt := range []struct {
		status SessionStatus
		unsent bool
		ok     bool
	}{{SessionPaused, true, false}, {SessionActive, true, false}, {SessionActive, false, true}, {SessionAborted, true, true}, {SessionCompleted, true, true}, {"", false, true}} {
		err := l.Droppable(Session{ID: "TLS-1", Status: tt.status, Unsent: tt.unsent})
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "`/cancel` on issue 142") {
			t.Errorf("%q unsent %v: %v", tt.status, tt.unsent, err)
		}
	}
}

// TestRetriable: a start that was called off comes back by its label alone.
func TestRetriable(t *testing.T) {
	for _, tt := range []struct {
		what string
		kind JobKind
		ok   bool
	}{{"job", JobPrepare, false}, {"job", JobDeliver, true}, {"job", JobTask, true}, {"event", "prepare", true}} {
		l := DeadLetter{ID: "p0-1", Key: Key{Repo: 7, Issue: 142}, What: tt.what, Kind: string(tt.kind)}
		if err := l.Retriable(); (err == nil) != tt.ok {
			t.Errorf("%s %s: %v", tt.what, tt.kind, err)
		}
	}
}
