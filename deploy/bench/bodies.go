package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// secret signs every delivery.
const secret = "a-secret-of-the-benchmark"

// body is a payload with its signature, made before the clock starts.
type body struct {
	text      []byte
	signature string
}

func sign(text []byte) body {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return body{text, "sha256=" + hex.EncodeToString(mac.Sum(nil))}
}

// labelled are deliveries of "issues labeled", one per issue, made from
// GitHub's own example.
func labelled(peers string, n int) ([]body, error) {
	example, err := exampleOf(peers, "issues", "labeled")
	if err != nil {
		return nil, err
	}
	example["installation"] = map[string]any{"id": 77, "node_id": "x"}
	example["label"].(map[string]any)["name"] = "lifecycle"
	issue := example["issue"].(map[string]any)
	var out []body
	for i := range n {
		issue["number"] = i + 1
		text, err := json.Marshal(example)
		if err != nil {
			return nil, err
		}
		out = append(out, sign(text))
	}
	return out, nil
}

// foreign are check runs of another app, most of what an organisation sends.
func foreign(peers string) ([]body, error) {
	example, err := exampleOf(peers, "check_run", "completed")
	if err != nil {
		return nil, err
	}
	example["installation"] = map[string]any{"id": 77, "node_id": "x"}
	text, err := json.Marshal(example)
	if err != nil {
		return nil, err
	}
	return []body{sign(text)}, nil
}

func exampleOf(peers, event, action string) (map[string]any, error) {
	path := filepath.Join(peers, "node_modules", "@octokit", "webhooks-examples", "api.github.com", "index.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("github's examples: %w", err)
	}
	var events []struct {
		Name     string           `json:"name"`
		Examples []map[string]any `json:"examples"`
	}
	if err := json.Unmarshal(raw, &events); err != nil {
		return nil, fmt.Errorf("github's examples: %w", err)
	}
	for _, e := range events {
		for _, example := range e.Examples {
			if e.Name == event && example["action"] == action && example["repository"] != nil && strings.Contains(fmt.Sprint(example["sender"]), "login") {
				return example, nil
			}
		}
	}
	return nil, fmt.Errorf("github's examples hold no %s %s", event, action)
}
