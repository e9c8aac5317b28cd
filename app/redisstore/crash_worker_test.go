package redisstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// crashEnv carries a worker's orders; the test binary becomes a worker when it is set.
const crashEnv = "PARLEY_CRASH_WORKER"

// parentEnv makes the test binary the parent of a redis-server, to be killed.
const parentEnv = "PARLEY_CHILD_PARENT"

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// orders tell a worker process where things are and how it dies.
type orders struct {
	Redis, GitHub string
	Seed          uint64
	Lease         time.Duration
	Step          string  // dies the first time it reaches this step
	Die           float64 // chance of dying at any step
	Lose          float64 // chance that Redis's reply is lost
	Replay        float64 // chance that an earlier commit arrives once more
	Delay         float64 // chance that a commit arrives after its lease, while no beat gets through
	Break         string  // check that is taken out of commit: token, head, or none
}

func TestMain(m *testing.M) {
	if raw := os.Getenv(crashEnv); raw != "" {
		var o orders
		if err := json.Unmarshal([]byte(raw), &o); err != nil {
			panic(err)
		}
		o.serve()
		return
	}
	if address := os.Getenv(holderEnv); address != "" {
		hold(address)
		return
	}
	if os.Getenv(parentEnv) != "" {
		if _, err := startServer(context.Background(), os.Args[1], os.Args[2]); err != nil {
			panic(err)
		}
		select {}
	}
	os.Exit(m.Run())
}

// broke takes one check out of the commit script and adds a witness that
// counts what should have been refused. The witness is in every run.
func broke(check string) func(name, source string) string {
	return func(name, source string) string {
		if name != "commit" {
			return source
		}
		lines := strings.Split(source, "\n")
		for i, l := range lines {
			if check != "" && strings.HasSuffix(l, "-- CONTROL "+check) {
				left, _, _ := strings.Cut(l, "=")
				lines[i] = left + "= true"
			}
			if strings.HasPrefix(l, "local inst, at = s[4]") {
				lines[i] = l + "\nif s[1] ~= token then count('foreign') end"
			}
		}
		return strings.Join(lines, "\n")
	}
}

// serve is a worker process's life.
func (o orders) serve() {
	options, err := Options(o.Redis)
	if err != nil {
		panic(err)
	}
	c := &chaos{orders: o, rnd: newRand(o.Seed)}
	var s *Store
	for { // Redis may be away just now
		s, err = Open(context.Background(), Config{Redis: options, Lease: o.Lease, breakScript: broke(o.Break), grace: o.Lease})
		if err == nil {
			break
		}
		patience(context.Background())
	}
	s.db.AddHook(c)
	world := &remote{chaos: c, client: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", o.GitHub)
		},
	}}}
	e := &pipeline.Engine{
		Store: &shaky{Store: s, chaos: c}, GitHub: world, Worker: world, Now: time.Now,
		Policy: pipeline.Policy{Advance: ledger},
		Turns:  3, Quick: 2, Slow: 2, Beat: o.Lease / 5, Tick: o.Lease / 5,
		Backoff: func(int) time.Duration { return o.Lease / 5 },
	}
	if os.Getenv("PARLEY_CRASH_LOG") != "" {
		e.Hooks.Log = func(l pipeline.LogLine) { fmt.Fprintln(os.Stderr, os.Getpid(), l.What, l.Key, l.Job, l.Err) }
	}
	e.Run(context.Background())
}

// chaos decides when this process dies.
type chaos struct {
	orders
	rnd  *rand.Rand
	lock atomic.Bool
}

func (c *chaos) chance(p float64) bool {
	for !c.lock.CompareAndSwap(false, true) {
	}
	defer c.lock.Store(false)
	return c.rnd.Float64() < p
}

// at is a named step.
func (c *chaos) at(step string) {
	if step == c.Step || c.chance(c.Die) {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (c *chaos) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *chaos) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if err == nil && strings.HasPrefix(cmd.Name(), "eval") && c.chance(c.Lose) {
			cmd.SetErr(io.EOF)
			return io.EOF
		}
		return err
	}
}

