package githubapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/pipeline"
)

// call is one request as this package thinks of it.
type call struct {
	op      string // what is being done, for errors and metrics
	method  string
	path    string // REST path, or empty for GraphQL
	body    any
	token   tokenKey
	asApp   bool // signed by the app, not by an installation
	accept  string
	content int // what GitHub counts as created content, for pacing
	// inThread is how much of it stands in review threads: the session's count
	// leaves that out.
	inThread int
	gate     bool
	read     bool  // costs a read's points
	max      int64 // bytes of answer
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

const maxAnswer = 32 << 20

// send makes one request: limits first, then the token, then the wire. A 401
// drops the token, mints once and tries once more. The request is counted
// whatever became of it.
func (c *Client) send(ctx context.Context, k call) (answer, error) {
	a := ask{installation: k.token.installation, resource: resourceCore, write: !k.read, content: k.content, gate: k.gate}
	switch {
	case k.asApp:
		a.resource = resourceApp
	case k.path == "":
		a.resource = resourceGraphQL
	}
	if err := c.limits.admit(ctx, a); err != nil {
		return answer{}, fmt.Errorf("%s: %w", k.op, err)
	}
	got, err := c.once(ctx, k, a)
	if is(err, KindAuth) && !k.asApp && got.status == http.StatusUnauthorized {
		c.tokens.drop(k.token)
		got, err = c.once(ctx, k, a)
	}
	if at, moved := c.movedTo(got); moved && k.method != http.MethodGet {
		k.path = at
		got, err = c.once(ctx, k, a)
	}
	return got, err
}

// movedTo is where a write goes whose repository has a new name. Only GitHub's
// own API is followed: the token goes along.
func (c *Client) movedTo(got answer) (string, bool) {
	switch got.status {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		at, ok := strings.CutPrefix(got.header.Get("Location"), c.rest+"/")
		return "/" + at, ok
	}
	return "", false
}

func (c *Client) once(ctx context.Context, k call, a ask) (answer, error) {
	req, err := c.request(ctx, k)
	if err != nil {
		return answer{}, err
	}
	client := c.http
	if k.asApp {
		client = &http.Client{Transport: c.signer.Load(), Timeout: c.cfg.Timeout, CheckRedirect: readsOnly}
	} else {
		token, err := c.tokens.get(ctx, k.token)
		if err != nil {
			return answer{}, fmt.Errorf("%s: %w", k.op, err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	began := c.cfg.Now()
	resp, err := client.Do(req)
	c.count(ctx, k, a)
	if err != nil {
		c.cfg.Observe(Call{Installation: a.installation, Op: k.op, Resource: a.resource, Took: c.cfg.Now().Sub(began), Remaining: -1})
		if ctx.Err() != nil {
			return answer{}, fmt.Errorf("%s: %w", k.op, ctx.Err())
		}
		return answer{}, &Error{Kind: KindDown, Op: k.op, Message: err.Error()}
	}
	defer resp.Body.Close()
	got, err := c.receive(k, resp)
	c.cfg.Observe(Call{Installation: a.installation, Op: k.op, Resource: a.resource, Status: resp.StatusCode,
		Took: c.cfg.Now().Sub(began), Remaining: number(resp.Header.Get("X-RateLimit-Remaining")),
		Held: resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("Retry-After") != ""})
	if err != nil {
		return got, err
	}
	return got, c.judge(ctx, k, a, got)
}

// judge learns from the answer and types a refusal.
func (c *Client) judge(ctx context.Context, k call, a ask, got answer) error {
	if err := c.limits.learn(ctx, a, got.header); err != nil {
		c.cfg.Log.Warn("limits not shared", "err", err)
	}
	if got.status < 300 {
		if err := c.limits.calm(ctx, a); err != nil {
			c.cfg.Log.Warn("limits not shared", "err", err)
		}
		return nil
	}
	e := restError(k.op, got.status, got.header, got.body)
	bare := got.status == http.StatusForbidden && (got.header.Get("Retry-After") != "" || got.header.Get("X-RateLimit-Remaining") == "0")
	if e.Kind == KindRate || bare {
		return fmt.Errorf("%s: %w", k.op, c.limits.refused(ctx, a, got.header))
	}
	return e
}

func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	var body io.Reader
	if k.body != nil {
		text, err := json.Marshal(k.body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.op, err)
		}
		body = bytes.NewReader(text)
	}
	target := c.graphql
	if k.path != "" {
		target = c.rest + k.path
	}
	req, err := http.NewRequestWithContext(ctx, k.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.op, err)
	}
	if k.accept == "" {
		k.accept = "application/vnd.github+json"
	}
	req.Header.Set("Accept", k.accept)
	req.Header.Set("User-Agent", "parley")
	if k.path != "" {
		req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

func (c *Client) receive(k call, resp *http.Response) (answer, error) {
	limit := k.max
	if limit == 0 {
		limit = maxAnswer
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	got := answer{resp.StatusCode, resp.Header, body}
	if err != nil {
		return got, &Error{Kind: KindDown, Op: k.op, Status: resp.StatusCode, Message: "the answer broke off: " + err.Error()}
	}
	if int64(len(body)) > limit {
		return got, &Error{Kind: KindInvalid, Op: k.op, Status: resp.StatusCode, Message: fmt.Sprintf("the answer is over %d bytes", limit)}
	}
	return got, nil
}

func (c *Client) count(ctx context.Context, k call, a ask) {
	r := pipeline.Requests{Requests: 1, REST: 1, Created: k.content - k.inThread}
	if a.resource == resourceGraphQL {
		r.REST, r.GraphQL = 0, 1
	}
	c.account(ctx, r)
}

// restCall sends a REST request and decodes the answer into out, if given.
func (c *Client) restCall(ctx context.Context, k call, out any) error {
	got, err := c.send(ctx, k)
	if err != nil {
		return err
	}
	if out == nil || len(got.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(got.body, out); err != nil {
		return &Error{Kind: KindInvalid, Op: k.op, Status: got.status, Message: err.Error()}
	}
	return nil
}

// repoPath is a path under a repository; each part is escaped.
func repoPath(r pipeline.Repo, parts ...string) string {
	all := append([]string{"repos", r.Owner, r.Name}, parts...)
	for n := range all {
		all[n] = url.PathEscape(all[n])
	}
	return "/" + strings.Join(all, "/")
}

func writeKey(r pipeline.Repo) tokenKey {
	return tokenKey{installation: r.Installation, repo: r.ID, grant: grantWrite}
}

func readKey(r pipeline.Repo) tokenKey {
	return tokenKey{installation: r.Installation, grant: grantRead}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// clock is GitHub's own time as its answers say it; zero when unsaid.
func clock(h http.Header) time.Time {
	at, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at
}
