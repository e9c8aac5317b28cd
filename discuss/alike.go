package discuss

import (
	"strings"
	"unicode"
)

// alike says how much two sentences speak of the same thing: shared content
// words over all content words, 0 to 1. Good enough to bring voices together,
// never used to decide a verdict.
func alike(a, b string) float64 {
	x, y := words(a), words(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	return float64(shared) / float64(len(x)+len(y)-shared)
}

// same is the likeness from which two sentences count as one.
const same = 0.5

// words are a sentence's content words without endings; Han text is cut into pairs.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var han []rune
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if hasHan(w) {
			han = []rune(w)
			for i := range len(han) - 1 {
				out[string(han[i:i+2])] = true
			}
			continue
		}
		if w = stem(w); len(w) > 2 && !hollow[w] {
			out[w] = true
		}
	}
	return out
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

var endings = []string{"ments", "ment", "ings", "ing", "ies", "ed", "es", "s", "y"}

func stem(w string) string {
	for _, e := range endings {
		if strings.HasSuffix(w, e) && len(w)-len(e) >= 3 {
			return w[:len(w)-len(e)]
		}
	}
	return w
}

var hollow = map[string]bool{
	"the": true, "and": true, "for": true, "with": true, "that": true, "this": true, "are": true, "not": true, "its": true,
	"has": true, "have": true, "from": true, "into": true, "per": true, "can": true, "should": true, "must": true, "shall": true,
	"one": true, "any": true, "all": true, "but": true, "was": true, "will": true, "add": true, "there": true, "which": true,
}

// fold makes white space single and trims it, so that a quote survives reflowing.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a sentence to n runes and marks the cut.
func clip(s string, n int) string {
	r := []rune(fold(s))
	if len(r) <= n {
		return string(r)
	}
	return strings.TrimSpace(string(r[:n-1])) + "…"
}
