package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// contender is one webhook server under load.
type contender struct {
	name  string
	path  string
	serve func(b *bench, redis *store, dir, address string) (*process, error)
}

// run is one contender's turn, with what the machine did meanwhile.
type run struct {
	result
	Foreign float64       // cores that others used
	CPU     time.Duration // the server's, a request
	Redis   time.Duration // Redis's, a request
}

var (
	ours    = contender{"parley, dispatch paused", hookPath, func(b *bench, r *store, dir, at string) (*process, error) { return b.parley(r, dir, at, 0) }}
	turning = contender{"parley, turns running", hookPath, func(b *bench, r *store, dir, at string) (*process, error) { return b.parley(r, dir, at, 8) }}
	bare    = contender{"bare net/http, HMAC, RPUSH", hookPath, func(b *bench, r *store, dir, at string) (*process, error) {
		return start(dir, at, nil, b.self, "bare", at, r.socket)
	}}
	probot = contender{"Probot, LPUSH", hookPath, func(b *bench, r *store, dir, at string) (*process, error) { return b.probot(r, dir, at) }}
)

const hookPath = "/api/github/hook"

// parley is the binary as a deployment runs it. With no turns it only takes
// deliveries in.
func (b *bench) parley(r *store, dir, address string, turns int) (*process, error) {
	key := filepath.Join(dir, "app.pem")
	if err := os.WriteFile(key, b.key, 0o600); err != nil {
		return nil, err
	}
	return start(dir, address, []string{"PARLEY_APP_ID=1", "PARLEY_PRIVATE_KEY_FILE=" + key, "PARLEY_WEBHOOK_SECRET=" + secret, "PARLEY_BOT=parley[bot]",
		"PARLEY_REDIS_URL=unix://" + r.socket, "PARLEY_GITHUB_URL=" + b.github.URL, "PARLEY_LISTEN=" + address, "PARLEY_ADMIN_LISTEN=" + b.admin, "PARLEY_SWEEP=0",
		"PARLEY_CACHE_DIR=" + dir, "PARLEY_LOG_LEVEL=error", fmt.Sprint("PARLEY_TURNS=", turns), fmt.Sprint("PARLEY_JOBS=", turns)}, b.binary, "serve")
}

func (b *bench) probot(r *store, dir, address string) (*process, error) {
	key := filepath.Join(dir, "app.pem")
	if err := os.WriteFile(key, b.key, 0o600); err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(address, ":")
	return start(b.node, address, []string{"NODE_ENV=production", "LOG_LEVEL=fatal", "HOST=" + host, "PORT=" + port, "APP_ID=1", "PRIVATE_KEY_PATH=" + key,
		"WEBHOOK_SECRET=" + secret, "WEBHOOK_PATH=" + hookPath, "REDIS_SOCKET=" + r.socket}, "node", "probot.mjs")
}

// gitHub stands in for GitHub where a server asks who somebody is: nobody may
// do anything, so that a turn reads the permission, decides and is over. It
// counts what it is asked.
func gitHub(asked *atomic.Int64) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/access_tokens") {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"token":"ghs_of_the_benchmark","expires_at":%q}`, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
			return
		}
		fmt.Fprint(w, `{"permission":"read","role_name":"read"}`)
	}))
}

func appKey() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), nil
}

