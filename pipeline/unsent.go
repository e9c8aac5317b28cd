package pipeline

import (
	"context"
	"errors"
	"slices"
)

// A write that GitHub will not have must neither be lost nor tried for ever:
// what the outbox holds is set aside, a person is told past it, and whatever
// lets the session go on, or the operator's retry, has it sent again.

// needed are the writes that no session can do without: its documents.
var needed = map[WriteKind]bool{WriteOpen: true, WriteCommit: true}

// onTheBranch are the writes that make the branch or speak of what is on it:
// they wait behind what was set aside.
var onTheBranch = map[WriteKind]bool{
	WriteOpen: true, WriteCommit: true, WriteReview: true, WriteReply: true, WriteResolve: true, WriteUnresolve: true,
	WriteReady: true, WriteDelete: true,
}

// undelivered takes the report of a delivery's last try where there is no
// session, or none any more: nobody is left to ask.
func undelivered(t *turn) error {
	if f := t.ev.Failure; f != nil && JobKind(f.Kind) == JobDeliver {
		return t.setAside(f.Text)
	}
	t.unchanged = true
	return nil
}

// setAside takes the outbox out of the way and asks a person, once.
func (t *turn) setAside(why string) error {
	t.effects = append(t.effects, Effect{Aside: true})
	if t.s.ID == "" || t.s.Unsent {
		t.unchanged = true
		return nil
	}
	t.s.Unsent = true
	t.warn("GitHub did not take what was to be written: " + why)
	if t.s.Status == SessionActive || t.s.Status == SessionCompleted && !t.s.PR.Closed && !t.s.PR.Merged {
		t.pause(WaitUnsent, t.s.unfinished(), why)
		t.notice = t.notice || t.s.unopened() // nothing else would say so
	}
	t.show()
	return nil
}

// sendAgain has what was set aside sent before anything else.
func (t *turn) sendAgain() bool {
	if !t.s.Unsent {
		return false
	}
	t.s.Unsent = false
	t.effects = append(t.effects, Effect{Again: true})
	t.show()
	return true
}

// arrived goes on when what was set aside came through by the operator's hand.
func (t *turn) arrived(r Receipts) {
	if !slices.ContainsFunc(r.Done, func(d Receipt) bool { return onTheBranch[d.Kind] }) || !t.sendAgain() {
		return
	}
	if t.s.Wait != nil && t.s.Wait.Reason == WaitUnsent {
		t.activate()
		t.next()
	}
}

// dropAside forgets what was set aside, when its session is not there any more
// to want it: the next one of the issue must not send it as its own.
func (t *turn) dropAside() {
	if t.s.Unsent {
		t.effects = append(t.effects, Effect{Drop: true})
	}
}

// passing tells a failure that says nothing against the write that met it.
func passing(cause error) bool {
	var wait *NotBefore
	return errors.As(cause, &wait) || errors.Is(cause, ErrUnavailable) || errors.Is(cause, ErrStale) || errors.Is(cause, context.Canceled)
}

// Droppable refuses the letter of writes that a session still waits for: with
// them it would lose documents, and nobody would tell it.
func (l DeadLetter) Droppable(s Session) error {
	if l.What == "job" && l.Kind == string(JobDeliver) && s.Unsent && (s.Status == SessionActive || s.Status == SessionPaused) {
		return no("%s is what session %s still has to write, and the session waits for it. Retry it, or end the session with `/cancel` on issue %d first.", l.ID, s.ID, l.Key.Issue)
	}
	return nil
}

// unopened tells a session whose pull request could not be made: only its
// issue can show anything.
func (s *Session) unopened() bool { return s.Unsent && s.PR.Number == 0 }
