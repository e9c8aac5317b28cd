package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/app/githubapi"
	"parley/handlers"
	"parley/pipeline"
)

const (
	// logKept is how long GitHub keeps deliveries; Enterprise Server keeps
	// them for a week, which the first sweep may miss and the scan finds.
	logKept = 72 * time.Hour
	// overlap is read again each time, since deliveries appear late in the log.
	overlap     = 10 * time.Minute
	gaugesEvery = 15 * time.Second
)

// upkeep are the loops beside the engine.
func (a *App) upkeep() []func(context.Context) {
	loops := []func(context.Context){
		a.introduce, a.awaitLoss,
		func(ctx context.Context) { every(ctx, gaugesEvery, a.gauges) },
		func(ctx context.Context) { every(ctx, time.Hour, func(context.Context) { a.github.Tidy() }) },
	}
	if a.cfg.Sweep > 0 {
		loops = append(loops, func(ctx context.Context) { every(ctx, a.cfg.Sweep, a.sweep) }, a.sweepAgain)
	}
	if a.cfg.Pull > 0 {
		loops = append(loops, func(ctx context.Context) { every(ctx, a.cfg.Pull, a.pull) })
	}
	return loops
}

// returned asks for a sweep soon: an installation or a repository is back, and
// what happened meanwhile was not delivered.
func (a *App) returned() {
	select {
	case a.again <- struct{}{}:
	default: // one is asked for already
	}
}

// sweepAgain looks for what was missed as soon as somebody is back.
func (a *App) sweepAgain(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.again:
			a.report("scan", a.scan(ctx))
		}
	}
}

// retract notes a deleted comment for as long as its commands may wait.
func (a *App) retract(ctx context.Context, subject string) error {
	return a.store.Set(ctx, "gone:"+subject, []byte("1"), 24*time.Hour)
}

func (a *App) retracted(ctx context.Context, subject string) (bool, error) {
	_, gone, err := a.store.Get(ctx, "gone:"+subject)
	return gone, err
}

// edits remembers for a month which branches edit the configuration, so that
// their later heads are read as well.
func (a *App) edits(ctx context.Context, repo pipeline.Repo, branch string, now bool) (bool, error) {
	key := fmt.Sprintf("%s%d:%d:%s", editingKeys, repo.Installation, repo.ID, branch)
	if now {
		return true, a.store.Set(ctx, key, []byte("1"), 30*24*time.Hour)
	}
	_, before, err := a.store.Get(ctx, key)
	return before, err
}

const editingKeys = "editing:"

// mine lets one replica do a periodic thing: the first to ask in a window.
func (a *App) mine(ctx context.Context, what string, window time.Duration) bool {
	slot := a.now().UnixNano() / int64(window)
	n, err := a.store.Add(ctx, fmt.Sprintf("once:%s:%d", what, slot), 1, 2*window)
	if err != nil {
		a.logLine(pipeline.LogLine{What: what, Err: err})
	}
	return err == nil && n == 1
}

// sweep takes in what the webhook did not bring: failed deliveries from
// GitHub's log, then labelled issues without a session and heads without a gate.
func (a *App) sweep(ctx context.Context) {
	if !a.mine(ctx, "sweep", a.cfg.Sweep) {
		return
	}
	if err := a.askBot(ctx); err != nil {
		a.report("sweep", err)
		return
	}
	missed := func(n githubapi.DeliveryNote) bool { return n.Status != "OK" }
	if a.cfg.Pull == 0 {
		a.report("sweep", a.readLog(ctx, "sweep", missed))
	}
	a.report("rebuild", a.rebuildIfWanted(ctx))
	a.report("scan", errors.Join(a.scan(ctx), a.others.share(ctx, a.store)))
	a.report("waits", a.oldestWait(ctx))
	if a.mine(ctx, "erase", eraseEvery) {
		a.report("erase", a.eraseGone(ctx))
	}
}

// pull is the whole intake of a server without a public address: every
// delivery is read from GitHub's log, whatever became of its sending.
func (a *App) pull(ctx context.Context) {
	if !a.mine(ctx, "pull", a.cfg.Pull) {
		return
	}
	a.report("pull", a.readLog(ctx, "pull", func(githubapi.DeliveryNote) bool { return true }))
}

func (a *App) report(what string, err error) {
	var wait *pipeline.NotBefore
	switch {
	case err == nil, errors.Is(err, context.Canceled):
	case errors.As(err, &wait):
		a.log.Info().Str("what", what).Time("not_before", wait.At).Msg(wait.Why)
	default:
		a.log.Error().Err(err).Str("what", what).Msg("did not work; tried again next time")
	}
}

