package pipeline

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// finished is a spec-only session that ended at the gate.
func finished(t testing.TB, r GateResult, score float64) *play {
	p := newPlay(t)
	p.work = func(task Task) Outcome {
		o := reached(task)
		if o.Gate != nil {
			o.Gate = gate(r, score)
		}
		return o
	}
	p.begin("lifecycle")
	p.run()
	return p
}

func (p *play) want(status SessionStatus, reason WaitReason, check string) {
	p.t.Helper()
	got := WaitReason("")
	if p.s.Wait != nil {
		got = p.s.Wait.Reason
	}
	if p.s.Status != status || got != reason || p.check() != check {
		p.t.Fatalf("session %s, waits for %q, check %s; want %s, %q, %s\n%s", p.s.Status, got, p.check(), status, reason, check, p.statuses())
	}
}

func (p *play) refusedWith(part string) {
	p.t.Helper()
	if !strings.Contains(p.lastSaid(), part) {
		p.t.Fatalf("last said %q, want %q in it", p.lastSaid(), part)
	}
	if n := len(p.audits); n == 0 || !strings.HasPrefix(p.audits[n-1].Outcome, "refused") {
		p.t.Fatal("the refusal is not in the audit log")
	}
	if !slices.ContainsFunc(append(slices.Clone(p.sent), p.writes...), func(w Write) bool { return w.Content == reactRefused }) {
		p.t.Fatal("no reaction on the refused command")
	}
}

func TestGateDecidesTheCheck(t *testing.T) {
	tests := []struct {
		gate  GateResult
		score float64
		check string
	}{{GatePass, 86, "success"}, {GateReview, 72, "action_required"}, {GateFail, 40, "failure"}}
	for _, test := range tests {
		t.Run(string(test.gate), func(t *testing.T) {
			p := finished(t, test.gate, test.score)
			p.want(SessionCompleted, "", test.check)
			if p.s.Beats != 6 {
				t.Fatalf("%d beats", p.s.Beats)
			}
		})
	}
}

func TestAcceptingTheRisk(t *testing.T) {
	tests := []struct {
		name  string
		gate  GateResult
		say   string
		who   string
		perm  Permission
		green bool
	}{
		{"a writer resumes at REVIEW", GateReview, "/resume", "octocat", PermWrite, true},
		{"a writer finishes at REVIEW", GateReview, "/finish", "octocat", PermWrite, true},
		{"a writer may not force FAIL", GateFail, "/resume", "octocat", PermWrite, false},
		{"a maintainer forces FAIL", GateFail, "/resume", "octocat", PermMaintain, true},
		{"the issue's author may", GateFail, "/resume", "mona", PermRead, true},
		{"a reader may not", GateReview, "/resume", "reader", PermRead, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := finished(t, test.gate, 55)
			before := p.check()
			p.sayAs(test.who, test.perm, test.say)
			if !test.green {
				p.want(SessionCompleted, "", before)
				p.refusedWith("access")
				return
			}
			p.want(SessionCompleted, "", "success")
			a := p.s.AcceptedBy()
			if a == nil || a.Who != test.who || a.Gate != test.gate {
				t.Fatalf("acceptance %+v", a)
			}
			if !slices.ContainsFunc(p.writes, func(w Write) bool { return w.Kind == WriteCommit }) {
				t.Fatal("the decision that turned the gate green is not committed")
			}
			p.run()
			p.say("/recheck")
			p.run()
			p.want(SessionCompleted, "", before) // judged again, accepted no more
		})
	}
}

