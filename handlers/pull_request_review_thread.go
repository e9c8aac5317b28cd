package handlers

import (
	"strings"

	"parley/pipeline"
)

type threadPayload struct {
	envelope
	Pull   pull `json:"pull_request"`
	Thread struct {
		NodeID   string    `json:"node_id"`
		Comments []comment `json:"comments"`
	} `json:"thread"`
}

func reviewThread(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[threadPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	known := p.Action == "resolved" || p.Action == "unresolved"
	if !known || !c.ourBranch(&p.Pull, ev.Repo.ID) || len(p.Thread.Comments) == 0 {
		return nil, ErrIgnored
	}
	first := p.Thread.Comments[0]
	thread := &pipeline.Thread{ID: p.Thread.NodeID, Resolved: p.Action == "resolved", Author: first.User.Login,
		Path: inFolder(first.Path), Line: first.Line}
	for _, one := range p.Thread.Comments[:min(len(p.Thread.Comments), 20)] {
		thread.Texts = append(thread.Texts, text(one.Body, maxTitle))
	}
	// The marker counts only in what we wrote ourselves.
	if found := pipeline.Marked(first.Body, pipeline.FindingMark); c.ours(first.User) && len(found) > 0 {
		thread.Finding = found[0]
	}
	ev.Kind, ev.PR, ev.Head, ev.Thread, ev.At = pipeline.EventThread, p.Pull.Number, p.Pull.Head.SHA, thread, c.at(p.Pull.UpdatedAt)
	return []pipeline.Event{ev}, nil
}

// inFolder is a path relative to its session folder; empty outside of one.
func inFolder(path string) string {
	rest, ok := strings.CutPrefix(path, ".workflow/.team/")
	if !ok {
		return ""
	}
	_, path, _ = strings.Cut(rest, "/")
	return path
}
