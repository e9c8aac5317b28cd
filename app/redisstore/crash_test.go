package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/pipeline"
)

// schedules is how many random schedules TestCrash runs; PARLEY_SOAK runs a thousand.
func schedules() int {
	if n, err := strconv.Atoi(os.Getenv("PARLEY_CRASH_SCHEDULES")); err == nil {
		return n
	}
	if os.Getenv("PARLEY_SOAK") != "" {
		return 1000
	}
	return 50
}

// TestCrash kills, stops and starves worker processes and Redis at random and
// asks for what was acknowledged: each event handled once and in order, each
// visible act done once. PARLEY_CRASH_SEED repeats one schedule. (I17, I20, Q1-Q3, Q7, Q12)
func TestCrash(t *testing.T) {
	seeds := make([]uint64, 0, schedules())
	if one, err := strconv.ParseUint(os.Getenv("PARLEY_CRASH_SEED"), 10, 64); err == nil {
		seeds = append(seeds, one)
	} else {
		first := rand.Uint64() >> 20
		for i := range schedules() {
			seeds = append(seeds, first+uint64(i))
		}
	}
	queue := make(chan uint64)
	var lanes sync.WaitGroup
	for range 4 {
		srv := server(t)
		lanes.Go(func() {
			for seed := range queue {
				if errs := newSchedule(t, srv, seed).run(); len(errs) > 0 {
					t.Errorf("PARLEY_CRASH_SEED=%d:\n%s", seed, strings.Join(errs, "\n"))
				}
			}
		})
	}
	for i, seed := range seeds {
		if i%100 == 0 {
			t.Logf("schedules %d to %d: seeds from %d", i+1, min(i+100, len(seeds)), seed)
		}
		queue <- seed
	}
	close(queue)
	lanes.Wait()
}

// TestCrashControls takes a check out of the commit script: the same
// schedules must then find something.
func TestCrashControls(t *testing.T) {
	for _, check := range []string{"token", "head"} {
		t.Run(check, func(t *testing.T) {
			srv := server(t)
			for seed := range uint64(20) {
				s := newSchedule(t, srv, seed)
				s.orders.Break, s.orders.Replay, s.orders.Delay, s.orders.Die = check, 0.2, 0.1, 0
				s.patience = 3 * time.Second
				if errs := s.run(); len(errs) > 0 {
					t.Logf("found with seed %d: %s", seed, errs[0])
					return
				}
			}
			t.Errorf("without the %s check 20 schedules found nothing: the test is too weak", check)
		})
	}
}

// schedule is one run: some sessions, some workers, some accidents.
type schedule struct {
	t        *testing.T
	srv      *Server
	rnd      *rand.Rand
	seed     uint64
	orders   orders
	stops    int // accidents
	patience time.Duration

	store   *Store
	mu      sync.Mutex
	workers []*exec.Cmd
	closing bool
	deaths  int // of workers, by their own hand or an accident's
	made    map[string]sent
	errs    []string
}

func newSchedule(t *testing.T, srv *Server, seed uint64) *schedule {
	o := orders{
		Redis: srv.Address, Seed: seed, Lease: 200 * time.Millisecond, Die: 0.002, Lose: 0.01, Replay: 0.05, Delay: 0.01,
		Step: crashSteps[seed%uint64(len(crashSteps))],
	}
	return &schedule{
		t: t, srv: srv, seed: seed, rnd: rand.New(rand.NewPCG(seed, 0)), orders: o, stops: 4,
		patience: 30 * time.Second, made: map[string]sent{},
	}
}

const (
	crashSessions = 5
	crashEvents   = 8
)

func (s *schedule) run() []string {
	dir, err := os.MkdirTemp("", "parley-crash")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s.orders.GitHub = filepath.Join(dir, "gh")
	stopGitHub := s.serveGitHub()
	defer stopGitHub()
	o, err := Options(s.srv.Address)
	if err != nil {
		panic(err)
	}
	if s.store, err = Open(context.Background(), Config{Redis: o, Lease: s.orders.Lease}); err != nil {
		panic(err)
	}
	defer s.store.Close()
	if err := flush(s.store); err != nil {
		panic(err)
	}
	if _, err := s.store.readMeta(context.Background()); err != nil {
		panic(err)
	}
	for i := range 2 {
		s.spawn(i)
	}
	defer s.killAll()

	var wg sync.WaitGroup
	for issue := 1; issue <= crashSessions; issue++ {
		wg.Go(func() { s.post(issue) })
	}
	s.accidents()
	wg.Wait()
	s.settle()
	return s.errs
}

