package githubsim

import (
	"slices"
)

var pullRoutes = []route{
	{"GET", "/repos/{o}/{r}/pulls", inRepo(listPulls)},
	{"POST", "/repos/{o}/{r}/pulls", inRepo(postPull)},
	{"GET", "/repos/{o}/{r}/pulls/{n}", inPull(func(c *call, p *Pull) (*answer, error) { return ok(c.w.pullJSON(p, true)) })},
	{"PATCH", "/repos/{o}/{r}/pulls/{n}", inPull(patchPull)},
	{"GET", "/repos/{o}/{r}/pulls/{n}/files", inPull(func(c *call, p *Pull) (*answer, error) {
		return ok(each(page(c, p.diff()), func(d fileDiff) object { return c.w.fileJSON(p, d) }))
	})},
	{"GET", "/repos/{o}/{r}/pulls/{n}/commits", inPull(func(c *call, p *Pull) (*answer, error) {
		return ok(each(page(c, p.commits()), func(k *commit) object { return c.w.commitJSON(p.repo, k) }))
	})},
	{"GET", "/repos/{o}/{r}/pulls/{n}/reviews", inPull(func(c *call, p *Pull) (*answer, error) {
		return ok(each(page(c, p.visible(c.caller)), c.w.reviewJSON))
	})},
	{"POST", "/repos/{o}/{r}/pulls/{n}/reviews", inPull(postReview)},
	{"GET", "/repos/{o}/{r}/pulls/{n}/reviews/{id}", inReview(func(c *call, v *Review) (*answer, error) { return ok(c.w.reviewJSON(v)) })},
	{"PUT", "/repos/{o}/{r}/pulls/{n}/reviews/{id}", inReview(putReview)},
	{"POST", "/repos/{o}/{r}/pulls/{n}/reviews/{id}/events", inReview(postReviewEvent)},
	{"GET", "/repos/{o}/{r}/pulls/{n}/reviews/{id}/comments", inReview(func(c *call, v *Review) (*answer, error) {
		return ok(each(page(c, v.Comments), c.w.reviewsCommentJSON))
	})},
	{"GET", "/repos/{o}/{r}/pulls/{n}/comments", inPull(func(c *call, p *Pull) (*answer, error) {
		return ok(each(page(c, p.lineComments()), c.w.reviewCommentJSON))
	})},
	{"POST", "/repos/{o}/{r}/pulls/{n}/comments", inPull(postLineComment)},
	{"POST", "/repos/{o}/{r}/pulls/{n}/comments/{id}/replies", inPull(postReply)},
	{"GET", "/repos/{o}/{r}/pulls/comments/{id}", inReviewComment(func(c *call, k *ReviewComment) (*answer, error) {
		return ok(c.w.reviewCommentJSON(k))
	})},
	{"PATCH", "/repos/{o}/{r}/pulls/comments/{id}", inReviewComment(patchReviewComment)},
	{"GET", "/repos/{o}/{r}/pulls/comments/{id}/reactions", inReviewComment(func(c *call, k *ReviewComment) (*answer, error) {
		return c.listReactions(k.Reactions)
	})},
	{"POST", "/repos/{o}/{r}/pulls/comments/{id}/reactions", inReviewComment(func(c *call, k *ReviewComment) (*answer, error) {
		return c.postReaction(k.thread.pull.repo, "pull_requests", &k.Reactions)
	})},
	{"PUT", "/repos/{o}/{r}/pulls/{n}/merge", inPull(mergePull)},
}

func inPull(handle func(*call, *Pull) (*answer, error)) handler {
	return inRepo(func(c *call, r *Repo) (*answer, error) {
		n, err := c.number("n")
		if err != nil {
			return nil, err
		}
		if err := c.caller.reads(r, "pull_requests"); err != nil {
			return nil, err
		}
		p, err := r.pull(int(n))
		if err != nil {
			return nil, err
		}
		return handle(c, p)
	})
}

func inReview(handle func(*call, *Review) (*answer, error)) handler {
	return inPull(func(c *call, p *Pull) (*answer, error) {
		id, err := c.number("id")
		if err != nil {
			return nil, err
		}
		for _, v := range p.visible(c.caller) {
			if v.ID == id {
				return handle(c, v)
			}
		}
		return nil, refuse(notFound, "Not Found")
	})
}

func inReviewComment(handle func(*call, *ReviewComment) (*answer, error)) handler {
	return inRepo(func(c *call, r *Repo) (*answer, error) {
		id, err := c.number("id")
		if err != nil {
			return nil, err
		}
		k, found := c.w.nodes[nodeID("PRRC", id)].(*ReviewComment)
		if !found || k.thread.pull.repo != r {
			return nil, refuse(notFound, "Not Found")
		}
		return handle(c, k)
	})
}

// visible leaves out other people's pending reviews.
func (p *Pull) visible(c *caller) []*Review {
	return slices.DeleteFunc(slices.Clone(p.Reviews), func(v *Review) bool { return v.State == "PENDING" && v.Author != c.account })
}

