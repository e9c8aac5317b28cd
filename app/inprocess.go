package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/app/redisstore"
	"parley/pipeline"
)

// NewInProcess wires an App on a store that forgets: for parley try, for one
// person, never behind a public webhook.
func NewInProcess(ctx context.Context, cfg Config, d Deps) (*App, error) {
	store, err := redisstore.InProcess(ctx)
	if err != nil {
		return nil, err
	}
	d.Store = store
	return New(ctx, cfg, d)
}

// Settled tells whether nothing is due, running or on its way to GitHub.
func (a *App) Settled(ctx context.Context) (bool, error) {
	s, err := a.store.Stats(ctx)
	return s.Due+s.Running+s.Outbox == 0, err
}

// Session reads a session's state; the zero Session where there is none.
func (a *App) Session(ctx context.Context, repo int64, issue int) (pipeline.Session, error) {
	s, err := a.store.Session(ctx, pipeline.Key{Repo: repo, Issue: issue})
	if errors.Is(err, pipeline.ErrNotFound) {
		return pipeline.Session{}, nil
	}
	return s, err
}

// Deadline fires the session's wait as if its time had come; the App's clock
// must say so too.
func (a *App) Deadline(ctx context.Context, s pipeline.Session, at time.Time) error {
	return a.store.Accept(ctx, pipeline.Event{ID: fmt.Sprintf("deadline/%s/%d", s.ID, at.UnixNano()), Kind: pipeline.EventTimer,
		At: at, Repo: s.Repo, Issue: s.Issue.Number, Timer: "wait"})
}
