package pipeline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// gateState is the check run as the session's state asks for it.
type gateState struct {
	status, conclusion, title string
	buttons                   []CheckAction
}

// gateOf is the table of the gate: never neutral, never skipped, and green
// only at PASS, at an accepted risk, or where nothing is scored and all is done.
func gateOf(s Session) gateState {
	accepted := riskTaken(s)
	switch {
	case s.Status == SessionActive:
		return gateState{status: "in_progress", title: runningTitle(s)}
	case s.Status == SessionAborted:
		return gateState{"completed", "cancelled", "Cancelled", nil}
	case s.Status == SessionPaused:
		return gateState{"completed", "action_required", "Waiting: " + waitingOf(s).title, waitButtons(s)}
	case accepted != nil:
		title := fmt.Sprintf("Green: %s %s %%, risk taken by %s", accepted.Gate, percent(accepted.Score), strings.Trim(person(accepted.Who), "`"))
		return gateState{"completed", "success", title, nil}
	case s.Gate == nil:
		return gateState{"completed", "success", fmt.Sprintf("Done: %s", plural(s.TasksCompleted, "task")), nil}
	case s.Gate.Result == GatePass:
		return gateState{"completed", "success", gateWords(s.Gate), nil}
	case s.Gate.Result == GateReview:
		return gateState{"completed", "action_required", "Waiting: " + gateWords(s.Gate) + ", a person decides", gateButtons[GateReview]}
	}
	return gateState{"completed", "failure", gateWords(s.Gate), gateButtons[GateFail]}
}

// riskTaken is the acceptance that covers the gate as it stands now.
func riskTaken(s Session) *Acceptance {
	if s.Gate == nil || s.Gate.Result == GatePass {
		return nil
	}
	return s.AcceptedBy()
}

func waitButtons(s Session) []CheckAction {
	w := waitingOf(s)
	if s.Wait == nil || s.Wait.Reason != WaitCheckpoint || s.Gate == nil {
		return pointedAt(w.buttons, s.Wait)
	}
	return gateButtons[s.Gate.Result]
}

// pointedAt names the task in a retry button; where the name is too long for
// GitHub, resuming does the same.
func pointedAt(buttons []CheckAction, w *Wait) []CheckAction {
	out := make([]CheckAction, len(buttons))
	for i, b := range buttons {
		if b.Identifier == "retry" && w != nil {
			b.Identifier = "retry:" + string(w.Task)
			if len(b.Identifier) > 20 || w.Task == "" {
				b.Identifier = "resume"
			}
		}
		out[i] = b
	}
	return out
}

func runningTitle(s Session) string {
	done := fmt.Sprintf("%d of %d tasks done", s.TasksCompleted, s.TasksTotal)
	var running []string
	for _, t := range s.Tasks {
		if t.Status == TaskInProgress {
			running = append(running, string(t.ID))
		}
	}
	if len(running) == 0 {
		return "Starting, " + done
	}
	return strings.Join(running, " and ") + " at work, " + done
}

// ExternalID is written with the check run, so that a button or a re-run finds
// its session without a look-up.
func ExternalID(s Session) string { return strconv.Itoa(s.Issue.Number) + "/" + s.ID }

// IssueOfExternalID reads the issue number back; 0 when the id is not ours.
func IssueOfExternalID(id string) int {
	number, _, ok := strings.Cut(id, "/TLS-")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 {
		return 0
	}
	return n
}

// CheckOutput is parley/gate as it has to stand now.
func CheckOutput(s Session, _ time.Time) CheckWrite {
	gate := gateOf(s)
	check := CheckWrite{
		Status: gate.status, Conclusion: gate.conclusion, Title: shorten(gate.title, MaxTitle),
		Actions: gate.buttons, External: ExternalID(s), Name: "parley/gate",
	}
	check.Summary = Cut(fitted(panelWords, func(z size) string { return checkSummary(s, z) }), MaxCheck)
	check.Text = Cut(checkText(s), MaxCheck)
	return check
}

// LimitedCheck is the run that is in progress while GitHub's limit, or what we
// do to keep within it, has everything else waiting.
func LimitedCheck(s Session, head string, until time.Time) CheckWrite {
	at := until.UTC().Format("15:04") + " UTC"
	return CheckWrite{
		Head: head, Status: "in_progress", External: ExternalID(s), Title: "Waiting for GitHub's rate limit until " + at,
		Summary: "This installation keeps within GitHub's limits on requests and posts: what is done until " + at + " is kept and posted then. Nobody has to do anything.",
	}
}

// checkSummary is the checkpoint panel once there is a score, and where the
// session stands before that.
func checkSummary(s Session, z size) string {
	if s.Gate == nil {
		return beforeGate(s, z)
	}
	var b strings.Builder
	b.WriteString("### SPEC PHASE COMPLETE\n")
	b.WriteString(gateLine(s) + "\n\n" + bars(s.Gate, z) + "\n")
	if s.Status == SessionPaused && s.Wait != nil && s.Wait.Reason != WaitCheckpoint {
		b.WriteString("**" + reasonText(s) + "** " + waitingOf(s).say + "\n\n")
	}
	if s.Gate.Lift != "" && s.Gate.Result != GatePass {
		fmt.Fprintf(&b, "**Shortest way up:** %s\n\n", sentence(InertLine(s.Gate.Lift, z.line)))
	}
	if asked := questions(s, z); asked != "" && s.Gate.Result == GateFail {
		b.WriteString("**To answer**, with `/feedback`:\n" + asked + "\n")
	}
	if offersChoice(s) {
		b.WriteString(choices(s))
	}
	b.WriteString(judged(s))
	return b.String()
}

