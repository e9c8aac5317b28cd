package roles

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
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
		if root := newest(j.Source, j.Session.Issue.Number); root != "" {
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

// newest is the spec folder of the latest session that the repository holds,
// one of the issue's own before all others: session ids end in the issue's
// number and their date, and from the second of a day on in a number.
func newest(repo fs.FS, issue int) string {
	entries, err := fs.ReadDir(repo, sessionsRoot)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if info, err := fs.Stat(repo, path.Join(sessionsRoot, e.Name(), "spec")); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return path.Join(sessionsRoot, slices.MaxFunc(names, func(a, b string) int { return cmp.Or(dated(a, issue).compare(dated(b, issue)), strings.Compare(a, b)) }), "spec")
}

// sessionDate is the end of a session's id.
var sessionDate = regexp.MustCompile(`(?:-(\d+))?-(\d{4}-\d{2}-\d{2})(?:-(\d+))?$`)

// session is what a session's id tells of when it was.
type session struct {
	own  bool // of the issue at hand
	date string
	nth  int
}

func dated(id string, issue int) session {
	m := sessionDate.FindStringSubmatch(id)
	if m == nil {
		return session{}
	}
	nth, _ := strconv.Atoi(m[3]) // none is the first
	return session{own: issue > 0 && m[1] == strconv.Itoa(issue), date: m[2], nth: nth}
}

func (s session) compare(o session) int {
	if s.own != o.own {
		if s.own {
			return 1
		}
		return -1
	}
	return cmp.Or(strings.Compare(s.date, o.date), cmp.Compare(s.nth, o.nth))
}
