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
