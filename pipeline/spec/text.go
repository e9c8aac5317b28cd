package spec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// oneLine folds all white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip shortens a text at a word boundary.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)[:n]
	cut := string(r)
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// prose is the text of paragraphs and list items, one per line.
func prose(blocks []Block) string {
	var out []string
	for _, b := range blocks {
		if (b.Kind == Paragraph || b.Kind == ListItem) && unsaid(b.Text) != "" {
			out = append(out, oneLine(b.Text))
		}
	}
	return strings.Join(out, "\n")
}

func joinLines(lines []string) string { return strings.Trim(strings.Join(lines, "\n"), "\n") }

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

func firstID(s string) string {
	if m := idAtStart.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

func titleAfterID(title, id string) string {
	rest, ok := strings.CutPrefix(title, id)
	if !ok {
		return title
	}
	return strings.TrimSpace(strings.TrimLeft(rest, " :—–-."))
}

func appendIDs(to []string, self string, texts ...string) []string {
	for _, t := range texts {
		for _, id := range IDs(t) {
			if id != self && KindOf(id) != KindAC && !slices.Contains(to, id) {
				to = append(to, id)
			}
		}
	}
	return to
}

// Priorities in MoSCoW order.
var Priorities = []string{"Must", "Should", "Could", "Won't"}

var priorityNames = map[string]string{
	"must": "Must", "must have": "Must", "must-have": "Must", "p0": "Must", "should": "Should", "should have": "Should", "p1": "Should",
	"could": "Could", "could have": "Could", "p2": "Could", "won't": "Won't", "wont": "Won't", "won't have": "Won't", "p3": "Won't",
}

func priorityWord(s string) string {
	s = strings.Trim(Plain(s), "[]().: ")
	if p, ok := priorityNames[strings.ToLower(strings.ReplaceAll(s, "’", "'"))]; ok {
		return p
	}
	return ""
}

var priorityBracket = compile(`\[(Must|Should|Could|Won't)\]`)

func priorityTag(s string) string {
	if m := priorityBracket.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// splitLabel reads "**Label:** rest"; the name comes in lower case. A bold
// lead without a colon is no label.
func splitLabel(s string) (name, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, "**")
	if !ok {
		return "", "", false
	}
	name, rest, ok = strings.Cut(s, "**")
	rest, colon := strings.CutPrefix(rest, ":")
	if len(name) > 1 && name[len(name)-1] == ':' {
		name, colon = name[:len(name)-1], true
	}
	if !ok || strings.ContainsAny(name, "*\n") || name == "" || utf8.RuneCountInString(name) > labelLimit || !colon && !strings.Contains(name, ":") {
		return "", "", false
	}
	return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest), true
}

const labelLimit = 60

// label is a block's own; what a fence shows is no label.
func (b Block) label() (name, rest string, ok bool) {
	if b.Kind == CodeBlock {
		return "", "", false
	}
	return splitLabel(b.Text)
}
