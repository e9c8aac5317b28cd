package githubsim

type pullInput struct {
	RepositoryID  string
	PullRequestID string
	Title         *string
	Body          *string
	HeadRefName   string
	BaseRefName   *string
	Draft         bool
	State         string
	MergeMethod   string
}

// onPull wraps what is done to one pull request.
func onPull(do func(*execution, *Pull, pullInput) error) field[rootValue] {
	return mutation(func(x *execution, in pullInput) (object, error) {
		p, err := find[*Pull](x, in.PullRequestID)
		if err != nil {
			return nil, err
		}
		return object{"pullRequest": p, "actor": x.caller.account}, do(x, p, in)
	})
}

func pullMutations() map[string]field[rootValue] {
	return map[string]field[rootValue]{
		"createPullRequest": mutation(func(x *execution, in pullInput) (object, error) {
			r, err := find[*Repo](x, in.RepositoryID)
			if err != nil {
				return nil, err
			}
			s := pullSpec{Head: in.HeadRefName, Draft: in.Draft}
			set(&s.Title, in.Title)
			set(&s.Body, in.Body)
			set(&s.Base, in.BaseRefName)
			p, err := x.w.openPull(x.caller, r, s)
			if err != nil {
				return nil, err
			}
			x.call.created++
			return object{"pullRequest": p}, nil
		}),
		"updatePullRequest": onPull(func(x *execution, p *Pull, in pullInput) error {
			if err := x.w.editIssue(x.caller, p.Issue, issueEdit{Title: in.Title, Body: in.Body, Base: in.BaseRefName}); err != nil {
				return err
			}
			if in.State == "" {
				return nil
			}
			return x.w.setIssueState(x.caller, p.Issue, lower(in.State), "")
		}),
		"closePullRequest": onPull(func(x *execution, p *Pull, _ pullInput) error {
			return x.w.setIssueState(x.caller, p.Issue, "closed", "")
		}),
		"reopenPullRequest": onPull(func(x *execution, p *Pull, _ pullInput) error {
			return x.w.setIssueState(x.caller, p.Issue, "open", "")
		}),
		"markPullRequestReadyForReview": onPull(func(x *execution, p *Pull, _ pullInput) error {
			return x.w.setDraft(x.caller, p, false)
		}),
		"convertPullRequestToDraft": onPull(func(x *execution, p *Pull, _ pullInput) error {
			return x.w.setDraft(x.caller, p, true)
		}),
		"mergePullRequest": onPull(func(x *execution, p *Pull, in pullInput) error {
			return x.w.merge(x.caller, p, in.MergeMethod == "SQUASH")
		}),
	}
}

// threadPlace is a thread's place as GraphQL words it.
type threadPlace struct {
	Path, Body, Side, StartSide, SubjectType string
	Line, StartLine                          int
}

func (t threadPlace) place() place {
	return place{Path: t.Path, Body: t.Body, Line: t.Line, Side: t.Side, StartLine: t.StartLine,
		StartSide: t.StartSide, File: t.SubjectType == "FILE"}
}

type reviewInput struct {
	PullRequestID             string
	PullRequestReviewID       string
	PullRequestReviewThreadID string
	PullRequestReviewComment  string `json:"pullRequestReviewCommentId"`
	ThreadID                  string
	CommitOID                 string
	Body                      string
	Event                     string
	Threads                   []threadPlace
	threadPlace
}

// onReview wraps what is done to one review and hands it back.
func onReview(do func(*execution, *Review, reviewInput) error) field[rootValue] {
	return mutation(func(x *execution, in reviewInput) (object, error) {
		v, err := find[*Review](x, in.PullRequestReviewID)
		if err != nil && in.PullRequestReviewID == "" {
			v, err = x.pending(in.PullRequestID)
		}
		if err != nil {
			return nil, err
		}
		return object{"pullRequestReview": v}, do(x, v, in)
	})
}

func onThread(resolved bool) field[rootValue] {
	return mutation(func(x *execution, in reviewInput) (object, error) {
		t, err := find[*Thread](x, in.ThreadID)
		if err != nil {
			return nil, err
		}
		return object{"thread": t}, x.w.setResolved(x.caller, t, resolved)
	})
}

func reviewMutations() map[string]field[rootValue] {
	return map[string]field[rootValue]{
		"addPullRequestReview": mutation(addPullRequestReview),
		"submitPullRequestReview": onReview(func(x *execution, v *Review, in reviewInput) error {
			return x.w.submitReview(x.caller, v, in.Event, in.Body)
		}),
		"updatePullRequestReview": onReview(func(x *execution, v *Review, in reviewInput) error {
			return x.w.editReview(x.caller, v, in.Body)
		}),
		"updatePullRequestReviewComment": mutation(func(x *execution, in reviewInput) (object, error) {
			k, err := find[*ReviewComment](x, in.PullRequestReviewComment)
			if err != nil {
				return nil, err
			}
			return object{"pullRequestReviewComment": k}, x.w.editReviewComment(x.caller, k, in.Body)
		}),
		"addPullRequestReviewThread": mutation(addThread),
		"addPullRequestReviewThreadReply": mutation(func(x *execution, in reviewInput) (object, error) {
			t, err := find[*Thread](x, in.PullRequestReviewThreadID)
			if err != nil {
				return nil, err
			}
			k, err := x.w.reply(x.caller, t, in.Body)
			if err != nil {
				return nil, err
			}
			x.call.threads++
			return object{"comment": k}, nil
		}),
		"resolveReviewThread":   onThread(true),
		"unresolveReviewThread": onThread(false),
	}
}

func addPullRequestReview(x *execution, in reviewInput) (object, error) {
	p, err := find[*Pull](x, in.PullRequestID)
	if err != nil {
		return nil, err
	}
	s := reviewSpec{CommitID: in.CommitOID, Body: in.Body, Event: in.Event}
	for _, t := range in.Threads {
		s.Places = append(s.Places, t.place())
	}
	v, err := x.w.addReview(x.caller, p, s, true)
	if err != nil {
		return nil, err
	}
	x.call.created++
	return object{"pullRequestReview": v, "reviewEdge": object{"node": v, "cursor": cursor(len(p.Reviews) - 1)}}, nil
}

// addThread opens a thread in a pending review. A line outside the diff makes
// no thread and no error: that is how GitHub does it.
func addThread(x *execution, in reviewInput) (object, error) {
	v, err := x.pending(in.PullRequestID)
	if in.PullRequestReviewID != "" {
		v, err = find[*Review](x, in.PullRequestReviewID)
	}
	if err != nil {
		return nil, err
	}
	if v.State != "PENDING" || v.Author != x.caller.account {
		return nil, refuse(unprocessable, "The review is not pending")
	}
	at := in.place()
	at.Body = in.Body
	diff := v.pull.diffAt(v.CommitID)
	if checkPlace(diff, at) != nil {
		return object{"thread": nil}, nil
	}
	return object{"thread": x.w.addThread(x.caller, v, at, diff)}, nil
}

// pending finds the caller's pending review of a pull request, or opens one.
func (x *execution) pending(pullID string) (*Review, error) {
	p, err := find[*Pull](x, pullID)
	if err != nil {
		return nil, err
	}
	for _, v := range p.Reviews {
		if v.State == "PENDING" && v.Author == x.caller.account {
			return v, nil
		}
	}
	return x.w.addReview(x.caller, p, reviewSpec{}, true)
}