// race runs one load against a contender on a Redis of its own, warm.
func (b *bench) race(c contender, bodies []body, rate int) (run, error) {
	dir, err := os.MkdirTemp(b.dir, "race")
	if err != nil {
		return run{}, err
	}
	defer os.RemoveAll(dir)
	r, err := startRedis(dir)
	if err != nil {
		return run{}, err
	}
	defer r.stop(syscall.SIGKILL)
	address, err := freePort()
	if err != nil {
		return run{}, err
	}
	server, err := c.serve(b, r, dir, address)
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", c.name, err)
	}
	defer server.stop(syscall.SIGKILL)
	warm := load{address: address, path: c.path, event: "issues", bodies: bodies, took: 2 * time.Second}
	warm.next.Store(b.fresh())
	if got := warm.run(); got.Codes[200] == 0 {
		return run{}, fmt.Errorf("%s answers %v", c.name, got.Codes)
	}
	quiet()
	pid := server.cmd.Process.Pid
	redisPid := r.cmd.Process.Pid
	all, mine, server0, redis0 := busy(), cpu(os.Getpid(), pid, redisPid), cpu(pid), cpu(redisPid)
	l := load{address: address, path: c.path, event: "issues", bodies: bodies, took: b.took, rate: rate}
	l.next.Store(0)
	if rate == 0 {
		l.next.Store(b.fresh())
	}
	if b.admin != "" && c.name == ours.name {
		go b.profile()
	}
	got := l.run()
	out := run{result: got, CPU: (cpu(pid) - server0) / time.Duration(max(1, got.Sent)), Redis: (cpu(redisPid) - redis0) / time.Duration(max(1, got.Sent))}
	out.Foreign = (busy() - all - (cpu(os.Getpid(), pid, redisPid) - mine)).Seconds() / b.took.Seconds()
	if n := got.Sent - got.Codes[200]; n+got.Failed > 0 {
		return out, fmt.Errorf("%s: %d of %d were not stored: %v", c.name, n+got.Failed, got.Sent, got.Codes)
	}
	return out, nil
}

