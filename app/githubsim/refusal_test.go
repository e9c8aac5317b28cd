package githubsim

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestRESTRefusals: what GitHub refuses over REST, with its status.
func TestRESTRefusals(t *testing.T) {
	b := newBench(t)
	token := b.token(nil)
	_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
	must(t, err)
	n, _ := b.pull(token, map[string]string{"spec/a.md": "one\ntwo\n"})
	head := b.Head(testRepo, "lifecycle/one")
	pull, repo := fmt.Sprintf("/repos/acme/shop/pulls/%d", n), "/repos/acme/shop"
	status, run := b.call("POST", repo+"/check-runs", token, object{"name": "parley/gate", "head_sha": head, "conclusion": "success"})
	if status != 201 {
		t.Fatalf("check: %d %v", status, run)
	}
	readOnly := b.token(map[string]any{"permissions": map[string]string{"issues": "write", "metadata": "read"}})
	long := strings.Repeat("é", 65537)
	line := func(n int) object { return object{"path": "spec/a.md", "line": n, "body": "x"} }
	tests := []struct {
		name, method, path, token string
		body                      any
		status                    int
		message                   string
	}{
		{"own approval", "POST", pull + "/reviews", token, object{"event": "APPROVE", "body": "ok"}, 422, "approve your own"},
		{"own change request", "POST", pull + "/reviews", token, object{"event": "REQUEST_CHANGES", "body": "no"}, 422, "changes on your own"},
		{"review without words", "POST", pull + "/reviews", token, object{"event": "COMMENT"}, 422, "blank"},
		{"one line of two outside the diff", "POST", pull + "/reviews", token, object{"event": "COMMENT", "body": "b", "comments": []object{line(1), line(3)}}, 422, "part of the diff"},
		{"file not in the diff", "POST", pull + "/comments", token, object{"path": "README.md", "line": 1, "body": "x", "commit_id": head}, 422, "Path could not be resolved"},
		{"range that is one line", "POST", pull + "/comments", token, object{"path": "spec/a.md", "line": 1, "start_line": 1, "body": "x"}, 422, "precede"},
		{"second pull request", "POST", repo + "/pulls", token, object{"title": "x", "head": "lifecycle/one", "base": "main"}, 422, "already exists"},
		{"nothing to pull", "POST", repo + "/pulls", token, object{"title": "x", "head": "main", "base": "main"}, 422, "No commits between"},
		{"completed run back in progress", "PATCH", fmt.Sprintf("%s/check-runs/%.0f", repo, run["id"]), token, object{"status": "in_progress"}, 422, "cannot leave completed"},
		{"four buttons", "POST", repo + "/check-runs", token, object{"name": "x", "head_sha": head, "actions": make([]object, 4)}, 422, "3 actions"},
		{"summary too long", "POST", repo + "/check-runs", token, object{"name": "x", "head_sha": head, "output": object{"title": "t", "summary": long}}, 422, "65535"},
		{"comment too long", "POST", repo + "/issues/1/comments", token, object{"body": long}, 422, "too long"},
		{"comment without words", "POST", repo + "/issues/1/comments", token, object{"body": " "}, 422, "Validation Failed"},
		{"ref exists", "POST", repo + "/git/refs", token, object{"ref": "refs/heads/main", "sha": head}, 422, "already exists"},
		{"not a fast forward", "PATCH", repo + "/git/refs/heads/lifecycle/one", token, object{"sha": b.Head(testRepo, "main")}, 422, "fast forward"},
		{"bad ref name", "POST", repo + "/git/refs", token, object{"ref": "refs/heads/a..b", "sha": head}, 422, "valid ref name"},
		{"token without the permission", "POST", repo + "/git/refs", readOnly, object{"ref": "refs/heads/x", "sha": head}, 403, "not accessible by integration"},
		{"no token", "GET", repo, "", nil, 401, "Requires authentication"},
		{"unknown token", "GET", repo, "ghs_nobody", nil, 401, "Bad credentials"},
		{"repository out of reach", "GET", "/repos/other/thing", token, nil, 404, "Not Found"},
		{"JWT on a repository", "GET", repo, b.jwt(), nil, 401, "Bad credentials"},
		{"workflow file", "PUT", repo + "/contents/.github/workflows/x.yml", token, object{"message": "m", "content": "eA==", "branch": "lifecycle/one"}, 403, "workflows"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			resp, raw := b.send(tc.method, tc.path, tc.token, tc.body)
			if resp.StatusCode != tc.status || !strings.Contains(string(raw), tc.message) {
				t.Errorf("%d %s, want %d with %q", resp.StatusCode, raw, tc.status, tc.message)
			}
		})
	}
}

