package githubapi

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"

	"parley/pipeline"
)

// Config is all a Client needs.
type Config struct {
	// BaseURL is the REST root: https://api.github.com, https://HOST/api/v3 or
	// https://api.SUB.ghe.com. GraphQLURL is derived from it when empty.
	BaseURL    string
	GraphQLURL string
	AppID      int64
	// Keys are PEM private keys, the current one first; a second serves
	// during rotation.
	Keys [][]byte
	// HTTP is the transport underneath; nil is one with bounded connections.
	HTTP http.RoundTripper
	// Quota shares the limits between replicas; nil keeps them in this process.
	Quota Quota
	// CacheDir keeps repository archives; empty is a directory of this process.
	// CacheBytes bounds it.
	CacheDir   string
	CacheBytes int64
	// Writes is auto, graphql or rest.
	Writes string
	// ParseSettings reads the organisation's and the repository's file; either
	// may be empty. It returns the problems people should see.
	ParseSettings func(org, repo []byte) (pipeline.Settings, []string)
	// CheckSettings lists the mistakes of one such file with their lines.
	CheckSettings func(text []byte) []pipeline.Annotation
	// Redact takes credentials out of what is read and written; nil knows
	// the common shapes.
	Redact func(string) string
	Now    func() time.Time
	Log    *slog.Logger
	// Observe is told of every request that was sent, and of every one that
	// was spared; nil is nobody.
	Observe func(Call)
	// Timeout bounds one request.
	Timeout time.Duration
}

// Call is one finished request, for metrics.
type Call struct {
	Installation int64
	Op           string
	Resource     string // core, graphql, app
	Status       int    // 0: no answer
	Took         time.Duration
	Remaining    int // -1: not said
	// Held: GitHub asked for a pause.
	Held bool
	// Cached: nothing was sent, the answer was kept from before.
	Cached bool
}

// spared tells of a read that was answered from what is kept. Conditional
// requests would spare little more: an ETag holds as long as its token does.
func (c *Client) spared(repo pipeline.Repo, op string) {
	c.cfg.Observe(Call{Installation: repo.Installation, Op: op, Status: http.StatusOK, Remaining: -1, Cached: true})
}

// OpMint is the Op of a token that was made.
const OpMint = "mint a token"

// Client calls one GitHub as one app. It is safe for concurrent use.
type Client struct {
	cfg      Config
	rest     string
	graphql  string
	http     *http.Client
	signer   atomic.Pointer[ghinstallation.AppsTransport]
	tokens   *tokens
	limits   *limits
	archives *archives
	standing *standing
	recent   *recent
	// restUntil is until when writes go over REST because GraphQL was down.
	restUntil atomic.Int64
	// stepwise is set once this GitHub refused branch, commit and pull request
	// in one request.
	stepwise atomic.Bool
}

var _ pipeline.GitHub = (*Client)(nil)

// New checks the configuration and returns a client. It sends nothing.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return nil, err
	}
	rest, graphql, err := endpoints(cfg.BaseURL, cfg.GraphQLURL)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(cfg.Keys)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, rest: rest, graphql: graphql, limits: &limits{quota: cfg.Quota, now: cfg.Now}}
	c.http = &http.Client{Transport: cfg.HTTP, Timeout: cfg.Timeout, CheckRedirect: readsOnly}
	c.signer.Store(ghinstallation.NewAppsTransportFromPrivateKey(cfg.HTTP, cfg.AppID, keys[0]))
	c.tokens = newTokens(c, keys)
	c.standing = newStanding(cfg.Now)
	c.recent = &recent{kept: map[string][]byte{}}
	c.archives, err = newArchives(cfg.CacheDir, cfg.CacheBytes)
	return c, err
}

// SetKeys takes over new private keys, PEM, the current one first. Tokens that
// were minted with the old ones stay good for their hour.
func (c *Client) SetKeys(pem ...[]byte) error {
	keys, err := parseKeys(pem)
	if err != nil {
		return err
	}
	c.signer.Store(ghinstallation.NewAppsTransportFromPrivateKey(c.cfg.HTTP, c.cfg.AppID, keys[0]))
	c.tokens.setKeys(keys)
	return nil
}

func (cfg Config) filled() (Config, error) {
	if cfg.AppID <= 0 {
		return cfg, errors.New("github: the app id is missing")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = "https://api.github.com"
	}
	if cfg.Redact == nil {
		cfg.Redact = pipeline.NewRedactor(nil).Clean
	}
	if cfg.HTTP == nil {
		cfg.HTTP = boundedTransport()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Call) {}
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 1 << 30
	}
	if cfg.Quota == nil {
		cfg.Quota = NewMemoryQuota(cfg.Now)
	}
	if cfg.ParseSettings == nil {
		cfg.ParseSettings = func(_, _ []byte) (pipeline.Settings, []string) { return pipeline.DefaultSettings(), nil }
	}
	if cfg.CheckSettings == nil {
		cfg.CheckSettings = func([]byte) []pipeline.Annotation { return nil }
	}
	switch cfg.Writes {
	case "":
		cfg.Writes = WritesAuto
	case WritesAuto, WritesGraphQL, WritesREST:
	default:
		return cfg, fmt.Errorf("github: writes is %q, not auto, graphql or rest", cfg.Writes)
	}
	return cfg, nil
}

// boundedTransport stays under GitHub's hundred concurrent requests and does
// not wait for ever for a connection.
func boundedTransport() http.RoundTripper {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.MaxConnsPerHost, tr.MaxIdleConnsPerHost = 64, 16
	tr.ResponseHeaderTimeout = 30 * time.Second
	return tr
}

// The ways of writing.
const (
	WritesAuto    = "auto"
	WritesGraphQL = "graphql"
	WritesREST    = "rest"
)

// endpoints derives where GraphQL lives: beside /api/v3 on Enterprise Server,
// under the API host elsewhere.
func endpoints(base, graphql string) (string, string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", "", fmt.Errorf("github: API root %q is not an http(s) URL", Redact(base))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", "", fmt.Errorf("github: API root %s must be scheme, host and path only", u.Redacted())
	}
	rest := strings.TrimRight(u.String(), "/")
	if graphql != "" {
		return rest, strings.TrimRight(graphql, "/"), nil
	}
	if root, ok := strings.CutSuffix(rest, "/api/v3"); ok {
		return rest, root + "/api/graphql", nil
	}
	return rest, rest + "/graphql", nil
}

func parseKeys(pems [][]byte) ([]*rsa.PrivateKey, error) {
	var keys []*rsa.PrivateKey
	for n, text := range pems {
		key := parseKey(text)
		if key == nil {
			// The parser's own words may quote the key.
			return nil, fmt.Errorf("github: private key %d is not an RSA key in PEM form", n+1)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("github: the app's private key is missing")
	}
	return keys, nil
}

func parseKey(text []byte) *rsa.PrivateKey {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil
	}
	key, _ := parsed.(*rsa.PrivateKey)
	return key
}

// readsOnly follows redirects of reads: a renamed repository, an archive. A
// write that is redirected would lose its body.
func readsOnly(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("too many redirects")
	}
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	return nil
}

// account puts requests on the meter of the context and on the receipts of a
// delivery, if one is under way.
func (c *Client) account(ctx context.Context, r pipeline.Requests) {
	if d, ok := ctx.Value(deliveryKey{}).(*pipeline.Requests); ok {
		*d = d.Plus(r)
		return
	}
	pipeline.Count(ctx, r)
}

type deliveryKey struct{}
