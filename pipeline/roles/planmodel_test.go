package roles

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"parley/pipeline"
)

func TestPlanByModel(t *testing.T) {
	f, _ := finished(t, well)
	tests := []struct {
		name    string
		answer  func(p []plannedBy) string
		byModel bool
		warning string
	}{
		{"good", func(p []plannedBy) string { return "Here it is:\n" + string(toJSON(p)) }, true, ""},
		{"broken", func([]plannedBy) string { return "[{" }, false, "plan by rules"},
		{"half", func(p []plannedBy) string { return string(toJSON(p[:1])) }, false, "plan by rules"},
		{"a circle", func(p []plannedBy) string {
			p[0].DependsOn = []string{p[len(p)-1].ID}
			return string(toJSON(p))
		}, false, "plan by rules"},
		{"one step", func(p []plannedBy) string {
			p[0].Implementation = []string{"Do it."}
			return string(toJSON(p))
		}, false, "plan by rules"},
		{"an invented number", func(p []plannedBy) string {
			p[0].Description = "Retry after 77 seconds."
			return string(toJSON(p))
		}, false, "plan by rules"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &script{answer: func(p pipeline.Prompt, _ int) string {
				var drafted []plannedBy
				for _, s := range p.Sources {
					if strings.HasPrefix(s.Name, "draft by rules") {
						if err := json.Unmarshal([]byte(s.Text), &drafted); err != nil {
							t.Fatal(err)
						}
					}
				}
				for i := range drafted {
					drafted[i].Implementation = []string{"Read the code that is there.", "Change it, the test first."}
				}
				return test.answer(drafted)
			}}
			d, err := New(Config{Model: m}).Work(context.Background(), pipeline.Assignment{Session: pipeline.Session{ID: "TLS-sample-1-2026-11-21"}, Task: pipeline.Task{ID: "PLAN-001"},
				Issue: sample(t, well), Folder: maps.Clone(f), Now: when})
			if err != nil {
				t.Fatal(err)
			}
			if warnings := strings.Join(d.Warnings, "\n"); !strings.Contains(warnings, test.warning) || test.byModel && warnings != "" {
				t.Errorf("warnings %q", warnings)
			}
			var task PlanTask
			if err := json.Unmarshal(d.Text["plan/.task/TASK-001.json"], &task); err != nil {
				t.Fatal(err)
			}
			if took := task.Implementation[0] == "Read the code that is there."; took != test.byModel || d.ByModel != test.byModel {
				t.Errorf("by model: %v, steps %q", d.ByModel, task.Implementation)
			}
			if len(task.Convergence.Criteria) == 0 || !strings.Contains(string(d.Text["plan/plan.json"]), `"schema_version": "2.0"`) {
				t.Error("the plan lost its criteria or its schema")
			}
		})
	}
}
