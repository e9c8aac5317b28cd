package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/app/githubapi"
	"parley/handlers"
	"parley/pipeline"
)

// startsAnHour bounds what the scan of labels starts per installation: a label
// set on a hundred issues while we were away is not a wish for a hundred
// sessions at once.
const startsAnHour = 5

// scan looks for labelled issues that have no session and for open heads that
// lack a gate. One survey tells of many repositories which to look at closer.
func (a *App) scan(ctx context.Context) error {
	var errs []error
	labels := triggers(a.live.Load().labels)
	err := a.eachInstallation(ctx, func(in githubapi.Installation, covered []githubapi.Covered) error {
		for some := range slices.Chunk(slices.DeleteFunc(covered, a.optedOut), githubapi.SurveySize) {
			seen, err := a.github.Survey(ctx, some, labels, in.Created)
			errs = append(errs, err)
			for _, s := range seen {
				errs = append(errs, a.scanRepo(ctx, in, s), a.missingGates(ctx, s))
			}
		}
		return ctx.Err()
	})
	return errors.Join(append(errs, err)...)
}

// triggers are the labels that start a session: each alone, and with a mode.
func triggers(labels []string) (all []string) {
	for _, label := range labels {
		all = append(all, label)
		for _, mode := range pipeline.Modes {
			all = append(all, label+":"+string(mode))
		}
	}
	return all
}

func (a *App) optedOut(r githubapi.Covered) bool {
	return a.cfg.Property != "" && !handlers.OptedIn(r.Properties[a.cfg.Property])
}

// eachInstallation walks what the App is installed on. One's fault does not
// hide the others.
func (a *App) eachInstallation(ctx context.Context, do func(githubapi.Installation, []githubapi.Covered) error) error {
	installations, err := a.github.Installations(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, in := range installations {
		if in.Suspended != nil || !a.allowed(in.Account.Login) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		repos, err := a.github.Repositories(ctx, in.ID)
		errs = append(errs, err, do(in, repos))
	}
	return errors.Join(errs...)
}

// scanRepo starts what was labelled since the installation was made: older
// labels are somebody else's.
func (a *App) scanRepo(ctx context.Context, in githubapi.Installation, s githubapi.Surveyed) error {
	var errs []error
	for label, n := range s.Labelled {
		if n == 0 {
			continue
		}
		issues, err := a.github.Labelled(ctx, s.Repo, label, in.Created)
		errs = append(errs, err)
		for _, i := range issues {
			if i.Started || i.At.Before(in.Created) || i.By.Bot {
				continue
			}
			errs = append(errs, a.startMissed(ctx, s.Repo, label, i))
		}
	}
	return errors.Join(errs...)
}

// startMissed starts a session for a label that was set while nobody listened.
func (a *App) startMissed(ctx context.Context, repo pipeline.Repo, label string, i githubapi.LabelledIssue) error {
	_, err := a.store.Session(ctx, pipeline.Key{Repo: repo.ID, Issue: i.Number})
	if err == nil || !errors.Is(err, pipeline.ErrNotFound) {
		return err
	}
	hour := a.now().UTC().Format("2006-01-02T15")
	n, err := a.store.Add(ctx, fmt.Sprintf("scanned:%d:%s", repo.Installation, hour), 1, 2*time.Hour)
	if err != nil || n > startsAnHour {
		return err
	}
	ev := pipeline.Event{ID: fmt.Sprintf("scan/%d/%d/%d", repo.ID, i.Number, i.At.Unix()), Kind: pipeline.EventStart, At: i.At,
		Repo: repo, Issue: i.Number, Actor: i.By, Label: label}
	if err := a.store.Accept(ctx, ev); err != nil && !errors.Is(err, pipeline.ErrDuplicate) {
		return err
	}
	return nil
}

// missingGates answers open heads that have none, where the repository wants
// an answer on pull requests that are not ours.
func (a *App) missingGates(ctx context.Context, s githubapi.Surveyed) error {
	repo, settings := s.Repo, s.Settings
	a.others.set(repo.ID, settings.OtherPulls == "success")
	if settings.OtherPulls != "success" {
		return nil
	}
	heads, err := a.github.OpenHeads(ctx, repo)
	for _, h := range heads {
		if h.Status != "" || h.Ours || strings.HasPrefix(h.Branch, settings.BranchPrefix) {
			continue
		}
		ev := pipeline.Event{ID: "head/" + h.Head, Kind: pipeline.EventOtherPull, At: a.now(), Repo: repo, PR: h.Number, Head: h.Head}
		if got := a.store.Accept(ctx, ev); got != nil && !errors.Is(got, pipeline.ErrDuplicate) {
			err = errors.Join(err, got)
		}
	}
	return err
}
