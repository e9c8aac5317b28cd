package roles

import (
	"fmt"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// fromEpics makes a task of each story, or of each epic where there would be
// more than a plan should have.
func (b planner) fromEpics(e spec.Epics) []PlanTask {
	stories := 0
	for _, ep := range e.Epics {
		stories += len(ep.Stories)
	}
	var out []PlanTask
	last := map[string]string{} // epic to its last task
	for _, ep := range inOrder(e) {
		groups := [][]spec.Story{}
		if stories > planMost || b.level == "Low" && stories > 1 {
			groups = append(groups, ep.Stories)
		} else {
			for _, s := range ep.Stories {
				groups = append(groups, []spec.Story{s})
			}
		}
		for _, g := range groups {
			t := b.task(fmt.Sprintf("TASK-%03d", len(out)+1), ep, g)
			if prev := last[ep.ID]; prev != "" {
				t.DependsOn = append(t.DependsOn, prev)
			}
			for _, d := range ep.Dependencies {
				if prev := last[d.Epic]; prev != "" && d.Kind == "blocking" {
					t.DependsOn = once(t.DependsOn, prev)
				}
			}
			out = append(out, t)
			last[ep.ID] = t.ID
		}
	}
	if b.level == "Low" {
		return b.fit(out)
	}
	return out // no more epics than a plan should have tasks
}

func inOrder(e spec.Epics) []spec.Epic {
	out := slices.Clone(e.Epics)
	slices.SortStableFunc(out, func(x, y spec.Epic) int {
		return place(e.Order, x.ID) - place(e.Order, y.ID)
	})
	return out
}

func place(order []string, id string) int {
	if i := slices.Index(order, id); i >= 0 {
		return i
	}
	return len(order)
}

// together folds all tasks into the one task of a plan of low complexity.
func together(tasks []PlanTask) PlanTask {
	t := tasks[0]
	if len(tasks) == 1 {
		return t
	}
	t.DependsOn = []string{}
	for _, o := range tasks[1:] {
		t.Title = clip(t.Title+"; "+o.Title, 100)
		t.Description += "\n" + o.Description
		t.Implementation = append(t.Implementation, o.Implementation...)
		t.Convergence.Criteria = append(t.Convergence.Criteria, o.Convergence.Criteria...)
		t.Reference = append(t.Reference, o.Reference...)
		t.Test.ManualChecks = append(t.Test.ManualChecks, o.Test.ManualChecks...)
		for _, f := range o.Files {
			if !slices.Contains(t.Files, f) {
				t.Files = append(t.Files, f)
			}
		}
		for _, p := range o.FocusPaths {
			t.FocusPaths = once(t.FocusPaths, p)
		}
	}
	t.Effort = "medium"
	return t
}

var (
	taskPriority = map[string]string{"Must": "high", "Should": "medium", "Could": "low"}
	taskEffort   = map[string]string{"S": "small", "M": "medium", "L": "large"}
)

// task is one piece of work: what the requirement demands, where in the code
// base, and the criteria by which it is done.
func (b planner) task(id string, ep spec.Epic, stories []spec.Story) PlanTask {
	t := PlanTask{ID: id, Title: stories[0].Title, Type: "feature", Priority: firstOf(taskPriority[ep.Priority], "medium"), Effort: firstOf(taskEffort[stories[0].Size], "medium"),
		DependsOn: []string{}, Scope: ep.ID + " " + ep.Title, FocusPaths: []string{}, Files: []TaskFile{}, Reference: []string{}, Status: "pending"}
	if len(stories) > 1 {
		t.Title, t.Effort = ep.Title, firstOf(taskEffort[ep.Size], "large")
	}
	var parts []string
	text := ep.Title
	for _, s := range stories {
		t.Reference = append(t.Reference, s.ID)
		for _, up := range s.TracesTo {
			t.Reference = once(t.Reference, up)
			it, ok := b.set.Item(up)
			if !ok {
				continue
			}
			parts = append(parts, up+": "+it.Statement)
			text += " " + it.Statement
			t.Implementation = append(t.Implementation, fmt.Sprintf("Implement %s: %s", up, it.Statement))
		}
		for _, c := range s.Criteria {
			t.Convergence.Criteria = append(t.Convergence.Criteria, c.Text)
		}
	}
	t.Description = strings.Join(parts, "\n")
	t.Action = actionOf(t.Title + " " + t.Description)
	for _, a := range ep.Architecture {
		if it, ok := b.set.Item(a); ok {
			t.Rationale = strings.TrimSpace(t.Rationale + " " + a + ": " + it.Title + ".")
			t.Reference = append(t.Reference, a)
		}
	}
	b.finish(&t, text)
	return t
}

// finish adds the files, the check steps and what medium and high plans carry.
func (b planner) finish(t *PlanTask, text string) {
	words := keywords(text)
	for _, f := range b.files {
		own := keywords(strings.NewReplacer("/", " ", "_", " ", "-", " ", ".", " ").Replace(f.Path) + " " + strings.Join(f.Symbols, " "))
		if overlap(own, words) >= 0.25 && len(t.Files) < 5 && f.Role != "test_target" {
			t.Files = append(t.Files, TaskFile{Path: f.Path, Action: "modify", Change: f.Rationale})
			t.FocusPaths = append(t.FocusPaths, f.Path)
		}
	}
	if len(t.Convergence.Criteria) == 0 {
		t.Convergence.Criteria = append(t.Convergence.Criteria, strings.Split(t.Description, "\n")[0])
	}
	for _, c := range t.Convergence.Criteria {
		t.Implementation = append(t.Implementation, "Cover by a test: "+c)
		t.Test.ManualChecks = append(t.Test.ManualChecks, c)
	}
	t.Convergence.Verification = spec.Count(len(t.Convergence.Criteria), "criterion") + ", each shown by a test or by hand"
	t.Convergence.Done = "every criterion holds and the repository's own checks pass"
	if b.level != "High" {
		return
	}
	for _, r := range b.arch.Risks {
		if overlap(keywords(r.Risk), words) >= 0.25 {
			t.Risks = append(t.Risks, TaskRisk{Description: r.Risk, Probability: r.Likelihood, Impact: r.Impact, Mitigation: r.Mitigation})
		}
	}
}

var actionVerbs = []struct{ action, verbs string }{
	{"Fix", "fix repair correct bug crash"}, {"Refactor", "refactor extract restructure separate unify split move"}, {"Delete", "remove delete drop"},
	{"Configure", "configure setting deploy"}, {"Test", "test"}, {"Update", "update change replace upgrade migrate extend"},
}

func actionOf(text string) string {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		for _, a := range actionVerbs {
			if slices.Contains(strings.Fields(a.verbs), strings.Trim(w, ".,:;")) {
				return a.action
			}
		}
	}
	return "Implement"
}

