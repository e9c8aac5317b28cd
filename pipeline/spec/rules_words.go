package spec

import (
	"fmt"
	"slices"
	"strings"
)

// requirement is the shortest document with one normative sentence, for the
// examples of the sentence rules.
func requirement(sentence string) string { return "## REQ-001: Delivery\n\n" + sentence + "\n" }

// qualityItem is the same for a quality requirement.
func qualityItem(sentence string) string { return "## NFR-P-001: Speed\n\n" + sentence + "\n" }

// wordRules judge the words of normative sentences; never quotations, code,
// tables of options or rationale.
var wordRules = []Rule{
	{ID: "L11", Grade: Major, Title: "no modal", Detects: "A requirement says neither must nor any other modal, and is no instruction.",
		Perspectives: []string{quality}, Move: Move{Weight: 1, Share: .15}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The service MUST retry a failed delivery."), Bad: requirement("The service is a retrying one for deliveries."),
		Remedy: "Write “MUST”, “SHOULD” or “MAY”, so that a reader knows what is asked.", check: withoutModal},
	{ID: "L12", Grade: Minor, Title: "weak modal", Detects: "A Must item speaks of should, may, might or can.",
		Perspectives: []string{quality}, Move: Move{Weight: .5, Share: .25}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: "## REQ-001: Delivery [Must]\n\nThe service MUST retry.\n", Bad: "## REQ-001: Delivery [Must]\n\nThe service should retry.\n",
		Remedy: "Say MUST, or lower the item's priority.", check: weakModal},
	{ID: "L13", Grade: Minor, Title: "keyword form", Detects: "An RFC 2119 keyword in mixed case, or a pair such as MUST SHOULD.",
		Perspectives: []string{quality, technical}, Move: Move{Weight: .25, Share: .2}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The service MUST NOT retry twice."), Bad: requirement("The service Must not retry twice."),
		Remedy: "Write the keyword in capitals: MUST, MUST NOT, SHOULD, MAY.", check: keywordForm,
		Mends: "writes a keyword of mixed case in capitals"},
	{ID: "L14", Grade: Major, Title: "two in one", Detects: "One statement holds two modals or two duties.",
		Perspectives: []string{quality, technical}, Move: Move{Weight: 1, Share: .2}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The service MUST retry a failed delivery."), Bad: requirement("The service MUST retry a failed delivery and MUST log the reason."),
		Remedy: "Make two requirements of it.", check: twoInOne},
	{ID: "L15", Grade: Major, Title: "vague word", Detects: "A word of quality or amount without a measure in the sentence.",
		Perspectives: []string{quality, product}, Move: Move{Weight: 1, Share: .2}, Artifacts: ofRequirements + ofNFR + ofEpics, Words: true,
		Good: requirement("The page MUST load in under 2 s."), Bad: requirement("The page MUST load quickly."),
		Remedy: "Give a number with a unit, or name what is seen.", check: vague},
	{ID: "L16", Grade: Major, Title: "escape clause", Detects: "A clause that lets every result pass: if possible, as appropriate.",
		Perspectives: []string{risk, quality}, Move: Move{Weight: 1, Share: .1}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The service MUST retry when the endpoint answers 503."), Bad: requirement("The service MUST retry if possible."),
		Remedy: "Name the condition.", check: matches(escapes, "“%s” lets every result pass")},
	{ID: "L17", Grade: Major, Title: "open list", Detects: "A list that does not end: etc., such as, and so on.",
		Perspectives: []string{coverage, quality}, Move: Move{Weight: .75, Share: .15}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The export MUST offer CSV and JSON."), Bad: requirement("The export MUST offer CSV, JSON, etc."),
		Remedy: "List all of it, or name the list that does.", check: matches(openLists, "“%s” leaves the list open")},
	{ID: "L18", Grade: Minor, Title: "comparative without base", Detects: "Faster, smaller, better, and than what?",
		Perspectives: []string{technical, quality}, Move: Move{Weight: .5, Share: .15}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The import MUST be faster than 1,000 rows a second."), Bad: requirement("The import MUST be faster."),
		Remedy: "Say than what, with a number.", check: comparatives},
	{ID: "L19", Grade: Minor, Title: "superlative", Detects: "Best, fastest, most: nobody can test it.",
		Perspectives: []string{quality, product}, Move: Move{Weight: .5, Share: .15}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The search MUST list the newest entry first."), Bad: requirement("The search MUST give the best results."),
		Remedy: "Name the measure and its bound.", check: matches(superlatives, "“%s” cannot be tested")},
	{ID: "L20", Grade: Info, Title: "passive without agent", Detects: "What is done is said, and not by whom.",
		Perspectives: []string{technical, quality}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The gateway MUST sign each delivery."), Bad: requirement("Each delivery MUST be signed."),
		Remedy: "Name who does it.", check: passives},
	{ID: "L21", Grade: Minor, Title: "unclear pronoun", Detects: "A sentence begins with a pronoun, so that it cannot stand alone.",
		Perspectives: []string{quality}, Move: Move{Weight: .5, Share: .2}, Artifacts: ofRequirements + ofNFR + ofEpics, Words: true,
		Good: requirement("The gateway MUST keep the payload."), Bad: requirement("The gateway sends the payload to the endpoint. It MUST keep a copy."),
		Remedy: "Repeat the noun.", check: pronouns},
	{ID: "L22", Grade: Info, Title: "negative only", Detects: "Only what must not happen is said; bans of security are exempt.",
		Perspectives: []string{quality, technical}, Artifacts: ofRequirements, Words: true,
		Good: requirement("The service MUST drop a duplicate delivery."), Bad: requirement("The service MUST NOT process a delivery twice."),
		Remedy: "Say what happens instead.", check: negatives},
	{ID: "L23", Grade: Minor, Title: "absolute word", Detects: "Always, never, every time: without a measure it cannot be shown.",
		Perspectives: []string{technical, risk}, Move: Move{Weight: .5, Share: .15}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The service MUST answer 999 of 1,000 calls."), Bad: requirement("The service MUST always answer."),
		Remedy: "Give the bound that can be tested.", check: absolutes},
	{ID: "L24", Grade: Info, Title: "be able to", Detects: "“Be able to” asks for a skill, not for an act.",
		Perspectives: []string{quality}, Artifacts: ofRequirements, Words: true,
		Good: requirement("The service MUST export a report on request."), Bad: requirement("The service MUST be able to export a report."),
		Remedy: "Say when it does it.", check: matches(abilities, "“%s” asks for a skill, not for an act")},
	{ID: "L25", Grade: Minor, Title: "and/or", Detects: "“And/or”, or alternatives behind a slash; paths, units and dates are exempt.",
		Perspectives: []string{quality}, Move: Move{Weight: .25, Share: .2}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("The report MUST be sent by mail or shown on the page."), Bad: requirement("The report MUST be mailed and/or shown."),
		Remedy: "Write “a, b or both”, or choose.", check: andOr,
		Mends: "writes “a or b, or both” for “a and/or b”, where the sentence shows what a and b are"},
	{ID: "L26", Grade: Info, Title: "condition in brackets", Detects: "Brackets hide a condition or an exception.",
		Perspectives: []string{quality}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: requirement("When the order is paid, the shop MUST send a receipt."), Bad: requirement("The shop MUST send a receipt (unless the order is unpaid)."),
		Remedy: "Put the condition in front, in words.", check: matches(bracketed, "the brackets hide a condition: %s")},
	{ID: "L27", Grade: Minor, Title: "long sentence", Detects: "More than 40 words (minor) or 60 (major).",
		Perspectives: []string{quality}, Move: Move{Weight: .5, Share: .15}, Artifacts: ofRequirements + ofNFR + ofArchitecture,
		Good: requirement("The service MUST retry a failed delivery after 30 s."), Bad: requirement("The service MUST retry a failed delivery " + strings.Repeat("to the endpoint of the customer ", 7) + "after 30 s."),
		Remedy: "Split it.", check: longSentences},
	{ID: "L28", Grade: Minor, Title: "nested conditions", Detects: "Two conditions in one sentence, or an exception to an exception.",
		Perspectives: []string{technical, quality}, Move: Move{Weight: .5, Share: .15}, Artifacts: ofRequirements, Words: true,
		Good: requirement("When the order is paid, the shop MUST send a receipt."), Bad: requirement("When the order is paid, the shop MUST send a receipt unless the customer opted out, except when the law asks for one."),
		Remedy: "One requirement a condition, or a table.", check: conditions},
	{ID: "L29", Grade: Info, Title: "no EARS form", Detects: "Neither “The <system> MUST …” nor a When, While, Where or If clause in front of it.",
		Perspectives: []string{quality}, Artifacts: ofRequirements, Words: true,
		Good: requirement("When a delivery fails, the service MUST retry it."), Bad: requirement("Upon the detection of a failure of a delivery to an endpoint of any customer retrying MUST happen."),
		Remedy: "When <trigger>, the <system> MUST <response>.", check: ears},
	{ID: "L30", Grade: Major, Title: "time without bound", Detects: "Soon, in real time, promptly: no test can fail.",
		Perspectives: []string{technical}, Move: Move{Weight: .75, Share: .15}, Artifacts: ofRequirements + ofNFR, Words: true,
		Good: qualityItem("A change MUST be visible within 5 s."), Bad: qualityItem("A change MUST be visible in real time."),
		Remedy: "Give the bound: within 5 s, by the next day, after three tries.", check: timeWords},
}

