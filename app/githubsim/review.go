package githubsim

import (
	"strings"
	"time"
)

// Review is a pull request review.
type Review struct {
	ID          int64
	NodeID      string
	Body        string
	State       string // PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
	Author      *Account
	CommitID    string
	Comments    []*ReviewComment
	Reactions   []*Reaction
	Minimized   string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	SubmittedAt time.Time

	pull *Pull
	app  *App
}

// ReviewComment is one comment of a thread.
type ReviewComment struct {
	ID        int64
	NodeID    string
	Body      string
	Author    *Account
	Reactions []*Reaction
	Minimized string
	CreatedAt time.Time
	UpdatedAt time.Time

	thread   *Thread
	review   *Review
	replyTo  *ReviewComment
	commitID string
	app      *App
}

// place is where a new thread goes.
type place struct {
	Path      string
	Body      string
	Line      int
	Side      string
	StartLine int
	StartSide string
	File      bool
}

// reviewStates are what the events make of a review.
var reviewStates = map[string]string{
	"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED",
}

type reviewSpec struct {
	CommitID string
	Body     string
	Event    string
	Places   []place
}

// addReview makes a review. Lenient is GraphQL's way: a place outside the diff
// is dropped in silence; REST refuses the whole review.
func (w *World) addReview(c *caller, p *Pull, s reviewSpec, lenient bool) (*Review, error) {
	if err := c.needs(p.repo, "pull_requests", RoleRead); err != nil {
		return nil, err
	}
	if err := p.reviewable(c, s); err != nil {
		return nil, err
	}
	if s.CommitID == "" {
		s.CommitID = p.HeadSHA
	}
	if p.repo.objects.commits[s.CommitID] == nil {
		return nil, refuse(unprocessable, "commit_id is not part of the pull request")
	}
	var places []place
	diff := p.diffAt(s.CommitID)
	for _, at := range s.Places {
		err := checkPlace(diff, at)
		if err != nil && !lenient {
			return nil, err
		}
		if err == nil {
			places = append(places, at)
		}
	}
	now := w.now()
	v := &Review{ID: w.nextID(), Body: s.Body, State: "PENDING", Author: c.account, CommitID: s.CommitID,
		CreatedAt: now, UpdatedAt: now, pull: p, app: c.app}
	v.NodeID = w.register("PRR", v.ID, v)
	p.Reviews = append(p.Reviews, v)
	for _, at := range places {
		w.addThread(c, v, at, diff)
	}
	w.touch()
	if s.Event == "" {
		return v, nil
	}
	return v, w.submitReview(c, v, s.Event, s.Body)
}

func (p *Pull) reviewable(c *caller, s reviewSpec) error {
	if p.repo.Archived {
		return refuse(readOnly, "Repository was archived so is read-only.")
	}
	if _, ok := reviewStates[s.Event]; !ok {
		return refuse(unprocessable, "Variable $event is not a review event: %s", s.Event)
	}
	if err := checkBody("PullRequestReview", s.Body); err != nil {
		return err
	}
	for _, v := range p.Reviews {
		if v.State == "PENDING" && v.Author == c.account {
			return refuse(unprocessable, "User can only have one pending review per pull request")
		}
	}
	return p.eventAllowed(c, s.Event, s.Body)
}

// eventAllowed: nobody judges their own pull request, and a comment says something.
func (p *Pull) eventAllowed(c *caller, event, body string) error {
	if c.account == p.Author && event == "APPROVE" {
		return refuse(unprocessable, "Can not approve your own pull request")
	}
	if c.account == p.Author && event == "REQUEST_CHANGES" {
		return refuse(unprocessable, "Can not request changes on your own pull request")
	}
	if (event == "COMMENT" || event == "REQUEST_CHANGES") && strings.TrimSpace(body) == "" {
		return refuse(unprocessable, "Review body cannot be blank")
	}
	return nil
}

// checkPlace refuses a line that the diff does not show.
func checkPlace(diff []fileDiff, at place) error {
	if strings.TrimSpace(at.Body) == "" {
		return invalid("PullRequestReviewComment", "body", "body cannot be blank")
	}
	if err := checkBody("PullRequestReviewComment", at.Body); err != nil {
		return err
	}
	for _, d := range diff {
		if d.Path != at.Path {
			continue
		}
		if at.File {
			return nil
		}
		return checkLines(d, at)
	}
	return invalid("PullRequestReviewComment", "pull_request_review_thread.path", "Path could not be resolved")
}

func checkLines(d fileDiff, at place) error {
	outside := invalid("PullRequestReviewComment", "pull_request_review_thread.line",
		"pull_request_review_thread.line must be part of the diff")
	end := d.hunkOf(at.side(), at.Line)
	if end < 0 {
		return outside
	}
	if at.StartLine == 0 {
		return nil
	}
	if at.StartLine >= at.Line && at.side() == at.startSide() {
		return invalid("PullRequestReviewComment", "pull_request_review_thread.start_line",
			"pull_request_review_thread.start_line must precede the end line.")
	}
	if d.hunkOf(at.startSide(), at.StartLine) != end {
		return invalid("PullRequestReviewComment", "pull_request_review_thread.start_line",
			"pull_request_review_thread.start_line must be part of the same hunk as the line.")
	}
	return nil
}

func (at place) side() string {
	if at.Side == "" {
		return "RIGHT"
	}
	return at.Side
}

