package spec

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// structureRules judge what a document is made of.
var structureRules = []Rule{
	{ID: "L01", Grade: Major, Title: "placeholder", Detects: "A placeholder or a remnant of a template: TBD, TODO, XXX, <name>, lorem ipsum.",
		Perspectives: []string{quality, coverage}, Move: Move{Cap: 2, CapGrade: Blocker, Weight: 1, Share: .1}, Artifacts: ofAll,
		Good:   "# REQ-001: Retry\n\n## Description\n\nThe service MUST retry a failed delivery after 30 s.\n",
		Bad:    "# REQ-001: Retry\n\n## Description\n\nThe service MUST retry a failed delivery after TBD seconds.\n",
		Remedy: "Say it, or move it to Open Questions as a question.", check: placeholders},
	{ID: "L02", Grade: Blocker, Title: "section missing", Detects: "A section its template requires is missing or empty.",
		Perspectives: []string{quality, coverage}, Move: Move{Cap: 2}, Artifacts: ofAll,
		Good:   "-- spec/requirements/REQ-001-a.md --\n---\nid: REQ-001\npriority: Must\ntraces_to: [G-001]\nstatus: draft\n---\n# REQ-001: A\n\n## Description\n\nThe service MUST answer.\n\n## Acceptance Criteria\n\n- [ ] It answers 200.\n",
		Bad:    "-- spec/requirements/REQ-001-a.md --\n---\nid: REQ-001\npriority: Must\ntraces_to: [G-001]\nstatus: draft\n---\n# REQ-001: A\n\n## Acceptance Criteria\n\n- [ ] It answers 200.\n",
		Remedy: "Add the section with what is known.", check: sectionsMissing},
	{ID: "L03", Grade: Major, Title: "frontmatter", Detects: "A frontmatter key is missing or has a value outside its set.",
		Perspectives: []string{quality}, Move: Move{Weight: 1, Share: .1}, Artifacts: ofRequirements + ofNFR + ofArchitecture + ofEpics + ofBrief,
		Good:   "-- spec/requirements/REQ-001-a.md --\n---\nid: REQ-001\ntype: functional\npriority: Must\ntraces_to: [G-001]\nstatus: draft\n---\n# REQ-001: A\n",
		Bad:    "-- spec/requirements/REQ-001-a.md --\n---\nid: REQ-001\ntype: functional\npriority: Urgent\ntraces_to: [G-001]\nstatus: draft\n---\n# REQ-001: A\n",
		Remedy: "Set the key to one of the listed values.", check: frontmatter},
	{ID: "L04", Grade: Blocker, Title: "duplicate id", Detects: "An id is defined twice, or a retired id is used again.",
		Perspectives: []string{quality, technical, coverage}, Move: Move{Cap: 2}, Artifacts: ofRequirements + ofNFR + ofArchitecture + ofEpics,
		Good:   "## REQ-001: A\n\nThe service MUST answer.\n\n## REQ-002: B\n\nThe service MUST log.\n",
		Bad:    "## REQ-001: A\n\nThe service MUST answer.\n\n## REQ-001: B\n\nThe service MUST log.\n",
		Remedy: "Give the newer one the next free id; ids are never used twice.", check: duplicates},
	{ID: "L06", Grade: Major, Title: "index differs", Detects: "An index and the files beside it disagree in ids, titles or priorities.",
		Perspectives: []string{quality, coverage}, Move: Move{Weight: .75, Share: .1}, Artifacts: ofRequirements + ofArchitecture + ofEpics,
		Good:   "-- spec/requirements/_index.md --\n---\nsession_id: TLS-a\nphase: 3\n---\n# Requirements: A\n\n## Functional Requirements\n\n| ID | Title | Priority |\n| --- | --- | --- |\n| [REQ-001](REQ-001-a.md) | A | [Must] |\n-- spec/requirements/REQ-001-a.md --\n---\nid: REQ-001\npriority: Must\n---\n# REQ-001: A\n",
		Bad:    "-- spec/requirements/_index.md --\n---\nsession_id: TLS-a\nphase: 3\n---\n# Requirements: A\n\n## Functional Requirements\n\n| ID | Title | Priority |\n| --- | --- | --- |\n| [REQ-001](REQ-001-a.md) | A | [Should] |\n-- spec/requirements/REQ-001-a.md --\n---\nid: REQ-001\npriority: Must\n---\n# REQ-001: A\n",
		Remedy: "Make the index say what the files say.", check: indexes},
	{ID: "L09", Grade: Minor, Title: "broken link", Detects: "A link inside the documents leads to no file or no heading.",
		Perspectives: []string{quality}, Move: Move{Weight: .5, Share: .1}, Artifacts: ofAll,
		Good: "# A\n\nSee [below](#details).\n\n## Details\n\nText.\n", Bad: "# A\n\nSee [below](#detials).\n\n## Details\n\nText.\n",
		Remedy: "Point the link at a file and heading that exist.", check: brokenLinks,
		Mends: "leads the link to the file or heading of that name, where there is exactly one"},
}

