package pipeline

import (
	"fmt"
	"sort"
	"time"
)

// Focus chooses at most five lines a reviewer should look at first: what
// blocks, the lowest rating, the widest split, the weakest dimension, an
// unanswered question, then what the roles point at.
func Focus(s Session) []string { return focusOf(s, sizes[0]) }

func focusOf(s Session, z size) []string {
	var lines []string
	add := func(line string) {
		if line != "" && len(lines) < z.items {
			lines = append(lines, line)
		}
	}
	add(worstFinding(s, z))
	add(lowestRating(s, z))
	add(widestSplit(s))
	add(weakestDimension(s, z))
	add(openQuestion(s, z))
	for _, chain := range chains(s) {
		if t, ok := latest(chain); ok && t.Glance != nil {
			for _, line := range t.Glance.Focus {
				add(InertLine(line, z.line))
			}
		}
	}
	return lines
}

// ranked are the newest finished tasks by measure, highest first; ties keep
// graph order.
func ranked(s Session, measure func(g *Glance) int) []Task {
	var out []Task
	for _, chain := range chains(s) {
		if t, ok := latest(chain); ok && t.Glance != nil && measure(t.Glance) > 0 {
			out = append(out, t)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return measure(out[i].Glance) > measure(out[j].Glance) })
	return out
}

func worstFinding(s Session, z size) string {
	tasks := ranked(s, func(g *Glance) int { return g.Blockers })
	if len(tasks) == 0 {
		return ""
	}
	g := tasks[0].Glance
	where := linked(nounOf(baseOf(tasks[0].ID)), fileURL(s, s.Branch(), g.WorstFile))
	return fmt.Sprintf("Blocker **%s** in the %s: %s", g.Worst, where, InertLine(g.WorstText, z.line))
}

func lowestRating(s Session, z size) string {
	tasks := ranked(s, func(g *Glance) int {
		if g.LowRating == 0 || g.LowRating > 3 {
			return 0
		}
		return 5 - g.LowRating
	})
	if len(tasks) == 0 {
		return ""
	}
	g := tasks[0].Glance
	line := fmt.Sprintf("Lowest rating: %s %d / 5 on the %s", g.Low, g.LowRating, document(s, tasks[0]))
	if g.LowText != "" {
		line += ": " + InertLine(g.LowText, z.line)
	}
	return line
}

func widestSplit(s Session) string {
	tasks := ranked(s, func(g *Glance) int { return max(0, g.Spread-2) })
	if len(tasks) == 0 {
		return ""
	}
	t := tasks[0]
	return fmt.Sprintf("Widest split: the voices on the %s are %d points apart", document(s, t), t.Glance.Spread)
}

func weakestDimension(s Session, z size) string {
	if s.Gate == nil {
		return ""
	}
	name := weakest(s.Gate)
	v := s.Gate.Dimensions[name]
	if v == nil || *v >= 80 {
		return ""
	}
	line := fmt.Sprintf("Weakest dimension: %s %s %%", name, percent(*v))
	if note := s.Gate.Notes[name]; note != "" {
		line += ", " + InertLine(note, z.line)
	}
	return line
}

func openQuestion(s Session, z size) string {
	open := openQuestions(s)
	if len(open) == 0 || questions(s, z) != "" {
		return "" // or they stand above, in full
	}
	return fmt.Sprintf("Unanswered: %s, %s Assumed: %s", open[0].ID, sentence(InertLine(open[0].Text, z.line)), sentence(InertLine(open[0].Default, z.line/2)))
}

// costLine says what the session took: money, time, and who answered.
func costLine(s Session) string {
	var models, rules, quotes, dropped, seen int
	for _, t := range s.Tasks {
		if g := t.Glance; g != nil {
			models, rules = models+g.Models, rules+g.Rules
			quotes, dropped, seen = quotes+g.Quotes, dropped+g.Dropped, seen+g.Injection
		}
	}
	line := money(s.Usage) + " · " + took(s)
	if models+rules > 0 {
		line += fmt.Sprintf(" · %s: %d by models, %d by rules", plural(models+rules, "answer"), models, rules)
	}
	if quotes > 0 {
		line += fmt.Sprintf(" · %s checked, %s dropped", plural(quotes, "quote"), plural(dropped, "finding"))
	}
	if seen > 0 {
		line += fmt.Sprintf(" · %s of instruction-like text seen and ignored", plural(seen, "piece"))
	}
	return line
}

// costCell is what a task and its revisions cost, their rounds included; empty
// where rules did the work.
func costCell(chain []Task) string {
	var u Usage
	for _, t := range chain {
		u = u.Plus(t.Usage)
	}
	switch {
	case u.Calls+u.Cached == 0:
		return ""
	case u.Unpriced == 0:
		return dollars(u)
	case u.Micros == 0:
		return "price unknown"
	}
	return "more than " + dollars(u)
}

func money(u Usage) string {
	text := dollars(u)
	if u.Unpriced > 0 {
		text += fmt.Sprintf(" and %s at an unknown price", plural(u.Unpriced, "answer"))
	}
	return text
}

func dollars(u Usage) string { return fmt.Sprintf("$%.2f", float64(u.Micros)/1e6) }

func took(s Session) string {
	end := s.UpdatedAt
	if s.CompletedAt != nil {
		end = *s.CompletedAt
	}
	return span(end.Sub(s.StartedAt))
}

// span is a duration as people say it.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
