package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/app/githubsim"
	"parley/app/githubsim/conform"
	"parley/pipeline"
)

// tried runs parley try and reads the one object it prints.
func tried(t *testing.T, args ...string) (code int, object map[string]any, errs string) {
	t.Helper()
	code, out, errs := line(t, nil, append([]string{"try", "--format", "json"}, args...)...)
	if strings.Count(out, "\n") != 1 {
		t.Fatalf("standard output is not one line: %q\n%s", out, errs)
	}
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := []string{"beats", "check", "duration_ms", "gate", "github", "mode", "out", "session", "status", "tasks"}
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	return code, object, errs
}

func TestTryWellWritten(t *testing.T) {
	dir := t.TempDir()
	code, got, errs := tried(t, "samples/well-written.md", "--mode", "spec-only", "--out", dir)
	if code != 0 || got["status"] != "completed" || got["beats"] != 6.0 || got["check"] != "success" {
		t.Errorf("exit %d, %v\n%s", code, got, errs)
	}
	github := got["github"].(map[string]any)
	if github["requests"].(float64) > 24 || github["created"].(float64) > 10 {
		t.Errorf("budget exceeded: %v\n%s", github, errs)
	}
	if gate := got["gate"].(map[string]any); gate["result"] != "PASS" || len(gate["dimensions"].(map[string]any)) != 5 {
		t.Errorf("gate %v", gate)
	}
	var ids []string
	for _, one := range got["tasks"].([]any) {
		task := one.(map[string]any)
		ids = append(ids, task["id"].(string))
		if task["status"] != "completed" || task["round"] == nil || task["verdict"] == nil || task["rating"] == nil {
			t.Errorf("task %v", task)
		}
	}
	if want := []string{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001"}; !slices.Equal(ids, want) {
		t.Errorf("tasks %v, want %v", ids, want)
	}
	for _, path := range []string{got["out"].(string) + "/team-session.json", dir + "/thread.md"} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	records, err := filepath.Glob(got["out"].(string) + "/discussions/DISCUSS-*.md")
	if err != nil || len(records) < 6 {
		t.Errorf("%d discussion records, want six (%v)", len(records), err)
	}
	if strings.Contains(errs, "\x1b[") {
		t.Error("colours where there is no terminal")
	}
}

// What cannot be used is exit 2, and a reader of JSON still gets its object.
func TestTryRefuses(t *testing.T) {
	empty := file(t, "empty.md", " \n", 0o600)
	for name, row := range map[string]struct {
		args []string
		says string
	}{
		"no such file":        {[]string{"nowhere.md"}, "the issue: there is no nowhere.md; name a Markdown file, or - for standard input"},
		"a directory":         {[]string{"samples"}, "the issue: samples is a directory; name a Markdown file in it"},
		"an empty file":       {[]string{empty}, "is empty; write a heading and what you want"},
		"an empty input":      {[]string{"-"}, "standard input is empty"},
		"not text":            {[]string{file(t, "a.md", "\x7fELF\x00\x01", 0o600)}, "a.md is not text"},
		"too long a text":     {[]string{file(t, "c.md", "# Big\n\n"+strings.Repeat("a", 70_000), 0o600)}, "body is too long (maximum is 65536 characters)"},
		"no title":            {[]string{file(t, "b.md", "# \n\n", 0o600)}, "b.md has no title; begin it with a heading"},
		"an unknown mode":     {[]string{"samples/vague.md", "--mode", "everything"}, `there is no "everything"; the modes are spec-only, impl-only, `},
		"no such repository":  {[]string{"samples/vague.md", "--repo", "/nowhere"}, "--repo: "},
		"no such spec":        {[]string{"samples/vague.md", "--spec", "/nowhere.md"}, "--spec: "},
		"a model that is not": {[]string{"samples/vague.md", "--models", "hal"}, `there is no backend "hal"; there are anthropic, claude, `},
		"a model, no key":     {[]string{"samples/vague.md", "--models", "openai"}, "openai needs OPENAI_API_KEY, which is not set; set it, or say off"},
		"a tool, no key":      {[]string{"samples/vague.md", "--models", "claude"}, "ANTHROPIC_API_KEY, which is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			code, got, errs := tried(t, append([]string{"--out", t.TempDir()}, row.args...)...)
			if code != 2 || got["status"] != "refused" || got["gate"] != nil || got["session"] != nil {
				t.Errorf("exit %d: %v\n%s", code, got, errs)
			}
			if !strings.HasPrefix(errs, "parley: ") || !strings.Contains(errs, row.says) {
				t.Errorf("says %q, want %q", errs, row.says)
			}
		})
	}
}

