package redisstore

import (
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
	// claiming counts claims under way, by lane: any of them may turn out to
	// be for the installation that has one place left.
	claiming map[string]int
}

type held struct {
	lane  string
	inst  int64
	until time.Time
}

func leaseID(l pipeline.Lease) string { return sid(l.Key) + "/" + l.Job + "/" + l.Token }

func (h *shares) take(l pipeline.Lease, lane string, ttl time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[leaseID(l)] = held{lane, l.Installation, time.Now().Add(ttl)}
}

func (h *shares) extend(l pipeline.Lease, ttl time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one, ok := h.held[leaseID(l)]; ok {
		one.until = time.Now().Add(ttl)
		h.held[leaseID(l)] = one
	}
}

// claim begins a claim and lists the installations it must leave out; the
// returned func ends it.
func (h *shares) claim(lane string, most int) (full []any, end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if most > 0 {
		full = h.spent(lane, most-h.claiming[lane])
	}
	h.claiming[lane]++
	return full, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.claiming[lane]--
	}
}

// full lists the installations that hold their share of a lane.
func (h *shares) full(lane string, most int) []any {
	h.mu.Lock()
	defer h.mu.Unlock()
	if most <= 0 {
		return nil
	}
	return h.spent(lane, most)
}

// spent lists those that hold at least most. The caller holds the lock.
func (h *shares) spent(lane string, most int) []any {
	now, count := time.Now(), map[int64]int{}
	for id, one := range h.held {
		if one.until.Before(now) {
			delete(h.held, id)
		} else if one.lane == lane {
			count[one.inst]++
		}
	}
	var full []any
	for inst, n := range count {
		if n >= most {
			full = append(full, strconv.FormatInt(inst, 10))
		}
	}
	return full
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
