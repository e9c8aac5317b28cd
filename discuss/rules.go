package discuss

import (
	"cmp"
	"slices"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// reading is what the rules see of a round's texts. It is taken once, before
// any voice is heard, and is a voice of its own beside a model's.
type reading struct {
	findings []spec.Finding
	ratings  map[pipeline.Perspective]spec.Rating
	asks     []string            // questions to the author
	allowed  []string            // hits that a mark in the text silences
	risks    []pipeline.RiskFlag // risks the documents name themselves
}

// missingRule finds the asks without a requirement.
const missingRule = "L47"

// testRules find what no test can be written against.
var testRules = []string{"L15", "L30", "L31", "L33", "L35", "L50"}

// assumptionRule finds assumptions that are not on the list.
const assumptionRule = "L65"

// byRules is one perspective's opinion from the rules alone. after says which
// backend was tried first; "" is none.
func (h *hearing) byRules(p pipeline.Perspective, after string) voice {
	rating := h.rules().ratings[p]
	o := pipeline.Opinion{Perspective: p, Source: "rules", Cap: rating.Cap, CapRule: rating.CapRule, Usage: pipeline.Usage{ByRules: 1}}
	if after != "" {
		o.Source = "rules, after " + after
	}
	if rating.Value > 0 {
		o.Rating = &rating.Value
	}
	for _, line := range rating.Sum {
		o.Base = cmp.Or(o.Base+sep(o.Base)+line, line)
	}
	for _, f := range h.rules().of(p) {
		switch f.Grade {
		case string(pipeline.Blocker):
			o.Blockers++
		case string(pipeline.Major):
			o.Majors++
		}
	}
	v := voice{opinion: o}
	h.fill(&v, rating)
	return v
}

func sep(s string) string {
	if s == "" {
		return ""
	}
	return "; "
}

// of are the findings that feed one perspective, gravest first.
func (r reading) of(p pipeline.Perspective) []spec.Finding {
	var out []spec.Finding
	for _, f := range r.findings {
		if slices.Contains(f.Perspectives, string(p)) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b spec.Finding) int {
		return cmp.Compare(gradeRank(pipeline.Grade(a.Grade)), gradeRank(pipeline.Grade(b.Grade)))
	})
	return out
}

// fill puts the rules' hits into the words of an opinion.
func (h *hearing) fill(v *voice, rating spec.Rating) {
	o := &v.opinion
	hits := h.rules().of(o.Perspective)
	o.Strengths = strengths(rating)
	for _, f := range hits {
		o.Weaknesses = append(o.Weaknesses, clip(f.Message, 160))
		o.Suggestions = append(o.Suggestions, clip(f.Remedy, 160))
	}
	o.Weaknesses = first(texts(o.Weaknesses), 5)
	o.Suggestions = first(texts(o.Suggestions), 5)
	o.KeyFinding = cmp.Or(key(*o, rating), h.say(wNoFault))
	h.duties(o)
}

// key is the one sentence shown beside the rating; "" is no fault found.
func key(o pipeline.Opinion, rating spec.Rating) string {
	switch {
	case o.Rating == nil && rating.Why != "":
		return rating.Why
	case len(o.Weaknesses) > 0:
		return o.Weaknesses[0]
	case len(o.Strengths) > 0:
		return o.Strengths[0]
	}
	return ""
}

// duties fills what only one perspective must say.
func (h *hearing) duties(o *pipeline.Opinion) {
	switch o.Perspective {
	case pipeline.Coverage:
		o.Missing = texts(append(o.Missing, spec.Missing(h.rules().findings)...))
	case pipeline.Risk:
		o.RiskLevel = worseRisk(o.RiskLevel, spec.RiskLevel(h.rules().findings))
		o.Assumptions = first(texts(append(o.Assumptions, h.rules().messages(assumptionRule)...)), 5)
	case pipeline.Quality:
		o.Testability = first(texts(append(o.Testability, h.rules().messages(testRules...)...)), 5)
	}
}

// messages are what some rules have to say.
func (r reading) messages(rules ...string) []string {
	var out []string
	for _, f := range r.findings {
		if slices.Contains(rules, f.Rule) {
			out = append(out, clip(f.Message, 160))
		}
	}
	return out
}

// found are the rules' hits as findings of the round, for the voices that sit in it.
func (r reading) found(h *hearing) []pipeline.Finding {
	var out []pipeline.Finding
	for _, f := range r.findings {
		var voices []pipeline.Perspective
		for _, p := range h.panel {
			if slices.Contains(f.Perspectives, string(p)) {
				voices = append(voices, p)
			}
		}
		if len(voices) > 0 {
			out = append(out, fromRule(f, voices))
		}
	}
	return out
}

func fromRule(f spec.Finding, voices []pipeline.Perspective) pipeline.Finding {
	return pipeline.Finding{
		Grade: pipeline.Grade(f.Grade), Claim: f.Message, Suggestion: f.Remedy, Replacement: f.Replacement,
		File: f.File, LineStart: f.Line, LineEnd: max(f.Line, f.End), Quote: f.Quote,
		Rule: f.Rule, Item: f.Item, Voices: voices,
	}
}

// first is at most n of a list.
func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }
