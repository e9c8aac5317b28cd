package roles

import (
	"regexp"
	"slices"
	"strings"
)

// modal is how a language says that something is asked for, and how much.
type modal struct {
	priority string
	re       *regexp.Regexp
}

// modals by language, strongest first. The words of RFC 2119 count in English
// text whatever the language around them.
var modals = map[string][]modal{
	"en": {
		{"Must", regexp.MustCompile(`(?i)\b(?:must(?:n['’]t)?|shall|(?:has|have|needs?) to|(?:is|are) required(?: to)?|is mandatory|are mandatory|may not|we need|i need)\b`)},
		{"Should", regexp.MustCompile(`(?i)\b(?:should(?:n['’]t)?|ought to|would like|(?:we|i)['’]d like|wants?|expect(?:s|ed)?|please|pls|plz|preferably)\b`)},
		{"Could", regexp.MustCompile(`(?i)\b(?:could|may|might|nice to have|optional(?:ly)?|ideally|would be (?:nice|good|great|helpful))\b`)},
	},
	"de": {
		{"Must", regexp.MustCompile(`(?i)\b(?:muss|müssen|muß|(?:darf|dürfen) (?:nicht|kein\p{L}*|nur)|(?:darf|dürfen)\b[^.;]{1,60}?\b(?:höchstens|maximal|nicht (?:mehr|länger|langsamer) als)|zwingend|ist erforderlich|sind erforderlich|(?:wird|werden) benötigt|wir brauchen)\b`)},
		{"Should", regexp.MustCompile(`(?i)\b(?:soll|sollen|sollten?|möchten?|wünsch\p{L}*|bitte|wir wollen)\b`)},
		{"Could", regexp.MustCompile(`(?i)\b(?:könnten?|optional|wäre (?:schön|gut|hilfreich)|nach möglichkeit|idealerweise)`)},
	},
	"zh": {
		{"Must", regexp.MustCompile(`必须|务必|需要|须|应当|不得|禁止|不允许|不能超过`)},
		{"Should", regexp.MustCompile(`应该|应|希望|想要|建议|请`)},
		{"Could", regexp.MustCompile(`可选|最好|如果可能|可以考虑|也可以`)},
	},
}

// spoken languages have modal words here; others are named in the first review.
func spoken(lang string) bool { return modals[lang] != nil }

// priorityOf is the MoSCoW priority a sentence's modal gives it, and the
// modal; both empty where it has none.
func priorityOf(text, lang string) (priority, word string) {
	try := []string{lang}
	if lang != "en" {
		try = append(try, "en")
	}
	for _, l := range try {
		at := -1
		for _, m := range modals[l] {
			// The first modal of the sentence governs; "must" behind "should" belongs
			// to a clause below it. An optional one anywhere weakens the rest.
			loc := m.re.FindStringIndex(text)
			if loc == nil || l != lang && strings.ToUpper(text[loc[0]:loc[1]]) != text[loc[0]:loc[1]] {
				continue
			}
			if at < 0 || loc[0] < at {
				at, priority, word = loc[0], m.priority, text[loc[0]:loc[1]]
			}
		}
		if priority != "" {
			return priority, word
		}
	}
	return "", ""
}

