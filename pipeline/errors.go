package pipeline

import (
	"errors"
	"fmt"
	"time"
)

var (
	ErrNotFound  = errors.New("not found")
	ErrStale     = errors.New("stale: somebody else moved it")
	ErrDuplicate = errors.New("duplicate")
	ErrFull      = errors.New("queue is full")
	// ErrGone is a repository, installation or pull request that is no longer ours to write to.
	ErrGone = errors.New("gone")
	// ErrForbidden is a permission the app lacks; the message names it.
	ErrForbidden = errors.New("forbidden")
	// ErrUnavailable is GitHub out of reach: no answer, a fault of its own, or
	// a key it does not take. No write is to blame for it.
	ErrUnavailable = errors.New("GitHub is out of reach")
	// ErrNoModel is returned by a Model when no backend is configured or every
	// one failed; the caller goes on by rules.
	ErrNoModel = errors.New("no model answered")
)

// Refusal is an error whose text may be shown to a person. It says what was
// refused, why, and what would work.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return r.Text }

// NotBefore is returned by an adapter that was told to wait. Nobody sleeps on
// it: the queue takes the work up again at At.
type NotBefore struct {
	At  time.Time
	Why string
}

func (n *NotBefore) Error() string {
	return fmt.Sprintf("not before %s: %s", n.At.UTC().Format(time.RFC3339), n.Why)
}
