package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Where an id may be defined, weakest first. A stronger place makes the weaker
// ones references.
const (
	asRow = iota + 1
	asLead
	asHeading
	asFile
)

type definition struct {
	Item
	strength int
	doc      *Document
	section  int
}

// collect finds the items of all documents.
func (s *Set) collect() {
	var found []definition
	for _, d := range s.Documents {
		found = append(found, d.definitions()...)
	}
	strongest := map[string]int{}
	for _, f := range found {
		strongest[f.ID] = max(strongest[f.ID], f.strength)
	}
	for _, f := range found {
		if f.strength < strongest[f.ID] {
			continue
		}
		s.Defined[f.ID] = append(s.Defined[f.ID], Place{f.File, f.Line})
		if len(s.Defined[f.ID]) == 1 {
			s.add(f.Item)
			s.criteria(f)
		}
	}
	s.loose()
}

func (s *Set) add(it Item) {
	if it.Fields == nil {
		it.Fields = map[string]string{}
	}
	it.Fingerprint = fingerprint(it)
	s.byID[it.ID] = len(s.Items)
	s.Items = append(s.Items, it)
}

// definitions lists what a document defines.
func (d *Document) definitions() []definition {
	var out []definition
	if id := d.Front.Get("id"); KindOf(id) != "" {
		out = append(out, d.fileItem(id))
	}
	if d.Kind == DocReadiness || d.Kind == DocSummary {
		return out
	}
	for i, sec := range d.Sections {
		m := idAtStart.FindStringSubmatch(sec.Title)
		if m == nil || (len(out) > 0 && out[0].ID == m[1] && out[0].strength == asFile) {
			continue
		}
		out = append(out, d.headingItem(i, m[1]))
	}
	for i, b := range d.Blocks {
		if def, ok := d.blockItem(i, b); ok {
			out = append(out, def)
		}
	}
	return out
}

// itemTitle is the title an item's file shows, as written.
func (d *Document) itemTitle(id string) (title string, line int) {
	for _, sec := range d.Sections {
		if sec.Level == 1 {
			return orElse(titleAfterID(sec.Title, id), d.Front.Get("title")), sec.Line
		}
	}
	return d.Front.Get("title"), 1
}

// statementSections hold the normative text of an item file.
var statementSections = map[Kind][]string{
	KindReq: {"Description", "Requirement", "Statement"}, KindNFR: {"Requirement", "Description", "Statement"},
	KindADR: {"Decision"}, KindEpic: {"Description"},
}

func (d *Document) fileItem(id string) definition {
	it := Item{ID: id, Kind: KindOf(id), File: d.Path, Line: 1, End: len(d.Lines), Fields: map[string]string{}}
	for _, f := range d.Front.Fields {
		it.Fields[f.Name] = strings.Join(f.Values, ", ")
	}
	raw, line := d.itemTitle(id)
	it.Title, it.Line = Plain(raw), line
	it.Priority = priorityWord(d.Front.Get("priority"))
	if sec := d.Find(-1, statementSections[it.Kind]...); sec >= 0 {
		it.Statement = prose(d.Body(sec))
	}
	for _, key := range []string{"traces_to", "traces", "requirements", "architecture"} {
		it.TracesTo = appendIDs(it.TracesTo, id, d.Front.List(key)...)
	}
	return definition{Item: it, strength: asFile, doc: d, section: -1}
}

func (d *Document) headingItem(i int, id string) definition {
	sec := d.Sections[i]
	it := Item{ID: id, Kind: KindOf(id), File: d.Path, Line: sec.Line, End: sec.End, Title: titleAfterID(Plain(sec.Title), id), Fields: map[string]string{}}
	label := ""
	var text []string
	for _, b := range d.Below(i) {
		if KindOf(firstID(b.Text)) == KindAC && b.Kind == ListItem || b.Kind == CodeBlock || b.Kind == HTMLBlock || b.Kind == QuoteBlock {
			continue
		}
		if name, rest, ok := splitLabel(b.Text); ok {
			label = name
			it.Fields[name] = joined(it.Fields[name], Plain(rest))
			continue
		}
		if label == "" && (b.Kind == Paragraph || b.Kind == ListItem) && b.Section == i {
			text = append(text, oneLine(b.Text))
		} else if label != "" {
			it.Fields[label] = joined(it.Fields[label], Plain(b.Text))
		}
	}
	it.Statement = strings.Join(text, "\n")
	for name, value := range it.Fields {
		switch {
		case strings.HasPrefix(name, "trace"), name == "requirements", name == "goal", name == "goals":
			it.TracesTo = appendIDs(it.TracesTo, id, value)
		case name == "priority":
			it.Priority = priorityWord(value)
		}
	}
	slices.Sort(it.TracesTo)
	it.Priority = orElse(it.Priority, priorityTag(sec.Title))
	if it.Kind == KindStory && it.Statement == "" {
		it.Statement = it.Fields["user story"]
	}
	return definition{Item: it, strength: asHeading, doc: d, section: i}
}

