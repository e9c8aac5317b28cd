package spec

import (
	"fmt"
	"slices"
	"strings"
)

// traceRules judge the links between items.
var traceRules = []Rule{
	{ID: "L46", Grade: Major, Title: "orphan requirement", Detects: "A requirement traces to no goal and quotes no sentence it comes from.",
		Perspectives: []string{coverage, product}, Move: Move{Weight: 1, Share: .2}, Artifacts: ofRequirements,
		Good: "# Requirements\n\n| Goal ID | Goal |\n| --- | --- |\n| G-001 | Fewer lost deliveries |\n\n## REQ-001: Retry\n\nThe service MUST retry.\n\n**Traces to:** G-001\n",
		Bad:  "# Requirements\n\n| Goal ID | Goal |\n| --- | --- |\n| G-001 | Fewer lost deliveries |\n\n## REQ-001: Retry\n\nThe service MUST retry.\n",

		Remedy: "Name the goal it serves, or take it out.", check: orphans},
	{ID: "L47", Grade: Blocker, Title: "ask without requirement", Detects: "An ask of the issue, or a goal, has no requirement.",
		Perspectives: []string{coverage}, Move: Move{Cap: 2}, Artifacts: ofRequirements,
		Good: "# Requirements\n\n| Goal ID | Goal |\n| --- | --- |\n| G-001 | Fewer lost deliveries |\n\n## REQ-001: Retry\n\nThe service MUST retry.\n\n**Traces to:** G-001\n",
		Bad:  "# Requirements\n\n| Goal ID | Goal |\n| --- | --- |\n| G-001 | Fewer lost deliveries |\n| G-002 | Customers see failures |\n\n## REQ-001: Retry\n\nThe service MUST retry.\n\n**Traces to:** G-001\n",

		Remedy: "Add a requirement for it, or put it under Out of Scope.", check: uncovered},
	{ID: "L48", Grade: Blocker, Title: "dangling trace", Detects: "traces_to, or another link by id, names an item that does not exist.",
		Perspectives: []string{coverage}, Move: Move{Cap: 2}, Artifacts: ofRequirements + ofNFR + ofArchitecture + ofEpics,
		Good:   "| Goal ID | Goal |\n| --- | --- |\n| G-001 | Fewer lost deliveries |\n\n## REQ-001: Retry\n\nThe service MUST retry.\n\n**Traces to:** G-001\n",
		Bad:    "| Goal ID | Goal |\n| --- | --- |\n| G-001 | Fewer lost deliveries |\n\n## REQ-001: Retry\n\nThe service MUST retry.\n\n**Traces to:** G-009\n",
		Remedy: "Correct the id, or add the item it names.", check: dangling},
	{ID: "L49", Grade: Blocker, Title: "requirement without story", Detects: "A Must requirement has no story (blocker), or a story has no requirement (major).",
		Perspectives: []string{coverage}, Move: Move{Cap: 2, CapGrade: Blocker, Weight: 1, Share: .2}, Artifacts: ofEpics,
		Good:   "## REQ-001: Retry [Must]\n\nThe service MUST retry.\n\n## STORY-001-001: Retry once\n\nAs an operator, I want a retry, so that nothing is lost.\n\n**Traces to:** REQ-001\n",
		Bad:    "## REQ-001: Retry [Must]\n\nThe service MUST retry.\n\n## STORY-001-001: Retry once\n\nAs an operator, I want a retry, so that nothing is lost.\n",
		Remedy: "Write a story for it, or trace an existing one to it.", check: withoutStory},
}

func orphans(in *inspection) {
	if len(in.Of(KindGoal)) == 0 && len(in.asks) == 0 {
		return // nothing to trace to
	}
	for _, it := range in.Of(KindReq) {
		d := in.Document(it.File)
		if len(ofKind(it.TracesTo, KindGoal)) > 0 || it.Fields["source"] != "" || d != nil && d.Front.Get("id") == it.ID && readSource(d).Quote != "" {
			continue
		}
		in.hit(Finding{File: it.File, Line: it.Line, Item: it.ID, Message: it.ID + " serves no goal and quotes no source"})
	}
}

// uncovered speaks once there are requirements: before, everything is uncovered.
func uncovered(in *inspection) {
	reqs := in.Of(KindReq, KindNFR)
	index := in.First(DocRequirements)
	if len(reqs) == 0 && index == nil {
		return
	}
	at := Place{File: "", Line: 1}
	if index != nil {
		at.File = index.Path
	} else {
		at.File = reqs[0].File
	}
	for _, g := range in.Of(KindGoal) {
		if !slices.ContainsFunc(g.Children, func(id string) bool { return KindOf(id) == KindReq || KindOf(id) == KindNFR }) {
			in.hit(Finding{File: at.File, Line: at.Line, Item: g.ID, Quote: orElse(g.Statement, g.Title), Message: fmt.Sprintf("goal %s has no requirement: %s", g.ID, clip(Plain(g.Statement), 120))})
		}
	}
	covers := in.askCoverage(in.asks)
	for i, a := range in.asks {
		if covers[i] == uncoveredAsk {
			in.hit(Finding{File: at.File, Line: at.Line, Unit: a.Quote, Quote: a.Quote, Message: fmt.Sprintf("line %d of the issue is in no requirement: %s", a.Line, clip(oneLine(a.Quote), 120))})
		}
	}
}

func dangling(in *inspection) {
	for _, it := range in.Items {
		for _, up := range it.TracesTo {
			if !in.Has(up) && in.expects(up) {
				in.hit(Finding{File: it.File, Line: in.traceLine(it, up), Item: it.ID, Unit: it.ID, Message: fmt.Sprintf("%s traces to %s, which does not exist", it.ID, up)})
			}
		}
	}
}

// expects: an id can be called missing only where documents of its kind are
// part of the set.
func (s *Set) expects(id string) bool {
	kind := KindOf(id)
	if len(s.Of(kind)) > 0 {
		return true
	}
	home := map[Kind]DocKind{KindGoal: DocBrief, KindReq: DocRequirements, KindNFR: DocRequirements, KindADR: DocArchitecture, KindEpic: DocEpics, KindStory: DocEpics}
	return s.First(home[kind]) != nil
}

// traceLine is where an item names the id.
func (s *Set) traceLine(it Item, id string) int {
	d := s.byPath[it.File]
	if d == nil {
		return it.Line
	}
	if d.Front.Get("id") == it.ID {
		for _, f := range d.Front.Fields {
			if slices.Contains(f.Values, id) {
				return f.Line
			}
		}
	}
	for l := it.Line; l <= min(it.End, len(d.Lines)); l++ {
		if strings.Contains(d.Lines[l-1], id) {
			return l
		}
	}
	return it.Line
}

func withoutStory(in *inspection) {
	stories := in.Of(KindStory)
	if len(stories) == 0 {
		return
	}
	for _, it := range in.Of(KindReq) {
		if it.Priority == "Must" && len(in.Down(it.ID, KindStory)) == 0 {
			in.hit(Finding{File: it.File, Line: it.Line, Item: it.ID, Message: it.ID + " is a Must and no story takes it up"})
		}
	}
	for _, st := range stories {
		if len(ofKind(st.TracesTo, KindReq, KindNFR)) == 0 {
			in.hit(Finding{File: st.File, Line: st.Line, Item: st.ID, Grade: Major, Message: st.ID + " serves no requirement"})
		}
	}
}