// profile writes what our server computes on during the load.
func (b *bench) profile() {
	resp, err := http.Get(fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", b.admin, int(b.took.Seconds())))
	if err != nil {
		b.say("no profile: %v", err)
		return
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil {
		err = os.WriteFile(b.profiled, raw, 0o644)
	}
	if err != nil {
		b.say("no profile: %v", err)
	}
}

// fresh is where the delivery ids of a load begin, so that none is sent twice.
func (b *bench) fresh() int64 { return b.loads.Add(1) << 32 }

// webhook runs the contenders in turn and takes each one's median.
func (b *bench) webhook() error {
	bodies, err := labelled(b.peers, 1000)
	if err != nil {
		return err
	}
	field := []contender{ours, bare, turning}
	if b.node != "" {
		field = append(field, probot)
	}
	runs := map[string][]run{}
	for range b.rounds {
		for _, c := range field {
			got, err := b.race(c, bodies, 0)
			if err != nil {
				return err
			}
			runs[c.name] = append(runs[c.name], got)
			b.say("  %-28s %8.0f/s  p50 %.1f ms  p99 %.1f ms  CPU a request %d us, Redis %d us  others used %.2f cores", c.name, got.PerSecond,
				millis(got.P50), millis(got.P99), got.CPU.Microseconds(), got.Redis.Microseconds(), got.Foreign)
		}
	}
	mid := map[string]run{}
	note := func(name string) string {
		m, all := mid[name], runs[name]
		return fmt.Sprintf("%.0f–%.0f/s, p99 %.1f ms, CPU %d + Redis %d us, others %.2f cores", all[0].PerSecond, all[len(all)-1].PerSecond, millis(m.P99), m.CPU.Microseconds(), m.Redis.Microseconds(), m.Foreign)
	}
	for name := range runs {
		slices.SortFunc(runs[name], func(x, y run) int { return cmp.Compare(x.PerSecond, y.PerSecond) })
		mid[name] = runs[name][len(runs[name])/2]
	}
	for _, c := range field {
		b.add(row{What: "webhook: " + c.name, Value: mid[c.name].PerSecond, Unit: "/s", Note: note(c.name)})
	}
	b.add(row{What: "webhook against the bare handler", Value: mid[ours.name].PerSecond / mid[bare.name].PerSecond, Unit: "x", Target: atLeast(.7)})
	if b.node != "" {
		b.add(row{What: "webhook against Probot", Value: mid[ours.name].PerSecond / mid[probot.name].PerSecond, Unit: "x", Target: atLeast(1.8)})
	} else {
		b.add(row{What: "webhook against Probot", Missing: "npm is not here", Target: atLeast(1.8)})
	}
	return b.paced([]contender{ours, turning}, bodies)
}

// paced sends at GitHub's pace. The median counts, so that one run in a busy
// second of the machine does not.
func (b *bench) paced(field []contender, bodies []body) error {
	for _, c := range field {
		var runs []run
		for range b.rounds {
			got, err := b.race(c, bodies, 500)
			if err != nil {
				return err
			}
			runs = append(runs, got)
		}
		slices.SortFunc(runs, func(x, y run) int { return cmp.Compare(x.P99, y.P99) })
		got := runs[len(runs)/2]
		b.add(row{What: "p99 at 500/s: " + c.name, Value: millis(got.P99), Unit: "ms", Target: below(50), Note: fmt.Sprintf("%.1f–%.1f ms, %.0f/s, others %.2f cores", millis(runs[0].P99), millis(runs[len(runs)-1].P99), got.PerSecond, got.Foreign)})
	}
	return nil
}

// floods sends 10,000 deliveries that are nobody's business.
func (b *bench) floods() error {
	return b.with(8, func(r *store, address string) error {
		bodies, err := foreign(b.peers)
		if err != nil {
			return err
		}
		keys, err := r.db.DBSize(context.Background()).Result()
		if err != nil {
			return err
		}
		asked := b.asked.Load()
		l := load{address: address, path: hookPath, event: "check_run", bodies: bodies, most: 10_000}
		got := l.run()
		after, err := r.db.DBSize(context.Background()).Result()
		if err != nil {
			return err
		}
		if got.Codes[202] != 10_000 {
			return fmt.Errorf("foreign deliveries were answered %v", got.Codes)
		}
		b.add(row{What: "10,000 foreign deliveries: GitHub requests", Value: float64(b.asked.Load() - asked), Target: atMost(0), Note: fmt.Sprintf("%.0f/s", got.PerSecond)})
		b.add(row{What: "10,000 foreign deliveries: Redis keys", Value: float64(after - keys), Target: atMost(0)})
		return nil
	})
}

// losses kills Redis under load and looks for what had been acknowledged.
func (b *bench) losses() error {
	return b.with(0, func(r *store, address string) error {
		bodies, err := labelled(b.peers, 1000)
		if err != nil {
			return err
		}
		var mu sync.Mutex
		var acked []string
		l := load{address: address, path: hookPath, event: "issues", bodies: bodies, took: 4 * time.Second, acked: func(guid string) {
			mu.Lock()
			defer mu.Unlock()
			acked = append(acked, guid)
		}}
		time.AfterFunc(2*time.Second, func() { r.stop(syscall.SIGKILL) })
		l.run()
		r.stop(syscall.SIGKILL)
		again, err := startRedis(r.dir)
		if err != nil {
			return err
		}
		defer again.stop(syscall.SIGKILL)
		stored := map[string]bool{}
		ctx := context.Background()
		for keys := again.db.Scan(ctx, 0, "*:dd:*", 1000).Iterator(); keys.Next(ctx); {
			_, id, _ := strings.Cut(keys.Val(), "dd:")
			guid, _, _ := strings.Cut(id, "/")
			stored[guid] = true
		}
		lost := 0
		for _, guid := range acked {
			if !stored[guid] {
				lost++
			}
		}
		b.add(row{What: "Redis kill -9 under load: acknowledged and lost", Value: float64(lost), Target: atMost(0), Note: fmt.Sprintf("of %d acknowledged", len(acked))})
		return nil
	})
}

// with runs work beside a Parley on a Redis of its own.
func (b *bench) with(turns int, work func(r *store, address string) error) error {
	dir, err := os.MkdirTemp(b.dir, "run")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := startRedis(dir)
	if err != nil {
		return err
	}
	defer r.stop(syscall.SIGKILL)
	address, err := freePort()
	if err != nil {
		return err
	}
	server, err := b.parley(r, dir, address, turns)
	if err != nil {
		return err
	}
	defer server.stop(syscall.SIGKILL)
	return work(r, address)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
