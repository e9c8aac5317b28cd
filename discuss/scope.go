package discuss

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"parley/pipeline"
)

// scope is what a round reads: the named artifact first, then the item files
// behind it.
type scope struct {
	folder  pipeline.Folder
	files   []string
	digests map[string]string
}

// newScope collects the texts of a round; ok is false when the artifact is not there.
func newScope(folder pipeline.Folder, r round, artifact string) (scope, bool) {
	text, ok := folder[artifact]
	if !ok {
		return scope{}, false
	}
	s := scope{folder: folder, files: []string{artifact}, digests: map[string]string{}}
	if r.Whole {
		s.files = append(s.files, specFiles(folder, artifact)...)
	} else {
		s.files = append(s.files, linked(folder, artifact, string(text))...)
	}
	for _, f := range s.files {
		s.digests[f] = digest(folder[f])
	}
	return s, true
}

// specFiles are all documents of the specification but one.
func specFiles(folder pipeline.Folder, but string) []string {
	var out []string
	for name := range folder {
		if name != but && isDocument(name) {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

func isDocument(name string) bool {
	return strings.HasPrefix(name, "spec/") && strings.HasSuffix(name, ".md") || name == discoveryPath
}

var mdLink = regexp.MustCompile(`\]\(<?([^)\s>#]+\.md)(?:#[^)\s>]*)?>?\)`)

// linked are the item files behind an artifact: everything beside an index,
// and what any other document links in its own item directory. Links that
// leave the directory are parents, not items.
func linked(folder pipeline.Folder, artifact, text string) []string {
	dir := path.Dir(artifact)
	beside := map[string]bool{}
	for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
		beside[path.Join(dir, m[1])] = true
	}
	index := path.Base(artifact) == "_index.md"
	var out []string
	for name := range folder {
		if name != artifact && path.Dir(name) == dir && isItem(name) && isDocument(name) && (index || beside[name]) {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// isItem keeps a brief from pulling in its neighbours: items live one
// directory below the spec.
func isItem(name string) bool { return strings.Count(name, "/") > 1 }

func (s scope) has(file string) bool { return slices.Contains(s.files, file) }

func (s scope) digest(file string) string { return s.digests[file] }

func (s scope) text(file string) (string, bool) {
	raw, ok := s.folder[file]
	return string(raw), ok
}
