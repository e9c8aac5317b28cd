package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const clean = "# Retries\n\n## G-001: Fewer lost deliveries\n\nFewer than 0.1 % by 2027-03-31.\n\n## REQ-001: Retry [Must]\n\nThe service MUST send a failed delivery again after 30 seconds.\n\n**Traces to:** G-001\n\n**Acceptance Criteria:**\n\n- [ ] After a 503 answer the service sends the delivery again.\n"

func TestLint(t *testing.T) {
	dirty := strings.Replace(clean, "30 seconds", "TBD seconds", 1)
	dangling := strings.Replace(clean, "G-001\n\n**Acc", "G-009\n\n**Acc", 1)
	for _, test := range []struct {
		name string
		args []string
		text string
		code int
		want string // in the output, or in the complaint
	}{
		{"clean", nil, clean, 0, "0 blockers"},
		{"a placeholder in a Must blocks", nil, dirty, 1, "L01"},
		{"a dangling trace blocks", nil, dangling, 1, "G-009, which does not exist"},
		{"annotations", []string{"--format", "github"}, dirty, 1, "::error file="},
		{"sarif", []string{"--format", "sarif"}, dirty, 1, `"version": "2.1.0"`},
		{"json", []string{"--format", "json"}, dirty, 1, `"severity": "blocker"`},
		{"ordinary prose", nil, "# A diary\n\nToday it rained. We should go out tomorrow, if possible.\n", 0, "0 blockers, 0 majors, 0 minors"},
		{"not text", nil, "\x00\x01\x02", 2, "is not text"},
		{"unknown format", []string{"--format", "xml"}, clean, 2, "--format"},
		{"unknown grade", []string{"--fail-on", "typo"}, clean, 2, "--fail-on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := call(append([]string{"lint", write(t, "notes.md", test.text)}, test.args...)...)
			if code != test.code || !strings.Contains(out+errs, test.want) {
				t.Errorf("exit %d, want %d; %s%s", code, test.code, out, errs)
			}
			if code == 2 && (out != "" || strings.Count(strings.TrimSpace(errs), "\n") > 0) {
				t.Errorf("bad input is one line of complaint: %q %q", out, errs)
			}
		})
	}
}

func TestLintRefusesWhatIsNotThere(t *testing.T) {
	for name, args := range map[string][]string{
		"no such file":   {"lint", filepath.Join(t.TempDir(), "nope.md")},
		"no Markdown":    {"lint", t.TempDir()},
		"nothing named":  {"lint"},
		"no such rule":   {"lint", "--explain", "L99"},
		"not a document": {"lint", write(t, "main.go", "package main")},
	} {
		t.Run(name, func(t *testing.T) {
			if code, out, errs := call(args...); code != 2 || out != "" || errs == "" {
				t.Errorf("exit %d: %q %q", code, out, errs)
			}
		})
	}
}

func TestLintJSON(t *testing.T) {
	code, out, errs := call("lint", "--format", "json", write(t, "notes.md", clean))
	if code != 0 {
		t.Fatal(code, errs)
	}
	var got struct {
		Files, Items int
		Findings     []map[string]any
		Ratings      map[string]*int
		Risk         string   `json:"risk_level"`
		Missing      []string `json:"missing_requirements"`
		Scores       map[string]*float64
		Gate         string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Files != 1 || got.Items != 3 || len(got.Ratings) != 5 || got.Risk == "" || got.Missing == nil || len(got.Scores) != 6 || got.Gate == "" {
		t.Errorf("%s", out)
	}
}

func TestLintExplains(t *testing.T) {
	code, out, _ := call("lint", "--explain", "l48")
	if code != 0 || !strings.Contains(out, "L48 · dangling trace · blocker") || !strings.Contains(out, "Bad:") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestLintReadsTheRepositorysSettings(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	settings := func(text string) {
		if err := os.MkdirAll(".github", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(".github/parley.yml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("spec.md", []byte(strings.Replace(clean, "30 seconds", "TBD seconds", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	settings("lint:\n  disable:\n    L01: the standard is not out yet\n")
	if code, out, errs := call("lint", "spec.md"); code != 0 || strings.Contains(out, "L01") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	settings("lint:\n  disabel: {}\n")
	if code, _, errs := call("lint", "spec.md"); code != 2 || !strings.Contains(errs, "parley.yml") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