// duty tells whether a statement is one a person must be able to test: of a
// requirement or a quality requirement, but not of a criterion or decision.
func duty(st Statement) bool { return st.Kind == KindReq || st.Kind == KindNFR || st.Item == "" }

// in goes over the normative sentences a predicate takes.
func (in *inspection) sentences(take func(Statement) bool, judge func(Statement)) {
	for _, st := range in.Statements {
		if take(st) {
			judge(st)
		}
	}
}

func (in *inspection) hitSentence(st Statement, grade, format string, args ...any) {
	in.hit(Finding{Grade: grade, File: st.File, Line: st.Line, End: st.End, Item: st.Item, Unit: st.Unit, Must: st.Must, Message: fmt.Sprintf(format, args...)})
}

// matches is a rule that is one pattern over all normative sentences.
func matches(p pattern, message string) func(*inspection) {
	return func(in *inspection) {
		in.sentences(anyStatement, func(st Statement) {
			if m := p.FindString(st.Said); m != "" {
				in.hitSentence(st, "", message, strings.TrimSpace(m))
			}
		})
	}
}

func anyStatement(st Statement) bool { return st.Kind != KindADR }

var (
	quotedPart   = compile("“[^”]*”|\"[^\"]*\"|‘[^’]*’|`[^`]*`|「[^」]*」")
	modal        = compile(`(?i)\b(?:must|shall|should|may|might|can|could|will|need(?:s)? to|ha(?:s|ve) to|required to|is required|are required)\b`)
	strong       = compile(`(?i)\b(?:must|shall|will)\b(?:\s+not\b)?`)
	weak         = compile(`(?i)\b(should|may|might|can|could)\b`)
	imperative   = compile(`^(?:Add|Allow|Let|Show|Send|Keep|Store|Return|Reject|Accept|Log|Record|Use|Do|Make|Create|Delete|Remove|Update|Export|Import|Support|Provide|Ensure|Limit|Retry|Notify|Display|Validate|Encrypt|Hide|Write|Read|Give|Offer|List|Report|Stop|Start|Run|Move|Replace|Rename|Fix|Prevent|Answer|Block|Warn|Mark|Sign|Name|Set|Split|Merge|Document|Publish|Deploy|Migrate|Cache|Count|Measure|Print|Render|Sort|Filter|Search|Upload|Download)\b`)
	measured     = compile(`(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|zero|half)\b`)
	escapes      = compile(`(?i)\b(?:if (?:possible|feasible|practical|practicable|necessary|needed|applicable|required)|(?:as|where|when|whenever|wherever) (?:appropriate|possible|applicable|feasible|practical|practicable|necessary|needed|required)|as far as (?:possible|practical)|to the extent (?:possible|practical|necessary)|to a reasonable extent|as (?:much|little|many|few|soon|often) as possible|at (?:its|their|the) discretion|best effort|reasonable effort|normally|ideally|typically|usually|in most cases|generally|more or less|if (?:it )?makes sense)\b`)
	openLists    = compile(`(?i)\b(?:etc\b\.?|and so (?:on|forth)|and the like|(?:but |is |are )?not limited to|and (?:others|similar|more)\b|or similar|among others|for example|for instance|e\.g\.)|,? such as\b|…$|\.\.\.$|\band/or others\b`)
	superlatives = compile(`(?i)\b(?:best(?: possible)?|worst|fastest|easiest|simplest|smallest|largest|biggest|cheapest|cleanest|safest|strongest|slowest|(?:most|least) (?:efficient|reliable|secure|intuitive|important|suitable|appropriate|convenient|flexible|robust|relevant|user[- ]friendly|accurate)|state[- ]of[- ]the[- ]art|world[- ]class|optimal|optimum)\b`)
	abilities    = compile(`(?i)\b(?:be|is|are) (?:able to|capable of)\b|\bhave the (?:ability|capability) to\b`)
	bracketed    = compile(`(?i)\((?:if|unless|except|only|when|where|provided|as long as|but not|assuming|depending)\b[^)]*\)`)
)

