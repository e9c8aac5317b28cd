package githubsim

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestIDsAreGits builds the same history here and with the git binary and
// compares every object id.
func TestIDsAreGits(t *testing.T) {
	dir := t.TempDir()
	git := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.test", "GIT_AUTHOR_DATE=1772366400 +0000",
			"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.test", "GIT_COMMITTER_DATE=1772366400 +0000")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	files := map[string]string{
		"README.md": "# shop\n", "a/b.txt": "x", "a.txt": "beside the folder a\n", "a-b/c": "", "deep/er/est/file": "\x00binary",
	}
	git("", "init", "-q")
	for path, text := range files {
		full := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
	}
	git("", "add", "-A")
	wantTree := git("", "write-tree")
	first := git("first\n\nbody", "commit-tree", wantTree)
	second := git("second", "commit-tree", wantTree, "-p", first)

	o := newObjects()
	at := time.Unix(1772366400, 0).UTC()
	by := signature{Name: "Ann", Email: "ann@example.test", At: at}
	tree := o.putFiles(overlayText(o, nil, files))
	one := o.putCommit(commit{Tree: tree, Author: by, Committer: by, Message: "first\n\nbody"})
	two := o.putCommit(commit{Tree: tree, Parents: []string{one.SHA}, Author: by, Committer: by, Message: "second"})
	if diff := cmp.Diff([]string{wantTree, first, second}, []string{tree, one.SHA, two.SHA}); diff != "" {
		t.Errorf("ids (-git +ours):\n%s", diff)
	}
	if got, want := o.putBlob([]byte("# shop\n")), git("# shop\n", "hash-object", "--stdin"); got != want {
		t.Errorf("blob %s, git says %s", got, want)
	}
}

// TestFlattenRoundTrip: a tree made from files has those files.
func TestFlattenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newObjects()
		files := map[string]entry{}
		for _, path := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-c]/[a-c]{1,2}/f[0-9]`), rapid.ID).Draw(t, "paths") {
			files[path] = entry{Mode: modeFile, SHA: o.putBlob([]byte(path))}
		}
		if got := o.files(o.putFiles(files)); !maps.Equal(got, files) {
			t.Fatalf("got %v, want %v", got, files)
		}
	})
}

// TestDiffRebuilds: the lines of a diff rebuild both sides, numbered as they stand.
func TestDiffRebuilds(t *testing.T) {
	lines := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "d"}))
	rapid.Check(t, func(t *rapid.T) {
		before, after := lines.Draw(t, "before"), lines.Draw(t, "after")
		var old, now []string
		for _, l := range diffLines(before, after) {
			if l.Op != '+' {
				old = append(old, l.Text)
				if l.Old != len(old) {
					t.Fatalf("old line %d numbered %d", len(old), l.Old)
				}
			}
			if l.Op != '-' {
				now = append(now, l.Text)
				if l.New != len(now) {
					t.Fatalf("new line %d numbered %d", len(now), l.New)
				}
			}
		}
		if strings.Join(old, "\n") != strings.Join(before, "\n") || strings.Join(now, "\n") != strings.Join(after, "\n") {
			t.Fatalf("rebuilt %v and %v", old, now)
		}
	})
}

func TestPatch(t *testing.T) {
	numbered := func(n int, change map[int]string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			text, ok := change[i]
			if !ok {
				text = strings.Repeat("l", i)
			}
			if text != "" {
				b.WriteString(text + "\n")
			}
		}
		return b.String()
	}
	tests := []struct {
		name          string
		before, after string
		headers       []string
		inside        []int // new lines in the diff
		outside       []int
	}{
		{"added file", "", "a\nb\n", []string{"@@ -0,0 +1,2 @@"}, []int{1, 2}, []int{0, 3}},
		{"removed file", "a\nb\n", "", []string{"@@ -1,2 +0,0 @@"}, nil, []int{1}},
		{"one line of twenty", numbered(20, nil), numbered(20, map[int]string{10: "new"}), []string{"@@ -7,7 +7,7 @@"}, []int{7, 10, 13}, []int{6, 14}},
		{"two hunks", numbered(30, nil), numbered(30, map[int]string{3: "x", 25: ""}), []string{"@@ -1,6 +1,6 @@", "@@ -22,7 +22,6 @@"}, []int{1, 6, 22, 27}, []int{7, 21, 28}},
		{"near changes share a hunk", numbered(20, nil), numbered(20, map[int]string{5: "x", 11: "y"}), []string{"@@ -2,13 +2,13 @@"}, []int{2, 8, 14}, []int{1, 15}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			d := fileDiff{}
			d.fill([]byte(tc.before), []byte(tc.after))
			var headers []string
			for _, h := range d.Hunks {
				headers = append(headers, h.header())
			}
			if diff := cmp.Diff(tc.headers, headers); diff != "" {
				t.Errorf("hunks (-want +got):\n%s", diff)
			}
			for _, n := range tc.inside {
				if d.hunkOf("RIGHT", n) < 0 {
					t.Errorf("line %d is not in the diff", n)
				}
			}
			for _, n := range tc.outside {
				if d.hunkOf("RIGHT", n) >= 0 {
					t.Errorf("line %d is in the diff", n)
				}
			}
		})
	}
}
