package githubapi

import (
	"context"
	"fmt"
	"slices"

	"parley/pipeline"
)

type branchCommit struct {
	OID     string
	Message string
	Author  struct{ User *struct{ Login string } }
}

func (b branchCommit) login() string {
	if b.Author.User == nil {
		return ""
	}
	return b.Author.User.Login
}

type branchAnswer struct {
	Repository *struct {
		ID  string
		Ref *struct {
			ID     string
			Target struct {
				OID     string
				History struct{ Nodes []branchCommit }
			}
		}
		Known        *node
		Tree         *node
		PullRequests struct{ Nodes []pullNode }
	}
}

// branch reads the session branch as it stands and makes it the base of the
// next commit. It learns which paths people changed behind our back, whether
// an earlier try of w is there already, and which pull request belongs to it.
func (r *run) branch(ctx context.Context, w pipeline.Write) error {
	got, err := r.readBranch(ctx, w)
	if err != nil {
		return err
	}
	if got.Repository.Ref == nil {
		return fmt.Errorf("%w: the session branch %s was deleted", pipeline.ErrGone, branchOf(r.s, w))
	}
	tip := got.Repository.Ref.Target
	r.history = tip.History.Nodes
	r.moved(w)
	was, is := got.Repository.Known.ids("", nil), got.Repository.Tree.ids("", nil)
	r.differences(was, is, tip.History.Nodes)
	r.files, r.exact = is, true
	r.base, r.head = tip.OID, tip.OID
	return nil
}

func (r *run) readBranch(ctx context.Context, w pipeline.Write) (branchAnswer, error) {
	branch := branchOf(r.s, w)
	known := r.base
	if known == "" {
		known = r.s.PR.BaseHead
	}
	vars := struct {
		Owner  string `json:"owner"`
		Name   string `json:"name"`
		Branch string `json:"branch"`
		Head   string `json:"head"`
		Known  string `json:"known"`
		Tree   string `json:"tree"`
	}{r.s.Repo.Owner, r.s.Repo.Name, "refs/heads/" + branch, branch, known + ":" + r.s.Folder(), branch + ":" + r.s.Folder()}
	var got branchAnswer
	q := question{op: "read branch " + branch, doc: branchQuery, variables: vars, token: writeKey(r.s.Repo)}
	if err := r.c.readIn(ctx, q, &got, func() bool { return got.Repository != nil }); err != nil {
		return got, err
	}
	r.repoID = got.Repository.ID
	return got, nil
}

// moved looks through the newest commits for w's own.
func (r *run) moved(w pipeline.Write) {
	r.foundCommit = ""
	for _, c := range r.history {
		if r.again[w.Key] && signed(c.Message, w.Key) {
			r.foundCommit = c.OID
			return
		}
	}
}

// differences adds to the foreign paths what changed since the known head,
// unless every commit since is ours: made by the author of the known head, and
// signed. What carries the text we stored ourselves is never foreign.
func (r *run) differences(was, is map[string]string, commits []branchCommit) {
	at := slices.IndexFunc(commits, func(c branchCommit) bool { return c.OID == r.base })
	if at >= 0 {
		foreign := slices.ContainsFunc(commits[:at], func(c branchCommit) bool {
			return !signed(c.Message, "") || c.login() != commits[at].login()
		})
		if !foreign {
			return
		}
	}
	for _, path := range pathsOf(was, is) {
		if was[path] != is[path] && is[path] != r.s.Manifest.Files[path] {
			r.foreign[path] = true
		}
	}
}

func pathsOf(a, b map[string]string) []string {
	var all []string
	for path := range a {
		all = append(all, path)
	}
	for path := range b {
		if _, both := a[path]; !both {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}
