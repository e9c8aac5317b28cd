package pipeline

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var rewriteMatrix = flag.Bool("update-matrix", false, "rewrite testdata/matrix.txt")

// stances are the states of the matrix: the phases, and every reason to wait.
func stances(t testing.TB) (names []string, build map[string]func() *play) {
	running := func() *play {
		p := newPlay(t)
		p.begin("lifecycle")
		p.step()
		p.step()
		p.deliver()
		return p
	}
	held := func(ev Event) func() *play {
		return func() *play { p := running(); p.do(ev); return p }
	}
	worked := func(label string, setup func(*play), work func(Task) Outcome) func() *play {
		return func() *play {
			p := newPlay(t)
			setup(p)
			if work != nil {
				p.work = work
			}
			p.begin(label)
			p.run()
			return p
		}
	}
	plain := func(*play) {}
	build = map[string]func() *play{
		"0 none":         func() *play { return newPlay(t) },
		"1 preparing":    func() *play { p := newPlay(t); p.doStart(); return p },
		"2 active":       running,
		"3 checkpoint":   worked("lifecycle:full-lifecycle", plain, nil),
		"3 questions":    worked("lifecycle", plain, blockAt("DRAFT-002", High, false, true)),
		"3 blocked":      worked("lifecycle", plain, blockAt("DRAFT-002", High, true, true)),
		"3 sign-off":     worked("lifecycle", plain, blockAt("QUALITY-001", High, true, true)),
		"3 retries":      worked("lifecycle", plain, func(task Task) Outcome { o := reached(task); o.Status = TaskFailed; return o }),
		"3 missing-role": worked("lifecycle:impl-only", plain, nil),
		"3 model":        worked("lifecycle", func(p *play) { p.brief.Settings.Gate.RequireModel = true }, nil),
		"3 edited":       func() *play { p := finished(t, GatePass, 90); p.edit("h9", "spec/product-brief.md"); p.run(); return p },
		"3 held":         held(Event{Kind: EventIssueClosed}),
		"3 unsent":       held(forbidden(WriteCommit)),
		"3 stalled":      func() *play { p := running(); p.stall(); return p },
		"3 qa-loop": worked("lifecycle:fe-only", func(p *play) { p.brief.Settings.Implementation = true }, func(task Task) Outcome {
			o := reached(task)
			if task.Owner == FEQA {
				o.Review = "NEEDS_FIX"
			}
			return o
		}),
		"3 rebuilt": func() *play {
			s, err := Rebuild(running().snapshot())
			if err != nil {
				t.Fatal(err)
			}
			p := newPlay(t)
			p.do(Event{Kind: EventRebuilt, Rebuilt: &s})
			return p
		},
		"4 completed PASS": func() *play { return finished(t, GatePass, 90) },
		"4 completed FAIL": func() *play { return finished(t, GateFail, 40) },
		"5 aborted":        held(Event{Kind: EventPullClosed}),
	}
	for name, make := range build {
		names = append(names, name)
		once := sync.OnceValue(make)
		build[name] = func() *play { return once().again() }
	}
	sort.Strings(names)
	return names, build
}

// stall ties the tasks that are left into a circle, as nothing of ours does,
// and has it found.
func (p *play) stall() {
	p.broken, p.s.ActiveWorkers = true, []ActiveWorker{}
	for i := range p.s.Tasks {
		if task := &p.s.Tasks[i]; task.Status != TaskCompleted {
			task.Status, task.AgentID, task.StartedAt, task.BlockedBy = TaskPending, "", nil, []TaskID{"QUALITY-001"}
		}
	}
	s, _, err := Advance(p.s, Event{ID: "stall", Kind: EventCommand, Actor: Actor{Login: "octocat"}, Permission: PermWrite,
		Command: &Command{Verb: "resume", Subject: "IC", Carrier: OnPull}}, p.now)
	if err != nil || s.Wait == nil || s.Wait.Reason != WaitStalled {
		p.t.Fatalf("%s %+v %v", s.Status, s.Wait, err)
	}
	p.s = s
}

func (p *play) doStart() {
	p.do(Event{Kind: EventStart, Label: "lifecycle", Title: "T", Actor: Actor{Login: "octocat"}, Permission: PermWrite})
}

