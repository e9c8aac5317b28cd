package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Backend is one way to reach a model.
type Backend interface {
	// Ask makes one call. What went wrong is a fault with a class.
	Ask(ctx context.Context, c Call) (Answer, error)
	Model() string
}

// Call is one request to a backend.
type Call struct {
	System    string
	Turns     []Turn
	Schema    json.RawMessage // nil: Markdown
	MaxTokens int
}

// Speaker of a turn.
type Speaker string

const (
	User      Speaker = "user"
	Assistant Speaker = "assistant"
)

// Turn is one message of a conversation.
type Turn struct {
	By   Speaker
	Text string
}

// Answer is what came back.
type Answer struct {
	Text                      string
	InputTokens, OutputTokens int
	// CutOff: the answer ended at the token limit. Refused: the model declined.
	CutOff, Refused bool
}

// Classes of failure. Each has a test that shows the next step taken.
const (
	classOK       = "ok"
	classRefused  = "refused"
	classCutOff   = "cut-off"
	classEmpty    = "empty"
	classLanguage = "language"
	classInvalid  = "invalid"
	classRate     = "429"
	classServer   = "5xx"
	classTimeout  = "timeout"
	classBudget   = "budget"
	classAuth     = "auth"
	classLeak     = "leak"
	classTooLong  = "too-long"
)

// fault is a failed call or a refused answer.
type fault struct {
	class  string
	detail string
}

func (f *fault) Error() string { return f.class + ": " + f.detail }

// noPlace is the detail of a call that its backend's gate never let in.
const noPlace = "waited too long for a free place"

// unasked faults come before the call: nothing was asked, nothing was paid.
func (f *fault) unasked() bool { return f.class == classBudget || f.detail == noPlace }

// repairable faults are the model's to mend; the rest go to the next backend.
func (f *fault) repairable() bool {
	switch f.class {
	case classInvalid, classCutOff, classEmpty, classLanguage:
		return true
	}
	return false
}

// httpFault gives a status its class.
func httpFault(status int, detail string) *fault {
	detail = cut(detail, 300)
	switch {
	case status == http.StatusTooManyRequests:
		return &fault{classRate, detail}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &fault{classAuth, detail}
	case status >= 500:
		return &fault{classServer, fmt.Sprintf("%d %s", status, detail)}
	}
	return &fault{classRefused, fmt.Sprintf("%d %s", status, detail)}
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
