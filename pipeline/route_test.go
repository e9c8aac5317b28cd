package pipeline

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// blockAt blocks one task's round; its revision is good unless again is set.
func blockAt(id TaskID, sev Severity, byModel, again bool) func(Task) Outcome {
	return func(task Task) Outcome {
		if task.ID == id || again && task.RevisionOf == id {
			return blocked(task, sev, byModel)
		}
		return reached(task)
	}
}

// wisdom is all that was appended to one file so far.
func (p *play) appended(path string) string {
	var b strings.Builder
	for _, w := range append(slices.Clone(p.sent), p.writes...) {
		for _, a := range w.Append {
			if a.Path == path {
				b.WriteString(a.Text)
			}
		}
	}
	for _, a := range p.s.Pending {
		if a.Path == path && !a.Sent {
			b.WriteString(a.Text)
		}
	}
	return b.String()
}

func TestHighBlockIsMendedOnceByAModel(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-002", High, true, false)
	p.begin("lifecycle")
	p.run()
	p.want(SessionCompleted, "", "success")
	rev := p.s.task("DRAFT-002-R1")
	if rev == nil || rev.Revision.Why != "consensus" || len(rev.Revision.Divergent) != 1 || len(rev.Revision.Actions) != 1 {
		t.Fatalf("revision %+v", rev)
	}
	if p.s.RevisionChains["DRAFT-002"] != "DRAFT-002-R1" || p.s.TasksTotal != 7 || p.s.Beats != 7 {
		t.Fatalf("chains %v, %d tasks, %d beats", p.s.RevisionChains, p.s.TasksTotal, p.s.Beats)
	}
	if at := p.s.find("DRAFT-002-R1"); at != p.s.find("DRAFT-002")+1 {
		t.Fatal("the revision does not stand behind its original")
	}
	if got := p.s.task("DRAFT-003").BlockedBy; !slices.Equal(got, []TaskID{"DRAFT-002-R1"}) {
		t.Fatalf("DRAFT-003 waits for %v", got)
	}
}

