package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/githubsim"
	"parley/app/githubsim/conform"
)

// asParley makes the test binary be the program itself, for tests that send
// signals to a process.
const asParley = "PARLEY_TEST_AS_PARLEY"

func TestMain(m *testing.M) {
	if os.Getenv(asParley) != "" {
		main()
	}
	os.Exit(githubsim.Alone(m.Run))
}

// server is a process of its own, mostly parley serve, and what it logged.
type server struct {
	t    testing.TB
	cmd  *exec.Cmd
	mu   sync.Mutex
	log  bytes.Buffer
	more chan struct{}
}

func startServer(t testing.TB, env ...string) *server {
	t.Helper()
	cmd := exec.Command(os.Args[0], "serve")
	cmd.Env = append(env, asParley+"=1", "PATH="+os.Getenv("PATH"))
	s := start(t, cmd)
	s.says(`"message":"serving"`, 1)
	return s
}

// start runs a process to the end of the test at the latest.
func start(t testing.TB, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, cmd: cmd, more: make(chan struct{}, 1)}
	s.cmd.Stderr = s
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill() // a test that failed half-way
			_ = s.cmd.Wait()
		}
	})
	return s
}

func (s *server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.log.Write(p)
}

func (s *server) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// says waits until the log has said something so many times.
func (s *server) says(what string, times int) {
	s.t.Helper()
	patience := time.After(time.Minute)
	for strings.Count(s.text(), what) < times {
		select {
		case <-s.more:
		case <-patience:
			s.t.Fatalf("the log does not say %s %d times:\n%s", what, times, s.text())
		}
	}
}

