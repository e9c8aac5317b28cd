package roles

import (
	"slices"
	"strings"
	"unicode"

	"parley/pipeline/spec"
)

// group is the asks about one subject.
type group struct {
	name string
	at   []int // indexes into the asks
}

// groupMost bounds the epics and components: three to seven is what people
// keep in their heads.
const groupMost = 7

// subjects groups asks: by the headings they stand under, else by the words
// they share.
func subjects(asks []Said, title string) []group {
	var out []group
	var loose []int
	put := func(name string, i int) {
		for k := range out {
			if strings.EqualFold(out[k].name, name) {
				out[k].at = append(out[k].at, i)
				return
			}
		}
		out = append(out, group{name, []int{i}})
	}
	for i, a := range asks {
		if a.Subject != "" {
			put(a.Subject, i)
		} else {
			loose = append(loose, i)
		}
	}
	if len(out) > groupMost { // labels on single items are names, not subjects
		out, loose = nil, loose[:0]
		for i := range asks {
			loose = append(loose, i)
		}
	}
	for _, g := range shared(asks, loose, groupMost-len(out)) {
		for _, i := range g.at {
			put(g.name, i)
		}
	}
	if len(out) < 2 && len(asks) > 0 && !slices.ContainsFunc(asks, func(a Said) bool { return a.Subject != "" }) {
		out = []group{{name: firstOf(phraseCut(title, 60), titleOf(asks[0], scriptOf(asks[0].Quote)))}}
	}
	if len(out) == 0 {
		return nil
	}
	rest := remaining(asks, out)
	for _, i := range rest {
		out[closest(asks, out, i, title)].at = append(out[closest(asks, out, i, title)].at, i)
	}
	for k := range out {
		slices.Sort(out[k].at)
	}
	out = slices.DeleteFunc(out, func(g group) bool { return len(g.at) == 0 })
	slices.SortStableFunc(out, func(a, b group) int { return a.at[0] - b.at[0] })
	return out
}

func remaining(asks []Said, groups []group) []int {
	var out []int
	for i := range asks {
		if !slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.at, i) }) {
			out = append(out, i)
		}
	}
	return out
}

// closest is the group that shares most words with an ask; among equals the
// one just before it in the issue.
func closest(asks []Said, groups []group, i int, title string) int {
	best, score := 0, -1.0
	own := keywords(asks[i].Quote)
	for k, g := range groups {
		var words []string
		for _, at := range g.at {
			words = append(words, keywords(asks[at].Quote)...)
		}
		words = append(words, keywords(g.name)...)
		s := overlap(own, words)
		if slices.ContainsFunc(g.at, func(at int) bool { return at == i-1 }) {
			s += 0.05
		}
		if s > score {
			best, score = k, s
		}
	}
	return best
}

// shared groups asks without a heading by the word most of them have in
// common; the word that all share is the title's and tells nothing apart.
func shared(asks []Said, loose []int, most int) []group {
	if len(loose) == 0 || most <= 0 {
		return nil
	}
	left := slices.Clone(loose)
	want := min(most, max(1, (len(loose)+2)/3))
	used := map[string]bool{} // what a full group leaves goes to the closest
	var out []group
	for len(out) < want && len(left) > 0 {
		word, name := commonest(asks, left, len(loose), used)
		if word == "" {
			break
		}
		used[word] = true
		var g group
		g.name = name
		left = slices.DeleteFunc(left, func(i int) bool {
			if len(g.at) < 5 && slices.Contains(keywords(asks[i].Quote), word) {
				g.at = append(g.at, i)
				return true
			}
			return false
		})
		out = append(out, g)
	}
	return out
}

func scriptOf(s string) string {
	if strings.ContainsFunc(s, isHan) {
		return "zh"
	}
	return "en"
}

