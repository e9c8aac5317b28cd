package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
// meaning, bottom up so that lines stay true.
func (j *job) mend() {
	set := j.set()
	byFile := map[string][]spec.Finding{}
	for _, f := range spec.Check(set, spec.Options{}) {
		if f.Replacement != "" && f.Grade != spec.Info {
			byFile[f.File] = append(byFile[f.File], f)
		}
	}
	for file, findings := range byFile {
		lines := strings.Split(string(firstBytes(j.draft.Text[file], j.Folder[file])), "\n")
		slices.SortFunc(findings, func(a, b spec.Finding) int { return b.Line - a.Line })
		last := len(lines) + 1
		for _, f := range findings {
			end := max(f.End, f.Line)
			if f.Line < 1 || end >= last || end > len(lines) {
				continue
			}
			lines = slices.Replace(lines, f.Line-1, end, f.Replacement)
			last = f.Line
		}
		j.draft.Text[file] = []byte(strings.Join(lines, "\n"))
		j.Folder[file] = j.draft.Text[file]
	}
}

func firstBytes(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}
