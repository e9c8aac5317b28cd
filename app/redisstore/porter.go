package redisstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"
)

// listen starts the porters: one per lane, or one per lane and partition on a
// Cluster, where one blocking call cannot name keys of several slots.
func (s *Store) listen() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.doors = map[string]*door{}
	groups := [][]partition{nil}
	for p := range partition(s.Meta().Partitions) {
		groups[0] = append(groups[0], p)
	}
	if _, cluster := s.db.(*redis.ClusterClient); cluster {
		whole := groups[0]
		groups = nil
		for _, p := range whole {
			groups = append(groups, []partition{p})
		}
	}
	for _, lane := range lanes {
		d := newDoor()
		s.doors[lane] = d
		for _, g := range groups {
			s.loops.Go(func() { s.porter(ctx, d, lane, g) })
		}
	}
}

// porter hands bells to idle workers until the store is closed. A bell nobody
// takes is rung again for other processes; one that is lost with its process
// costs half a second, until the next tick rings.
func (s *Store) porter(ctx context.Context, d *door, lane string, group []partition) {
	keys := make([]string, len(group))
	of := map[string]partition{}
	for i, p := range group {
		keys[i] = p.key("bell:" + lane)
		of[keys[i]] = p
	}
	for seen := 0; ; {
		visits, open := d.somebody(seen)
		if !open {
			return
		}
		seen = visits
		// Redis serves the first key that has a bell: a random order is fair to all.
		rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		out, err := s.db.BLPop(ctx, time.Second, keys...).Result()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			patience(ctx)
			continue
		}
		if !d.offer(ctx, of[out[0]]) {
			s.db.RPush(context.WithoutCancel(ctx), out[0], "1")
		}
	}
}

// patience keeps a porter from spinning while Redis is away. The loops' own
// beats and ticks report it.
func patience(ctx context.Context) {
	t := time.NewTimer(200 * time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
