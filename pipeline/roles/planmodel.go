package roles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/pipeline/spec"
)

// plannedBy is what a model may say about a task. Criteria, references and
// files stay the specification's and the exploration's.
type plannedBy struct {
	ID             string   `json:"id"`
	Title          string   `json:"title"`
	Description    string   `json:"description"`
	Implementation []string `json:"implementation"`
	DependsOn      []string `json:"depends_on"`
	Rationale      string   `json:"rationale"`
}

// modelPlan lays a model's steps and order over the plan by rules, where the
// whole still holds against the same check.
func (j *job) modelPlan(ctx context.Context, tasks []PlanTask) ([]PlanTask, error) {
	if j.config.Model == nil {
		return tasks, nil
	}
	u := upstream{r: Read(j.issue(), j.Source)}
	if d, err := readDiscovery(j.Folder); err == nil {
		u = upstream{d: d, r: d.Reading()}
	}
	answer, ok, err := j.ask(ctx, question{slot: "planner", name: "plan", task: "Improve the plan.", rules: map[string][]byte{"plan/tasks.json": toJSON(tasks)}, check: func(text string) error {
		_, err := u.planned(text, tasks)
		return err
	}})
	if err != nil || !ok {
		return tasks, err
	}
	out, err := u.planned(answer, tasks)
	if err != nil {
		return tasks, fmt.Errorf("read the plan of a model: %w", err)
	}
	return out, nil
}

// planned reads an answer and names the first thing that is wrong with it.
func (u upstream) planned(answer string, tasks []PlanTask) ([]PlanTask, error) {
	from, to := strings.Index(answer, "["), strings.LastIndex(answer, "]")
	if from < 0 || to < from {
		return nil, errors.New("the answer holds no JSON array")
	}
	var said []plannedBy
	if err := json.Unmarshal([]byte(answer[from:to+1]), &said); err != nil {
		return nil, fmt.Errorf("the answer is no array of tasks: %w", err)
	}
	if len(said) != len(tasks) {
		return nil, fmt.Errorf("the plan has %d tasks, the draft by rules %d", len(said), len(tasks))
	}
	out := make([]PlanTask, len(tasks))
	for i, s := range said {
		t := tasks[i]
		if s.ID != t.ID {
			return nil, fmt.Errorf("task %d is %q, it must stay %s", i+1, s.ID, t.ID)
		}
		text := strings.Join(append([]string{s.Title, s.Description, s.Rationale}, s.Implementation...), " ")
		if n := u.invented(text); n != "" {
			return nil, fmt.Errorf("%s names the number %s, which stands in no source", s.ID, n)
		}
		t.Title, t.Description = firstOf(spec.Plain(s.Title), t.Title), firstOf(strings.TrimSpace(s.Description), t.Description)
		t.Rationale = firstOf(strings.TrimSpace(s.Rationale), t.Rationale)
		t.Implementation = s.Implementation
		for _, d := range s.DependsOn {
			t.DependsOn = once(t.DependsOn, d) // what the specification orders stays ordered
		}
		out[i] = t
	}
	if faults := checkPlan(out); len(faults) > len(checkPlan(tasks)) {
		return nil, errors.New(strings.Join(faults, "; "))
	}
	return out, nil
}
