package handlers

import (
	"regexp"
	"strconv"

	"parley/pipeline"
)

type mergeGroupPayload struct {
	envelope
	Group struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
	} `json:"merge_group"`
}

// queueRef is where a merge queue builds: the payload names the pull request
// nowhere else.
var queueRef = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.+/pr-(\d{1,9})-[0-9a-f]{7,64}$`)

func mergeGroup(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[mergeGroupPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	ref := queueRef.FindStringSubmatch(p.Group.HeadRef)
	if p.Action != "checks_requested" || ref == nil {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Head = pipeline.EventMergeGroup, p.Group.HeadSHA
	ev.PR, _ = strconv.Atoi(ref[1])
	ev.Others = c.Others != nil && c.Others(ev.Repo) && !c.off(&p.envelope)
	return []pipeline.Event{ev}, nil
}
