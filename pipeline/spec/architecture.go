package spec

import (
	"fmt"
	"path"
	"slices"
)

const (
	architectureTitle = "Architecture: "
	architectureDir   = "spec/architecture"
)

func (a ADR) path() string { return fileName(architectureDir, a.File, a.ID, a.Title) }

// Render writes the index and one file per decision.
func (a Architecture) Render(known ...*Set) []File {
	to := targetsOf(known)
	for _, d := range a.ADRs {
		to[d.ID] = target{file: d.path()}
	}
	down := downOf(known)
	a.around = around(known)
	out := []File{document{path: ArchitecturePath, title: architectureTitle + heading(a.Title), summary: a.Summary, lang: a.Language,
		front: a.front(DocArchitecture, 4), indexed: true, parts: a.layout(to.from(ArchitecturePath))}.file()}
	for i := range a.ADRs {
		out = append(out, a.ADRs[i].file(a.Head, to, down))
	}
	return out
}

// ParseArchitecture reads the index and the decisions of a set.
func ParseArchitecture(s *Set) (Architecture, error) {
	d := s.First(DocArchitecture)
	if d == nil {
		return Architecture{}, fmt.Errorf("read architecture: %w", errNoDocument)
	}
	a := Architecture{Head: d.Front.head(), HasCodebase: d.Find(-1, codebaseTitle) >= 0}
	a.Title, a.Summary = titled(d, architectureTitle)
	readParts(d, -1, a.layout(linker{}))
	for _, f := range s.Documents {
		if f.Kind == DocADR {
			a.ADRs = append(a.ADRs, readADR(f))
		}
	}
	return a, nil
}

const codebaseTitle = "Codebase Integration"

func (a *Architecture) layout(in linker) []part {
	parts := []part{
		{title: "System Overview", need: must, parts: []part{
			{title: "Architecture Style", body: passage{&a.Style}},
			{title: "System Context Diagram", need: should, body: made(a.context)},
		}},
		{title: "Component Architecture", aliases: []string{"Component Design", "Components"}, parts: []part{
			{title: "Component Diagram", need: should, body: made(a.components)},
			{title: "Component Descriptions", body: a.componentTable(in)},
		}},
		{title: "Technology Stack", parts: []part{
			{title: "Core", body: table[StackRow]{head: []string{"Layer", "Technology", "Version", "Rationale"}, to: &a.Stack,
				row: func(r *StackRow) []cell {
					return []cell{word{&r.Layer}, word{&r.Technology}, word{&r.Version}, word{&r.Rationale}}
				}}},
			{title: "Key Libraries", need: should, body: table[Library]{head: []string{"Library", "Purpose", "License"}, to: &a.Libraries,
				row: func(l *Library) []cell { return []cell{word{&l.Name}, word{&l.Purpose}, word{&l.License}} }}},
		}},
		{title: "Architecture Decision Records", aliases: []string{"Decisions"}, body: made(func(p *page) { a.decisions(p, in) })},
		{title: "Data Architecture", aliases: []string{"Data Models"}, need: should, parts: a.data()},
		{title: "API Design", aliases: []string{"API Specifications"}, need: should, body: table[Endpoint]{
			head: []string{"Endpoint", "Method", "Purpose", "Auth"}, to: &a.Endpoints,
			row: func(e *Endpoint) []cell {
				return []cell{word{&e.Endpoint}, word{&e.Method}, word{&e.Purpose}, word{&e.Auth}}
			}}},
		{title: "Security Architecture", need: should, body: table[Control]{
			head: []string{"Control", "Implementation", "Requirement"}, to: &a.Controls,
			row: func(c *Control) []cell {
				return []cell{word{&c.Control}, word{&c.Implementation}, linkedText{&c.Requirement, in}}
			}}},
		{title: "Infrastructure & Deployment", need: should, parts: []part{
			{title: "Deployment Architecture", need: should, body: passage{&a.Deployment}},
			{title: "Environment Strategy", need: should, body: bullets{to: &a.Environments}},
		}},
	}
	if a.HasCodebase {
		parts = append(parts, a.codebase())
	}
	return append(parts, a.closing(in)...)
}

func (a *Architecture) componentTable(in linker) codec {
	return table[Component]{head: []string{"Component", "Responsibility", "Technology", "Dependencies", "Requirements"}, to: &a.Components,
		row: func(c *Component) []cell {
			return []cell{word{&c.Name}, word{&c.Responsibility}, word{&c.Technology}, list{&c.Depends}, refs{&c.Reqs, in}}
		}}
}

func (a *Architecture) data() []part {
	return []part{
		{title: "Data Model", need: should, body: both{made(a.model), entityTable(&a.Entities)}},
		{title: "Relations", need: whenAny, body: table[Relation]{head: []string{"From", "Relation", "To"}, to: &a.Relations,
			row: func(r *Relation) []cell { return []cell{word{&r.From}, word{&r.Kind}, word{&r.To}} }}},
		{title: "Data Storage Strategy", need: should, body: table[StorageRow]{head: []string{"Type", "Storage", "Retention", "Backup"}, to: &a.Storage,
			row: func(s *StorageRow) []cell {
				return []cell{word{&s.Type}, word{&s.Storage}, word{&s.Retention}, word{&s.Backup}}
			}}},
	}
}

