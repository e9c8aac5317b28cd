package spec

import "fmt"

const briefTitle = "Product Brief: "

// Render writes the brief.
func (b Brief) Render(known ...*Set) []File {
	return []File{document{path: BriefPath, title: briefTitle + heading(b.Title), summary: b.Summary, lang: b.Language,
		front: b.front(DocBrief, 2), indexed: true, parts: b.layout()}.file()}
}

// ParseBrief reads the brief of a set.
func ParseBrief(s *Set) (Brief, error) {
	d := s.First(DocBrief)
	if d == nil {
		return Brief{}, fmt.Errorf("read brief: %w", errNoDocument)
	}
	b := Brief{Head: d.Front.head()}
	b.Title, b.Summary = titled(d, briefTitle)
	readParts(d, -1, b.layout())
	return b, nil
}

func (b *Brief) layout() []part {
	bullet := func(to *[]string) codec { return bullets{to: to} }
	return []part{
		{title: "Vision", aliases: []string{"Vision Statement"}, body: passage{&b.Vision}},
		{title: "Problem Statement", aliases: []string{"Problem"}, body: fallback{&b.Situation}, parts: []part{
			{title: "Current Situation", body: passage{&b.Situation}},
			{title: "Impact", need: should, body: passage{&b.Impact}},
		}},
		{title: "Target Users", aliases: []string{"Target Audience", "Users"}, body: personas{&b.Users}},
		{title: "Goals & Success Metrics", aliases: []string{"Success Metrics", "Goals"}, body: goalTable(&b.Goals)},
		{title: "Scope", parts: []part{
			{title: "In Scope", need: should, body: bullet(&b.InScope)},
			{title: "Out of Scope", aliases: []string{"Non-Goals"}, need: should, body: bullet(&b.OutOfScope)},
			{title: "Assumptions", need: should, body: bullet(&b.Assumptions)},
		}},
		{title: "Competitive Landscape", need: should, body: table[LandscapeRow]{
			head: []string{"Aspect", "Current State", "Proposed Solution", "Advantage"}, to: &b.Landscape,
			row: func(r *LandscapeRow) []cell {
				return []cell{word{&r.Aspect}, word{&r.Current}, word{&r.Proposed}, word{&r.Advantage}}
			}}},
		{title: "Constraints & Dependencies", aliases: []string{"Constraints"}, need: should, parts: []part{
			{title: "Technical Constraints", aliases: []string{"Technical"}, need: should, body: bullet(&b.Technical)},
			{title: "Business Constraints", aliases: []string{"Business"}, need: should, body: bullet(&b.Business)},
			{title: "Dependencies", need: should, body: bullet(&b.Depends)},
		}},
		{title: "Multi-Perspective Synthesis", need: should, parts: []part{
			{title: "Product Perspective", aliases: []string{"Product"}, need: should, body: bullet(&b.Synthesis.Product)},
			{title: "Technical Perspective", aliases: []string{"Technical"}, need: should, body: bullet(&b.Synthesis.Technical)},
			{title: "User Perspective", aliases: []string{"User"}, need: should, body: bullet(&b.Synthesis.User)},
			{title: "Convergent Themes", need: should, body: bullet(&b.Synthesis.Convergent)},
			{title: "Conflicting Views", need: should, body: bullet(&b.Synthesis.Conflicting)},
		}},
		{title: "Review Feedback", need: whenAny, body: bullet(&b.Feedback)},
		{title: "Open Questions", need: should, body: bullets{&b.Open, true}},
		{title: "References", need: should, body: bullet(&b.References)},
	}
}

func goalTable(to *[]Goal) codec {
	return table[Goal]{head: []string{"Goal ID", "Goal", "Success Metric", "Target"}, to: to,
		row: func(g *Goal) []cell { return []cell{word{&g.ID}, word{&g.Text}, word{&g.Metric}, word{&g.Target}} }}
}

// personas are subsections named after the persona.
type personas struct{ to *[]Persona }

func (ps personas) write(p *page) {
	for i := range *ps.to {
		u := &(*ps.to)[i]
		p.block("### " + heading(u.Name))
		u.labels().write(p)
	}
}

func (ps personas) read(sc scope) {
	*ps.to = nil
	for _, at := range sc.doc.Subsections(sc.section) {
		u := Persona{Name: sc.doc.Sections[at].Title}
		u.labels().read(scope{sc.doc, at})
		*ps.to = append(*ps.to, u)
	}
}

func (u *Persona) labels() labels {
	return labels{
		{name: "Role", value: &u.Role}, {name: "Needs", list: &u.Needs},
		{name: "Pain Points", list: &u.PainPoints}, {name: "Success Criteria", list: &u.SuccessCriteria},
	}
}
