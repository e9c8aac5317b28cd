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
		for _, key := range []string{"q unmeasured", "q criterion", "q serves", "q goal", "assume default"} {
			frame := strings.Split(phrases[lang][key], "%s")
			last := strings.TrimRight(frame[len(frame)-1], ")）")
			if last != "" && strings.Contains(q, strings.TrimSpace(last)) && strings.Contains(q, strings.TrimSpace(frame[0])) {
				return true
			}
		}
	}
	return false
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
