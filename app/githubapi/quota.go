package githubapi

import (
	"context"
	"sync"
	"time"

	"parley/pipeline"
)

// MemoryQuota is the Quota of a single process.
type MemoryQuota struct {
	now     func() time.Time
	mu      sync.Mutex
	buckets map[string]pipeline.Bucket
	spent   map[string][]spending
}

type spending struct {
	at time.Time
	n  int
}

// NewMemoryQuota returns an empty one.
func NewMemoryQuota(now func() time.Time) *MemoryQuota {
	return &MemoryQuota{now: now, buckets: map[string]pipeline.Bucket{}, spent: map[string][]spending{}}
}

// ReadBucket implements Quota.
func (m *MemoryQuota) ReadBucket(_ context.Context, name string) (pipeline.Bucket, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.buckets[name], nil
}

// WriteBucket implements Quota.
func (m *MemoryQuota) WriteBucket(_ context.Context, name string, b pipeline.Bucket) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.buckets[name] = b
	return nil
}

// Spend implements Quota. More than the limit at once is let through when the
// window is empty: it would never fit.
func (m *MemoryQuota) Spend(_ context.Context, s pipeline.Spend) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	live := m.spent[s.Bucket]
	for len(live) > 0 && !live[0].at.After(now.Add(-s.Window)) {
		live = live[1:]
	}
	sum := 0
	for _, x := range live {
		sum += x.n
	}
	m.spent[s.Bucket] = live
	if sum > 0 && sum+s.N > s.Limit {
		for _, x := range live {
			sum -= x.n
			if sum+s.N <= s.Limit || sum == 0 {
				return x.at.Add(s.Window), nil
			}
		}
	}
	m.spent[s.Bucket] = append(live, spending{now, s.N})
	return time.Time{}, nil
}
