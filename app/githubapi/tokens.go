package githubapi

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v62/github"
)

// grant is what a token may do. Every token is for one grant; reads before a
// session has a pull request ask for the whole installation, because the
// organisation's configuration lives in another repository.
type grant string

const (
	grantWrite grant = "write" // on one repository
	grantRead  grant = "read"  // on the installation
)

var grants = map[grant]func() *github.InstallationPermissions{
	grantWrite: func() *github.InstallationPermissions {
		w, r := github.String("write"), github.String("read")
		return &github.InstallationPermissions{Contents: w, PullRequests: w, Issues: w, Checks: w, Metadata: r}
	},
	grantRead: func() *github.InstallationPermissions {
		r := github.String("read")
		return &github.InstallationPermissions{Contents: r, PullRequests: r, Issues: r, Checks: r, Metadata: r}
	},
}

// tokens keeps one token source per installation, repository and grant.
type tokens struct {
	c    *Client
	keys []*rsa.PrivateKey
	mu   sync.Mutex
	kept map[tokenKey]*tokenSource
}

type tokenKey struct {
	installation, repo int64
	grant              grant
}

type tokenSource struct {
	transports []*ghinstallation.Transport // one per app key
	used       time.Time
}

// maxTokens bounds the sources kept; past it those not used for an hour go,
// whose tokens are dead anyway.
const maxTokens = 4096

func newTokens(c *Client, keys []*rsa.PrivateKey) *tokens {
	return &tokens{c: c, keys: keys, kept: map[tokenKey]*tokenSource{}}
}

// get returns a live token, minting one where there is none.
func (t *tokens) get(ctx context.Context, key tokenKey) (string, error) {
	source := t.source(key)
	var err error
	for n, tr := range source.transports {
		var token string
		token, err = t.mint(ctx, tr)
		if err == nil {
			return token, nil
		}
		if !is(err, KindAuth) || n+1 == len(source.transports) {
			break
		}
	}
	t.drop(key)
	return "", err
}

// mint asks with a deadline of its own: other callers wait on the same lock,
// and the first one's context must not fail them all.
func (t *tokens) mint(ctx context.Context, tr *ghinstallation.Transport) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	token, err := tr.Token(ctx)
	if err == nil {
		return token, nil
	}
	op := fmt.Sprintf("mint a token for installation %d", tr.InstallationID())
	var refused *ghinstallation.HTTPError
	if !errors.As(err, &refused) || refused.Response == nil {
		return "", &Error{Kind: KindDown, Op: op, Message: err.Error()}
	}
	resp := refused.Response
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return "", mintError(op, resp, body)
}

// mintError: 404 is an uninstalled app, 403 a suspended one.
func mintError(op string, resp *http.Response, body []byte) error {
	e := restError(op, resp.StatusCode, resp.Header, body)
	switch {
	case resp.StatusCode == http.StatusNotFound:
		e.Kind = KindUninstalled
	case resp.StatusCode == http.StatusForbidden && e.Kind != KindRate:
		e.Kind = KindSuspended
	case resp.StatusCode == http.StatusUnprocessableEntity:
		e.Kind = KindForbidden
		e.Message = "the installation does not grant all of contents, pull requests, issues and checks: " + e.Message
	}
	return e
}

// setKeys makes every later token come from new keys.
func (t *tokens) setKeys(keys []*rsa.PrivateKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys, t.kept = keys, map[tokenKey]*tokenSource{}
}

// drop forgets a token that was refused, or whose grant changed.
func (t *tokens) drop(key tokenKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.kept, key)
}

func (t *tokens) source(key tokenKey) *tokenSource {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.c.cfg.Now()
	if s, ok := t.kept[key]; ok {
		s.used = now
		return s
	}
	if len(t.kept) >= maxTokens {
		for k, s := range t.kept {
			if now.Sub(s.used) > time.Hour {
				delete(t.kept, k)
			}
		}
	}
	s := &tokenSource{used: now}
	options := &github.InstallationTokenOptions{Permissions: grants[key.grant]()}
	if key.repo != 0 {
		options.RepositoryIDs = []int64{key.repo}
	}
	for _, k := range t.keys {
		// Each has its own app transport: ghinstallation writes to the one it is given.
		tr := ghinstallation.NewFromAppsTransport(ghinstallation.NewAppsTransportFromPrivateKey(minting{t.c}, t.c.cfg.AppID, k), key.installation)
		tr.BaseURL = t.c.rest
		tr.Client = &http.Client{Transport: t.c.cfg.HTTP, Timeout: t.c.cfg.Timeout}
		tr.InstallationTokenOptions = options
		s.transports = append(s.transports, tr)
	}
	t.kept[key] = s
	return s
}

// minting carries the requests for tokens, which are no part of any budget,
// and tells of each.
type minting struct{ c *Client }

func (m minting) RoundTrip(r *http.Request) (*http.Response, error) {
	began := m.c.cfg.Now()
	resp, err := m.c.cfg.HTTP.RoundTrip(r)
	call := Call{Op: OpMint, Resource: resourceApp, Took: m.c.cfg.Now().Sub(began), Remaining: -1}
	if err == nil {
		call.Status = resp.StatusCode
	}
	m.c.cfg.Observe(call)
	return resp, err
}
