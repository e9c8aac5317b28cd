package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/app/githubsim/conform"
)

func runTry(t *testing.T, in string, args ...string) (out, errs, thread string, code int) {
	t.Helper()
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	term := &terminal{in: strings.NewReader(in), out: &stdout, err: &stderr, watch: conform.Watch(t),
		env: func(string) (string, bool) { return "", false }}
	code = run(append(append([]string{"try"}, args...), "--out", dir), term)
	raw, err := os.ReadFile(filepath.Join(dir, "thread.md"))
	if err != nil && code == 0 {
		t.Error(err)
	}
	return stdout.String(), stderr.String(), string(raw), code
}

// Each --say is used once, in order, and the thread holds it with what came of it.
func TestTrySaysInOrder(t *testing.T) {
	_, errs, thread, code := runTry(t, "", "samples/well-written.md", "--mode", "full-lifecycle", "--say", "/resume", "--say", "/finish")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	first, second := strings.Index(thread, "\n/resume\n"), strings.Index(thread, "\n/finish\n")
	if first < 0 || second < first || strings.Count(thread, "\n/resume\n") != 1 {
		t.Errorf("/resume at %d, /finish at %d", first, second)
	}
	for _, want := range []string{"# Retry failed webhook deliveries (#1)", "parley[bot] reviewed #2", "parley/gate", "<!-- parley:panel -->"} {
		if !strings.Contains(thread, want) {
			t.Errorf("the thread lacks %q", want)
		}
	}
	if !strings.Contains(errs, "RESEARCH-001") || strings.Contains(errs, "\x1b[") {
		t.Errorf("progress on a pipe: %q", errs)
	}
}

func TestTryReadsStandardInputQuietly(t *testing.T) {
	project := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module reports\n\ngo 1.26\n")
	write("export.go", "package reports\n\n// Export writes a report.\nfunc Export() {}\n")
	out, errs, thread, code := runTry(t, "# Export reports\n\n- The tool must export a report as CSV in under 2 s.\n", "-", "--quiet", "--sources", "--repo", project)
	if code != 0 || errs != "" {
		t.Fatalf("exit %d, stderr %q", code, errs)
	}
	if !strings.Contains(thread, "# Export reports (#1)") {
		t.Error("the thread does not begin with the issue")
	}
	if !regexp.MustCompile(`(?m)^line 1\s+\S+\s+(REQ|NFR)-\S+\s+The tool must export`).MatchString(out) || !strings.Contains(out, "1 of 1 covered") {
		t.Errorf("sources:\n%s", out)
	}
	_, folder, _ := strings.Cut(out, "session folder: ")
	folder, _, _ = strings.Cut(folder, "\n")
	if found, err := os.ReadFile(filepath.Join(folder, "spec", "discovery-context.json")); err != nil || !strings.Contains(string(found), `"Go"`) {
		t.Errorf("of the project of --repo the session knows (%v)\n%s", err, found)
	}
}
