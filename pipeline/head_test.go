package pipeline

import (
	"strings"
	"testing"
	"time"
)

// G19: a group is green only where our check is green on the pull request's
// head and that head is in the group, whatever the session last said of itself.
func TestG19MergeGroup(t *testing.T) {
	tests := []struct {
		name         string
		gate         GateResult
		green, holds bool
		want         string
	}{
		{"green and inside", GatePass, true, true, "success"},
		{"built without the judged head", GatePass, true, false, "action_required"},
		{"green in the session, not on the head", GatePass, false, true, "action_required"},
		{"review", GateReview, false, true, "action_required"},
		{"fail", GateFail, false, true, "failure"},
		{"fail and outside", GateFail, false, false, "action_required"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := finished(t, test.gate, 66)
			p.writes, p.jobs = nil, nil
			p.do(Event{Kind: EventMergeGroup, Head: "grouphead", PR: 143})
			if len(p.writes) != 0 || len(p.jobs) != 1 || p.jobs[0].Kind != JobHead || p.jobs[0].Ask == nil || p.jobs[0].Ask.Folder != p.s.Folder() {
				t.Fatalf("writes %v, jobs %+v", p.writes, p.jobs)
			}
			facts := HeadFacts{HeadAsk: *p.jobs[0].Ask, Ours: true, Green: test.green, Holds: test.holds}
			p.jobs = nil
			p.do(Event{Kind: EventHeadRead, Head: "grouphead", Facts: &facts})
			if len(p.writes) != 1 {
				t.Fatalf("writes %+v", p.writes)
			}
			c := p.writes[0].Check
			if c.Conclusion != test.want || c.Head != "grouphead" || c.Name != gateName || c.Status != "completed" || len(c.Actions) > 0 {
				t.Fatalf("%+v", c)
			}
		})
	}
}

// headAnswer drives an event where there is no session through to its check.
func headAnswer(t *testing.T, ev Event, facts HeadFacts) []CheckWrite {
	t.Helper()
	p := newPlay(t)
	p.do(ev)
	if len(p.jobs) > 0 {
		facts.HeadAsk = *p.jobs[0].Ask
		p.jobs = nil
		p.do(Event{Kind: EventHeadRead, Head: ev.Head, Facts: &facts})
	}
	if p.s.Status != "" {
		t.Fatalf("an answer became a session: %+v", p.s)
	}
	var out []CheckWrite
	for _, w := range p.writes {
		out = append(out, *w.Check)
	}
	return out
}

// G19: groups of pull requests that are not ours, where the check is required.
func TestG19GroupsThatAreNotOurs(t *testing.T) {
	ev := Event{Kind: EventMergeGroup, Head: "grouphead", PR: 9, Others: true}
	for _, test := range []struct {
		name  string
		facts HeadFacts
		want  string
	}{
		{"somebody else's", HeadFacts{}, "success"},
		{"ours, without state, green", HeadFacts{Ours: true, Green: true, Holds: true}, "success"},
		{"ours, without state, not green", HeadFacts{Ours: true, Holds: true}, "action_required"},
		{"ours, without state, not inside", HeadFacts{Ours: true, Green: true}, "action_required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := headAnswer(t, ev, test.facts)
			if len(got) != 1 || got[0].Conclusion != test.want || got[0].Name != gateName || got[0].Head != "grouphead" {
				t.Fatalf("%+v", got)
			}
		})
	}
	ev.Delivery, ev.Others = "d", false
	if !NeedsSession(ev) {
		t.Error("a group that nobody asked about leaves a trace")
	}
}

// S13: an edited configuration gets a check that shows each mistake at its line.
func TestEditedConfiguration(t *testing.T) {
	mistakes := []Annotation{{Path: ".github/parley.yml", Line: 3, Level: "failure", Message: "keep: \"al\" is none of all, documents"}}
	pushed := Event{Kind: EventConfigPushed, Head: "confhead", Issue: RepoDesk, Repo: Repo{ID: 7, Owner: "octo", Name: "hooks"}}
	for _, test := range []struct {
		name  string
		ev    Event
		facts HeadFacts
		want  string
	}{
		{"mistakes", pushed, HeadFacts{Edited: []string{".github/parley.yml"}, Mistakes: mistakes}, "parley/config failure 1 mistake in the configuration"},
		{"none", pushed, HeadFacts{Edited: []string{".github/parley.yml"}}, "parley/config success The configuration reads well"},
		{"dry run", pushed, HeadFacts{Edited: []string{".github/parley.yml"}, Mistakes: mistakes, Quiet: true}, ""},
		{"of a fork", Event{Kind: EventOtherPull, Head: "confhead", PR: 9, Fork: true}, HeadFacts{Edited: []string{".github/parley.yml"}, Mistakes: mistakes},
			"parley/gate success Not a session; parley/config failure 1 mistake in the configuration"},
		{"of a fork that says so", Event{Kind: EventConfigPushed, Head: "confhead", PR: 9, Fork: true}, HeadFacts{Edited: []string{".github/parley.yml"}, Mistakes: mistakes},
			"parley/config failure 1 mistake in the configuration"},
		{"elsewhere", Event{Kind: EventOtherPull, Head: "confhead", PR: 9}, HeadFacts{}, "parley/gate success Not a session"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var told []string
			for _, c := range headAnswer(t, test.ev, test.facts) {
				told = append(told, c.Name+" "+c.Conclusion+" "+c.Title)
				if c.Name == ConfigCheck && len(c.Annotations) != len(test.facts.Mistakes) {
					t.Errorf("%d annotations", len(c.Annotations))
				}
			}
			if got := strings.Join(told, "; "); got != test.want {
				t.Fatalf("got %q, want %q", got, test.want)
			}
		})
	}
}