// TestLabelTakesNoRisk: setting the label again resumes, but is nobody's word
// for a gate that is not PASS, even where the session was read back from its files.
func TestLabelTakesNoRisk(t *testing.T) {
	lost := newPlay(t)
	lost.work = func(task Task) Outcome {
		o := blockAt("QUALITY-001", High, true, true)(task)
		if o.Gate != nil {
			o.Gate = gate(GateFail, 40)
		}
		return o
	}
	lost.begin("lifecycle")
	lost.run()
	s, err := Rebuild(lost.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	p := newPlay(t)
	p.do(Event{Kind: EventRebuilt, Rebuilt: &s})
	p.want(SessionPaused, WaitRebuilt, "action_required")
	p.doStart()
	p.want(SessionPaused, WaitRebuilt, "action_required")
	p.refusedWith("a label does not take it")
	p.sayAs("moe", PermMaintain, "/resume")
	if a := p.s.AcceptedBy(); a == nil || a.Who != "moe" {
		t.Fatalf("acceptance %+v", a)
	}
}

func TestCheckpointOfFullModes(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle:full-lifecycle")
	p.run()
	p.want(SessionPaused, WaitCheckpoint, "action_required")
	if !slices.Equal(p.s.CheckpointsHit, []string{"QUALITY-001"}) {
		t.Fatalf("checkpoints %v", p.s.CheckpointsHit)
	}
	p.say("/resume")
	p.run()
	p.want(SessionPaused, WaitMissingRole, "action_required")
	if p.s.Wait.Task != "IMPL-001" || p.s.latest("PLAN-001").Status != TaskCompleted {
		t.Fatalf("waits at %s: %s", p.s.Wait.Task, p.statuses())
	}
	p.say("/resume")
	p.refusedWith("/finish")
	p.say("/finish")
	p.run()
	p.want(SessionCompleted, "", "success")
	if len(p.s.Tasks) != 7 {
		t.Fatalf("tasks left: %s", p.statuses())
	}
}

func TestFinishAtTheCheckpointEndsAsSpecOnly(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle:full-lifecycle-fe")
	p.run()
	p.say("/finish")
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.s.Mode != SpecOnly || len(p.s.Tasks) != 6 {
		t.Fatalf("mode %s, %s", p.s.Mode, p.statuses())
	}
}

func TestReviseCascadesOverCompletedTasks(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.say("/revise draft-002 switch retries off per endpoint")
	p.want(SessionActive, "", "in_progress")
	p.run()
	p.want(SessionCompleted, "", "success")
	for _, id := range []TaskID{"DRAFT-002-R1", "DRAFT-003-R1", "DRAFT-004-R1", "QUALITY-001-R1"} {
		if task := p.s.task(id); task == nil || task.Status != TaskCompleted {
			t.Fatalf("%s is not done: %s", id, p.statuses())
		}
	}
	if len(p.s.Tasks) != 10 || p.s.Beats != 10 {
		t.Fatalf("%d tasks, %d beats", len(p.s.Tasks), p.s.Beats)
	}
	if r := p.s.task("DRAFT-002-R1").Revision; r.Text != "switch retries off per endpoint" || r.By != "octocat" {
		t.Fatalf("revision %+v", r)
	}
	p.say("/revise DRAFT-002 again")
	p.run()
	p.say("/revise DRAFT-002 and again")
	p.refusedWith("revised twice")
	p.say("/revise DRAFT-003 once")
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestReviseWhileTheChainRuns(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	for p.s.task("DRAFT-003").Status != TaskInProgress {
		p.step()
	}
	p.say("/revise DRAFT-002 narrower")
	if got := p.s.task("DRAFT-004").BlockedBy; !slices.Contains(got, "DRAFT-002-R1") {
		t.Fatalf("DRAFT-004 does not wait for the revision: %v", got)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.s.find("QUALITY-001-R1") >= 0 {
		t.Fatal("a pending QUALITY-001 is the recheck already")
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, say, part string
		who             string
		perm            Permission
		running         bool
	}{
		{"stranger", "/resume", "takes write access", "stranger", PermRead, false},
		{"triage may not resume", "/resume", "takes write access", "tri", PermTriage, false},
		{"unknown task", "/revise DRAFT-999", "no task `DRAFT-999`", "w", PermWrite, false},
		{"path as task", "/revise ../../etc", "no task", "w", PermWrite, false},
		{"which task", "/revise", "Which task?", "w", PermWrite, false},
		{"unfinished task", "/revise DRAFT-004", "only a completed task", "w", PermWrite, true},
		{"recheck before quality", "/recheck", "has not judged", "w", PermWrite, true},
		{"improve before quality", "/improve", "has not judged", "w", PermWrite, true},
		{"unknown dimension", "/improve beauty", "no dimension", "w", PermWrite, false},
		{"empty feedback", "/feedback", "What is the feedback", "w", PermWrite, false},
		{"finish while running", "/finish", "nothing to finish yet", "w", PermWrite, true},
		{"nothing to resume", "/resume", "nothing waits", "w", PermWrite, false},
		{"unknown session", "/resume TLS-other-1", "no session", "w", PermWrite, false},
		{"C17 a head too short to be one", "/resume @1a2b3c", "no session", "w", PermWrite, false},
		{"C17 the head of another pull request", "/resume @1111111111111111111111111111111111111111", "no session", "w", PermWrite, false},
		{"C17 a head where a finding belongs", "/accept @1a2b3c4d", "no open finding", "w", PermWrite, false},
		{"retry what did not fail", "/retry DRAFT-001", "has not failed", "w", PermWrite, false},
		{"unknown finding", "/accept F-99", "no open finding", "w", PermWrite, false},
		{"consult is off", "/consult why", "not available", "w", PermWrite, false},
		{"extend is off", "/extend more", "not available", "w", PermWrite, false},
		{"discuss asks nothing", "/discuss ask", "Say `/discuss deepen`", "w", PermWrite, false},
		{"discuss direction needs words", "/discuss direction", "Say `/discuss deepen`", "w", PermWrite, false},
		{"cancel a finished one", "/cancel", "over already", "w", PermWrite, false},
		{"permission unknown", "/resume", "could not be read", "", PermNone, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := finished(t, GatePass, 90)
			if test.running {
				p = newPlay(t)
				p.begin("lifecycle")
			}
			before := p.statuses() + p.check()
			if test.who == "" {
				p.now = p.now.Add(time.Minute)
				p.do(Event{Kind: EventCommand, Actor: Actor{Login: "w"}, PermissionUnknown: "GitHub answers 502",
					Command: &Command{Verb: "resume", Subject: "IC", Carrier: OnIssue, At: p.now}})
			} else {
				p.sayAs(test.who, test.perm, test.say)
			}
			p.refusedWith(test.part)
			if p.statuses()+p.check() != before {
				t.Fatalf("a refused command changed the session: %s", p.statuses())
			}
			if strings.Contains(p.lastSaid(), "@") {
				t.Fatalf("a refusal pings: %s", p.lastSaid())
			}
		})
	}
}

func TestStatusAndHelpAreSaidOnceInTenMinutes(t *testing.T) {
	for _, verb := range []string{"/status", "/help"} {
		p := finished(t, GatePass, 90)
		n := len(p.said())
		for range 20 {
			p.now = p.now.Add(-time.Minute + time.Second)
			p.say(verb)
		}
		if got := len(p.said()) - n; got != 1 {
			t.Fatalf("%s was answered %d times", verb, got)
		}
		p.now = p.now.Add(quietFor)
		p.say(verb)
		if got := len(p.said()) - n; got != 2 {
			t.Fatalf("%s is not answered later on", verb)
		}
	}
}

func TestCommandBoundToItsText(t *testing.T) {
	p := finished(t, GateReview, 70)
	written := p.now
	p.now = p.now.Add(time.Minute)
	p.do(Event{Kind: EventPushed, Head: "abcdef1234"})
	p.jobs = nil
	p.do(Event{Kind: EventEdited, Edited: &Edited{Head: "abcdef1234", Tree: "t", By: "mona", Paths: []string{"spec/product-brief.md"}, Files: map[string]string{"spec/product-brief.md": "x"}}})
	p.want(SessionPaused, WaitEdited, "action_required")
	p.do(Event{Kind: EventCommand, Actor: Actor{Login: "octocat"}, Permission: PermAdmin, Command: &Command{Verb: "resume", Subject: "IC_1", Carrier: OnPull, At: written}})
	p.refusedWith("`abcdef1`")
	p.want(SessionPaused, WaitEdited, "action_required")
	p.say("/resume")
	p.want(SessionCompleted, "", "success")
}

func TestLateAndDroppedCommandsSaySo(t *testing.T) {
	p := finished(t, GatePass, 90)
	c := &Command{Verb: "recheck", Subject: "IC_1", Carrier: OnPull, At: p.now, Dropped: 2}
	said := len(p.said())
	p.now = p.now.Add(25 * time.Minute)
	p.do(Event{Kind: EventCommand, Actor: Actor{Login: "w"}, Permission: PermWrite, Command: c})
	if !strings.Contains(p.lastSaid(), "25 minutes") || !strings.Contains(p.lastSaid(), "2 more were left out") || len(p.said()) != said+1 {
		t.Fatalf("said %q", p.said()[said:])
	}
	refused := &Command{Verb: "revise", Args: []string{"DRAFT-009"}, Text: "DRAFT-009", Subject: "IC_2", Carrier: OnPull, At: p.now, Dropped: 3}
	p.do(Event{Kind: EventCommand, Actor: Actor{Login: "w"}, Permission: PermWrite, Command: refused})
	if !strings.Contains(p.lastSaid(), "There is no task") || !strings.Contains(p.lastSaid(), "3 more were left out") {
		t.Fatalf("said %q", p.lastSaid())
	}
}

func TestHintOnce(t *testing.T) {
	p := finished(t, GatePass, 90)
	n := len(p.said())
	for range 3 {
		p.do(Event{Kind: EventCommand, Actor: Actor{Login: "w"}, Permission: PermWrite, Command: &Command{Hint: "resume", Subject: "IC", Carrier: OnPull}})
	}
	p.do(Event{Kind: EventCommand, Actor: Actor{Login: "r"}, Permission: PermRead, Command: &Command{Hint: "resume", Subject: "IC", Carrier: OnPull}})
	if got := p.said()[n:]; len(got) != 1 || !strings.Contains(got[0], "`/resume`") {
		t.Fatalf("said %q", got)
	}
}

func TestReactionsFollowTheWork(t *testing.T) {
	p := finished(t, GatePass, 90)
	from := len(p.sent)
	p.say("/recheck")
	reactions := func() (out []string) {
		for _, w := range append(slices.Clone(p.sent[from:]), p.writes...) {
			if w.Kind == WriteReact {
				out = append(out, w.Content)
			}
		}
		return out
	}
	if got := reactions(); !slices.Equal(got, []string{"EYES"}) {
		t.Fatalf("at once: %v", got)
	}
	p.run()
	if got := reactions(); !slices.Equal(got, []string{"EYES", "ROCKET"}) {
		t.Fatalf("at the end: %v", got)
	}
	if p.s.Commands != nil {
		t.Fatalf("still open: %v", p.s.Commands)
	}
}

func TestCancelStopsEverything(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	p.step()
	p.say("/cancel")
	p.want(SessionAborted, "", "cancelled")
	if len(p.jobs) != 0 || len(p.s.ActiveWorkers) != 0 || len(p.timers) != 0 {
		t.Fatalf("jobs %v, workers %v, timers %v", p.jobs, p.s.ActiveWorkers, p.timers)
	}
	if !slices.ContainsFunc(p.writes, func(w Write) bool { return w.Kind == WriteClose }) {
		t.Fatal("the pull request stays open")
	}
	p.say("/resume")
	p.refusedWith("is over")
	p.brief.Existing = []EarlierSession{{ID: p.s.ID, PR: 143, Status: SessionAborted}}
	first := p.s.ID
	p.begin("lifecycle")
	p.run()
	if p.s.ID != first+"-2" || len(p.s.Earlier) != 1 || p.s.Earlier[0].ID != first {
		t.Fatalf("next session %s after %v", p.s.ID, p.s.Earlier)
	}
}
