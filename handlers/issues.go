package handlers

import "parley/pipeline"

type issuesPayload struct {
	envelope
	Issue issue `json:"issue"`
	Label struct {
		Name string `json:"name"`
	} `json:"label"`
	Changes struct {
		Title *was       `json:"title"`
		Body  *was       `json:"body"`
		New   issue      `json:"new_issue"`
		Repo  repository `json:"new_repository"`
	} `json:"changes"`
}

type issue struct {
	Number      int    `json:"number"`
	NodeID      string `json:"node_id"`
	Title       string `json:"title"`
	User        user   `json:"user"`
	UpdatedAt   string `json:"updated_at"`
	PullRequest *struct {
		URL string `json:"url"`
	} `json:"pull_request"`
}

// issueKinds are the actions that need nothing but the issue's number.
var issueKinds = map[string]pipeline.EventKind{
	"closed": pipeline.EventIssueClosed, "reopened": pipeline.EventIssueReopened,
	"deleted": pipeline.EventIssueMoved, "transferred": pipeline.EventIssueMoved,
	"edited": pipeline.EventIssueEdited, "labeled": pipeline.EventStart, "unlabeled": pipeline.EventUnlabelled,
}

func issues(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[issuesPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	kind, known := issueKinds[p.Action]
	if !known || p.Issue.PullRequest != nil {
		return nil, ErrIgnored
	}
	labelled := kind == pipeline.EventStart || kind == pipeline.EventUnlabelled
	if labelled && !c.trigger(p.Label.Name) || kind == pipeline.EventStart && c.off(&p.envelope) {
		return nil, ErrIgnored
	}
	if kind == pipeline.EventIssueEdited && p.Changes.Title == nil && p.Changes.Body == nil {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Issue, ev.At = kind, p.Issue.Number, c.at(p.Issue.UpdatedAt)
	ev.Node, ev.Title = p.Issue.NodeID, text(p.Issue.Title, maxTitle)
	if labelled {
		ev.Label = text(p.Label.Name, maxTitle)
	}
	if p.Action == "transferred" {
		repo := p.Changes.Repo.repo()
		ev.Moved = &pipeline.Moved{Repo: repo, Issue: p.Changes.New.Number}
	}
	return []pipeline.Event{ev}, nil
}
