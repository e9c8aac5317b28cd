package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// I16, Q6: whatever Redis answers, nothing is acknowledged that is not
// stored, and intake recovers by itself.
func TestI16Q6RedisRefuses(t *testing.T) {
	tests := []struct {
		name   string
		damage func(s *Store, srv *Server) (mend func())
	}{
		{"killed", func(s *Store, srv *Server) func() { srv.signal(syscall.SIGKILL); return func() {} }},
		{"hangs", func(s *Store, srv *Server) func() {
			srv.signal(syscall.SIGSTOP)
			return func() { srv.signal(syscall.SIGCONT) }
		}},
		{"out of memory", func(s *Store, srv *Server) func() {
			s.db.ConfigSet(context.Background(), "maxmemory", "1")
			return func() { s.db.ConfigSet(context.Background(), "maxmemory", "0") }
		}},
		{"the user may not", func(s *Store, srv *Server) func() {
			s.db.Do(context.Background(), "ACL", "SETUSER", "default", "-@write", "-evalsha")
			return func() { s.db.Do(context.Background(), "ACL", "SETUSER", "default", "+@all") }
		}},
		{"read only", func(s *Store, srv *Server) func() {
			ctx := context.Background()
			s.db.(*redis.Client).ReplicaOf(ctx, "127.0.0.1", "1")
			return func() { s.db.(*redis.Client).ReplicaOf(ctx, "NO", "ONE") }
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := server(t)
			s := store(t, srv.Address, Config{})
			ctx := context.Background()
			mend := tt.damage(s, srv)
			bound, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			err := s.Accept(bound, aCommand("one", 1))
			if err == nil && tt.name != "killed" {
				t.Error("acknowledged by a Redis that refuses")
			}
			if bound.Err() != nil {
				t.Error("intake did not give up by itself")
			}
			if s.Ready(ctx) == nil && tt.name != "killed" {
				t.Error("ready although Redis refuses")
			}
			mend()
			eventually(t, "intake recovers", func() bool {
				err := s.Accept(ctx, aCommand("one", 1))
				return err == nil || errors.Is(err, pipeline.ErrDuplicate)
			})
			if n, err := s.db.LLen(ctx, s.partitionOf(1).key("in:1-1")).Result(); n != 1 || err != nil {
				t.Errorf("%d events stored (%v), want 1", n, err)
			}
			eventually(t, "ready again", func() bool { return s.Ready(ctx) == nil })
		})
	}
}

// Q6: each word with which a Redis refuses reaches the one who asked, nobody is
// told that an event is stored, and all goes on when Redis does.
func TestQ6EveryRefusal(t *testing.T) {
	for name, answer := range map[string]string{
		"it loads its data":        "LOADING Redis is loading the dataset in memory",
		"it was made a replica":    "READONLY You can't write against a read only replica.",
		"its primary is away":      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
		"too few replicas":         "NOREPLICAS Not enough good replicas to write.",
		"it is full":               "OOM command not allowed when used memory > 'maxmemory'.",
		"its disk is full":         "MISCONF Errors writing to the AOF file: No space left on device",
		"a script runs for ever":   "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
		"the cluster is not whole": "CLUSTERDOWN The cluster is down",
		"the user may not":         "NOPERM this user has no permissions to run the 'evalsha' command",
		"the password was changed": "NOAUTH Authentication required.",
	} {
		t.Run(name, func(t *testing.T) {
			mini := miniredis.RunT(t)
			ctx := context.Background()
			s, err := inProcess(ctx, mini.Addr(), Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			if err := s.Accept(ctx, aCommand("before", 1)); err != nil {
				t.Fatal(err)
			}
			turn, err := s.NextTurn(ctx)
			if err != nil {
				t.Fatal(err)
			}
			mini.SetError(answer)
			_, claim := s.TakeTurn(ctx, turn.Lease.Key)
			_, commit := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: "before"})
			_, beat := s.Beat(ctx, []pipeline.Lease{turn.Lease})
			for what, err := range map[string]error{
				"intake": s.Accept(ctx, aCommand("during", 1)), "ready": s.Ready(ctx), "tick": s.Tick(ctx),
				"claim": claim, "commit": commit, "beat": beat,
			} {
				if err == nil || !strings.Contains(err.Error(), strings.Fields(answer)[0]) {
					t.Errorf("%s: %v, want Redis's own word", what, err)
				}
			}
			mini.SetError("")
			if err := errors.Join(s.Accept(ctx, aCommand("during", 1)), s.Ready(ctx), s.Tick(ctx)); err != nil {
				t.Errorf("Redis is back, and: %v", err)
			}
			done, err := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: "before", Keep: true})
			if err != nil || done.Next == nil || done.Next.Event.ID != "during" {
				t.Errorf("the holder's next is %+v (%v), want the event that was refused first", done.Next, err)
			}
		})
	}
}