var placeholder = compile(`\b(?:TBD|TBC|TODO|FIXME|XXX|TKTK|tbd|to be (?:determined|defined|decided|specified|confirmed))\b|\?\?\?|(?i:lorem ipsum)|\[(?i:insert|your|placeholder|fill in)[^\]\n]{0,60}\](?:[^(]|$)|\{\{[^}\n]{1,60}\}\}|待定|待补充`)

// angled is an empty angle mark of a template: <name of the system>. HTML tags
// and autolinks are not.
var angled = compile(`(?:^|[^\\\w<])\\?<([a-z]+(?:[ _-][a-z]+){0,5})>`)

var htmlTags = compile(`^(?:a|abbr|b|br|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li|ol|p|pre|q|s|samp|section|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var|video|picture|source|center|font|nobr)$`)

func placeholders(in *inspection) {
	for _, d := range in.Documents {
		for _, b := range d.Blocks {
			if b.Kind == CodeBlock || b.Kind == QuoteBlock || b.Kind == HTMLBlock || !in.claimed(d, b) {
				continue
			}
			for i, l := range strings.Split(b.Text, "\n") {
				l = codeSpan.ReplaceAllString(l, "")
				mark := placeholder.FindString(l)
				if m := angled.FindStringSubmatch(l); mark == "" && m != nil && !htmlTags.MatchString(m[1]) {
					mark = "<" + m[1] + ">"
				}
				if mark == "" {
					continue
				}
				f := Finding{File: d.Path, Line: b.Line + i, Item: in.itemAt(d.Path, b.Line+i), Message: fmt.Sprintf("“%s” is a placeholder", strings.TrimSpace(mark))}
				if it, ok := in.Item(f.Item); ok && it.Priority == "Must" {
					f.Grade = Blocker
				}
				in.hit(f)
			}
		}
	}
}

// claimed tells whether a block belongs to a specification: any block of a
// session's documents, elsewhere only those of items.
func (in *inspection) claimed(d *Document, b Block) bool {
	if d.Kind != DocOther {
		return !strings.EqualFold(d.sectionTitle(b.Section), "Open Questions")
	}
	return in.itemAt(d.Path, b.Line) != ""
}

func (d *Document) sectionTitle(section int) string {
	if section < 0 {
		return ""
	}
	return d.Sections[section].Title
}

// itemAt is the innermost item whose lines hold the line.
func (s *Set) itemAt(file string, line int) string {
	s.spansOnce.Do(s.indexSpans)
	spans := s.spans[file]
	best, size := "", 1<<30
	// Spans are sorted by their first line; those of the one file that hold a
	// line are few, and nest.
	at, _ := slices.BinarySearchFunc(spans, line+1, func(sp itemSpan, l int) int { return sp.from - l })
	for i := at - 1; i >= 0 && at-i < 400; i-- {
		if sp := spans[i]; sp.to >= line && sp.to-sp.from < size {
			best, size = sp.id, sp.to-sp.from
		}
	}
	return best
}

var enums = map[string][]string{
	"priority": {"Must", "Should", "Could", "Won't"}, "phase": {"1", "2", "3", "4", "5", "6"},
	"type": {"functional", "non-functional"}, "mvp": {"true", "false"}, "size": {"S", "M", "L", "XL"},
}

var statuses = map[DocKind][]string{DocADR: {"Proposed", "Accepted", "Deprecated", "Superseded", "Rejected"}}

var frontKeys = map[DocKind][]string{
	DocReq: {"id", "type", "priority", "traces_to", "status"}, DocNFR: {"id", "type", "category", "priority", "status"},
	DocADR: {"id", "status", "traces_to", "date"}, DocEpic: {"id", "priority", "mvp", "size", "requirements", "status"},
}

