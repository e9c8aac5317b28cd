package roles

import (
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// Covered is one normative sentence of the issue and what took it up.
type Covered struct {
	Line  int
	Quote string
	Sort  Sort
	By    string // an item's id, or the section that holds it; empty: nothing
}

// Sources lists every sentence of the issue that demands something, in order,
// with the item of the session folder that covers it.
func Sources(issue pipeline.IssueText, f pipeline.Folder) []Covered {
	d, err := readDiscovery(f)
	if err != nil {
		d = Discovery{}
		r := Read(issue, nil)
		d.Asks, d.Title = r.Asks(), r.Title
	}
	set := parse(f, nil)
	var out []Covered
	for _, s := range d.Reading().Said {
		if kinds, ok := normative[s.Sort]; ok {
			out = append(out, Covered{Line: s.Line, Quote: s.Quote, Sort: s.Sort, By: coverOf(set, s, kinds)})
		}
		if s.Sort == SortAsk || s.Sort == SortQuality || s.Sort == SortStory {
			for _, detail := range s.Details {
				if !labelOnly[detail.Label] {
					out = append(out, Covered{Line: detail.Line, Quote: detail.Quote, Sort: SortCriterion, By: itemWith(set, detail.Quote, spec.KindAC)})
				}
			}
		}
	}
	return out
}

// cover says which kinds of item may take up a sort of sentence, and which
// section may where none does.
type cover struct {
	kinds   []spec.Kind
	section string
}

var normative = map[Sort]cover{
	SortAsk: {[]spec.Kind{spec.KindReq, spec.KindNFR}, "Out of Scope"}, SortStory: {[]spec.Kind{spec.KindReq, spec.KindNFR}, "Out of Scope"},
	SortQuality: {[]spec.Kind{spec.KindNFR, spec.KindReq}, "Not Applicable"}, SortCriterion: {[]spec.Kind{spec.KindAC, spec.KindReq}, ""},
	SortConstraint: {nil, "Constraints"}, SortDecision: {[]spec.Kind{spec.KindADR}, "Decisions"}, SortGoal: {[]spec.Kind{spec.KindGoal}, ""},
	SortNonGoal: {nil, "Out of Scope"}, SortDepends: {nil, "Constraints"},
}

func coverOf(set *spec.Set, s Said, c cover) string {
	if id := itemWith(set, s.Quote, c.kinds...); id != "" {
		return id
	}
	if c.section == "" {
		return ""
	}
	for _, d := range set.Documents {
		at := d.Find(-1, c.section)
		if at < 0 {
			continue
		}
		for _, b := range d.Below(at) {
			if holds(b.Text, s.Quote) || s.Row != "" && holds(b.Text, s.Row) {
				return d.Path + "#" + d.Sections[at].Anchor
			}
		}
	}
	return ""
}

// itemWith finds the item whose text or source holds the sentence.
func itemWith(set *spec.Set, quote string, kinds ...spec.Kind) string {
	for _, it := range set.Of(kinds...) {
		if holds(it.Statement, quote) || holds(it.Title, quote) || holds(it.Fields["source"], quote) {
			return it.ID
		}
		d := set.Document(it.File)
		if d == nil || d.Front.Get("id") != it.ID {
			continue
		}
		for _, b := range d.Blocks {
			if holds(b.Text, quote) {
				return it.ID
			}
		}
	}
	return ""
}

func holds(text, quote string) bool {
	key := quoteKey(spec.Plain(quote))
	return key != "" && strings.Contains(quoteKey(spec.Plain(text)), key)
}
