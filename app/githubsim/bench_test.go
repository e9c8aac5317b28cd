package githubsim

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

const (
	hookSecret = "a-secret-of-some-length"
	testRepo   = "acme/shop"
)

// bench is a world with one repository, one app on it, people, a server and a
// receiver of deliveries.
type bench struct {
	*World
	t    *testing.T
	api  string
	app  *App
	inst *Installation
	now  time.Time

	mu       sync.Mutex
	received []received
	answer   int
}

type received struct {
	header http.Header
	body   []byte
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), answer: 200}
	b.World = New(Config{Now: func() time.Time { return b.now }})
	server := httptest.NewServer(b.Handler())
	hook := httptest.NewServer(http.HandlerFunc(b.receive))
	t.Cleanup(func() { b.Stop(); server.Close(); hook.Close() })
	b.api = server.URL
	b.AddOrg("acme", "ann")
	_, err := b.AddRepo(testRepo, map[string]string{"README.md": "# shop\n", "src/cart.go": "package src\n"})
	must(t, err)
	must(t, b.SetPermission(testRepo, "ann", "admin"))
	must(t, b.SetPermission(testRepo, "wes", "write"))
	must(t, b.SetPermission(testRepo, "tess", "triage"))
	b.app = b.RegisterApp(AppConfig{ID: 7, Slug: "parley", Key: &testKey().PublicKey, Secret: hookSecret, HookURL: hook.URL})
	b.inst, err = b.Install(b.app, "acme")
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) receive(rw http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received = append(b.received, received{req.Header.Clone(), body})
	rw.WriteHeader(b.answer)
}

// heard settles the deliveries and lists "event.action" of all that came.
func (b *bench) heard() []string {
	b.t.Helper()
	must(b.t, b.Settle(context.Background()))
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, r := range b.received {
		var body struct{ Action string }
		if err := json.Unmarshal(r.body, &body); err != nil {
			b.t.Fatal(err)
		}
		out = append(out, strings.TrimSuffix(r.header.Get("X-GitHub-Event")+"."+body.Action, "."))
	}
	return out
}

// forget drops what was heard so far.
func (b *bench) forget() {
	b.heard()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received = nil
}

func signJWT(key *rsa.PrivateKey, claims map[string]any) string {
	part := func(v any) string { return base64.RawURLEncoding.EncodeToString(mustJSON(v)) }
	head := part(map[string]any{"alg": "RS256", "typ": "JWT"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(head))
	raw, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return head + "." + base64.RawURLEncoding.EncodeToString(raw)
}

func (b *bench) jwt() string {
	return signJWT(testKey(), map[string]any{"iss": "7", "iat": b.now.Unix() - 30, "exp": b.now.Unix() + 120})
}

// token mints an installation token, narrowed by the given body.
func (b *bench) token(narrow map[string]any) string {
	b.t.Helper()
	status, out := b.call("POST", fmt.Sprintf("/app/installations/%d/access_tokens", b.inst.ID), b.jwt(), narrow)
	if status != 201 {
		b.t.Fatalf("mint: %d %v", status, out)
	}
	return out["token"].(string)
}

// send makes a request and returns the raw answer.
func (b *bench) send(method, path, token string, body any) (*http.Response, []byte) {
	b.t.Helper()
	var in io.Reader
	if body != nil {
		in = bytes.NewReader(mustJSON(body))
	}
	req, err := http.NewRequest(method, b.api+path, in)
	must(b.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	must(b.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return resp, raw
}

func (b *bench) call(method, path, token string, body any) (int, map[string]any) {
	b.t.Helper()
	resp, raw := b.send(method, path, token, body)
	out := map[string]any{}
	if len(raw) > 0 && raw[0] == '{' {
		must(b.t, json.Unmarshal(raw, &out))
	}
	return resp.StatusCode, out
}

type gqlAnswer struct {
	Data   map[string]any
	Errors []struct {
		Type    string
		Path    []any
		Message string
	}
}

func (b *bench) gql(token, query string, vars map[string]any) gqlAnswer {
	b.t.Helper()
	resp, raw := b.send("POST", "/graphql", token, map[string]any{"query": query, "variables": vars})
	if resp.StatusCode != 200 {
		b.t.Fatalf("graphql: %d %s", resp.StatusCode, raw)
	}
	var out gqlAnswer
	must(b.t, json.Unmarshal(raw, &out))
	return out
}

// dig walks decoded JSON by keys and indexes.
func dig(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// pull opens a branch, a commit and a pull request as the app, over GraphQL,
// and returns its number and node id.
func (b *bench) pull(token string, files map[string]string) (number int, id string) {
	b.t.Helper()
	repo, _ := b.repo(testRepo)
	var additions []map[string]any
	for path, text := range files {
		additions = append(additions, map[string]any{"path": path, "contents": base64.StdEncoding.EncodeToString([]byte(text))})
	}
	base := b.Head(testRepo, "main")
	out := b.gql(token, `mutation($ref: CreateRefInput!, $commit: CreateCommitOnBranchInput!, $pull: CreatePullRequestInput!) {
		a: createRef(input: $ref) { ref { id name target { oid } } }
		b: createCommitOnBranch(input: $commit) { commit { oid } ref { target { oid } } }
		c: createPullRequest(input: $pull) { pullRequest { id number isDraft headRefOid } }
	}`, map[string]any{
		"ref": map[string]any{"repositoryId": repo.NodeID, "name": "refs/heads/lifecycle/one", "oid": base},
		"commit": map[string]any{"branch": map[string]any{"repositoryNameWithOwner": testRepo, "branchName": "lifecycle/one"},
			"expectedHeadOid": base, "message": map[string]any{"headline": "open", "body": "why"}, "fileChanges": map[string]any{"additions": additions}},
		"pull": map[string]any{"repositoryId": repo.NodeID, "headRefName": "lifecycle/one", "baseRefName": "main", "title": "spec: cart", "body": "Refs #1", "draft": true},
	})
	if len(out.Errors) > 0 {
		b.t.Fatalf("open: %+v", out.Errors)
	}
	n := dig(out.Data, "c", "pullRequest", "number").(float64)
	return int(n), dig(out.Data, "c", "pullRequest", "id").(string)
}
