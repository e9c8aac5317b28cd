package spec

import (
	"path"
	"sort"
	"strings"
	"unicode"
)

// Statement is one normative sentence.
type Statement struct {
	Text      string // as a reader sees it
	Raw       string // as written
	Said      string // Text with quotations and code blanked: the author's own words
	File      string
	Line, End int
	Item      string // the item it belongs to; empty for a sentence with a modal in loose text
	Kind      Kind
	Must      bool // it lies in a Must item
	Unit      string
}

var normativeKinds = map[Kind]bool{KindReq: true, KindNFR: true, KindADR: true, KindAC: true, KindStory: true}

// modalWord marks a sentence as normative where no item does: the keywords of
// RFC 2119 in capitals, and "shall".
var modalWord = compile(`\b(MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED)\b|\bshall\b`)

// keywordList is "MUST and SHOULD": a sentence about the words uses none of them.
var keywordList = compile(`\b(?:MUST|SHALL|SHOULD|MAY)(?: NOT)?(?:(?:,| and| or)+ (?:MUST|SHALL|SHOULD|MAY)(?: NOT)?)+\b`)

// statements lists the normative sentences: the statements of requirements,
// criteria, decisions and stories, and elsewhere sentences with a modal.
// Quotations, code, tables of options and rationale are not among them.
func (s *Set) statements() []Statement {
	var out []Statement
	taken := map[Place]bool{}
	for _, it := range s.Items {
		if !normativeKinds[it.Kind] || it.Statement == "" {
			continue
		}
		d := s.byPath[it.File]
		for _, b := range d.normative(it) {
			taken[Place{it.File, b.Line}] = true
			text := b.Text
			if it.Kind == KindAC {
				text = it.Statement
			}
			out = append(out, sentences(text, Statement{File: it.File, Line: b.Line, End: b.End, Item: it.ID, Kind: it.Kind,
				Must: it.Priority == "Must"})...)
		}
	}
	if s.Session() {
		return out
	}
	for _, d := range s.Documents {
		if d.Kind != DocOther || len(out) > maxStatements {
			continue
		}
		for _, b := range d.Blocks {
			if (b.Kind != Paragraph && b.Kind != ListItem) || taken[Place{d.Path, b.Line}] || d.legal(b) {
				continue
			}
			for _, st := range sentences(b.Text, Statement{File: d.Path, Line: b.Line, End: b.End}) {
				if modalWord.MatchString(keywordList.ReplaceAllString(st.Said, "_")) {
					out = append(out, st)
				}
			}
		}
	}
	return out
}

var (
	legalFile  = compile(`(?i)^(?:licen[cs]es?|unlicense|copying|copyright|notice|patents)\b`)
	legalTitle = compile(`(?i)^(?:the )?(?:mit |bsd |isc |apache )?(?:licen[cs]e|licensing|copyright|legal)(?: notices?| text)?$`)
)

// legal tells whether a block is a licence's: its "shall" is not the author's.
func (d *Document) legal(b Block) bool {
	return legalFile.MatchString(path.Base(d.Path)) || legalTitle.MatchString(d.sectionTitle(b.Section))
}

// codedQuantity is a measure somebody set in code: "within `30 s`".
var codedQuantity = compile("^`+\\s*\\d[\\d.,]*\\s?\\pL*%?\\s*`+$")

// uncoded blanks the code of a text but not its measures.
func uncoded(s string) string {
	return codeSpan.ReplaceAllStringFunc(s, func(m string) string {
		if codedQuantity.MatchString(m) {
			return m
		}
		return strings.Repeat("_", len(m))
	})
}

const maxStatements = 20000

// normative is the blocks that hold an item's statement.
func (d *Document) normative(it Item) []Block {
	var out []Block
	from := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].Line >= it.Line })
	for _, b := range d.Blocks[from:] {
		if b.Line > it.End {
			break
		}
		text := oneLine(b.Text)
		switch b.Kind {
		case Paragraph, ListItem:
			if it.Kind == KindAC || text != "" && strings.Contains(it.Statement, text) || strings.HasSuffix(text, it.Statement) {
				out = append(out, b)
			}
		case TableRow:
			if len(b.Cells) > 1 && b.Cells[1] == it.Statement {
				b.Text = b.Cells[1]
				out = append(out, b)
			}
		}
	}
	return out
}

var abbreviation = compile(`(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|no|approx|incl|fig|sec|resp|z\.B|d\.h|u\.a|bzw|ca|Nr|Abs|usw|evtl|ggf)|\b[A-Z]|\d)\.$`)

// sentences splits a text; each result is like the given statement, with its
// own text and lines.
func sentences(text string, like Statement) []Statement {
	var out []Statement
	line, start := like.Line, 0
	emit := func(to, end int) {
		raw := strings.TrimSpace(text[start:to])
		lead := len(text[start:to]) - len(strings.TrimLeft(text[start:to], " \t\n"))
		st := like
		st.Line = line + strings.Count(text[start:start+lead], "\n")
		st.End = end
		st.Raw, st.Text = raw, oneLine(Plain(raw))
		if st.Said = unquoted(st.Text); strings.Contains(raw, "`") {
			st.Said = unquoted(oneLine(Plain(uncoded(raw))))
		}
		if st.Text != "" && unsaid(raw) != "" {
			out = append(out, st)
		}
		start, line = to, end
	}
	at := like.Line
	for i, r := range text {
		switch {
		case r == '\n':
			at++
		case strings.ContainsRune("。！？", r):
			emit(i+len(string(r)), at)
		case (r == '.' || r == '!' || r == '?') && sentenceEnd(text, i):
			emit(i+1, at)
		}
	}
	emit(len(text), at)
	return out
}

func sentenceEnd(text string, i int) bool {
	rest := text[i+1:]
	trimmed := strings.TrimLeft(rest, " \n\t")
	if len(trimmed) == len(rest) && rest != "" {
		return false // no space after it
	}
	if text[i] == '.' && trimmed != "" {
		from := max(0, i-12)
		if abbreviation.MatchString(text[from:i+1]) && !digitEnd(text, i) {
			return false
		}
	}
	for _, r := range trimmed {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || !unicode.IsLower(r)
	}
	return true
}

// digitEnd: "in 3." ends a sentence where a capital follows, "3.5" does not
// come here at all.
func digitEnd(text string, i int) bool { return i > 0 && text[i-1] >= '0' && text[i-1] <= '9' }
