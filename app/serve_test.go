package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/app/githubsim"
	"parley/pipeline"
)

// send posts a delivery to the running App; 0 is no answer.
func (d *deployment) send(x delivery) int {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+d.app.Public+HookPath, strings.NewReader(x.body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header = x.request().Header
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// numbered is the good delivery about another issue.
func numbered(n int, secret string) delivery {
	d := good(strings.Replace(labelled, `"number":7`, fmt.Sprintf(`"number":%d`, n), 1))
	d.guid, d.sha = fmt.Sprintf("delivery-%08d", n), sign(sha256.New, "sha256", secret, d.body)
	return d
}

// I16, Q6: Redis goes, hangs or refuses writes while the App runs. GitHub hears
// 503, /readyz says why, and all goes on by itself.
func TestI16Q6RedisLostWhileRunning(t *testing.T) {
	tell := func(line string) func(*redisProc) {
		return func(r *redisProc) {
			if got := r.command(line); got != "+OK" {
				t.Errorf("%s: %s", line, got)
			}
		}
	}
	for name, fault := range map[string]struct{ lose, back func(*redisProc) }{
		"killed":    {func(r *redisProc) { r.kill() }, func(r *redisProc) { r.start() }},
		"hanging":   {func(r *redisProc) { r.signal(syscall.SIGSTOP) }, func(r *redisProc) { r.signal(syscall.SIGCONT) }},
		"read only": {tell("REPLICAOF 127.0.0.1 1"), tell("REPLICAOF NO ONE")},
		"full":      {tell("CONFIG SET maxmemory 1"), tell("CONFIG SET maxmemory 0")},
	} {
		t.Run(name, func(t *testing.T) {
			redis := startRedis(t)
			d := deploy(t, func(c *Config) { c.RedisURL = Secret(redis.URL) })
			if code, text := d.get(d.app.Public + "/readyz"); code != 200 {
				t.Fatalf("not ready at first: %s", text)
			}
			fault.lose(redis)
			if code := d.send(numbered(70, secret)); code != http.StatusServiceUnavailable {
				t.Errorf("%d without Redis, want 503", code)
			}
			if code, text := d.get(d.app.Public + "/readyz"); code != 503 || !strings.Contains(text, "redis") {
				t.Errorf("/readyz says %d %s", code, text)
			}
			if code, _ := d.get(d.app.Public + "/healthz"); code != 200 {
				t.Errorf("/healthz says %d: a restart would not help", code)
			}
			fault.back(redis)
			eventually(t, "ready again", func() bool { code, _ := d.get(d.app.Public + "/readyz"); return code == 200 })
			eventually(t, "the redelivery is stored", func() bool { return d.send(numbered(70, secret)) == 200 })
			if name == "killed" || name == "hanging" {
				d.session(d.issue("lifecycle"), "ends after the outage", ended)
			}
		})
	}
}

// Q9: SIGTERM: new deliveries are refused while work is handed back, and another
// process finishes it, once.
func TestQ9StopHandsWorkBack(t *testing.T) {
	redis := startRedis(t)
	d := deploy(t, func(c *Config) { c.RedisURL, c.Grace = Secret(redis.URL), 3*time.Second })
	d.AddFault(githubsim.Fault{Operation: "createCommitOnBranch", Times: -1, Stall: true})
	number, err := d.OpenIssue("ann", "octo/shop", "Pay once", "Customers must not pay twice.", "lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "a write hangs at GitHub", func() bool {
		s, err := d.app.store.Stats(context.Background())
		return err == nil && s.Running > 0 && s.Outbox > 0
	})
	d.stop()
	eventually(t, "deliveries are refused while it stops", func() bool { return d.send(numbered(71, secret)) == 503 })
	if err := d.down(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	d.ClearFaults()
	d.serve()
	d.session(number, "ends in the next process", ended)
	d.settled()
	s := d.session(number, "is still so", ended)
	if got := strings.Count(mustThread(t, d, number), "<!-- parley:session"); got > 1 {
		t.Errorf("%d session comments, want one", got)
	}
	if s.PR.Number == 0 {
		t.Errorf("no pull request: %s %+v\n%s", s.Status, s.Wait, d.log)
	}
}

func mustThread(t *testing.T, d *deployment, issue int) string {
	t.Helper()
	text, err := d.Thread(githubsim.At("octo/shop", issue))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// GitHub need not answer for deliveries to be kept.
func TestStartsWithoutGitHub(t *testing.T) {
	d := deploy(t, func(c *Config) { c.GitHubURL = "http://127.0.0.1:9" })
	if code := d.send(numbered(72, secret)); code != 200 {
		t.Errorf("%d, want 200", code)
	}
	if code, text := d.get(d.app.Public + "/readyz"); code != 200 {
		t.Errorf("/readyz says %d %s", code, text)
	}
}

// Secrets, key and accounts change under load, and nothing is lost.
func TestReloadUnderLoad(t *testing.T) {
	d := stage(t, nil)
	a := unserved(t, d)
	routes := a.publicRoutes()
	with := func(now, old Secret, accounts ...string) Config {
		c := d.cfg
		c.Secret, c.SecretOld, c.Organisations, c.RedisURL = now, old, accounts, "redis://unused"
		return c
	}
	reload := func(c Config) {
		if err := a.Reload(c); err != nil {
			t.Error(err)
		}
	}
	var senders sync.WaitGroup
	reload(with(oldSecret, secret))
	const each = 100
	for sender, key := range []string{secret, oldSecret, secret, oldSecret} {
		senders.Go(func() {
			for n := range each {
				w := &recorder{}
				routes.ServeHTTP(w, numbered(1000+sender*each+n, key).request())
				if w.code != 200 {
					t.Errorf("sender %d: %d %s", sender, w.code, w.body.String())
				}
			}
		})
	}
	stop := make(chan struct{})
	var reloads sync.WaitGroup
	reloads.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if n%2 == 0 {
				reload(with(secret, oldSecret, "octo"))
			} else {
				reload(with(oldSecret, secret))
			}
			a.change(func(l *live) { l.bot = fmt.Sprintf("bot-%d", n) })
		}
	})
	senders.Wait()
	close(stop)
	reloads.Wait()
	s, err := a.store.Stats(t.Context())
	if err != nil || s.Due != 4*each {
		t.Errorf("%d sessions due of %d sent (%v)", s.Due, 4*each, err)
	}
}

