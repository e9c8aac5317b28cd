package roles

import (
	"fmt"

	"parley/pipeline/spec"
)

// draftTiny is DRAFT-002 of the tiny track: the whole spec as one document,
// made of the same parts as the larger one.
func draftTiny(j *job, u upstream) error {
	b := u.brief(j)
	r := u.requirements(j, b.Goals)
	if old, err := spec.ParseTiny(u.set); err == nil {
		r, _ = u.keepRequirements(spec.Requirements{Head: old.Head, Title: old.Title, Reqs: old.Reqs, NFRs: old.NFRs, Goals: old.Goals, Open: old.Open, Feedback: old.Feedback,
			Constraints: r.Constraints, Entities: r.Entities, Assumptions: r.Assumptions}, r)
		b.Goals = r.Goals
	}
	t := spec.Tiny{Head: r.Head, Title: b.Title, Summary: phrase(u.lang, "summary tiny", len(r.Reqs)+len(r.NFRs), len(u.r.Asks())),
		Problem: join(nonEmpty(b.Situation, b.Impact), u.lang), Goals: b.Goals, Reqs: r.Reqs, NFRs: r.NFRs, OutOfScope: b.OutOfScope, Assumptions: b.Assumptions,
		Decisions: quotes(u.r.Of(SortDecision)), Open: r.Open, Feedback: r.Feedback, References: []string{"[discovery-context.json](discovery-context.json)"}}
	t.Dependencies = []string{"discovery-context.json"}
	for _, p := range b.Users {
		t.Users = append(t.Users, joinText(p.Name, p.Role))
	}
	j.put(t.Render())
	j.draft.Artifact = spec.TinyPath
	j.draft.Summary = fmt.Sprintf("one document, %s", spec.Count(len(r.Reqs)+len(r.NFRs), "requirement"))
	j.draft.Covered = []string{j.draft.Summary}
	return nil
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
