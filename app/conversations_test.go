package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/pipeline"
)

// shown says where something is shown to happen: a script, or, for what stands
// in plays, a test of the pipeline; and the words there that show it.
type shown struct{ where, by string }

// plays are what nobody can bring about in a conversation, with the reason.
var plays = map[string]string{
	"stalled":                "whatever people do, some task of a chain is ready, failed or held; only a broken chain stalls",
	"qa-loop":                "QA-FE-001 comes with the implementation half",
	"reviewer review_result": "REVIEW-001 comes with the implementation half",
	"reviewer fix_required":  "REVIEW-001 comes with the implementation half",
}

// shows fails unless the place says the words on a line that looks at something.
func (s shown) shows(t *testing.T, what string) {
	t.Helper()
	file := filepath.Join("testdata", "script", s.where+".txt")
	goTest := strings.HasSuffix(s.where, "_test.go")
	if goTest != (plays[what] != "") {
		t.Errorf("%s: a conversation shows it, or there is a reason why none can", what)
	}
	if goTest {
		file = filepath.Join("..", "pipeline", s.where)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for line := range strings.Lines(string(raw)) {
		sight, _, _ := strings.Cut(line, " ")
		if strings.Contains(line, s.by) && (goTest || sights[sight] != nil || acts[sight].do != nil) {
			return
		}
	}
	t.Errorf("%s: %s does not show %q", what, file, s.by)
}

// refusals are every refusal with the place that brings it about.
var refusals = map[string]shown{
	"refuseMode":            {"command-start", "There is no mode"},
	"refuseFlag":            {"command-start", "has no flag `--fast`"},
	"refuseFlagValue":       {"command-start", "`--track` takes one of"},
	"refuseBoth":            {"command-start", "`spec-only` and `fullstack` exclude each other"},
	"refuseUnfit":           {"command-start", "has no use for `--spec docs/old.md`"},
	"refuseLater":           {"unlabelled", "counts at a start only"},
	"refuseOtherMode":       {"unlabelled", "so none was started in mode `fullstack`"},
	"refuseStart":           {"reader-label", "Starting a session takes write access"},
	"refuseUnknown":         {"command-retry", "access to this repository could not be read just now"},
	"refusePermission":      {"stranger-command", "takes write access to this repository"},
	"refuseRisk":            {"command-resume", "Accepting a FAIL gate takes maintain access"},
	"refuseOff":             {"command-off", "the architect comes with the implementation half"},
	"refuseOtherPull":       {"two-sessions", "This pull request belongs to an earlier session"},
	"refuseMoved":           {"command-recheck", "The branch has moved since you wrote this, from"},
	"refuseNoSession":       {"command-start", "There is no session on this issue"},
	"refuseHurried":         {"start-fails", "only just beginning"},
	"refuseFinished":        {"command-finish", "is finished and its pull request is open"},
	"refuseLabelAccept":     {"unlabelled", "a label does not take it"},
	"refuseBriefing":        {"start-fails", "could not be read, so no session was started"},
	"refuseStartHere":       {"command-start", "A session is started on its issue"},
	"refuseDisabled":        {"disabled", "switched off in this repository"},
	"refuseEmpty":           {"empty-repo", "no commit yet"},
	"refuseNoSpec":          {"mode-impl-only", "needs a specification and none was found"},
	"refuseTask":            {"command-revise", "There is no task `DRAFT-009`"},
	"refuseUnfinished":      {"command-retry", "only a completed task can be revised"},
	"refuseNotSpec":         {"mode-full-lifecycle", "is not a document of the specification"},
	"refuseSpent":           {"command-revise", "was revised twice already"},
	"refuseQuality":         {"command-retry", "QUALITY-001 has not judged the specification yet"},
	"refuseRunning":         {"command-recheck", "does just that and is not done yet"},
	"refuseDimension":       {"command-improve", "There is no dimension"},
	"refuseNothingToResume": {"command-resume", "is finished; nothing waits"},
	"refuseMissingRole":     {"mode-full-lifecycle", "`IMPL-001` cannot run: this build has no executor"},
	"refuseAnotherSession":  {"two-sessions", "more than one open session"},
	"refuseUnknownSession":  {"two-sessions", "There is no session `TLS-nothing` to resume here"},
	"refuseFinishEarly":     {"command-retry", "There is nothing to finish yet"},
	"refuseFeedback":        {"command-feedback", "What is the feedback"},
	"refuseDiscuss":         {"command-discuss", "Say `/discuss deepen`, `/discuss direction <text>`"},
	"refuseDiscussions":     {"command-discuss", "has had its 5 discussions"},
	"refuseFinding":         {"command-accept", "There is no open finding"},
	"refuseBlockerReason":   {"command-accept", "is a blocker, and accepting one takes a reason"},
	"refuseRetry":           {"command-retry", "has not failed"},
	"refuseOver":            {"command-cancel", "is over already"},
}

// TestEveryRefusalIsShown holds the table against the source: no refusal
// without a conversation, no conversation about one that is gone.
func TestEveryRefusalIsShown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "pipeline", "refusals.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	here := map[string]bool{}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "refuse") {
			here[fn.Name.Name] = true
			if _, listed := refusals[fn.Name.Name]; !listed {
				t.Errorf("%s: which script shows it?", fn.Name.Name)
			}
		}
	}
	for name, s := range refusals {
		if !here[name] {
			t.Errorf("%s is no refusal any more", name)
			continue
		}
		s.shows(t, name)
	}
}

