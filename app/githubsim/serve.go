package githubsim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is a response before it is written.
type answer struct {
	status int
	body   any // JSON; []byte is sent as it is; nil sends nothing
}

func errorAnswer(status int, message string) *answer {
	return &answer{status, object{"message": message, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(status)}}
}

// call is one request under way.
type call struct {
	w       *World
	caller  *caller
	method  string
	path    string
	request *http.Request
	body    []byte
	header  http.Header // of the answer
	created int
	threads int
	failed  []string
	vars    map[string]string
	fault   *Fault
}

// maxRequest bounds what a request's body may hold.
const maxRequest = 64 << 20

// Handler serves the API: REST at the root and under /api/v3, GraphQL at
// /graphql and /api/graphql, archives under /_codeload; and of the web pages
// the one that registers an app.
func (w *World) Handler() http.Handler {
	return http.HandlerFunc(w.serve)
}

func (w *World) serve(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxRequest))
	if err != nil {
		http.Error(rw, "body", http.StatusBadRequest)
		return
	}
	for _, pattern := range []string{"/settings/apps/new", "/organizations/{org}/settings/apps/new"} {
		if vars, ok := match(pattern, req.URL.Path); ok && req.Method == http.MethodPost {
			w.newApp(rw, vars["org"], req.URL.Query().Get("state"), body)
			return
		}
	}
	c := &call{w: w, method: req.Method, path: req.URL.EscapedPath(), request: req, body: body, header: http.Header{}}
	for _, prefix := range []string{"/api/v3", "/api"} {
		if rest, ok := strings.CutPrefix(c.path, prefix+"/"); ok {
			c.path = "/" + rest
			break
		}
	}
	entry := Request{Method: c.method, Path: c.path, Kind: "rest"}
	var document *graphqlRequest
	if c.path == "/graphql" {
		entry.Kind = "graphql"
		document = parseGraphQL(body)
		entry.Operations = document.roots()
	}
	if strings.HasSuffix(c.path, "/access_tokens") {
		entry.Kind = "token"
	}
	c.run(rw, entry, document)
}

// run applies the fault plan around the work itself.
func (c *call) run(rw http.ResponseWriter, entry Request, document *graphqlRequest) {
	w := c.w
	w.mu.Lock()
	c.fault = w.faultFor(c.method, c.path, entry.Operations)
	w.mu.Unlock()
	if c.fault == nil {
		c.fault = &Fault{}
	}
	wait(c.request.Context(), c.fault)
	if c.fault.Before {
		panic(http.ErrAbortHandler)
	}
	c.write(rw, c.answer(entry, document))
}

// answer does the work under the world's lock and enters it into the log. The
// lock is given back even where a defect of ours panics: a test should fail,
// not hang.
func (c *call) answer(entry Request, document *graphqlRequest) *answer {
	w := c.w
	w.mu.Lock()
	defer w.mu.Unlock()
	result := c.fault.refusal(c.header, w.now().Add(40*time.Minute), document != nil)
	if result == nil || c.fault.Lost {
		lost := result
		if result = c.limited(&entry); result == nil {
			result = c.work(document)
		}
		if lost != nil {
			result = lost
		}
	}
	entry.At, entry.Status, entry.Created = w.now(), result.status, c.created
	entry.InThreads, entry.Failed = c.threads, c.failed
	w.requests = append(w.requests, entry)
	w.touch()
	return result
}

// wait holds a call back as its fault says.
func wait(ctx context.Context, f *Fault) {
	if f.Stall {
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	}
	if f.Delay == 0 {
		return
	}
	timer := time.NewTimer(f.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// limited authenticates the call and takes it from the caller's bucket.
func (c *call) limited(entry *Request) *answer {
	switch {
	case strings.HasPrefix(c.path, "/_codeload/"):
		entry.Kind = "codeload" // another host; not part of the API
	case strings.HasPrefix(c.path, "/app-manifests/"): // the code says enough
	default:
		who, err := c.w.authenticate(c.request.Header.Get("Authorization"))
		if err != nil {
			return refused(err)
		}
		c.caller = who
	}
	if c.caller == nil || c.caller.inst == nil {
		return nil
	}
	entry.Installation = c.caller.inst.ID
	key := limitKey{c.caller.inst.ID, "core"}
	if entry.Kind == "graphql" {
		key.resource = "graphql"
	}
	l, ok := c.w.spend(key)
	c.w.limitHeaders(c.header, key, l)
	if ok {
		return nil
	}
	if entry.Kind == "graphql" {
		return &answer{200, object{"errors": []object{{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation ID " + fmt.Sprint(key.installation)}}}}
	}
	return errorAnswer(http.StatusForbidden, fmt.Sprintf("API rate limit exceeded for installation ID %d.", key.installation))
}

func (c *call) work(document *graphqlRequest) *answer {
	if document != nil {
		return c.graphql(document)
	}
	return c.rest()
}

// refused renders an error of the state.
func refused(err error) *answer {
	var r *refusal
	if !errors.As(err, &r) {
		return errorAnswer(http.StatusInternalServerError, err.Error())
	}
	a := errorAnswer(kinds[r.kind].status, r.message)
	switch {
	case len(r.details) == 0:
	case r.texts:
		texts := []string{}
		for _, d := range r.details {
			texts = append(texts, d.Message)
		}
		a.body.(object)["errors"] = texts
	default:
		a.body.(object)["errors"] = r.details
	}
	return a
}

func (c *call) write(rw http.ResponseWriter, a *answer) {
	raw, isRaw := a.body.([]byte)
	if !isRaw && a.body != nil {
		raw = mustJSON(a.body)
	}
	if c.w.cfg.Recorder != nil {
		c.w.cfg.Recorder.Record(Exchange{
			Method: c.method, URL: pathAndQuery(c), Header: c.request.Header.Clone(), Body: c.body,
			Status: a.status, AnswerHeader: c.header.Clone(), Answer: raw,
		})
	}
	if c.fault.After {
		panic(http.ErrAbortHandler)
	}
	for k, v := range c.header {
		rw.Header()[k] = v
	}
	rw.Header().Set("X-GitHub-Request-Id", newGUID())
	rw.Header().Set("Date", c.w.now().Format(http.TimeFormat))
	if a.body == nil {
		rw.WriteHeader(a.status)
		return
	}
	if rw.Header().Get("Content-Type") == "" {
		rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	if n := c.fault.Truncate; n > 0 && n < len(raw) {
		rw.Header().Set("Content-Length", fmt.Sprint(len(raw)))
		rw.WriteHeader(a.status)
		_, _ = rw.Write(raw[:n])
		panic(http.ErrAbortHandler)
	}
	rw.WriteHeader(a.status)
	_, _ = rw.Write(raw) // the client may have gone; nothing is left to do for it
}

func pathAndQuery(c *call) string {
	if c.request.URL.RawQuery == "" {
		return c.path
	}
	return c.path + "?" + c.request.URL.RawQuery
}

// decode reads the request's JSON body; an empty one is an empty object.
func (c *call) decode(into any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return refuse(badRequest, "Problems parsing JSON")
	}
	return nil
}
