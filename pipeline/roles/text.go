package roles

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip shortens a text at a word boundary, without an ellipsis.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := string([]rune(s)[:n])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.-–")
}

// excerpt shortens a quotation, and shows that it does.
func excerpt(s string, n int) string {
	if short := clip(s, n); short != s {
		return short + "…"
	}
	return s
}

var (
	hidden   = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	tag      = regexp.MustCompile(`(?i)</?(?:img|br|b|i|em|strong|p|div|span|a|sub|sup|kbd|details|summary|h[1-6]|hr|video|picture|source|center|font|u|small)(?:\s[^<>]*)?/?>`)
	picture  = regexp.MustCompile(`!\[[^\[\]]*\]\([^()\s]*(?:\s+"[^"]*")?\)`)
	linked   = regexp.MustCompile(`\[([^\[\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`)
	strong   = regexp.MustCompile(`\*\*([^*]+)\*\*|__([^_]+)__`)
	slanted  = regexp.MustCompile(`(^|[\s(])[*_]([^*_\s][^*_]*)[*_]($|[\s).,;:!?])`)
	spanOnly = regexp.MustCompile("`[^`]*`")
)

// plain is a text as a reader sees it, on one line; code spans keep their
// marks and their content.
func plain(s string) string {
	s = hidden.ReplaceAllString(s, " ")
	var b strings.Builder
	last := 0
	for _, at := range append(spanOnly.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		t := linked.ReplaceAllString(picture.ReplaceAllString(tag.ReplaceAllString(s[last:at[0]], " "), ""), "$1")
		t = strong.ReplaceAllString(t, "$1$2")
		b.WriteString(slanted.ReplaceAllString(t, "$1$2$3"))
		b.WriteString(s[at[0]:at[1]])
		last = at[1]
	}
	return oneLine(b.String())
}

type part struct {
	text string
	line int // from the block's first line
}

var abbreviation = regexp.MustCompile(`(?i)(?:\b(?:e\.g|i\.e|etc|vs|approx|no|fig|cf|incl|max|min|z\.B|d\.h|bzw|usw|ca|Nr|ggf|z\. B|u\.a)|\b\p{L})\.$`)

// sentences cuts a text at the ends of its sentences; what stands in code
// spans, numbers and abbreviations does not end one.
func sentences(text string) []part {
	var out []part
	start, code, deep := 0, false, 0
	first, _ := utf8.DecodeRuneInString(text)
	small := unicode.IsLower(first) // who begins in small letters goes on so
	flush := func(end int) {
		if t := strings.TrimSpace(text[start:end]); t != "" {
			lead := len(text[start:end]) - len(strings.TrimLeft(text[start:end], " \t\n"))
			out = append(out, part{t, strings.Count(text[:start+lead], "\n")})
		}
		start, deep = end, 0
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case r == '`':
			code = !code
		case code:
		case r == '(':
			deep++
		case r == ')':
			deep = max(0, deep-1)
		case deep > 0 && strings.Contains(text[end:], ")"): // an aside ends nothing
		case strings.ContainsRune("。！？；", r):
			flush(end)
		case strings.ContainsRune(".!?", r) && endsSentence(text, start, end, small):
			flush(end)
		}
	}
	flush(len(text))
	return out
}

// fullWord is a word before its full stop, no abbreviation and no version.
var fullWord = regexp.MustCompile(`(?:^|\s)\p{L}{4,}\.$`)

func endsSentence(text string, start, end int, small bool) bool {
	rest := text[end:]
	if rest == "" {
		return true
	}
	if !unicode.IsSpace(rune(rest[0])) && !strings.ContainsRune(`"')*_`, rune(rest[0])) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " \t\n\"'`*_("))
	if mark := text[end-1]; unicode.IsLower(next) {
		return mark == '?' || mark == '!' && end > 1 && text[end-2] == mark || mark == '.' && small && fullWord.MatchString(text[start:end]) && !abbreviation.MatchString(text[start:end])
	}
	return !abbreviation.MatchString(text[start:end])
}

