package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Diagrams are made from the graph: nodes get ids of our own and quoted
// labels, so that no name can break them.

// quoted is a mermaid label. Its entity-relation grammar takes "direction LR"
// for a command even inside quotes.
func quoted(s string) string {
	s = strings.NewReplacer(`"`, "#quot;", "%", "#37;", "direction ", "direction#32;", "`", "'", "<", "#lt;", ">", "#gt;", "\\", "/", "{", "(", "}", ")").Replace(Plain(inline(s)))
	return `"` + orElse(clip(s, 60), "unnamed") + `"`
}

// nodeKey tells nodes apart: as a document shows their names.
func nodeKey(name string) string { return strings.ToLower(Plain(inline(name))) }

// identifier is a field's name as erDiagram wants it: letters, digits, underscores.
func identifier(s string) string {
	var b strings.Builder
	for _, r := range transliterated.Replace(Plain(inline(s))) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.Trim(b.String(), "_")
	if name == "" || unicode.IsDigit([]rune(name)[0]) {
		name = "f_" + name
	}
	return strings.ToLower(clipRunes(name, 40))
}

func clipRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// Diagram is a mermaid flowchart under construction.
type diagram struct {
	lines []string
	ids   map[string]string
}

func flowchart(direction string) *diagram {
	return &diagram{lines: []string{"flowchart " + direction}, ids: map[string]string{}}
}

func (d *diagram) node(name, shape string) string {
	key := nodeKey(name)
	if id, ok := d.ids[key]; ok {
		return id
	}
	id := fmt.Sprintf("N%d", len(d.ids)+1)
	d.ids[key] = id
	d.lines = append(d.lines, "  "+id+shape[:len(shape)/2]+quoted(name)+shape[len(shape)/2:])
	return id
}

func (d *diagram) edge(from, arrow, to string) {
	if e := "  " + from + " " + arrow + " " + to; from != to && !slices.Contains(d.lines, e) {
		d.lines = append(d.lines, e)
	}
}

func (d *diagram) write(p *page) {
	if len(d.ids) > 0 {
		p.block("```mermaid\n" + strings.Join(d.lines, "\n") + "\n```")
	}
}

// context draws the system among its users and what it depends on outside.
// Where nothing is known of either there is nothing to draw.
func (a *Architecture) context(p *page) {
	own := map[string]bool{}
	for _, c := range a.Components {
		if known(c.Name) {
			own[nodeKey(c.Name)] = true
		}
	}
	if len(own) == 0 {
		return
	}
	d := flowchart("LR")
	system := d.node(heading(a.Title), "[]")
	for _, n := range a.around {
		switch {
		case !known(n.name):
		case n.inwards:
			d.edge(d.node(n.name, "([])"), "-->", system)
		default:
			d.edge(system, "-->", d.node(n.name, "([])"))
		}
	}
	for _, c := range a.Components {
		for _, dep := range listed(c.Depends) {
			if known(dep) && !own[nodeKey(dep)] {
				d.edge(system, "-->", d.node(dep, "([])"))
			}
		}
	}
	if len(d.ids) > 1 {
		d.write(p)
	}
}

// components draws how the parts hang together; one part alone is said by the
// table below.
func (a *Architecture) components(p *page) {
	d := flowchart("LR")
	for _, c := range a.Components {
		if known(c.Name) {
			d.node(c.Name, "[]")
		}
	}
	for _, c := range a.Components {
		for _, dep := range listed(c.Depends) {
			if known(dep) && known(c.Name) {
				d.edge(d.node(c.Name, "[]"), "-->", d.node(dep, "([])"))
			}
		}
	}
	if len(d.ids) > 1 {
		d.write(p)
	}
}

var cardinality = []struct{ word, arrow string }{
	{"many to many", "}o--o{"}, {"n:m", "}o--o{"}, {"many to one", "}o--||"}, {"n:1", "}o--||"},
	{"one to one", "||--||"}, {"1:1", "||--||"},
}

func (a *Architecture) model(p *page) {
	d := &diagram{lines: []string{"erDiagram"}, ids: map[string]string{}}
	for _, e := range a.Entities {
		if !known(e.Name) {
			continue
		}
		before := len(d.lines)
		d.node(e.Name, "[]")
		fields := fieldsOf(said(e.Fields))
		if len(fields) == 0 || len(d.lines) == before { // the same entity again
			continue
		}
		d.lines[len(d.lines)-1] += " {"
		for _, f := range fields {
			d.lines = append(d.lines, "    field "+f)
		}
		d.lines = append(d.lines, "  }")
	}
	for _, r := range a.Relations {
		if !known(r.From) || !known(r.To) {
			continue
		}
		arrow := "||--o{"
		for _, c := range cardinality {
			if strings.Contains(strings.ToLower(r.Kind), c.word) {
				arrow = c.arrow
				break
			}
		}
		from, to := d.node(r.From, "[]"), d.node(r.To, "[]")
		d.lines = append(d.lines, "  "+from+" "+arrow+" "+to+" : "+quoted(orElse(said(r.Kind), "relates")))
	}
	d.write(p)
}

func fieldsOf(s string) []string {
	var out []string
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;，、", r) }) {
		name, _, _ := strings.Cut(f, ":") // what follows a colon is its type
		if name = identifier(name); name != "f_" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (e *Epics) dependencyMap(p *page) {
	d := flowchart("LR")
	name := map[string]string{}
	for _, ep := range e.Epics {
		name[ep.ID] = d.node(ep.ID+" "+heading(ep.Title), "[]")
	}
	for _, ep := range e.Epics {
		for _, dep := range ep.Dependencies {
			arrow := "-->"
			if strings.EqualFold(dep.Kind, "soft") {
				arrow = "-.->"
			}
			if from, ok := name[dep.Epic]; ok {
				d.edge(from, arrow, name[ep.ID])
			}
		}
	}
	d.write(p)
}