// Q6: a real server that has been restarted and still reads its file.
func TestQ6Loading(t *testing.T) {
	ctx, dir, port := context.Background(), t.TempDir(), freePort(t)
	args := []string{"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--appendonly", "yes", "--appendfsync", "always",
		"--save", "", "--maxmemory-policy", "noeviction"}
	proc := startRedis(t, args...)
	node := client(t, "127.0.0.1:"+port)
	eventually(t, "it answers", func() bool { return node.Ping(ctx).Err() == nil })
	s := store(t, "redis://127.0.0.1:"+port, Config{})
	if err := s.Accept(ctx, aCommand("before", 1)); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := node.Set(ctx, fmt.Sprint("ballast", i), strings.Repeat("x", 4096), 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(node.ConfigSet(ctx, "rdbcompression", "no").Err(), node.BgRewriteAOF(ctx).Err()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its file is one that loads key by key", func() bool {
		info, err := s.info(ctx)
		return err == nil && info["aof_rewrite_in_progress"] == "0" && info["aof_rewrite_scheduled"] == "0" && info["aof_base_size"] > "3"
	})
	proc.Kill()
	startRedis(t, append(args, "--key-load-delay", "10000", "--loading-process-events-interval-bytes", "1024")...)
	eventually(t, "it loads", func() bool { return redis.HasErrorPrefix(node.Ping(ctx).Err(), "LOADING") })
	if err := s.Accept(ctx, aCommand("during", 1)); err == nil || !strings.Contains(err.Error(), "LOADING") {
		t.Errorf("intake while it loads: %v", err)
	}
	if err := s.Ready(ctx); err == nil {
		t.Error("ready while it loads")
	}
	eventually(t, "intake is back", func() bool { return s.Accept(ctx, aCommand("during", 1)) == nil })
	if n := node.LLen(ctx, s.partitionOf(1).key("in:1-1")).Val(); n != 2 {
		t.Errorf("%d events, want both", n)
	}
}

// Q6: a Redis that was restarted, or that failed over, knows no script.
func TestQ6ScriptsAreForgotten(t *testing.T) {
	s := store(t, server(t).Address, Config{})
	ctx := context.Background()
	forget := func() {
		t.Helper()
		if err := s.db.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	if err := s.Accept(ctx, aCommand("one", 1)); err != nil {
		t.Fatal(err)
	}
	forget()
	turn, err := s.NextTurn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	forget()
	if alive, err := s.Beat(ctx, []pipeline.Lease{turn.Lease}); err != nil || !alive[0] {
		t.Errorf("beat: %v %v", alive, err)
	}
	forget()
	if err := s.Tick(ctx); err != nil {
		t.Error(err)
	}
	forget()
	write := pipeline.Effect{Write: &pipeline.Write{Key: "w", Kind: pipeline.WriteComment}}
	done, err := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: "one", Effects: []pipeline.Effect{write}, Session: finished(1)})
	if err != nil || len(done.Jobs) != 1 {
		t.Fatalf("commit: %+v %v", done, err)
	}
	forget()
	job, err := s.NextJob(ctx, pipeline.LaneQuick)
	if err != nil {
		t.Fatal(err)
	}
	forget()
	entries, err := s.Entries(ctx, job.Lease)
	if err != nil || len(entries) != 1 {
		t.Errorf("entries: %+v %v", entries, err)
	}
	forget()
	if err := s.FinishJob(ctx, job.Lease, pipeline.Finish{Settled: []string{"w"}}); err != nil {
		t.Error(err)
	}
}
