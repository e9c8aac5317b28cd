package roles

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"parley/pipeline"
)

// wisdom appends lines to one of the four files that every role reads first.
func (j *job) wisdom(file string, lines ...string) {
	known := string(j.Folder["wisdom/"+file+".md"])
	var b strings.Builder
	for _, l := range lines {
		l = oneLine(l)
		if l == "" || strings.Contains(known, l) {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s\n", j.Task.ID, l)
	}
	if b.Len() > 0 {
		j.draft.Append = append(j.draft.Append, pipeline.FileAppend{Path: "wisdom/" + file + ".md", Text: b.String()})
	}
}

// learn keeps what the analyst saw of the code base.
func (j *job) learn(d Discovery) {
	if d.Codebase == nil {
		j.wisdom("learnings", "The repository holds no code whose build files are known.")
		return
	}
	j.wisdom("conventions", d.Codebase.Conventions...)
	stack := d.Codebase.Stack
	line := "Built with " + strings.Join(stack.Languages, ", ")
	for _, more := range [][]string{stack.Frameworks, stack.Databases, stack.Infrastructure} {
		if len(more) > 0 {
			line += ", " + strings.Join(more, ", ")
		}
	}
	j.wisdom("learnings", line+" (read from "+strings.Join(stack.Manifests, ", ")+").")
}

// Accumulated is one finished draft, as later drafts of the same session see it.
type Accumulated struct {
	Task      pipeline.TaskID `json:"task"`
	Artifact  string          `json:"artifact"`
	Decisions []string        `json:"key_decisions"`
	Verdict   string          `json:"discuss_verdict"`
	Rating    *float64        `json:"discuss_rating"`
	Summary   string          `json:"summary"`
	Files     []string        `json:"files_modified"`
	// What the generation of a document returns beside its path and summary.
	Sections   []string `json:"sections_generated"`
	References []string `json:"cross_references"`
	Warnings   []string `json:"warnings"`
}

const memoryFile = "shared-memory.json"

// accumulated reads the earlier entries, with the verdicts the session knows by now.
func (j *job) accumulated() []Accumulated {
	var memory struct {
		Entries []Accumulated `json:"context_accumulator"`
	}
	// An unreadable memory only costs the summaries; the documents are there.
	if json.Unmarshal(j.Folder[memoryFile], &memory) != nil {
		return nil
	}
	for i := range memory.Entries {
		for _, t := range j.Session.Tasks {
			if t.ID == memory.Entries[i].Task {
				memory.Entries[i].Verdict, memory.Entries[i].Rating = string(t.Verdict), t.Rating
			}
		}
	}
	return memory.Entries
}

func (j *job) accumulate() {
	own := Accumulated{Task: j.Task.ID, Artifact: j.draft.Artifact, Decisions: append([]string{}, j.draft.Decisions...), Summary: j.draft.Summary, Files: []string{},
		Sections: []string{}, References: []string{}, Warnings: append([]string{}, j.draft.Warnings...)}
	if d := j.set().Document(own.Artifact); d != nil {
		for _, s := range d.Sections {
			if s.Level == 2 {
				own.Sections = append(own.Sections, s.Title)
			}
		}
		for _, l := range d.Links {
			if file, _, ok := d.Resolve(l); ok && file != d.Path {
				own.References = once(own.References, file)
			}
		}
	}
	for p := range j.draft.Text {
		own.Files = append(own.Files, p)
	}
	sort.Strings(own.Files)
	value, err := json.Marshal(append(j.accumulated(), own))
	if err != nil {
		panic(fmt.Sprintf("roles: accumulator does not encode: %v", err))
	}
	j.draft.Memory = append(j.draft.Memory, pipeline.Memory{Key: "context_accumulator", Value: string(value)})
}
