package spec

import (
	"fmt"
	"slices"
	"strings"
)

func adrText(options, consequences string) string {
	return "-- spec/architecture/ADR-001-a.md --\n---\nid: ADR-001\nstatus: Accepted\n---\n# ADR-001: A\n\n## Decision\n\nA table.\n\n## Alternatives Considered\n\n| Option | Pros | Cons |\n| --- | --- | --- |\n" +
		options + "\n## Consequences\n\n" + consequences
}

func architectureWith(body string) string {
	return "-- spec/architecture/_index.md --\n---\nsession_id: TLS-a\nphase: 4\ndocument_type: architecture\n---\n# Architecture: A\n\n" + body
}

func componentRows(rows string) string {
	return "## Component Architecture\n\n### Component Descriptions\n\n| Component | Responsibility | Technology | Dependencies | Requirements |\n| --- | --- | --- | --- | --- |\n" + rows
}

const mustNFR = "-- spec/requirements/NFR-P-001-a.md --\n---\nid: NFR-P-001\npriority: Must\n---\n# NFR-P-001: A\n"

const (
	twoOptions = "| Table | one backup | polling |\n| Broker | push | one more service |\n"
	bothSides  = "### Positive\n\n- one backup\n\n### Negative\n\n- polling load\n"
)

// designRules judge decisions and components.
var designRules = []Rule{
	{ID: "L53", Grade: Major, Title: "decision without choice", Detects: "A decision weighs fewer than two options, or shows only one side of them.",
		Perspectives: []string{technical}, Move: Move{Cap: 3, Weight: 1, Share: .5}, Artifacts: ofArchitecture,
		Good: adrText(twoOptions, bothSides), Bad: adrText("| Table | one backup | |\n", bothSides),
		Remedy: "Name the option that lost, with what speaks for and against each.", check: choices},
	{ID: "L54", Grade: Major, Title: "consequences", Detects: "A decision has no consequences, or only good ones.",
		Perspectives: []string{technical, risk}, Move: Move{Weight: .75, Share: .5}, Artifacts: ofArchitecture,
		Good: adrText(twoOptions, bothSides), Bad: adrText(twoOptions, "### Positive\n\n- one backup\n"),
		Remedy: "Say what becomes harder.", check: consequences},
	{ID: "L55", Grade: Major, Title: "quality unmet", Detects: "No decision and no component takes up a Must quality requirement.",
		Perspectives: []string{technical, coverage}, Move: Move{Cap: 3}, Artifacts: ofArchitecture,
		Good: mustNFR + architectureWith(componentRows("| Gateway | signs | Go 1.26 | | NFR-P-001 |\n")), Bad: mustNFR + architectureWith(componentRows("| Gateway | signs | Go 1.26 | | |\n")),
		Remedy: "Name the decision or component that meets it.", check: qualityUnmet},
	{ID: "L56", Grade: Minor, Title: "component", Detects: "A component serves no requirement, or is named differently in text, table and diagram.",
		Perspectives: []string{technical, coverage}, Move: Move{Weight: .5, Share: .2}, Artifacts: ofArchitecture,
		Good:   architectureWith(componentRows("| Gateway | signs | Go 1.26 | Worker | REQ-001 |\n| Worker | sends | Go 1.26 | | REQ-001 |\n")),
		Bad:    architectureWith(componentRows("| Gateway | signs | Go 1.26 | Workers | REQ-001 |\n| Worker | sends | Go 1.26 | | REQ-001 |\n")),
		Remedy: "Give each component the requirement it is there for, and one name.", check: componentNames},
	{ID: "L57", Grade: Minor, Title: "no version", Detects: "An item of the technology stack has no version.",
		Perspectives: []string{technical, risk}, Move: Move{Weight: .25, Share: .3}, Artifacts: ofArchitecture,
		Good:   architectureWith("## Technology Stack\n\n### Core\n\n| Layer | Technology | Version | Rationale |\n| --- | --- | --- | --- |\n| Backend | Go | 1.26 | known |\n"),
		Bad:    architectureWith("## Technology Stack\n\n### Core\n\n| Layer | Technology | Version | Rationale |\n| --- | --- | --- | --- |\n| Backend | Go | | known |\n"),
		Remedy: "Name the version, or “managed” where a provider keeps it.", check: versions},
	{ID: "L58", Grade: Blocker, Title: "dependency cycle", Detects: "Components, epics or stories wait for each other in a circle.",
		Perspectives: []string{technical}, Move: Move{Cap: 2}, Artifacts: ofArchitecture + ofEpics,
		Good:   architectureWith(componentRows("| Gateway | signs | Go 1.26 | Worker | REQ-001 |\n| Worker | sends | Go 1.26 | | REQ-001 |\n")),
		Bad:    architectureWith(componentRows("| Gateway | signs | Go 1.26 | Worker | REQ-001 |\n| Worker | sends | Go 1.26 | Gateway | REQ-001 |\n")),
		Remedy: "Turn one of the links round, or move what both need into a third.", check: cycles},
}

