package app

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/app/githubsim"
	"parley/app/githubsim/conform"
	"parley/pipeline"
)

// patience bounds what a test waits for; nothing is measured by it.
const patience = 60 * time.Second

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func pemOf(key *rsa.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

// redisBinary finds a redis-server. Debian's redis-tools carries the same
// program as redis-check-rdb, which serves when it is called redis-server.
func redisBinary(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "redis-check-rdb"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("these tests run a real redis-server and none is here; type: apt-get install redis-tools")
	return ""
}

// redisProc is a real redis-server that can be killed, stopped and started.
type redisProc struct {
	t   testing.TB
	dir string
	URL string
	cmd *exec.Cmd
}

func startRedis(t testing.TB, args ...string) *redisProc {
	t.Helper()
	dir, err := os.MkdirTemp("", "parley-app")
	if err != nil {
		t.Fatal(err)
	}
	r := &redisProc{t: t, dir: dir, URL: "unix://" + filepath.Join(dir, "redis.sock")}
	r.start(args...)
	t.Cleanup(func() {
		r.kill()
		os.RemoveAll(dir)
	})
	return r
}

func (r *redisProc) start(args ...string) {
	r.t.Helper()
	r.cmd = exec.Command(redisBinary(r.t), append([]string{"--port", "0", "--unixsocket", filepath.Join(r.dir, "redis.sock"), "--dir", r.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"}, args...)...)
	r.cmd.Args[0] = "redis-server"
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	eventually(r.t, "redis-server answers", func() bool { pong := r.command("PING"); return pong == "+PONG" || strings.HasPrefix(pong, "-NOAUTH") })
}

// command sends one inline command and returns the first line of the answer.
func (r *redisProc) command(line string) string {
	conn, err := net.Dial("unix", filepath.Join(r.dir, "redis.sock"))
	if err != nil {
		return ""
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s\r\n", line)
	buf := make([]byte, 256)
	n, _ := conn.Read(buf)
	answer, _, _ := strings.Cut(string(buf[:n]), "\r\n")
	return answer
}

// client looks into it.
func (r *redisProc) client() *redis.Client {
	db := redis.NewClient(&redis.Options{Network: "unix", Addr: filepath.Join(r.dir, "redis.sock")})
	r.t.Cleanup(func() { db.Close() })
	return db
}

// forgetPace lets a test do in a second what is spread over an hour.
func (r *redisProc) forgetPace() {
	r.t.Helper()
	got := r.command(`EVAL "for _, k in ipairs(redis.call('KEYS', '*content:*')) do redis.call('DEL', k) end for _, k in ipairs(redis.call('KEYS', '*points:*')) do redis.call('DEL', k) end return 'OK'" 0`)
	if got != "$2" {
		r.t.Fatalf("forget the pace: %s", got)
	}
}

func (r *redisProc) signal(s syscall.Signal) {
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

func (r *redisProc) kill() {
	_ = r.cmd.Process.Kill() // it may be dead already
	_ = r.cmd.Wait()
}

// eventually asks again until it holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		case <-again.C:
		}
	}
}

const secret, oldSecret = "the-webhook-secret-of-now", "the-webhook-secret-before"

// deployment is a true App before a simulated GitHub with one repository.
type deployment struct {
	*githubsim.World
	t     testing.TB
	hub   *githubsim.App
	repo  *githubsim.Repo
	cfg   Config
	app   *App
	log   *Canary
	ended chan error
	stop  context.CancelFunc
	ahead atomic.Int64 // of the wall's clock

	installed *githubsim.Installation
}

// now is the clock of this GitHub and this App.
func (d *deployment) now() time.Time { return time.Now().Add(time.Duration(d.ahead.Load())) }

func (d *deployment) issue(labels ...string) int {
	d.t.Helper()
	n, err := d.OpenIssue("ann", "octo/shop", "Pay once", "Customers must not pay twice when they press twice.", labels...)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// comment is ann's word where the session is.
func (d *deployment) comment(n int, text string) {
	d.t.Helper()
	if _, err := d.Comment("ann", githubsim.At("octo/shop", n), text); err != nil {
		d.t.Fatal(err)
	}
}

// deploy starts an App on cfg's Redis, or on one in this process.
func deploy(t testing.TB, alter func(*Config)) *deployment {
	t.Helper()
	d := stage(t, alter)
	d.serve()
	return d
}

// stage is deploy without the start.
func stage(t testing.TB, alter func(*Config)) *deployment {
	t.Helper()
	d := &deployment{t: t, log: &Canary{}}
	d.World = githubsim.New(githubsim.Config{Now: d.now, Recorder: conform.Watch(t)})
	api := httptest.NewServer(d.Handler())
	t.Cleanup(api.Close)
	t.Cleanup(d.World.Stop)
	var err error
	if d.repo, err = d.AddRepo("octo/shop", map[string]string{"README.md": "# Shop\n"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, b := range d.log.Breaches(d.World, "octo/shop") {
			t.Error(b)
		}
	})
	d.may("ann", "write")
	d.hub = d.InstallApp(&rsaKey().PublicKey, secret, "")
	if d.installed, err = d.Install(d.hub, "octo"); err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(keyFile, pemOf(rsaKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	d.cfg, err = LoadConfig(Source{Lookup: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	d.cfg.AppID, d.cfg.KeyFile, d.cfg.Secret, d.cfg.GitHubURL = d.hub.ID, keyFile, secret, api.URL
	d.cfg.Listen, d.cfg.AdminListen, d.cfg.Sweep, d.cfg.CacheDir = "127.0.0.1:0", "127.0.0.1:0", 0, t.TempDir()
	if alter != nil {
		alter(&d.cfg)
	}
	return d
}

func (d *deployment) may(login, role string) {
	d.t.Helper()
	d.AddUser(login)
	if err := d.SetPermission("octo/shop", login, role); err != nil {
		d.t.Fatal(err)
	}
}

// serve starts the App and points the webhook at it.
func (d *deployment) serve() {
	d.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	d.stop, d.ended = stop, make(chan error, 1)
	open := New
	if d.cfg.RedisURL == "" && d.cfg.Data == "" {
		open = NewInProcess
	}
	deps := Deps{Log: d.log, Now: d.now}
	if d.cfg.RedisURL == "" && d.cfg.Data == "" {
		deps.Key = pemOf(rsaKey())
	}
	var err error
	if d.app, err = open(ctx, d.cfg, deps); err != nil {
		d.t.Fatal(err)
	}
	a, ended := d.app, d.ended
	go func() { ended <- a.Run(ctx) }()
	select {
	case <-a.Listening:
	case err := <-ended:
		d.t.Fatal(err)
	}
	d.SetHook(d.hub, "http://"+a.Public+HookPath, string(d.cfg.Secret))
	d.t.Cleanup(func() {
		stop()
		<-ended
	})
}

// down ends the App as SIGTERM does and returns what Run said.
func (d *deployment) down() error {
	d.stop()
	err := <-d.ended
	d.ended <- err
	return err
}

func (d *deployment) get(address string) (int, string) {
	d.t.Helper()
	resp, err := http.Get("http://" + address)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// session waits until the issue's session is as wanted.
func (d *deployment) session(issue int, what string, is func(pipeline.Session) bool) pipeline.Session {
	d.t.Helper()
	var s pipeline.Session
	eventually(d.t, fmt.Sprintf("#%d: %s", issue, what), func() bool {
		var err error
		s, err = d.app.Session(context.Background(), d.repo.ID, issue)
		return err == nil && s.ID != "" && is(s)
	})
	return s
}

// ended: nothing goes on by itself, and the pull request is known.
func ended(s pipeline.Session) bool {
	return s.PR.Number != 0 && (s.Status == pipeline.SessionCompleted || s.Status == pipeline.SessionPaused)
}

// settled waits until nothing moves, here or there.
func (d *deployment) settled() {
	d.t.Helper()
	calm := 0
	eventually(d.t, "everything is done", func() bool {
		ok, err := d.app.Settled(context.Background())
		if calm++; err != nil || !ok || !d.Idle() {
			calm = 0
		}
		return calm > 3
	})
}
