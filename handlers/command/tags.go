package command

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// tags follows the raw HTML of a comment from top to bottom. Text inside any
// open element may be folded or hidden and does not count. What is not nested
// properly is not second-guessed: from there on nothing counts.
type tags struct {
	open   []string
	broken bool
}

var void = map[string]bool{"br": true, "hr": true, "img": true, "input": true, "wbr": true}

// clear tells whether text here is inside no element.
func (t *tags) clear() bool { return !t.broken && len(t.open) == 0 }

// readInline reads the raw HTML anywhere below a node.
func (t *tags) readInline(node ast.Node, source []byte) {
	for c := node.FirstChild(); c != nil; c = c.NextSibling() {
		switch raw := c.(type) {
		case *ast.RawHTML:
			t.read(string(raw.Segments.Value(source)))
		case *ast.HTMLBlock:
			t.read(rawBlock(raw, source))
		default:
			t.readInline(c, source)
		}
	}
}

// read follows the tags and comments of one piece of raw HTML.
func (t *tags) read(raw string) {
	for !t.broken {
		at := strings.IndexByte(raw, '<')
		if at < 0 {
			return
		}
		raw = raw[at:]
		var n int
		switch {
		case strings.HasPrefix(raw, "<!--"):
			n = after(raw, "-->")
		case strings.HasPrefix(raw, "<!"), strings.HasPrefix(raw, "<?"):
			n = after(raw, ">")
		default:
			n = t.tag(raw)
		}
		if n < 0 {
			t.broken = true
			return
		}
		raw = raw[n:]
	}
}

func after(s, end string) int {
	at := strings.Index(s, end)
	if at < 0 {
		return -1
	}
	return at + len(end)
}

// tag reads one tag and returns its length, -1 where it does not end.
func (t *tags) tag(raw string) int {
	name := strings.TrimPrefix(raw[1:], "/")
	length := 0
	for length < len(name) && letter(name[length]) {
		length++
	}
	if length == 0 {
		return 1
	}
	name = strings.ToLower(name[:length])
	end := tagEnd(raw)
	switch {
	case end < 0:
		return -1
	case raw[1] != '/':
		if !void[name] {
			t.open = append(t.open, name)
		}
	case len(t.open) == 0:
	case t.open[len(t.open)-1] == name:
		t.open = t.open[:len(t.open)-1]
	default:
		t.broken = true
	}
	return end
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

// tagEnd is where a tag ends; a bracket inside a quoted value does not end it.
func tagEnd(raw string) int {
	var quote byte
	for i := 1; i < len(raw); i++ {
		switch c := raw[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return -1
}
