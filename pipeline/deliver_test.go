package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"parley/pipeline"
	"parley/pipeline/storetest"
)

// TestReplyThatCannotBePosted: what a session can do without stops neither it
// nor the commit behind; an outage gives nothing up.
func TestReplyThatCannotBePosted(t *testing.T) {
	tests := []struct {
		name  string
		cause error
		tries int32
		given string
	}{
		{"forbidden", fmt.Errorf("reply: %w", pipeline.ErrForbidden), 1, "reply kept false"},
		{"refused", errors.New("reply: unprocessable (422): validation failed"), pipeline.MaxTries, "reply kept false"},
		{"out of reach", fmt.Errorf("reply: %w", pipeline.ErrUnavailable), 2*pipeline.MaxTries + 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, store := newWorld(), storetest.NewMemory(storetest.Options{})
			var tries atomic.Int32
			w.deliver = func(_ context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
				if b.Writes[0].Kind == pipeline.WriteReply && tries.Add(1) <= 2*pipeline.MaxTries {
					return pipeline.Receipts{}, tt.cause
				}
				return receipts(b), nil
			}
			e := engine(w, store)
			e.Policy.Advance = replyThenCommit
			defer serve(t, e)()
			accept(t, store, startEvent(1))
			s := await(t, store, 1, ended)
			if s.Status != pipeline.SessionCompleted || s.ModeReason != tt.given || tries.Load() != tt.tries {
				t.Errorf("%s (%q) after %d tries", s.Status, s.ModeReason, tries.Load())
			}
			if letters, err := store.Dead(context.Background()); err != nil || len(letters) != 0 {
				t.Errorf("dead letters %+v (%v)", letters, err)
			}
		})
	}
}

// replyThenCommit is a policy that has two things to write.
func replyThenCommit(s pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
	switch ev.Kind {
	case pipeline.EventStart:
		s = pipeline.Session{Schema: 1, ID: "s", Repo: ev.Repo, Status: pipeline.SessionActive}
		s.Issue.Number = ev.Issue
		return s, []pipeline.Effect{
			{Write: &pipeline.Write{Key: "reply", Kind: pipeline.WriteReply}}, {Write: &pipeline.Write{Key: "commit", Kind: pipeline.WriteCommit}},
		}, nil
	case pipeline.EventRefused:
		s.ModeReason = fmt.Sprint(ev.Failure.Kind, " kept ", ev.Failure.Kept)
	case pipeline.EventFailed:
		s.Status = pipeline.SessionAborted
	case pipeline.EventDelivered:
		s.Status = pipeline.SessionCompleted
	}
	return s, nil, nil
}
