package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline/spec"
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
			errs = strings.TrimSuffix(errs, "parley: see parley lint --help\n") // what flags are there
			if code == 2 && (out != "" || strings.Count(strings.TrimSpace(errs), "\n") > 0) {
				t.Errorf("bad input is one line of complaint: %q %q", out, errs)
			}
		})
	}
}

func TestLintRefusesWhatIsNotThere(t *testing.T) {
	device := filepath.Join(t.TempDir(), "device.md")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"no such file":   {"lint", filepath.Join(t.TempDir(), "nope.md")},
		"no Markdown":    {"lint", t.TempDir()},
		"nothing named":  {"lint"},
		"no such rule":   {"lint", "--explain", "L99"},
		"not a file":     {"lint", device},
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
	code, out, errs := call("lint", "--format", "json", write(t, "notes.md", clean+"\n- [ ] See [the plan](#plan).\n"))
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
	if got.Files != 1 || got.Items != 4 || got.Risk == "" || got.Missing == nil || got.Gate == "" {
		t.Errorf("%s", out)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &whole); err != nil {
		t.Fatal(err)
	}
	for _, keys := range []struct{ got, want []string }{
		{slices.Sorted(maps.Keys(whole)), []string{"files", "findings", "gate", "items", "missing_requirements", "ratings", "risk_level", "scores"}},
		{slices.Sorted(maps.Keys(got.Ratings)), []string{"coverage", "product", "quality", "risk", "technical"}},
		{slices.Sorted(maps.Keys(got.Scores)), []string{"completeness", "consistency", "coverage", "depth", "overall", "traceability"}},
		{slices.Sorted(maps.Keys(got.Findings[0])), []string{"file", "item", "line", "message", "perspectives", "remedy", "rule", "severity"}},
	} {
		if diff := cmp.Diff(keys.want, keys.got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLintExplains(t *testing.T) {
	code, out, _ := call("lint", "--explain", "l48")
	if code != 0 || !strings.Contains(out, "L48 · dangling trace · blocker") || !strings.Contains(out, "Bad:") || strings.Contains(out, "--fix") {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, out, _ = call("lint", "--explain", "L13"); code != 0 || !strings.Contains(out, "--fix: writes a keyword of mixed case in capitals.") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The configuration of the checkout the documents lie in counts, wherever the
// command is run.
func TestLintReadsTheRepositorysSettings(t *testing.T) {
	const off = "lint:\n  disable:\n    L01: the standard is not out yet\n"
	dirty := strings.Replace(clean, "30 seconds", "TBD seconds", 1)
	for _, test := range []struct {
		name, settings, dir string
		code                int
		want                string
	}{
		{"in a folder of the checkout", off, "docs/specs", 0, "0 blockers"},
		{"in the checkout itself", off, ".", 0, "0 blockers"},
		{"none there", "", "docs/specs", 1, "L01"},
		{"a key that is none", "lint:\n  disabel: {}\n", "docs/specs", 2, "parley.yml: line 2"},
		{"no reason", "lint:\n  disable:\n    L01: \"\"\n", "docs/specs", 2, "say why"},
		{"no such rule", "lint:\n  disable:\n    L99: because\n", "docs/specs", 2, "there is no such rule"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{".git/HEAD": "ref: refs/heads/main\n", filepath.Join(test.dir, "spec.md"): dirty}
			if test.settings != "" {
				files[configFile] = test.settings
			}
			code, out, errs := call("lint", filepath.Join(tree(t, files), test.dir))
			if code != test.code || !strings.Contains(out+errs, test.want) {
				t.Errorf("exit %d, want %d: %s%s", code, test.code, out, errs)
			}
		})
	}
	t.Run("two checkouts", func(t *testing.T) {
		a, b := tree(t, map[string]string{configFile: off, "a.md": clean}), tree(t, map[string]string{".git/HEAD": "", "a.md": clean})
		if code, _, errs := call("lint", a, b); code != 2 || !strings.Contains(errs, "different checkouts") {
			t.Errorf("exit %d: %s", code, errs)
		}
	})
}

// GitHub knows files by their paths from the root of the checkout.
func TestLintNamesFilesAsGitHubDoes(t *testing.T) {
	dir := tree(t, map[string]string{".git/HEAD": "", "docs/my specs/a.md": strings.Replace(clean, "30 seconds", "TBD seconds", 1)})
	for format, want := range map[string]string{"github": "::error file=docs/my specs/a.md,line=9,", "sarif": `"uri": "docs/my%20specs/a.md"`, "json": dir, "text": dir} {
		t.Chdir(filepath.Join(dir, "docs"))
		if code, out, errs := call("lint", "--format", format, filepath.Join(dir, "docs")); code != 1 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d: %s%s", format, code, out, errs)
		}
	}
}

func TestLintFixes(t *testing.T) {
	text := strings.Replace(clean, "send a failed delivery again after 30 seconds.", "log and/or count a failed delivery. It Must not wait.", 1)
	path := write(t, "notes.md", text)
	read := func() string {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	_, out, errs := call("lint", "--fix", path)
	want := strings.NewReplacer("log and/or count a failed delivery.", "log or count a failed delivery, or both.", "Must not", "MUST NOT").Replace(text)
	if got := read(); got != want || strings.Count(errs, "mended") != 1 || strings.Contains(out, "L13") || strings.Contains(out, "L25") {
		t.Errorf("%s%s%s", got, out, errs)
	}
	if _, _, errs := call("lint", "--fix", path); errs != "" || read() != want {
		t.Errorf("a second time: %s%s", errs, read())
	}
}

// A file of any length is judged by its beginning, and left as it is.
func TestLintReadsTheBeginningOfALongFile(t *testing.T) {
	text := strings.Replace(clean, "MUST send", "Must send", 1) + strings.Repeat("And so on.\n", spec.FileLimit/10)
	path := write(t, "long.md", text)
	code, out, errs := call("lint", "--fix", path)
	if code != 0 || !strings.Contains(out, "L13") || !strings.Contains(errs, "longer or deeper than is read") || strings.Contains(errs, "mended") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
		t.Errorf("it has %d bytes now, %v", len(raw), err)
	}
}

// A folder that leads back to itself is read once; what is no file is passed over.
func TestLintWalksAFolderOnce(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": clean, ".git/HEAD": "", "node_modules/b.md": clean})
	for link, to := range map[string]string{"again": dir, "device.md": os.DevNull, "gone.md": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := call("lint", dir, filepath.Join(dir, "a.md")); code != 0 || !strings.Contains(out, "1 file, ") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
