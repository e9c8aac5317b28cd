package roles

import (
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// hear adds what a person said afterwards, by /feedback or /revise, sentence
// by sentence, as if it stood in the issue.
func (r *Reading) hear(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	before := len(r.Said)
	r.take(text, 0)
	added := r.Said[before:]
	for i := range added {
		added[i].Line = 0
		// A remark without a modal is still somebody's wish, unless it says what it is
		// or is too short to wish for anything ("Thanks!").
		if (added[i].Sort == SortProblem || added[i].Sort == SortContext) && len(keywords(added[i].Quote)) > 1 {
			added[i].Sort, added[i].Priority = SortAsk, firstOf(added[i].Priority, "Should")
		}
	}
}

// answerThreads answers each review thread that the revision was asked to
// take: with the requirement it became, or with why nothing changed.
func (j *job) answerThreads() {
	if !j.Task.Revision.Threads {
		return
	}
	before := parse(j.Folder, nil)
	for _, t := range j.Threads {
		if t.Resolved || !t.Writer || !j.covers(t.Path) {
			continue
		}
		var said Reading
		said.Language = firstOf(j.language(), "en")
		for _, text := range t.Texts {
			said.hear(text)
		}
		note := pipeline.ThreadNote{Thread: t.ID, Resolve: true}
		if became := j.became(said); became != "" {
			note.Text = "Became " + became + "."
			if _, had := before.Item(became); had {
				note.Text = became + " says so already; nothing was changed."
			}
		} else {
			note.Text = "Nothing was changed: rules cannot tell what this asks for. Say what must hold in one sentence with “must” or “should”, or edit the file."
		}
		j.draft.Replies = append(j.draft.Replies, note)
	}
}

func (j *job) language() string {
	d, err := readDiscovery(j.Folder)
	if err != nil {
		return ""
	}
	return d.Language
}

// covers tells whether a path belongs to this task's document.
func (j *job) covers(p string) bool {
	dir := strings.TrimSuffix(j.kind.artifact, "_index.md")
	return p == "" || dir == "" || strings.HasPrefix(p, dir)
}

// became finds what the sentences turned into, by their source or their words.
func (j *job) became(said Reading) string {
	set := j.set()
	var out []string
	for _, s := range said.Said {
		if s.Sort == SortQuestion {
			out = append(out, "an open question")
			continue
		}
		for _, it := range set.Items {
			if it.Kind == spec.KindReq || it.Kind == spec.KindNFR {
				if strings.Contains(quoteKey(sourceOf(set, it)), quoteKey(s.Quote)) {
					out = once(out, it.ID)
				}
			}
		}
		if s.Sort == SortNonGoal {
			out = once(out, "a line under Out of Scope")
		}
	}
	return strings.Join(out, ", ")
}

func sourceOf(set *spec.Set, it spec.Item) string {
	d := set.Document(it.File)
	if d == nil {
		return ""
	}
	return strings.Join(d.Lines, " ")
}

// namedChanges is how many ids of a kind of change a summary names.
const namedChanges = 4

// tellChanges adds to the summary which items a revision added, changed and
// retired; the commit carries it.
func (j *job) tellChanges(before *spec.Set) {
	now := j.set()
	old, fresh := before.Fingerprints(), now.Fingerprints()
	var added, changed, retired []string
	items, _ := spec.Changed(before, now)
	for _, id := range items {
		_, was := old[id]
		_, is := fresh[id]
		switch {
		case !was:
			added = append(added, id)
		case !is:
			retired = append(retired, id)
		default:
			changed = append(changed, id)
		}
	}
	var parts []string
	for _, p := range []struct {
		verb string
		ids  []string
	}{{"added", added}, {"changed", changed}, {"retired", retired}} {
		if n := len(p.ids); n > namedChanges {
			parts = append(parts, fmt.Sprintf("%s %s and %d more", p.verb, strings.Join(p.ids[:namedChanges], ", "), n-namedChanges))
		} else if n > 0 {
			parts = append(parts, p.verb+" "+strings.Join(p.ids, ", "))
		}
	}
	if len(parts) == 0 && len(j.draft.Text) == 0 {
		parts = []string{"nothing changed"}
	}
	if len(parts) > 0 {
		j.draft.Covered = append(j.draft.Covered, parts...)
		j.draft.Summary += "; " + strings.Join(parts, "; ")
	}
}

// heardThreads puts the threads' texts into the revision's text, so that the
// draft takes them as it takes feedback.
func heardThreads(a pipeline.Assignment, k kind) pipeline.Assignment {
	c := a.Task.Revision
	if c == nil || !c.Threads || len(a.Threads) == 0 {
		return a
	}
	change := *c
	j := &job{Assignment: a, kind: k}
	var texts []string
	for _, t := range a.Threads {
		if t.Writer && !t.Resolved && j.covers(t.Path) {
			texts = append(texts, t.Texts...)
		}
	}
	change.Text = strings.TrimSpace(change.Text + "\n\n" + strings.Join(texts, "\n\n"))
	a.Task.Revision = &change
	return a
}

// improve is IMPROVE-<dimension>-NNN: the strategy of one dimension, on the
// documents it touches.
func (j *job) improving() string {
	if c := j.Task.Revision; c != nil && c.Dimension != "" {
		return c.Dimension
	}
	parts := strings.Split(string(j.Task.ID), "-")
	if len(parts) > 1 {
		return strings.ToLower(parts[1])
	}
	return ""
}

// strategies name the drafts a dimension is improved by.
var strategies = map[string][]string{
	"completeness": {"brief", "requirements", "architecture", "epics"},
	"consistency":  {"brief", "requirements", "architecture", "epics"},
	"traceability": {"requirements", "architecture", "epics"},
	"depth":        {"requirements", "architecture", "epics"},
	"coverage":     {"requirements", "architecture", "epics"},
}

func dimensionList() string {
	return strings.Join(slices.Sorted(func(yield func(string) bool) {
		for d := range strategies {
			if !yield(d) {
				return
			}
		}
	}), ", ")
}

func (j *job) unknownDimension(dim string) error {
	return &pipeline.Refusal{Text: fmt.Sprintf("There is no dimension `%s`. It is one of %s.", dim, dimensionList())}
}
