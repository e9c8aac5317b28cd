package githubsim

import (
	"slices"
	"strings"
)

var issueRoutes = []route{
	{"GET", "/repos/{o}/{r}/issues", inRepo(listIssues)},
	{"POST", "/repos/{o}/{r}/issues", inRepo(postIssue)},
	{"GET", "/repos/{o}/{r}/issues/{n}", inIssue(func(c *call, i *Issue) (*answer, error) { return ok(c.w.issueJSON(i)) })},
	{"PATCH", "/repos/{o}/{r}/issues/{n}", inIssue(patchIssue)},
	{"GET", "/repos/{o}/{r}/issues/{n}/comments", inIssue(func(c *call, i *Issue) (*answer, error) {
		return ok(each(page(c, i.Comments), c.w.commentJSON))
	})},
	{"POST", "/repos/{o}/{r}/issues/{n}/comments", inIssue(postComment)},
	{"GET", "/repos/{o}/{r}/issues/comments/{id}", inComment(func(c *call, k *Comment) (*answer, error) { return ok(c.w.commentJSON(k)) })},
	{"PATCH", "/repos/{o}/{r}/issues/comments/{id}", inComment(patchComment)},
	{"DELETE", "/repos/{o}/{r}/issues/comments/{id}", inComment(func(c *call, k *Comment) (*answer, error) {
		if err := c.w.deleteComment(c.caller, k); err != nil {
			return nil, err
		}
		return noContent()
	})},
	{"GET", "/repos/{o}/{r}/issues/{n}/labels", inIssue(func(c *call, i *Issue) (*answer, error) { return ok(c.labelsJSON(i)) })},
	{"POST", "/repos/{o}/{r}/issues/{n}/labels", inIssue(postLabels)},
	{"DELETE", "/repos/{o}/{r}/issues/{n}/labels/{name}", inIssue(removeIssueLabel)},
	{"POST", "/repos/{o}/{r}/issues/{n}/assignees", inIssue(postAssignees)},
	{"DELETE", "/repos/{o}/{r}/issues/{n}/assignees", inIssue(postAssignees)},
	{"GET", "/repos/{o}/{r}/issues/{n}/reactions", inIssue(func(c *call, i *Issue) (*answer, error) { return c.listReactions(i.Reactions) })},
	{"POST", "/repos/{o}/{r}/issues/{n}/reactions", inIssue(func(c *call, i *Issue) (*answer, error) {
		return c.postReaction(i.repo, i.permission(), &i.Reactions)
	})},
	{"GET", "/repos/{o}/{r}/issues/comments/{id}/reactions", inComment(func(c *call, k *Comment) (*answer, error) {
		return c.listReactions(k.Reactions)
	})},
	{"POST", "/repos/{o}/{r}/issues/comments/{id}/reactions", inComment(func(c *call, k *Comment) (*answer, error) {
		return c.postReaction(k.issue.repo, k.issue.permission(), &k.Reactions)
	})},
}

func inIssue(handle func(*call, *Issue) (*answer, error)) handler {
	return inRepo(func(c *call, r *Repo) (*answer, error) {
		n, err := c.number("n")
		if err != nil {
			return nil, err
		}
		i, err := r.issue(int(n))
		if err != nil {
			return nil, err
		}
		if err := c.caller.reads(r, i.permission()); err != nil && c.caller.reads(r, "issues") != nil {
			return nil, err
		}
		return handle(c, i)
	})
}

func inComment(handle func(*call, *Comment) (*answer, error)) handler {
	return inRepo(func(c *call, r *Repo) (*answer, error) {
		id, err := c.number("id")
		if err != nil {
			return nil, err
		}
		k, found := c.w.nodes[nodeID("IC", id)].(*Comment)
		if !found || k.issue.repo != r {
			return nil, refuse(notFound, "Not Found")
		}
		return handle(c, k)
	})
}

func listIssues(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "issues"); err != nil {
		return nil, err
	}
	state := c.query("state")
	if state == "" {
		state = "open"
	}
	var labels []string
	if q := c.query("labels"); q != "" {
		labels = strings.Split(q, ",")
	}
	list := []*Issue{}
	for n := r.number; n > 0; n-- {
		i := r.issues[n]
		if i != nil && (state == "all" || i.State == state) && i.hasLabels(labels) {
			list = append(list, i)
		}
	}
	return ok(each(page(c, list), c.w.issueJSON))
}

