package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// complete ends a session whose tasks are all done: the report and the state
// go with the last commit, the session comment becomes the outcome.
func (t *turn) complete() {
	s := &t.s
	t.lift()
	t.sendAgain()
	now := t.now
	s.Status, s.CompletedAt = SessionCompleted, &now
	w := t.committing()
	if w.Title == "" {
		w.Title = "docs: completion report"
	}
	t.note(string(Coordinator), "shutdown", "session completed: "+string(s.Mode), ReportPath)
	w.Files = append(w.Files, FileChange{Path: ReportPath, Text: CompletionReport(*s)})
	if s.Settings.Keep == "documents" {
		w.Deleted, w.Memory = append(w.Deleted, machineFiles(s.Manifest.Files)...), nil
	}
	t.outcome()
	t.ripen()
	t.show()
}

// machineFiles are what a repository that keeps only documents does without:
// those of the opening, whose receipt may still be on its way, and what came since.
func machineFiles(files map[string]string) []string {
	out := []string{MessagesPath, ".msg/meta.json", "explorations/cache-index.json", "shared-memory.json"}
	for p := range files {
		if strings.HasPrefix(p, ".msg/") || strings.HasPrefix(p, "explorations/") {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ripen makes the pull request ready for review and closes open threads once
// the gate is green.
func (t *turn) ripen() {
	if _, conclusion := Conclude(t.s); conclusion != "success" {
		return
	}
	if t.s.PR.Draft {
		t.s.PR.Draft = false
		t.write(Write{Kind: WriteReady, Ornament: true})
	}
	t.resolveAll()
}

// outcome turns the session comment into the session's outcome.
func (t *turn) outcome() {
	if id := t.s.Posted.Comment; id != "" {
		t.write(Write{Kind: WriteEdit, Subject: id, Number: t.s.Issue.Number, Body: OutcomeComment(t.s)})
	}
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ReportPath is the completion report in the session folder.
const ReportPath = "completion-report.md"

// Counts are the numbers of a completion report.
type Counts struct {
	Total, Completed, Failed, Partial, Revisions int
	Minutes, SuccessRate                         int
}

// Count adds a session's tasks up.
func (s Session) Count() Counts {
	c := Counts{Total: len(s.Tasks)}
	for _, task := range s.Tasks {
		switch task.Status {
		case TaskCompleted:
			c.Completed++
		case TaskFailed:
			c.Failed++
		case TaskPartial:
			c.Partial++
		}
		if task.RevisionOf != "" {
			c.Revisions++
		}
	}
	end := s.UpdatedAt
	if s.CompletedAt != nil {
		end = *s.CompletedAt
	}
	c.Minutes = int(math.Round(end.Sub(s.StartedAt).Minutes()))
	if c.Total > 0 {
		c.SuccessRate = int(math.Round(100 * float64(c.Completed) / float64(c.Total)))
	}
	return c
}

// reportGroups are the deliverables in the order of the report.
var reportGroups = []string{"spec", "plan", "impl", "test", "review", "qa"}

// CompletionReport is the session's last document: what was done, what it
// made, where views differed, and what one can do next.
func CompletionReport(s Session) string {
	c := s.Count()
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion report\n\n%s, mode %s: %d of %d tasks completed (%d %%), %d failed, %d partial, %s, %s.\n",
		s.ID, s.Mode, c.Completed, c.Total, c.SuccessRate, c.Failed, c.Partial, plural(c.Revisions, "revision"), plural(c.Minutes, "minute"))
	b.WriteString("\n## Deliverables\n\n")
	for _, g := range reportGroups {
		if files := deliverables(s, g); files != "" {
			fmt.Fprintf(&b, "- %s: %s\n", g, files)
		}
	}
	if files := discussions(s); files != "" {
		fmt.Fprintf(&b, "- discussions: %s\n", files)
	}
	b.WriteString("\n## Tasks\n\n| Task | Role | Status | Round | Verdict | Artifact |\n|---|---|---|---|---|---|\n")
	for _, task := range s.Tasks {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", task.ID, task.Owner, statusMark(task), orDash(string(task.Round)), verdictText(task), artifactText(s, task))
	}
	b.WriteString("\n## Consensus\n\n" + reportConsensus(s))
	b.WriteString("\n## Wisdom\n\n" + wisdomNotes(s))
	b.WriteString("\n## Next\n\n" + nextSteps(s))
	return b.String()
}

func deliverables(s Session, group string) string {
	var out []string
	for _, task := range s.Tasks {
		if d, _ := dutyOf(task.ID); d.label == group && task.Artifact != "" && !slices.Contains(out, artifactText(s, task)) {
			out = append(out, artifactText(s, task))
		}
	}
	return strings.Join(out, ", ")
}

func discussions(s Session) string {
	var out []string
	for p := range s.Manifest.Files {
		if strings.HasPrefix(p, "discussions/") && strings.HasSuffix(p, ".md") {
			out = append(out, "`"+p+"`")
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// artifactText names an artifact, and says so where it is not in the folder.
func artifactText(s Session, task Task) string {
	if task.Artifact == "" {
		return "–"
	}
	if _, ok := s.Manifest.Files[task.Artifact]; !ok {
		return "`" + task.Artifact + "` (missing)"
	}
	return "`" + task.Artifact + "`"
}

func statusMark(task Task) string {
	if task.RevisionOf != "" && task.Status == TaskCompleted {
		return "R"
	}
	return map[TaskStatus]string{TaskCompleted: "V", TaskFailed: "X", TaskPartial: "~", TaskInProgress: ">>>", TaskPending: "o"}[task.Status]
}

func verdictText(task Task) string {
	if task.Verdict == "" {
		return "–"
	}
	text := string(task.Verdict)
	if task.Severity != "" {
		text += " (" + string(task.Severity) + ")"
	}
	if task.Rating != nil {
		text += fmt.Sprintf(", %.1f/5", *task.Rating)
	}
	return text
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func reportConsensus(s Session) string {
	var b strings.Builder
	for _, task := range s.Tasks {
		if task.Verdict == ConsensusBlocked {
			fmt.Fprintf(&b, "- %s: blocked (%s)", task.ID, task.Severity)
			if rev := s.RevisionChains[baseOf(task.ID)]; rev != "" && rev != task.ID {
				fmt.Fprintf(&b, ", revised as %s", rev)
			}
			b.WriteString("\n")
		}
	}
	for _, a := range s.Accepted {
		fmt.Fprintf(&b, "- `%s` accepted %s%s at %s\n", login(a.Who), a.Gate, a.Finding, a.At.Format(time.RFC3339))
	}
	if b.Len() == 0 {
		return "All rounds reached consensus.\n"
	}
	return b.String()
}

func wisdomNotes(s Session) string {
	var b strings.Builder
	for _, name := range []string{"learnings", "decisions", "issues"} {
		var lines []string
		for _, e := range s.WisdomEntries {
			if text, ok := strings.CutPrefix(e, name+": "); ok {
				lines = append(lines, "  - "+text+"\n")
			}
		}
		if len(lines) == 0 {
			fmt.Fprintf(&b, "- %s: no entries\n", name)
			continue
		}
		b.WriteString("- " + name + ":\n" + strings.Join(lines, ""))
	}
	return b.String()
}

// nextSteps says what one can do with a finished session.
func nextSteps(s Session) string {
	steps := []string{
		"Read the documents in the pull request and merge it.",
		"`/revise <TASK-ID> [text]` or `/feedback <text>` changes a document and what hangs on it.",
		"`/improve [dimension]` lifts a score, `/recheck` judges again after edits by hand.",
	}
	if _, conclusion := Conclude(s); conclusion != "success" {
		steps = append(steps, "`/resume` accepts the result as it is, with your name.")
	}
	steps = append(steps, "A new session on this issue starts with its label, once this pull request is merged or closed.")
	return "- " + strings.Join(steps, "\n- ") + "\n"
}
