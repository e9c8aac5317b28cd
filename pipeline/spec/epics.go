package spec

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	epicsTitle = "Epics: "
	epicsDir   = "spec/epics"
)

func (e Epic) path() string { return fileName(epicsDir, e.File, e.ID, e.Title) }

// Render writes the index and one file per epic.
func (e Epics) Render(known ...*Set) []File {
	to := targetsOf(known)
	for _, ep := range e.Epics {
		to[ep.ID] = target{file: ep.path()}
		for _, st := range ep.Stories {
			to[st.ID] = target{ep.path(), Anchor(st.ID + ": " + heading(st.Title))}
		}
	}
	e.parts = map[string][]string{}
	for _, s := range known {
		if s != nil {
			maps.Copy(e.parts, partsOf(s))
		}
	}
	out := []File{document{path: EpicsPath, title: epicsTitle + heading(e.Title), summary: e.Summary, lang: e.Language,
		front: e.front(DocEpics, 5), indexed: true, parts: e.layout(to.from(EpicsPath))}.file()}
	for i := range e.Epics {
		out = append(out, e.Epics[i].file(e.Head, to))
	}
	return out
}

// ParseEpics reads the index and the epics of a set.
func ParseEpics(s *Set) (Epics, error) {
	d := s.First(DocEpics)
	if d == nil {
		return Epics{}, fmt.Errorf("read epics: %w", errNoDocument)
	}
	e := Epics{Head: d.Front.head()}
	e.Title, e.Summary = titled(d, epicsTitle)
	readParts(d, -1, e.layout(linker{}))
	for _, f := range s.Documents {
		if f.Kind == DocEpic {
			e.Epics = append(e.Epics, readEpic(f))
		}
	}
	return e, nil
}

