package githubapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// question is one GraphQL request.
type question struct {
	op        string
	doc       string
	variables any
	token     tokenKey
	content   int
	inThread  int
	gate      bool
	write     bool
	// optional are roots that may be NOT_FOUND.
	optional []string
}

// reply is its answer: with a mutation of several fields some may have failed.
type reply struct {
	data   json.RawMessage
	failed map[string]*Error // by alias; "" for an error that names none
	wait   error             // *pipeline.NotBefore, when a field met a limit
}

// read asks a query and decodes it whole: partial data is a failure.
func (c *Client) read(ctx context.Context, q question, out any) error {
	got, err := c.graph(ctx, q)
	if err != nil {
		return err
	}
	for at, e := range got.failed {
		if e.Kind == KindNotFound && slices.Contains(q.optional, at) {
			continue
		}
		return e
	}
	if err := json.Unmarshal(got.data, out); err != nil {
		return &Error{Kind: KindInvalid, Op: q.op, Message: err.Error()}
	}
	return nil
}

// readIn is read for what stands in one repository: where that is not there,
// or not ours to see, it is gone.
func (c *Client) readIn(ctx context.Context, q question, out any, there func() bool) error {
	err := c.read(ctx, q, out)
	if err == nil && !there() {
		err = &Error{Kind: KindNotFound, Op: q.op}
	}
	return gone(err)
}

type wireError struct {
	Type       string            `json:"type"`
	Message    string            `json:"message"`
	Path       []json.RawMessage `json:"path"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

// graph sends a document. The error is for a request that as a whole came to
// nothing; what single fields were refused for is in the reply.
func (c *Client) graph(ctx context.Context, q question) (reply, error) {
	body := struct {
		Query     string `json:"query"`
		Variables any    `json:"variables"`
	}{q.doc, q.variables}
	k := call{op: q.op, method: http.MethodPost, body: body, token: q.token, content: q.content, inThread: q.inThread, gate: q.gate, read: !q.write}
	got, err := c.send(ctx, k)
	if err != nil {
		return reply{}, err
	}
	var said struct {
		Data    json.RawMessage `json:"data"`
		Errors  []wireError     `json:"errors"`
		Message string          `json:"message"`
	}
	if err := json.Unmarshal(got.body, &said); err != nil {
		return reply{}, &Error{Kind: KindDown, Op: q.op, Status: got.status, Message: "the answer is not JSON"}
	}
	r := reply{data: said.Data, failed: map[string]*Error{}}
	for _, w := range said.Errors {
		e := w.typed(q.op, got)
		if e.Kind == KindRate {
			a := ask{installation: q.token.installation, resource: resourceGraphQL}
			r.wait = fmt.Errorf("%s: %w", q.op, c.limits.refused(ctx, a, got.header))
		}
		root := firstOf(w.Path)
		if r.failed[root] == nil {
			r.failed[root] = e
		}
	}
	if hasData(said.Data) {
		return r, nil
	}
	if r.wait != nil {
		return reply{}, r.wait
	}
	if !q.write || len(r.failed) == 0 || r.failed[""] != nil {
		if e := firstError(r.failed); e != nil {
			return reply{}, e
		}
		return reply{}, &Error{Kind: KindInvalid, Op: q.op, Status: got.status, Message: "no data: " + clip(said.Message)}
	}
	return r, nil
}

func (w wireError) typed(op string, got answer) *Error {
	typ := w.Type
	if typ == "" {
		typ = strings.ToUpper(w.Extensions.Code)
	}
	return &Error{Kind: kindOfType(typ, w.Message), Op: op, Type: typ, Path: pathText(w.Path),
		Message: clip(w.Message), Request: got.header.Get("X-GitHub-Request-Id")}
}

// hasData tells whether any root has a value: {"a":null} is none.
func hasData(data json.RawMessage) bool {
	var roots map[string]json.RawMessage
	if json.Unmarshal(data, &roots) != nil {
		return false
	}
	for _, v := range roots {
		if string(v) != "null" {
			return true
		}
	}
	return false
}

func firstError(failed map[string]*Error) *Error {
	roots := make([]string, 0, len(failed))
	for root := range failed {
		roots = append(roots, root)
	}
	slices.Sort(roots)
	for _, root := range roots {
		return failed[root]
	}
	return nil
}

func firstOf(path []json.RawMessage) string {
	var root string
	if len(path) > 0 && json.Unmarshal(path[0], &root) == nil {
		return root
	}
	return ""
}

func pathText(path []json.RawMessage) string {
	parts := make([]string, len(path))
	for n, p := range path {
		parts[n] = strings.Trim(string(p), `"`)
	}
	return strings.Join(parts, ".")
}

// field decodes one alias of a mutation's reply, or returns why it failed.
func (r reply) field(alias string, out any) error {
	if e := r.failed[alias]; e != nil {
		if e.Kind == KindRate && r.wait != nil {
			return r.wait
		}
		return e
	}
	var roots map[string]json.RawMessage
	if err := json.Unmarshal(r.data, &roots); err != nil && len(r.data) > 0 {
		return fmt.Errorf("read the reply: %w", err)
	}
	raw, ok := roots[alias]
	if !ok || string(raw) == "null" {
		if e := r.failed[""]; e != nil {
			return e
		}
		return errors.New("read the reply: nothing under " + alias)
	}
	return json.Unmarshal(raw, out)
}
