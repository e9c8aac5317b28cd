package redisstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
)

func TestServerRestartsAndKeepsWhatWasAcknowledged(t *testing.T) {
	srv := server(t)
	s := store(t, srv.Address, Config{})
	ctx := context.Background()
	for i := range 50 {
		if err := s.Accept(ctx, aCommand(fmt.Sprint(i), 1)); err != nil {
			t.Fatal(err)
		}
		if i%20 == 10 {
			old := srv.signal(syscall.SIGKILL)
			eventually(t, "it is back", func() bool { return s.Ready(ctx) == nil && srv.signal(0) != old })
		}
	}
	if n := s.db.LLen(ctx, s.partitionOf(1).key("in:1-1")).Val(); n != 50 {
		t.Errorf("%d events after the restarts, want 50", n)
	}
}

func TestServerRefusals(t *testing.T) {
	ctx := context.Background()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pd")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	first, err := startServer(ctx, path, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Stop()
	if _, err := startServer(ctx, path, dir); err == nil || !strings.Contains(err.Error(), "another parley") {
		t.Errorf("a second server in the same directory: %v", err)
	}
	foreign := filepath.Join(dir, "f")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	startRedis(t, "--port", "0", "--unixsocket", filepath.Join(foreign, "redis.sock"), "--dir", foreign)
	eventually(t, "somebody else's server answers", func() bool { return answers(filepath.Join(foreign, "redis.sock")) })
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := startServer(soon, path, foreign); err == nil || !strings.Contains(err.Error(), "not ours") {
		t.Errorf("a server beside somebody else's: %v", err)
	}
	if _, err := startServer(ctx, "/bin/false", filepath.Join(dir, "x")); err == nil || !strings.Contains(err.Error(), "ended at once") {
		t.Errorf("a server that does not start: %v", err)
	}
	t.Setenv("PATH", dir)
	if _, err := StartServer(ctx, dir); err == nil || !strings.Contains(err.Error(), "apt-get install redis-server") {
		t.Errorf("no server on PATH: %v, want the package's name", err)
	}
}

// The child must not outlive a parent that was killed.
func TestServerStopsWithItsParent(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pp")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	parent := exec.Command(os.Args[0], path, dir)
	parent.Env = append(os.Environ(), parentEnv+"=1")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "redis.sock")
	eventually(t, "the child answers", func() bool { return answers(socket) })
	parent.Process.Kill()
	parent.Wait()
	eventually(t, "the child is gone", func() bool { return !answers(socket) })
}

func TestOptions(t *testing.T) {
	tests := []struct {
		address string
		addrs   []string
		check   func(o *redis.UniversalOptions) bool
	}{
		{"redis://h", []string{"h:6379"}, func(o *redis.UniversalOptions) bool { return o.TLSConfig == nil }},
		{"redis://u:p%40ss@h:1/2", []string{"h:1"}, func(o *redis.UniversalOptions) bool {
			return o.Username == "u" && o.Password == "p@ss" && o.DB == 2
		}},
		{"rediss://h:1", []string{"h:1"}, func(o *redis.UniversalOptions) bool { return o.TLSConfig.ServerName == "h" }},
		{"redis://:p@a:1,b:2,c", []string{"a:1", "b:2", "c:6379"}, func(o *redis.UniversalOptions) bool { return o.Password == "p" }},
		{"redis://a:1,b:2?master_name=m&sentinel_password=s", []string{"a:1", "b:2"}, func(o *redis.UniversalOptions) bool {
			return o.MasterName == "m" && o.SentinelPassword == "s"
		}},
		{"redis://a:1?cluster=true", []string{"a:1"}, func(o *redis.UniversalOptions) bool { return o.IsClusterMode }},
		{"redis://[::1]:1", []string{"[::1]:1"}, func(o *redis.UniversalOptions) bool { return true }},
		{"unix:///tmp/r.sock", []string{"/tmp/r.sock"}, func(o *redis.UniversalOptions) bool { return true }},
	}
	for _, tt := range tests {
		t.Run(tt.address, func(t *testing.T) {
			o, err := Options(tt.address)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.addrs, o.Addrs); diff != "" || !tt.check(o) {
				t.Errorf("options %+v (addresses -want +got):\n%s", o, diff)
			}
			if !o.ContextTimeoutEnabled || o.MaxRetries != -1 {
				t.Error("the client repeats by itself or outlasts its context")
			}
		})
	}
	for _, bad := range []string{"", "h:1", "http://h", "redis://h/x", "redis://%zz@h", "unix://"} {
		if o, err := Options(bad); err == nil {
			t.Errorf("%q was taken as %v", bad, o.Addrs)
		}
	}
}
