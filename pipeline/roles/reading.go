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

// Said is one sentence of the issue, word by word, with what it is for.
type Said struct {
	Line     int      `json:"line"` // 0 is the title
	Quote    string   `json:"quote"`
	Sort     Sort     `json:"kind"`
	Priority string   `json:"priority,omitempty"`
	Modal    string   `json:"modal,omitempty"` // the word the priority was read from
	Subject  string   `json:"subject,omitempty"`
	Lead     string   `json:"lead,omitempty"` // "The importer must", where the sentence completes a list
	It       string   `json:"it,omitempty"`   // what "it" stands for, where the sentence opens with it
	Row      string   `json:"row,omitempty"`  // a table's row together with its columns
	Details  []Detail `json:"details,omitempty"`
}

// Detail is what stands indented below a list item.
type Detail struct {
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Label string `json:"label,omitempty"` // "con" for "Con: …"
}

// Source is the sentence as a document's source.
func (s Said) Source() spec.Source { return spec.Source{Line: s.Line, Quote: s.Quote} }

// Asks tells whether the sentence must be covered by a requirement.
func (s Said) Asks() bool {
	return s.Sort == SortAsk || s.Sort == SortStory || s.Sort == SortQuality && s.Label() != "not applicable"
}

// Label marks a quality the issue says does not apply.
func (s Said) Label() string {
	if s.Sort == SortQuality && notApplicable.MatchString(s.Quote) {
		return "not applicable"
	}
	return ""
}

// Reading is an issue taken apart.
type Reading struct {
	Title    string
	Language string
	Said     []Said
	Missing  []string // files the issue names that are not there
}

// Of lists the sentences of some sorts in the issue's order.
func (r Reading) Of(sorts ...Sort) []Said {
	var out []Said
	for _, s := range r.Said {
		if slices.Contains(sorts, s.Sort) {
			out = append(out, s)
		}
	}
	return out
}

// Asks lists what must be covered.
func (r Reading) Asks() []Said {
	var out []Said
	for _, s := range r.Said {
		if s.Asks() {
			out = append(out, s)
		}
	}
	return out
}

var titleTag = regexp.MustCompile(`(?i)^\s*(?:\[[^\]]{1,24}\]|(?:feat(?:ure)?(?: request)?|bug(?: report)?|fix|refactor|chore|docs|rfc|proposal)(?:\([^)]{1,24}\))?!?\s*:)\s*:?\s*`)

const (
	namedFiles    = 5
	namedFileSize = 64 << 10
)

// Read takes an issue apart: its body, then the comments of those who may
// write, then the files it names.
func Read(issue pipeline.IssueText, repo fs.FS) Reading {
	r := Reading{Title: upperFirst(strings.TrimSpace(titleTag.ReplaceAllString(spec.Plain(oneLine(issue.Title)), "")))}
	texts := []string{issue.Body}
	all := issue.Title + "\n" + issue.Body
	for _, c := range issue.Comments {
		if c.Writer || c.Author == issue.Author && c.Author != "" {
			texts = append(texts, c.Body)
			all += "\n" + c.Body
		}
	}
	r.Language = spec.Guess(all)
	files, missing := named(all, repo)
	r.Missing = missing
	offset := 0
	for _, text := range append(texts, files...) {
		r.take(text, offset)
		offset += strings.Count(text, "\n") + 1
	}
	r.settle()
	return r
}

// commandLine is a slash command: what it orders is not part of the text.
var commandLine = regexp.MustCompile(`(?m)^[ \t]*/[a-z]+(?:[ \t].*)?$`)

func (r *Reading) take(text string, offset int) {
	text = commandLine.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
	d := spec.Parse([]spec.File{{Path: "issue.md", Text: []byte(text)}}).Document("issue.md")
	if d == nil {
		return
	}
	w := reader{doc: d, lang: r.Language, offset: offset, section: -2}
	for _, b := range d.Blocks {
		w.block(b)
	}
	r.Said = append(r.Said, w.said...)
}

// settle makes the title an ask where nothing else is one, and a goal's
// stand-in otherwise.
func (r *Reading) settle() {
	if len(r.Asks()) > 0 || r.Title == "" {
		return
	}
	priority, word := priorityOf(r.Title, r.Language)
	if priority == "" {
		priority = "Must"
	}
	r.Said = append([]Said{{Quote: r.Title, Sort: SortAsk, Priority: priority, Modal: word}}, r.Said...)
}

var (
	namedByAt   = regexp.MustCompile(`(?m)(?:^|\s)@([\w.-]+(?:/[\w.-]+)*\.(?:md|txt))\b`)
	namedByLink = regexp.MustCompile(`\]\((?:https://[^)\s]+/blob/[^/)\s]+/)?\.?/?([\w./-]+\.(?:md|txt))\)`)
)

// named reads the files of the repository that the text names.
func named(text string, repo fs.FS) (texts, missing []string) {
	var paths []string
	for _, re := range []*regexp.Regexp{namedByAt, namedByLink} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if p := path.Clean(m[1]); fs.ValidPath(p) && !slices.Contains(paths, p) && len(paths) < namedFiles {
				paths = append(paths, p)
			}
		}
	}
	for _, p := range paths {
		content, ok := readSmall(repo, p, namedFileSize)
		if !ok {
			missing = append(missing, p)
			continue
		}
		texts = append(texts, string(content))
	}
	return texts, missing
}

// readSmall reads a file of the repository that is no larger than limit.
func readSmall(repo fs.FS, name string, limit int64) ([]byte, bool) {
	if repo == nil {
		return nil, false
	}
	info, err := fs.Stat(repo, name)
	if err != nil || info.IsDir() || info.Size() > limit {
		return nil, false
	}
	content, err := fs.ReadFile(repo, name)
	return content, err == nil
}
