package githubsim

import (
	"encoding/json"
	"net/http"
	"time"
)

func rawJSON(b []byte) json.RawMessage { return b }

// Exchange is one request on the API and its answer, whole.
type Exchange struct {
	Method string
	URL    string // path and query, without the mount's prefix
	Header http.Header
	Body   []byte

	Status       int
	AnswerHeader http.Header
	Answer       []byte
}

// Recorder sees exchanges as they end. It is called from the serving goroutine.
type Recorder interface {
	Record(Exchange)
}

// Request is one line of the world's request log.
type Request struct {
	At           time.Time
	Method       string
	Path         string
	Kind         string   // rest, graphql, token
	Operations   []string // root fields of a GraphQL request, in order
	Failed       []string // error types inside a GraphQL 200
	Status       int
	Created      int // content-creating calls in it, by GitHub's list, threads left out
	InThreads    int // replies and single line comments
	Installation int64
}

// Counts sums the request log: requests leaves token mints out, created counts
// pull requests, issues, comments and reviews, in-threads what was said in
// review threads besides.
type Counts struct {
	Requests, REST, GraphQL, Created, InThreads int
}

// Counts is how often the API was called since the world began.
func (w *World) Counts() Counts {
	var c Counts
	for _, r := range w.Requests() {
		c.Created += r.Created
		c.InThreads += r.InThreads
		switch r.Kind {
		case "rest":
			c.REST++
		case "graphql":
			c.GraphQL++
		}
	}
	c.Requests = c.REST + c.GraphQL
	return c
}

// Requests is the request log, oldest first.
func (w *World) Requests() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Request(nil), w.requests...)
}
