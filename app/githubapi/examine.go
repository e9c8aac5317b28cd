package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"parley/pipeline"
)

// Hook is the App's webhook as GitHub has it.
type Hook struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"`
}

// Hook reads the App's webhook.
func (c *Client) Hook(ctx context.Context) (Hook, error) {
	var h Hook
	k := call{op: "read the App's webhook", method: http.MethodGet, path: "/app/hook/config", asApp: true, read: true}
	return h, c.restCall(ctx, k, &h)
}

// workflowsQuery reads the workflow files of the default branch.
const workflowsQuery = `query Workflows($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    workflows: object(expression: "HEAD:.github/workflows") {
      ... on Tree { entries { name object { ... on Blob { text } } } }
    }
  }
}`

// Workflows are the texts of a repository's workflow files by name.
func (c *Client) Workflows(ctx context.Context, repo pipeline.Repo) (map[string]string, error) {
	vars := struct {
		Owner string `json:"owner"`
		Name  string `json:"name"`
	}{repo.Owner, repo.Name}
	var got struct {
		Repository *struct {
			Workflows *struct {
				Entries []struct {
					Name   string
					Object struct{ Text string }
				}
			}
		}
	}
	op := fmt.Sprintf("read the workflows of %s/%s", repo.Owner, repo.Name)
	if err := c.read(ctx, question{op: op, doc: workflowsQuery, variables: vars, token: readKey(repo)}, &got); err != nil {
		return nil, gone(err)
	}
	out := map[string]string{}
	if got.Repository == nil || got.Repository.Workflows == nil {
		return out, nil
	}
	for _, e := range got.Repository.Workflows.Entries {
		if strings.HasSuffix(e.Name, ".yml") || strings.HasSuffix(e.Name, ".yaml") {
			out[e.Name] = e.Object.Text
		}
	}
	return out, nil
}
