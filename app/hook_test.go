package app

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"parley/pipeline"
)

func sign(algorithm func() hash.Hash, name, secret, body string) string {
	m := hmac.New(algorithm, []byte(secret))
	m.Write([]byte(body))
	return name + "=" + hex.EncodeToString(m.Sum(nil))
}

const labelled = `{"action":"labeled","label":{"name":"lifecycle"},"issue":{"number":7,"title":"Pay once","user":{"login":"ann","id":5,"type":"User"}},
	"sender":{"login":"ann","id":5,"type":"User"},"installation":{"id":3},"repository":{"id":9,"name":"shop","full_name":"octo/shop","owner":{"login":"octo","id":4}}}`

// delivery is one request to the webhook; the zero value of a header is left out.
type delivery struct {
	body                        string
	event, guid, kind, sha, old string
	encoding                    string
}

func good(body string) delivery {
	return delivery{body: body, event: "issues", guid: "11111111-2222-3333-4444-555555555555", kind: "application/json", sha: sign(sha256.New, "sha256", secret, body)}
}

func (d delivery) with(alter func(*delivery)) delivery {
	alter(&d)
	return d
}

func (d delivery) request() *http.Request {
	r := httptest.NewRequest("POST", HookPath, strings.NewReader(d.body))
	for name, value := range map[string]string{"X-GitHub-Event": d.event, "X-GitHub-Delivery": d.guid, "Content-Type": d.kind,
		"X-Hub-Signature-256": d.sha, "X-Hub-Signature": d.old, "Content-Encoding": d.encoding} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return r
}

