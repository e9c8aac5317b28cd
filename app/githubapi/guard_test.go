package githubapi

import (
	"errors"
	"testing"

	"parley/pipeline"
)

func TestGuard(t *testing.T) {
	commit := func(path string) pipeline.Write {
		return pipeline.Write{Kind: pipeline.WriteCommit, Files: []pipeline.FileChange{{Path: path}}}
	}
	on := func(kind pipeline.WriteKind, branch string) pipeline.Write {
		return pipeline.Write{Kind: kind, Branch: branch}
	}
	tests := []struct {
		name  string
		write pipeline.Write
		ok    bool
	}{
		{"a document", commit("spec/product-brief.md"), true},
		{"attributes", commit(".gitattributes"), true},
		{"above", commit("../other/x.md"), false},
		{"inside and out", commit("spec/../../x"), false},
		{"absolute", commit("/etc/passwd"), false},
		{"backslash", commit(`spec\..\..\x`), false},
		{"git's own", commit("a/.GIT/hooks/x"), false},
		{"git's own on windows", commit("a/.git. /x"), false},
		{"empty", commit(""), false},
		{"the folder itself", commit("."), false},
		{"control character", commit("a\nb"), false},
		{"deleted above", pipeline.Write{Kind: pipeline.WriteCommit, Deleted: []string{"../x"}}, false},
		{"appended above", pipeline.Write{Kind: pipeline.WriteCommit, Append: []pipeline.FileAppend{{Path: "../x"}}}, false},
		{"own branch", on(pipeline.WriteDelete, "lifecycle/TLS-a-7-2026-01-01"), true},
		{"default branch", on(pipeline.WriteCommit, "main"), false},
		{"the prefix alone", on(pipeline.WriteOpen, "lifecycle/"), false},
		{"dots", on(pipeline.WriteDelete, "lifecycle/../main"), false},
		{"no ref name", on(pipeline.WriteDelete, "lifecycle/a b"), false},
		{"lock", on(pipeline.WriteOpen, "lifecycle/a.lock"), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := pipeline.Session{ID: "TLS-a-7-2026-01-01", Settings: pipeline.DefaultSettings()}
			good := pipeline.Write{Kind: pipeline.WriteComment}
			n, err := guard(pipeline.Batch{Session: s, Writes: []pipeline.Write{good, test.write, good}})
			var refusal *pipeline.Refusal
			if (err == nil) != test.ok || (n == 3) != test.ok || n < 1 || err != nil && !errors.As(err, &refusal) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func FuzzInsideFolder(f *testing.F) {
	for _, seed := range []string{"spec/a.md", "../x", "a/./b", "a//b", ".git", "a\x00b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !insideFolder(path) {
			return
		}
		for at := range path {
			if path[at] == 0 || path[at] == '\\' {
				t.Fatalf("took %q", path)
			}
		}
		if path[0] == '/' || path == ".." || len(path) > 2 && path[:3] == "../" {
			t.Fatalf("took %q", path)
		}
	})
}
