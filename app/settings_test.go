package app

import (
	"strings"
	"testing"

	"parley/pipeline"
)

// Each mistake is named with its line, and a file with one changes nothing.
func TestSettingsMistakes(t *testing.T) {
	for name, row := range map[string]struct{ org, repo, says string }{
		"an unknown key":                {"", "label: spec\nlabbel: x\n", ".github/parley.yml: line 2: field labbel not found"},
		"a wrong kind":                  {"", "\nenabled: sometimes\n", ".github/parley.yml: line 2: "},
		"a word that is none":           {"", "label: spec\nnotify: everybody\n", `.github/parley.yml: line 2: notify: "everybody" is none of starter, assignees, none`},
		"a nested word":                 {"", "gate:\n  accept:\n    review: write\n    fail: owner\n", ".github/parley.yml: line 4: gate.accept.fail: "},
		"a rule that is none":           {"", "lint:\n  disable:\n    L99: because\n", ".github/parley.yml: line 3: lint.disable.L99: there is no such rule"},
		"a rule without a reason":       {"", "lint:\n  disable:\n    L01: because\n    L02: \"\"\n", ".github/parley.yml: line 4: lint.disable.L02: say why"},
		"a prefix that leaves a folder": {"", "keep: all\nbranch_prefix: ../x/\n", ".github/parley.yml: line 2: branch_prefix: "},
		"hours beyond a month":          {"", "question_hours: 721\n", ".github/parley.yml: line 1: question_hours: "},
		"a trailer that is a line more": {"", "trailers:\n- \"A: b\\nC: d\"\n", ".github/parley.yml: line 1: trailers: "},
		"the floor in a repository":     {"", "keep: all\nfloor: {require_model: true}\n", ".github/parley.yml: line 2: floor: "},
		"a floor of no word":            {"floor:\n  accept:\n    review: anybody\n", "", "the organisation's parley.yml: line 3: floor.accept.review: "},
	} {
		t.Run(name, func(t *testing.T) {
			got, said := ParseSettings([]byte(row.org), []byte(row.repo))
			if len(said) != 1 || !strings.HasPrefix(said[0], row.says) {
				t.Errorf("said %q, want %q", said, row.says)
			}
			if want := pipeline.DefaultSettings(); got.Label != want.Label || got.Keep != want.Keep || got.Gate != want.Gate || len(got.DisabledRules) > 0 {
				t.Errorf("a file with a mistake changed something: %+v", got)
			}
		})
	}
}

// A repository may tighten the organisation's floor, not loosen it.
func TestSettingsFloor(t *testing.T) {
	org := []byte("gate: {accept: {review: maintain}}\nfloor: {require_model: true, accept: {review: maintain, issue_author: false}}\n")
	got, said := ParseSettings(org, []byte("gate: {require_model: false, accept: {review: triage, fail: admin, issue_author: true}}\n"))
	if got.Gate.AcceptReview != pipeline.PermMaintain || got.Gate.AcceptFail != pipeline.PermAdmin || !got.Gate.RequireModel || got.Gate.AcceptIssueAuthor {
		t.Errorf("gate %+v", got.Gate)
	}
	if len(said) != 3 {
		t.Errorf("said %q, want three things", said)
	}
}
