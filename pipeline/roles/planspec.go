package roles

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// What a plan is made from: the session's own documents, the specification
// that the start named, or an earlier session's that the repository holds.

const (
	sessionsRoot = ".workflow/.team"
	givenFiles   = 400
	givenSize    = 512 << 10
)

// basis is what the planner works from, and where it stands; text is what a
// document says that is not in the form of ours.
func (j *job) basis() (set *spec.Set, from, text string) {
	own := j.set()
	if len(own.Of(spec.KindReq, spec.KindStory)) > 0 || j.Source == nil {
		return own, "spec", ""
	}
	if at := path.Clean(j.Session.SpecPath); j.Session.SpecPath != "" && fs.ValidPath(at) {
		content, ok := readSmall(j.Source, at, givenSize)
		if !ok {
			return own, "spec", ""
		}
		if root, _, ok := cutLast(at, "/spec/"); ok && len(given(j.Source, root+"/spec").Of(spec.KindReq)) > 0 {
			return given(j.Source, root+"/spec"), root + "/spec", ""
		}
		one := spec.Parse([]spec.File{{Path: spec.TinyPath, Text: content}})
		if len(one.Of(spec.KindReq)) > 0 {
			return one, at, ""
		}
		return own, at, string(content)
	}
	if j.Session.Mode == pipeline.ImplOnly {
		if root := newest(j.Source); root != "" {
			return given(j.Source, root), root, ""
		}
	}
	return own, "spec", ""
}

// cutLast cuts a text around the last place of a part.
func cutLast(s, part string) (before, after string, ok bool) {
	at := strings.LastIndex(s, part)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(part):], true
}

// given reads the documents below a folder as those of a session.
func given(repo fs.FS, root string) *spec.Set {
	var found []spec.File
	// A folder that cannot be read holds nothing to plan from.
	_ = fs.WalkDir(repo, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(found) >= givenFiles {
			return nil
		}
		if content, ok := readSmall(repo, p, givenSize); ok && path.Ext(p) == ".md" {
			found = append(found, spec.File{Path: "spec/" + strings.TrimPrefix(p, root+"/"), Text: content})
		}
		return nil
	})
	return spec.Parse(found)
}

// newest is the spec folder of the latest session that the repository holds:
// session ids end in their date.
func newest(repo fs.FS) string {
	entries, err := fs.ReadDir(repo, sessionsRoot)
	if err != nil {
		return ""
	}
	var roots []string
	for _, e := range entries {
		root := path.Join(sessionsRoot, e.Name(), "spec")
		if info, err := fs.Stat(repo, root); err == nil && info.IsDir() {
			roots = append(roots, root)
		}
	}
	if len(roots) == 0 {
		return ""
	}
	return slices.MaxFunc(roots, func(a, b string) int { return strings.Compare(dated(a), dated(b)) })
}

var sessionDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}(?:-\d+)?/`)

func dated(root string) string { return sessionDate.FindString(root) + root }
