package roles

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// Plan is plan/plan.json.
type Plan struct {
	Summary     string            `json:"summary"`
	Approach    string            `json:"approach"`
	TaskIDs     []string          `json:"task_ids"`
	TaskCount   int               `json:"task_count"`
	Complexity  string            `json:"complexity"`
	Execution   string            `json:"recommended_execution"`
	Backend     string            `json:"execution_backend"`
	CodeReview  string            `json:"code_review"`
	Decisions   []PlanDecision    `json:"design_decisions,omitempty"`
	Context     SharedContext     `json:"shared_context"`
	Metadata    PlanMetadata      `json:"_metadata"`
	Order       map[string]string `json:"epics,omitempty"` // task to epic
	OpenPoints  []string          `json:"open_points,omitempty"`
	DataFlow    *DataFlow         `json:"data_flow,omitempty"`
	RiskSummary []string          `json:"risks,omitempty"`
}

// PlanDecision repeats an ADR for whoever works from the plan alone.
type PlanDecision struct {
	Decision     string   `json:"decision"`
	Rationale    string   `json:"rationale"`
	Tradeoff     string   `json:"tradeoff,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
}

// SharedContext is what all tasks share.
type SharedContext struct {
	Stack       []string `json:"tech_stack"`
	Conventions []string `json:"conventions"`
}

// DataFlow lists the components in the order they need one another.
type DataFlow struct {
	Dependencies []string `json:"dependencies"`
}

// PlanMetadata says how the plan came about.
type PlanMetadata struct {
	Timestamp string   `json:"timestamp"`
	Source    string   `json:"source"`
	PlanType  string   `json:"plan_type"`
	Schema    string   `json:"schema_version"`
	Mode      string   `json:"planning_mode"`
	Angles    []string `json:"exploration_angles"`
	Duration  float64  `json:"duration_seconds"`
	Quality   string   `json:"quality_check"`
}

// PlanTask is plan/.task/TASK-NNN.json.
type PlanTask struct {
	ID             string      `json:"id"`
	Title          string      `json:"title"`
	Description    string      `json:"description"`
	Type           string      `json:"type"`
	Action         string      `json:"action"`
	Priority       string      `json:"priority"`
	Effort         string      `json:"effort"`
	DependsOn      []string    `json:"depends_on"`
	Scope          string      `json:"scope"`
	FocusPaths     []string    `json:"focus_paths"`
	Files          []TaskFile  `json:"files"`
	Implementation []string    `json:"implementation"`
	Convergence    Convergence `json:"convergence"`
	Test           TaskTest    `json:"test"`
	Rationale      string      `json:"rationale,omitempty"`
	Reference      []string    `json:"reference"`
	Risks          []TaskRisk  `json:"risks,omitempty"`
	Status         string      `json:"status"`
}

// TaskFile is a file the task probably changes.
type TaskFile struct {
	Path   string `json:"path"`
	Action string `json:"action"`
	Change string `json:"change"`
}

// Convergence says when a task is done.
type Convergence struct {
	Criteria     []string `json:"criteria"`
	Verification string   `json:"verification"`
	Done         string   `json:"definition_of_done"`
}

// TaskTest is how it is tested.
type TaskTest struct {
	ManualChecks []string `json:"manual_checks"`
	Metrics      []string `json:"success_metrics,omitempty"`
}

// TaskRisk is a risk of the task.
type TaskRisk struct {
	Description string `json:"description"`
	Probability string `json:"probability"`
	Impact      string `json:"impact"`
	Mitigation  string `json:"mitigation"`
}

// ExplorationsManifest lists what the plan looked at.
type ExplorationsManifest struct {
	Task       string           `json:"task_description"`
	Complexity string           `json:"complexity"`
	Count      int              `json:"exploration_count"`
	Cached     int              `json:"cached_count"`
	New        int              `json:"new_count"`
	Entries    []ManifestedLook `json:"explorations"`
}

// ManifestedLook is one exploration, cached or new.
type ManifestedLook struct {
	Angle  string `json:"angle"`
	File   string `json:"file"`
	Source string `json:"source"`
}

// complexityRows each count once.
var complexityRows = []struct {
	points int
	re     *regexp.Regexp
}{
	{2, regexp.MustCompile(`(?i)\b(?:refactor\w*|architect\w*|restructur\w*|modular\w*)\b|重构`)},
	{2, regexp.MustCompile(`(?i)\b(?:multiple|across|cross-cutting)\b|多个`)},
	{1, regexp.MustCompile(`(?i)\b(?:integrat\w*|apis?|databases?)\b|接口|数据库`)},
	{1, regexp.MustCompile(`(?i)\b(?:security|performance|auth\w*)\b|安全|性能`)},
}

// presets choose the angles, first match wins.
var presets = []struct {
	re     *regexp.Regexp
	angles []string
}{
	{regexp.MustCompile(`(?i)\b(?:refactor\w*|architect\w*|restructur\w*|modular\w*)\b|重构`), []string{"architecture", "dependencies", "modularity", "integration-points"}},
	{regexp.MustCompile(`(?i)\b(?:security|auth\w*|permissions?|access)\b|安全|权限`), []string{"security", "auth-patterns", "dataflow", "validation"}},
	{regexp.MustCompile(`(?i)\b(?:performance|slow|optimi[sz]e\w*|caches?)\b|性能`), []string{"performance", "bottlenecks", "caching", "data-access"}},
	{regexp.MustCompile(`(?i)\b(?:fix\w*|bugs?|errors?|issues?|broken)\b|修复|错误`), []string{"error-handling", "dataflow", "state-management", "edge-cases"}},
	{regexp.MustCompile(``), []string{"patterns", "integration-points", "testing", "dependencies"}},
}

// complexityOf scores a text: Low, Medium or High, and how many angles that takes.
func complexityOf(text string) (level string, looks int) {
	score := 0
	for _, r := range complexityRows {
		if r.re.MatchString(text) {
			score += r.points
		}
	}
	switch {
	case score >= 4:
		return "High", 4
	case score >= 2:
		return "Medium", 3
	case len(text) > 500:
		return "Medium", 2
	}
	return "Low", 1
}

// planMost is how many tasks a plan of medium or high complexity may have.
const planMost = 7

// plan is PLAN-001: tasks from the stories, in the epics' order.
func plan(ctx context.Context, j *job) error {
	issue := j.issue()
	set, from, given := j.basis()
	if given != "" {
		issue.Body = given
	}
	text := issue.Title + "\n" + issue.Body
	epics, errEpics := spec.ParseEpics(set)
	reqs, errReqs := spec.ParseRequirements(set)
	if tiny, err := spec.ParseTiny(set); err == nil && errReqs != nil {
		reqs = spec.Requirements{Reqs: tiny.Reqs, NFRs: tiny.NFRs, Open: tiny.Open}
	}
	arch, _ := spec.ParseArchitecture(set)
	level, looks := complexityOf(text)
	m, x, found := j.look(text, level, looks)
	b := planner{j: j, level: level, reqs: reqs, arch: arch, set: set, files: found, from: from}
	var tasks []PlanTask
	switch {
	case errEpics == nil && errReqs == nil:
		tasks = b.fromEpics(epics)
	case len(reqs.Reqs) > 0:
		tasks = b.fromRequirements()
	default:
		tasks = b.fromText(Read(issue, j.Source))
	}
	if len(tasks) == 0 {
		return fmt.Errorf("plan: neither stories nor asks to plan from")
	}
	tasks, err := j.modelPlan(ctx, tasks)
	if err != nil {
		return err
	}
	p := b.plan(tasks, issue.Title)
	for _, e := range m.Entries {
		p.Metadata.Angles = append(p.Metadata.Angles, e.Angle)
	}
	if j.draft.ByModel {
		p.Metadata.Mode = "agent-based"
	}
	if faults := checkPlan(tasks); len(faults) > 0 {
		p.Metadata.Quality = "AUTO_FIX: " + strings.Join(faults, "; ")
		for _, f := range faults {
			j.warn("plan: %s", f)
		}
	}
	for path, content := range x.text {
		j.draft.Text[path] = content
	}
	j.draft.Text["plan/plan.json"] = toJSON(p)
	j.draft.Text["plan/explorations-manifest.json"] = toJSON(m)
	j.putTasks(tasks)
	j.draft.Summary = fmt.Sprintf("%s, complexity %s", spec.Count(len(tasks), "task"), level)
	j.draft.Covered = []string{j.draft.Summary}
	return nil
}

// putTasks writes the tasks, in the place of all that an earlier plan had.
func (j *job) putTasks(tasks []PlanTask) {
	for _, t := range tasks {
		j.draft.Text["plan/.task/"+t.ID+".json"] = toJSON(t)
	}
	for path := range j.Folder {
		if strings.HasPrefix(path, "plan/.task/") && j.draft.Text[path] == nil {
			j.draft.Deleted = append(j.draft.Deleted, path)
		}
	}
	slices.Sort(j.draft.Deleted)
}

// look explores the repository from the angles the issue calls for.
func (j *job) look(text, level string, looks int) (ExplorationsManifest, *explorer, []RelevantFile) {
	x := newExplorer(j.Assignment)
	m := ExplorationsManifest{Task: oneLine(clip(text, 200)), Complexity: level, Entries: []ManifestedLook{}}
	if detectStack(j.Source, x.list()) == nil {
		return m, x, nil
	}
	var found []RelevantFile
	for _, p := range presets {
		if !p.re.MatchString(text) {
			continue
		}
		for _, angle := range p.angles[:min(looks, len(p.angles))] {
			e, cached := x.explore(angle, clip(oneLine(text), 2000))
			look := ManifestedLook{Angle: angle, File: "explorations/explore-" + angle + ".json", Source: "new"}
			if cached {
				look.Source = "cached"
			}
			m.Entries = append(m.Entries, look)
			for _, f := range e.Files {
				if !slices.ContainsFunc(found, func(o RelevantFile) bool { return o.Path == f.Path }) {
					found = append(found, f)
				}
			}
		}
		break
	}
	m.Count, m.Cached, m.New = len(m.Entries), x.hits, x.made
	return m, x, found
}

type planner struct {
	j     *job
	level string
	reqs  spec.Requirements
	arch  spec.Architecture
	set   *spec.Set
	files []RelevantFile
	from  string // what it plans from: "spec", or a path of the repository
}

func (b planner) plan(tasks []PlanTask, title string) Plan {
	p := Plan{TaskCount: len(tasks), Complexity: b.level, Execution: "Agent", Backend: "none", CodeReview: "reviewer",
		Metadata: PlanMetadata{Timestamp: b.j.stamp(), Source: b.from, PlanType: "implementation", Schema: "2.0", Mode: "direct", Angles: []string{},
			Quality: "PASS"}}
	p.Summary = fmt.Sprintf("%s: %s in the order of the epics.", firstOf(title, "The issue"), spec.Count(len(tasks), "task"))
	p.Approach = firstOf(b.arch.Style, "Task by task as the issue lists them.")
	for _, t := range tasks {
		p.TaskIDs = append(p.TaskIDs, t.ID)
	}
	for _, a := range b.arch.ADRs {
		d := PlanDecision{Decision: a.ID + ": " + a.Title, Rationale: strings.Join(a.Positive, "; "), Tradeoff: strings.Join(a.Negative, "; ")}
		for _, o := range a.Options[min(1, len(a.Options)):] {
			d.Alternatives = append(d.Alternatives, o.Name)
		}
		p.Decisions = append(p.Decisions, d)
	}
	p.Context = SharedContext{Stack: []string{}, Conventions: []string{}}
	for _, s := range b.arch.Stack {
		p.Context.Stack = append(p.Context.Stack, strings.TrimSpace(s.Technology+" "+s.Version))
	}
	if d, err := readDiscovery(b.j.Folder); err == nil && d.Codebase != nil {
		p.Context.Conventions = d.Codebase.Conventions
	}
	if b.level == "High" {
		p.DataFlow = &DataFlow{Dependencies: []string{}}
		for _, c := range b.arch.Components {
			for _, on := range c.Depends {
				p.DataFlow.Dependencies = append(p.DataFlow.Dependencies, c.Name+" → "+on)
			}
		}
		for _, r := range b.arch.Risks {
			p.RiskSummary = append(p.RiskSummary, r.Risk)
		}
	}
	p.OpenPoints = b.reqs.Open
	return p
}
