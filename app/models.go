package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/app/llm"
	"parley/pipeline"
)

// models is the client to whatever backends are configured; with none it is
// never asked.
type models struct {
	cfg    llm.Config
	client *llm.Client
}

func newModel(cfg Config, d Deps) (*models, []string, error) {
	m := &models{}
	if !d.Models || d.Lookup == nil {
		return m, nil, nil
	}
	env := llm.Environment{Lookup: d.Lookup, Models: cfg.Models.Names, CLIs: cfg.Models.CLIs}
	backends, secrets, err := llm.FromEnvironment(env)
	if err != nil {
		return nil, nil, err
	}
	if only := cfg.Models.Only; only != "" {
		if backends[only] == nil {
			return nil, nil, fmt.Errorf("models.only: %s", llm.Missing(only, env))
		}
		backends = map[string]llm.Backend{only: backends[only]}
	}
	m.cfg = llm.Config{Backends: backends, Chains: cfg.Models.Chains, CallTimeout: cfg.Models.CallTimeout, Parallel: cfg.Models.Parallel,
		CacheTTL: cfg.Models.Cache, Secrets: append(secrets, string(cfg.Secret)), Now: d.Now,
		Limits: llm.Limits{Session: micros(cfg.Models.Session), Repository: micros(cfg.Models.Repository),
			Installation: micros(cfg.Models.Account), Day: micros(cfg.Models.Day)}}
	return m, secrets, nil
}

func micros(dollars float64) int64 { return int64(dollars * 1e6) }

// lend gives the client what the store shares between replicas.
func (m *models) lend(a *App) {
	if len(m.cfg.Backends) == 0 {
		return
	}
	m.cfg.Cache, m.cfg.Meter = shared{a}, shared{a}
	m.cfg.Failed = func(_, class string) { a.metrics.modelFailures.WithLabelValues(class).Inc() }
	m.cfg.Spent = func(slot string, u pipeline.Usage) {
		a.metrics.tokens.WithLabelValues(slot).Add(float64(u.InputTokens + u.OutputTokens))
	}
	m.client = llm.New(m.cfg)
}

// port is nil where there is no backend: roles and panel then go by rules
// without asking first.
func (m *models) port() pipeline.Model {
	if m.client == nil {
		return nil
	}
	return m.client
}

// shared is the store as the model client wants it.
type shared struct{ a *App }

// Get implements llm.KV.
func (s shared) Get(ctx context.Context, key string) ([]byte, bool, error) {
	return s.a.store.Get(ctx, key)
}

// Set implements llm.KV.
func (s shared) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	return s.a.store.Set(ctx, key, value, ttl)
}

// Add implements llm.Meter.
func (s shared) Add(ctx context.Context, key string, n int64, ttl time.Duration) (int64, error) {
	return s.a.store.Add(ctx, strings.ReplaceAll(key, " ", "_"), n, ttl)
}
