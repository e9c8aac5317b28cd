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

// Beside is the configuration of a tool that runs beside a server: of a data
// directory it uses the server's redis-server and starts none.
func (c Config) Beside() Config {
	if c.RedisURL == "" && c.Data != "" {
		c.RedisURL, c.Data = Secret(redisstore.SocketURL(c.Data)), ""
	}
	return c
}

// NewOperator opens the store that the configuration names.
func NewOperator(ctx context.Context, cfg Config) (*Operator, error) {
	address := string(cfg.Beside().RedisURL)
	if address == "" {
		return nil, errors.New("PARLEY_REDIS_URL: not set; name the Redis of the deployment, or --data with its directory")
	}
	options, err := redisstore.Options(address)
	if err != nil {
		return nil, fmt.Errorf("PARLEY_REDIS_URL: %w", err)
	}
	store, err := redisstore.Open(ctx, redisstore.Config{Redis: options, Unsafe: true})
	if err != nil && cfg.Data != "" {
		return nil, fmt.Errorf("PARLEY_DATA: the redis-server in %s does not answer; it runs beside parley serve --data %s: %w", cfg.Data, cfg.Data, err)
	}
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
		s, err := o.store.Session(ctx, key)
		if errors.Is(err, pipeline.ErrNotFound) {
			err = fmt.Errorf("session %s: %w", name, pipeline.ErrNotFound)
		}
		return s, err
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
		err = fmt.Errorf("session %s: %w", name, pipeline.ErrNotFound)
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

// Retry puts a dead letter back where it was, unless nothing would come of it.
func (o *Operator) Retry(ctx context.Context, id string) error {
	l, err := o.letter(ctx, id)
	if err == nil {
		err = l.Retriable()
	}
	if err != nil {
		return err
	}
	return o.store.Retry(ctx, id)
}

// Drop forgets a dead letter, unless a session waits for what would go with it.
func (o *Operator) Drop(ctx context.Context, id string) error {
	l, err := o.letter(ctx, id)
	if err != nil {
		return err
	}
	s, err := o.store.Session(ctx, l.Key)
	if err == nil {
		err = l.Droppable(s)
	}
	if err != nil && !errors.Is(err, pipeline.ErrNotFound) {
		return err
	}
	return o.store.Drop(ctx, id)
}

// letter is a dead letter by its id, the zero one where there is none.
func (o *Operator) letter(ctx context.Context, id string) (pipeline.DeadLetter, error) {
	letters, err := o.store.Dead(ctx)
	for _, l := range letters {
		if l.ID == id {
			return l, err
		}
	}
	return pipeline.DeadLetter{}, err
}

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

// QueueStatus is the queue in numbers, and what an operator should know.
type QueueStatus struct {
	Due      int      `json:"due"` // sessions and jobs that could run now
	OldestMS int64    `json:"oldest_ms"`
	Running  int      `json:"running"`
	Timers   int      `json:"timers"`
	Outbox   int      `json:"outbox"` // writes on their way to GitHub
	Dead     int      `json:"dead"`
	Parked   int      `json:"parked"` // records of a newer version
	HeldAll  bool     `json:"held_all"`
	Held     []string `json:"held"`   // sessions, as <repository id>/<issue>
	Faults   []string `json:"faults"` // what may lose data in this Redis
}

// Status counts what is due, running and waiting, and names what is held.
func (o *Operator) Status(ctx context.Context) (QueueStatus, error) {
	n, err := o.store.Stats(ctx)
	if err != nil {
		return QueueStatus{}, err
	}
	st := QueueStatus{Due: n.Due, OldestMS: n.Oldest.Milliseconds(), Running: n.Running, Timers: n.Timers, Outbox: n.Outbox,
		Dead: n.Dead, Parked: n.Parked, Held: []string{}, Faults: []string{}}
	all, some, err := o.store.Holds(ctx)
	if err != nil {
		return st, err
	}
	st.HeldAll = all
	for _, key := range some {
		st.Held = append(st.Held, fmt.Sprintf("%d/%d", key.Repo, key.Issue))
	}
	faults, err := o.store.Faults(ctx)
	for _, f := range faults {
		st.Faults = append(st.Faults, f.Error())
	}
	return st, err
}
