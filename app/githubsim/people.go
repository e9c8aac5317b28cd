package githubsim

import (
	"crypto/rsa"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Where a person acts: a repository and an issue or pull request in it.
type Where struct {
	Repo   string // owner/name
	Number int
}

// At is shorthand for a Where.
func At(repo string, number int) Where { return Where{repo, number} }

// act runs one person's act on an issue or pull request.
func (w *World) act(login string, at Where, do func(*caller, *Issue) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(at.Repo)
	if err != nil {
		return fmt.Errorf("%s: %w", at.Repo, err)
	}
	i, err := r.issue(at.Number)
	if err != nil {
		return fmt.Errorf("%s#%d: %w", at.Repo, at.Number, err)
	}
	if err := do(w.as(login), i); err != nil {
		return fmt.Errorf("%s on %s#%d: %w", login, at.Repo, at.Number, err)
	}
	return nil
}

// as makes a caller of a login; an unknown one becomes a user, and one that
// ends in [bot] a bot.
func (w *World) as(login string) *caller {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return person(w.account(login, kind))
}

// OpenIssue opens an issue with labels and returns its number. The labels come
// as deliveries of their own, as on GitHub.
func (w *World) OpenIssue(login, repo, title, body string, labels ...string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(repo)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", repo, err)
	}
	c := w.as(login)
	i, err := w.openIssue(c, r, title, body)
	if err != nil {
		return 0, fmt.Errorf("%s opens an issue: %w", login, err)
	}
	list := []*Label{}
	for _, l := range labels {
		list = append(list, r.addLabel(l))
	}
	if len(list) == 0 {
		return i.Number, nil
	}
	return i.Number, w.addLabels(c, i, list)
}

