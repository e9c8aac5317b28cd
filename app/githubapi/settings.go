package githubapi

import (
	"context"
	"fmt"

	"parley/pipeline"
)

// Settings reads a repository's configuration over its organisation's.
func (c *Client) Settings(ctx context.Context, repo pipeline.Repo) (pipeline.Settings, error) {
	vars := struct {
		Owner string `json:"owner"`
		Name  string `json:"name"`
	}{repo.Owner, repo.Name}
	var got briefAnswer
	op := fmt.Sprintf("read the configuration of %s/%s", repo.Owner, repo.Name)
	q := question{op: op, doc: settingsQuery, variables: vars, token: readKey(repo), optional: []string{"org"}}
	if err := c.read(ctx, q, &got); err != nil {
		return pipeline.Settings{}, gone(err)
	}
	if got.Repository == nil {
		return pipeline.Settings{}, gone(&Error{Kind: KindNotFound, Op: op})
	}
	settings, _ := c.settings(got)
	return settings, nil
}
