package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Rating from rules: a base of 4, because a lack of hits is not excellence,
// less what the hits take off, up to 5 by positive proofs, never above a cap.
const (
	ratingBase  = 4.0
	ratingProof = .5
	// Sentence rules see the same faults from several sides.
	familyFirst, familyLast = "L11", "L30"
	familyCap               = 1.5
	// Twelve units are enough to judge by: clean text beyond them does not
	// wash out hits.
	unitsEnough = 12
)

// units counts what a perspective is rated over, by artifact letter.
type units map[string]int

// enough is how many units it takes to be rated at all.
var enough = map[string]int{ofRequirements: 3, ofNFR: 3, ofEpics: 2, ofArchitecture: 1, ofBrief: 3, ofDiscovery: 1}

// Rate gives a perspective's rating of the set, or of some of its artifacts and
// the item files they link.
func Rate(s *Set, findings []Finding, perspective string, artifacts ...string) Rating {
	scope := s.scope(artifacts)
	u := s.units(scope)
	r := Rating{Perspective: perspective}
	if why := u.tooFew(); why != "" {
		r.Why = why
		return r
	}
	// A proof is a statement about the whole specification; a hit in another
	// document disproves it, but takes nothing off this one.
	byRule, anywhere := map[string][]Finding{}, map[string][]Finding{}
	for _, f := range findings {
		if f.Grade == Info {
			continue
		}
		anywhere[f.Rule] = append(anywhere[f.Rule], f)
		if scope == nil || scope[f.File] {
			byRule[f.Rule] = append(byRule[f.Rule], f)
		}
	}
	value := ratingBase
	r.Sum = append(r.Sum, fmt.Sprintf("base %.1f", ratingBase))
	value -= r.penalties(byRule, u)
	for _, p := range proofs[perspective] {
		if text := p(s, anywhere); text != "" {
			value += ratingProof
			r.Sum = append(r.Sum, fmt.Sprintf("+%.1f %s", ratingProof, text))
		}
	}
	value = r.capped(value, byRule, u)
	r.Value = int(min(5, max(1, math.Ceil(value-.5)))) // half rounds down
	r.Sum = append(r.Sum, fmt.Sprintf("= %.2f, rated %d", value, r.Value))
	return r
}

func (u units) tooFew() string {
	for letter, n := range u {
		if n >= enough[letter] {
			return ""
		}
	}
	return fmt.Sprintf("too little to judge: %s, %s, %s, %s", counted(u[ofRequirements]+u[ofNFR], "statement", "statements"),
		counted(u[ofEpics], "story", "stories"), counted(u[ofArchitecture], "decision or component", "decisions or components"), counted(u[ofBrief], "section", "sections"))
}

// units of the documents in scope.
func (s *Set) units(scope map[string]bool) units {
	u := units{}
	in := func(file string) bool { return scope == nil || scope[file] }
	for _, st := range s.Statements {
		switch {
		case !in(st.File):
		case st.Kind == KindNFR:
			u[ofNFR]++
		case st.Kind == KindReq || st.Kind == "" || st.Kind == KindAC && KindOf(s.parent(st.Item)) == KindReq:
			u[ofRequirements]++
		}
	}
	for _, it := range s.Items {
		switch {
		case !in(it.File):
		case it.Kind == KindStory:
			u[ofEpics]++
		case it.Kind == KindADR:
			u[ofArchitecture]++
		}
	}
	if d := s.First(DocArchitecture); d != nil && in(d.Path) {
		u[ofArchitecture] += len(s.Components())
	}
	for _, d := range s.Documents {
		switch {
		case !in(d.Path):
		case d.Kind == DocBrief:
			u[ofBrief] += d.filled(templates[DocBrief])
		case d.Kind == DocDiscovery:
			u[ofDiscovery] += len(s.Asks())
		}
	}
	return u
}

func (s *Set) parent(ac string) string {
	it, _ := s.Item(ac)
	return it.Fields["parent"]
}

// filled counts the template's sections that say something.
func (d *Document) filled(parts []part) int {
	n := 0
	for _, p := range parts {
		if at := d.Find(-1, append([]string{p.title}, p.aliases...)...); at >= 0 && d.answers(at) {
			n++
		}
	}
	return n
}

