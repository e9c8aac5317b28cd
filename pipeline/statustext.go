package pipeline

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// StatusText answers /status: where the session stands, what runs, what is
// ready. With explain it says what it waits for, since when and until when.
func StatusText(s Session, now time.Time, explain bool) string {
	return Cut(fitted(panelWords, func(z size) string {
		var b strings.Builder
		fmt.Fprintf(&b, "### %s · %s\n", headline(s), tasksDone(s))
		fmt.Fprintf(&b, "Session `%s`, mode `%s`, %d %% done. **Next:** %s\n", s.ID, s.Mode, doneShare(s), fold(nextStep(s)))
		b.WriteString(questions(s, z))
		b.WriteString(workers(s, now))
		if explain {
			b.WriteString(explained(s, now))
		}
		if s.Gate != nil {
			b.WriteString("\n" + gateLine(s) + "\n\n" + bars(s.Gate, z))
		}
		b.WriteString("\n" + taskTable(s, z))
		fmt.Fprintf(&b, "\n<sub>%s · `/help` lists commands</sub>", costLine(s))
		return b.String()
	}), MaxBody)
}

func doneShare(s Session) int {
	if s.TasksTotal == 0 {
		return 0
	}
	return int(math.Round(float64(s.TasksCompleted) / float64(s.TasksTotal) * 100))
}

// workers lists what runs, since when, and what could start.
func workers(s Session, now time.Time) string {
	var b strings.Builder
	for _, w := range s.ActiveWorkers {
		fmt.Fprintf(&b, "\n- `%s` at work (%s) for %s%s", w.TaskID, w.Owner, span(now.Sub(w.SpawnedAt)), innerLoop(s, w))
	}
	if ready := readyTasks(s); len(ready) > 0 {
		b.WriteString("\n- ready: " + strings.Join(ready, ", "))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// innerLoop says which of the writer's drafts this is.
func innerLoop(s Session, w ActiveWorker) string {
	done, all := 0, 0
	for _, t := range s.Tasks {
		if t.Owner != w.Owner {
			continue
		}
		all++
		if t.finished() || t.ID == w.TaskID {
			done++
		}
	}
	if all < 2 {
		return ""
	}
	return fmt.Sprintf(", %d of %d by this role", done, all)
}

func readyTasks(s Session) []string {
	done := map[TaskID]bool{}
	for _, t := range s.Tasks {
		done[t.ID] = t.Status == TaskCompleted || t.Status == TaskPartial
	}
	var out []string
	for _, t := range s.Tasks {
		ready := t.Status == TaskPending
		for _, need := range t.BlockedBy {
			ready = ready && done[need]
		}
		if ready {
			out = append(out, "`"+string(t.ID)+"`")
		}
	}
	return out
}

// explained is the answer to --explain.
func explained(s Session, now time.Time) string {
	if s.Wait == nil {
		if s.Status == SessionActive {
			return "\n**Waits for:** nobody; the work above goes on by itself.\n"
		}
		return "\n**Waits for:** nothing; the session is " + string(s.Status) + ".\n"
	}
	line := fmt.Sprintf("\n**Waits** since %s, %s ago.", s.Wait.Since.UTC().Format("2 January, 15:04 UTC"), span(now.Sub(s.Wait.Since)))
	if !s.Wait.Deadline.IsZero() {
		line += fmt.Sprintf(" Until %s%s", s.Wait.Deadline.UTC().Format("2 January, 15:04 UTC"), deadlineText(s.Wait.Reason))
	}
	return line + "\n"
}

func deadlineText(r WaitReason) string {
	if r == WaitQuestions {
		return "; then the defaults are taken."
	}
	return "; then the session is parked in silence, and any command revives it."
}

// completion is the report of a finished session.
func completion(s Session) string {
	var completed, failed, partial, revisions int
	for _, t := range s.Tasks {
		switch t.Status {
		case TaskCompleted:
			completed++
		case TaskFailed:
			failed++
		case TaskPartial:
			partial++
		}
		if t.RevisionOf != "" {
			revisions++
		}
	}
	if len(s.Tasks) == 0 {
		return ""
	}
	var b strings.Builder
	rate := int(math.Round(float64(completed) / float64(len(s.Tasks)) * 100))
	fmt.Fprintf(&b, "%s: %d completed, %d partial, %d failed, %s. Success rate %d %%, %s.\n",
		plural(len(s.Tasks), "task"), completed, partial, failed, plural(revisions, "revision"), rate, took(s))
	b.WriteString("\n" + consensusNotes(s) + "\n")
	if read := readingOrder(s, len(readable)); read != "" {
		b.WriteString("\nRead: " + read + "\n")
	}
	b.WriteString(wisdom(s) + "\n" + afterwards(s) + "\n")
	fmt.Fprintf(&b, "\n<details><summary>Tasks</summary>\n\n%s\n</details>\n\n<sub>%s</sub>", taskTable(s, sizes[0]), costLine(s))
	return b.String()
}

func consensusNotes(s Session) string {
	var notes []string
	for _, t := range s.Tasks {
		if t.Verdict != ConsensusBlocked {
			continue
		}
		note := fmt.Sprintf("- %s was blocked (%s)", t.ID, t.Severity)
		if next, ok := s.RevisionChains[t.ID]; ok {
			note += ", revised as " + string(next)
		}
		notes = append(notes, note)
	}
	if len(notes) == 0 {
		return "Every round reached consensus."
	}
	return strings.Join(notes, "\n")
}

// wisdom is what the session noted for later ones, newest first.
func wisdom(s Session) string {
	var b strings.Builder
	for i := len(s.WisdomEntries) - 1; i >= 0 && i >= len(s.WisdomEntries)-5; i-- {
		b.WriteString("\n- " + InertLine(s.WisdomEntries[i], 120))
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n**Noted:**" + "\n" + b.String() + "\n"
}

// afterwards is what one can do next.
func afterwards(s Session) string {
	switch {
	case s.Status == SessionAborted:
		return "The branch and its files stay. Set the label again, or say `/lifecycle start`, for a new session."
	case gateOf(s).conclusion != "success":
		return "Next: `/improve`, `/revise <TASK-ID>`, `/recheck`, or `/resume` to take the risk in your name."
	}
	return "Next: review and merge the pull request; `/revise <TASK-ID>`, `/feedback` and `/recheck` still work until then."
}

func millis(ms int64) string { return span(time.Duration(ms) * time.Millisecond) }
