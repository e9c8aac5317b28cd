package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// intakeTime bounds Accept: GitHub is to be answered within two seconds.
const intakeTime = 1800 * time.Millisecond

// Accept stores the event once. An event without an issue and a pull request
// goes to every session of its repository, or of its installation.
func (s *Store) Accept(ctx context.Context, ev pipeline.Event) error {
	ctx, cancel := context.WithTimeout(ctx, intakeTime)
	defer cancel()
	entry, err := encodeEvent(s.cfg.version, ev)
	if err != nil {
		return err
	}
	if ev.Issue == 0 && ev.PR == 0 {
		return s.spread(ctx, ev, entry)
	}
	repo, err := json.Marshal(ev.Repo)
	if err != nil {
		return fmt.Errorf("encode the repository: %w", err)
	}
	args := []any{
		ev.Repo.ID, number(ev.Issue), number(ev.PR), ev.Repo.Installation, s.cfg.Waiting,
		s.cfg.Remember.Milliseconds(), entry, repo, flag(pipeline.NeedsSession(ev)), ev.ID,
	}
	if ev.Dedupe != "" {
		args = append(args, "="+ev.Dedupe)
	}
	out, err := s.durably(ctx, s.partitionOf(ev.Repo.ID), args)
	if err != nil {
		return fmt.Errorf("store event %s: %w", ev.ID, err)
	}
	switch out {
	case "dup":
		return pipeline.ErrDuplicate
	case "full":
		return pipeline.ErrFull
	case "none":
		return pipeline.ErrNotFound
	}
	return nil
}

func number(n int) any {
	if n == 0 {
		return ""
	}
	return n
}

// durably puts and, where there are replicas, waits until one has it too.
func (s *Store) durably(ctx context.Context, p partition, args []any) (any, error) {
	replicas := s.replicas.Load()
	if replicas == 0 {
		return s.safely(ctx, s.script.put, p, args...)
	}
	for try := 0; ; try++ {
		pipe := s.db.Pipeline()
		put := pipe.EvalSha(ctx, s.script.put.Hash(), []string{p.prefix()}, args...)
		wait := pipe.Do(ctx, "WAIT", replicas, 500)
		_, err := pipe.Exec(ctx)
		switch {
		case redis.HasErrorPrefix(err, "NOSCRIPT") && try == 0:
			if err := s.script.put.Load(ctx, s.db).Err(); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		}
		if n, _ := wait.Int(); n < int(replicas) {
			return nil, errors.New("no replica confirmed it in time")
		}
		return put.Result()
	}
}

func (s *Store) spread(ctx context.Context, ev pipeline.Event, entry string) error {
	first, last, repo := partition(0), partition(s.Meta().Partitions-1), ""
	if ev.Repo.ID != 0 {
		first = s.partitionOf(ev.Repo.ID)
		last, repo = first, fmt.Sprint(ev.Repo.ID)
	}
	stored := false
	for p := first; p <= last; p++ {
		out, err := s.safely(ctx, s.script.spread, p, ev.Repo.Installation, repo, ev.ID, s.cfg.Remember.Milliseconds(), entry)
		if err != nil {
			return fmt.Errorf("store event %s: %w", ev.ID, err)
		}
		stored = stored || out == "stored"
	}
	if !stored {
		return pipeline.ErrDuplicate
	}
	return nil
}
