package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Panel is the part of the pull request's body between our markers. Once the
// gate is green it is at most eight lines: squash messages carry it.
func Panel(s Session, _ time.Time) string {
	if gateOf(s).conclusion == "success" {
		return PanelStart + "\n" + greenPanel(s) + "\n" + PanelEnd
	}
	return PanelStart + "\n" + Cut(fullPanel(s), MaxBody/2) + "\n" + PanelEnd
}

func greenPanel(s Session) string {
	lines := []string{
		fmt.Sprintf("### %s · %s", gateOf(s).title, tasksDone(s)),
		strings.TrimSpace(nextStep(s) + " " + issueLine(s)),
	}
	if read := readingOrder(s, 2); read != "" {
		lines = append(lines, "Read: "+read)
	}
	if undone := undoneLine(s); undone != "" {
		lines = append(lines, undone)
	}
	return strings.Join(append(lines, "<sub>"+costLine(s)+"</sub>"), "\n")
}

// lastTouches are what a person can do with one click where we could not.
var lastTouches = map[WriteKind]string{WriteReady: "mark it ready for review", WriteResolve: "resolve the threads that are settled"}

func undoneLine(s Session) string {
	var left []string
	for _, kind := range s.Posted.Undone {
		left = append(left, lastTouches[kind])
	}
	if len(left) == 0 {
		return ""
	}
	return "GitHub did not take this from me, so please " + strings.Join(left, " and ") + "."
}

func fullPanel(s Session) string {
	return fitted(panelWords, func(z size) string {
		var b strings.Builder
		fmt.Fprintf(&b, "### %s · %s\n", headline(s), tasksDone(s))
		b.WriteString("**Next:** " + fold(nextStep(s)+" "+sinceLine(s)+" "+issueLine(s)) + "\n")
		b.WriteString(questions(s, z))
		if focus := focusOf(s, z); len(focus) > 0 {
			b.WriteString("\n**Look here first**\n")
			for i, line := range focus {
				fmt.Fprintf(&b, "%d. %s\n", i+1, line)
			}
		}
		if undone := undoneLine(s); undone != "" {
			b.WriteString("\n" + undone + "\n")
		}
		b.WriteString(wentOnWith(s, z))
		if read := readingOrder(s, 5); read != "" {
			fmt.Fprintf(&b, "\n**Read in this order:** %s\n", read)
		}
		b.WriteString("\n" + taskTable(s, z) + "\n" + Diagram(s) + "\n")
		fmt.Fprintf(&b, "<sub>%s · `/help` lists commands · `/cancel` stops and keeps the branch</sub>", costLine(s))
		return b.String()
	})
}

// wentOnWith lists the newest things that went on with a fault; wisdom/issues.md
// has all of them.
func wentOnWith(s Session, z size) string {
	if len(s.Warnings) == 0 {
		return ""
	}
	out := "\n**Went on with**\n"
	for _, w := range s.Warnings[max(0, len(s.Warnings)-2):] {
		out += "- " + InertLine(w, z.line) + "\n"
	}
	return out
}

// headline is where the session stands, in a few words.
func headline(s Session) string {
	switch {
	case s.Status == SessionActive:
		for _, t := range s.Tasks {
			if t.Status == TaskInProgress {
				return fmt.Sprintf("Working on %s, %s", t.ID, nounOf(baseOf(t.ID)))
			}
		}
		return "Starting"
	case s.Status == SessionPaused && s.Gate != nil:
		return "Waiting for a person · " + gateWords(s.Gate)
	case s.Status == SessionPaused:
		return "Waiting for a person"
	}
	return gateOf(s).title
}

func tasksDone(s Session) string {
	return fmt.Sprintf("%d of %d tasks", s.TasksCompleted, s.TasksTotal)
}

// nextStep says what to do now.
func nextStep(s Session) string {
	gate := gateOf(s)
	switch {
	case s.Status == SessionActive:
		return "nothing to do; each finished document comes as one commit and one review."
	case s.Status == SessionPaused:
		return reasonText(s) + " " + waitingOf(s).say
	case gate.conclusion == "success":
		return "Review the files and merge when you agree."
	case s.Status == SessionAborted:
		why := ""
		if s.Ended != "" {
			why = s.Ended + "; "
		}
		return why + "the branch and its files stay; the label starts anew."
	case s.Gate != nil && s.Gate.Result == GateReview:
		return "`/improve` lifts the weakest dimension, `/resume` takes the risk in your name."
	}
	return "`/improve` or `/revise` what the gate names, then it scores again."
}

