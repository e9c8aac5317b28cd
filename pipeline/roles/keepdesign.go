package roles

import (
	"slices"
	"strings"

	"parley/pipeline/spec"
)

func keepArchitecture(old, fresh spec.Architecture, b base) spec.Architecture {
	a, changed := pruned(old, b)
	changed = keepComponents(&a, fresh.Components) || changed
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

// keepComponents gives requirements that no component carries to the one of
// their subject, else to a new one while there is room.
func keepComponents(a *spec.Architecture, fresh []spec.Component) bool {
	changed := false
	covered := map[string]bool{}
	for _, c := range a.Components {
		for _, id := range c.Reqs {
			covered[id] = true
		}
	}
	for _, f := range fresh {
		missing := slices.DeleteFunc(slices.Clone(f.Reqs), func(id string) bool { return covered[id] })
		if len(missing) == 0 {
			continue
		}
		changed = true
		at := slices.IndexFunc(a.Components, func(c spec.Component) bool { return strings.EqualFold(c.Name, f.Name) })
		if at < 0 && len(a.Components) > 0 && (len(a.Components) >= groupMost || len(missing) < len(f.Reqs)) {
			at = len(a.Components) - 1
		}
		if at < 0 {
			a.Components = append(a.Components, f)
			continue
		}
		a.Components[at].Reqs = append(slices.Clone(a.Components[at].Reqs), missing...)
	}
	return changed
}

func keepEpics(old, fresh spec.Epics, b base) (spec.Epics, []string) {
	e, gone, changed := descended(old, b)
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
	retired := e.Retired
	e.Head = nextHead(old.Head, fresh.Head, changed)
	e.Retired = retired
	if changed {
		for _, ep := range e.Epics {
			e.Order = once(e.Order, ep.ID)
		}
	}
	return e, gone
}

func nextStory(ep *spec.Epic) string {
	var ids []string
	for _, s := range ep.Stories {
		ids = append(ids, s.ID)
	}
	return spec.NextID("STORY-"+strings.TrimPrefix(ep.ID, "EPIC-"), ids...)
}
