package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app/githubsim"
)

// BenchmarkSizing is what deploy/sizing.md says: a serve of its own process
// takes forty organisations' issues to the end of the specification, by rules.
//
//	go test ./cmd/parley -run XXX -bench Sizing -benchtime 1x
func BenchmarkSizing(b *testing.B) {
	const sessions = 40
	for range b.N {
		redis := runRedis(b, redisServer(b), strings.Fields(healthyRedis)...)
		s := openSite(b, redis)
		p := startServer(b, s.env...)
		empty := redisMemory(b, redis)
		var repos []string
		for n := range sessions {
			owner := fmt.Sprintf("org-%d", n)
			if _, err := s.AddRepo(owner+"/shop", map[string]string{"README.md": "# Shop\n"}); err != nil {
				b.Fatal(err)
			}
			if err := s.SetPermission(owner+"/shop", "ann", "write"); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Install(s.hub, owner); err != nil {
				b.Fatal(err)
			}
			repos = append(repos, owner+"/shop")
		}
		text, err := os.ReadFile("samples/well-written.md")
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		for _, repo := range repos {
			if _, err := s.OpenIssue("ann", repo, "Pay once", string(text), "lifecycle"); err != nil {
				b.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := s.Await(ctx, func() bool { return s.judged(repos) == sessions }); err != nil {
			b.Fatalf("%d of %d sessions ended: %v\n%s", s.judged(repos), sessions, err, p.text())
		}
		took := time.Since(began)
		b.ReportMetric((redisMemory(b, redis)-empty)/1024/sessions, "redis-KB/session")
		p.signal(syscall.SIGTERM)
		if err := p.cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		state := p.cmd.ProcessState
		used, ok := state.SysUsage().(*syscall.Rusage)
		if !ok {
			b.Fatal("no account of what the process used")
		}
		b.ReportMetric(float64((state.UserTime()+state.SystemTime()).Milliseconds())/sessions, "cpu-ms/session")
		b.ReportMetric(float64(used.Maxrss)/1024, "peak-MB")
		b.ReportMetric(sessions/took.Minutes(), "sessions/min")
	}
}

// redisMemory is what a Redis holds, in bytes.
func redisMemory(b *testing.B, address string) float64 {
	conn, err := net.Dial("unix", strings.TrimPrefix(address, "unix://"))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "INFO memory\r\n")
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		if n, ok := strings.CutPrefix(lines.Text(), "used_memory:"); ok {
			bytes, err := strconv.ParseFloat(n, 64)
			if err != nil {
				b.Fatal(err)
			}
			return bytes
		}
	}
	b.Fatal("Redis does not say what it holds")
	return 0
}

// judged counts the repositories whose pull request has a gate that is decided.
func (s *site) judged(repos []string) int {
	n := 0
	for _, repo := range repos {
		for _, number := range s.Pulls(repo) {
			p, err := s.Pull(githubsim.At(repo, number))
			if err != nil {
				continue
			}
			for _, c := range s.Checks(repo, p.Head) {
				if c.Name == "parley/gate" && c.Status == "completed" {
					n++
				}
			}
		}
	}
	return n
}
