package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// defaultDeadline bounds a job whose spec names no deadline.
const defaultDeadline = 30 * time.Minute

// jobLoop takes jobs of one lane until stop ends. When a job ends, its
// session's next turn and next job are taken at once, on the same slot.
func (e *Engine) jobLoop(stop, work context.Context, lane Lane) {
	fails := 0
	for stop.Err() == nil {
		j, err := e.Store.NextJob(stop, lane)
		if err != nil {
			if stop.Err() == nil {
				e.Hooks.Log(LogLine{What: "claim", Err: err})
				fails++
				pause(stop, fails)
			}
			continue
		}
		fails = 0
		for next := &j; next != nil; {
			next = e.successor(stop, work, *next, lane)
		}
	}
}

// successor runs a job, then the turn it made due, and claims the first job
// of the same lane that the turn created. Other jobs go to whoever is free.
func (e *Engine) successor(stop, work context.Context, j Job, lane Lane) *Job {
	if !e.run(work, j) || stop.Err() != nil {
		return nil
	}
	t, err := e.Store.TakeTurn(work, j.Lease.Key)
	if err != nil {
		return nil // somebody else has it already
	}
	for _, id := range e.turn(stop, work, t) {
		next, err := e.Store.TakeJob(work, j.Lease.Key, id)
		if err != nil {
			continue
		}
		if LaneOf(next.Spec.Kind) == lane {
			return &next
		}
		if err := e.Store.YieldJob(work, next.Lease); err != nil {
			e.Hooks.Log(LogLine{What: "job", Key: j.Lease.Key, Job: id, Err: err})
		}
	}
	return nil
}

// run does one job and reports it; false when it did not finish.
func (e *Engine) run(work context.Context, j Job) bool {
	deadline := j.Spec.Deadline
	if deadline <= 0 {
		deadline = defaultDeadline
	}
	ctx, release := e.leases.hold(work, j.Lease, j.Spec.Kind == JobDeliver)
	defer release()
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()

	started := time.Now()
	step, end := e.Hooks.Step(ctx, Step{What: "job", Kind: string(j.Spec.Kind), Key: j.Lease.Key, Session: j.Session.ID, Task: j.Spec.Task, Trace: j.Session.Trace})
	finish, err := e.perform(step, j)
	if err == nil {
		err = e.Store.FinishJob(step, j.Lease, finish)
	}
	end(err)
	e.Hooks.Observe(Sample{What: "job", Kind: string(j.Spec.Kind), Result: outcomeOf(err), Took: time.Since(started)})
	if err != nil {
		e.jobFailed(ctx, j, err)
	}
	return err == nil
}

// perform does the work of one kind of job.
func (e *Engine) perform(ctx context.Context, j Job) (f Finish, err error) {
	if j.Try > MaxTries {
		return f, errors.New("every try lost its worker")
	}
	work := map[JobKind]func(context.Context, Job) (Event, error){
		JobPrepare: e.prepare, JobTask: e.task, JobEdited: e.edited, JobDiscuss: e.discuss, JobRebuild: e.rebuild, JobHead: e.headOf,
	}[j.Spec.Kind]
	err = guarded(func() error {
		if j.Spec.Kind == JobDeliver {
			f, err = e.deliver(ctx, j)
			return err
		}
		if work == nil {
			return fmt.Errorf("job kind %q is not known", j.Spec.Kind)
		}
		counted, meter := Metered(ctx)
		ev, err := work(counted, j)
		ev.ID, ev.At, ev.Repo, ev.Issue = eventID(j), e.Now(), j.Repo, j.Lease.Key.Issue
		ev.Requests, ev.Actor, ev.Job = meter.Requests(), j.Spec.Actor, j.Spec.ID
		f.Event = &ev
		return err
	})
	return f, err
}

// eventID is unique per job and try.
func eventID(j Job) string { return fmt.Sprintf("job:%s:%d", j.Spec.ID, j.Try) }

func (e *Engine) jobFailed(ctx context.Context, j Job, cause error) {
	last, cancel := lastWord(ctx)
	defer cancel()
	var err error
	var wait *NotBefore
	timeout := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	switch {
	case errors.Is(cause, ErrStale), errors.Is(context.Cause(ctx), ErrStale):
		cause = nil // cancelled, or another runner has it
	case ctx.Err() != nil && !timeout:
		err, cause = e.Store.YieldJob(last, j.Lease), nil
	case errors.As(cause, &wait):
		err = e.Store.FailJob(last, j.Lease, Setback{Text: wait.Why, At: wait.At, Free: true})
		cause = nil
	case j.Try >= MaxTries && errors.Is(cause, ErrUnavailable) && outlastsOutage[j.Spec.Kind]:
		err = e.Store.FailJob(last, j.Lease, Setback{Text: cause.Error(), At: e.Now().Add(e.Backoff(outageTry)), Free: true})
	case j.Try >= MaxTries:
		err = e.Store.FailJob(last, j.Lease, Setback{Text: cause.Error(), Dead: true, Tell: e.failed(j, cause, timeout)})
	default:
		e.Hooks.Progress(Progress{Stage: StageRetry, Key: j.Lease.Key, Session: j.Session, Task: j.Spec.Task, Text: firstLine(cause.Error())})
		err = e.Store.FailJob(last, j.Lease, Setback{Text: cause.Error(), At: e.Now().Add(e.Backoff(j.Try))})
	}
	if err = errors.Join(cause, err); err != nil {
		e.Hooks.Log(LogLine{What: "job", Key: j.Lease.Key, Job: j.Spec.ID, Err: err})
	}
}

// outlastsOutage are the jobs that are nothing but talk with GitHub: they wait
// for it however long it is away. A task's own job has a deadline instead.
var outlastsOutage = map[JobKind]bool{JobDeliver: true, JobPrepare: true, JobEdited: true, JobRebuild: true}

// outageTry is the try whose backoff, about a minute, an outage is waited out with.
const outageTry = 4

// failed is the event that tells a session of its job's last try.
func (e *Engine) failed(j Job, cause error, timeout bool) *Event {
	ev := FailedJob(j.Spec, j.Repo, j.Lease.Key.Issue, firstLine(cause.Error()))
	ev.At, ev.Failure.Try, ev.Failure.Timeout = e.Now(), j.Try, timeout
	return &ev
}

// FailedJob is the event of a job that no try could finish. A store sends it
// when every try lost its worker.
func FailedJob(s JobSpec, repo Repo, issue int, why string) Event {
	return Event{
		ID: "job:" + s.ID + ":failed", Kind: EventFailed, Repo: repo, Issue: issue, Actor: s.Actor, Head: s.Head, Command: s.Command, Job: s.ID,
		Failure: &Failure{Job: s.ID, Kind: string(s.Kind), Task: s.Task, Try: MaxTries, Text: why, Last: true},
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
