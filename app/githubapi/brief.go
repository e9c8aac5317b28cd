package githubapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/pipeline"
)

// maxConfig is the longest configuration file that is read.
const maxConfig = 64 << 10

type blob struct {
	OID         string
	Text        *string
	IsBinary    *bool
	IsTruncated bool
	ByteSize    int
}

func (b *blob) text(limit int) string {
	if b == nil || b.Text == nil || b.ByteSize > limit {
		return ""
	}
	return *b.Text
}

type actor struct {
	Typename string `json:"__typename"`
	Login    string
}

func (a *actor) login() string {
	if a == nil {
		return "ghost"
	}
	return a.Login
}

type briefPull struct {
	Number          int
	State           string
	HeadRefName     string
	ViewerDidAuthor bool
}

type briefComment struct {
	ID              string
	Body            string
	CreatedAt       time.Time
	IsMinimized     bool
	ViewerDidAuthor bool
	Author          *actor
}

type briefAnswer struct {
	Repository *struct {
		ID               string
		DatabaseID       int64
		Name             string
		IsPrivate        bool
		IsArchived       bool
		Owner            struct{ Login string }
		DefaultBranchRef *struct {
			Name   string
			Target struct{ OID string }
		}
		Config   *blob
		Edited   *blob // at another head
		Root     *blob
		Package  *blob
		Sessions *struct {
			Entries []struct {
				Name   string
				Object *struct {
					Entries []struct{ Name, Type string }
				}
			}
		}
		Issue *struct {
			ID        string
			Number    int
			Title     string
			Body      string
			State     string
			Author    *actor
			Labels    struct{ Nodes []struct{ Name string } }
			Assignees struct{ Nodes []struct{ Login string } }
			Comments  struct{ Nodes []briefComment }
		}
		Refs struct {
			Nodes []struct {
				Name                   string
				AssociatedPullRequests struct{ Nodes []briefPull }
			}
		}
		PullRequests struct{ Nodes []briefPull }
	}
	Org *orgConfig
}

// orgConfig is the configuration of an organisation, in either of its places.
type orgConfig struct{ Config, Root *blob }

// Brief implements pipeline.GitHub: one query, and one permission read for
// each of the last few people who commented.
func (c *Client) Brief(ctx context.Context, repo pipeline.Repo, issue int) (pipeline.Briefing, error) {
	op := fmt.Sprintf("read issue %s/%s#%d", repo.Owner, repo.Name, issue)
	vars := struct {
		Owner     string `json:"owner"`
		Name      string `json:"name"`
		Issue     int    `json:"issue"`
		RefPrefix string `json:"refPrefix"`
		RefQuery  string `json:"refQuery"`
	}{repo.Owner, repo.Name, issue, "refs/heads/", "-" + strconv.Itoa(issue)}
	var got briefAnswer
	q := question{op: op, doc: briefQuery, variables: vars, token: readKey(repo), optional: []string{"org"}}
	if err := c.read(ctx, q, &got); err != nil {
		return pipeline.Briefing{}, gone(err)
	}
	r := got.Repository
	if r == nil || r.Issue == nil {
		return pipeline.Briefing{}, &Error{Kind: KindNotFound, Op: op}
	}
	if repo.ID != 0 && r.DatabaseID != repo.ID {
		return pipeline.Briefing{}, fmt.Errorf("%s: %w: another repository has that name now", op, pipeline.ErrGone)
	}
	if r.IsArchived {
		return pipeline.Briefing{}, fmt.Errorf("%s: %w: the repository is archived", op, pipeline.ErrGone)
	}
	b := pipeline.Briefing{CanDraft: true, Closed: r.Issue.State == "CLOSED", PackageJSON: r.Package.text(1 << 20), HasSpec: hasSpec(got)}
	repo.NodeID, repo.ID, repo.Private = r.ID, r.DatabaseID, r.IsPrivate
	repo.Owner, repo.Name = r.Owner.Login, r.Name
	if r.DefaultBranchRef == nil {
		b.EmptyRepo = true
	} else {
		repo.DefaultBranch, b.BaseHead = r.DefaultBranchRef.Name, r.DefaultBranchRef.Target.OID
	}
	b.Repo = repo
	b.Issue = pipeline.Issue{Number: r.Issue.Number, NodeID: r.Issue.ID, Title: r.Issue.Title, Author: r.Issue.Author.login()}
	for _, a := range r.Issue.Assignees.Nodes {
		b.Issue.Assignees = append(b.Issue.Assignees, a.Login)
	}
	b.Settings, b.Problems = c.settings(got.Org, r.Config)
	b.Existing = existing(got, b.Settings.BranchPrefix, issue)
	c.issueText(ctx, &b, got)
	c.scrubText(&b)
	return b, nil
}

