package handlers

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Every payload of GitHub's own examples is stored or ignored by its handler.
// The ones without an installation are examples of repository hooks; they get
// one, so that they are read to the end.
func TestGitHubsExamples(t *testing.T) {
	dir := os.Getenv("PARLEY_TEST_PEERS")
	if dir == "" {
		t.Skip("NOT CHECKED AGAINST GITHUB'S EXAMPLES: run make test-peers")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "node_modules", "@octokit", "webhooks-examples", "api.github.com", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Name     string                       `json:"name"`
		Examples []map[string]json.RawMessage `json:"examples"`
	}
	if err := json.Unmarshal(raw, &events); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, in := range intakes {
		known[in.event] = true
	}
	stored, ignored := 0, 0
	for _, event := range events {
		if !known[event.Name] {
			continue
		}
		for i, example := range event.Examples {
			if example["installation"] == nil {
				example["installation"] = json.RawMessage(`{"id":3}`)
			}
			payload, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			switch err := deliver(t, testConfig(&inbox{}), event.Name, string(payload)); {
			case err == nil:
				stored++
			case errors.Is(err, ErrIgnored):
				ignored++
			default:
				t.Errorf("%s %d: %v", event.Name, i, err)
			}
		}
	}
	if stored == 0 || ignored == 0 {
		t.Errorf("%d stored, %d ignored: the examples were not read", stored, ignored)
	}
	t.Logf("%d stored, %d ignored", stored, ignored)
}
