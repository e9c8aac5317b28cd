package spec

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

const requirementsTitle = "Requirements: "

// Categories of non-functional requirements: letter, frontmatter word, heading.
var Categories = []struct{ Letter, Word, Title string }{
	{"P", "performance", "Performance"}, {"S", "security", "Security"},
	{"SC", "scalability", "Scalability"}, {"U", "usability", "Usability"},
}

func categoryLetter(s string) string {
	for _, c := range Categories {
		if strings.EqualFold(s, c.Letter) || strings.EqualFold(s, c.Word) {
			return c.Letter
		}
	}
	return s
}

func categoryWord(letter string) string {
	for _, c := range Categories {
		if c.Letter == letter {
			return c.Word
		}
	}
	return strings.ToLower(letter)
}

const requirementsDir = "spec/requirements"

func (r Requirement) path() string { return fileName(requirementsDir, r.File, r.ID, r.Title) }
func (n NFR) path() string         { return fileName(requirementsDir, n.File, n.ID, n.Title) }

// Render writes the index and one file per requirement. Known sets supply the
// places of goals, decisions and stories.
func (r Requirements) Render(known ...*Set) []File {
	to := targetsOf(known)
	for _, g := range r.Goals {
		if _, ok := to[g.ID]; !ok {
			to[g.ID] = target{BriefPath, Anchor("Goals & Success Metrics")}
		}
	}
	for _, q := range r.Reqs {
		to[q.ID] = target{file: q.path()}
	}
	for _, n := range r.NFRs {
		to[n.ID] = target{file: n.path()}
	}
	down := downOf(known)
	out := []File{document{path: RequirementsPath, title: requirementsTitle + heading(r.Title), summary: r.Summary, lang: r.Language,
		front: r.front(DocRequirements, 3), indexed: true, parts: r.layout(to.from(RequirementsPath))}.file()}
	for i := range r.Reqs {
		out = append(out, r.Reqs[i].file(r.Head, to, down))
	}
	for i := range r.NFRs {
		out = append(out, r.NFRs[i].file(r.Head, to, down))
	}
	return out
}

// ParseRequirements reads the index and the item files of a set.
func ParseRequirements(s *Set) (Requirements, error) {
	d := s.First(DocRequirements)
	if d == nil {
		return Requirements{}, fmt.Errorf("read requirements: %w", errNoDocument)
	}
	r := Requirements{Head: d.Front.head()}
	r.Title, r.Summary = titled(d, requirementsTitle)
	readParts(d, -1, r.layout(linker{}))
	for _, f := range s.Documents {
		switch f.Kind {
		case DocReq:
			r.Reqs = append(r.Reqs, readRequirement(f))
		case DocNFR:
			r.NFRs = append(r.NFRs, readNFR(f))
		}
	}
	return r, nil
}

func (r *Requirements) layout(in linker) []part {
	return []part{
		{title: "Requirement Summary", need: should, body: made(r.counts)},
		{title: "Functional Requirements", aliases: []string{"Requirements"}, body: made(func(p *page) { r.functional(p, in) })},
		{title: "Non-Functional Requirements", need: should, parts: r.nonFunctional(in)},
		{title: "Data Requirements", need: should, parts: []part{
			{title: "Data Entities", need: should, body: entityTable(&r.Entities)},
			{title: "Data Flows", need: should, body: bullets{to: &r.Flows}},
		}},
		{title: "Integration Requirements", need: should, body: table[Integration]{
			head: []string{"System", "Direction", "Protocol", "Data Format", "Notes"}, to: &r.Integrations,
			row: func(i *Integration) []cell {
				return []cell{word{&i.System}, word{&i.Direction}, word{&i.Protocol}, word{&i.Format}, word{&i.Notes}}
			}}},
		{title: "Constraints & Assumptions", need: should, parts: []part{
			{title: "Constraints", need: should, body: bullets{to: &r.Constraints}},
			{title: "Assumptions", need: should, body: bullets{to: &r.Assumptions}},
		}},
		{title: "Priority Rationale", need: should, body: passage{&r.Rationale}},
		{title: "Traceability Matrix", aliases: []string{"Goals"}, need: should, body: r.matrix(in)},
		{title: "Review Feedback", need: whenAny, body: bullets{to: &r.Feedback}},
		{title: "Open Questions", need: should, body: bullets{&r.Open, true}},
		{title: "References", need: should, body: bullets{to: &r.References}},
	}
}

func entityTable(to *[]Entity) codec {
	return table[Entity]{head: []string{"Entity", "Description", "Fields"}, to: to,
		row: func(e *Entity) []cell { return []cell{word{&e.Name}, word{&e.Description}, word{&e.Fields}} }}
}

func (r *Requirements) counts(p *page) {
	var rows [][]string
	for _, priority := range Priorities {
		n, traced := 0, 0
		for _, q := range r.Reqs {
			if q.Priority != priority {
				continue
			}
			n++
			if len(q.TracesTo) > 0 {
				traced++
			}
		}
		cover := "–"
		if n > 0 {
			cover = fmt.Sprintf("%d of %d traced to a goal", traced, n)
		}
		rows = append(rows, []string{"[" + priority + "]", strconv.Itoa(n), cover})
	}
	p.block(grid([]string{"Priority", "Count", "Coverage"}, rows))
}