func (s *server) signal(sig syscall.Signal) {
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// site is one deployment whose people never stop talking.
type site struct {
	*githubsim.World
	t      testing.TB
	hub    *githubsim.App
	issues []int
	spoken int
	keys   [2]*rsa.PrivateKey
	conf   string // the file the server reads its secrets from
	keyAt  string
	env    []string
}

const (
	perPhase, phases = 12, 5
	before           = 4                   // of them have been delivered when it happens
	said             = "/lifecycle resume" // there is no session, and that is the answer
)

func openSite(t testing.TB, redis string) *site {
	s := &site{World: githubsim.New(githubsim.Config{Recorder: conform.Watch(t)}), t: t}
	t.Cleanup(s.Stop)
	api := httptest.NewServer(s.Handler())
	t.Cleanup(api.Close)
	s.keys[0] = keyOf(t, testKey())
	var err error
	if s.keys[1], err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	s.hub = s.InstallApp(&s.keys[0].PublicKey, firstSecret, "http://"+address+app.HookPath)
	if _, err := s.AddRepo("octo/shop", map[string]string{"README.md": "# Shop\n"}); err != nil {
		t.Fatal(err)
	}
	s.AddUser("ann")
	if err := s.SetPermission("octo/shop", "ann", "write"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.conf, s.keyAt = filepath.Join(dir, "parley.yml"), filepath.Join(dir, "key.pem")
	s.keep(s.keys[0], firstSecret, "")
	s.env = []string{"PARLEY_CONFIG=" + s.conf, "PARLEY_APP_ID=" + fmt.Sprint(s.hub.ID), "PARLEY_PRIVATE_KEY_FILE=" + s.keyAt, "PARLEY_GITHUB_URL=" + api.URL,
		"PARLEY_REDIS_URL=" + redis, "PARLEY_LISTEN=" + address, "PARLEY_ADMIN_LISTEN=", "PARLEY_CACHE_DIR=" + dir, "PARLEY_SWEEP=1s", "PARLEY_GRACE=5s"}
	return s
}

const firstSecret, secondSecret = "the-first-webhook-secret", "the-second-webhook-secret"

// keep writes the key and the file with the secrets, as an operator would.
func (s *site) keep(key *rsa.PrivateKey, now, old string) {
	raw := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	text := "webhook_secret: " + now + "\n"
	if old != "" {
		text += "webhook_secret_old: " + old + "\n"
	}
	for path, text := range map[string]string{s.keyAt: string(raw), s.conf: text} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

func freeAddress(t testing.TB) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// meanwhile has a dozen people speak, on an issue each, while something happens.
func (s *site) meanwhile(happens func()) {
	s.t.Helper()
	for n := range perPhase {
		if n == before {
			s.settle()
			happens()
		}
		at := githubsim.At("octo/shop", s.issues[s.spoken])
		if _, err := s.Comment("ann", at, said); err != nil {
			s.t.Fatal(err)
		}
		s.spoken++
	}
}

// answers counts ours on each issue that was spoken on.
func (s *site) answers() map[int]int {
	out := map[int]int{}
	for _, number := range s.issues[:s.spoken] {
		for _, c := range s.Comments(githubsim.At("octo/shop", number)) {
			if c.Author == "parley[bot]" {
				out[number]++
			}
		}
	}
	return out
}

// While deliveries flow, the webhook secret is rotated and the App's key
// replaced by SIGHUP, the process ends by SIGTERM and another one starts:
// every word is answered, once, whether its delivery was stored, refused, or
// found nobody.
func TestSignalsUnderLoadLoseNothing(t *testing.T) {
	s := openSite(t, runRedis(t, redisServer(t), strings.Fields(healthyRedis)...))
	first := startServer(t, s.env...)
	if _, err := s.Install(s.hub, "octo"); err != nil {
		t.Fatal(err)
	}
	for range perPhase * phases {
		number, err := s.OpenIssue("ann", "octo/shop", "A question", "")
		if err != nil {
			t.Fatal(err)
		}
		s.issues = append(s.issues, number)
	}
	reload := func(key *rsa.PrivateKey, now, old string) func() {
		return func() { s.keep(key, now, old); first.signal(syscall.SIGHUP) }
	}
	s.meanwhile(reload(s.keys[0], secondSecret, firstSecret))
	first.says("settings read again", 1)
	s.meanwhile(func() { s.SetHook(s.hub, s.hub.HookURL, secondSecret) })
	s.settle()

	s.SetKeys(s.hub, &s.keys[0].PublicKey, &s.keys[1].PublicKey)
	s.meanwhile(reload(s.keys[1], secondSecret, ""))
	first.says("settings read again", 2)
	s.SetKeys(s.hub, &s.keys[1].PublicKey)
	s.RevokeTokens() // the next write mints with the new key
	s.meanwhile(func() { first.signal(syscall.SIGTERM) })
	if err := first.cmd.Wait(); err != nil {
		t.Fatalf("SIGTERM: %v\n%s", err, first.text())
	}
	s.meanwhile(func() {})
	s.settle()
	second := startServer(t, s.env...)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Await(ctx, func() bool { return len(s.answers()) == s.spoken }); err != nil {
		t.Errorf("%d of %d were answered: %v\n%s\n%s", len(s.answers()), s.spoken, err, first.text(), second.text())
	}
	second.signal(syscall.SIGTERM)
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, second.text())
	}
	s.judge(first.text() + second.text())
}

func (s *site) settle() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Settle(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// judge counts what was said, stored, decided and answered.
func (s *site) judge(log string) {
	for number, n := range s.answers() {
		if n != 1 {
			s.t.Errorf("#%d has %d answers", number, n)
		}
	}
	decided := map[string]int{}
	for _, word := range []string{firstSecret, secondSecret, "PRIVATE KEY", "ghs_", "eyJ"} {
		if strings.Contains(log, word) {
			s.t.Errorf("the log holds %q", word)
		}
	}
	for l := range strings.Lines(log) {
		var line struct{ Message, Delivery string }
		if json.Unmarshal([]byte(l), &line) == nil && line.Message == "audit" {
			decided[line.Delivery]++
		}
	}
	stored, refused := 0, 0
	for _, d := range s.Deliveries() {
		if !bytes.Contains(d.Payload, []byte(said)) {
			continue
		}
		switch d.StatusCode {
		case 200:
			stored++
		case 503, 502:
			refused++
		default:
			s.t.Errorf("a delivery was answered %d", d.StatusCode)
		}
		if decided[d.GUID] != 1 {
			s.t.Errorf("delivery %s, answered %d, was decided %d times", d.GUID, d.StatusCode, decided[d.GUID])
		}
	}
	if stored+refused != s.spoken || stored < 3*perPhase+before || refused < perPhase {
		s.t.Errorf("%d stored and %d refused of %d", stored, refused, s.spoken)
	}
	s.t.Logf("%d said: %d stored at once, %d refused and swept up; %d decided", s.spoken, stored, refused, len(decided))
}

// One box needs no more than a directory: its redis-server comes and goes with
// the server, whichever way that ends, and the next one takes the directory.
func TestServeKeepsItsOwnRedis(t *testing.T) {
	redisServer(t)
	dir := shortDir(t)
	env := []string{"PARLEY_APP_ID=7", "PARLEY_WEBHOOK_SECRET=" + firstSecret, "PARLEY_PRIVATE_KEY_FILE=" + file(t, "key.pem", string(testKey()), 0o600),
		"PARLEY_LISTEN=127.0.0.1:0", "PARLEY_ADMIN_LISTEN=", "PARLEY_GITHUB_URL=http://127.0.0.1:9", "PARLEY_CACHE_DIR=" + t.TempDir(), "PARLEY_DATA=" + dir}
	listens := func() bool {
		conn, err := net.Dial("unix", filepath.Join(dir, "redis.sock"))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGTERM} {
		s := startServer(t, env...)
		if !listens() {
			t.Fatalf("no redis-server in %s:\n%s", dir, s.text())
		}
		s.signal(end)
		if err := s.cmd.Wait(); (err == nil) != (end == syscall.SIGTERM) {
			t.Errorf("%s: %v\n%s", end, err, s.text())
		}
		patience, again := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
		defer again.Stop()
		for listens() {
			select {
			case <-again.C:
			case <-patience:
				t.Fatalf("%s: the redis-server outlived the server", end)
			}
		}
	}
}