// Patterns of other things a sentence may be, by what they are.
var (
	nonGoalWords    = regexp.MustCompile(`(?i)\b(?:out of scope|not in scope|not part of this|no need (?:to|for)|(?:we|this|it) (?:will|does|do) not (?:cover|include|add|support|change|need)|we won['’]t|nicht teil|nicht im umfang|nicht nötig)\b|不在(?:本次)?范围|不需要|无需|不包括`)
	decisionWords   = regexp.MustCompile(`(?i)\b(?:(?:we|it was|has been|have been|is|was) (?:have |already )?(?:decided|agreed|settled)|we (?:will|chose to|choose to) (?:use|build|go with|keep|stay)|we['’]ll (?:use|go with)|decision:|we are going with|(?:tech )?stack (?:is|ist)|entschieden|entscheidung:|wir (?:nutzen|verwenden|setzen auf))\b|决定|已确定|采用|选用`)
	questionEnd     = regexp.MustCompile(`[?？]["”')\]]*$`)
	constraintWords = regexp.MustCompile(`(?i)\b(?:(?:must|may|should|shall) (?:not break|not require|stay compatible|remain compatible|keep working|run on|work on|work with|run in|not need)|without (?:any )?downtime|backwards?[- ]compatible|(?:no|not add|not need|not introduce|without|avoid(?:ing)?) (?:an? )?(?:new|another|more|additional|extra|further) (?:dependenc(?:y|ies)|services?|runtimes?|librar(?:y|ies))|budget|deadline|abwärtskompatibel|ohne ausfall(?:zeit)?)\b|兼容|不停机|预算|截止`)
	dependsWords    = regexp.MustCompile(`(?i)\b(?:depends on|blocked by|requires? .{2,60} to be (?:done|merged|released|ready) first|hängt ab von|setzt voraus)\b|依赖于|前置`)
	riskWords       = regexp.MustCompile(`(?i)^(?:risk|risiko|风险)\s*[:：]|\b(?:the|a|main|biggest|one) risk (?:is|of)\b|\b(?:we|i) (?:worry|fear) `)
	impactWords     = regexp.MustCompile(`(?i)\b(?:costs?|los(?:es?|ing|t)|complain\w*|tickets?|churn|hours?|per (?:day|week|month)|every (?:day|week|month)|customers? (?:leave|left)|revenue|kostet|verlieren|beschwer\w*|pro (?:tag|woche|monat))\b|投诉|损失|每(?:天|周|月)|浪费`)
	descriptive     = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|does|did|currently|today|at the moment|ist|sind|war|hat|haben|derzeit|aktuell)\b|目前|现在|当前`)
	noResponse      = regexp.MustCompile(`(?i)^_?(?:no response|n/?a|none|keine angabe|无)_?\.?$`)
	notApplicable   = regexp.MustCompile(`(?i)\b(?:not applicable|does not apply|do not apply|n/a|no .{2,40} (?:target|requirement)s? (?:is|are) (?:set|needed)|entfällt)\b|不适用`)
)

// Quality words by NFR category. The first that matches names the category.
var qualityWords = []struct {
	category string
	re       *regexp.Regexp
}{
	{"S", regexp.MustCompile(`(?i)\b(?:encrypt\w*|tls|hmac|at rest|pii|gdpr|dsgvo|owasp|secrets?|mask\w*|redact\w*|hash\w*|tokens?|signatur\w*|signed|audit\w*|permissions?|authenticat\w*|authoriz\w*|unauthori[sz]ed|passwords?|security|verschlüssel\w*|sicherheit)\b|加密|安全|权限|鉴权|认证|脱敏`)},
	{"U", regexp.MustCompile(`(?i)\b(?:wcag|accessib\w*|screen ?readers?|keyboard|contrast|clicks?|usab\w*|learn\w*|barrierefrei\w*|tastatur\w*)\b|无障碍|易用|点击`)},
	{"P", regexp.MustCompile(`(?i)\b(?:p\d\d|\d+th percentile|latency|latencies|response times?|antwortzeit\w*|latenz\w*)\b|延迟|响应时间`)},
	{"SC", regexp.MustCompile(`(?i)\b(?:concurrent\w*|simultaneous\w*|scal(?:e|es|ing|able|ability)|at once|in parallel|growth|tenants?|horizontal\w*|availab\w*|uptime|(?:million|thousand)s? (?:of )?\w+|gleichzeitig\w*|skalier\w*|verfügbarkeit)\b|并发|扩展|同时在线|可用性`)},
	{"P", regexp.MustCompile(`(?i)\b(?:p\d\d|latency|latencies|throughput|response times?|load times?|duration|fast|quick\w*|slow\w*|performance|memory|cpu|seconds?|milliseconds?|minutes?|\d+ ?ms|takes? (?:(?:no |not )?(?:more|longer|less) than|at most)|verlangsam\w*|dauer\w*|millisekunden|minuten|antwortzeit\w*|latenz\w*|durchsatz|ladezeit\w*|schnell\w*)\b|延迟|响应时间|吞吐|耗时|性能|毫秒|秒内|内存`)},
}

// measure is a bound with a number: what a target is made of.
var measure = regexp.MustCompile(`(?i)(?:(?:\b(?:from|to|by|under|below|within|at most|at least|less than|fewer than|more than|no more than|up to|above|over|in|unter|höchstens|mindestens|innerhalb von|weniger als|mehr als|bis zu|von|auf)\s+)|[<>≤≥]=?\s*|不超过|低于|小于|至少|不低于|达到|在)?\d[\d.,_]*\s*(?:%|‰|ms\b|s\b|sec\w*|seconds?|minutes?|min\b|hours?|h\b|days?|weeks?|months?|KB\b|MB\b|GB\b|TB\b|KiB\b|MiB\b|GiB\b|req\w*|rps\b|requests?|users?|rows?|records?|events?|messages?|items?|files?|clicks?|times\b|percent|sekunden?|minuten?|stunden?|tagen?|prozent|nutzer\w*|毫秒|秒|分钟|小时|天|人|次|条|个|万|:1)?`)

// unitMeasure is a measure that carries a unit.
var unitMeasure = regexp.MustCompile(`(?i)\d[\d.,_]*\s*(?:%|‰|ms\b|s\b|sec\w*|seconds?|minutes?|min\b|hours?|h\b|days?|KB\b|MB\b|GB\b|TB\b|MiB\b|GiB\b|req\w*|rps\b|requests?|users?|rows?|records?|events?|messages?|clicks?|percent|sekunden?|minuten?|stunden?|prozent|nutzer\w*|毫秒|秒|分钟|小时|人|次|条|万|:1)`)

// categoryOf is the NFR category a sentence's words name; empty is none.
func categoryOf(text string) string {
	for _, q := range qualityWords {
		if q.re.MatchString(text) {
			return q.category
		}
	}
	return ""
}

// statedCategory is the NFR category that a column or a heading of the issue
// names; it goes before the sentence's own words.
func statedCategory(s Said) string {
	names := []string{s.Subject}
	for _, d := range s.Details {
		if labelOnly[d.Label] {
			names = append(names, d.Quote)
		}
	}
	for _, c := range categoryNames {
		if slices.ContainsFunc(names, c.re.MatchString) {
			return c.category
		}
	}
	return ""
}

var categoryNames = []struct {
	category string
	re       *regexp.Regexp
}{
	{"P", regexp.MustCompile(`(?i)^(?:performance|speed|latency|leistung|性能)$`)},
	{"S", regexp.MustCompile(`(?i)^(?:security|privacy|sicherheit|datenschutz|安全(?:性)?|隐私)$`)},
	{"SC", regexp.MustCompile(`(?i)^(?:scalability|scale|capacity|availability|reliability|skalierbarkeit|verfügbarkeit|可?扩展性|可用性|可靠性|容量)$`)},
	{"U", regexp.MustCompile(`(?i)^(?:usability|accessibility|bedienbarkeit|barrierefreiheit|易用性|无障碍)$`)},
}

// isQuality tells a measured quality from a thing to do.
func isQuality(text string) bool {
	c := categoryOf(text)
	if c != "P" && c != "SC" && c != "U" || !unitMeasure.MatchString(text) || lifetime.MatchString(text) {
		return false
	}
	return !behaviour.MatchString(text) || swift.MatchString(text)
}

// behaviour marks sentences that name an act although they carry a number:
// "retries after 5 seconds" is a function with a bound.
var behaviour = regexp.MustCompile(`(?i)\b(?:retr(?:y|ies|ied|ying)|repeat\w*|at intervals?|return\w*|respond\w* with|reject\w*|sends?|sent|stor(?:es?|ed)|show(?:s|n)?|display(?:s|ed)?|expires?|delet(?:es?|ed)|export(?:s|ed)?|import(?:s|ed)?|wait\w*|back ?off|log(?:s|ged)?|notif\w*|lists?|keeps?|lock(?:s|ed)?|timeout)\b`)

// lifetime marks a span of time that a thing lasts: "valid for 30 seconds" says
// what it does, not how fast.
var lifetime = regexp.MustCompile(`(?i)\b(?:valid|alive|available|visible|active|locked|blocked|reserved|held|remembered|cached|retained|kept|signed in|logged in|lives?|lasts?|expir\w*)\b[^.;]{0,24}\b(?:for|until|after|within|in)\b[^.;]{0,16}\d|\b\d+\s*(?:sekunden|minuten|stunden|tage|wochen)\s+lang\b|(?:有效|保留|缓存|锁定)[^，。]{0,12}\d|\d+\s*(?:秒|分钟|小时|天)内?(?:有效|失效|过期)`)

// swift marks how long something takes: "shows the first page within 300 ms".
var swift = regexp.MustCompile(`(?i)\b(?:takes?|finish(?:es)?|completes?|load(?:s|ed)?|answers?|responds?|returns?|shows?|displays?|lists?)\b[^.;]{0,60}(?:\b(?:within|under|below|in (?:less|under)|(?:less|more|longer|faster) than|at most)|[<≤])\s*\d[\d.,]*\s*(?:ms|s|sec\w*|seconds?|milliseconds?|min|minutes?)\b`)

// spending is a bound on money that the work, not a person, may cost: a word
// for cost and, beside it, one for a ceiling.
var spending = regexp.MustCompile(`(?i)\b(?:must|may|should|shall|can|will|won)(?:n['’]t|['’]t| not| never)[^.;]{0,40}\bcost\b[^.;]{0,20}\b(?:more than|over|above)\b` +
	`|\b(?:must|may|should|shall|can|will)\b[^.;]{0,40}\bcost\b[^.;]{0,20}(?:\b(?:less than|at most|under|below|up to)\b|[<≤])` +
	`|^\W*(?:(?:the|its|our|all|total|monthly|yearly|running|hosting|operating|infrastructure|cloud|server)\s+)*(?:costs?|spend(?:ing)?|bill|budget)\b[^.;]{0,40}?(?:(?:\bnot|n['’]t|\bnever) (?:exceed|go (?:over|above)|rise above|be (?:more|higher) than)\b|\b(?:below|under|within|at most|(?:less|no more) than|up to|max(?:imum)?|cap(?:ped)?|limit(?:ed)?)\b|[<≤])` +
	`|\b(?:darf|dürfen|soll(?:en|te)?|muss)\b[^.;]{0,30}\b(?:nicht mehr als|höchstens|maximal|weniger als|unter|bis zu)\b[^.;]{0,30}\bkosten\b` +
	`|^\W*(?:(?:die|der|das|unsere?|laufenden?|monatlichen?|gesamten?)\s+)*(?:(?:betriebs|gesamt|monats|infrastruktur|hosting|server|cloud|lizenz|projekt)-?)?kosten\b[^.;]{0,60}?(?:\b(?:höchstens|maximal|unter|nicht (?:mehr als|über))\b|übersteigen|überschreiten|[<≤])` +
	`|^\W*(?:(?:the|our|total|monthly|yearly|das|unser)\s+)*(?:\p{L}*budget)\b|(?:费用|成本)[^，。；]{0,8}(?:(?:不得|不能|不可|不应|不要|不)(?:超过|高于|超出)|控制在|低于|上限|最多|至多|以内)|预算`)

var money = regexp.MustCompile(`(?i)[€$£¥]\s?\d|\d[\d.,]*\s?k?\s?(?:€|\$|£|¥|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|francs?|franken)\b|元|美元)`)

// isSpending tells a limit of cost, which binds the work, from a rule about
// prices, which the product has to follow.
func isSpending(text string) bool {
	at := spending.FindStringIndex(text)
	return at != nil && money.MatchString(text) && !ruled.MatchString(text[at[1]:])
}

// ruled is what a sum that is no ceiling of ours leads to: "costs below 20 €
// must be approved".
var ruled = regexp.MustCompile(`(?i)\b(?:must|shall|should|has to|have to|needs? to|muss|müssen|soll(?:en|te)?|darf|dürfen)\b|必须|需要|应`)

// imperatives are verbs that open a list item or a title.
var imperatives = wordSet(`select type drag paste pick pin redo invite join subscribe unsubscribe revoke renew preview cancel swap fill drain pull push unlock announce clone crop embed enforce fork freeze hint indicate inline inspect isolate jump label memoize minimise minimize normalise normalize notice parallelize pin poll prefill prefix prompt quote recover remind reorder reschedule scroll seed shorten shrink simulate snapshot suggest summarize switch tell terminate unify warm wait whitelist zoom add allow accept apply archive assign attach authenticate block build cache calculate change check choose clean clear collect compare compute configure confirm connect convert copy count cover create deduplicate define delete deliver deny deploy deprecate detect disable display document download drop edit emit enable encrypt enforce ensure escape expire explain export expose extend extract fail fall fetch filter find fix flag forward generate give group guard handle hash have hide highlight implement import improve include index inform introduce keep let limit link list load lock log make map mark mask measure merge migrate mirror monitor move notify offer open order paginate parse pass pause persist prevent print process protect provide publish purge put queue raise rate read rebuild record redact redirect redact reduce refactor refresh refuse reject release reload remember remove rename render reopen replace replay report require reset resize resolve respond restore restrict resume retain retry return reuse revert review rewrite roll rotate route run sanitize save scale scan schedule scrub search secure send separate serve set share show sign simplify skip sort specify split start stop store stream submit subscribe summarise summarize support suppress switch sync tag test throttle time toggle track translate trigger truncate turn undo unify unlock update upgrade upload use validate verify version view warn watch wrap write`)

// changeVerbs act on the work, not in the product: their requirement speaks of
// the change.
var changeVerbs = wordSet(`clean cover deprecate document drop extract fix improve introduce migrate move refactor remove rename replace rewrite separate simplify split test unify update upgrade write reuse reduce`)

// giveVerbs say no more than that something shall be there.
var giveVerbs = wordSet(`add implement create build include have introduce provide`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

func firstWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	word, rest, _ = strings.Cut(s, " ")
	return strings.ToLower(strings.Trim(word, ",.:;`*\"'")), strings.TrimSpace(rest)
}

// opensWithChange tells an order to change the code from one to change what
// the product does: "Remove the import of `order`".
func opensWithChange(s string) bool {
	w, _ := firstWord(s)
	return changeVerbs[w] && codeWords.MatchString(s)
}

var codeWords = regexp.MustCompile("(?i)`|\\b(?:imports?|dependenc(?:y|ies)|modules?|packages?|code|functions?|class(?:es)?|methods?|tests?|endpoints?)\\b")

func opensWithVerb(s string) bool {
	w, rest := firstWord(s)
	return imperatives[w] && rest != "" && !strings.HasPrefix(strings.TrimSpace(s)[len(w):], ":") && !opensClause(s)
}
