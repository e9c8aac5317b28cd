package githubapi

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"parley/pipeline"
)

// maxThreadPages bounds what is read of a pull request's threads.
const maxThreadPages = 10

type threadsAnswer struct {
	Repository *struct {
		PullRequest *struct {
			ReviewThreads struct {
				PageInfo pageInfo
				Nodes    []threadNode
			}
		}
	}
}

type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}

type threadNode struct {
	ID           string
	IsResolved   bool
	Path         string
	Line         *int
	OriginalLine *int
	Comments     struct {
		Nodes []struct {
			FullDatabaseID  bigID
			Body            string
			ViewerDidAuthor bool
			Author          *actor
		}
	}
}

// Threads implements pipeline.GitHub: the review threads, oldest first, the
// open ones with whether those who wrote in them may write to the repository.
func (c *Client) Threads(ctx context.Context, repo pipeline.Repo, pr int) ([]pipeline.Thread, error) {
	op := fmt.Sprintf("read the review threads of %s/%s#%d", repo.Owner, repo.Name, pr)
	var threads []pipeline.Thread
	var after *string
	for range maxThreadPages {
		vars := struct {
			Owner string  `json:"owner"`
			Name  string  `json:"name"`
			PR    int     `json:"pr"`
			After *string `json:"after"`
		}{repo.Owner, repo.Name, pr, after}
		var got threadsAnswer
		if err := c.read(ctx, question{op: op, doc: threadsQuery, variables: vars, token: writeKey(repo)}, &got); err != nil {
			return nil, gone(err)
		}
		if got.Repository == nil || got.Repository.PullRequest == nil {
			return nil, &Error{Kind: KindNotFound, Op: op}
		}
		page := got.Repository.PullRequest.ReviewThreads
		for _, n := range page.Nodes {
			threads = append(threads, c.thread(ctx, repo, n))
		}
		if !page.PageInfo.HasNextPage {
			break
		}
		after = &page.PageInfo.EndCursor
	}
	return threads, nil
}

// thread keeps what people wrote in it. The finding is believed only where we
// opened the thread.
func (c *Client) thread(ctx context.Context, repo pipeline.Repo, n threadNode) pipeline.Thread {
	t := pipeline.Thread{ID: n.ID, Path: inFolder(n.Path), Resolved: n.IsResolved}
	for _, line := range []*int{n.Line, n.OriginalLine} {
		if line != nil && t.Line == 0 {
			t.Line = *line
		}
	}
	for i, m := range n.Comments.Nodes {
		if i == 0 && m.ViewerDidAuthor {
			if ids := pipeline.Marked(m.Body, pipeline.FindingMark); len(ids) > 0 {
				t.Finding, t.Root = ids[0], strconv.FormatInt(int64(m.FullDatabaseID), 10)
			}
		}
		if n.IsResolved || m.ViewerDidAuthor || m.Author == nil || m.Author.Typename != "User" {
			continue
		}
		writer := c.writes(ctx, repo, m.Author.Login)
		if t.Writer && !writer {
			continue
		}
		if writer && !t.Writer {
			// A stranger's words do not ride on a writer's thread.
			t.Writer, t.Texts = true, nil
		}
		if t.Author == "" || writer {
			t.Author = m.Author.Login
		}
		t.Texts = append(t.Texts, m.Body)
	}
	if t.Author == "" && len(n.Comments.Nodes) > 0 {
		t.Author = n.Comments.Nodes[0].Author.login()
	}
	return t
}

// inFolder is a path relative to the session folder it lies in; other paths
// stay as they are.
func inFolder(path string) string {
	rest, ok := strings.CutPrefix(path, ".workflow/.team/")
	if !ok {
		return path
	}
	if _, inner, ok := strings.Cut(rest, "/"); ok {
		return inner
	}
	return path
}
