package redisstore

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
)

// startNode runs a redis-server on a free port of loopback and returns its
// address and process.
func startNode(t *testing.T, args ...string) (addr string, proc *os.Process) {
	t.Helper()
	port := freePort(t)
	addr = "127.0.0.1:" + port
	proc = startRedis(t, append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(),
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"}, args...)...)
	node := client(t, addr)
	eventually(t, "the node answers", func() bool {
		err := node.Ping(context.Background()).Err()
		return err == nil || redis.HasErrorPrefix(err, "NOAUTH")
	})
	return addr, proc
}

// startRedis runs the server with those arguments until the test ends.
func startRedis(t *testing.T, args ...string) *os.Process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(t.TempDir(), "redis-server") // it goes by its name
	if err := os.Symlink(path, server); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(server, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process
}

func client(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { c.Close() })
	return c
}

// replicaOf starts a replica and waits until it has caught up.
func replicaOf(t *testing.T, primary string) (addr string, proc *os.Process) {
	t.Helper()
	host, port, err := net.SplitHostPort(primary)
	if err != nil {
		t.Fatal(err)
	}
	addr, proc = startNode(t, "--replicaof", host+" "+port, "--repl-diskless-sync-delay", "0")
	c := client(t, primary)
	eventually(t, "the replica has caught up", func() bool {
		n, err := c.Do(context.Background(), "WAIT", 1, 100).Int()
		return err == nil && n == 1
	})
	return addr, proc
}

// freePort finds a port whose cluster bus port, 10000 above, is valid too.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		if port > 50000 {
			port -= 30000
		}
		if bus, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port+10000)); err == nil {
			bus.Close()
			return strconv.Itoa(port)
		}
	}
	t.Fatal("no free port")
	return ""
}
