package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/app/redisstore"
	"parley/pipeline"
)

// Operator is what a person at a terminal does with a running deployment. It
// speaks to Redis alone, so it works while no server runs.
type Operator struct{ store *redisstore.Store }

// NewOperator opens the store that the configuration names.
func NewOperator(ctx context.Context, cfg Config) (*Operator, error) {
	address := string(cfg.RedisURL)
	if address == "" && cfg.Data != "" {
		address = redisstore.SocketURL(cfg.Data)
	}
	if address == "" {
		return nil, errors.New("PARLEY_REDIS_URL: not set; name the Redis of the deployment, or --data with its directory")
	}
	options, err := redisstore.Options(address)
	if err != nil {
		return nil, fmt.Errorf("PARLEY_REDIS_URL: %w", err)
	}
	store, err := redisstore.Open(ctx, redisstore.Config{Redis: options, Unsafe: true})
	if err != nil {
		return nil, err
	}
	return &Operator{store}, nil
}

// Close ends the connection.
func (o *Operator) Close() error { return o.store.Close() }

// Sessions lists all sessions in no order.
func (o *Operator) Sessions(ctx context.Context) ([]pipeline.Session, error) {
	var all []pipeline.Session
	err := o.store.Sessions(ctx, func(s pipeline.Session) error { all = append(all, s); return nil })
	return all, err
}

// Find returns the session with an id, or with a key such as 123/45 (repository id, issue).
func (o *Operator) Find(ctx context.Context, name string) (pipeline.Session, error) {
	if key, err := ParseKey(name); err == nil {
		return o.store.Session(ctx, key)
	}
	var found pipeline.Session
	stop := errors.New("found")
	err := o.store.Sessions(ctx, func(s pipeline.Session) error {
		if s.ID != name {
			return nil
		}
		found = s
		return stop
	})
	if errors.Is(err, stop) {
		return found, nil
	}
	if err == nil {
		err = fmt.Errorf("session %s: %w; parley sessions list shows them", name, pipeline.ErrNotFound)
	}
	return found, err
}

// ParseKey reads <repository id>/<issue number>.
func ParseKey(name string) (pipeline.Key, error) {
	repo, issue, ok := strings.Cut(name, "/")
	id, err := strconv.ParseInt(repo, 10, 64)
	n, err2 := strconv.Atoi(issue)
	if !ok || err != nil || err2 != nil {
		return pipeline.Key{}, fmt.Errorf("%q is not <repository id>/<issue number>", name)
	}
	return pipeline.Key{Repo: id, Issue: n}, nil
}

// Dead lists the dead letters, oldest first.
func (o *Operator) Dead(ctx context.Context) ([]pipeline.DeadLetter, error) { return o.store.Dead(ctx) }

// Retry puts a dead letter back where it was.
func (o *Operator) Retry(ctx context.Context, id string) error { return o.store.Retry(ctx, id) }

// Drop forgets a dead letter.
func (o *Operator) Drop(ctx context.Context, id string) error { return o.store.Drop(ctx, id) }

// Hold keeps one session waiting, or lets it go on.
func (o *Operator) Hold(ctx context.Context, name string, on bool) error {
	s, err := o.Find(ctx, name)
	if err != nil {
		return err
	}
	return o.store.Hold(ctx, s.Key(), on)
}

// HoldAll keeps every session waiting, through restarts, or lets them go on.
func (o *Operator) HoldAll(ctx context.Context, on bool) error { return o.store.Stop(ctx, on) }

// Check names what is inconsistent in the queue, and mends it when asked.
func (o *Operator) Check(ctx context.Context, mend bool) ([]string, error) {
	return o.store.Check(ctx, mend)
}

// Faults are what may lose data in this Redis.
func (o *Operator) Faults(ctx context.Context) ([]*redisstore.Fault, error) {
	return o.store.Faults(ctx)
}

// Stats counts what is due, running and waiting.
func (o *Operator) Stats(ctx context.Context) (redisstore.Stats, error) { return o.store.Stats(ctx) }
