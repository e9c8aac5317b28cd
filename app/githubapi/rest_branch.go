package githubapi

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/pipeline"
)

// overREST writes the same plan by the Git Data API: slower, the same visible
// result, save ready-for-review and resolved threads, which REST has not.
type overREST struct{}

var restRoad road = overREST{}

type gitRef struct {
	Object struct {
		SHA string `json:"sha"`
	} `json:"object"`
}

type gitCommit struct {
	SHA     string `json:"sha"`
	HTMLURL string `json:"html_url"`
	Tree    struct {
		SHA string `json:"sha"`
	} `json:"tree"`
}

type restPull struct {
	ID      int64  `json:"id"`
	NodeID  string `json:"node_id"`
	Number  int    `json:"number"`
	HTMLURL string `json:"html_url"`
	State   string `json:"state"`
	Draft   bool   `json:"draft"`
	Body    string `json:"body"`
	User    author `json:"user"`
	Head    struct {
		SHA string `json:"sha"`
	} `json:"head"`
}

func (p restPull) node() pullNode {
	return pullNode{ID: p.NodeID, Number: p.Number, URL: p.HTMLURL, IsDraft: p.Draft, Body: p.Body, HeadRefOID: p.Head.SHA,
		State: strings.ToUpper(p.State), FullDatabaseID: bigID(p.ID)}
}

// rest sends one REST call on the session's repository.
func (r *run) rest(ctx context.Context, k call, out any) error {
	k.token = writeKey(r.s.Repo)
	k.read = k.method == http.MethodGet
	return r.c.restCall(ctx, k, out)
}

func (r *run) at(parts ...string) string { return repoPath(r.s.Repo, parts...) }

func (r *run) refPath(kind, branch string) string {
	return r.at(append([]string{"git", kind, "heads"}, strings.Split(branch, "/")...)...)
}

// tip is the branch's head, empty when there is no such branch.
func (r *run) tip(ctx context.Context, branch string) (string, error) {
	var ref gitRef
	err := r.rest(ctx, call{op: "read branch " + branch, method: http.MethodGet, path: r.refPath("ref", branch)}, &ref)
	if is(err, KindNotFound) {
		return "", nil
	}
	return ref.Object.SHA, err
}

func (overREST) open(ctx context.Context, r *run, w pipeline.Write) error {
	branch := branchOf(r.s, w)
	r.base, r.files, r.exact = r.s.PR.BaseHead, map[string]string{}, true
	head, err := r.tip(ctx, branch)
	if err != nil {
		return err
	}
	switch {
	case head == "":
		body := struct {
			Ref string `json:"ref"`
			SHA string `json:"sha"`
		}{"refs/heads/" + branch, r.base}
		if err := r.rest(ctx, call{op: "create branch " + branch, method: http.MethodPost, path: r.at("git", "refs"), body: body}, nil); err != nil {
			return err
		}
	case head != r.base:
		if err := r.branchREST(ctx, w); err != nil {
			return err
		}
		r.foreign = map[string]bool{}
		if r.foundCommit == "" {
			return &pipeline.Refusal{Text: fmt.Sprintf("The branch `%s` exists already and is not mine. Rename or delete it, then label the issue again.", branch)}
		}
	}
	var ch change
	if r.foundCommit != "" {
		r.found(w)
	} else if ch, err = r.openingCommit(ctx, w); err != nil {
		return err
	}
	if err := r.pullREST(ctx, w); err != nil {
		return err
	}
	r.opened(ctx, w, ch)
	return nil
}

func (r *run) openingCommit(ctx context.Context, w pipeline.Write) (change, error) {
	ch, err := r.change(ctx, w)
	if err != nil {
		return ch, err
	}
	return ch, r.push(ctx, w, ch, true)
}

