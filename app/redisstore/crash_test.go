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
	"slices"
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
	for _, seed := range seeds {
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
		if there && !one.Again {
			s.fault("made twice: %s", one.Key)
		}
	})}
	go srv.Serve(l)
	return func() { srv.Close() }
}

// settle waits until everything is handled and checks the books.
func (s *schedule) settle() {
	deadline := time.After(s.patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var left []string
	for {
		if left = s.unfinished(); len(left) == 0 {
			break
		}
		select {
		case <-deadline:
			s.mu.Lock()
			s.errs = append(s.errs, left...)
			s.mu.Unlock()
			return
		case <-tick.C:
		}
	}
	s.audit()
}

// unfinished names what is still to happen. A good event that met three
// accidents is in the dead letters: the operator sends it back.
func (s *schedule) unfinished() (left []string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	letters, err := s.store.Dead(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	dead := map[string]bool{}
	for _, l := range letters {
		if strings.Contains(l.Body, `"poison"`) {
			dead["poison"] = true
		} else if err := s.store.Retry(ctx, l.ID); err != nil {
			left = append(left, err.Error())
		}
	}
	for issue := 1; issue <= crashSessions; issue++ {
		state, err := s.store.Session(ctx, pipeline.Key{Repo: int64(100 + issue), Issue: issue})
		if err != nil {
			left = append(left, err.Error())
			continue
		}
		for n := 1; n <= crashEvents; n++ {
			if s.poisoned(issue, n) {
				if !dead["poison"] {
					left = append(left, "the poison is not dead")
				}
				continue
			}
			left = append(left, s.missing(state, issue, n)...)
		}
	}
	if stats, err := s.store.Stats(ctx); err != nil || stats.Due+stats.Running+stats.Outbox+stats.Timers > 0 {
		left = append(left, fmt.Sprintf("not quiet: %+v %v", stats, err))
	}
	return left
}

// missing names what one event should have left behind and has not.
func (s *schedule) missing(state pipeline.Session, issue, n int) (left []string) {
	id, task := crashID(issue, n), pipeline.TaskID(fmt.Sprint("T", n))
	if !slices.Contains(state.WisdomEntries, id) {
		left = append(left, id+" is not handled")
	}
	s.mu.Lock()
	if _, ok := s.made[fmt.Sprintf("%d/%s#0", issue, id)]; !ok {
		left = append(left, id+" has no comment")
	}
	s.mu.Unlock()
	if n%3 == 0 && !slices.Contains(state.CompletedTasks, task) {
		left = append(left, fmt.Sprintf("session %d: %s is not done", issue, task))
	}
	if timer := fmt.Sprint("t", n); n%4 == 0 && !slices.Contains(state.CheckpointsHit, timer) {
		left = append(left, fmt.Sprintf("session %d: timer %s did not fire", issue, timer))
	}
	return left
}

// audit checks the books once all is quiet.
func (s *schedule) audit() {
	ctx := context.Background()
	faults, err := s.store.Check(ctx, false)
	if err != nil || len(faults) > 0 {
		s.fault("check: %v %v", faults, err)
	}
	for p := range partition(s.store.meta.Partitions) {
		if n, _ := s.store.db.HGet(ctx, p.key("cnt"), "foreign").Int(); n > 0 {
			s.fault("%d commits by somebody who had lost the lease", n)
		}
	}
	for issue := 1; issue <= crashSessions; issue++ {
		state, err := s.store.Session(ctx, pipeline.Key{Repo: int64(100 + issue), Issue: issue})
		if err != nil {
			s.fault("session %d: %v", issue, err)
			continue
		}
		for what, list := range map[string][]string{"event": state.WisdomEntries, "timer": state.CheckpointsHit} {
			if twice := repeated(list); twice != "" {
				s.fault("session %d: %s %s handled twice", issue, what, twice)
			}
		}
		if !slices.IsSortedFunc(state.WisdomEntries, inOrder) && s.undisturbed() {
			s.fault("session %d: out of order: %v", issue, state.WisdomEntries)
		}
		s.commits(issue, state)
	}
}

// undisturbed says that no good event went to the dead letters and back.
func (s *schedule) undisturbed() bool {
	for p := range partition(s.store.meta.Partitions) {
		n, _ := s.store.db.HGet(context.Background(), p.key("cnt"), "dead").Int()
		if n > 0 {
			return false
		}
	}
	return true
}

// commits checks that each task's result was committed once, and that it is
// the one the session knows.
func (s *schedule) commits(issue int, state pipeline.Session) {
	want := 0
	for n := 3; n <= crashEvents; n += 3 {
		if !s.poisoned(issue, n) {
			want++
		}
	}
	if len(state.CompletedTasks) != want {
		s.fault("session %d: completed %v", issue, state.CompletedTasks)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]int{}
	for _, one := range s.made {
		for path, text := range one.Texts {
			if state.Manifest.Files[path] == pipeline.BlobID([]byte(text)) {
				found[path]++
			}
		}
	}
	for path := range state.Manifest.Files {
		if found[path] != 1 {
			s.errs = append(s.errs, fmt.Sprintf("session %d: what the session knows of %s was committed %d times", issue, path, found[path]))
		}
	}
}

func inOrder(a, b string) int {
	num := func(id string) int { n, _ := strconv.Atoi(id[strings.LastIndex(id, "-")+1:]); return n }
	return num(a) - num(b)
}

func repeated(list []string) string {
	seen := map[string]bool{}
	for _, one := range list {
		if seen[one] {
			return one
		}
		seen[one] = true
	}
	return ""
}
