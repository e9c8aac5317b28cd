package githubsim

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault spoils matching calls on the API.
type Fault struct {
	// Method and Path choose REST calls; Path is a path.Match pattern whose
	// segments may be *, and "" matches every path. Operation chooses GraphQL
	// requests that hold this root field.
	Method    string
	Path      string
	Operation string
	Skip      int // let that many matching calls through first
	Times     int // how many calls; 0 means one, -1 means all

	// What goes wrong. The zero value of each leaves it alone.
	Delay    time.Duration
	Status   int    // answer with this status instead
	Message  string // of that answer
	Header   map[string]string
	Before   bool // reset the connection before anything is done
	After    bool // do it, then reset the connection instead of answering
	Lost     bool // do it, then answer Status all the same
	Truncate int  // cut the answer's body to that many bytes
	Stall    bool // never answer until the client goes away
	Limit    string
	// RetryAfter goes with Limit "secondary"; 0 sends no header.
	RetryAfter int
	// Type fails only the GraphQL field that Operation names, with this error
	// type and Message, and lets the rest of the request go through.
	Type string
}

// Limits a Fault can play.
const (
	LimitPrimary     = "primary"       // 403, nothing remaining
	LimitPrimary429  = "primary-429"   //
	LimitSecondary   = "secondary"     // 403 with Retry-After
	LimitSecondary29 = "secondary-429" //
)

// AddFault arms a fault; faults are tried in the order they were added.
func (w *World) AddFault(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	w.faults = append(w.faults, &f)
}

// ClearFaults disarms what is left.
func (w *World) ClearFaults() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// faultFor takes the first fault that matches a call; nil when none does.
func (w *World) faultFor(method, at string, operations []string) *Fault {
	for i, f := range w.faults {
		if !f.matches(method, at, operations) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.Times > 0 {
			f.Times--
			if f.Times == 0 {
				w.faults = slices.Delete(w.faults, i, i+1)
			}
		}
		return f
	}
	return nil
}

func (f *Fault) matches(method, at string, operations []string) bool {
	if f.Operation != "" {
		return slices.Contains(operations, f.Operation)
	}
	if f.Method != "" && !strings.EqualFold(f.Method, method) {
		return false
	}
	if f.Path == "" {
		return true
	}
	ok, err := path.Match(f.Path, at)
	return err == nil && ok
}

// refusal is what the fault answers instead; nil when the call goes through.
func (f *Fault) refusal(h http.Header, reset time.Time, graphql bool) *answer {
	for k, v := range f.Header {
		h.Set(k, v)
	}
	switch f.Limit {
	case LimitPrimary, LimitPrimary429:
		h.Set("X-RateLimit-Remaining", "0")
		h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
		if graphql && f.Limit == LimitPrimary {
			return &answer{200, object{"errors": []object{{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation."}}}}
		}
		return errorAnswer(f.limitStatus(), "API rate limit exceeded for installation.")
	case LimitSecondary, LimitSecondary29:
		if f.RetryAfter > 0 {
			h.Set("Retry-After", strconv.Itoa(f.RetryAfter))
		}
		return errorAnswer(f.limitStatus(), "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	}
	if f.Status == 0 {
		return nil
	}
	message := f.Message
	if message == "" {
		message = http.StatusText(f.Status)
	}
	return errorAnswer(f.Status, message)
}

func (f *Fault) limitStatus() int {
	if strings.HasSuffix(f.Limit, "-429") {
		return http.StatusTooManyRequests
	}
	return http.StatusForbidden
}
