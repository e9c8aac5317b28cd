package roles

import (
	"regexp"
	"strings"
)

// keyword is a priority's word of RFC 2119.
var keyword = map[string]string{"Must": "MUST", "Should": "SHOULD", "Could": "MAY", "Won't": "MUST NOT"}

// englishModal is what the keyword takes the place of.
var englishModal = regexp.MustCompile(`(?i)\b(?:(must not|shall not|should not|may not|must never|mustn't|shouldn't)|(must|shall|should|ought to|could|may|might|has to|have to|needs? to|is required to|are required to))\b`)

var (
	firstPerson = regexp.MustCompile(`(?i)^(?:please,?\s+)?(?:we|i)(?:['’]d|\s+would)?\s+(?:also\s+)?(?:want|like|need|expect)(?:s|ed)?\s+(to\s+)?`)
	wantsTo     = regexp.MustCompile(`(?i)\b(?:wants?|would like|needs?|expects?)\s+to\b`)
	canDo       = regexp.MustCompile(`(?i)^((?:\S+\s+){0,5}?\S+)\s+can(?:\s+be\s+able\s+to)?\s+(?:also\s+)?`)
	please      = regexp.MustCompile(`(?i)^please,?\s+`)
	pleaseLast  = regexp.MustCompile(`(?i),? please$`)
	niceToHave  = regexp.MustCompile(`(?i)^(?:nice to have|optional(?:ly)?|ideally|bonus|(?:it )?would be (?:nice|good|great|helpful) (?:to|if))\s*[:,]?\s*`)
	politely    = regexp.MustCompile(`(?i)^(?:can|could|would it be possible for|is it possible for)\s+(?:we|you|i|it|the (?:system|app|tool))\s+(?:please\s+)?(?:get\s+)?|^(?:is it|would it be) possible to\s+`)
	clauseVerb  = regexp.MustCompile(`(?i)\b(?:is|are|has|have|does|shows?|returns?|opens?|displays?|sends?|gets?|receives?|contains?|appears?|works?|runs?|uses?|stays?|remains?|keeps?|takes?|includes?|accepts?|rejects?|fails?|creates?|updates?|deletes?|loads?|saves?|lists?|allows?|lets?|happens?|ends?|starts?|stops?|responds?|becomes?|scales?|answers?|finish(?:es)?|costs?|serves?|reads?|follows?|changes?|sees?|leads? to|produces?|goes|comes)\b`)
)

// statement is an ask as a requirement: the issue's own words with the
// keyword of its priority. Where a language has no words here it is the
// sentence itself.
func statement(s Said, lang string) string {
	text := strings.TrimRight(strings.TrimSpace(s.Quote), ";,")
	if s.Lead != "" {
		text = s.Lead + " " + lowerFirst(text)
	}
	if lang != "en" {
		return stop(otherLanguage(text, s.Priority, lang), lang)
	}
	return stop(upperFirst(english(text, firstOf(keyword[s.Priority], "MUST"))), lang)
}

func english(text, word string) string {
	if m := niceToHave.FindString(text); m != "" {
		text = text[len(m):]
	}
	if m := politely.FindString(text); m != "" {
		return "The system " + word + " " + system(pleaseLast.ReplaceAllString(strings.TrimRight(text[len(m):], "?"), ""))
	}
	text = please.ReplaceAllString(text, "")
	if loc := firstPerson.FindStringSubmatchIndex(text); loc != nil {
		rest := text[loc[1]:]
		if loc[2] >= 0 {
			return "It " + word + " be possible to " + rest
		}
		return "The system " + word + " provide " + rest
	}
	if opensWithVerb(text) && !startsWithClause(text) {
		return imperative(text, word)
	}
	if m := englishModal.FindStringSubmatchIndex(text); m != nil {
		if m[2] >= 0 {
			word = strings.TrimSuffix(word, " NOT") + " NOT"
			if word == "MAY NOT" {
				word = "SHOULD NOT"
			}
		}
		return text[:m[0]] + word + text[m[1]:]
	}
	if loc := wantsTo.FindStringIndex(text); loc != nil {
		return text[:loc[0]] + word + " be able to" + text[loc[1]:]
	}
	if m := canDo.FindStringSubmatch(text); m != nil {
		return m[1] + " " + word + " be able to " + text[len(m[0]):]
	}
	if clauseVerb.MatchString(text) {
		return "The system " + word + " ensure that " + lowerFirst(text)
	}
	return "The system " + word + " provide " + lowerFirst(text)
}

