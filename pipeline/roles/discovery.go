package roles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// Discovery is spec/discovery-context.json: the shape pipeline/spec reads, and
// beside it every sentence of the issue that counts.
type Discovery struct {
	spec.Discovery
	Version  int    `json:"version"`
	Language string `json:"language"`
	Title    string `json:"title"`
	Author   string `json:"author,omitempty"`
	// Asks are the sentences a requirement must cover, Said all others that count.
	Asks        []Said    `json:"asks"`
	Said        []Said    `json:"said"`
	Codebase    *Codebase `json:"codebase_context"`
	Assumptions []string  `json:"assumptions"`
	Missing     []string  `json:"missing_files,omitempty"`
	// Gone are sentences that stood in the issue when it was read before.
	Gone []string `json:"gone,omitempty"`
}

// Codebase is what exploration found.
type Codebase struct {
	Stack        TechStack           `json:"tech_stack"`
	Patterns     []string            `json:"architecture_patterns"`
	Conventions  []string            `json:"conventions"`
	Integration  []string            `json:"integration_points"`
	Constraints  []string            `json:"constraints_from_codebase"`
	Files        []spec.RelevantFile `json:"relevant_files"`
	Commit       string              `json:"commit,omitempty"`
	FilesScanned int                 `json:"files_scanned"`
}

// Reading is the issue as the discovery keeps it.
func (d Discovery) Reading() Reading {
	return Reading{Title: d.Title, Language: d.Language, Said: append(slices.Clone(d.Asks), d.Said...), Missing: d.Missing}
}

// readDiscovery reads the analyst's result from the folder; a broken one is an
// error, because every draft rests on it.
func readDiscovery(f pipeline.Folder) (Discovery, error) {
	var d Discovery
	text, ok := f[spec.DiscoveryPath]
	if !ok {
		return d, fmt.Errorf("read %s: %w", spec.DiscoveryPath, pipeline.ErrNotFound)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, &pipeline.Refusal{Text: fmt.Sprintf("`%s` is not valid JSON (%v). Mend it, or say `/revise RESEARCH-001`.", spec.DiscoveryPath, err)}
	}
	return d, nil
}

// parse reads the folder's documents, with more files laid over it.
func parse(f pipeline.Folder, over map[string][]byte) *spec.Set { return spec.Parse(files(f, over)) }

// files are the documents below spec/, with more laid over them.
func files(f pipeline.Folder, over map[string][]byte) []spec.File {
	all := maps.Clone(f)
	if all == nil {
		all = pipeline.Folder{}
	}
	maps.Copy(all, over)
	var out []spec.File
	for _, p := range sortedKeys(all) {
		if strings.HasPrefix(p, "spec/") {
			out = append(out, spec.File{Path: p, Text: all[p]})
		}
	}
	return out
}

// toJSON writes a value for people: indented, with nothing escaped for HTML.
func toJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("roles: %T does not encode: %v", v, err))
	}
	return b.Bytes()
}

// forget notes which sentences of an earlier reading the issue has lost.
func (d *Discovery) forget(earlier Discovery) {
	r := d.Reading()
	for _, quote := range append(slices.Clone(earlier.Gone), append(quotes(earlier.Asks), quotes(earlier.Said)...)...) {
		if !slices.ContainsFunc(r.Said, func(s Said) bool { return sameQuote(s.Quote, quote) }) {
			d.Gone = once(d.Gone, quote)
		}
	}
}
