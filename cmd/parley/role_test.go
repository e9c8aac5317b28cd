package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Role after role on an empty folder, each taking its next task by itself.
func TestRolesByHand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "TLS-by-hand-1-2026-11-21")
	issue := filepath.Join("samples", "well-written.md")
	for _, step := range []struct{ role, says, file string }{
		{"analyst", "RESEARCH-001: ", "spec/discovery-context.json"},
		{"writer", "DRAFT-001: ", "spec/product-brief.md"},
		{"writer", "DRAFT-002: ", "spec/requirements/_index.md"},
		{"writer", "DRAFT-003: ", "spec/architecture/_index.md"},
		{"writer", "DRAFT-004: ", "spec/epics/_index.md"},
		{"reviewer", "QUALITY-001: PASS", "spec/readiness-report.md"},
		{"planner", "PLAN-001: ", "plan/plan.json"},
	} {
		code, out, errs := call("role", step.role, "--session", dir, "--issue", issue)
		if code != 0 || !strings.HasPrefix(out, step.says) || !strings.Contains(out, "  "+step.file+"\n") {
			t.Fatalf("%s: exit %d\n%s%s", step.role, code, out, errs)
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(step.file))); err != nil {
			t.Error(err)
		}
	}
}

// The tiny track has one draft, which the writer takes without being told.
func TestWriterByHandKnowsTheTinyTrack(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "team-session.json"), []byte(`{"session_id": "TLS-small-1-2026-11-21", "track": "tiny"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	issue := filepath.Join("samples", "well-written.md")
	for _, step := range [][2]string{{"analyst", "RESEARCH-001: "}, {"writer", "DRAFT-002: one document"}, {"reviewer", "QUALITY-001: "}} {
		code, out, errs := call("role", step[0], "--session", dir, "--issue", issue)
		if code != 0 || !strings.HasPrefix(out, step[1]) {
			t.Fatalf("%s: exit %d\n%s%s", step[0], code, out, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "spec", "spec.md")); err != nil {
		t.Error(err)
	}
}

func TestRoleRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"an unknown role":       {[]string{"poet", "--session", dir}, `there is no role "poet": it is one of analyst, writer, reviewer, planner`},
		"an unknown role alone": {[]string{"poet"}, `there is no role "poet": it is one of analyst, writer, reviewer, planner`},
		"no session":            {[]string{"analyst"}, "--session"},
		"a draft too early":     {[]string{"writer", "--session", dir}, "DRAFT-001 needs `spec/discovery-context.json`"},
		"another role's task":   {[]string{"writer", "--session", dir, "--task", "QUALITY-001"}, "--task: task QUALITY-001 of writer"},
		"an issue not there":    {[]string{"analyst", "--session", dir, "--issue", "nowhere.md"}, "--issue: "},
		"a model without keys":  {[]string{"analyst", "--session", dir, "--models", "gemini"}, "--models: "},
	} {
		code, out, errs := call(append([]string{"role"}, test.args...)...)
		if code != 2 || out != "" || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit %d, %q lacks %q", name, code, errs, test.want)
		}
	}
}

// The bus as the lifecycle has it: numbered one above the highest, a type by
// default, the speaker in front, unreadable lines passed over.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		code, out, errs := call(append([]string{"messages", args[0], "--session", dir}, args[1:]...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errs)
		}
		return out
	}
	if got := run("log", "--from", "writer", "--to", "coordinator", "--summary", "half  way"); got != "MSG-001\n" {
		t.Errorf("first id %q", got)
	}
	bus := filepath.Join(dir, ".msg", "messages.jsonl")
	kept, err := os.ReadFile(bus)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]json.RawMessage
	if err := json.Unmarshal(kept, &record); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"$`).Match(record["ts"]) || string(record["type"]) != `"message"` || string(record["summary"]) != `"[writer] half way"` {
		t.Errorf("record %s", kept)
	}
	if err := os.WriteFile(bus, append(kept, []byte("not a record\n")...), 0o644); err != nil {
		t.Fatal(err)
	}
	run("log", "--from", "reviewer", "--to", "coordinator", "--type", "quality_result", "--summary", "[reviewer] PASS", "--ref", "spec/readiness-report.md", "--data", `{"score": 91}`)
	run("log", "--from", "coordinator", "--to", "all", "--type", "shutdown", "--summary", "done")

	ids := regexp.MustCompile(`(?m)^MSG-\d+`)
	for _, test := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"MSG-001", "MSG-002", "MSG-003"}},
		{[]string{"--last", "1"}, []string{"MSG-003"}},
		{[]string{"--from", "reviewer"}, []string{"MSG-002"}},
		{[]string{"--to", "coordinator", "--type", "message"}, []string{"MSG-001"}},
	} {
		if diff := cmp.Diff(test.want, ids.FindAllString(run(append([]string{"list"}, test.args...)...), -1)); diff != "" {
			t.Errorf("list %v: %s", test.args, diff)
		}
	}
	if got := run("read", "MSG-002"); !strings.Contains(got, "[reviewer] PASS\nref: spec/readiness-report.md\ndata: {\"score\":91}\n") {
		t.Errorf("read: %s", got)
	}
	if got := run("status"); !regexp.MustCompile(`(?s)^completed, 3 messages\nwriter +1 .*message\nreviewer +1 .*quality_result\ncoordinator +1 .*shutdown\n$`).MatchString(got) {
		t.Errorf("status: %s", got)
	}
	for name, args := range map[string][]string{
		"an unknown id": {"read", "MSG-099"}, "too many": {"list", "--last", "101"},
		"data that is no object": {"log", "--from", "a", "--to", "b", "--summary", "c", "--data", "[1]"},
	} {
		if code, out, errs := call(append([]string{"messages", args[0], "--session", dir}, args[1:]...)...); code != 2 || out != "" || errs == "" {
			t.Errorf("%s: exit %d, %q %q", name, code, out, errs)
		}
	}
	if code, _, _ := call("messages", "list", "--session", filepath.Join(dir, "nowhere")); code != 2 {
		t.Errorf("a session that is not there: exit %d", code)
	}
}
