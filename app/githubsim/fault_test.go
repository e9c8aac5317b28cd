package githubsim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestFaults: each fault once, whether the work was done, and that the call
// after it goes through.
func TestFaults(t *testing.T) {
	const comments = "/repos/acme/shop/issues/1/comments"
	tests := []struct {
		name   string
		fault  Fault
		status int // 0: the connection broke
		header map[string]string
		done   bool // the comment was posted all the same
	}{
		{"status", Fault{Status: 502}, 502, nil, false},
		{"status although done", Fault{Status: 502, Lost: true}, 502, nil, true},
		{"reset before", Fault{Before: true}, 0, nil, false},
		{"reset after", Fault{After: true}, 0, nil, true},
		{"truncated", Fault{Truncate: 20}, 0, nil, true},
		{"primary limit", Fault{Limit: LimitPrimary}, 403, map[string]string{"X-Ratelimit-Remaining": "0"}, false},
		{"primary limit as 429", Fault{Limit: LimitPrimary429}, 429, map[string]string{"X-Ratelimit-Remaining": "0"}, false},
		{"secondary limit", Fault{Limit: LimitSecondary, RetryAfter: 60}, 403, map[string]string{"Retry-After": "60"}, false},
		{"secondary limit without a time", Fault{Limit: LimitSecondary29}, 429, map[string]string{"Retry-After": ""}, false},
		{"by method", Fault{Method: "POST", Status: 500}, 500, nil, false},
		{"by path", Fault{Path: "/repos/*/*/issues/*/comments", Status: 500}, 500, nil, false},
		{"another path", Fault{Path: "/repos/*/*/pulls", Status: 500}, 201, nil, true},
		{"the second call", Fault{Skip: 1, Status: 500}, 201, nil, true},
		{"delayed", Fault{Delay: time.Millisecond}, 201, nil, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			token := b.token(nil)
			_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
			must(t, err)
			b.AddFault(tc.fault)
			req, err := http.NewRequest("POST", b.api+comments, strings.NewReader(`{"body":"hello"}`))
			must(t, err)
			req.Header.Set("Authorization", "Bearer "+token)
			status := 0
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
				if err == nil {
					status = resp.StatusCode
				}
				for k, v := range tc.header {
					if got := resp.Header.Get(k); got != v {
						t.Errorf("%s is %q, want %q", k, got, v)
					}
				}
			}
			if status != tc.status {
				t.Errorf("status %d, want %d", status, tc.status)
			}
			if done := len(b.Comments(At(testRepo, 1))) == 1; done != tc.done {
				t.Errorf("done: %v, want %v", done, tc.done)
			}
			b.ClearFaults()
			if status, _ := b.call("POST", comments, token, object{"body": "again"}); status != 201 {
				t.Errorf("the next call: %d", status)
			}
		})
	}
}

func TestStall(t *testing.T) {
	b := newBench(t)
	token := b.token(nil)
	b.AddFault(Fault{Stall: true})
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", b.api+"/repos/acme/shop", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	done := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(req)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a stalled call ended with %v", err)
	}
}