// endless is a body without a length and without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestHookAnswers(t *testing.T) {
	d := stage(t, func(c *Config) { c.SecretOld = oldSecret; c.Organisations = []string{"octo"} })
	a := unserved(t, d)
	routes := a.publicRoutes()
	signed := func(body string) delivery { return good(body) }
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	twice := strings.Replace(labelled, `"action":"labeled",`, `"action":"deleted","action":"labeled",`, 1)
	rows := []struct {
		name   string
		send   delivery
		code   int
		result string // of the metric
	}{
		{"I2 no signature", signed(labelled).with(func(d *delivery) { d.sha = "" }), 401, "bad_sig"},
		{"I2 only the SHA-1 one", signed(labelled).with(func(d *delivery) { d.sha, d.old = "", sign(sha1.New, "sha1", secret, d.body) }), 401, "bad_sig"},
		{"I3 sha1 under the 256 name", signed(labelled).with(func(d *delivery) { d.sha = sign(sha1.New, "sha1", secret, d.body) }), 401, "bad_sig"},
		{"I3 sha512 prefix", signed(labelled).with(func(d *delivery) { d.sha = "sha512=" + d.sha[7:] }), 401, "bad_sig"},
		{"I4 another secret", signed(labelled).with(func(d *delivery) { d.sha = sign(sha256.New, "sha256", "some-other-secret-entirely", d.body) }), 401, "bad_sig"},
		{"I4 body plus newline", signed(labelled).with(func(d *delivery) { d.body += "\n" }), 401, "bad_sig"},
		{"I4 uppercase hex", signed(labelled).with(func(d *delivery) { d.sha = "sha256=" + strings.ToUpper(d.sha[7:]) }), 401, "bad_sig"},
		{"I4 63 digits", signed(labelled).with(func(d *delivery) { d.sha = d.sha[:70] }), 401, "bad_sig"},
		{"I4 not hex", signed(labelled).with(func(d *delivery) { d.sha = "sha256=" + strings.Repeat("g", 64) }), 401, "bad_sig"},
		{"I5 the old secret during rotation", signed(labelled).with(func(d *delivery) { d.guid = "rotation-1"; d.sha = sign(sha256.New, "sha256", oldSecret, d.body) }), 200, "stored"},
		{"I6 promised 25 MiB and a byte", signed(strings.Repeat(" ", maxBody+1)), 413, "too_large"},
		{"I7 no content type", signed(labelled).with(func(d *delivery) { d.kind = "" }), 415, "media"},
		{"I7 form", signed("payload=" + labelled).with(func(d *delivery) { d.kind = "application/x-www-form-urlencoded" }), 415, "media"},
		{"I7 gzip", signed(labelled).with(func(d *delivery) { d.encoding = "gzip" }), 415, "media"},
		{"I8 no event", signed(labelled).with(func(d *delivery) { d.event = "" }), 400, "malformed"},
		{"I8 malformed event", signed(labelled).with(func(d *delivery) { d.event = "Issues; DROP" }), 400, "malformed"},
		{"I8 no delivery", signed(labelled).with(func(d *delivery) { d.guid = "" }), 400, "malformed"},
		{"I8 malformed delivery", signed(labelled).with(func(d *delivery) { d.guid = "{p1}:s:9:7 x" }), 400, "malformed"},
		{"I9 broken JSON", signed(`{"action":`), 400, "malformed"},
		{"I9 not an object", signed(`[1,2]`), 400, "malformed"},
		{"I9 two objects", signed(labelled + "{}"), 400, "malformed"},
		{"I9 nested a hundred thousand deep", signed(deep), 422, "no_installation"},
		{"I9 deep inside what we read", signed(`{"installation":` + deep + `}`), 422, "no_installation"},
		{"I9 NUL", signed("\x00" + labelled), 400, "malformed"},
		{"I9 invalid UTF-8 in a title", signed(strings.Replace(labelled, "Pay once", "Pay \xff\xfe", 1)).with(func(d *delivery) { d.guid = "utf8-1234" }), 200, ""},
		{"I9 a number out of range", signed(strings.Replace(labelled, `"number":7`, `"number":1e400`, 1)), 400, "malformed"},
		{"I9 duplicate keys", signed(twice).with(func(d *delivery) { d.guid = "duplicate-keys" }), 200, ""},
		{"I10 unknown event", signed(labelled).with(func(d *delivery) { d.event = "sponsorship" }), 202, "ignored"},
		{"I10 unknown action", signed(strings.Replace(labelled, "labeled", "frobbed", 1)), 202, "ignored"},
		{"I10 unknown fields", signed(strings.Replace(labelled, `{"action"`, `{"new":{"x":[1]},"action"`, 1)).with(func(d *delivery) { d.guid = "unknown-fields" }), 200, ""},
		{"I11 no installation", signed(strings.Replace(labelled, `"installation":{"id":3},`, "", 1)), 422, "no_installation"},
		{"I12 an account that may not", signed(strings.Replace(labelled, `"login":"octo"`, `"login":"acme"`, 1)), 202, "ignored"},
		{"ping", signed(`{"zen":"Keep it logically awesome."}`).with(func(d *delivery) { d.event = "ping" }), 200, "stored"},
		{"stored", signed(strings.Replace(labelled, `"number":7`, `"number":8`, 1)).with(func(d *delivery) { d.guid = "first-of-its-kind" }), 200, "stored"},
		{"I14 the same again", signed(strings.Replace(labelled, `"number":7`, `"number":8`, 1)).with(func(d *delivery) { d.guid = "first-of-its-kind" }), 200, "duplicate"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			event := row.send.event
			if !knownEvents[event] {
				event = "other"
			}
			before := 0.0
			if row.result != "" {
				before = counted(t, a, event, row.result)
			}
			w := httptest.NewRecorder()
			routes.ServeHTTP(w, row.send.request())
			if w.Code != row.code {
				t.Errorf("%d %s, want %d", w.Code, w.Body, row.code)
			}
			if row.result != "" && counted(t, a, event, row.result) != before+1 {
				t.Errorf("not counted as %s", row.result)
			}
			if strings.Contains(w.Body.String(), "Pay once") {
				t.Errorf("the answer echoes the payload: %s", w.Body)
			}
		})
	}
	t.Run("none of what was refused is stored", func(t *testing.T) {
		if _, err := a.store.Session(t.Context(), pipeline.Key{Repo: 9, Issue: 7}); !errors.Is(err, pipeline.ErrNotFound) {
			t.Errorf("a session without a turn: %v", err)
		}
		s, err := a.store.Stats(t.Context())
		if err != nil || s.Due != 2 { // issues 7 and 8
			t.Errorf("%d sessions due, want 2 (%v)", s.Due, err)
		}
	})
	t.Run("I5 after the rotation", func(t *testing.T) {
		next := a.cfg
		next.SecretOld, next.RedisURL = "", "redis://unused"
		if err := a.Reload(next); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, signed(labelled).with(func(d *delivery) { d.sha = sign(sha256.New, "sha256", oldSecret, d.body) }).request())
		if w.Code != 401 {
			t.Errorf("%d, want 401", w.Code)
		}
	})
	t.Run("draining", func(t *testing.T) {
		a.hook.draining.Store(true)
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, signed(labelled).request())
		if w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
		}
	})
}

// counted reads webhook_deliveries_total of one event and result.
func counted(t *testing.T, a *App, event, result string) float64 {
	t.Helper()
	var m dto.Metric
	if err := a.metrics.deliveries.WithLabelValues(event, result).Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.Counter.GetValue()
}