// TestGraphQLRefusals: the error types that callers must tell apart, each
// beside a field of the same request that goes through.
func TestGraphQLRefusals(t *testing.T) {
	b := newBench(t)
	token := b.token(nil)
	n, err := b.OpenIssue("ann", testRepo, "A cart", "body")
	must(t, err)
	issue, err := b.Issue(At(testRepo, n))
	must(t, err)
	_, pull := b.pull(token, map[string]string{"spec/a.md": "one\n"})
	must(t, b.Protect(testRepo, "release/"))
	must(t, b.CreateBranch("ann", testRepo, "work", "main"))
	repo, _ := b.repo(testRepo)
	narrow := b.token(map[string]any{"permissions": map[string]string{"issues": "write", "metadata": "read"}})
	commit := func(branch, head string) string {
		return fmt.Sprintf(`createCommitOnBranch(input: {branch: {repositoryNameWithOwner: "acme/shop", branchName: %q},
			expectedHeadOid: %q, message: {headline: "m"}, fileChanges: {}}) { commit { oid } }`, branch, head)
	}
	main := b.Head(testRepo, "main")
	tests := []struct{ name, token, field, typ string }{
		{"stale head", token, commit("lifecycle/one", main), "STALE_DATA"},
		{"no branch", token, commit("nowhere", main), "NOT_FOUND"},
		{"protected", token, fmt.Sprintf(`createRef(input: {repositoryId: %q, name: "refs/heads/release/1", oid: %q}) { ref { id } }`, repo.NodeID, main), "BRANCH_PROTECTION_RULE_VIOLATION"},
		{"ref exists", token, fmt.Sprintf(`createRef(input: {repositoryId: %q, name: "refs/heads/main", oid: %q}) { ref { id } }`, repo.NodeID, main), "UNPROCESSABLE"},
		{"forbidden", narrow, commit("main", main), "FORBIDDEN"},
		{"own approval", token, fmt.Sprintf(`addPullRequestReview(input: {pullRequestId: %q, event: APPROVE}) { clientMutationId }`, pull), "UNPROCESSABLE"},
		{"unknown node", token, `closeIssue(input: {issueId: "I_kwnothing"}) { clientMutationId }`, "NOT_FOUND"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			out := b.gql(tc.token, fmt.Sprintf(`mutation { bad: %s good: addReaction(input: {subjectId: %q, content: EYES}) { reaction { content } } }`, tc.field, issue.NodeID), nil)
			if len(out.Errors) != 1 || out.Errors[0].Type != tc.typ || dig(out.Errors[0].Path, 0) != "bad" {
				t.Errorf("errors %+v, want one %s at bad", out.Errors, tc.typ)
			}
			if out.Data["bad"] != nil || dig(out.Data, "good", "reaction", "content") != "EYES" {
				t.Errorf("data %v", out.Data)
			}
		})
	}
	t.Run("a line outside the diff makes no thread", func(t *testing.T) {
		out := b.gql(token, fmt.Sprintf(`mutation {
			a: addPullRequestReview(input: {pullRequestId: %q, body: "b"}) { pullRequestReview { state } }
			b: addPullRequestReviewThread(input: {pullRequestId: %[1]q, path: "spec/a.md", line: 9, body: "x"}) { thread { id } }
			c: addPullRequestReviewThread(input: {pullRequestId: %[1]q, path: "spec/a.md", subjectType: FILE, body: "x"}) { thread { subjectType line } }
			d: submitPullRequestReview(input: {pullRequestId: %[1]q, event: COMMENT, body: "done"}) { pullRequestReview { state } } }`, pull), nil)
		if len(out.Errors) > 0 || dig(out.Data, "b", "thread") != nil || dig(out.Data, "c", "thread", "subjectType") != "FILE" {
			t.Errorf("%+v", out)
		}
		if got := b.Threads(At(testRepo, 2)); len(got) != 1 {
			t.Errorf("threads %+v, want one", got)
		}
	})
}

// TestTokens: JWTs and installation tokens, their life and their reach.
func TestTokens(t *testing.T) {
	b := newBench(t)
	now := b.now.Unix()
	claims := func(iat, exp int64, iss string) string {
		return signJWT(testKey(), map[string]any{"iss": iss, "iat": iat, "exp": exp})
	}
	for _, tc := range []struct {
		name, jwt string
		status    int
	}{
		{"good", claims(now-30, now+120, "7"), 200},
		{"client id", claims(now-30, now+120, b.app.ClientID), 200},
		{"expired", claims(now-600, now-1, "7"), 401},
		{"too far ahead", claims(now, now+601, "7"), 401},
		{"issued in the future", claims(now+300, now+500, "7"), 401},
		{"unknown app", claims(now, now+60, "8"), 404},
		{"tampered", claims(now, now+60, "7")[:20] + "x" + claims(now, now+60, "7")[21:], 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if status, out := b.call("GET", "/app", tc.jwt, nil); status != tc.status {
				t.Errorf("%d %v, want %d", status, out, tc.status)
			}
		})
	}
	_, err := b.AddRepo("acme/other", map[string]string{"a": "b"})
	must(t, err)
	scoped := b.token(map[string]any{"repositories": []string{"other"}})
	whole := b.token(nil)
	reach := func(token string) int { s, _ := b.call("GET", "/repos/acme/shop/pulls", token, nil); return s }
	if got := reach(scoped); got != 404 {
		t.Errorf("a token for another repository: %d, want 404", got)
	}
	if got := reach(whole); got != 200 {
		t.Errorf("a token for all: %d", got)
	}
	if status, _ := b.call("POST", fmt.Sprintf("/app/installations/%d/access_tokens", b.inst.ID), b.jwt(), map[string]any{"permissions": map[string]string{"administration": "write"}}); status != 422 {
		t.Errorf("permissions beyond the installation's: %d, want 422", status)
	}
	b.RevokeTokens()
	if got := reach(whole); got != 401 {
		t.Errorf("revoked: %d, want 401", got)
	}
	whole = b.token(nil)
	b.now = b.now.Add(time.Hour)
	if got := reach(whole); got != 401 {
		t.Errorf("an hour later: %d, want 401", got)
	}
	whole = b.token(nil)
	b.Suspend(b.inst, true)
	if got := reach(whole); got != 403 {
		t.Errorf("suspended: %d, want 403", got)
	}
}
