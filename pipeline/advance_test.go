package pipeline

import (
	"testing"
)

func TestModesRunWhole(t *testing.T) {
	tests := []struct {
		mode         Mode
		tasks, beats int
		pauses       int
	}{
		{SpecOnly, 6, 6, 0}, {ImplOnly, 4, 3, 0}, {FEOnly, 3, 3, 0},
		{Fullstack, 6, 4, 0}, {FullLifecycle, 10, 9, 1}, {FullLifecycleFE, 12, 10, 1},
	}
	for _, test := range tests {
		t.Run(string(test.mode), func(t *testing.T) {
			p := newPlay(t)
			p.brief.Settings.Implementation = true
			p.begin("lifecycle:" + string(test.mode))
			p.run()
			for range test.pauses {
				if p.s.Status != SessionPaused || p.s.Wait.Reason != WaitCheckpoint {
					t.Fatalf("no checkpoint: %s %+v", p.s.Status, p.s.Wait)
				}
				p.say("/resume")
				p.run()
			}
			if p.s.Status != SessionCompleted || p.check() != "success" {
				t.Fatalf("ended %s, check %s: %s", p.s.Status, p.check(), p.statuses())
			}
			if len(p.s.Tasks) != test.tasks || p.s.TasksCompleted != test.tasks || p.s.Beats != test.beats {
				t.Fatalf("%d tasks, %d completed, %d beats; want %d and %d", len(p.s.Tasks), p.s.TasksCompleted, p.s.Beats, test.tasks, test.beats)
			}
			if Beats(test.mode) != test.beats {
				t.Fatalf("Beats says %d", Beats(test.mode))
			}
			if len(p.s.Pending) != 0 || len(p.s.Manifest.Waiting) != 0 {
				t.Fatalf("left over: %v %v", p.s.Pending, p.s.Manifest.Waiting)
			}
		})
	}
}
