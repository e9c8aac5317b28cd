package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestInterleavingsAgree: wherever a session stands, two events that have
// nothing to do with each other lead to the same state in either order.
func TestInterleavingsAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := newPlay(t)
		p.t = &failer{TB: t, r: r}
		p.brief.Settings.Implementation = true
		p.work = func(task Task) Outcome {
			o := reached(task)
			if task.ID == "DRAFT-001" || task.ID == "DRAFT-002" {
				f := finds("F-0"+string(task.ID[8]), FindingOpen)
				o.Verdict.Findings = []Finding{f}
			}
			return o
		}
		p.begin("lifecycle:" + string(rapid.SampledFrom(Modes).Draw(r, "mode")))
		for range rapid.IntRange(0, 10).Draw(r, "steps") {
			if p.s.Status == SessionPaused {
				p.say("/resume")
			}
			p.step()
			if rapid.Bool().Draw(r, "deliver") {
				p.deliver()
			}
		}
		events := independent(p)
		a := rapid.IntRange(0, len(events)-1).Draw(r, "a")
		b := rapid.IntRange(0, len(events)-1).Draw(r, "b")
		if a == b {
			return
		}
		one, other := after(r, p, events[a], events[b]), after(r, p, events[b], events[a])
		if one != other {
			r.Fatalf("%s and %s: the order matters:\n%s\n%s", events[a].ID, events[b].ID, one, other)
		}
	})
}

// independent are events that may all be on their way at once: the results of
// what runs, the receipts of what was sent, and what people do beside it.
func independent(p *play) []Event {
	actor := Actor{ID: 2, Login: "octocat"}
	events := []Event{
		{Kind: EventRenamed, Moved: &Moved{Repo: Repo{Owner: "new", Name: "home"}}},
		{Kind: EventCommand, Actor: actor, Permission: PermWrite, Command: &Command{Verb: "status", Subject: "IC_1", Carrier: OnPull, At: p.now}},
		{Kind: EventCommand, Actor: Actor{Login: "stranger"}, Permission: PermRead, Command: &Command{Verb: "cancel", Subject: "IC_2", Carrier: OnPull, At: p.now}},
	}
	for _, j := range p.jobs {
		if j.Kind == JobTask {
			o := p.work(*p.s.task(j.Task))
			events = append(events, Event{Kind: EventDone, Job: j.ID, Outcome: &o})
		}
	}
	if len(p.writes) > 0 {
		r := p.receipts()
		events = append(events, Event{Kind: EventDelivered, Receipts: &r})
	}
	for _, f := range p.s.Findings {
		events = append(events, Event{Kind: EventCommand, Actor: actor, Permission: PermWrite, Command: &Command{
			Verb: "accept", Args: []string{f.ID, "fine"}, Text: f.ID + " fine", Subject: "IC_" + f.ID, Carrier: OnPull, At: p.now}})
	}
	for i := range events {
		ev := &events[i]
		ev.ID, ev.Repo, ev.Issue = fmt.Sprintf("%s-%d", ev.Kind, i), p.brief.Repo, 142
		if ev.Command != nil {
			ev.Repo.Owner, ev.Repo.Name = "", "" // what GitHub sends is followed, in the order it comes
		}
	}
	return events
}

// after is what counts of the session when both events have happened.
func after(r *rapid.T, p *play, events ...Event) string {
	s := p.s
	for _, ev := range events {
		var err error
		if s, _, err = Advance(s, ev, p.now); err != nil {
			r.Fatalf("%s: %v", ev.ID, err)
		}
	}
	var b strings.Builder
	for _, task := range s.Tasks {
		fmt.Fprintln(&b, task.ID, task.Status, task.BlockedBy, task.AgentID, task.RetryCount, task.Verdict, task.Notes)
	}
	accepted := make([]string, 0, len(s.Accepted))
	for _, a := range s.Accepted {
		accepted = append(accepted, a.Finding+" "+a.Who)
	}
	slices.Sort(accepted)
	fmt.Fprintln(&b, s.Status, s.Beats, s.TasksCompleted, s.Repo.Owner, s.PR, s.Manifest.Files, s.Findings, accepted, s.Gate != nil, s.Messages)
	if s.Wait != nil {
		fmt.Fprintln(&b, s.Wait.Reason, s.Wait.Task)
	}
	return b.String()
}
