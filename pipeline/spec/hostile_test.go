package spec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// hostile are inputs that have killed other readers.
var hostile = map[string]string{
	"nested quotes":      strings.Repeat("> ", 100_000) + "x",
	"nested quote lines": strings.Repeat(strings.Repeat(">", 60)+"\n", 3000),
	"nested lists":       strings.Repeat("- ", 100_000) + "x",
	"deepening lists":    deepening(2000),
	"table 10 MB":        "| a | b |\n| --- | --- |\n" + strings.Repeat("| REQ-001 | x |\n", 700_000),
	"wide table":         "|" + strings.Repeat("a|", 5_000_000) + "\n|" + strings.Repeat("-|", 5_000_000) + "\n",
	"short rows":         "|" + strings.Repeat("a|", 40) + "\n|" + strings.Repeat("-|", 40) + "\n" + strings.Repeat("||\n", 90_000),
	"ids":                strings.Repeat("G-1 ", 200_000),
	"id headings":        numbered("## REQ-%d: x\n\ntext\n\n", 8_000),
	"id rows":            "| Goal ID | Goal |\n| --- | --- |\n" + numbered("| G-%d | x |\n", 20_000),
	"all trace to one":   "## G-1: x\n\n" + numbered("## REQ-%d: x\n\nThe service MUST answer.\n\n**Traces to:** G-1\n\n", 3_000),
	"headings":           strings.Repeat("# a\n", 60_000),
	"open brackets":      strings.Repeat("[", 900_000),
	"links":              strings.Repeat("[a](b) ", 100_000),
	"backticks":          strings.Repeat("`", 900_000) + "x",
	"stars":              strings.Repeat("*a_", 300_000),
	"aliases":            "---\na: &a [x,x,x,x,x,x,x,x,x]\n" + aliases() + "---\n# x\n",
	"deep yaml":          "---\n" + strings.Repeat("[", 20_000) + "\n---\n",
	"comment":            "<!--" + strings.Repeat("x\n", 300_000),
	"NUL":                "a\x00b", "invalid": "\xff\xfe\xfa abc", "cr": strings.Repeat("a\r", 1000), "open fence": "```\n" + strings.Repeat("x\n", 1000),
	"sentences": strings.Repeat("The service MUST answer. ", 30_000),
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func deepening(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

func aliases() string {
	var b strings.Builder
	for c := 'b'; c < 'l'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 8), c-1)
	}
	return b.String()
}

func TestHostileInputIsReadWithinBounds(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			files := []File{{"spec/requirements/_index.md", []byte("---\nsession_id: x\nphase: 3\n---\n" + text)}, {"notes.md", []byte(text)}}
			s := Parse(files)
			for _, d := range s.Documents {
				if len(d.Lines) > FileLimit || len(d.Blocks) > FileLimit {
					t.Errorf("%s: %d lines, %d blocks", d.Path, len(d.Lines), len(d.Blocks))
				}
			}
			Judge(s, Options{})
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range sampleFiles() {
		f.Add(file.Text, "spec/requirements/_index.md")
	}
	for _, text := range hostile {
		f.Add([]byte(text[:min(len(text), 2000)]), "spec/architecture/_index.md")
	}
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		s := Parse([]File{{path, text}, {"spec/epics/_index.md", text}, {"x.md", text}})
		found := Check(s, Options{})
		for _, x := range found {
			if d := s.Document(x.File); x.File != "" && d != nil && x.Line > max(len(d.Lines), 1) {
				t.Errorf("%s points at line %d of %d in %q", x.Rule, x.Line, len(d.Lines), x.File)
			}
		}
		for _, p := range Perspectives {
			if r := Rate(s, found, p); r.Value < 0 || r.Value > 5 {
				t.Errorf("%s is rated %d", p, r.Value)
			}
		}
		if sc := Score(s, found, Options{}); sc.Overall < 0 || sc.Overall > 100 {
			t.Errorf("score %v", sc.Overall)
		}
		var out bytes.Buffer
		if err := Judge(s, Options{}).json(&out); err != nil {
			t.Error(err)
		}
		Fix(s.Files, found)
	})
}
