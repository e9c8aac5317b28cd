package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/pipeline/spec"
)

// nastyNames have broken diagrams elsewhere: keywords, brackets, quotes, arrows.
var nastyNames = []string{"a \"q\" b", "x; y", "end", "graph TD", "a[b]", "{c}", "(d)", "#35;", "中文 组件", "a|b", "<b>x</b>", "%% comment", "class", "1abc",
	"a-->b", "`x`", "subgraph", "style", "💥 boom", "a\\b", "direction LR", "é ü", "o--o", "**bold**", "click me", "A&B", "100 %"}

// TestRealToolsReadTheDocuments shows what sessions on all sample issues wrote,
// and diagrams of the worst names, to the programs people read them with:
// markdownlint with its defaults but line length, mermaid, and the validator of
// SARIF with the rules of code scanning.
func TestRealToolsReadTheDocuments(t *testing.T) {
	peers := os.Getenv("PARLEY_TEST_PEERS")
	if peers == "" {
		t.Skip("NOT READ BY MARKDOWNLINT, MERMAID AND SARIF'S VALIDATOR: run make test-peers")
	}
	dir := t.TempDir()
	issues, err := filepath.Glob("../../pipeline/roles/testdata/issues/*.md")
	if err != nil || len(issues) < 10 {
		t.Fatalf("%d sample issues: %v", len(issues), err)
	}
	for i, issue := range issues {
		if code, _, errs := call("try", issue, "--mode", "spec-only", "--quiet", "--say", "/discuss", "--say", "/discuss deepen", "--out", filepath.Join(dir, "session", fmt.Sprint(i))); code != 0 {
			t.Fatalf("try %s: exit %d: %s", issue, code, errs)
		}
	}
	for _, f := range worstDiagrams() {
		path := filepath.Join(dir, "worst", f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("markdownlint", func(t *testing.T) {
		config := filepath.Join(dir, ".markdownlint-cli2.jsonc")
		if err := os.WriteFile(config, []byte(`{"config": {"MD013": false}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		said := tool(t, dir, "node", filepath.Join(peers, "node_modules/markdownlint-cli2/markdownlint-cli2-bin.mjs"), "session/**/spec/**/*.md",
			"session/**/discussions/*.md", "session/**/discussion.md", "session/**/wisdom/*.md")
		if m := regexp.MustCompile(`Linting: (\d+) file`).FindStringSubmatch(said); m == nil || len(m[1]) < 3 {
			t.Errorf("too few documents were read: %s", said)
		}
	})
	t.Run("mermaid", func(t *testing.T) { readDiagrams(t, dir, peers) })
	t.Run("sarif", func(t *testing.T) {
		dirty := tree(t, map[string]string{".git/HEAD": "", "docs/my specs/a.md": strings.Replace(clean, "30 seconds", "TBD seconds, and/or quickly", 1)})
		code, out, errs := call("lint", "--format", "sarif", filepath.Join(dirty, "docs"))
		if code != 1 {
			t.Fatalf("exit %d: %s", code, errs)
		}
		path := filepath.Join(dir, "lint.sarif")
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		said := tool(t, dir, filepath.Join(peers, "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"), "validate", path, "--rule-kind", "Sarif;Ghas")
		for line := range strings.Lines(said) {
			// A tool without a home page of its own names none.
			if strings.Contains(line, ": error ") || strings.Contains(line, ": warning ") && !strings.Contains(line, "informationUri") {
				t.Error(line)
			}
		}
	})
}

// worstDiagrams are documents whose every name is nasty.
func worstDiagrams() []spec.File {
	var a spec.Architecture
	var e spec.Epics
	for i, n := range nastyNames {
		other := nastyNames[(i+1)%len(nastyNames)]
		a.Components = append(a.Components, spec.Component{Name: n, Depends: []string{other, "ext " + n}})
		a.Entities = append(a.Entities, spec.Entity{Name: n, Fields: n + ", id, class"})
		a.Relations = append(a.Relations, spec.Relation{From: n, To: other, Kind: n})
		e.Epics = append(e.Epics, spec.Epic{ID: fmt.Sprintf("EPIC-%03d", i+1), Title: n, Dependencies: []spec.Dependency{{Epic: fmt.Sprintf("EPIC-%03d", i), Kind: "soft", Reason: n}}})
	}
	return append(a.Render()[:1], e.Render()[:1]...)
}

// mermaidParse reads a list of diagrams and prints what is wrong with each.
const mermaidParse = `
import { JSDOM } from 'jsdom';
import { readFileSync } from 'node:fs';
globalThis.window = new JSDOM('').window;
globalThis.document = window.document;
const mermaid = (await import('mermaid')).default;
const diagrams = JSON.parse(readFileSync(process.argv[1]));
let faulty = 0;
for (const text of diagrams) {
  try { await mermaid.parse(text); } catch (e) { faulty++; console.log(text + '\n' + e); }
}
console.log(diagrams.length + ' read, ' + faulty + ' faulty');
process.exit(faulty ? 1 : 0);
`

var mermaidFence = regexp.MustCompile("(?ms)^```mermaid\n(.*?)^```$")

func readDiagrams(t *testing.T, dir, peers string) {
	var diagrams []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range mermaidFence.FindAllSubmatch(text, -1) {
			diagrams = append(diagrams, string(m[1]))
		}
		return err
	})
	if err != nil || len(diagrams) < 30 {
		t.Fatalf("%d diagrams: %v", len(diagrams), err)
	}
	raw, err := json.Marshal(diagrams)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "diagrams.json")
	if err := os.WriteFile(list, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	// Packages are found from the working directory.
	t.Log(tool(t, peers, "node", "--input-type=module", "-e", mermaidParse, list))
}

// tool runs a program that must succeed, and gives what it said.
func tool(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", filepath.Base(name), err, said.String())
	}
	return said.String()
}
