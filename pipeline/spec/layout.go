package spec

import (
	"fmt"
	"strings"
)

// A layout says once what a document looks like; it is written and read back
// from the same table, so that the two cannot drift apart.

// need is how much a template insists on a section.
type need int

const (
	must    need = iota // missing or empty is a fault
	should              // must be there, may honestly say that nothing is known
	whenAny             // written only when there is something to say
)

// part is one section.
type part struct {
	title   string
	aliases []string
	need    need
	body    codec
	parts   []part
}

// codec writes a section's content and reads it back. What write leaves empty
// gets the honest line; derived content reads nothing.
type codec interface {
	write(p *page)
	read(sc scope)
}

// scope is the content of one section of a document.
type scope struct {
	doc     *Document
	section int
}

func (sc scope) blocks() []Block { return sc.doc.Body(sc.section) }
func (sc scope) source() string  { return sc.doc.Source(sc.section) }

// page is a Markdown document being written.
type page struct {
	b    strings.Builder
	lang string
}

func (p *page) block(text string) {
	if text == "" {
		return
	}
	if p.b.Len() > 0 {
		p.b.WriteString("\n")
	}
	p.b.WriteString(text)
	p.b.WriteString("\n")
}

func (p *page) empty() string { return "_" + nothingIn(p.lang) + "_" }

// writeParts writes sections from a heading level downwards.
func (p *page) writeParts(parts []part, level int) {
	for _, pt := range parts {
		before := p.b.String()
		p.block(strings.Repeat("#", level) + " " + pt.title)
		bare := p.b.Len()
		if pt.body != nil {
			pt.body.write(p)
		}
		p.writeParts(pt.parts, level+1)
		if p.b.Len() > bare {
			continue
		}
		if pt.need == whenAny {
			p.b.Reset()
			p.b.WriteString(before)
			continue
		}
		p.block(p.empty())
	}
}

// readParts fills what the parts point at.
func readParts(d *Document, parent int, parts []part) {
	for _, pt := range parts {
		at := d.Find(parent, append([]string{pt.title}, pt.aliases...)...)
		if at < 0 {
			continue
		}
		if pt.body != nil {
			pt.body.read(scope{d, at})
		}
		readParts(d, at, pt.parts)
	}
}

// passage is a free text of paragraphs, lists and fences.
type passage struct{ to *string }

func (t passage) write(p *page) { p.block(unsaid(freeText(*t.to))) }
func (t passage) read(sc scope) { *t.to = freeText(unsaid(sc.source())) }

// fallback reads text that stands above the subsections where it was expected
// inside them; it writes nothing.
type fallback struct{ to *string }

func (fallback) write(*page) {}
func (f fallback) read(sc scope) {
	if t := freeText(unsaid(sc.source())); t != "" {
		*f.to = t
	}
}

// bullets is a flat list of one-line entries; box makes it a checklist.
type bullets struct {
	to  *[]string
	box bool
}

func (l bullets) write(p *page) {
	lead := "- "
	if l.box {
		lead = "- [ ] "
	}
	p.block(listOf(*l.to, lead))
}

func (l bullets) read(sc scope) {
	*l.to = nil
	for _, b := range sc.blocks() {
		if b.Kind == ListItem || b.Kind == Paragraph {
			if t := entry(b.Text); t != "" {
				*l.to = append(*l.to, t)
			}
		}
	}
}

func listOf(entries []string, lead string) string {
	var out []string
	for _, e := range entries {
		if t := line(e); t != "" {
			out = append(out, lead+t)
		}
	}
	return strings.Join(out, "\n")
}

// criteria is the checklist of acceptance criteria.
type criteria struct{ to *[]Criterion }

func (c criteria) write(p *page) { p.block(criteriaList(*c.to)) }
func (c criteria) read(sc scope) { *c.to = readCriteria(sc.blocks()) }

func criteriaList(list []Criterion) string {
	var out []string
	for _, c := range list {
		t := line(c.Text)
		if t == "" {
			continue
		}
		box := "- [ ] "
		if c.Done {
			box = "- [x] "
		}
		id, rest := c.ID, unlead(t)
		if !idExactly.MatchString(id) {
			id, rest = criterionID(t) // a text may bring its own
		}
		if id != "" {
			t = id + ": " + rest
		}
		out = append(out, box+t)
	}
	return strings.Join(out, "\n")
}

