package pipeline

import (
	"slices"
	"strings"
	"testing"
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

// TestInnerLoop is the table of what a role does after a task while its loop
// goes on (5-L), and after its last one (5-F).
func TestInnerLoop(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	accumulated := map[TaskID]string{}
	reports := map[TaskID]string{}
	for p.s.Status == SessionActive {
		id := p.jobs[0].Task
		from := len(p.writes)
		p.step()
		for _, w := range p.writes[from:] {
			for _, m := range w.Memory {
				accumulated[id] = m.Value
			}
			for _, a := range w.Append {
				if a.Path == MessagesPath && strings.Contains(a.Text, "all tasks done") {
					reports[id] = a.Text
				}
			}
		}
	}
	for _, id := range []TaskID{"DRAFT-001", "DRAFT-002", "DRAFT-003"} {
		if !strings.Contains(accumulated[id], string(id)) || reports[id] != "" {
			t.Errorf("after %s: accumulator %q, report %q", id, accumulated[id], reports[id])
		}
	}
	if accumulated["DRAFT-004"] != "" || !strings.Contains(reports["DRAFT-004"], "DRAFT-001, DRAFT-002, DRAFT-003, DRAFT-004") {
		t.Errorf("after the last: accumulator %q, report %q", accumulated["DRAFT-004"], reports["DRAFT-004"])
	}
	if !strings.Contains(accumulated["DRAFT-003"], `"discuss_rating": 4`) {
		t.Errorf("the accumulator lacks the rating: %s", accumulated["DRAFT-003"])
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
		{"the session file", func(o *Outcome) { o.Files = append(o.Files, FileRef{SessionPath, "x"}) }},
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

func TestModeChoice(t *testing.T) {
	body := func(b string) func(*Briefing) { return func(x *Briefing) { x.Body.Body = b } }
	def := func(m Mode, b string) func(*Briefing) {
		return func(x *Briefing) { x.Body.Body = b; x.Settings.DefaultMode = m; x.HasSpec = true }
	}
	tests := []struct {
		name  string
		label string
		brief func(*Briefing)
		want  Mode
	}{
		{"the default", "lifecycle", body("x"), SpecOnly},
		{"spec-only is never upgraded", "lifecycle", body("a React page"), SpecOnly},
		{"the label's", "lifecycle:full-lifecycle", body("x"), FullLifecycle},
		{"an explicit mode is never upgraded", "lifecycle:full-lifecycle", body("a React page"), FullLifecycle},
		{"another label's", "lifecycle", func(x *Briefing) { x.Body.Labels = []string{"bug", "lifecycle", "Lifecycle:fullstack"} }, Fullstack},
		{"the form's field", "lifecycle", body("### Lifecycle mode\n\nimpl-only\n\n### What\n\na React page"), ImplOnly},
		{"full-lifecycle sees a frontend", "lifecycle", def(FullLifecycle, "a sidebar with a dark mode"), FullLifecycleFE},
		{"impl-only sees a frontend alone", "lifecycle", def(ImplOnly, "a modal dialog"), FEOnly},
		{"impl-only sees both", "lifecycle", def(ImplOnly, "a page and its REST endpoint"), Fullstack},
		{"impl-only sees a backend", "lifecycle", def(ImplOnly, "a queue worker"), ImplOnly},
		{"build is not ui", "lifecycle", def(FullLifecycle, "build the guide, rebuild quickly"), FullLifecycle},
		{"a dependency tells", "lifecycle", func(b *Briefing) {
			b.Settings.DefaultMode, b.Body.Body, b.PackageJSON = FullLifecycle, "x", `{"devDependencies":{"vue":"3"}}`
		}, FullLifecycleFE},
		{"a broken package.json tells nothing", "lifecycle", func(b *Briefing) {
			b.Settings.DefaultMode, b.Body.Body, b.PackageJSON = FullLifecycle, "x", `{"devDependencies":`
		}, FullLifecycle},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			p.brief.Body.Title = "T"
			test.brief(&p.brief)
			p.begin(test.label)
			if p.s.Mode != test.want {
				t.Fatalf("mode %s (%s)", p.s.Mode, p.s.ModeReason)
			}
			if strings.HasPrefix(p.s.ModeReason, "upgraded") && len(p.s.FrontendSignals) == 0 {
				t.Fatal("an upgrade without its signals")
			}
		})
	}
}

func TestCannotBegin(t *testing.T) {
	tests := []struct {
		name, label, part string
		brief             func(*Briefing)
	}{
		{"impl-only without a specification", "lifecycle:impl-only", "or start `spec-only`", func(b *Briefing) { b.HasSpec = false }},
		{"switched off", "lifecycle", "switched off", func(b *Briefing) { b.Settings.Enabled = false }},
		{"empty repository", "lifecycle", "no commit", func(b *Briefing) { b.EmptyRepo = true }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			test.brief(&p.brief)
			p.begin(test.label)
			if p.s.Status != "" || len(p.jobs) != 0 || !strings.Contains(p.lastSaid(), test.part) {
				t.Fatalf("%s, %v, %q", p.s.Status, p.jobs, p.lastSaid())
			}
		})
	}
	t.Run("a reader's label", func(t *testing.T) {
		p := newPlay(t)
		p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "r"}, Permission: PermRead})
		if p.s.Status != "" || len(p.jobs) != 0 || !strings.Contains(p.lastSaid(), "write access") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
	t.Run("impl-only with a specification that is not there", func(t *testing.T) {
		p := newPlay(t)
		p.brief.HasSpec = false
		p.do(Event{Kind: EventStart, Actor: Actor{Login: "w"}, Permission: PermWrite,
			Command: &Command{Verb: "start", Args: []string{"impl-only", "--spec", "docs/@old.md"}, Subject: "IC_0", Carrier: OnIssue}})
		p.step()
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "no file `docs/@old.md`") || !strings.Contains(p.lastSaid(), "`spec-only`") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
	t.Run("a briefing that cannot be read", func(t *testing.T) {
		p := newPlay(t)
		p.doStart()
		p.do(Event{Kind: EventFailed, Job: p.jobs[0].ID, Failure: &Failure{Job: p.jobs[0].ID, Kind: string(JobPrepare), Last: true, Text: "502"}})
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "could not be read, so no session was started") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
	t.Run("a command before it has begun", func(t *testing.T) {
		p := newPlay(t)
		p.doStart()
		p.say("/recheck")
		p.refusedWith("only just beginning")
		p.step()
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("a mode that is none", func(t *testing.T) {
		p := newPlay(t)
		p.do(Event{Kind: EventStart, Label: "lifecycle:everything", Actor: Actor{Login: "w"}, Permission: PermWrite})
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "`full-lifecycle-fe`") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
}

func TestSessionIDs(t *testing.T) {
	tests := []struct {
		title string
		issue int
		want  string
	}{
		{"Retry failed webhooks", 142, "TLS-retry-failed-web-142-2026-11-21"},
		{"  Ünïcode & tabs\t", 7, "TLS-n-code-tabs-7-2026-11-21"},
		{"日本語", 9, "TLS-issue-9-2026-11-21"},
		{"", 123456789, "TLS-issue-123456789-2026-11-21"},
		{"../../etc/passwd; rm -rf", 1, "TLS-etc-passwd-rm-rf-1-2026-11-21"},
	}
	for _, test := range tests {
		got := SessionID(test.title, test.issue, start, 1)
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.title, got, test.want)
		}
		if slug := Slug(test.title, test.issue); len(slug) > slugRoom {
			t.Errorf("%q: slug %q is longer than %d", test.title, slug, slugRoom)
		}
	}
	if got := SessionID("x", 1, start, 2); got != "TLS-x-1-2026-11-21-2" {
		t.Error(got)
	}
}

func TestTinyTrackRunsTwoRounds(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.Track = TrackTiny
	p.begin("lifecycle")
	var rounds []Round
	var tasks []TaskID
	for _, task := range p.s.Tasks {
		tasks = append(tasks, task.ID)
		if task.Round != "" {
			rounds = append(rounds, task.Round)
		}
	}
	if !slices.Equal(rounds, []Round{"DISCUSS-003", "DISCUSS-006"}) {
		t.Fatalf("rounds %v", rounds)
	}
	if !slices.Equal(tasks, []TaskID{"RESEARCH-001", "DRAFT-002", "QUALITY-001"}) {
		t.Fatalf("tasks %v", tasks)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}
