package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/pipeline"
)

// Options shorten what a test would otherwise wait for.
type Options struct {
	TTL time.Duration // of every lease; default 15 s
	Max int           // waiting events per session; default 1000
	Now func() time.Time
}

// Memory is a Store in plain Go. It serves installations in turn and forgets
// everything when it is dropped.
type Memory struct {
	opts Options

	mu       sync.Mutex
	wake     chan struct{} // closed and replaced at every change
	sessions map[pipeline.Key]*session
	jobs     map[jobKey]*job
	pulls    map[pipeline.Key]int
	seen     map[string]bool
	blobs    map[string][]byte
	dead     []grave
	served   map[int64]int // per installation, for fairness
	fence    int
	stopped  bool
}

type session struct {
	inst   int64
	state  pipeline.Session
	repo   pipeline.Repo
	inbox  []pipeline.Event
	outbox []pipeline.Entry
	aside  []pipeline.Entry
	timers map[string]time.Time
	token  string
	expiry time.Time
	due    time.Time
	tries  int
	last   string // token and event of the last commit, for repeats
	held   bool
	forget bool
	seq    int
	order  int // when it became due, for first come first served
}

type jobKey struct {
	key pipeline.Key
	id  string
}

type job struct {
	inst   int64
	spec   pipeline.JobSpec
	repo   pipeline.Repo
	token  string
	expiry time.Time
	due    time.Time
	tries  int
	order  int
}

type grave struct {
	letter pipeline.DeadLetter
	event  *pipeline.Event
	job    *job
}

// NewMemory returns an empty store.
func NewMemory(o Options) *Memory {
	if o.TTL == 0 {
		o.TTL = 15 * time.Second
	}
	if o.Max == 0 {
		o.Max = 1000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Memory{
		opts: o, wake: make(chan struct{}), sessions: map[pipeline.Key]*session{}, jobs: map[jobKey]*job{},
		pulls: map[pipeline.Key]int{}, seen: map[string]bool{}, blobs: map[string][]byte{}, served: map[int64]int{},
	}
}

// change runs f under the lock and wakes whoever waits.
func (m *Memory) change(f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		close(m.wake)
		m.wake = make(chan struct{})
	}()
	return f()
}

// await calls try under the lock until it finds something.
func (m *Memory) await(ctx context.Context, try func() bool) error {
	for {
		m.mu.Lock()
		found, wake := try(), m.wake
		m.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

func (m *Memory) next() int { m.fence++; return m.fence }

func (m *Memory) token() string { return strconv.Itoa(m.next()) }

// Accept stores the event once.
func (m *Memory) Accept(_ context.Context, ev pipeline.Event) error {
	return m.change(func() error {
		if ev.Issue == 0 && ev.PR == 0 {
			return m.broadcast(ev)
		}
		key := pipeline.Key{Repo: ev.Repo.ID, Issue: ev.Issue}
		if key.Issue == 0 {
			key.Issue = ev.PR
			if issue, ok := m.pulls[pipeline.Key{Repo: ev.Repo.ID, Issue: ev.PR}]; ok {
				key.Issue = issue
			}
		}
		if m.sessions[key] == nil && pipeline.NeedsSession(ev) {
			return pipeline.ErrNotFound
		}
		ids := []string{fmt.Sprintf("%d/%s", key.Repo, ev.ID)}
		if ev.Dedupe != "" {
			ids = append(ids, fmt.Sprintf("%d/=%s", key.Repo, ev.Dedupe))
		}
		for _, id := range ids {
			if m.seen[id] {
				return pipeline.ErrDuplicate
			}
		}
		s := m.session(key)
		if len(s.inbox) >= m.opts.Max {
			return pipeline.ErrFull
		}
		for _, id := range ids {
			m.seen[id] = true
		}
		m.push(s, ev)
		return nil
	})
}

// broadcast is for what happens to a whole repository or installation.
func (m *Memory) broadcast(ev pipeline.Event) error {
	if m.seen["all/"+ev.ID] {
		return pipeline.ErrDuplicate
	}
	m.seen["all/"+ev.ID] = true
	for key, s := range m.sessions {
		if s.inst == ev.Repo.Installation && (ev.Repo.ID == 0 || ev.Repo.ID == key.Repo) {
			m.push(s, ev)
		}
	}
	return nil
}

func (m *Memory) session(key pipeline.Key) *session {
	s := m.sessions[key]
	if s == nil {
		s = &session{timers: map[string]time.Time{}}
		m.sessions[key] = s
	}
	return s
}

func (m *Memory) push(s *session, ev pipeline.Event) {
	if len(s.inbox) == 0 {
		s.order = m.next()
	}
	if ev.Repo.Installation != 0 {
		s.inst = ev.Repo.Installation
	}
	if ev.Repo.ID != 0 {
		s.repo = ev.Repo
	}
	s.inbox = append(s.inbox, ev)
}

// PutBlobs keeps contents by their git ids.
func (m *Memory) PutBlobs(_ context.Context, _ pipeline.Key, contents [][]byte) error {
	return m.change(func() error {
		for _, c := range contents {
			m.blobs[pipeline.BlobID(c)] = slices.Clone(c)
		}
		return nil
	})
}

// GetBlobs returns what is there.
func (m *Memory) GetBlobs(_ context.Context, _ pipeline.Key, ids []string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[string][]byte{}
	for _, id := range ids {
		if b, ok := m.blobs[id]; ok {
			found[id] = slices.Clone(b)
		}
	}
	return found, nil
}

// Beat extends what is still held.
func (m *Memory) Beat(_ context.Context, leases []pipeline.Lease) ([]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	alive := make([]bool, len(leases))
	for i, l := range leases {
		until := m.opts.Now().Add(m.opts.TTL)
		if l.Job == "" {
			if s, err := m.holder(l); err == nil {
				s.expiry, alive[i] = until, true
			}
		} else if j, err := m.runner(l); err == nil {
			j.expiry, alive[i] = until, true
		}
	}
	return alive, nil
}

// Tick takes back what was not beaten and fires what is due.
func (m *Memory) Tick(context.Context) error {
	return m.change(func() error {
		now := m.opts.Now()
		for key, s := range m.sessions {
			if s.token != "" && !s.expiry.After(now) {
				s.token = ""
			}
			for _, name := range dueTimers(s, now) {
				at := s.timers[name]
				delete(s.timers, name)
				m.push(s, pipeline.Event{
					ID:   fmt.Sprintf("timer:%s:%d.%d", name, at.UnixMilli(), m.next()),
					Kind: pipeline.EventTimer, At: at.UTC(), Repo: s.repo, Issue: key.Issue, Timer: name,
				})
			}
		}
		for jk, j := range m.jobs {
			if j.token == "" || j.expiry.After(now) {
				continue
			}
			j.token = ""
			if j.tries >= pipeline.MaxTries {
				m.buryJob(jk, j, "every try lost its worker")
				m.push(m.session(jk.key), pipeline.FailedJob(j.spec, j.repo, jk.key.Issue, "every try lost its worker"))
			}
		}
		return nil
	})
}

func dueTimers(s *session, now time.Time) []string {
	var names []string
	for name, at := range s.timers {
		if !at.After(now) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(s.timers[a].Compare(s.timers[b]), cmp.Compare(a, b))
	})
	return names
}
