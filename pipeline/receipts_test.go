package pipeline

import (
	"strings"
	"testing"
)

// TestSessionCommentIsKnown: what else is said on the issue goes out with the
// opening and is not taken for the comment that becomes the outcome.
func TestSessionCommentIsKnown(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle:spec-only")
	p.do(Event{Kind: EventCommand, Actor: Actor{ID: 2, Login: "octocat"}, Permission: PermWrite,
		Command: &Command{Verb: "help", Subject: "IC_1", Carrier: OnIssue, At: p.now}})
	p.deliver()
	for _, w := range p.sent {
		if ours := w.Kind == WriteComment && strings.Contains(w.Body, "has started in mode"); ours != (p.s.Posted.Comment == "N_"+w.Key) {
			t.Errorf("the session comment is %s: %.60q", p.s.Posted.Comment, w.Body)
		}
	}
}