// pullREST opens the pull request, or takes the one that is open already.
func (r *run) pullREST(ctx context.Context, w pipeline.Write) error {
	branch := branchOf(r.s, w)
	if r.again[w.Key] {
		var open []restPull
		path := r.at("pulls") + "?state=open&head=" + url.QueryEscape(r.s.Repo.Owner+":"+branch)
		if err := r.rest(ctx, call{op: "look for the pull request", method: http.MethodGet, path: path}, &open); err != nil {
			return err
		}
		for _, p := range open {
			if p.User.Type == "Bot" {
				r.pull, r.bodyKnown = p.node(), true
				return nil
			}
		}
	}
	in := r.pullInput(w, w.Draft)
	body := struct {
		Title string `json:"title"`
		Head  string `json:"head"`
		Base  string `json:"base"`
		Body  string `json:"body"`
		Draft bool   `json:"draft"`
	}{in.Title, branch, in.BaseRefName, in.Body, in.Draft}
	var made restPull
	k := call{op: "open the pull request", method: http.MethodPost, path: r.at("pulls"), body: body, content: 1}
	err := r.rest(ctx, k, &made)
	if body.Draft && draftRefused(err) {
		body.Draft = false
		k.body = body
		err = r.rest(ctx, k, &made)
	}
	if err != nil {
		return err
	}
	r.pull, r.bodyKnown = made.node(), true
	return nil
}

func (overREST) commit(ctx context.Context, r *run, w pipeline.Write) error {
	if made, err := r.committed(ctx, w, r.branchREST); made || err != nil {
		return err
	}
	var err error
	for range 3 {
		var ch change
		if ch, err = r.change(ctx, w); err != nil {
			return err
		}
		if ch.empty() {
			r.out.Conflicts = append(r.out.Conflicts, ch.conflicts...)
			r.receipt(w, pipeline.Receipt{})
			return nil
		}
		parts := ch.parts()
		for n, part := range parts {
			if err = r.push(ctx, w, part, n == len(parts)-1); err != nil {
				break
			}
		}
		if err == nil {
			r.committedAll(ctx, w, ch)
			return nil
		}
		if is(err, KindNotFound) {
			return fmt.Errorf("%w: %w", pipeline.ErrGone, err)
		}
		if !is(err, KindStale) {
			return err
		}
		if lerr := r.branchREST(ctx, w); lerr != nil {
			return lerr
		}
	}
	return err
}

type treeItem struct {
	Path    string  `json:"path"`
	Mode    string  `json:"mode"`
	Type    string  `json:"type"`
	Content *string `json:"content,omitempty"`
	SHA     *string `json:"sha,omitempty"`
}

// goneItem deletes a path: its sha is null on the wire.
type goneItem struct {
	Path string  `json:"path"`
	Mode string  `json:"mode"`
	Type string  `json:"type"`
	SHA  *string `json:"sha"`
}

// push makes tree and commit on the base and moves the branch without force;
// a branch that moved meanwhile refuses that.
func (r *run) push(ctx context.Context, w pipeline.Write, ch change, last bool) error {
	var base gitCommit
	if err := r.rest(ctx, call{op: "read commit " + r.base, method: http.MethodGet, path: r.at("git", "commits", r.base)}, &base); err != nil {
		return err
	}
	items, err := r.treeItems(ctx, ch)
	if err != nil {
		return err
	}
	tree := struct {
		Base string `json:"base_tree"`
		Tree []any  `json:"tree"`
	}{base.Tree.SHA, items}
	var made struct {
		SHA string `json:"sha"`
	}
	if err := r.rest(ctx, call{op: "write the tree", method: http.MethodPost, path: r.at("git", "trees"), body: tree}, &made); err != nil {
		return err
	}
	message := headline(r.s, w)
	if body := messageBody(w, last); body != "" {
		message += "\n\n" + body
	}
	commit := struct {
		Message string   `json:"message"`
		Tree    string   `json:"tree"`
		Parents []string `json:"parents"`
	}{message, made.SHA, []string{r.base}}
	var done gitCommit
	if err := r.rest(ctx, call{op: "write the commit", method: http.MethodPost, path: r.at("git", "commits"), body: commit}, &done); err != nil {
		return err
	}
	move := struct {
		SHA   string `json:"sha"`
		Force bool   `json:"force"`
	}{done.SHA, false}
	branch := branchOf(r.s, w)
	if err := r.rest(ctx, call{op: "move branch " + branch, method: http.MethodPatch, path: r.refPath("refs", branch), body: move}, nil); err != nil {
		return err
	}
	r.landed(ch, done.SHA, "")
	r.out.Tree = treeID(r.files)
	return nil
}