var stopWords = wordSet(`the and for with that this these those from into onto when then than not are was were has have had its their they them our your you who what which will would must shall should can could may might need needs want wants able per via each every all any one two only also more most less such very same other over under after before about between because while where there here does did done been being both but how why able system user users use used using make made add adds added new like something anything everything nothing thing things someone everyone show shows list lists see get gets set
 der die das und oder mit von für auf ein eine einen einem einer ist sind war nicht dass den dem des als auch wird werden soll sollen muss müssen kann können bei wenn aus nach über unter`)

// keywords are a text's telling words in a crude stem; Han text gives pairs of
// characters.
func keywords(text string) []string {
	var out []string
	add := func(w string) {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		r := []rune(w)
		if unicode.Is(unicode.Han, r[0]) {
			for i := 0; i+1 < len(r); i++ {
				if unicode.Is(unicode.Han, r[i]) && unicode.Is(unicode.Han, r[i+1]) && !hanStop[string(r[i:i+2])] {
					add(string(r[i : i+2]))
				}
			}
			continue
		}
		if len(r) < 3 || stopWords[w] || unicode.IsDigit(r[0]) {
			continue
		}
		add(stem(w))
	}
	return out
}

var hanStop = wordSet("必须 需要 应该 应当 可以 支持 系统 用户 能够 希望 进行 以及 或者 如果 一个 不能 不得 使用 时候 所有 当前 目前 功能 提供 没有 我们")

// suffixes are cut off one word, the first that fits, where enough is left.
var suffixes = []struct {
	end  string
	left int
}{{"ations", 4}, {"ation", 4}, {"ings", 3}, {"ing", 3}, {"ies", 3}, {"ied", 3}, {"ers", 4}, {"ed", 3}, {"es", 3}, {"s", 3}, {"er", 4}, {"y", 3}, {"e", 3}}

// stem makes one word of the forms of a word: save, saves, saved and saving.
// It is for comparing, never for reading.
func stem(w string) string {
	if strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "eed") {
		return w
	}
	for _, s := range suffixes {
		root, ok := strings.CutSuffix(w, s.end)
		if !ok || utf8.RuneCountInString(root) < s.left || !strings.ContainsAny(root, "aeiouyäöü") {
			continue
		}
		if verbal := s.end == "ing" || s.end == "ed"; verbal {
			root = single(root)
		}
		return root
	}
	return w
}

// single undoes what a verb's ending does to its root: logg(ed), apply(ing).
func single(root string) string {
	n := len(root)
	if n > 3 && root[n-1] == 'y' || n > 3 && root[n-1] == root[n-2] && !strings.ContainsRune("lsz", rune(root[n-1])) {
		return root[:n-1]
	}
	return root
}

// overlap is the share of a's keywords that b has too.
func overlap(a, b []string) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// nearest is the index of the text most like the given one, -1 when none
// shares enough.
func nearest(text string, among []string, least float64) int {
	own := keywords(text)
	best, score := -1, least
	for i, t := range among {
		other := keywords(t)
		s := max(overlap(own, other), overlap(other, own)*0.9)
		if s > score || s == score && best < 0 && s > 0 {
			best, score = i, s
		}
	}
	return best
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// upperFirst starts a sentence.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || r == '`' {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst continues a sentence; acronyms and code keep their case.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	if n == 0 || unicode.IsUpper(next) || unicode.IsDigit(next) {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// inline continues a sentence of ours with words of the issue; German nouns
// keep their capitals.
func inline(s, lang string) string {
	if lang != "en" {
		return s
	}
	return lowerFirst(s)
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// stop ends a sentence with the full stop of its script.
func stop(s, lang string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".。;；,，:：")
	if s == "" || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
		return s
	}
	if lang == "zh" || lang == "ja" {
		return s + "。"
	}
	return s + "."
}
