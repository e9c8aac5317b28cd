package handlers

import (
	"context"
	"slices"
	"strings"

	"parley/pipeline"
)

type pushPayload struct {
	envelope
	Ref     string   `json:"ref"`
	After   string   `json:"after"`
	Deleted bool     `json:"deleted"`
	Commits []pushed `json:"commits"`
}

type pushed struct {
	Added    []string `json:"added"`
	Modified []string `json:"modified"`
}

// push looks for a branch on which somebody edits the configuration. GitHub
// lists the paths of each commit, so every other branch is dropped without a
// question; one that edits it is read again with each later head.
func push(c *Config, payload []byte) ([]pipeline.Event, error) {
	p, err := decode[pushPayload](payload)
	if err != nil {
		return nil, err
	}
	ev, err := c.session(&p.envelope)
	if err != nil {
		return nil, err
	}
	branch, isBranch := strings.CutPrefix(p.Ref, "refs/heads/")
	if !isBranch || p.Deleted || branch == ev.Repo.DefaultBranch || c.off(&p.envelope) {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Issue, ev.Head, ev.Label = pipeline.EventConfigPushed, pipeline.RepoDesk, p.After, text(branch, maxTitle)
	if slices.ContainsFunc(p.Commits, func(one pushed) bool { return one.configures(ev.Repo) }) {
		ev.Edited = &pipeline.Edited{Head: p.After}
	}
	return []pipeline.Event{ev}, nil
}

// edits tells whether a push is to a branch that edits the configuration.
func (c *Config) edits(ctx context.Context, ev pipeline.Event) (bool, error) {
	now := ev.Edited != nil
	if c.Edits == nil {
		return now, nil
	}
	return c.Edits(ctx, ev.Repo, ev.Label, now)
}

// configures tells whether a commit writes a configuration file; the
// organisation's may stand at the root of its .github repository.
func (p pushed) configures(repo pipeline.Repo) bool {
	return slices.ContainsFunc(slices.Concat(p.Added, p.Modified), func(path string) bool {
		return path == ".github/parley.yml" || repo.Name == ".github" && path == "parley.yml"
	})
}
