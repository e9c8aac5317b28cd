package githubsim

import (
	"fmt"
	"slices"
	"strings"
)

// onPull runs one person's act on a pull request.
func (w *World) onPull(login string, at Where, do func(*caller, *Pull) error) error {
	return w.act(login, at, func(c *caller, i *Issue) error {
		if i.pull == nil {
			return refuse(notFound, "#%d is not a pull request", i.Number)
		}
		return do(c, i.pull)
	})
}

// OpenPull opens a pull request from one branch to another.
func (w *World) OpenPull(login, repo, head, base, title, body string) (number int, err error) {
	err = w.onRepo(repo, func(r *Repo) error {
		p, err := w.openPull(w.as(login), r, pullSpec{Title: title, Body: body, Head: head, Base: base})
		if err == nil {
			number = p.Number
		}
		return err
	})
	return number, err
}

// MergePull merges a pull request, as a merge commit or squashed. A draft is
// made ready first, as the person at the button would have to.
func (w *World) MergePull(login string, at Where, squash bool) error {
	return w.onPull(login, at, func(c *caller, p *Pull) error {
		if p.Draft {
			if err := w.setDraft(c, p, false); err != nil {
				return err
			}
		}
		return w.merge(c, p, squash)
	})
}

// Retarget changes a pull request's base branch.
func (w *World) Retarget(login string, at Where, base string) error {
	return w.act(login, at, func(c *caller, i *Issue) error { return w.editIssue(c, i, issueEdit{Base: &base}) })
}

// Review submits a review with an event (COMMENT, APPROVE, REQUEST_CHANGES)
// and returns its id.
func (w *World) Review(login string, at Where, event, body string) (id int64, err error) {
	err = w.onPull(login, at, func(c *caller, p *Pull) error {
		v, err := w.addReview(c, p, reviewSpec{Event: event, Body: body}, false)
		if err == nil {
			id = v.ID
		}
		return err
	})
	return id, err
}

// ReviewComment opens a thread on a line of the new side and returns its node id.
func (w *World) ReviewComment(login string, at Where, path string, line int, body string) (thread string, err error) {
	err = w.onPull(login, at, func(c *caller, p *Pull) error {
		k, err := w.commentOnLine(c, p, "", place{Path: path, Line: line, Body: body})
		if err == nil {
			thread = k.thread.NodeID
		}
		return err
	})
	return thread, err
}

func (w *World) onThread(login, id string, do func(*caller, *Thread) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	t, ok := w.nodes[id].(*Thread)
	if !ok {
		return fmt.Errorf("thread %s: %w", id, refuse(notFound, "Not Found"))
	}
	if err := do(w.as(login), t); err != nil {
		return fmt.Errorf("%s in thread %s: %w", login, t, err)
	}
	return nil
}

// ReplyThread answers in a thread.
func (w *World) ReplyThread(login, id, body string) error {
	return w.onThread(login, id, func(c *caller, t *Thread) error {
		_, err := w.reply(c, t, body)
		return err
	})
}

// ResolveThread resolves a thread, or opens it again.
func (w *World) ResolveThread(login, id string, resolved bool) error {
	return w.onThread(login, id, func(c *caller, t *Thread) error { return w.setResolved(c, t, resolved) })
}

// ClickCheckAction clicks a button of the newest run of that name on a head.
func (w *World) ClickCheckAction(login, repo, sha, name, identifier string) error {
	return w.onCheck(repo, sha, name, func(k *Check) error {
		if k.Status != "completed" {
			return refuse(unprocessable, "the run of %s shows no buttons: it is %s", name, k.Status)
		}
		if !slices.ContainsFunc(k.Actions, func(a Action) bool { return a.Identifier == identifier }) {
			return refuse(notFound, "%s has no button %q", name, identifier)
		}
		w.emitCheck(w.as(login), k, "requested_action", object{"requested_action": object{"identifier": identifier}})
		return nil
	})
}

