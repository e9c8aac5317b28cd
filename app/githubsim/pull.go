package githubsim

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pull is a pull request; its conversation is the Issue within.
type Pull struct {
	*Issue
	ID       int64 // of the pull request; the conversation has an id of its own
	NodeID   string
	HeadRef  string
	HeadSHA  string
	BaseRef  string
	Draft    bool
	Merged   bool
	MergeSHA string
	MergedBy *Account
	MergedAt time.Time
	Reviews  []*Review
	Threads  []*Thread

	closedBase string // base commit when it was closed
}

func (r *Repo) pull(number int) (*Pull, error) {
	if i := r.issues[number]; i != nil && i.pull != nil {
		return i.pull, nil
	}
	return nil, refuse(notFound, "Not Found")
}

// pulls lists the pull requests, oldest first.
func (r *Repo) pulls() []*Pull {
	var out []*Pull
	for n := 1; n <= r.number; n++ {
		if i := r.issues[n]; i != nil && i.pull != nil {
			out = append(out, i.pull)
		}
	}
	return out
}

// baseSHA is the base branch's head, frozen once the pull request is closed.
func (p *Pull) baseSHA() string {
	if p.closedBase != "" {
		return p.closedBase
	}
	return p.repo.refs[p.BaseRef]
}

// diff is what the pull request changes: head against the merge base.
func (p *Pull) diff() []fileDiff {
	return p.diffAt(p.HeadSHA)
}

func (p *Pull) diffAt(head string) []fileDiff {
	o := p.repo.objects
	base := o.mergeBase(p.baseSHA(), head)
	return o.diffFiles(o.filesAt(base), o.filesAt(head))
}

func (p *Pull) commits() []*commit {
	return p.repo.objects.between(p.baseSHA(), p.HeadSHA)
}

type pullSpec struct {
	Title string
	Body  string
	Head  string
	Base  string
	Draft bool
}

func (w *World) openPull(c *caller, r *Repo, s pullSpec) (*Pull, error) {
	if err := c.needs(r, "pull_requests", RoleRead); err != nil {
		return nil, err
	}
	s.Head = strings.TrimPrefix(s.Head, r.Owner.Login+":")
	s.Head, s.Base = strings.TrimPrefix(s.Head, "refs/heads/"), strings.TrimPrefix(s.Base, "refs/heads/")
	if err := r.pullable(s); err != nil {
		return nil, err
	}
	i, err := r.newIssue(c, s.Title, s.Body)
	if err != nil {
		return nil, err
	}
	p := &Pull{Issue: i, ID: w.nextID(), HeadRef: s.Head, HeadSHA: r.refs[s.Head], BaseRef: s.Base, Draft: s.Draft}
	i.pull = p
	i.NodeID = ""
	p.NodeID = w.register("PR", p.ID, p)
	w.emitPull(c, p, "opened", nil)
	return p, nil
}

// pullable refuses a pull request that GitHub would not open.
func (r *Repo) pullable(s pullSpec) error {
	head, ok := r.refs[s.Head]
	if !ok {
		return invalid("PullRequest", "head", "Head ref must be a branch")
	}
	base, ok := r.refs[s.Base]
	if !ok {
		return invalid("PullRequest", "base", "Base ref must be a branch")
	}
	if len(r.objects.between(base, head)) == 0 {
		return invalid("PullRequest", "", fmt.Sprintf("No commits between %s and %s", s.Base, s.Head))
	}
	if s.Draft && r.NoDrafts {
		return invalid("PullRequest", "", "Draft pull requests are not supported in this repository.")
	}
	for _, p := range r.pulls() {
		if p.State == "open" && p.HeadRef == s.Head && p.BaseRef == s.Base {
			return invalid("PullRequest", "", fmt.Sprintf("A pull request already exists for %s:%s.", r.Owner.Login, s.Head))
		}
	}
	return nil
}

func (p *Pull) mayReopen() error {
	if p.Merged {
		return invalid("PullRequest", "state", "state cannot be changed. The pull request was merged.")
	}
	head, ok := p.repo.refs[p.HeadRef]
	if !ok {
		return invalid("PullRequest", "state",
			fmt.Sprintf("state cannot be changed. The %s branch has been deleted.", p.HeadRef))
	}
	p.HeadSHA, p.closedBase = head, ""
	return nil
}

// setDraft turns a draft ready or back.
func (w *World) setDraft(c *caller, p *Pull, draft bool) error {
	if err := p.mayEdit(c, p.Author); err != nil {
		return err
	}
	if p.State != "open" {
		return refuse(unprocessable, "Pull request is not open")
	}
	if draft && p.repo.NoDrafts {
		return refuse(unprocessable, "Draft pull requests are not supported in this repository.")
	}
	if p.Draft == draft {
		return nil
	}
	p.Draft, p.UpdatedAt = draft, w.now()
	action := "ready_for_review"
	if draft {
		action = "converted_to_draft"
	}
	w.emitPull(c, p, action, nil)
	return nil
}

