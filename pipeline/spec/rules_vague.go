package spec

import (
	"strings"
)

// vagueWords have no meaning a test could hold them to. Words with an everyday
// technical sense (fast-forward, secure cookie, light theme) are told apart by
// what stands beside them.
var vagueWords = compile(`(?i)\b(?:quick(?:ly)?|fast|rapid(?:ly)?|slow(?:ly)?|easy|easily|simple|simply|intuitive(?:ly)?|user[- ]friendly|seamless(?:ly)?|smooth(?:ly)?|robust(?:ly)?|flexible|flexibly|efficient(?:ly)?|effective(?:ly)?|adequate(?:ly)?|sufficient(?:ly)?|appropriate(?:ly)?|suitable|suitably|reasonabl[ey]|acceptabl[ey]|good|nice(?:ly)?|modern|clean|clear(?:ly)?|meaningful|scalable|reliabl[ey]|stable|performant|responsive|lightweight|powerful|convenient(?:ly)?|graceful(?:ly)?|proper(?:ly)?|correct(?:ly)?|as expected|significant(?:ly)?|substantial(?:ly)?|minimal(?:ly)?|maximal(?:ly)?|several|various|many|few|some|most|numerous|a lot of|enough|large|small|big|huge|high|low|heavy|frequent(?:ly)?|often|regular(?:ly)?|occasional(?:ly)?|approximately|about|around|roughly|nearly|almost)\b`)

// technicalUse are the same words where they mean something definite.
var technicalUse = compile(`(?i)\b(?:fast[- ]forward|fast[- ]path|fast[- ]track|responsive (?:design|layout|breakpoint|image)s?|clean(?:s|ed|ing)?[- ](?:up|install|shutdown|exit|clone|build)|clear(?:s|ed|ing)? (?:the|a|all|its|his|her|their|text|cache|button)|clear[- ]text|high[- ](?:contrast|availability|water|order|priority|severity|risk)|low[- ](?:stock|priority|severity|risk|water|battery|level|code)|stable (?:id|key|order|sort|release|version|branch|identifier|url|name)s?|simple (?:mail|object|network|storage)|small (?:letter|caps|print)s?|large (?:object|file storage)|big[- ](?:endian|integer|query)|regular expressions?|regular (?:user|customer|price|hour|member)s?|correct(?:s|ed|ing)? (?:the|a|an|it|any|typos?)|some(?:one|thing|how|where)|at most|most recent(?:ly)?|the most|as many as|how many|too many|so many|many[- ]to[- ]many|one[- ]to[- ]many|about (?:page|box|dialog|it|the|this|that|whom|which|what)|turn[- ]?around|around (?:the|it|a)|proper (?:noun|name|subset)s?|modern (?:pentathlon|browser)s?|good (?:friday|standing)|goods|few(?:er)? than|high[- ]level|high or|or high|low or|or low|low,|high,|light[- ]?weight process|quick (?:reply|link|action|filter|search)|efficient frontier|(?:heavy|light) (?:weight|theme)|frequently asked|appropriate technology|simple majority|acceptable use)\b`)

func vague(in *inspection) {
	in.sentences(func(st Statement) bool { return st.Kind != KindADR }, func(st Statement) {
		text := technicalUse.ReplaceAllStringFunc(st.Said, func(m string) string { return strings.Repeat("_", len(m)) })
		m := vagueWords.FindString(text)
		if m == "" || measured.MatchString(idLike.ReplaceAllString(text, "")) {
			return
		}
		grade := ""
		if amountOnly[strings.ToLower(m)] {
			grade = Minor // often a plain quantifier
		}
		if st.Kind == KindStory {
			grade = Minor // a story's wish; its criteria carry the measure
		}
		in.hitSentence(st, grade, "“%s” has no measure in this sentence", m)
	})
}

// idLike numbers are no measures.
var idLike = compile(`\b[A-Z]{1,5}(?:-[A-Z]{1,2})?-\d+(?:-\d+)?\b|\b(?:HTTP|UTF|SHA|RFC|ISO|OAuth|TLS|IPv|Base|MD|EC|S|v)[ -]?\d[\d.]*\b`)

