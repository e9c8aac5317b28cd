package spec

import (
	"fmt"
	"slices"
)

func nonGoals(in *inspection) {
	var keys [][]string
	outside := in.outOfScope()
	for _, o := range outside {
		keys = append(keys, thing(o))
	}
	for _, it := range in.Of(KindReq) {
		text := it.Title + ". " + Plain(it.Statement)
		if forbids(text) || it.Priority == "Won't" {
			continue
		}
		for i, key := range keys {
			if asksFor(it, text, key) {
				in.hitItem(it, "", fmt.Sprintf("%s asks for what is out of scope: “%s”", it.ID, clip(outside[i], 80)))
				break
			}
		}
	}
}

// asksFor tells whether a requirement is about the thing the words name: they
// stand close together, three and more of them in one sentence, and a single
// one makes up the title.
func asksFor(it Item, text string, key []string) bool {
	switch len(key) {
	case 0:
		return false
	case 1:
		title := contentWords(it.Title)
		return len(title) <= 2 && slices.Contains(title, key[0])
	}
	if together(key, orderedWords(text)) {
		return true
	}
	return len(key) > 2 && slices.ContainsFunc(sentences(text, Statement{}), func(st Statement) bool { return overlap(key, wordSet(st.Text)) == 1 })
}

var (
	// asideTail is why a line is out of scope, and until when.
	asideTail = compile(`(?i)\s*(?:[(（].*|[:：;；].*|\s[–—-]\s.*|,?\s+(?:because|since|for now|for the time being|in (?:this|the first|a later|a first) (?:release|version|phase|step)|until|yet|later|at launch|weil|vorerst|zunächst|noch nicht|in dieser version)\b.*)$`)
	// anyThing are words that name no thing by themselves.
	anyThing = wordSet("support feature features function functionality any kind release version unterstützung")
)

// thing is the words by which a line under Out of Scope names what it excludes.
func thing(line string) []string {
	named := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return anyThing[w] })
	}
	all, short := contentWords(line), contentWords(asideTail.ReplaceAllString(line, ""))
	switch {
	case len(named(short)) > 1:
		return named(short)
	case len(short) > 0 && !specified(line):
		return short
	case len(named(all)) > 1:
		return named(all)
	}
	return all
}

// together tells whether the words, or three quarters of four and more, stand
// close to each other: words scattered over a text speak of something else.
func together(key, words []string) bool {
	most := len(key)
	if most > 3 {
		most = (3*most + 3) / 4
	}
	span := len(key) + 2
	for i := range words {
		near := words[i:min(len(words), i+span)]
		n := 0
		for _, k := range key {
			if slices.Contains(near, k) {
				n++
			}
		}
		if n >= most {
			return true
		}
	}
	return false
}
