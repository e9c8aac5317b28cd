package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// Render writes the summary.
func (s Summary) Render() []File {
	f := s.front(DocSummary, 6)
	f.value("gate", s.Scores.Gate)
	f.b.WriteString("score: " + number(s.Scores.Overall) + "\n")
	lead := fmt.Sprintf("**Overall Quality Score:** %s%%\n\n**Quality Gate:** %s - %s", number(s.Scores.Overall), s.Scores.Gate, gateMessages[s.Scores.Gate])
	set := s.Set
	if set == nil {
		set = Parse(nil)
	}
	return []File{document{path: SummaryPath, title: "Specification Summary", lang: s.Language, front: f, lead: lead, parts: []part{
		{title: "At a Glance", need: should, body: made(func(p *page) { s.glance(p, set) })},
		{title: "Documents Reviewed", need: should, body: made(func(p *page) { s.documents(p, set) })},
		{title: "Key Findings", need: should, parts: []part{
			{title: "Strengths", need: should, body: made(func(p *page) { s.ranked(p, func(v float64) bool { return v >= 80 }) })},
			{title: "Areas for Improvement", need: should, body: made(func(p *page) { s.ranked(p, func(v float64) bool { return v < 70 }) })},
			{title: "Recommendations", need: should, body: made(s.recommend)},
		}},
	}}.file()}
}

// glance is the one-pager: what, for whom, how big.
func (s Summary) glance(p *page, set *Set) {
	var out []string
	add := func(name, value string) {
		if value = inline(value); value != "" {
			out = append(out, "- **"+name+":** "+value)
		}
	}
	add("Subject", s.Title)
	if b, err := ParseBrief(set); err == nil {
		add("Vision", firstSentence(b.Vision))
		add("Problem", firstSentence(b.Situation))
		var users []string
		for _, u := range b.Users {
			users = append(users, u.Name)
		}
		add("Users", strings.Join(users, ", "))
	}
	var counts []string
	reqs := set.Of(KindReq)
	for _, priority := range Priorities {
		n := 0
		for _, r := range reqs {
			if r.Priority == priority {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, priority))
		}
	}
	if len(reqs) > 0 {
		add("Requirements", fmt.Sprintf("%d functional (%s), %d non-functional", len(reqs), strings.Join(counts, ", "), len(set.Of(KindNFR))))
	}
	if a, err := ParseArchitecture(set); err == nil {
		add("Architecture", firstSentence(a.Style))
	}
	if e, err := ParseEpics(set); err == nil && len(e.Epics) > 0 {
		first := 0
		for _, ep := range e.Epics {
			if ep.MVP {
				first++
			}
		}
		add("Epics", fmt.Sprintf("%d with %d stories, %d in the first slice", len(e.Epics), len(set.Of(KindStory)), first))
	}
	add("Next step", gateActions[s.Scores.Gate])
	p.block(strings.Join(out, "\n"))
}

// phases are the documents that were reviewed; the report of the review is none.
var phases = map[DocKind]string{DocDiscovery: "1", DocConfig: "1", DocBrief: "2", DocRequirements: "3", DocArchitecture: "4", DocEpics: "5", DocTiny: "3"}

func (s Summary) documents(p *page, set *Set) {
	var rows [][]string
	for _, d := range set.Documents {
		if phases[d.Kind] == "" {
			continue
		}
		size := 0
		for _, l := range d.Lines {
			size += len(l) + 1
		}
		sections := 0
		for _, sec := range d.Sections {
			if sec.Level == 2 {
				sections++
			}
		}
		name := "[" + shortPath(d.Path) + "](" + relative(SummaryPath, d.Path) + ")"
		if d.Kind == DocConfig { // a machine's file: named, and no place to send a reader
			name = "`" + shortPath(d.Path) + "`"
		}
		rows = append(rows, []string{phases[d.Kind], name, fmt.Sprintf("%d bytes", size), strconv.Itoa(sections)})
	}
	if len(rows) > 0 {
		p.block(grid([]string{"Phase", "Path", "Size", "Sections"}, rows))
	}
}

func (s Summary) ranked(p *page, keep func(float64) bool) {
	var out []string
	for _, d := range s.Scores.Dimensions {
		if d.Value != nil && keep(*d.Value) {
			out = append(out, fmt.Sprintf("- %s %s%%: %s", dimensionTitles[d.Name], number(*d.Value), inline(d.Note)))
		}
	}
	if len(out) == 0 {
		p.block("None.")
		return
	}
	p.block(strings.Join(out, "\n"))
}

func (s Summary) recommend(p *page) {
	var out []string
	if s.Scores.Lift != "" {
		out = append(out, "- "+inline(s.Scores.Lift))
	}
	seen := map[string]bool{}
	for _, grade := range []string{Blocker, Major} {
		for _, f := range s.Findings {
			if f.Grade == grade && !seen[f.Rule] && len(out) < 6 {
				seen[f.Rule] = true
				out = append(out, fmt.Sprintf("- %s (%s, first in `%s:%d`)", inline(f.Remedy), f.Rule, f.File, f.Line))
			}
		}
	}
	if len(out) == 0 {
		p.block("None.")
		return
	}
	p.block(strings.Join(out, "\n"))
}
