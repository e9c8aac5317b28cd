package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// vendor is a local server that speaks one wire protocol.
type vendor struct {
	name    string
	path    string
	key     func(http.Header) string
	answer  func(text, stop string) string
	cut     string // the stop reason of an answer at the limit
	refused string
	make    func(url string) (Backend, error)
	system  func(body map[string]any) string
}

var vendors = []vendor{
	{
		name: "anthropic", path: "/v1/messages", key: func(h http.Header) string { return h.Get("X-Api-Key") },
		answer: func(text, stop string) string {
			return fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%q}],"stop_reason":%q,"usage":{"input_tokens":7,"output_tokens":3}}`, text, or(stop, "end_turn"))
		},
		cut: "max_tokens", refused: "refusal",
		make:   func(url string) (Backend, error) { return Anthropic("k-123", url, "m", http.DefaultClient), nil },
		system: func(b map[string]any) string { return fmt.Sprint(b["system"]) },
	},
	{
		name: "openai", path: "/v1/chat/completions", key: func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") },
		answer: func(text, stop string) string {
			return fmt.Sprintf(`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":%q}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`, text, or(stop, "stop"))
		},
		cut: "length", refused: "content_filter",
		make:   func(url string) (Backend, error) { return OpenAI("k-123", url+"/v1", "m", http.DefaultClient), nil },
		system: func(b map[string]any) string { return fmt.Sprint(b["messages"]) },
	},
	{
		name: "gemini", path: "/v1beta/models/m:generateContent", key: func(h http.Header) string { return h.Get("X-Goog-Api-Key") },
		answer: func(text, stop string) string {
			return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":%q}]},"finishReason":%q}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"thoughtsTokenCount":1}}`, text, or(stop, "STOP"))
		},
		cut: "MAX_TOKENS", refused: "SAFETY",
		make:   func(url string) (Backend, error) { return Gemini("k-123", url, "m", http.DefaultClient) },
		system: func(b map[string]any) string { return fmt.Sprint(b["systemInstruction"]) },
	},
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func TestWireProtocols(t *testing.T) {
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			var asked map[string]any
			status, body := 200, ""
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != v.path || v.key(r.Header) != "k-123" {
					t.Errorf("%s %s with key %q", r.Method, r.URL.Path, v.key(r.Header))
				}
				raw, err := io.ReadAll(r.Body)
				if err != nil || json.Unmarshal(raw, &asked) != nil {
					t.Errorf("body %s: %v", raw, err)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				io.WriteString(w, body)
			}))
			defer srv.Close()
			b, err := v.make(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			call := Call{System: "You judge.", Turns: []Turn{{User, "one"}, {Assistant, "two"}, {User, "three"}}, Schema: ratingSchema, MaxTokens: 99}

			body = v.answer(`{"rating":4}`, "")
			got, err := b.Ask(context.Background(), call)
			if err != nil || got.Text != `{"rating":4}` || got.InputTokens != 7 || got.OutputTokens != 3 || got.CutOff || got.Refused {
				t.Errorf("answer %+v, %v", got, err)
			}
			if !strings.Contains(v.system(asked), "You judge.") {
				t.Errorf("system text is not in %v", asked)
			}
			body = v.answer(`{"rat`, v.cut)
			if got, err = b.Ask(context.Background(), call); err != nil || !got.CutOff {
				t.Errorf("cut-off: %+v, %v", got, err)
			}
			body = v.answer("", v.refused)
			if got, err = b.Ask(context.Background(), call); err != nil || !got.Refused {
				t.Errorf("refusal: %+v, %v", got, err)
			}
			for code, class := range map[int]string{401: classAuth, 403: classAuth, 429: classRate, 500: classServer, 503: classServer, 400: classRefused} {
				status, body = code, `{"error":{"type":"x","message":"told to","code":`+fmt.Sprint(code)+`,"status":"X"}}`
				if _, err := b.Ask(context.Background(), call); asFault(err).class != class {
					t.Errorf("%d: class %q (%v), want %q", code, asFault(err).class, err, class)
				}
			}
		})
	}
}

func TestReadObject(t *testing.T) {
	tests := []struct{ name, in, want, err string }{
		{"plain", `{"a":1}`, `{"a":1}`, ""},
		{"fenced", "```json\n{\"a\":1}\n```", `{"a":1}`, ""},
		{"prose around it", "Sure!\n{\"a\":1}\nHope that helps {x}", `{"a":1}`, ""},
		{"echo is taken out", `{"a":1,"boundary_echo":"e"}`, `{"a":1}`, ""},
		{"wrong echo", `{"a":1,"boundary_echo":"x"}`, "", `boundary_echo must be "e"`},
		{"cut off", `{"a":[1,2`, "", "does not parse"},
		{"twice", `{"a":{"b":1,"b":2}}`, "", `"b" stands twice`},
		{"the same key in two objects", `{"a":{"b":1},"c":{"b":2}}`, `{"a":{"b":1},"c":{"b":2}}`, ""},
		{"a value like a key", `{"a":"b","b":"a"}`, `{"a":"b","b":"a"}`, ""},
		{"an array", `[1]`, "", "no JSON object"},
		{"nothing", `four`, "", "no JSON object"},
		{"deep", strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), "", "nested deeper"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := readObject(tt.in, "e")
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %s, %v; want %s, %q", got, err, tt.want, tt.err)
			}
		})
	}
	if got := stripThinking("<think>{\"a\":0}</think>{\"a\":1}"); got != `{"a":1}` {
		t.Errorf("thinking stays: %s", got)
	}
	if got := stripFence("```markdown\n# A\n```"); got != "# A" {
		t.Errorf("fence stays: %s", got)
	}
}

func FuzzReadObject(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "```json\n{}", `{"a":{"a":[{"a":"b"}]}}`, `}{`, "{\x00}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, _, err := readObject(stripThinking(s), "e")
		if err == nil && !json.Valid([]byte(out)) {
			t.Errorf("accepted %q as %q", s, out)
		}
	})
}