func TestSecondHighEscalates(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-002", High, true, true)
	p.begin("lifecycle")
	p.run()
	p.want(SessionPaused, WaitBlocked, "action_required")
	task := p.s.task("DRAFT-002-R1")
	if p.s.Wait.Task != task.ID || task.Recommendation != "escalate" || task.Status != TaskInProgress {
		t.Fatalf("%+v of %+v", p.s.Wait, task)
	}
	p.say("/resume")
	if p.s.task("DRAFT-002-R1").Status != TaskCompleted {
		t.Fatal("the decision did not complete the task")
	}
	if d := p.appended("wisdom/decisions.md"); !strings.Contains(d, "`octocat`: DRAFT-002-R1: went on") {
		t.Fatalf("decisions: %s", d)
	}
	if d := p.appended(RecordPath("DISCUSS-003", 1)); !strings.Contains(d, "**Decision**") || !strings.Contains(d, "octocat") {
		t.Fatalf("record: %q", d)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestRulesAskAtOnceInsteadOfDraftingTheSameAgain(t *testing.T) {
	ask := func(t *testing.T) *play {
		p := newPlay(t)
		p.work = blockAt("DRAFT-002", High, false, true)
		p.begin("lifecycle")
		p.run()
		p.want(SessionPaused, WaitQuestions, "action_required")
		if len(p.s.Questions) == 0 || len(p.s.Questions) > maxQuestions || p.s.find("DRAFT-002-R1") >= 0 {
			t.Fatalf("questions %v, %s", p.s.Questions, p.statuses())
		}
		if d := p.s.Wait.Deadline.Sub(p.s.Wait.Since); d != 72*time.Hour {
			t.Fatalf("deadline after %s", d)
		}
		return p
	}
	t.Run("resume takes the defaults", func(t *testing.T) {
		p := ask(t)
		p.say("/resume")
		if q := p.s.Questions[0]; q.Answer != q.Default || q.By != "octocat" {
			t.Fatalf("question %+v", q)
		}
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("so does the deadline", func(t *testing.T) {
		p := ask(t)
		p.do(Event{Kind: EventTimer, Timer: "wait"}) // too early
		p.want(SessionPaused, WaitQuestions, "action_required")
		p.now = p.timers["wait"]
		p.do(Event{Kind: EventTimer, Timer: "wait"})
		if q := p.s.Questions[0]; q.By != "default" {
			t.Fatalf("question %+v", q)
		}
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("a changed issue makes a revision worth while", func(t *testing.T) {
		p := newPlay(t)
		p.work = blockAt("DRAFT-002", High, false, false)
		p.begin("lifecycle")
		for p.s.task("DRAFT-002").Status != TaskInProgress {
			p.step()
		}
		b := p.brief
		b.Issue.Text = "t1"
		p.now = p.now.Add(time.Second)
		p.do(Event{Kind: EventPrepared, Briefing: &b, Job: "reread/x"})
		p.run()
		p.want(SessionCompleted, "", "success")
		if p.s.find("DRAFT-002-R1") < 0 {
			t.Fatal("no revision")
		}
	})
}

func TestMediumBlockWarnsAndTellsTheNextTask(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-001", Medium, true, false)
	var notes []string
	p.begin("lifecycle")
	p.step()
	p.step()
	notes = p.jobs[0].Notes
	p.run()
	p.want(SessionCompleted, "", "success")
	if len(notes) != 1 || !strings.Contains(notes[0], "one ask has no requirement") {
		t.Fatalf("notes of DRAFT-002: %v", notes)
	}
	issues := p.appended("wisdom/issues.md")
	for _, part := range []string{"## DRAFT-001: DISCUSS-002 blocked (MEDIUM)", "Divergence: one ask", "Action: add it"} {
		if !strings.Contains(issues, part) {
			t.Errorf("issues.md lacks %q:\n%s", part, issues)
		}
	}
	if len(p.s.Tasks) != 6 {
		t.Fatalf("a MEDIUM block makes no task: %s", p.statuses())
	}
}

func TestLowBlockGoesOn(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-001", Low, true, false)
	p.begin("lifecycle")
	p.run()
	p.want(SessionCompleted, "", "success")
	if len(p.s.Tasks) != 6 || strings.Contains(p.appended("wisdom/issues.md"), "DRAFT-001") {
		t.Fatal("LOW is as good as reached")
	}
}

func TestSignOff(t *testing.T) {
	failedRound := func(id TaskID) func(Task) Outcome {
		return func(task Task) Outcome {
			o := reached(task)
			if task.ID == id {
				o.Verdict, o.RoundErr = nil, "out of time"
			}
			return o
		}
	}
	t.Run("HIGH at 006 always pauses, even the first time", func(t *testing.T) {
		p := newPlay(t)
		p.work = blockAt("QUALITY-001", High, true, true)
		p.begin("lifecycle")
		p.run()
		p.want(SessionPaused, WaitSignOff, "action_required")
		if p.s.find("QUALITY-001-R1") >= 0 || !slices.Contains(p.s.CheckpointsHit, "QUALITY-001-DISCUSS-006-HIGH") {
			t.Fatalf("%s, checkpoints %v", p.statuses(), p.s.CheckpointsHit)
		}
		p.say("/resume")
		p.run()
		p.want(SessionCompleted, "", "success")
		if len(p.s.Accepted) != 1 {
			t.Fatalf("nobody took it: %v", p.s.Accepted)
		}
	})
	t.Run("a failed round at 006 pauses", func(t *testing.T) {
		p := newPlay(t)
		p.work = failedRound("QUALITY-001")
		p.begin("lifecycle")
		p.run()
		p.want(SessionPaused, WaitSignOff, "action_required")
		p.say("/improve")
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("before that it is a warning", func(t *testing.T) {
		p := newPlay(t)
		p.work = failedRound("DRAFT-002")
		p.begin("lifecycle")
		p.run()
		p.want(SessionCompleted, "", "success")
		if p.s.task("DRAFT-002").Verdict != ConsensusNone || len(p.s.Warnings) != 1 {
			t.Fatalf("verdict %s, warnings %v", p.s.task("DRAFT-002").Verdict, p.s.Warnings)
		}
		if !strings.Contains(p.appended("wisdom/issues.md"), "DRAFT-002 has no verdict") {
			t.Fatal("issues.md does not say so")
		}
	})
	t.Run("in a full mode too, and resuming leads on", func(t *testing.T) {
		p := newPlay(t)
		p.work = blockAt("QUALITY-001", High, true, true)
		p.begin("lifecycle:full-lifecycle")
		p.run()
		p.want(SessionPaused, WaitSignOff, "action_required")
		p.say("/resume")
		p.run()
		p.want(SessionPaused, WaitMissingRole, "action_required")
	})
}

func TestRequireModelWantsAPerson(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.Gate.RequireModel = true
	p.begin("lifecycle")
	p.run()
	p.want(SessionPaused, WaitModel, "action_required")
	p.say("/resume")
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestFrontendLoop(t *testing.T) {
	reviews := func(first, second string) func(Task) Outcome {
		return func(task Task) Outcome {
			o := reached(task)
			switch task.ID {
			case "QA-FE-001":
				o.Review = first
			case "QA-FE-002":
				o.Review = second
			}
			return o
		}
	}
	t.Run("a second round, and the barrier waits for it", func(t *testing.T) {
		p := newPlay(t)
		p.brief.Settings.Implementation = true
		p.work = reviews("NEEDS_FIX", "PASS_WITH_WARNINGS")
		p.begin("lifecycle:fullstack")
		for p.s.find("QA-FE-002") < 0 {
			if !p.step() {
				t.Fatal("no second round")
			}
		}
		if got := p.s.task("REVIEW-001").BlockedBy; !slices.Equal(got, []TaskID{"TEST-001", "QA-FE-002"}) {
			t.Fatalf("REVIEW-001 waits for %v", got)
		}
		p.run()
		p.want(SessionCompleted, "", "success")
		if p.s.TasksTotal != 8 || p.s.GCLoopCount != 1 || p.s.Beats != 6 {
			t.Fatalf("%d tasks, loop %d, %d beats", p.s.TasksTotal, p.s.GCLoopCount, p.s.Beats)
		}
	})
	t.Run("two rounds in all", func(t *testing.T) {
		p := newPlay(t)
		p.brief.Settings.Implementation = true
		p.work = reviews("NEEDS_FIX", "NEEDS_FIX")
		p.begin("lifecycle:fe-only")
		p.run()
		p.want(SessionPaused, WaitQALoop, "action_required")
		if p.s.find("DEV-FE-003") >= 0 {
			t.Fatal("a third round")
		}
		p.say("/resume")
		p.run()
		p.want(SessionCompleted, "", "success")
	})
}

// TestTextsSpeakOfWhatFollowed: review and commit are written from the session
// as it stands behind the verdict.
func TestTextsSpeakOfWhatFollowed(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-002", High, true, false)
	p.begin("lifecycle")
	p.run()
	i := slices.IndexFunc(p.sent, func(w Write) bool { return w.Kind == WriteReview && strings.Contains(w.Review.Marker, "DISCUSS-003") })
	if i < 0 || !strings.Contains(p.sent[i].Body, "by itself") {
		t.Fatalf("the review does not say that a revision follows: %d", i)
	}
	q := newPlay(t)
	q.brief.Settings.Implementation = true
	q.begin("lifecycle:fe-only")
	q.run()
	var closes, refs int
	for _, w := range q.sent {
		if w.Kind == WriteCommit && strings.Contains(w.Body, "Closes #142") {
			closes++
		}
		if w.Kind == WriteCommit && strings.Contains(w.Body, "Refs #142") {
			refs++
		}
	}
	if closes != 1 || refs != 2 {
		t.Fatalf("%d commits close the issue, %d refer to it", closes, refs)
	}
}

// The last round is on the whole specification, and so on every draft's words.
func TestLastRoundJudgesEveryAuthor(t *testing.T) {
	s := Session{Tasks: make([]Task, 3)}
	for i, by := range []string{"openai", "anthropic", "openai"} {
		(&turn{}).describeResult(&s.Tasks[i], Outcome{Backends: []string{by}})
	}
	for _, row := range []struct {
		round     Round
		own, want []string
	}{{"DISCUSS-002", []string{"gemini"}, []string{"gemini"}}, {lastRound, nil, []string{"anthropic", "openai"}}, {"DISCUSS-001", nil, nil}} {
		if got := authors(s, Task{Round: row.round}, row.own); !slices.Equal(got, row.want) {
			t.Errorf("%s judges %v, want %v", row.round, got, row.want)
		}
	}
}
