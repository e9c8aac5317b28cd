package roles

import (
	"context"
	"fmt"

	"parley/pipeline/spec"
)

// drafts by name, as improvement runs them.
var drafts = map[string]func(context.Context, *job) error{
	"brief": draftBrief, "requirements": draftRequirements, "architecture": draftArchitecture, "epics": draftEpics,
}

// artifactOf each draft.
var artifactOf = map[string]string{"brief": spec.BriefPath, "requirements": spec.RequirementsPath, "architecture": spec.ArchitecturePath, "epics": spec.EpicsPath}

// improve lifts one dimension: the drafts of its strategy run once more on
// what people and answers have added since, each seeing the one before, and
// mechanical faults are mended where they stand.
func improve(ctx context.Context, j *job) error {
	dim := j.improving()
	names, ok := strategies[dim]
	if !ok {
		return j.unknownDimension(dim)
	}
	before := spec.Score(j.set(), spec.Check(j.set(), spec.Options{}), spec.Options{})
	if dim == "consistency" {
		j.mend()
	}
	for _, name := range names {
		if _, ok := j.Folder[artifactOf[name]]; !ok {
			continue
		}
		if err := drafts[name](ctx, j); err != nil {
			return fmt.Errorf("improve %s: %w", name, err)
		}
		for p, text := range j.draft.Text {
			j.Folder[p] = text // the next draft sees it; the engine lays the same files over its own
		}
	}
	set := j.set()
	after := spec.Score(set, spec.Check(set, spec.Options{}), spec.Options{})
	j.draft.Artifact = artifactOf[names[len(names)-1]]
	j.draft.Summary = fmt.Sprintf("%s %s → %s", dim, shown(before.Value(dim)), shown(after.Value(dim)))
	if before.Value(dim) != nil && after.Value(dim) != nil && *after.Value(dim) <= *before.Value(dim) {
		j.warn("By rules %s stays at %s: the issue says nothing more. What would lift it: %s", dim, shown(after.Value(dim)), firstOf(after.Lift, "an answer to the open questions"))
	}
	j.draft.Covered = []string{j.draft.Summary}
	return nil
}

func shown(v *float64) string {
	if v == nil {
		return "not assessable"
	}
	return fmt.Sprintf("%.0f %%", *v)
}

// mend carries out the rules' own replacements, which touch form and never
// meaning.
func (j *job) mend() {
	mended, _ := spec.Mend(files(j.Folder, j.draft.Text), spec.Options{})
	for _, f := range mended {
		j.draft.Text[f.Path], j.Folder[f.Path] = f.Text, f.Text
	}
}
