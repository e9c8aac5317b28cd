package pipeline

import (
	"fmt"
	"sort"
	"strings"
)

const maxRemarks = 10

// remarksOf splits findings into line comments and the rest, gravest first.
func remarksOf(all []Finding) (remarks []LineRemark, rest []Finding) {
	sorted := append([]Finding(nil), all...)
	sort.SliceStable(sorted, func(i, j int) bool { return gradeWeight[sorted[i].Grade] > gradeWeight[sorted[j].Grade] })
	for _, f := range sorted {
		if !f.counts() {
			continue
		}
		grave := f.Grade == Blocker || f.Grade == Major
		if grave && f.LineStart > 0 && f.File != "" && len(remarks) < maxRemarks {
			remarks = append(remarks, remarkOf(f))
			continue
		}
		rest = append(rest, f)
	}
	return remarks, rest
}

// threaded splits findings into those without a thread and the ids of those
// that have one from an earlier review.
func threaded(s Session, all []Finding) (fresh []Finding, known []string) {
	for _, f := range all {
		if _, has := s.Posted.Threads[f.ID]; !has {
			fresh = append(fresh, f)
		} else if f.counts() {
			known = append(known, f.ID)
		}
	}
	return fresh, known
}

// knownLine names what was said before and still holds.
func knownLine(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	shown := ids[:min(len(ids), maxRemarks)]
	line := "\nStill open, in the threads they have: **" + strings.Join(shown, "**, **") + "**"
	if more := len(ids) - len(shown); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line + ".\n"
}

func remarkOf(f Finding) LineRemark {
	line, start := max(f.LineEnd, f.LineStart), f.LineStart
	if start == line {
		start = 0
	}
	return LineRemark{Finding: f.ID, Path: f.File, Line: line, Start: start, Body: RemarkText(f)}
}

// RemarkText is one line comment: who sees what, the quote, the way out.
func RemarkText(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s · %s · %s**\n", f.ID, f.Grade, voices(f.Voices))
	if f.Quote != "" {
		fmt.Fprintf(&b, "> %s\n", InertLine(f.Quote, 240))
	}
	fmt.Fprintf(&b, "\n%s", sentence(InertLine(f.Claim, 300)))
	if f.Suggestion != "" {
		b.WriteString(" " + sentence(InertLine(f.Suggestion, 300)))
	}
	if f.Replacement != "" {
		b.WriteString("\n\n" + suggestion(f.Replacement))
	}
	rule := ""
	if f.Rule != "" {
		rule = InertLine(f.Rule, 20) + " · "
	}
	fmt.Fprintf(&b, "\n\n<sub>%snot a problem here? Reply `/accept <reason>` in this thread</sub>", rule)
	return Cut(b.String(), MaxBody)
}

// suggestion is GitHub's block for a mechanical fix; its fence is longer than
// any in the text.
func suggestion(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "suggestion\n" + strings.TrimRight(plainRunes(text), "\n") + "\n" + fence
}
