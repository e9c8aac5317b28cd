package pipeline

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// StartComment is the one comment on the issue: what runs, why in this mode,
// and where. It is edited to the outcome at the end.
func StartComment(s Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n**Session `%s`** has started in mode `%s`%s.", Marker(SessionMark, s.ID), s.ID, s.Mode, because(s.ModeReason))
	if s.PR.Number > 0 {
		fmt.Fprintf(&b, " Everything happens in pull request %s.", pullLink(s))
	}
	b.WriteString("\n")
	if s.Track == TrackTiny {
		b.WriteString("\nTrack `tiny`: one document instead of four.\n")
	} else if s.TrackHint != "" {
		fmt.Fprintf(&b, "\nA small issue: %s. `/cancel`, then `/lifecycle start spec-only --track tiny`, would write one document instead of four.\n", InertLine(s.TrackHint, 120))
	}
	if n := len(s.Earlier); n > 0 {
		last := s.Earlier[n-1]
		fmt.Fprintf(&b, "\nBefore it: `%s` (%s)%s.\n", last.ID, last.Status, earlierLink(s, last))
	}
	for _, notice := range s.Notices {
		fmt.Fprintf(&b, "\n**Attention:** %s\n", notice)
	}
	for _, problem := range s.Problems[:min(len(s.Problems), 5)] {
		fmt.Fprintf(&b, "\n- Configuration: %s. The default holds.", strings.TrimRight(InertLine(problem, 200), "."))
	}
	if len(s.Problems) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("\n<sub>`/status` says where it stands, `/help` lists the commands, `/cancel` stops it.</sub>")
	return Cut(b.String(), MaxBody)
}

// OutcomeComment is what the session comment becomes at the end. It stays as
// the tombstone that keeps a sweep from starting the issue again.
func OutcomeComment(s Session) string {
	var b strings.Builder
	gate := gateOf(s)
	fmt.Fprintf(&b, "%s\n**Session `%s`** (mode `%s`) %s: %s.", Marker(SessionMark, s.ID), s.ID, s.Mode, s.Status, gate.title)
	if s.PR.Number > 0 {
		fmt.Fprintf(&b, " Pull request %s.", pullLink(s))
	}
	b.WriteString("\n")
	if report := completion(s); report != "" {
		b.WriteString("\n" + report)
	}
	return Cut(b.String(), MaxBody)
}

// PullTitle is the pull request's title by the configured pattern.
func PullTitle(s Session) string {
	pattern := s.Settings.Title
	if !strings.Contains(pattern, "{title}") {
		pattern = "spec: {title}"
	}
	title := InertSubject(s.Issue.Title, 160)
	if title == "" {
		title = fmt.Sprintf("issue %d", s.Issue.Number)
	}
	return shorten(strings.ReplaceAll(pattern, "{title}", title), MaxTitle)
}

// PullBody is the body the pull request is opened with.
func PullBody(s Session, now time.Time) string {
	intro := fmt.Sprintf("A specification, written as files under `%s/`. What you write above or below the panel stays.", s.Folder())
	return intro + "\n\n" + Panel(s, now)
}

// HelpText is the table of commands, made from the parser's own table.
func HelpText() string {
	var b strings.Builder
	b.WriteString("| Command | Who | What it does |\n|---|---|---|\n")
	for _, c := range Commands {
		if c.Off != "" {
			continue
		}
		usage := "`" + c.Usage + "`"
		for _, alias := range c.Aliases {
			usage += ", `/" + alias + "`"
		}
		who := c.Who.String()
		if c.IssueAuthor {
			who += ", issue author"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.ReplaceAll(usage, "|", `\|`), who, strings.ReplaceAll(c.Help, "|", `\|`))
	}
	b.WriteString("\nA command is the first word of a line, in a comment or a review; `/lifecycle <command>` works too. Text in code, quotes or hidden blocks is never one.")
	return b.String()
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + strings.TrimRight(InertLine(reason, 160), ".") + ")"
}

// percent shows a score rounded, except where rounding would lift it over a
// threshold it has not reached.
func percent(v float64) string {
	r := math.Round(v)
	for _, line := range []float64{50, 60, 70, 80} {
		if v < line && r >= line {
			return fmt.Sprintf("%.1f", math.Floor(v*10)/10)
		}
	}
	return fmt.Sprintf("%.0f", r)
}

// person shows a login as code: naming is not pinging.
func person(login string) string {
	if !loginPattern.MatchString(strings.TrimSuffix(login, "[bot]")) {
		return "somebody"
	}
	return "`" + login + "`"
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "…") || strings.HasSuffix(s, "。") {
		return s
	}
	return s + "."
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