// startsWithClause tells "Export runs at night" from "Export the list".
func startsWithClause(text string) bool {
	_, rest := firstWord(text)
	next, _ := firstWord(rest)
	return clauseVerb.MatchString(next) && next != "uses" || englishModal.MatchString(next)
}

func imperative(text, word string) string {
	verb, rest := firstWord(text)
	switch {
	case verb == "make" && strings.HasPrefix(rest, "sure "):
		return "The system " + word + " ensure " + strings.TrimPrefix(rest, "sure ")
	case giveVerbs[verb]:
		return "The system " + word + " provide " + rest
	case changeVerbs[verb]:
		return "This change " + word + " " + verb + " " + rest
	}
	return "The system " + word + " " + verb + " " + rest
}

func system(rest string) string {
	if verb, more := firstWord(rest); imperatives[verb] {
		if giveVerbs[verb] {
			verb = "provide"
		}
		return verb + " " + more
	}
	return "provide " + rest
}

// otherLanguage keeps a sentence that has its modal, and leads in a bare item
// where the words for it are known.
func otherLanguage(text, priority, lang string) string {
	if p, _ := priorityOf(text, lang); p != "" {
		return text
	}
	lead := phrase(lang, "demand "+priority)
	if lead == "" {
		return text
	}
	return lead + text
}

var (
	titleTail = regexp.MustCompile(`(?i)(?:,| — | – | so that | because | when | if | unless | while | within | instead of | rather than | after \d| in under | in at most | at least \d|，|；|：|以便).*$`)
	titleStop = regexp.MustCompile(`[:;] .*$`)
	titleTrim = regexp.MustCompile(`^(?:be able to |be possible to |ensure that |provide (?:an? |the )?)`)
	article   = regexp.MustCompile(`^(?:The|the|An?|an?) `)
)

// titleOf is a short name for a requirement, from its own words.
func titleOf(s Said, lang string) string {
	text := strings.TrimRight(statement(s, lang), ".。")
	if lang == "en" {
		return cutTitle(englishTitle(text))
	}
	text = strings.TrimPrefix(text, phrase(lang, "demand "+s.Priority))
	if d, ok := demandIn(text, lang); ok && (lang == "zh" || germanOwner.MatchString(d.subject)) {
		text = d.name(lang)
	}
	return cutTitle(text)
}

// englishTitle is the act that is asked for, or, where there is none or it is
// ruled out, the state: "Send a failed delivery again", "Codes are not logged".
func englishTitle(text string) string {
	clause := ""
	if m := leadingWhen.FindStringSubmatch(text); m != nil {
		clause, text = strings.ToLower(m[1])+" "+m[2], m[3]
	}
	m := requirementForm.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	subject, rest := strings.TrimSpace(m[1]), titleTrim.ReplaceAllString(m[3], "")
	verb, _ := firstWord(rest)
	switch {
	case strings.HasPrefix(m[3], "ensure that ") || !strings.HasSuffix(m[2], "NOT") && !stative[verb]:
		return rest
	case strings.EqualFold(subject, "it") && verb == "be" && clause != "":
		return strings.TrimPrefix(rest, "be ") + " " + clause
	}
	return article.ReplaceAllString(present(subject, m[2], m[3]), "")
}

// stative verbs say what is, not what is done.
var stative = wordSet("be stay remain have keep")

// titleLength is where a title ends at the latest, between two phrases.
const titleLength = 72

// cutTitle ends a title before its subordinate clause, else between phrases,
// never on a small word.
func cutTitle(text string) string {
	if short := titleStop.ReplaceAllString(text, ""); len([]rune(short)) >= 10 {
		text = short
	}
	if short := titleTail.ReplaceAllString(text, ""); len([]rune(short)) >= 20 || strings.ContainsFunc(short, func(r rune) bool { return r > 0x2E80 }) && len([]rune(short)) >= 4 {
		text = short
	}
	text = phraseCut(text, titleLength)
	if strings.Count(text, "`")%2 == 1 {
		text += "`"
	}
	return strings.TrimSpace(upperFirst(text))
}

