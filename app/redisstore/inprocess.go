package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// slowest is how long the Redis in this process may take for an answer.
const slowest = time.Minute

// InProcess returns a store that forgets everything when it is closed. It is
// for one person's try and for tests, never behind a webhook.
func InProcess(ctx context.Context) (*Store, error) {
	server := miniredis.NewMiniRedis()
	if err := server.Start(); err != nil {
		return nil, fmt.Errorf("start the in-process redis: %w", err)
	}
	// One person needs one partition, and what looks at all of them looks once.
	// Nobody else is there to take over from a process that is slow.
	s, err := inProcess(ctx, server.Addr(), Config{Partitions: 1, Lease: slowest})
	if err != nil {
		server.Close()
		return nil, err
	}
	s.quit = server.Close
	return s, nil
}

func inProcess(ctx context.Context, addr string, cfg Config) (*Store, error) {
	cfg.Redis = tuned(&redis.UniversalOptions{Addrs: []string{addr}})
	// A server in this process does not go away; where it is slow, the machine is.
	cfg.Redis.DialTimeout, cfg.Redis.ReadTimeout, cfg.Redis.WriteTimeout = slowest, slowest, slowest
	cfg.fill()
	s := &Store{cfg: cfg, db: redis.NewUniversalClient(cfg.Redis), script: loadScripts(cfg.breakScript), quit: func() {}}
	created, err := s.readMeta(ctx)
	if err != nil {
		s.db.Close()
		return nil, err
	}
	s.begin(created)
	return s, nil
}
