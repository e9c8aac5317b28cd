package main

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/githubsim"
	"parley/app/githubsim/conform"
)

// patient is an installation in good health, before a fault is planted.
type patient struct {
	t     *testing.T
	world *githubsim.World
	hub   *githubsim.App
	inst  *githubsim.Installation
	redis string // binary
	env   map[string]string
	clock time.Duration // GitHub's, ahead of ours
	// hook is what the server answers to a delivery, model what the vendor does.
	hook, model int
}

const hookSecret, healthyRedis = "a-good-long-webhook-secret", "--appendonly yes --appendfsync always --maxmemory-policy noeviction"

func healthy(t *testing.T, binary string) *patient {
	p := &patient{t: t, redis: binary, hook: http.StatusOK, model: http.StatusOK}
	p.world = githubsim.New(githubsim.Config{Recorder: conform.Watch(t), Now: func() time.Time { return time.Now().Add(p.clock) }})
	t.Cleanup(p.world.Stop)
	api := httptest.NewServer(p.world.Handler())
	t.Cleanup(api.Close)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(p.hook) }))
	t.Cleanup(hook.Close)
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(p.model)
		io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"pong"},"finish_reason":"stop"}],"error":{"message":"Incorrect API key provided"}}`)
	}))
	t.Cleanup(vendor.Close)
	p.hub = p.world.InstallApp(&keyOf(t, testKey()).PublicKey, hookSecret, hook.URL+app.HookPath)
	p.world.AddOrg("octo", "ann")
	p.repo("octo/shop", "name: ci\non:\n  push:\n    paths-ignore: ['.workflow/**']\n")
	var err error
	if p.inst, err = p.world.Install(p.hub, "octo"); err != nil {
		t.Fatal(err)
	}
	p.env = map[string]string{"PARLEY_APP_ID": strconv.FormatInt(p.hub.ID, 10), "PARLEY_WEBHOOK_SECRET": hookSecret, "PARLEY_GITHUB_URL": api.URL,
		"PARLEY_PRIVATE_KEY_FILE": file(t, "key.pem", string(testKey()), 0o600), "PARLEY_CACHE_DIR": t.TempDir(),
		"OPENAI_API_KEY": "sk-of-the-doctor", "OPENAI_BASE_URL": vendor.URL}
	return p
}

func keyOf(t testing.TB, raw []byte) *rsa.PrivateKey {
	block, _ := pem.Decode(raw)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (p *patient) repo(name, workflow string) {
	if _, err := p.world.AddRepo(name, map[string]string{".github/workflows/ci.yml": workflow}); err != nil {
		p.t.Fatal(err)
	}
}

// set changes one setting, with redis one option of the server it will find.
func set(name, value string) func(*patient) { return func(p *patient) { p.env[name] = value } }

func redisWith(args string) func(*patient) {
	return func(p *patient) {
		p.env["PARLEY_REDIS_URL"] = runRedis(p.t, p.redis, strings.Fields(healthyRedis+" "+args)...)
	}
}

// aged answers for a Redis whose version begins with another figure.
func aged(p *patient) {
	socket := strings.TrimPrefix(runRedis(p.t, p.redis, strings.Fields(healthyRedis)...), "unix://")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				client.Close()
				return
			}
			go func() { io.Copy(server, client); server.Close() }()
			go func() { io.Copy(elder{client}, server); client.Close() }()
		}
	}()
	p.env["PARLEY_REDIS_URL"] = "redis://" + ln.Addr().String()
}

type elder struct{ net.Conn }

var versionLine = regexp.MustCompile(`redis_version:\d`)

func (e elder) Write(answer []byte) (int, error) {
	if _, err := e.Conn.Write(versionLine.ReplaceAll(answer, []byte("redis_version:5"))); err != nil {
		return 0, err
	}
	return len(answer), nil
}

// delivered plants what the webhook's log tells: two deliveries after the one
// of the installation.
func (p *patient) delivered(code int) {
	p.hook = code
	for _, title := range []string{"one", "two"} {
		if _, err := p.world.OpenIssue("ann", "octo/shop", title, ""); err != nil {
			p.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.world.Settle(ctx); err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) short(of string) map[string]string {
	less := maps.Clone(p.hub.Permissions)
	delete(less, of)
	return less
}

// Whatever is wrong is named together with what mends it, and nothing else is
// complained of; where nothing is wrong the doctor has no remedy and exits 0.
func TestDoctorNamesFaultAndRemedy(t *testing.T) {
	binary := redisServer(t)
	otherKey := ecKey(t)
	rows := []struct {
		name  string
		plant func(*patient)
		// says is what each FAIL line begins with and a piece of its remedy.
		says []string
		note bool // worth knowing, no fault
	}{
		{"healthy", func(*patient) {}, nil, false},
		{"healthy again after refusals", func(p *patient) { p.delivered(401); p.delivered(200) }, nil, false},
		{"no setting at all", func(p *patient) {
			maps.DeleteFunc(p.env, func(name, _ string) bool { return strings.HasPrefix(name, "PARLEY_") })
		},
			[]string{"PARLEY_APP_ID: |parley setup", "PARLEY_WEBHOOK_SECRET: |openssl rand", "PARLEY_REDIS_URL: |--data DIR", "PARLEY_PRIVATE_KEY_FILE: |name the PEM file"}, false},
		{"Redis keeps nothing", redisWith("--appendonly no"), []string{"redis appendonly: |set `appendonly yes`"}, false},
		{"Redis loses a second", redisWith("--appendfsync everysec"), []string{"redis appendfsync: |set `appendfsync always`"}, false},
		{"Redis evicts", redisWith("--maxmemory-policy allkeys-lru"), []string{"redis maxmemory-policy: |set `maxmemory-policy noeviction`"}, false},
		{"Redis is full", redisWith("--maxmemory 1"), []string{"redis: |raise its maxmemory"}, false},
		{"Redis is old", aged, []string{"redis version: |Redis 6.2 or newer"}, false},
		{"Redis is not there", set("PARLEY_REDIS_URL", "unix:///nowhere/redis.sock"), []string{"redis: |start it, or correct PARLEY_REDIS_URL"}, false},
		{"Redis wants a password", redisWith("--requirepass another"), []string{"redis: |put the password into PARLEY_REDIS_URL"}, false},
		{"our own Redis does not run", func(p *patient) { p.env["PARLEY_REDIS_URL"], p.env["PARLEY_DATA"] = "", shortDir(t) }, []string{"redis: |start parley serve --data"}, false},
		{"no key file", set("PARLEY_PRIVATE_KEY_FILE", "/nowhere/key.pem"), []string{"PARLEY_PRIVATE_KEY_FILE: |name the PEM file"}, false},
		{"a key everybody reads", func(p *patient) { p.env["PARLEY_PRIVATE_KEY_FILE"] = file(t, "open.pem", string(testKey()), 0o644) },
			[]string{"PARLEY_PRIVATE_KEY_FILE: |chmod 600"}, false},
		{"a key of no use", func(p *patient) { p.env["PARLEY_PRIVATE_KEY_FILE"] = file(t, "ec.pem", otherKey, 0o600) },
			[]string{"PARLEY_PRIVATE_KEY_FILE: |download it again"}, false},
		{"another App's key", set("PARLEY_APP_ID", "4711"), []string{"app: |must belong to the App with this id"}, false},
		{"GitHub is not there", set("PARLEY_GITHUB_URL", "http://127.0.0.1:9"), []string{"github: |the proxy and the firewall"}, false},
		{"the clock is off", func(p *patient) { p.clock = 20 * time.Minute }, []string{"clock: |set the clock by NTP"}, false},
		{"another webhook secret", func(p *patient) { p.delivered(401) }, []string{"webhook secret: |the same"}, false},
		{"the webhook is not reached", func(p *patient) {
			p.world.SetHook(p.hub, "http://127.0.0.1:9"+app.HookPath, "")
			p.delivered(0)
		}, []string{"webhook reachability: |serve --pull 10s"}, false},
		{"the webhook goes elsewhere", func(p *patient) { p.world.SetHook(p.hub, "https://example.com/", "") }, []string{"webhook address: |https://YOUR-HOST" + app.HookPath}, false},
		{"a permission is missing", func(p *patient) {
			p.hub.Permissions = p.short("merge_queues")
			p.inst.Permissions = p.hub.Permissions
		}, []string{"permission merge_queues: |set merge_queues to read", "installation octo: |accept the new permissions"}, false},
		{"an event is missing", func(p *patient) { p.hub.Events = []string{"issues"} },
			[]string{"event check_run: |subscribe", "event check_suite: |subscribe", "event issue_comment: |subscribe", "event merge_group: |subscribe",
				"event pull_request: |subscribe", "event pull_request_review: |subscribe", "event pull_request_review_comment: |subscribe",
				"event pull_request_review_thread: |subscribe", "event push: |subscribe", "event repository: |subscribe"}, false},
		{"an account has not accepted", func(p *patient) { p.inst.Permissions = p.short("checks") }, []string{"installation octo: it has not granted checks: write|accept the new permissions"}, false},
		{"an account is suspended", func(p *patient) { p.world.Suspend(p.inst, true) }, []string{"installation octo: |unsuspend"}, false},
		{"installed nowhere", func(p *patient) { p.world.Uninstall(p.inst) }, []string{"installations: |install the App"}, false},
		{"a model's key is wrong", func(p *patient) { p.model = http.StatusUnauthorized }, []string{"model openai: |set a new one"}, false},
		{"a model has no quota", func(p *patient) { p.model = http.StatusTooManyRequests }, []string{"model openai: |raise it or wait"}, false},
		{"CI runs on every commit", func(p *patient) { p.repo("octo/noisy", "on: [push]\njobs: {}\n") }, []string{"workflows of octo: 1 run on every commit of a session: noisy/ci.yml|paths-ignore: ['.workflow/**']"}, true},
		{"no model", func(p *patient) { delete(p.env, "OPENAI_API_KEY"); delete(p.env, "OPENAI_BASE_URL") }, []string{"models: |rules"}, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := healthy(t, binary)
			redisWith("")(p)
			p.delivered(200)
			row.plant(p)
			code, out, errs := line(t, p.env, "doctor", "--models")
			wantCode, mark := 1, "FAIL  "
			if row.note || len(row.says) == 0 {
				wantCode = 0
			}
			if row.note {
				mark = "note  "
			}
			if code != wantCode {
				t.Errorf("exit %d, want %d: %s", code, wantCode, errs)
			}
			complaints := spoken(out)
			if len(complaints) != len(row.says) {
				t.Errorf("%d complaints, want %d:\n%s", len(complaints), len(row.says), out)
			}
			for _, want := range row.says {
				begins, remedy, _ := strings.Cut(want, "|")
				found := false
				for _, c := range complaints {
					found = found || strings.HasPrefix(c, mark+begins) && strings.Contains(c[len(mark+begins):], remedy)
				}
				if !found {
					t.Errorf("nothing begins %q and says %q:\n%s", mark+begins, remedy, out)
				}
			}
			if strings.Contains(out+errs, "sk-of-the-doctor") || strings.Contains(out+errs, hookSecret) {
				t.Errorf("a secret is told:\n%s%s", out, errs)
			}
		})
	}
}

// spoken are the faults and notes of a report, each with its remedy behind it.
func spoken(report string) []string {
	var out []string
	for l := range strings.Lines(report) {
		switch {
		case strings.HasPrefix(l, "ok "):
		case strings.HasPrefix(l, " ") && len(out) > 0:
			out[len(out)-1] += strings.TrimSpace(l)
		default:
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}
