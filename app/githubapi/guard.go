package githubapi

import (
	"fmt"
	"io/fs"
	"strings"

	"parley/pipeline"
)

// guard tells how many writes may go out before one that would leave the
// session's branch or folder, and why that one may not. The refusal is final:
// asking again will not help.
func guard(b pipeline.Batch) (int, error) {
	for n, w := range b.Writes {
		if err := guardRef(b.Session, w); err != nil {
			return n, err
		}
		for _, path := range touched(w) {
			if !insideFolder(path) {
				return n, &pipeline.Refusal{Text: fmt.Sprintf("I write only inside %s; %q is not in it.", b.Session.Folder(), path)}
			}
		}
	}
	return len(b.Writes), nil
}

// guardRef holds the writes that name a branch to the session's own.
func guardRef(s pipeline.Session, w pipeline.Write) error {
	switch w.Kind {
	case pipeline.WriteOpen, pipeline.WriteCommit, pipeline.WriteDelete:
	default:
		return nil
	}
	branch := branchOf(s, w)
	prefix := s.Settings.BranchPrefix
	rest, inside := strings.CutPrefix(branch, prefix)
	if prefix == "" || !inside || rest == "" || !plainRef(branch) || branch == s.Repo.DefaultBranch {
		return &pipeline.Refusal{Text: fmt.Sprintf("I write only to branches under %q; %q is not one.", prefix, branch)}
	}
	return nil
}

func branchOf(s pipeline.Session, w pipeline.Write) string {
	if w.Branch != "" {
		return w.Branch
	}
	return s.Branch()
}

// plainRef is git's own rule for names, and a little stricter.
func plainRef(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasPrefix(part, "-") || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	bad := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) }
	return !strings.ContainsFunc(name, bad) && !strings.Contains(name, "..") && !strings.Contains(name, "@{")
}

// insideFolder takes plain relative paths only. A part named .git, however it
// is written, is what git itself would refuse.
func insideFolder(path string) bool {
	if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, "\\:\x00") {
		return false
	}
	for _, part := range strings.Split(path, "/") {
		if strings.EqualFold(strings.TrimRight(part, ". "), ".git") {
			return false
		}
	}
	return strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

func touched(w pipeline.Write) []string {
	var paths []string
	for _, f := range w.Files {
		paths = append(paths, f.Path)
	}
	for _, a := range w.Append {
		paths = append(paths, a.Path)
	}
	return append(paths, w.Deleted...)
}
