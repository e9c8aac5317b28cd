package pipeline

import (
	"fmt"
	"strings"
)

const headlineRunes = 72

// CommitMessage tells one finished task: a headline with the verdict, then
// the caller's six lines, what a revision changed, and the issue it belongs to.
func CommitMessage(s Session, t Task, v *Verdict) (headline, body string) {
	headline = fmt.Sprintf("%s: %s", t.ID, nounOf(baseOf(t.ID)))
	if v != nil && v.Round != "" {
		headline += fmt.Sprintf(" (round %s: %s, %s)", roundNumber(v.Round), consensusWord(*v), strings.ReplaceAll(v.Score(), " / ", "/"))
	}
	var parts []string
	if t.Summary != "" {
		parts = append(parts, InertSubject(t.Summary, 200))
	}
	if t.Revision != nil {
		parts = append(parts, changeLines(*t.Revision))
	}
	if v != nil {
		parts = append(parts, CallerMessage(t, *v))
	}
	refs := fmt.Sprintf("Refs #%d", s.Issue.Number)
	if closesIssue(s) {
		refs = fmt.Sprintf("Closes #%d", s.Issue.Number)
	}
	parts = append(parts, strings.Join(append([]string{refs}, trailers(s.Settings.Trailers)...), "\n"))
	return shorten(headline, headlineRunes), strings.Join(parts, "\n\n")
}

func roundNumber(r Round) string {
	return strings.TrimLeft(strings.TrimPrefix(string(r), "DISCUSS-"), "0")
}

func consensusWord(v Verdict) string {
	switch v.Consensus {
	case ConsensusReached:
		return "consensus"
	case ConsensusBlocked:
		return "blocked " + string(v.Severity)
	}
	return "no verdict"
}

// CallerMessage is the message a role ends its round with, in its six lines.
func CallerMessage(t Task, v Verdict) string {
	severity := ""
	if v.Severity != "" {
		severity = fmt.Sprintf(" (severity=%s)", v.Severity)
	}
	var top, actions []string
	for _, d := range v.Divergences[:min(len(v.Divergences), maxDivergences)] {
		top = append(top, fmt.Sprintf("%s %s: %s", d.Severity, d.Kind, InertSubject(d.Text, 100)))
	}
	for _, a := range v.Actions[:min(len(v.Actions), maxActions)] {
		actions = append(actions, InertSubject(a.Text, 100))
	}
	recommendation := v.Recommendation
	if recommendation == "" {
		recommendation = "proceed"
	}
	return strings.Join([]string{
		fmt.Sprintf("[%s] %s complete. Discuss %s: %s%s", t.Owner, t.ID, v.Round, v.Consensus, severity),
		"Divergences: " + joined(top),
		"Action items: " + joined(actions),
		"Recommendation: " + recommendation,
		"Artifact: " + v.Artifact,
		"Discussion: " + v.Record,
	}, "\n")
}

func joined(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}

var changeWhy = map[string]string{
	"consensus": "the round was blocked", "revise": "a person asked", "feedback": "a person's feedback",
	"improve": "a dimension under its target", "recheck": "a person asked to score again", "edited": "files were edited by hand",
}

func changeLines(c Change) string {
	why := changeWhy[c.Why]
	if why == "" {
		why = InertSubject(c.Why, 60)
	}
	line := "Changed because: " + why
	if c.By != "" {
		line += " (" + InertSubject(c.By, 40) + ")"
	}
	if c.Dimension != "" {
		line += ", " + InertSubject(c.Dimension, 20)
	}
	if c.Text != "" {
		line += ": " + InertSubject(c.Text, 160)
	}
	if len(c.Items) > 0 {
		line += "\nItems: " + InertSubject(strings.Join(c.Items, ", "), 200)
	}
	return line
}

// trailers are the configured ones, each on one line.
func trailers(configured []string) []string {
	var out []string
	for _, t := range configured {
		if t = fold(plainRunes(t)); t != "" {
			out = append(out, t)
		}
	}
	return out
}
