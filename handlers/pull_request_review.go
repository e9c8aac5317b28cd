package handlers

import "parley/pipeline"

type reviewPayload struct {
	envelope
	Pull   pull `json:"pull_request"`
	Review struct {
		NodeID      string `json:"node_id"`
		Body        string `json:"body"`
		User        user   `json:"user"`
		CommitID    string `json:"commit_id"`
		SubmittedAt string `json:"submitted_at"`
	} `json:"review"`
	Changes struct {
		Body *was `json:"body"`
	} `json:"changes"`
}

func pullRequestReview(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[reviewPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	edited := p.Action == "edited"
	if p.Action != "submitted" && !edited || !c.ourBranch(&p.Pull, ev.Repo.ID) {
		return nil, ErrIgnored
	}
	at := c.at(p.Review.SubmittedAt)
	if edited {
		at = c.at(p.Pull.UpdatedAt)
	}
	ev.PR, ev.Head = p.Pull.Number, p.Review.CommitID
	return c.commands(ev, remark{carrier: pipeline.OnReview, subject: p.Review.NodeID, author: p.Review.User,
		body: p.Review.Body, before: p.Changes.Body, edited: edited, at: at, off: c.off(&p.envelope)})
}
