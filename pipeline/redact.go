package pipeline

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// Redactor takes secrets out of text, on the way to a model and back: known
// shapes, and the configured ones whole, in halves, reversed and encoded.
type Redactor struct{ known []string }

// secretShapes are credentials. No length is assumed to be fixed: GitHub's
// installation tokens have a long form too. Each holds one of its marks, and
// looking for a mark is far cheaper than for a shape: most texts hold none.
var secretShapes = []struct {
	marks []string
	form  *regexp.Regexp
}{
	{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9_.-]{20,}|github_pat_[A-Za-z0-9_]{20,})`)},
	{[]string{"sk-"}, regexp.MustCompile(`\bsk-(ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,}`)},
	{[]string{"AIza"}, regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}`)},
	{[]string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{[]string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{[]string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{[]string{"-----BEGIN "}, regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\z)`)},
	{[]string{"npm_", "glpat-", "hf_"}, regexp.MustCompile(`\b(npm_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{18,}|hf_[A-Za-z0-9]{30,})`)},
	{[]string{"://"}, regexp.MustCompile(`(?i)\b(?:postgres(?:ql)?|mysql|redis|rediss|mongodb(?:\+srv)?|amqp)://[^\s:/@]*:[^\s@]+@`)},
}

// nearKey is a long random-looking value right behind a word for a secret.
var nearKey = regexp.MustCompile(`(?i)\b((?:api[_-]?key|secret|token|password|passwd|credential)s?["']?\s*[:=]\s*["']?)([A-Za-z0-9+/_=-]{20,})`)

// keyWords are those words; the last one is how an s may be written where
// case is ignored.
var keyWords = []string{"apikey", "api_key", "api-key", "secret", "token", "passw", "credential", "\u017F"}

// minSecretPart is the shortest piece of a secret that counts as one.
const minSecretPart = 12

// NewRedactor knows the configured secrets besides the shapes.
func NewRedactor(secrets []string) *Redactor {
	r := &Redactor{}
	add := func(s string) {
		if len(s) >= minSecretPart && !slices.Contains(r.known, s) {
			r.known = append(r.known, s)
		}
	}
	for _, s := range secrets {
		if len(s) < minSecretPart {
			continue
		}
		add(s)
		add(s[:len(s)/2])
		add(s[len(s)/2:])
		add(reversed(s))
		add(hex.EncodeToString([]byte(s)))
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			add(enc.EncodeToString([]byte(s)))
		}
	}
	// Longest first, so that a whole is not left with a tail of itself.
	slices.SortFunc(r.known, func(a, b string) int { return len(b) - len(a) })
	return r
}

// Clean returns the text without secrets.
func (r *Redactor) Clean(text string) string {
	for _, s := range r.known {
		text = strings.ReplaceAll(text, s, Redacted)
	}
	for _, shape := range secretShapes {
		if holdsOne(text, shape.marks) {
			text = shape.form.ReplaceAllString(text, Redacted)
		}
	}
	if !holdsOne(strings.ToLower(text), keyWords) {
		return text
	}
	return nearKey.ReplaceAllStringFunc(text, func(m string) string {
		parts := nearKey.FindStringSubmatch(m)
		if !looksRandom(parts[2]) {
			return m
		}
		return parts[1] + Redacted
	})
}

func holdsOne(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// looksRandom tells a key from a long word: it mixes classes of characters.
func looksRandom(s string) bool {
	var lower, upper, digit bool
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= '0' && c <= '9':
			digit = true
		}
	}
	return digit && (lower || upper)
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