func (s *schedule) fault(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, fmt.Sprintf(format, args...))
}

// poisoned says whether this schedule's session has an event that kills.
func (s *schedule) poisoned(issue, n int) bool { return s.seed%5 == 0 && issue == 2 && n == 3 }

func crashID(issue, n int) string { return fmt.Sprintf("e-%d-%d", issue, n) }

// post sends a session's events as GitHub would: again until acknowledged,
// and now and then once more for good measure.
func (s *schedule) post(issue int) {
	for n := 1; n <= crashEvents; n++ {
		ev := pipeline.Event{
			ID: crashID(issue, n), Kind: pipeline.EventCommand, At: time.UnixMilli(int64(n)).UTC(), Issue: issue, PR: n,
			Repo: pipeline.Repo{Installation: int64(issue % 2), ID: int64(100 + issue)},
		}
		if s.poisoned(issue, n) {
			ev.Title = "poison"
		}
		for acknowledged := 0; acknowledged < 1+n%2; {
			err := s.store.Accept(context.Background(), ev)
			if err == nil || errors.Is(err, pipeline.ErrDuplicate) {
				acknowledged++
				continue
			}
			patience(context.Background())
		}
	}
}

func (s *schedule) accidents() {
	for range s.stops {
		s.wait(time.Duration(s.rnd.IntN(120)) * time.Millisecond)
		s.mu.Lock()
		victim := s.workers[s.rnd.IntN(len(s.workers))].Process.Pid
		s.mu.Unlock()
		switch s.rnd.IntN(4) {
		case 0:
			syscall.Kill(victim, syscall.SIGKILL)
		case 1, 2:
			syscall.Kill(victim, syscall.SIGSTOP)
			s.wait(s.orders.Lease * 3 / 2)
			syscall.Kill(victim, syscall.SIGCONT)
		case 3:
			if s.seed%3 == 0 {
				s.srv.mu.Lock()
				pid := s.srv.pid
				s.srv.mu.Unlock()
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

func (s *schedule) wait(d time.Duration) { <-time.After(d) }

// spawn starts a worker process and starts another whenever it dies. Only the
// first dies at the schedule's named step.
func (s *schedule) spawn(i int) {
	cmd := s.worker(i, s.orders)
	go func() {
		for life := 1; ; life++ {
			cmd.Wait()
			s.mu.Lock()
			closing := s.closing
			if !closing {
				s.deaths++
			}
			s.mu.Unlock()
			if closing {
				return
			}
			o := s.orders
			o.Step, o.Seed = "", o.Seed+uint64(1000*life)
			if life > 6 {
				o.Die = 0 // enough
			}
			next := s.worker(i, o)
			if next == nil {
				return
			}
			cmd = next
		}
	}()
}

func (s *schedule) worker(i int, o orders) *exec.Cmd {
	if i > 0 {
		o.Step = ""
	}
	o.Seed += uint64(i)
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashEnv+"="+string(raw))
	cmd.Stderr = os.Stderr
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if i < len(s.workers) {
		s.workers[i] = cmd
	} else {
		s.workers = append(s.workers, cmd)
	}
	return cmd
}

func (s *schedule) killAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for _, cmd := range s.workers {
		cmd.Process.Kill()
	}
}

// serveGitHub keeps what was made. An act that is made twice is a fault; one
// that is asked for again is looked up first.
func (s *schedule) serveGitHub() func() {
	l, err := net.Listen("unix", s.orders.GitHub)
	if err != nil {
		panic(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var one sent
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		_, there := s.made[one.Key]
		if !there {
			s.made[one.Key] = one
		}
		s.mu.Unlock()
		at, err := strconv.ParseInt(r.Header.Get(sentAt), 10, 64)
		stalled := time.Since(time.Unix(0, at)) > s.orders.Lease/5 // the margin a sender has
		switch {
		case err != nil:
			s.fault("sent without a time: %v", err)
		case there && !one.Again && stalled:
			s.t.Logf("seed %d: %s came twice, from a sender that was stopped on the way", s.seed, one.Key)
		case there && !one.Again:
			s.fault("made twice: %s", one.Key)
		}
	})}
	go srv.Serve(l)
	return func() { srv.Close() }
}
