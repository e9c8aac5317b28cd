package spec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ratings(s *Set, found []Finding) map[string]int {
	out := map[string]int{}
	for _, p := range Perspectives {
		out[p] = Rate(s, found, p).Value
	}
	return out
}

// someFindings are hits of any rules on the items of a set.
func someFindings(t *rapid.T, s *Set) []Finding {
	var out []Finding
	for i := range rapid.IntRange(0, 25).Draw(t, "hits") {
		r := rapid.SampledFrom(Rules).Draw(t, "rule")
		it := rapid.SampledFrom(s.Items).Draw(t, "item")
		grade := rapid.SampledFrom([]string{Blocker, Major, Minor, Info, r.Grade}).Draw(t, "grade")
		out = append(out, Finding{Rule: r.ID, Grade: grade, File: it.File, Line: it.Line, Item: it.ID, Unit: fmt.Sprint(it.ID, i%5), Must: rapid.Bool().Draw(t, "must"),
			Perspectives: r.Perspectives})
	}
	return out
}

func TestMendingAHitNeverLowersARating(t *testing.T) {
	s := Parse(sampleFiles())
	rapid.Check(t, func(t *rapid.T) {
		found := someFindings(t, s)
		if len(found) == 0 {
			return
		}
		i := rapid.IntRange(0, len(found)-1).Draw(t, "mended")
		fewer := slices.Delete(slices.Clone(found), i, i+1)
		before, after := ratings(s, found), ratings(s, fewer)
		for _, p := range Perspectives {
			if after[p] < before[p] {
				t.Fatalf("%s fell from %d to %d when %s was mended", p, before[p], after[p], found[i].Rule)
			}
		}
		slices.Reverse(found)
		if diff := cmp.Diff(before, ratings(s, found)); diff != "" {
			t.Fatal("the order of findings matters: " + diff)
		}
	})
}

func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	files := sampleFiles()
	want := Judge(Parse(files), Options{})
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(files).Draw(t, "files")
		got := Judge(Parse(shuffled), Options{})
		if diff := cmp.Diff(want.Findings, got.Findings); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(want.Ratings, got.Ratings); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(want.Scores, got.Scores); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFillerNeverRaisesARating(t *testing.T) {
	files := sampleFiles()
	for i := range files {
		files[i].Text = []byte(strings.ReplaceAll(string(files[i].Text), "after 30 seconds", "soon, if possible"))
	}
	s := Parse(files)
	before := ratings(s, Check(s, Options{}))
	rapid.Check(t, func(t *rapid.T) {
		padded := slices.Clone(files)
		i := rapid.IntRange(0, len(padded)-1).Draw(t, "file")
		filler := rapid.SampledFrom([]string{"\n\n\n", "\nA calm sentence about nothing in particular.\n", "\n## Notes\n\nThe sky was clear that day.\n", "\n<!-- a remark -->\n"}).Draw(t, "filler")
		padded[i].Text = []byte(string(padded[i].Text) + strings.Repeat(filler, rapid.IntRange(1, 9).Draw(t, "times")))
		p := Parse(padded)
		for name, v := range ratings(p, Check(p, Options{})) {
			if v > before[name] {
				t.Fatalf("%s rose from %d to %d", name, before[name], v)
			}
		}
	})
}

func TestTooLittleIsNotRated(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "prose": "# Notes\n\nSome words.\n", "two statements": "## REQ-001: A\n\nIt MUST answer.\n\n## REQ-002: B\n\nIt MUST log.\n"} {
		t.Run(name, func(t *testing.T) {
			s := Parse([]File{{"x.md", []byte(text)}})
			for _, p := range Perspectives {
				if r := Rate(s, Check(s, Options{}), p); r.Value != 0 || r.Why == "" {
					t.Errorf("%s is rated %d (%q)", p, r.Value, r.Why)
				}
			}
		})
	}
}

