package githubsim_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v62/github"

	"parley/app/githubsim"
	"parley/app/githubsim/conform"
)

// bearer adds a token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func client(t *testing.T, api, token string) *github.Client {
	t.Helper()
	c := github.NewClient(&http.Client{Transport: bearer(token)})
	base, err := url.Parse(api + "/")
	must(t, err)
	c.BaseURL = base
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func appJWT(t *testing.T, key *rsa.PrivateKey, now time.Time) string {
	t.Helper()
	part := func(v any) string {
		raw, err := json.Marshal(v)
		must(t, err)
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	head := part(map[string]string{"alg": "RS256"}) + "." + part(map[string]any{"iss": 9, "iat": now.Unix() - 30, "exp": now.Unix() + 300})
	sum := sha256.Sum256([]byte(head))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	must(t, err)
	return head + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// openWorld is a world with one repository and an app on it, seen through
// go-github: as the app, and as its installation.
func openWorld(t *testing.T, recorder githubsim.Recorder) (w *githubsim.World, asApp, asInstallation *github.Client) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	w = githubsim.New(githubsim.Config{Recorder: recorder})
	server := httptest.NewServer(w.Handler())
	t.Cleanup(func() { w.Stop(); server.Close() })
	w.AddOrg("acme", "ann")
	_, err = w.AddRepo("acme/shop", map[string]string{"README.md": "# shop\n", "src/cart.go": "package src\n"})
	must(t, err)
	must(t, w.SetPermission("acme/shop", "ann", "maintain"))
	app := w.RegisterApp(githubsim.AppConfig{ID: 9, Slug: "parley", Key: &key.PublicKey})
	inst, err := w.Install(app, "acme")
	must(t, err)
	asApp = client(t, server.URL, appJWT(t, key, time.Now()))
	token, _, err := asApp.Apps.CreateInstallationToken(context.Background(), inst.ID, &github.InstallationTokenOptions{Repositories: []string{"shop"}})
	must(t, err)
	return w, asApp, client(t, server.URL, token.GetToken())
}

// TestRESTSession plays a lifecycle over the Git Data API and the rest of REST
// with go-github as an independent client, and holds every exchange against
// GitHub's description where that is installed.
func TestRESTSession(t *testing.T) {
	w, asApp, gh := openWorld(t, conform.Watch(t))
	ctx := context.Background()
	n, err := w.OpenIssue("ann", "acme/shop", "A cart", "body", "lifecycle")
	must(t, err)
	head := commitByGitData(t, gh)
	pull := playPull(t, gh, head)
	playChecks(t, gh, head)
	playIssue(t, gh, n)
	playReads(t, asApp, gh, head)

	got, err := w.Pull(githubsim.At("acme/shop", pull))
	must(t, err)
	want := githubsim.PullView{Head: head, Branch: "lifecycle/x", Base: "main"}
	want.Number, want.Title, want.Body, want.State, want.Author, want.NodeID = pull, "spec: A cart", "the panel", "closed", "parley[bot]", got.NodeID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pull request (-want +got):\n%s", diff)
	}
	if _, err := gh.Git.DeleteRef(ctx, "acme", "shop", "heads/lifecycle/x"); err != nil {
		t.Error(err)
	}
}

func commitByGitData(t *testing.T, gh *github.Client) string {
	t.Helper()
	ctx := context.Background()
	main, _, err := gh.Git.GetRef(ctx, "acme", "shop", "heads/main")
	must(t, err)
	base, _, err := gh.Git.GetCommit(ctx, "acme", "shop", main.Object.GetSHA())
	must(t, err)
	blob, _, err := gh.Git.CreateBlob(ctx, "acme", "shop", &github.Blob{Content: github.String("AAE="), Encoding: github.String("base64")})
	must(t, err)
	tree, _, err := gh.Git.CreateTree(ctx, "acme", "shop", base.Tree.GetSHA(), []*github.TreeEntry{
		{Path: github.String("spec/a.md"), Mode: github.String("100644"), Type: github.String("blob"), Content: github.String("one\ntwo\nthree\n")},
		{Path: github.String("spec/b.bin"), Mode: github.String("100644"), Type: github.String("blob"), SHA: blob.SHA},
	})
	must(t, err)
	commit, _, err := gh.Git.CreateCommit(ctx, "acme", "shop", &github.Commit{Message: github.String("open"), Tree: tree, Parents: []*github.Commit{{SHA: base.SHA}}}, nil)
	must(t, err)
	_, _, err = gh.Git.CreateRef(ctx, "acme", "shop", &github.Reference{Ref: github.String("refs/heads/lifecycle/x"), Object: &github.GitObject{SHA: main.Object.SHA}})
	must(t, err)
	_, _, err = gh.Git.UpdateRef(ctx, "acme", "shop", &github.Reference{Ref: github.String("refs/heads/lifecycle/x"), Object: &github.GitObject{SHA: commit.SHA}}, false)
	must(t, err)
	return commit.GetSHA()
}

