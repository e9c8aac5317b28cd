package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/app/githubsim/conform"
	"parley/pipeline/spec"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the README")

var marked = regexp.MustCompile(`(?s)(<!-- generated: (review|rules|precision) -->\n).*?(<!-- end of generated -->)`)

// The README shows a real review, the catalogue as it is, and its figures as
// they were measured. `go test ./cmd/parley -run README -update` refreshes them.
func TestREADMEIsCurrent(t *testing.T) {
	const path = "../../README.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]func(*testing.T) string{"review": realReview, "rules": catalogue, "precision": precision}
	fresh := marked.ReplaceAllStringFunc(string(raw), func(part string) string {
		m := marked.FindStringSubmatch(part)
		return m[1] + "\n" + parts[m[2]](t) + "\n" + m[3]
	})
	if n := len(marked.FindAllString(string(raw), -1)); n != len(parts) {
		t.Errorf("README.md has %d of %d generated parts", n, len(parts))
	}
	if fresh == string(raw) {
		return
	}
	if !*update {
		t.Fatal("README.md is not what the program says; run: go test ./cmd/parley -run README -update")
	}
	if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

// realReview runs a session and quotes what was posted for its third round.
func realReview(t *testing.T) string {
	out := t.TempDir()
	var stderr bytes.Buffer
	term := &terminal{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &stderr, watch: conform.Watch(t), env: func(string) (string, bool) { return "", false }}
	if code := run([]string{"try", "samples/risky.md", "--mode", "spec-only", "--quiet", "--out", out}, term); code != 0 {
		t.Fatalf("parley try: exit %d: %s", code, stderr.String())
	}
	thread, err := os.ReadFile(filepath.Join(out, "thread.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, review, ok := strings.Cut(string(thread), "\n**DISCUSS-003")
	if !ok {
		t.Fatal("no review of the third round in the thread")
	}
	review, _, _ = strings.Cut("**DISCUSS-003"+review, "\n<details>")
	var b strings.Builder
	b.WriteString("What a review looks like, here of a sample that says too little about its risks:\n\n")
	for _, line := range strings.Split(strings.TrimSpace(review), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

func catalogue(*testing.T) string { return spec.Catalogue() }

func precision(t *testing.T) string {
	raw, err := os.ReadFile("../../pipeline/spec/testdata/corpus/table.md")
	if err != nil {
		t.Fatalf("the measured figures: %v; run the corpus test of pipeline/spec with -update", err)
	}
	sums, rules, ok := strings.Cut(string(raw), "\nFiring rate:")
	if !ok {
		t.Fatal("the table of the corpus has no figures per rule")
	}
	return sums + "\n<details><summary>Per rule</summary>\n\nFiring rate:" + strings.TrimRight(rules, "\n") + "\n\n</details>\n"
}