func TestGate(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	tests := []struct {
		name     string
		score    float64
		coverage *float64
		whole    bool
		want     string
	}{
		{"at both thresholds", 80, at(70), true, Pass},
		{"just under the score", 79.99, at(100), true, Review},
		{"just under coverage", 95, at(69.9), true, Review},
		{"coverage half", 95, at(50), true, Review},
		{"coverage under half", 95, at(49.9), true, Fail},
		{"score at sixty", 60, at(70), true, Review},
		{"score under sixty", 59.99, at(100), true, Fail},
		{"something not assessable", 100, at(100), false, Review},
		{"coverage not assessable", 100, nil, false, Review},
		{"bad whatever coverage", 10, nil, false, Fail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gate(tt.score, tt.coverage, tt.whole); got != tt.want {
				t.Errorf("gate(%v) = %s, want %s", tt.score, got, tt.want)
			}
		})
	}
}

func TestWeightsOfTheDimensions(t *testing.T) {
	var got []string
	sum := 0
	for _, d := range dimensions {
		got = append(got, fmt.Sprint(d.name, " ", d.weight))
		sum += d.weight
	}
	if diff := cmp.Diff([]string{"completeness 25", "consistency 20", "traceability 25", "depth 20", "coverage 10"}, got); diff != "" || sum != 100 {
		t.Error(sum, diff)
	}
}

func TestScores(t *testing.T) {
	t.Run("a good specification passes", func(t *testing.T) {
		r := Judge(Parse(sampleFiles()), Options{})
		if r.Gate != Pass {
			t.Errorf("gate %s, %v", r.Gate, r.Scores)
		}
	})
	t.Run("a goal without a story", func(t *testing.T) {
		files := sampleFiles()
		e := sampleEpics()
		e.Epics = e.Epics[:1]
		files = append(slices.DeleteFunc(files, func(f File) bool { return strings.HasPrefix(f.Path, "spec/epics/") }), e.Render()...)
		s := Parse(files)
		sc := Score(s, Check(s, Options{}), Options{})
		if v := sc.Value("traceability"); v == nil || *v != 50 {
			t.Errorf("traceability %v", sc.Dimensions)
		}
		if got := sc.Dimensions[2].Note; got != "1 of 2 goals reaches a story" {
			t.Error(got)
		}
	})
	t.Run("asks", func(t *testing.T) {
		s := Parse(sampleFiles())
		o := Options{Asks: []Source{{14, "Failed deliveries must be sent again"}, {16, "Operators should see why"}, {18, "Customers must be able to switch retries off for one endpoint"}}}
		found := Check(s, o)
		sc := Score(s, found, o)
		if sc.Dimensions[4].Note != "2 of 3 asks covered" || sc.Gate == Pass {
			t.Errorf("%+v", sc)
		}
		if diff := cmp.Diff([]string{"Customers must be able to switch retries off for one endpoint"}, Missing(found)); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(sc.Lift, "line 18") {
			t.Errorf("lift: %q", sc.Lift)
		}
	})
	t.Run("nothing to cover is not assessable", func(t *testing.T) {
		b := sampleBrief()
		b.Goals = nil
		s := Parse(b.Render())
		sc := Score(s, nil, Options{})
		if sc.Value("coverage") != nil || sc.Value("traceability") != nil || sc.Gate == Pass {
			t.Errorf("%+v", sc)
		}
	})
	t.Run("an empty folder fails", func(t *testing.T) {
		if got := Judge(Parse(nil), Options{}).Gate; got != Fail {
			t.Error(got)
		}
	})
}

