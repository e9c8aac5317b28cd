package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// turnLoop takes turns until stop ends; a turn that began runs under work.
func (e *Engine) turnLoop(stop, work context.Context) {
	fails := 0
	for stop.Err() == nil {
		t, err := e.Store.NextTurn(stop)
		if err != nil {
			if stop.Err() == nil {
				e.Hooks.Log(LogLine{What: "claim", Err: err})
				fails++
				pause(stop, fails)
			}
			continue
		}
		fails = 0
		e.turn(stop, work, t)
	}
}

// turn decides a session's events one by one under one lease and returns the
// jobs that its decisions made ready.
func (e *Engine) turn(stop, work context.Context, t Turn) []string {
	ctx, release := e.leases.hold(work, t.Lease, true)
	defer release()
	began, jobs := time.Now(), []string(nil)
	for n := 1; ; n++ {
		started := time.Now()
		keep := n < turnEvents && time.Since(began) < turnTime && stop.Err() == nil
		step, end := e.Hooks.Step(ctx, Step{What: "turn", Kind: string(t.Event.Kind), Key: t.Lease.Key, Session: t.Session.ID, Trace: traced(t.Session, t.Event).Trace})
		done, err := e.decide(step, t, keep)
		end(err)
		e.Hooks.Observe(Sample{What: "turn", Kind: string(t.Event.Kind), Result: outcomeOf(err), Took: time.Since(started)})
		if err != nil {
			e.turnFailed(ctx, t, err)
			return jobs
		}
		jobs = append(jobs, done.Jobs...)
		if done.Next == nil {
			return jobs
		}
		t = *done.Next
	}
}

// decide reads what the event needs to be judged, asks the policy and commits
// its answer.
func (e *Engine) decide(ctx context.Context, t Turn, keep bool) (Committed, error) {
	if t.Try > MaxTries {
		return Committed{}, errors.New("every try lost its worker")
	}
	ctx, meter := Metered(ctx)
	ev, err := e.asItStands(ctx, t.Event)
	if err == nil && !ev.Retracted {
		ev, err = e.withPermission(ctx, ev)
	}
	if err != nil {
		return Committed{}, err
	}
	var next Session
	var effects []Effect
	err = guarded(func() (err error) {
		next, effects, err = e.Policy.Advance(t.Session, ev, e.Now())
		return err
	})
	if err != nil {
		return Committed{}, fmt.Errorf("decide %s: %w", ev.Kind, err)
	}
	if next.Status == "" {
		next = Session{} // an answer to somebody, not a session
	} else {
		next = traced(next, ev)
		next.Requests = next.Requests.Plus(ev.Requests).Plus(meter.Requests())
	}
	done, err := e.Store.Commit(ctx, t.Lease, Commit{Event: ev.ID, Session: next, Effects: effects, Keep: keep})
	if err != nil {
		return Committed{}, fmt.Errorf("commit %s: %w", ev.Kind, err)
	}
	for _, f := range effects {
		if f.Audit != nil {
			e.Hooks.Audit(t.Lease.Key, *f.Audit)
		}
	}
	e.Hooks.Progress(Progress{Stage: StageTurn, Key: t.Lease.Key, Session: next, Event: ev.Kind})
	return done, nil
}

// traced has a session's work belong to the delivery that set it off last.
func traced(s Session, ev Event) Session {
	if ev.Trace != "" {
		s.Trace = ev.Trace
	}
	return s
}

// asItStands marks a command whose comment was deleted while it waited.
func (e *Engine) asItStands(ctx context.Context, ev Event) (Event, error) {
	if ev.Command == nil || ev.Command.Subject == "" || ev.Delivery == "" || e.Retracted == nil {
		return ev, nil
	}
	gone, err := e.Retracted(ctx, ev.Command.Subject)
	if err != nil {
		return ev, fmt.Errorf("see whether the comment is still there: %w", err)
	}
	ev.Retracted = gone
	return ev, nil
}

// withPermission fills in the actor's live standing. When GitHub cannot say,
// the event goes on as denied, with the reason.
func (e *Engine) withPermission(ctx context.Context, ev Event) (Event, error) {
	if e.Policy.NeedsPermission == nil || !e.Policy.NeedsPermission(ev) {
		return ev, nil
	}
	ev.Permission, ev.PermissionUnknown = PermNone, ""
	p, err := e.GitHub.Permission(ctx, ev.Repo, ev.Actor.Login)
	var wait *NotBefore
	switch {
	case err == nil:
		ev.Permission = p
	case ctx.Err() != nil:
		return ev, context.Cause(ctx)
	case errors.As(err, &wait) && wait.At.Sub(e.Now()) < time.Minute:
		return ev, wait
	default:
		e.Hooks.Observe(Sample{What: "permission", Kind: string(ev.Kind), Result: "failed"})
		ev.PermissionUnknown = err.Error()
	}
	return ev, nil
}

func (e *Engine) turnFailed(ctx context.Context, t Turn, cause error) {
	last, cancel := lastWord(ctx)
	defer cancel()
	var err error
	var wait *NotBefore
	switch {
	case errors.Is(cause, ErrStale):
	case ctx.Err() != nil:
		err = e.Store.YieldTurn(last, t.Lease)
	case errors.As(cause, &wait):
		err = e.Store.FailTurn(last, t.Lease, Setback{Event: t.Event.ID, Text: wait.Why, At: wait.At, Free: true})
		cause = nil
	case t.Try >= MaxTries:
		err = e.Store.FailTurn(last, t.Lease, e.buried(t, cause))
	default:
		at := e.Now().Add(e.Backoff(t.Try))
		err = e.Store.FailTurn(last, t.Lease, Setback{Event: t.Event.ID, Text: cause.Error(), At: at})
	}
	if err = errors.Join(cause, err); err != nil {
		e.Hooks.Log(LogLine{What: "turn", Key: t.Lease.Key, Err: err})
	}
}

// buried sends the event to the dead letters and tells the session, unless
// it is itself such a notice.
func (e *Engine) buried(t Turn, cause error) Setback {
	s := Setback{Event: t.Event.ID, Text: cause.Error(), Dead: true}
	if t.Event.Kind == EventDead {
		return s
	}
	s.Tell = &Event{
		ID: "dead:" + t.Event.ID, Kind: EventDead, At: e.Now(), Repo: t.Event.Repo, Issue: t.Lease.Key.Issue,
		Command: t.Event.Command,
		Failure: &Failure{Job: t.Event.ID, Kind: string(t.Event.Kind), Try: t.Try, Text: firstLine(cause.Error()), Last: true},
	}
	return s
}

func outcomeOf(err error) string {
	var wait *NotBefore
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, ErrStale):
		return "stale"
	case errors.As(err, &wait):
		return "wait"
	case errors.Is(err, errHandBack):
		return "yield"
	}
	return "failed"
}