var referenceSection = compile(`(?i)matrix|trace|overview|summary|coverage|mapping|requirements$|decision records|^(functional|non-functional)|references|links|depend`)

var matrixSection = compile(`(?i)matrix|trace|coverage|mapping`)

// blockItem takes "- **REQ-001**: text" and table rows that begin with a bare
// id for definitions; rows of matrices and linked ids are references.
func (d *Document) blockItem(i int, b Block) (definition, bool) {
	text, strength := b.Text, asLead
	switch b.Kind {
	case TableRow:
		if len(b.Cells) < 2 {
			return definition{}, false
		}
		text, strength = b.Cells[0], asRow
		if !idExactly.MatchString(Plain(text)) || strings.Contains(text, "](") || d.reference(b.Section, strength, KindOf(Plain(text))) {
			return definition{}, false
		}
	case ListItem, Paragraph:
		if !strings.ContainsAny(text[:min(len(text), 40)], ":—–-") {
			return definition{}, false
		}
	default:
		return definition{}, false
	}
	m := idAtStart.FindStringSubmatch(text)
	if m == nil || strings.Contains(text[:len(m[0])], "[") || KindOf(m[1]) == KindAC {
		return definition{}, false
	}
	id := m[1]
	it := Item{ID: id, Kind: KindOf(id), File: d.Path, Line: b.Line, End: b.End, Fields: map[string]string{}}
	if b.Kind == TableRow {
		d.rowItem(&it, i)
		return definition{Item: it, strength: strength, doc: d, section: -1}, true
	}
	rest := strings.TrimLeft(text[len(m[0]):], "*_` )].")
	if rest == "" || !strings.ContainsRune(":—–-", []rune(rest)[0]) || d.reference(b.Section, strength, it.Kind) {
		return definition{}, false
	}
	it.Statement = oneLine(strings.TrimLeft(rest, ":—–- *"))
	it.Title = clip(Plain(it.Statement), 60)
	it.Priority = priorityTag(it.Statement)
	it.TracesTo = appendIDs(nil, id, it.Statement)
	return definition{Item: it, strength: strength, doc: d, section: -1}, true
}

func (d *Document) reference(section, strength int, kind Kind) bool {
	if section < 0 {
		return false
	}
	title := d.Sections[section].Title
	row := referenceSection
	if kind == KindGoal {
		row = matrixSection // goals have no files: a table is their home
	}
	return strength == asRow && row.MatchString(title) ||
		strength == asLead && (strings.EqualFold(title, "Traces") || d.Kind == DocEpic && strings.EqualFold(title, "Requirements"))
}

// rowItem reads a row under its header: the second column is the text, named
// columns are fields.
func (d *Document) rowItem(it *Item, at int) {
	b := d.Blocks[at]
	it.Statement, it.Title = b.Cells[1], clip(Plain(b.Cells[1]), 60)
	head := d.tableHead(at)
	for c := 1; c < len(b.Cells) && c < len(head); c++ {
		name := strings.ToLower(Plain(head[c]))
		it.Fields[name] = unsaid(b.Cells[c])
		switch {
		case name == "priority":
			it.Priority = priorityWord(b.Cells[c])
		case strings.Contains(name, "trace"), name == "goal" && it.Kind != KindGoal, name == "goals", name == "requirements":
			it.TracesTo = appendIDs(it.TracesTo, it.ID, b.Cells[c])
		}
	}
}

func (d *Document) tableHead(at int) []string {
	if n := d.Blocks[at].Table; n > 0 && n <= len(d.heads) {
		return d.heads[n-1]
	}
	return nil
}

var (
	criteriaTitle = compile(`(?i)acceptance criteria|akzeptanzkriterien|验收标准|критерии при[её]мки|critères d.acceptation`)
	acLead        = compile(`^[\s*_(\[` + "`" + `]{0,4}(AC-\d{1,5}(?:-\d{1,5}){0,2})\b[*_)\]` + "`" + `]{0,4}(?:[:：.—–-][*_]{0,2})?\s*`)
)

