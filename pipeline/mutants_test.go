package pipeline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutants break Advance on purpose, one place each.
var mutants = []struct{ name, file, old, with string }{
	{"a task starts before its needs", "graph.go", "return !completed[need] })", "return false && !completed[need] })"},
	{"an inner-loop role runs twice", "graph.go", "loops[t.Owner] && busy[t.Owner]", "false"},
	{"every start is a beat", "tasks.go", "if t.opensBeat(*task) {", "if true {"},
	{"a late result is taken", "done.go", `t.ev.Job != "" && t.ev.Job != task.AgentID {`, "false {"},
	{"a result outside its folder is taken", "done.go", `why != "" {`, `false {`},
	{"four tries", "tasks.go", "const maxRetries = 3", "const maxRetries = 4"},
	{"an inner loop errs for ever", "tasks.go", "case loop >= maxRetries:", "case loop < 0:"},
	{"a missing role is no matter", "tasks.go", "d.later && !s.Settings.Implementation", "d.later && false"},
	{"stuck counts as complete", "tasks.go", `case s.unfinished() == "":`, "case true:"},
	{"HIGH goes on", "route.go", "{ConsensusBlocked, High, false}:   mend", "{ConsensusBlocked, High, false}:   proceed"},
	{"the sign-off is revised", "route.go", "{ConsensusBlocked, High, true}:    signOff", "{ConsensusBlocked, High, true}:    mend"},
	{"a failed sign-off goes on", "route.go", `{ConsensusNone, "", true}:         signOff`, `{ConsensusNone, "", true}:         unjudged`},
	{"MEDIUM tells nobody", "route.go", "{ConsensusBlocked, Medium, false}: cautious", "{ConsensusBlocked, Medium, false}: noted"},
	{"rules draft the same again", "route.go", "fresh := o.ByModel ||", "fresh := true || o.ByModel ||"},
	{"a block is mended twice", "route.go", `task.RevisionOf == "" && original.RevisionCount == 0 && fresh`, "original.RevisionCount >= 0 && fresh"},
	{"a held task completes before the decision", "route.go", "task.Status, task.CompletedAt = TaskInProgress, nil\n\tt.pause", "task.Status = TaskCompleted\n\tt.pause"},
	{"no checkpoint in full modes", "wait.go", "task.IsCheckpointAfter && t.s.Mode != SpecOnly", "task.IsCheckpointAfter && false"},
	{"questions wait for ever", "wait.go", "if w.Reason == WaitQuestions {\n\t\tt.takeDefaults", "if false {\n\t\tt.takeDefaults"},
	{"a deadline fires early", "wait.go", "t.now.Before(w.Deadline)", "false"},
	{"dependents do not wait for a revision", "revise.go", "\tt.rewire(prior, rev)\n", "\tt.rewire(prior, prior)\n"},
	{"a cascade takes unfinished tasks", "revise.go", "l != nil && settled(*l)", "l != nil"},
	{"a cascade forgets the quality task", "revise.go", "range specDrafts[at+1:] {\n", "range specDrafts[at+1:5] {\n"},
	{"a third revision", "revise.go", "const maxRevisions = 2", "const maxRevisions = 3"},
	{"a third frontend round", "revise.go", "const maxFrontendRounds = 2", "const maxFrontendRounds = 3"},
	{"anybody commands", "command.go", "case ev.Permission < spec.Who:", "case false:"},
	{"an unread permission allows", "command.go", "case ev.PermissionUnknown != \"\":", "case false:"},
	{"a writer forces FAIL", "command.go", "if t.s.Gate.Result == GateFail {", "if false {"},
	{"a decision about an older text counts", "command.go", "ev.Command.At.Before(pr.MovedAt)", "false"},
	{"an old acceptance covers a new judgement", "states.go", "q == nil || q.CompletedAt == nil || a.At.Before(*q.CompletedAt)", "q == nil"},
	{"a risk is taken by nobody", "resume.go", "t.s.Accepted = append(t.s.Accepted, Acceptance{", "_ = append(t.s.Accepted, Acceptance{"},
	{"an edited text stays green", "edits.go", "t.pause(WaitEdited,", "t.show(); _ = (*turn).pause; _ = t.s.latest(\"QUALITY-001\"); func(WaitReason, TaskID, string) {}(WaitEdited,"},
	{"an unsent file is an edit", "edits.go", "|| slices.Contains(t.s.Manifest.Waiting, p)", ""},
	{"a closed pull request goes on", "world.go", "t.abort(\"the pull request was closed\")", "t.show()"},
	{"the argument is changed", "clone.go", "s.Tasks = slices.Clone(s.Tasks)", ""},
	{"a label takes a risk", "start.go", "accepting[w.Reason] || t.takesRisk()", "accepting[w.Reason]"},
	{"the last of two modes wins", "asked.go", "twice && old != value", "false && twice && old != value"},
	{"an explicit mode is upgraded", "modechoice.go", "return withSignals(choice{Mode: asked, Reason: \"asked for\"}, b), nil", "return upgrade(withSignals(choice{Mode: asked, Reason: \"asked for\"}, b)), nil"},
}

// TestMutants runs the package's tests once per mutant; each must turn them
// red. make mutants sets the variable: it takes minutes.
func TestMutants(t *testing.T) {
	if os.Getenv("PARLEY_MUTANTS") == "" {
		t.Skip("make mutants runs this")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			source, err := os.ReadFile(m.file)
			if err != nil {
				t.Fatal(err)
			}
			out, err := suiteWith(t, m.file, strings.Replace(string(source), m.old, m.with, 1))
			if err == nil {
				t.Errorf("the suite stays green: %s", m.with)
			} else if !strings.Contains(string(out), "--- FAIL") && !strings.Contains(string(out), "panic:") {
				t.Errorf("the mutant does not build: %s", out)
			}
		})
	}
}

// TestMutantsFit holds the mutants to the text they break, so that the long
// run does not end with some that never were.
func TestMutantsFit(t *testing.T) {
	for _, m := range mutants {
		source, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.old); n != 1 {
			t.Errorf("%s: %s has %q %d times", m.name, m.file, m.old, n)
		}
	}
}

// suiteWith runs the tests with one file replaced.
func suiteWith(t *testing.T, file, text string) ([]byte, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	broken, overlay := filepath.Join(dir, file), filepath.Join(dir, "overlay.json")
	raw, err := json.Marshal(struct{ Replace map[string]string }{map[string]string{path: broken}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{broken: []byte(text), overlay: raw} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-timeout=2m", ".", "-rapid.nofailfile")
	cmd.Env = append(os.Environ(), "PARLEY_MUTANTS=")
	return cmd.CombinedOutput()
}
