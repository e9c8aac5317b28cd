package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/pipeline"
)

// others are the repositories that want an answer on every pull request. The
// webhook asks it in memory; one replica learns it by scanning, and the store
// carries it to the rest.
type others struct {
	mu    sync.RWMutex
	repos map[int64]bool
}

const othersKey = "others"

// kv is what others needs of the store.
type kv interface {
	Get(ctx context.Context, key string) ([]byte, bool, error)
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

func (o *others) want(repo pipeline.Repo) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.repos[repo.ID]
}

func (o *others) set(repo int64, want bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := maps.Clone(o.repos)
	if next == nil {
		next = map[int64]bool{}
	}
	delete(next, repo)
	if want {
		next[repo] = true
	}
	o.repos = next
}

// share tells the other replicas.
func (o *others) share(ctx context.Context, store kv) error {
	o.mu.RLock()
	list := slices.Sorted(maps.Keys(o.repos))
	o.mu.RUnlock()
	raw, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("share the repositories that want answers: %w", err)
	}
	return store.Set(ctx, othersKey, raw, 30*24*time.Hour)
}

// learn takes over what a replica has shared.
func (o *others) learn(ctx context.Context, store kv) error {
	raw, ok, err := store.Get(ctx, othersKey)
	if err != nil || !ok {
		return err
	}
	var list []int64
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("learn the repositories that want answers: %w", err)
	}
	repos := map[int64]bool{}
	for _, id := range list {
		repos[id] = true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.repos = repos
	return nil
}