// criteria makes the acceptance criteria below an item into items.
func (s *Set) criteria(f definition) {
	if f.strength < asHeading {
		return
	}
	inside, n := false, 0
	for _, b := range f.doc.Below(f.section) {
		if f.strength == asFile {
			inside = b.Section >= 0 && criteriaTitle.MatchString(f.doc.Sections[b.Section].Title)
		} else if b.Section >= 0 && b.Section != f.section {
			inside = criteriaTitle.MatchString(f.doc.Sections[b.Section].Title)
		}
		if f.strength == asFile && f.Kind == KindEpic {
			return // its stories carry their own
		}
		if name, _, ok := splitLabel(b.Text); ok && f.strength == asHeading {
			inside = criteriaTitle.MatchString(name)
			continue
		}
		m := acLead.FindStringSubmatch(b.Text)
		if b.Kind != ListItem || (!inside && m == nil) || unsaid(b.Text) == "" {
			continue
		}
		n++
		it := Item{Kind: KindAC, File: f.File, Line: b.Line, End: b.End, Statement: oneLine(b.Text), TracesTo: []string{f.ID},
			Priority: f.Priority, Fields: map[string]string{"done": b.Check, "parent": f.ID}}
		it.ID = acID(f.ID, n)
		if m != nil {
			it.ID, it.Statement = m[1], oneLine(b.Text[len(m[0]):])
		}
		it.Title = clip(Plain(it.Statement), 60)
		s.Defined[it.ID] = append(s.Defined[it.ID], Place{it.File, it.Line})
		if len(s.Defined[it.ID]) == 1 {
			s.add(it)
		}
	}
}

// acID numbers a criterion after its parent: REQ-004 gives AC-004-01,
// STORY-001-002 gives AC-001-002-01, others keep the parent's whole id.
func acID(parent string, n int) string {
	if rest, ok := strings.CutPrefix(parent, "REQ-"); ok {
		return fmt.Sprintf("AC-%s-%02d", rest, n)
	}
	if rest, ok := strings.CutPrefix(parent, "STORY-"); ok {
		return fmt.Sprintf("AC-%s-%02d", rest, n)
	}
	return fmt.Sprintf("%s/AC-%02d", parent, n)
}

// loose makes items of risks and assumptions, which carry no ids of their own.
func (s *Set) loose() {
	if !s.Session() {
		return
	}
	counts := map[Kind]int{}
	for _, d := range s.Documents {
		if d.Kind == DocReadiness || d.Kind == DocSummary {
			continue
		}
		for i, b := range d.Blocks {
			kind := d.looseKind(b)
			if kind == "" || unsaid(b.Text) == "" || idAtStart.MatchString(b.Text) {
				continue
			}
			it := Item{Kind: kind, File: d.Path, Line: b.Line, End: b.End, Statement: oneLine(b.Text), Fields: map[string]string{}}
			if b.Kind == TableRow {
				it.Statement = b.Cells[0]
				head := d.tableHead(i)
				for c := 0; c < len(b.Cells) && c < len(head); c++ {
					it.Fields[strings.ToLower(Plain(head[c]))] = unsaid(b.Cells[c])
				}
			}
			counts[kind]++
			it.ID = fmt.Sprintf("%s-%03d", kind, counts[kind])
			it.Title = clip(Plain(it.Statement), 60)
			if !s.Has(it.ID) {
				s.Defined[it.ID] = []Place{{it.File, it.Line}}
				s.add(it)
			}
		}
	}
}

var (
	riskTitle       = compile(`(?i)^risks?\b|^risiken|^风险`)
	assumptionTitle = compile(`(?i)^assumptions$|^annahmen$|^假设$`)
)

func (d *Document) looseKind(b Block) Kind {
	if b.Section < 0 || (b.Kind != TableRow && b.Kind != ListItem) {
		return ""
	}
	title := d.Sections[b.Section].Title
	switch {
	case riskTitle.MatchString(title) && (b.Kind == TableRow && len(b.Cells) > 1 || d.Kind == DocADR):
		return KindRisk
	case assumptionTitle.MatchString(title) && b.Kind == ListItem:
		return KindAssumption
	}
	return ""
}

// connect fills Children, the links downwards.
func (s *Set) connect() {
	for i := range s.Items {
		it := &s.Items[i]
		if it.Kind == KindStory {
			s.storyParent(it)
		}
		for _, up := range it.TracesTo {
			if at, ok := s.byID[up]; ok && at != i {
				s.Items[at].Children = append(s.Items[at].Children, it.ID)
			}
		}
	}
}

// storyParent notes the epic whose file or number holds the story.
func (s *Set) storyParent(it *Item) {
	if m := strings.Split(it.ID, "-"); len(m) == 3 {
		it.Fields["epic"] = "EPIC-" + m[1]
	}
	if d := s.byPath[it.File]; d != nil && KindOf(d.Front.Get("id")) == KindEpic {
		it.Fields["epic"] = d.Front.Get("id")
	}
}

// fingerprint covers what an item demands, not where it stands or what links to it.
func fingerprint(it Item) string {
	parts := []string{string(it.Kind), it.Title, it.Statement, it.Priority}
	for _, key := range []string{"metric", "target", "success metric", "user story", "measurement method"} {
		if v := it.Fields[key]; v != "" {
			parts = append(parts, key+"="+v)
		}
	}
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:8])
}
