package githubapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/pipeline"
)

var testRepo = pipeline.Repo{Installation: 1, ID: 9, NodeID: "R_9", Owner: "octo", Name: "shop", DefaultBranch: "main"}

// wire is a server that mints tokens t1, t2, … and hands the rest to answer.
type wire struct {
	*httptest.Server
	mints  atomic.Int32
	mint   http.HandlerFunc // nil: mints
	answer http.HandlerFunc
}

func newWire(t *testing.T, answer http.HandlerFunc) (*wire, *Client) {
	t.Helper()
	w := &wire{answer: answer}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if !strings.HasSuffix(req.URL.Path, "/access_tokens") {
			w.answer(rw, req)
			return
		}
		n := w.mints.Add(1)
		if w.mint != nil {
			w.mint(rw, req)
			return
		}
		rw.WriteHeader(http.StatusCreated)
		fmt.Fprintf(rw, `{"token":"ghs_test%d","expires_at":%q}`, n, time.Now().Add(time.Hour).Format(time.RFC3339))
	}))
	t.Cleanup(w.Close)
	c, err := New(Config{BaseURL: w.URL, AppID: 7, Keys: [][]byte{testKey(t)}, CacheDir: t.TempDir(), Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return w, c
}

func reply200(body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, body) }
}

// TestG8TokenRefused: the token is dropped, one is minted, the call is tried
// once more, and then it is told.
func TestG8TokenRefused(t *testing.T) {
	w, c := newWire(t, nil)
	w.answer = func(rw http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") == "Bearer ghs_test1" {
			http.Error(rw, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
			return
		}
		io.WriteString(rw, `{"permission":"write","role_name":"maintain"}`)
	}
	if p, err := c.Permission(t.Context(), testRepo, "ann"); err != nil || p != pipeline.PermMaintain {
		t.Fatalf("got %v, %v", p, err)
	}
	w.answer = func(rw http.ResponseWriter, _ *http.Request) {
		http.Error(rw, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
	}
	before := w.mints.Load()
	p, err := c.Permission(t.Context(), testRepo, "ann")
	if !is(err, KindAuth) || p != pipeline.PermNone {
		t.Fatalf("got %v, %v", p, err)
	}
	if got := w.mints.Load() - before; got != 1 {
		t.Fatalf("%d tokens minted, want one", got)
	}
}

// TestG9MintRefused: an uninstalled app is gone, a suspended one too, and
// neither the key nor a token is in the words.
func TestG9MintRefused(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   error
		kind   Kind
	}{
		{"uninstalled", 404, `{"message":"Not Found"}`, pipeline.ErrGone, KindUninstalled},
		{"suspended", 403, `{"message":"This installation has been suspended"}`, pipeline.ErrGone, KindSuspended},
		{"wrong key", 401, `{"message":"A JSON web token could not be decoded"}`, nil, KindAuth},
		{"permission not granted", 422, `{"message":"The permissions requested are not granted to this installation."}`, pipeline.ErrForbidden, KindForbidden},
		{"server error", 500, `<html>`, nil, KindDown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, c := newWire(t, reply200(`{}`))
			w.mint = func(rw http.ResponseWriter, req *http.Request) {
				rw.WriteHeader(test.status)
				fmt.Fprint(rw, test.body, " ", req.Header.Get("Authorization"))
			}
			_, err := c.Permission(t.Context(), testRepo, "ann")
			if !is(err, test.kind) || test.want != nil && !errors.Is(err, test.want) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "eyJ") {
				t.Fatalf("the app's signature is in %q", err)
			}
		})
	}
}

// TestG23PartialData: a query that answers 200 with errors has failed; only
// what was said to be optional may be missing.
func TestG23PartialData(t *testing.T) {
	tests := []struct {
		name, body string
		ok         bool
	}{
		{"data and an error", `{"data":{"repository":{"id":"x"}},"errors":[{"type":"FORBIDDEN","path":["repository","issue"],"message":"no"}]}`, false},
		{"optional root missing", `{"data":{"repository":{"id":"x"},"org":null},"errors":[{"type":"NOT_FOUND","path":["org"],"message":"no"}]}`, true},
		{"optional root, other error", `{"data":{"repository":{"id":"x"},"org":null},"errors":[{"type":"INTERNAL","path":["org"],"message":"no"}]}`, false},
		{"errors alone", `{"errors":[{"message":"Parse error"}]}`, false},
		{"null", `{"data":null}`, false},
		{"empty", ``, false},
		{"not json", `<html>`, false},
		{"whole", `{"data":{"repository":{"id":"x"}}}`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, c := newWire(t, reply200(test.body))
			var out struct{ Repository struct{ ID string } }
			err := c.read(t.Context(), question{op: "test", doc: "{}", token: writeKey(testRepo), optional: []string{"org"}}, &out)
			if (err == nil) != test.ok || test.ok && out.Repository.ID != "x" {
				t.Fatalf("got %v, %+v", err, out)
			}
		})
	}
}

