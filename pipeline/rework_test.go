package pipeline

import (
	"strings"
	"testing"
	"time"
)

func TestOneRecheckAtATime(t *testing.T) {
	for _, say := range []string{"/recheck", "/improve depth"} {
		p := finished(t, GateReview, 70)
		p.say(say)
		p.say("/recheck")
		p.refusedWith("does just that and is not done yet")
		p.say("/improve")
		p.refusedWith("does just that and is not done yet")
		p.run()
		p.want(SessionCompleted, "", "action_required")
	}
}

// C18: one command twenty times in a minute runs once, and is answered once.
func TestC18SameCommandManyTimes(t *testing.T) {
	p := finished(t, GateReview, 70)
	said := len(p.said())
	for range 20 {
		p.now = p.now.Add(time.Second - time.Minute) // say takes a minute
		p.say("/recheck")
	}
	if got := p.said()[said:]; len(got) != 1 {
		t.Errorf("%d answers: %q", len(got), got)
	}
	p.run()
	p.want(SessionCompleted, "", "action_required")
	rechecks := 0
	for _, task := range p.s.Tasks {
		if strings.HasPrefix(string(task.ID), "QUALITY-001-R") || strings.HasPrefix(string(task.ID), "RECHECK") {
			rechecks++
		}
	}
	if rechecks != 1 {
		t.Errorf("%d rechecks: %s", rechecks, p.statuses())
	}
}

func TestImproveTakesTheWeakestAndJudgesAgain(t *testing.T) {
	p := finished(t, GateReview, 72)
	p.say("/improve")
	p.run()
	if task := p.s.task("IMPROVE-coverage-001"); task == nil || task.Owner != Writer || task.Status != TaskCompleted {
		t.Fatalf("no improvement of the lowest dimension: %s", p.statuses())
	}
	if p.s.task("QUALITY-001-R1") == nil {
		t.Fatalf("not judged again: %s", p.statuses())
	}
	p.say("/improve depth")
	p.run()
	p.say("/improve depth")
	p.run()
	if p.s.task("IMPROVE-depth-002") == nil || p.s.task("QUALITY-001-R3") == nil {
		t.Fatalf("a second improvement is not a duplicate: %s", p.statuses())
	}
	if p.s.Beats != 6+6 {
		t.Fatalf("%d beats", p.s.Beats)
	}
}

func TestFeedbackIsRouted(t *testing.T) {
	tests := []struct{ text, first string }{
		{"the market is wrong", "DRAFT-001-R1"}, {"a feature is missing", "DRAFT-002-R1"},
		{"another tech stack", "DRAFT-003-R1"}, {"reorder the sprint", "DRAFT-004-R1"},
		{"hm", "DRAFT-004-R1"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			p := finished(t, GatePass, 90)
			p.say("/feedback " + test.text)
			if p.s.ActiveWorkers[0].TaskID != TaskID(test.first) {
				t.Fatalf("started %s", p.s.ActiveWorkers[0].TaskID)
			}
			p.run()
			p.want(SessionCompleted, "", "success")
		})
	}
	t.Run("while the documents are written it goes to the next one", func(t *testing.T) {
		p := newPlay(t)
		p.begin("lifecycle")
		p.say("/feedback mind the architecture")
		if notes := p.s.task("DRAFT-003").Notes; len(notes) != 1 || !strings.Contains(notes[0], "mind the architecture") {
			t.Fatalf("notes %v", notes)
		}
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("while it is implemented it is only logged", func(t *testing.T) {
		p := newPlay(t)
		p.brief.Settings.Implementation = true
		p.begin("lifecycle:impl-only")
		p.step()
		p.say("/feedback the architecture is wrong")
		if len(p.s.Tasks) != 4 || !strings.Contains(strings.Join(p.s.WisdomEntries, "\n"), "the architecture is wrong") {
			t.Fatalf("%s %v", p.statuses(), p.s.WisdomEntries)
		}
	})
}
