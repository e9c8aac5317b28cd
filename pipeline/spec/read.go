package spec

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// FileLimit is how many bytes of a file are read. What is longer is judged by
// its beginning, and never mended.
const FileLimit = 512 << 10

// Limits of what is read. They are far above any specification and keep time
// and memory bounded on hostile input.
const (
	filesLimit  = 2000
	lineLimit   = 16 << 10
	indentLimit = 60
	nestLimit   = 16
	cellLimit   = 48
	walkLimit   = 80
)

// BlockKind tells blocks apart.
type BlockKind int

const (
	Paragraph BlockKind = iota
	ListItem
	TableHead
	TableRow
	CodeBlock
	HTMLBlock
	QuoteBlock
)

// Block is one piece of a section's body. Text is the source without its
// markers.
type Block struct {
	Kind      BlockKind
	Text      string
	Line, End int
	Section   int      // index into Document.Sections, -1 before the first heading
	Depth     int      // of a list item, from 0
	Cells     []string // of a table line
	Table     int      // tables of a document are numbered from 1
	Lang      string   // of a fenced block
	Check     string   // of a list item: "", " " or "x"
	Ordered   bool     // of a list item
}

// Section is a heading with what stands below it up to the next heading of
// its level or above.
type Section struct {
	Level     int
	Title     string
	Anchor    string
	Line, End int
	Parent    int // index of the enclosing section, -1 at the top
	blocks    [2]int
	key       string // its title, for Find
}

// Document is one parsed file.
type Document struct {
	Path     string
	Kind     DocKind
	Front    Front
	Title    string // of the first H1
	Lines    []string
	Sections []Section
	Blocks   []Block
	Links    []Link
	Anchors  map[string]bool
	Cut      bool // more than the limits allow; the rest was not read
	Binary   bool // not text
	inCode   []bool
	heads    [][]string // of the tables
	running  running
}

var blockParser = parser.NewParser(parser.WithBlockParsers(
	util.Prioritized(parser.NewSetextHeadingParser(), 100),
	util.Prioritized(parser.NewThematicBreakParser(), 200),
	util.Prioritized(parser.NewListParser(), 300),
	util.Prioritized(parser.NewListItemParser(), 400),
	util.Prioritized(parser.NewCodeBlockParser(), 500),
	util.Prioritized(parser.NewATXHeadingParser(), 600),
	util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
	util.Prioritized(parser.NewBlockquoteParser(), 800),
	util.Prioritized(parser.NewHTMLBlockParser(), 900),
	util.Prioritized(parser.NewParagraphParser(), 1000),
))

// readDocument parses one file. Only block structure comes from goldmark;
// tables are split here, because the extension pads every row to the width of
// its header, which a hostile file turns into gigabytes.
func readDocument(f File) *Document {
	d := &Document{Path: f.Path, Anchors: map[string]bool{}}
	if !IsText(f.Text) {
		d.Binary = true
		return d
	}
	d.Lines, d.Cut = tame(f.Text)
	front, n := readFront(d.Lines)
	d.Front = front
	src := make([]byte, 0, len(f.Text)+1)
	starts := make([]int, 0, len(d.Lines))
	for i, l := range d.Lines {
		starts = append(starts, len(src))
		if i >= n {
			src = append(src, l...)
		}
		src = append(src, '\n')
	}
	d.inCode = make([]bool, len(d.Lines)+2)
	w := walker{doc: d, src: src, starts: starts, section: -1}
	w.children(blockParser.Parse(text.NewReader(src)), place{})
	d.close()
	d.readLinks()
	return d
}

// IsText refuses what no editor would show: NUL bytes, or invalid UTF-8 in more
// than a twentieth of a sample.
func IsText(b []byte) bool {
	b = b[:min(len(b), 8000)]
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	bad := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 && i < len(b)-utf8.UTFMax {
			bad++
		}
		i += n
	}
	return bad*20 <= len(b)
}

// tame turns bytes into lines of bounded length, indentation and nesting.
// Line numbers stay true.
func tame(b []byte) (lines []string, cut bool) {
	if len(b) > FileLimit {
		b, cut = b[:FileLimit], true
		if i := bytes.LastIndexByte(b, '\n'); i > 0 {
			b = b[:i]
		}
	}
	s := strings.TrimPrefix(strings.ToValidUTF8(string(b), "\uFFFD"), "\uFEFF")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	lines = strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range lines {
		short := tameLine(l)
		cut = cut || len(short) < len(l)
		lines[i] = short
	}
	return lines, cut
}

func tameLine(l string) string {
	if len(l) > lineLimit {
		l = strings.ToValidUTF8(l[:lineLimit], "")
	}
	nest, i, column := 0, 0, 0
	for ; i < len(l); i++ {
		switch c := l[i]; {
		case c == ' ':
			column++
		case c == '\t':
			column += 4
		case c == '>' || ((c == '-' || c == '*' || c == '+' || c == '.' || c == ')') && i+1 < len(l) && l[i+1] == ' '):
			nest++
			column++
		case c >= '0' && c <= '9':
			column++
		default:
			return l
		}
		if nest > nestLimit || column > indentLimit*2 {
			return strings.TrimRight(l[:i], " \t>-*+.)0123456789")
		}
	}
	return l
}

// place is where in the tree the walker is.
type place struct {
	depth   int // of blocks, bounded
	list    int // of lists
	ordered bool
}

