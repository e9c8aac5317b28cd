package pipeline

import (
	"slices"
	"strings"
	"testing"
)

func (p *play) edit(head string, paths ...string) {
	p.t.Helper()
	p.do(Event{Kind: EventPushed, Head: head})
	p.jobs = slices.DeleteFunc(p.jobs, func(j JobSpec) bool { return j.Kind == JobEdited })
	e := &Edited{Head: head, Tree: "tree-" + head, By: "mona", Paths: paths, Files: map[string]string{}, Outside: 2}
	for _, path := range paths {
		e.Files[path] = "by-hand"
	}
	p.do(Event{Kind: EventEdited, Head: head, Edited: e})
}

func TestEditAfterTheGateAsksForARecheck(t *testing.T) {
	p := finished(t, GatePass, 90)
	n := len(p.said())
	p.edit("h1", "spec/requirements/REQ-003-retry.md")
	p.want(SessionPaused, WaitEdited, "action_required")
	if !slices.Contains(p.s.Suspects, "DRAFT-003") || p.s.Manifest.Files["spec/requirements/REQ-003-retry.md"] != "by-hand" || p.s.PR.Outside != 2 {
		t.Fatalf("suspects %v, manifest %v", p.s.Suspects, p.s.Manifest.Files)
	}
	if got := len(p.said()) - n; got != 1 {
		t.Fatalf("told %d times", got)
	}
	p.say("/recheck")
	p.run()
	p.want(SessionCompleted, "", "success")
	if len(p.s.Suspects) != 0 {
		t.Fatalf("still suspect: %v", p.s.Suspects)
	}
}

// What a person edits himself was read again, whatever it descends from.
func TestAnEditedItemIsNoLongerSuspect(t *testing.T) {
	p := finished(t, GatePass, 90)
	for _, e := range []Edited{
		{Head: "h1", Items: []string{"REQ-003"}, Suspect: []string{"STORY-001-001", "STORY-002-001"}},
		{Head: "h2", Items: []string{"STORY-001-001"}},
	} {
		e.Tree, e.Paths = "tree-"+e.Head, []string{"spec/requirements/_index.md"}
		p.do(Event{Kind: EventEdited, Head: e.Head, Edited: &e})
	}
	if slices.Contains(p.s.Suspects, "STORY-001-001") || !slices.Contains(p.s.Suspects, "STORY-002-001") {
		t.Errorf("suspects %v", p.s.Suspects)
	}
}

func TestVerdictIsTakenOverWhereTheFolderIsTheJudgedOne(t *testing.T) {
	p := finished(t, GatePass, 90)
	tree := p.s.Gate.Tree
	p.writes = nil
	p.edit("h2") // code beside the specification
	p.want(SessionCompleted, "", "success")
	if tree == "" || p.s.Gate.Tree != tree || p.s.PR.Head != "h2" {
		t.Fatalf("tree %q then %q, head %s", tree, p.s.Gate.Tree, p.s.PR.Head)
	}
	if len(p.writes) != 1 || p.writes[0].Kind != WriteCheck || p.writes[0].Check.Conclusion != "success" {
		t.Fatalf("writes %+v", p.writes)
	}
}

