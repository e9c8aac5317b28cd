package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// draftEpics is DRAFT-004: epics by subject, stories by requirement.
func draftEpics(ctx context.Context, j *job) error {
	if j.tiny() {
		j.draft.Artifact = ""
		return nil
	}
	u, err := j.upstream()
	if err != nil {
		return err
	}
	reqs, err := spec.ParseRequirements(u.set)
	if err != nil {
		return fmt.Errorf("read the requirements: %w", err)
	}
	arch, err := spec.ParseArchitecture(u.set)
	if err != nil {
		return fmt.Errorf("read the architecture: %w", err)
	}
	e := u.epics(j, reqs, arch)
	if err := j.modelEpics(ctx, u, &e); err != nil {
		return err
	}
	if old, err := spec.ParseEpics(u.set); err == nil {
		var gone []string
		e, gone = keepEpics(old, e, u.base(j, reqs))
		j.drop(gone)
		u.set = j.set()
	}
	j.put(e.Render(u.set))
	j.relink()
	stories := 0
	for _, ep := range e.Epics {
		stories += len(ep.Stories)
	}
	j.draft.Summary = fmt.Sprintf("%s, %d stories", spec.Count(len(e.Epics), "epic"), stories)
	j.draft.Covered = []string{j.draft.Summary}
	return nil
}

// relink renders what is upstream once more, so that requirements and
// decisions name the stories that now carry them.
func (j *job) relink() {
	j.put(spec.Relink(j.set().Files))
}

func (u upstream) epics(j *job, reqs spec.Requirements, arch spec.Architecture) spec.Epics {
	e := spec.Epics{Head: j.head(5), Title: reqs.Title, Open: quotes(u.r.Of(SortQuestion)), Feedback: j.heard(),
		References: references("spec/epics/_index.md", "spec/requirements/_index.md", "spec/architecture/_index.md")}
	e.Dependencies = []string{"requirements/_index.md", "architecture/_index.md"}
	taken := map[string]bool{}
	for _, c := range ordered(arch.Components, reqs) {
		if ep, ok := u.epic(c, len(e.Epics)+1, reqs, arch, taken); ok {
			e.Epics = append(e.Epics, ep)
		}
	}
	left := spec.Component{Name: firstOf(u.r.Title, "Everything else")}
	for _, q := range reqs.Reqs {
		if !taken[q.ID] && q.Priority != "Won't" {
			left.Reqs = append(left.Reqs, q.ID)
		}
	}
	if ep, ok := u.epic(left, len(e.Epics)+1, reqs, arch, taken); ok {
		e.Epics = append(e.Epics, ep)
	}
	u.depend(e.Epics, arch, reqs)
	for _, ep := range e.Epics {
		e.Order = append(e.Order, ep.ID)
	}
	for _, q := range reqs.Reqs {
		if len(q.Criteria) == 0 && q.Priority != "Won't" {
			e.Open = append(e.Open, phrase(u.lang, "q story", q.ID))
		}
	}
	e.DoneWhen = doneWhen(u.r, reqs)
	e.Risks = risksOf(u.r)
	for i := range e.Risks {
		for _, ep := range e.Epics {
			if overlap(keywords(e.Risks[i].Risk), keywords(ep.Title+" "+ep.Description)) >= 0.25 {
				e.Risks[i].Affects = append(e.Risks[i].Affects, ep.ID)
			}
		}
	}
	stories, mvp, covered := 0, 0, map[string]bool{}
	for _, ep := range e.Epics {
		stories += len(ep.Stories)
		if ep.MVP {
			mvp++
		}
		for _, id := range ep.Requirements {
			covered[id] = true
		}
	}
	e.Summary = phrase(u.lang, "summary epics", len(e.Epics), stories, len(covered), mvp)
	return e
}

var rank = map[string]int{"Must": 0, "Should": 1, "Could": 2, "Won't": 3}

// ordered puts components with Must requirements first; among equals the
// issue's order holds.
func ordered(components []spec.Component, reqs spec.Requirements) []spec.Component {
	out := slices.Clone(components)
	weight := map[string]int{}
	for _, c := range out {
		weight[c.Name] = 3
		for _, q := range reqs.Reqs {
			if slices.Contains(c.Reqs, q.ID) {
				weight[c.Name] = min(weight[c.Name], rank[q.Priority])
			}
		}
	}
	slices.SortStableFunc(out, func(a, b spec.Component) int { return weight[a.Name] - weight[b.Name] })
	return out
}

