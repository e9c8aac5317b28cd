package pipeline

import "testing"

// I23: the deliveries came in the wrong order, or GitHub's API is behind them.
// What it shows at the second look counts.
func TestI23StartThatWasTakenBack(t *testing.T) {
	gone := func(b *Briefing) { b.Body.Labels = []string{"bug"} }
	closed := func(b *Briefing) { b.Closed = true }
	here := func(b *Briefing) { b.Body.Labels, b.Closed = []string{"bug", "Lifecycle"}, false }
	for _, test := range []struct {
		name        string
		first, then func(*Briefing)
		status      SessionStatus
		looks       int
	}{
		{"the label stands", here, here, SessionActive, 1},
		{"the label is shown late", gone, here, SessionActive, 2},
		{"the label was taken off", gone, gone, "", 2},
		{"the issue was closed", closed, closed, "", 2},
		{"the issue was closed and opened", closed, here, SessionActive, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			test.first(&p.brief)
			p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "w"}, Permission: PermWrite})
			looks := 0
			for p.s.ID == "" && len(p.jobs) > 0 {
				looks++
				p.step()
				test.then(&p.brief)
				if at, ok := p.timers["prepare"]; ok && len(p.jobs) == 0 {
					delete(p.timers, "prepare")
					p.now = at
					p.do(Event{Kind: EventTimer, Timer: "prepare"})
				}
			}
			if p.s.Status != test.status || looks != test.looks {
				t.Errorf("%q after %d looks, want %q after %d", p.s.Status, looks, test.status, test.looks)
			}
			if test.status == "" && (len(p.said()) > 0 || len(p.timers) > 0) {
				t.Errorf("said %q, waits for %v, want silence", p.said(), p.timers)
			}
		})
	}
	t.Run("a command needs no label", func(t *testing.T) {
		p := newPlay(t)
		gone(&p.brief)
		p.do(Event{Kind: EventStart, Actor: Actor{Login: "w"}, Permission: PermWrite,
			Command: &Command{Verb: "start", Subject: "IC_0", Carrier: OnIssue}})
		p.step()
		if p.s.ID == "" {
			t.Error("not started")
		}
	})
}
