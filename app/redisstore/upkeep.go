package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// ticker remembers since when Redis has answered without a gap.
type ticker struct {
	mu      sync.Mutex
	contact time.Time
}

const tickTime = 3 * time.Second

// patient says whether leases may be taken back now: only after one lease's
// time of unbroken contact, so that after an outage the living beat first.
func (t *ticker) patient(now time.Time, grace time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Sub(t.contact) >= grace
}

func (t *ticker) broken() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.contact = time.Now()
}

// Tick fires due timers, takes back what stopped beating, rings for what is
// ready, and notices a Redis that was replaced by an empty one.
func (s *Store) Tick(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tickTime)
	defer cancel()
	err := s.tickAll(ctx)
	if err != nil {
		s.tick.broken()
	}
	return err
}

func (s *Store) tickAll(ctx context.Context) error {
	id, err := s.db.HGet(ctx, metaKey, "id").Result()
	if errors.Is(err, redis.Nil) || (err == nil && id != s.Meta().ID) {
		created, err := s.readMeta(ctx)
		if err != nil {
			return err
		}
		if created {
			s.cfg.Lost()
		}
	} else if err != nil {
		return fmt.Errorf("read %s: %w", metaKey, err)
	}
	args := []any{flag(s.tick.patient(time.Now(), s.cfg.grace)), s.cfg.version, pipeline.MaxTries, min(400, s.cfg.Lease.Milliseconds()/3)}
	return s.everywhere(ctx, s.script.tick, func(partition) []any { return args }, func(partition, any) {})
}

// everywhere runs a script on every partition in one pipeline.
func (s *Store) everywhere(ctx context.Context, script *redis.Script, args func(partition) []any, each func(partition, any)) error {
	all := make([]partition, 0, s.Meta().Partitions)
	for p := range partition(s.Meta().Partitions) {
		all = append(all, p)
	}
	return s.among(ctx, all, script, args, each)
}

func (s *Store) among(ctx context.Context, all []partition, script *redis.Script, args func(partition) []any, each func(partition, any)) error {
	pipe := s.db.Pipeline()
	answers := make([]*redis.Cmd, len(all))
	for i, p := range all {
		answers[i] = pipe.EvalSha(ctx, script.Hash(), []string{p.prefix()}, args(p)...)
	}
	pipe.Exec(ctx) // each answer carries its own error
	var errs []error
	for i, p := range all {
		out, err := answers[i].Result()
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			out, err = s.once(ctx, script, p, args(p)...)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		each(p, out)
	}
	if len(errs) > 0 {
		return errs[0] // an outage gives the same one for every partition
	}
	return nil
}

// Beat extends leases, one pipeline for all.
func (s *Store) Beat(ctx context.Context, leases []pipeline.Lease) ([]bool, error) {
	var all []partition
	at := map[partition][]int{}
	for i, l := range leases {
		p := s.partitionOf(l.Key.Repo)
		if at[p] == nil {
			all = append(all, p)
		}
		at[p] = append(at[p], i)
	}
	alive := make([]bool, len(leases))
	err := s.among(ctx, all, s.script.beat, func(p partition) []any {
		args := []any{s.cfg.Lease.Milliseconds()}
		for _, i := range at[p] {
			args = append(args, sid(leases[i].Key), leases[i].Job, leases[i].Token)
		}
		return args
	}, func(p partition, out any) {
		list, _ := out.([]any)
		for n, v := range list {
			if i := at[p][n]; v == int64(1) {
				alive[i] = true
				s.shares.extend(leases[i], s.cfg.Lease)
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("beat %d leases: %w", len(leases), err)
	}
	return alive, nil
}