func (c *chaos) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// crashSteps are the named steps.
var crashSteps = []string{
	"claim", "commit before", "commit after", "job claim", "work", "blobs before", "blobs after",
	"finish before", "finish after", "mark before", "mark after", "send before", "send after",
}

// shaky is the store as a worker sees it that may die at any step, and whose
// messages may arrive twice.
type shaky struct {
	*Store
	*chaos
	before  atomic.Pointer[func()]
	delayed atomic.Int32
}

func (s *shaky) Beat(ctx context.Context, leases []pipeline.Lease) ([]bool, error) {
	if s.delayed.Load() > 0 {
		return nil, io.EOF
	}
	return s.Store.Beat(ctx, leases)
}

func (s *shaky) NextTurn(ctx context.Context) (pipeline.Turn, error) {
	t, err := s.Store.NextTurn(ctx)
	s.at("claim")
	return t, err
}

func (s *shaky) Commit(ctx context.Context, l pipeline.Lease, c pipeline.Commit) (pipeline.Committed, error) {
	s.at("commit before")
	if s.chance(s.Delay) {
		s.delayed.Add(1)
		<-time.After(s.orders.Lease * 3 / 2)
		s.delayed.Add(-1)
		ctx = context.WithoutCancel(ctx)
	}
	done, err := s.Store.Commit(ctx, l, c)
	if again := s.before.Load(); again != nil && s.chance(s.Replay) {
		(*again)()
	}
	if err == nil && done.Next != nil {
		again := func() { s.Store.Commit(ctx, l, c) }
		s.before.Store(&again)
	}
	s.at("commit after")
	return done, err
}

func (s *shaky) NextJob(ctx context.Context, lane pipeline.Lane) (pipeline.Job, error) {
	j, err := s.Store.NextJob(ctx, lane)
	s.at("job claim")
	return j, err
}

func (s *shaky) PutBlobs(ctx context.Context, key pipeline.Key, contents [][]byte) error {
	s.at("blobs before")
	err := s.Store.PutBlobs(ctx, key, contents)
	s.at("blobs after")
	return err
}

func (s *shaky) FinishJob(ctx context.Context, l pipeline.Lease, f pipeline.Finish) error {
	s.at("finish before")
	err := s.Store.FinishJob(ctx, l, f)
	s.at("finish after")
	return err
}

func (s *shaky) Mark(ctx context.Context, l pipeline.Lease, keys []string) error {
	s.at("mark before")
	err := s.Store.Mark(ctx, l, keys)
	s.at("mark after")
	return err
}

// remote is GitHub and the worker; GitHub lives in the test's process.
type remote struct {
	*chaos
	client *http.Client
}

// sent is a delivery on its way to the test's GitHub.
type sent struct {
	Key   string
	Kind  pipeline.WriteKind
	Again bool
	Texts map[string]string
}

// sentAt is the header with the time before the lease was looked at for the
// last time. Whoever is stopped between that look and the sending cannot be
// held back by anything: such a send is told by its delay.
const sentAt = "X-Sent-At"

func (r *remote) Deliver(ctx context.Context, b pipeline.Batch) (done pipeline.Receipts, err error) {
	for _, w := range b.Writes {
		one := sent{Key: w.Key, Kind: w.Kind, Again: b.Again[w.Key], Texts: map[string]string{}}
		for _, f := range w.Files {
			text, err := b.Blob(ctx, f.Blob)
			if err != nil {
				return done, err
			}
			one.Texts[f.Path] = string(text)
		}
		body, err := json.Marshal(one)
		if err != nil {
			return done, err
		}
		r.at("send before")
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://github/write", bytes.NewReader(body))
		if err != nil {
			return done, err
		}
		req.GetBody = nil // a lost answer is not a reason to send again
		req.Header.Set(sentAt, strconv.FormatInt(time.Now().UnixNano(), 10))
		resp, err := r.client.Do(req)
		if err != nil {
			return done, err
		}
		resp.Body.Close()
		r.at("send after")
		done.Done = append(done.Done, pipeline.Receipt{Key: w.Key, Kind: w.Kind})
	}
	return done, nil
}

