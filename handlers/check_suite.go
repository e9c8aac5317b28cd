package handlers

import "parley/pipeline"

type checkSuitePayload struct {
	envelope
	CheckSuite struct {
		HeadSHA string    `json:"head_sha"`
		App     appRef    `json:"app"`
		Pulls   []pullRef `json:"pull_requests"`
	} `json:"check_suite"`
}

// checkSuite takes only the wish to run our own suite again; GitHub sends one
// "requested" for every push of every repository, and those are dropped here.
func checkSuite(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[checkSuitePayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	if p.Action != "rerequested" || p.CheckSuite.App.ID != c.AppID || len(p.CheckSuite.Pulls) == 0 {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Head = pipeline.EventRerequested, p.CheckSuite.HeadSHA
	var out []pipeline.Event
	for _, ref := range p.CheckSuite.Pulls[:min(len(p.CheckSuite.Pulls), 10)] {
		ev.PR = ref.Number
		out = append(out, ev)
	}
	return out, nil
}
