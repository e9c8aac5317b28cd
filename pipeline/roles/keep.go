package roles

import (
	"slices"
	"strings"
	"unicode"

	"parley/pipeline/spec"
)

// A draft that runs again keeps what is there: ids, people's words, every item
// whose sentence still stands. It adds what is new, fills what is empty, and
// retires what the issue no longer asks for. Whatever changed gets the next
// version; what did not stays as it is, byte for byte.

func sameQuote(a, b string) bool { return quoteKey(a) != "" && quoteKey(a) == quoteKey(b) }

func quoteKey(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "")
}

func fill(to *string, from string) bool {
	if strings.TrimSpace(*to) != "" || strings.TrimSpace(from) == "" {
		return false
	}
	*to = from
	return true
}

func fillList(to *[]string, from []string) bool {
	if len(*to) > 0 || len(from) == 0 {
		return false
	}
	*to = from
	return true
}

// union keeps the old entries and appends those that are new.
func union(to *[]string, from []string) bool {
	changed := false
	for _, f := range from {
		if !slices.ContainsFunc(*to, func(t string) bool { return sameQuote(t, f) }) {
			*to, changed = append(*to, f), true
		}
	}
	return changed
}

// nextHead keeps the old frontmatter where nothing changed.
func nextHead(old, fresh spec.Head, changed bool) spec.Head {
	if !changed {
		return old
	}
	fresh.Version = max(old.Version, 1) + 1
	fresh.Retired = old.Retired
	return fresh
}

func keepBrief(old, fresh spec.Brief) spec.Brief {
	b := old
	changed := false
	note := func(c bool) { changed = changed || c }
	for _, p := range []struct{ to, from *string }{{&b.Vision, &fresh.Vision}, {&b.Situation, &fresh.Situation}, {&b.Impact, &fresh.Impact}} {
		note(fill(p.to, *p.from))
	}
	for _, u := range fresh.Users {
		if !slices.ContainsFunc(b.Users, func(o spec.Persona) bool { return strings.EqualFold(o.Name, u.Name) }) {
			b.Users, changed = append(b.Users, u), true
		}
	}
	for _, g := range fresh.Goals {
		if !slices.ContainsFunc(b.Goals, func(o spec.Goal) bool { return sameQuote(o.Text, g.Text) }) {
			g.ID = spec.NextID("G", append(goalIDs(b.Goals), old.Retired...)...)
			b.Goals, changed = append(b.Goals, g), true
		}
	}
	for _, p := range []struct{ to, from *[]string }{{&b.InScope, &fresh.InScope}, {&b.OutOfScope, &fresh.OutOfScope}, {&b.Assumptions, &fresh.Assumptions},
		{&b.Technical, &fresh.Technical}, {&b.Business, &fresh.Business}, {&b.Depends, &fresh.Depends}, {&b.Feedback, &fresh.Feedback}} {
		note(union(p.to, *p.from))
	}
	note(replaceOpen(&b.Open, fresh.Open))
	b.Head = nextHead(old.Head, fresh.Head, changed)
	if changed {
		b.Summary = fresh.Summary
	}
	return b
}

func goalIDs(goals []spec.Goal) []string {
	var out []string
	for _, g := range goals {
		out = append(out, g.ID)
	}
	return out
}

// replaceOpen drops questions of ours that are answered and adds new ones; a
// person's own question stays.
func replaceOpen(to *[]string, fresh []string) bool {
	before := strings.Join(*to, "\n")
	kept := slices.DeleteFunc(slices.Clone(*to), func(q string) bool {
		return ourQuestion(q) && !slices.ContainsFunc(fresh, func(f string) bool { return sameQuote(f, q) })
	})
	union(&kept, fresh)
	*to = kept
	return before != strings.Join(kept, "\n")
}

// ourQuestion recognises what questionsFor and the drafts ask, by its frame.
func ourQuestion(q string) bool {
	for _, lang := range []string{"en", "de", "zh"} {
		for _, key := range []string{"q unmeasured", "q criterion", "q goal", "assume default"} {
			frame := strings.Split(phrases[lang][key], "%s")
			last := strings.TrimRight(frame[len(frame)-1], ")）")
			if last != "" && strings.Contains(q, strings.TrimSpace(last)) && strings.Contains(q, strings.TrimSpace(frame[0])) {
				return true
			}
		}
	}
	return false
}

