package githubsim

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Repo is a repository.
type Repo struct {
	ID            int64
	NodeID        string
	Owner         *Account
	Name          string
	Private       bool
	Archived      bool
	NoDrafts      bool // private on a plan without draft pull requests
	DefaultBranch string
	Properties    map[string]string
	CreatedAt     time.Time

	world      *World
	objects    *objects
	refs       map[string]string // branch name to commit
	protected  []string          // branch name prefixes nobody may touch
	roles      map[string]Role
	memberRole Role
	labels     []*Label
	issues     map[int]*Issue
	number     int
	suites     []*Suite
	trees      map[string]bool // trees made through the git data API
	linked     map[string]int  // branch name to the issue it was made for
}

// FullName is owner/name.
func (r *Repo) FullName() string { return r.Owner.Login + "/" + r.Name }

// Label is a repository's label.
type Label struct {
	ID          int64
	NodeID      string
	Name        string
	Color       string
	Description string
	Default     bool
}

// AddRepo makes a repository with one commit by its owner; no files makes an
// empty one. Its owner becomes a user unless AddOrg made it before.
func (w *World) AddRepo(fullName string, files map[string]string) (*Repo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	owner, name, ok := strings.Cut(fullName, "/")
	if !ok || owner == "" || name == "" {
		return nil, fmt.Errorf("repository name %q is not owner/name", fullName)
	}
	if _, err := w.repo(fullName); err == nil {
		return nil, fmt.Errorf("repository %s exists", fullName)
	}
	r := &Repo{
		ID: w.nextID(), Owner: w.account(owner, "User"), Name: name, DefaultBranch: "main",
		Properties: map[string]string{}, CreatedAt: w.now(),
		world: w, objects: newObjects(), refs: map[string]string{}, roles: map[string]Role{},
		issues: map[int]*Issue{}, trees: map[string]bool{}, linked: map[string]int{},
	}
	r.NodeID = w.register("R", r.ID, r)
	for _, l := range []string{"bug", "documentation", "enhancement"} {
		r.addLabel(l)
	}
	w.repos = append(w.repos, r)
	if len(files) > 0 {
		c := r.commitFiles(r.Owner, "", "Initial commit", overlayText(r.objects, nil, files))
		r.refs["main"] = c.SHA
	}
	w.touch()
	return r, nil
}

// repo finds a repository by owner/name, following renames.
func (w *World) repo(fullName string) (*Repo, error) {
	for _, r := range w.repos {
		if strings.EqualFold(r.FullName(), fullName) {
			return r, nil
		}
	}
	if r := w.moved[strings.ToLower(fullName)]; r != nil {
		return r, nil
	}
	return nil, refuse(notFound, "Not Found")
}

// SetPrivate changes who can see a repository.
func (w *World) SetPrivate(repo string, private bool) error {
	return w.onRepo(repo, func(r *Repo) error { r.Private = private; return nil })
}

// SetProperty sets an organisation's custom property on a repository.
func (w *World) SetProperty(repo, name, value string) error {
	return w.onRepo(repo, func(r *Repo) error { r.Properties[name] = value; return nil })
}

// ForbidDrafts makes a repository refuse draft pull requests, as private ones
// on the free plan do.
func (w *World) ForbidDrafts(repo string) error {
	return w.onRepo(repo, func(r *Repo) error { r.NoDrafts = true; return nil })
}

// Protect refuses every write to branches whose name begins with prefix.
func (w *World) Protect(repo, prefix string) error {
	return w.onRepo(repo, func(r *Repo) error { r.protected = append(r.protected, prefix); return nil })
}

// SetMemberRole is what the owning organisation's members may do.
func (w *World) SetMemberRole(repo, role string) error {
	return w.onRepo(repo, func(r *Repo) error {
		level, err := parseRole(role)
		r.memberRole = level
		return err
	})
}

func (w *World) onRepo(name string, change func(*Repo) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(name)
	if err != nil {
		return fmt.Errorf("repository %s: %w", name, err)
	}
	defer w.touch()
	return change(r)
}

func (r *Repo) label(name string) *Label {
	for _, l := range r.labels {
		if strings.EqualFold(l.Name, name) {
			return l
		}
	}
	return nil
}

