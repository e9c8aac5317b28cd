package spec

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// nastyNames have broken diagrams elsewhere: keywords, brackets, quotes, arrows.
var nastyNames = []string{"a \"q\" b", "x; y", "end", "graph TD", "a[b]", "{c}", "(d)", "#35;", "中文 组件", "a|b", "<b>x</b>", "%% comment", "class", "1abc",
	"a-->b", "`x`", "subgraph", "style", "💥 boom", "a\\b", "direction LR", "é ü", "o--o", "**bold**", "click me", "A&B", "100 %"}

func nastyDiagrams() []File {
	var a Architecture
	var e Epics
	for i, n := range nastyNames {
		a.Components = append(a.Components, Component{Name: n, Depends: []string{nastyNames[(i+1)%len(nastyNames)], "ext " + n}})
		a.Entities = append(a.Entities, Entity{Name: n, Fields: n + ", id, class"})
		a.Relations = append(a.Relations, Relation{n, nastyNames[(i+3)%len(nastyNames)], n})
		e.Epics = append(e.Epics, Epic{ID: fmt.Sprintf("EPIC-%03d", i+1), Title: n, Dependencies: []Dependency{{fmt.Sprintf("EPIC-%03d", i), "soft", n}}})
	}
	return append(a.Render()[:1], e.Render()[:1]...)
}

// make test-peers runs mermaid's own parser over such names. What holds here is
// the subset of its grammar that we use.
func TestDiagramsStayInsideTheGrammar(t *testing.T) {
	label := "\"[^\"%\\\\`<>{}\\n]+\""
	allowed := regexp.MustCompile(`^(?:flowchart LR|erDiagram|  N\d+(?:\[` + label + `\]|\(\[` + label + `\]\))(?: \{)?|  N\d+ (?:-->|-\.->|\|\|--o\{|\}o--o\{|\}o--\|\||\|\|--\|\|) N\d+(?: : ` + label + `)?|    field [\p{L}_][\p{L}\d_]*|  \})$`)
	for _, f := range nastyDiagrams() {
		n := 0
		for _, b := range readDocument(f).Blocks {
			if b.Kind != CodeBlock || b.Lang != "mermaid" {
				continue
			}
			n++
			for _, l := range strings.Split(b.Text, "\n") {
				if !allowed.MatchString(l) {
					t.Errorf("%s: %q", f.Path, l)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no diagram", f.Path)
		}
	}
}
