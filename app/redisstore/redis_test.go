package redisstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"parley/pipeline/storetest"
)

// binary finds a redis-server. Debian's redis-tools carries the same program
// as redis-check-rdb, which serves when it is called redis-server.
var binary = sync.OnceValues(func() (string, error) {
	for _, name := range []string{"redis-server", "redis-check-rdb"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("these tests run a real redis-server and none is here; type: apt-get install redis-tools")
})

// server starts a redis-server of its own for a test.
func server(t testing.TB) *Server {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "parley-redis")
	if err != nil {
		t.Fatal(err)
	}
	s, err := startServer(context.Background(), path, filepath.Join(dir, "d"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		os.RemoveAll(dir)
	})
	return s
}

func store(t testing.TB, address string, cfg Config) *Store {
	t.Helper()
	o, err := Options(address)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Redis = o
	s, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// short are a Config's times for a test with those options.
func short(o storetest.Options) Config {
	return Config{Lease: o.TTL, Waiting: o.Max, grace: time.Nanosecond}
}

func TestRedis(t *testing.T) {
	srv := server(t)
	storetest.Run(t, func(t *testing.T, o storetest.Options) storetest.Store {
		s := store(t, srv.Address, short(o))
		t.Cleanup(func() { s.db.FlushAll(context.Background()) })
		return s
	})
}

func TestMiniredis(t *testing.T) {
	storetest.Run(t, func(t *testing.T, o storetest.Options) storetest.Store {
		mini := miniredis.RunT(t)
		s, err := inProcess(context.Background(), mini.Addr(), short(o))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}
