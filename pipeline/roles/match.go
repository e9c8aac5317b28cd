package roles

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// corpus weighs words by how rare they are among the texts that are to be told
// apart: "delivery" tells nothing in an issue about deliveries.
type corpus struct {
	texts int
	in    map[string]int
	told  map[string][]string // what texts are telling; each is compared with many
}

func corpusOf(texts []string) corpus {
	c := corpus{len(texts), map[string]int{}, map[string][]string{}}
	for _, t := range texts {
		for _, w := range c.telling(t) {
			c.in[w]++
		}
	}
	return c
}

func (c corpus) telling(text string) []string {
	words, ok := c.told[text]
	if !ok {
		words = telling(text)
		c.told[text] = words
	}
	return words
}

func (c corpus) weight(word string) float64 {
	w := math.Log(float64(c.texts+1) / float64(c.in[word]+1))
	if strings.HasPrefix(word, "~") {
		w *= 3 // what a text is about says more than one of its words
	}
	return w
}

// likeness is the weight of the words two texts share over the weight of the
// words of the lighter one: 1 where one holds the other.
func (c corpus) likeness(a, b string) float64 {
	one, two := c.telling(a), c.telling(b)
	shared, first, second := 0.0, 0.0, 0.0
	for _, w := range one {
		first += c.weight(w)
		if slices.Contains(two, w) {
			shared += c.weight(w)
		}
	}
	for _, w := range two {
		second += c.weight(w)
	}
	if lighter := math.Min(first, second); lighter > 0 {
		return shared / lighter
	}
	return 0
}

const (
	// likeEnough is the likeness at which two texts are taken to speak of one
	// thing; what reaches it for nothing is linked to nothing.
	likeEnough = 0.16
	// plainly is how far the best must lead where several would do.
	plainly = 1.15
)

// best is the index of the text most like the given one; -1 where none is
// like enough, or two are about as like.
func (c corpus) best(text string, among []string) int {
	at, first, second := -1, 0.0, 0.0
	for i, t := range among {
		switch s := c.likeness(text, t); {
		case s > first:
			at, first, second = i, s, first
		case s > second:
			second = s
		}
	}
	if first < likeEnough || first < second*plainly {
		return -1
	}
	return at
}

// concepts are what different words of an issue may be about: "never received"
// and "send again" share no word.
var concepts = []struct {
	name string
	re   *regexp.Regexp
}{
	{"~loss", regexp.MustCompile(`(?i)\b(?:never (?:received|delivered|arriv\w*)|lost|los(?:e|es|ing|s)|missing|drop(?:s|ped)?|retr(?:y|ies|ied|ying)|again|replay\w*|re-?send\w*|redeliver\w*|recover\w*|restor\w*|duplicate\w*|verlor\w*|verlier\w*|erneut|wiederhol\w*)\b|丢失|重试|恢复|重发`)},
	{"~insight", regexp.MustCompile(`(?i)\b(?:cause\w*|why|reason\w*|find(?:s|ing)?|status|error text|filter\w*|search\w*|diagnos\w*|trace\w*|inspect\w*|audit\w*|ursache\w*|warum|suche\w*|filtern|finden)\b|原因|查找|筛选|搜索|状态`)},
	{"~effort", regexp.MustCompile(`(?i)\b(?:by hand|manual\w*|cop(?:y|ies|ying)|spends?|spent|retyp\w*|one click|automatic\w*|von hand|manuell\w*|automatisch\w*)\b|手动|手工|花费|自动`)},
	{"~speed", regexp.MustCompile(`(?i)\b(?:fast\w*|slow\w*|latency|seconds?|milliseconds?|ms|response times?|load times?|schnell\w*|langsam\w*|sekunden?)\b|延迟|毫秒|更快`)},
	{"~access", regexp.MustCompile(`(?i)\b(?:sign(?:s|ed)?[- ]?in|log ?in|password\w*|permission\w*|access|unauthori[sz]ed|takeover\w*|hijack\w*|second factor|codes?|keys?|anmeld\w*|zugriff\w*|berechtig\w*)\b|登录|权限|密码`)},
}

// vagueStem are the words that measure or change anything at all.
var vagueStem = func() map[string]bool {
	out := map[string]bool{}
	for w := range vagueNoun {
		out[stem(w)] = true
	}
	for _, w := range keywords("reduce cut lower decrease increase raise grow improve halve double shorten percent share month week") {
		out[w] = true
	}
	return out
}()

// telling are a text's keywords and the concepts it is about.
func telling(text string) []string {
	out := slices.DeleteFunc(keywords(text), func(w string) bool { return vagueStem[w] })
	for _, c := range concepts {
		if c.re.MatchString(text) {
			out = append(out, c.name)
		}
	}
	return out
}
