package llm

import (
	"fmt"
	"strings"
	"unicode"
)

// fewLetters is how much prose it takes to tell a language at all.
const fewLetters = 120

// wrongLanguage names the fault when an answer is plainly in another script or
// language than asked; "" when it fits or cannot be told.
func wrongLanguage(want, text string) string {
	var han, latin int
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Latin, r):
			latin++
		}
	}
	switch {
	case want == "" || han+latin < fewLetters:
		return ""
	case want == "zh" && han*10 < latin:
		return "the prose must be Chinese"
	case want != "zh" && want != "ja" && han > latin:
		return fmt.Sprintf("the prose must be in the language %q, not Chinese", want)
	case want == "en" && foreign(text):
		return "the prose must be English"
	}
	return ""
}

// foreign counts small words: a text with three times as many German or French
// ones as English ones is not English.
func foreign(text string) bool {
	english, other := 0, 0
	for _, w := range strings.Fields(strings.ToLower(text)) {
		switch w {
		case "the", "and", "of", "to", "is", "with", "for", "that", "not":
			english++
		case "der", "die", "das", "und", "nicht", "mit", "für", "ist", "le", "la", "les", "des", "est", "et", "pour", "pas":
			other++
		}
	}
	return other > 8 && other > 3*english
}