// EditIssue changes an issue's or pull request's title and body; "" leaves one alone.
func (w *World) EditIssue(login string, at Where, title, body string) error {
	return w.act(login, at, func(c *caller, i *Issue) error {
		return w.editIssue(c, i, issueEdit{Title: orNil(title), Body: orNil(body)})
	})
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// EditBody sets an issue's or pull request's body, "" included.
func (w *World) EditBody(login string, at Where, body string) error {
	return w.act(login, at, func(c *caller, i *Issue) error { return w.editIssue(c, i, issueEdit{Body: &body}) })
}

// Label puts a label on; it is made where it does not exist.
func (w *World) Label(login string, at Where, name string) error {
	return w.act(login, at, func(c *caller, i *Issue) error {
		return w.addLabels(c, i, []*Label{i.repo.addLabel(name)})
	})
}

// Unlabel takes a label off.
func (w *World) Unlabel(login string, at Where, name string) error {
	return w.act(login, at, func(c *caller, i *Issue) error {
		l := i.repo.label(name)
		if l == nil {
			return refuse(notFound, "Label does not exist")
		}
		return w.removeLabel(c, i, l)
	})
}

// Close closes an issue or pull request.
func (w *World) Close(login string, at Where) error {
	return w.act(login, at, func(c *caller, i *Issue) error { return w.setIssueState(c, i, "closed", "") })
}

// Reopen opens an issue or pull request again.
func (w *World) Reopen(login string, at Where) error {
	return w.act(login, at, func(c *caller, i *Issue) error { return w.setIssueState(c, i, "open", "") })
}

// Lock keeps those without write access from commenting.
func (w *World) Lock(login string, at Where) error {
	return w.act(login, at, func(c *caller, i *Issue) error {
		if err := c.needs(i.repo, "issues", RoleWrite); err != nil {
			return err
		}
		i.Locked = true
		w.emitIssue(c, i, "locked", nil)
		return nil
	})
}

// Comment posts a comment and returns its id.
func (w *World) Comment(login string, at Where, body string) (id int64, err error) {
	err = w.act(login, at, func(c *caller, i *Issue) error {
		k, err := w.addComment(c, i, body)
		if err == nil {
			id = k.ID
		}
		return err
	})
	return id, err
}

// EditComment changes a comment's body; login need not be its author.
func (w *World) EditComment(login string, id int64, body string) error {
	return w.onComment(login, id, func(c *caller, k *Comment) error { return w.editComment(c, k, body) })
}

// DeleteComment removes a comment.
func (w *World) DeleteComment(login string, id int64) error {
	return w.onComment(login, id, w.deleteComment)
}

func (w *World) onComment(login string, id int64, do func(*caller, *Comment) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, ok := w.nodes[nodeID("IC", id)].(*Comment)
	if !ok {
		return fmt.Errorf("comment %d: %w", id, refuse(notFound, "Not Found"))
	}
	if err := do(w.as(login), k); err != nil {
		return fmt.Errorf("%s on comment %d: %w", login, id, err)
	}
	return nil
}

// Push commits files to a branch and returns the new head. The branch is made
// from the default branch where it does not exist; an empty text with the path
// prefixed by "-" deletes that path.
func (w *World) Push(login, repo, branch string, files map[string]string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(repo)
	if err != nil {
		return "", fmt.Errorf("%s: %w", repo, err)
	}
	c := w.as(login)
	if err := c.needs(r, "contents", RoleWrite); err != nil {
		return "", fmt.Errorf("%s pushes to %s: %w", login, branch, err)
	}
	if err := r.writable(branch); err != nil {
		return "", fmt.Errorf("%s pushes to %s: %w", login, branch, err)
	}
	parent, ok := r.refs[branch]
	if !ok {
		parent = r.refs[r.DefaultBranch]
	}
	tree := r.objects.filesAt(parent)
	written := maps.Clone(files)
	for path := range files {
		if gone, deletion := strings.CutPrefix(path, "-"); deletion {
			delete(tree, gone)
			delete(written, path)
		}
	}
	made := r.commitFiles(c.account, parent, "Update "+strings.Join(sortedKeys(files), ", "), overlayText(r.objects, tree, written))
	return made.SHA, w.moveRef(c, r, branch, made.SHA)
}

// ForcePush points a branch at any commit.
func (w *World) ForcePush(login, repo, branch, sha string) error {
	return w.onRepo(repo, func(r *Repo) error { return w.updateRef(w.as(login), r, branch, sha, true) })
}

// CreateBranch makes a branch at another's head.
func (w *World) CreateBranch(login, repo, branch, from string) error {
	return w.onRepo(repo, func(r *Repo) error {
		return w.createRef(w.as(login), r, "refs/heads/"+branch, r.refs[from])
	})
}

// DeleteBranch removes a branch and closes its pull requests.
func (w *World) DeleteBranch(login, repo, branch string) error {
	return w.onRepo(repo, func(r *Repo) error { return w.deleteRef(w.as(login), r, branch) })
}

// InstallApp registers an app named parley with the default permissions and
// events; Install puts it on an account.
func (w *World) InstallApp(key *rsa.PublicKey, secret, hookURL string) *App {
	return w.RegisterApp(AppConfig{Slug: "parley", Key: key, Secret: secret, HookURL: hookURL})
}

// Install installs an app on an account: on all of its repositories, or on
// those named.
func (w *World) Install(app *App, owner string, repos ...string) (*Installation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := &Installation{ID: w.nextID(), App: app, Account: w.account(owner, "User"), All: len(repos) == 0,
		Permissions: maps.Clone(app.Permissions), Events: slices.Clone(app.Events), CreatedAt: w.now(), repos: map[int64]bool{}}
	for _, name := range repos {
		r, err := w.repo(name)
		if err != nil {
			return nil, fmt.Errorf("install on %s: %w", name, err)
		}
		i.repos[r.ID] = true
	}
	i.nodeID = w.register("MDI", i.ID, i)
	w.installed = append(w.installed, i)
	w.emitInstallation(person(i.Account), i, "created", w.covered(i))
	return i, nil
}

func (w *World) covered(i *Installation) []*Repo {
	var out []*Repo
	for _, r := range w.repos {
		if i.covers(r) {
			out = append(out, r)
		}
	}
	return out
}
