package command

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// markdown reads as GitHub does. Footnotes are in, because one that nothing
// refers to is not shown.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// line is a line that starts with a slash where every reader sees it start so.
type line struct {
	text string // the line itself
	more string // the further lines of its paragraph, up to the next such line
	rest string // the blocks behind the paragraph, up to the next such line
}

// seen finds the lines of top-level paragraphs that start with a slash and
// stand in nothing hidden. Quotes, lists, headings, tables, code and footnotes
// are not top-level paragraphs.
func seen(source []byte) []line {
	doc := markdown.Parser().Parse(text.NewReader(source))
	var (
		out  []line
		html tags
	)
	for block := doc.FirstChild(); block != nil; block = block.NextSibling() {
		if raw, ok := block.(*ast.HTMLBlock); ok {
			html.read(rawBlock(raw, source))
			continue
		}
		clear := html.clear()
		para, ok := block.(*ast.Paragraph)
		if !ok {
			html.readInline(block, source)
			if clear && html.clear() && len(out) > 0 {
				out[len(out)-1].append(blockText(block, source))
			}
			continue
		}
		found, lead := paragraph(para, source, &html)
		if len(out) > 0 && lead != "" {
			out[len(out)-1].append(lead)
		}
		out = append(out, found...)
	}
	return out
}

func (l *line) append(s string) {
	if s = strings.TrimSpace(s); s != "" {
		l.rest = strings.TrimSpace(l.rest + "\n\n" + s)
	}
}

// paragraph splits a paragraph's visible text into the lines that start with a
// slash; lead is what stands before the first of them.
func paragraph(p *ast.Paragraph, source []byte, html *tags) (found []line, lead string) {
	whole := string(p.Lines().Value(source))
	trusted := !treacherous(whole)
	atStart := true
	for node := p.FirstChild(); node != nil; node = node.NextSibling() {
		if raw, ok := node.(*ast.RawHTML); ok {
			html.read(string(raw.Segments.Value(source)))
			continue
		}
		t, ok := node.(*ast.Text)
		visible := html.clear()
		if !ok {
			html.readInline(node, source)
		}
		piece := inlineText(node, source)
		switch {
		case !visible || !html.clear():
		case ok && atStart && trusted && strings.HasPrefix(piece, "/"):
			found = append(found, line{text: piece})
		case len(found) == 0:
			lead += piece
		default:
			l := &found[len(found)-1]
			if l.more == "" && !strings.HasSuffix(l.text, "\n") {
				l.text += piece
			} else {
				l.more += piece
			}
		}
		atStart = ok && (t.SoftLineBreak() || t.HardLineBreak())
		if atStart {
			endLine(found)
			lead += "\n"
		}
	}
	for i := range found {
		found[i].text = strings.TrimRight(found[i].text, "\n")
		found[i].more = strings.TrimSpace(found[i].more)
	}
	return found, strings.TrimSpace(lead)
}

// endLine marks that the newest line's own text is over.
func endLine(found []line) {
	if len(found) == 0 {
		return
	}
	l := &found[len(found)-1]
	if l.more == "" && !strings.HasSuffix(l.text, "\n") {
		l.text += "\n"
		return
	}
	l.more += "\n"
}

// inlineText is the source of an inline node without its markup. Code keeps
// its backticks.
func inlineText(node ast.Node, source []byte) string {
	switch n := node.(type) {
	case *ast.Text:
		return string(n.Segment.Value(source))
	case *ast.CodeSpan:
		return "`" + children(n, source) + "`"
	case *ast.AutoLink:
		return string(n.URL(source))
	case *ast.RawHTML, *ast.Image:
		return ""
	}
	return children(node, source)
}

func children(node ast.Node, source []byte) string {
	var b strings.Builder
	for c := node.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(inlineText(c, source))
	}
	return b.String()
}

// blockText is the source of a block that follows a command whose text goes on.
func blockText(block ast.Node, source []byte) string {
	switch n := block.(type) {
	case *ast.FencedCodeBlock:
		return "```" + string(n.Language(source)) + "\n" + string(n.Lines().Value(source)) + "```"
	case *ast.CodeBlock, *ast.Heading, *ast.TextBlock, *ast.Paragraph:
		return string(block.Lines().Value(source))
	case *ast.ListItem:
		return "- " + nested(block, source)
	case *ast.List, *ast.Blockquote:
		return nested(block, source)
	}
	return ""
}

func nested(block ast.Node, source []byte) string {
	var parts []string
	for c := block.FirstChild(); c != nil; c = c.NextSibling() {
		if text := strings.TrimSpace(blockText(c, source)); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

func rawBlock(b *ast.HTMLBlock, source []byte) string {
	raw := string(b.Lines().Value(source))
	if b.HasClosure() {
		raw += string(b.ClosureLine.Value(source))
	}
	return raw
}

// treacherous text may look different from what it is: directional overrides
// turn it round, mathematics is rendered.
func treacherous(s string) bool {
	for _, r := range s {
		if r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' {
			return true
		}
	}
	return strings.Contains(s, "$$") || strings.Contains(s, "$`")
}

// shown drops what has no width.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || invisible(r) {
			return -1
		}
		return r
	}, s)
}

func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != '\u200D' || r == '\u034F' || r == '\u3164' || r == '\uFFA0' || r == '\u115F' || r == '\u1160'
}
