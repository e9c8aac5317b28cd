package app

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"

	"parley/app/llm"
	"parley/pipeline"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the README")

// generated are the README's parts that are made from the code's own tables.
// `go test ./app -run README -update` refreshes them.
var generated = map[string]func(*testing.T) string{
	"commands":    commandTable,
	"server":      serverTable,
	"repository":  repositoryTable,
	"permissions": permissionTable,
	"metrics":     metricsTable,
	"models":      modelTable,
}

var marked = regexp.MustCompile(`(?s)(<!-- generated: (\w+) -->\n).*?(<!-- end of generated -->)`)

func TestREADMEIsCurrent(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	fresh := marked.ReplaceAllStringFunc(string(raw), func(part string) string {
		m := marked.FindStringSubmatch(part)
		make, ok := generated[m[2]]
		if !ok {
			return part // another package's
		}
		seen[m[2]] = true
		return m[1] + "\n" + make(t) + "\n" + m[3]
	})
	for name := range generated {
		if !seen[name] {
			t.Errorf("README.md has no generated part %q", name)
		}
	}
	if fresh == string(raw) {
		return
	}
	if !*update {
		t.Fatal("README.md is not what the code says; run: go test ./app -run README -update")
	}
	if err := os.WriteFile("../README.md", []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

func commandTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| Command | Who | What it does |\n| --- | --- | --- |\n")
	for _, c := range pipeline.Commands {
		if c.Off != "" {
			continue
		}
		who := c.Who.String()
		if c.IssueAuthor {
			who += ", or the issue's author"
		}
		names := "`" + strings.ReplaceAll(c.Usage, "|", "\\|") + "`"
		for _, a := range c.Aliases {
			names += " `/" + a + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", names, who, strings.ReplaceAll(c.Help, "|", "\\|"))
	}
	return b.String()
}

func serverTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| Variable | YAML | Default | What it is |\n| --- | --- | --- | --- |\n")
	var walk func(reflect.Type, string)
	walk = func(of reflect.Type, prefix string) {
		for i := range of.NumField() {
			f := of.Field(i)
			key := prefix + f.Tag.Get("yaml")
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, key+".")
				continue
			}
			env := f.Tag.Get("env")
			if env != "" {
				env = "`" + env + "`"
			}
			def := f.Tag.Get("default")
			if def != "" {
				def = "`" + def + "`"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", env, key, def, f.Tag.Get("doc"))
		}
	}
	walk(reflect.TypeFor[Config](), "")
	return b.String()
}

func repositoryTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| Key | What it is |\n| --- | --- |\n")
	var walk func(reflect.Type, string)
	walk = func(of reflect.Type, prefix string) {
		for i := range of.NumField() {
			f := of.Field(i)
			key, doc := prefix+f.Tag.Get("yaml"), f.Tag.Get("doc")
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, key+".")
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", key, doc)
		}
	}
	walk(reflect.TypeFor[settingsFile](), "")
	return b.String()
}

func permissionTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| Permission | What for | Without it |\n| --- | --- | --- |\n")
	for _, g := range Grants {
		fmt.Fprintf(&b, "| `%s: %s` | %s | %s |\n", g.Name, g.Level, g.For, g.Without)
	}
	return b.String()
}

// modelTable says of each vendor what it is asked for first, and its price.
func modelTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| Variable | Backend | Asked first for | Model | $ per million tokens, in / out |\n| --- | --- | --- | --- | --- |\n")
	for _, v := range llm.Vendors {
		var first []string
		for slot, chain := range llm.DefaultChains {
			if chain[0] == v.Backend {
				first = append(first, slot)
			}
		}
		sort.Strings(first)
		model := llm.DefaultModels[v.Backend]
		price, ok := llm.Prices[model]
		if !ok {
			t.Errorf("%s is a default and has no price", model)
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | `%s` | %.2f / %.2f (%s) |\n", v.Key, v.Backend, strings.Join(first, ", "), model, price.In, price.Out, price.Seen)
	}
	return b.String()
}

func metricsTable(t *testing.T) string {
	m := newMetrics()
	m.touchAll()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, f := range families {
		name := f.GetName()
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		var labels []string
		if len(f.Metric) > 0 {
			for _, l := range f.Metric[0].Label {
				labels = append(labels, l.GetName())
			}
		}
		if len(labels) > 0 {
			name += "{" + strings.Join(labels, ",") + "}"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", name, f.GetHelp()))
	}
	sort.Strings(rows)
	return "| Metric | What it is |\n| --- | --- |\n" + strings.Join(rows, "")
}
