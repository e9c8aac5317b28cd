package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// Session returns a session's state.
func (s *Store) Session(ctx context.Context, key pipeline.Key) (pipeline.Session, error) {
	return stateOf(sid(key), s.db.HGet(ctx, s.partitionOf(key.Repo).key("s:"+sid(key)), "state"))
}

func stateOf(id string, got *redis.StringCmd) (out pipeline.Session, err error) {
	state, err := got.Result()
	if errors.Is(err, redis.Nil) {
		err = pipeline.ErrNotFound
	}
	if err == nil {
		err = unpackJSON(state, &out)
	}
	if err != nil {
		return pipeline.Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	return out, nil
}

// Sessions calls each with every session, in no order, until it returns an
// error. The states of a batch come in one round trip.
func (s *Store) Sessions(ctx context.Context, each func(pipeline.Session) error) error {
	return s.scan(ctx, func(p partition, sids []string) error {
		got := make([]*redis.StringCmd, len(sids))
		_, err := s.db.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for i, id := range sids {
				got[i] = pipe.HGet(ctx, p.key("s:"+id), "state")
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) {
			return fmt.Errorf("read %d sessions: %w", len(sids), err)
		}
		for i, id := range sids {
			one, err := stateOf(id, got[i])
			if errors.Is(err, pipeline.ErrNotFound) {
				continue
			}
			if err == nil {
				err = each(one)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// scan walks the sids of every partition, some at a time.
func (s *Store) scan(ctx context.Context, each func(partition, []string) error) error {
	return s.walk(ctx, "q:{p*}:s:*", func(_ context.Context, keys []string) error {
		found := map[partition][]string{}
		for _, k := range keys {
			tag, id, _ := strings.Cut(strings.TrimPrefix(k, "q:{p"), "}:s:")
			p, err := strconv.Atoi(tag)
			if err == nil {
				found[partition(p)] = append(found[partition(p)], id)
			}
		}
		for p, sids := range found {
			if err := each(p, sids); err != nil {
				return err
			}
		}
		return nil
	})
}

// walk goes through the keys of a pattern, some at a time.
func (s *Store) walk(ctx context.Context, pattern string, each func(context.Context, []string) error) error {
	var one sync.Mutex // a Cluster's nodes are walked at the same time
	node := func(ctx context.Context, db redis.Cmdable) error {
		for cursor := uint64(0); ; {
			keys, next, err := db.Scan(ctx, cursor, pattern, 500).Result()
			if err != nil {
				return fmt.Errorf("list %s: %w", pattern, err)
			}
			one.Lock()
			err = each(ctx, keys)
			one.Unlock()
			if err != nil {
				return err
			}
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	}
	if c, ok := s.db.(*redis.ClusterClient); ok {
		return c.ForEachMaster(ctx, func(ctx context.Context, db *redis.Client) error { return node(ctx, db) })
	}
	return node(ctx, s.db)
}

// Dead lists the dead letters, oldest first.
func (s *Store) Dead(ctx context.Context) ([]pipeline.DeadLetter, error) {
	var letters []pipeline.DeadLetter
	for p := range partition(s.Meta().Partitions) {
		records, err := s.db.HGetAll(ctx, p.key("dead")).Result()
		if err != nil {
			return nil, fmt.Errorf("list dead letters: %w", err)
		}
		for id, record := range records {
			l, err := parseDead(id, record)
			if err != nil {
				return nil, err
			}
			letters = append(letters, l)
		}
	}
	slices.SortFunc(letters, func(a, b pipeline.DeadLetter) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return letters, nil
}

func parseDead(id, record string) (l pipeline.DeadLetter, err error) {
	part := strings.SplitN(record, "\n", 10)
	if len(part) != 10 {
		return l, fmt.Errorf("dead letter %s cannot be read", id)
	}
	l = pipeline.DeadLetter{ID: id, What: part[1], Kind: part[3], Text: part[6], Body: part[9]}
	l.Tries, _ = strconv.Atoi(part[4])
	ms, _ := strconv.ParseInt(part[5], 10, 64)
	l.At = time.UnixMilli(ms).UTC()
	if l.Key, err = parseSID(part[2]); err != nil {
		return l, fmt.Errorf("dead letter %s: %w", id, err)
	}
	if l.What == "event" {
		if entry := strings.SplitN(l.Body, "\n", 5); len(entry) == 5 {
			l.Body = entry[4]
		}
	}
	return l, nil
}

// Retry puts a dead letter back.
func (s *Store) Retry(ctx context.Context, id string) error { return s.letter(ctx, "retry", id) }

// Drop forgets a dead letter.
func (s *Store) Drop(ctx context.Context, id string) error { return s.letter(ctx, "drop", id) }

func (s *Store) letter(ctx context.Context, act, id string) error {
	var p int
	if _, err := fmt.Sscanf(id, "p%d-", &p); err != nil || p < 0 || p >= s.Meta().Partitions {
		return fmt.Errorf("dead letter %q: %w", id, pipeline.ErrNotFound)
	}
	return s.act(ctx, partition(p), "dead letter "+id, act, id, s.cfg.KeepBlobs.Milliseconds())
}

func (s *Store) act(ctx context.Context, p partition, what string, args ...any) error {
	out, err := s.once(ctx, s.script.desk, p, args...)
	if err == nil && out == "none" {
		err = pipeline.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Hold keeps a session's events waiting until it is released.
func (s *Store) Hold(ctx context.Context, key pipeline.Key, on bool) error {
	return s.act(ctx, s.partitionOf(key.Repo), "session "+sid(key), "hold", sid(key), flag(on))
}

// Stop keeps all sessions waiting until it is taken back.
func (s *Store) Stop(ctx context.Context, on bool) error {
	for p := range partition(s.Meta().Partitions) {
		var err error
		if on {
			err = s.db.Set(ctx, p.key("off"), "1", 0).Err()
		} else {
			err = s.db.Del(ctx, p.key("off")).Err()
		}
		if err != nil {
			return fmt.Errorf("stop partition %d: %w", p, err)
		}
	}
	return nil
}

// Holds tells whether every session is kept waiting, and which ones are by name.
func (s *Store) Holds(ctx context.Context) (all bool, some []pipeline.Key, err error) {
	for p := range partition(s.Meta().Partitions) {
		n, err := s.db.Exists(ctx, p.key("off")).Result()
		if err != nil {
			return all, nil, fmt.Errorf("look for holds: %w", err)
		}
		all = all || n > 0
	}
	err = s.scan(ctx, func(p partition, sids []string) error {
		marks, err := s.db.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, id := range sids {
				pipe.HExists(ctx, p.key("s:"+id), "hold")
			}
			return nil
		})
		for i := range marks {
			if !marks[i].(*redis.BoolCmd).Val() {
				continue
			}
			key, err := parseSID(sids[i])
			if err != nil {
				return err
			}
			some = append(some, key)
		}
		return err
	})
	slices.SortFunc(some, func(a, b pipeline.Key) int { return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Issue, b.Issue)) })
	return all, some, err
}

// Check names every session whose state and place disagree, and mends them.
func (s *Store) Check(ctx context.Context, mend bool) (faults []string, err error) {
	err = s.scan(ctx, func(p partition, sids []string) error {
		args := []any{flag(mend)}
		for _, id := range sids {
			args = append(args, id)
		}
		out, err := words(s.once(ctx, s.script.check, p, args...))
		if err != nil {
			return fmt.Errorf("check partition %d: %w", p, err)
		}
		for _, fault := range out {
			id, text, _ := strings.Cut(fault, ": ")
			key, err := parseSID(id)
			if err != nil {
				return fmt.Errorf("check partition %d: %w", p, err)
			}
			faults = append(faults, fmt.Sprintf("%d/%d: %s", key.Repo, key.Issue, text))
		}
		return nil
	})
	slices.Sort(faults)
	return faults, err
}