// TestEveryCommandIsShown wants one conversation per command; the two that
// wait for the implementation half share one.
func TestEveryCommandIsShown(t *testing.T) {
	for _, c := range pipeline.Commands {
		s := shown{"command-" + c.Verb, "/" + c.Verb}
		if c.Off != "" {
			s.where = "command-off"
		}
		if c.Verb == "start" {
			s.by = "/lifecycle start"
		}
		if c.Verb == "finish" {
			s.by = "/lifecycle finish"
		}
		s.shows(t, c.Usage)
	}
}

// TestEveryModeIsShown wants one conversation per mode.
func TestEveryModeIsShown(t *testing.T) {
	for _, m := range pipeline.Modes {
		s := shown{"mode-" + string(m), "lifecycle:" + string(m)}
		if m == pipeline.SpecOnly {
			s = shown{"happy", "label wes lifecycle"}
		}
		s.shows(t, string(m))
	}
}

// waits are every reason to wait for a person.
var waits = map[pipeline.WaitReason]shown{
	pipeline.WaitCheckpoint:  {"mode-full-lifecycle", "status paused checkpoint"},
	pipeline.WaitQuestions:   {"checkpoint-questions", "status paused questions"},
	pipeline.WaitBlocked:     {"checkpoint-blocked", "status paused blocked"},
	pipeline.WaitSignOff:     {"unlabelled", "status paused sign-off"},
	pipeline.WaitRetries:     {"command-retry", "await paused retries"},
	pipeline.WaitStalled:     {"failure_test.go", "s.Wait.Reason != WaitStalled"},
	pipeline.WaitMissingRole: {"mode-fullstack", "status paused missing-role"},
	pipeline.WaitEdited:      {"pull-retargeted", "status paused edited"},
	pipeline.WaitQALoop:      {"route_test.go", "p.want(SessionPaused, WaitQALoop"},
	pipeline.WaitRebuilt:     {"two-sessions", "status paused rebuilt"},
	pipeline.WaitModel:       {"checkpoint-model", "status paused model"},
	pipeline.WaitUnsent:      {"refused-write", "status paused unsent"},
	pipeline.WaitHeld:        {"pull-closed", "status paused held"},
}

// TestEveryCheckpointIsShown wants one conversation per reason to wait.
func TestEveryCheckpointIsShown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "pipeline", "session.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if v, ok := node.(*ast.ValueSpec); ok && fmt.Sprint(v.Type) == "WaitReason" {
			n++
		}
		return true
	})
	if n != len(waits) {
		t.Errorf("%d reasons to wait, %d of them shown", n, len(waits))
	}
	for reason, s := range waits {
		s.shows(t, string(reason))
	}
}

// messages are the types of the bus by who sends them, for the roles that are
// here, as the lifecycle has them.
var messages = map[string]map[string]shown{
	"coordinator": {
		"plan_approved":  {"happy", `"from":"coordinator".*"type":"plan_approved"`},
		"plan_revision":  {"command-revise", `"from":"coordinator".*"type":"plan_revision"`},
		"task_unblocked": {"happy", `"from":"coordinator".*"type":"task_unblocked"`},
		"fix_required":   {"checkpoint-blocked", `"from":"coordinator".*"type":"fix_required"`},
		"error":          {"command-recheck", `"from":"coordinator".*"type":"error"`},
		"shutdown":       {"happy", `"from":"coordinator".*"type":"shutdown"`},
	},
	"analyst": {
		"research_ready":    {"happy", `"from":"analyst".*"type":"research_ready"`},
		"research_progress": {"command-retry", `"from":"analyst".*"type":"research_progress"`},
		"error":             {"command-retry", `"from":"analyst".*"type":"error"`},
	},
	"writer": {
		"draft_ready":    {"happy", `"from":"writer".*"type":"draft_ready"`},
		"draft_revision": {"command-revise", `"from":"writer".*"type":"draft_revision"`},
		"error":          {"command-retry", `"from":"writer".*"type":"error"`},
	},
	"reviewer": {
		"quality_result":  {"happy", `"from":"reviewer".*"type":"quality_result"`},
		"quality_recheck": {"command-revise", `"from":"reviewer".*"type":"quality_recheck"`},
		"review_result":   {"files_test.go", `{Reviewer, "review_result", "code"}`},
		"fix_required":    {"files_test.go", `{Reviewer, "fix_required", "code to mend"}`},
		"error":           {"command-retry", `"from":"reviewer".*"type":"error"`},
	},
	"discussant": {
		"discussion_processed": {"command-discuss", `"from":"discussant".*"type":"discussion_processed"`},
		"error":                {"command-discuss", `"from":"discussant".*"type":"error"`},
	},
	"planner": {
		"plan_ready":    {"mode-full-lifecycle", `"from":"planner".*"type":"plan_ready"`},
		"plan_revision": {"mode-fe-only", `"from":"planner".*"type":"plan_revision"`},
		"error":         {"mode-fe-only", `"from":"planner".*"type":"error"`},
	},
}

// TestEveryMessageTypeIsShown lists every type of the roles present and the
// script that emits it.
func TestEveryMessageTypeIsShown(t *testing.T) {
	for role, types := range messages {
		for kind, s := range types {
			s.shows(t, role+" "+kind)
		}
	}
}