func (a *Architecture) codebase() part {
	return part{title: codebaseTitle, need: should, body: table[IntegrationRow]{
		head: []string{"New Component", "Existing Module", "Extend/Replace/New", "Notes"}, to: &a.Integration,
		row: func(r *IntegrationRow) []cell {
			return []cell{word{&r.Component}, word{&r.Module}, word{&r.Change}, word{&r.Notes}}
		}}, parts: []part{{title: "Migration Notes", need: should, body: passage{&a.Migration}}}}
}

func (a *Architecture) closing(in linker) []part {
	return []part{
		{title: "Quality Attributes", need: should, body: table[Attribute]{
			head: []string{"Attribute", "Target", "Measurement", "ADR Reference"}, to: &a.Attributes,
			row: func(q *Attribute) []cell {
				return []cell{word{&q.Name}, word{&q.Target}, word{&q.Measurement}, linkedText{&q.ADR, in}}
			}}},
		{title: "Risks & Mitigations", aliases: []string{"Risks"}, need: should, body: table[RiskRow]{
			head: []string{"Risk", "Impact", "Probability", "Mitigation", "Owner"}, to: &a.Risks,
			row: func(r *RiskRow) []cell {
				return []cell{word{&r.Risk}, word{&r.Impact}, word{&r.Likelihood}, word{&r.Mitigation}, word{&r.Owner}}
			}}},
		{title: "Review Feedback", need: whenAny, body: bullets{to: &a.Feedback}},
		{title: "Open Questions", need: should, body: bullets{&a.Open, true}},
		{title: "References", need: should, body: bullets{to: &a.References}},
	}
}

// linkedText is a cell whose ids become links.
type linkedText struct {
	to *string
	in linker
}

func (l linkedText) get() string {
	return idAnywhere.ReplaceAllStringFunc(unlink(inline(*l.to)), l.in.one)
}
func (l linkedText) set(s string) { *l.to = unlink(s) }

// unlink leaves the texts of links; a link inside a link's text needs a second pass.
func unlink(s string) string {
	for {
		plain := linkText.ReplaceAllString(s, "$1")
		if plain == s {
			return s
		}
		s = plain
	}
}

func (a *Architecture) decisions(p *page, in linker) {
	if len(a.ADRs) == 0 {
		return
	}
	var rows [][]string
	for _, d := range a.ADRs {
		choice := firstSentence(freeText(d.Decision))
		if at := slices.IndexFunc(d.Options, func(o Option) bool { return known(o.Name) }); at >= 0 {
			choice = d.Options[at].Name
		}
		rows = append(rows, []string{in.one(d.ID), heading(d.Title), orElse(d.Status, "Proposed"), inline(clip(Plain(inline(choice)), 120))})
	}
	p.block(grid([]string{"ADR", "Title", "Status", "Key Choice"}, rows))
}

func firstSentence(s string) string {
	if st := sentences(oneLine(s), Statement{}); len(st) > 0 {
		return st[0].Raw
	}
	return ""
}

func (d *ADR) layout(in linker, down below) []part {
	return []part{
		{title: "Context", body: passage{&d.Context}},
		{title: "Decision", body: passage{&d.Decision}},
		{title: "Alternatives Considered", aliases: []string{"Options", "Considered Options", "Alternatives"}, need: should, body: table[Option]{
			head: []string{"Option", "Pros", "Cons"}, to: &d.Options,
			row: func(o *Option) []cell { return []cell{word{&o.Name}, word{&o.Pros}, word{&o.Cons}} }}},
		{title: "Consequences", parts: []part{
			{title: "Positive", need: should, body: bullets{to: &d.Positive}},
			{title: "Negative", need: should, body: bullets{to: &d.Negative}},
			{title: "Risks", need: should, body: bullets{to: &d.Risks}},
		}},
		{title: "Review Feedback", need: whenAny, body: bullets{to: &d.Feedback}},
		{title: "Traces", aliases: []string{"Traceability"}, need: should, body: labels{
			{name: "Requirements", ids: &d.TracesTo, in: in},
			{name: "Implemented by", made: in.all(fold(append(slices.Clone(d.ImplementedBy), ofKind(down.ids, KindStory, KindEpic)...)...))},
		}},
	}
}

func (d *ADR) file(h Head, to targets, down map[string]below) File {
	f := &frontWriter{}
	f.value("id", d.ID)
	f.title(d.Title)
	f.value("status", orElse(d.Status, "Proposed"))
	f.list("traces_to", fold(d.TracesTo...))
	f.value("date", d.Date)
	f.number("version", max(d.Version, 1))
	return document{path: d.path(), title: d.ID + ": " + heading(d.Title), lang: h.Language, front: f,
		parts: d.layout(to.from(d.path()), down[d.ID])}.file()
}

func readADR(f *Document) ADR {
	it := f.fileItem(orElse(f.Front.Get("id"), firstID(path.Base(f.Path)))).Item
	title, _ := f.itemTitle(it.ID)
	d := ADR{ID: it.ID, Title: heading(title), Status: f.Front.Get("status"), Date: f.Front.Get("date"), File: f.Path,
		Version: f.Front.head().Version}
	readParts(f, -1, d.layout(linker{}, below{}))
	d.TracesTo = fold(append(slices.Clone(it.TracesTo), d.TracesTo...)...)
	for _, b := range f.Blocks {
		if name, rest, ok := splitLabel(b.Text); ok && name == "implemented by" {
			d.ImplementedBy = IDs(rest)
		}
	}
	return d
}
