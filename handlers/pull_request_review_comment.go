package handlers

import (
	"strconv"

	"parley/pipeline"
)

type reviewCommentPayload struct {
	envelope
	Pull    pull    `json:"pull_request"`
	Comment comment `json:"comment"`
	Changes struct {
		Body *was `json:"body"`
	} `json:"changes"`
}

func reviewComment(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[reviewCommentPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	if p.Action == "deleted" && c.ourBranch(&p.Pull, ev.Repo.ID) {
		return nil, c.retract(p.Comment)
	}
	edited := p.Action == "edited"
	if p.Action != "created" && !edited || !c.ourBranch(&p.Pull, ev.Repo.ID) {
		return nil, ErrIgnored
	}
	first := p.Comment.InReplyTo
	if first == 0 {
		first = p.Comment.ID
	}
	at := c.at(p.Comment.CreatedAt)
	if edited {
		at = c.at(p.Comment.UpdatedAt)
	}
	ev.PR = p.Pull.Number
	if p.Comment.InReplyTo == 0 { // a reply speaks of its thread, however old the lines are
		ev.Head = p.Comment.CommitID
	}
	return c.commands(ev, remark{carrier: pipeline.OnReviewComment, subject: p.Comment.NodeID, author: p.Comment.User,
		body: p.Comment.Body, before: p.Changes.Body, edited: edited, at: at, thread: strconv.FormatInt(first, 10), off: c.off(&p.envelope)})
}
