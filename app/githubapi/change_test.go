package githubapi

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

func TestCommitBody(t *testing.T) {
	key := "ev:1"
	line := "Parley-Write: " + mark(key)
	tests := []struct{ name, body, want string }{
		{"empty", "", line},
		{"text", "Refs #7\n", "Refs #7\n\n" + line},
		{"trailers", "Refs #7\n\nSigned-off-by: A <a@b>", "Refs #7\n\nSigned-off-by: A <a@b>\n" + line},
		{"a colon in prose", "What changed: a lot", "What changed: a lot\n\n" + line},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := commitBody(test.body, key)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatal(diff)
			}
			if !signed("headline\n\n"+got, key) || !signed(got, "") || signed(got, "ev:2") {
				t.Fatal("the trailer is not found, or another is")
			}
		})
	}
	if signed("quoting Parley-Write: "+mark(key), key) {
		t.Fatal("a trailer inside a line counted")
	}
}

// TestObjectIDs holds our blob and tree names against git's own.
func TestObjectIDs(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	files := map[string]string{"a.md": "x\n", "a/b.md": "", "a-b": "ä", "spec/requirements/_index.md": "# R\n", "spec/z": "z"}
	dir := t.TempDir()
	ids := map[string]string{}
	for path, text := range files {
		if path == "a.md" {
			path = "a0.md"
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		ids[path] = blobID([]byte(text))
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	if got, want := treeID(ids), git("write-tree"); got != want {
		t.Fatalf("tree %s, git says %s", got, want)
	}
}

func TestChangeResolves(t *testing.T) {
	stored := map[string][]byte{}
	put := func(text string) string {
		id := blobID([]byte(text))
		stored[id] = []byte(text)
		return id
	}
	s := pipeline.Session{ID: "TLS-a-7-2026-01-01", Settings: pipeline.DefaultSettings()}
	s.Manifest.Files = map[string]string{
		"wisdom/learnings.md": put("# Learnings"), "shared-memory.json": put(`{"a":1}`), "spec/a.md": put("old"), "old.md": put("bye")}
	r := newRun(nil, pipeline.Batch{Session: s, Blob: func(_ context.Context, id string) ([]byte, error) {
		text, ok := stored[id]
		if !ok {
			return nil, pipeline.ErrNotFound
		}
		return text, nil
	}})
	r.foreign = map[string]bool{"spec/b.md": true, "team-session.json": true}
	got, err := r.change(t.Context(), pipeline.Write{
		Files:   []pipeline.FileChange{{Path: "spec/a.md", Blob: put("new")}, {Path: "spec/b.md", Text: "ours"}, {Path: "team-session.json", Text: "{}"}},
		Append:  []pipeline.FileAppend{{Key: "1", Path: "wisdom/learnings.md", Text: "- x\n"}, {Key: "2", Path: "wisdom/learnings.md", Text: "- y\n"}, {Key: "3", Path: ".msg/messages.jsonl", Text: "{}\n"}},
		Memory:  []pipeline.Memory{{Key: "b", Value: `["x"]`}, {Key: "c", Value: "no json"}},
		Deleted: []string{"old.md", "never-there.md"},
	})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for path, text := range got.files {
		files[path] = string(text)
	}
	want := map[string]string{"spec/a.md": "new", "team-session.json": "{}", "wisdom/learnings.md": "# Learnings\n- x\n- y\n", ".msg/messages.jsonl": "{}\n",
		"shared-memory.json": "{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ],\n  \"c\": \"no json\"\n}\n"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"spec/b.md"}, got.conflicts); diff != "" {
		t.Error("conflicts", diff)
	}
	if diff := cmp.Diff([]string{"old.md"}, got.deleted); diff != "" {
		t.Error("deleted", diff)
	}
	if diff := cmp.Diff([]string{"1", "2", "3"}, got.applied); diff != "" {
		t.Error("applied", diff)
	}
	if string(stored[s.Manifest.Files["wisdom/learnings.md"]]) != "# Learnings" {
		t.Error("the stored text was written to")
	}
}

func TestUnits(t *testing.T) {
	of := func(kinds ...pipeline.WriteKind) []pipeline.Write {
		var ws []pipeline.Write
		for _, k := range kinds {
			ws = append(ws, pipeline.Write{Kind: k})
		}
		return ws
	}
	const commit, review, check, panel, react = pipeline.WriteCommit, pipeline.WriteReview, pipeline.WriteCheck, pipeline.WritePanel, pipeline.WriteReact
	tests := []struct {
		name string
		in   []pipeline.Write
		want [][]pipeline.Write
	}{
		{"a task", of(commit, review, check, panel, react), [][]pipeline.Write{of(commit), of(review, check, panel, react)}},
		{"two commits", of(commit, commit), [][]pipeline.Write{of(commit), of(commit)}},
		{"many heavy ones", of(review, review, review, review, review, check), [][]pipeline.Write{of(review, review, review, review, review), of(check)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, units(test.in)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}
