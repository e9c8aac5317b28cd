package redisstore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

func aCommand(id string, issue int) pipeline.Event {
	return pipeline.Event{
		ID: id, Kind: pipeline.EventCommand, At: time.UnixMilli(1000).UTC(), Issue: issue, PR: 1,
		Repo: pipeline.Repo{Installation: 1, ID: int64(issue), Owner: "o", Name: "r"},
	}
}

// signal sends the running server a signal and returns its process id.
func (s *Server) signal(sig syscall.Signal) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	syscall.Kill(s.pid, sig)
	return s.pid
}

// eventually calls try until it is true.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	deadline, tick := time.After(20*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !try() {
		select {
		case <-deadline:
			t.Fatalf("%s: still not", what)
		case <-tick.C:
		}
	}
}

func TestI13HundredParallelDeliveriesOnThreeReplicas(t *testing.T) {
	srv := server(t)
	replicas := []*Store{store(t, srv.Address, Config{}), store(t, srv.Address, Config{}), store(t, srv.Address, Config{})}
	var stored, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			err := replicas[i%3].Accept(context.Background(), aCommand("one", 1))
			switch {
			case err == nil:
				stored.Add(1)
			case errors.Is(err, pipeline.ErrDuplicate):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if stored.Load() != 1 || refused.Load() != 99 {
		t.Errorf("stored %d, refused %d, want 1 and 99", stored.Load(), refused.Load())
	}
}

func TestI14RedeliveryDaysLaterIsADuplicate(t *testing.T) {
	s := store(t, server(t).Address, Config{})
	ctx := context.Background()
	ev := aCommand("one", 1)
	ev.Dedupe = "IC_1:sha-of-the-text"
	if err := s.Accept(ctx, ev); err != nil {
		t.Fatal(err)
	}
	for _, seen := range []string{"dd:one", "dd:=IC_1:sha-of-the-text"} { // id and meaning
		left, err := s.db.PTTL(ctx, s.partitionOf(1).key(seen)).Result()
		if err != nil || left < 7*24*time.Hour {
			t.Errorf("%s is remembered for %s (%v), want seven days at least", seen, left, err)
		}
	}
}

// I17: Redis took the event, its answer was lost, the client sent it again.
func TestI17LostAnswer(t *testing.T) {
	s := store(t, server(t).Address, Config{})
	c := &chaos{orders: orders{Lose: 1}}
	c.rnd = newRand(1)
	s.db.AddHook(c)
	ctx := context.Background()
	if err := s.Accept(ctx, aCommand("one", 1)); err == nil {
		t.Error("acknowledged without an answer")
	}
	c.Lose = 0
	if err := s.Accept(ctx, aCommand("one", 1)); !errors.Is(err, pipeline.ErrDuplicate) {
		t.Errorf("redelivery: %v, want a duplicate", err)
	}
	if n := s.db.LLen(ctx, s.partitionOf(1).key("in:1-1")).Val(); n != 1 {
		t.Errorf("%d events stored, want 1", n)
	}
}

// Q10: records of a newer version wait for a process that knows them.
func TestQ10UnknownVersionIsParked(t *testing.T) {
	srv := server(t)
	old, newer := store(t, srv.Address, Config{grace: 1}), store(t, srv.Address, Config{version: recordVersion + 1, grace: 1})
	ctx := context.Background()
	key := pipeline.Key{Repo: 1, Issue: 1}
	if err := newer.Accept(ctx, aCommand("future", 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := old.TakeTurn(ctx, key); !errors.Is(err, pipeline.ErrNotFound) {
		t.Fatalf("the old process took it: %v", err)
	}
	if st, err := old.Stats(ctx); err != nil || st.Parked != 1 {
		t.Fatalf("parked %d (%v), want 1", st.Parked, err)
	}
	if err := old.Accept(ctx, aCommand("present", 1)); err != nil {
		t.Fatal(err)
	}
	var got []string
	eventually(t, "the newer process takes both", func() bool {
		newer.Tick(ctx)
		turn, err := newer.TakeTurn(ctx, key)
		if err != nil {
			return false
		}
		for next := &turn; next != nil; {
			got = append(got, next.Event.ID)
			done, err := newer.Commit(ctx, next.Lease, pipeline.Commit{Event: next.Event.ID, Keep: true})
			if err != nil {
				t.Fatal(err)
			}
			next = done.Next
		}
		return true
	})
	if diff := cmp.Diff([]string{"future", "present"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Q10: a job, and a session's state, that a newer process wrote wait for it
// too; what the old one wrote the newer one reads.
func TestQ10UnknownJobIsParked(t *testing.T) {
	srv := server(t)
	old, newer := store(t, srv.Address, Config{}), store(t, srv.Address, Config{version: recordVersion + 1})
	ctx, key := context.Background(), pipeline.Key{Repo: 1, Issue: 1}
	if err := old.Accept(ctx, aCommand("one", 1)); err != nil {
		t.Fatal(err)
	}
	turn, err := newer.TakeTurn(ctx, key) // the old one's record
	if err != nil {
		t.Fatal(err)
	}
	state, effects, _ := oneTask(turn.Session, turn.Event, time.Time{})
	if _, err := newer.Commit(ctx, turn.Lease, pipeline.Commit{Event: "one", Session: state, Effects: effects}); err != nil {
		t.Fatal(err)
	}
	if _, err := old.TakeJob(ctx, key, "j"); !errors.Is(err, pipeline.ErrNotFound) {
		t.Errorf("the old process took the job: %v", err)
	}
	if err := old.Accept(ctx, aCommand("two", 1)); err != nil { // stored, though it knows the session no more
		t.Fatal(err)
	}
	if _, err := old.TakeTurn(ctx, key); !errors.Is(err, pipeline.ErrNotFound) {
		t.Errorf("the old process took the session: %v", err)
	}
	if st, err := old.Stats(ctx); err != nil || st.Parked != 2 || st.Dead != 0 {
		t.Errorf("parked %d, dead %d (%v), want both parked", st.Parked, st.Dead, err)
	}
	eventually(t, "the newer process ticks", func() bool {
		newer.Tick(ctx)
		st, err := newer.Stats(ctx)
		return err == nil && st.Parked == 0
	})
	job, err := newer.TakeJob(ctx, key, "j")
	if err != nil || job.Try != 1 || job.Session.Status != pipeline.SessionActive {
		t.Errorf("job %+v (%v), want its first try with the session", job, err)
	}
	if next, err := newer.TakeTurn(ctx, key); err != nil || next.Event.ID != "two" {
		t.Errorf("event %s (%v), want the one that came meanwhile", next.Event.ID, err)
	}
}

// Q12: who claims and dies before the first step frees its slot by time.
func TestQ12StuckSlot(t *testing.T) {
	s := store(t, server(t).Address, Config{Lease: 50 * time.Millisecond, grace: 1, Share: Share{Turns: 1}})
	ctx := context.Background()
	for i := 1; i <= 3; i++ {
		if err := s.Accept(ctx, aCommand("e", i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 { // each holder is forgotten, none gives its lease back
		bound, cancel := context.WithTimeout(ctx, 10*time.Second)
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			for bound.Err() == nil {
				s.Tick(bound)
				s.doors[laneTurn].released()
			}
		}()
		if _, err := s.NextTurn(bound); err != nil {
			t.Fatalf("the bound shrank: %v", err)
		}
		cancel()
		<-stop
	}
}

// Q5: an empty Redis in place of ours is noticed once, by one process.
func TestQ5FlushedRedisIsNoticedOnce(t *testing.T) {
	srv := server(t)
	var lost atomic.Int32
	cfg := Config{Lost: func() { lost.Add(1) }}
	a, b := store(t, srv.Address, cfg), store(t, srv.Address, cfg)
	if lost.Load() != 1 {
		t.Fatalf("a first start was noticed %d times, want once", lost.Load())
	}
	ctx := context.Background()
	if err := a.db.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{a, b, a} {
		if err := s.Tick(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if lost.Load() != 2 || a.Meta() != b.Meta() {
		t.Errorf("noticed %d times, want once more; both now keep %v and %v", lost.Load()-1, a.Meta(), b.Meta())
	}
}

func TestCheckMends(t *testing.T) {
	s := store(t, server(t).Address, Config{})
	ctx := context.Background()
	for i := range 4 {
		if err := s.Accept(ctx, aCommand("e", 1+i)); err != nil {
			t.Fatal(err)
		}
	}
	p := func(issue int) partition { return s.partitionOf(int64(issue)) }
	s.db.HSet(ctx, p(1).key("s:1-1"), "st", "idle")
	s.db.Del(ctx, p(2).key("r:turn:1"))
	s.db.HSet(ctx, p(3).key("s:3-3"), "st", "run")
	s.db.HSet(ctx, p(4).key("s:4-4"), "dj", "deliver-9")
	faults, err := s.Check(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) < 4 {
		t.Errorf("found %d faults, want four sessions: %q", len(faults), faults)
	}
	if faults, err = s.Check(ctx, false); err != nil || len(faults) > 0 {
		t.Errorf("after mending: %q %v", faults, err)
	}
	for i := 1; i <= 4; i++ {
		if _, err := s.TakeTurn(ctx, pipeline.Key{Repo: int64(i), Issue: i}); err != nil {
			t.Errorf("session %d is stranded: %v", i, err)
		}
	}
}

func TestFaultsNameSettingAndRemedy(t *testing.T) {
	tests := []struct {
		setting, value string
		fatal          bool
	}{
		{"maxmemory-policy", "allkeys-lru", true},
		{"appendonly", "no", true},
		{"appendfsync", "everysec", false},
	}
	for _, tt := range tests {
		t.Run(tt.setting, func(t *testing.T) {
			srv := server(t)
			s := store(t, srv.Address, Config{})
			ctx := context.Background()
			if err := s.db.ConfigSet(ctx, tt.setting, tt.value).Err(); err != nil {
				t.Fatal(err)
			}
			faults, err := s.Faults(ctx)
			if err != nil || len(faults) != 1 {
				t.Fatalf("faults %v (%v), want one", faults, err)
			}
			for _, word := range []string{tt.setting, tt.value, "`" + tt.setting + " "} {
				if !strings.Contains(faults[0].Error(), word) {
					t.Errorf("%q does not say %q", faults[0], word)
				}
			}
			o, _ := Options(srv.Address)
			again, err := Open(ctx, Config{Redis: o})
			if err == nil {
				again.Close()
			}
			if (err != nil) != tt.fatal {
				t.Errorf("opening: %v, want refused %t", err, tt.fatal)
			}
		})
	}
	t.Run("a newer schema", func(t *testing.T) {
		srv := server(t)
		s := store(t, srv.Address, Config{})
		if err := s.db.HSet(context.Background(), metaKey, "schema", 2).Err(); err != nil {
			t.Fatal(err)
		}
		o, _ := Options(srv.Address)
		if _, err := Open(context.Background(), Config{Redis: o}); err == nil || !strings.Contains(err.Error(), "upgrade this one") {
			t.Errorf("got %v, want it refused with what to do", err)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		o, err := Options("redis://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Open(context.Background(), Config{Redis: o}); err == nil || !strings.Contains(err.Error(), "PARLEY_REDIS_URL") {
			t.Errorf("got %v, want the setting's name", err)
		}
	})
}