func (i *Issue) hasLabels(names []string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(i.Labels, func(l *Label) bool { return strings.EqualFold(l.Name, name) }) {
			return false
		}
	}
	return true
}

func postIssue(c *call, r *Repo) (*answer, error) {
	var in struct {
		Title     any
		Body      string
		Labels    []string
		Assignees []string
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	title, _ := in.Title.(string)
	i, err := c.w.openIssue(c.caller, r, title, in.Body)
	if err != nil {
		return nil, err
	}
	c.created++
	labels := []*Label{}
	for _, name := range in.Labels {
		labels = append(labels, r.addLabel(name))
	}
	if err := c.w.addLabels(c.caller, i, labels); err != nil {
		return nil, err
	}
	if err := c.w.assign(c.caller, i, c.people(in.Assignees)); err != nil {
		return nil, err
	}
	return created(c.w.issueJSON(i))
}

func (c *call) people(logins []string) []*Account {
	out := []*Account{}
	for _, login := range logins {
		if a := c.w.accounts[lower(login)]; a != nil {
			out = append(out, a)
		}
	}
	return out
}

func patchIssue(c *call, i *Issue) (*answer, error) {
	var in struct {
		Title       *string
		Body        *string
		State       string
		StateReason string `json:"state_reason"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.w.editIssue(c.caller, i, issueEdit{Title: in.Title, Body: in.Body}); err != nil {
		return nil, err
	}
	if in.State != "" {
		if err := c.w.setIssueState(c.caller, i, in.State, in.StateReason); err != nil {
			return nil, err
		}
	}
	return ok(c.w.issueJSON(i))
}

func postComment(c *call, i *Issue) (*answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	k, err := c.w.addComment(c.caller, i, in.Body)
	if err != nil {
		return nil, err
	}
	c.created++
	return created(c.w.commentJSON(k))
}

func patchComment(c *call, k *Comment) (*answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.w.editComment(c.caller, k, in.Body); err != nil {
		return nil, err
	}
	return ok(c.w.commentJSON(k))
}

func (c *call) labelsJSON(i *Issue) []object {
	return each(i.Labels, func(l *Label) object { return c.w.labelJSON(i.repo, l) })
}

func postLabels(c *call, i *Issue) (*answer, error) {
	var in struct{ Labels []string }
	if err := c.decode(&in); err != nil {
		// GitHub takes a bare list as well.
		if err := c.decode(&in.Labels); err != nil {
			return nil, err
		}
	}
	labels := []*Label{}
	for _, name := range in.Labels {
		labels = append(labels, i.repo.addLabel(name))
	}
	if err := c.w.addLabels(c.caller, i, labels); err != nil {
		return nil, err
	}
	return ok(c.labelsJSON(i))
}

func removeIssueLabel(c *call, i *Issue) (*answer, error) {
	l := i.repo.label(c.vars["name"])
	if l == nil {
		return nil, refuse(notFound, "Label does not exist")
	}
	if err := c.w.removeLabel(c.caller, i, l); err != nil {
		return nil, err
	}
	return ok(c.labelsJSON(i))
}

func postAssignees(c *call, i *Issue) (*answer, error) {
	var in struct{ Assignees []string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	change := c.w.assign
	if c.method == "DELETE" {
		change = c.w.unassign
	}
	if err := change(c.caller, i, c.people(in.Assignees)); err != nil {
		return nil, err
	}
	if c.method == "DELETE" {
		return ok(c.w.issueJSON(i))
	}
	return created(c.w.issueJSON(i))
}

func (c *call) listReactions(list []*Reaction) (*answer, error) {
	return ok(each(page(c, list), c.w.reactionJSON))
}

func (c *call) postReaction(r *Repo, permission string, on *[]*Reaction) (*answer, error) {
	if err := c.caller.needsEither(r, "issues", permission, RoleRead); err != nil {
		return nil, err
	}
	var in struct{ Content string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	for content, name := range reactionNames {
		if name != in.Content {
			continue
		}
		x, fresh := c.w.react(c.caller, on, content)
		if fresh {
			return created(c.w.reactionJSON(x))
		}
		return ok(c.w.reactionJSON(x))
	}
	return nil, invalid("Reaction", "content", "content is not one of the reactions")
}
