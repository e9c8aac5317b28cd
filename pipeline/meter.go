package pipeline

import (
	"context"
	"sync"
)

// Meter adds up the requests that are made under a context, so that reads can
// be put on a session's account.
type Meter struct {
	mu    sync.Mutex
	count Requests
}

type meterKey struct{}

// Metered returns a context whose GitHub requests are counted, and the count.
// Deliver reports its own requests in Receipts and leaves the meter alone.
func Metered(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Count adds requests to the context's meter, if it has one.
func Count(ctx context.Context, r Requests) {
	m, ok := ctx.Value(meterKey{}).(*Meter)
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count = m.count.Plus(r)
}

// Requests is what was counted so far.
func (m *Meter) Requests() Requests {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count
}