// unquoted blanks quotations and code: their words are somebody else's.
func unquoted(s string) string {
	if !strings.ContainsAny(s, "“\"‘`「") {
		return s
	}
	return quotedPart.ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("_", len(q)) })
}

// withoutModal looks at an item as a whole: a statement of several sentences
// needs one modal, not one in each.
func withoutModal(in *inspection) {
	asked := map[string]bool{}
	first := map[string]Statement{}
	var order []string
	in.sentences(func(st Statement) bool { return st.Item != "" && (st.Kind == KindReq || st.Kind == KindNFR) }, func(st Statement) {
		if _, ok := first[st.Item]; !ok {
			first[st.Item] = st
			order = append(order, st.Item)
		}
		if modal.MatchString(st.Said) || imperative.MatchString(st.Text) {
			asked[st.Item] = true
		}
	})
	for _, id := range order {
		if !asked[id] {
			in.hitSentence(first[id], "", "%s asks for nothing: no must, should or may", id)
		}
	}
}

func weakModal(in *inspection) {
	in.sentences(func(st Statement) bool { return st.Must && duty(st) }, func(st Statement) {
		text := st.Said
		if strong.MatchString(text) {
			return
		}
		if m := weak.FindString(text); m != "" {
			in.hitSentence(st, "", "“%s” in a Must item", m)
		}
	})
}

