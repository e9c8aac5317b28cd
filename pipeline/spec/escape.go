package spec

import (
	"strings"
	"unicode"
)

// What is written into a document comes from issues and models. It may hold
// anything; it must not change the structure around it.

var (
	leadMarker = compile(`^(?:[-+*>|#=~:]|\d{1,9}[.)]|` + "`{3}" + `|\[[ xX]\]|_(?: *_){2,} *$)`)
	htmlOpen   = compile(`(\\?)<(/?[A-Za-z][A-Za-z0-9-]*(?:[\s/>][^<>]*)?>?|!|\?)`)
	autolink   = compile(`^<(?:https?|mailto|ftp):[^\s<>]*>`)
	bareURL    = compile("(^|[^\\w<(\\[\"'`=/:])(https?://[^\\s<>`|)\\]]+[^\\s<>`|)\\].,;:!?'\"*_])")
)

// inline is a text on one line, safe anywhere in a line.
func inline(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\uFEFF' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = oneLine(s)
	if strings.ContainsAny(s, "<:") {
		s = outsideCode(s, escapeHTML)
	}
	return s
}

// said is the text on one line, nothing where it only says that nothing is known.
func said(s string) string { return unsaid(inline(s)) }

// known tells whether a text says anything.
func known(s string) bool { return said(s) != "" }

func escapeHTML(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		at := htmlOpen.FindStringIndex(s)
		if at == nil {
			break
		}
		start := strings.IndexByte(s[at[0]:], '<') + at[0]
		b.WriteString(s[:start])
		if m := autolink.FindString(s[start:]); m != "" {
			b.WriteString(m)
			s = s[start+len(m):]
			continue
		}
		if start == 0 || s[start-1] != '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte('<')
		s = s[start+1:]
	}
	b.WriteString(s)
	return bareURL.ReplaceAllString(b.String(), "$1<$2>")
}

// outsideCode maps the parts of a line that are not code spans.
func outsideCode(s string, f func(string) string) string {
	var b strings.Builder
	for {
		at := codeSpan.FindStringIndex(s)
		if at == nil {
			b.WriteString(f(s))
			return b.String()
		}
		b.WriteString(f(s[:at[0]]))
		b.WriteString(s[at[0]:at[1]])
		s = s[at[1]:]
	}
}

// line is a text safe at the start of a line.
func line(s string) string {
	s = inline(s)
	if unsaid(unlead(s)) == "" {
		return ""
	}
	return guarded("", s)
}

// unlead takes back the backslash line puts in front.
func unlead(s string) string {
	if strings.HasPrefix(s, "\\") && leadMarker.MatchString(s[1:]) {
		return s[1:]
	}
	return s
}

// entry is a list entry as it was before line.
func entry(s string) string { return unlead(unsaid(oneLine(s))) }

// heading is a title for a heading line: no trailing punctuation, which
// Markdown linters refuse.
func heading(s string) string {
	s = strings.TrimLeft(strings.TrimRight(inline(s), ".,;:!。，；：！ #\\"), " :—–-.#")
	return orElse(s, "Untitled")
}

// freeText is text of several blocks, normalised: paragraphs on one line each,
// lists, quotes, tables and fences kept, headings made harmless, blocks apart
// by one blank line.
func freeText(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
	f := folder{}
	for _, l := range strings.Split(s, "\n") {
		f.line(l)
	}
	return f.folded()
}

type folder struct {
	out   []string
	last  string // kind of the block being built: "", para, list, quote, table, fence
	fence string
	lead  string // of the block being built
	text  string // its text behind the lead, not yet guarded
}

var (
	fenceLine = compile("^ {0,3}(`{3,}|~{3,})([^`]*)$")
	itemLine  = compile(`^( *)([-*+]|\d{1,9}[.)])\s+(\S.*)$`)
	ruleLine  = compile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
)

func (f *folder) line(l string) {
	l = strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " ")
	if f.last == "fence" {
		if t := strings.TrimSpace(l); strings.HasPrefix(t, f.fence) && strings.Trim(t, f.fence[:1]) == "" {
			l = f.fence
			f.out = append(f.out, l)
			f.last = ""
			return
		}
		f.out = append(f.out, strings.Map(printable, l))
		return
	}
	trimmed := strings.TrimSpace(l)
	m := fenceLine.FindStringSubmatch(l)
	item := itemLine.FindStringSubmatch(l)
	switch {
	case trimmed == "":
		f.last = ""
	case m != nil:
		f.start("fence")
		f.fence = m[1]
		lang, _, _ := strings.Cut(strings.TrimSpace(inline(m[2])), " ")
		f.out = append(f.out, m[1]+orElse(lang, "text"))
	case ruleLine.MatchString(l) || (f.last == "para" && setextLine.MatchString(l)):
		f.last = ""
	case item != nil:
		f.item(item)
	case strings.HasPrefix(trimmed, ">"):
		f.begin("quote", "> ", strings.TrimLeft(trimmed, "> "))
	case strings.HasPrefix(trimmed, "|"):
		f.start("table")
		f.out = append(f.out, inline(trimmed))
	default:
		f.paragraph(trimmed)
	}
}

func (f *folder) item(m []string) {
	lead := "- "
	if m[2][0] >= '0' && m[2][0] <= '9' {
		lead = "1. "
	}
	f.begin("list", lead, m[3])
}

// paragraph takes up what continues the block before it, as Markdown does.
func (f *folder) paragraph(t string) {
	switch {
	case f.last == "list" || f.last == "quote" || f.last == "para":
		f.text = inline(f.text + " " + t)
		f.out[len(f.out)-1] = f.lead + guarded(f.lead, f.text)
	case known(t):
		f.begin("para", "", t)
	}
}

// begin starts a block of one line.
func (f *folder) begin(kind, lead, text string) {
	f.start(kind)
	f.lead, f.text = lead, inline(text)
	f.out = append(f.out, strings.TrimRight(lead+guarded(lead, f.text), " "))
}

// guarded is a text behind its lead, which may be none; an entry may begin
// with a box.
func guarded(lead, text string) string {
	box := strings.HasPrefix(text, "[") && (lead == "- " || lead == "1. ")
	if leadMarker.MatchString(text) && !box {
		return "\\" + text
	}
	return text
}

func (f *folder) start(kind string) {
	if f.last != kind || kind == "fence" {
		if len(f.out) > 0 {
			f.out = append(f.out, "")
		}
	}
	f.last = kind
}

func (f *folder) folded() string {
	if f.last == "fence" {
		f.out = append(f.out, f.fence)
	}
	return strings.TrimRight(strings.Join(f.out, "\n"), "\n")
}

func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\t' {
		return -1
	}
	return r
}
