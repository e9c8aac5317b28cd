package pipeline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert makes text of foreign origin safe to stand in Markdown of ours: it
// stays readable, but it pings nobody, refers to nothing, closes nothing,
// skips no run, opens no structure and is no command. Foreign text is an
// issue's title, a person's words, and whatever a model returned.
func Inert(text string) string {
	lines := strings.Split(plainRunes(text), "\n")
	for i, line := range lines {
		lines[i] = inertStart(inertSpans(line))
	}
	return strings.Join(lines, "\n")
}

// InertLine is Inert folded to one line of at most limit runes.
func InertLine(text string, limit int) string {
	return Inert(shorten(fold(plainRunes(text)), limit))
}

// InertCell is InertLine for a table cell.
func InertCell(text string, limit int) string {
	return strings.ReplaceAll(InertLine(text, limit), "|", `\|`)
}

// inCode is foreign text as one code span, 80 runes of it at most.
func inCode(text string) string {
	return "`" + strings.ReplaceAll(shorten(fold(plainRunes(text)), 80), "`", "'") + "`"
}

// InertSubject is for places that are not Markdown: commit messages and
// titles, where code spans protect nothing.
func InertSubject(text string, limit int) string {
	text = shorten(fold(plainRunes(text)), limit)
	text = skipToken.ReplaceAllString(text, "($1$2)")
	text = trailerStart.ReplaceAllString(text, "$1 -")
	text = strings.ReplaceAll(text, "@", "(at)")
	text = reference.ReplaceAllString(text, "$1 no. $2")
	text = strings.ReplaceAll(text, "://", ": //")
	text = strings.ReplaceAll(tagStart.ReplaceAllString(text, "< $1"), "![", "! [")
	return strings.TrimLeft(fold(text), "/")
}

var (
	// chunk is a word as far as links, pings and references go.
	chunk = regexp.MustCompile("[^\\s<>`|()\\[\\]{},;\"']+")
	// target is what GitHub would link to, ping or close.
	target = regexp.MustCompile(`(?i)(?:[\w.-]+/[\w.-]+)?#\d+|\bgh-\d+`)
	// entity is a character by name or number: it acts like the character.
	entity       = regexp.MustCompile(`&(#?[A-Za-z0-9]+;)`)
	reference    = regexp.MustCompile(`(?i)((?:[\w.-]+/[\w.-]+)?)(?:#|\bgh-)(\d+)`)
	skipToken    = regexp.MustCompile(`(?i)\[\s*(skip|ci|no|actions)(\s+(?:ci|skip|actions))\s*\]`)
	noCI         = regexp.MustCompile(`(?i)\*{3}NO_CI\*{3}`)
	trailerStart = regexp.MustCompile(`(?i)^\s*((?:co-authored|signed-off|acked|reviewed|tested|reported)-by|skip-checks|request-checks|change-id)\s*:`)
	blockStart   = regexp.MustCompile(`^((?:\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|>\s?))*\s*)(#{1,6}(?:\s|$)|[-=]+\s*$|[_*]{3,}\s*$|~{3,})`)
	command      = regexp.MustCompile(`^(\s*)(/[A-Za-z][\w-]*)`)
	tagStart     = regexp.MustCompile(`<([A-Za-z/!?])`)
)

// inertSpans neutralises what acts anywhere in a line. Balanced code spans
// stay code; a backtick without a partner becomes an apostrophe.
func inertSpans(line string) string {
	var b strings.Builder
	put := func(piece string) {
		// Two runs of backticks that touch would be one.
		if strings.HasPrefix(piece, "`") && strings.HasSuffix(b.String(), "`") {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
	}
	for line != "" {
		open := strings.IndexByte(line, '`')
		if open < 0 {
			put(inertText(line))
			break
		}
		ticks := run(line[open:])
		put(inertText(closedEscapes(line[:open])))
		rest := line[open+ticks:]
		end := closing(rest, ticks)
		if end < 0 {
			put(strings.Repeat("'", ticks))
			line = rest
			continue
		}
		put(line[open:open+ticks] + strings.ReplaceAll(rest[:end], "<!--", "<! --") + line[open:open+ticks])
		line = rest[end+ticks:]
	}
	return b.String()
}

// run is how many backticks s starts with.
func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closing finds the run of exactly n backticks that ends a code span.
func closing(s string, n int) int {
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		length := run(s[at:])
		if length == n {
			return at
		}
		at += length
	}
	return -1
}

