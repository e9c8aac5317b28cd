package pipeline

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// choice is how a session came by its mode.
type choice struct {
	Mode     Mode
	Reason   string
	Frontend bool
	Backend  bool
	Signals  []string
}

// modeField is the issue form's heading under which a mode may be chosen.
var modeField = regexp.MustCompile(`(?im)^#{2,4}[ \t]*(?:lifecycle )?mode[ \t]*\r?\n+[ \t]*([a-z-]+)[ \t]*\r?$`)

// chooseMode asks the command or label that started it, the other labels, the
// issue form and the configuration, in this order; only a configured mode may
// be upgraded for a frontend.
func chooseMode(s Session, b Briefing) (choice, *Refusal) {
	asked := s.Mode
	if asked == "" {
		var refusal *Refusal
		if asked, refusal = labelledMode(s.Issue.Label, b.Body.Labels); refusal != nil {
			return choice{}, refusal
		}
	}
	if asked != "" {
		return withSignals(choice{Mode: asked, Reason: "asked for"}, b), nil
	}
	if m := modeField.FindStringSubmatch(b.Body.Body); m != nil {
		if _, ok := modes[Mode(m[1])]; ok {
			return withSignals(choice{Mode: Mode(m[1]), Reason: "chosen in the issue form"}, b), nil
		}
	}
	c := choice{Mode: b.Settings.DefaultMode, Reason: "the configured default"}
	if _, ok := modes[c.Mode]; !ok {
		c.Mode = SpecOnly
	}
	return upgrade(withSignals(c, b)), nil
}

// labelledMode is the mode that another label beside the bare one names.
func labelledMode(bare string, labels []string) (mode Mode, refusal *Refusal) {
	words := ""
	for _, label := range labels {
		if bare == "" || !strings.HasPrefix(strings.ToLower(label), strings.ToLower(bare)+":") {
			continue
		}
		a, refusal := readStart(Event{Label: label})
		if refusal == nil && a.mode == "" {
			continue
		}
		if refusal == nil && mode != "" && mode != a.mode {
			refusal = refuseBoth(words, label)
		}
		if refusal != nil {
			return "", refusal
		}
		mode, words = a.mode, label
	}
	return mode, nil
}

// The words by which a frontend and a backend are told. Short ones count only
// as whole words in their own spelling, or "ui" would be found in "build".
var (
	frontendWords = wordPattern("component", "page", "ui", "frontend", "css", "html", "react", "vue", "tailwind",
		"svelte", `next\.js`, "nuxt", "shadcn", "design system", "responsive", "layout", "form", "dialog", "modal",
		"sidebar", "navbar", "theme", "dark mode", "animation")
	backendWords = wordPattern("api", "database", "server", "endpoint", "backend", "middleware", "migration", "schema",
		"rest", "graphql", "authentication", "authorization", "queue", "worker", "cron")
	frontendDeps = []string{"react", "vue", "svelte", "next"}
)

func wordPattern(words ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)s?\b`)
}

// withSignals notes the frontend's signals in the issue and in package.json.
func withSignals(c choice, b Briefing) choice {
	text := b.Body.Title + "\n" + b.Body.Body
	for _, w := range frontendWords.FindAllString(text, -1) {
		w = strings.ToLower(w)
		if !slices.Contains(c.Signals, w) && len(c.Signals) < 8 {
			c.Signals = append(c.Signals, w)
		}
	}
	var pkg struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	// A package.json that does not parse names no dependency.
	if json.Unmarshal([]byte(b.PackageJSON), &pkg) == nil {
		for _, d := range frontendDeps {
			if pkg.Dependencies[d] != "" || pkg.DevDependencies[d] != "" {
				c.Signals = append(c.Signals, "package.json: "+d)
			}
		}
	}
	c.Frontend = len(c.Signals) > 0
	c.Backend = backendWords.MatchString(text)
	return c
}

// upgrades say what a mode becomes when a frontend is seen, without and with a backend.
var upgrades = map[Mode][2]Mode{
	ImplOnly:      {FEOnly, Fullstack},
	FullLifecycle: {FullLifecycleFE, FullLifecycleFE},
}

// upgrade applies the frontend table and says what it saw.
func upgrade(c choice) choice {
	to, ok := upgrades[c.Mode]
	if !ok || !c.Frontend {
		return c
	}
	next := to[0]
	if c.Backend {
		next = to[1]
	}
	c.Reason = "upgraded from " + string(c.Mode) + ", a frontend was seen: " + strings.Join(c.Signals, ", ")
	c.Mode = next
	return c
}