// Rerun clicks "Re-run" on the newest run of that name on a head. The run
// stays as it is: its app is asked for a new one.
func (w *World) Rerun(login, repo, sha, name string) error {
	return w.onCheck(repo, sha, name, func(k *Check) error {
		w.emitCheck(w.as(login), k, "rerequested", nil)
		return nil
	})
}

// RerunAll clicks "Re-run all checks" on a head for an app's suite.
func (w *World) RerunAll(login, repo, sha string, app *App) error {
	return w.onRepo(repo, func(r *Repo) error {
		w.emitSuite(w.as(login), w.suiteFor(r, app, sha), "rerequested")
		return nil
	})
}

func (w *World) onCheck(repo, sha, name string, do func(*Check) error) error {
	return w.onRepo(repo, func(r *Repo) error {
		runs := r.checksAt(sha)
		slices.Reverse(runs)
		for _, k := range runs {
			if k.Name == name {
				return do(k)
			}
		}
		return refuse(notFound, "no run of %s on %s", name, sha)
	})
}

// ForgeCheck makes another app post a run, as anyone with a token can.
func (w *World) ForgeCheck(app *App, repo, sha, name, conclusion string) error {
	return w.onRepo(repo, func(r *Repo) error {
		c := &caller{account: app.Bot, app: app, inst: w.firstInstallation(app), perms: map[string]string{"checks": "write"}}
		if c.inst == nil {
			return refuse(forbidden, "%s is not installed", app.Slug)
		}
		_, err := w.createCheck(c, r, checkSpec{Name: name, HeadSHA: sha, Conclusion: &conclusion})
		return err
	})
}

func (w *World) firstInstallation(app *App) *Installation {
	for _, i := range w.installations() {
		if i.App == app {
			return i
		}
	}
	return nil
}

// MergeGroup puts pull requests into the merge queue: a commit on top of the
// base with what they change, and the event that asks for checks on it.
func (w *World) MergeGroup(repo string, numbers ...int) (head string, err error) {
	err = w.onRepo(repo, func(r *Repo) error {
		base := r.refs[r.DefaultBranch]
		files := r.objects.filesAt(base)
		for _, n := range numbers {
			p, err := r.pull(n)
			if err != nil {
				return err
			}
			o := r.objects
			files = o.overlay(files, o.filesAt(o.mergeBase(base, p.HeadSHA)), o.filesAt(p.HeadSHA))
		}
		last := numbers[len(numbers)-1]
		head = r.commitFiles(r.Owner, base, "Merge group", files).SHA
		name := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", r.DefaultBranch, last, base)
		r.refs[name] = head
		w.emit(person(r.Owner), fact{event: "merge_group", action: "checks_requested", repo: r, fields: object{"merge_group": object{
			"head_sha": head, "head_ref": "refs/heads/" + name, "base_sha": base, "base_ref": "refs/heads/" + r.DefaultBranch,
			"head_commit": w.pushCommitJSON(r, r.objects.commits[head]),
		}}})
		return nil
	})
	return head, err
}

// DestroyMergeGroup takes a group out of the queue (merged, invalidated, dequeued).
func (w *World) DestroyMergeGroup(repo, head, reason string) error {
	return w.onRepo(repo, func(r *Repo) error {
		for name, sha := range r.refs {
			if sha != head || !strings.HasPrefix(name, "gh-readonly-queue/") {
				continue
			}
			delete(r.refs, name)
			base := r.refs[r.DefaultBranch]
			w.emit(person(r.Owner), fact{event: "merge_group", action: "destroyed", repo: r, fields: object{
				"reason": reason, "merge_group": object{"head_sha": head, "head_ref": "refs/heads/" + name, "base_sha": base,
					"base_ref": "refs/heads/" + r.DefaultBranch, "head_commit": w.pushCommitJSON(r, r.objects.commits[head])}}})
			return nil
		}
		return refuse(notFound, "no merge group at %s", head)
	})
}