// single is a task of its own, without an epic around it.
func (b planner) single(number int, title, text, priority string) PlanTask {
	return PlanTask{ID: fmt.Sprintf("TASK-%03d", number), Title: title, Description: text, Type: "feature", Action: actionOf(text),
		Priority: firstOf(taskPriority[priority], "medium"), Effort: "medium", DependsOn: []string{}, FocusPaths: []string{}, Files: []TaskFile{}, Reference: []string{},
		Status: "pending", Implementation: []string{text}}
}

// fromRequirements plans a specification without epics: one task for each
// requirement, the first ones first.
func (b planner) fromRequirements() []PlanTask {
	var out []PlanTask
	for i, q := range b.reqs.Reqs {
		t := b.single(i+1, q.Title, q.ID+": "+q.Description, q.Priority)
		t.Scope, t.Reference, t.Implementation = q.ID, []string{q.ID}, []string{fmt.Sprintf("Implement %s: %s", q.ID, q.Description)}
		for _, c := range q.Criteria {
			t.Convergence.Criteria = append(t.Convergence.Criteria, c.Text)
		}
		b.finish(&t, q.Description)
		out = append(out, t)
	}
	return b.fit(out)
}

// fromText plans an issue that has no spec: one task for each of its asks.
func (b planner) fromText(r Reading) []PlanTask {
	var out []PlanTask
	for i, a := range r.Asks() {
		text := statement(a, r.Language)
		t := b.single(i+1, titleOf(a, r.Language), text, a.Priority)
		t.Scope, t.Reference = firstOf(a.Subject, r.Title), []string{where(a.Line, "en")}
		if b.from != "spec" {
			t.Reference = []string{fmt.Sprintf("%s, line %d", b.from, a.Line)}
		}
		for _, d := range a.Details {
			t.Convergence.Criteria = append(t.Convergence.Criteria, d.Quote)
		}
		b.finish(&t, text)
		out = append(out, t)
	}
	return b.fit(out)
}

// fit folds the tasks of a plan of low complexity into one, and as many of a
// larger one as leave no more than a plan should have.
func (b planner) fit(tasks []PlanTask) []PlanTask {
	per := (len(tasks) + planMost - 1) / planMost
	if b.level == "Low" {
		per = len(tasks)
	}
	if per < 2 {
		return tasks
	}
	var out []PlanTask
	for group := range slices.Chunk(tasks, per) {
		t := together(group)
		t.ID = fmt.Sprintf("TASK-%03d", len(out)+1)
		out = append(out, t)
	}
	return out
}

// checkPlan holds a plan against its rules: ids, links, criteria, steps.
func checkPlan(tasks []PlanTask) []string {
	var out []string
	known := map[string]bool{}
	for i, t := range tasks {
		if t.ID != fmt.Sprintf("TASK-%03d", i+1) {
			out = append(out, t.ID+" is out of sequence")
		}
		for _, d := range t.DependsOn {
			if !known[d] {
				out = append(out, t.ID+" depends on "+d+", which does not come before it")
			}
		}
		known[t.ID] = true
		if len(t.Convergence.Criteria) == 0 {
			out = append(out, t.ID+" has no criterion")
		}
		if len(t.Implementation) < 2 {
			out = append(out, t.ID+" has fewer than two steps")
		}
		for _, c := range t.Convergence.Criteria {
			if isVague(c) {
				out = append(out, t.ID+" has a vague criterion: "+clip(c, 60))
			}
		}
	}
	return out
}
