package githubapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pipeline"
)

// SurveySize is how many repositories one survey looks at. An organisation of
// a thousand then costs twenty requests a sweep, not two thousand.
const SurveySize = 50

// Surveyed is what a sweep must know of a repository to look closer.
type Surveyed struct {
	pipeline.Repo
	Settings pipeline.Settings
	Labelled map[string]int // open issues per label that changed since
}

// Survey looks at up to SurveySize repositories of one installation in one
// request. What could not be read is left out, and the error says so.
func (c *Client) Survey(ctx context.Context, repos []Covered, labels []string, since time.Time) ([]Surveyed, error) {
	if len(repos) == 0 {
		return nil, nil
	}
	byID := map[string]pipeline.Repo{}
	vars := map[string]any{"owner": repos[0].Owner, "since": since.UTC()}
	ids := make([]string, len(repos))
	for i, r := range repos {
		ids[i], byID[r.NodeID] = r.NodeID, r.Repo
	}
	vars["ids"] = ids
	for i, label := range labels {
		vars[labelAlias(i)] = label
	}
	op := fmt.Sprintf("survey %d repositories of %s", len(repos), repos[0].Owner)
	got, err := c.graph(ctx, question{op: op, doc: surveyQuery(len(labels)), variables: vars,
		token: tokenKey{installation: repos[0].Installation, grant: grantRead}})
	if err != nil {
		return nil, err
	}
	var said struct {
		Nodes []json.RawMessage
		Org   *orgConfig
	}
	if err := json.Unmarshal(got.data, &said); err != nil {
		return nil, &Error{Kind: KindInvalid, Op: op, Message: err.Error()}
	}
	var out []Surveyed
	errs := []error{got.wait}
	for root, e := range got.failed {
		if root != "org" || e.Kind != KindNotFound { // an organisation need not have a configuration
			errs = append(errs, e)
		}
	}
	for _, raw := range said.Nodes {
		one, err := c.surveyed(raw, said.Org, labels)
		repo, asked := byID[one.NodeID]
		if err != nil || !asked {
			errs = append(errs, err) // a repository that went meanwhile is null, and no error
			continue
		}
		one.Repo = repo
		out = append(out, one)
	}
	return out, errors.Join(errs...)
}

func (c *Client) surveyed(raw json.RawMessage, org *orgConfig, labels []string) (Surveyed, error) {
	var node struct {
		ID     string
		Config *blob
	}
	counts := map[string]json.RawMessage{}
	if string(raw) == "null" {
		return Surveyed{}, nil
	}
	if err := errors.Join(json.Unmarshal(raw, &node), json.Unmarshal(raw, &counts)); err != nil {
		return Surveyed{}, fmt.Errorf("read a surveyed repository: %w", err)
	}
	one := Surveyed{Repo: pipeline.Repo{NodeID: node.ID}, Labelled: map[string]int{}}
	one.Settings, _ = c.settings(org, node.Config)
	for i, label := range labels {
		var issues struct{ TotalCount int }
		if err := json.Unmarshal(counts[labelAlias(i)], &issues); err != nil {
			return Surveyed{}, fmt.Errorf("count issues labelled %q: %w", label, err)
		}
		one.Labelled[label] = issues.TotalCount
	}
	return one, nil
}

func labelAlias(i int) string { return fmt.Sprintf("label%d", i) }

// surveyQuery counts per label, because a list of labels would mean any or all
// of them, depending on whom one asks.
func surveyQuery(labels int) string {
	var params, counts strings.Builder
	for i := range labels {
		alias := labelAlias(i)
		fmt.Fprintf(&params, ", $%s: String!", alias)
		fmt.Fprintf(&counts, "    %s: issues(states: [OPEN], labels: [$%s], filterBy: { since: $since }, first: 1) { totalCount }\n", alias, alias)
	}
	return `query Survey($ids: [ID!]!, $owner: String!, $since: DateTime!` + params.String() + `) {
  nodes(ids: $ids) { ... on Repository { id
` + counts.String() + `    config: object(expression: "HEAD:.github/parley.yml") { ` + askBlob + ` }
  } }
  org: repository(owner: $owner, name: ".github") {
    config: object(expression: "HEAD:.github/parley.yml") { ` + askBlob + ` }
    root: object(expression: "HEAD:parley.yml") { ` + askBlob + ` }
  }
}`
}
