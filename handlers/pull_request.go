package handlers

import (
	"slices"
	"strings"

	"parley/pipeline"
)

type pullPayload struct {
	envelope
	Number  int    `json:"number"`
	Pull    pull   `json:"pull_request"`
	After   string `json:"after"`
	Changes struct {
		Body *was `json:"body"`
		Base *struct {
			Ref was `json:"ref"`
		} `json:"base"`
	} `json:"changes"`
}

// newHead are the actions after which a pull request has a head nobody judged.
var newHead = map[string]bool{"opened": true, "reopened": true, "synchronize": true, "ready_for_review": true}

func pullRequest(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[pullPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	ev.PR, ev.Head, ev.At = p.Number, p.Pull.Head.SHA, c.at(p.Pull.UpdatedAt)
	if !c.ourBranch(&p.Pull, ev.Repo.ID) {
		return one(c.other(ev, p))
	}
	switch p.Action {
	case "synchronize":
		ev.Kind = pipeline.EventPushed
	case "reopened":
		ev.Kind = pipeline.EventPullReopened
	case "closed":
		ev.Kind = pipeline.EventPullClosed
		if p.Pull.Merged {
			ev.Kind = pipeline.EventPullMerged
		}
	case "edited":
		return one(edited(ev, p))
	default:
		return nil, ErrIgnored
	}
	return []pipeline.Event{ev}, nil
}

// edited tells a new base from a panel that a person cut out.
func edited(ev pipeline.Event, p *pullPayload) (pipeline.Event, error) {
	whole := strings.Contains(p.Pull.Body, pipeline.PanelStart) && strings.Contains(p.Pull.Body, pipeline.PanelEnd)
	switch {
	case p.Changes.Base != nil:
		ev.Kind, ev.Moved = pipeline.EventRetargeted, &pipeline.Moved{Base: text(p.Pull.Base.Ref, maxTitle)}
	case p.Changes.Body != nil && !whole:
		ev.Kind, ev.Label = pipeline.EventPanelLost, "body edited"
	default:
		return ev, ErrIgnored
	}
	return ev, nil
}

// other is a pull request that is not ours: silence, unless its repository
// asked for an answer, or a fork says in it that it edits the configuration.
// What a fork pushes reaches us as nothing else, and the paths of each of its
// heads would be a request for every pull request there is.
func (c *Config) other(ev pipeline.Event, p *pullPayload) (pipeline.Event, error) {
	ev.Fork = p.Pull.Head.Repo.ID != ev.Repo.ID
	switch {
	case !newHead[p.Action] || c.off(&p.envelope):
		return ev, ErrIgnored
	case c.Others != nil && c.Others(ev.Repo):
		ev.Kind = pipeline.EventOtherPull
	case ev.Fork && p.Pull.namesConfig():
		ev.Kind = pipeline.EventConfigPushed
	default:
		return ev, ErrIgnored
	}
	return ev, nil
}

// namesConfig tells whether title, body or branch speak of the configuration
// file; the title that GitHub's own editor gives such a change does.
func (p *pull) namesConfig() bool {
	return slices.ContainsFunc([]string{p.Title, p.Body, p.Head.Ref}, func(text string) bool {
		return strings.Contains(text, "parley.yml")
	})
}