// phraseCut shortens a text where one of its last phrases begins, else between
// words; it ends on no small word and on no half of a pair.
func phraseCut(text string, most int) string {
	short := clip(text, most)
	if short == text {
		return text
	}
	all := strings.Fields(text)
	words := strings.Fields(short)
	for i := len(words); i > max(2, len(words)-5); i-- {
		if phraseStart[strings.ToLower(all[i])] {
			words = words[:i]
			break
		}
	}
	short = secondHalf.ReplaceAllString(strings.Join(words, " "), "")
	for {
		i := strings.LastIndexByte(short, ' ')
		if i < 8 || !smallWords[strings.ToLower(short[i+1:])] {
			return strings.TrimRight(short, " ,;:")
		}
		short = strings.TrimRight(short[:i], " ,;:")
	}
}

var (
	phraseStart = wordSet("using of to in on at by for from with into per via which who when if after before under within without together through between and or mit für von auf bei durch und oder")
	secondHalf  = regexp.MustCompile(`\s+(?:and|or|und|oder)\s+\S+$`)
)

var smallWords = wordSet("using als zu der die das den dem ein eine einen a an the of to in on at by for from with and or as it its is are be that than into per via their which who when if after before under within not any each")

// bound is a measured quality taken apart.
type bound struct{ metric, target, method string }

var (
	boundStart  = regexp.MustCompile(`(?i)\b(?:must|shall|should|has to|needs to|may|is|are|stays?|remains?|takes?|of|in|:|muss|soll|bleibt)\b|必须|应|不超过|不低于|低于|达到`)
	methodWords = regexp.MustCompile(`(?i)[,;(]?\s*\(?\b((?:measured|verified|checked|tested|proved|gemessen|geprüft)\s+(?:by|with|in|on|at|over|using|against|mit|durch|per)\s+[^.;()]+|as (?:shown|reported) by\s+[^.;()]+)\)?|[，,（(]?\s*((?:由|用|通过)[^，。；]{2,40}(?:测量|验证|压测|检查|扫描))`)
	weakLead    = regexp.MustCompile(`(?i)\b(?:be|stay|remain|answer|respond|load|finish|complete|have)\s*$`)
)

// boundOf finds metric, target and measuring method in a sentence.
func boundOf(s Said) bound {
	text := strings.TrimRight(s.Quote, ".。")
	var b bound
	if m := methodWords.FindStringSubmatchIndex(text); m != nil {
		at := 2
		if m[2] < 0 {
			at = 4
		}
		b.method = strings.TrimSpace(text[m[at]:m[at+1]])
		text = strings.TrimSpace(text[:m[0]] + text[m[1]:])
	}
	for _, d := range s.Details {
		if d.Label == "metric" {
			b.method = firstOf(b.method, d.Quote)
		}
	}
	loc := measured(text)
	if loc == nil {
		return b
	}
	if strings.ContainsFunc(text, isHan) {
		if g := hanGoal.FindStringSubmatch(text); g != nil {
			b.metric, b.target = g[2], strings.Trim(g[3]+"，"+g[1], "，")
			return b
		}
		if h := hanBound(text, b); h.target != "" {
			return h
		}
	}
	// "A run of 5 million rows must finish within 45 minutes": the bound stands
	// behind the modal, what stands before it is the condition.
	if at := englishModal.FindStringIndex(text); at != nil && loc[0] < at[0] {
		if behind := measured(text[at[1]:]); behind != nil {
			loc = []int{at[1] + behind[0], at[1] + behind[1]}
		}
	}
	b.target = strings.Trim(text[loc[0]:], " ,;:：，")
	before := strings.TrimSpace(text[:loc[0]])
	if at := boundStart.FindStringIndex(before); at != nil && at[0] > 3 {
		before = before[:at[0]]
	}
	before = weakLead.ReplaceAllString(before, "")
	before = strings.TrimPrefix(strings.TrimPrefix(before, "The "), "the ")
	b.metric = strings.Trim(before, " ,;:：，()-–")
	return b
}

// measured finds a bound: a number with a unit before one without; what stands
// in code or is part of a name, as in SHA-256, is none.
func measured(text string) []int {
	text = spanOnly.ReplaceAllStringFunc(text, func(code string) string { return strings.Repeat(" ", len(code)) })
	var first []int
	for _, at := range measure.FindAllStringIndex(text, -1) {
		if at[0] > 0 && strings.ContainsAny(text[at[0]-1:at[0]], "-/._ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
			continue
		}
		if unitMeasure.MatchString(text[at[0]:at[1]]) {
			return at
		}
		if first == nil {
			first = at
		}
	}
	return first
}
