package roles

import (
	"regexp"
	"strings"
)

// Whether words are a sentence with a verb of its own, or a thing or an act
// that is named.

var (
	auxiliary = wordSet(`is are has have does goes comes leads becomes finishes undergoes`)
	// nounToo are verbs whose form with an s is more often a noun in a list.
	nounToo = wordSet(`exports imports filters tests documents records links logs views tags forms limits orders reports archives groups files locks queues blocks builds caches copies drops flags guards maps marks masks routes runs schedules searches streams turns watches reviews edits hashes mirrors measures rates prints notices uploads downloads tracks triggers triages uses`)
	finite  = func() map[string]bool {
		out := map[string]bool{}
		for v := range imperatives {
			out[thirdPerson(v)] = true
		}
		for _, v := range strings.Fields(`answer appear become break contain cost crash end finish fit follow get hang happen lead leak lose produce receive remain respond see serve stay take work`) {
			out[thirdPerson(v)] = true
		}
		return out
	}()
	pronoun    = wordSet(`i we you they it he she who both all users people everyone everybody nobody`)
	determiner = wordSet(`the a an its their our his her my your all each every no one this that these those it them only to`)
	wordsIn    = regexp.MustCompile(`[\p{L}\p{N}_'’+./-]+`)
)

// isClause tells a sentence with a verb of its own from a noun phrase: "a saved
// filter appears" from "a list of changes".
func isClause(text string) bool {
	words := wordsIn.FindAllString(strings.ToLower(spanOnly.ReplaceAllString(text, " code ")), 40)
	for i, w := range words {
		if i == 0 || smallWords[words[i-1]] || determiner[words[i-1]] {
			continue
		}
		plural := strings.HasSuffix(words[i-1], "s") && !strings.HasSuffix(words[i-1], "ss") || pronoun[words[i-1]]
		switch {
		case auxiliary[w] && w != "have", plural && (imperatives[w] || w == "have" || w == "see" || w == "get") && followed(words, i):
			return true
		case finite[w] && (!nounToo[w] && (i+1 == len(words) || !nounAfter(words[i+1])) || i+1 < len(words) && determiner[words[i+1]]):
			return true
		}
	}
	return false
}

// followed tells that something stands behind a word for it to act on.
func followed(words []string, i int) bool {
	return i+1 < len(words) && (determiner[words[i+1]] || smallWords[words[i+1]])
}

// nounAfter is a preposition that a noun takes rather than a verb: "lists of".
func nounAfter(w string) bool { return w == "of" || w == "and" || w == "or" || w == "/" }

// opensClause tells "Export runs at night" and "Confirm dialog shows the
// number" from "Export the list".
func opensClause(text string) bool {
	words := wordsIn.FindAllString(strings.ToLower(text), 5)
	for i := 1; i < len(words) && i < 4; i++ {
		w := words[i]
		if !auxiliary[w] && (determiner[w] || smallWords[w]) {
			return false
		}
		if englishModal.MatchString(w) || auxiliary[w] || i == 1 && finite[w] && w != "uses" && !(i+1 < len(words) && nounAfter(words[i+1])) {
			return true
		}
		if finite[w] && i+1 < len(words) && determiner[words[i+1]] {
			return true
		}
	}
	return false
}

// actorOf is who or what a sentence is about, where it begins by naming that
// with a determiner; what "it" means in the next one.
func actorOf(text string) string {
	words := strings.Fields(plain(text))
	for i, w := range words[:min(len(words), 6)] {
		low := strings.ToLower(strings.TrimRight(w, ",;:"))
		switch {
		case i == 0 && !determiner[low], headEnds[low]:
			return ""
		case i > 1 && (finite[low] || auxiliary[low] || englishModal.MatchString(low)):
			return strings.Join(words[:i], " ")
		}
	}
	return ""
}
