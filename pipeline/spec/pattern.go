package spec

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is a regular expression that first looks for the words of which each
// match holds one. Most texts hold none, and the look is many times cheaper
// than the expression. It finds what the expression finds.
type pattern struct {
	*regexp.Regexp
	words *words // nil: no text can be ruled out
}

// compile panics on a faulty expression, as regexp.MustCompile does.
func compile(expr string) pattern {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic("compile " + expr + ": " + err.Error())
	}
	return pattern{regexp.MustCompile(expr), newWords(heldBy(tree.Simplify()).words())}
}

func (p pattern) may(s string) bool { return p.words == nil || p.words.in(s) }

func (p pattern) MatchString(s string) bool { return p.may(s) && p.Regexp.MatchString(s) }

func (p pattern) FindString(s string) string {
	if !p.may(s) {
		return ""
	}
	return p.Regexp.FindString(s)
}

func (p pattern) FindStringIndex(s string) []int {
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindStringIndex(s)
}

func (p pattern) FindStringSubmatch(s string) []string {
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindStringSubmatch(s)
}

func (p pattern) FindAllString(s string, n int) []string {
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindAllString(s, n)
}

func (p pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindAllStringIndex(s, n)
}

func (p pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindAllStringSubmatch(s, n)
}

func (p pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindAllStringSubmatchIndex(s, n)
}

func (p pattern) ReplaceAllString(s, with string) string {
	if !p.may(s) {
		return s
	}
	return p.Regexp.ReplaceAllString(s, with)
}

func (p pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !p.may(s) {
		return s
	}
	return p.Regexp.ReplaceAllStringFunc(s, with)
}

// words finds out whether a text holds one of them, whatever the case of its
// ASCII letters.
type words struct {
	all   []string   // in lower case
	lead  int        // so many bytes of each are hashed
	mask  uint32     // for the last lead bytes
	heads [64]uint64 // a bit for each hash
	mark  string     // the only one, where it has no letters
}

// leadLimit: three bytes tell most words from most others.
const leadLimit = 3

func newWords(all []string) *words {
	if len(all) == 0 {
		return nil
	}
	w := &words{lead: leadLimit}
	slices.Sort(all)
	for _, one := range all {
		if n := len(w.all); n > 0 && strings.HasPrefix(one, w.all[n-1]) {
			continue // the shorter one is in each text that holds this one
		}
		w.all = append(w.all, one)
		w.lead = min(w.lead, len(one))
	}
	w.mask = 1<<(8*w.lead) - 1
	if len(w.all) == 1 && strings.IndexFunc(w.all[0], unicode.IsLetter) < 0 {
		w.mark = w.all[0]
	}
	for _, one := range w.all {
		key := uint32(0)
		for i := range w.lead {
			key = key<<8 | uint32(one[i])
		}
		h := headHash(key)
		w.heads[h/64] |= 1 << (h % 64)
	}
	return w
}

func headHash(key uint32) uint32 { return key * 2654435761 >> 20 }

func (w *words) in(s string) bool {
	if w.mark != "" {
		return strings.Contains(s, w.mark)
	}
	key := uint32(0)
	for i := range len(s) {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == 0xC5 || c == 0xE2:
			// Where case is ignored these two are an s and a k as well.
			if strings.HasPrefix(s[i:], "\u017F") || strings.HasPrefix(s[i:], "\u212A") {
				return true
			}
		}
		key = (key<<8 | uint32(c)) & w.mask
		if h := headHash(key); i+1 >= w.lead && w.heads[h/64]&(1<<(h%64)) != 0 && w.at(s[i+1-w.lead:]) {
			return true
		}
	}
	return false
}

// at tells whether the text begins with one of the words.
func (w *words) at(s string) bool {
	return slices.ContainsFunc(w.all, func(one string) bool {
		if len(s) < len(one) {
			return false
		}
		for i := range len(one) {
			if c := s[i]; c != one[i] && ('A' > c || c > 'Z' || c+('a'-'A') != one[i]) {
				return false
			}
		}
		return true
	})
}

