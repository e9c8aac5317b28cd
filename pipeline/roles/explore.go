package roles

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

// exploreVersion is part of the cache key: raise it when exploring changes
// what it finds.
const exploreVersion = "2"

const (
	cacheIndex   = "explorations/cache-index.json"
	filesLimit   = 20000
	sourceSize   = 256 << 10
	readBudget   = 24 << 20
	relevantMost = 20
)

// CacheIndex lists the explorations of the session.
type CacheIndex struct {
	Entries []CacheEntry `json:"entries"`
}

// CacheEntry is found again by its key: angle, query, commit and tool version.
type CacheEntry struct {
	Angle     string    `json:"angle"`
	Keywords  []string  `json:"keywords"`
	File      string    `json:"file"`
	Key       string    `json:"key"`
	Commit    string    `json:"commit"`
	Tool      string    `json:"tool_version"`
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	FileCount int       `json:"file_count"`
}

// Exploration is one explore-<angle>.json.
type Exploration struct {
	Angle        string          `json:"angle"`
	Query        string          `json:"query"`
	Files        []RelevantFile  `json:"relevant_files"`
	Patterns     []Pattern       `json:"patterns"`
	Dependencies []FileLink      `json:"dependencies"`
	External     []ExternalRef   `json:"external_refs"`
	Metadata     ExploreMetadata `json:"_metadata"`
}

// RelevantFile is one file that concerns the issue, and why.
type RelevantFile struct {
	Path      string   `json:"path"`
	Relevance float64  `json:"relevance"`
	Rationale string   `json:"rationale"`
	Role      string   `json:"role"`
	Source    string   `json:"discovery_source"`
	Symbols   []string `json:"key_symbols"`
}

// Pattern is a habit of the code base.
type Pattern struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
}

// FileLink says that one file imports another part of the repository.
type FileLink struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// ExternalRef is a dependency in use.
type ExternalRef struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Usage   string `json:"usage"`
}

// ExploreMetadata says how the result came about.
type ExploreMetadata struct {
	CreatedBy string    `json:"created_by"`
	Timestamp time.Time `json:"timestamp"`
	CacheKey  string    `json:"cache_key"`
	Sources   []string  `json:"search_sources"`
	Scanned   int       `json:"total_files_scanned"`
	Relevant  int       `json:"relevant_file_count"`
	Partial   bool      `json:"partial,omitempty"`
}

// explorer answers questions about the repository, from the cache where it can.
type explorer struct {
	repo   fs.FS
	commit string
	by     pipeline.Role
	now    time.Time
	folder pipeline.Folder

	files []string // listed once
	part  bool     // more files than are read
	index CacheIndex
	text  map[string][]byte // what is to be written
	hits  int
	made  int
}

func newExplorer(a pipeline.Assignment) *explorer {
	x := &explorer{repo: a.Source, commit: a.Session.PR.BaseHead, by: a.Task.Owner, now: a.Now.UTC(), folder: a.Folder, text: map[string][]byte{}}
	if text, ok := a.Folder[cacheIndex]; ok && json.Unmarshal(text, &x.index) != nil {
		x.index = CacheIndex{} // a corrupt index is an empty one
	}
	before := len(x.index.Entries)
	x.index.Entries = slices.DeleteFunc(x.index.Entries, func(e CacheEntry) bool { return a.Folder[e.File] == nil })
	if _, ok := a.Folder[cacheIndex]; !ok || before != len(x.index.Entries) {
		x.save()
	}
	return x
}

func (x *explorer) save() {
	if x.index.Entries == nil {
		x.index.Entries = []CacheEntry{}
	}
	x.text[cacheIndex] = toJSON(x.index)
}

// skipped folders hold nobody's own code.
var skipped = wordSet(`.git node_modules vendor dist build target .venv venv __pycache__ .next .idea .vscode coverage third_party .workflow bin obj`)

// list names the repository's files, in order.
func (x *explorer) list() []string {
	if x.files != nil || x.repo == nil {
		return x.files
	}
	x.files = []string{}
	// A folder that cannot be read is left out: exploring never stops a session.
	_ = fs.WalkDir(x.repo, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if skipped[d.Name()] {
				return fs.SkipDir
			}
			return nil
		}
		if len(x.files) >= filesLimit {
			x.part = true
			return fs.SkipAll
		}
		x.files = append(x.files, p)
		return nil
	})
	return x.files
}

