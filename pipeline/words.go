package pipeline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts that people read have a budget of visible words: what is folded away,
// drawn or linked does not count.
const (
	reviewWords = 240
	panelWords  = 190
)

// Words counts the visible words of Markdown: pieces with a letter or a digit;
// two characters of a script without blanks are one.
func Words(markdown string) int {
	words, wide, solid := 0, 0, false
	for i := 0; i < len(markdown); {
		n, seen := unseen(markdown[i:])
		if n > 0 {
			words, solid = words+Words(seen), false
			i += n
			continue
		}
		r, length := utf8.DecodeRuneInString(markdown[i:])
		i += length
		switch {
		case unicode.IsSpace(r), r == '|':
			solid = false
		case r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			wide++
		case !solid && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			solid = true
			words++
		}
	}
	return words + (wide+1)/2
}

// unseen is the length of what a reader does not see at the start of text: a
// comment, a diagram's source, a fold, a tag, a link's address. Of a fold the
// summary is seen.
func unseen(text string) (length int, seen string) {
	switch text[0] {
	case '<':
		if strings.HasPrefix(text, "<details>") {
			_, inner, _ := strings.Cut(text, "<summary>")
			seen, _, _ = strings.Cut(inner, "</summary>")
			return through(text, "</details>"), seen
		}
		if strings.HasPrefix(text, "<!--") {
			return through(text, "-->"), ""
		}
		if len(text) > 1 && (text[1] == '/' || text[1] >= 'a' && text[1] <= 'z') {
			return through(text, ">"), ""
		}
	case '`':
		if strings.HasPrefix(text, "```mermaid") {
			return 3 + through(text[3:], "```"), ""
		}
	case ']':
		if strings.HasPrefix(text, "](") {
			return through(text, ")"), ""
		}
	case '&':
		if strings.HasPrefix(text, "&nbsp;") {
			return len("&nbsp;"), ""
		}
	}
	return 0, ""
}

// through is how far text goes to the end of mark, all of it where mark is missing.
func through(text, mark string) int {
	at := strings.Index(text, mark)
	if at < 0 {
		return len(text)
	}
	return at + len(mark)
}

// size is how much of everything a text says.
type size struct {
	line  int  // runes of a finding, focus line or action
	items int  // actions, focus lines
	rows  int  // rows of a table that stay unfolded
	main  int  // divergences
	extra bool // themes, advice, notes
}

// sizes go from ample to terse.
var sizes = []size{
	{line: 120, items: 5, rows: 8, main: 3, extra: true},
	{line: 90, items: 5, rows: 8, main: 3, extra: true},
	{line: 70, items: 4, rows: 6, main: 3, extra: true},
	{line: 60, items: 3, rows: 0, main: 2, extra: true},
	{line: 48, items: 3, rows: 0, main: 2},
	{line: 36, items: 2, rows: 0, main: 1},
	{line: 24, items: 1, rows: 0, main: 1},
}

// fitted is the amplest version of a text within its budget of words.
func fitted(budget int, write func(size) string) string {
	text := ""
	for _, z := range sizes {
		if text = write(z); Words(text) <= budget {
			break
		}
	}
	return text
}
