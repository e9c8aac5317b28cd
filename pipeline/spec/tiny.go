package spec

import (
	"fmt"
	"slices"
)

// Tiny is spec/spec.md, the one document of the tiny track.
type Tiny struct {
	Head
	Title, Summary, Problem string
	Users                   []string
	Goals                   []Goal
	Reqs                    []Requirement
	NFRs                    []NFR
	OutOfScope, Assumptions []string
	Decisions               []string
	Open, Feedback          []string
	References              []string
}

const tinyTitle = "Specification: "

// Render writes the document.
func (t Tiny) Render(known ...*Set) []File {
	to := targetsOf(known)
	for _, g := range t.Goals {
		to[g.ID] = target{TinyPath, Anchor("Goals & Success Metrics")}
	}
	return []File{document{path: TinyPath, title: tinyTitle + heading(t.Title), summary: t.Summary, lang: t.Language,
		front: t.front(DocTiny, 3), indexed: true, parts: t.layout(to.from(TinyPath))}.file()}
}

// ParseTiny reads the tiny track's document.
func ParseTiny(s *Set) (Tiny, error) {
	d := s.First(DocTiny)
	if d == nil {
		return Tiny{}, fmt.Errorf("read spec: %w", errNoDocument)
	}
	t := Tiny{Head: d.Front.head()}
	t.Title, t.Summary = titled(d, tinyTitle)
	readParts(d, -1, t.layout(linker{}))
	return t, nil
}

func (t *Tiny) layout(in linker) []part {
	return []part{
		{title: "Problem Statement", aliases: []string{"Problem"}, body: passage{&t.Problem}},
		{title: "Target Users", aliases: []string{"Users"}, need: should, body: bullets{to: &t.Users}},
		{title: "Goals & Success Metrics", aliases: []string{"Goals"}, need: should, body: goalTable(&t.Goals)},
		{title: "Requirements", aliases: []string{"Functional Requirements"}, body: tinyItems[Requirement]{&t.Reqs, in, KindReq}},
		{title: "Quality Requirements", aliases: []string{"Non-Functional Requirements"}, need: should, body: tinyItems[NFR]{&t.NFRs, in, KindNFR}},
		{title: "Out of Scope", aliases: []string{"Non-Goals"}, need: should, body: bullets{to: &t.OutOfScope}},
		{title: "Assumptions", need: should, body: bullets{to: &t.Assumptions}},
		{title: "Decisions", need: whenAny, body: bullets{to: &t.Decisions}},
		{title: "Review Feedback", need: whenAny, body: bullets{to: &t.Feedback}},
		{title: "Open Questions", need: should, body: bullets{&t.Open, true}},
		{title: "References", need: should, body: bullets{to: &t.References}},
	}
}

// tinyItems are requirements as subsections: the statement, then labels.
type tinyItems[T Requirement | NFR] struct {
	to   *[]T
	in   linker
	kind Kind
}

func (ti tinyItems[T]) write(p *page) {
	for i := range *ti.to {
		id, title, statement, ls := tinyItem(&(*ti.to)[i], ti.in)
		p.block("### " + *id + ": " + heading(*title))
		p.block(orElse(unsaid(freeText(*statement)), p.empty()))
		ls.write(p)
	}
}

func (ti tinyItems[T]) read(sc scope) {
	*ti.to = nil
	for _, at := range sc.doc.Subsections(sc.section) {
		raw := sc.doc.Sections[at].Title
		if KindOf(firstID(raw)) != ti.kind {
			continue
		}
		var item T
		id, title, statement, ls := tinyItem(&item, linker{})
		*id = firstID(raw)
		*title = titleAfterID(raw, *id)
		ls.read(scope{sc.doc, at})
		*statement = freeText(unsaid(sc.doc.leadText(at)))
		tinySettle(&item, sc.doc, at)
		*ti.to = append(*ti.to, item)
	}
}

// leadText is the source of a section up to its first label.
func (d *Document) leadText(section int) string {
	for _, b := range d.Body(section) {
		if _, _, ok := b.label(); ok {
			return joinLines(d.Lines[d.Sections[section].Line : b.Line-1])
		}
	}
	return d.Source(section)
}

func tinyItem(v any, in linker) (id, title, statement *string, ls labels) {
	switch r := v.(type) {
	case *Requirement:
		source := labelled{name: "Source", made: r.Source.String()}
		return &r.ID, &r.Title, &r.Description, labels{{name: "Priority", value: &r.Priority}, {name: "User Story", story: &r.Story},
			{name: "Acceptance Criteria", criteria: &r.Criteria}, {name: "Traces to", ids: &r.TracesTo, in: in}, source}
	case *NFR:
		source := labelled{name: "Source", made: r.Source.String()}
		return &r.ID, &r.Title, &r.Statement, labels{{name: "Category", value: &r.Category}, {name: "Priority", value: &r.Priority}, {name: "Metric", value: &r.Metric},
			{name: "Target", value: &r.Target}, {name: "Measurement Method", value: &r.Method}, {name: "Traces to", ids: &r.TracesTo, in: in}, source}
	}
	panic("spec: not an item of a tiny specification")
}

func tinySettle(v any, d *Document, at int) {
	source := sourceIn(d.Body(at))
	switch r := v.(type) {
	case *Requirement:
		r.Source, r.Priority = source, orElse(priorityWord(r.Priority), r.Priority)
	case *NFR:
		r.Source, r.Priority, r.Category = source, orElse(priorityWord(r.Priority), r.Priority), categoryLetter(r.Category)
	}
}

// After keeps the ids of the document before, as for the larger track.
func (t Tiny) After(old Tiny) Tiny {
	reqs := Requirements{Head: t.Head, Reqs: t.Reqs, NFRs: t.NFRs}.After(Requirements{Head: old.Head, Reqs: old.Reqs, NFRs: old.NFRs})
	goals := Brief{Head: t.Head, Goals: t.Goals}.After(Brief{Head: old.Head, Goals: old.Goals})
	t.Reqs, t.NFRs, t.Goals = reqs.Reqs, reqs.NFRs, goals.Goals
	t.Retired = compact(append(slices.Clone(reqs.Retired), goals.Retired...))
	before := old
	before.Head = t.Head
	t.Version = raised(old.Version, !sameText(before.Render(), t.Render()))
	return t
}