// closedEscapes makes the backslashes before a code span even, so that none of
// them disarms its first backtick.
func closedEscapes(s string) string {
	if n := len(s) - len(strings.TrimRight(s, `\`)); n%2 == 1 {
		return s + `\`
	}
	return s
}

func inertText(s string) string {
	if harmless(s) {
		return s
	}
	s = skipToken.ReplaceAllString(s, "($1$2)")
	s = noCI.ReplaceAllString(s, "NO_CI")
	s = strings.ReplaceAll(s, "](", "] (")
	s = strings.ReplaceAll(s, "]:", "] :")
	s = strings.ReplaceAll(s, "][", "] [")
	s = strings.ReplaceAll(s, "![", "! [")
	s = tagStart.ReplaceAllString(entity.ReplaceAllString(s, "&amp;$1"), "&lt;$1")
	return chunk.ReplaceAllStringFunc(s, inertWord)
}

// harmless spares most text the patterns: it has nothing they could match.
func harmless(s string) bool {
	return !strings.ContainsAny(s, "@#[]<&") && !strings.Contains(s, "://") && !strings.Contains(s, "***") &&
		!containsFold(s, "www.") && !containsFold(s, "gh-")
}

// containsFold is strings.Contains without regard to case; part is lower case.
func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if c := s[i] | 0x20; c == part[0] && strings.EqualFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// inertWord puts into code what GitHub would act on: addresses and mentions
// whole, references alone.
func inertWord(word string) string {
	core := strings.TrimLeft(word, "*_~")
	lead := word[:len(word)-len(core)]
	core = strings.TrimRight(core, ".:!?*_~")
	tail := word[len(lead)+len(core):]
	if strings.Contains(core, "@") || strings.Contains(core, "://") || strings.HasPrefix(strings.ToLower(core), "www.") {
		return lead + "`" + core + "`" + tail
	}
	return lead + target.ReplaceAllString(core, "`$0`") + tail
}

// inertStart neutralises what acts at the start of a line.
func inertStart(line string) string {
	text := strings.TrimLeft(line, " \t")
	switch {
	case text == "":
	case text[0] == '/':
		return command.ReplaceAllString(line, "$1`$2`")
	case strings.IndexByte("#-=_*~>+0123456789", text[0]) >= 0:
		if m := blockStart.FindStringSubmatchIndex(line); m != nil {
			return line[:m[4]] + `\` + line[m[4]:]
		}
	case strings.Contains(text, ":"):
		return trailerStart.ReplaceAllString(line, "`$1`:")
	}
	return line
}

// plainRunes drops what a reader cannot see and folds line ends.
func plainRunes(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case hidden(r):
			return -1
		}
		return r
	}, s)
}

// hidden tells the runes that show nothing: controls, zero-width and
// directional marks, tags, fillers. Emoji keep their selector and joiner.
func hidden(r rune) bool {
	if r == '\u200D' || r == '\uFE0F' {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) ||
		r == '\u034F' || r == '\u115F' || r == '\u1160' || r == '\u3164' || r == '\uFFA0' ||
		r >= '\uFE00' && r < '\uFE0F' || r >= 0xE0100 && r <= 0xE01EF
}

// fold joins the words of s by single spaces.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten cuts s to limit runes, at a word where one is near.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	cut := string([]rune(s)[:limit-1])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)*2/3 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