// TestLimitInsideAnAnswer: GraphQL says 200 and means wait; the next call does
// not go out at all.
func TestLimitInsideAnAnswer(t *testing.T) {
	var calls atomic.Int32
	_, c := newWire(t, func(rw http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		rw.Header().Set("Retry-After", "600")
		io.WriteString(rw, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`)
	})
	q := question{op: "test", doc: "{}", token: writeKey(testRepo)}
	for range 3 {
		_, err := c.graph(t.Context(), q)
		if !waits(err) {
			t.Fatalf("got %v", err)
		}
	}
	if calls.Load() != 1 {
		t.Fatalf("%d calls while limited", calls.Load())
	}
}

// TestTokenStaysHome: a redirect to another host gets no token, and a write is
// followed only within the API.
func TestTokenStaysHome(t *testing.T) {
	var leaked atomic.Bool
	var posted atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "" {
			leaked.Store(true)
		}
		if req.Method != http.MethodGet {
			posted.Add(1)
		}
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	w, c := newWire(t, func(rw http.ResponseWriter, req *http.Request) {
		http.Redirect(rw, req, elsewhere+"/x", http.StatusTemporaryRedirect)
	})
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		k := call{op: "test", method: method, path: "/repos/o/r", token: writeKey(testRepo), read: method == http.MethodGet}
		if method == http.MethodPost {
			k.body = bodyOnly{"x"}
		}
		_, err := c.send(t.Context(), k)
		if method == http.MethodPost && err == nil {
			t.Error("a write followed a redirect to another host")
		}
	}
	if leaked.Load() || posted.Load() > 0 {
		t.Fatal("a token or a write went to another host")
	}
	w.answer = func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/repos/o/old/issues/1/comments" {
			http.Redirect(rw, req, w.URL+"/repositories/9/issues/1/comments", http.StatusTemporaryRedirect)
			return
		}
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(rw, `{"node_id":%q}`, req.Method+" "+req.URL.Path+" "+string(body))
	}
	var made restNote
	err := c.restCall(t.Context(), call{op: "test", method: http.MethodPost, path: "/repos/o/old/issues/1/comments", token: writeKey(testRepo), body: bodyOnly{"x"}}, &made)
	if want := `POST /repositories/9/issues/1/comments {"body":"x"}`; err != nil || made.NodeID != want {
		t.Fatalf("got %q, %v", made.NodeID, err)
	}
}

// TestRequestsAreCounted on the context's meter, mints left out, refused ones
// too.
func TestRequestsAreCounted(t *testing.T) {
	_, c := newWire(t, reply200(`{"permission":"read","role_name":"read"}`))
	ctx, meter := pipeline.Metered(t.Context())
	if _, err := c.Permission(ctx, testRepo, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.graph(ctx, question{op: "test", doc: "{}", token: writeKey(testRepo), content: 2}); err == nil {
		t.Fatal("an answer without data passed")
	}
	if got, want := meter.Requests(), (pipeline.Requests{Requests: 2, REST: 1, GraphQL: 1, Created: 2}); got != want {
		t.Fatalf("counted %+v, want %+v", got, want)
	}
}

// TestTokensAreScoped: writes to one repository, reads to the installation,
// never more than is used.
func TestTokensAreScoped(t *testing.T) {
	asked := make(chan string, 2)
	w, c := newWire(t, reply200(`{}`))
	w.mint = func(rw http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		asked <- string(body)
		rw.WriteHeader(http.StatusCreated)
		fmt.Fprintf(rw, `{"token":"ghs_x","expires_at":%q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
	}
	want := map[tokenKey]string{
		writeKey(testRepo): `{"repository_ids":[9],"permissions":{"checks":"write","contents":"write","issues":"write","metadata":"read","pull_requests":"write"}}`,
		readKey(testRepo):  `{"permissions":{"checks":"read","contents":"read","issues":"read","metadata":"read","pull_requests":"read"}}`,
	}
	for key, text := range want {
		for range 2 {
			if _, err := c.tokens.get(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		var got, wanted any
		if err := errors.Join(json.Unmarshal([]byte(<-asked), &got), json.Unmarshal([]byte(text), &wanted)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("asked for %v, want %v", got, wanted)
		}
	}
}

// TestG10ClockSkew: the cause is named.
func TestG10ClockSkew(t *testing.T) {
	_, c := newWire(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Date", time.Now().Add(5*time.Minute).UTC().Format(http.TimeFormat))
		http.Error(rw, `{"message":"'Issued at' claim ('iat') must be an Integer"}`, http.StatusUnauthorized)
	})
	_, err := c.App(t.Context())
	if err == nil || !strings.Contains(err.Error(), "off GitHub's, so the app's signature is not accepted") {
		t.Fatalf("got %v", err)
	}
}
