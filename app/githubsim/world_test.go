package githubsim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSession plays what a lifecycle bot does on one issue, over GraphQL, and
// compares what people see and what the app hears.
func TestSession(t *testing.T) {
	b := newBench(t)
	token := b.token(nil)
	n, err := b.OpenIssue("ann", testRepo, "A cart", "People want a cart.", "lifecycle")
	must(t, err)
	_, pull := b.pull(token, map[string]string{"spec/a.md": "one\ntwo\nthree\n"})
	repo, _ := b.repo(testRepo)
	head := b.Head(testRepo, "lifecycle/one")
	issue, err := b.Issue(At(testRepo, n))
	must(t, err)
	out := b.gql(token, `mutation($issue: ID!, $review: AddPullRequestReviewInput!, $check: CreateCheckRunInput!, $body: UpdatePullRequestInput!) {
		r: addPullRequestReview(input: $review) { pullRequestReview { id state comments(first: 5) { nodes { path line } } } }
		c: createCheckRun(input: $check) { checkRun { id databaseId status conclusion } }
		p: updatePullRequest(input: $body) { pullRequest { body } }
		e: addReaction(input: {subjectId: $issue, content: EYES}) { reaction { content } }
		m: addComment(input: {subjectId: $issue, body: "started"}) { commentEdge { node { id databaseId author { __typename login } } } }
		s: addAssigneesToAssignable(input: {assignableId: $issue, assigneeIds: []}) { assignable { __typename ... on Issue { number } } }
	}`, map[string]any{
		"issue": issue.NodeID,
		"review": map[string]any{"pullRequestId": pull, "commitOID": head, "event": "COMMENT", "body": "consensus",
			"threads": []any{map[string]any{"path": "spec/a.md", "line": 2, "body": "why two?"}, map[string]any{"path": "spec/a.md", "line": 99, "body": "nowhere"}}},
		"check": map[string]any{"repositoryId": repo.NodeID, "name": "parley/gate", "headSha": head, "status": "COMPLETED", "conclusion": "ACTION_REQUIRED",
			"externalId": "S-1", "output": map[string]any{"title": "waiting", "summary": "the panel"},
			"actions": []any{map[string]any{"label": "Resume", "description": "go on", "identifier": "resume"}}},
		"body": map[string]any{"pullRequestId": pull, "body": "Refs #1\n\nthe panel"},
	})
	if len(out.Errors) > 0 {
		t.Fatalf("%+v", out.Errors)
	}
	if got := dig(out.Data, "m", "commentEdge", "node", "author", "login"); got != "parley" {
		t.Errorf("a bot's login in GraphQL is %v, want it without suffix", got)
	}
	must(t, b.ClickCheckAction("ann", testRepo, head, "parley/gate", "resume"))
	want := []string{
		"installation.created", "issues.opened", "issues.labeled",
		"push", "check_suite.requested", "push", "check_suite.requested", "pull_request.opened",
		"pull_request_review.submitted", "pull_request_review_comment.created",
		"check_run.created", "check_run.completed", "check_suite.completed",
		"pull_request.edited", "issue_comment.created", "check_run.requested_action",
	}
	if diff := cmp.Diff(want, b.heard()); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Counts{Requests: 2, GraphQL: 2, Created: 3}, b.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	thread, err := b.Thread(At(testRepo, n))
	must(t, err)
	for _, want := range []string{"People want a cart.", "parley[bot] commented on #1**\n\nstarted", "parley[bot] commented on spec/a.md:2**\n\nwhy two?",
		"Check parley/gate on #2: waiting (action_required)", "[Resume] go on", "Refs #1\n\nthe panel"} {
		if !strings.Contains(thread, want) {
			t.Errorf("the thread lacks %q:\n%s", want, thread)
		}
	}
	if strings.Contains(thread, "nowhere") {
		t.Error("a thread outside the diff is visible")
	}
}

// TestDeliveriesAreSigned holds headers, signature and the common fields.
func TestDeliveriesAreSigned(t *testing.T) {
	b := newBench(t)
	b.forget()
	_, err := b.OpenIssue("ann", testRepo, "A cart", strings.Repeat("text ", 100))
	must(t, err)
	b.heard()
	got := b.received[0]
	m := hmac.New(sha256.New, []byte(hookSecret))
	m.Write(got.body)
	if want := "sha256=" + hex.EncodeToString(m.Sum(nil)); got.header.Get("X-Hub-Signature-256") != want {
		t.Errorf("signature %q, want %q", got.header.Get("X-Hub-Signature-256"), want)
	}
	for _, h := range []string{"X-GitHub-Delivery", "X-GitHub-Event", "X-GitHub-Hook-Id", "X-Hub-Signature"} {
		if got.header.Get(h) == "" {
			t.Errorf("no %s header", h)
		}
	}
	var body struct {
		Installation struct{ ID int64 }
		Repository   struct {
			FullName string `json:"full_name"`
		}
		Organization struct{ Login string }
		Sender       struct{ Login, Type string }
	}
	must(t, json.Unmarshal(got.body, &body))
	if body.Installation.ID != b.inst.ID || body.Repository.FullName != testRepo || body.Organization.Login != "acme" || body.Sender.Login != "ann" {
		t.Errorf("common fields: %+v", body)
	}
	if len(got.body) < 8<<10 || len(got.body) > 20<<10 {
		t.Errorf("payload of %d bytes, GitHub's has about 10 KB", len(got.body))
	}
}
