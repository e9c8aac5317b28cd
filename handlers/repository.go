package handlers

import "parley/pipeline"

// repositoryKinds are the actions that concern running sessions.
var repositoryKinds = map[string]pipeline.EventKind{
	"renamed": pipeline.EventRenamed, "transferred": pipeline.EventRenamed, "archived": pipeline.EventSuspended,
	"unarchived": pipeline.EventUnsuspended, "deleted": pipeline.EventRemoved,
}

func repositoryEvent(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[envelope](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(p)
	if err != nil {
		return nil, err
	}
	if returns[p.Action] {
		c.back()
	}
	kind, known := repositoryKinds[p.Action]
	if !known {
		return nil, ErrIgnored
	}
	ev.Kind = kind
	if kind == pipeline.EventRenamed {
		ev.Moved = &pipeline.Moved{Repo: ev.Repo}
	}
	return []pipeline.Event{ev}, nil
}
