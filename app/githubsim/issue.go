package githubsim

import (
	"slices"
	"strings"
	"time"
)

// Issue is an issue, or the conversation of a pull request.
type Issue struct {
	ID          int64
	NodeID      string
	Number      int
	Title       string
	Body        string
	State       string // open, closed
	StateReason string
	Author      *Account
	Labels      []*Label
	Assignees   []*Account
	Comments    []*Comment
	Reactions   []*Reaction
	Locked      bool
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClosedAt    time.Time

	repo     *Repo
	pull     *Pull
	app      *App
	timeline []timelineEvent
}

// Comment is a comment on an issue or pull request.
type Comment struct {
	ID        int64
	NodeID    string
	Body      string
	Author    *Account
	Editor    *Account
	Reactions []*Reaction
	Minimized string
	CreatedAt time.Time
	UpdatedAt time.Time

	issue *Issue
	app   *App
}

// Reaction is one account's reaction.
type Reaction struct {
	ID      int64
	NodeID  string
	Content string // in GraphQL's words: EYES, ROCKET, CONFUSED, THUMBS_UP
	By      *Account
	At      time.Time
}

// reactionNames are REST's words for GraphQL's.
var reactionNames = map[string]string{
	"THUMBS_UP": "+1", "THUMBS_DOWN": "-1", "LAUGH": "laugh", "HOORAY": "hooray",
	"CONFUSED": "confused", "HEART": "heart", "ROCKET": "rocket", "EYES": "eyes",
}

func (r *Repo) issue(number int) (*Issue, error) {
	if i := r.issues[number]; i != nil {
		return i, nil
	}
	return nil, refuse(notFound, "Not Found")
}

func (w *World) openIssue(c *caller, r *Repo, title, body string) (*Issue, error) {
	if err := c.needs(r, "issues", RoleRead); err != nil {
		return nil, err
	}
	i, err := r.newIssue(c, title, body)
	if err != nil {
		return nil, err
	}
	i.NodeID = w.register("I", i.ID, i)
	w.emitIssue(c, i, "opened", nil)
	return i, nil
}

func (r *Repo) newIssue(c *caller, title, body string) (*Issue, error) {
	if r.Archived {
		return nil, refuse(readOnly, "Repository was archived so is read-only.")
	}
	if strings.TrimSpace(title) == "" {
		return nil, missing("Issue", "title")
	}
	if len([]rune(title)) > 256 {
		return nil, invalid("Issue", "title", "title is too long (maximum is 256 characters)")
	}
	if err := checkBody("Issue", body); err != nil {
		return nil, err
	}
	r.number++
	now := r.world.now()
	i := &Issue{ID: r.world.nextID(), Number: r.number, Title: title, Body: body, State: "open",
		Author: c.account, CreatedAt: now, UpdatedAt: now, repo: r, app: c.app}
	r.issues[i.Number] = i
	return i, nil
}

// issueEdit holds the fields to change; nil leaves one alone.
type issueEdit struct {
	Title *string
	Body  *string
	Base  *string
}

func (w *World) editIssue(c *caller, i *Issue, e issueEdit) error {
	if err := i.mayEdit(c, i.Author); err != nil {
		return err
	}
	changes := object{}
	if e.Title != nil && *e.Title != i.Title {
		if strings.TrimSpace(*e.Title) == "" {
			return missing("Issue", "title")
		}
		changes["title"] = object{"from": i.Title}
		i.Title = *e.Title
	}
	if e.Body != nil && *e.Body != i.Body {
		if err := checkBody("Issue", *e.Body); err != nil {
			return err
		}
		changes["body"] = object{"from": i.Body}
		i.Body = *e.Body
	}
	if e.Base != nil && i.pull != nil && *e.Base != i.pull.BaseRef {
		if _, ok := i.repo.refs[*e.Base]; !ok {
			return invalid("PullRequest", "base", "Proposed base branch '"+*e.Base+"' was not found")
		}
		changes["base"] = object{"ref": object{"from": i.pull.BaseRef}, "sha": object{"from": i.pull.baseSHA()}}
		i.pull.BaseRef = *e.Base
	}
	if len(changes) == 0 {
		return nil
	}
	i.UpdatedAt = w.now()
	w.emitIssue(c, i, "edited", object{"changes": changes})
	return nil
}

// permission is the app permission that writing to it takes.
func (i *Issue) permission() string {
	if i.pull != nil {
		return "pull_requests"
	}
	return "issues"
}

// mayEdit: the author, or somebody with write access.
func (i *Issue) mayEdit(c *caller, author *Account) error {
	level := RoleWrite
	if c.account == author {
		level = RoleRead
	}
	if i.repo.Archived {
		return refuse(readOnly, "Repository was archived so is read-only.")
	}
	return c.needs(i.repo, i.permission(), level)
}

func (w *World) setIssueState(c *caller, i *Issue, state, reason string) error {
	if err := i.mayEdit(c, i.Author); err != nil {
		return err
	}
	if state == i.State {
		return nil
	}
	if state == "closed" {
		w.closeIssue(c, i, reason)
		return nil
	}
	if i.pull != nil {
		if err := i.pull.mayReopen(); err != nil {
			return err
		}
	}
	i.State, i.StateReason, i.ClosedAt, i.UpdatedAt = "open", "reopened", time.Time{}, w.now()
	w.emitIssue(c, i, "reopened", nil)
	return nil
}

