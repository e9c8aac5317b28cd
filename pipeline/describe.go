package pipeline

import (
	"strconv"
	"strings"
)

// describe writes a task's description: its purpose in one line, then the
// metadata lines, which parseMeta reads back.
func describe(s *Session, t Task, purpose string) string {
	round := string(t.Round)
	if round == "" {
		round = "none"
	}
	lines := []string{purpose, "",
		"Session: " + s.Folder(),
		"Scope: " + oneLine(s.Scope),
		"InlineDiscuss: " + round,
		"InnerLoop: " + strconv.FormatBool(loops[t.Owner]),
	}
	if s.SpecPath != "" {
		lines = append(lines, "Spec: "+oneLine(s.SpecPath))
	}
	return strings.Join(lines, "\n")
}

// Meta is what a description's metadata lines say.
type Meta struct {
	Purpose   string
	Session   string
	Scope     string
	Round     Round
	InnerLoop bool
	Spec      string
}

// ReadMeta reads the metadata lines of a description back.
func ReadMeta(description string) Meta {
	m := Meta{}
	m.Purpose, _, _ = strings.Cut(description, "\n")
	fields := map[string]func(string){
		"Session":       func(v string) { m.Session = v },
		"Scope":         func(v string) { m.Scope = v },
		"InnerLoop":     func(v string) { m.InnerLoop = v == "true" },
		"Spec":          func(v string) { m.Spec = v },
		"InlineDiscuss": func(v string) { m.Round = Round(strings.TrimPrefix(v, "none")) },
	}
	for line := range strings.Lines(description) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		if set := fields[name]; ok && set != nil {
			set(value)
			delete(fields, name) // the first counts: a scope may quote such a line
		}
	}
	return m
}

// oneLine folds text to a single line of at most 300 characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 300 {
		return string(r[:299]) + "…"
	}
	return text
}
