package githubapi

import (
	"context"
	"fmt"
	"strings"

	"parley/pipeline"
)

// opening is how far branch, first commit and pull request have come.
type opening struct {
	w              pipeline.Write
	ch             change
	branch, commit bool
	pull           bool
	plain          bool // a draft was refused
}

func (o opening) done() bool { return o.branch && o.commit && o.pull }

// open makes branch, commit and pull request in one request. GitHub does not
// promise that it takes them so, therefore whatever is missing afterwards is
// looked at and made step by step.
func (overGraphQL) open(ctx context.Context, r *run, w pipeline.Write) error {
	o := &opening{w: w}
	r.base, r.files, r.exact = r.s.PR.BaseHead, map[string]string{}, true
	var err error
	if o.ch, err = r.change(ctx, w); err != nil {
		return err
	}
	if !r.again[w.Key] && !r.c.stepwise.Load() && r.repoID != "" {
		err := r.openAtOnce(ctx, o)
		if o.done() {
			r.opened(ctx, w, o.ch)
			return nil
		}
		if final(err) {
			return err
		}
	}
	if err := r.openSteps(ctx, o); err != nil {
		return err
	}
	r.opened(ctx, w, o.ch)
	return nil
}

// final tells whether asking step by step cannot help.
func final(err error) bool {
	return is(err, KindRules, KindForbidden, KindSuspended, KindDown, KindSchema, KindAuth) || waits(err)
}

func (r *run) opened(ctx context.Context, w pipeline.Write, ch change) {
	for _, path := range ch.resolved {
		r.keep(ctx, ch.files[path])
	}
	r.receipt(w, pipeline.Receipt{NodeID: r.pull.ID, ID: int64(r.pull.FullDatabaseID), Number: r.pull.Number, URL: r.pull.URL, Draft: r.pull.IsDraft})
}

func (r *run) openAtOnce(ctx context.Context, o *opening) error {
	got, err := r.mutate(ctx, []step{{createRef, r.refInput(o.w)}, {createCommit, r.commitInput(o.w, o.ch, true)}, {createPull, r.pullInput(o.w, o.w.Draft)}}, created{all: 1})
	if err != nil {
		return err
	}
	var pull pullReply
	var commit commitReply
	errs := []error{got.field("w0", &struct{}{}), got.field("w1", &commit), got.field("w2", &pull)}
	o.branch = errs[0] == nil
	if errs[1] == nil {
		o.commit = true
		r.took(o.ch, commit)
	}
	if errs[2] == nil {
		o.pull = true
		r.pull, r.bodyKnown = pull.PullRequest, true
	}
	o.plain = draftRefused(errs[2])
	if o.branch && !o.commit && is(errs[1], KindNotFound) {
		// The branch was not to be seen inside the request that made it.
		r.c.stepwise.Store(true)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// openSteps reads what is there and makes what is missing, one by one.
func (r *run) openSteps(ctx context.Context, o *opening) error {
	if onlyDraft := o.branch && o.commit && o.plain; !onlyDraft {
		if err := r.lookOpening(ctx, o); err != nil {
			return err
		}
	}
	if !o.branch {
		if _, err := r.one(ctx, step{createRef, r.refInput(o.w)}, created{}, &struct{}{}); err != nil {
			return fmt.Errorf("create branch %s: %w", branchOf(r.s, o.w), err)
		}
	}
	if !o.commit {
		var made commitReply
		if _, err := r.one(ctx, step{createCommit, r.commitInput(o.w, o.ch, true)}, created{}, &made); err != nil {
			return fmt.Errorf("opening commit: %w", err)
		}
		r.took(o.ch, made)
	}
	if o.pull {
		return nil
	}
	var made pullReply
	draft := o.w.Draft && !o.plain
	_, err := r.one(ctx, step{createPull, r.pullInput(o.w, draft)}, created{all: 1}, &made)
	if draft && draftRefused(err) {
		_, err = r.one(ctx, step{createPull, r.pullInput(o.w, false)}, created{all: 1}, &made)
	}
	if err != nil {
		return fmt.Errorf("open the pull request: %w", err)
	}
	r.pull, r.bodyKnown = made.PullRequest, true
	return nil
}

// draftRefused: private repositories have drafts only in paid plans.
func draftRefused(err error) bool {
	return is(err, KindUnprocessable, KindForbidden) && strings.Contains(strings.ToLower(err.Error()), "draft")
}

// one sends a single mutation and decodes its field.
func (r *run) one(ctx context.Context, s step, content created, out any) (reply, error) {
	got, err := r.mutate(ctx, []step{s}, content)
	if err != nil {
		return got, err
	}
	return got, got.field("w0", out)
}

// lookOpening finds branch, opening commit and pull request of an earlier try.
// A branch of that name which is not ours is left alone.
func (r *run) lookOpening(ctx context.Context, o *opening) error {
	got, err := r.readBranch(ctx, o.w)
	if err != nil {
		return err
	}
	for _, p := range got.Repository.PullRequests.Nodes {
		if p.ViewerDidAuthor && p.State == "OPEN" {
			o.pull = true
			r.pull, r.bodyKnown = p, true
		}
	}
	ref := got.Repository.Ref
	if ref == nil {
		return nil
	}
	o.branch, r.history = true, ref.Target.History.Nodes
	for _, c := range r.history {
		if signed(c.Message, o.w.Key) {
			o.commit, r.foundCommit = true, c.OID
		}
	}
	if !o.commit && ref.Target.OID != r.s.PR.BaseHead {
		return &pipeline.Refusal{Text: fmt.Sprintf("The branch `%s` exists already and is not mine. Rename or delete it, then label the issue again.", branchOf(r.s, o.w))}
	}
	if o.commit {
		r.files, r.base, r.head = got.Repository.Tree.ids("", nil), ref.Target.OID, ref.Target.OID
		r.found(o.w)
		o.ch = change{}
	}
	return nil
}

func (r *run) refInput(w pipeline.Write) createRefInput {
	return createRefInput{RepositoryID: r.repoID, Name: "refs/heads/" + branchOf(r.s, w), OID: r.s.PR.BaseHead}
}

func (r *run) pullInput(w pipeline.Write, draft bool) createPullInput {
	return createPullInput{RepositoryID: r.repoID, BaseRefName: r.s.Repo.DefaultBranch, HeadRefName: branchOf(r.s, w),
		Title: pipeline.Cut(w.Title, pipeline.MaxTitle), Body: pipeline.Cut(w.Body, pipeline.MaxBody), Draft: draft}
}