// held is what each match of an expression holds: whole, if not nil, lists all
// that a match can be; any lists texts of which it holds at least one.
type held struct{ whole, any []string }

// words are texts of which each match holds one; nil when there are no such.
func (n held) words() []string {
	if n.whole == nil {
		return n.any
	}
	if slices.Contains(n.whole, "") {
		return nil
	}
	return n.whole
}

// Beyond these a list of words is longer than it is useful.
const (
	joinLimit  = 48
	classLimit = 16
)

func heldBy(re *syntax.Regexp) held {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return held{whole: []string{""}}
	case syntax.OpLiteral:
		return heldByLiteral(re)
	case syntax.OpCharClass:
		return heldByClass(re.Rune)
	case syntax.OpCapture:
		return heldBy(re.Sub[0])
	case syntax.OpPlus:
		return held{any: heldBy(re.Sub[0]).words()}
	case syntax.OpQuest:
		if n := heldBy(re.Sub[0]); n.whole != nil {
			return held{whole: append(slices.Clone(n.whole), "")}
		}
	case syntax.OpConcat:
		return heldByAll(re.Sub)
	case syntax.OpAlternate:
		return heldByOne(re.Sub)
	}
	return held{}
}

// heldByLiteral: bytes beyond ASCII are compared as they are, so a letter that
// has another case there ends a word.
func heldByLiteral(re *syntax.Regexp) held {
	parts := strings.FieldsFunc(string(re.Rune), func(r rune) bool {
		return r == utf8.RuneError || re.Flags&syntax.FoldCase != 0 && r >= utf8.RuneSelf && unicode.SimpleFold(r) != r
	})
	if len(parts) == 1 && parts[0] == string(re.Rune) {
		return held{whole: []string{lowerASCII(parts[0])}}
	}
	if len(parts) == 0 {
		return held{}
	}
	return held{any: []string{lowerASCII(slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) }))}}
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func heldByClass(ranges []rune) held {
	var whole []string
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if one := lowerASCII(string(r)); !slices.Contains(whole, one) {
				whole = append(whole, one)
			}
			if len(whole) > classLimit || r == utf8.RuneError {
				return held{}
			}
		}
	}
	return held{whole: whole}
}

// heldByAll: one part after the other. What they can be is put together for as
// long as it stays a short list.
func heldByAll(parts []*syntax.Regexp) held {
	var best []string
	whole, run := true, []string{""}
	for _, part := range parts {
		n := heldBy(part)
		if n.whole != nil && len(run)*len(n.whole) <= joinLimit {
			run = joinings(run, n.whole)
			continue
		}
		best = better(best, held{whole: run}.words())
		whole, run = false, []string{""}
		if n.whole != nil {
			run = n.whole
		}
		best = better(best, n.any)
	}
	if whole {
		return held{whole: run}
	}
	return held{any: better(best, held{whole: run}.words())}
}

func joinings(heads, tails []string) []string {
	out := make([]string, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			out = append(out, head+tail)
		}
	}
	return out
}

// better is the list that rules out more texts: longer words, then fewer.
func better(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	if x, y := shortest(a), shortest(b); x != y {
		if x > y {
			return a
		}
		return b
	}
	if len(b) < len(a) {
		return b
	}
	return a
}

// shortest is the length of the shortest word; beyond four bytes it counts no more.
func shortest(all []string) int {
	n := 4
	for _, one := range all {
		n = min(n, len(one))
	}
	return n
}

// heldByOne: one of the parts.
func heldByOne(parts []*syntax.Regexp) held {
	var whole, all []string
	listed, ruled := true, true
	for _, part := range parts {
		n := heldBy(part)
		words := n.words()
		listed, ruled = listed && n.whole != nil, ruled && words != nil
		whole, all = append(whole, n.whole...), append(all, words...)
	}
	switch {
	case listed:
		return held{whole: whole}
	case ruled:
		return held{any: all}
	}
	return held{}
}