type decisionRead struct {
	in *Document
	ADR
}

func (in *inspection) decisions(judge func(*Document, ADR)) {
	if in.decided == nil {
		in.decided = []decisionRead{}
		for _, d := range in.Documents {
			if d.Kind == DocADR {
				in.decided = append(in.decided, decisionRead{d, readADR(d)})
			}
		}
	}
	for _, one := range in.decided {
		judge(one.in, one.ADR)
	}
}

func (in *inspection) epic(d *Document) Epic {
	e, ok := in.epics[d]
	if !ok {
		e = readEpic(d)
		in.epics[d] = e
	}
	return e
}

func (in *inspection) hitSection(d *Document, title, message string) {
	line := 1
	if at := d.Find(-1, title); at >= 0 {
		line = d.Sections[at].Line
	}
	id := d.Front.Get("id")
	in.hit(Finding{File: d.Path, Line: line, Item: id, Unit: orElse(id, d.Path), Message: message})
}

func choices(in *inspection) {
	in.decisions(func(d *Document, a ADR) {
		switch {
		case len(a.Options) < 2:
			in.hitSection(d, "Alternatives Considered", fmt.Sprintf("%s weighs %d option; a decision needs two", a.ID, len(a.Options)))
		case slices.ContainsFunc(a.Options, func(o Option) bool { return o.Pros == "" || o.Cons == "" }):
			at := slices.IndexFunc(a.Options, func(o Option) bool { return o.Pros == "" || o.Cons == "" })
			in.hitSection(d, "Alternatives Considered", fmt.Sprintf("%s shows one side of “%s”", a.ID, a.Options[at].Name))
		}
	})
}

var price = compile(`(?i)\b(?:but|however|cost|costs|harder|slower|negative|drawback|worse|risk|downside|lose|trade-?off|aber|jedoch|nachteil|kosten)\b|但|缺点|代价|风险`)

func consequences(in *inspection) {
	in.decisions(func(d *Document, a ADR) {
		at := d.Find(-1, "Consequences")
		own := ""
		if at >= 0 {
			own = prose(d.Body(at))
		}
		switch {
		case len(a.Positive)+len(a.Negative)+len(a.Risks) == 0 && own == "":
			in.hitSection(d, "Consequences", a.ID+" has no consequences")
		case len(a.Negative)+len(a.Risks) == 0 && !price.MatchString(own):
			in.hitSection(d, "Consequences", a.ID+" has only good consequences")
		}
	})
}

func qualityUnmet(in *inspection) {
	index := in.First(DocArchitecture)
	if index == nil {
		return
	}
	for _, it := range in.Of(KindNFR) {
		if it.Priority != "Must" || len(in.design(it.ID)) > 0 || slices.ContainsFunc(index.Blocks, func(b Block) bool { return b.Kind == TableRow && strings.Contains(b.Text, it.ID) }) {
			continue
		}
		in.hit(Finding{File: index.Path, Item: it.ID, Message: "no decision and no component takes up " + it.ID})
	}
}

// nodeLabel reads the labels of a mermaid flowchart.
var nodeLabel = compile(`[\[({]+"?([^"\])}|]{2,80}?)"?[\])}]+`)

func componentNames(in *inspection) {
	index := in.First(DocArchitecture)
	components := in.Components()
	if index == nil || len(components) == 0 {
		return
	}
	names := map[string]string{}
	for _, c := range components {
		names[nameKey(c.Name)] = c.Name
	}
	for _, c := range components {
		line := index.rowLine(c.Name)
		if len(c.Reqs) == 0 && len(in.Of(KindReq, KindNFR)) > 0 {
			in.hit(Finding{File: index.Path, Line: line, Unit: c.Name, Message: fmt.Sprintf("component %q serves no requirement", c.Name)})
		}
		for _, dep := range c.Depends {
			in.hitName(names, dep, Place{index.Path, line}, c.Name)
		}
	}
	shown := map[string]bool{}
	drawn := 0
	for _, b := range index.Blocks {
		if b.Kind != CodeBlock || b.Lang != "mermaid" || titleKey(index.sectionTitle(b.Section)) != "componentdiagram" {
			continue
		}
		for _, m := range nodeLabel.FindAllStringSubmatch(b.Text, 200) {
			drawn++
			shown[nameKey(m[1])] = true
			in.hitName(names, m[1], Place{index.Path, b.Line}, "the diagram")
		}
	}
	for _, c := range components {
		if drawn > 0 && !shown[nameKey(c.Name)] && !strings.HasSuffix(clip(c.Name, 60), "…") {
			in.hit(Finding{File: index.Path, Line: index.rowLine(c.Name), Unit: c.Name, Message: fmt.Sprintf("component %q is not in the diagram", c.Name)})
		}
	}
}

