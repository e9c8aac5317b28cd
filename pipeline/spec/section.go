package spec

import (
	"fmt"
	"strings"
	"unicode"
)

// close gives sections their ends, parents, anchors and blocks.
func (d *Document) close() {
	var open []int
	seen := map[string]int{}
	for i := range d.Sections {
		s := &d.Sections[i]
		for len(open) > 0 && d.Sections[open[len(open)-1]].Level >= s.Level {
			d.Sections[open[len(open)-1]].End = s.Line - 1
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			s.Parent = open[len(open)-1]
		}
		open = append(open, i)
		s.Anchor, s.key = Anchor(s.Title), titleKey(s.Title)
		if n := seen[s.Anchor]; n > 0 {
			seen[s.Anchor]++
			s.Anchor = fmt.Sprintf("%s-%d", s.Anchor, n)
		} else {
			seen[s.Anchor] = 1
		}
		d.Anchors[s.Anchor] = true
	}
	for _, i := range open {
		d.Sections[i].End = len(d.Lines)
	}
	for i, b := range d.Blocks {
		if b.Section >= 0 {
			d.Sections[b.Section].blocks[1] = i + 1
		}
	}
}

// Anchor is the fragment GitHub gives a heading.
func Anchor(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(linkText.ReplaceAllString(title, "$1")) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Body is the section's own blocks, without those of its subsections.
func (d *Document) Body(section int) []Block {
	if section < 0 || section >= len(d.Sections) {
		n := 0
		for n < len(d.Blocks) && d.Blocks[n].Section < 0 {
			n++
		}
		return d.Blocks[:n]
	}
	at := d.Sections[section].blocks
	return d.Blocks[at[0]:at[1]]
}

// Below is all blocks of the section and its subsections.
func (d *Document) Below(section int) []Block {
	if section < 0 || section >= len(d.Sections) {
		return d.Blocks
	}
	from, to := d.Sections[section].blocks[0], d.Sections[section].blocks[1]
	for i := section + 1; i < len(d.Sections) && d.Sections[i].Level > d.Sections[section].Level; i++ {
		to = max(to, d.Sections[i].blocks[1])
	}
	return d.Blocks[from:to]
}

// Source is the section's own source text, up to its first subsection.
func (d *Document) Source(section int) string {
	from, to := d.Front.End, len(d.Lines)
	if section >= 0 {
		from = d.Sections[section].Line
		// A setext heading is two lines long.
		if from < len(d.Lines) && setextLine.MatchString(d.Lines[from]) && !strings.HasPrefix(strings.TrimSpace(d.Lines[from-1]), "#") {
			from++
		}
	}
	if section+1 < len(d.Sections) {
		to = d.Sections[section+1].Line - 1
	}
	if from >= to {
		return ""
	}
	return strings.Trim(strings.Join(d.Lines[from:to], "\n"), "\n")
}

var setextLine = compile(`^ {0,3}(=+|-+)[ \t]*$`)

// Find is the first section with one of the titles, inside the given parent
// (-1: anywhere); -1 when there is none. Case, punctuation, numbering and "&"
// against "and" do not matter.
func (d *Document) Find(parent int, titles ...string) int {
	for _, t := range titles {
		key := titleKey(t)
		for i := range d.Sections {
			if d.Sections[i].Level > 1 && d.inside(i, parent) && d.Sections[i].key == key {
				return i
			}
		}
	}
	return -1
}

// Subsections are the sections directly below the parent.
func (d *Document) Subsections(parent int) []int {
	var out []int
	for i, s := range d.Sections {
		if s.Parent == parent {
			out = append(out, i)
		}
	}
	return out
}

func (d *Document) inside(i, parent int) bool {
	if parent < 0 {
		return true
	}
	for at := d.Sections[i].Parent; at >= 0; at = d.Sections[at].Parent {
		if at == parent {
			return true
		}
	}
	return false
}

// SectionOf names the headings above a section, outermost first, without H1.
func (d *Document) SectionOf(section int) []string {
	var out []string
	for at := section; at >= 0; at = d.Sections[at].Parent {
		if d.Sections[at].Level > 1 {
			out = append([]string{d.Sections[at].Title}, out...)
		}
	}
	return out
}

var titleNumber = compile(`^[0-9]+(\.[0-9]+)*\.?\s+`)

func titleKey(t string) string {
	t = strings.ToLower(Plain(t))
	if t != "" && '0' <= t[0] && t[0] <= '9' {
		t = titleNumber.ReplaceAllString(t, "")
	}
	t = strings.ReplaceAll(t, " and ", " & ")
	var b strings.Builder
	b.Grow(len(t))
	for _, r := range t {
		if 'a' <= r && r <= 'z' || r == '&' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var tableRule = compile(`^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$`)

// table splits a paragraph that is a table into rows. Text above the header
// row stays a paragraph.
func (w *walker) table(b Block) bool {
	lines := strings.Split(b.Text, "\n")
	head := -1
	for i := 1; i < len(lines); i++ {
		if strings.Contains(lines[i-1], "|") && strings.Contains(lines[i], "-") && tableRule.MatchString(lines[i]) &&
			len(splitCells(lines[i])) == len(splitCells(lines[i-1])) {
			head = i - 1
			break
		}
	}
	if head < 0 {
		return false
	}
	if head > 0 {
		lead := b
		lead.Text, lead.End = strings.Join(lines[:head], "\n"), b.Line+head-1
		w.add(lead)
	}
	w.tables++
	for i := head; i < len(lines); i++ {
		if i == head+1 {
			continue
		}
		row := Block{Kind: TableRow, Text: strings.TrimSpace(lines[i]), Line: b.Line + i, End: b.Line + i, Table: w.tables,
			Cells: splitCells(lines[i])}
		if i == head {
			row.Kind = TableHead
			w.doc.heads = append(w.doc.heads, row.Cells)
		}
		w.add(row)
	}
	return true
}

// splitCells are the cells of a row; there is one at least.
func splitCells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var cells []string
	var b strings.Builder
	for i := 0; i < len(line) && len(cells) < cellLimit; i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			b.WriteByte('|')
			i++
		case line[i] == '|':
			cells = append(cells, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(line[i])
		}
	}
	if rest := strings.TrimSpace(b.String()); (rest != "" || len(cells) == 0) && len(cells) < cellLimit {
		cells = append(cells, rest)
	}
	return cells
}
