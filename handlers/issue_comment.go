package handlers

import (
	"strings"

	"parley/pipeline"
)

type commentPayload struct {
	envelope
	Issue   issue   `json:"issue"`
	Comment comment `json:"comment"`
	Changes struct {
		Body *was `json:"body"`
	} `json:"changes"`
}

type comment struct {
	ID        int64  `json:"id"`
	NodeID    string `json:"node_id"`
	Body      string `json:"body"`
	User      user   `json:"user"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
	// Of review comments:
	Path      string `json:"path"`
	Line      int    `json:"line"`
	CommitID  string `json:"commit_id"`
	InReplyTo int64  `json:"in_reply_to_id"`
}

func issueComment(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[commentPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	ev.Node = p.Issue.NodeID
	carrier := pipeline.OnIssue
	if p.Issue.PullRequest != nil {
		carrier, ev.PR = pipeline.OnPull, p.Issue.Number
	} else {
		ev.Issue, ev.Title = p.Issue.Number, text(p.Issue.Title, maxTitle)
	}
	if c.ours(p.Comment.User) {
		return one(lost(ev, p))
	}
	if p.Action == "deleted" {
		return nil, c.retract(p.Comment)
	}
	if p.Action != "created" && p.Action != "edited" {
		return nil, ErrIgnored
	}
	at := c.at(p.Comment.CreatedAt)
	if p.Action == "edited" {
		at = c.at(p.Comment.UpdatedAt)
	}
	return c.commands(ev, remark{carrier: carrier, subject: p.Comment.NodeID, author: p.Comment.User, body: p.Comment.Body,
		before: p.Changes.Body, edited: p.Action == "edited", at: at, off: c.off(&p.envelope)})
}

// lost is the event of a person who edited or deleted our session comment.
func lost(ev pipeline.Event, p *commentPayload) (pipeline.Event, error) {
	body := p.Comment.Body
	if p.Changes.Body != nil {
		body = p.Changes.Body.From
	}
	touched := p.Action == "edited" || p.Action == "deleted"
	if !touched || !strings.Contains(body, "<!-- parley:"+pipeline.SessionMark+" ") {
		return ev, ErrIgnored
	}
	ev.Kind, ev.Label = pipeline.EventPanelLost, "comment "+p.Action
	return ev, nil
}
