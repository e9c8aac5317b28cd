package githubapi

import (
	"context"
	"slices"
	"strings"

	"parley/pipeline"
)

// GateName is the check that repositories require.
const GateName = "parley/gate"

// GitHub's limits on a check run.
const (
	maxAnnotations = 50
	maxButtons     = 3
)

func checkName(c *pipeline.CheckWrite) string {
	if c.Name == "" {
		return GateName
	}
	return c.Name
}

// checkHead is the commit a check stands on.
func (r *run) checkHead(c *pipeline.CheckWrite) string {
	if c.Head != "" {
		return c.Head
	}
	return r.head
}

// updates tells whether the run we know can be changed: it stands on the same
// head and is not completed. GitHub takes no run back from completed, so
// leaving that state is always a new run.
func (r *run) updates(c *pipeline.CheckWrite) bool {
	return r.check.head != "" && r.check.head == r.checkHead(c) && r.check.status != "" && r.check.status != "completed" && checkName(c) == GateName
}

// check posts or updates the run. Annotations past the first fifty follow in
// further requests.
func (b *noteBatch) check(_ context.Context, w pipeline.Write) error {
	in := b.r.checkInput(w.Check)
	if in.HeadSHA == "" && in.CheckRunID == "" {
		return &Error{Kind: KindNotFound, Op: "post " + in.Name, Message: "no head to post it on"}
	}
	if b.r.checkHead(w.Check) == b.r.seen.checked { // the newest there is w from now on
		b.r.seen.checks = slices.DeleteFunc(b.r.seen.checks, func(c checkNode) bool { return c.Name == in.Name })
	}
	field := createCheck
	if in.CheckRunID != "" {
		field = updateCheck
	}
	rest := in.Output.Annotations
	in.Output.Annotations = rest[:min(len(rest), maxAnnotations)]
	rest = rest[len(in.Output.Annotations):]
	b.put(pendingNote{w: w, take: func(ctx context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		var made struct{ CheckRun checkNode }
		if err := got.field(alias(0), &made); err != nil {
			return pipeline.Receipt{}, err
		}
		for part := range slices.Chunk(rest, maxAnnotations) {
			in.CheckRunID, in.HeadSHA, in.Output.Annotations = made.CheckRun.ID, "", part
			if _, err := b.r.one(ctx, step{updateCheck, in}, created{}, &struct{}{}); err != nil {
				return pipeline.Receipt{}, err
			}
		}
		return b.r.checked(w.Check, made.CheckRun), nil
	}}, created{}, step{field, in})
	return nil
}

// checked remembers the run and tells of it.
func (r *run) checked(c *pipeline.CheckWrite, made checkNode) pipeline.Receipt {
	if checkName(c) == GateName {
		r.check = checkState{id: made.DatabaseID, node: made.ID, head: r.checkHead(c), status: c.Status}
	}
	return pipeline.Receipt{ID: made.DatabaseID, NodeID: made.ID, URL: made.URL, Head: r.checkHead(c), Status: c.Status}
}

func (r *run) checkInput(c *pipeline.CheckWrite) checkInput {
	in := checkInput{RepositoryID: r.repoID, Name: checkName(c), HeadSHA: r.checkHead(c), Status: strings.ToUpper(c.Status),
		DetailsURL: r.pull.URL, ExternalID: c.External}
	if r.updates(c) && r.check.node != "" {
		in.CheckRunID, in.HeadSHA = r.check.node, ""
	}
	if c.Status == "completed" {
		in.Conclusion = strings.ToUpper(c.Conclusion)
		for _, a := range c.Actions[:min(len(c.Actions), maxButtons)] {
			in.Actions = append(in.Actions, runButton{short(a.Label, 20), short(a.Description, 40), short(a.Identifier, 20)})
		}
	}
	in.Output = checkOutput{Title: short(c.Title, 255), Summary: pipeline.Cut(c.Summary, pipeline.MaxCheck), Text: pipeline.Cut(c.Text, pipeline.MaxCheck)}
	for _, a := range c.Annotations {
		in.Output.Annotations = append(in.Output.Annotations, lineAnnotation{Path: a.Path, Location: lineLocation{max(1, a.Line), max(1, a.Line)},
			Level: strings.ToUpper(levelOf(a.Level)), Message: pipeline.Cut(a.Message, 60000)})
	}
	return in
}

var levels = []string{"notice", "warning", "failure"}

func levelOf(level string) string {
	if slices.Contains(levels, strings.ToLower(level)) {
		return strings.ToLower(level)
	}
	return "warning"
}

// short cuts a label to n characters; GitHub refuses a longer one whole.
func short(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// sameCheck finds the run of an earlier try: the newest of ours with that name
// on that head, if it is the session's and says the same. A forged one of
// another app is not among those that were read.
func (r *run) sameCheck(w pipeline.Write) (pipeline.Receipt, bool) {
	if r.seen.checked != r.checkHead(w.Check) {
		return pipeline.Receipt{}, false
	}
	var newest checkNode
	for _, c := range r.seen.checks {
		if c.Name == checkName(w.Check) && c.DatabaseID >= newest.DatabaseID {
			newest = c
		}
	}
	if newest.ID == "" || newest.ExternalID != w.Check.External {
		return pipeline.Receipt{}, false
	}
	in := r.checkInput(w.Check)
	if strings.EqualFold(newest.Status, in.Status) && strings.EqualFold(newest.Conclusion, in.Conclusion) && newest.Title == in.Output.Title {
		return r.checked(w.Check, newest), true
	}
	if checkName(w.Check) == GateName {
		r.check = checkState{id: newest.DatabaseID, node: newest.ID, head: r.seen.checked, status: strings.ToLower(newest.Status)}
	}
	return pipeline.Receipt{}, false
}