func keepRequirements(old, fresh spec.Requirements) spec.Requirements {
	r := old
	var ids []string
	for _, q := range old.Reqs {
		ids = append(ids, q.ID)
	}
	ids = append(ids, old.Retired...)
	changed := false
	for i := range r.Reqs {
		q := &r.Reqs[i]
		at := slices.IndexFunc(fresh.Reqs, func(f spec.Requirement) bool { return sameQuote(f.Source.Quote, q.Source.Quote) })
		if at < 0 {
			continue
		}
		if keepRequirement(q, fresh.Reqs[at]) {
			q.Version, changed = max(q.Version, 1)+1, true
		}
	}
	for _, f := range fresh.Reqs {
		if slices.ContainsFunc(old.Reqs, func(q spec.Requirement) bool { return sameQuote(f.Source.Quote, q.Source.Quote) }) {
			continue
		}
		was := f.ID
		f.ID = spec.NextID("REQ", ids...)
		ids = append(ids, f.ID)
		for k := range f.Criteria {
			f.Criteria[k].ID = strings.Replace(f.Criteria[k].ID, strings.TrimPrefix(was, "REQ-"), strings.TrimPrefix(f.ID, "REQ-"), 1)
		}
		r.Reqs, changed = append(r.Reqs, f), true
	}
	var nfrIDs []string
	for _, n := range old.NFRs {
		nfrIDs = append(nfrIDs, n.ID)
	}
	for _, f := range fresh.NFRs {
		if at := slices.IndexFunc(r.NFRs, func(n spec.NFR) bool { return sameQuote(f.Source.Quote, n.Source.Quote) }); at >= 0 {
			n := &r.NFRs[at]
			a, b, c := fill(&n.Metric, f.Metric), fill(&n.Target, f.Target), fill(&n.Method, f.Method)
			if a || b || c {
				n.Version, changed = max(n.Version, 1)+1, true
			}
			continue
		}
		f.ID = spec.NextID("NFR-"+f.Category, append(nfrIDs, old.Retired...)...)
		nfrIDs = append(nfrIDs, f.ID)
		r.NFRs, changed = append(r.NFRs, f), true
	}
	changed = union(&r.Constraints, fresh.Constraints) || changed
	changed = union(&r.Assumptions, fresh.Assumptions) || changed
	changed = union(&r.Feedback, fresh.Feedback) || changed
	changed = replaceOpen(&r.Open, fresh.Open) || changed
	changed = keepGoals(&r.Goals, fresh.Goals) || changed
	if len(r.Entities) == 0 && len(fresh.Entities) > 0 {
		r.Entities, changed = fresh.Entities, true
	}
	r.Head = nextHead(old.Head, fresh.Head, changed)
	if changed {
		r.Summary, r.Rationale = fresh.Summary, firstOf(old.Rationale, fresh.Rationale)
	}
	return r
}

func keepGoals(to *[]spec.Goal, fresh []spec.Goal) bool {
	changed := false
	for _, g := range fresh {
		if !slices.ContainsFunc(*to, func(o spec.Goal) bool { return o.ID == g.ID }) {
			*to, changed = append(*to, g), true
		}
	}
	return changed
}

// keepRequirement fills what is empty and adds criteria that are new.
func keepRequirement(q *spec.Requirement, f spec.Requirement) bool {
	changed := fill(&q.Description, f.Description)
	changed = fill(&q.Story.Role, f.Story.Role) || changed
	changed = fill(&q.Story.Want, f.Story.Want) || changed
	changed = fill(&q.Story.Benefit, f.Story.Benefit) || changed
	changed = fillList(&q.TracesTo, f.TracesTo) || changed
	if len(q.Criteria) == 0 && len(f.Criteria) > 0 {
		q.Criteria, changed = f.Criteria, true
		for k := range q.Criteria {
			q.Criteria[k].ID = ""
		}
	}
	return changed
}

