package githubsim

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// branch is a ref as GraphQL hands it out.
type branch struct {
	repo *Repo
	name string
}

// refID is a branch's global id; it is findable from then on.
func (r *Repo) refID(name string) string {
	id := "REF_kw" + strconv.FormatInt(r.ID, 36) + ":" + name
	r.world.nodes[id] = &branch{r, name}
	return id
}

func (r *Repo) branch(name string) any {
	if _, ok := r.refs[name]; !ok {
		return nil
	}
	return &branch{r, name}
}

// commitNode, treeNode and blobNode are git objects with the repository they are read from.
type commitNode struct {
	repo *Repo
	*commit
}

type treeNode struct {
	repo *Repo
	sha  string
}

type blobNode struct {
	repo *Repo
	sha  string
}

// gitNode wraps an object id; nil for a commit of another repository.
func (r *Repo) gitNode(e treeEntry) any {
	switch e.kind() {
	case "tree":
		return &treeNode{r, e.SHA}
	case "blob":
		return &blobNode{r, e.SHA}
	}
	return nil
}

func (r *Repo) commitNode(sha string) any {
	c := r.objects.commits[sha]
	if c == nil {
		return nil
	}
	return &commitNode{r, c}
}

// expression reads "ref" or "ref:path", as git rev-parse does.
func (r *Repo) expression(text string) any {
	ref, at, hasPath := strings.Cut(text, ":")
	sha, err := r.resolve(ref)
	if err != nil || ref == "" {
		if entries := r.objects.trees[ref]; entries != nil {
			return &treeNode{r, ref}
		}
		if _, ok := r.objects.blobs[ref]; ok {
			return &blobNode{r, ref}
		}
		return nil
	}
	if !hasPath {
		return r.commitNode(sha)
	}
	e, ok := r.objects.at(r.objects.commits[sha].Tree, at)
	if !ok {
		return nil
	}
	return r.gitNode(e)
}

func repositoryTable() typeTable {
	return table("Repository", map[string]field[*Repo]{
		"id":                  plain(func(r *Repo) any { return r.NodeID }),
		"databaseId":          plain(func(r *Repo) any { return r.ID }),
		"name":                plain(func(r *Repo) any { return r.Name }),
		"nameWithOwner":       plain(func(r *Repo) any { return r.FullName() }),
		"owner":               plain(func(r *Repo) any { return r.Owner }),
		"url":                 plain(func(r *Repo) any { return r.web("") }),
		"isPrivate":           plain(func(r *Repo) any { return r.Private }),
		"isArchived":          plain(func(r *Repo) any { return r.Archived }),
		"isEmpty":             plain(func(r *Repo) any { return len(r.refs) == 0 }),
		"isFork":              plain(func(r *Repo) any { return false }),
		"deleteBranchOnMerge": plain(func(r *Repo) any { return false }),
		"mergeCommitAllowed":  plain(func(r *Repo) any { return true }),
		"createdAt":           plain(func(r *Repo) any { return r.CreatedAt }),
		"updatedAt":           plain(func(r *Repo) any { return r.CreatedAt }),
		"visibility":          plain(func(r *Repo) any { return map[bool]string{true: "PRIVATE", false: "PUBLIC"}[r.Private] }),
		"defaultBranchRef":    plain(func(r *Repo) any { return r.branch(r.DefaultBranch) }),
		"viewerPermission": func(x *execution, r *Repo, _ args) (any, error) {
			if x.caller.inst != nil {
				return "WRITE", nil
			}
			return upper(r.role(x.caller.account).String()), nil
		},
		"issue":              repoIssue,
		"pullRequest":        repoPull,
		"issueOrPullRequest": repoEither,
		"issues":             repoIssues,
		"pullRequests":       repoPulls,
		"object": func(x *execution, r *Repo, a args) (any, error) {
			if err := x.caller.reads(r, "contents"); err != nil {
				return nil, err
			}
			if oid := a.text("oid"); oid != "" {
				return r.expression(oid), nil
			}
			return r.expression(a.text("expression")), nil
		},
		"ref": func(_ *execution, r *Repo, a args) (any, error) {
			return r.branch(strings.TrimPrefix(a.text("qualifiedName"), "refs/heads/")), nil
		},
		"refs": repoRefs,
		"label": func(_ *execution, r *Repo, a args) (any, error) {
			return r.label(a.text("name")), nil
		},
		"labels": func(_ *execution, r *Repo, a args) (any, error) { return connection(r.labels, a) },
	})
}

func repoIssue(x *execution, r *Repo, a args) (any, error) {
	n, _ := intArg(a["number"])
	i := r.issues[n]
	if i == nil || i.pull != nil {
		return nil, refuse(notFound, "Could not resolve to an Issue with the number of %d.", n)
	}
	return i, x.caller.reads(r, "issues")
}