func (r *Repo) addLabel(name string) *Label {
	if l := r.label(name); l != nil {
		return l
	}
	l := &Label{ID: r.world.nextID(), Name: name, Color: "ededed", Default: len(r.labels) < 3}
	l.NodeID = r.world.register("LA", l.ID, l)
	r.labels = append(r.labels, l)
	return l
}

// overlayText lays texts over a flattened tree; an empty text with a path
// ending in "-" is not special, deletions are named separately.
func overlayText(o *objects, onto map[string]entry, files map[string]string) map[string]entry {
	out := maps.Clone(onto)
	if out == nil {
		out = map[string]entry{}
	}
	for path, text := range files {
		out[path] = entry{Mode: modeFile, SHA: o.putBlob([]byte(text))}
	}
	return out
}

// commitFiles makes a commit with exactly these files.
func (r *Repo) commitFiles(by *Account, parent, message string, files map[string]entry) *commit {
	c := commit{Tree: r.objects.putFiles(files), Message: message, By: by}
	if parent != "" {
		c.Parents = []string{parent}
	}
	c.Author = by.signature(r.world.now())
	c.Committer = c.Author
	return r.objects.putCommit(c)
}

var badRef = regexp.MustCompile(`[\x00-\x20~^:?*\[\\\x7f]|\.\.|@\{|//|^[/.]|/\.|[/.]$|\.lock$|^$`)

// branchName strips refs/heads/ and refuses what git refuses.
func branchName(ref string) (string, error) {
	name, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return "", invalid("Reference", "ref", fmt.Sprintf("Reference %q is not a branch", ref))
	}
	if badRef.MatchString(name) {
		return "", invalid("Reference", "ref", fmt.Sprintf("%q is not a valid ref name.", ref))
	}
	return name, nil
}

// writable refuses writes to archived repositories and protected branches.
func (r *Repo) writable(branch string) error {
	if r.Archived {
		return refuse(readOnly, "Repository was archived so is read-only.")
	}
	if slices.ContainsFunc(r.protected, func(p string) bool { return strings.HasPrefix(branch, p) }) {
		return refuse(protected, "Repository rule violations found\n\nCannot update this protected ref.")
	}
	return nil
}

// createRef makes a branch at a commit.
func (w *World) createRef(c *caller, r *Repo, ref, sha string) error {
	if err := c.needs(r, "contents", RoleWrite); err != nil {
		return err
	}
	name, err := branchName(ref)
	if err != nil {
		return err
	}
	if err := r.writable(name); err != nil {
		return err
	}
	if r.objects.commits[sha] == nil {
		return refuse(unprocessable, "Object does not exist")
	}
	for have := range r.refs {
		if have == name {
			return refuse(unprocessable, "A ref named %q already exists in the repository.", ref)
		}
		if strings.HasPrefix(have, name+"/") || strings.HasPrefix(name, have+"/") {
			return refuse(unprocessable, "Reference cannot be created: %q is in the way", have)
		}
	}
	return w.moveRef(c, r, name, sha)
}

// updateRef moves a branch; without force only forward.
func (w *World) updateRef(c *caller, r *Repo, name, sha string, force bool) error {
	if err := c.needs(r, "contents", RoleWrite); err != nil {
		return err
	}
	if err := r.writable(name); err != nil {
		return err
	}
	old, ok := r.refs[name]
	if !ok {
		return refuse(unprocessable, "Reference does not exist")
	}
	if r.objects.commits[sha] == nil {
		return refuse(unprocessable, "Object does not exist")
	}
	if !force && !r.objects.contains(sha, old) {
		return refuse(unprocessable, "Update is not a fast forward")
	}
	return w.moveRef(c, r, name, sha)
}

func (w *World) deleteRef(c *caller, r *Repo, name string) error {
	if err := c.needs(r, "contents", RoleWrite); err != nil {
		return err
	}
	if err := r.writable(name); err != nil {
		return err
	}
	if _, ok := r.refs[name]; !ok {
		return refuse(unprocessable, "Reference does not exist")
	}
	if name == r.DefaultBranch {
		return refuse(unprocessable, "Cannot delete the default branch")
	}
	old := r.refs[name]
	delete(r.refs, name)
	w.emitPush(c, r, push{name, old, zeroSHA})
	for _, p := range r.pulls() {
		if p.State == "open" && p.HeadRef == name {
			w.closeIssue(c, p.Issue, "")
		}
	}
	w.touch()
	return nil
}
