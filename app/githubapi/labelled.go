package githubapi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/pipeline"
)

// LabelledIssue is an open issue that carries the label.
type LabelledIssue struct {
	Number int
	At     time.Time // when the label was set last; zero when GitHub does not say
	By     pipeline.Actor
	// Started: a session comment of ours is there, in whatever state.
	Started bool
}

// Labelled lists the open issues with label that changed since.
func (c *Client) Labelled(ctx context.Context, repo pipeline.Repo, label string, since time.Time) ([]LabelledIssue, error) {
	var all []LabelledIssue
	var after *string
	for range maxPages {
		vars := struct {
			Owner string    `json:"owner"`
			Name  string    `json:"name"`
			Label string    `json:"label"`
			Since time.Time `json:"since"`
			After *string   `json:"after"`
		}{repo.Owner, repo.Name, label, since.UTC(), after}
		var got struct {
			Repository *struct {
				Issues struct {
					PageInfo pageInfo
					Nodes    []labelledNode
				}
			}
		}
		op := fmt.Sprintf("list issues labelled %q in %s/%s", label, repo.Owner, repo.Name)
		q := question{op: op, doc: labelledQuery, variables: vars, token: writeKey(repo)}
		if err := c.readIn(ctx, q, &got, func() bool { return got.Repository != nil }); err != nil {
			return nil, err
		}
		for _, n := range got.Repository.Issues.Nodes {
			i := n.issue(label)
			if earlier := n.Comments.PageInfo; !i.Started && earlier.HasPreviousPage {
				var err error
				if i.Started, err = c.startedBefore(ctx, repo, n.Number, earlier.StartCursor); err != nil {
					return nil, err
				}
			}
			all = append(all, i)
		}
		if !got.Repository.Issues.PageInfo.HasNextPage {
			break
		}
		after = &got.Repository.Issues.PageInfo.EndCursor
	}
	return all, nil
}

type labelledNode struct {
	Number        int
	TimelineItems struct {
		Nodes []struct {
			CreatedAt time.Time
			Label     struct{ Name string }
			Actor     *actor
		}
	}
	Comments talk
}

// talk is a page of an issue's comments, the newest first to be asked for.
type talk struct {
	PageInfo struct {
		HasPreviousPage bool
		StartCursor     string
	}
	Nodes []note
}

// started: a session comment of ours is among them.
func (t talk) started() bool {
	return slices.ContainsFunc(t.Nodes, func(m note) bool {
		return m.ViewerDidAuthor && len(pipeline.Marked(m.Body, pipeline.SessionMark)) > 0
	})
}

// startedBefore looks for our session comment in a talk longer than a page: an
// issue that people went on talking about must not be started again.
func (c *Client) startedBefore(ctx context.Context, repo pipeline.Repo, issue int, before string) (bool, error) {
	for range maxPages {
		vars := struct {
			Owner  string `json:"owner"`
			Name   string `json:"name"`
			Issue  int    `json:"issue"`
			Before string `json:"before"`
		}{repo.Owner, repo.Name, issue, before}
		var got struct {
			Repository *struct {
				Issue *struct{ Comments talk }
			}
		}
		op := fmt.Sprintf("read earlier comments of %s/%s#%d", repo.Owner, repo.Name, issue)
		q := question{op: op, doc: earlierTalkQuery, variables: vars, token: writeKey(repo)}
		if err := c.readIn(ctx, q, &got, func() bool { return got.Repository != nil && got.Repository.Issue != nil }); err != nil {
			return false, err
		}
		page := got.Repository.Issue.Comments
		if page.started() || !page.PageInfo.HasPreviousPage {
			return page.started(), nil
		}
		before = page.PageInfo.StartCursor
	}
	return false, nil
}

func (n labelledNode) issue(label string) LabelledIssue {
	i := LabelledIssue{Number: n.Number, Started: n.Comments.started()}
	for _, t := range n.TimelineItems.Nodes {
		if t.Label.Name == label && !t.CreatedAt.Before(i.At) {
			i.At, i.By = t.CreatedAt, pipeline.Actor{Login: t.Actor.login(), Bot: t.Actor == nil || t.Actor.Typename != "User"}
		}
	}
	return i
}
