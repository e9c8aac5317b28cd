package pipeline

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// nouns name what a task makes, by the start of its id, longest first.
var nouns = []struct{ prefix, noun string }{
	{"RESEARCH", "discovery"}, {"DRAFT-001", "product brief"}, {"DRAFT-002", "requirements"},
	{"DRAFT-003", "architecture"}, {"DRAFT-004", "epics"}, {"QUALITY", "quality"}, {"PLAN", "plan"},
	{"IMPL", "implementation"}, {"TEST", "tests"}, {"REVIEW", "code review"}, {"DEV-FE", "frontend"},
	{"QA-FE", "frontend checks"}, {"ARCH", "architect's advice"}, {"IMPROVE", "improvement"},
}

func nounOf(id TaskID) string {
	for _, n := range nouns {
		if strings.HasPrefix(string(id), n.prefix) {
			return n.noun
		}
	}
	return "result"
}

// baseOf is the task a revision goes back to.
func baseOf(id TaskID) TaskID {
	at := strings.LastIndex(string(id), "-R")
	if at < 0 {
		return id
	}
	if _, err := strconv.Atoi(string(id[at+2:])); err != nil {
		return id
	}
	return id[:at]
}

// chains groups the tasks by what they revise, in graph order.
func chains(s Session) [][]Task {
	var order []TaskID
	group := map[TaskID][]Task{}
	for _, t := range s.Tasks {
		base := baseOf(t.ID)
		if _, seen := group[base]; !seen {
			order = append(order, base)
		}
		group[base] = append(group[base], t)
	}
	out := make([][]Task, len(order))
	for i, base := range order {
		out[i] = group[base]
	}
	return out
}

// finished tells whether a task's job has returned.
func (t Task) finished() bool {
	return t.Status == TaskCompleted || t.Status == TaskPartial || t.Status == TaskFailed
}

// latest is the last finished task of a chain; ok is false when none is.
func latest(chain []Task) (Task, bool) {
	for i := len(chain) - 1; i >= 0; i-- {
		if chain[i].finished() {
			return chain[i], true
		}
	}
	return Task{}, false
}

func latestQuality(s Session) *Task {
	for i := len(s.Tasks) - 1; i >= 0; i-- {
		if t := s.Tasks[i]; strings.HasPrefix(string(t.ID), "QUALITY") && t.finished() {
			return &t
		}
	}
	return nil
}

// openFindings counts the findings that still stand, each once however many
// rounds saw it.
func openFindings(s Session) (blockers, majors, minors int) {
	count := map[Grade]int{}
	for _, f := range s.Findings {
		if f.State != FindingAccepted {
			count[f.Grade]++
		}
	}
	return count[Blocker], count[Major], count[Minor]
}

// verdictWords is "consensus blocked (HIGH)".
func verdictWords(t Task) string {
	switch t.Verdict {
	case ConsensusReached:
		return "consensus reached"
	case ConsensusBlocked:
		return fmt.Sprintf("consensus blocked (%s)", t.Severity)
	}
	return "no verdict"
}

// rating shows an average with one decimal, never lifted over the 3.0 it has not reached.
func rating(v float64) string {
	if v < 3 && math.Round(v*10) >= 30 {
		return fmt.Sprintf("%.2f", math.Floor(v*100)/100)
	}
	return fmt.Sprintf("%.1f", v)
}

// dots draws a rating of 1 to 5.
func dots(n int) string {
	n = max(0, min(5, n))
	return strings.Repeat("●", n) + strings.Repeat("○", 5-n)
}

// webRoot is the repository's page, without a slash at its end; empty when unknown.
func webRoot(s Session) string {
	if s.Repo.URL != "" {
		return strings.TrimRight(s.Repo.URL, "/")
	}
	if root, _, ok := strings.Cut(s.PR.URL, "/pull/"); ok {
		return root
	}
	return ""
}

// fileURL addresses a file of the session folder at a commit or branch.
func fileURL(s Session, ref, path string) string {
	root := webRoot(s)
	if root == "" || ref == "" {
		return ""
	}
	full := ref + "/" + s.Folder() + "/" + path
	parts := strings.Split(full, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return root + "/blob/" + strings.Join(parts, "/")
}

// linked is [text](url), or the text alone where there is nothing to link.
func linked(text, address string) string {
	if address == "" {
		return text
	}
	return "[" + text + "](" + address + ")"
}

func pullLink(s Session) string {
	number := fmt.Sprint(s.PR.Number)
	if root := webRoot(s); root != "" {
		return linked(number, root+"/pull/"+number)
	}
	return number
}

func earlierLink(s Session, e EarlierSession) string {
	if root := webRoot(s); root != "" && e.PR > 0 {
		return ", " + linked("its pull request", fmt.Sprintf("%s/pull/%d", root, e.PR))
	}
	return ""
}

// document is what a task made, linked where it is on the branch.
func document(s Session, t Task) string {
	noun := nounOf(baseOf(t.ID))
	if _, there := s.Manifest.Files[t.Artifact]; !there {
		return noun
	}
	return linked(noun, fileURL(s, s.Branch(), t.Artifact))
}
