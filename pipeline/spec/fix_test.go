package spec

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What --fix does, line by line; what it leaves alone stands as it is.
var mends = []struct{ rule, name, before, after string }{
	{"L05", "the title sides with the name", "-- spec/requirements/REQ-002-a.md --\n---\nid: REQ-003\n---\n# REQ-002: A\n", "-- spec/requirements/REQ-002-a.md --\n---\nid: REQ-002\n---\n# REQ-002: A\n"},
	{"L05", "the title sides with the id", "-- spec/requirements/REQ-002-a.md --\n---\nid: REQ-003\n---\n# REQ-003: A\n", ""},
	{"L09", "a file that moved", "-- docs/a.md --\nSee [b](b.md#two).\n-- docs/deep/b.md --\n# One\n\n## Two\n", "-- docs/a.md --\nSee [b](deep/b.md#two).\n-- docs/deep/b.md --\n# One\n\n## Two\n"},
	{"L09", "a file without that heading", "-- docs/a.md --\nSee [b](b.md#three).\n-- docs/deep/b.md --\n# One\n\n## Two\n", ""},
	{"L09", "two files of the name", "-- a.md --\nSee [b](b.md).\n-- x/b.md --\n# B\n-- y/b.md --\n# B\n", ""},
	{"L09", "a heading with other marks between its words", "-- a.md --\n# A\n\nSee [g](#goals-success-metrics).\n\n## Goals & Success Metrics\n", "-- a.md --\n# A\n\nSee [g](#goals--success-metrics).\n\n## Goals & Success Metrics\n"},
	{"L09", "a heading that moved to another file", "-- a.md --\n# A\n\nSee [g](#limits).\n-- b.md --\n# B\n\n## Limits\n", "-- a.md --\n# A\n\nSee [g](b.md#limits).\n-- b.md --\n# B\n\n## Limits\n"},
	{"L09", "a heading that two files have", "-- a.md --\n# A\n\nSee [g](#limits).\n-- b.md --\n# B\n\n## Limits\n-- c.md --\n# C\n\n## Limits\n", ""},
	{"L09", "two links on a line", "-- a.md --\nSee [b](b.md) and [c](c.md).\n-- x/b.md --\n# B\n-- x/c.md --\n# C\n", "-- a.md --\nSee [b](x/b.md) and [c](x/c.md).\n-- x/b.md --\n# B\n-- x/c.md --\n# C\n"},
	{"L09", "a path with a space", "-- a.md --\nSee [b](b.md).\n-- x y/b.md --\n# B\n", "-- a.md --\nSee [b](x%20y/b.md).\n-- x y/b.md --\n# B\n"},
	{"L13", "mixed case", requirement("The service Must not retry twice."), requirement("The service MUST NOT retry twice.")},
	{"L13", "the name of a priority", requirement("The page MUST list each Must requirement first."), ""},
	{"L13", "twice on a line", requirement("The service Must not retry and Must not wait."), ""},
	{"L13", "quoted", requirement("The page MUST show “The door Must not open”."), ""},
	{"L25", "two words", requirement("The report MUST be mailed and/or shown."), requirement("The report MUST be mailed or shown, or both.")},
	{"L25", "more words", requirement("The service MUST print and/or mail the list of the owner, sorted."), requirement("The service MUST print or mail the list of the owner, or both, sorted.")},
	{"L25", "three of them", requirement("The report MUST be printed, mailed and/or shown."), ""},
	{"L25", "a condition behind it", requirement("The report MUST be mailed and/or shown when it is ready."), ""},
	{"L25", "a slash", requirement("The report MUST name its owner/author."), ""},
	{"L37", "two spellings", requirement("The webhook MUST be sent once. The service MUST log each webhook.\nThe service MUST count each web-hook."), requirement("The webhook MUST be sent once. The service MUST log each webhook.\nThe service MUST count each webhook.")},
	{"L37", "in code and in a link", requirement("The webhook MUST be sent once. The service MUST log each webhook.\nThe service MUST keep the web-hook as `web-hook` ([x](web-hook.html))."), requirement("The webhook MUST be sent once. The service MUST log each webhook.\nThe service MUST keep the webhook as `web-hook` ([x](web-hook.html)).")},
}

func TestFixMendsTheMechanicalAndNothingElse(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mends {
		t.Run(m.rule+" "+m.name, func(t *testing.T) {
			files := exampleFiles(m.before)
			changed, report := Mend(files, Options{Language: "en"})
			want := map[string]string{}
			if m.after != "" {
				seen[m.rule] = true
				before := byPath(files)
				for path, text := range byPath(exampleFiles(m.after)) {
					if text != before[path] {
						want[path] = text
					}
				}
				if slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Rule == m.rule }) {
					t.Errorf("%s is still found", m.rule)
				}
			}
			if diff := cmp.Diff(want, byPath(changed)); diff != "" {
				t.Error(diff)
			}
			after := byPath(files)
			for path, text := range byPath(changed) {
				after[path] = text
			}
			var again []File
			for path, text := range after {
				again = append(again, File{path, []byte(text)})
			}
			if twice, _ := Mend(again, Options{Language: "en"}); len(twice) > 0 {
				t.Errorf("a second time it changes more: %q", byPath(twice))
			}
		})
	}
	for _, r := range Rules {
		if (r.Mends != "") != seen[r.ID] {
			t.Errorf("%s says %q of what --fix does; shown: %v", r.ID, r.Mends, seen[r.ID])
		}
	}
}

func TestFixMendsOnlyWhatItQuotes(t *testing.T) {
	files := []File{{"a.md", []byte("one\r\n  two and/or three\r\nfour\n")}}
	found := []Finding{
		{Rule: "L25", File: "a.md", Line: 2, End: 2, Quote: "two and/or three", Replacement: "two or three"},
		{Rule: "L25", File: "a.md", Line: 3, End: 3, Quote: "moved away", Replacement: "x"},
		{Rule: "L25", File: "a.md", Line: 1, End: 1, Quote: "one", Replacement: "y", Reason: "allowed"},
	}
	want := "one\r\n  two or three\r\nfour\n"
	if diff := cmp.Diff(map[string]string{"a.md": want}, byPath(Fix(files, found))); diff != "" {
		t.Error(diff)
	}
}

// On the corpus's mutants mending takes findings away and adds none.
func TestMendingAddsNoFinding(t *testing.T) {
	at := func(f Finding) string { return fmt.Sprint(f.Rule, f.File, f.Line) }
	domains, texts := cleanDomains(t)
	for i, d := range domains {
		if d.name != "billing" {
			continue
		}
		known := Parse(d.files(nil))
		for _, m := range allMutations() {
			if rule, _ := RuleByID(m.rule); rule.Mends == "" {
				continue
			}
			mutant := readDomain(t, d.name, texts[i])
			if !m.apply(mutant) {
				continue
			}
			files := mutant.files(known)
			had := map[string]bool{}
			for _, f := range Lint(files, mutant.options).Findings {
				had[at(f)] = true
			}
			_, report := Mend(files, mutant.options)
			for _, f := range report.Findings {
				if !had[at(f)] {
					t.Errorf("%s, %s %q: mending brought %s %s:%d %s", d.name, m.rule, m.name, f.Rule, f.File, f.Line, f.Message)
				}
			}
		}
	}
}
