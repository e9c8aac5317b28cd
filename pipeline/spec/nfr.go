package spec

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
)

// errNoDocument says that the set lacks the document asked for.
var errNoDocument = errors.New("no such document in the set")

func (n *NFR) layout(in linker, down below) []part {
	source := labelled{name: "Source", made: n.Source.String()}
	return []part{
		{title: "Requirement", aliases: []string{"Description", "Statement"}, body: passage{&n.Statement}},
		{title: "Metric & Target", aliases: []string{"Metric"}, body: labels{
			{name: "Metric", value: &n.Metric}, {name: "Target", value: &n.Target}, {name: "Measurement Method", value: &n.Method},
		}},
		{title: "Traces", aliases: []string{"Traceability"}, need: should, body: labels{
			{name: "Goal", ids: &n.TracesTo, in: in},
			{name: "Architecture", made: in.design(down)},
			{name: "Implemented by", made: in.work(down)},
			source,
		}},
	}
}

func (n *NFR) file(h Head, to targets, down map[string]below) File {
	f := &frontWriter{}
	f.value("id", n.ID)
	f.title(n.Title)
	f.value("type", "non-functional")
	f.value("category", categoryWord(n.Category))
	f.value("priority", n.Priority)
	f.list("traces_to", fold(n.TracesTo...))
	f.value("status", orElse(n.Status, "draft"))
	f.number("version", max(n.Version, 1))
	if n.Inferred {
		f.flag("inferred", true)
	}
	lead := "**Category:** " + orElse(categoryWord(n.Category), "?") + "\n\n**Priority:** [" + orElse(n.Priority, "?") + "]"
	return document{path: n.path(), title: n.ID + ": " + heading(n.Title), lang: h.Language, front: f,
		lead: lead, parts: n.layout(to.from(n.path()), down[n.ID])}.file()
}

func readNFR(d *Document) NFR {
	it := d.fileItem(orElse(d.Front.Get("id"), firstID(path.Base(d.Path)))).Item
	title, _ := d.itemTitle(it.ID)
	n := NFR{ID: it.ID, Title: heading(title), Category: categoryLetter(d.Front.Get("category")), Priority: it.Priority, File: d.Path,
		Status: d.Front.Get("status"), Inferred: d.Front.Get("inferred") == "true", Version: d.Front.head().Version}
	readParts(d, -1, n.layout(linker{}, below{}))
	n.TracesTo = fold(append(slices.Clone(it.TracesTo), n.TracesTo...)...)
	n.Source = readSource(d)
	return n
}

var sourceText = compile(`^(?:issue, line (\d{1,9}): )?“(.*)”$`)

// readSource finds the "Source" label of an item file.
func readSource(d *Document) Source { return sourceIn(d.Blocks) }

func sourceIn(blocks []Block) Source {
	for _, b := range blocks {
		name, rest, ok := b.label()
		if !ok || name != "source" {
			continue
		}
		if m := sourceText.FindStringSubmatch(oneLine(rest)); m != nil {
			line, err := strconv.Atoi(orElse(m[1], "0"))
			if err != nil {
				line = 0
			}
			return Source{Line: line, Quote: strings.TrimSpace(m[2])}
		}
	}
	return Source{}
}
