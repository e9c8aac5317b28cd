package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	d.Store, d.policy = store, pipeline.Policy{Advance: hurried, NeedsPermission: pipeline.NeedsPermission}
	return New(ctx, cfg, d)
}

// Settled tells whether nothing is due, running or on its way to GitHub. What
// this process holds itself it knows without asking.
func (a *App) Settled(ctx context.Context) (bool, error) {
	if a.store.Holding() {
		return false, nil
	}
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

// hurry is how Deadline marks its events.
const hurry = "hurry/"

// Deadline fires the session's wait as if its time had come: a try does not
// wait for people who will not answer. Only an App in this process listens.
func (a *App) Deadline(ctx context.Context, s pipeline.Session) error {
	return a.store.Accept(ctx, pipeline.Event{ID: fmt.Sprintf("%s%s/%d", hurry, s.ID, a.now().UnixNano()), Kind: pipeline.EventTimer,
		At: a.now(), Repo: s.Repo, Issue: s.Issue.Number, Timer: "wait"})
}

// hurried is the policy with its clock put to the deadline for such an event,
// and for no other: Redis and GitHub keep their own time.
func hurried(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
	if strings.HasPrefix(ev.ID, hurry) && s.Wait != nil && now.Before(s.Wait.Deadline) {
		now = s.Wait.Deadline
	}
	return pipeline.Advance(s, ev, now)
}
