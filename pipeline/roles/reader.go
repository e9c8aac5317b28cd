package roles

import (
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// reader walks an issue's blocks and knows under which headings it is.
type reader struct {
	doc     *spec.Document
	lang    string
	offset  int
	section int

	here     Sort // what the heading says; empty below a heading without a meaning
	priority string
	subject  string
	lead     lead
	head     []string // cells of the current table's head
	after    bool     // behind the section's list: its heading spoke of the list
	box      bool     // in an item with a box to tick
	parent   int      // index into said of the item that indented ones belong to
	said     []Said
}

// lead is a paragraph that a list completes: "The importer must:".
type lead struct {
	text, priority, modal string
	sort                  Sort
}

func (w *reader) block(b spec.Block) {
	if b.Section != w.section {
		w.enter(b.Section)
	}
	if w.here == SortMeta {
		return
	}
	switch b.Kind {
	case spec.Paragraph:
		w.paragraph(b)
	case spec.ListItem:
		w.item(b)
	case spec.TableHead:
		w.head = b.Cells
	case spec.TableRow:
		w.row(b)
	}
}

// enter reads the headings above a section: the nearest one with a meaning
// says what its text is for, one without a meaning below it is a subject.
func (w *reader) enter(section int) {
	w.section = section
	titles := w.doc.SectionOf(section)
	if section >= 0 && w.doc.Sections[section].Level == 1 {
		titles = []string{w.doc.Sections[section].Title}
	}
	w.under(titles, 0)
}

// under takes the headings above what stands behind a line of the section.
func (w *reader) under(titles []string, line int) {
	w.here, w.priority, w.subject, w.lead, w.parent, w.after = "", "", "", lead{}, -1, false
	for i := len(titles) - 1; i >= 0; i-- {
		if w.priority == "" {
			w.priority = priorityOfHeading(titles[i])
		}
		if sort, ok := sortOfHeading(titles[i]); ok && !(sort == SortMeta && bareField.MatchString(cleanHeading(titles[i])) && w.demanded(line)) {
			w.here = sort
			if sort == SortNotes {
				w.here, w.subject = "", ""
			}
			break
		}
		if w.subject == "" {
			w.subject = clip(cleanHeading(titles[i]), 48)
		}
	}
}

// boldTitle is a line that stands for a heading, as many issue templates have
// it.
var boldTitle = regexp.MustCompile(`^(?:\*\*|__)([^*_\n]{2,100}?)[:：]?(?:\*\*|__)[:：]?$`)

// titled is the heading that a line of a paragraph stands for: a bold line, or
// a known one that is alone over a list.
func (w *reader) titled(line string, b spec.Block) (string, bool) {
	line = strings.TrimSpace(line)
	if m := boldTitle.FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	if strings.Contains(b.Text, "\n") || len(strings.Fields(line)) > 4 || strings.ContainsAny(line, ".,;!:：。") || !exactHeading.MatchString(cleanHeading(line)) {
		return "", false
	}
	return line, w.overList(b)
}

// overList tells whether a list or a table follows a block.
func (w *reader) overList(b spec.Block) bool {
	at := slices.IndexFunc(w.doc.Blocks, func(next spec.Block) bool { return next.Line > b.End })
	return at >= 0 && w.doc.Blocks[at].Section == b.Section && (w.doc.Blocks[at].Kind == spec.ListItem || w.doc.Blocks[at].Kind == spec.TableHead)
}

// paragraph reads a paragraph: lines in it that stand for headings part it, and
// so do the marks of later edits.
func (w *reader) paragraph(b spec.Block) {
	lines := strings.Split(b.Text, "\n")
	from := 0
	flush := func(to int) {
		w.prose(strings.Join(lines[from:to], "\n"), b.Line+from)
		from = to
	}
	for i, line := range lines {
		if title, ok := w.titled(line, b); ok {
			flush(i)
			w.under([]string{title}, b.Line+i)
			from = i + 1
		} else if editMark.MatchString(line) {
			flush(i)
		}
	}
	flush(len(lines))
}

// prose reads sentences; a label before the first ("Risks: …") is the heading
// of all.
func (w *reader) prose(text string, line int) {
	parts := sentences(text)
	if len(parts) == 0 || w.here == SortMeta {
		return
	}
	w.lead, w.parent = lead{}, -1
	outer, outerAfter := w.here, w.after
	if w.after && listHeading[w.here] {
		w.here = ""
	}
	if sort, rest, ok := w.labelled(parts[0].text, false); ok {
		w.here, parts[0].text = sort, rest
	}
	all := w.here
	for i, p := range parts {
		text := strings.TrimSpace(p.text)
		if i > 0 && p.line > parts[i-1].line {
			w.here = all // a label within holds for its line
		}
		if sort, rest, ok := w.labelled(text, true); i > 0 && ok {
			w.here, text = sort, rest
		}
		if i == len(parts)-1 && (strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")) {
			w.lead = w.leading(text)
			continue
		}
		if d := w.decided(); d >= 0 && alternativeLabel(text) {
			w.parent = d
			w.detail(text, line+p.line)
			w.parent = -1
			continue
		}
		n := len(w.said)
		w.add(text, line+p.line, false)
		if len(w.said) > n && i > 0 {
			w.said[n].It = actorOf(parts[i-1].text)
		}
	}
	w.here, w.after = outer, outerAfter
}

// listHeading are the headings that speak of the list below them, not of a
// paragraph behind it.
var listHeading = map[Sort]bool{SortNonGoal: true, SortRisk: true, SortQuestion: true, SortUser: true, SortAssumption: true}

// decided is the index of the decision that was read last, -1 where something
// else was.
func (w *reader) decided() int {
	if n := len(w.said) - 1; n >= 0 && w.said[n].Sort == SortDecision {
		return n
	}
	return -1
}

func alternativeLabel(text string) bool {
	for _, l := range detailLabels {
		if l.re.MatchString(text) {
			return l.label == "alternative"
		}
	}
	return false
}

var label = regexp.MustCompile(`^(\p{L}[\p{L} /-]{1,30}?)\s*(?:[:：]\s+|：)`)

// itemLabels are the labels that say what a list's item is for; others are
// names in it.
var itemLabels = map[Sort]bool{SortRisk: true, SortNonGoal: true, SortQuestion: true, SortDecision: true, SortGoal: true, SortDepends: true,
	SortAssumption: true, SortConstraint: true, SortMeta: true}

// labelled reads a label that says what its text is for: "Out of scope: …".
// Below a heading whose items have names of their own there is none.
func (w *reader) labelled(text string, listed bool) (Sort, string, bool) {
	m := label.FindStringSubmatch(text)
	if m == nil || w.here != "" && w.here != SortAsk && w.here != SortProblem && w.here != SortContext {
		return "", "", false
	}
	sort, known := sortOfHeading(m[1])
	rest := text[len(m[0]):]
	if !known || rest == "" || listed && !itemLabels[sort] || sort == SortMeta && !w.field(rest, listed) {
		return "", "", false
	}
	if sort == SortNotes {
		sort = w.here
	}
	return sort, rest, true
}

// openItem begins like an open point and is an order as likely.
var openItem = regexp.MustCompile(`(?i)^open\s*[:：]`)

// field tells what fills in a form from an ask that is named like its field:
// it demands nothing, and an item of a list says it in a few words.
func (w *reader) field(rest string, listed bool) bool {
	demand, _ := priorityOf(rest, w.lang)
	short := len(strings.Fields(rest)) <= 4 && len([]rune(rest)) <= 32 && !opensWithVerb(rest)
	return demand == "" && w.here != SortAsk && w.lead.sort != SortAsk && (!listed || short)
}

func (w *reader) leading(text string) lead {
	l := lead{text: strings.TrimRight(text, ":：")}
	l.priority, l.modal = priorityOf(l.text, w.lang)
	if sort, ok := sortOfHeading(l.text); ok {
		l.sort, l.text = sort, ""
	} else if nonGoalWords.MatchString(l.text) {
		l.sort = SortNonGoal
	} else if decisionWords.MatchString(l.text) {
		l.sort = SortDecision
	} else if l.priority != "" && (w.here == "" || w.here == SortAsk) {
		l.sort = SortAsk
	}
	return l
}

var boldLabel = regexp.MustCompile(`^(?:\*\*|__)([^*_\n]{2,40}?)\s*[:：]?(?:\*\*|__)\s*[:：.–—-]?\s+`)

func (w *reader) item(b spec.Block) {
	parts := sentences(b.Text)
	if len(parts) == 0 {
		return
	}
	if b.Depth > 0 && w.parent >= 0 && !w.opens(w.parent) {
		for _, p := range parts {
			w.detail(p.text, b.Line+p.line)
		}
		return
	}
	before, outer := len(w.said), w.here
	w.box = b.Check != ""
	if sort, rest, ok := w.labelled(parts[0].text, true); ok && !openItem.MatchString(parts[0].text) {
		w.here, parts[0].text = sort, rest
	}
	defer func() { w.here, w.after, w.box = outer, true, false }()
	for i, p := range parts {
		if i == 0 || len(w.said) == before {
			w.add(p.text, b.Line+p.line, true)
			continue
		}
		if priority, _ := priorityOf(p.text, w.lang); priority != "" || nonGoalWords.MatchString(p.text) || questionEnd.MatchString(p.text) {
			w.add(p.text, b.Line+p.line, true)
			continue
		}
		w.parent = before
		w.detail(p.text, b.Line+p.line)
	}
	if len(w.said) > before && b.Depth == 0 {
		w.parent = before
	}
}

// opens tells an item that only introduces those below it.
func (w *reader) opens(i int) bool {
	return strings.HasSuffix(w.said[i].Quote, ":") || strings.HasSuffix(w.said[i].Quote, "：")
}

var detailLabels = []struct {
	label string
	re    *regexp.Regexp
}{
	{"con", regexp.MustCompile(`(?i)^(?:cons?|downsides?|drawbacks?|disadvantages?|cost|price|against|nachteile?|contra|缺点|代价)\s*[:：]\s*`)},
	{"pro", regexp.MustCompile(`(?i)^(?:pros?|upsides?|advantages?|benefits?|because|reason|rationale|for|vorteile?|grund|优点|理由|原因)\s*[:：]\s*`)},
	{"alternative", regexp.MustCompile(`(?i)^(?:alternatives?|rejected|instead of|considered|verworfen|备选|替代方案)\s*[:：]\s*`)},
	{"risk", regexp.MustCompile(`(?i)^(?:risks?|risiken|risiko|风险)\s*[:：]\s*`)},
	{"metric", regexp.MustCompile(`(?i)^(?:metric|measure[ds]? (?:by|with)|measurement|verified by|how measured|messung|衡量方式|度量|测量)\s*[:：]?\s*`)},
	{"likelihood", regexp.MustCompile(`(?i)^(?:likelihood|probability|wahrscheinlichkeit|可能性|概率)\s*[:：]\s*`)},
	{"impact", regexp.MustCompile(`(?i)^(?:impact|auswirkung|影响)\s*[:：]\s*`)},
	{"mitigation", regexp.MustCompile(`(?i)^(?:mitigations?|countermeasure|gegenmaßnahme|缓解(?:措施)?|应对)\s*[:：]\s*`)},
	{"owner", regexp.MustCompile(`(?i)^(?:owner|verantwortlich|负责人)\s*[:：]\s*`)},
}

func (w *reader) detail(text string, line int) {
	text = plain(text)
	if text == "" || noResponse.MatchString(text) {
		return
	}
	d := Detail{Line: line + w.offset, Quote: text}
	for _, l := range detailLabels {
		if m := l.re.FindString(text); m != "" {
			d.Label, d.Quote = l.label, text[len(m):]
			break
		}
	}
	at := &w.said[w.parent]
	at.Details = append(at.Details, d)
}

// row reads a table's row as an item whose further cells are its details.
func (w *reader) row(b spec.Block) {
	if text, ok := w.rule(b.Cells); ok {
		n := len(w.said)
		w.add(text, b.Line, true)
		if len(w.said) > n {
			w.said[n].Row, w.said[n].Quote = text, strings.Join(b.Cells, " | ")
		}
		return
	}
	if len(b.Cells) == 0 || w.here == SortContext {
		return
	}
	main := 0
	if id := spec.IDs(b.Cells[0]); (len(id) > 0 || len(b.Cells[0]) < 4) && len(b.Cells) > 1 {
		main = 1
	}
	if tabled := w.here == SortQuality || w.here == SortAsk || w.here == SortCriterion || w.here == SortConstraint || w.here == ""; tabled {
		for i, c := range b.Cells {
			if len([]rune(c)) > len([]rune(b.Cells[main])) {
				main = i
			}
		}
	}
	before := len(w.said)
	w.add(b.Cells[main], b.Line, true)
	if len(w.said) == before {
		return
	}
	w.parent = before
	for i, c := range b.Cells {
		if i == main || i >= len(w.head) {
			continue
		}
		w.detail(w.head[i]+": "+c, b.Line)
		if n := len(w.said[before].Details); n > 0 && w.said[before].Details[n-1].Label == "" {
			w.said[before].Details[n-1].Label = strings.ToLower(spec.Plain(w.head[i]))
			w.said[before].Details[n-1].Quote = plain(c)
		}
		if p := moscow(c); p != "" {
			w.said[before].Priority = p
		}
	}
	w.parent = -1
}

// bindingHead are a table's columns that say what holds for each row.
var bindingHead = regexp.MustCompile(`(?i)\b(?:allowed|permi(?:tted|ssions?)|roles?|limits?|max(?:imum)?|min(?:imum)?|required|response|expected|quota|rechte|erlaubt|grenze)\b|权限|限制|上限`)

// rule reads a row of values as one sentence with its columns: no cell of it
// says anything alone.
func (w *reader) rule(cells []string) (string, bool) {
	if len(cells) < 3 || len(cells) > len(w.head) || !bindingHead.MatchString(strings.Join(w.head[1:], " ")) ||
		w.here != "" && w.here != SortAsk && w.here != SortConstraint && w.here != SortContext {
		return "", false
	}
	var parts []string
	for i, c := range cells {
		if len(strings.Fields(c)) > 8 {
			return "", false
		}
		if i > 0 && c != "" {
			parts = append(parts, spec.Plain(w.head[i])+" "+c)
		}
	}
	if cells[0] == "" || len(parts) == 0 {
		return "", false
	}
	return cells[0] + ": " + strings.Join(parts, "; "), true
}

func moscow(s string) string {
	for _, p := range spec.Priorities {
		if strings.EqualFold(strings.Trim(spec.Plain(s), "[] "), p) {
			return p
		}
	}
	return ""
}
