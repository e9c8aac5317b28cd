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

// Usage is what models cost: zero when rules did the work.
type Usage struct {
	Calls        int `json:"calls"`
	Cached       int `json:"cached"`
	ByRules      int `json:"by_rules"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	// Micros is money in millionths of a US dollar; Unpriced counts calls whose price is not known.
	Micros   int64 `json:"usd_micros"`
	Unpriced int   `json:"unpriced,omitempty"`
}

// Plus adds two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Calls: u.Calls + v.Calls, Cached: u.Cached + v.Cached, ByRules: u.ByRules + v.ByRules,
		InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens,
		Micros: u.Micros + v.Micros, Unpriced: u.Unpriced + v.Unpriced,
	}
}

// Requests counts a session's calls to GitHub, token mints left out.
type Requests struct {
	Requests int `json:"requests"`
	REST     int `json:"rest"`
	GraphQL  int `json:"graphql"`
	Created  int `json:"created"`
}

// Plus adds two counts.
func (r Requests) Plus(o Requests) Requests {
	return Requests{r.Requests + o.Requests, r.REST + o.REST, r.GraphQL + o.GraphQL, r.Created + o.Created}
}