func readCriteria(blocks []Block) []Criterion {
	var out []Criterion
	for _, b := range blocks {
		t := entry(b.Text)
		if b.Kind != ListItem || t == "" {
			continue
		}
		c := Criterion{Text: t, Done: b.Check == "x"}
		if id, rest := criterionID(b.Text); id != "" {
			c.ID, c.Text = id, rest
		}
		out = append(out, c)
	}
	return out
}

// criterionID is the id a criterion's text begins with, and what follows it;
// an id alone is a text.
func criterionID(text string) (id, rest string) {
	if m := acLead.FindStringSubmatch(text); m != nil {
		if rest = entry(text[len(m[0]):]); rest != "" {
			return m[1], rest
		}
	}
	return "", text
}

// cell is one column of one row, written and read.
type cell interface {
	get() string
	set(string)
}

type word struct{ to *string }

func (w word) get() string  { return inline(*w.to) }
func (w word) set(s string) { *w.to = s }

// list is several short texts in one cell, separated by semicolons.
type list struct{ to *[]string }

func (l list) get() string { return strings.Join(listed(*l.to), "; ") }

// listed are the entries as a cell holds them.
func listed(entries []string) []string {
	var out []string
	for _, s := range entries {
		if t := said(strings.ReplaceAll(s, ";", ",")); t != "" {
			out = append(out, t)
		}
	}
	return out
}

func (l list) set(s string) {
	*l.to = nil
	for _, t := range strings.Split(s, ";") {
		if t = strings.TrimSpace(t); t != "" {
			*l.to = append(*l.to, t)
		}
	}
}

// refs is ids, written as links.
type refs struct {
	to *[]string
	in linker
}

func (r refs) get() string  { return r.in.all(*r.to) }
func (r refs) set(s string) { *r.to = IDs(s) }

// derived is a cell made from other fields.
type derived string

func (d derived) get() string { return string(d) }
func (derived) set(string)    {}

// table is rows of a struct; row gives the cells of one.
type table[T any] struct {
	head []string
	to   *[]T
	row  func(*T) []cell
}

func (t table[T]) write(p *page) {
	if len(*t.to) == 0 {
		return
	}
	rows := make([][]string, 0, len(*t.to))
	for i := range *t.to {
		var row []string
		said := false
		for _, c := range t.row(&(*t.to)[i]) {
			text := unsaid(c.get())
			_, computed := c.(derived)
			said = said || text != "" && !computed
			row = append(row, text)
		}
		if said {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		p.block(grid(t.head, rows))
	}
}

func (t table[T]) read(sc scope) {
	*t.to = nil
	var order []int
	for _, b := range sc.blocks() {
		switch b.Kind {
		case TableHead:
			if len(*t.to) > 0 {
				return // another table of the same section
			}
			order = columnOrder(t.head, b.Cells)
		case TableRow:
			var v T
			empty := true
			for i, c := range t.row(&v) {
				if at := order[i]; at >= 0 && at < len(b.Cells) {
					s := unsaid(b.Cells[at])
					c.set(s)
					_, computed := c.(derived)
					empty = empty && (s == "" || computed)
				}
			}
			if !empty {
				*t.to = append(*t.to, v)
			}
		}
	}
}

// columnOrder finds our columns in a table that may have others: by name,
// else by position.
func columnOrder(want, have []string) []int {
	order := make([]int, len(want))
	named := 0
	for i, w := range want {
		order[i] = -1
		for j, h := range have {
			if titleKey(h) == titleKey(w) {
				order[i] = j
				named++
				break
			}
		}
	}
	if named*2 < len(want) {
		for i := range order {
			order[i] = i
		}
	}
	return order
}

// grid is a Markdown table.
func grid(head []string, rows [][]string) string {
	var b strings.Builder
	b.WriteString("| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat(" --- |", len(head)))
	for _, r := range rows {
		b.WriteString("\n|")
		for _, c := range r {
			c = strings.ReplaceAll(c, "|", "\\|")
			if unsaid(c) == "" {
				c = "–"
			}
			fmt.Fprintf(&b, " %s |", c)
		}
	}
	return b.String()
}

// made is content computed at writing time; reading ignores it.
type made func(p *page)

func (m made) write(p *page) { m(p) }
func (made) read(scope)      {}

// both writes and reads several codecs in one section.
type both []codec

func (b both) write(p *page) {
	for _, c := range b {
		c.write(p)
	}
}

func (b both) read(sc scope) {
	for _, c := range b {
		c.read(sc)
	}
}
