package spec

import (
	"strings"
	"unicode"
)

// stopWords are frequent words that tell languages apart.
var stopWords = map[string][]string{
	"en": {"the", "and", "is", "are", "to", "of", "that", "must", "should", "for", "with", "when", "be", "this", "not", "it", "as"},
	"de": {"der", "die", "das", "und", "ist", "sind", "nicht", "muss", "soll", "mit", "wenn", "für", "eine", "ein", "werden", "wird", "zu", "den"},
	"fr": {"le", "la", "les", "et", "est", "des", "une", "doit", "pour", "avec", "dans", "que", "pas", "sur", "un"},
	"es": {"el", "la", "los", "y", "es", "debe", "para", "con", "una", "que", "no", "por", "del", "se"},
	"pt": {"o", "os", "e", "é", "deve", "para", "com", "uma", "que", "não", "por", "do", "da", "em"},
	"it": {"il", "lo", "gli", "e", "è", "deve", "per", "con", "una", "che", "non", "di", "del", "si"},
	"nl": {"de", "het", "en", "is", "zijn", "niet", "moet", "voor", "met", "een", "van", "dat", "wordt"},
	"pl": {"i", "jest", "nie", "musi", "dla", "oraz", "się", "na", "do", "że", "który", "być"},
}

const (
	stopWordLimit = 6     // the length of the longest, in bytes
	guessLimit    = 20000 // so much of a text tells its language
)

// Guess is the language of a text: by its script where that decides, else by
// its most frequent small words. English is the answer in doubt.
func Guess(text string) string {
	for i := range text {
		if i > guessLimit {
			text = text[:i]
			break
		}
	}
	if lang := byScript(text); lang != "" {
		return lang
	}
	counts := map[string]int{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if len(w) <= stopWordLimit {
			counts[w]++
		}
	}
	best, most, english := "en", 0, 0
	for lang, list := range stopWords {
		n := 0
		for _, w := range list {
			n += counts[w]
		}
		if lang == "en" {
			english = n
		} else if n > most || n == most && lang < best {
			best, most = lang, n
		}
	}
	if most < 3 || most*2 <= english*3 {
		return "en"
	}
	return best
}

func byScript(text string) string {
	letters, han, kana, hangul, cyrillic := 0, 0, 0, 0, 0
	for _, c := range text {
		if !unicode.IsLetter(c) {
			continue
		}
		letters++
		if c < unicode.MaxASCII {
			continue // of no script but our own
		}
		switch {
		case unicode.Is(unicode.Han, c):
			han++
		case unicode.Is(unicode.Hiragana, c), unicode.Is(unicode.Katakana, c):
			kana++
		case unicode.Is(unicode.Hangul, c):
			hangul++
		case unicode.Is(unicode.Cyrillic, c):
			cyrillic++
		}
	}
	// A Chinese letter carries about as much as four Latin ones, and technical
	// text is full of Latin names.
	switch {
	case letters == 0:
		return ""
	case kana*8 > letters:
		return "ja"
	case hangul*5 > letters:
		return "ko"
	case han*6 > letters:
		return "zh"
	case cyrillic*2 > letters:
		return "ru"
	}
	return ""
}

// Language is the language of the documents' bodies: what the frontmatter
// says, else a guess from the normative text.
func (s *Set) Language() string {
	for _, d := range s.Documents {
		if lang := d.Front.Get("language"); lang != "" {
			return lang
		}
	}
	var b strings.Builder
	for _, it := range s.Items {
		b.WriteString(it.Title + " " + it.Statement + "\n")
		if b.Len() > 20000 {
			break
		}
	}
	if b.Len() < 400 {
		for _, d := range s.Documents {
			for _, bl := range d.Blocks {
				if bl.Kind == Paragraph || bl.Kind == ListItem {
					b.WriteString(bl.Text + "\n")
				}
			}
			if b.Len() > 20000 {
				break
			}
		}
	}
	return Guess(b.String())
}

// nothing is what a section says when nothing is known: briefly, and never a
// made-up sentence.
var nothing = map[string]string{
	"en": "Not stated.", "de": "Nicht angegeben.", "zh": "未说明。", "fr": "Non précisé.", "es": "No indicado.",
	"pt": "Não indicado.", "it": "Non indicato.", "nl": "Niet vermeld.", "pl": "Nie podano.", "ja": "記載なし。", "ko": "명시되지 않음.", "ru": "Не указано.",
}

func nothingIn(lang string) string {
	if t, ok := nothing[lang]; ok {
		return t
	}
	return nothing["en"]
}

var nothingSaid = func() map[string]bool {
	m := map[string]bool{"-": true, "–": true, "—": true, "n/a": true}
	for _, t := range nothing {
		m[strings.ToLower(strings.Trim(t, ".。"))] = true
	}
	return m
}()

// unsaid is the text, or nothing where it only says that nothing is known.
func unsaid(s string) string {
	t := strings.TrimSpace(s)
	if nothingSaid[strings.ToLower(strings.Trim(t, "_*.。 "))] {
		return ""
	}
	return t
}
