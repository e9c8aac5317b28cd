package roles

import (
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// keeping brings fresh requirements in line with those in the folder.
type keeping struct {
	u          upstream
	old, fresh spec.Requirements
	ids        []string // all that were ever given
	matched    map[int]bool
	gone       []string // files of what was retired
	changed    bool
}

// keepRequirements keeps ids, people's words and what is unchanged, adds what
// is new and retires what the issue no longer says; it returns the files that
// go with it.
func (u upstream) keepRequirements(old, fresh spec.Requirements) (spec.Requirements, []string) {
	k := &keeping{u: u, old: old, fresh: fresh, matched: map[int]bool{}, ids: slices.Clone(old.Retired)}
	for _, q := range old.Reqs {
		k.ids = append(k.ids, q.ID)
	}
	for _, n := range old.NFRs {
		k.ids = append(k.ids, n.ID)
	}
	r := old
	r.Reqs, r.NFRs = k.reqs(), k.nfrs()
	k.note(union(&r.Constraints, fresh.Constraints))
	k.note(union(&r.Assumptions, fresh.Assumptions))
	k.note(union(&r.Feedback, fresh.Feedback))
	k.note(replaceOpen(&r.Open, fresh.Open))
	k.note(keepGoals(&r.Goals, fresh.Goals))
	if len(r.Entities) == 0 && len(fresh.Entities) > 0 {
		r.Entities, k.changed = fresh.Entities, true
	}
	r.Head = nextHead(old.Head, fresh.Head, k.changed)
	r.Retired = k.retired(r)
	if k.changed {
		r.Summary, r.Rationale = fresh.Summary, firstOf(old.Rationale, fresh.Rationale)
		if len(k.gone) > 0 {
			r.Rationale = fresh.Rationale
		}
	}
	return r, k.gone
}

// file is where an item stands.
func (k *keeping) file(id string) string {
	it, _ := k.u.set.Item(id)
	return it.File
}

func (k *keeping) note(changed bool) { k.changed = k.changed || changed }

// vanished tells whether the issue has lost a sentence since it was first
// read. What came by a comment of ours or a person's edit was never there.
func (k *keeping) vanished(s spec.Source) bool {
	return slices.ContainsFunc(k.u.d.Gone, func(quote string) bool { return sameQuote(quote, s.Quote) })
}

// untouched tells whether a statement is still the one made of its sentence.
func (k *keeping) untouched(statement, quote string) bool {
	return overlap(keywords(statement), keywords(quote)) >= 0.8
}

func (k *keeping) reqs() []spec.Requirement {
	var out []spec.Requirement
	for _, q := range k.old.Reqs {
		at := slices.IndexFunc(k.fresh.Reqs, func(f spec.Requirement) bool { return sameQuote(f.Source.Quote, q.Source.Quote) })
		switch {
		case at >= 0:
			k.matched[at] = true
			if keepRequirement(&q, k.fresh.Reqs[at]) {
				q.Version, k.changed = max(q.Version, 1)+1, true
			}
		case !k.vanished(q.Source) || !k.untouched(q.Description, q.Source.Quote):
			k.reworded(q) // a person's words stand, and ours do not come beside them
		default:
			if at = k.reworded(q); at < 0 {
				k.gone, k.changed = append(k.gone, k.file(q.ID)), true
				continue
			}
			q, k.changed = k.renewed(q, k.fresh.Reqs[at]), true
		}
		out = append(out, q)
	}
	for i, f := range k.fresh.Reqs {
		if !k.matched[i] {
			out, k.changed = append(out, k.numbered(f, spec.NextID("REQ", k.ids...))), true
		}
	}
	return out
}

// reworded is the fresh requirement that says a vanished one in other words:
// each holds half of the other, so that a short sentence swallows no long one.
func (k *keeping) reworded(q spec.Requirement) int {
	best, score := -1, 0.5
	for i, f := range k.fresh.Reqs {
		taken := k.matched[i] || slices.ContainsFunc(k.old.Reqs, func(o spec.Requirement) bool { return sameQuote(o.Source.Quote, f.Source.Quote) })
		was, is := keywords(q.Source.Quote), keywords(f.Source.Quote)
		if s := min(overlap(was, is), overlap(is, was)); !taken && s >= score {
			best, score = i, s
		}
	}
	if best >= 0 {
		k.matched[best] = true
	}
	return best
}

// renewed is a requirement whose sentence was rewritten: its id and its file
// stay, its text is new.
func (k *keeping) renewed(was, f spec.Requirement) spec.Requirement {
	f = k.numbered(f, was.ID)
	f.File, f.Version = was.File, max(was.Version, 1)+1
	return f
}

func (k *keeping) numbered(f spec.Requirement, id string) spec.Requirement {
	f.Criteria = slices.Clone(f.Criteria)
	for i := range f.Criteria {
		f.Criteria[i].ID = strings.Replace(f.Criteria[i].ID, strings.TrimPrefix(f.ID, "REQ-"), strings.TrimPrefix(id, "REQ-"), 1)
	}
	f.ID = id
	k.ids = append(k.ids, id)
	return f
}

func (k *keeping) nfrs() []spec.NFR {
	var out []spec.NFR
	for _, n := range k.old.NFRs {
		at := slices.IndexFunc(k.fresh.NFRs, func(f spec.NFR) bool { return sameQuote(f.Source.Quote, n.Source.Quote) })
		switch {
		case at >= 0:
			f := k.fresh.NFRs[at]
			a, b, c := fill(&n.Metric, f.Metric), fill(&n.Target, f.Target), fill(&n.Method, f.Method)
			if a || b || c {
				n.Version, k.changed = max(n.Version, 1)+1, true
			}
		case k.vanished(n.Source) && k.untouched(n.Statement, n.Source.Quote):
			k.gone, k.changed = append(k.gone, k.file(n.ID)), true
			continue
		}
		out = append(out, n)
	}
	for _, f := range k.fresh.NFRs {
		if slices.ContainsFunc(k.old.NFRs, func(n spec.NFR) bool { return sameQuote(f.Source.Quote, n.Source.Quote) }) {
			continue
		}
		f.ID = spec.NextID("NFR-"+f.Category, k.ids...)
		k.ids = append(k.ids, f.ID)
		out, k.changed = append(out, f), true
	}
	return out
}

// retired are the ids that were given and are gone; none is used again.
func (k *keeping) retired(r spec.Requirements) []string {
	held := map[string]bool{}
	for _, q := range r.Reqs {
		held[q.ID] = true
	}
	for _, n := range r.NFRs {
		held[n.ID] = true
	}
	var out []string
	for _, id := range k.ids {
		if !held[id] {
			out = once(out, id)
		}
	}
	slices.Sort(out)
	return out
}
