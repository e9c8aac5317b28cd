package pipeline

import (
	"fmt"
	"strings"
)

// minorFold holds what gets no line comment of its own: minors, and graver
// findings beyond the tenth or without a line.
func minorFold(rest []Finding) string {
	if len(rest) == 0 {
		return ""
	}
	title := plural(len(rest), "minor finding") + ", no reply needed"
	if rest[0].Grade == Blocker || rest[0].Grade == Major {
		title = plural(len(rest), "further finding")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", title)
	for _, f := range rest[:min(len(rest), 40)] {
		where := ""
		if f.File != "" {
			where = " `" + strings.Trim(f.File, "`")
			if f.LineStart > 0 {
				where += fmt.Sprintf(":%d", f.LineStart)
			}
			where += "`"
		}
		from := voices(f.Voices)
		if f.Rule != "" {
			from = strings.TrimPrefix(InertLine(f.Rule, 20)+", "+from, ", ")
		}
		grade := ""
		if f.Grade != Minor {
			grade = " " + string(f.Grade) + ","
		}
		fmt.Fprintf(&b, "- %s%s%s: %s (%s)\n", f.ID, grade, where, strings.TrimRight(InertLine(f.Claim, 160), "."), from)
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// sumFold lets a reader recompute every number of the review.
func sumFold(v Verdict) string {
	if len(v.Opinions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n<details><summary>How the ratings came about</summary>\n\n| Perspective | Computed from | Majors | Blockers | Cap | Rating | Model's own |\n|---|---|---|---|---|---|---|\n")
	sum, rated := 0, 0
	for _, o := range v.Opinions {
		from := InertCell(o.Base, 240)
		if o.ChecksTotal > 0 {
			from = fmt.Sprintf("%d of %d checks answered yes", o.ChecksYes, o.ChecksTotal)
		}
		limit, own := "", ""
		if o.Cap > 0 {
			limit = fmt.Sprintf("%d (%s)", o.Cap, InertCell(o.CapRule, 12))
		}
		if o.ModelRating != nil {
			own = fmt.Sprint(*o.ModelRating)
		}
		shown := "not rated"
		if o.Rating != nil {
			shown = fmt.Sprintf("**%d**", *o.Rating)
			sum, rated = sum+*o.Rating, rated+1
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %s |\n", titled(string(o.Perspective)), from, o.Majors, o.Blockers, limit, shown, own)
	}
	b.WriteString("\n" + averageText(v, sum, rated) + "\n\n</details>\n")
	return b.String()
}

func averageText(v Verdict, sum, rated int) string {
	text := "No perspective was rated."
	if rated > 0 {
		text = fmt.Sprintf("Average %d / %d = %s.", sum, rated, rating(v.Average))
	}
	if v.Consensus == ConsensusBlocked {
		text += " " + blockedBecause(v)
	}
	if v.QuotesChecked > 0 {
		text += fmt.Sprintf(" %s checked, %s dropped for a quote that is not in the text.", plural(v.QuotesChecked, "quote"), plural(v.Dropped, "finding"))
	}
	return text
}

func blockedBecause(v Verdict) string {
	for _, d := range v.Divergences {
		if d.Severity == High {
			return "Blocked, because a HIGH divergence blocks at any average."
		}
	}
	if v.Partial {
		return "Blocked, because fewer than half of the voices rated."
	}
	return "Blocked, because the average is under 3.0."
}
