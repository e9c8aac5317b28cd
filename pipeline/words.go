package pipeline

import (
	"regexp"
	"unicode"
)

// Texts that people read have a budget of visible words: what is folded away,
// drawn or linked does not count.
const (
	reviewWords = 240
	panelWords  = 190
)

var unseen = regexp.MustCompile("(?s)<!--.*?-->|```mermaid.*?```|(?m)^\\[[^\\]]+\\]: \\S+$")

var (
	foldOpen  = regexp.MustCompile(`(?s)<details>\s*<summary>(.*?)</summary>.*?</details>`)
	linkRest  = regexp.MustCompile(`\]\([^)]*\)`)
	htmlTags  = regexp.MustCompile(`</?[a-z]+>|&nbsp;`)
	wordBreak = regexp.MustCompile(`[\s|]+`)
)

// Words counts the visible words of Markdown: pieces with a letter or a digit;
// two characters of a script without blanks are one.
func Words(markdown string) int {
	text := unseen.ReplaceAllString(markdown, " ")
	text = foldOpen.ReplaceAllString(text, " $1 ")
	text = linkRest.ReplaceAllString(text, "] ")
	text = htmlTags.ReplaceAllString(text, " ")
	count, han := 0, 0
	for _, word := range wordBreak.Split(text, -1) {
		solid := false
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				han++
			} else if unicode.IsLetter(r) || unicode.IsDigit(r) {
				solid = true
			}
		}
		if solid {
			count++
		}
	}
	return count + (han+1)/2
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
