package storetest

import (
	"context"
	"slices"

	"parley/pipeline"
)

// Session returns a session's state.
func (m *Memory) Session(_ context.Context, key pipeline.Key) (pipeline.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[key]
	if s == nil || s.state.Schema == 0 {
		return pipeline.Session{}, pipeline.ErrNotFound
	}
	return copied(s.state), nil
}

// Dead lists the dead letters, oldest first.
func (m *Memory) Dead(context.Context) (letters []pipeline.DeadLetter, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.dead {
		letters = append(letters, g.letter)
	}
	return letters, nil
}

// Retry puts a dead letter back.
func (m *Memory) Retry(_ context.Context, id string) error {
	return m.change(func() error {
		g, err := m.exhume(id)
		if err != nil {
			return err
		}
		s := m.session(g.letter.Key)
		if g.event != nil {
			at := 0
			if s.token != "" && len(s.inbox) > 0 {
				at = 1 // a turn that is running keeps its head
			}
			s.inbox = slices.Insert(s.inbox, at, *g.event)
			return nil
		}
		if delivery(g) {
			m.again(g.letter.Key, s)
			m.deliverJob(g.letter.Key, s, nil)
			return nil
		}
		g.job.tries = 0
		m.jobs[jobKey{g.letter.Key, g.job.spec.ID}] = g.job
		return nil
	})
}

// Drop forgets a dead letter.
func (m *Memory) Drop(_ context.Context, id string) error {
	return m.change(func() error {
		g, err := m.exhume(id)
		if s := m.sessions[g.letter.Key]; s != nil && delivery(g) {
			m.drop(g.letter.Key, s)
			m.settle(g.letter.Key, s)
		}
		return err
	})
}

func delivery(g grave) bool { return g.job != nil && g.job.spec.Kind == pipeline.JobDeliver }

// again puts what was set aside back at the head; the letter that told of it
// goes.
func (m *Memory) again(key pipeline.Key, s *session) {
	if len(s.aside) == 0 {
		return
	}
	s.outbox = append(s.aside, s.outbox...)
	m.drop(key, s)
}

// drop forgets what was set aside, and the letter that told of it.
func (m *Memory) drop(key pipeline.Key, s *session) {
	s.aside = nil
	m.dead = slices.DeleteFunc(m.dead, func(g grave) bool { return g.letter.Key == key && delivery(g) })
}

func (m *Memory) exhume(id string) (grave, error) {
	for i, g := range m.dead {
		if g.letter.ID == id {
			m.dead = slices.Delete(m.dead, i, i+1)
			return g, nil
		}
	}
	return grave{}, pipeline.ErrNotFound
}

// Hold keeps a session's events waiting.
func (m *Memory) Hold(_ context.Context, key pipeline.Key, on bool) error {
	return m.change(func() error {
		s := m.sessions[key]
		if s == nil {
			return pipeline.ErrNotFound
		}
		s.held = on
		return nil
	})
}

// Stop keeps every session waiting.
func (m *Memory) Stop(_ context.Context, on bool) error {
	return m.change(func() error {
		m.stopped = on
		return nil
	})
}