// A fault of the machine is exit 1, told before the work and not after it.
func TestTryHasNowhereToWrite(t *testing.T) {
	taken := file(t, "taken", "", 0o600)
	for _, out := range []string{taken, filepath.Join(taken, "x"), "/proc/nowhere"} {
		code, printed, errs := line(t, nil, "try", "samples/vague.md", "--out", out)
		if code != 1 || printed != "" || strings.Contains(errs, "RESEARCH-001") || !strings.HasSuffix(errs, "; name a directory that can be written to\n") {
			t.Errorf("--out %s: exit %d: %s%s", out, code, printed, errs)
		}
	}
}

// A failed try is due again a little later; the session is not over till then.
func TestTryWaitsForTheNextTry(t *testing.T) {
	term := &terminal{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}, watch: conform.Watch(t),
		env: func(string) (string, bool) { return "", false }}
	c := tryCmd{Mode: "spec-only", Track: "standard", Models: "off", Format: "json", Out: t.TempDir()}
	s, err := openStage(t.Context(), c, term, newShow(term, true), map[string]string{"README.md": "# try\n"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.world.AddFault(githubsim.Fault{Path: "/repos/*/*/tarball/*", Status: 500, Times: 2})
	if err := s.start(t.Context(), "Export reports", "The tool must export a report as CSV in under 2 s."); err != nil {
		t.Fatal(err)
	}
	state, err := s.state(t.Context())
	if err != nil || state.Status == pipeline.SessionActive || state.TasksCompleted == 0 {
		t.Errorf("%v: %s after %d tasks", err, state.Status, state.TasksCompleted)
	}
}

// Every mode has its tasks (spec-only above), in the order of its graph, started or not; what the
// implementation half would do is said to be missing, and /finish ends there.
func TestTryModes(t *testing.T) {
	drafts := "RESEARCH-001 DRAFT-001 DRAFT-002 DRAFT-003 DRAFT-004 QUALITY-001"
	tests := []struct {
		mode, tasks string
		beats       float64
		more        []string
	}{
		{"impl-only", "PLAN-001 IMPL-001 TEST-001 REVIEW-001", 1, []string{"--spec", "samples/risky.md", "--say", "/finish"}},
		{"fe-only", "PLAN-001 DEV-FE-001 QA-FE-001", 1, []string{"--say", "/finish"}},
		{"fullstack", "PLAN-001 IMPL-001 DEV-FE-001 TEST-001 QA-FE-001 REVIEW-001", 1, []string{"--say", "/finish"}},
		{"full-lifecycle", drafts + " PLAN-001 IMPL-001 TEST-001 REVIEW-001", 7, []string{"--say", "/resume", "--say", "/finish"}},
		{"full-lifecycle-fe", drafts + " PLAN-001 IMPL-001 DEV-FE-001 TEST-001 QA-FE-001 REVIEW-001", 7, []string{"--say", "/resume", "--say", "/finish"}},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			code, got, errs := tried(t, append([]string{"samples/well-written.md", "--mode", test.mode, "--out", t.TempDir()}, test.more...)...)
			if code != 0 || got["mode"] != test.mode || got["status"] != "completed" || got["beats"] != test.beats || got["check"] != "success" {
				t.Errorf("exit %d, %v\n%s", code, got, errs)
			}
			var ids []string
			for _, one := range got["tasks"].([]any) {
				task := one.(map[string]any)
				ids = append(ids, task["id"].(string))
				if begun := task["status"] == "completed"; !begun && (task["status"] != "pending" || task["round"] != nil || task["rating"] != nil) {
					t.Errorf("task %v", task)
				}
			}
			if strings.Join(ids, " ") != test.tasks {
				t.Errorf("tasks %v, want %s", ids, test.tasks)
			}
		})
	}
	t.Run("refused on the way", func(t *testing.T) {
		code, got, errs := tried(t, "samples/well-written.md", "--mode", "impl-only", "--out", t.TempDir())
		if code != 2 || got["status"] != "refused" || got["session"] != nil || !strings.Contains(errs, "needs a specification and none was found") {
			t.Errorf("exit %d, %v\n%s", code, got, errs)
		}
	})
}
