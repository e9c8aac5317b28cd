package pipeline

import (
	"context"
	"sync"
	"time"
)

// sure is how long after its last good beat a holder may still act outside
// the store: four fifths of the lease, so that it has stopped before another
// may have taken over.
func sure(ttl time.Duration) time.Duration { return ttl * 4 / 5 }

// keeper knows the leases this process holds. One goroutine beats them all;
// whoever loses one has its context ended with ErrStale.
type keeper struct {
	mu   sync.Mutex
	held map[Lease]*hold
}

type hold struct {
	end  context.CancelCauseFunc
	good time.Time // when the last good beat was sent
	// acts: the holder writes outside the store, so it must stop when it
	// can no longer be sure of its lease. Others are stopped by the token.
	acts bool
}

// hold registers a lease and returns a context that ends with it.
func (k *keeper) hold(ctx context.Context, l Lease, acts bool) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	k.mu.Lock()
	k.held[l] = &hold{end: end, good: time.Now(), acts: acts}
	k.mu.Unlock()
	return ctx, func() {
		k.mu.Lock()
		delete(k.held, l)
		k.mu.Unlock()
		end(nil)
	}
}

// guard returns a context that looks at the lease whenever somebody is about
// to use it: a process that was stopped past its lease and wakes up sends
// nothing, even before its next beat tells.
func (k *keeper) guard(ctx context.Context, l Lease) context.Context {
	return guardedContext{ctx, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if h := k.held[l]; h != nil && time.Since(h.good) > sure(l.TTL) {
			h.end(ErrStale)
		}
	}}
}

type guardedContext struct {
	context.Context
	look func()
}

func (g guardedContext) Done() <-chan struct{} { g.look(); return g.Context.Done() }

func (g guardedContext) Err() error { g.look(); return g.Context.Err() }

func (k *keeper) leases() []Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]Lease, 0, len(k.held))
	for l := range k.held {
		all = append(all, l)
	}
	return all
}

// settle notes the answers to a beat that was sent at sent; without answers
// (err) holders that act outside are stopped before their lease can run out.
func (k *keeper) settle(leases []Lease, alive []bool, sent time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, l := range leases {
		h := k.held[l]
		switch {
		case h == nil:
		case alive == nil:
			if h.acts && sent.Sub(h.good) > sure(l.TTL) {
				h.end(ErrStale)
			}
		case alive[i]:
			h.good = sent
		default:
			h.end(ErrStale)
		}
	}
}

// beat extends every lease this process holds.
func (e *Engine) beat(ctx context.Context) error {
	leases := e.leases.leases()
	if len(leases) == 0 {
		return nil
	}
	sent := time.Now()
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	alive, err := e.Store.Beat(ctx, leases)
	if err != nil {
		e.leases.settle(leases, nil, time.Now())
		return err
	}
	e.leases.settle(leases, alive, sent)
	return nil
}