type recorder struct {
	code   int
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
func (r *recorder) WriteHeader(code int)        { r.code = code }

// A mistake in the new settings leaves the old ones in force.
func TestReloadRefuses(t *testing.T) {
	d := stage(t, nil)
	a := unserved(t, d)
	base := d.cfg
	base.RedisURL = "redis://unused"
	for name, row := range map[string]struct {
		alter func(*Config)
		says  string
	}{
		"a short secret":           {func(c *Config) { c.Secret = "short" }, "PARLEY_WEBHOOK_SECRET"},
		"another app":              {func(c *Config) { c.AppID++ }, "PARLEY_APP_ID"},
		"no key":                   {func(c *Config) { c.KeyFile = "/nowhere" }, "PARLEY_PRIVATE_KEY_FILE"},
		"a key that is none (S14)": {func(c *Config) { c.KeyFile = a.cfg.KeyFile + ".bad"; os.WriteFile(c.KeyFile, []byte("x"), 0o600) }, "PARLEY_PRIVATE_KEY_FILE"},
		"an open key (S14)":        {func(c *Config) { c.KeyFile = a.cfg.KeyFile + ".open"; os.WriteFile(c.KeyFile, pemOf(rsaKey()), 0o604) }, "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			next := base
			next.SecretOld = "a-second-secret-that-is-long"
			row.alter(&next)
			if err := a.Reload(next); err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v, want something about %s", err, row.says)
			}
			if l := a.live.Load(); l.secret != secret || l.secretOld != "" {
				t.Error("the old settings do not hold")
			}
		})
	}
	next := base
	next.Turns, next.Listen = 99, ":1"
	if err := a.Reload(next); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PARLEY_TURNS", "PARLEY_LISTEN"} {
		if !strings.Contains(d.log.String(), name) {
			t.Errorf("the log does not say that %s needs a restart: %s", name, d.log)
		}
	}
}

// S5: whatever is planted where, no log line holds it.
func TestLogCanary(t *testing.T) {
	planted := []string{"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "sk-ant-REDACTED", "canary-sentence-of-a-private-issue"}
	redis := startRedis(t, "--requirepass", "redis-password-canary-123")
	d := deploy(t, func(c *Config) {
		c.RedisURL, c.LogLevel = Secret(strings.Replace(redis.URL, "unix://", "unix://:redis-password-canary-123@", 1)), "debug"
		c.SecretOld = oldSecret
	})
	if err := d.SetPrivate("octo/shop", true); err != nil {
		t.Fatal(err)
	}
	number, err := d.OpenIssue("ann", "octo/shop", "Pay once "+planted[2], "Customers must not pay twice.\n\n- key "+planted[0]+"\n- "+planted[1]+"\n- "+planted[2]+"\n- "+secret, "lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	s := d.session(number, "ends, with its pull request", func(s pipeline.Session) bool { return ended(s) && s.PR.Number != 0 })
	at := githubsim.At("octo/shop", s.PR.Number)
	for _, said := range []string{"/resume", "/revise NOPE-9 " + planted[0], "/discuss ask " + planted[1], "/nonsense"} {
		if _, err := d.Comment("ann", at, said); err != nil {
			t.Fatal(err)
		}
	}
	d.may("rob", "read")
	if _, err := d.Comment("rob", at, "/resume"); err != nil { // a stranger
		t.Fatal(err)
	}
	eventually(t, "decisions are audited and counted", func() bool {
		_, scrape := d.get(d.app.Admin + "/metrics")
		return strings.Contains(d.log.String(), `"message":"audit"`) && strings.Contains(scrape, "commands_total{command=\"start\",decision=\"done\"} 1") &&
			strings.Contains(scrape, `command="resume",decision="refused"`) && !strings.Contains(scrape, "token_mints_total 0\n")
	})
	d.AddFault(githubsim.Fault{Times: 3, Status: 500, Message: planted[0]})
	d.send(delivery{body: planted[0], event: "issues", guid: "12345678", kind: "application/json", sha: sign(sha256.New, "sha256", secret, planted[0])})
	d.settled()
	redis.kill()
	d.send(numbered(73, secret))
	text := d.log.String()
	if !strings.Contains(text, `"session":"TLS-`) {
		t.Fatalf("the log says nothing:\n%s", text)
	}
	for _, b := range d.log.Breaches(d.World, "octo/shop", append(planted, "redis-password-canary-123")...) {
		t.Error(b)
	}
}
