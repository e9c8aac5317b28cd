package pipeline

import "testing"

// TestHeldTaskOutlivesItsWait: a sign-off that was blocked keeps its task open.
// An edit by hand or a hold from outside puts another wait in its place, and
// the decision must still complete the task.
func TestHeldTaskOutlivesItsWait(t *testing.T) {
	meanwhile := map[string]func(*play){
		"nothing":   func(*play) {},
		"an edit":   func(p *play) { p.edit("foreign", "spec/epics/EPIC-001-x.md") },
		"two edits": func(p *play) { p.edit("foreign", "spec/product-brief.md"); p.edit("other", "spec/product-brief.md") },
		"a hold":    func(p *play) { p.do(Event{Kind: EventIssueClosed}) },
	}
	for name, happens := range meanwhile {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.work = func(task Task) Outcome {
				if task.ID == "QUALITY-001" {
					return blocked(task, High, false)
				}
				return reached(task)
			}
			p.begin("lifecycle")
			p.run()
			happens(p)
			p.say("/finish")
			if q := p.s.task("QUALITY-001"); p.s.Status != SessionCompleted || q.Status != TaskCompleted {
				t.Errorf("%s with %s", p.s.Status, p.statuses())
			}
			if a := p.s.AcceptedBy(); a == nil || a.Who != "octocat" {
				t.Errorf("nobody signed off: %+v", p.s.Accepted)
			}
		})
	}
}