var (
	mixedKeyword = compile(`\b(?:Must(?: [Nn]ot)?|Shall(?: [Nn]ot)?|MUST not|SHALL not|SHOULD not|must NOT|shall NOT|should NOT)\b`)
	keywordPair  = compile(`\b(?:MUST|SHALL|SHOULD|MAY) (?:MUST|SHALL|SHOULD|MAY)\b`)
)

func keywordForm(in *inspection) {
	in.sentences(anyStatement, func(st Statement) {
		text := st.Said
		if m := keywordPair.FindString(text); m != "" {
			in.hitSentence(st, "", "“%s” is two keywords", m)
			return
		}
		for _, at := range mixedKeyword.FindAllStringIndex(text, -1) {
			word := text[at[0]:at[1]]
			if at[0] == 0 && !strings.Contains(word, " ") || asPriority(text, at) {
				continue // a sentence may begin with it
			}
			f := Finding{File: st.File, Line: st.Line, Item: st.Item, Unit: st.Unit, Message: fmt.Sprintf("“%s” mixes cases", word)}
			f.Replacement = replaced(in.Quote(st.File, st.Line, st.Line), word, strings.ToUpper(word))
			in.hit(f)
			return
		}
	})
}

var (
	priorityBefore = compile(`(?i)(?:\b(?:an?|the|each|every|all|any|no|of|as|is|are|only|marked|priority:?)|[(\[/,])\s*$`)
	priorityAfter  = compile(`(?i)^[)\]/,]|^\s+(?:items?|requirements?|priorit\w+|level|stor(?:y|ies)|epics?|criteri\w+|goals?|ones?|haves?|or (?:should|could))\b`)
)