func playPull(t *testing.T, gh *github.Client, head string) int {
	t.Helper()
	ctx := context.Background()
	pr, _, err := gh.PullRequests.Create(ctx, "acme", "shop", &github.NewPullRequest{Title: github.String("spec: A cart"),
		Head: github.String("lifecycle/x"), Base: github.String("main"), Body: github.String("Refs #1")})
	must(t, err)
	n := pr.GetNumber()
	_, _, err = gh.PullRequests.CreateReview(ctx, "acme", "shop", n, &github.PullRequestReviewRequest{CommitID: &head, Event: github.String("COMMENT"), Body: github.String("consensus"),
		Comments: []*github.DraftReviewComment{{Path: github.String("spec/a.md"), Line: github.Int(3), StartLine: github.Int(2), StartSide: github.String("RIGHT"), Side: github.String("RIGHT"), Body: github.String("why?")}}})
	must(t, err)
	comments, _, err := gh.PullRequests.ListComments(ctx, "acme", "shop", n, nil)
	must(t, err)
	req, err := gh.NewRequest("POST", fmt.Sprintf("repos/acme/shop/pulls/%d/comments/%d/replies", n, comments[0].GetID()), map[string]string{"body": "because"})
	must(t, err)
	_, err = gh.Do(ctx, req, nil)
	must(t, err)
	_, _, err = gh.PullRequests.CreateComment(ctx, "acme", "shop", n, &github.PullRequestComment{Path: github.String("spec/b.bin"), SubjectType: github.String("file"), CommitID: &head, Body: github.String("whole file")})
	must(t, err)
	_, _, err = gh.PullRequests.Edit(ctx, "acme", "shop", n, &github.PullRequest{Body: github.String("the panel"), State: github.String("closed")})
	must(t, err)
	files, _, err := gh.PullRequests.ListFiles(ctx, "acme", "shop", n, nil)
	must(t, err)
	if len(files) != 2 || files[0].GetPatch() != "@@ -0,0 +1,3 @@\n+one\n+two\n+three" {
		t.Errorf("files: %v", files)
	}
	reviews, _, err := gh.PullRequests.ListReviews(ctx, "acme", "shop", n, nil)
	must(t, err)
	if len(reviews) != 3 {
		t.Errorf("%d reviews, want the review and one for each single comment", len(reviews))
	}
	return n
}

func playChecks(t *testing.T, gh *github.Client, head string) {
	t.Helper()
	ctx := context.Background()
	run, _, err := gh.Checks.CreateCheckRun(ctx, "acme", "shop", github.CreateCheckRunOptions{Name: "parley/gate", HeadSHA: head, Status: github.String("in_progress"), ExternalID: github.String("S-1")})
	must(t, err)
	_, _, err = gh.Checks.UpdateCheckRun(ctx, "acme", "shop", run.GetID(), github.UpdateCheckRunOptions{Name: "parley/gate", Conclusion: github.String("action_required"), Status: github.String("completed"),
		Output:  &github.CheckRunOutput{Title: github.String("t"), Summary: github.String("s"), Annotations: []*github.CheckRunAnnotation{{Path: github.String("spec/a.md"), StartLine: github.Int(1), EndLine: github.Int(1), AnnotationLevel: github.String("warning"), Message: github.String("m")}}},
		Actions: []*github.CheckRunAction{{Label: "Resume", Description: "go on", Identifier: "resume"}}})
	must(t, err)
	list, _, err := gh.Checks.ListCheckRunsForRef(ctx, "acme", "shop", head, nil)
	must(t, err)
	if list.GetTotal() != 1 || list.CheckRuns[0].GetConclusion() != "action_required" {
		t.Errorf("runs: %v", list)
	}
	_, _, err = gh.Checks.ListCheckRunAnnotations(ctx, "acme", "shop", run.GetID(), nil)
	must(t, err)
	_, _, err = gh.Checks.ListCheckSuitesForRef(ctx, "acme", "shop", head, nil)
	must(t, err)
}