func nameKey(s string) string { return oneLine(Plain(s)) }

func (d *Document) rowLine(first string) int {
	for _, b := range d.Blocks {
		if b.Kind == TableRow && len(b.Cells) > 0 && Plain(b.Cells[0]) == Plain(first) {
			return b.Line
		}
	}
	return 1
}

// hitName reports a name that is nearly a component's.
func (in *inspection) hitName(names map[string]string, name string, at Place, where string) {
	key := nameKey(name)
	if names[key] != "" {
		return
	}
	known := make([]string, 0, len(names))
	for k := range names {
		known = append(known, k)
	}
	slices.Sort(known)
	for _, k := range known {
		if titleKey(k) == titleKey(key) || len(k) > 4 && len(key) > 4 && oneLetterOff(strings.ToLower(k), strings.ToLower(key)) {
			in.hit(Finding{File: at.File, Line: at.Line, Unit: k, Message: fmt.Sprintf("%q in %s is %q in the table", key, where, k)})
			return
		}
	}
}

// oneLetterOff: one letter added, taken or changed; two names that differ in a
// digit are two things.
func oneLetterOff(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if i < len(y) && y[i] >= '0' && y[i] <= '9' {
		return false
	}
	if len(x) == len(y) {
		return i < len(x) && slices.Equal(x[i+1:], y[i+1:])
	}
	return slices.Equal(x[i:], y[i+1:])
}

func versions(in *inspection) {
	index := in.First(DocArchitecture)
	for _, row := range in.architecture().Stack {
		if row.Technology == "" || row.Version != "" || strings.ContainsAny(row.Technology, "0123456789") {
			continue
		}
		line := index.rowLine(row.Layer)
		in.hit(Finding{File: index.Path, Line: line, Unit: row.Technology, Message: row.Technology + " has no version"})
	}
}

// cycles looks among components, among epics by what blocks them, and among
// stories that name what they depend on.
func cycles(in *inspection) {
	edges := map[string][]string{}
	at := map[string]Place{}
	if d := in.First(DocArchitecture); d != nil {
		for _, c := range in.Components() {
			key := "component " + nameKey(c.Name)
			at[key] = Place{d.Path, d.rowLine(c.Name)}
			for _, dep := range c.Depends {
				edges[key] = append(edges[key], "component "+nameKey(dep))
			}
		}
	}
	for _, d := range in.Documents {
		if d.Kind != DocEpic {
			continue
		}
		ep := in.epic(d)
		at[ep.ID] = Place{d.Path, 1}
		for _, dep := range ep.Dependencies {
			if !strings.EqualFold(dep.Kind, "soft") {
				edges[ep.ID] = append(edges[ep.ID], dep.Epic)
			}
		}
	}
	for _, it := range in.Of(KindStory, KindEpic) {
		for _, key := range []string{"depends on", "dependencies", "blocked by"} {
			if it.Fields[key] != "" && at[it.ID].File == "" {
				at[it.ID] = Place{it.File, it.Line}
				edges[it.ID] = IDs(it.Fields[key])
			}
		}
	}
	in.hitCycles(edges, at)
}

func (in *inspection) hitCycles(edges map[string][]string, at map[string]Place) {
	nodes := make([]string, 0, len(at))
	for n := range at {
		nodes = append(nodes, n)
	}
	slices.Sort(nodes)
	state := map[string]int{} // 1 on the path, 2 done
	var path []string
	var visit func(n string)
	visit = func(n string) {
		state[n] = 1
		path = append(path, n)
		for _, next := range edges[n] {
			if _, known := at[next]; !known {
				continue
			}
			switch state[next] {
			case 0:
				visit(next)
			case 1:
				round := path[slices.Index(path, next):]
				p := at[next]
				in.hit(Finding{File: p.File, Line: p.Line, Unit: next, Item: in.itemAt(p.File, p.Line),
					Message: "in a circle: " + strings.ReplaceAll(strings.Join(append(slices.Clone(round), next), " → "), "component ", "")})
			}
		}
		path = path[:len(path)-1]
		state[n] = 2
	}
	for _, n := range nodes {
		if state[n] == 0 && len(nodes) < 5000 {
			visit(n)
		}
	}
}
