package redisstore

import (
	"context"
	"fmt"
	"time"
)

// Stats is the queue in numbers.
type Stats struct {
	Due     int           // sessions and jobs that could run now
	Oldest  time.Duration // how long the first of them has waited
	Running int
	Timers  int // back-offs among them
	Dead    int
	Outbox  int // writes on their way to GitHub
	Parked  int // records of a newer version
}

// Stats adds up all partitions.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var all Stats
	err := s.everywhere(ctx, s.script.stats, func(partition) []any { return nil }, func(_ partition, out any) {
		n := [7]int64{}
		list, _ := out.([]any)
		for i := range min(len(list), len(n)) {
			n[i], _ = list[i].(int64)
		}
		all.Due += int(n[0])
		all.Oldest = max(all.Oldest, time.Duration(n[1])*time.Millisecond)
		all.Running += int(n[2])
		all.Timers += int(n[3])
		all.Dead += int(n[4])
		all.Outbox += int(n[5])
		all.Parked += int(n[6])
	})
	if err != nil {
		return Stats{}, fmt.Errorf("count the queue: %w", err)
	}
	return all, nil
}
