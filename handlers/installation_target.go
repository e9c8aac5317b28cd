package handlers

import "parley/pipeline"

type installationTargetPayload struct {
	envelope
	Account user `json:"account"`
}

// installationTarget follows an account to its new name.
func installationTarget(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[installationTargetPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.start(&p.envelope)
	if err != nil {
		return nil, err
	}
	if p.Action != "renamed" || p.Account.Login == "" {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Repo = pipeline.EventRenamed, pipeline.Repo{Installation: p.Installation.ID}
	ev.Moved = &pipeline.Moved{Repo: pipeline.Repo{Installation: p.Installation.ID, Owner: p.Account.Login}}
	return []pipeline.Event{ev}, nil
}
