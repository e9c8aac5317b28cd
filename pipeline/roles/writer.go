package roles

import (
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// head is the frontmatter of a document of this task.
func (j *job) head(phase int, steps ...string) spec.Head {
	d, _ := readDiscovery(j.Folder)
	h := spec.Head{SessionID: j.Session.ID, Phase: phase, Status: "complete", GeneratedAt: j.stamp(), Steps: steps, Version: 1}
	if d.Language != "en" {
		h.Language = d.Language
	}
	return h
}

// put lays rendered files into the draft.
func (j *job) put(files []spec.File) {
	for _, f := range files {
		if old, ok := j.Folder[f.Path]; ok && string(old) == string(f.Text) {
			continue // unchanged: nothing to commit
		}
		j.draft.Text[f.Path] = f.Text
	}
}

// drop takes files away with what they held.
func (j *job) drop(paths []string) {
	for _, p := range paths {
		if _, ok := j.Folder[p]; ok {
			delete(j.Folder, p)
			j.draft.Deleted = append(j.draft.Deleted, p)
		}
	}
}

// set is the folder's specification, with this draft's files over it.
func (j *job) set() *spec.Set { return parse(j.Folder, j.draft.Text) }

// upstream is what writers work from.
type upstream struct {
	d    Discovery
	r    Reading
	lang string
	set  *spec.Set
}

func (j *job) upstream() (upstream, error) {
	d, err := readDiscovery(j.Folder)
	if err != nil {
		return upstream{}, err
	}
	if len(d.Asks)+len(d.Said) == 0 && d.Title == "" {
		return upstream{}, &pipeline.Refusal{Text: "`" + spec.DiscoveryPath + "` holds neither a title nor a sentence to work from. Say `/revise RESEARCH-001`."}
	}
	u := upstream{d: d, r: d.Reading(), lang: firstOf(d.Language, "en"), set: j.set()}
	if change := j.Task.Revision; change != nil {
		u.r.hear(change.Text)
	}
	return u, nil
}

// open are the questions nobody answered, the issue's own first.
func (u upstream) open(session pipeline.Session) []string {
	out := slices.Clone(u.d.Recommendations.OpenQuestions)
	for _, q := range u.d.Questions {
		at := slices.IndexFunc(session.Questions, func(s pipeline.Question) bool { return s.Text == q.Text || s.ID == q.ID && s.Default == q.Default })
		if at >= 0 && session.Questions[at].Answer != "" {
			continue
		}
		out = append(out, phrase(u.lang, "assume default", q.Text+" "+stop(q.Default, u.lang), q.ID))
	}
	return out
}

// assumptions are what was answered, assumed by the issue, or taken by default.
func (u upstream) assumptions(session pipeline.Session) []string {
	return append(quotes(u.r.Of(SortAssumption)), taken(session.Questions, u.lang)...)
}

// references are the files a document rests on.
func references(from string, files ...string) []string {
	var out []string
	for _, f := range files {
		name := strings.TrimPrefix(f, "spec/")
		href := name
		if strings.Count(from, "/") > 1 {
			href = "../" + name
		}
		out = append(out, "["+name+"]("+href+")")
	}
	return out
}

// heard shows what earlier rounds asked of this document and what came of it.
func (j *job) heard() []string {
	var out []string
	for _, n := range j.Notes {
		out = append(out, oneLine(n))
	}
	if c := j.Task.Revision; c != nil {
		for _, a := range c.Actions {
			out = append(out, phrase("en", "feedback asked", firstOf(c.Why, "the round"), oneLine(a)))
		}
		for _, d := range c.Divergent {
			out = append(out, phrase("en", "feedback asked", "a divergence", oneLine(d)))
		}
		if c.Text != "" && c.Why != "improve" {
			out = append(out, phrase("en", "feedback asked", firstOf(code(c.By), "somebody"), oneLine(c.Text)))
		}
	}
	return out
}

func code(login string) string {
	if login == "" {
		return ""
	}
	return "`" + login + "`"
}

// finish checks the draft, writes wisdom and the accumulator, and says in one
// line what was done.
func (j *job) finish() {
	if len(j.draft.Text) == 0 && j.draft.Summary == "" {
		j.draft.Summary = "nothing to change"
	}
	if c := j.Task.Revision; c != nil && j.kind.role == pipeline.Writer {
		j.answerThreads()
	}
	j.selfCheck()
	if j.kind.role == pipeline.Writer {
		j.accumulate()
	}
	for i := range j.draft.Append {
		j.draft.Append[i].Key = fmt.Sprintf("%s/%s/%d", j.Session.ID, j.Task.ID, i)
	}
}

// selfCheck holds what was written against the five checks of a writer.
func (j *job) selfCheck() {
	written := 0
	for p, text := range j.draft.Text {
		if !strings.HasSuffix(p, ".md") {
			continue
		}
		written++
		if !strings.HasPrefix(string(text), "---\n") {
			j.warn("`%s` has no frontmatter", p)
		}
	}
	if written == 0 || j.kind.role != pipeline.Writer {
		return // the reviewer's report says it
	}
	for _, f := range spec.Check(j.set(), spec.Options{Artifacts: []string{j.draft.Artifact}, Disabled: othersRules}) {
		if f.Grade == spec.Blocker {
			j.warn("%s", blocking(f))
		}
	}
}

// blocking says a blocker in one way, wherever it is said, so that it is noted once.
func blocking(f spec.Finding) string { return fmt.Sprintf("`%s`: %s (%s)", f.File, f.Message, f.Rule) }

// othersRules are left to the round that follows at once: of a draft of its
// own a writer only asks whether sections, ids and links hold.
var othersRules = func() map[string]string {
	out := map[string]string{}
	for _, r := range spec.Rules {
		if !slices.Contains([]string{"L02", "L04", "L48"}, r.ID) {
			out[r.ID] = "the round's"
		}
	}
	return out
}()

func (j *job) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(j.draft.Warnings) < 8 && !slices.Contains(j.draft.Warnings, text) {
		j.draft.Warnings = append(j.draft.Warnings, text)
	}
}