// samples are the events of the matrix, one of each kind and one per verb.
func samples(p *play) []Event {
	o := Outcome{Task: "DRAFT-002", Status: TaskCompleted}
	if task := p.s.task("DRAFT-002"); task != nil {
		o = reached(*task)
	}
	b := p.brief
	b.Issue.Text = "t2"
	actor := Actor{Login: "octocat"}
	out := []Event{
		{Kind: EventStart, Label: "lifecycle", Title: "T", Actor: actor, Permission: PermWrite},
		{Kind: EventStart, Label: "lifecycle:fullstack", Title: "T", Actor: actor, Permission: PermWrite},
		{Kind: EventUnlabelled}, {Kind: EventIssueEdited}, {Kind: EventIssueClosed}, {Kind: EventIssueReopened}, {Kind: EventIssueMoved},
		{Kind: EventPullClosed}, {Kind: EventPullMerged}, {Kind: EventPullReopened}, {Kind: EventRetargeted, Moved: &Moved{Base: "b"}},
		{Kind: EventPushed, Head: "foreign"},
		{Kind: EventEdited, Edited: &Edited{Head: "foreign", Tree: "x", By: "mona", Paths: []string{"spec/product-brief.md"}}},
		{Kind: EventThread, Actor: actor, Permission: PermWrite, Thread: &Thread{ID: "T_9", Finding: "F-02", Resolved: true}},
		{Kind: EventRerequested, Actor: actor, Permission: PermWrite}, {Kind: EventMergeGroup, Head: "g"}, {Kind: EventPanelLost},
		{Kind: EventOtherPull, Head: "o"}, {Kind: EventSuspended}, {Kind: EventUnsuspended}, {Kind: EventRemoved}, {Kind: EventRenamed},
		{Kind: EventPrepared, Briefing: &b}, {Kind: EventDone, Outcome: &o},
		{Kind: EventFailed, Failure: &Failure{Kind: "task", Task: "DRAFT-002", Last: true, Text: "no"}},
		{Kind: EventFailed, Failure: &Failure{Kind: "deliver", Last: true, Text: "422"}},
		{Kind: EventDelivered, Receipts: &Receipts{Head: "ours", Tree: "t"}}, {Kind: EventRefused, Failure: &Failure{Text: "gone"}},
		{Kind: EventRefused, Failure: &Failure{Kind: "commit", Kept: true, Text: "rules"}},
		{Kind: EventTimer, Timer: "wait"}, {Kind: EventTimer, Timer: "task/DRAFT-002"}, {Kind: EventDead, Failure: &Failure{Text: "odd"}},
		{Kind: EventRebuilt}, {Kind: EventConfigPushed, Head: "c"},
		{Kind: EventHeadRead, Head: "g", Facts: &HeadFacts{HeadAsk: HeadAsk{PR: 143, Group: true}, Ours: true, Green: true, Holds: true}},
	}
	for _, say := range []string{"status", "resume", "revise DRAFT-001 x", "feedback the scope", "recheck", "improve", "finish",
		"discuss deepen", "accept F-02 fine", "retry DRAFT-001", "cancel", "start", "consult x", "extend x", "help"} {
		f := strings.Fields(say)
		out = append(out, Event{Kind: EventCommand, Actor: actor, Permission: PermMaintain, Command: &Command{
			Verb: f[0], Args: f[1:], Text: strings.Join(f[1:], " "), Prefixed: true, Subject: "IC", Carrier: OnPull, At: p.now,
		}})
	}
	return out
}

// TestMatrix is every state by every event, as one reads it in review.
func TestMatrix(t *testing.T) {
	var b strings.Builder
	seen := map[EventKind]bool{}
	names, build := stances(t)
	for _, name := range names {
		p := build[name]()
		fmt.Fprintf(&b, "\n%s\n", name)
		for i, ev := range samples(p) {
			seen[ev.Kind] = true
			ev.ID, ev.Repo, ev.Issue = fmt.Sprintf("e%d", i), p.brief.Repo, 142
			late := p.now
			if ev.Kind == EventTimer {
				late = late.Add(40 * 24 * time.Hour)
			}
			s, effects, err := Advance(p.s, ev, late)
			fmt.Fprintf(&b, "  %-28s %s\n", ev.Kind+EventKind(detail(ev)), outcomeLine(p.s, s, effects, err))
		}
	}
	for reason := range resumptions {
		if build["3 "+string(reason)] == nil {
			t.Errorf("the matrix has no session that waits for %s", reason)
		}
	}
	for kind := range table {
		if !seen[kind] {
			t.Errorf("the matrix has no event of kind %s", kind)
		}
	}
	const path = "testdata/matrix.txt"
	if *rewriteMatrix {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Fatalf("testdata/matrix.txt (refresh with -update-matrix):\n%s", diff)
	}
}

func detail(ev Event) string {
	switch {
	case ev.Command != nil:
		return " /" + strings.TrimSpace(ev.Command.Verb+" "+ev.Command.Text)
	case ev.Timer != "":
		return " " + ev.Timer
	case ev.Kind == EventStart:
		return " " + ev.Label
	}
	return ""
}

// outcomeLine is a decision in one line: the state after it and the effects by kind.
func outcomeLine(before, after Session, effects []Effect, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	if mustEqual(before, after) && len(effects) == 0 {
		return "–"
	}
	state := string(after.Status)
	if after.Wait != nil {
		state += "(" + string(after.Wait.Reason) + ")"
	}
	count := map[string]int{}
	for _, e := range effects {
		switch {
		case e.Job != nil:
			count["job:"+string(e.Job.Kind)+" "+string(e.Job.Task)]++
		case e.Cancel != "":
			count["cancel"]++
		case e.Timer != nil:
			count["timer"]++
		case e.Audit != nil:
			what, _, _ := strings.Cut(e.Audit.Outcome, ":")
			count["audit:"+what]++
		case e.Forget:
			count["forget"]++
		case e.Write != nil:
			text := string(e.Write.Kind)
			if c := e.Write.Check; c != nil {
				text += "=" + c.Status + c.Conclusion
			}
			count[text+e.Write.Content]++
		}
	}
	var parts []string
	for k, n := range count {
		k = strings.TrimSpace(k)
		if n > 1 {
			k += fmt.Sprintf("×%d", n)
		}
		parts = append(parts, k)
	}
	slices.Sort(parts)
	return orDash(state) + " | " + strings.Join(parts, ", ")
}

func mustEqual(a, b Session) bool { return cmp.Equal(a, b) }