func TestSuppression(t *testing.T) {
	text := "## REQ-001: A\n\n<!-- parley:allow L01 the standard is not out yet -->\n\nIt MUST answer within TBD seconds.\n\n## REQ-002: B\n\n<!-- parley:allow L01 -->\n\nIt MUST log within TBD seconds.\n"
	var got []string
	for _, f := range Check(Parse([]File{{"x.md", []byte(text)}}), Options{}) {
		if f.Rule == "L01" {
			got = append(got, fmt.Sprint(f.Line, " ", f.Grade, " ", f.Reason))
		}
	}
	if diff := cmp.Diff([]string{"5 info the standard is not out yet", "11 major "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFormats(t *testing.T) {
	files := append(sampleFiles(), File{"spec/requirements/REQ-009-x.md", []byte("---\nid: REQ-009\ntype: functional\npriority: Must\ntraces_to: [G-777]\nstatus: draft\n---\n# REQ-009: X\n\n## Description\n\nIt MUST answer within TBD seconds.\n")})
	r := Lint(files, Options{})
	for name, format := range Formats {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := format(r, &b); err != nil {
				t.Fatal(err)
			}
			out := b.String()
			if !strings.Contains(out, "REQ-009-x.md") || !strings.Contains(out, "L48") {
				t.Errorf("the finding is not shown:\n%s", out)
			}
			if name == "json" || name == "sarif" {
				var v struct {
					Version string                    `json:"version"`
					Gate    string                    `json:"gate"`
					Ratings map[string]*int           `json:"ratings"`
					Scores  map[string]*float64       `json:"scores"`
					Runs    []struct{ Results []any } `json:"runs"`
				}
				if err := json.Unmarshal([]byte(out), &v); err != nil {
					t.Fatal(err)
				}
				if name == "json" && (len(v.Ratings) != 5 || len(v.Scores) != 6 || v.Gate == "") {
					t.Errorf("%+v", v)
				}
				if name == "sarif" && (v.Version != "2.1.0" || len(v.Runs) != 1 || len(v.Runs[0].Results) != len(r.Findings)) {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

func TestPhaseGates(t *testing.T) {
	discovery := Discovery{SessionID: "TLS-retry-2026-11-21", SeedAnalysis: SeedAnalysis{ProblemStatement: "Failed deliveries are lost.", TargetUsers: []string{"operators"},
		Dimensions: []string{"a", "b", "c"}, ConstraintsReason: "none said"}}
	bare := Epics{Epics: []Epic{{ID: "EPIC-001", Title: "A", Stories: []Story{{ID: "STORY-001-001", Title: "A"}}}}}.Render()
	bare = append(bare, Requirements{Reqs: []Requirement{{ID: "REQ-001", Title: "A", Description: "It is."}}}.Render()...)
	bare = append(bare, Architecture{ADRs: []ADR{{ID: "ADR-001", Title: "A", Options: []Option{{Name: "x"}}}}}.Render()...)
	for _, test := range []struct {
		name  string
		files []File
		unmet [7]string // by phase, errors and warnings
	}{
		{"a small specification", append(sampleFiles(), discovery.Render()), [7]string{3: "P3.1", 5: "P5.1 P5.3", 6: "P6.4 P6.6"}},
		{"items that say nothing", bare, [7]string{1: "P1.1 P1.2 P1.3 P1.4", 2: "P2.1 P2.2 P2.3 P2.4 P2.5 P2.6", 3: "P3.1 P3.2 P3.3 P3.4 P3.6", 4: "P4.1 P4.2 P4.4 P4.5 P4.6", 5: "P5.1 P5.2 P5.3 P5.4 P5.6", 6: "P6.1 P6.2 P6.4 P6.5 P6.6"}},
		{"nothing", nil, [7]string{1: "P1.1 P1.2 P1.3 P1.4", 2: "P2.1 P2.2 P2.3 P2.4 P2.5 P2.6", 3: "P3.1 P3.4", 4: "P4.1 P4.2 P4.3 P4.4 P4.5 P4.6", 5: "P5.1 P5.2 P5.3 P5.4 P5.5 P5.6", 6: "P6.1 P6.4 P6.6"}},
	} {
		s := Parse(test.files)
		for phase, want := range test.unmet {
			var got []string
			for _, f := range PhaseGate(s, phase) {
				if f.Grade != Info {
					got = append(got, f.Rule)
				}
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s, phase %d: %s", test.name, phase, diff)
			}
		}
	}
	report := Readiness{Set: Parse(append(sampleFiles(), discovery.Render()))}.Render()[0]
	for _, row := range []string{"| Discovery | – | – | – |", "| Requirements | at least 3 requirements (2 found) | – | – |"} {
		if !strings.Contains(string(report.Text), row) {
			t.Errorf("the report does not show %q", row)
		}
	}
}