var phaseKeys = []string{"session_id", "phase", "document_type", "status", "generated_at", "version"}

func frontmatter(in *inspection) {
	for _, d := range in.Documents {
		if d.Front.Err != "" {
			in.hit(Finding{File: d.Path, Line: 1, Message: "frontmatter cannot be read: " + oneLine(d.Front.Err)})
			continue
		}
		if d.Kind == DocOther || d.Kind == DocDiscovery || d.Kind == DocConfig {
			continue
		}
		keys, ok := frontKeys[d.Kind]
		if !ok {
			keys = phaseKeys
		}
		for _, k := range keys {
			if !d.Front.Has(k) {
				in.hit(Finding{File: d.Path, Line: 1, Item: d.Front.Get("id"), Unit: d.Path, Message: fmt.Sprintf("frontmatter lacks %q", k)})
			}
		}
		in.enums(d)
	}
}

func (in *inspection) enums(d *Document) {
	for _, f := range d.Front.Fields {
		allowed := enums[f.Name]
		if f.Name == "status" {
			if allowed = statuses[d.Kind]; allowed == nil {
				allowed = []string{"draft", "review", "complete", "approved", "accepted", "implemented", "deprecated"}
			}
		}
		value := d.Front.Get(f.Name)
		if allowed != nil && value != "" && !slices.Contains(allowed, value) {
			in.hit(Finding{File: d.Path, Line: f.Line, Item: d.Front.Get("id"), Unit: d.Path,
				Message: fmt.Sprintf("%s is %q; it must be one of %s", f.Name, value, strings.Join(allowed, ", "))})
		}
	}
}

func duplicates(in *inspection) {
	for _, it := range in.Items {
		for _, p := range in.Defined[it.ID][1:] {
			in.hit(Finding{File: p.File, Line: p.Line, Item: it.ID, Unit: fmt.Sprint(p),
				Message: fmt.Sprintf("%s is already defined in %s:%d", it.ID, in.Defined[it.ID][0].File, in.Defined[it.ID][0].Line)})
		}
		if slices.Contains(in.Retired, it.ID) {
			in.hit(Finding{File: it.File, Line: it.Line, Item: it.ID, Message: it.ID + " was retired and is used again"})
		}
	}
}

// sectionsMissing holds each document against its own template.
func sectionsMissing(in *inspection) {
	for _, d := range in.Documents {
		if d.Kind == DocReq || d.Kind == DocNFR || d.Kind == DocADR || d.Kind == DocEpic || d.Front.Has("session_id") {
			in.required(d, -1, templates[d.Kind])
		}
	}
}

func (in *inspection) required(d *Document, parent int, parts []part) {
	for _, pt := range parts {
		if pt.need != must {
			continue
		}
		at := d.Find(parent, append([]string{pt.title}, pt.aliases...)...)
		switch {
		case at < 0 && !d.answers(parent):
			in.hit(Finding{File: d.Path, Item: d.Front.Get("id"), Unit: d.Path + "#" + pt.title, Message: fmt.Sprintf("section %q is missing", pt.title)})
		case at >= 0 && !d.answers(at):
			in.hit(Finding{File: d.Path, Line: d.Sections[at].Line, Item: d.Front.Get("id"), Unit: d.Path + "#" + pt.title, Message: fmt.Sprintf("section %q is empty", pt.title)})
		case at >= 0:
			in.required(d, at, pt.parts)
		}
	}
}

// answers tells whether a section says anything of its own; text right below
// a heading stands in for its subsections.
func (d *Document) answers(section int) bool {
	if section < 0 {
		return false
	}
	return slices.ContainsFunc(d.Below(section), func(b Block) bool { return b.Kind != HTMLBlock && unsaid(b.Text) != "" })
}

// templates are the layouts as rule L02 reads them.
var templates = map[DocKind][]part{
	DocBrief: new(Brief).layout(), DocRequirements: new(Requirements).layout(linker{}), DocReq: new(Requirement).layout(linker{}, below{}),
	DocNFR: new(NFR).layout(linker{}, below{}), DocArchitecture: new(Architecture).layout(linker{}), DocADR: new(ADR).layout(linker{}, below{}),
	DocTiny: new(Tiny).layout(linker{}), DocEpics: new(Epics).layout(linker{}), DocEpic: new(Epic).layout(linker{}),
}