// treeItems carries text inline; what is not UTF-8 needs a blob of its own.
func (r *run) treeItems(ctx context.Context, ch change) ([]any, error) {
	var items []any
	for _, path := range slices.Sorted(maps.Keys(ch.files)) {
		text := ch.files[path]
		item := treeItem{Path: r.path(path), Mode: "100644", Type: "blob"}
		if utf8.Valid(text) {
			content := string(text)
			item.Content = &content
			items = append(items, item)
			continue
		}
		body := struct {
			Content  []byte `json:"content"`
			Encoding string `json:"encoding"`
		}{text, "base64"}
		var made struct {
			SHA string `json:"sha"`
		}
		if err := r.rest(ctx, call{op: "write blob " + path, method: http.MethodPost, path: r.at("git", "blobs"), body: body}, &made); err != nil {
			return nil, err
		}
		item.SHA = &made.SHA
		items = append(items, item)
	}
	for _, path := range ch.deleted {
		items = append(items, goneItem{Path: r.path(path), Mode: "100644", Type: "blob"})
	}
	return items, nil
}

// branchREST is branch over REST: the newest commits, and the folder's tree.
func (r *run) branchREST(ctx context.Context, w pipeline.Write) error {
	branch := branchOf(r.s, w)
	var said []struct {
		SHA    string `json:"sha"`
		Commit struct {
			Message string `json:"message"`
		} `json:"commit"`
		Author *author `json:"author"`
	}
	path := r.at("commits") + "?per_page=30&sha=" + url.QueryEscape(branch)
	err := r.rest(ctx, call{op: "read branch " + branch, method: http.MethodGet, path: path}, &said)
	if is(err, KindNotFound) || err == nil && len(said) == 0 {
		return fmt.Errorf("%w: the session branch %s was deleted", pipeline.ErrGone, branch)
	}
	if err != nil {
		return err
	}
	commits := make([]branchCommit, len(said))
	for n, c := range said {
		commits[n] = branchCommit{OID: c.SHA, Message: c.Commit.Message}
		if c.Author != nil {
			commits[n].Author.User = &struct{ Login string }{c.Author.Login}
		}
	}
	r.history = commits
	r.moved(w)
	now, err := r.folderIDs(ctx, commits[0].OID)
	if err != nil {
		return err
	}
	was := r.files
	if r.base != commits[0].OID && r.base != "" {
		if was, err = r.folderIDs(ctx, r.base); err != nil && !is(err, KindNotFound) {
			return err
		}
	}
	r.differences(was, now, commits)
	r.files, r.exact = now, true
	r.base, r.head = commits[0].OID, commits[0].OID
	return nil
}

// folderIDs are the blob ids of the session folder at a commit.
func (r *run) folderIDs(ctx context.Context, commit string) (map[string]string, error) {
	var said struct {
		Truncated bool `json:"truncated"`
		Tree      []struct {
			Path string `json:"path"`
			Type string `json:"type"`
			SHA  string `json:"sha"`
		} `json:"tree"`
	}
	path := r.at("git", "trees", commit) + "?recursive=1"
	if err := r.rest(ctx, call{op: "read the tree of " + commit, method: http.MethodGet, path: path}, &said); err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, e := range said.Tree {
		if rel, ok := strings.CutPrefix(e.Path, r.s.Folder()+"/"); ok && e.Type == "blob" {
			ids[rel] = e.SHA
		}
	}
	if said.Truncated {
		return nil, &Error{Kind: KindInvalid, Op: "read the tree of " + commit, Message: "the repository is too large to be read over REST"}
	}
	return ids, nil
}