func (u upstream) epic(c spec.Component, n int, reqs spec.Requirements, arch spec.Architecture, taken map[string]bool) (spec.Epic, bool) {
	ep := spec.Epic{ID: fmt.Sprintf("EPIC-%03d", n), Title: c.Name, Priority: "Won't", Status: "draft", Version: 1}
	var titles []string
	for _, q := range reqs.Reqs {
		if !slices.Contains(c.Reqs, q.ID) || taken[q.ID] || q.Priority == "Won't" {
			continue
		}
		taken[q.ID] = true
		if rank[q.Priority] < rank[ep.Priority] {
			ep.Priority = q.Priority
		}
		ep.Requirements = append(ep.Requirements, q.ID)
		titles = append(titles, inline(q.Title, u.lang))
		// Nobody can size what nobody can see done: such a requirement waits for
		// its answer, and the missing story shows in the gate.
		if len(q.Criteria) > 0 {
			ep.Stories = append(ep.Stories, storyFor(q, ep.ID, len(ep.Stories)+1))
		}
	}
	if len(ep.Requirements) == 0 {
		return ep, false
	}
	for _, nfr := range reqs.NFRs {
		if slices.Contains(c.Reqs, nfr.ID) && len(ep.Stories) > 0 {
			ep.Requirements = append(ep.Requirements, nfr.ID)
			at := storyWith(ep.Stories, nfr.Statement)
			ep.Stories[at].TracesTo = append(ep.Stories[at].TracesTo, nfr.ID)
			ep.Stories[at].Criteria = append(ep.Stories[at].Criteria, spec.Criterion{Text: firstOf(observed(nfr.Statement, u.lang), nfr.Statement)})
		}
	}
	for _, a := range arch.ADRs {
		if slices.ContainsFunc(a.TracesTo, func(id string) bool { return slices.Contains(ep.Requirements, id) }) {
			ep.Architecture = append(ep.Architecture, a.ID)
		}
	}
	ep.MVP = ep.Priority == "Must"
	ep.Size = epicSize(ep.Stories)
	ep.Description = phrase(u.lang, "epic desc", c.Name, strings.Join(titles, "; "))
	return ep, true
}

func storyWith(stories []spec.Story, text string) int {
	var texts []string
	for _, s := range stories {
		texts = append(texts, s.Title+" "+s.Story.Want)
	}
	at := corpusOf(append(slices.Clone(texts), text)).best(text, texts)
	if at < 0 {
		at = nearest(text, texts, 0.15)
	}
	return max(at, 0)
}

func storyFor(q spec.Requirement, epic string, n int) spec.Story {
	s := spec.Story{ID: fmt.Sprintf("STORY-%s-%03d", strings.TrimPrefix(epic, "EPIC-"), n), Title: q.Title, Story: q.Story, TracesTo: []string{q.ID}}
	for _, c := range q.Criteria {
		s.Criteria = append(s.Criteria, spec.Criterion{Text: c.Text})
	}
	s.Size = storySize(q)
	return s
}

// storySize counts what has to be shown: criteria, and the length of the ask.
func storySize(q spec.Requirement) string {
	points := len(q.Criteria) + len([]rune(q.Description))/160
	switch {
	case points <= 2:
		return "S"
	case points <= 4:
		return "M"
	}
	return "L"
}

func epicSize(stories []spec.Story) string {
	points := 0
	for _, s := range stories {
		points += map[string]int{"S": 1, "M": 2, "L": 3}[s.Size]
	}
	switch {
	case points == 0:
		return ""
	case points <= 2:
		return "S"
	case points <= 5:
		return "M"
	}
	return "L"
}

// depend links epics whose requirements speak of an earlier epic's subject,
// or whose component needs another's. Links go backwards only, so that there
// is no circle; what the first slice needs is part of it.
func (u upstream) depend(epics []spec.Epic, arch spec.Architecture, reqs spec.Requirements) {
	text := map[string]string{}
	for _, q := range reqs.Reqs {
		text[q.ID] = q.Title + " " + q.Description
	}
	for i := range epics {
		for k := range i {
			for _, id := range epics[i].Requirements {
				if !speaksOf(text[id], epics[k].Title) {
					continue
				}
				kind := "soft"
				if epics[i].Priority == "Must" {
					kind = "blocking"
				}
				epics[i].Dependencies = append(epics[i].Dependencies, spec.Dependency{Epic: epics[k].ID, Kind: kind, Reason: phrase(u.lang, "dep reason", id, epics[k].Title)})
				break
			}
		}
	}
	for i := len(epics) - 1; i >= 0; i-- {
		for _, d := range epics[i].Dependencies {
			for k := range epics {
				if epics[k].ID == d.Epic && epics[i].MVP && d.Kind == "blocking" {
					epics[k].MVP = true
				}
			}
		}
	}
	if len(epics) > 0 && !slices.ContainsFunc(epics, func(e spec.Epic) bool { return e.MVP }) {
		epics[0].MVP = true
	}
}

// doneWhen is the first delivery's definition of done: the criteria of its
// Must requirements, one each, at most five.
func doneWhen(r Reading, reqs spec.Requirements) []string {
	var out []string
	for _, q := range reqs.Reqs {
		if q.Priority == "Must" && len(q.Criteria) > 0 && len(out) < 5 {
			out = append(out, phrase("en", "done must", q.ID, q.Criteria[0].Text))
		}
	}
	return out
}
