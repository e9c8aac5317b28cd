package roles

import (
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// base is what requirements descend by: as they are in the folder, and as the
// rules would write them from the issue alone. Where the two differ somebody
// edited the requirement, and what was written from it follows; what somebody
// wrote over it stays.
type base struct {
	now, rules map[string]spec.Requirement
	nfrs       map[string]bool
}

func (u upstream) base(j *job, reqs spec.Requirements) base {
	b := base{map[string]spec.Requirement{}, map[string]spec.Requirement{}, map[string]bool{}}
	fresh := u.requirements(j, reqs.Goals)
	for _, q := range reqs.Reqs {
		b.now[q.ID] = q
		if at := slices.IndexFunc(fresh.Reqs, func(f spec.Requirement) bool { return sameQuote(f.Source.Quote, q.Source.Quote) }); at >= 0 {
			b.rules[q.ID] = fresh.Reqs[at]
		}
	}
	for _, n := range reqs.NFRs {
		b.nfrs[n.ID] = true
	}
	return b
}

// holds tells whether a requirement is still there.
func (b base) holds(id string) bool {
	_, ok := b.now[id]
	return ok || b.nfrs[id] || spec.KindOf(id) != spec.KindReq && spec.KindOf(id) != spec.KindNFR
}

func (b base) kept(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !b.holds(id) })
}

// retitled replaces the titles of edited requirements in a text of ours.
func (b base) retitled(text string, ids []string) string {
	for _, id := range ids {
		now, rules := b.now[id], b.rules[id]
		if rules.Title == "" || now.Title == rules.Title {
			continue
		}
		text = strings.ReplaceAll(text, lowerFirst(rules.Title), lowerFirst(now.Title))
		text = strings.ReplaceAll(text, rules.Title, now.Title)
	}
	return text
}

// follow writes a story anew where its requirement was edited and the story
// still says what the requirement said before.
func (b base) follow(s *spec.Story) bool {
	for _, id := range s.TracesTo {
		now, rules := b.now[id], b.rules[id]
		if rules.ID == "" || now.ID == "" {
			continue
		}
		was, is := storyFor(rules, "EPIC-000", 0), storyFor(now, "EPIC-000", 0)
		if sameStory(was, is) || !startsAs(*s, was) {
			return false
		}
		rest := s.Criteria[len(was.Criteria):]
		s.Title, s.Story, s.Size = is.Title, is.Story, is.Size
		s.Criteria = append(slices.Clone(is.Criteria), rest...)
		for i := range s.Criteria {
			s.Criteria[i].ID = ""
		}
		return true
	}
	return false
}

func sameStory(a, b spec.Story) bool {
	return len(a.Criteria) == len(b.Criteria) && startsAs(a, b) && a.Story == b.Story
}

// startsAs tells whether a story has another's title, wish and first criteria.
func startsAs(s, was spec.Story) bool {
	if !sameQuote(s.Title, was.Title) || !sameQuote(s.Story.Want, was.Story.Want) || len(s.Criteria) < len(was.Criteria) {
		return false
	}
	for i, c := range was.Criteria {
		if !sameQuote(s.Criteria[i].Text, c.Text) {
			return false
		}
	}
	return true
}

// pruned is an architecture without what was retired, and with new names for
// what was renamed.
func pruned(old spec.Architecture, b base) (a spec.Architecture, changed bool) {
	a = old
	a.Components, a.ADRs = nil, slices.Clone(a.ADRs)
	for _, c := range old.Components {
		reqs, says := b.kept(c.Reqs), b.retitled(c.Responsibility, c.Reqs)
		changed = changed || len(reqs) != len(c.Reqs) || says != c.Responsibility
		if c.Reqs, c.Responsibility = reqs, says; len(reqs) > 0 {
			a.Components = append(a.Components, c)
		}
	}
	for i := range a.ADRs {
		d := &a.ADRs[i]
		if kept := b.kept(d.TracesTo); len(kept) != len(d.TracesTo) {
			d.TracesTo, d.Version, changed = kept, max(d.Version, 1)+1, true
		}
	}
	return a, changed
}

// descended are the epics after their requirements: stories of what was
// retired go, stories of what was edited follow. The files of epics that are
// left without anything come back.
func descended(e spec.Epics, b base) (out spec.Epics, gone []string, changed bool) {
	out = e
	out.Epics = nil
	for _, ep := range e.Epics {
		before := ep.Version
		if kept := b.kept(ep.Requirements); len(kept) != len(ep.Requirements) {
			ep.Requirements, ep.Version = kept, max(before, 1)+1
		}
		ep.Stories = slices.DeleteFunc(slices.Clone(ep.Stories), func(s spec.Story) bool { return len(s.TracesTo) > 0 && len(b.kept(s.TracesTo)) == 0 })
		for i := range ep.Stories {
			ep.Stories[i].TracesTo = b.kept(ep.Stories[i].TracesTo)
			if b.follow(&ep.Stories[i]) {
				ep.Version = max(before, 1) + 1
			}
		}
		if ep.Version != before {
			changed = true
			ep.Description = b.retitled(ep.Description, ep.Requirements)
		}
		if len(ep.Requirements) == 0 {
			gone, out.Retired = append(gone, ep.File), append(slices.Clone(out.Retired), ep.ID)
			continue
		}
		out.Epics = append(out.Epics, ep)
	}
	if len(gone) > 0 {
		for i := range out.Epics {
			out.Epics[i].Dependencies = slices.DeleteFunc(slices.Clone(out.Epics[i].Dependencies), func(d spec.Dependency) bool { return slices.Contains(out.Retired, d.Epic) })
		}
		out.Order = slices.DeleteFunc(slices.Clone(out.Order), func(id string) bool { return slices.Contains(out.Retired, id) })
	}
	return out, gone, changed
}
