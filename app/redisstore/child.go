package redisstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Server is a redis-server that this process keeps as its child.
type Server struct {
	// Address is where it listens: a socket in its directory.
	Address string

	binary, dir string
	cancel      context.CancelFunc
	done        chan struct{}
	unlock      func()

	mu   sync.Mutex
	last string // line of its output, for the error when it does not come up
	pid  int    // of the running server
}

// SocketURL is the address of a server that keeps its data in dir.
func SocketURL(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return "unix://" + filepath.Join(dir, "redis.sock")
}

// serverNames are tried on PATH in this order.
var serverNames = []string{"redis-server", "valkey-server"}

// StartServer runs a redis-server in dir: a socket there, append-only file
// with every write synced, one server per directory. It is restarted when it
// dies and stopped when its parent does.
func StartServer(ctx context.Context, dir string) (*Server, error) {
	binary := ""
	for _, name := range serverNames {
		if path, err := exec.LookPath(name); err == nil {
			binary = path
			break
		}
	}
	if binary == "" {
		return nil, errors.New("data: no redis-server on PATH; install it (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis) or set redis_url")
	}
	return startServer(ctx, binary, dir)
}

func startServer(ctx context.Context, binary, dir string) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	socket := filepath.Join(dir, "redis.sock")
	if len(socket) > 100 {
		return nil, fmt.Errorf("data: %s is too long for a socket; choose a shorter directory", dir)
	}
	unlock, err := lock(filepath.Join(dir, "parley.lock"))
	if err != nil {
		return nil, fmt.Errorf("data: another parley uses %s: %w", dir, err)
	}
	if err := vacated(ctx, socket); err != nil {
		unlock()
		return nil, err
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{Address: SocketURL(dir), binary: binary, dir: dir, cancel: cancel, done: make(chan struct{}), unlock: unlock}
	up := make(chan error, 1)
	go s.keep(run, socket, up)
	select {
	case err = <-up:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// vacated waits until a former server is gone: it ends with its parent, but not
// in the same moment, and two must not write one file.
func vacated(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for answers(socket) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("data: a redis-server that is not ours answers at %s: stop it, or choose another directory", socket)
		case <-t.C:
		}
	}
	return nil
}

// Stop ends the server, which syncs what it has, and waits for it.
func (s *Server) Stop() {
	s.cancel()
	<-s.done
	s.unlock()
}

// keep runs the server again whenever it dies, and reports once whether the
// first start came up.
func (s *Server) keep(ctx context.Context, socket string, up chan<- error) {
	defer close(s.done)
	for wait := 100 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 10*time.Second) {
		began := time.Now()
		exited := make(chan error, 1)
		go func() { exited <- s.run(ctx, socket) }()
		if up != nil {
			up <- s.await(ctx, socket, exited)
			up = nil
		}
		<-exited
		if time.Since(began) > time.Minute {
			wait = 100 * time.Millisecond
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// run starts one server and returns when it has ended.
func (s *Server) run(ctx context.Context, socket string) error {
	cmd := exec.CommandContext(ctx, s.binary,
		"--port", "0", "--unixsocket", socket, "--unixsocketperm", "700", "--dir", s.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction", "--save", "", "--daemonize", "no")
	cmd.Args[0] = "redis-server"
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	return underThread(cmd, func() error {
		s.mu.Lock()
		s.pid = cmd.Process.Pid
		s.mu.Unlock()
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			s.last = lines.Text()
			s.mu.Unlock()
		}
		return cmd.Wait()
	})
}

// await returns when the server answers on its socket; loading a large file
// may take a while, so only its end is a failure.
func (s *Server) await(ctx context.Context, socket string, exited chan error) error {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case err := <-exited:
			exited <- err
			s.mu.Lock()
			defer s.mu.Unlock()
			return fmt.Errorf("data: redis-server ended at once: %s", strings.TrimSpace(s.last))
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			if answers(socket) {
				return nil
			}
		}
	}
}

// answers says whether a server has loaded its data.
func answers(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	reply, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && strings.HasPrefix(reply, "+PONG")
}
