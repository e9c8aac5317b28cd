package redisstore

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/pipeline"
)

// shares counts what each installation holds of this process, so that one
// organisation's flood leaves workers free for the others. A lease that ends
// without a word runs out here as it does in Redis: the bound never shrinks.
type shares struct {
	mu   sync.Mutex
	held map[string]held // by lease
}

type held struct {
	lane  string
	inst  int64
	until time.Time
}

func leaseID(l pipeline.Lease) string { return sid(l.Key) + "/" + l.Job + "/" + l.Token }

// take notes a lease that was claimed; false when it is one too many: several
// claims may be under way when one place is left.
func (h *shares) take(l pipeline.Lease, lane string, most int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if most > 0 && h.count(lane)[l.Installation] >= most {
		return false
	}
	h.held[leaseID(l)] = held{lane, l.Installation, time.Now().Add(l.TTL)}
	return true
}

func (h *shares) extend(l pipeline.Lease, ttl time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one, ok := h.held[leaseID(l)]; ok {
		one.until = time.Now().Add(ttl)
		h.held[leaseID(l)] = one
	}
}

// full lists the installations that hold their share of a lane.
func (h *shares) full(lane string, most int) []any {
	if most <= 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var full []any
	for inst, n := range h.count(lane) {
		if n >= most {
			full = append(full, strconv.FormatInt(inst, 10))
		}
	}
	return full
}

// count is how much of a lane each installation holds. The caller holds the lock.
func (h *shares) count(lane string) map[int64]int {
	now, count := time.Now(), map[int64]int{}
	for id, one := range h.held {
		if one.until.Before(now) {
			delete(h.held, id)
		} else if one.lane == lane {
			count[one.inst]++
		}
	}
	return count
}

func (c *Config) share(lane string) int {
	return map[string]int{laneTurn: c.Share.Turns, string(pipeline.LaneQuick): c.Share.Quick, string(pipeline.LaneSlow): c.Share.Slow}[lane]
}

// listed is how many waiting installations a claim names at most; the
// scripts know it too.
const listed = 16

// admit notes a lease that NextTurn or NextJob claimed, and wakes a worker
// for what the claim left behind, when one of those installations has room.
// False: the lease is one too many and has to be given back.
func (s *Store) admit(l pipeline.Lease, lane string, p partition, waiting []string) bool {
	ok := s.shares.take(l, lane, s.cfg.share(lane))
	full := s.shares.full(lane, s.cfg.share(lane))
	room := len(waiting) == listed // there may be others behind them
	for _, inst := range waiting {
		room = room || !slices.Contains(full, any(inst))
	}
	switch {
	case room:
		s.doors[lane].more(p)
	case len(waiting) > 0:
		s.doors[lane].starve(p)
	}
	return ok
}

// Holding tells whether this process holds a lease.
func (s *Store) Holding() bool {
	s.shares.mu.Lock()
	defer s.shares.mu.Unlock()
	now := time.Now()
	for _, one := range s.shares.held {
		if one.until.After(now) {
			return true
		}
	}
	return false
}

// release ends a lease on this process's account.
func (s *Store) release(l pipeline.Lease) {
	s.shares.mu.Lock()
	one, ok := s.shares.held[leaseID(l)]
	delete(s.shares.held, leaseID(l))
	s.shares.mu.Unlock()
	if ok {
		s.doors[one.lane].released()
	}
}
