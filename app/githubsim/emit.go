package githubsim

import (
	"encoding/json"
	"fmt"
	"slices"
)

// object is JSON on its way out: a payload, or a part of an answer.
type object map[string]any

// fact is something that happened and that apps may hear of.
type fact struct {
	event  string
	action string
	repo   *Repo
	only   *App // deliver to this app alone
	fields object
}

// emit queues a delivery for every installation that covers the repository and
// whose app has subscribed.
func (w *World) emit(c *caller, f fact) {
	for _, inst := range w.installationsOn(f.repo) {
		if f.only != nil && f.only != inst.App || !inst.hears(f.event) {
			continue
		}
		w.deliver(c, inst, f)
	}
	w.touch()
}

// hears says whether an installation's app is told of an event: those it
// subscribed to, and checks when it may write them.
func (i *Installation) hears(event string) bool {
	if event == "check_run" || event == "check_suite" {
		return i.Permissions["checks"] != ""
	}
	return slices.Contains(i.Events, event)
}

func (w *World) deliver(c *caller, inst *Installation, f fact) {
	if inst.App.HookOff {
		return
	}
	body := object{"sender": w.userJSON(c.account)}
	if f.action != "" {
		body["action"] = f.action
	}
	if f.event != "installation" && f.event != "installation_repositories" {
		body["installation"] = object{"id": inst.ID, "node_id": inst.nodeID}
	}
	d := &Delivery{ID: w.nextID(), GUID: newGUID(), Event: f.event, Action: f.action, Installation: inst.ID, app: inst.App}
	if f.repo != nil {
		body["repository"] = w.repoJSON(f.repo)
		d.Repository = f.repo.ID
		if f.repo.Owner.Type == "Organization" {
			body["organization"] = w.orgJSON(f.repo.Owner)
		}
	}
	for k, v := range f.fields {
		body[k] = v
	}
	d.Payload = mustJSON(body)
	w.hooks.enqueue(d)
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("githubsim: payload that is not JSON: " + err.Error())
	}
	return raw
}

// with adds fields to an object and returns it.
func (o object) with(more object) object {
	for k, v := range more {
		o[k] = v
	}
	return o
}

func (w *World) emitIssue(c *caller, i *Issue, action string, more object) {
	if i.pull != nil {
		w.emitPull(c, i.pull, action, more)
		return
	}
	w.emit(c, fact{event: "issues", action: action, repo: i.repo, fields: object{"issue": w.issueJSON(i)}.with(more)})
}

func (w *World) emitPull(c *caller, p *Pull, action string, more object) {
	fields := object{"number": p.Number, "pull_request": w.pullJSON(p, true)}.with(more)
	w.emit(c, fact{event: "pull_request", action: action, repo: p.repo, fields: fields})
}

func (w *World) emitComment(c *caller, k *Comment, action string, more object) {
	fields := object{"issue": w.issueJSON(k.issue), "comment": w.commentJSON(k)}.with(more)
	w.emit(c, fact{event: "issue_comment", action: action, repo: k.issue.repo, fields: fields})
}

func (w *World) emitReview(c *caller, v *Review, action string, more object) {
	review := w.reviewJSON(v)
	review["state"] = lower(v.State) // the payload differs from REST in this one
	fields := object{"review": review, "pull_request": w.pullJSON(v.pull, false)}.with(more)
	w.emit(c, fact{event: "pull_request_review", action: action, repo: v.pull.repo, fields: fields})
}

func (w *World) emitReviewComment(c *caller, k *ReviewComment, action string, more object) {
	p := k.thread.pull
	fields := object{"comment": w.reviewCommentJSON(k), "pull_request": w.pullJSON(p, false)}.with(more)
	w.emit(c, fact{event: "pull_request_review_comment", action: action, repo: p.repo, fields: fields})
}

func (w *World) emitThread(c *caller, t *Thread, action string) {
	comments := []object{}
	for _, k := range t.Comments {
		comments = append(comments, w.reviewCommentJSON(k))
	}
	fields := object{"thread": object{"node_id": t.NodeID, "comments": comments}, "pull_request": w.pullJSON(t.pull, false)}
	w.emit(c, fact{event: "pull_request_review_thread", action: action, repo: t.pull.repo, fields: fields})
}

func (w *World) emitCheck(c *caller, k *Check, action string, more object) {
	f := fact{event: "check_run", action: action, repo: k.suite.repo, fields: object{"check_run": w.checkJSON(k, true)}.with(more)}
	if action == "requested_action" || action == "rerequested" {
		f.only = k.suite.App
	}
	w.emit(c, f)
}

func (w *World) emitSuite(c *caller, s *Suite, action string) {
	f := fact{event: "check_suite", action: action, repo: s.repo, fields: object{"check_suite": w.suiteJSON(s)}}
	if action != "completed" {
		f.only = s.App
	}
	w.emit(c, f)
}

// push is a branch that moved.
type push struct {
	branch string
	before string
	after  string
}

func (w *World) emitPush(c *caller, r *Repo, p push) {
	commits := []object{}
	var head any
	if p.after != zeroSHA {
		since := p.before
		if since == zeroSHA && p.branch != r.DefaultBranch { // a new branch lists what the default one lacks
			since = r.refs[r.DefaultBranch]
		}
		for _, k := range r.objects.between(since, p.after) {
			commits = append(commits, w.pushCommitJSON(r, k))
		}
		head = w.pushCommitJSON(r, r.objects.commits[p.after])
	}
	w.emit(c, fact{event: "push", repo: r, fields: object{
		"ref": "refs/heads/" + p.branch, "before": p.before, "after": p.after, "base_ref": nil,
		"created": p.before == zeroSHA, "deleted": p.after == zeroSHA,
		"forced":  p.before != zeroSHA && p.after != zeroSHA && !r.objects.contains(p.after, p.before),
		"compare": fmt.Sprintf("%s/%s/compare/%.12s...%.12s", w.cfg.WebURL, r.FullName(), p.before, p.after),
		"commits": commits, "head_commit": head,
		"pusher": object{"name": c.account.Login, "email": c.account.signature(w.now()).Email},
	}})
}

func (w *World) emitInstallation(c *caller, i *Installation, action string, repos []*Repo) {
	list := []object{}
	for _, r := range repos {
		list = append(list, repoStub(r))
	}
	w.deliver(c, i, fact{event: "installation", action: action, fields: object{
		"installation": w.installationJSON(i), "repositories": list, "requester": nil,
	}})
	w.touch()
}

func (w *World) emitSelection(c *caller, i *Installation, added, removed []*Repo) {
	action := "added"
	stubs := func(repos []*Repo) []object {
		out := []object{}
		for _, r := range repos {
			out = append(out, repoStub(r))
		}
		return out
	}
	if len(removed) > 0 {
		action = "removed"
	}
	w.deliver(c, i, fact{event: "installation_repositories", action: action, fields: object{
		"installation": w.installationJSON(i), "repository_selection": i.selection(), "requester": nil,
		"repositories_added": stubs(added), "repositories_removed": stubs(removed),
	}})
	w.touch()
}
