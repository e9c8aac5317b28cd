package roles

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// gapRule finds the asks that no requirement answers.
const gapRule = "L47"

// suspectRule finds the links that are to be looked at again.
const suspectRule = "L52"

// allowed are the findings that people took as they are, by their rule, each
// with the reason.
func (j *job) allowed(rule string) []pipeline.Finding {
	var ledger struct {
		Findings []pipeline.Finding `json:"findings"`
	}
	// The rounds begin an unreadable ledger anew; nothing is accepted in it.
	if json.Unmarshal(j.Folder["discussions/ledger.json"], &ledger) != nil {
		return nil
	}
	var out []pipeline.Finding
	for _, a := range j.Session.Accepted {
		at := slices.IndexFunc(ledger.Findings, func(f pipeline.Finding) bool { return strings.EqualFold(f.ID, a.Finding) })
		if at >= 0 && ledger.Findings[at].Rule == rule {
			found := ledger.Findings[at]
			found.Reason = a.Reason
			out = append(out, found)
		}
	}
	return out
}

// allowedItems are the items whose findings of a rule people took.
func (j *job) allowedItems(rule string) []string {
	var out []string
	for _, f := range j.allowed(rule) {
		out = append(out, f.Item)
	}
	return out
}

// leaveOut puts the asks that people accepted as gaps under Out of Scope, each
// with its reason: there they count as answered, and a reader finds them.
func (j *job) leaveOut() {
	for _, f := range j.allowed(gapRule) {
		if f.Item != "" {
			continue
		}
		line := oneLine(f.Quote)
		if reason := oneLine(f.Reason); reason != "" {
			line += " (" + reason + ")"
		}
		j.outside(pipeline.InertLine(line, 600))
	}
}

// outside adds a line to the brief's Out of Scope, once.
func (j *job) outside(line string) {
	set := j.set()
	d := set.First(spec.DocBrief)
	if j.tiny() {
		d = set.First(spec.DocTiny)
	}
	if d == nil {
		return
	}
	section := d.Find(-1, "Out of Scope", "Non-Goals")
	if section < 0 || d.Cut || strings.Contains(d.Source(section), line) {
		return
	}
	at := d.Sections[section].Line
	lines := strings.Split(string(firstBytes(j.draft.Text[d.Path], j.Folder[d.Path])), "\n")
	added := []string{"", "- " + line}
	for _, b := range d.Body(section) {
		if b.Kind == spec.ListItem {
			at, added = b.End, []string{"- " + line}
		}
	}
	j.put([]spec.File{{Path: d.Path, Text: []byte(strings.Join(slices.Insert(lines, at, added...), "\n"))}})
}

func firstBytes(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}
