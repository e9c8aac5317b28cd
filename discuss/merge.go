package discuss

import (
	"cmp"
	"slices"

	"parley/pipeline"
)

// grades, gravest first.
var grades = []pipeline.Grade{pipeline.Blocker, pipeline.Major, pipeline.Minor, pipeline.Info}

func gradeRank(g pipeline.Grade) int {
	if i := slices.Index(grades, g); i >= 0 {
		return i
	}
	return len(grades)
}

// mergeFindings makes one finding of the same problem seen by several voices.
// The graver grade wins; the claim of the first voice in the table stays.
func mergeFindings(all []pipeline.Finding) []pipeline.Finding {
	var out []pipeline.Finding
	for _, f := range all {
		i := slices.IndexFunc(out, func(have pipeline.Finding) bool { return sameProblem(have, f) })
		if i < 0 {
			out = append(out, f)
			continue
		}
		have := &out[i]
		have.Voices = unite(have.Voices, f.Voices)
		if gradeRank(f.Grade) < gradeRank(have.Grade) {
			have.Grade = f.Grade
		}
		have.Suggestion = cmp.Or(have.Suggestion, f.Suggestion)
		have.Replacement = cmp.Or(have.Replacement, f.Replacement)
		have.Rule = cmp.Or(have.Rule, f.Rule)
	}
	slices.SortStableFunc(out, byWeight)
	return out
}

// byWeight puts the gravest first, then more voices, then the place in the text.
func byWeight(a, b pipeline.Finding) int {
	return cmp.Or(
		cmp.Compare(gradeRank(a.Grade), gradeRank(b.Grade)),
		cmp.Compare(len(b.Voices), len(a.Voices)),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.LineStart, b.LineStart),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Claim, b.Claim),
	)
}

// sameProblem: one rule on one place, or two sayings of much the same about
// overlapping lines.
func sameProblem(a, b pipeline.Finding) bool {
	if a.File != b.File {
		return false
	}
	if a.Rule != "" && b.Rule != "" {
		return a.Rule == b.Rule && a.Item == b.Item && fold(a.Quote) == fold(b.Quote) && a.Claim == b.Claim
	}
	overlap := a.LineStart <= b.LineEnd && b.LineStart <= a.LineEnd
	if !overlap {
		return false
	}
	return fold(a.Quote) == fold(b.Quote) && alike(a.Claim, b.Claim) >= same/2 || alike(a.Claim, b.Claim) >= same
}

// unite adds voices in the order of the table.
func unite(a, b []pipeline.Perspective) []pipeline.Perspective {
	out := slices.Clone(a)
	for _, p := range b {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(x, y pipeline.Perspective) int { return cmp.Compare(order(x), order(y)) })
	return out
}

// saying is one sentence of one voice.
type saying struct {
	voice pipeline.Perspective
	text  string
}

// themes are views that two or more voices share: findings seen by several,
// and strengths, weaknesses and suggestions that say much the same.
func themes(opinions []pipeline.Opinion, findings []pipeline.Finding) []pipeline.Theme {
	out := []pipeline.Theme{}
	for _, f := range findings {
		if len(f.Voices) > 1 {
			out = append(out, pipeline.Theme{Text: f.Claim, Voices: f.Voices})
		}
	}
	for _, list := range []func(pipeline.Opinion) []string{
		func(o pipeline.Opinion) []string { return o.Strengths },
		func(o pipeline.Opinion) []string { return o.Weaknesses },
		func(o pipeline.Opinion) []string { return o.Suggestions },
	} {
		var said []saying
		for _, o := range opinions {
			for _, t := range texts(list(o)) {
				if !answersFinding(findings, t) {
					said = append(said, saying{o.Perspective, t})
				}
			}
		}
		out = append(out, shared(said)...)
	}
	return distinct(out)
}

// answersFinding: a suggestion that mends a finding is no view of its own.
func answersFinding(findings []pipeline.Finding, text string) bool {
	return slices.ContainsFunc(findings, func(f pipeline.Finding) bool { return clip(f.Suggestion, 160) == text })
}

// shared groups sayings around the first of each kind and keeps groups of two
// voices or more.
func shared(said []saying) []pipeline.Theme {
	var groups []pipeline.Theme
	for _, s := range said {
		i := slices.IndexFunc(groups, func(g pipeline.Theme) bool { return g.Text == s.text || alike(g.Text, s.text) >= same })
		if i < 0 {
			groups = append(groups, pipeline.Theme{Text: s.text, Voices: []pipeline.Perspective{s.voice}})
			continue
		}
		groups[i].Voices = unite(groups[i].Voices, []pipeline.Perspective{s.voice})
	}
	return slices.DeleteFunc(groups, func(g pipeline.Theme) bool { return len(g.Voices) < 2 })
}

func distinct(list []pipeline.Theme) []pipeline.Theme {
	out := []pipeline.Theme{}
	for _, t := range list {
		if !slices.ContainsFunc(out, func(have pipeline.Theme) bool { return alike(have.Text, t.Text) >= same || have.Text == t.Text }) {
			out = append(out, t)
		}
	}
	return out
}

// actions orders what is to be done: what findings ask for, gravest first,
// then what voices suggest, what more of them suggest before what one does.
func actions(opinions []pipeline.Opinion, findings []pipeline.Finding) []pipeline.Action {
	out := []pipeline.Action{}
	add := func(a pipeline.Action) {
		i := slices.IndexFunc(out, func(have pipeline.Action) bool { return have.Text == a.Text || alike(have.Text, a.Text) >= same })
		if i < 0 {
			out = append(out, a)
			return
		}
		out[i].Voices = unite(out[i].Voices, a.Voices)
		out[i].Findings = append(out[i].Findings, a.Findings...)
		if gradeRank(a.Grade) < gradeRank(out[i].Grade) {
			out[i].Grade = a.Grade
		}
	}
	for _, f := range findings {
		if f.Suggestion != "" && f.Grade != pipeline.Info {
			add(pipeline.Action{Text: f.Suggestion, Grade: f.Grade, Voices: f.Voices, Findings: []string{f.ID}})
		}
	}
	for _, o := range opinions {
		for _, s := range texts(o.Suggestions) {
			add(pipeline.Action{Text: s, Grade: suggested(o), Voices: []pipeline.Perspective{o.Perspective}})
		}
	}
	slices.SortStableFunc(out, func(a, b pipeline.Action) int {
		return cmp.Or(cmp.Compare(gradeRank(a.Grade), gradeRank(b.Grade)), cmp.Compare(len(b.Voices), len(a.Voices)))
	})
	return out
}

// suggested is how urgent a bare suggestion is: a voice that rates low or
// misses something wants it before anything is built.
func suggested(o pipeline.Opinion) pipeline.Grade {
	if hasText(o.Missing) || o.Rating != nil && *o.Rating <= 2 {
		return pipeline.Major
	}
	return pipeline.Minor
}
