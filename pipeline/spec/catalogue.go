package spec

import (
	"fmt"
	"strings"
)

// Catalogue is the rules as a Markdown table.
func Catalogue() string {
	var b strings.Builder
	b.WriteString("| Rule | Grade | What it finds | Feeds | What it moves |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range Rules {
		words := ""
		if r.Words {
			words = " (English words)"
		}
		fmt.Fprintf(&b, "| %s | %s | %s%s | %s | %s |\n", r.ID, r.Grade, escapeCell(r.Detects), words, strings.Join(r.Perspectives, ", "), r.Move)
	}
	return b.String()
}

// escapeCell keeps a text inside its cell, and angle marks from being HTML.
func escapeCell(s string) string {
	return strings.NewReplacer("|", "\\|", "<", "\\<").Replace(s)
}

// Explain is a rule for a person: what it detects, why it counts, how to mend
// it, with a bad and a good example.
func Explain(r Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %s\n\n%s\n\n", r.ID, r.Title, r.Grade, r.Detects)
	fmt.Fprintf(&b, "Feeds: %s\nMoves: %s\n", strings.Join(r.Perspectives, ", "), r.Move)
	if r.Words {
		b.WriteString("Reads English words: in documents of other languages its findings are info.\n")
	}
	fmt.Fprintf(&b, "Remedy: %s\n", r.Remedy)
	if r.Mends != "" {
		fmt.Fprintf(&b, "--fix: %s.\n", r.Mends)
	}
	for _, e := range []struct{ name, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		if e.text != "" {
			fmt.Fprintf(&b, "\n%s:\n\n    %s\n", e.name, strings.ReplaceAll(strings.TrimRight(e.text, "\n"), "\n", "\n    "))
		}
	}
	fmt.Fprintf(&b, "\nNot a problem in one place? Write there: <!-- parley:allow %s reason -->\n", r.ID)
	return b.String()
}

// String says what the hits do to a rating.
func (m Move) String() string {
	var out []string
	if m.Cap > 0 {
		s := fmt.Sprintf("rating at most %d", m.Cap)
		if m.CapGrade != "" {
			s += " for a " + m.CapGrade
		}
		if m.CapOver > 0 {
			s += fmt.Sprintf(" when more than %.0f %% are hit", m.CapOver*100)
		}
		out = append(out, s)
	}
	switch {
	case m.Weight == 0:
	case m.Each > 0:
		out = append(out, fmt.Sprintf("%.2f off for each, %.2f at most", m.Each, m.Weight))
	case m.Flat || m.Share == 0:
		out = append(out, fmt.Sprintf("%.2f off at the first", m.Weight))
	default:
		out = append(out, fmt.Sprintf("up to %.2f off, all of it at %.0f %% of units", m.Weight, m.Share*100))
	}
	if len(out) == 0 {
		return "nothing, shown only"
	}
	return strings.Join(out, "; ")
}
