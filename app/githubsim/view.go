package githubsim

import (
	"fmt"
	"slices"
	"time"
)

// IssueView is an issue or pull request as a reader sees it now.
type IssueView struct {
	Number    int
	Title     string
	Body      string
	State     string
	Author    string
	Labels    []string
	Assignees []string
	Reactions []string // "login CONTENT", in order
	NodeID    string
}

// CommentView is a comment as a reader sees it now.
type CommentView struct {
	ID        int64
	NodeID    string
	Number    int // of the issue or pull request it is on
	Author    string
	Body      string
	Reactions []string
	At        time.Time
	Minimized bool
}

// ReviewView is a submitted review with the line comments it brought.
type ReviewView struct {
	ID       int64
	NodeID   string
	Author   string
	Body     string
	State    string
	Commit   string
	Comments []LineView
}

// LineView is one line comment.
type LineView struct {
	Thread string
	Path   string
	Line   int // 0 on a file
	Start  int
	Author string
	Body   string
}

// ThreadView is a review thread.
type ThreadView struct {
	ID       string
	Path     string
	Line     int
	Resolved bool
	Outdated bool
	Texts    []LineView
}

// PullView is a pull request's own side; IssueView holds its conversation.
type PullView struct {
	IssueView
	Head   string
	Branch string
	Base   string
	Draft  bool
	Merged bool
}

// read finds an issue or pull request and hands it to a reader, locked.
func read[T any](w *World, at Where, do func(*Issue) T) (T, error) {
	var none T
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(at.Repo)
	if err != nil {
		return none, fmt.Errorf("%s: %w", at.Repo, err)
	}
	i, err := r.issue(at.Number)
	if err != nil {
		return none, fmt.Errorf("%s#%d: %w", at.Repo, at.Number, err)
	}
	return do(i), nil
}

// Issue reads an issue or pull request.
func (w *World) Issue(at Where) (IssueView, error) { return read(w, at, (*Issue).view) }

func (i *Issue) view() IssueView {
	v := IssueView{Number: i.Number, Title: i.Title, Body: i.Body, State: i.State, Author: i.Author.Login,
		Reactions: reactionViews(i.Reactions), NodeID: i.node()}
	for _, l := range i.Labels {
		v.Labels = append(v.Labels, l.Name)
	}
	for _, a := range i.Assignees {
		v.Assignees = append(v.Assignees, a.Login)
	}
	return v
}

func reactionViews(list []*Reaction) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.By.Login+" "+r.Content)
	}
	return out
}

// Pull reads a pull request.
func (w *World) Pull(at Where) (PullView, error) {
	v, err := read(w, at, func(i *Issue) *PullView {
		p := i.pull
		if p == nil {
			return nil
		}
		return &PullView{IssueView: i.view(), Head: p.HeadSHA, Branch: p.HeadRef, Base: p.BaseRef, Draft: p.Draft, Merged: p.Merged}
	})
	if err != nil {
		return PullView{}, err
	}
	if v == nil {
		return PullView{}, fmt.Errorf("%s#%d is not a pull request", at.Repo, at.Number)
	}
	return *v, nil
}

// Pulls lists the numbers of a repository's pull requests, oldest first.
func (w *World) Pulls(repo string) []int {
	var out []int
	_ = w.onRepoRead(repo, func(r *Repo) {
		for _, p := range r.pulls() {
			out = append(out, p.Number)
		}
	})
	return out
}

func (w *World) onRepoRead(repo string, do func(*Repo)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(repo)
	if err != nil {
		return fmt.Errorf("%s: %w", repo, err)
	}
	do(r)
	return nil
}

// Comments lists the comments on an issue or pull request, oldest first.
func (w *World) Comments(at Where) []CommentView {
	out, _ := read(w, at, func(i *Issue) []CommentView {
		var list []CommentView
		for _, k := range i.Comments {
			list = append(list, k.view())
		}
		return list
	})
	return out
}