func (w *World) closeIssue(c *caller, i *Issue, reason string) {
	if reason == "" && i.pull == nil {
		reason = "completed"
	}
	i.State, i.StateReason, i.ClosedAt, i.UpdatedAt = "closed", reason, w.now(), w.now()
	w.emitIssue(c, i, "closed", nil)
}

func (w *World) addLabels(c *caller, i *Issue, labels []*Label) error {
	if err := c.needsEither(i.repo, "issues", i.permission(), RoleTriage); err != nil {
		return err
	}
	if i.repo.Archived {
		return refuse(readOnly, "Repository was archived so is read-only.")
	}
	for _, l := range labels {
		if slices.Contains(i.Labels, l) {
			continue
		}
		i.Labels = append(i.Labels, l)
		i.UpdatedAt = w.now()
		i.timeline = append(i.timeline, timelineEvent{"LabeledEvent", w.nextID(), l, c.account, i.UpdatedAt})
		w.emitIssue(c, i, "labeled", object{"label": w.labelJSON(i.repo, l)})
	}
	return nil
}

func (w *World) removeLabel(c *caller, i *Issue, l *Label) error {
	if err := c.needsEither(i.repo, "issues", i.permission(), RoleTriage); err != nil {
		return err
	}
	at := slices.Index(i.Labels, l)
	if at < 0 {
		return refuse(notFound, "Label does not exist")
	}
	i.Labels = slices.Delete(i.Labels, at, at+1)
	i.UpdatedAt = w.now()
	i.timeline = append(i.timeline, timelineEvent{"UnlabeledEvent", w.nextID(), l, c.account, i.UpdatedAt})
	w.emitIssue(c, i, "unlabeled", object{"label": w.labelJSON(i.repo, l)})
	return nil
}

// assign adds those who can be assigned; GitHub drops the others in silence.
func (w *World) assign(c *caller, i *Issue, people []*Account) error {
	if err := c.needsEither(i.repo, "issues", i.permission(), RoleTriage); err != nil {
		return err
	}
	for _, a := range people {
		if slices.Contains(i.Assignees, a) || a.Type != "User" || i.repo.role(a) < RoleRead || len(i.Assignees) >= 10 {
			continue
		}
		i.Assignees = append(i.Assignees, a)
		w.emitIssue(c, i, "assigned", object{"assignee": w.userJSON(a)})
	}
	i.UpdatedAt = w.now()
	return nil
}

func (w *World) unassign(c *caller, i *Issue, people []*Account) error {
	if err := c.needsEither(i.repo, "issues", i.permission(), RoleTriage); err != nil {
		return err
	}
	for _, a := range people {
		if at := slices.Index(i.Assignees, a); at >= 0 {
			i.Assignees = slices.Delete(i.Assignees, at, at+1)
			w.emitIssue(c, i, "unassigned", object{"assignee": w.userJSON(a)})
		}
	}
	return nil
}

func (w *World) addComment(c *caller, i *Issue, body string) (*Comment, error) {
	level := RoleRead
	if i.Locked {
		level = RoleWrite
	}
	if err := c.needsEither(i.repo, "issues", i.permission(), level); err != nil {
		return nil, err
	}
	if i.repo.Archived {
		return nil, refuse(readOnly, "Repository was archived so is read-only.")
	}
	if strings.TrimSpace(body) == "" {
		return nil, missing("IssueComment", "body")
	}
	if err := checkBody("IssueComment", body); err != nil {
		return nil, err
	}
	now := w.now()
	k := &Comment{ID: w.nextID(), Body: body, Author: c.account, CreatedAt: now, UpdatedAt: now, issue: i, app: c.app}
	k.NodeID = w.register("IC", k.ID, k)
	i.Comments = append(i.Comments, k)
	i.UpdatedAt = now
	w.marks = append(w.marks, k)
	w.emitComment(c, k, "created", nil)
	return k, nil
}

func (w *World) editComment(c *caller, k *Comment, body string) error {
	if err := k.issue.mayEdit(c, k.Author); err != nil {
		return err
	}
	if err := checkBody("IssueComment", body); err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return missing("IssueComment", "body")
	}
	from := k.Body
	k.Body, k.Editor, k.UpdatedAt = body, c.account, w.now()
	w.emitComment(c, k, "edited", object{"changes": object{"body": object{"from": from}}})
	return nil
}

func (w *World) deleteComment(c *caller, k *Comment) error {
	if err := k.issue.mayEdit(c, k.Author); err != nil {
		return err
	}
	k.issue.Comments = slices.DeleteFunc(k.issue.Comments, func(other *Comment) bool { return other == k })
	delete(w.nodes, k.NodeID)
	w.emitComment(c, k, "deleted", nil)
	return nil
}

// react adds a reaction; the second result is false when it was there already.
func (w *World) react(c *caller, on *[]*Reaction, content string) (*Reaction, bool) {
	for _, have := range *on {
		if have.By == c.account && have.Content == content {
			return have, false
		}
	}
	x := &Reaction{ID: w.nextID(), Content: content, By: c.account, At: w.now()}
	x.NodeID = w.register("REA", x.ID, x)
	*on = append(*on, x)
	w.touch()
	return x, true
}
