package githubapi

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-github/v62/github"

	"parley/app/githubsim"
	"parley/app/githubsim/conform"
	"parley/pipeline"
)

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// testKey is one RSA key for all tests, in PEM form.
func testKey(t *testing.T) []byte {
	t.Helper()
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey())})
}

// world is a simulated GitHub with one repository and one issue, our client,
// and the eyes of a person who looks at it over plain REST.
type world struct {
	*githubsim.World
	t       *testing.T
	c       *Client
	eyes    *github.Client
	session pipeline.Session
	stored  map[string][]byte
}

const issueBody = "Customers pay twice when they press the button twice."

func newWorld(t *testing.T, writes string) *world {
	t.Helper()
	w := &world{World: githubsim.New(githubsim.Config{Recorder: conform.Watch(t)}), t: t, stored: map[string][]byte{}}
	server := httptest.NewServer(w.Handler())
	t.Cleanup(server.Close)
	repo, err := w.AddRepo("octo/shop", map[string]string{"README.md": "# Shop\n", "package.json": `{"dependencies":{"react":"18"}}`})
	if err != nil {
		t.Fatal(err)
	}
	app := w.RegisterApp(githubsim.AppConfig{Slug: "parley", Key: &rsaKey().PublicKey})
	installed, err := w.Install(app, "octo")
	if err != nil {
		t.Fatal(err)
	}
	w.may("ann", "write")
	number, err := w.OpenIssue("ann", "octo/shop", "Pay once", issueBody, "lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	w.c, err = New(Config{BaseURL: server.URL, AppID: app.ID, Keys: [][]byte{testKey(t)}, CacheDir: t.TempDir(), Writes: writes})
	if err != nil {
		t.Fatal(err)
	}
	w.eyes = github.NewClient(nil).WithAuthToken(w.UserToken("octo"))
	if w.eyes.BaseURL, err = url.Parse(server.URL + "/"); err != nil {
		t.Fatal(err)
	}
	w.session = pipeline.Session{ID: fmt.Sprintf("TLS-pay-once-%d-2026-11-21", number), Settings: pipeline.DefaultSettings(),
		Repo: pipeline.Repo{Installation: installed.ID, ID: repo.ID, NodeID: repo.NodeID, Owner: "octo", Name: "shop", DefaultBranch: "main"}}
	return w
}

func (w *world) may(login, role string) {
	w.t.Helper()
	w.AddUser(login)
	if err := w.SetPermission("octo/shop", login, role); err != nil {
		w.t.Fatal(err)
	}
}

// brief fills the session from the issue, as the pipeline does.
func (w *world) brief() pipeline.Briefing {
	w.t.Helper()
	b, err := w.c.Brief(w.t.Context(), w.session.Repo, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	w.session.Repo, w.session.Issue, w.session.PR.BaseHead = b.Repo, b.Issue, b.BaseHead
	return b
}

func (w *world) blob(_ context.Context, id string) ([]byte, error) {
	text, ok := w.stored[id]
	if !ok {
		return nil, pipeline.ErrNotFound
	}
	return text, nil
}

func (w *world) store(text string) string {
	id := blobID([]byte(text))
	w.stored[id] = []byte(text)
	return id
}

// deliver sends the writes and takes the receipts into the session, as the
// pipeline does.
func (w *world) deliver(ws ...pipeline.Write) pipeline.Receipts {
	w.t.Helper()
	got, err := w.try(nil, ws...)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

func (w *world) try(again map[string]bool, ws ...pipeline.Write) (pipeline.Receipts, error) {
	got, err := w.c.Deliver(w.t.Context(), pipeline.Batch{Session: w.session, Writes: ws, Again: again, Blob: w.blob})
	s := &w.session
	if got.Head != "" {
		s.PR.Head, s.Manifest.Head, s.Manifest.Tree = got.Head, got.Head, got.Tree
		files := maps.Clone(s.Manifest.Files)
		if files == nil {
			files = map[string]string{}
		}
		maps.Copy(files, got.Files)
		maps.DeleteFunc(files, func(_, id string) bool { return id == "" })
		s.Manifest.Files = files
	}
	for _, r := range got.Done {
		switch r.Kind {
		case pipeline.WriteOpen:
			s.PR.Number, s.PR.NodeID, s.PR.URL, s.PR.Draft = r.Number, r.NodeID, r.URL, r.Draft
		case pipeline.WriteCheck:
			s.Posted.CheckID, s.Posted.CheckNode, s.Posted.CheckHead, s.Posted.CheckStatus = r.ID, r.NodeID, r.Head, r.Status
		}
	}
	return got, err
}

func (w *world) openWrite() pipeline.Write {
	return pipeline.Write{Key: "start:1", Kind: pipeline.WriteOpen, Title: "spec: Pay once", Draft: true,
		Body:   "Refs #1\n\n" + pipeline.PanelStart + "\nworking\n" + pipeline.PanelEnd,
		Files:  []pipeline.FileChange{{Path: "team-session.json", Text: "{}\n"}, {Path: ".gitattributes", Text: "*.json linguist-generated\n"}, {Path: "spec/config/spec-config.json", Text: "{}\n"}},
		Append: []pipeline.FileAppend{{Key: "w1", Path: "wisdom/learnings.md", Text: "# Learnings\n"}}}
}

// opened is a world whose session has its pull request.
func opened(t *testing.T, writes string) *world {
	t.Helper()
	w := newWorld(t, writes)
	w.brief()
	w.deliver(w.openWrite())
	return w
}

// taskWrites are what one finished task leaves in the outbox.
func (w *world) taskWrites() []pipeline.Write {
	brief := "# Product brief\n\nPay once.\n\nNo more than once.\n"
	return []pipeline.Write{
		{Key: "t1:commit", Kind: pipeline.WriteCommit, Title: "DRAFT-001: product brief (round 2: consensus, 4.0/5)", Body: "Refs #1",
			Files:  []pipeline.FileChange{{Path: "spec/product-brief.md", Blob: w.store(brief)}, {Path: "team-session.json", Text: "{\"n\":1}\n"}},
			Append: []pipeline.FileAppend{{Key: "w2", Path: "wisdom/learnings.md", Text: "- pay once\n"}}, Memory: []pipeline.Memory{{Key: "language", Value: `"en"`}}},
		{Key: "t1:review", Kind: pipeline.WriteReview, Body: "Round 2: consensus.", Review: &pipeline.ReviewWrite{Comments: []pipeline.LineRemark{
			{Finding: "F-01", Path: "spec/product-brief.md", Line: 3, Body: "Say who pays."},
			{Finding: "F-02", Path: "spec/product-brief.md", Line: 5, Start: 3, Body: "Say it once."}}}},
		{Key: "t1:check", Kind: pipeline.WriteCheck, Check: &pipeline.CheckWrite{Status: "in_progress", Title: "DRAFT-002", Summary: "working", External: w.session.ID}},
		{Key: "t1:panel", Kind: pipeline.WritePanel, Body: pipeline.PanelStart + "\ntask 1 done\n" + pipeline.PanelEnd},
		{Key: "t1:comment", Kind: pipeline.WriteComment, Number: 1, Body: "Started. " + pipeline.Marker(pipeline.SessionMark, w.session.ID), Finding: pipeline.SessionMark},
		{Key: "t1:react", Kind: pipeline.WriteReact, Ornament: true, Subject: w.session.Issue.NodeID, Content: "ROCKET", On: pipeline.OnIssue},
		{Key: "t1:assign", Kind: pipeline.WriteAssign, Ornament: true, Content: "ann"},
	}
}

// sight is what a person sees of the session, in words.
func (w *world) sight() string {
	w.t.Helper()
	ctx, must := w.t.Context(), func(err error) {
		if err != nil {
			w.t.Helper()
			w.t.Fatal(err)
		}
	}
	var b strings.Builder
	pulls, _, err := w.eyes.PullRequests.List(ctx, "octo", "shop", &github.PullRequestListOptions{State: "all"})
	must(err)
	for _, p := range pulls {
		fmt.Fprintf(&b, "pull %q draft=%v %s\n%s\n", p.GetTitle(), p.GetDraft(), p.GetState(), plain(p.GetBody()))
		for _, a := range p.Assignees {
			fmt.Fprintf(&b, "assigned %s\n", a.GetLogin())
		}
		commits, _, err := w.eyes.PullRequests.ListCommits(ctx, "octo", "shop", p.GetNumber(), nil)
		must(err)
		for _, c := range commits {
			headline, _, _ := strings.Cut(c.GetCommit().GetMessage(), "\n")
			fmt.Fprintf(&b, "commit %q\n", headline)
		}
		tree, _, err := w.eyes.Git.GetTree(ctx, "octo", "shop", p.GetHead().GetSHA(), true)
		must(err)
		for _, e := range tree.Entries {
			if e.GetType() == "blob" {
				fmt.Fprintf(&b, "file %s %.7s\n", e.GetPath(), e.GetSHA())
			}
		}
		reviews, _, err := w.eyes.PullRequests.ListReviews(ctx, "octo", "shop", p.GetNumber(), nil)
		must(err)
		for _, r := range reviews {
			fmt.Fprintf(&b, "review %s %q\n", r.GetState(), plain(r.GetBody()))
		}
		lines, _, err := w.eyes.PullRequests.ListComments(ctx, "octo", "shop", p.GetNumber(), nil)
		must(err)
		for _, l := range lines {
			fmt.Fprintf(&b, "line %s:%d-%d %q\n", l.GetPath(), l.GetStartLine(), l.GetLine(), plain(l.GetBody()))
		}
		checks, _, err := w.eyes.Checks.ListCheckRunsForRef(ctx, "octo", "shop", p.GetHead().GetSHA(), nil)
		must(err)
		for _, k := range checks.CheckRuns {
			fmt.Fprintf(&b, "check %s %s %s %q\n", k.GetName(), k.GetStatus(), k.GetConclusion(), k.GetOutput().GetTitle())
		}
	}
	for n := 1; n <= 2; n++ {
		comments, _, err := w.eyes.Issues.ListComments(ctx, "octo", "shop", n, nil)
		if err != nil {
			continue
		}
		for _, c := range comments {
			fmt.Fprintf(&b, "comment on %d by %s %q\n", n, c.GetUser().GetLogin(), plain(c.GetBody()))
		}
	}
	reactions, _, err := w.eyes.Reactions.ListIssueReactions(ctx, "octo", "shop", 1, nil)
	must(err)
	for _, r := range reactions {
		fmt.Fprintf(&b, "reaction %s by %s\n", r.GetContent(), r.GetUser().GetLogin())
	}
	return b.String()
}

// plain is a text as it shows: without hidden comments.
func plain(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "<!--")
		if !ok {
			return strings.TrimSpace(text)
		}
		_, after, _ := strings.Cut(rest, "-->")
		text = before + after
	}
}

func (w *world) issue() githubsim.Where { return githubsim.At("octo/shop", 1) }
func (w *world) pull() githubsim.Where  { return githubsim.At("octo/shop", w.session.PR.Number) }
