package spec

import (
	"strconv"
	"strings"
)

// Paths of the documents inside a session folder.
const (
	BriefPath        = "spec/product-brief.md"
	RequirementsPath = "spec/requirements/_index.md"
	ArchitecturePath = "spec/architecture/_index.md"
	EpicsPath        = "spec/epics/_index.md"
	ReadinessPath    = "spec/readiness-report.md"
	SummaryPath      = "spec/spec-summary.md"
	TinyPath         = "spec/spec.md"
	ConfigPath       = "spec/spec-config.json"
	DiscoveryPath    = "spec/discovery-context.json"
)

// frontWriter writes frontmatter line by line, in a fixed order.
type frontWriter struct{ b strings.Builder }

func (f *frontWriter) value(key, v string) {
	if v != "" {
		f.b.WriteString(key + ": " + scalar(v) + "\n")
	}
}

func (f *frontWriter) number(key string, n int) { f.b.WriteString(key + ": " + strconv.Itoa(n) + "\n") }

func (f *frontWriter) flag(key string, v bool) {
	f.b.WriteString(key + ": " + strconv.FormatBool(v) + "\n")
}

func (f *frontWriter) list(key string, vs []string) {
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		if v = inline(v); v != "" {
			out = append(out, scalar(v))
		}
	}
	f.b.WriteString(key + ": [" + strings.Join(out, ", ") + "]\n")
}

func (f *frontWriter) some(key string, vs []string) {
	if len(vs) > 0 {
		f.list(key, vs)
	}
}

// title goes in under a quoted key: markdownlint takes a bare one for a second
// H1 (MD025), and to YAML both are the same.
func (f *frontWriter) title(v string) {
	f.b.WriteString("'title': " + scalar(heading(v)) + "\n")
}

func (f *frontWriter) String() string { return "---\n" + f.b.String() + "---\n" }

var plainScalar = compile(`^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$|^\d{4}-\d{2}-\d{2}T[0-9:]{8}Z$`)

var reserved = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

func scalar(s string) string {
	s = inline(s)
	if plainScalar.MatchString(s) && !reserved[strings.ToLower(s)] {
		return s
	}
	return strconv.Quote(s)
}

func (h Head) front(kind DocKind, phase int) *frontWriter {
	f := &frontWriter{}
	f.b.WriteString("session_id: " + scalar(h.SessionID) + "\n")
	f.number("phase", phase)
	f.value("document_type", string(kind))
	f.value("status", orElse(h.Status, "draft"))
	f.value("generated_at", orElse(h.GeneratedAt, "unknown"))
	f.list("stepsCompleted", h.Steps)
	f.number("version", max(h.Version, 1))
	f.value("language", h.Language)
	f.some("dependencies", h.Dependencies)
	f.some("retired", h.Retired)
	return f
}

// document is frontmatter, H1, summary and parts as one file.
type document struct {
	path, title, summary, lang string
	front                      *frontWriter
	lead                       string // labels right below the title
	indexed                    bool   // an index without a summary says so
	parts                      []part
}

func (d document) file() File {
	p := &page{lang: d.lang}
	p.b.WriteString(d.front.String())
	p.block("# " + heading(d.title))
	p.block(d.lead)
	summary := unsaid(freeText(d.summary))
	if summary == "" && d.indexed {
		summary = p.empty()
	}
	p.block(summary)
	p.writeParts(d.parts, 2)
	return File{Path: d.path, Text: []byte(p.b.String())}
}

// titled reads title and summary; the kind's name in front of the title is
// ours, not the title's.
func titled(d *Document, prefix string) (title, summary string) {
	for i, s := range d.Sections {
		if s.Level == 1 {
			raw := s.Title
			if len(raw) >= len(prefix) && strings.EqualFold(raw[:len(prefix)], prefix) {
				raw = raw[len(prefix):]
			}
			return strings.TrimSpace(raw), freeText(unsaid(d.Source(i)))
		}
	}
	return "", ""
}
