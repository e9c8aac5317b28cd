package pipeline

import (
	"context"
	"time"
)

// Hooks let the composition root watch. Each may be nil and must not block.
type Hooks struct {
	Log      func(LogLine)
	Progress func(Progress)
	Observe  func(Sample)
	// Audit is told of every decision a person made, once it is committed.
	Audit func(Key, Decision)
	// Step begins a turn or a job: its context holds for all that is done in
	// it, and what is returned besides is called when it has ended.
	Step func(context.Context, Step) (context.Context, func(error))
}

func (h *Hooks) fill() {
	if h.Log == nil {
		h.Log = func(LogLine) {}
	}
	if h.Progress == nil {
		h.Progress = func(Progress) {}
	}
	if h.Observe == nil {
		h.Observe = func(Sample) {}
	}
	if h.Audit == nil {
		h.Audit = func(Key, Decision) {}
	}
	if h.Step == nil {
		h.Step = func(ctx context.Context, _ Step) (context.Context, func(error)) { return ctx, func(error) {} }
	}
}

// LogLine is an error at the place where it stops. A nil Err says that what
// failed before works again.
type LogLine struct {
	What string // turn, job, beat, tick, claim
	Key  Key
	Job  string
	Err  error
}

// Stage is a moment of a session that people may want to watch.
type Stage string

const (
	StageTaskStart Stage = "task-start"
	StageNote      Stage = "note"    // what a role or a panel is doing
	StageRound     Stage = "round"   // a verdict is in
	StageTaskDone  Stage = "task"    // an outcome is in
	StageRetry     Stage = "retry"   // a try failed, another follows
	StageTurn      Stage = "turn"    // an event was decided; Session is the new state
	StageDeliver   Stage = "deliver" // writes reached GitHub
)

// Progress is one such moment.
type Progress struct {
	Stage   Stage
	Key     Key
	Session Session
	Task    TaskID
	Round   Round
	Text    string
	Event   EventKind
	Verdict *Verdict
	Outcome *Outcome
	Took    time.Duration
}

// Sample is one measured step: a turn by event kind, or a job by kind, with
// what became of it (done, failed, dead, stale, wait, yield); a permission that
// could not be read; or a write that is looked for before it is sent again.
type Sample struct {
	What   string // turn, job, permission, readback
	Kind   string
	Result string
	Took   time.Duration
}

// Step is a turn about one event, or a job. Trace is what set it off.
type Step struct {
	What    string // turn, job
	Kind    string
	Key     Key
	Session string
	Task    TaskID
	Trace   string
}