type walker struct {
	doc     *Document
	src     []byte
	starts  []int
	section int
	tables  int
}

func (w *walker) children(n ast.Node, p place) {
	if p.depth > walkLimit {
		return
	}
	p.depth++
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, p)
	}
}

func (w *walker) node(n ast.Node, p place) {
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n, p)
	case *ast.List:
		p.ordered = n.IsOrdered()
		w.children(n, p)
	case *ast.ListItem:
		w.item(n, p)
	case *ast.Blockquote:
		w.quote(n)
	case *ast.FencedCodeBlock:
		lang := ""
		if n.Info != nil {
			lang, _, _ = strings.Cut(strings.TrimSpace(string(n.Info.Segment.Value(w.src))), " ")
		}
		w.lines(n, Block{Kind: CodeBlock, Lang: lang})
	case *ast.CodeBlock:
		w.lines(n, Block{Kind: CodeBlock})
	case *ast.HTMLBlock:
		w.lines(n, Block{Kind: HTMLBlock})
	case *ast.Paragraph, *ast.TextBlock:
		w.paragraph(n, Block{Kind: Paragraph})
	default:
		w.children(n, p)
	}
}

func (w *walker) heading(n *ast.Heading, p place) {
	line, end := w.span(n)
	if line == 0 || p.list > 0 {
		return
	}
	d := w.doc
	title := strings.TrimSpace(strings.TrimRight(w.raw(n), "#"))
	d.Sections = append(d.Sections, Section{Level: n.Level, Title: title, Line: line, End: end, Parent: -1,
		blocks: [2]int{len(d.Blocks), len(d.Blocks)}})
	w.section = len(d.Sections) - 1
	if d.Title == "" && n.Level == 1 {
		d.Title = Plain(title)
	}
}

// item takes a list item's first paragraph as its text; nested lists and
// further paragraphs follow as blocks of their own.
func (w *walker) item(n *ast.ListItem, p place) {
	p.list++
	first := n.FirstChild()
	if first == nil || (first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph) {
		w.children(n, p)
		return
	}
	b := Block{Kind: ListItem, Depth: p.list - 1, Ordered: p.ordered}
	w.paragraph(first, b)
	for c := first.NextSibling(); c != nil; c = c.NextSibling() {
		if p.depth < walkLimit {
			w.node(c, place{depth: p.depth + 1, list: p.list})
		}
	}
}

// quote keeps a quotation whole: its sentences are somebody else's.
func (w *walker) quote(n ast.Node) {
	first, last := 0, 0
	var parts []string
	visit := func(c ast.Node) {
		line, end := w.span(c)
		if line == 0 {
			return
		}
		if first == 0 {
			first = line
		}
		last = max(last, end)
		parts = append(parts, w.raw(c))
	}
	var walk func(ast.Node, int)
	walk = func(n ast.Node, depth int) {
		for c := n.FirstChild(); c != nil && depth < walkLimit; c = c.NextSibling() {
			if c.Type() == ast.TypeBlock {
				visit(c)
				walk(c, depth+1)
			}
		}
	}
	walk(n, 0)
	if first > 0 {
		w.add(Block{Kind: QuoteBlock, Text: strings.Join(parts, "\n"), Line: first, End: last})
	}
}

func (w *walker) lines(n ast.Node, b Block) {
	b.Line, b.End = w.span(n)
	if b.Line == 0 {
		return
	}
	b.Text = strings.TrimRight(w.raw(n), "\n")
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Text += "\n" + strings.TrimRight(string(h.ClosureLine.Value(w.src)), "\n")
		b.End = max(b.End, w.lineAt(h.ClosureLine.Start))
	}
	for l := max(b.Line-1, 1); b.Kind == CodeBlock && l <= min(b.End+1, len(w.doc.inCode)-1); l++ {
		w.doc.inCode[l] = true
	}
	w.add(b)
}

func (w *walker) paragraph(n ast.Node, b Block) {
	b.Line, b.End = w.span(n)
	if b.Line == 0 {
		return
	}
	b.Text = strings.TrimSpace(w.raw(n))
	if b.Kind == ListItem && len(b.Text) >= 3 && b.Text[0] == '[' && b.Text[2] == ']' && strings.ContainsRune(" xX", rune(b.Text[1])) {
		b.Check = strings.ToLower(b.Text[1:2])
		b.Text = strings.TrimSpace(b.Text[3:])
	}
	if strings.Contains(b.Text, "|") && w.table(b) {
		return
	}
	w.add(b)
}

func (w *walker) add(b Block) {
	b.Section = w.section
	w.doc.Blocks = append(w.doc.Blocks, b)
}

func (w *walker) raw(n ast.Node) string {
	var b strings.Builder
	segments := n.Lines()
	for i := 0; segments != nil && i < segments.Len(); i++ {
		s := segments.At(i)
		b.Write(s.Value(w.src))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (w *walker) span(n ast.Node) (first, last int) {
	if n.Type() != ast.TypeBlock {
		return 0, 0
	}
	segments := n.Lines()
	if segments == nil || segments.Len() == 0 {
		return 0, 0
	}
	return w.lineAt(segments.At(0).Start), w.lineAt(segments.At(segments.Len() - 1).Start)
}

func (w *walker) lineAt(offset int) int {
	low, high := 0, len(w.starts)
	for low < high {
		if mid := (low + high) / 2; w.starts[mid] <= offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(low, 1)
}
