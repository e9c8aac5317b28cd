package roles

import (
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// trace links requirements to the goal they are most like: by their own words,
// else as most of their section does. With one goal there is nothing to choose.
// What is like none serves none, and is asked about: a wrong link is worse.
func (u upstream) trace(out *spec.Requirements) {
	if len(out.Goals) == 0 {
		return
	}
	var goals, texts []string
	for _, g := range out.Goals {
		goals = append(goals, g.Text+" "+g.Metric)
	}
	for _, q := range out.Reqs {
		texts = append(texts, tracedText(q))
	}
	for _, n := range out.NFRs {
		texts = append(texts, n.Statement)
	}
	serves := u.serves(out, goals, texts)
	linked := map[int]bool{}
	for i := range texts {
		if serves[i] < 0 {
			continue
		}
		linked[serves[i]] = true
		ids := []string{out.Goals[serves[i]].ID}
		if i < len(out.Reqs) {
			out.Reqs[i].TracesTo = ids
		} else {
			out.NFRs[i-len(out.Reqs)].TracesTo = ids
		}
	}
	words := corpusOf(append(slices.Clone(texts), goals...))
	for g := range goals {
		if linked[g] {
			continue
		}
		if at := words.best(goals[g], texts); at >= 0 && at < len(out.Reqs) {
			out.Reqs[at].TracesTo = once(out.Reqs[at].TracesTo, out.Goals[g].ID)
		}
	}
	for _, q := range out.Reqs {
		if len(q.TracesTo) == 0 {
			out.Open = append(out.Open, phrase(u.lang, "q serves", q.ID))
		}
	}
}

func tracedText(q spec.Requirement) string {
	text := q.Title + " " + q.Description
	for _, c := range q.Criteria {
		text += " " + c.Text
	}
	return text
}

// serves is the goal of each text, -1 for none.
func (u upstream) serves(out *spec.Requirements, goals, texts []string) []int {
	serves := make([]int, len(texts))
	if len(goals) == 1 {
		return serves
	}
	words := corpusOf(append(slices.Clone(texts), goals...))
	section := u.sections(out)
	votes := map[string][]int{}
	for i, t := range texts {
		serves[i] = words.best(t, goals)
		if s := section[i]; s != "" && serves[i] >= 0 {
			if votes[s] == nil {
				votes[s] = make([]int, len(goals))
			}
			votes[s][serves[i]]++
		}
	}
	for i := range texts {
		if v := votes[section[i]]; serves[i] < 0 && v != nil {
			serves[i] = slices.Index(v, slices.Max(v))
		}
	}
	return serves
}

// sections are the subjects the sentences stood under; a quality stands under
// the subject it names.
func (u upstream) sections(out *spec.Requirements) []string {
	var section []string
	for _, a := range u.asksOf(*out) {
		section = append(section, a.Subject)
	}
	named := slices.Clone(section)
	for _, n := range out.NFRs {
		at := slices.IndexFunc(named, func(s string) bool { return s != "" && speaksOf(n.Statement, s) })
		if at < 0 {
			section = append(section, "")
			continue
		}
		section = append(section, named[at])
	}
	return section
}

// tracesOf are the requirements a decision is about: those its sentence and
// arguments are like; none where it is like none.
func tracesOf(a spec.ADR, reqs spec.Requirements) []string {
	about := a.Decision + " " + strings.Join(append(append(slices.Clone(a.Positive), a.Negative...), a.Risks...), " ")
	var ids, texts []string
	for _, q := range reqs.Reqs {
		ids, texts = append(ids, q.ID), append(texts, q.Title+" "+q.Description)
	}
	for _, n := range reqs.NFRs {
		ids, texts = append(ids, n.ID), append(texts, n.Statement)
	}
	words := corpusOf(texts)
	best := 0.0
	scores := make([]float64, len(texts))
	for i, t := range texts {
		scores[i] = max(words.likeness(a.Decision, t), words.likeness(about, t))
		best = max(best, scores[i])
	}
	var out []string
	for i, s := range scores {
		if s >= likeEnough && s >= best*0.6 {
			out = append(out, ids[i])
		}
	}
	return few(out, 6)
}
