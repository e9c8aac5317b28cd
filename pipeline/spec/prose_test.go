package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On texts that are no specification the rules stay quiet.
func TestProseStaysQuiet(t *testing.T) {
	paths, err := filepath.Glob("testdata/prose/*.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, found, long := 0, 0, 0
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(text), "\n")
		if n >= 150 {
			long++
		}
		findings := Lint([]File{{filepath.Base(p), text}}, Options{}).Findings
		for _, f := range findings {
			t.Logf("%s:%d %s %s: %s", p, f.Line, f.Rule, f.Grade, f.Message)
		}
		lines, found = lines+n, found+len(findings)
		if len(findings)*100 > max(n, 100) {
			t.Errorf("%s: %d findings in %d lines", p, len(findings), n)
		}
	}
	t.Logf("%d findings in %d lines of %d texts, %d of them long", found, lines, len(paths), long)
	if long < 10 {
		t.Errorf("%d long texts, want 10", long)
	}
	if found*100 > lines {
		t.Errorf("%d findings in %d lines, want at most one for 100", found, lines)
	}
}

func TestCatalogueShowsEachRuleOnOneLine(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(Catalogue()), "\n")[2:]
	if len(rows) != len(Rules) {
		t.Fatalf("%d rows for %d rules", len(rows), len(Rules))
	}
	for i, row := range rows {
		if !strings.HasPrefix(row, "| "+Rules[i].ID+" |") || len(splitCells(row)) != 5 {
			t.Errorf("row %q", row)
		}
	}
}
