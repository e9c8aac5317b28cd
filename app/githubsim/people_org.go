package githubsim

import (
	"fmt"
	"strings"
)

// Uninstall removes an installation; its tokens stop working.
func (w *World) Uninstall(i *Installation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	repos := w.covered(i)
	i.gone = true
	w.emitInstallation(person(i.Account), i, "deleted", repos)
}

// Suspend stops an installation's calls and deliveries, or lets them go on.
func (w *World) Suspend(i *Installation, suspended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i.Suspended = suspended
	action := "unsuspend"
	if suspended {
		action = "suspend"
	}
	w.emitInstallation(person(i.Account), i, action, nil)
}

// SetInstallationPermissions changes what an installation's new tokens may do.
func (w *World) SetInstallationPermissions(i *Installation, permissions map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i.Permissions = permissions
	w.emitInstallation(person(i.Account), i, "new_permissions_accepted", nil)
}

// Select adds repositories to an installation of selected ones, or takes them out.
func (w *World) Select(i *Installation, selected bool, repos ...string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*Repo
	for _, name := range repos {
		r, err := w.repo(name)
		if err != nil {
			return fmt.Errorf("select %s: %w", name, err)
		}
		if selected {
			i.repos[r.ID] = true
		} else {
			delete(i.repos, r.ID)
		}
		list = append(list, r)
	}
	if selected {
		w.emitSelection(person(i.Account), i, list, nil)
	} else {
		w.emitSelection(person(i.Account), i, nil, list)
	}
	return nil
}

// RenameRepo gives a repository a new name; the old one redirects.
func (w *World) RenameRepo(repo, name string) error {
	return w.onRepo(repo, func(r *Repo) error {
		old := r.Name
		w.moved[strings.ToLower(r.FullName())] = r
		r.Name = name
		w.emit(person(r.Owner), fact{event: "repository", action: "renamed", repo: r,
			fields: object{"changes": object{"repository": object{"name": object{"from": old}}}}})
		return nil
	})
}

// TransferRepo gives a repository a new owner; only the new owner's
// installation hears of it.
func (w *World) TransferRepo(repo, owner string) error {
	return w.onRepo(repo, func(r *Repo) error {
		old := r.Owner
		w.moved[strings.ToLower(r.FullName())] = r
		r.Owner = w.account(owner, "User")
		from := object{"user": w.userJSON(old)}
		if old.Type == "Organization" {
			from = object{"organization": w.orgJSON(old)}
		}
		w.emit(person(r.Owner), fact{event: "repository", action: "transferred", repo: r,
			fields: object{"changes": object{"owner": object{"from": from}}}})
		return nil
	})
}

// Archive makes a repository read-only, or writable again.
func (w *World) Archive(repo string, archived bool) error {
	return w.onRepo(repo, func(r *Repo) error {
		r.Archived = archived
		action := "unarchived"
		if archived {
			action = "archived"
		}
		w.emit(person(r.Owner), fact{event: "repository", action: action, repo: r})
		return nil
	})
}

// DeleteRepo removes a repository; nothing in it can be reached any more.
func (w *World) DeleteRepo(repo string) error {
	return w.onRepo(repo, func(r *Repo) error {
		w.emit(person(r.Owner), fact{event: "repository", action: "deleted", repo: r})
		w.repos = without(w.repos, r)
		return nil
	})
}

func without[T comparable](list []T, gone T) []T {
	var out []T
	for _, x := range list {
		if x != gone {
			out = append(out, x)
		}
	}
	return out
}

// TransferIssue moves an issue to another repository, where it takes a new number.
func (w *World) TransferIssue(login string, at Where, to string) (number int, err error) {
	err = w.act(login, at, func(c *caller, i *Issue) error {
		target, err := w.repo(to)
		if err != nil {
			return err
		}
		if err := c.needs(i.repo, "issues", RoleWrite); err != nil {
			return err
		}
		moved, err := target.newIssue(person(i.Author), i.Title, i.Body)
		if err != nil {
			return err
		}
		moved.NodeID = w.register("I", moved.ID, moved)
		number = moved.Number
		changes := object{"new_issue": w.issueJSON(moved), "new_repository": w.repoJSON(target)}
		w.emitIssue(c, i, "transferred", object{"changes": changes})
		w.emitIssue(c, moved, "opened", object{"changes": object{"old_issue": w.issueJSON(i), "old_repository": w.repoJSON(i.repo)}})
		delete(i.repo.issues, i.Number)
		return nil
	})
	return number, err
}

// DeleteIssue removes an issue.
func (w *World) DeleteIssue(login string, at Where) error {
	return w.act(login, at, func(c *caller, i *Issue) error {
		if err := c.needs(i.repo, "issues", RoleAdmin); err != nil {
			return err
		}
		w.emitIssue(c, i, "deleted", nil)
		delete(i.repo.issues, i.Number)
		delete(w.nodes, i.node())
		return nil
	})
}