func indexes(in *inspection) {
	for _, d := range in.Documents {
		if kindByType[string(d.Kind)] != d.Kind || path.Base(d.Path) != "_index.md" {
			continue
		}
		listed := map[string]Block{}
		for _, b := range d.Blocks {
			if b.Kind != TableRow || !strings.Contains(b.Cells[0], "](") {
				continue
			}
			if id := firstID(Plain(b.Cells[0])); id != "" && !strings.Contains(strings.ToLower(d.sectionTitle(b.Section)), "matrix") {
				if _, seen := listed[id]; !seen {
					listed[id] = b
				}
			}
		}
		in.indexed(d, listed)
	}
}

func (in *inspection) indexed(d *Document, listed map[string]Block) {
	for _, b := range d.Blocks {
		if b.Kind != TableRow {
			continue
		}
		id := firstID(Plain(b.Cells[0]))
		if row, ok := listed[id]; !ok || row.Line != b.Line {
			continue
		}
		it, ok := in.Item(id)
		switch {
		case !ok:
			in.hit(Finding{File: d.Path, Line: b.Line, Unit: id, Message: fmt.Sprintf("the index lists %s, which has no file", id)})
		case len(b.Cells) > 1 && titleKey(b.Cells[1]) != titleKey(it.Title):
			in.hit(Finding{File: d.Path, Line: b.Line, Item: id, Message: fmt.Sprintf("the index calls %s %q, its file %q", id, Plain(b.Cells[1]), it.Title)})
		case d.Kind != DocArchitecture && len(b.Cells) > 2 && priorityWord(b.Cells[2]) != "" && it.Priority != "" && priorityWord(b.Cells[2]) != it.Priority:
			in.hit(Finding{File: d.Path, Line: b.Line, Item: id, Message: fmt.Sprintf("the index says %s, the file of %s says %s", priorityWord(b.Cells[2]), id, it.Priority)})
		}
	}
	for _, other := range in.Documents {
		id := other.Front.Get("id")
		if path.Dir(other.Path) != path.Dir(d.Path) || KindOf(id) == "" {
			continue
		}
		if _, ok := listed[id]; !ok {
			in.hit(Finding{File: other.Path, Item: id, Message: fmt.Sprintf("%s is not in the index", id)})
		}
	}
}

func brokenLinks(in *inspection) {
	for _, d := range in.Documents {
		for _, l := range d.Links {
			file, anchor, ok := d.Resolve(l)
			if !ok {
				continue
			}
			to := in.Document(file)
			switch {
			case to == nil && !in.outside(d, file):
				in.hit(Finding{File: d.Path, Line: l.Line, Item: in.itemAt(d.Path, l.Line), Unit: l.Target,
					Message: fmt.Sprintf("the link to %s leads nowhere", l.Target), Replacement: in.relinked(d, l, file, anchor)})
			case to != nil && anchor != "" && !to.Anchors[strings.ToLower(anchor)] && !to.idAnchor(anchor):
				in.hit(Finding{File: d.Path, Line: l.Line, Item: in.itemAt(d.Path, l.Line), Unit: l.Target,
					Message: fmt.Sprintf("%s has no heading #%s", path.Base(file), anchor), Replacement: in.relinked(d, l, file, anchor)})
			}
		}
	}
}

// outside: the target may be a file that was not given to us. Between
// documents of a session all files are given; elsewhere only Markdown that
// lies beside or below given files can be called missing.
func (in *inspection) outside(d *Document, file string) bool {
	if slices.ContainsFunc(in.Files, func(f File) bool { return f.Path == file || strings.HasPrefix(f.Path, file+"/") }) {
		return true
	}
	if strings.HasPrefix(file, "..") || file == "." {
		return true
	}
	if d.Kind != DocOther {
		return false
	}
	return in.Options.Paths == nil && len(in.Documents) < 2 || in.Options.Paths[file] || !strings.HasSuffix(file, ".md")
}

// idAnchor: GitHub also honours anchors written as HTML.
func (d *Document) idAnchor(anchor string) bool {
	for _, l := range d.Lines {
		if strings.Contains(l, `id="`+anchor+`"`) || strings.Contains(l, `name="`+anchor+`"`) {
			return true
		}
	}
	return false
}
