package handlers

import "parley/pipeline"

type installationRepositoriesPayload struct {
	envelope
	Removed []repository `json:"repositories_removed"`
}

// installationRepositories ends the sessions of repositories that were taken
// out; new ones start nothing by themselves.
func installationRepositories(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[installationRepositoriesPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.start(&p.envelope)
	if err != nil {
		return nil, err
	}
	ev.Kind = pipeline.EventRemoved
	var out []pipeline.Event
	for _, r := range p.Removed {
		ev.Repo = r.repo()
		ev.Repo.Installation = p.Installation.ID
		out = append(out, ev)
	}
	if p.Action != "removed" || len(out) == 0 {
		return nil, ErrIgnored
	}
	return out, nil
}