var amountOnly = map[string]bool{"some": true, "many": true, "several": true, "various": true, "few": true, "most": true, "about": true,
	"around": true, "almost": true, "nearly": true, "high": true, "low": true, "large": true, "small": true, "big": true, "good": true, "enough": true,
	"clear": true, "clearly": true, "correct": true, "correctly": true, "simple": true, "clean": true, "stable": true, "modern": true}

var (
	comparative = compile(`(?i)\b(?:faster|slower|better|worse|easier|simpler|smaller|larger|bigger|cheaper|safer|stronger|shorter|quicker|(?:more|less) (?:efficient|reliable|secure|intuitive|convenient|flexible|robust|accurate|readable|consistent|responsive|scalable|stable|often|frequent))(?:ly)?\b`)
	base        = compile(`(?i)\bthan\b|\bcompared (?:to|with)\b|\brelative to\b|\bby (?:at least )?\d|\b\d+(?:\.\d+)?\s?(?:%|x|times)`)
)

func comparatives(in *inspection) {
	in.sentences(anyStatement, func(st Statement) {
		text := st.Said
		if m := comparative.FindString(text); m != "" && !base.MatchString(text) {
			in.hitSentence(st, "", "“%s” than what?", m)
		}
	})
}

var (
	passive     = compile(`(?i)\b(?:is|are|be|been|being|was|were)\s+(?:(?:not|also|then|only|still|automatically|immediately|\w+ly)\s+)?(\w+ed|sent|shown|kept|written|read|held|given|taken|made|done|seen|built|known|found|told|set|put|lost|left|chosen|hidden|stored)\b`)
	passiveDuty = compile(`(?i)\b(?:must|shall|should|may|will|can)\s+(?:(?:not|also|then|only|never|always|\w+ly)\s+)*be\s+(?:(?:\w+ly|also|then)\s+)?(\w+ed|sent|shown|kept|written|read|held|given|taken|made|done|seen|built|known|found|told|set|put|lost|left|chosen|hidden|stored)\b`)
	// subclause is where a passive is at home: a condition, or what tells which.
	subclause = compile(`(?i)\b(?:when|whenever|if|while|unless|until|after|before|once|that|which|who|whose|where|because|as)\b[^,.;]*`)
	agent     = compile(`(?i)\bby (?:the|an?|its|their|each|every|any|all|our|one|two|another)?\s*\w+`)
	notActive = map[string]bool{"required": true, "allowed": true, "needed": true, "supposed": true, "expected": true, "based": true, "related": true,
		"interested": true, "authorized": true, "authenticated": true, "signed": false, "red": true, "need": true, "speed": true, "permitted": true, "limited": true}
)

// passives looks at items only: a law or a licence is at home in the passive.
func passives(in *inspection) {
	in.sentences(func(st Statement) bool { return st.Item != "" && duty(st) }, func(st Statement) {
		text := st.Said
		m := passiveDuty.FindStringSubmatch(text)
		if !modal.MatchString(text) {
			m = passive.FindStringSubmatch(subclause.ReplaceAllString(text, "_"))
		}
		if m == nil || notActive[strings.ToLower(m[1])] || agent.MatchString(text) {
			return
		}
		in.hitSentence(st, "", "“%s”: by whom?", m[0])
	})
}

var pronoun = compile(`^(?:It|They|This|These|That|Those|He|She)\s+(?:MUST|SHALL|SHOULD|MAY|must|shall|should|may|will|can|is|are|has|have|does|do|also|then)\b`)

// expletive is an "it" that stands for nothing.
var expletive = compile(`^It\s+(?:(?:MUST|SHALL|SHOULD|MAY|must|shall|should|may|will)(?:\s+(?:NOT|not))?\s+be|is|was)\s+(?:not\s+)?(?:possible|impossible|allowed|forbidden|required|enough)\b`)

func pronouns(in *inspection) {
	in.sentences(anyStatement, func(st Statement) {
		if m := pronoun.FindString(st.Said); m != "" && !expletive.MatchString(st.Said) {
			in.hitSentence(st, "", "“%s” stands for something in another sentence", strings.Fields(m)[0])
		}
	})
}

var (
	negative = compile(`(?i)\b(?:must|shall|should|may)\s+(?:not|never)\b`)
	security = compile(`(?i)\b(?:password|secret|token|key|credential|personal|leak|expose|disclose|store|log|reveal|access|permission|unauthori[sz]ed|encrypt|plain ?text|anonymous|attack|inject|private|delete|overwrite)`)
)

