package spec

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// Set is a parsed specification: documents, items, links. It is read-only
// after Parse and safe for use by several goroutines.
type Set struct {
	Files      []File
	Items      []Item
	Documents  []*Document
	Statements []Statement
	// Retired are ids that were given once and are not used again.
	Retired []string
	// Defined lists every place an id is defined; more than one is a fault.
	Defined map[string][]Place
	// Unread counts files beyond what is read.
	Unread int

	byID      map[string]int
	byPath    map[string]*Document
	spansOnce sync.Once
	spans     map[string][]itemSpan

	archOnce sync.Once
	arch     Architecture
}

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

// DocKind says what a document is for.
type DocKind string

const (
	DocBrief        DocKind = "product-brief"
	DocRequirements DocKind = "requirements"
	DocReq          DocKind = "requirement"
	DocNFR          DocKind = "nfr"
	DocArchitecture DocKind = "architecture"
	DocADR          DocKind = "adr"
	DocEpics        DocKind = "epics"
	DocEpic         DocKind = "epic"
	DocReadiness    DocKind = "readiness-report"
	DocSummary      DocKind = "spec-summary"
	DocTiny         DocKind = "spec" // the tiny track's one document
	DocDiscovery    DocKind = "discovery-context"
	DocConfig       DocKind = "spec-config"
	DocOther        DocKind = "other"
)

// Parse reads files into a set. It accepts any bytes: what is not text or too
// large is left out and marked on its document.
func Parse(files []File) *Set {
	s := &Set{Defined: map[string][]Place{}, byID: map[string]int{}, byPath: map[string]*Document{}}
	s.Files = slices.Clone(files)
	slices.SortStableFunc(s.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	if len(s.Files) > filesLimit {
		s.Unread = len(s.Files) - filesLimit
		s.Files = s.Files[:filesLimit]
	}
	for _, f := range s.Files {
		if !IsDocument(f.Path) || s.byPath[f.Path] != nil {
			continue
		}
		d := recent.read(f)
		s.Documents = append(s.Documents, d)
		s.byPath[f.Path] = d
		s.Retired = append(s.Retired, d.Front.List("retired")...)
	}
	s.collect()
	s.connect()
	s.seal()
	s.Statements = s.statements()
	return s
}

// record matches a session's own notes: they quote items and define none.
var record = compile(`(?:^|/)(?:discussions/(?:DISCUSS-\d{3}[^/]*|discussion)\.md|wisdom/(?:learnings|decisions|conventions|issues)\.md)$`)

// IsDocument tells by a file's name whether it is read.
func IsDocument(p string) bool {
	if record.MatchString(p) {
		return false
	}
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".mdown", ".txt":
		return true
	case ".json":
		return kindByName[path.Base(p)] != ""
	}
	return false
}

var kindByName = map[string]DocKind{
	"product-brief.md": DocBrief, "readiness-report.md": DocReadiness, "spec-summary.md": DocSummary,
	"spec.md": DocTiny, "discovery-context.json": DocDiscovery, "spec-config.json": DocConfig,
}

var kindByFolder = map[string]DocKind{"requirements": DocRequirements, "architecture": DocArchitecture, "epics": DocEpics}

var kindByType = map[string]DocKind{
	"product-brief": DocBrief, "requirements": DocRequirements, "requirements-index": DocRequirements,
	"architecture": DocArchitecture, "architecture-index": DocArchitecture, "epics": DocEpics, "epics-index": DocEpics,
	"readiness-report": DocReadiness, "spec-summary": DocSummary, "spec": DocTiny,
}

var kindByItem = map[Kind]DocKind{KindReq: DocReq, KindNFR: DocNFR, KindADR: DocADR, KindEpic: DocEpic}

func kindOfDocument(d *Document) DocKind {
	if k, ok := kindByType[d.Front.Get("document_type")]; ok {
		return k
	}
	if k, ok := kindByItem[KindOf(d.Front.Get("id"))]; ok {
		return k
	}
	base := path.Base(d.Path)
	folder := kindByFolder[path.Base(path.Dir(d.Path))]
	if folder != "" {
		if base == "_index.md" {
			return folder
		}
		if m := idAtStart.FindStringSubmatch(base); m != nil {
			if k, ok := kindByItem[KindOf(m[1])]; ok {
				return k
			}
		}
	}
	if k := kindByName[base]; k != "" && (k != DocTiny || d.Front.Has("session_id")) {
		return k
	}
	return DocOther
}

// Item is the item with the id.
func (s *Set) Item(id string) (Item, bool) {
	i, ok := s.byID[id]
	if !ok {
		return Item{}, false
	}
	return s.Items[i], true
}

// Has tells whether the id is defined.
func (s *Set) Has(id string) bool { _, ok := s.byID[id]; return ok }

// Of lists the items of some kinds, in document order.
func (s *Set) Of(kinds ...Kind) []Item {
	var out []Item
	for _, it := range s.Items {
		if slices.Contains(kinds, it.Kind) {
			out = append(out, it)
		}
	}
	return out
}

// Document is the parsed file at a path, nil when there is none.
func (s *Set) Document(path string) *Document { return s.byPath[path] }

// First is the first document of a kind, nil when there is none.
func (s *Set) First(kind DocKind) *Document {
	for _, d := range s.Documents {
		if d.Kind == kind {
			return d
		}
	}
	return nil
}

// Up lists what an item says it traces to, defined or not.
func (s *Set) Up(id string) []string {
	it, _ := s.Item(id)
	return it.TracesTo
}

// Down lists the items that trace to an id.
func (s *Set) Down(id string, kinds ...Kind) []string {
	it, _ := s.Item(id)
	var out []string
	for _, c := range it.Children {
		if len(kinds) == 0 || slices.Contains(kinds, KindOf(c)) {
			out = append(out, c)
		}
	}
	return out
}

// Taken lists every id that may not be given again.
func (s *Set) Taken() []string {
	out := slices.Clone(s.Retired)
	for id := range s.Defined {
		out = append(out, id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Session is true for a session folder's spec, false for any other Markdown:
// rules about templates apply only to the former.
func (s *Set) Session() bool {
	for _, d := range s.Documents {
		if d.Kind != DocOther && d.Front.Has("session_id") {
			return true
		}
	}
	return false
}

// Quote is the source text of some lines, trimmed.
func (s *Set) Quote(file string, line, end int) string {
	d := s.byPath[file]
	if d == nil || line < 1 || line > len(d.Lines) {
		return ""
	}
	return strings.TrimSpace(strings.Join(d.Lines[line-1:min(max(end, line), len(d.Lines))], "\n"))
}