// of is the number of units a rule is held against.
func (u units) of(r Rule) int {
	n := 0
	for letter, count := range u {
		if strings.Contains(r.Artifacts, letter) {
			n += count
		}
	}
	return max(n, 1)
}

// share of the units a rule hit.
func share(hits, of int) float64 {
	return min(1, max(float64(hits)/float64(of), float64(hits)/unitsEnough))
}

// penalties is what the hits take off, written into the sum as it goes.
func (r *Rating) penalties(byRule map[string][]Finding, u units) float64 {
	total, family := 0.0, 0.0
	for _, rule := range Rules {
		p := rule.penalty(byRule[rule.ID], u)
		at := slices.Index(rule.Perspectives, r.Perspective)
		if p == 0 || at < 0 {
			continue
		}
		if at > 0 {
			p /= 2
		}
		if rule.ID >= familyFirst && rule.ID <= familyLast {
			p = min(p, familyCap-family)
			family += p
		}
		total += p
		r.Sum = append(r.Sum, fmt.Sprintf("−%.2f %s %s (× %d)", p, rule.ID, rule.Title, len(byRule[rule.ID])))
	}
	return total
}

func (rule Rule) penalty(hits []Finding, u units) float64 {
	m := rule.Move
	n := distinct(hits)
	switch {
	case n == 0 || m.Weight == 0:
		return 0
	case m.Flat:
		return m.Weight
	case m.Each > 0:
		return min(m.Weight, m.Each*float64(n))
	case m.Share == 0:
		return m.Weight
	}
	return m.Weight * min(1, share(n, u.of(rule))/m.Share)
}

func distinct(hits []Finding) int {
	seen := map[string]bool{}
	for _, f := range hits {
		seen[f.Unit] = true
	}
	return len(seen)
}

// capped applies the lowest cap; two rules that cap at 2 or lower leave 1.
func (r *Rating) capped(value float64, byRule map[string][]Finding, u units) float64 {
	low := 0
	for _, rule := range Rules {
		if !slices.Contains(rule.Perspectives, r.Perspective) {
			continue
		}
		c := rule.caps(byRule[rule.ID], u)
		if c == 0 {
			continue
		}
		if c <= 2 {
			low++
		}
		if r.Cap == 0 || c < r.Cap {
			r.Cap, r.CapRule = c, rule.ID
		}
	}
	if low >= 2 {
		r.Cap = 1
	}
	if r.Cap > 0 {
		r.Sum = append(r.Sum, fmt.Sprintf("at most %d (%s)", r.Cap, r.CapRule))
		return min(value, float64(r.Cap))
	}
	return value
}

// caps is the cap the hits set, 0 for none.
func (rule Rule) caps(hits []Finding, u units) int {
	m := rule.Move
	if m.Cap == 0 {
		return 0
	}
	var counted []Finding
	for _, f := range hits {
		if m.CapGrade == "" || f.Grade == m.CapGrade {
			counted = append(counted, f)
		}
	}
	n := distinct(counted)
	if n == 0 || m.CapOver > 0 && share(n, u.of(rule)) <= m.CapOver {
		return 0
	}
	return m.Cap
}

// RiskLevel is what the findings say about risk: low, medium, high or critical.
func RiskLevel(findings []Finding) string {
	majors := 0
	for _, f := range findings {
		switch {
		case f.Grade == Info:
		case f.Rule == "L10", (f.Rule == "L39" || f.Rule == "L40") && f.Must, f.Rule == "L67" && f.Grade == Blocker:
			return "critical"
		case f.Grade == Major && len(f.Perspectives) > 0 && f.Perspectives[0] == risk:
			majors++
		}
	}
	return [...]string{"low", "medium", "high"}[min(majors, 2)]
}

// Missing lists the asks and goals no requirement takes up, in their own words.
func Missing(findings []Finding) []string {
	out := []string{}
	for _, f := range findings {
		if f.Rule == "L47" && f.Grade != Info {
			out = append(out, oneLine(f.Quote))
		}
	}
	return out
}
