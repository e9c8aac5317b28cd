package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/app/githubsim/conform"
)

// line runs one command as main does, with an environment of its own.
func line(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, &terminal{in: strings.NewReader(""), out: &stdout, err: &stderr, watch: conform.Watch(t),
		env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	return code, stdout.String(), stderr.String()
}

var testKey = sync.OnceValue(func() []byte {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
})

func file(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// redisServer puts a redis-server on PATH; Debian's redis-check-rdb is one
// when it is called so.
func redisServer(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "redis-check-rdb"} {
		if path, err := exec.LookPath(name); err == nil {
			dir := t.TempDir()
			if err := os.Symlink(path, filepath.Join(dir, "redis-server")); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			return filepath.Join(dir, "redis-server")
		}
	}
	t.Fatal("these tests run a real redis-server and none is here; type: apt-get install redis-tools")
	return ""
}

// Bad input: the process ends, not with 0, and each line names the setting
// and what to do.
func TestServeRefusesToStart(t *testing.T) {
	binary := redisServer(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	good := map[string]string{"PARLEY_APP_ID": "7", "PARLEY_WEBHOOK_SECRET": "a-good-long-webhook-secret",
		"PARLEY_PRIVATE_KEY_FILE": file(t, "key.pem", string(testKey()), 0o600), "PARLEY_LISTEN": "127.0.0.1:0", "PARLEY_ADMIN_LISTEN": "",
		"PARLEY_GITHUB_URL": "http://127.0.0.1:9", "PARLEY_DATA": shortDir(t), "PARLEY_CACHE_DIR": t.TempDir()}
	elliptic := ecKey(t)
	secret := "PARLEY_WEBHOOK_SECRET: "
	rows := []struct {
		name  string
		set   map[string]string
		args  []string
		lines []string // each a beginning and a piece that must be in one line of their own
	}{
		{"nothing set", map[string]string{"PARLEY_APP_ID": "", "PARLEY_WEBHOOK_SECRET": "", "PARLEY_PRIVATE_KEY_FILE": "", "PARLEY_DATA": ""}, nil,
			[]string{"PARLEY_APP_ID: not set|parley setup", secret + "not set|openssl rand", "PARLEY_REDIS_URL: not set|--data DIR", "PARLEY_PRIVATE_KEY_FILE: not set|PEM"}},
		{"I1 an empty secret", map[string]string{"PARLEY_WEBHOOK_SECRET": ""}, nil, []string{secret + "not set|openssl rand"}},
		{"I1 a short secret", map[string]string{"PARLEY_WEBHOOK_SECRET": "fifteen-bytes-x"}, nil, []string{secret + "15 bytes|openssl rand"}},
		{"I1 a secret of blanks", map[string]string{"PARLEY_WEBHOOK_SECRET": strings.Repeat(" ", 20)}, nil, []string{secret + "not set|openssl rand"}},
		{"I1 a secret from a tutorial", map[string]string{"PARLEY_WEBHOOK_SECRET": "changemechangeme"}, nil, []string{secret + "this secret can be guessed|openssl rand"}},
		{"I1 one letter over and over", map[string]string{"PARLEY_WEBHOOK_SECRET": strings.Repeat("x", 32)}, nil, []string{secret + "this secret can be guessed|openssl rand"}},
		{"a short old secret", map[string]string{"PARLEY_WEBHOOK_SECRET_OLD": "short"}, nil, []string{"PARLEY_WEBHOOK_SECRET_OLD: 5 bytes|openssl rand"}},
		{"an app id of letters", map[string]string{"PARLEY_APP_ID": "parley"}, nil, []string{`PARLEY_APP_ID: "parley"|not a number`}},
		{"no key file", map[string]string{"PARLEY_PRIVATE_KEY_FILE": "/nowhere/key.pem"}, nil, []string{"PARLEY_PRIVATE_KEY_FILE: |no such file"}},
		{"S14 a key everybody reads", map[string]string{"PARLEY_PRIVATE_KEY_FILE": file(t, "open.pem", string(testKey()), 0o644)}, nil, []string{"PARLEY_PRIVATE_KEY_FILE: |chmod 600"}},
		{"S14 a key that is none", map[string]string{"PARLEY_PRIVATE_KEY_FILE": file(t, "no.pem", "hello", 0o600)}, nil, []string{"PARLEY_PRIVATE_KEY_FILE: |download it again"}},
		{"S14 a key of another kind", map[string]string{"PARLEY_PRIVATE_KEY_FILE": file(t, "ec.pem", elliptic, 0o600)}, nil, []string{"PARLEY_PRIVATE_KEY_FILE: |ecdsa"}},
		{"no Redis there", map[string]string{"PARLEY_DATA": "", "PARLEY_REDIS_URL": "unix:///nowhere/redis.sock"}, nil, []string{"PARLEY_REDIS_URL: |start it"}},
		{"an address of no kind", map[string]string{"PARLEY_DATA": "", "PARLEY_REDIS_URL": "127.0.0.1:6379"}, nil, []string{"PARLEY_REDIS_URL: |must begin with redis://"}},
		{"both Redis and data", map[string]string{"PARLEY_REDIS_URL": "redis://127.0.0.1"}, nil, []string{"PARLEY_REDIS_URL and PARLEY_DATA are both set|keep one"}},
		{"a Redis that evicts", map[string]string{"PARLEY_DATA": "", "PARLEY_REDIS_URL": runRedis(t, binary, "--appendonly", "yes", "--maxmemory-policy", "allkeys-lru")}, nil, []string{"PARLEY_REDIS_URL: |maxmemory-policy noeviction"}},
		{"a Redis that forgets", map[string]string{"PARLEY_DATA": "", "PARLEY_REDIS_URL": runRedis(t, binary, "--appendonly", "no")}, nil, []string{"PARLEY_REDIS_URL: |appendonly yes"}},
		{"a port in use", map[string]string{"PARLEY_LISTEN": taken.Addr().String()}, nil, []string{"PARLEY_LISTEN: |choose a free address"}},
		{"an admin port in use", map[string]string{"PARLEY_ADMIN_LISTEN": taken.Addr().String()}, nil, []string{"PARLEY_ADMIN_LISTEN: |choose a free address"}},
		{"an address that is none", map[string]string{"PARLEY_GITHUB_URL": "api.github.com"}, nil, []string{"PARLEY_GITHUB_URL: |https://api.github.com"}},
		{"a misspelt setting in the file", nil, []string{"--config", file(t, "a.yml", "app_id: 7\nlissten: :80\n", 0o600)}, []string{"PARLEY_CONFIG: |line 2: there is no setting lissten"}},
		{"a file that is no YAML", nil, []string{"--config", file(t, "b.yml", "app_id: [7\n", 0o600)}, []string{"PARLEY_CONFIG: |line"}},
		{"a value of another kind", nil, []string{"--config", file(t, "c.yml", "app_id: 7\nturns: s3cret-value\n", 0o600)}, []string{"PARLEY_CONFIG: |line 2: the value is of another kind"}},
		{"no such file", nil, []string{"--config", "/nowhere/parley.yml"}, []string{"PARLEY_CONFIG: |no such file"}},
		{"a duration without a unit", map[string]string{"PARLEY_SWEEP": "10"}, nil, []string{"PARLEY_SWEEP: |30s or 10m"}},
		{"a word of three", map[string]string{"PARLEY_GITHUB_WRITES": "maybe"}, nil, []string{"PARLEY_GITHUB_WRITES: |auto, graphql, rest"}},
		{"less than one", map[string]string{"PARLEY_JOBS_PER_INSTALLATION": "0"}, nil, []string{"PARLEY_JOBS_PER_INSTALLATION: |less than 1"}},
		{"a model that is not there", nil, []string{"--config", file(t, "d.yml", "models: {only: hal}\n", 0o600)}, []string{"models.only: |there are anthropic, "}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			env := maps.Clone(good)
			maps.Copy(env, row.set)
			code, _, errs := line(t, env, append([]string{"serve"}, row.args...)...)
			if code == 0 {
				t.Error("exit 0")
			}
			refusals := refused(errs)
			if len(refusals) != len(row.lines) {
				t.Errorf("%d lines, want %d:\n%s", len(refusals), len(row.lines), errs)
			}
			for _, want := range row.lines {
				begins, piece, _ := strings.Cut(want, "|")
				found := false
				for _, l := range refusals {
					found = found || strings.HasPrefix(l, "parley: "+begins) && strings.Contains(l, piece)
				}
				if !found {
					t.Errorf("no line begins %q and says %q:\n%s", begins, piece, errs)
				}
			}
			if strings.Contains(errs, "s3cret-value") || strings.Contains(errs, "goroutine") {
				t.Errorf("says too much:\n%s", errs)
			}
		})
	}
	t.Run("no redis-server on PATH", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		code, _, errs := line(t, good, "serve")
		if code == 0 || !strings.Contains(errs, "PARLEY_DATA: ") || !strings.Contains(errs, "apt-get install redis-server") {
			t.Errorf("exit %d: %s", code, errs)
		}
	})
	t.Run("a directory that is in use", func(t *testing.T) {
		env := maps.Clone(good)
		lock, err := os.OpenFile(filepath.Join(env["PARLEY_DATA"], "parley.lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		flock(t, lock)
		code, _, errs := line(t, env, "serve")
		if code == 0 || !strings.Contains(errs, "PARLEY_DATA: ") || !strings.Contains(errs, "another parley") {
			t.Errorf("exit %d: %s", code, errs)
		}
	})
}

// refused are the lines that speak to the person, without the log's.
func refused(errs string) []string {
	var out []string
	for l := range strings.Lines(errs) {
		if !strings.HasPrefix(l, "{") {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

// shortDir is a directory whose name leaves room for a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "prl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func ecKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

// runRedis starts a redis-server of a test's own and returns its address.
func runRedis(t testing.TB, binary string, args ...string) string {
	t.Helper()
	socket := filepath.Join(shortDir(t), "redis.sock")
	cmd := exec.Command(binary, append([]string{"--port", "0", "--unixsocket", socket, "--dir", filepath.Dir(socket), "--save", ""}, args...)...)
	cmd.Args[0] = "redis-server"
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	var said bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(said.String(), "ready to accept") {
		n, err := out.Read(buf)
		said.Write(buf[:n])
		if err != nil {
			t.Fatalf("redis-server: %v\n%s", err, said.String())
		}
	}
	go func() { _, _ = said.ReadFrom(out) }() // so that its pipe does not fill
	return fmt.Sprintf("unix://%s", socket)
}