// TestGraphQLFaults: partial results and limits inside a 200.
func TestGraphQLFaults(t *testing.T) {
	b := newBench(t)
	token := b.token(nil)
	_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
	must(t, err)
	issue, err := b.Issue(At(testRepo, 1))
	must(t, err)
	mutation := `mutation($id: ID!) {
		a: addReaction(input: {subjectId: $id, content: EYES}) { reaction { content } }
		b: addComment(input: {subjectId: $id, body: "hello"}) { commentEdge { node { id } } } }`
	vars := map[string]any{"id": issue.NodeID}
	b.AddFault(Fault{Operation: "addReaction", Type: "FORBIDDEN", Message: "Resource not accessible by integration"})
	out := b.gql(token, mutation, vars)
	if len(out.Errors) != 1 || out.Errors[0].Type != "FORBIDDEN" || out.Data["a"] != nil || dig(out.Data, "b", "commentEdge", "node", "id") == nil {
		t.Errorf("partial: %+v", out)
	}
	b.AddFault(Fault{Operation: "addComment", Limit: LimitPrimary})
	out = b.gql(token, mutation, vars)
	if len(out.Errors) != 1 || out.Errors[0].Type != "RATE_LIMITED" || out.Data != nil {
		t.Errorf("limited: %+v", out)
	}
	b.Spend(b.inst.ID, "graphql", 0)
	if out = b.gql(token, mutation, vars); len(out.Errors) != 1 || out.Errors[0].Type != "RATE_LIMITED" {
		t.Errorf("spent: %+v", out)
	}
	if status, _ := b.call("GET", "/repos/acme/shop", token, nil); status != 200 {
		t.Errorf("the REST bucket is its own: %d", status)
	}
	must(t, b.Settle(t.Context())) // a delivery under way looks at the clock
	b.now = b.now.Add(59 * time.Minute)
	if out = b.gql(b.token(nil), mutation, vars); len(out.Errors) != 1 {
		t.Error("the hour is not over yet")
	}
	b.now = b.now.Add(2 * time.Minute)
	if out = b.gql(b.token(nil), mutation, vars); len(out.Errors) != 0 {
		t.Errorf("after the hour: %+v", out.Errors)
	}
}

// TestHookFaults: deliveries doubled, dropped, rearranged, spoilt, sent again.
func TestHookFaults(t *testing.T) {
	comment := func(b *bench, text string) {
		_, err := b.Comment("ann", At(testRepo, 1), text)
		must(b.t, err)
	}
	ready := func(t *testing.T) *bench {
		b := newBench(t)
		_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
		must(t, err)
		b.forget()
		return b
	}
	guids := func(b *bench) []string {
		b.heard()
		var out []string
		for _, r := range b.received {
			out = append(out, r.header.Get("X-GitHub-Delivery"))
		}
		return out
	}
	t.Run("copies keep their GUID", func(t *testing.T) {
		b := ready(t)
		b.FaultHook(HookFault{Event: "issue_comment", Copies: 2})
		comment(b, "one")
		if g := guids(b); len(g) != 3 || g[0] != g[2] {
			t.Errorf("guids %v", g)
		}
	})
	t.Run("dropped ones are in the log and can be sent again", func(t *testing.T) {
		b := ready(t)
		b.FaultHook(HookFault{Drop: true})
		comment(b, "one")
		if got := b.heard(); len(got) != 0 {
			t.Errorf("heard %v", got)
		}
		log := b.Deliveries()
		last := log[len(log)-1]
		must(t, b.Redeliver(last.ID))
		if g := guids(b); len(g) != 1 || g[0] != last.GUID {
			t.Errorf("guids %v, want %s", g, last.GUID)
		}
	})
	t.Run("held and reversed", func(t *testing.T) {
		b := ready(t)
		b.HoldHooks()
		comment(b, "one")
		must(t, b.Close("ann", At(testRepo, 1)))
		if got := b.heard(); len(got) != 0 {
			t.Errorf("heard %v while held", got)
		}
		b.ReleaseHooks(func(d []*Delivery) []*Delivery { slices.Reverse(d); return d })
		if diff := cmp.Diff([]string{"issues.closed", "issue_comment.created"}, b.heard()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a failed one shows in the app's log", func(t *testing.T) {
		b := ready(t)
		b.mu.Lock()
		b.answer = 503
		b.mu.Unlock()
		comment(b, "one")
		b.heard()
		resp, raw := b.send("GET", "/app/hook/deliveries?status=failure", b.jwt(), nil)
		if resp.StatusCode != 200 || !strings.Contains(string(raw), `"status_code":503`) || strings.Contains(string(raw), `"status_code":200`) {
			t.Errorf("%d %s", resp.StatusCode, raw)
		}
	})
	t.Run("truncated and unsigned", func(t *testing.T) {
		b := ready(t)
		b.FaultHook(HookFault{Truncate: 10, Unsigned: true})
		comment(b, "one")
		must(t, b.Settle(context.Background()))
		if len(b.received[0].body) != 10 || b.received[0].header.Get("X-Hub-Signature-256") != "" {
			t.Errorf("%d bytes, signature %q", len(b.received[0].body), b.received[0].header.Get("X-Hub-Signature-256"))
		}
	})
}