func sinceLine(s Session) string {
	if s.Status != SessionPaused || s.Wait == nil || s.Wait.Since.IsZero() {
		return ""
	}
	line := "Since " + s.Wait.Since.UTC().Format("15:04 UTC")
	if s.Starter != "" {
		line += ", by " + person(s.Starter) + "'s label"
	}
	return line + "."
}

// issueLine refers to the issue; only the end of a full mode closes it.
func issueLine(s Session) string {
	word := "Refs"
	if s.Status == SessionCompleted && closesIssue(s) {
		word = "Closes"
	}
	return fmt.Sprintf("%s #%d.", word, s.Issue.Number)
}

// closesIssue tells whether the work the issue asks for is done: every task of
// a mode that builds something.
func closesIssue(s Session) bool {
	if s.Mode == SpecOnly || len(s.Tasks) == 0 {
		return false
	}
	for _, chain := range chains(s) {
		if t, ok := latest(chain); !ok || t.Status != TaskCompleted {
			return false
		}
	}
	return true
}

// questionLine is what a question may take in runes: half of one cannot be
// answered, so room is made elsewhere first.
const questionLine = 160

// questions lists what nobody answered: while the session waits for it, and at
// a FAIL gate, which is where answers help most.
func questions(s Session, z size) string {
	asks := s.Status == SessionPaused && s.Wait != nil && s.Wait.Reason == WaitQuestions
	fails := s.Gate != nil && s.Gate.Result == GateFail && s.Status != SessionActive
	if !asks && !fails {
		return ""
	}
	var b, folded strings.Builder
	for _, q := range openQuestions(s)[:min(len(openQuestions(s)), 5)] {
		fmt.Fprintf(&b, "\n- **%s** %s", q.ID, sentence(InertLine(q.Text, min(questionLine, 2*z.line+40))))
		if asked := sentence(InertLine(q.Default, questionLine)); z.line >= sizes[2].line {
			fmt.Fprintf(&b, " *Default: %s*", asked)
		} else {
			fmt.Fprintf(&folded, "\n- %s: %s", q.ID, asked)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	if folded.Len() > 0 {
		b.WriteString("\n\n<details><summary>Defaults</summary>\n" + folded.String() + "\n\n</details>")
	}
	if asks && !s.Wait.Deadline.IsZero() {
		fmt.Fprintf(&b, "\n\nDefaults are taken on %s.", s.Wait.Deadline.UTC().Format("2 January, 15:04 UTC"))
	}
	return b.String() + "\n"
}

// openQuestions are those without an answer by a person.
func openQuestions(s Session) []Question {
	var out []Question
	for _, q := range s.Questions {
		if q.Answer == "" || q.By == "default" {
			out = append(out, q)
		}
	}
	return out
}

// readable are the documents in the order they are best read.
var readable = []struct{ path, name string }{
	{"spec/spec-summary.md", "summary"}, {"spec/spec.md", "specification"}, {"spec/product-brief.md", "brief"},
	{"spec/requirements/_index.md", "requirements"}, {"spec/architecture/_index.md", "architecture"},
	{"spec/epics/_index.md", "epics"}, {"spec/readiness-report.md", "readiness report"}, {"plan/plan.json", "plan"},
}

func readingOrder(s Session, limit int) string {
	var out []string
	for _, doc := range readable {
		if _, there := s.Manifest.Files[doc.path]; !there {
			continue
		}
		if len(out) == limit {
			break
		}
		out = append(out, linked(doc.name, fileURL(s, s.Branch(), doc.path)))
	}
	return strings.Join(out, " · ")
}

// taskTable has one row per task that began, revisions in the row of what they
// revise; what is still to come stands in one line under it.
func taskTable(s Session, z size) string {
	var rows, pending []string
	head, line := "| Task | Result | Round | Rating | Verdict |", "|---|---|---|---|---|"
	paid := slices.ContainsFunc(s.Tasks, func(t Task) bool { return t.Usage.Calls+t.Usage.Cached > 0 })
	if paid {
		head, line = head+" Cost |", line+"---|"
	}
	for _, chain := range chains(s) {
		if row := taskRow(chain); row != "" {
			if paid {
				row += " " + costCell(chain) + " |"
			}
			rows = append(rows, row+"\n")
		} else {
			pending = append(pending, string(chain[0].ID))
		}
	}
	var b strings.Builder
	if len(rows) > 0 {
		table := head + "\n" + line + "\n" + strings.Join(rows, "")
		if len(rows) > z.rows {
			table = "<details><summary>" + plural(len(rows), "task") + " so far</summary>\n\n" + table + "\n</details>\n"
		}
		b.WriteString(table)
	}
	if len(pending) > 0 {
		fmt.Fprintf(&b, "\nStill to come: %s\n", strings.Join(pending, ", "))
	}
	return b.String()
}

func taskRow(chain []Task) string {
	name, last := string(chain[0].ID), chain[0]
	var ratings, verdicts []string
	began := false
	for i, t := range chain {
		if t.Status == TaskPending {
			continue
		}
		if i > 0 {
			name += " → " + strings.TrimPrefix(string(t.ID), string(chain[0].ID)+"-")
		}
		began, last = true, t
		if t.Rating != nil {
			ratings = append(ratings, rating(*t.Rating))
		}
		if word := shortVerdict(t); word != "" {
			verdicts = append(verdicts, word)
		}
	}
	if !began {
		return ""
	}
	round := strings.TrimPrefix(string(last.Round), "DISCUSS-")
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", name, resultOf(last), round,
		strings.Join(lastTwo(ratings), " → "), strings.Join(lastTwo(verdicts), " → "))
}

func lastTwo(all []string) []string { return all[max(0, len(all)-2):] }

func shortVerdict(t Task) string {
	word := map[Consensus]string{ConsensusReached: "reached", ConsensusNone: "none", ConsensusBlocked: "blocked"}[t.Verdict]
	if t.Verdict == ConsensusBlocked {
		word += fmt.Sprintf(" (%s)", t.Severity)
	}
	if t.Verdict == ConsensusReached && t.Glance != nil && t.Glance.LowRating == 2 {
		word += fmt.Sprintf(", %s 2 / 5", t.Glance.Low)
	}
	return word
}

func resultOf(t Task) string {
	switch t.Status {
	case TaskInProgress:
		return "*at work*"
	case TaskFailed:
		return "**failed**"
	}
	result := nounOf(baseOf(t.ID))
	if t.Glance != nil && t.Glance.Result != "" {
		result = InertCell(t.Glance.Result, 60)
	}
	if t.Status == TaskPartial {
		result += ", partial"
	}
	return result
}

// Diagram draws the graph from the tasks themselves; of a revised task only
// the newest version.
func Diagram(s Session) string {
	node := map[TaskID]string{}
	var shown []Task
	for i, chain := range chains(s) {
		shown = append(shown, chain[len(chain)-1])
		node[chain[0].ID] = fmt.Sprintf("t%d", i+1)
	}
	if len(shown) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart LR\n")
	for _, t := range shown {
		fmt.Fprintf(&b, "  %s%s\n", node[baseOf(t.ID)], nodeShape(s, t))
	}
	for _, edge := range edges(s, node) {
		fmt.Fprintf(&b, "  %s --> %s\n", edge[0], edge[1])
	}
	for _, t := range shown {
		if style := nodeStyle(s, t); style != "" {
			fmt.Fprintf(&b, "  style %s %s\n", node[baseOf(t.ID)], style)
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// edges are the needs of every chain, each once, in graph order.
func edges(s Session, node map[TaskID]string) [][2]string {
	var out [][2]string
	seen := map[[2]string]bool{}
	for _, t := range s.Tasks {
		for _, need := range t.BlockedBy {
			edge := [2]string{node[baseOf(need)], node[baseOf(t.ID)]}
			if edge[0] == "" || edge[0] == edge[1] || seen[edge] || seen[[2]string{edge[1], edge[0]}] {
				continue
			}
			seen[edge] = true
			out = append(out, edge)
		}
	}
	return out
}

func nodeShape(s Session, t Task) string {
	label := string(t.ID)
	quality := strings.HasPrefix(label, "QUALITY")
	switch {
	case quality && s.Gate != nil && t.finished():
		label += " · " + string(s.Gate.Result)
	case t.Rating != nil:
		label += " · " + rating(*t.Rating)
	}
	if quality {
		return `{{"` + label + `"}}`
	}
	return `["` + label + `"]`
}

func nodeStyle(s Session, t Task) string {
	waits := s.Status == SessionPaused && s.Wait != nil && s.Wait.Task == t.ID
	switch {
	case t.Status == TaskFailed:
		return "stroke:#cf222e,stroke-width:3px"
	case waits:
		return "stroke:#bf8700,stroke-width:3px"
	case t.Status == TaskInProgress:
		return "stroke:#0969da,stroke-width:3px"
	case t.Status == TaskPending:
		return "stroke-dasharray:4 3"
	}
	return ""
}
