package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/app/githubapi"
	"parley/pipeline"
)

const (
	rebuildKey    = "rebuild"
	rebuildWanted = "wanted"
	rebuildDone   = "done"
	rebuildKept   = 30 * 24 * time.Hour
)

// redisLost is told when Redis turned out to be an empty one. The store is not
// open yet when it happens at the start, so the word is only passed on.
func (a *App) redisLost() {
	select {
	case a.lost <- struct{}{}:
	default: // it is known already
	}
}

// awaitLoss reads the sessions back when Redis has lost them. That they are
// wanted is written down first: another replica, or the next sweep, goes on
// where this one stops.
func (a *App) awaitLoss(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.lost:
		}
		a.log.Error().Msg("this Redis is empty; open sessions are read back from their branches (at a first start there are none)")
		err := a.store.Set(ctx, rebuildKey, []byte(rebuildWanted), rebuildKept)
		if err == nil {
			err = a.rebuildIfWanted(ctx)
		}
		a.report("rebuild", err)
	}
}

func (a *App) rebuildIfWanted(ctx context.Context) error {
	raw, ok, err := a.store.Get(ctx, rebuildKey)
	if err != nil || !ok || string(raw) != rebuildWanted {
		return err
	}
	n, err := a.rebuildAll(ctx)
	a.log.Info().Int("sessions", n).Msg("read back from their branches")
	if err != nil {
		return err
	}
	return a.store.Set(ctx, rebuildKey, []byte(rebuildDone), rebuildKept)
}

// rebuildAll looks at every open pull request of ours. One repository's fault
// does not hide the others.
func (a *App) rebuildAll(ctx context.Context) (n int, err error) {
	var errs []error
	err = a.eachInstallation(ctx, func(_ githubapi.Installation, covered []githubapi.Covered) error {
		for _, repo := range covered {
			done, err := a.rebuildRepo(ctx, repo.Repo)
			n += done
			errs = append(errs, err)
		}
		return ctx.Err()
	})
	return n, errors.Join(append(errs, err)...)
}

func (a *App) rebuildRepo(ctx context.Context, repo pipeline.Repo) (n int, err error) {
	heads, err := a.github.OpenHeads(ctx, repo)
	errs := []error{err}
	for _, h := range heads {
		id, ours := a.sessionBranch(h)
		if !ours {
			continue
		}
		done, err := a.rebuildOne(ctx, repo, h, id)
		errs = append(errs, err)
		if done {
			n++
		}
	}
	return n, errors.Join(errs...)
}

// sessionBranch is the session whose pull request this is, by its branch.
func (a *App) sessionBranch(h githubapi.OpenHead) (id string, ours bool) {
	if !h.Ours {
		return "", false
	}
	for _, prefix := range a.live.Load().prefixes {
		if id, ours = strings.CutPrefix(h.Branch, prefix); ours {
			return id, true
		}
	}
	return "", false
}

// rebuildOne reads one session's folder and hands the state to its turn; a
// session that is there already is left alone.
func (a *App) rebuildOne(ctx context.Context, repo pipeline.Repo, h githubapi.OpenHead, id string) (bool, error) {
	snap, err := a.github.Folder(ctx, repo, h.Branch, pipeline.Session{ID: id}.Folder())
	if err != nil {
		return false, fmt.Errorf("read back %s: %w", id, err)
	}
	s, err := pipeline.Rebuild(snap)
	if errors.Is(err, pipeline.ErrNotFound) {
		return false, nil // a branch of ours by name only
	}
	if err != nil {
		return false, err
	}
	threads, err := a.github.Threads(ctx, repo, h.Number)
	if err != nil {
		return false, fmt.Errorf("read back %s: %w", id, err)
	}
	s.Repo, s.PR.Number = repo, h.Number
	s.Rethread(threads)
	key := s.Key()
	if _, err := a.store.Session(ctx, key); !errors.Is(err, pipeline.ErrNotFound) {
		return false, err
	}
	if err := a.store.PutBlobs(ctx, key, slices.Collect(maps.Values(snap.Text))); err != nil {
		return false, fmt.Errorf("keep the folder of %s: %w", id, err)
	}
	err = a.store.Accept(ctx, pipeline.Event{ID: fmt.Sprintf("rebuild/%s/%s/%s", a.store.Meta().ID, id, snap.Head), Kind: pipeline.EventRebuilt,
		At: a.now(), Repo: repo, Issue: key.Issue, PR: h.Number, Head: snap.Head, Rebuilt: &s})
	if errors.Is(err, pipeline.ErrDuplicate) {
		return false, nil
	}
	return err == nil, err
}
