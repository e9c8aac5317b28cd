package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFastAdvance holds the rows of the table that says who goes on when a
// task is done: the same turn, wherever nobody has to decide.
func TestFastAdvance(t *testing.T) {
	until := func(p *play, id TaskID) {
		for p.s.task(id).Status != TaskInProgress {
			if !p.step() {
				t.Fatalf("%s never runs", id)
			}
		}
	}
	jobs := func(p *play) (out []string) {
		for _, j := range p.jobs {
			out = append(out, string(j.Task))
		}
		return out
	}
	tests := []struct {
		name  string
		label string
		at    TaskID // runs, and is done now
		want  []string
		wait  WaitReason
	}{
		{"same prefix: the inner loop goes on", "lifecycle", "DRAFT-001", []string{"DRAFT-002"}, ""},
		{"one linear successor of another prefix", "lifecycle", "RESEARCH-001", []string{"DRAFT-001"}, ""},
		{"several ready: started together", "lifecycle:fullstack", "PLAN-001", []string{"IMPL-001", "DEV-FE-001"}, ""},
		{"parallel window of the backend", "lifecycle:impl-only", "IMPL-001", []string{"TEST-001", "REVIEW-001"}, ""},
		{"none ready, others running: wait", "lifecycle:impl-only", "TEST-001", []string{"REVIEW-001"}, ""},
		{"none ready, nothing running: complete", "lifecycle", "QUALITY-001", nil, ""},
		{"a checkpoint: a person", "lifecycle:full-lifecycle", "QUALITY-001", nil, WaitCheckpoint},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			p.brief.Settings.Implementation = true
			p.begin(test.label)
			until(p, test.at)
			for p.jobs[0].Task != test.at {
				p.jobs = append(p.jobs[1:], p.jobs[0])
			}
			p.step()
			if got := jobs(p); !slices.Equal(got, test.want) {
				t.Fatalf("next are %v, want %v", got, test.want)
			}
			if w := p.s.Wait; (w == nil) != (test.wait == "") || w != nil && w.Reason != test.wait {
				t.Fatalf("waits: %+v", w)
			}
		})
	}
}

func TestWrongTaskIsReconciled(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	p.step() // DRAFT-001 runs by fast-advance
	before, jobs := mustJSON(t, p.s), len(p.jobs)
	for name, o := range map[string]Outcome{
		"one that is done":        reached(*p.s.task("RESEARCH-001")),
		"one that is not started": reached(*p.s.task("DRAFT-004")),
		"one of no session":       {Task: "DRAFT-999", Status: TaskCompleted},
	} {
		p.do(Event{Kind: EventDone, Outcome: &o})
		if mustJSON(t, p.s) != before || len(p.jobs) != jobs {
			t.Fatalf("a result for %s changed something", name)
		}
	}
	o := reached(*p.s.task("DRAFT-001"))
	p.do(Event{Kind: EventDone, Job: "another/job/9", Outcome: &o})
	if mustJSON(t, p.s) != before {
		t.Fatal("a result of another job was taken")
	}
}

// TestStopAtThreeErrors: three errors end an inner loop, whichever of its
// tasks they were in; another role's count for nothing, and so do those of
// before a person decided.
func TestStopAtThreeErrors(t *testing.T) {
	p := newPlay(t)
	tried := map[TaskID]int{}
	p.work = func(task Task) Outcome {
		o := reached(task)
		if tried[task.ID]++; tried[task.ID] == 1 {
			o.Status = TaskPartial
		}
		return o
	}
	p.begin("lifecycle")
	p.run()
	p.want(SessionPaused, WaitRetries, "action_required")
	if p.s.Wait.Task != "DRAFT-003" || p.s.task("DRAFT-003").RetryCount != 1 || p.s.task("RESEARCH-001").Status != TaskCompleted {
		t.Fatalf("stops at %s: %s", p.s.Wait.Task, p.statuses())
	}
	if got := p.s.Warnings[len(p.s.Warnings)-1]; !strings.Contains(got, "the writer met three errors, the last in DRAFT-003") {
		t.Fatalf("said %q", got)
	}
	p.say("/resume")
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.s.LoopErrors != nil {
		t.Fatalf("the loop is over and its errors stay: %v", p.s.LoopErrors)
	}
}

// TestFailedLastTaskReportsNoLoop: a loop whose last task failed is not over.
func TestFailedLastTaskReportsNoLoop(t *testing.T) {
	p := newPlay(t)
	p.work = func(task Task) Outcome {
		o := reached(task)
		if task.ID == "DRAFT-004" {
			o.Status = TaskFailed
		}
		return o
	}
	p.begin("lifecycle")
	p.run()
	p.want(SessionPaused, WaitRetries, "action_required")
	if log := string(p.folder()[MessagesPath]); strings.Contains(log, "all tasks done") {
		t.Fatalf("the writer reports an end:\n%s", log)
	}
}