// Work returns another text each time, so that a mix-up of tries shows.
func (r *remote) Work(_ context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
	r.at("work")
	path := string(a.Task.ID) + ".md"
	return pipeline.Draft{
		Outcome: pipeline.Outcome{Task: a.Task.ID, Status: pipeline.TaskCompleted, Artifact: path},
		Text:    map[string][]byte{path: []byte(nonce())},
	}, nil
}

var errUnused = errors.New("not part of this play")

func (r *remote) Permission(context.Context, pipeline.Repo, string) (pipeline.Permission, error) {
	return 0, errUnused
}
func (r *remote) Brief(context.Context, pipeline.Repo, int) (pipeline.Briefing, error) {
	return pipeline.Briefing{}, nil
}
func (r *remote) Folder(context.Context, pipeline.Repo, string, string) (pipeline.Snapshot, error) {
	return pipeline.Snapshot{}, errUnused
}
func (r *remote) Source(context.Context, pipeline.Repo, string) (fs.FS, error) { return nil, nil }
func (r *remote) Head(context.Context, pipeline.Repo, string, pipeline.HeadAsk) (pipeline.HeadFacts, error) {
	return pipeline.HeadFacts{}, nil
}
func (r *remote) Threads(context.Context, pipeline.Repo, int) ([]pipeline.Thread, error) {
	return nil, nil
}

// ledger is the policy of the crash test: it writes down what it sees. Every
// event comments once; every third starts a task whose result is committed;
// every fourth arms a timer; poison kills the process.
func ledger(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
	if s.Schema == 0 {
		s = pipeline.Session{Schema: 1, Status: pipeline.SessionActive, ID: fmt.Sprint("s", ev.Issue), Repo: ev.Repo}
		s.Issue.Number = ev.Issue
	}
	if s.Manifest.Files == nil {
		s.Manifest.Files = map[string]string{}
	}
	write := func(kind pipeline.WriteKind) pipeline.Write {
		return pipeline.Write{Key: fmt.Sprintf("%d/%s#0", ev.Issue, ev.ID), Kind: kind}
	}
	var effects []pipeline.Effect
	switch ev.Kind {
	case pipeline.EventCommand:
		if ev.Title == "poison" {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		s.WisdomEntries = append(s.WisdomEntries, ev.ID)
		w := write(pipeline.WriteComment)
		effects = append(effects, pipeline.Effect{Write: &w})
		if ev.PR%3 == 0 {
			id := pipeline.TaskID(fmt.Sprint("T", ev.PR))
			s.Tasks = append(s.Tasks, pipeline.Task{ID: id})
			effects = append(effects, pipeline.Effect{Job: &pipeline.JobSpec{ID: "job-" + string(id), Kind: pipeline.JobTask, Task: id}})
		}
		if ev.PR%4 == 0 {
			effects = append(effects, pipeline.Effect{Timer: &pipeline.Timer{Name: fmt.Sprint("t", ev.PR), At: now.Add(20 * time.Millisecond)}})
		}
	case pipeline.EventDone:
		s.CompletedTasks = append(s.CompletedTasks, ev.Outcome.Task)
		w := write(pipeline.WriteCommit)
		for _, f := range ev.Outcome.Files {
			s.Manifest.Files[f.Path] = f.Blob
			w.Files = append(w.Files, pipeline.FileChange{Path: f.Path, Blob: f.Blob})
		}
		effects = append(effects, pipeline.Effect{Write: &w})
	case pipeline.EventTimer:
		s.CheckpointsHit = append(s.CheckpointsHit, ev.Timer)
	}
	return s, effects, nil
}