func (c *Client) settings(org *orgConfig, config *blob) (pipeline.Settings, []string) {
	var above string
	if org != nil {
		above = cmp.Or(org.Config.text(maxConfig), org.Root.text(maxConfig))
	}
	settings, problems := c.cfg.ParseSettings([]byte(above), []byte(config.text(maxConfig)))
	if config != nil && config.text(maxConfig) == "" && config.ByteSize > 0 {
		problems = append(problems, fmt.Sprintf(".github/parley.yml is not a text of at most %d bytes", maxConfig))
	}
	return settings, problems
}

// maxStandings bounds the permission reads of one briefing.
const maxStandings = 5

// issueText keeps what people wrote, and our session comment apart from it.
func (c *Client) issueText(ctx context.Context, b *pipeline.Briefing, got briefAnswer) {
	issue := got.Repository.Issue
	b.Body = pipeline.IssueText{Title: issue.Title, Body: issue.Body, Author: issue.Author.login()}
	for _, l := range issue.Labels.Nodes {
		b.Body.Labels = append(b.Body.Labels, l.Name)
	}
	writers := map[string]bool{}
	comments := issue.Comments.Nodes
	for n := len(comments) - 1; n >= 0; n-- {
		login := comments[n].Author.login()
		_, known := writers[login]
		if known || !comments[n].input() || len(writers) >= maxStandings {
			continue
		}
		writers[login] = c.writes(ctx, b.Repo, login)
	}
	for _, m := range comments {
		if m.ViewerDidAuthor && len(pipeline.Marked(m.Body, pipeline.SessionMark)) > 0 {
			b.Comment = m.ID
			continue
		}
		if !m.input() {
			continue
		}
		b.Body.Comments = append(b.Body.Comments, pipeline.IssueComment{
			Author: m.Author.login(), Body: m.Body, At: m.CreatedAt, Writer: writers[m.Author.login()]})
	}
}

// input tells whether a comment is a person's words.
func (m briefComment) input() bool {
	return !m.ViewerDidAuthor && !m.IsMinimized && m.Author != nil && m.Author.Typename == "User"
}

func hasSpec(got briefAnswer) bool {
	if got.Repository.Sessions == nil {
		return false
	}
	for _, session := range got.Repository.Sessions.Entries {
		if session.Object == nil {
			continue
		}
		for _, e := range session.Object.Entries {
			if e.Name == "spec" && e.Type == "tree" {
				return true
			}
		}
	}
	return false
}

var sessionID = regexp.MustCompile(`^TLS-(?:.+-)?([0-9]+)-[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:-[0-9]+)?$`)

var pullStatus = map[string]pipeline.SessionStatus{
	"OPEN": pipeline.SessionActive, "MERGED": pipeline.SessionCompleted, "CLOSED": pipeline.SessionAborted,
}

// existing finds this issue's earlier sessions by the names of our own pull
// requests' branches, and by what our session comment says. Oldest first.
func existing(got briefAnswer, prefix string, issue int) []pipeline.EarlierSession {
	pulls := got.Repository.PullRequests.Nodes
	for _, ref := range got.Repository.Refs.Nodes {
		pulls = append(pulls, ref.AssociatedPullRequests.Nodes...)
	}
	var found []pipeline.EarlierSession
	seen := map[int]bool{}
	for n := len(pulls) - 1; n >= 0; n-- {
		p := pulls[n]
		id, ours := strings.CutPrefix(p.HeadRefName, prefix)
		m := sessionID.FindStringSubmatch(id)
		if !ours || !p.ViewerDidAuthor || seen[p.Number] || m == nil || m[1] != strconv.Itoa(issue) {
			continue
		}
		seen[p.Number] = true
		found = append(found, pipeline.EarlierSession{ID: id, PR: p.Number, Status: pullStatus[p.State]})
	}
	return found
}

// gone turns what GraphQL says of a repository or branch that is not there
// into what the pipeline parks a session for. A 404 of GraphQL itself is not
// that.
func gone(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Kind == KindNotFound && e.Status == 0 {
		return fmt.Errorf("%w: %w", pipeline.ErrGone, err)
	}
	return err
}