func (e *Epics) layout(in linker) []part {
	return []part{
		{title: "Epic Overview", aliases: []string{"Stories", "Story List"}, body: made(func(p *page) { e.overview(p, in) })},
		{title: "Dependency Map", need: should, body: made(e.dependencyMap), parts: []part{
			{title: "Dependency Notes", need: should, body: made(func(p *page) { e.notes(p, in) })},
			{title: "Recommended Execution Order", need: should, body: order{e, in}},
		}},
		{title: "MVP Scope", parts: []part{
			{title: "MVP Epics", body: made(func(p *page) { e.first(p, in) })},
			{title: "MVP Definition of Done", need: should, body: bullets{&e.DoneWhen, true}},
		}},
		{title: "Traceability Matrix", need: should, body: made(func(p *page) { e.matrix(p, in) })},
		{title: "Estimation Summary", aliases: []string{"Estimation"}, need: should, body: made(e.sizes)},
		{title: "Risks & Considerations", aliases: []string{"Risks"}, need: should, body: table[RiskRow]{
			head: []string{"Risk", "Affected Epics", "Likelihood", "Impact", "Mitigation", "Owner"}, to: &e.Risks,
			row: func(r *RiskRow) []cell {
				return []cell{word{&r.Risk}, refs{&r.Affects, in}, word{&r.Likelihood}, word{&r.Impact}, word{&r.Mitigation}, word{&r.Owner}}
			}}},
		{title: "Review Feedback", need: whenAny, body: bullets{to: &e.Feedback}},
		{title: "Open Questions", need: should, body: bullets{&e.Open, true}},
		{title: "References", need: should, body: bullets{to: &e.References}},
	}
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func (e *Epics) overview(p *page, in linker) {
	if len(e.Epics) == 0 {
		return
	}
	var rows [][]string
	for _, ep := range e.Epics {
		rows = append(rows, []string{in.one(ep.ID), heading(ep.Title), "[" + orElse(ep.Priority, "?") + "]", yesNo(ep.MVP),
			strconv.Itoa(len(ep.Stories)), orElse(said(ep.Size), "?")})
	}
	p.block(grid([]string{"Epic ID", "Title", "Priority", "MVP", "Stories", "Est. Size"}, rows))
}

func (e *Epics) notes(p *page, in linker) {
	var out []string
	for _, ep := range e.Epics {
		for _, d := range ep.Dependencies {
			note := "- " + in.one(ep.ID) + " waits for " + in.one(d.Epic)
			if strings.EqualFold(d.Kind, "soft") {
				note = "- " + in.one(ep.ID) + " gains from " + in.one(d.Epic)
			}
			if reason := said(d.Reason); reason != "" {
				note += ": " + reason
			}
			out = append(out, note)
		}
	}
	p.block(strings.Join(out, "\n"))
}

// order is the numbered list of epics; where none is given it follows the dependencies.
type order struct {
	e  *Epics
	in linker
}

func (o order) write(p *page) {
	ids := fold(o.e.Order...)
	if len(ids) == 0 {
		ids = o.e.topological()
	}
	var out []string
	for i, id := range ids {
		out = append(out, fmt.Sprintf("%d. %s", i+1, o.in.one(id)))
	}
	p.block(strings.Join(out, "\n"))
}

func (o order) read(sc scope) {
	o.e.Order = nil
	for _, b := range sc.blocks() {
		if b.Kind == ListItem {
			o.e.Order = append(o.e.Order, IDs(b.Text)...)
		}
	}
	o.e.Order = fold(o.e.Order...)
}

// topological lists epics after what blocks them; those of a cycle come last,
// in document order.
func (e *Epics) topological() []string {
	var out []string
	for grown := true; grown; {
		grown = false
		for _, ep := range e.Epics {
			if !slices.Contains(out, ep.ID) && e.unblocked(ep, out) {
				out = append(out, ep.ID)
				grown = true
			}
		}
	}
	for _, ep := range e.Epics {
		out = append(out, ep.ID)
	}
	return fold(out...)
}

func (e *Epics) unblocked(ep Epic, done []string) bool {
	for _, d := range ep.Dependencies {
		known := slices.ContainsFunc(e.Epics, func(o Epic) bool { return o.ID == d.Epic })
		if known && !strings.EqualFold(d.Kind, "soft") && !slices.Contains(done, d.Epic) {
			return false
		}
	}
	return true
}

func (e *Epics) first(p *page, in linker) {
	var out []string
	for _, ep := range e.Epics {
		if ep.MVP {
			out = append(out, "- "+in.one(ep.ID)+" "+heading(ep.Title))
		}
	}
	p.block(strings.Join(out, "\n"))
}

// matrix shows each requirement with the epics, stories and decisions that take it up.
func (e *Epics) matrix(p *page, in linker) {
	var reqs []string
	for _, ep := range e.Epics {
		reqs = append(reqs, ep.Requirements...)
		for _, st := range ep.Stories {
			reqs = append(reqs, st.TracesTo...)
		}
	}
	reqs = ofKind(fold(reqs...), KindReq, KindNFR)
	slices.Sort(reqs)
	var rows [][]string
	for _, id := range reqs {
		var epics, stories, design []string
		for _, ep := range e.Epics {
			mine := slices.Contains(ep.Requirements, id)
			for _, st := range ep.Stories {
				if slices.Contains(st.TracesTo, id) {
					stories, mine = append(stories, st.ID), true
				}
			}
			if mine {
				epics, design = append(epics, ep.ID), append(design, ep.Architecture...)
			}
		}
		rows = append(rows, []string{in.one(id), in.all(epics), in.all(stories), in.design(below{design, e.parts[id]})})
	}
	if len(rows) > 0 {
		p.block(grid([]string{"Requirement", "Epic", "Stories", "Architecture"}, rows))
	}
}

var sizes = []struct{ size, meaning string }{
	{"S", "well understood"}, {"M", "some complexity"}, {"L", "consider splitting"}, {"XL", "split first"},
}

func (e *Epics) sizes(p *page) {
	if len(e.Epics) == 0 {
		return
	}
	var rows [][]string
	for _, s := range sizes {
		epics, stories := 0, 0
		for _, ep := range e.Epics {
			if ep.Size == s.size {
				epics++
			}
			for _, st := range ep.Stories {
				if st.Size == s.size {
					stories++
				}
			}
		}
		rows = append(rows, []string{s.size, s.meaning, fmt.Sprintf("%s, %s", counted(epics, "epic", "epics"), counted(stories, "story", "stories"))})
	}
	p.block(grid([]string{"Size", "Meaning", "Count"}, rows))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (e *Epic) layout(in linker) []part {
	return []part{
		{title: "Description", body: passage{&e.Description}},
		{title: "Requirements", body: idList{&e.Requirements, in}},
		{title: "Architecture", need: should, body: idList{&e.Architecture, in}},
		{title: "Dependencies", need: should, body: table[Dependency]{head: []string{"Epic", "Kind", "Reason"}, to: &e.Dependencies,
			row: func(d *Dependency) []cell { return []cell{goalID{&d.Epic, in}, word{&d.Kind}, word{&d.Reason}} }}},
		{title: "Stories", aliases: []string{"User Stories"}, body: stories{&e.Stories, in}},
	}
}

// idList is a bullet list of linked ids.
type idList struct {
	to *[]string
	in linker
}

func (l idList) write(p *page) {
	var out []string
	for _, id := range fold(*l.to...) {
		out = append(out, "- "+l.in.one(id))
	}
	p.block(strings.Join(out, "\n"))
}

func (l idList) read(sc scope) { *l.to = IDs(sc.source()) }

// stories are subsections with labels.
type stories struct {
	to *[]Story
	in linker
}

func (ss stories) write(p *page) {
	for i := range *ss.to {
		st := &(*ss.to)[i]
		p.block("### " + st.ID + ": " + heading(st.Title))
		st.labels(ss.in).write(p)
	}
}

func (ss stories) read(sc scope) {
	*ss.to = nil
	for _, at := range sc.doc.Subsections(sc.section) {
		title := sc.doc.Sections[at].Title
		st := Story{ID: firstID(title)}
		if st.ID == "" {
			continue
		}
		st.Title = titleAfterID(title, st.ID)
		st.labels(linker{}).read(scope{sc.doc, at})
		*ss.to = append(*ss.to, st)
	}
}

func (st *Story) labels(in linker) labels {
	return labels{
		{name: "User Story", story: &st.Story}, {name: "Acceptance Criteria", criteria: &st.Criteria},
		{name: "Size", value: &st.Size}, {name: "Traces to", ids: &st.TracesTo, in: in},
	}
}

func (e *Epic) file(h Head, to targets) File {
	f := &frontWriter{}
	f.value("id", e.ID)
	f.title(e.Title)
	f.value("priority", e.Priority)
	f.flag("mvp", e.MVP)
	f.value("size", e.Size)
	f.list("requirements", fold(e.Requirements...))
	f.list("architecture", fold(e.Architecture...))
	var deps []string
	for _, d := range e.Dependencies {
		deps = append(deps, d.Epic)
	}
	f.list("dependencies", fold(deps...))
	f.value("status", orElse(e.Status, "draft"))
	f.number("version", max(e.Version, 1))
	lead := fmt.Sprintf("**Priority:** [%s]\n\n**MVP:** %s\n\n**Estimated Size:** %s", orElse(e.Priority, "?"), yesNo(e.MVP), orElse(said(e.Size), "?"))
	return document{path: e.path(), title: e.ID + ": " + heading(e.Title), lang: h.Language, front: f, lead: lead,
		parts: e.layout(to.from(e.path()))}.file()
}

func readEpic(d *Document) Epic {
	it := d.fileItem(orElse(d.Front.Get("id"), firstID(path.Base(d.Path)))).Item
	title, _ := d.itemTitle(it.ID)
	e := Epic{ID: it.ID, Title: heading(title), Priority: it.Priority, Size: d.Front.Get("size"), Status: d.Front.Get("status"),
		MVP: d.Front.Get("mvp") == "true", File: d.Path, Version: d.Front.head().Version}
	readParts(d, -1, e.layout(linker{}))
	e.Requirements = fold(append(slices.Clone(d.Front.List("requirements")), e.Requirements...)...)
	e.Architecture = fold(append(slices.Clone(d.Front.List("architecture")), e.Architecture...)...)
	return e
}