// TestInnerLoop5L5F is the table of what a role does after a task while its
// loop goes on (5-L), and after its last one (5-F).
func TestInnerLoop5L5F(t *testing.T) {
	type deeds struct{ Completed, Logged, Accumulated, Reported, OtherPrefix bool }
	loop := deeds{Completed: true, Logged: true, Accumulated: true}
	final := deeds{Completed: true, Logged: true, Reported: true, OtherPrefix: true}
	p := newPlay(t)
	p.begin("lifecycle")
	for p.s.task("DRAFT-001").Status != TaskInProgress {
		p.step()
	}
	for _, row := range []struct {
		id   TaskID
		want deeds
	}{{"DRAFT-001", loop}, {"DRAFT-002", loop}, {"DRAFT-003", loop}, {"DRAFT-004", final}} {
		from := len(p.writes)
		p.step()
		got := deeds{Completed: p.s.task(row.id).Status == TaskCompleted, OtherPrefix: !strings.HasPrefix(string(p.jobs[0].Task), "DRAFT")}
		for _, w := range p.writes[from:] {
			for _, m := range w.Memory {
				got.Accumulated = m.Key == "context_accumulator" && strings.Contains(m.Value, string(row.id)) && strings.Contains(m.Value, `"discuss_rating": 4`)
			}
			for _, a := range w.Append {
				got.Logged = got.Logged || strings.Contains(a.Text, `"draft_ready"`) && strings.Contains(a.Text, string(row.id))
				got.Reported = got.Reported || strings.Contains(a.Text, "all tasks done: DRAFT-001, DRAFT-002, DRAFT-003, DRAFT-004")
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", row.id, diff)
		}
	}
}

func TestCrashInDraft003(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	for p.s.task("DRAFT-003").Status != TaskInProgress {
		p.step()
	}
	p.jobs = nil // its worker is gone
	for range 2 {
		p.now = p.timers["task/DRAFT-003"]
		p.do(Event{Kind: EventTimer, Timer: "task/DRAFT-003"})
	}
	if len(p.jobs) != 1 || p.jobs[0].Task != "DRAFT-003" {
		t.Fatalf("jobs %v", p.jobs)
	}
	for _, id := range []TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002"} {
		if p.s.task(id).Status != TaskCompleted {
			t.Fatalf("%s was lost", id)
		}
	}
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.s.Beats != 6 {
		t.Fatalf("%d beats", p.s.Beats)
	}
}

func TestRoleIsolation(t *testing.T) {
	tests := []struct {
		name string
		evil func(*Outcome)
	}{
		{"outside its folder", func(o *Outcome) { o.Files = append(o.Files, FileRef{"plan/plan.json", "x"}) }},
		{"makes tasks", func(o *Outcome) { o.Files = append(o.Files, FileRef{"plan/.task/TASK-001.json", "x"}) }},
		{"makes tasks in the session file", func(o *Outcome) { o.Files = append(o.Files, FileRef{SessionPath, "x"}) }},
		{"up and away", func(o *Outcome) { o.Files = append(o.Files, FileRef{"spec/../../x", "x"}) }},
		{"an absolute path", func(o *Outcome) { o.Files = append(o.Files, FileRef{"/etc/passwd", "x"}) }},
		{"deletes others' work", func(o *Outcome) { o.Deleted = []string{"wisdom/decisions.md"} }},
		{"writes the bus", func(o *Outcome) { o.Append = []FileAppend{{Path: MessagesPath, Text: "{}"}} }},
		{"answers for another role", func(o *Outcome) { o.Role = Reviewer }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			p.begin("lifecycle")
			p.step()
			o := reached(*p.s.task("DRAFT-001"))
			test.evil(&o)
			files := len(p.s.Manifest.Files)
			p.do(Event{Kind: EventDone, Job: p.jobs[0].ID, Outcome: &o})
			if p.s.task("DRAFT-001").Status == TaskCompleted || len(p.s.Manifest.Files) != files || len(p.s.Tasks) != 6 {
				t.Fatalf("the result was taken: %s", p.statuses())
			}
			if p.s.task("DRAFT-001").RetryCount != 1 {
				t.Fatal("it does not count as a try")
			}
		})
	}
}

func TestSequentialExecutionRunsOneAtATime(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.Implementation = true
	p.do(Event{Kind: EventStart, Actor: Actor{Login: "octocat"}, Permission: PermWrite,
		Command: &Command{Verb: "start", Args: []string{"fullstack", "--sequential"}, Subject: "IC_0", Carrier: OnIssue}})
	for p.s.Status == SessionActive {
		if len(p.jobs) > 1 {
			t.Fatalf("%d at once", len(p.jobs))
		}
		p.step()
	}
	p.want(SessionCompleted, "", "success")
}
