package pipeline

import "time"

// row is one line of a mode's table: a task as it is dispatched.
type row struct {
	id         TaskID
	owner      Role
	blockedBy  []TaskID
	round      Round
	checkpoint bool
}

// Modes in the order in which they are offered.
var Modes = []Mode{SpecOnly, ImplOnly, FEOnly, Fullstack, FullLifecycle, FullLifecycleFE}

// modes are the six task graphs, row by row in the order of dispatch.
var modes = map[Mode][]row{
	SpecOnly: {
		{"RESEARCH-001", Analyst, nil, "DISCUSS-001", false},
		{"DRAFT-001", Writer, []TaskID{"RESEARCH-001"}, "DISCUSS-002", false},
		{"DRAFT-002", Writer, []TaskID{"DRAFT-001"}, "DISCUSS-003", false},
		{"DRAFT-003", Writer, []TaskID{"DRAFT-002"}, "DISCUSS-004", false},
		{"DRAFT-004", Writer, []TaskID{"DRAFT-003"}, "DISCUSS-005", false},
		{"QUALITY-001", Reviewer, []TaskID{"DRAFT-004"}, "DISCUSS-006", false},
	},
	ImplOnly: {
		{"PLAN-001", Planner, nil, "", false},
		{"IMPL-001", Executor, []TaskID{"PLAN-001"}, "", false},
		{"TEST-001", Tester, []TaskID{"IMPL-001"}, "", false},
		{"REVIEW-001", Reviewer, []TaskID{"IMPL-001"}, "", false},
	},
	FEOnly: {
		{"PLAN-001", Planner, nil, "", false},
		{"DEV-FE-001", FEDeveloper, []TaskID{"PLAN-001"}, "", false},
		{"QA-FE-001", FEQA, []TaskID{"DEV-FE-001"}, "", false},
	},
	Fullstack: {
		{"PLAN-001", Planner, nil, "", false},
		{"IMPL-001", Executor, []TaskID{"PLAN-001"}, "", false},
		{"DEV-FE-001", FEDeveloper, []TaskID{"PLAN-001"}, "", false},
		{"TEST-001", Tester, []TaskID{"IMPL-001"}, "", false},
		{"QA-FE-001", FEQA, []TaskID{"DEV-FE-001"}, "", false},
		{"REVIEW-001", Reviewer, []TaskID{"TEST-001", "QA-FE-001"}, "", false},
	},
	FullLifecycle: {
		{"RESEARCH-001", Analyst, nil, "DISCUSS-001", false},
		{"DRAFT-001", Writer, []TaskID{"RESEARCH-001"}, "DISCUSS-002", false},
		{"DRAFT-002", Writer, []TaskID{"DRAFT-001"}, "DISCUSS-003", false},
		{"DRAFT-003", Writer, []TaskID{"DRAFT-002"}, "DISCUSS-004", false},
		{"DRAFT-004", Writer, []TaskID{"DRAFT-003"}, "DISCUSS-005", false},
		{"QUALITY-001", Reviewer, []TaskID{"DRAFT-004"}, "DISCUSS-006", true},
		{"PLAN-001", Planner, []TaskID{"QUALITY-001"}, "", false},
		{"IMPL-001", Executor, []TaskID{"PLAN-001"}, "", false},
		{"TEST-001", Tester, []TaskID{"IMPL-001"}, "", false},
		{"REVIEW-001", Reviewer, []TaskID{"IMPL-001"}, "", false},
	},
	FullLifecycleFE: {
		{"RESEARCH-001", Analyst, nil, "DISCUSS-001", false},
		{"DRAFT-001", Writer, []TaskID{"RESEARCH-001"}, "DISCUSS-002", false},
		{"DRAFT-002", Writer, []TaskID{"DRAFT-001"}, "DISCUSS-003", false},
		{"DRAFT-003", Writer, []TaskID{"DRAFT-002"}, "DISCUSS-004", false},
		{"DRAFT-004", Writer, []TaskID{"DRAFT-003"}, "DISCUSS-005", false},
		{"QUALITY-001", Reviewer, []TaskID{"DRAFT-004"}, "DISCUSS-006", true},
		{"PLAN-001", Planner, []TaskID{"QUALITY-001"}, "", false},
		{"IMPL-001", Executor, []TaskID{"PLAN-001"}, "", false},
		{"DEV-FE-001", FEDeveloper, []TaskID{"PLAN-001"}, "", false},
		{"TEST-001", Tester, []TaskID{"IMPL-001"}, "", false},
		{"QA-FE-001", FEQA, []TaskID{"DEV-FE-001"}, "", false},
		{"REVIEW-001", Reviewer, []TaskID{"TEST-001", "QA-FE-001"}, "", false},
	},
}

// writesSpec tells the modes that write a specification first.
func writesSpec(m Mode) bool { return len(modes[m]) > 0 && isSpec(modes[m][0].id) }

