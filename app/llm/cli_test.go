package llm

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the vendors' tools printed and exited with, recorded from runs against a
// local server; make test-peers runs the tools themselves.
func TestCLICassettes(t *testing.T) {
	tests := []struct {
		name, tool     string
		stdout, stderr string
		code           int
		text, class    string
	}{
		{"answer", "claude", `{"type":"result","subtype":"success","is_error":false,"result":"pong","usage":{"input_tokens":5,"output_tokens":2}}`, "", 0, "pong", ""},
		{"wrong key, though it says success", "claude", `{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key - Fix external API key"}`, "", 1, "", classAuth},
		{"rate", "claude", `{"is_error":true,"api_error_status":429,"result":"rate"}`, "", 1, "", classRate},
		{"server", "claude", `{"is_error":true,"api_error_status":500,"result":"x"}`, "", 1, "", classServer},
		{"too long", "claude", `{"is_error":true,"api_error_status":400,"terminal_reason":"prompt_too_long","result":"too long"}`, "", 1, "", classRefused},
		{"silent server", "claude", `{"is_error":true,"result":"Request timed out"}`, "", 1, "", classTimeout},
		{"no key", "claude", `{"is_error":true,"result":"Not logged in - Please run /login"}`, "", 1, "", classAuth},
		{"rubbish", "claude", "Segmentation fault", "", 139, "", classServer},
		{"answer", "codex", `{"type":"thread.started"}` + "\n" + `{"type":"item.completed","item":{"type":"error","text":"unknown model"}}` + "\n" +
			`{"type":"item.completed","item":{"type":"agent_message","text":"pong"}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}`, "", 0, "pong", ""},
		{"wrong key", "codex", `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: no"}}`, "", 1, "", classAuth},
		{"rate", "codex", `{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}`, "", 1, "", classRate},
		{"server", "codex", `{"type":"turn.failed","error":{"message":"We're currently experiencing high demand"}}`, "", 1, "", classServer},
		{"no key", "codex", "{\"type\":\"turn.failed\",\"error\":{\"message\":\"Missing environment variable: `PEER_KEY`.\"}}", "", 1, "", classAuth},
		{"answer", "gemini-cli", `{"session_id":"s","response":"pong","stats":{"models":{"m":{"tokens":{"prompt":5,"candidates":1,"thoughts":1}}}}}`, "", 0, "pong", ""},
		{"wrong key", "gemini-cli", "", "Error when talking\n{\"error\":{\"message\":\"API key not valid\",\"code\":401}}", 145, "", classAuth},
		{"too long", "gemini-cli", "", "no JSON here", 144, "", classRefused},
		{"no key", "gemini-cli", "", `{"error":{"message":"Please set an Auth method","code":41}}`, 41, "", classAuth},
	}
	for _, tt := range tests {
		t.Run(tt.tool+"/"+tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"out": tt.stdout, "err": tt.stderr} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			script := fmt.Sprintf("#!/bin/sh\ncat %s/out\ncat %s/err >&2\nexit %d\n", dir, dir, tt.code)
			got, err := CLI(CLIConfig{Tool: tt.tool, Path: tool(t, dir, script), Key: "k", Model: "m"}).
				Ask(context.Background(), Call{System: "s", Turns: []Turn{{User, "say pong"}}})
			if tt.class != "" {
				if err == nil || asFault(err).class != tt.class {
					t.Errorf("error %v, want class %s", err, tt.class)
				}
				return
			}
			if err != nil || got.Text != tt.text || got.InputTokens != 5 || got.OutputTokens != 2 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func tool(t *testing.T, dir, script string) string {
	t.Helper()
	path := filepath.Join(dir, "tool")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two of the tools never end on a silent server: the deadline ends the whole
// process group, children that hold the pipes included.
func TestCLIDeadlineEndsTheGroup(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		alive, err := os.Open(pipe) // waits for the child of the tool
		cancel()
		if err == nil {
			_, err = io.Copy(io.Discard, alive) // ends with it
		}
		ended <- err
	}()
	_, err := CLI(CLIConfig{Tool: "codex", Path: tool(t, dir, "#!/bin/sh\nsleep 600 >'"+pipe+"' &\nsleep 600\n"), Key: "k", Model: "m"}).
		Ask(ctx, Call{Turns: []Turn{{User, "q"}}})
	if err == nil || ctx.Err() == nil {
		t.Fatalf("ended with %v", err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("a child of the tool lives on")
	}
}

func TestCLIOutputIsCapped(t *testing.T) {
	dir := t.TempDir()
	_, err := CLI(CLIConfig{Tool: "claude", Path: tool(t, dir, "#!/bin/sh\nhead -c 5000000 /dev/zero\n"), Key: "k", Model: "m"}).
		Ask(context.Background(), Call{Turns: []Turn{{User, "q"}}})
	if err == nil || !strings.Contains(err.Error(), "more than") {
		t.Fatalf("%v", err)
	}
}
