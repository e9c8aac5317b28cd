package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// NextJob waits for the next due job of a lane.
func (s *Store) NextJob(ctx context.Context, lane pipeline.Lane) (pipeline.Job, error) {
	var j pipeline.Job
	err := s.doors[string(lane)].wait(ctx, func(p partition) (answer string, err error) {
		j, answer, err = s.start(ctx, p, lane, "")
		return answer, err
	})
	return j, err
}

// TakeJob claims one job if it is due.
func (s *Store) TakeJob(ctx context.Context, key pipeline.Key, id string) (pipeline.Job, error) {
	j, answer, err := s.start(ctx, s.partitionOf(key.Repo), "", sid(key)+"/"+id)
	if err == nil && answer != "ok" {
		err = pipeline.ErrNotFound
	}
	return j, err
}

func (s *Store) start(ctx context.Context, p partition, lane pipeline.Lane, want string) (j pipeline.Job, answer string, err error) {
	args := []any{string(lane), want, nonce(), s.cfg.Lease.Milliseconds(), s.cfg.version, flag(want == "" && s.doors[string(lane)].tell(p))}
	if want == "" {
		args = append(args, s.shares.full(string(lane), s.cfg.share(string(lane)))...)
	}
	out, err := words(s.once(ctx, s.script.jclaim, p, args...))
	if err != nil {
		return j, "", fmt.Errorf("claim a job: %w", err)
	}
	if out[0] != "ok" {
		return j, out[0], nil
	}
	session, id, _ := strings.Cut(out[1], "/")
	key, err := parseSID(session)
	if err != nil {
		return j, "", err
	}
	inst, _ := strconv.ParseInt(out[2], 10, 64)
	j.Try, _ = strconv.Atoi(out[4])
	j.Lease = pipeline.Lease{Key: key, Installation: inst, Job: id, Token: out[3], TTL: s.cfg.Lease}
	if err = json.Unmarshal([]byte(out[5]), &j.Spec); err == nil {
		j.Session, j.Repo, err = readSession(out[6], out[7])
	}
	if want != "" {
		s.shares.take(j.Lease, string(pipeline.LaneOf(j.Spec.Kind)), 0)
	} else if !s.admit(j.Lease, string(lane), p, list(out[8])) {
		return j, "capped", s.YieldJob(ctx, j.Lease)
	}
	if err != nil {
		s.FailJob(ctx, j.Lease, pipeline.Setback{Text: err.Error(), Dead: true})
		return j, "", fmt.Errorf("claim job %s: %w", out[1], err)
	}
	return j, "ok", nil
}

// FinishJob closes the job and appends its event.
func (s *Store) FinishJob(ctx context.Context, l pipeline.Lease, f pipeline.Finish) error {
	entry, err := s.tell(f.Event)
	if err != nil {
		return err
	}
	args := []any{sid(l.Key), l.Job, l.Token, entry, millis(f.NotBefore), s.cfg.version, s.cfg.KeepBlobs.Milliseconds()}
	for _, key := range f.Settled {
		args = append(args, key)
	}
	return s.giveBack(ctx, l, s.script.jfinish, args...)
}

// FailJob gives the job back or buries it.
func (s *Store) FailJob(ctx context.Context, l pipeline.Lease, f pipeline.Setback) error {
	tell, err := s.tell(f.Tell)
	if err != nil {
		return err
	}
	record := ""
	if f.Dead {
		record = s.record("job", l, f, kindOf(f.Tell))
	}
	return s.giveBack(ctx, l, s.script.jfail, sid(l.Key), l.Job, l.Token, millis(f.At), flag(f.Free), record, tell)
}

// YieldJob gives the job back as if it had not been claimed.
func (s *Store) YieldJob(ctx context.Context, l pipeline.Lease) error {
	return s.giveBack(ctx, l, s.script.jfail, sid(l.Key), l.Job, l.Token, 0, "1", "", "")
}

// giveBack runs a script that ends a lease, whatever it answers.
func (s *Store) giveBack(ctx context.Context, l pipeline.Lease, script *redis.Script, args ...any) error {
	out, err := s.safely(ctx, script, s.partitionOf(l.Key.Repo), args...)
	if err != nil {
		return err
	}
	s.release(l)
	if out == "stale" {
		return pipeline.ErrStale
	}
	return nil
}

// Entries lists the outbox for the holder of its deliver job.
func (s *Store) Entries(ctx context.Context, l pipeline.Lease) ([]pipeline.Entry, error) {
	out, err := words(s.safely(ctx, s.script.outbox, s.partitionOf(l.Key.Repo), sid(l.Key), l.Job, l.Token))
	if err != nil {
		return nil, err
	}
	if out[0] == "stale" {
		return nil, pipeline.ErrStale
	}
	var entries []pipeline.Entry
	for i := 1; i+2 < len(out); i += 3 {
		n := pipeline.Entry{Again: out[i+2] == "1"}
		if err := unpackJSON(out[i+1], &n.Write); err != nil {
			return nil, fmt.Errorf("outbox entry %s: %w", out[i], err)
		}
		entries = append(entries, n)
	}
	return entries, nil
}

// Mark notes that the entries may be sent from now on.
func (s *Store) Mark(ctx context.Context, l pipeline.Lease, keys []string) error {
	args := []any{sid(l.Key), l.Job, l.Token}
	for _, key := range keys {
		args = append(args, key)
	}
	out, err := words(s.safely(ctx, s.script.outbox, s.partitionOf(l.Key.Repo), args...))
	if err == nil && out[0] == "stale" {
		err = pipeline.ErrStale
	}
	return err
}
