package handlers

import "parley/pipeline"

// installationKinds are the actions that concern running sessions.
var installationKinds = map[string]pipeline.EventKind{
	"deleted": pipeline.EventRemoved, "suspend": pipeline.EventSuspended, "unsuspend": pipeline.EventUnsuspended,
	"new_permissions_accepted": pipeline.EventUnsuspended,
}

// returns are the actions after which something may have been missed.
var returns = map[string]bool{"unsuspend": true, "unarchived": true}

func installation(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[envelope](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.start(p)
	if err != nil {
		return nil, err
	}
	if returns[p.Action] {
		c.back()
	}
	kind, known := installationKinds[p.Action]
	if !known {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Repo = kind, pipeline.Repo{Installation: p.Installation.ID}
	return []pipeline.Event{ev}, nil
}
