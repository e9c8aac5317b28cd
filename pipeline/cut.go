package pipeline

import (
	"strings"
	"unicode/utf8"
)

// The longest texts GitHub takes. Its bodies are measured in characters and
// stored in bytes; bytes are the strictest reading of both.
const (
	MaxBody  = 65536 - 1024 // leaves room for a write's marker
	MaxCheck = 65535
	MaxTitle = 256
)

const cutNote = "\n\n*Cut here: the whole text is in the files of this pull request.*\n"

// Cut shortens Markdown to at most max bytes at a safe point: at a line's end
// where one is near, never inside a character, an HTML comment or a tag, and
// with every open fence and details closed.
func Cut(text string, max int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= max {
		return text
	}
	for room := max - len(cutNote); room > 0; {
		head := safeHead(text, room)
		tail := closers(head) + cutNote
		if len(head)+len(tail) <= max {
			return head + tail
		}
		room -= len(head) + len(tail) - max
	}
	return wholeRunes(text, max)
}

// safeHead is the start of text, at most room bytes long, that ends where
// nothing is half said.
func safeHead(text string, room int) string {
	head := wholeRunes(text, room)
	if at := strings.LastIndexByte(head, '\n'); at > len(head)/2 {
		head = head[:at]
	}
	if at := strings.LastIndex(head, "<!--"); at >= 0 && !strings.Contains(head[at:], "-->") {
		head = head[:at]
	}
	if at := strings.LastIndexByte(head, '<'); at >= 0 && len(head)-at < 64 && !strings.Contains(head[at:], ">") {
		head = head[:at]
	}
	return strings.TrimRight(head, " \n")
}

func wholeRunes(text string, limit int) string {
	if limit < 0 {
		limit = 0
	}
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// closers closes the fence, subscript and details that head leaves open.
func closers(head string) string {
	var fence, indent string
	details, sub := 0, 0
	for line := range strings.Lines(head) {
		text := strings.TrimRight(line, "\n")
		mark, lead := fenceMark(text)
		switch {
		case fence == "" && mark != "":
			fence, indent = mark, lead
			continue
		case fence != "" && mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) &&
			strings.TrimSpace(text) == mark:
			fence = ""
			continue
		case fence != "":
			continue
		}
		details += strings.Count(text, "<details>") - strings.Count(text, "</details>")
		sub += strings.Count(text, "<sub>") - strings.Count(text, "</sub>")
	}
	var b strings.Builder
	if fence != "" {
		b.WriteString("\n" + indent + fence)
	}
	if sub > 0 {
		b.WriteString(strings.Repeat("</sub>", sub))
	}
	if details > 0 {
		b.WriteString("\n" + strings.Repeat("\n</details>", details))
	}
	return b.String()
}

// fenceMark is the run of backticks or tildes that opens or ends a fenced
// block on this line, and what stands before it.
func fenceMark(line string) (mark, lead string) {
	text := strings.TrimLeft(line, " >")
	lead = line[:len(line)-len(text)]
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 {
			return text[:n], lead
		}
	}
	return "", ""
}