func repoPull(x *execution, r *Repo, a args) (any, error) {
	n, _ := intArg(a["number"])
	p, err := r.pull(n)
	if err != nil {
		return nil, refuse(notFound, "Could not resolve to a PullRequest with the number of %d.", n)
	}
	return p, x.caller.reads(r, "pull_requests")
}

func repoEither(_ *execution, r *Repo, a args) (any, error) {
	n, _ := intArg(a["number"])
	i := r.issues[n]
	if i == nil {
		return nil, refuse(notFound, "Could not resolve to an issue or pull request with the number of %d.", n)
	}
	if i.pull != nil {
		return i.pull, nil
	}
	return i, nil
}

func repoIssues(x *execution, r *Repo, a args) (any, error) {
	if err := x.caller.reads(r, "issues"); err != nil {
		return nil, err
	}
	filter, _ := a["filterBy"].(map[string]any)
	labels := slices.Concat(a.texts("labels"), args(filter).texts("labels"))
	states := slices.Concat(a.texts("states"), args(filter).texts("states"))
	since := args(filter).text("since")
	var out []*Issue
	for n := 1; n <= r.number; n++ {
		i := r.issues[n]
		if i == nil || i.pull != nil || !i.hasLabels(labels) || (len(states) > 0 && !slices.Contains(states, upper(i.State))) {
			continue
		}
		if since != "" && when(i.UpdatedAt).(string) < since {
			continue
		}
		out = append(out, i)
	}
	return connection(ordered(out, a, func(i *Issue) string { return when(i.UpdatedAt).(string) }), a)
}

func repoPulls(x *execution, r *Repo, a args) (any, error) {
	if err := x.caller.reads(r, "pull_requests"); err != nil {
		return nil, err
	}
	var out []*Pull
	for _, p := range r.pulls() {
		head, base, states := a.text("headRefName"), a.text("baseRefName"), a.texts("states")
		if (head == "" || head == p.HeadRef) && (base == "" || base == p.BaseRef) &&
			(len(states) == 0 || slices.Contains(states, p.state())) && p.hasLabels(a.texts("labels")) {
			out = append(out, p)
		}
	}
	return connection(ordered(out, a, func(p *Pull) string { return when(p.UpdatedAt).(string) }), a)
}

// ordered sorts as orderBy asks: by number, which is creation, or by update.
func ordered[T any](list []T, a args, updated func(T) string) []T {
	order, _ := a["orderBy"].(map[string]any)
	if order["field"] == "UPDATED_AT" {
		slices.SortStableFunc(list, func(x, y T) int { return strings.Compare(updated(x), updated(y)) })
	}
	if order["direction"] == "DESC" {
		slices.Reverse(list)
	}
	return list
}

func repoRefs(_ *execution, r *Repo, a args) (any, error) {
	prefix := strings.TrimPrefix(a.text("refPrefix"), "refs/heads/")
	var out []*branch
	for _, name := range sortedKeys(r.refs) {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && strings.Contains(strings.ToLower(rest), strings.ToLower(a.text("query"))) {
			out = append(out, &branch{r, name})
		}
	}
	return connection(out, a)
}

func refTable() typeTable {
	return table("Ref", map[string]field[*branch]{
		"id":         plain(func(b *branch) any { return b.repo.refID(b.name) }),
		"name":       plain(func(b *branch) any { return b.name }),
		"prefix":     plain(func(*branch) any { return "refs/heads/" }),
		"repository": plain(func(b *branch) any { return b.repo }),
		"target":     plain(func(b *branch) any { return b.repo.commitNode(b.repo.refs[b.name]) }),
		"associatedPullRequests": func(x *execution, b *branch, a args) (any, error) {
			own := args{"headRefName": b.name}
			for k, v := range a {
				own[k] = v
			}
			return repoPulls(x, b.repo, own)
		},
	})
}

func gitActor(s signature, by *Account) object {
	return object{"name": s.Name, "email": s.Email, "date": when(s.At), "user": by}
}