func (at place) startSide() string {
	if at.StartSide == "" {
		return at.side()
	}
	return at.StartSide
}

// addThread opens a thread in a review; the place was checked.
func (w *World) addThread(c *caller, v *Review, at place, diff []fileDiff) *Thread {
	t := &Thread{ID: w.nextID(), Path: at.Path, Side: at.side(), File: at.File, pull: v.pull}
	if !at.File {
		t.Line, t.originalLine = at.Line, at.Line
		if at.StartLine > 0 {
			t.StartLine, t.originalStart, t.StartSide = at.StartLine, at.StartLine, at.startSide()
		}
		for _, d := range diff {
			if n := d.hunkOf(t.Side, t.Line); d.Path == at.Path && n >= 0 {
				t.hunk = d.Hunks[n].upTo(t.Side, t.Line)
				t.position = d.before(n) + strings.Count(t.hunk, "\n")
			}
		}
	}
	t.NodeID = w.register("PRRT", t.ID, t)
	v.pull.Threads = append(v.pull.Threads, t)
	w.addReply(c, v, t, at.Body)
	return t
}

// addReply puts a comment into a thread, as part of a review.
func (w *World) addReply(c *caller, v *Review, t *Thread, body string) *ReviewComment {
	now := w.now()
	k := &ReviewComment{ID: w.nextID(), Body: body, Author: c.account, CreatedAt: now, UpdatedAt: now,
		thread: t, review: v, commitID: v.CommitID, app: c.app}
	if len(t.Comments) > 0 {
		k.replyTo = t.Comments[0]
	}
	k.NodeID = w.register("PRRC", k.ID, k)
	t.Comments = append(t.Comments, k)
	v.Comments = append(v.Comments, k)
	w.touch()
	return k
}

// submitReview makes a pending review visible.
func (w *World) submitReview(c *caller, v *Review, event, body string) error {
	if err := c.needs(v.pull.repo, "pull_requests", RoleRead); err != nil {
		return err
	}
	if v.State != "PENDING" || v.Author != c.account {
		return refuse(unprocessable, "Could not submit the review: it is not pending")
	}
	if body == "" {
		body = v.Body
	}
	if err := v.pull.eventAllowed(c, event, body); err != nil {
		return err
	}
	v.Body, v.State = body, reviewStates[event]
	v.SubmittedAt, v.UpdatedAt = w.now(), w.now()
	w.publish(c, v)
	return nil
}

// publish tells the world about a review that has just become visible.
func (w *World) publish(c *caller, v *Review) {
	w.marks = append(w.marks, v)
	w.emitReview(c, v, "submitted", nil)
	for _, k := range v.Comments {
		w.emitReviewComment(c, k, "created", nil)
	}
}

// commentOnLine is a single line comment outside a review of several: GitHub
// wraps it into a review without a body.
func (w *World) commentOnLine(c *caller, p *Pull, commitID string, at place) (*ReviewComment, error) {
	if err := c.needs(p.repo, "pull_requests", RoleRead); err != nil {
		return nil, err
	}
	if commitID == "" {
		commitID = p.HeadSHA
	}
	diff := p.diffAt(commitID)
	if err := checkPlace(diff, at); err != nil {
		return nil, err
	}
	v := w.quietReview(c, p, commitID)
	t := w.addThread(c, v, at, diff)
	w.publish(c, v)
	return t.Comments[0], nil
}

// reply answers in a thread.
func (w *World) reply(c *caller, t *Thread, body string) (*ReviewComment, error) {
	if err := c.needs(t.pull.repo, "pull_requests", RoleRead); err != nil {
		return nil, err
	}
	if strings.TrimSpace(body) == "" {
		return nil, missing("PullRequestReviewComment", "body")
	}
	if err := checkBody("PullRequestReviewComment", body); err != nil {
		return nil, err
	}
	v := w.quietReview(c, t.pull, t.pull.HeadSHA)
	k := w.addReply(c, v, t, body)
	w.publish(c, v)
	return k, nil
}

func (w *World) quietReview(c *caller, p *Pull, commitID string) *Review {
	now := w.now()
	v := &Review{ID: w.nextID(), State: "COMMENTED", Author: c.account, CommitID: commitID,
		CreatedAt: now, UpdatedAt: now, SubmittedAt: now, pull: p, app: c.app}
	v.NodeID = w.register("PRR", v.ID, v)
	p.Reviews = append(p.Reviews, v)
	return v
}

func (w *World) editReview(c *caller, v *Review, body string) error {
	if v.Author != c.account {
		return refuse(forbidden, "You can only edit your own review")
	}
	if err := checkBody("PullRequestReview", body); err != nil {
		return err
	}
	if err := c.needs(v.pull.repo, "pull_requests", RoleRead); err != nil {
		return err
	}
	from := v.Body
	v.Body, v.UpdatedAt = body, w.now()
	w.emitReview(c, v, "edited", object{"changes": object{"body": object{"from": from}}})
	return nil
}

func (w *World) editReviewComment(c *caller, k *ReviewComment, body string) error {
	if err := k.thread.pull.mayEdit(c, k.Author); err != nil {
		return err
	}
	if err := checkBody("PullRequestReviewComment", body); err != nil {
		return err
	}
	from := k.Body
	k.Body, k.UpdatedAt = body, w.now()
	w.emitReviewComment(c, k, "edited", object{"changes": object{"body": object{"from": from}}})
	return nil
}