// commonest is the word that at least two of the asks share, with its spelling.
// Verbs, people and whoever acts tell no subject.
func commonest(asks []Said, left []int, all int, used map[string]bool) (word, name string) {
	freq, actors := map[string]int{}, actorWords(asks)
	for _, i := range left {
		for _, w := range keywords(asks[i].Quote) {
			if !imperativeStems[w] && !vagueStem[w] && !actors[w] && !used[w] {
				freq[w]++
			}
		}
	}
	best := 1
	for _, i := range left {
		for _, w := range keywords(asks[i].Quote) {
			if freq[w] > best && (freq[w] < all || all < 4) {
				word, best = w, freq[w]
			}
		}
	}
	if word == "" {
		return "", ""
	}
	if pair := sharedPair(asks, left, word); pair != "" {
		return word, upperFirst(pair)
	}
	for _, i := range left {
		if n := phraseWith(asks[i].Quote, word); n != "" {
			return word, n
		}
	}
	return word, upperFirst(word)
}

// imperativeStems are the verbs as keywords has them.
var imperativeStems = func() map[string]bool {
	out := map[string]bool{}
	for w := range imperatives {
		out[stem(w)] = true
	}
	return out
}()

// actorWords name who acts: people, and the system where it is called by one
// word ("The API may …").
func actorWords(asks []Said) map[string]bool {
	out := map[string]bool{}
	for _, a := range asks {
		people := roles(a.Quote)
		if st, ok := spec.ReadStory(a.Quote); ok {
			people = append(people, st.Role)
		}
		for _, text := range []string{a.Quote, a.Lead + " "} {
			if at := englishModal.FindStringIndex(text); at != nil && !strings.HasPrefix(text[at[1]:], " be ") {
				if subject := strings.Fields(article.ReplaceAllString(text[:at[0]], "")); len(subject) == 1 {
					people = append(people, subject[0])
				}
			}
		}
		for _, w := range keywords(strings.Join(people, " ")) {
			out[w] = true
		}
	}
	return out
}

// sharedPair is the word with the neighbour it has in most of the asks that
// hold it, as one of them spells the two: "API key", "second factor".
func sharedPair(asks []Said, left []int, word string) string {
	count, spelt, best := map[string]int{}, map[string]string{}, ""
	for _, i := range left {
		words := spelling.FindAllString(asks[i].Quote, -1)
		for k := range words[:max(0, len(words)-1)] {
			one, two := keywords(words[k]), keywords(words[k+1])
			if len(one) != 1 || len(two) != 1 || one[0] != word && two[0] != word || imperativeStems[one[0]] || imperativeStems[two[0]] ||
				!strings.Contains(asks[i].Quote, words[k]+" "+words[k+1]) {
				continue
			}
			key := one[0] + " " + two[0]
			if spelt[key] == "" {
				spelt[key] = words[k] + " " + words[k+1]
			}
			if count[key]++; count[key] > count[best] {
				best = key
			}
		}
	}
	if count[best] < 2 {
		return ""
	}
	return spelt[best]
}

var vagueNoun = wordSet(`answer start finish time minute second hour day number thing case way first last next current change error page data file value request second system least most once again still without within million thousand billion measured verified checked tested possible`)

// german tells a noun with its capital behind a small word: that word may be
// its verb.
func german(before, noun string) bool {
	one, two := []rune(before), []rune(noun)
	return unicode.IsLower(one[0]) && unicode.IsUpper(two[0]) && len(two) > 1 && unicode.IsLower(two[1])
}

// phraseWith is the word as the text spells it, with the attribute before it
// where that is no small word.
func phraseWith(text, stemmed string) string {
	words := spelling.FindAllString(text, -1)
	for i, w := range words {
		k := keywords(w)
		if len(k) == 0 || !slices.Contains(k, stemmed) {
			continue
		}
		if unicode.Is(unicode.Han, []rune(w)[0]) {
			return stemmed
		}
		if i > 0 && len(keywords(words[i-1])) == 1 && !german(words[i-1], w) && !imperatives[strings.ToLower(words[i-1])] && !strings.HasSuffix(words[i-1], "ly") && strings.Contains(text, words[i-1]+" "+w) {
			w = words[i-1] + " " + w
		}
		return upperFirst(w)
	}
	return ""
}