func commitTable() typeTable {
	return table("Commit", map[string]field[*commitNode]{
		"id":              plain(func(c *commitNode) any { return "C_kw" + c.SHA }),
		"oid":             plain(func(c *commitNode) any { return c.SHA }),
		"abbreviatedOid":  plain(func(c *commitNode) any { return c.SHA[:7] }),
		"repository":      plain(func(c *commitNode) any { return c.repo }),
		"message":         plain(func(c *commitNode) any { return c.Message }),
		"messageHeadline": plain(func(c *commitNode) any { return c.headline() }),
		"messageBody":     plain(func(c *commitNode) any { return c.body() }),
		"committedDate":   plain(func(c *commitNode) any { return c.Committer.At }),
		"authoredDate":    plain(func(c *commitNode) any { return c.Author.At }),
		"author":          plain(func(c *commitNode) any { return gitActor(c.Author, c.By) }),
		"committer":       plain(func(c *commitNode) any { return gitActor(c.Committer, c.By) }),
		"url":             plain(func(c *commitNode) any { return c.repo.web("/commit/%s", c.SHA) }),
		"tree":            plain(func(c *commitNode) any { return &treeNode{c.repo, c.Tree} }),
		"parents": func(_ *execution, c *commitNode, a args) (any, error) {
			var out []any
			for _, p := range c.Parents {
				out = append(out, c.repo.commitNode(p))
			}
			return connection(out, a)
		},
		"file": func(_ *execution, c *commitNode, a args) (any, error) {
			at := strings.Trim(a.text("path"), "/")
			e, ok := c.repo.objects.at(c.Tree, at)
			if !ok {
				return nil, nil
			}
			return c.repo.entryNode(at, e), nil
		},
		"history":     commitHistory,
		"checkSuites": commitSuites,
		"statusCheckRollup": plain(func(c *commitNode) any {
			if len(c.repo.checksAt(c.SHA)) == 0 {
				return nil
			}
			return &rollup{c.repo, c.SHA}
		}),
		"associatedPullRequests": commitPulls,
	})
}

func commitHistory(_ *execution, c *commitNode, a args) (any, error) {
	var out []any
	for _, sha := range c.repo.objects.ancestors(c.SHA) {
		out = append(out, c.repo.commitNode(sha))
	}
	return connection(out, a)
}

func commitSuites(_ *execution, c *commitNode, a args) (any, error) {
	filter, _ := a["filterBy"].(map[string]any)
	app, byApp := intArg(filter["appId"])
	var out []*Suite
	for _, s := range c.repo.suites {
		if s.HeadSHA == c.SHA && (!byApp || s.App.ID == int64(app)) {
			out = append(out, s)
		}
	}
	return connection(out, a)
}

func commitPulls(_ *execution, c *commitNode, a args) (any, error) {
	var out []*Pull
	for _, p := range c.repo.pulls() {
		if p.MergeSHA == c.SHA || slices.ContainsFunc(p.commits(), func(o *commit) bool { return o.SHA == c.SHA }) {
			out = append(out, p)
		}
	}
	return connection(ordered(out, a, func(p *Pull) string { return when(p.UpdatedAt).(string) }), a)
}

func (r *Repo) entryNode(at string, e treeEntry) object {
	mode, _ := strconv.ParseInt(e.Mode, 8, 32)
	return object{"name": path.Base(at), "path": at, "oid": e.SHA, "mode": int(mode), "type": e.kind(),
		"object": r.gitNode(e), "size": len(r.objects.blobs[e.SHA]), "extension": path.Ext(at)}
}

func treeTable() typeTable {
	return table("Tree", map[string]field[*treeNode]{
		"id":             plain(func(t *treeNode) any { return "T_kw" + t.sha }),
		"oid":            plain(func(t *treeNode) any { return t.sha }),
		"abbreviatedOid": plain(func(t *treeNode) any { return t.sha[:7] }),
		"repository":     plain(func(t *treeNode) any { return t.repo }),
		"entries": plain(func(t *treeNode) any {
			out := []object{}
			for _, e := range t.repo.objects.trees[t.sha] {
				out = append(out, t.repo.entryNode(e.Name, e))
			}
			return out
		}),
	})
}

func blobTable() typeTable {
	content := func(b *blobNode) []byte { return b.repo.objects.blobs[b.sha] }
	binary := func(b *blobNode) bool {
		return bytes.IndexByte(content(b), 0) >= 0 || !utf8.Valid(content(b))
	}
	return table("Blob", map[string]field[*blobNode]{
		"id":             plain(func(b *blobNode) any { return "B_kw" + b.sha }),
		"oid":            plain(func(b *blobNode) any { return b.sha }),
		"abbreviatedOid": plain(func(b *blobNode) any { return b.sha[:7] }),
		"repository":     plain(func(b *blobNode) any { return b.repo }),
		"byteSize":       plain(func(b *blobNode) any { return len(content(b)) }),
		"isBinary":       plain(func(b *blobNode) any { return binary(b) }),
		"isTruncated":    plain(func(b *blobNode) any { return len(content(b)) > blobLimit }),
		"text": plain(func(b *blobNode) any {
			if binary(b) {
				return nil
			}
			return string(content(b)[:min(len(content(b)), blobLimit)])
		}),
	})
}

// blobLimit is where GraphQL cuts a blob's text.
const blobLimit = 512 << 10
