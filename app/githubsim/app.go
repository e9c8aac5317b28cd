package githubsim

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// App is a registered GitHub App.
type App struct {
	ID          int64
	ClientID    string
	Slug        string
	Name        string
	Owner       *Account
	Bot         *Account
	HookURL     string
	HookOff     bool // the webhook is inactive: nothing is sent, nor logged
	Permissions map[string]string
	Events      []string

	nodeID string
	keys   []*rsa.PublicKey
	secret string
	hookID int64
}

// AppConfig registers an app.
type AppConfig struct {
	ID      int64 // 0 takes the next free number
	Slug    string
	Key     *rsa.PublicKey // verifies the app's JWTs
	Secret  string         // signs deliveries; empty sends them unsigned
	HookURL string         // empty: deliveries are only logged
	HookOff bool           // inactive: they are not even logged
	// Permissions and Events default to those the lifecycle needs.
	Permissions map[string]string
	Events      []string
}

// DefaultPermissions are what an app that drives pull requests asks for.
var DefaultPermissions = map[string]string{
	"contents": "write", "pull_requests": "write", "issues": "write", "checks": "write",
	"metadata": "read", "actions": "read", "statuses": "read", "merge_queues": "read",
}

// DefaultEvents are the events such an app subscribes to.
var DefaultEvents = []string{
	"issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment",
	"pull_request_review_thread", "check_run", "check_suite", "merge_group", "repository", "push", "label",
}

// Installation is an app on an account.
type Installation struct {
	ID          int64
	App         *App
	Account     *Account
	All         bool // every repository of the account
	Permissions map[string]string
	Events      []string
	Suspended   bool
	CreatedAt   time.Time

	nodeID string
	repos  map[int64]bool
	gone   bool
}

// RegisterApp registers an app; its bot account is "slug[bot]".
func (w *World) RegisterApp(cfg AppConfig) *App {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.registerApp(cfg)
}

func (w *World) registerApp(cfg AppConfig) *App {
	if cfg.ID == 0 {
		cfg.ID = w.nextID()
	}
	if cfg.Slug == "" {
		cfg.Slug = fmt.Sprintf("app-%d", cfg.ID)
	}
	if cfg.Permissions == nil {
		cfg.Permissions = DefaultPermissions
	}
	if cfg.Events == nil {
		cfg.Events = DefaultEvents
	}
	a := &App{
		ID: cfg.ID, ClientID: fmt.Sprintf("Iv23li%014d", cfg.ID), Slug: cfg.Slug, Name: cfg.Slug,
		Owner: w.account("apps-owner", "User"), Bot: w.account(cfg.Slug+"[bot]", "Bot"), HookURL: cfg.HookURL, HookOff: cfg.HookOff,
		Permissions: maps.Clone(cfg.Permissions), Events: slices.Clone(cfg.Events),
		keys: []*rsa.PublicKey{cfg.Key}, secret: cfg.Secret, hookID: w.nextID(),
	}
	a.nodeID = w.register("A", a.ID, a)
	w.apps = append(w.apps, a)
	return a
}

// SetHook changes where an app's deliveries go and what signs them, and sends them.
func (w *World) SetHook(app *App, url, secret string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	app.HookURL, app.HookOff, app.secret = url, false, secret
}

// SetKeys changes the keys an app may sign with: two while one is rotated.
func (w *World) SetKeys(app *App, keys ...*rsa.PublicKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	app.keys = keys
}

// installationsOn lists the live installations that cover a repository.
func (w *World) installationsOn(r *Repo) []*Installation {
	var out []*Installation
	for _, i := range w.installations() {
		if i.covers(r) && !i.Suspended {
			out = append(out, i)
		}
	}
	return out
}

// installations lists those that were not removed, oldest first.
func (w *World) installations() []*Installation {
	return slices.DeleteFunc(slices.Clone(w.installed), func(i *Installation) bool { return i.gone })
}

func (w *World) installation(id int64) *Installation {
	for _, i := range w.installations() {
		if i.ID == id {
			return i
		}
	}
	return nil
}

func (i *Installation) covers(r *Repo) bool {
	return i.Account == r.Owner && (i.All || i.repos[r.ID])
}

// token is an installation's access token, or a person's.
type token struct {
	value   string
	inst    *Installation
	person  *Account
	perms   map[string]string
	repos   map[int64]bool // nil: all of the installation's
	expires time.Time
	revoked bool
}

// mint makes a token of the long form: several hundred characters, dots within.
func (w *World) mint(i *Installation, perms map[string]string, repos map[int64]bool) *token {
	raw := make([]byte, 180)
	_, _ = rand.Read(raw) // never fails
	b := base64.RawURLEncoding
	t := &token{inst: i, perms: perms, repos: repos, expires: w.now().Add(time.Hour)}
	t.value = fmt.Sprintf("ghs_%d_%s.%s.%s", i.App.ID, b.EncodeToString(raw[:30]), b.EncodeToString(raw[30:120]), b.EncodeToString(raw[120:]))
	w.tokens[t.value] = t
	return t
}

