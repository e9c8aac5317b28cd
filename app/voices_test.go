package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/discuss"
	"parley/pipeline"
)

// Q14: whatever a model's server does, the round comes to its verdict, every
// perspective says why it was judged by rules, and nothing of it is passed on.
func TestQ14RoundWithoutItsModel(t *testing.T) {
	const junk = "zzzz-not-an-answer"
	says := func(content, finish string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":%q}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`, content, finish)
		}
	}
	fails := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":{"message":"`+junk+`"}}`, code) }
	}
	for name, answer := range map[string]http.HandlerFunc{
		"429":             fails(429),
		"500":             fails(500),
		"truncated JSON":  says(`{"perspective":"quality","checks":[{"id":"`+junk, "length"),
		"empty":           says("", "stop"),
		"a refusal":       says(junk, "content_filter"),
		"5 MB":            says(strings.Repeat(junk, 5<<20/len(junk)), "stop"),
		"a rating of 11":  says(`{"perspective":"quality","rating":11,"summary":"`+junk+`"}`, "stop"),
		"a rating of NaN": says(`{"perspective":"quality","rating":NaN,"summary":"`+junk+`"}`, "stop"),
		"half a body": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"choices":[`)
		},
		"a body without end": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		},
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // so that the client's leaving is seen
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(answer)
			defer server.Close()
			keys := map[string]string{"OPENAI_API_KEY": "sk-test-0123456789", "OPENAI_BASE_URL": server.URL}
			model, err := LocalModel("openai", func(name string) (string, bool) { v, ok := keys[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			j, err := discuss.New(discuss.Config{Model: model, CallTimeout: 2 * time.Second}).Critique(context.Background(), pipeline.Review{
				Session: pipeline.Session{ID: "TLS-x", Language: "en", Settings: pipeline.DefaultSettings()}, Round: "DISCUSS-002", Now: time.Now(),
				Folder: pipeline.Folder{"spec/product-brief.md": []byte("# Brief\n\nCustomers must not pay twice.\n"), "spec/discovery-context.json": []byte("{}")},
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(j.Verdict.Opinions) < 3 || j.Verdict.Consensus == "" {
				t.Fatalf("no verdict: %+v", j.Verdict)
			}
			for _, o := range j.Verdict.Opinions {
				if !strings.HasPrefix(o.Source, "rules, after openai ") {
					t.Errorf("%s: %q", o.Perspective, o.Source)
				}
			}
			for path, text := range j.Text {
				if strings.Contains(string(text), junk) {
					t.Errorf("%s carries what the server sent", path)
				}
			}
		})
	}
}
