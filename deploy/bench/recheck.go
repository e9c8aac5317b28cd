package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
)

// rechecks plays one session twice with a stand-in for a model that counts its
// calls, the second time with a /recheck after the end: what that adds is what
// an unchanged specification costs.
func (b *bench) rechecks() error {
	var calls atomic.Int64
	server := httptest.NewServer(answering(&calls))
	defer server.Close()
	play := func(says ...string) (int64, error) {
		calls.Store(0)
		_, err := b.try([]string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + server.URL + "/v1"}, append([]string{"--models", "openai"}, says...)...)
		return calls.Load(), err
	}
	once, err := play()
	if err != nil {
		return err
	}
	again, err := play("--say", "/recheck")
	if err != nil {
		return err
	}
	if once == 0 {
		return fmt.Errorf("the model was never asked")
	}
	b.add(row{What: "recheck of an unchanged specification: model calls", Value: float64(again - once), Target: atMost(0), Note: fmt.Sprintf("the session itself made %d", once)})
	return nil
}

// answering speaks the chat protocol: to a question with a schema the least
// that satisfies it, otherwise one line of Markdown.
func answering(calls *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var asked struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) == 0 {
			http.Error(w, "not a question", http.StatusBadRequest)
			return
		}
		text := "- Nothing to add."
		for _, m := range asked.Messages {
			if answer, ok := least(m.Content); ok {
				text = answer
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"id": "c", "object": "chat.completion", "usage": map[string]int{"prompt_tokens": 7, "completion_tokens": 3},
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": text}}}})
	})
}

var echoed = regexp.MustCompile(`Set boundary_echo to (\w+)\.\n`)

// least is the smallest answer that a prompt's schema allows.
func least(prompt string) (string, bool) {
	m := echoed.FindStringSubmatchIndex(prompt)
	if m == nil {
		return "", false
	}
	var schema map[string]any
	if err := json.NewDecoder(strings.NewReader(prompt[m[1]:])).Decode(&schema); err != nil {
		return "", false
	}
	answer, ok := fill(schema).(map[string]any)
	if !ok {
		return "", false
	}
	answer["boundary_echo"] = prompt[m[2]:m[3]]
	raw, err := json.Marshal(answer)
	return string(raw), err == nil
}

func fill(schema map[string]any) any {
	if choices, ok := schema["enum"].([]any); ok {
		return choices[len(choices)-1]
	}
	properties, _ := schema["properties"].(map[string]any)
	switch schema["type"] {
	case "object":
		out := map[string]any{}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			property, _ := properties[fmt.Sprint(name)].(map[string]any)
			out[fmt.Sprint(name)] = fill(property)
		}
		return out
	case "array":
		items, _ := schema["items"].(map[string]any)
		return perID(items)
	case "boolean":
		return false
	case "integer", "number":
		return 1
	}
	return "none"
}

// perID is an empty list, or one entry for each id that the items may have.
func perID(items map[string]any) []any {
	out := []any{}
	properties, _ := items["properties"].(map[string]any)
	id, _ := properties["id"].(map[string]any)
	ids, _ := id["enum"].([]any)
	for _, one := range ids {
		entry, ok := fill(items).(map[string]any)
		if !ok {
			continue
		}
		entry["id"] = one
		out = append(out, entry)
	}
	return out
}
