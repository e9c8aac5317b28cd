package spec

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// running is what rules about words read in a document. It depends on nothing
// but the text and is read once.
type running struct {
	once     sync.Once
	passages []passageRead
	defined  []string // acronyms that are explained somewhere in it
}

// passageRead is a block of running text: what readers meet as words, without
// code, links and quotations.
type passageRead struct {
	Block
	acronyms []string // that not everybody knows
	words    []wordRead
	assumed  []assumedRead
}

// wordRead is a word that may be written in another way elsewhere, or two
// words that may be written as one.
type wordRead struct {
	key, text string
	line      int
	pair      bool
}

// assumedRead is a sentence that takes something for granted, and what.
type assumedRead struct {
	Statement
	what string
}

// runningText goes over the running text of the specification.
func (in *inspection) runningText(visit func(*Document, passageRead)) {
	for _, d := range in.Documents {
		for _, p := range d.words().passages {
			if d.Kind != DocOther || in.itemAt(d.Path, p.Line) != "" {
				visit(d, p)
			}
		}
	}
}

func (d *Document) words() *running {
	d.running.once.Do(func() {
		d.running.defined = d.definedWords()
		if slices.Contains([]DocKind{DocReadiness, DocSummary, DocDiscovery, DocConfig}, d.Kind) {
			return
		}
		for _, b := range d.Blocks {
			if b.Kind == CodeBlock || b.Kind == HTMLBlock || b.Kind == QuoteBlock || b.Kind == TableHead {
				continue
			}
			if name, _, ok := splitLabel(b.Text); ok && name == "source" {
				continue // somebody else's words
			}
			d.running.passages = append(d.running.passages, d.passageRead(b))
		}
	})
	return &d.running
}

func (d *Document) passageRead(b Block) passageRead {
	text := Plain(unquoted(codeSpan.ReplaceAllString(b.Text, "_")))
	p := passageRead{Block: b, acronyms: acronymsOf(text)}
	for i, l := range strings.Split(text, "\n") {
		p.words = append(p.words, wordsOf(l, b.Line+i)...)
	}
	for _, st := range sentences(b.Text, Statement{File: d.Path, Line: b.Line, End: b.End}) {
		if at := assumes.FindStringIndex(st.Said); at != nil {
			p.assumed = append(p.assumed, assumedRead{st, st.Said[at[1]:]})
		}
	}
	return p
}

var (
	acronym    = compile(`(^|[\s("'/])([A-Z]{2,6})s?([\s).,;:!?"'/]|$)`)
	allCapsRun = compile(`\b[A-Z]{2,}\b[ _][A-Z]{2,}\b`)
	phrasal    = compile(`^(?:in|out|up|down|off|on|over|back|away|through|by|to)$`)
)

func (d *Document) definedWords() []string {
	var out []string
	for _, l := range d.Lines {
		if !capitals(l) {
			continue
		}
		for _, m := range definedHere.FindAllStringSubmatch(l, -1) {
			out = append(out, strings.TrimSuffix(m[1]+m[2], "s"))
		}
	}
	return out
}

func acronymsOf(text string) []string {
	if !capitals(text) {
		return nil
	}
	var out []string
	text = allCapsRun.ReplaceAllString(idAnywhere.ReplaceAllString(text, "_"), "_")
	for _, m := range acronym.FindAllStringSubmatch(text, -1) {
		if !knownAcronyms[m[2]] {
			out = append(out, m[2])
		}
	}
	return out
}

// capitals tells whether two stand side by side, as in each acronym.
func capitals(s string) bool {
	for i := 1; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' && 'A' <= s[i-1] && s[i-1] <= 'Z' {
			return true
		}
	}
	return false
}

// definedHere is "service level (SL)", "SL (service level)", "SL: service level"
// or "**SL**" at the head of an entry.
var definedHere = compile(`[(（]([A-Z]{2,6})s?[)）]|\b([A-Z]{2,6})s?\s*(?:[(（]|[:=–—]\s*\pL|[*_]{2}\s*[:–—-]|\s*\|\s*\pL+ \pL)`)

// wordsOf lists a line's longer words, and its pairs of words.
func wordsOf(l string, line int) []wordRead {
	var out []wordRead
	words := termWords(pathLike.ReplaceAllString(l, " "))
	for i, w := range words {
		if len(w) > 4 {
			out = append(out, wordRead{strings.ToLower(strings.ReplaceAll(w, "-", "")), casing(w), line, false})
		}
		if i > 0 && len(w)+len(words[i-1]) > 5 && !phrasal.MatchString(strings.ToLower(w)) && strings.Contains(l, words[i-1]+" "+w) {
			out = append(out, wordRead{"", strings.ToLower(words[i-1] + " " + w), line, true})
		}
	}
	return out
}

// termWords lists the words of ASCII letters, with the hyphens inside them.
func termWords(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		if !letter(s, i) {
			i++
			continue
		}
		from := i
		for letter(s, i) || i < len(s) && s[i] == '-' && letter(s, i+1) {
			i++
		}
		out = append(out, s[from:i])
	}
	return out
}

func letter(s string, i int) bool {
	return i < len(s) && 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
}

// casing folds the capital a word has at the head of a sentence or title; inner
// capitals are part of a name.
func casing(w string) string {
	inner := strings.IndexFunc(w[1:], unicode.IsUpper) >= 0
	if !inner || w == strings.ToUpper(w) || strings.Contains(w, "-") {
		return strings.ToLower(w)
	}
	return w
}
