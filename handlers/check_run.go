package handlers

import (
	"strings"

	"parley/pipeline"
)

type checkRunPayload struct {
	envelope
	CheckRun struct {
		NodeID     string    `json:"node_id"`
		HeadSHA    string    `json:"head_sha"`
		ExternalID string    `json:"external_id"`
		App        appRef    `json:"app"`
		Pulls      []pullRef `json:"pull_requests"`
	} `json:"check_run"`
	Requested struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"`
}

type appRef struct {
	ID int64 `json:"id"`
}

type pullRef struct {
	Number int `json:"number"`
}

func checkRun(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[checkRunPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	if p.CheckRun.App.ID != c.AppID || c.AppID == 0 {
		return nil, ErrIgnored
	}
	ev.Issue, ev.Head = pipeline.IssueOfExternalID(p.CheckRun.ExternalID), p.CheckRun.HeadSHA
	if len(p.CheckRun.Pulls) > 0 {
		ev.PR = p.CheckRun.Pulls[0].Number
	}
	if ev.Issue == 0 && ev.PR == 0 {
		return nil, ErrIgnored
	}
	switch p.Action {
	case "rerequested":
		ev.Kind = pipeline.EventRerequested
	case "requested_action":
		return one(c.button(ev, p.Requested.Identifier))
	default:
		return nil, ErrIgnored
	}
	return []pipeline.Event{ev}, nil
}

// button turns a click into the command its identifier names, with the clicker
// as the actor: "retry:DRAFT-002" is /retry DRAFT-002.
func (c *Config) button(ev pipeline.Event, identifier string) (pipeline.Event, error) {
	verb, arg, _ := strings.Cut(text(identifier, maxTitle), ":")
	if ev.Actor.Bot || !isVerb(verb) {
		return ev, ErrIgnored
	}
	cmd := &pipeline.Command{Verb: verb, Text: arg, Prefixed: true, Carrier: pipeline.OnCheck, At: ev.At}
	if arg != "" {
		cmd.Args = []string{arg}
	}
	ev.Kind, ev.Command = pipeline.EventCommand, cmd
	return ev, nil
}

func isVerb(word string) bool {
	for _, spec := range pipeline.Commands {
		if spec.Verb == word {
			return true
		}
	}
	return false
}