func negatives(in *inspection) {
	positive := map[string]bool{}
	in.sentences(func(st Statement) bool { return st.Kind == KindReq }, func(st Statement) {
		if strong.MatchString(negative.ReplaceAllString(st.Said, "")) {
			positive[st.Item] = true
		}
	})
	in.sentences(func(st Statement) bool { return st.Kind == KindReq }, func(st Statement) {
		if negative.MatchString(st.Said) && !positive[st.Item] && !security.MatchString(st.Text) {
			in.hitSentence(st, "", "only what must not happen is said")
		}
	})
}

var absolute = compile(`(?i)\b(?:always|never|at all times|every time|under (?:all|any) circumstances|completely|totally|absolutely|fully|guaranteed?)\b|\b100\s?%`)

var absoluteUse = compile(`(?i)\b(?:fully qualified|never mind|not always|guaranteed delivery|guarantee(?:s|d)? (?:at[- ](?:least|most)|exactly)[- ]once)\b`)

func absolutes(in *inspection) {
	in.sentences(duty, func(st Statement) {
		text := absoluteUse.ReplaceAllString(st.Said, "")
		m := absolute.FindString(text)
		if m == "" || security.MatchString(text) && strings.EqualFold(m, "never") {
			return
		}
		rest := idLike.ReplaceAllString(absolute.ReplaceAllString(text, ""), "")
		if !measured.MatchString(rest) {
			in.hitSentence(st, "", "“%s” without a measure cannot be shown", m)
		}
	})
}

var (
	slashed  = compile(`(?i)\band/or\b|\b[A-Za-z]{3,}/[A-Za-z]{3,}\b`)
	notOr    = compile(`(?i)^(?:client/server|read/write|input/output|tcp/ip|pass/fail|request/response|true/false|yes/no|on/off|ci/cd|application/\w+|text/\w+|image/\w+|multipart/\w+|audio/\w+|video/\w+|km/h|start/stop)$`)
	pathLike = compile(`(?:^|[\s(])(?:/|\.{0,2}/|https?://|[\w.-]+/[\w.-]+/|[\w-]+\.[a-z]{2,4}/)[^\s]*`)
)

func andOr(in *inspection) {
	in.sentences(anyStatement, func(st Statement) {
		text := pathLike.ReplaceAllString(st.Said, " ")
		for _, m := range slashed.FindAllString(text, -1) {
			if notOr.MatchString(m) {
				continue
			}
			in.hit(Finding{File: st.File, Line: st.Line, Item: st.Item, Unit: st.Unit, Message: "“" + m + "” leaves the choice open",
				Replacement: eitherOrBoth(in.Quote(st.File, st.Line, st.Line))})
			return
		}
	})
}

var (
	timeWord = compile(`(?i)\b(?:soon|shortly|promptly|timely|in (?:near[- ])?real[- ]?time|real[- ]time|immediately|instantly|instantaneously|until further notice|at a later (?:time|date|stage)|in the (?:near )?future|periodically|from time to time|eventually|without (?:undue )?delay|as soon as|at once|right away|asap)\b`)
	bound    = compile(`(?i)\b\d+(?:[.,]\d+)?\s?(?:ms|milliseconds?|s|secs?|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|tries|times|attempts)\b|\b(?:one|two|three|five|ten|thirty|sixty) (?:seconds?|minutes?|hours?|days?|weeks?|months?|tries|attempts)\b|\bbefore (?:the )?next\b|\bwithin\b|\bevery (?:night|day|hour|minute|week|month)\b`)
	// asTrigger is "as soon as" before what it waits for.
	asTrigger = compile(`(?i)\bas soon as (?:the|an?|its?|they|he|she|we|you|this|that|these|all|both|each|every|one|no|\pL+ (?:is|are|has|have|was|were))\b`)
	realTime  = compile(`(?i)\breal[- ]time (?:clock|operating|kernel|database|bidding)\b`)
)

func timeWords(in *inspection) {
	in.sentences(anyStatement, func(st Statement) {
		text := asTrigger.ReplaceAllString(realTime.ReplaceAllString(st.Said, ""), "")
		if m := timeWord.FindString(text); m != "" && !bound.MatchString(text) {
			in.hitSentence(st, "", "“%s” has no bound", m)
		}
	})
}