func (r *Requirements) functional(p *page, in linker) {
	if len(r.Reqs) == 0 {
		return
	}
	var rows [][]string
	for _, q := range r.Reqs {
		rows = append(rows, []string{in.one(q.ID), heading(q.Title), "[" + orElse(q.Priority, "?") + "]", in.all(q.TracesTo)})
	}
	p.block(grid([]string{"ID", "Title", "Priority", "Traces To"}, rows))
}

func (r *Requirements) nonFunctional(in linker) []part {
	var parts []part
	rowsOf := func(keep func(NFR) bool) made {
		return func(p *page) {
			var rows [][]string
			for _, n := range r.NFRs {
				if keep(n) {
					rows = append(rows, []string{in.one(n.ID), heading(n.Title), orElse(said(n.Target), said(n.Metric))})
				}
			}
			if len(rows) > 0 {
				p.block(grid([]string{"ID", "Title", "Target or Standard"}, rows))
			}
		}
	}
	for _, c := range Categories {
		parts = append(parts, part{title: c.Title, need: should, body: rowsOf(func(n NFR) bool { return n.Category == c.Letter })})
	}
	other := rowsOf(func(n NFR) bool {
		return categoryLetter(categoryWord(n.Category)) != n.Category || !knownCategory(n.Category)
	})
	return append(parts, part{title: "Other Qualities", need: whenAny, body: other},
		part{title: "Not Applicable", need: whenAny, body: bullets{to: &r.NotApplicable}})
}

func knownCategory(letter string) bool {
	return slices.ContainsFunc(Categories, func(c struct{ Letter, Word, Title string }) bool { return c.Letter == letter })
}

// matrix shows each goal with its requirements; the goals are read back from it.
func (r *Requirements) matrix(in linker) codec {
	return table[Goal]{head: []string{"Goal", "Goal Text", "Requirements"}, to: &r.Goals, row: func(g *Goal) []cell {
		var ids []string
		for _, q := range r.Reqs {
			if slices.Contains(q.TracesTo, g.ID) {
				ids = append(ids, q.ID)
			}
		}
		for _, n := range r.NFRs {
			if slices.Contains(n.TracesTo, g.ID) {
				ids = append(ids, n.ID)
			}
		}
		return []cell{goalID{&g.ID, in}, word{&g.Text}, derived(orElse(in.all(ids), "none"))}
	}}
}

type goalID struct {
	to *string
	in linker
}

func (g goalID) get() string  { return g.in.one(*g.to) }
func (g goalID) set(s string) { *g.to = orElse(firstID(s), Plain(s)) }

func (r *Requirement) layout(in linker, down below) []part {
	source := labelled{name: "Source", made: r.Source.String()}
	return []part{
		{title: "Description", aliases: []string{"Requirement", "Statement"}, body: passage{&r.Description}},
		{title: "User Story", need: should, body: storyOf{&r.Story}},
		{title: "Acceptance Criteria", body: criteria{&r.Criteria}},
		{title: "Traces", aliases: []string{"Traceability"}, need: should, body: labels{
			{name: "Goal", ids: &r.TracesTo, in: in},
			{name: "Architecture", made: in.design(down)},
			{name: "Implemented by", made: in.work(down)},
			source,
		}},
	}
}

// String is "issue, line 14: "quote""; the quote is somebody else's text.
func (s Source) String() string {
	if !known(s.Quote) {
		return ""
	}
	quote := "“" + strings.NewReplacer("“", "'", "”", "'").Replace(inline(s.Quote)) + "”"
	if s.Line == 0 {
		return quote
	}
	return fmt.Sprintf("issue, line %d: %s", s.Line, quote)
}

func (r *Requirement) file(h Head, to targets, down map[string]below) File {
	f := &frontWriter{}
	f.value("id", r.ID)
	f.title(r.Title)
	f.value("type", "functional")
	f.value("priority", r.Priority)
	f.list("traces_to", fold(r.TracesTo...))
	f.value("status", orElse(r.Status, "draft"))
	f.number("version", max(r.Version, 1))
	if r.Inferred {
		f.flag("inferred", true)
	}
	return document{path: r.path(), title: r.ID + ": " + heading(r.Title), lang: h.Language, front: f,
		lead: "**Priority:** [" + orElse(r.Priority, "?") + "]", parts: r.layout(to.from(r.path()), down[r.ID])}.file()
}

func readRequirement(d *Document) Requirement {
	it := d.fileItem(orElse(d.Front.Get("id"), firstID(path.Base(d.Path)))).Item
	title, _ := d.itemTitle(it.ID)
	r := Requirement{ID: it.ID, Title: heading(title), Priority: it.Priority, Status: d.Front.Get("status"), File: d.Path,
		Inferred: d.Front.Get("inferred") == "true", Version: d.Front.head().Version}
	readParts(d, -1, r.layout(linker{}, below{}))
	r.TracesTo = fold(append(slices.Clone(it.TracesTo), r.TracesTo...)...)
	r.Source = readSource(d)
	return r
}

func ofKind(ids []string, kinds ...Kind) []string {
	var out []string
	for _, id := range ids {
		if slices.Contains(kinds, KindOf(id)) {
			out = append(out, id)
		}
	}
	return out
}
