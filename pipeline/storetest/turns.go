package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/pipeline"
)

// NextTurn claims the due session whose installation was served least lately.
func (m *Memory) NextTurn(ctx context.Context) (t pipeline.Turn, err error) {
	err = m.await(ctx, func() bool {
		var best *session
		var at pipeline.Key
		for key, s := range m.sessions {
			if m.ready(s) && (best == nil || m.before(s, best)) {
				best, at = s, key
			}
		}
		if best == nil {
			return false
		}
		t = m.claim(at, best)
		return true
	})
	return t, err
}

func (m *Memory) before(a, b *session) bool {
	return cmp.Or(cmp.Compare(m.served[a.inst], m.served[b.inst]), cmp.Compare(a.order, b.order)) < 0
}

func (m *Memory) ready(s *session) bool {
	return s.token == "" && len(s.inbox) > 0 && !s.held && !m.stopped && !s.due.After(m.opts.Now())
}

// TakeTurn claims one session if it is due.
func (m *Memory) TakeTurn(_ context.Context, key pipeline.Key) (pipeline.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[key]
	if s == nil || !m.ready(s) {
		return pipeline.Turn{}, pipeline.ErrNotFound
	}
	return m.claim(key, s), nil
}

func (m *Memory) claim(key pipeline.Key, s *session) pipeline.Turn {
	s.token, s.expiry = m.token(), m.opts.Now().Add(m.opts.TTL)
	s.tries++
	m.served[s.inst] = m.next()
	return m.turn(key, s)
}

func (m *Memory) turn(key pipeline.Key, s *session) pipeline.Turn {
	l := pipeline.Lease{Key: key, Installation: s.inst, Token: s.token, TTL: m.opts.TTL}
	return pipeline.Turn{Lease: l, Session: copied(s.state), Event: copied(s.inbox[0]), Try: s.tries}
}

// copied passes a value through JSON, as every real store does.
func copied[T any](v T) (w T) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("a stored type does not marshal: " + err.Error())
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		panic("a stored type does not unmarshal: " + err.Error())
	}
	return w
}

func (m *Memory) holder(l pipeline.Lease) (*session, error) {
	s := m.sessions[l.Key]
	if s == nil || s.token == "" || s.token != l.Token {
		return nil, pipeline.ErrStale
	}
	return s, nil
}

// Commit makes the decision true.
func (m *Memory) Commit(_ context.Context, l pipeline.Lease, c pipeline.Commit) (done pipeline.Committed, err error) {
	err = m.change(func() error {
		s := m.sessions[l.Key]
		mark := l.Token + " " + c.Event
		if s != nil && s.last == mark {
			done = m.after(l, s)
			return nil
		}
		s, err := m.holder(l)
		if err != nil || len(s.inbox) == 0 || s.inbox[0].ID != c.Event {
			return pipeline.ErrStale
		}
		s.inbox, s.tries, s.last, s.state = s.inbox[1:], 0, mark, copied(c.Session)
		if n := c.Session.PR.Number; n > 0 {
			m.pulls[pipeline.Key{Repo: l.Key.Repo, Issue: n}] = l.Key.Issue
		}
		done.Jobs = m.apply(l.Key, s, c.Effects)
		if len(s.inbox) == 0 || !c.Keep || s.held {
			s.token, s.order = "", m.next()
			m.settle(l.Key, s)
			return nil
		}
		s.tries = 1
		done.Next = m.after(l, s).Next
		return nil
	})
	return done, err
}

func (m *Memory) after(l pipeline.Lease, s *session) (done pipeline.Committed) {
	if s.token == l.Token && len(s.inbox) > 0 {
		t := m.turn(l.Key, s)
		done.Next = &t
	}
	return done
}

func (m *Memory) apply(key pipeline.Key, s *session, effects []pipeline.Effect) (jobs []string) {
	for _, e := range effects {
		switch {
		case e.Job != nil:
			jk := jobKey{key, e.Job.ID}
			if m.jobs[jk] == nil {
				m.jobs[jk] = &job{inst: s.inst, repo: s.repo, spec: copied(*e.Job), order: m.next()}
				jobs = append(jobs, e.Job.ID)
			}
		case e.Cancel != "":
			delete(m.jobs, jobKey{key, e.Cancel})
		case e.Timer != nil && e.Timer.At.IsZero():
			delete(s.timers, e.Timer.Name)
		case e.Timer != nil:
			s.timers[e.Timer.Name] = e.Timer.At
		case e.Write != nil:
			known := func(n pipeline.Entry) bool { return n.Write.Key == e.Write.Key }
			list := &s.outbox
			if e.Write.Aside && len(s.aside) > 0 {
				list = &s.aside
			}
			if !slices.ContainsFunc(*list, known) {
				*list = append(*list, pipeline.Entry{Write: copied(*e.Write)})
			}
		case e.Aside:
			s.aside, s.outbox = append(s.aside, s.outbox...), nil
		case e.Again:
			m.again(key, s)
		case e.Drop:
			m.drop(key, s)
		case e.Forget:
			s.forget = true
		}
	}
	if d := m.deliverJob(key, s, nil); d != "" {
		jobs = append(jobs, d)
	}
	return jobs
}

// settle lets go of a session that has nothing left, if it was asked to or
// never became one.
func (m *Memory) settle(key pipeline.Key, s *session) {
	if !s.forget && (s.state.Schema != 0 || len(s.aside) > 0) {
		return
	}
	if len(s.inbox) > 0 || len(s.outbox) > 0 || s.token != "" {
		return
	}
	for jk := range m.jobs {
		if jk.key == key {
			return
		}
	}
	delete(m.sessions, key)
}

// FailTurn gives the event back or buries it.
func (m *Memory) FailTurn(_ context.Context, l pipeline.Lease, f pipeline.Setback) error {
	return m.change(func() error {
		s, err := m.holder(l)
		if err != nil || len(s.inbox) == 0 || s.inbox[0].ID != f.Event {
			return pipeline.ErrStale
		}
		s.token, s.due = "", f.At
		if f.Free {
			s.tries--
		}
		if !f.Dead {
			return nil
		}
		ev := s.inbox[0]
		m.dead = append(m.dead, grave{event: &ev, letter: pipeline.DeadLetter{
			ID: fmt.Sprintf("%d", m.next()), Key: l.Key, What: "event", Kind: string(ev.Kind), Tries: s.tries, At: m.opts.Now(), Text: f.Text, Body: body(ev),
		}})
		s.inbox, s.tries = s.inbox[1:], 0
		if f.Tell != nil {
			m.push(s, *f.Tell)
		}
		m.settle(l.Key, s)
		return nil
	})
}

// YieldTurn gives the session back.
func (m *Memory) YieldTurn(_ context.Context, l pipeline.Lease) error {
	return m.change(func() error {
		s, err := m.holder(l)
		if err != nil {
			return err
		}
		s.token = ""
		s.tries--
		return nil
	})
}

func body(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}
