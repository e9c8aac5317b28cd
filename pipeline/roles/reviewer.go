package roles

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// quality is QUALITY-001: five dimensions, the report, the one-pager and the
// gate. It is arithmetic on either path; a model's opinion is the round's.
func quality(_ context.Context, j *job) error {
	j.leaveOut()
	set := j.set()
	d, err := readDiscovery(j.Folder)
	if err != nil && len(set.Items) > 0 {
		j.warn("`%s` cannot be read, so coverage is judged by the goals alone", spec.DiscoveryPath)
	}
	options := spec.Options{Language: d.Language, Disabled: j.Session.Settings.DisabledRules, Paths: paths(j), Suspects: j.suspects(set)}
	findings := spec.Check(set, options)
	scores := spec.Score(set, findings, options)
	head := j.head(6, "load-context", "check", "score", "report")
	head.Dependencies = []string{"product-brief.md", "requirements/_index.md", "architecture/_index.md", "epics/_index.md"}
	if j.tiny() {
		head.Dependencies = []string{"spec.md"}
	}
	j.judge(head, set, func(head spec.Head) []spec.File {
		report := spec.Readiness{Head: head, Scores: scores, Gate: scores.Gate, Findings: findings, Set: set, Accepted: accepted(j.Session), Lift: scores.Lift}
		summary := spec.Summary{Head: head, Title: firstOf(d.Title, j.Session.Issue.Title), Scores: scores, Findings: findings, Set: set}
		return append(report.Render(), summary.Render()...)
	})
	j.draft.Gate = gateOf(scores)
	j.draft.Score = scores.Overall
	j.draft.Summary = fmt.Sprintf("%s, %.0f %%", scores.Gate, scores.Overall)
	j.draft.Covered = []string{j.draft.Summary}
	j.draft.Focus = focus(findings)
	for _, f := range findings {
		if f.Grade == spec.Blocker {
			j.wisdom("issues", blocking(f))
		}
	}
	return nil
}

// suspects are the items that descend from what a person edited, and neither
// changed nor were written anew since, nor are accepted as they stand.
func (j *job) suspects(set *spec.Set) map[string]string {
	out := set.SuspectsAmong(j.Session.Suspects)
	fine := j.allowedItems(suspectRule)
	maps.DeleteFunc(out, func(id, _ string) bool { return slices.Contains(fine, id) || j.writtenSince(id, j.Session.PR.MovedAt) })
	return out
}

var draftOf = map[spec.Kind]string{
	spec.KindGoal: "DRAFT-001", spec.KindReq: "DRAFT-002", spec.KindNFR: "DRAFT-002", spec.KindADR: "DRAFT-003", spec.KindEpic: "DRAFT-004", spec.KindStory: "DRAFT-004",
}

// writtenSince tells whether the draft an item belongs to was begun after a
// moment and finished: then its writer has read what stands above it.
func (j *job) writtenSince(item string, moment time.Time) bool {
	draft := draftOf[spec.KindOf(item)]
	return draft != "" && slices.ContainsFunc(j.Session.Tasks, func(t pipeline.Task) bool {
		return strings.HasPrefix(string(t.ID), draft) && t.Status == pipeline.TaskCompleted && t.StartedAt != nil && t.StartedAt.After(moment)
	})
}

// judge puts the report and the summary. A second look that finds the same
// leaves both as they are, stamp and version too: what is unchanged is not
// committed, and no model is asked about it again.
func (j *job) judge(head spec.Head, set *spec.Set, render func(spec.Head) []spec.File) {
	if old, err := spec.ParseReadiness(set); err == nil {
		same := head
		same.Version, same.GeneratedAt = old.Version, old.GeneratedAt
		files := render(same)
		if !slices.ContainsFunc(files, func(f spec.File) bool { return string(j.Folder[f.Path]) != string(f.Text) }) {
			return
		}
		head.Version = max(old.Version, 1) + 1
	}
	j.put(render(head))
}

// paths are the repository's files, by which names in the texts are grounded.
func paths(j *job) map[string]bool {
	if j.Source == nil {
		return nil
	}
	x := newExplorer(j.Assignment)
	out := map[string]bool{}
	for _, p := range x.list() {
		out[p] = true
	}
	if x.part {
		return nil // an incomplete list would call existing files absent
	}
	return out
}

func gateOf(s spec.Scores) *pipeline.Gate {
	g := &pipeline.Gate{Result: pipeline.GateResult(s.Gate), Score: s.Overall, Dimensions: map[string]*float64{}, Notes: map[string]string{}, Lift: s.Lift, Rules: spec.RulesVersion}
	for _, d := range s.Dimensions {
		g.Dimensions[d.Name], g.Notes[d.Name] = d.Value, d.Note
	}
	return g
}

func accepted(s pipeline.Session) []string {
	var out []string
	for _, a := range s.Accepted {
		if a.Finding != "" {
			continue
		}
		out = append(out, fmt.Sprintf("`%s` accepted %s at %.0f %% with %s on %s", a.Who, a.Gate, a.Score, a.Command, a.At.UTC().Format("2006-01-02 15:04 UTC")))
	}
	return out
}

// focus is where a reviewer should look first: blockers, then majors, one per rule.
func focus(findings []spec.Finding) []string {
	var out []string
	seen := map[string]bool{}
	for _, grade := range []string{spec.Blocker, spec.Major} {
		for _, f := range findings {
			if f.Grade == grade && !seen[f.Rule] && len(out) < 3 {
				seen[f.Rule] = true
				out = append(out, fmt.Sprintf("%s in `%s` line %d (%s)", upperFirst(f.Message), strings.TrimPrefix(f.File, "spec/"), f.Line, f.Rule))
			}
		}
	}
	return out
}