// readLog pages GitHub's log back to the last clean reading and takes in,
// oldest first, what the filter names and no attempt delivered.
func (a *App) readLog(ctx context.Context, what string, want func(githubapi.DeliveryNote) bool) error {
	began := a.now()
	since, err := a.watermark(ctx, what)
	if err != nil {
		return err
	}
	notes, err := a.logSince(ctx, since)
	if err != nil {
		return err
	}
	delivered := map[string]bool{}
	for _, n := range notes {
		delivered[n.GUID] = delivered[n.GUID] || !want(n)
	}
	slices.Reverse(notes)
	next := map[string]bool{}
	for _, n := range notes { // what lies in the overlap is not read again
		next[n.GUID] = a.taken[n.GUID]
	}
	defer func() { a.taken = next }()
	for _, n := range notes {
		if delivered[n.GUID] || next[n.GUID] || !a.takes(n.Event) {
			continue
		}
		if err := a.takeIn(ctx, n); err != nil {
			return err // the watermark stays, so that it is tried again
		}
		next[n.GUID] = true
	}
	return a.store.Set(ctx, "watermark:"+what, []byte(began.UTC().Format(time.RFC3339)), 30*24*time.Hour)
}

func (a *App) watermark(ctx context.Context, what string) (time.Time, error) {
	raw, ok, err := a.store.Get(ctx, "watermark:"+what)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the place in GitHub's log: %w", err)
	}
	if !ok {
		// A Redis that knows nothing does not know either what it took in
		// before: branches and labels tell that, an old delivery would be
		// carried out twice.
		return a.now().Truncate(time.Second), nil
	}
	earliest := a.now().Add(-logKept)
	last, err := time.Parse(time.RFC3339, string(raw))
	if err != nil || last.Before(earliest) {
		return earliest, nil
	}
	return last.Add(-overlap), nil
}

func (a *App) logSince(ctx context.Context, since time.Time) ([]githubapi.DeliveryNote, error) {
	const pages = 1000 // of a hundred; past that a sweep is not what is needed
	var all []githubapi.DeliveryNote
	for cursor, n := "", 0; n < pages; n++ {
		page, next, err := a.github.Deliveries(ctx, cursor)
		if err != nil {
			return nil, err
		}
		for _, note := range page {
			if note.At.Before(since) {
				return all, nil
			}
			all = append(all, note)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	return all, nil
}

func (a *App) takes(event string) bool {
	return a.live.Load().handler(event) != nil
}

// takeIn feeds one delivery of the log to its handler, as the webhook would.
func (a *App) takeIn(ctx context.Context, n githubapi.DeliveryNote) error {
	d, err := a.github.Delivery(ctx, n.ID)
	if errors.Is(err, pipeline.ErrNotFound) || errors.Is(err, pipeline.ErrGone) {
		return nil // the log ends while it is read
	}
	if err != nil {
		return err
	}
	err = a.Ingest(ctx, n.Event, n.GUID, d.Payload)
	if err == nil {
		a.metrics.swept.Inc()
	}
	if errors.Is(err, pipeline.ErrDuplicate) || errors.Is(err, handlers.ErrIgnored) || errors.Is(err, handlers.ErrMalformed) || errors.Is(err, handlers.ErrNoInstallation) {
		return nil
	}
	return err
}

// Ingest hands a delivery to its handler. It is what the webhook, the sweep,
// the pull mode and parley replay have in common.
func (a *App) Ingest(ctx context.Context, event, guid string, payload []byte) error {
	h := a.live.Load().handler(event)
	if h == nil {
		return handlers.ErrIgnored
	}
	return h.Handle(ctx, event, guid, payload)
}

// gauges are read from the store, so that any replica tells the same.
func (a *App) gauges(ctx context.Context) {
	a.report("others", a.others.learn(ctx, a.store))
	s, err := a.store.Stats(ctx)
	if err != nil {
		return // /readyz says so already
	}
	a.metrics.queueDepth.Set(float64(s.Due))
	a.metrics.queueOldest.Set(s.Oldest.Seconds())
	a.metrics.deadLetters.Set(float64(s.Dead))
	a.metrics.outbox.Set(float64(s.Outbox))
	a.metrics.gatePending.Set(a.waitedFor(ctx).Seconds())
	faults, err := a.store.Faults(ctx)
	ok := 1.0
	for _, f := range faults {
		if f.Fatal {
			ok = 0
		}
	}
	if err == nil {
		a.metrics.policyOK.Set(ok)
	}
}

const waitKey = "oldest-wait"

// oldestWait notes since when the longest-waiting session has waited for a
// person; every replica exports it.
func (a *App) oldestWait(ctx context.Context) error {
	oldest := a.now()
	err := a.store.Sessions(ctx, func(s pipeline.Session) error {
		if s.Status == pipeline.SessionPaused && s.Wait != nil && s.Wait.Since.Before(oldest) {
			oldest = s.Wait.Since
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.store.Set(ctx, waitKey, []byte(oldest.UTC().Format(time.RFC3339)), 2*max(a.cfg.Sweep, time.Hour))
}

func (a *App) waitedFor(ctx context.Context) time.Duration {
	raw, ok, err := a.store.Get(ctx, waitKey)
	if err != nil || !ok {
		return 0
	}
	since, err := time.Parse(time.RFC3339, string(raw))
	if err != nil {
		return 0
	}
	return max(0, a.now().Sub(since))
}
