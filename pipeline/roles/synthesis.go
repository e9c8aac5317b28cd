package roles

import (
	"fmt"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// landscapeOf sets today beside what is asked, where a sentence about today
// plainly speaks of one ask; otherwise there is nothing to compare.
func landscapeOf(r Reading) []spec.LandscapeRow {
	var out []spec.LandscapeRow
	asks := r.Asks()
	texts := quotes(asks)
	words := corpusOf(append(slices.Clone(texts), quotes(r.Of(SortProblem, SortGoal))...))
	for _, p := range r.Of(SortProblem) {
		at := words.best(p.Quote, texts)
		if at < 0 || len(out) >= 5 || words.likeness(p.Quote, texts[at]) < plainlyLike {
			continue
		}
		aspect := firstOf(asks[at].Subject, titleOf(asks[at], r.Language))
		advantage := ""
		if g := words.best(asks[at].Quote+" "+p.Quote, quotes(r.Of(SortGoal))); g >= 0 {
			advantage = r.Of(SortGoal)[g].Quote
		}
		if slices.ContainsFunc(out, func(l spec.LandscapeRow) bool { return l.Aspect == aspect }) {
			continue
		}
		out = append(out, spec.LandscapeRow{Aspect: aspect, Current: p.Quote, Proposed: asks[at].Quote, Advantage: advantage})
	}
	for _, a := range r.Of(SortAlternate) {
		out = append(out, spec.LandscapeRow{Aspect: clip(a.Quote, 60), Current: a.Quote})
	}
	return out[:min(6, len(out))]
}

// plainlyLike is the likeness at which today's sentence is about an ask.
const plainlyLike = 0.4

// synthesis looks at the issue with three pairs of eyes. It repeats nothing
// that stands above it: it says what the counted parts amount to, what two or
// more parts share, and where two sentences contradict.
func (u upstream) synthesis(b spec.Brief) spec.Synthesis {
	s := spec.Synthesis{Product: u.productView(b), Technical: u.technicalView(), User: u.userView(b.Users), Convergent: u.themes()}
	for _, a := range u.r.Asks() {
		for _, n := range u.r.Of(SortNonGoal) {
			if o := overlap(keywords(n.Quote), keywords(a.Quote)); o >= 0.75 && len(keywords(n.Quote)) >= 2 {
				s.Conflicting = append(s.Conflicting, phrase(u.lang, "conflict", a.Quote, where(a.Line, u.lang), n.Quote))
			}
		}
	}
	return s
}

func (u upstream) productView(b spec.Brief) []string {
	var out, measured, open []string
	for _, g := range b.Goals {
		if g.Metric != "" && g.Target != "" {
			measured = append(measured, g.ID)
		} else {
			open = append(open, g.ID)
		}
	}
	if len(measured) > 0 {
		out = append(out, phrase(u.lang, "view measured", strings.Join(measured, ", ")))
	}
	if len(open) > 0 {
		out = append(out, phrase(u.lang, "view unmeasured", strings.Join(open, ", ")))
	}
	asks := u.r.Asks()
	by := map[string]int{}
	for _, a := range asks {
		by[a.Priority]++
	}
	var counts []string
	for _, p := range spec.Priorities {
		if by[p] > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", p, by[p]))
		}
	}
	if len(asks) > 1 {
		out = append(out, phrase(u.lang, "view priorities", strings.Join(counts, ", ")))
		if by["Must"] == len(asks) {
			out = append(out, phrase(u.lang, "view all must"))
		}
	}
	if len(b.OutOfScope) == 0 {
		out = append(out, phrase(u.lang, "view no line"))
	}
	return out
}

func (u upstream) technicalView() []string {
	var out []string
	for _, d := range few(u.r.Of(SortDecision), 3) {
		out = append(out, unlabelled(d.Quote))
	}
	var named []string
	for _, row := range u.stack(nil) {
		named = once(named, row.Technology)
	}
	if len(named) > 0 {
		out = append(out, phrase(u.lang, "view stack", strings.Join(named, ", ")))
	}
	numbered := 0
	for _, s := range u.r.Of(SortQuality) {
		if unitMeasure.MatchString(s.Quote) {
			numbered++
		}
	}
	if all := len(u.r.Of(SortQuality)); all > 0 {
		out = append(out, phrase(u.lang, "view quality", numbered, all))
	} else {
		out = append(out, phrase(u.lang, "view no quality"))
	}
	return out
}

// userView counts whose asks they are, and the asks that are nobody's.
func (u upstream) userView(people []spec.Persona) []string {
	asks := u.r.Asks()
	if len(people) == 0 || len(asks) < 2 {
		return nil
	}
	c, of, nobody := cast{people}, map[string]int{}, 0
	for _, a := range asks {
		who := roles(subjectOf(statement(a, u.lang), u.lang))
		if st, ok := spec.ReadStory(a.Quote); ok {
			who = []string{st.Role}
		}
		var p *spec.Persona
		for _, w := range who {
			if p = c.known(personaName(w)); p != nil {
				of[p.Name]++
				break
			}
		}
		if p == nil {
			nobody++
		}
	}
	var out []string
	for _, p := range people {
		if of[p.Name] > 0 {
			out = append(out, phrase(u.lang, "view person", p.Name, of[p.Name], len(asks)))
		}
	}
	if nobody > 0 {
		out = append(out, phrase(u.lang, "view nobody", nobody, len(asks)))
	}
	return out
}

// parts of an issue that may share a theme.
var themeParts = []struct {
	name  string
	sorts []Sort
}{{"part goals", []Sort{SortGoal}}, {"part asks", []Sort{SortAsk, SortStory}}, {"part quality", []Sort{SortQuality}}, {"part problem", []Sort{SortProblem, SortImpact}},
	{"part constraints", []Sort{SortConstraint, SortDecision}}, {"part risks", []Sort{SortRisk}}}

// themes are words that three or more parts of the issue share, with the
// places, so that a reader can follow them.
func (u upstream) themes() []string {
	parts, lines := map[string][]string{}, map[string][]int{}
	for _, g := range themeParts {
		for _, s := range u.r.Of(g.sorts...) {
			for _, w := range keywords(s.Quote) {
				parts[w] = once(parts[w], phrase(u.lang, g.name))
				if s.Line > 0 && !slices.Contains(lines[w], s.Line) {
					lines[w] = append(lines[w], s.Line)
				}
			}
		}
	}
	words := sortedKeys(parts)
	slices.SortStableFunc(words, func(a, b string) int { return len(parts[b]) - len(parts[a]) })
	var out []string
	for _, w := range words {
		if len(parts[w]) >= 3 && len(out) < 3 {
			out = append(out, phrase(u.lang, "theme", spelt(u.r, w), strings.Join(parts[w], ", "), numbered(lines[w])))
		}
	}
	return out
}

// numbered lists line numbers in order, the first six.
func numbered(lines []int) string {
	slices.Sort(lines)
	var out []string
	for _, n := range few(lines, 6) {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ", ")
}