func keepArchitecture(old, fresh spec.Architecture) spec.Architecture {
	a := old
	changed := false
	covered := map[string]bool{}
	for _, c := range a.Components {
		for _, id := range c.Reqs {
			covered[id] = true
		}
	}
	for _, f := range fresh.Components {
		var missing []string
		for _, id := range f.Reqs {
			if !covered[id] {
				missing = append(missing, id)
			}
		}
		if len(missing) == 0 {
			continue
		}
		changed = true
		if at := slices.IndexFunc(a.Components, func(c spec.Component) bool { return strings.EqualFold(c.Name, f.Name) }); at >= 0 {
			a.Components[at].Reqs = append(a.Components[at].Reqs, missing...)
			continue
		}
		if len(a.Components) >= groupMost || len(missing) < len(f.Reqs) {
			a.Components[len(a.Components)-1].Reqs = append(a.Components[len(a.Components)-1].Reqs, missing...)
			continue
		}
		a.Components = append(a.Components, f)
	}
	var ids []string
	for _, d := range old.ADRs {
		ids = append(ids, d.ID)
	}
	for _, f := range fresh.ADRs {
		if !slices.ContainsFunc(old.ADRs, func(d spec.ADR) bool { return sameQuote(d.Decision, f.Decision) || sameQuote(d.Title, f.Title) }) {
			f.ID = spec.NextID("ADR", append(ids, old.Retired...)...)
			ids = append(ids, f.ID)
			a.ADRs, changed = append(a.ADRs, f), true
		}
	}
	if len(a.Stack) == 0 && len(fresh.Stack) > 0 {
		a.Stack, changed = fresh.Stack, true
	}
	changed = fill(&a.Style, fresh.Style) || changed
	changed = union(&a.Feedback, fresh.Feedback) || changed
	changed = replaceOpen(&a.Open, fresh.Open) || changed
	for _, k := range fresh.Risks {
		if !slices.ContainsFunc(a.Risks, func(o spec.RiskRow) bool { return sameQuote(o.Risk, k.Risk) }) {
			a.Risks, changed = append(a.Risks, k), true
		}
	}
	for _, t := range fresh.Attributes {
		if !slices.ContainsFunc(a.Attributes, func(o spec.Attribute) bool { return sameQuote(o.Name, t.Name) }) {
			a.Attributes, changed = append(a.Attributes, t), true
		}
	}
	a.Head = nextHead(old.Head, fresh.Head, changed)
	return a
}

func keepEpics(old, fresh spec.Epics) spec.Epics {
	e := old
	changed := false
	told := map[string]bool{}
	for _, ep := range e.Epics {
		for _, s := range ep.Stories {
			for _, id := range s.TracesTo {
				told[id] = true
			}
		}
	}
	var ids []string
	for _, ep := range e.Epics {
		ids = append(ids, ep.ID)
	}
	for _, f := range fresh.Epics {
		add := slices.DeleteFunc(slices.Clone(f.Stories), func(s spec.Story) bool {
			return !slices.ContainsFunc(s.TracesTo, func(id string) bool { return !told[id] })
		})
		if len(add) == 0 {
			continue
		}
		changed = true
		at := slices.IndexFunc(e.Epics, func(ep spec.Epic) bool { return strings.EqualFold(ep.Title, f.Title) })
		if at < 0 && len(e.Epics) < groupMost {
			f.ID = spec.NextID("EPIC", append(ids, old.Retired...)...)
			ids = append(ids, f.ID)
			f.Stories, f.Dependencies = nil, nil
			e.Epics = append(e.Epics, f)
			at = len(e.Epics) - 1
		} else if at < 0 {
			at = len(e.Epics) - 1
		}
		ep := &e.Epics[at]
		for _, s := range add {
			s.ID = nextStory(ep)
			ep.Stories = append(ep.Stories, s)
			for _, id := range s.TracesTo {
				ep.Requirements = once(ep.Requirements, id)
			}
		}
		ep.Version = max(ep.Version, 1) + 1
	}
	changed = union(&e.Feedback, fresh.Feedback) || changed
	changed = replaceOpen(&e.Open, fresh.Open) || changed
	changed = fillList(&e.DoneWhen, fresh.DoneWhen) || changed
	e.Head = nextHead(old.Head, fresh.Head, changed)
	if changed {
		for _, ep := range e.Epics {
			e.Order = once(e.Order, ep.ID)
		}
	}
	return e
}

func nextStory(ep *spec.Epic) string {
	var ids []string
	for _, s := range ep.Stories {
		ids = append(ids, s.ID)
	}
	return spec.NextID("STORY-"+strings.TrimPrefix(ep.ID, "EPIC-"), ids...)
}
