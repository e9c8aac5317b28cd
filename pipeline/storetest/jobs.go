package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"parley/pipeline"
)

// NextJob claims a due job of a lane.
func (m *Memory) NextJob(ctx context.Context, lane pipeline.Lane) (out pipeline.Job, err error) {
	err = m.await(ctx, func() bool {
		var best *job
		var at jobKey
		for jk, j := range m.jobs {
			if pipeline.LaneOf(j.spec.Kind) == lane && m.due(j) && (best == nil || m.earlier(j, best)) {
				best, at = j, jk
			}
		}
		if best == nil {
			return false
		}
		out = m.start(at, best)
		return true
	})
	return out, err
}

func (m *Memory) earlier(a, b *job) bool {
	return cmp.Or(cmp.Compare(m.served[a.inst], m.served[b.inst]), cmp.Compare(a.order, b.order)) < 0
}

func (m *Memory) due(j *job) bool {
	return j.token == "" && !m.stopped && !j.due.After(m.opts.Now())
}

// TakeJob claims one job if it is due.
func (m *Memory) TakeJob(_ context.Context, key pipeline.Key, id string) (pipeline.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	jk := jobKey{key, id}
	j := m.jobs[jk]
	if j == nil || !m.due(j) {
		return pipeline.Job{}, pipeline.ErrNotFound
	}
	return m.start(jk, j), nil
}

func (m *Memory) start(jk jobKey, j *job) pipeline.Job {
	j.token, j.expiry = m.token(), m.opts.Now().Add(m.opts.TTL)
	j.tries++
	m.served[j.inst] = m.next()
	l := pipeline.Lease{Key: jk.key, Installation: j.inst, Job: jk.id, Token: j.token, TTL: m.opts.TTL}
	return pipeline.Job{Lease: l, Spec: copied(j.spec), Session: copied(m.session(jk.key).state), Repo: j.repo, Try: j.tries}
}

func (m *Memory) runner(l pipeline.Lease) (*job, error) {
	j := m.jobs[jobKey{l.Key, l.Job}]
	if j == nil || j.token == "" || j.token != l.Token {
		return nil, pipeline.ErrStale
	}
	return j, nil
}

// FinishJob closes the job and appends its event.
func (m *Memory) FinishJob(_ context.Context, l pipeline.Lease, f pipeline.Finish) error {
	return m.change(func() error {
		if _, err := m.runner(l); err != nil {
			return err
		}
		delete(m.jobs, jobKey{l.Key, l.Job})
		s := m.session(l.Key)
		s.outbox = slices.DeleteFunc(s.outbox, func(n pipeline.Entry) bool { return slices.Contains(f.Settled, n.Write.Key) })
		if f.Event != nil {
			m.push(s, *f.Event)
		}
		m.deliverJob(l.Key, s, &f.NotBefore)
		m.settle(l.Key, s)
		return nil
	})
}

// news is of a delivery: what is sent next builds on it.
func news(ev pipeline.Event) bool {
	return ev.Kind == pipeline.EventDelivered || ev.Kind == pipeline.EventRefused || ev.Kind == pipeline.EventFailed
}

// deliverJob makes the one job that drains a session's outbox, unless there
// is one or nothing to drain.
func (m *Memory) deliverJob(key pipeline.Key, s *session, due *time.Time) string {
	if len(s.outbox) == 0 || (due == nil || due.IsZero()) && slices.ContainsFunc(s.inbox, news) {
		return ""
	}
	for jk, j := range m.jobs {
		if jk.key == key && j.spec.Kind == pipeline.JobDeliver {
			return ""
		}
	}
	s.seq++
	spec := pipeline.JobSpec{ID: fmt.Sprintf("deliver-%d", s.seq), Kind: pipeline.JobDeliver, Deadline: pipeline.DeliverDeadline}
	j := &job{inst: s.inst, repo: s.repo, spec: spec, order: m.next()}
	if due != nil {
		j.due = *due
	}
	m.jobs[jobKey{key, spec.ID}] = j
	return spec.ID
}

// FailJob gives the job back or buries it.
func (m *Memory) FailJob(_ context.Context, l pipeline.Lease, f pipeline.Setback) error {
	return m.change(func() error {
		j, err := m.runner(l)
		if err != nil {
			return err
		}
		j.token, j.due = "", f.At
		if f.Free {
			j.tries--
		}
		if f.Dead {
			m.buryJob(jobKey{l.Key, l.Job}, j, f.Text)
		}
		if f.Tell != nil {
			m.push(m.session(l.Key), *f.Tell)
		}
		return nil
	})
}

func (m *Memory) buryJob(jk jobKey, j *job, text string) {
	delete(m.jobs, jk)
	told := func(g grave) bool { return g.letter.Key == jk.key && delivery(g) }
	if j.spec.Kind == pipeline.JobDeliver && slices.ContainsFunc(m.dead, told) {
		return // one letter stands for all that was set aside
	}
	m.dead = append(m.dead, grave{job: j, letter: pipeline.DeadLetter{
		ID: fmt.Sprintf("%d", m.next()), Key: jk.key, What: "job", Kind: string(j.spec.Kind), Tries: j.tries, At: m.opts.Now(), Text: text, Body: body(j.spec),
	}})
}

// YieldJob gives the job back.
func (m *Memory) YieldJob(_ context.Context, l pipeline.Lease) error {
	return m.change(func() error {
		j, err := m.runner(l)
		if err != nil {
			return err
		}
		j.token = ""
		j.tries--
		return nil
	})
}

// Entries lists the outbox for the holder of a deliver job.
func (m *Memory) Entries(_ context.Context, l pipeline.Lease) ([]pipeline.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.runner(l); err != nil {
		return nil, err
	}
	return copied(m.session(l.Key).outbox), nil
}

// Mark notes that entries may be sent from now on.
func (m *Memory) Mark(_ context.Context, l pipeline.Lease, keys []string) error {
	return m.change(func() error {
		if _, err := m.runner(l); err != nil {
			return err
		}
		outbox := m.session(l.Key).outbox
		for i := range outbox {
			if slices.Contains(keys, outbox[i].Write.Key) {
				outbox[i].Again = true
			}
		}
		return nil
	})
}
