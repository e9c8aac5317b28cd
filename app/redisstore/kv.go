package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// Get reads a cached value; false when there is none.
func (s *Store) Get(ctx context.Context, key string) ([]byte, bool, error) {
	packed, err := s.db.Get(ctx, kvKey(key)).Result()
	if errors.Is(err, redis.Nil) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", key, err)
	}
	value, err := unpack(packed)
	return value, err == nil, err
}

// Set caches a value for ttl.
func (s *Store) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if err := s.db.Set(ctx, kvKey(key), pack(value), ttl).Err(); err != nil {
		return fmt.Errorf("cache %s: %w", key, err)
	}
	return nil
}

// Erase removes the cached values whose keys begin with prefix and which gone
// names.
func (s *Store) Erase(ctx context.Context, prefix string, gone func(key string) bool) error {
	return s.walk(ctx, kvKey(prefix)+"*", func(ctx context.Context, keys []string) error {
		for _, k := range keys {
			if !gone(strings.TrimPrefix(k, kvKey(""))) {
				continue
			}
			if err := s.db.Del(ctx, k).Err(); err != nil {
				return fmt.Errorf("erase %s: %w", k, err)
			}
		}
		return nil
	})
}

// Add counts and returns the new sum; the first count starts the ttl.
func (s *Store) Add(ctx context.Context, key string, n int64, ttl time.Duration) (int64, error) {
	pipe := s.db.Pipeline()
	pipe.SetNX(ctx, kvKey(key), 0, ttl)
	sum := pipe.IncrBy(ctx, kvKey(key), n)
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, fmt.Errorf("count %s: %w", key, err)
	}
	return sum.Val(), nil
}

// ReadBucket returns what any replica learned last of a limit.
func (s *Store) ReadBucket(ctx context.Context, name string) (b pipeline.Bucket, err error) {
	raw, ok, err := s.Get(ctx, "bucket:"+name)
	if err != nil || !ok {
		return b, err
	}
	err = json.Unmarshal(raw, &b)
	return b, err
}

// WriteBucket stores a limit until its times have passed.
func (s *Store) WriteBucket(ctx context.Context, name string, b pipeline.Bucket) error {
	raw, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("encode bucket %s: %w", name, err)
	}
	until := b.Reset
	if b.Hold.After(until) {
		until = b.Hold
	}
	return s.Set(ctx, "bucket:"+name, raw, max(time.Until(until), 0)+time.Minute)
}

// Spend counts against a sliding window, or returns when it would fit: the
// zero time is "counted".
func (s *Store) Spend(ctx context.Context, sp pipeline.Spend) (time.Time, error) {
	out, err := s.script.spendWindow.Run(ctx, s.db, []string{spendKey(sp.Bucket)}, sp.N, sp.Limit, sp.Window.Milliseconds(), nonce()).Result()
	if err != nil {
		return time.Time{}, fmt.Errorf("spend %d of %s: %w", sp.N, sp.Bucket, err)
	}
	ms, err := strconv.ParseInt(fmt.Sprint(out), 10, 64)
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}
