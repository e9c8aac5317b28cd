package discuss

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
)

// check is the contract of one answer, named for the repair turn. An answer
// none of whose quotes is in the text has not been read from it.
func (h *hearing) check(p pipeline.Perspective, raw []byte) error {
	a, err := read(p, raw)
	if err != nil {
		return err
	}
	if !a.full() {
		return nil
	}
	var q quoteCount
	shelf := shelve(h.sources(p))
	for _, c := range a.Checks {
		q.keep(shelf, c.Evidence)
	}
	for _, f := range a.Findings {
		q.keep(shelf, f.Evidence)
	}
	if q.checked > 0 && q.kept == 0 {
		return errors.New("none of the quotes is in the text; quote exactly, with the line numbers printed")
	}
	return nil
}

// byModel turns a model's answer into a voice: quotes looked up, rating
// computed, held under the rules' cap.
func (h *hearing) byModel(p pipeline.Perspective, reply pipeline.Reply) (voice, error) {
	a, err := read(p, []byte(reply.Text))
	if err != nil && !(reply.Salvaged && a.Rating != nil) {
		return voice{}, err
	}
	rules := h.rules().ratings[p]
	v := voice{opinion: pipeline.Opinion{
		Perspective: p, Source: badge(reply, a), ModelRating: a.Rating, Usage: reply.Usage,
		Strengths: sentences(a.Strengths, 3), Weaknesses: sentences(a.Weaknesses, 5), Suggestions: sentences(a.Suggestions, 5),
		Testability: short(a.Testability, 5), Assumptions: short(a.Assumptions, 5), RiskLevel: a.RiskLevel,
		Cap: rules.Cap, CapRule: rules.CapRule,
	}, questions: short(a.Questions, 3)}
	h.weigh(&v, a)
	o := &v.opinion
	if o.Rating != nil && o.Cap > 0 && *o.Rating > o.Cap {
		o.Rating = &rules.Cap
	}
	for _, r := range a.Risks {
		if strings.TrimSpace(r.Text) != "" {
			v.risks = append(v.risks, pipeline.RiskFlag{Text: clip(r.Text, 240), Likelihood: clip(r.Likelihood, 40), Impact: clip(r.Impact, 160), Mitigation: clip(r.Mitigation, 240)})
		}
	}
	h.duties(o)
	o.KeyFinding = keyFinding(v)
	if o.Rating != nil && o.ModelRating != nil && gap(*o.Rating, *o.ModelRating) >= 2 {
		v.warnings = append(v.warnings, h.say(wOwnRating, h.voice(p), *o.ModelRating, *o.Rating))
	}
	return v, nil
}

func gap(a, b int) int { return max(a, b) - min(a, b) }

// badge is the source as people see it, with what they should know about it.
func badge(r pipeline.Reply, a answer) string {
	name := r.Badge
	if name == "" {
		name = r.Backend
	}
	mark := ""
	switch {
	case r.Salvaged:
		mark = "salvaged"
	case !a.full():
		mark = "unverified"
	}
	if mark == "" || strings.Contains(name, mark) {
		return name
	}
	return name + " (" + mark + ")"
}

// weigh looks the evidence up and computes the rating.
func (h *hearing) weigh(v *voice, a answer) {
	o := &v.opinion
	var q quoteCount
	shelf := shelve(h.sources(o.Perspective))
	for _, m := range a.Missing {
		if h.lacks(m, shelf, &q, a.full()) {
			o.Missing = append(o.Missing, clip(m.Text, 240))
		}
	}
	for _, f := range first(a.Findings, 8) {
		proof := q.keep(shelf, f.Evidence)
		if len(proof) == 0 {
			v.dropped++
			continue
		}
		if found := finding(o.Perspective, f, proof[0]); !h.ledger.accepted(found) {
			v.findings = append(v.findings, found)
		}
	}
	if a.Injection.Suspected {
		v.injection = suspected(q.keep(shelf, a.Injection.Evidence))
	}
	for _, f := range v.findings {
		switch f.Grade {
		case pipeline.Blocker:
			o.Blockers++
		case pipeline.Major:
			o.Majors++
		}
	}
	o.Rating = a.Rating
	if a.full() {
		proven := map[string]bool{}
		for _, c := range a.Checks {
			proven[c.ID] = len(q.keep(shelf, c.Evidence)) > 0
		}
		o.ChecksYes, o.ChecksTotal = score(a.Checks, proven)
		o.Rating = computed(o.ChecksYes, o.ChecksTotal, o.Majors, o.Blockers)
	}
	v.checked = q.checked
}

// lacks decides whether a missing requirement counts: in the full form only
// with the sentence that asks for it, and never one that people accepted.
func (h *hearing) lacks(m lack, shelf library, q *quoteCount, full bool) bool {
	if strings.TrimSpace(m.Text) == "" {
		return false
	}
	for _, f := range h.ledger.Findings {
		if f.State == pipeline.FindingAccepted && max(alike(f.Claim, m.Text), alike(f.Quote, m.Text)) >= same {
			return false
		}
	}
	return !full || m.Source != nil && len(q.keep(shelf, []evidence{*m.Source})) > 0
}

func finding(p pipeline.Perspective, f claim, e evidence) pipeline.Finding {
	return pipeline.Finding{
		Grade: pipeline.Grade(f.Severity), Claim: clip(f.Claim, 240), Suggestion: clip(f.Suggestion, 240),
		File: e.File, LineStart: e.Start, LineEnd: e.End, Quote: clip(e.Quote, 240), Voices: []pipeline.Perspective{p},
	}
}

func suspected(proof []evidence) []pipeline.Injection {
	var out []pipeline.Injection
	for _, e := range proof {
		out = addInjections(out, []pipeline.Injection{{Kind: "words aimed at the reviewer", Where: fmt.Sprintf("%s:%d", e.File, e.Start), Count: 1}})
	}
	return out
}

// score counts the checks that decide. A yes without a quote from the text is
// not a yes; a no without one blames nobody and falls out of the base.
func score(list []check, proven map[string]bool) (yes, total int) {
	for _, c := range list {
		switch {
		case c.Answer == "yes" && proven[c.ID]:
			yes, total = yes+1, total+1
		case c.Answer == "yes", c.Answer == "no" && proven[c.ID]:
			total++
		}
	}
	return yes, total
}

// computed is the rating the answers give; the lowest row that matches wins.
// With fewer than three checks answered there is none.
func computed(yes, total, majors, blockers int) *int {
	if total < 3 {
		return nil
	}
	rating := 1
	for r, sixths := range map[int]int{2: 2, 3: 4, 4: 5, 5: 6} {
		if yes*6 >= sixths*total {
			rating = max(rating, r)
		}
	}
	rating = min(rating, 5-min(majors, 3))
	if blockers > 0 {
		rating = min(rating, 3-min(blockers, 2))
	}
	return &rating
}

func keyFinding(v voice) string {
	if len(v.findings) > 0 {
		gravest := slices.MinFunc(v.findings, byWeight)
		return gravest.Claim
	}
	if len(v.opinion.Weaknesses) > 0 {
		return v.opinion.Weaknesses[0]
	}
	if len(v.opinion.Strengths) > 0 {
		return v.opinion.Strengths[0]
	}
	return ""
}

func sentences(list []said, n int) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Text)
	}
	return short(out, n)
}

func short(list []string, n int) []string {
	var out []string
	for _, s := range texts(list) {
		if len(out) < n {
			out = append(out, clip(s, 160))
		}
	}
	return out
}
