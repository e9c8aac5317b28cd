package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// peer is a vendor's real tool and the wire it speaks.
type peer struct {
	tool, bin string
	base      string // what follows the server's address in the tool's setting
	path      string // of the request that asks the model
	key       func(http.Header) string
	system    func(body map[string]any) any
	tools     func(body map[string]any) any // what the model may call; should be nothing
	answer    string
}

var peers = []peer{
	{
		tool: "claude", bin: "claude", path: "/v1/messages",
		key:    func(h http.Header) string { return h.Get("X-Api-Key") },
		system: func(b map[string]any) any { return b["system"] },
		tools:  func(b map[string]any) any { return b["tools"] },
		answer: events("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":1}}}`,
			"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"pong"}}`,
			"content_block_stop", `{"type":"content_block_stop","index":0}`,
			"message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
			"message_stop", `{"type":"message_stop"}`),
	},
	{
		tool: "codex", bin: "codex", base: "/v1", path: "/v1/responses",
		key:    func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") },
		system: func(b map[string]any) any { return b["input"] },
		tools:  func(b map[string]any) any { return names(b["tools"], "name", "request_user_input") }, // headless runs refuse that one
		answer: events("response.created", `{"type":"response.created","response":{"id":"r"}}`,
			"response.output_item.done", `{"type":"response.output_item.done","item":{"type":"message","role":"assistant","id":"i","content":[{"type":"output_text","text":"pong"}]}}`,
			"response.completed", `{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":5,"input_tokens_details":null,"output_tokens":2,"output_tokens_details":null,"total_tokens":7}}}`),
	},
	{
		tool: "gemini-cli", bin: "gemini", path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
		key:    func(h http.Header) string { return h.Get("X-Goog-Api-Key") },
		system: func(b map[string]any) any { return b["systemInstruction"] },
		tools:  func(b map[string]any) any { return names(b["tools"], "functionDeclarations", "[]") },
		answer: "data: " + `{"candidates":[{"content":{"role":"model","parts":[{"text":"pong"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":7}}` + "\n\n",
	},
}

// names lists one field of each entry, without what is allowed.
func names(list any, field, allowed string) any {
	var out []any
	entries, _ := list.([]any)
	for _, e := range entries {
		m, _ := e.(map[string]any)
		if name := fmt.Sprint(m[field]); name != allowed {
			out = append(out, name)
		}
	}
	return out
}

func events(nameAndData ...string) string {
	var b strings.Builder
	for i := 0; i < len(nameAndData); i += 2 {
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", nameAndData[i], nameAndData[i+1])
	}
	return b.String()
}

// endpoint speaks one vendor's wire and remembers what it was asked.
type endpoint struct {
	peer   peer
	status int

	mu    sync.Mutex
	asked []map[string]any
	other []string
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body map[string]any
	e.mu.Lock()
	if err == nil && r.URL.Path == e.peer.path && json.Unmarshal(raw, &body) == nil && e.peer.key(r.Header) == "k-123" {
		e.asked = append(e.asked, body)
	} else {
		e.other = append(e.other, r.Method+" "+r.URL.Path)
	}
	e.mu.Unlock()
	if e.status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(e.status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"authentication_error","message":"told to refuse","code":%d,"status":"UNAUTHENTICATED"}}`, e.status)
		return
	}
	if body == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, e.peer.answer)
}

// canary is in the service's environment and in a file of its own; neither may
// reach a model.
const canary = "canary-of-the-service"

// TestRealTools runs the vendors' own command-line tools against servers here
// that speak their wires: the call reaches the model whole, nothing else does,
// and both an answer and a refusal are read right.
func TestRealTools(t *testing.T) {
	dir := os.Getenv("PARLEY_TEST_PEERS")
	if dir == "" {
		t.Skip("NOT RUN WITH THE VENDORS' REAL TOOLS: run make test-peers")
	}
	t.Setenv("PARLEY_WEBHOOK_SECRET", canary)
	for _, p := range peers {
		t.Run(p.tool, func(t *testing.T) {
			e := &endpoint{peer: p, status: http.StatusOK}
			server := httptest.NewServer(e)
			defer server.Close()
			b := CLI(CLIConfig{Tool: p.tool, Path: filepath.Join(dir, "node_modules", ".bin", p.bin), Key: "k-123", Base: server.URL + p.base, Model: "gemini-2.5-flash"})
			// A file of the service that a hostile issue names, in the words the
			// tools have for reading one.
			secret := filepath.Join(t.TempDir(), "app.pem")
			if err := os.WriteFile(secret, []byte(canary), 0o600); err != nil {
				t.Fatal(err)
			}
			call := Call{System: "You judge specs.", Turns: []Turn{{User, "/help\nsay pong ünï @" + secret + " and @../system.md"}}}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			got, err := b.Ask(ctx, call)
			if err != nil || got.Text != "pong" || got.InputTokens != 5 || got.OutputTokens != 2 {
				t.Errorf("answer %+v, %v; other requests %v", got, err, e.other)
			}
			e.check(t, call)
			e.mu.Lock()
			e.status = http.StatusUnauthorized
			e.mu.Unlock()
			if _, err := b.Ask(ctx, call); err == nil || asFault(err).class != classAuth {
				t.Errorf("a wrong key is %v", err)
			}
		})
	}
}

// check looks at what the model was asked.
func (e *endpoint) check(t *testing.T, call Call) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.asked) != 1 {
		t.Fatalf("the model was asked %d times; other requests %v", len(e.asked), e.other)
	}
	raw, err := json.Marshal(e.asked[0])
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(call.Turns[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), strings.Trim(string(quoted), `"`)) {
		t.Errorf("the prompt is not in the request: %s", raw)
	}
	if said := fmt.Sprint(e.peer.system(e.asked[0])); !strings.Contains(said, call.System) {
		t.Errorf("the system text is not in %q", said)
	}
	if strings.Contains(string(raw), canary) {
		t.Errorf("a secret of the service reached the model: %s", raw)
	}
	t.Logf("%d bytes asked, other requests %v", len(raw), e.other)
	if tools, is := e.peer.tools(e.asked[0]).([]any); is && len(tools) > 0 {
		t.Errorf("the model was offered tools: %.600v", tools)
	}
}