// explore looks at the repository from one angle.
func (x *explorer) explore(angle, query string) (Exploration, bool) {
	sum := sha256.Sum256([]byte(angle + "\x00" + query + "\x00" + x.commit + "\x00" + exploreVersion))
	key := hex.EncodeToString(sum[:8])
	at := slices.IndexFunc(x.index.Entries, func(e CacheEntry) bool { return e.Angle == angle })
	if at >= 0 && x.index.Entries[at].Key == key {
		var e Exploration
		if json.Unmarshal(x.folder[x.index.Entries[at].File], &e) == nil {
			x.hits++
			return e, true
		}
	}
	e := x.look(angle, query)
	e.Metadata.CacheKey = key
	entry := CacheEntry{Angle: angle, Keywords: keywords(query), File: "explorations/explore-" + angle + ".json", Key: key, Commit: x.commit,
		Tool: exploreVersion, CreatedBy: string(x.by), CreatedAt: x.now, FileCount: len(e.Files)}
	if len(entry.Keywords) > 12 {
		entry.Keywords = entry.Keywords[:12]
	}
	if at >= 0 {
		x.index.Entries[at] = entry
	} else {
		x.index.Entries = append(x.index.Entries, entry)
	}
	x.text[entry.File] = toJSON(e)
	x.made++
	x.save()
	return e, false
}

// look scores the files by the query's words, read with the angle's eyes.
func (x *explorer) look(angle, query string) Exploration {
	e := Exploration{Angle: angle, Query: query, Files: []RelevantFile{}, Patterns: []Pattern{}, Dependencies: []FileLink{}, External: []ExternalRef{}}
	q := seek(angle, query)
	budget := int64(readBudget)
	links := map[string][]string{}
	for _, p := range x.list() {
		kind := languageOf(p)
		if kind == "" && !configFile(p) {
			continue
		}
		content, ok := readSmall(x.repo, p, sourceSize)
		if !ok || budget < int64(len(content)) {
			e.Metadata.Partial = e.Metadata.Partial || ok
			continue
		}
		budget -= int64(len(content))
		e.Metadata.Scanned++
		src := readSource(p, content)
		links[p] = src.imports
		if f, ok := relevance(p, src, q); ok {
			e.Files = append(e.Files, f)
		}
	}
	slices.SortStableFunc(e.Files, func(a, b RelevantFile) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), strings.Compare(a.Path, b.Path))
	})
	e.Files = e.Files[:min(len(e.Files), relevantMost)]
	e.Patterns = habits(x.list())
	e.Dependencies = linksAmong(e.Files, links)
	if s := detectStack(x.repo, x.list()); s != nil {
		for _, name := range append(append(slices.Clone(s.Frameworks), s.Databases...), s.Infrastructure...) {
			e.External = append(e.External, ExternalRef{Name: name, Version: s.Versions[name], Usage: strings.Join(s.Manifests, ", ")})
		}
	}
	e.Metadata.CreatedBy, e.Metadata.Timestamp, e.Metadata.Sources = string(x.by), x.now, []string{"bash-scan", "dependency-trace"}
	e.Metadata.Relevant, e.Metadata.Partial = len(e.Files), e.Metadata.Partial || x.part
	return e
}

// linksAmong keeps the imports between relevant files' folders.
func linksAmong(files []RelevantFile, imports map[string][]string) []FileLink {
	out := []FileLink{}
	for _, f := range files {
		for _, target := range imports[f.Path] {
			for _, g := range files {
				dir := path.Dir(g.Path)
				if g.Path == f.Path || dir == path.Dir(f.Path) && dir != "." {
					continue
				}
				stem := strings.TrimSuffix(g.Path, path.Ext(g.Path))
				if (dir != "." && (strings.HasSuffix(target, "/"+dir) || target == dir)) || strings.HasSuffix(stem, strings.Trim(target, "./")) && len(strings.Trim(target, "./")) > 3 {
					link := FileLink{From: f.Path, To: g.Path, Type: "import"}
					if !slices.Contains(out, link) && len(out) < 60 {
						out = append(out, link)
					}
				}
			}
		}
	}
	return out
}