// UserToken makes a token that acts as a person, without an expiry.
func (w *World) UserToken(login string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	raw := make([]byte, 18)
	_, _ = rand.Read(raw) // never fails
	t := &token{value: "ghp_" + hex.EncodeToString(raw), person: w.account(login, "User")}
	w.tokens[t.value] = t
	return t.value
}

// RevokeTokens makes every installation token that exists now invalid.
func (w *World) RevokeTokens() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tokens {
		t.revoked = t.revoked || t.inst != nil
	}
}

// caller is who a request or a person's act is made by.
type caller struct {
	account *Account
	app     *App
	inst    *Installation
	perms   map[string]string
	repos   map[int64]bool
}

func appID(a *App) int64 {
	if a == nil {
		return 0
	}
	return a.ID
}

func person(a *Account) *caller { return &caller{account: a} }

// sees says whether the caller knows that the repository exists.
func (c *caller) sees(r *Repo) bool {
	if c.inst == nil {
		return r.role(c.account) >= RoleRead
	}
	return c.inst.covers(r) && (c.repos == nil || c.repos[r.ID])
}

// needs refuses a write: an app lacks the permission, a person the role.
func (c *caller) needs(r *Repo, permission string, level Role) error {
	return c.needsEither(r, permission, permission, level)
}

// needsEither is for what two app permissions allow, such as labels on a pull request.
func (c *caller) needsEither(r *Repo, one, other string, level Role) error {
	if !c.sees(r) {
		return refuse(notFound, "Not Found")
	}
	if c.inst == nil {
		if r.role(c.account) < level {
			return refuse(forbidden, "Must have %s rights to Repository.", level)
		}
		return nil
	}
	if c.perms[one] != "write" && c.perms[other] != "write" {
		return refuse(forbidden, "Resource not accessible by integration")
	}
	return nil
}

// reads refuses a read the app has no permission for.
func (c *caller) reads(r *Repo, permission string) error {
	if !c.sees(r) {
		return refuse(notFound, "Not Found")
	}
	if c.inst != nil && c.perms[permission] == "" && permission != "metadata" {
		return refuse(forbidden, "Resource not accessible by integration")
	}
	return nil
}

// authenticate finds out who sent an Authorization header. The app is set
// alone for a JWT.
func (w *World) authenticate(header string) (*caller, error) {
	scheme, value, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return nil, refuse(unauthorized, "Requires authentication")
	}
	if t := w.tokens[value]; t != nil {
		return w.tokenCaller(t)
	}
	if strings.Count(value, ".") == 2 && !strings.HasPrefix(value, "ghs_") {
		app, err := w.verifyJWT(value)
		if err != nil {
			return nil, err
		}
		return &caller{account: app.Bot, app: app}, nil
	}
	return nil, refuse(unauthorized, "Bad credentials")
}

func (w *World) tokenCaller(t *token) (*caller, error) {
	if t.person != nil {
		return person(t.person), nil
	}
	if t.revoked || !w.now().Before(t.expires) || t.inst.gone {
		return nil, refuse(unauthorized, "Bad credentials")
	}
	if t.inst.Suspended {
		return nil, refuse(forbidden, "This installation has been suspended")
	}
	return &caller{account: t.inst.App.Bot, app: t.inst.App, inst: t.inst, perms: t.perms, repos: t.repos}, nil
}

// verifyJWT checks an app's JWT as GitHub does: RS256, ten minutes at most,
// issued by an app that exists.
func (w *World) verifyJWT(raw string) (*App, error) {
	parts := strings.Split(raw, ".")
	bad := refuse(unauthorized, "A JSON web token could not be decoded")
	var head struct{ Alg string }
	var claims struct {
		Iat json.Number
		Exp json.Number
		Iss any
	}
	if decodePart(parts[0], &head) != nil || decodePart(parts[1], &claims) != nil || head.Alg != "RS256" {
		return nil, bad
	}
	app := w.issuer(claims.Iss)
	if app == nil {
		return nil, refuse(notFound, "Integration not found")
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return nil, bad
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !slices.ContainsFunc(app.keys, func(k *rsa.PublicKey) bool {
		return k != nil && rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], signature) == nil
	}) {
		return nil, bad
	}
	iat, _ := claims.Iat.Float64()
	exp, _ := claims.Exp.Float64()
	now := float64(w.cfg.Now().Unix())
	switch {
	case exp <= now:
		return nil, refuse(unauthorized, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	case exp > now+600:
		return nil, refuse(unauthorized, "'Expiration time' claim ('exp') is too far in the future")
	case iat > now+5:
		return nil, refuse(unauthorized, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	return app, nil
}

func (w *World) issuer(iss any) *App {
	name := fmt.Sprint(iss)
	if n, ok := iss.(json.Number); ok {
		name = n.String()
	}
	for _, a := range w.apps {
		if strconv.FormatInt(a.ID, 10) == name || a.ClientID == name {
			return a
		}
	}
	return nil
}

func decodePart(part string, into any) error {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	return d.Decode(into)
}