func playIssue(t *testing.T, gh *github.Client, n int) {
	t.Helper()
	ctx := context.Background()
	comment, _, err := gh.Issues.CreateComment(ctx, "acme", "shop", n, &github.IssueComment{Body: github.String("started")})
	must(t, err)
	_, _, err = gh.Issues.EditComment(ctx, "acme", "shop", comment.GetID(), &github.IssueComment{Body: github.String("done")})
	must(t, err)
	_, _, err = gh.Reactions.CreateIssueReaction(ctx, "acme", "shop", n, "eyes")
	must(t, err)
	_, _, err = gh.Reactions.CreateIssueCommentReaction(ctx, "acme", "shop", comment.GetID(), "rocket")
	must(t, err)
	_, _, err = gh.Issues.AddAssignees(ctx, "acme", "shop", n, []string{"ann"})
	must(t, err)
	req, err := gh.NewRequest("POST", fmt.Sprintf("repos/acme/shop/issues/%d/labels", n), map[string][]string{"labels": {"lifecycle:spec-only"}})
	must(t, err)
	_, err = gh.Do(ctx, req, nil)
	must(t, err)
	_, err = gh.Issues.RemoveLabelForIssue(ctx, "acme", "shop", n, "lifecycle:spec-only")
	must(t, err)
	_, _, err = gh.Issues.ListComments(ctx, "acme", "shop", n, &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}})
	must(t, err)
	list, _, err := gh.Issues.ListByRepo(ctx, "acme", "shop", &github.IssueListByRepoOptions{Labels: []string{"lifecycle"}})
	must(t, err)
	if len(list) != 1 || list[0].GetNumber() != n {
		t.Errorf("labelled issues: %v", list)
	}
}

func playReads(t *testing.T, asApp, gh *github.Client, head string) {
	t.Helper()
	ctx := context.Background()
	_, _, err := asApp.Apps.Get(ctx, "")
	must(t, err)
	_, _, err = asApp.Apps.ListInstallations(ctx, nil)
	must(t, err)
	_, _, err = asApp.Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: 5})
	must(t, err)
	_, _, err = asApp.Apps.FindRepositoryInstallation(ctx, "acme", "shop")
	must(t, err)
	_, _, err = gh.Apps.ListRepos(ctx, nil)
	must(t, err)
	level, _, err := gh.Repositories.GetPermissionLevel(ctx, "acme", "shop", "ann")
	must(t, err)
	if level.GetPermission() != "write" || level.GetUser().GetRoleName() != "maintain" {
		t.Errorf("permission %v", level)
	}
	_, _, err = gh.Repositories.Get(ctx, "acme", "shop")
	must(t, err)
	file, _, _, err := gh.Repositories.GetContents(ctx, "acme", "shop", "spec/a.md", &github.RepositoryContentGetOptions{Ref: head})
	must(t, err)
	if text, err := file.GetContent(); err != nil || text != "one\ntwo\nthree\n" {
		t.Errorf("content %q, %v", text, err)
	}
	_, _, err = gh.Git.GetTree(ctx, "acme", "shop", head, true)
	must(t, err)
	_, _, err = gh.Repositories.CompareCommits(ctx, "acme", "shop", "main", head, nil)
	must(t, err)
	_, _, err = gh.RateLimit.Get(ctx)
	must(t, err)
	link, _, err := gh.Repositories.GetArchiveLink(ctx, "acme", "shop", github.Tarball, &github.RepositoryContentGetOptions{Ref: head}, 0)
	must(t, err)
	resp, err := http.Get(link.String())
	must(t, err)
	defer resp.Body.Close()
	zip, err := gzip.NewReader(resp.Body)
	must(t, err)
	var names []string
	for files := tar.NewReader(zip); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if h.Typeflag == tar.TypeReg {
			names = append(names, strings.TrimPrefix(h.Name, "acme-shop-"+head[:7]+"/"))
		}
	}
	if diff := cmp.Diff([]string{"README.md", "spec/a.md", "spec/b.bin", "src/cart.go"}, names); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
}