func TestEditWhileItRuns(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	for p.s.task("DRAFT-003").Status != TaskInProgress {
		p.step()
	}
	p.deliver()
	p.edit("h3", "spec/product-brief.md")
	p.want(SessionActive, "", "in_progress")
	if len(p.s.Warnings) != 1 || !slices.Contains(p.s.Suspects, "DRAFT-002") {
		t.Fatalf("warnings %v, suspects %v", p.s.Warnings, p.s.Suspects)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestOurOwnUnsentFilesAreNoEdit(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	p.deliver()
	p.step() // discovery-context is in the outbox
	p.edit("h4", "spec/discovery-context.json")
	if len(p.s.Suspects) != 0 || p.s.Manifest.Files["spec/discovery-context.json"] == "by-hand" {
		t.Fatalf("a branch that lacks our newest file was taken for an edit: %v", p.s.Suspects)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestOurOwnHeadIsNoNews(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.do(Event{Kind: EventPushed, Head: p.s.PR.Head})
	if len(p.jobs) != 0 {
		t.Fatalf("jobs %v", p.jobs)
	}
}

func TestIssueAndPullEvents(t *testing.T) {
	running := func(t testing.TB) *play {
		p := newPlay(t)
		p.begin("lifecycle")
		p.step()
		p.deliver()
		return p
	}
	tests := []struct {
		name   string
		kind   EventKind
		status SessionStatus
		reason WaitReason
	}{
		{"unlabelled", EventUnlabelled, SessionPaused, WaitHeld},
		{"issue closed", EventIssueClosed, SessionPaused, WaitHeld},
		{"suspended", EventSuspended, SessionPaused, WaitHeld},
		{"issue edited", EventIssueEdited, SessionActive, ""},
		{"issue transferred", EventIssueMoved, SessionAborted, ""},
		{"pull request closed", EventPullClosed, SessionAborted, ""},
		{"pull request merged", EventPullMerged, SessionAborted, ""},
		{"retargeted", EventRetargeted, SessionActive, ""},
		{"panel lost", EventPanelLost, SessionActive, ""},
		{"app removed", EventRemoved, SessionAborted, ""},
		{"renamed", EventRenamed, SessionActive, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := running(t)
			ev := Event{Kind: test.kind}
			if test.kind == EventRetargeted {
				ev.Moved = &Moved{Base: "release"}
			}
			p.do(ev)
			reason := WaitReason("")
			if p.s.Wait != nil {
				reason = p.s.Wait.Reason
			}
			if p.s.Status != test.status || reason != test.reason {
				t.Fatalf("%s %q", p.s.Status, reason)
			}
		})
	}
	t.Run("held, it finishes what runs and starts nothing", func(t *testing.T) {
		p := running(t)
		p.do(Event{Kind: EventIssueClosed})
		p.run()
		p.want(SessionPaused, WaitHeld, "action_required")
		if p.s.task("DRAFT-001").Status != TaskCompleted || p.s.task("DRAFT-002").Status != TaskPending {
			t.Fatal(p.statuses())
		}
		p.do(Event{Kind: EventIssueReopened})
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("the label set again goes on", func(t *testing.T) {
		p := running(t)
		p.do(Event{Kind: EventUnlabelled})
		p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "w"}, Permission: PermWrite})
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("a label is not how one takes a risk", func(t *testing.T) {
		p := newPlay(t)
		p.begin("lifecycle:full-lifecycle")
		p.run()
		p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "w"}, Permission: PermWrite})
		p.want(SessionPaused, WaitCheckpoint, "action_required")
	})
	t.Run("green is not green for another base", func(t *testing.T) {
		p := finished(t, GatePass, 90)
		p.do(Event{Kind: EventRetargeted, Moved: &Moved{Base: "release"}})
		p.want(SessionPaused, WaitEdited, "action_required")
	})
	t.Run("merged when finished keeps its verdict", func(t *testing.T) {
		p := finished(t, GatePass, 90)
		p.brief.Settings.DeleteBranch = true
		p.s.Settings.DeleteBranch = true
		p.do(Event{Kind: EventPullMerged})
		p.want(SessionCompleted, "", "success")
		if !slices.ContainsFunc(p.writes, func(w Write) bool { return w.Kind == WriteDelete }) {
			t.Fatal("the branch stays although it is to go")
		}
	})
	t.Run("reopened it can go on", func(t *testing.T) {
		p := running(t)
		p.do(Event{Kind: EventPullClosed})
		p.do(Event{Kind: EventPullReopened})
		p.want(SessionPaused, WaitHeld, "action_required")
		p.say("/resume")
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("unwanted before it began", func(t *testing.T) {
		p := newPlay(t)
		p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "w"}, Permission: PermWrite})
		p.do(Event{Kind: EventUnlabelled})
		if p.s.Status != "" || len(p.jobs) != 0 {
			t.Fatalf("%s %v", p.s.Status, p.jobs)
		}
		p.begin("lifecycle")
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("names follow", func(t *testing.T) {
		p := running(t)
		p.do(Event{Kind: EventRenamed, Moved: &Moved{Repo: Repo{Owner: "new", Name: "home"}}})
		if p.s.Repo.Owner != "new" || p.s.Repo.Name != "home" {
			t.Fatalf("%+v", p.s.Repo)
		}
	})
}

func TestTwoSessionsOnOneIssue(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	p.step()
	p.deliver()
	first := p.snapshot()
	old, err := Rebuild(first)
	if err != nil {
		t.Fatal(err)
	}
	old.PR.Number = 143
	p.do(Event{Kind: EventPullClosed})
	p.begin("lifecycle")
	p.deliver()
	p.s.PR.Number = 145
	p.do(Event{Kind: EventUnlabelled})
	p.do(Event{Kind: EventPullReopened, PR: 143})
	p.say("/resume")
	p.refusedWith("more than one open session")
	for _, id := range []string{p.s.ID, old.ID} {
		if !strings.Contains(p.lastSaid(), id) {
			t.Fatalf("%s is not listed: %s", id, p.lastSaid())
		}
	}
	second := p.s.ID
	p.say("/resume " + old.ID)
	at := slices.IndexFunc(p.jobs, func(j JobSpec) bool { return j.Kind == JobRebuild })
	if at < 0 || p.jobs[at].Branch != "lifecycle/"+old.ID {
		t.Fatalf("jobs %+v", p.jobs)
	}
	p.jobs = slices.DeleteFunc(p.jobs, func(j JobSpec) bool { return j.Kind == JobRebuild })
	p.do(Event{Kind: EventRebuilt, Rebuilt: &old})
	if p.s.ID != old.ID || len(p.s.Earlier) != 1 || p.s.Earlier[0].ID != second {
		t.Fatalf("session %s after %+v", p.s.ID, p.s.Earlier)
	}
	p.say("/resume " + old.ID)
	p.jobs = slices.DeleteFunc(p.jobs, func(j JobSpec) bool { return !strings.HasPrefix(j.ID, old.ID+"/") })
	p.run()
	p.want(SessionCompleted, "", "success")
}

func TestFindingsAreAccepted(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-002", Medium, true, false)
	p.begin("lifecycle")
	p.run()
	if len(p.s.Findings) != 2 {
		t.Fatalf("findings %v", p.s.Findings)
	}
	p.say("/accept F-01")
	p.refusedWith("takes a reason")
	p.say("/accept f-01 out of scope this year")
	if f := p.s.Findings[0]; f.State != FindingAccepted || p.s.Accepted[0].Reason != "out of scope this year" || p.s.Accepted[0].Who != "octocat" {
		t.Fatalf("%+v %+v", f, p.s.Accepted)
	}
	p.s.Posted.Threads = map[string]string{"F-02": "T_2"}
	p.do(Event{Kind: EventThread, Actor: Actor{Login: "reader"}, Permission: PermRead, Thread: &Thread{ID: "T_2", Resolved: true}})
	if p.s.Findings[1].State != FindingOpen {
		t.Fatal("a reader accepted a finding")
	}
	p.do(Event{Kind: EventThread, Actor: Actor{Login: "w"}, Permission: PermWrite, Thread: &Thread{ID: "T_2", Resolved: true}})
	if p.s.Findings[1].State != FindingAccepted {
		t.Fatal("a writer's resolving accepts a major")
	}
	p.do(Event{Kind: EventThread, Actor: Actor{Login: "w"}, Permission: PermWrite, Thread: &Thread{ID: "T_2"}})
	if p.s.Findings[1].State != FindingReopened || len(p.s.Accepted) != 1 {
		t.Fatal("reopening takes it back")
	}
}

func TestABlockersThreadOpensAgain(t *testing.T) {
	p := newPlay(t)
	p.work = blockAt("DRAFT-002", Medium, true, false)
	p.begin("lifecycle")
	p.run()
	p.do(Event{Kind: EventThread, Actor: Actor{Login: "w"}, Permission: PermWrite, Thread: &Thread{ID: "T_1", Finding: "F-01", Resolved: true}})
	if p.s.Findings[0].State != FindingOpen {
		t.Fatal("a blocker was accepted without a reason")
	}
	kinds := []WriteKind{}
	for _, w := range p.writes {
		kinds = append(kinds, w.Kind)
	}
	if !slices.Contains(kinds, WriteUnresolve) || !slices.Contains(kinds, WriteReply) {
		t.Fatalf("writes %v", kinds)
	}
}

func TestDiscussion(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.say("/discuss ask why so many retries?")
	p.run()
	p.want(SessionCompleted, "", "success")
	if p.lastSaid() != "discussed" || p.s.Manifest.Files["discussions/discussion-round-1.json"] != "d1" {
		t.Fatalf("said %q, files %v", p.lastSaid(), p.s.Manifest.Files)
	}
	for range maxDiscussions - 1 {
		p.say("/discuss deepen")
		p.jobs = nil
	}
	p.say("/discuss deepen")
	p.refusedWith("has had its 5 discussions")
}

func TestOutcomeIsEditedIntoTheSessionComment(t *testing.T) {
	p := finished(t, GatePass, 90)
	comments, edits := 0, 0
	for _, w := range p.sent {
		switch {
		case w.Kind == WriteComment && w.Number == 142:
			comments++
		case w.Kind == WriteEdit && w.Subject == p.s.Posted.Comment:
			edits++
		}
	}
	if comments != 1 || edits != 1 {
		t.Fatalf("%d comments on the issue, %d edits to the outcome", comments, edits)
	}
}