// merge makes a merge commit, or one squashed commit, on the base branch.
func (w *World) merge(c *caller, p *Pull, squash bool) error {
	r := p.repo
	if err := c.needs(r, "contents", RoleWrite); err != nil {
		return err
	}
	if p.State != "open" {
		return refuse(conflict, "Pull Request is not mergeable")
	}
	if p.Draft {
		return refuse(conflict, "Pull Request is still a draft")
	}
	o := r.objects
	base := p.baseSHA()
	files := o.overlay(o.filesAt(base), o.filesAt(o.mergeBase(base, p.HeadSHA)), o.filesAt(p.HeadSHA))
	made := commit{Tree: o.putFiles(files), By: c.account, Verified: true, Parents: []string{base, p.HeadSHA},
		Message: fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", p.Number, r.Owner.Login, p.HeadRef, p.Title)}
	if squash {
		made.Parents = []string{base}
		made.Message = fmt.Sprintf("%s (#%d)\n\n%s", p.Title, p.Number, p.Body)
	}
	made.Author = c.account.signature(w.now())
	made.Committer = made.Author
	sha := o.putCommit(made).SHA
	p.closedBase = base
	p.Merged, p.MergeSHA, p.MergedBy, p.MergedAt = true, sha, c.account, w.now()
	p.State, p.ClosedAt, p.UpdatedAt = "closed", w.now(), w.now()
	w.emitPull(c, p, "closed", nil)
	if err := w.moveRef(c, r, p.BaseRef, sha); err != nil {
		return err
	}
	for _, i := range p.closes() {
		if i.State == "open" {
			w.closeIssue(c, i, "completed")
		}
	}
	return nil
}

var closing = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b`)

// closes lists the issues a merge closes: named by closing keywords in the
// body, and only where the base is the default branch.
func (p *Pull) closes() []*Issue {
	if p.BaseRef != p.repo.DefaultBranch {
		return nil
	}
	var out []*Issue
	for _, m := range closing.FindAllStringSubmatch(p.Body, -1) {
		n, _ := strconv.Atoi(m[1])
		if i := p.repo.issues[n]; i != nil && i.pull == nil && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for branch, n := range p.repo.linked {
		if i := p.repo.issues[n]; branch == p.HeadRef && i != nil && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// moveRef points a branch at a commit and tells what follows from it.
func (w *World) moveRef(c *caller, r *Repo, name, sha string) error {
	old, had := r.refs[name]
	if !had {
		old = zeroSHA
	}
	if old == sha {
		return nil
	}
	r.refs[name] = sha
	w.emitPush(c, r, push{name, old, sha})
	for _, p := range r.pulls() {
		if p.State == "open" && p.HeadRef == name {
			before := p.HeadSHA
			p.HeadSHA, p.UpdatedAt = sha, w.now()
			for _, t := range p.Threads {
				t.follow(r.objects, before, sha)
			}
			w.emitPull(c, p, "synchronize", object{"before": before, "after": sha})
		}
	}
	w.requestSuites(c, r, name, sha)
	w.touch()
	return nil
}

// commitSpec is one createCommitOnBranch.
type commitSpec struct {
	Branch    string
	Expected  string
	Message   string
	Additions map[string][]byte
	Deletions []string
}

// maxCommitBytes is where createCommitOnBranch stops working.
const maxCommitBytes = 40 << 20

func (w *World) commitOnBranch(c *caller, r *Repo, s commitSpec) (*commit, error) {
	if err := c.needs(r, "contents", RoleWrite); err != nil {
		return nil, err
	}
	head, ok := r.refs[s.Branch]
	if !ok {
		return nil, refuse(notFound, "Could not resolve to a branch with the name %q.", s.Branch)
	}
	if err := r.writable(s.Branch); err != nil {
		return nil, err
	}
	if head != s.Expected {
		return nil, refuse(stale, "Expected branch to point to %q but it did not. Pull and try again.", s.Expected)
	}
	files, err := r.change(c, r.objects.filesAt(head), s)
	if err != nil {
		return nil, err
	}
	made := r.commitFiles(c.account, head, s.Message, files)
	made.Verified = true
	return made, w.moveRef(c, r, s.Branch, made.SHA)
}

// change applies additions and deletions by the rules of createCommitOnBranch.
func (r *Repo) change(c *caller, files map[string]entry, s commitSpec) (map[string]entry, error) {
	size := 0
	for _, path := range s.Deletions {
		if _, ok := files[path]; !ok {
			return nil, refuse(unprocessable, "A path was requested for deletion which does not exist: %s", path)
		}
		if _, twice := s.Additions[path]; twice {
			return nil, refuse(unprocessable, "A path was requested for both addition and deletion: %s", path)
		}
		delete(files, path)
	}
	for path, content := range s.Additions {
		if err := c.mayWritePath(path); err != nil {
			return nil, err
		}
		size += len(content)
		files[path] = entry{Mode: modeFile, SHA: r.objects.putBlob(content)}
	}
	if size > maxCommitBytes {
		return nil, refuse(unprocessable, "The commit's contents are too large")
	}
	return files, nil
}

// mayWritePath refuses what no tree may hold, and workflows to apps that lack
// that permission.
func (c *caller) mayWritePath(path string) error {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return refuse(unprocessable, "A path was requested which is invalid: %s", path)
		}
	}
	if strings.HasPrefix(path, ".github/workflows/") && c.inst != nil && c.perms["workflows"] != "write" {
		return refuse(forbidden, "refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission", path)
	}
	return nil
}