func (p *Pull) lineComments() []*ReviewComment {
	out := []*ReviewComment{}
	for _, v := range p.Reviews {
		if v.State != "PENDING" {
			out = append(out, v.Comments...)
		}
	}
	return out
}

func listPulls(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "pull_requests"); err != nil {
		return nil, err
	}
	state, head, base := c.query("state"), c.query("head"), c.query("base")
	if state == "" {
		state = "open"
	}
	list := []*Pull{}
	for _, p := range r.pulls() {
		if (state == "all" || p.State == state) && (head == "" || head == r.Owner.Login+":"+p.HeadRef) && (base == "" || base == p.BaseRef) {
			list = append(list, p)
		}
	}
	slices.Reverse(list)
	return ok(each(page(c, list), func(p *Pull) object { return c.w.pullJSON(p, false) }))
}

func postPull(c *call, r *Repo) (*answer, error) {
	var in pullSpec
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	p, err := c.w.openPull(c.caller, r, in)
	if err != nil {
		return nil, err
	}
	c.created++
	return created(c.w.pullJSON(p, true))
}

// patchPull knows title, body, state and base; a draft it cannot change.
func patchPull(c *call, p *Pull) (*answer, error) {
	var in struct {
		Title *string
		Body  *string
		State string
		Base  *string
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.w.editIssue(c.caller, p.Issue, issueEdit{Title: in.Title, Body: in.Body, Base: in.Base}); err != nil {
		return nil, err
	}
	if in.State != "" {
		if err := c.w.setIssueState(c.caller, p.Issue, in.State, ""); err != nil {
			return nil, err
		}
	}
	return ok(c.w.pullJSON(p, true))
}

// restPlace is a line comment as REST words it.
type restPlace struct {
	Path        string
	Body        string
	Line        int
	Side        string
	StartLine   int    `json:"start_line"`
	StartSide   string `json:"start_side"`
	SubjectType string `json:"subject_type"`
	CommitID    string `json:"commit_id"`
	InReplyTo   int64  `json:"in_reply_to"`
}

func (p restPlace) place() place {
	return place{Path: p.Path, Body: p.Body, Line: p.Line, Side: p.Side, StartLine: p.StartLine,
		StartSide: p.StartSide, File: p.SubjectType == "file"}
}

func postReview(c *call, p *Pull) (*answer, error) {
	var in struct {
		CommitID string `json:"commit_id"`
		Body     string
		Event    string
		Comments []restPlace
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	spec := reviewSpec{CommitID: in.CommitID, Body: in.Body, Event: in.Event}
	for _, k := range in.Comments {
		at := k.place()
		at.File = false // a REST review knows no file comments
		spec.Places = append(spec.Places, at)
	}
	v, err := c.w.addReview(c.caller, p, spec, false)
	if err != nil {
		return nil, plainly(err)
	}
	c.created++
	return ok(c.w.reviewJSON(v))
}

func putReview(c *call, v *Review) (*answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.w.editReview(c.caller, v, in.Body); err != nil {
		return nil, plainly(err)
	}
	return ok(c.w.reviewJSON(v))
}

func postReviewEvent(c *call, v *Review) (*answer, error) {
	var in struct{ Body, Event string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.w.submitReview(c.caller, v, in.Event, in.Body); err != nil {
		return nil, plainly(err)
	}
	return ok(c.w.reviewJSON(v))
}

func postLineComment(c *call, p *Pull) (*answer, error) {
	var in restPlace
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.InReplyTo != 0 {
		return c.replyTo(p, in.InReplyTo, in.Body)
	}
	k, err := c.w.commentOnLine(c.caller, p, in.CommitID, in.place())
	if err != nil {
		return nil, err
	}
	c.threads++
	return created(c.w.reviewCommentJSON(k))
}

func postReply(c *call, p *Pull) (*answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	id, err := c.number("id")
	if err != nil {
		return nil, err
	}
	return c.replyTo(p, id, in.Body)
}

// replyTo takes the id of a thread's first comment, as GitHub does.
func (c *call) replyTo(p *Pull, id int64, body string) (*answer, error) {
	for _, t := range p.Threads {
		if t.Comments[0].ID != id {
			continue
		}
		k, err := c.w.reply(c.caller, t, body)
		if err != nil {
			return nil, err
		}
		c.threads++
		return created(c.w.reviewCommentJSON(k))
	}
	return nil, refuse(notFound, "Parent comment not found")
}

func patchReviewComment(c *call, k *ReviewComment) (*answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.w.editReviewComment(c.caller, k, in.Body); err != nil {
		return nil, err
	}
	return ok(c.w.reviewCommentJSON(k))
}

func mergePull(c *call, p *Pull) (*answer, error) {
	var in struct {
		Method string `json:"merge_method"`
		SHA    string
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.SHA != "" && in.SHA != p.HeadSHA {
		return nil, refuse(conflict, "Head branch was modified. Review and try the merge again.")
	}
	if err := c.w.merge(c.caller, p, in.Method == "squash"); err != nil {
		return nil, err
	}
	return ok(object{"sha": p.MergeSHA, "merged": true, "message": "Pull Request successfully merged"})
}
