package spec

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Anything may stand in a field: issues and models write them. Whatever it is,
// a document that was rendered once renders the same after being read.

var nasty = rapid.SampledFrom([]string{
	"", "plain words", "# heading", "- bullet", "1. one", "> quote", "a | b", "| a | b |", "```", "```go\nx := 1\n```", "~~~\nopen fence", "---", "===",
	"a\n===", "a\n---", "**Needs:** x", "**bold**", "[ ] box", "[x](y.md)", "<div>", "<!-- hidden -->", "https://a.example/x?y=1", "a <b>c</b>",
	"REQ-001", "AC-001-01: given", "line\none\n\nline two", "\\", "a\\|b", "\\# x", "`code | span`", "—", "_Not stated._", "Nicht angegeben.", "tab\there",
	"中文句子。第二句。", "x\x00y", "é\u2028z", "; ;", "a; b", "“quoted”", "*", "**", "_", "+ x", "= x", "|", "||", "- [ ] nested", "* * *", "    indented code", "> > deep",
	"1) x", "As a user, I want x, so that y", "- **As a** role", "trailing.", "trailing:", "{{x}}", "|---|", "Term\n: definition", "[a]: http://b.example", "1.", "-",
	"_", "_ _ _", "\\-", "_ AC-001-01: given", "**Priority:** Won't", "```\n**Needs:** x\n```",
})

func field() *rapid.Generator[string] {
	return rapid.OneOf(nasty, rapid.StringN(0, 24, -1), rapid.Map(rapid.SliceOfN(nasty, 2, 3), func(s []string) string { return s[0] + "\n" + s[1] + " " + s[len(s)-1] }))
}

func fields() *rapid.Generator[[]string] { return rapid.SliceOfN(field(), 0, 3) }

func idsOf(prefix string) *rapid.Generator[[]string] {
	return rapid.Map(rapid.SliceOfN(rapid.IntRange(1, 5), 0, 3), func(ns []int) []string {
		var out []string
		for _, n := range ns {
			out = append(out, fmt.Sprintf("%s-%03d", prefix, n))
		}
		return out
	})
}

func someHead(t *rapid.T) Head {
	return Head{SessionID: field().Draw(t, "session"), Status: rapid.SampledFrom([]string{"", "draft", "complete"}).Draw(t, "status"),
		GeneratedAt: "2026-11-21T09:00:00Z", Steps: fields().Draw(t, "steps"), Version: rapid.IntRange(0, 9).Draw(t, "version"),
		Language: rapid.SampledFrom([]string{"", "de", "zh"}).Draw(t, "language")}
}

func someCriteria(t *rapid.T) []Criterion {
	var out []Criterion
	for i, s := range fields().Draw(t, "criteria") {
		out = append(out, Criterion{ID: rapid.SampledFrom([]string{"", fmt.Sprintf("AC-001-%02d", i+1)}).Draw(t, "ac"), Text: s, Done: rapid.Bool().Draw(t, "done")})
	}
	return out
}

func someStory(t *rapid.T) Story3 {
	return Story3{field().Draw(t, "role"), field().Draw(t, "want"), field().Draw(t, "benefit")}
}

func identical(t *rapid.T, first []File, again func(*Set) []File) {
	once := again(Parse(first))
	twice := again(Parse(once))
	if diff := cmp.Diff(byPath(once), byPath(twice)); diff != "" {
		t.Fatalf("render, parse, render is not the identity on the second round: %s", diff)
	}
	if diff := cmp.Diff(byPath(first), byPath(once)); diff != "" {
		t.Fatalf("render, parse, render is not the identity: %s", diff)
	}
}

// What once was lost on the way, by the place it stood in.
func TestWhatWasLostSurvives(t *testing.T) {
	for name, text := range map[string]string{
		"a label in a fence": "```text\n**Priority:** Won't\n```", "a rule of three lines": "_\n_\n_", "an escaped dash": "\\-",
		"an id behind a mark": "_ AC-001-01: given AC-001-01: given", "a hidden name": "<!-- hidden -->",
	} {
		t.Run(name, func(t *testing.T) {
			b := Brief{Situation: text, References: []string{text}}
			x := Tiny{Problem: text, Reqs: []Requirement{{ID: "REQ-001", Title: text, Priority: "Must", Description: text, Criteria: []Criterion{{Text: text}}}}}
			a := Architecture{Title: "A", Style: text, Components: []Component{{Name: text, Responsibility: text, Depends: []string{text}}}}
			first := slices.Concat(b.Render(), x.Render(), a.Render())
			s := Parse(first)
			b, errBrief := ParseBrief(s)
			x, errTiny := ParseTiny(s)
			a, errArchitecture := ParseArchitecture(s)
			if err := errors.Join(errBrief, errTiny, errArchitecture); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(byPath(first), byPath(slices.Concat(b.Render(), x.Render(), a.Render()))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnyBriefSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func() string { return field().Draw(t, "f") }
		fs := func() []string { return fields().Draw(t, "fs") }
		b := Brief{Head: someHead(t), Title: f(), Summary: f(), Vision: f(), Situation: f(), Impact: f(),
			Users: []Persona{{f(), f(), fs(), fs(), fs()}}, Goals: []Goal{{"G-001", f(), f(), f()}}, InScope: fs(), OutOfScope: fs(), Assumptions: fs(),
			Landscape: []LandscapeRow{{f(), f(), f(), f()}}, Technical: fs(), Business: fs(), Depends: fs(),
			Synthesis: Synthesis{fs(), fs(), fs(), fs(), fs()}, Open: fs(), Feedback: fs(), References: fs()}
		identical(t, b.Render(), func(s *Set) []File {
			b, err := ParseBrief(s)
			if err != nil {
				t.Fatal(err)
			}
			return b.Render()
		})
	})
}

func TestAnyRequirementsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func() string { return field().Draw(t, "f") }
		fs := func() []string { return fields().Draw(t, "fs") }
		r := Requirements{Head: someHead(t), Title: f(), Summary: f(), Entities: []Entity{{f(), f(), f()}}, Flows: fs(), Constraints: fs(), Assumptions: fs(),
			Integrations: []Integration{{f(), f(), f(), f(), f()}}, Rationale: f(), Goals: []Goal{{ID: "G-001", Text: f()}}, NotApplicable: fs(), Open: fs(), Feedback: fs(),
			Reqs: []Requirement{{ID: "REQ-001", Title: f(), Priority: "Must", TracesTo: idsOf("G").Draw(t, "g"), Description: f(), Source: Source{rapid.IntRange(0, 99).Draw(t, "line"), f()},
				Story: someStory(t), Criteria: someCriteria(t), Inferred: rapid.Bool().Draw(t, "inferred")}},
			NFRs: []NFR{{ID: "NFR-SC-001", Title: f(), Category: "SC", Priority: "Should", TracesTo: idsOf("G").Draw(t, "g"), Statement: f(), Metric: f(), Target: f(), Method: f()}}}
		identical(t, r.Render(), func(s *Set) []File {
			r, err := ParseRequirements(s)
			if err != nil {
				t.Fatal(err)
			}
			return r.Render()
		})
	})
}

func TestAnyArchitectureSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func() string { return field().Draw(t, "f") }
		fs := func() []string { return fields().Draw(t, "fs") }
		a := Architecture{Head: someHead(t), Title: f(), Summary: f(), Style: f(), Components: []Component{{f(), f(), f(), fs(), idsOf("REQ").Draw(t, "r")}},
			Stack: []StackRow{{f(), f(), f(), f()}}, Libraries: []Library{{f(), f(), f()}}, Entities: []Entity{{f(), f(), f()}}, Relations: []Relation{{f(), f(), f()}},
			Storage: []StorageRow{{f(), f(), f(), f()}}, Endpoints: []Endpoint{{f(), f(), f(), f()}}, Controls: []Control{{f(), f(), f()}}, Deployment: f(), Environments: fs(),
			HasCodebase: rapid.Bool().Draw(t, "code"), Integration: []IntegrationRow{{f(), f(), f(), f()}}, Migration: f(), Attributes: []Attribute{{f(), f(), f(), f()}},
			Risks: []RiskRow{{Risk: f(), Likelihood: f(), Impact: f(), Mitigation: f(), Owner: f()}}, Open: fs(),
			ADRs: []ADR{{ID: "ADR-001", Title: f(), Status: "Accepted", Date: "2026-11-21", TracesTo: idsOf("REQ").Draw(t, "r"), Context: f(), Decision: f(),
				Options: []Option{{f(), f(), f()}, {f(), f(), f()}}, Positive: fs(), Negative: fs(), Risks: fs(), Feedback: fs(), ImplementedBy: idsOf("EPIC").Draw(t, "e")}}}
		identical(t, a.Render(), func(s *Set) []File {
			a, err := ParseArchitecture(s)
			if err != nil {
				t.Fatal(err)
			}
			return a.Render()
		})
	})
}

func TestAnyEpicsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func() string { return field().Draw(t, "f") }
		fs := func() []string { return fields().Draw(t, "fs") }
		e := Epics{Head: someHead(t), Title: f(), Summary: f(), DoneWhen: fs(), Open: fs(), Risks: []RiskRow{{Risk: f(), Mitigation: f(), Affects: idsOf("EPIC").Draw(t, "e")}},
			Order: idsOf("EPIC").Draw(t, "order"),
			Epics: []Epic{{ID: "EPIC-001", Title: f(), Priority: "Must", Size: rapid.SampledFrom([]string{"", "S", "XL"}).Draw(t, "size"), MVP: true, Description: f(),
				Requirements: idsOf("REQ").Draw(t, "r"), Architecture: idsOf("ADR").Draw(t, "a"), Dependencies: []Dependency{{"EPIC-002", "soft", f()}},
				Stories: []Story{{ID: "STORY-001-001", Title: f(), Story: someStory(t), Criteria: someCriteria(t), Size: f(), TracesTo: idsOf("REQ").Draw(t, "r")}}}}}
		identical(t, e.Render(), func(s *Set) []File {
			e, err := ParseEpics(s)
			if err != nil {
				t.Fatal(err)
			}
			return e.Render()
		})
	})
}

func TestAnyTinySpecSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func() string { return field().Draw(t, "f") }
		fs := func() []string { return fields().Draw(t, "fs") }
		x := Tiny{Head: someHead(t), Title: f(), Summary: f(), Problem: f(), Users: fs(), Goals: []Goal{{"G-001", f(), f(), f()}}, OutOfScope: fs(), Assumptions: fs(), Open: fs(),
			Reqs: []Requirement{{ID: "REQ-001", Title: f(), Priority: "Must", Description: f(), Story: someStory(t), Criteria: someCriteria(t), TracesTo: idsOf("G").Draw(t, "g"), Source: Source{3, f()}}},
			NFRs: []NFR{{ID: "NFR-P-001", Title: f(), Category: "P", Priority: "Should", Statement: f(), Metric: f(), Target: f(), Method: f()}}}
		identical(t, x.Render(), func(s *Set) []File {
			x, err := ParseTiny(s)
			if err != nil {
				t.Fatal(err)
			}
			return x.Render()
		})
	})
}
