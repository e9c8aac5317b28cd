package roles

import (
	"regexp"
	"strings"

	"parley/pipeline/spec"
)

// keyword is a priority's word of RFC 2119.
var keyword = map[string]string{"Must": "MUST", "Should": "SHOULD", "Could": "MAY", "Won't": "MUST NOT"}

// englishModal is what the keyword takes the place of.
var englishModal = regexp.MustCompile(`(?i)\b(?:(must not|shall not|should not|may not|(?:must|shall|should|may) never|mustn['’]t|shouldn['’]t)|(must|shall|should|ought to|could|may|might|has to|have to|needs? to|is required to|are required to))\b`)

var (
	firstPerson = regexp.MustCompile(`(?i)^(?:please,?\s+)?(?:we|i)(?:['’]d|\s+would)?\s+(?:also\s+)?(?:want|like|need|expect)(?:s|ed)?\s+(to\s+)?`)
	wantsTo     = regexp.MustCompile(`(?i)\b(?:wants?|would like|needs?|expects?)\s+to\b`)
	canDo       = regexp.MustCompile(`(?i)^((?:\S+\s+){0,5}?\S+)\s+can(?:\s+be\s+able\s+to)?\s+(?:also\s+)?`)
	pleas       = regexp.MustCompile(`(?i)^(?:please|pls|plz),?\s+|,?\s+(?:please|pls|plz)\b`)
	connective  = regexp.MustCompile(`(?i)^(?:(?:also|additionally|furthermore|besides|moreover|plus|then|but|so|and(?: also)?),?\s+)+`)
	niceToHave  = regexp.MustCompile(`(?i)^(?:nice to have|optional(?:ly)?|ideally|bonus|maybe|perhaps|(?:it )?would be (?:nice|good|great|helpful) (?:to|if))\s*[:,]?\s*`)
	politely    = regexp.MustCompile(`(?i)^(?:can|could|would it be possible for|is it possible for)\s+(?:we|you|i|it|the (?:system|app|tool))\s+(?:please\s+)?(?:get\s+)?|^(?:is it|would it be) possible to\s+`)
)

// statement is an ask as a requirement: the issue's own words with the
// keyword of its priority. Where a language has no words here it is the
// sentence itself.
func statement(s Said, lang string) string {
	if s.Row != "" {
		lead := phrase(lang, "rule "+s.Priority)
		if lang == "en" {
			lead = "The system " + firstOf(keyword[s.Priority], "MUST") + " apply this rule: "
		}
		return stop(lead+s.Row, lang)
	}
	text := strings.TrimRight(strings.TrimSpace(s.Quote), ";,!！")
	if rest, ok := strings.CutPrefix(text, "It "); ok && s.It != "" {
		text = s.It + " " + rest
	}
	if s.Lead != "" {
		text = s.Lead + " " + lowerFirst(text)
	}
	if lang != "en" {
		return stop(otherLanguage(text, s.Priority, lang), lang)
	}
	return stop(upperFirst(english(text, firstOf(keyword[s.Priority], "MUST"))), lang)
}

func english(text, word string) string {
	text = pleas.ReplaceAllString(connective.ReplaceAllString(text, ""), "")
	if m := niceToHave.FindString(text); m != "" {
		text = text[len(m):]
	}
	if m := politely.FindString(text); m != "" {
		return "The system " + word + " " + system(strings.TrimRight(text[len(m):], "?"))
	}
	if loc := firstPerson.FindStringSubmatchIndex(text); loc != nil {
		rest := text[loc[1]:]
		if loc[2] >= 0 {
			return "It " + word + " be possible to " + rest
		}
		return "The system " + word + " provide " + rest
	}
	if opensWithVerb(text) {
		return imperative(text, word)
	}
	if m := englishModal.FindStringSubmatchIndex(text); m != nil && !(strings.HasSuffix(text[:m[0]], ", ") && isClause(text[:m[0]])) {
		if m[2] >= 0 {
			word = strings.TrimSuffix(word, " NOT") + " NOT"
			if word == "MAY NOT" {
				word = "SHOULD NOT"
			}
		}
		return text[:m[0]] + word + text[m[1]:]
	}
	if loc := wantsTo.FindStringIndex(text); loc != nil && !unwanted.MatchString(text[:loc[0]]) {
		return text[:loc[0]] + word + " be able to" + text[loc[1]:]
	}
	if m := canDo.FindStringSubmatch(text); m != nil {
		return m[1] + " " + word + " be able to " + text[len(m[0]):]
	}
	return fragment(text, word)
}

var (
	unwanted = regexp.MustCompile(`(?i)(?:n['’]t|\bnot|\bnever)\s*$`)
	// kept is a thing and what shall be done with it: "artifacts retained 30 days".
	kept     = regexp.MustCompile(`^((?:\p{L}+ ){0,2}\p{L}+s) (\p{L}+ed) (.+)$`)
	compared = regexp.MustCompile(`[<>≤≥]\s*\d`)
	oneself  = regexp.MustCompile(`\b(?:I|I['’]\w+|[Ww]e)\b`)
	counted  = regexp.MustCompile(`(?i)^(?:\d|(?:an?|the|all|each|every|some|any|no|one|two|three|more|support|its?|their|our|\p{L}+(?:ing|s))\b)|: `)
)