// unserved is an App whose routes are asked without a listener and whose loops
// do not run, so that what was stored stays where it is.
func unserved(t *testing.T, d *deployment) *App {
	t.Helper()
	a, err := NewInProcess(t.Context(), d.cfg, Deps{Log: d.log, Key: pemOf(rsaKey()), Now: d.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// What only a connection can do: bodies that do not end, do not come, or break off.
func TestHookBodies(t *testing.T) {
	a := unserved(t, stage(t, nil))
	post := func(t *testing.T, wait time.Duration, body io.Reader, length int64, extra string) int {
		t.Helper()
		srv := httptest.NewUnstartedServer(a.publicRoutes())
		srv.Config.MaxHeaderBytes, srv.Config.ReadTimeout = listener(nil).MaxHeaderBytes, wait
		srv.Start()
		defer srv.Close()
		r, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+HookPath, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = good(labelled).request().Header
		r.ContentLength = length
		if extra != "" {
			r.Header.Set("X-Extra", extra)
		}
		resp, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	t.Run("I6 endless chunked body", func(t *testing.T) {
		if code := post(t, patience, endless{}, -1, ""); code != 413 && code != 0 { // or the connection is cut while we still send
			t.Errorf("%d, want 413", code)
		}
		if n := counted(t, a, "issues", "too_large"); n != 1 {
			t.Errorf("counted %v times, want once", n)
		}
	})
	t.Run("I6 a body that does not come", func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		go io.WriteString(w, "{")
		if code := post(t, 100*time.Millisecond, r, 100, ""); code != 408 {
			t.Errorf("%d, want 408", code)
		}
	})
	t.Run("I4 ten megabytes of header", func(t *testing.T) {
		if code := post(t, patience, strings.NewReader(labelled), int64(len(labelled)), strings.Repeat("a", 10<<20)); code != 431 && code != 0 {
			t.Errorf("%d, want 431", code)
		}
	})
	t.Run("a body that breaks off", func(t *testing.T) {
		r := good(labelled).request()
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), broken{}))
		w := httptest.NewRecorder()
		a.publicRoutes().ServeHTTP(w, r)
		if w.Code != 400 {
			t.Errorf("%d, want 400", w.Code)
		}
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestListenerFreesSlowSenders(t *testing.T) {
	s := listener(nil)
	if s.ReadTimeout <= 0 || s.ReadTimeout >= 15*time.Second || s.ReadHeaderTimeout <= 0 || s.MaxHeaderBytes > 64<<10 {
		t.Errorf("read %s, headers %s of %d bytes: a slow sender keeps its slot", s.ReadTimeout, s.ReadHeaderTimeout, s.MaxHeaderBytes)
	}
}

// S10: what operators see is not on the public port.
func TestPublicPortOffersThreeRoutes(t *testing.T) {
	a := unserved(t, stage(t, nil))
	for _, row := range []struct {
		method, path  string
		public, admin int
	}{
		{"GET", "/healthz", 200, 200}, {"GET", "/readyz", 200, 200},
		{"GET", "/metrics", 404, 200}, {"GET", "/debug/pprof/", 404, 200}, {"GET", "/debug/pprof/heap", 404, 200},
		{"GET", "/version", 404, 404}, {"GET", "/", 404, 404}, {"GET", HookPath, 404, 404},
	} {
		for port, routes := range map[int]http.Handler{row.public: a.publicRoutes(), row.admin: a.adminRoutes()} {
			w := httptest.NewRecorder()
			routes.ServeHTTP(w, httptest.NewRequest(row.method, row.path, nil))
			if w.Code != port {
				t.Errorf("%s: %d, want %d", row.path, w.Code, port)
			}
		}
	}
}

func FuzzHook(f *testing.F) {
	f.Add([]byte(labelled), "issues")
	f.Add([]byte(`{"action":"created","comment":{"body":"/resume"}}`), "issue_comment")
	d := stage(f, nil)
	a, err := NewInProcess(f.Context(), d.cfg, Deps{Log: io.Discard, Key: pemOf(rsaKey())})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { a.Close() })
	routes, n := a.publicRoutes(), 0
	f.Fuzz(func(t *testing.T, body []byte, event string) {
		n++
		send := good(string(body)).with(func(d *delivery) { d.guid = fmt.Sprintf("fuzz-%08d", n) })
		r := send.request()
		r.Header["X-Github-Event"] = []string{event}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
