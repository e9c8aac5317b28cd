package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"parley/pipeline"
)

// OpenHead is an open pull request with what our gate says of its head.
type OpenHead struct {
	Number     int
	Branch     string
	Head       string
	Ours       bool   // the pull request is ours
	Status     string // empty: no gate of ours on this head
	Conclusion string
	External   string
}

// OpenHeads lists the open pull requests of a repository.
func (c *Client) OpenHeads(ctx context.Context, repo pipeline.Repo) ([]OpenHead, error) {
	var all []OpenHead
	var after *string
	for range maxPages {
		vars := struct {
			Owner string  `json:"owner"`
			Name  string  `json:"name"`
			App   int64   `json:"app"`
			After *string `json:"after"`
		}{repo.Owner, repo.Name, c.cfg.AppID, after}
		var got struct {
			Repository *struct {
				PullRequests struct {
					PageInfo pageInfo
					Nodes    []openNode
				}
			}
		}
		op := fmt.Sprintf("list open pull requests of %s/%s", repo.Owner, repo.Name)
		q := question{op: op, doc: openPullsQuery, variables: vars, token: writeKey(repo)}
		if err := c.readIn(ctx, q, &got, func() bool { return got.Repository != nil }); err != nil {
			return nil, err
		}
		for _, n := range got.Repository.PullRequests.Nodes {
			all = append(all, n.head())
		}
		if !got.Repository.PullRequests.PageInfo.HasNextPage {
			break
		}
		after = &got.Repository.PullRequests.PageInfo.EndCursor
	}
	return all, nil
}

type openNode struct {
	Number          int
	HeadRefName     string
	HeadRefOID      string
	ViewerDidAuthor bool
	Commits         struct {
		Nodes []struct {
			Commit struct {
				CheckSuites struct {
					Nodes []struct{ CheckRuns struct{ Nodes []checkNode } }
				}
			}
		}
	}
}

func (n openNode) head() OpenHead {
	h := OpenHead{Number: n.Number, Branch: n.HeadRefName, Head: n.HeadRefOID, Ours: n.ViewerDidAuthor}
	var newest int64 = -1
	for _, k := range n.Commits.Nodes {
		for _, s := range k.Commit.CheckSuites.Nodes {
			for _, run := range s.CheckRuns.Nodes {
				if run.Name == GateName && run.DatabaseID > newest {
					newest = run.DatabaseID
					h.Status, h.Conclusion, h.External = strings.ToLower(run.Status), strings.ToLower(run.Conclusion), run.ExternalID
				}
			}
		}
	}
	return h
}

// GateOf reads what our gate says of one pull request's head. A check of
// another app with the same name is not seen.
func (c *Client) GateOf(ctx context.Context, repo pipeline.Repo, pr int) (OpenHead, error) {
	op := fmt.Sprintf("read the gate of %s/%s#%d", repo.Owner, repo.Name, pr)
	vars := struct {
		Owner string `json:"owner"`
		Name  string `json:"name"`
		PR    int    `json:"pr"`
		App   int64  `json:"app"`
	}{repo.Owner, repo.Name, pr, c.cfg.AppID}
	var got struct {
		Repository *struct{ PullRequest *openNode }
	}
	if err := c.read(ctx, question{op: op, doc: gateQuery, variables: vars, token: writeKey(repo), gate: true}, &got); err != nil {
		return OpenHead{}, gone(err)
	}
	if got.Repository == nil || got.Repository.PullRequest == nil {
		return OpenHead{}, &Error{Kind: KindNotFound, Op: op}
	}
	return got.Repository.PullRequest.head(), nil
}

// Contains tells whether commit holds ancestor: a merge group, the head that
// was judged.
func (c *Client) Contains(ctx context.Context, repo pipeline.Repo, commit, ancestor string) (bool, error) {
	if !commitID.MatchString(commit) || !commitID.MatchString(ancestor) {
		return false, fmt.Errorf("compare commits: %q or %q is no commit id", ancestor, commit)
	}
	var said struct {
		Status string `json:"status"`
	}
	k := call{op: "compare commits", method: http.MethodGet, read: true, gate: true, token: writeKey(repo),
		path: repoPath(repo, "compare", ancestor+"..."+commit) + "?per_page=1"}
	if err := c.restCall(ctx, k, &said); err != nil {
		return false, err
	}
	return said.Status == "ahead" || said.Status == "identical", nil
}

// ChangedFiles lists the paths a pull request changes, as far as GitHub tells:
// three thousand.
func (c *Client) ChangedFiles(ctx context.Context, repo pipeline.Repo, pr int) ([]string, error) {
	var all []string
	for page := 1; page <= 30; page++ {
		var part []struct {
			Filename string `json:"filename"`
		}
		k := call{op: fmt.Sprintf("list files of #%d", pr), method: http.MethodGet, read: true, token: writeKey(repo),
			path: repoPath(repo, "pulls", strconv.Itoa(pr), "files") + fmt.Sprintf("?per_page=100&page=%d", page)}
		if err := c.restCall(ctx, k, &part); err != nil {
			return nil, err
		}
		for _, f := range part {
			all = append(all, f.Filename)
		}
		if len(part) < 100 {
			break
		}
	}
	return all, nil
}