// fragment makes a requirement of words that are neither an order nor a
// demand: a sentence about what is so, a value to keep, or a thing.
func fragment(text, word string) string {
	first, _ := firstWord(text)
	switch m := kept.FindStringSubmatch(text); {
	case isClause(text):
		return "The system " + word + " ensure that " + lowerFirst(text)
	case compared.MatchString(text):
		return "The system " + word + " hold " + lowerFirst(text)
	case oneself.MatchString(text):
		return "The system " + word + " meet this wish: " + lowerFirst(text)
	case m != nil && !imperatives[first]:
		return m[1] + " " + word + " be " + m[2] + " " + m[3]
	case counted.MatchString(text):
		return "The system " + word + " provide " + lowerFirst(text)
	}
	return "The system " + word + " provide: " + lowerFirst(text)
}

// lonely verbs are names where they act on nothing: "undo for 10 seconds".
var lonely = wordSet(`undo redo preview support`)

// personal verbs are what people do, not the system.
var personal = wordSet(`select click drag type pick paste swipe tap`)

func imperative(text, word string) string {
	verb, rest := firstWord(text)
	switch {
	case verb == "make" && strings.HasPrefix(rest, "sure "):
		return "The system " + word + " ensure " + strings.TrimPrefix(rest, "sure ")
	case giveVerbs[verb], lonely[verb] && smallWords[strings.SplitN(rest+" ", " ", 2)[0]]:
		if !giveVerbs[verb] {
			rest = verb + " " + rest
		}
		return "The system " + word + " provide " + rest
	case personal[verb]:
		return "It " + word + " be possible to " + verb + " " + rest
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
	text = hanConnective.ReplaceAllString(text, "")
	if p, _ := priorityOf(text, lang); p != "" {
		return text
	}
	if lang == "de" && germanClause.MatchString(text) {
		return phrase(lang, "hold "+priority) + text
	}
	return phrase(lang, "demand "+priority) + text
}

var hanConnective = regexp.MustCompile(`^(?:(?:另外|此外)[，,]?|(?:还有|同时|并且)[，,])\s*`)

// undemanded is a sentence without the lead that otherLanguage gave it.
func undemanded(text, lang string) string {
	for _, p := range spec.Priorities {
		for _, lead := range []string{"demand ", "hold "} {
			if rest, ok := strings.CutPrefix(text, phrase(lang, lead+p)); ok && lang != "en" && rest != text {
				return upperFirst(rest)
			}
		}
	}
	return text
}

var (
	titleTail = regexp.MustCompile(`(?i)(?:,| — | – | so that | because | when | if | unless | while | within | instead of | rather than | after \d| in under | in at most | at least \d|，|；|：|以便).*$`)
	titleStop = regexp.MustCompile(`[:;] .*$`)
	titleTrim = regexp.MustCompile(`^(?:be able to |be possible to |ensure that |meet this wish: |provide:? (?:an? |the )?)`)
	article   = regexp.MustCompile(`^(?:The|the|An?|an?) `)
)

// titleOf is a short name for a requirement, from its own words.
func titleOf(s Said, lang string) string {
	if s.Row != "" {
		return upperFirst(phraseCut(s.Row, titleLength))
	}
	text := strings.TrimRight(statement(s, lang), ".。")
	if lang == "en" {
		return cutTitle(englishTitle(text))
	}
	text = undemanded(text, lang)
	if d, ok := demandIn(text, lang); ok && (lang == "zh" || germanOwner.MatchString(d.subject)) {
		text = d.name(lang)
	}
	if short := titleTail.ReplaceAllString(text, ""); lang == "de" && len([]rune(short)) <= germanTitle {
		return upperFirst(short)
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
	if inner := leadingWhen.FindStringSubmatch(rest); inner != nil {
		rest = inner[3] // "ensure that when it fails, a message appears"
	}
	verb, object := firstWord(rest)
	switch {
	case actsAlone(subject, object) && !strings.HasPrefix(m[3], "ensure that "): // "Secrets come from the vault", not "Come from the vault"
	case strings.HasPrefix(m[3], "ensure that ") || !strings.HasSuffix(m[2], "NOT") && !stative[verb]:
		return rest
	case strings.EqualFold(subject, "it") && verb == "be" && clause != "":
		return strings.TrimPrefix(rest, "be ") + " " + clause
	}
	return article.ReplaceAllString(present(subject, m[2], m[3]), "")
}

// actsAlone tells that a thing does something to nothing else.
func actsAlone(subject, object string) bool {
	next, _ := firstWord(object)
	return (object == "" || phraseStart[next]) && subject != "The system" && subject != "This change" && !strings.EqualFold(subject, "it") && len(roles(subject)) == 0
}

// stative verbs say what is, not what is done.
var stative = wordSet("be stay remain have keep")

// titleLength is where a title ends at the latest, between two phrases.
const titleLength = 72

// germanTitle is longer: the verb, and so what is meant, stands at the end.
const germanTitle = 96

// cutTitle ends a title before its subordinate clause, else between phrases,
// never on a small word.
func cutTitle(text string) string {
	if short := titleStop.ReplaceAllString(text, ""); len([]rune(short)) >= 10 {
		text = short
	}
	short := titleTail.ReplaceAllString(text, "")
	if han := strings.ContainsFunc(short, func(r rune) bool { return r > 0x2E80 }); !openQuote(short) && (len([]rune(short)) >= 20 || han && len([]rune(short)) >= 4) {
		text = short
	}
	text = openBracket.ReplaceAllString(phraseCut(text, titleLength), "")
	if strings.Count(text, "`")%2 == 1 {
		text += "`"
	}
	return strings.TrimSpace(upperFirst(text))
}

// openBracket is an aside that a cut has left without its end.
var openBracket = regexp.MustCompile(`\s*[(（][^()（）]*$`)

// openQuote tells that a cut went through a quotation.
func openQuote(s string) bool {
	return strings.Count(s, "“") > strings.Count(s, "”") || strings.Count(s, "„") > strings.Count(s, "“") || strings.Count(s, `"`)%2 == 1
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