func (k *Comment) view() CommentView {
	return CommentView{ID: k.ID, NodeID: k.NodeID, Number: k.issue.Number, Author: k.Author.Login, Body: k.Body,
		Reactions: reactionViews(k.Reactions), At: k.CreatedAt, Minimized: k.Minimized != ""}
}

// Reviews lists the submitted reviews of a pull request, oldest first.
func (w *World) Reviews(at Where) []ReviewView {
	out, _ := read(w, at, func(i *Issue) []ReviewView {
		var list []ReviewView
		for _, v := range i.reviews() {
			list = append(list, v.view())
		}
		return list
	})
	return out
}

func (i *Issue) reviews() []*Review {
	if i.pull == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(i.pull.Reviews), func(v *Review) bool { return v.State == "PENDING" })
}

func (v *Review) view() ReviewView {
	out := ReviewView{ID: v.ID, NodeID: v.NodeID, Author: v.Author.Login, Body: v.Body, State: v.State, Commit: v.CommitID}
	for _, k := range v.Comments {
		out.Comments = append(out.Comments, k.view())
	}
	return out
}

func (k *ReviewComment) view() LineView {
	return LineView{Thread: k.thread.NodeID, Path: k.thread.Path, Line: k.thread.originalLine, Start: k.thread.originalStart,
		Author: k.Author.Login, Body: k.Body}
}

// Threads lists the review threads of a pull request, oldest first.
func (w *World) Threads(at Where) []ThreadView {
	out, _ := read(w, at, func(i *Issue) []ThreadView {
		var list []ThreadView
		if i.pull == nil {
			return nil
		}
		for _, t := range i.pull.Threads {
			v := ThreadView{ID: t.NodeID, Path: t.Path, Line: t.Line, Resolved: t.Resolved, Outdated: t.Outdated}
			for _, k := range t.Comments {
				v.Texts = append(v.Texts, k.view())
			}
			list = append(list, v)
		}
		return list
	})
	return out
}

// Checks lists the runs on a commit or branch, oldest first.
func (w *World) Checks(repo, ref string) []Check {
	var out []Check
	_ = w.onRepoRead(repo, func(r *Repo) {
		sha, err := r.resolve(ref)
		if err != nil {
			return
		}
		for _, k := range r.checksAt(sha) {
			out = append(out, *k)
		}
	})
	return out
}

// App is the slug of the app that made the run.
func (k Check) App() string { return k.suite.App.Slug }

// Head is the commit a branch points at; "" when there is none.
func (w *World) Head(repo, branch string) string {
	var out string
	_ = w.onRepoRead(repo, func(r *Repo) { out = r.refs[branch] })
	return out
}

// Branches lists a repository's branches.
func (w *World) Branches(repo string) []string {
	var out []string
	_ = w.onRepoRead(repo, func(r *Repo) { out = sortedKeys(r.refs) })
	return out
}

// Files reads the whole tree at a commit or branch.
func (w *World) Files(repo, ref string) (map[string]string, error) {
	out := map[string]string{}
	var failed error
	err := w.onRepoRead(repo, func(r *Repo) {
		var sha string
		if sha, failed = r.resolve(ref); failed != nil {
			return
		}
		for path, e := range r.objects.filesAt(sha) {
			out[path] = string(r.objects.blobs[e.SHA])
		}
	})
	if err != nil {
		return nil, err
	}
	return out, failed
}

// CommitView is one commit of a branch.
type CommitView struct {
	SHA      string
	Message  string
	Author   string
	Verified bool
}

// Commits lists what a branch has and the default branch has not, oldest first.
func (w *World) Commits(repo, branch string) []CommitView {
	var out []CommitView
	_ = w.onRepoRead(repo, func(r *Repo) {
		for _, c := range r.objects.between(r.refs[r.DefaultBranch], r.refs[branch]) {
			out = append(out, CommitView{SHA: c.SHA, Message: c.Message, Author: c.Author.Name, Verified: c.Verified})
		}
	})
	return out
}
