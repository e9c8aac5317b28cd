package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// deliver sends what is in the session's outbox. Entries are marked before
// they are sent, so that whoever comes after a crash looks before it writes.
// What was made before an error is settled, the rest stays for the next job.
func (e *Engine) deliver(ctx context.Context, j Job) (Finish, error) {
	entries, err := e.Store.Entries(ctx, j.Lease)
	if err != nil {
		return Finish{}, fmt.Errorf("read the outbox: %w", err)
	}
	if len(entries) == 0 {
		return Finish{}, nil
	}
	batch := Batch{Session: j.Session, Again: map[string]bool{}, Blob: e.blob(j.Lease.Key), Keep: e.keepOne(j.Lease.Key)}
	if batch.Session.Repo.ID == 0 { // an answer where there is no session
		batch.Session.Repo, batch.Session.Issue.Number = j.Repo, j.Lease.Key.Issue
	}
	var keys []string
	for _, n := range entries {
		batch.Writes = append(batch.Writes, n.Write)
		keys = append(keys, n.Write.Key)
		if n.Again {
			batch.Again[n.Write.Key] = true
			e.Hooks.Observe(Sample{What: "readback", Kind: string(n.Write.Kind), Result: "again"})
		}
	}
	if err := e.keepTexts(ctx, j.Lease.Key, batch.Writes); err != nil {
		return Finish{}, err
	}
	if err := e.Store.Mark(ctx, j.Lease, keys); err != nil {
		return Finish{}, fmt.Errorf("mark the outbox: %w", err)
	}
	started := time.Now()
	done, err := e.GitHub.Deliver(e.leases.guard(ctx, j.Lease), batch)
	if err == nil {
		e.Hooks.Progress(Progress{Stage: StageDeliver, Key: j.Lease.Key, Session: j.Session, Text: fmt.Sprintf("%d writes", len(keys)), Took: time.Since(started)})
		return Finish{Event: e.delivered(j, done), Settled: keys}, nil
	}
	return e.partly(j, batch.Writes, done, err)
}

// partly settles what a broken delivery did make, and what can never be made.
func (e *Engine) partly(j Job, writes []Write, done Receipts, cause error) (Finish, error) {
	made := map[string]bool{}
	for _, r := range done.Done {
		made[r.Key] = true
	}
	var f Finish
	var rest []Write
	for _, w := range writes {
		if made[w.Key] {
			f.Settled = append(f.Settled, w.Key)
		} else {
			rest = append(rest, w)
		}
	}
	if given, ev := e.refused(j, rest, cause); ev != nil {
		ev.Receipts = &done
		f.Event, f.Settled = ev, append(f.Settled, given...)
		return f, nil
	}
	if len(f.Settled) == 0 {
		return f, cause
	}
	var wait *NotBefore
	f.Event, f.NotBefore = e.delivered(j, done), e.Now().Add(e.Backoff(1))
	if errors.As(cause, &wait) {
		f.NotBefore = wait.At
	}
	return f, nil
}

// refused tells that no further try makes what remains, and which of it is
// given up: an ornament after its last try, what a session can do without then
// or when GitHub forbids it, and what is forbidden where there is no session.
// The rest stays, for the session to set aside.
func (e *Engine) refused(j Job, rest []Write, cause error) (given []string, ev *Event) {
	if len(rest) == 0 {
		return nil, nil
	}
	var refusal *Refusal
	first, gone, nobody := rest[0], errors.Is(cause, ErrGone), j.Session.ID == ""
	spare := !nobody && !needed[first.Kind]
	switch forbidden := errors.Is(cause, ErrForbidden) || errors.As(cause, &refusal); {
	case gone && nobody:
		given = keysOf(rest)
	case forbidden && (nobody || spare), j.Try >= MaxTries && (first.Ornament || spare && !gone && !passing(cause)):
		given = keysOf(rest[:1])
	case !gone && !forbidden:
		return nil, nil
	}
	ev = e.own(j, EventRefused)
	ev.Failure = &Failure{Job: first.Key, Kind: string(first.Kind), Try: j.Try, Text: firstLine(cause.Error()), Last: true, Kept: given == nil}
	return given, ev
}

func keysOf(writes []Write) (keys []string) {
	for _, w := range writes {
		keys = append(keys, w.Key)
	}
	return keys
}

func (e *Engine) delivered(j Job, done Receipts) *Event {
	ev := e.own(j, EventDelivered)
	ev.Receipts, ev.Head = &done, done.Head
	return ev
}

func (e *Engine) own(j Job, kind EventKind) *Event {
	return &Event{ID: eventID(j), Kind: kind, At: e.Now(), Repo: j.Repo, Issue: j.Lease.Key.Issue}
}

func (e *Engine) blob(key Key) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, id string) ([]byte, error) {
		blobs, err := e.Store.GetBlobs(ctx, key, []string{id})
		if err != nil {
			return nil, fmt.Errorf("read blob %s: %w", id, err)
		}
		text, ok := blobs[id]
		if !ok {
			return nil, fmt.Errorf("blob %s: %w", id, ErrNotFound)
		}
		return text, nil
	}
}

func (e *Engine) keepOne(key Key) func(context.Context, []byte) error {
	return func(ctx context.Context, content []byte) error {
		return e.Store.PutBlobs(ctx, key, [][]byte{content})
	}
}

// keepTexts stores files that are written as text, so that the next task
// finds them without asking GitHub.
func (e *Engine) keepTexts(ctx context.Context, key Key, writes []Write) error {
	var texts [][]byte
	for _, w := range writes {
		for _, f := range w.Files {
			if f.Blob == "" {
				texts = append(texts, []byte(f.Text))
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	if err := e.Store.PutBlobs(ctx, key, texts); err != nil {
		return fmt.Errorf("keep the files: %w", err)
	}
	return nil
}