// asPriority tells whether a Must is the name of a priority.
func asPriority(text string, at []int) bool {
	return text[at[0]:at[1]] == "Must" && (priorityBefore.MatchString(text[:at[0]]) || priorityAfter.MatchString(text[at[1]:]))
}

var (
	secondDuty  = compile(`(?i)\b(?:and|or|but)\b[^.;]{0,80}?\b(?:must|shall)\b`)
	semicolon   = compile(`;\s+\w+[^;]*\b(?i:must|shall|should)\b`)
	alsoDuty    = compile(`(?i)\b(?:and|as well as)(?: then| also| additionally)\s+(?:\w+ly\s+)?(?:send|log|store|notify|delete|create|update|write|record|show|display|export|import|mail|email|return|start|stop|archive|encrypt|print|publish|validate|retry|report)s?\b`)
	subordinate = compile(`(?i)\b(?:if|when|while|unless|that|which|whose|until|because)\b[^,]*\b(?:must|shall)\b`)
)

func twoInOne(in *inspection) {
	in.sentences(duty, func(st Statement) {
		text := st.Said
		modals := strong.FindAllStringIndex(text, -1)
		switch {
		case len(modals) > 1 && (secondDuty.MatchString(text[modals[0][1]:]) || semicolon.MatchString(text)) && !subordinate.MatchString(text[modals[0][1]:]):
			in.hitSentence(st, "", "two duties in one sentence")
		case len(modals) == 1 && alsoDuty.MatchString(text[modals[0][1]:]):
			in.hitSentence(st, "", "two actions in one sentence: “%s”", strings.TrimSpace(alsoDuty.FindString(text[modals[0][1]:])))
		}
	})
}

func longSentences(in *inspection) {
	in.sentences(func(Statement) bool { return true }, func(st Statement) {
		n := wordCount(st.Text)
		if n > 40 {
			grade := ""
			if n > 60 {
				grade = Major
			}
			in.hitSentence(st, grade, "%d words in one sentence", n)
		}
	})
}

// wordCount counts a Chinese or Japanese character as half a word.
func wordCount(s string) int {
	n, han := 0, 0
	for _, f := range strings.Fields(s) {
		wide := 0
		for _, r := range f {
			if r >= 0x2E80 && r <= 0x9FFF || r >= 0x3040 && r <= 0x30FF {
				wide++
			}
		}
		if wide == 0 {
			n++
		}
		han += wide
	}
	return n + han/2
}

var conditionWord = compile(`(?i)\b(?:if|when|whenever|unless|except|provided that|as long as|in case|only if|otherwise)\b`)

func conditions(in *inspection) {
	in.sentences(func(st Statement) bool { return st.Kind == KindReq || st.Item == "" }, func(st Statement) {
		found := conditionWord.FindAllString(st.Said, -1)
		for i := range found {
			found[i] = strings.ToLower(found[i])
		}
		unless := slices.Index(found, "unless")
		if len(found) > 2 || unless >= 0 && slices.Contains(found[unless:], "except") || len(found) == 2 && found[0] == found[1] {
			in.hitSentence(st, "", "%d conditions in one sentence: %s", len(found), strings.Join(found, ", "))
		}
	})
}

var earsForm = compile(`(?i)^(?:(?:when|while|where|if|after|before|once|for|during|as soon as|whenever|until|on|upon|in|with|without|at|by|given|unless)\b.*?,\s*)?(?:then\s+)?(?:the|an?|each|every|all|any|no|only|its|their|our|this|these|[A-Z][\w-]*|\w+s)\b.*?\b(?:must|shall|should|may|will|can)\b`)

func ears(in *inspection) {
	in.sentences(func(st Statement) bool { return st.Kind == KindReq }, func(st Statement) {
		text := st.Said
		at := modal.FindStringIndex(text)
		if at == nil {
			return
		}
		// More than a dozen words before the modal and no clause in front: no
		// form of the five.
		subject := text[:at[0]]
		if !earsForm.MatchString(text) || !strings.Contains(subject, ",") && len(strings.Fields(subject)) > 12 {
			in.hitSentence(st, "", "none of the five EARS forms")
		}
	})
}
