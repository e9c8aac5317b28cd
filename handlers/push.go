package handlers

import (
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

// push looks for a configuration that somebody edits on a branch. GitHub lists
// the paths of each commit, so every other push is dropped without a question.
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
	if !slices.ContainsFunc(p.Commits, func(one pushed) bool { return one.configures(ev.Repo) }) {
		return nil, ErrIgnored
	}
	ev.Kind, ev.Issue, ev.Head = pipeline.EventConfigPushed, pipeline.RepoDesk, p.After
	return []pipeline.Event{ev}, nil
}

// configures tells whether a commit writes a configuration file; the
// organisation's may stand at the root of its .github repository.
func (p pushed) configures(repo pipeline.Repo) bool {
	return slices.ContainsFunc(slices.Concat(p.Added, p.Modified), func(path string) bool {
		return path == ".github/parley.yml" || repo.Name == ".github" && path == "parley.yml"
	})
}
