package roles

import (
	"regexp"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// seedOf is the first analysis: the issue's own words, sorted.
func seedOf(r Reading) spec.SeedAnalysis {
	s := spec.SeedAnalysis{ProblemStatement: problemOf(r), Domain: domainOf(r), Constraints: quotes(r.Of(SortConstraint, SortDepends))}
	for _, p := range personasOf(r) {
		s.TargetUsers = append(s.TargetUsers, p.Name)
	}
	if len(s.Constraints) == 0 {
		s.ConstraintsReason = "the issue states none"
	}
	asks := r.Asks()
	groups := subjects(asks, r.Title)
	for _, g := range groups {
		if len(s.ExplorationDimensions) < 5 {
			s.ExplorationDimensions = append(s.ExplorationDimensions, g.name)
		}
	}
	s.Dimensions = s.ExplorationDimensions
	switch n := len(groups); {
	case n <= 2:
		s.Complexity = "simple"
	case n <= 5:
		s.Complexity = "moderate"
	default:
		s.Complexity = "complex"
	}
	return s
}

// problemOf is what the issue says is wrong today, at most three sentences.
func problemOf(r Reading) string {
	said := append(r.Of(SortProblem), r.Of(SortImpact)...)
	if len(said) == 0 {
		said = r.Of(SortVision)
	}
	if len(said) == 0 {
		return r.Title
	}
	slices.SortStableFunc(said, func(a, b Said) int { return a.Line - b.Line })
	var out []string
	for _, s := range said[:min(3, len(said))] {
		out = append(out, stop(s.Quote, r.Language))
	}
	return join(out, r.Language)
}

func join(sentences []string, lang string) string {
	if lang == "zh" || lang == "ja" {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

// domainOf is the most frequent telling words.
func domainOf(r Reading) string {
	freq := map[string]int{}
	for _, w := range keywords(r.Title) {
		freq[w] += 2
	}
	for _, s := range r.Said {
		for _, w := range keywords(s.Quote) {
			freq[w]++
		}
	}
	words := sortedKeys(freq)
	slices.SortStableFunc(words, func(a, b string) int { return freq[b] - freq[a] })
	// Stems are for comparing; people get a word as the issue spells it.
	var out []string
	for _, w := range words[:min(3, len(words))] {
		out = append(out, spelt(r, w))
	}
	return strings.Join(out, ", ")
}

var spelling = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_-]*`)

func spelt(r Reading, stemmed string) string {
	texts := []string{r.Title}
	for _, s := range r.Said {
		texts = append(texts, s.Quote)
	}
	for _, t := range texts {
		for _, w := range spelling.FindAllString(t, -1) {
			if k := keywords(w); len(k) == 1 && k[0] == stemmed {
				return strings.ToLower(w)
			}
		}
	}
	return stemmed
}

func singular(s string) string {
	switch {
	case strings.HasSuffix(s, "ies") && len(s) > 5:
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "ss") || strings.HasSuffix(s, "us"):
		return s
	case strings.HasSuffix(s, "s") && len(s) > 3:
		return s[:len(s)-1]
	}
	return s
}

// taken lists the answers to questions: by people, or the defaults of those
// whose time ran out.
func taken(questions []pipeline.Question, lang string) []string {
	out := []string{}
	for _, q := range questions {
		switch {
		case q.Answer == "":
		case q.By == "default":
			out = append(out, phrase(lang, "default taken", q.Answer, q.ID, q.ID))
		default:
			out = append(out, phrase(lang, "answered", q.Answer, "`"+q.By+"`", q.ID))
		}
	}
	return out
}

var languageNames = map[string]string{"en": "English", "de": "German", "zh": "Chinese", "fr": "French", "es": "Spanish", "pt": "Portuguese",
	"it": "Italian", "nl": "Dutch", "pl": "Polish", "ja": "Japanese", "ko": "Korean", "ru": "Russian"}

func languageName(lang string) string {
	return firstOf(languageNames[lang], "a language with the code "+lang)
}