// C14: a command whose comment was deleted before it ran is none, and noted.
func TestC14RetractedCommand(t *testing.T) {
	p := finished(t, GateReview, 72)
	p.writes, p.audits = nil, nil
	before := p.statuses()
	p.do(Event{Kind: EventCommand, Retracted: true, Actor: Actor{Login: "w"}, Command: &Command{Verb: "resume", Subject: "IC_1", Carrier: OnPull, At: p.now}})
	if p.statuses() != before || len(p.writes) != 0 || len(p.jobs) != 0 {
		t.Fatalf("it ran: %s, %v", p.statuses(), p.writes)
	}
	if len(p.audits) != 1 || !strings.HasPrefix(p.audits[0].Outcome, "none") || p.audits[0].Command != "resume" {
		t.Fatalf("audit %+v", p.audits)
	}
	q := newPlay(t)
	q.do(Event{Kind: EventStart, Retracted: true, Actor: Actor{Login: "w"}, Permission: PermWrite, Command: &Command{Verb: "start", Subject: "IC_1", Carrier: OnIssue}})
	if q.s.Status != "" || len(q.jobs) != 0 {
		t.Fatalf("it started: %+v", q.s)
	}
}

// notify: who is named when a person is waited for.
func TestNotify(t *testing.T) {
	for _, test := range []struct {
		notify    string
		assignees []string
		want      string
	}{
		{"starter", []string{"ann"}, "@mona,"}, {"assignees", []string{"ann", "ben", "cy", "di"}, "@ann, @ben, @cy, this"},
		{"assignees", nil, "@mona,"}, {"assignees", []string{"not a login"}, "This session waits."}, {"none", []string{"ann"}, ""},
	} {
		s := Session{Starter: "mona", Issue: Issue{Assignees: test.assignees}, Settings: Settings{Notify: test.notify}, Wait: &Wait{Reason: WaitCheckpoint}}
		got := WaitNotice(s)
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s %v: %q", test.notify, test.assignees, got)
		}
	}
}

// G17: a pull request whose base changed is asked about again; its old green
// is not reused, and reopening one that was closed keeps what was judged.
func TestG17RetargetedAndReopened(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.do(Event{Kind: EventRetargeted, PR: 143, Moved: &Moved{Base: "release"}})
	if _, conclusion := Conclude(p.s); conclusion != "action_required" {
		t.Fatalf("the old green was reused: %s", conclusion)
	}
	p.do(Event{Kind: EventPullClosed, PR: 143})
	p.do(Event{Kind: EventPullReopened, PR: 143})
	if _, conclusion := Conclude(p.s); conclusion == "success" {
		t.Fatal("reopening brought the old green back")
	}
}

// C16: what decides about a text is bound to the head it was written against;
// both heads are named. An old head's button is such a command.
func TestC16OldHead(t *testing.T) {
	for _, carrier := range []Carrier{OnPull, OnCheck} {
		p := finished(t, GateReview, 72)
		p.s.PR.Head = "2222222222"
		p.now = p.now.Add(time.Minute)
		p.do(Event{Kind: EventCommand, Actor: Actor{Login: "w"}, Permission: PermMaintain, Head: "1111111111", PR: 143,
			Command: &Command{Verb: "resume", Carrier: carrier, At: p.now}})
		said := p.lastSaid()
		if !strings.Contains(said, "1111111") || !strings.Contains(said, "2222222") || p.s.AcceptedBy() != nil {
			t.Fatalf("%s: %q", carrier, said)
		}
	}
}

// G22: a session follows the number of its repository, whatever its name.
func TestG22RenamedRepository(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	p.step()
	repo := p.brief.Repo
	repo.Owner, repo.Name = "acme", "webhooks"
	p.do(Event{Kind: EventRenamed, Repo: repo, Issue: 142, Moved: &Moved{Repo: repo}})
	if p.s.Repo.Owner != "acme" || p.s.Repo.Name != "webhooks" || p.s.Repo.ID != repo.ID {
		t.Fatalf("%+v", p.s.Repo)
	}
	p.brief.Repo = repo
	p.run()
	if p.s.Status != SessionCompleted {
		t.Fatalf("%s after the rename", p.s.Status)
	}
}