func beforeGate(s Session, z size) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Session `%s`, mode `%s`: %d of %d tasks done.", s.ID, s.Mode, s.TasksCompleted, s.TasksTotal)
	if s.Status == SessionPaused {
		b.WriteString("\n\n**" + reasonText(s) + "** " + waitingOf(s).say + "\n" + questions(s, z))
	}
	return b.String()
}

// gateLine is the first line: the verdict, how far it is from PASS, the sign-off, what is open.
func gateLine(s Session) string {
	g := s.Gate
	line := fmt.Sprintf("**Quality Gate: %s (%s%%)**", g.Result, percent(g.Score))
	if short := 80 - g.Score; g.Result != GatePass && short > 0 {
		line += fmt.Sprintf(", %.1f short of PASS", math.Ceil(short*10)/10)
	}
	if t := latestQuality(s); t != nil && t.Round != "" {
		line += fmt.Sprintf(" · %s: %s", t.Round, verdictWords(*t))
		if t.Rating != nil {
			line += fmt.Sprintf(", %s / 5", rating(*t.Rating))
		}
	}
	blockers, majors, minors := openFindings(s)
	return line + fmt.Sprintf(" · open: %s, %s, %s", plural(blockers, "blocker"), plural(majors, "major"), plural(minors, "minor"))
}

const barCells = 20

// Bars draws the five dimensions, one line each: bar, percent, weight, share.
func Bars(g *Gate) string { return bars(g, sizes[0]) }

func bars(g *Gate, z size) string {
	weights := 0
	for _, d := range Dimensions {
		if g.Dimensions[d.Name] != nil {
			weights += d.Weight
		}
	}
	var b strings.Builder
	b.WriteString("```text\n")
	for _, d := range Dimensions {
		name := strings.ToUpper(d.Name[:1]) + d.Name[1:]
		v := g.Dimensions[d.Name]
		line := fmt.Sprintf("%-12s   %s   not assessable", name, strings.Repeat("·", barCells))
		if v != nil {
			share := *v * float64(d.Weight) / float64(max(weights, 1))
			line = fmt.Sprintf("%-12s   %s  %4s%%   × %2d  %5.1f", name, bar(*v), percent(*v), d.Weight, share)
		}
		if note := g.Notes[d.Name]; note != "" && z.extra {
			line += "   " + fenced(note, z.line/2)
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}

// fenced is foreign text for a code block: it neither ends the block nor looks
// like a marker.
func fenced(text string, limit int) string {
	return strings.NewReplacer("```", "'''", "<", "‹").Replace(shorten(fold(plainRunes(text)), limit))
}

func bar(v float64) string {
	full := int(math.Round(math.Max(0, math.Min(100, v)) / 100 * barCells))
	return strings.Repeat("█", full) + strings.Repeat("░", barCells-full)
}

// offersChoice tells whether a person has something to decide about the score.
func offersChoice(s Session) bool {
	if s.Status == SessionPaused {
		return s.Wait == nil || s.Wait.Reason == WaitCheckpoint
	}
	return s.Status == SessionCompleted && s.Gate.Result != GatePass && riskTaken(s) == nil
}

func choices(s Session) string {
	rows := [][2]string{
		{"/improve [dimension]", "lifts the weakest, **" + weakest(s.Gate) + "**, or the one you name"},
		{"/revise <TASK-ID> [what]", "rewrites that document; without text it takes your open comments"},
		{"/feedback <text>", "revises what your remark concerns"},
		{"/recheck", "scores again, after your own edits"},
	}
	resume := [2]string{"/resume", "goes on to implementation, PLAN-001"}
	switch s.Gate.Result {
	case GatePass:
		rows = append([][2]string{resume}, rows...)
		rows = append(rows, [2]string{"/finish", "ends here"})
	case GateReview:
		rows = append(rows, [2]string{"/resume", "**accepts " + percent(s.Gate.Score) + " %**, in your name" + onwards(s.Mode)})
	case GateFail:
		rows = append(rows, [2]string{"/resume", "forces " + percent(s.Gate.Score) + " %, at your risk and in your name" + onwards(s.Mode)})
	}
	rows = append(rows, [2]string{"/cancel", "closes this; branch and files stay"})
	var b strings.Builder
	b.WriteString("| Say in a comment | What happens |\n|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| `%s` | %s |\n", row[0], row[1])
	}
	return b.String() + warnings[s.Gate.Result] + "\n"
}

func onwards(m Mode) string {
	if m != SpecOnly {
		return ", and goes on"
	}
	return ""
}

var warnings = map[GateResult]string{
	GateReview: "\n> [!WARNING]\n> Quality is under the target. Going on accepts that risk; improve or revise first.\n",
	GateFail:   "\n> [!CAUTION]\n> Not ready to build on. Improve or revise first.\n",
}

// judged says what the gate looked at, and what it did not.
func judged(s Session) string {
	text := "Judged: " + plural(len(s.Manifest.Files), "file")
	if s.Manifest.Head != "" {
		text += " at `" + shortSHA(s.Manifest.Head) + "`"
	}
	if s.Gate.Rules != "" {
		text += ", rules " + s.Gate.Rules
	}
	return text + fmt.Sprintf(". Outside `.workflow/`: %s, not judged.", plural(s.PR.Outside, "file"))
}

// weakest is the dimension with the lowest score, in the order they are shown.
func weakest(g *Gate) string {
	name, low := Dimensions[0].Name, math.Inf(1)
	for _, d := range Dimensions {
		if v := g.Dimensions[d.Name]; v != nil && *v < low {
			name, low = d.Name, *v
		}
	}
	return name
}

func shortSHA(sha string) string { return sha[:min(len(sha), 7)] }

// checkText is the full panel behind the summary: it stays here when the one
// in the pull request shrinks.
func checkText(s Session) string { return fullPanel(s) }