// sideTasks are the architect's: advisory, never blocking, off until the
// implementation half is there.
var sideTasks = []row{
	{"ARCH-SPEC-001", Architect, []TaskID{"DRAFT-003"}, "", false},
	{"ARCH-PLAN-001", Architect, []TaskID{"PLAN-001"}, "", false},
}

// tinyRows take the place of a mode's specification half on the tiny track:
// one document in one draft, and the rounds 003 and 006.
var tinyRows = map[TaskID]row{
	"RESEARCH-001": {"RESEARCH-001", Analyst, nil, "", false},
	"DRAFT-002":    {"DRAFT-002", Writer, []TaskID{"RESEARCH-001"}, "DISCUSS-003", false},
	"QUALITY-001":  {"QUALITY-001", Reviewer, []TaskID{"DRAFT-002"}, "DISCUSS-006", false},
}

// rowsOf is a mode's table as a track runs it.
func rowsOf(m Mode, track Track) []row {
	if track != TrackTiny {
		return modes[m]
	}
	var out []row
	for _, r := range modes[m] {
		tiny, has := tinyRows[r.id]
		switch {
		case has:
			tiny.checkpoint = r.checkpoint
			out = append(out, tiny)
		case !isSpec(r.id):
			out = append(out, r)
		}
	}
	return out
}

// duty is what a task prefix stands for.
type duty struct {
	prefix string
	role   Role
	folder []string // where its results may lie; empty: not in the session folder
	says   string   // type of the bus message it ends with
	label  string   // group of the completion report
	later  bool     // belongs to the implementation half
	limit  time.Duration
}

const (
	specLimit = 15 * time.Minute
	implLimit = 30 * time.Minute
	// convergence is what a job gets after the notice that its time is up.
	convergence = 2 * time.Minute
	// orphanAfter is how long a task may run without anybody running it.
	orphanAfter = 5 * time.Minute
	// roundLimit bounds a discussant round.
	roundLimit = 5 * time.Minute
	// prepareLimit bounds the reading of a briefing, of an edit, of a branch.
	prepareLimit = time.Minute
)

// duties by prefix; DEV-FE and QA-FE stand before what they would be cut to.
var duties = []duty{
	{"RESEARCH", Analyst, []string{"spec/", "analysis/", "explorations/"}, "research_ready", "spec", false, specLimit},
	{"DRAFT", Writer, []string{"spec/", "explorations/"}, "draft_ready", "spec", false, specLimit},
	{"IMPROVE", Writer, []string{"spec/", "explorations/"}, "draft_revision", "spec", false, specLimit},
	{"QUALITY", Reviewer, []string{"spec/"}, "quality_result", "spec", false, specLimit},
	{"PLAN", Planner, []string{"plan/", "explorations/"}, "plan_ready", "plan", false, implLimit},
	{"IMPL", Executor, nil, "impl_complete", "impl", true, implLimit},
	{"TEST", Tester, []string{"qa/"}, "test_result", "test", true, implLimit},
	{"REVIEW", Reviewer, []string{"qa/"}, "review_result", "review", true, implLimit},
	{"DEV-FE", FEDeveloper, nil, "dev_fe_complete", "impl", true, implLimit},
	{"QA-FE", FEQA, []string{"qa/"}, "qa_fe_result", "qa", true, implLimit},
	{"ARCH", Architect, []string{"architecture/", "design-tokens.json", "component-specs/"}, "arch_ready", "architecture", true, implLimit},
}

// loops are the roles of which one worker does all tasks of its prefix in
// series: such a role never has two tasks running.
var loops = map[Role]bool{Writer: true, Planner: true, Executor: true}

// purposes are the first lines of the task descriptions.
var purposes = map[TaskID]string{
	"RESEARCH-001": "Seed analysis and context: what is asked, for whom, within which limits",
	"DRAFT-001":    "Product brief: vision, problem, users, goals, scope",
	"DRAFT-002":    "Requirements: functional and non-functional, each with criteria",
	"DRAFT-003":    "Architecture: components, decisions, data, interfaces",
	"DRAFT-004":    "Epics and stories, sized and ordered",
	"QUALITY-001":  "Quality in five dimensions, and the sign-off",
	"PLAN-001":     "Plan of the implementation, task by task",
	"IMPL-001":     "Implementation of the plan",
	"TEST-001":     "Tests of the implementation",
	"REVIEW-001":   "Review of the code",
	"DEV-FE-001":   "Frontend of the plan",
	"QA-FE-001":    "Audit of the frontend",
}

// artifacts are the files a task is judged by.
var artifacts = map[TaskID]string{
	"RESEARCH-001": "spec/discovery-context.json",
	"DRAFT-001":    "spec/product-brief.md",
	"DRAFT-002":    "spec/requirements/_index.md",
	"DRAFT-003":    "spec/architecture/_index.md",
	"DRAFT-004":    "spec/epics/_index.md",
	"QUALITY-001":  "spec/readiness-report.md",
	"PLAN-001":     "plan/plan.json",
}

// specDrafts are the drafts a cascade runs through, in order.
var specDrafts = []TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001"}
