package spec

import (
	"slices"
	"strings"
)

// qualityFields is a quality requirement with its three labels.
func qualityFields(statement, metric, target, method string) string {
	return "## NFR-P-001: Speed\n\n" + statement + "\n\n**Metric:** " + metric + "\n\n**Target:** " + target + "\n\n**Measurement Method:** " + method + "\n"
}

func goalRow(goal, metric, target string) string {
	return "| Goal ID | Goal | Success Metric | Target |\n| --- | --- | --- | --- |\n| G-001 | " + goal + " | " + metric + " | " + target + " |\n"
}

// numberRules judge measures: of quality requirements and goals.
var numberRules = []Rule{
	{ID: "L31", Grade: Major, Title: "no measure", Detects: "A quality requirement of a measurable kind (performance, scalability, availability) has no number with a unit.",
		Perspectives: []string{technical, quality}, Move: Move{Cap: 3, CapOver: .5, Weight: 1, Share: .3}, Artifacts: ofNFR,
		Good: qualityItem("The search MUST answer within 300 ms at the 95th percentile."), Bad: qualityItem("The search MUST answer before a person notices a wait."),
		Remedy: "Give a number with a unit, in the sentence or as its target.", check: unmeasured},
	{ID: "L32", Grade: Minor, Title: "number without unit", Detects: "A bound is a bare number: no unit, nothing counted.",
		Perspectives: []string{technical}, Move: Move{Weight: .25, Share: .2}, Artifacts: ofRequirements + ofNFR,
		Good: requirement("The service MUST give up after 5 attempts."), Bad: requirement("The service MUST give up after 5."),
		Remedy: "Name the unit, or what is counted.", check: bareNumbers},
	{ID: "L33", Grade: Minor, Title: "bound without condition", Detects: "A bound of speed or capacity without load, percentile or time window.",
		Perspectives: []string{technical}, Move: Move{Weight: .5, Share: .3}, Artifacts: ofNFR,
		Good:   qualityItem("The search MUST answer within 300 ms at the 95th percentile and 50 requests per second."),
		Bad:    qualityItem("The search MUST answer within 300 ms."),
		Remedy: "Say under what load, for what share of cases, over what time.", check: unconditioned},
	{ID: "L34", Grade: Major, Title: "unreachable target", Detects: "A target nobody can reach: 100 % available, zero errors, unlimited users.",
		Perspectives: []string{technical, risk}, Move: Move{Weight: .75, Share: .2}, Artifacts: ofNFR,
		Good: qualityItem("The service MUST be available 99.9 % of each month."), Bad: qualityItem("The service MUST be available 100 % of each month."),
		Remedy: "Give the share that is reachable and worth its price.", check: unreachable},
	{ID: "L35", Grade: Major, Title: "no verification", Detects: "A quality requirement does not say how it is measured.",
		Perspectives: []string{technical, coverage}, Move: Move{Weight: .75, Share: .3}, Artifacts: ofNFR,
		Good:   qualityFields("The search MUST answer within 300 ms for 95 % of requests.", "answer time", "300 ms", "load test of one hour"),
		Bad:    qualityFields("The search MUST answer within 300 ms for 95 % of requests.", "answer time", "300 ms", ""),
		Remedy: "Name the test, query or inspection that decides it.", check: unverified},
	{ID: "L36", Grade: Major, Title: "goal without measure", Detects: "A goal has no metric or no target (major), or no date (minor).",
		Perspectives: []string{product}, Move: Move{Weight: 1, Share: .5}, Artifacts: ofBrief,
		Good: goalRow("Fewer lost deliveries", "share lost", "below 0.1 % by 2027-03-31"), Bad: goalRow("Fewer lost deliveries", "", ""),
		Remedy: "Give the metric, its target and the date.", check: goalsUnmeasured},
}

// quality is a quality requirement, from its own file or from labels below a
// heading. Labelled is false for one that is a bare sentence.
func (in *inspection) quality(it Item) (n NFR, labelled bool) {
	if d := in.Document(it.File); d != nil && d.Front.Get("id") == it.ID {
		return readNFR(d), true
	}
	n = NFR{ID: it.ID, Title: it.Title, Statement: it.Statement, Priority: it.Priority, Category: categoryLetter(it.Fields["category"]),
		Metric: it.Fields["metric"], Target: it.Fields["target"], Method: orElse(it.Fields["measurement method"], it.Fields["verification"])}
	return n, it.Fields["metric"]+it.Fields["target"]+it.Fields["category"]+it.Fields["priority"] != ""
}

var (
	measurableKind  = compile(`(?i)^(?:P|SC|A|PERF|PERFORMANCE|SCALABILITY|AVAILABILITY|RELIABILITY|CAPACITY|EFFICIENCY)$`)
	measurableWords = compile(`(?i)\b(?:latency|throughput|response times?|answer times?|uptime|availability|available|concurrent|per second|fast|faster|performance|verfügbar\w*|antwortzeit\w*|durchsatz)\b|响应时间|吞吐|可用性|并发`)
)

// measurable tells by category, id or words whether a number is due; security
// and looks are often right without one.
func (n NFR) measurable() bool {
	if n.Category != "" {
		return measurableKind.MatchString(n.Category)
	}
	if parts := strings.Split(n.ID, "-"); len(parts) == 3 {
		return measurableKind.MatchString(parts[1])
	}
	return measurableWords.MatchString(n.Title + " " + n.Statement)
}

func (n NFR) text() string { return n.Statement + " " + n.Metric + " " + n.Target }

type qualityRead struct {
	Item
	NFR
	labelled bool
}

func (in *inspection) qualities(judge func(Item, NFR, bool)) {
	if in.nfrs == nil {
		in.nfrs = []qualityRead{}
		for _, it := range in.Of(KindNFR) {
			n, labelled := in.quality(it)
			in.nfrs = append(in.nfrs, qualityRead{it, n, labelled})
		}
	}
	for _, q := range in.nfrs {
		judge(q.Item, q.NFR, q.labelled)
	}
}

// hitItem records a finding on an item at its statement's first line.
func (in *inspection) hitItem(it Item, grade, message string) {
	line := it.Line
	if d := in.Document(it.File); d != nil {
		if blocks := d.normative(it); len(blocks) > 0 {
			line = blocks[0].Line
		}
	}
	in.hit(Finding{File: it.File, Line: line, Item: it.ID, Grade: grade, Message: message})
}

func unmeasured(in *inspection) {
	in.qualities(func(it Item, n NFR, _ bool) {
		if n.measurable() && !measured.MatchString(idLike.ReplaceAllString(n.text(), "")) && strings.TrimSpace(n.Statement) != "" {
			in.hitItem(it, "", it.ID+" is measurable and has no number")
		}
	})
}

var bareNumber = compile(`(?i)\b(?:within|under|below|above|at least|at most|up to|more than|less than|fewer than|a maximum of|a minimum of|after|every|innerhalb von|mindestens|höchstens)\s+(\d[\d,.]*\d|\d)\s*(?:$|[.,;)](?:\s|$)|(?:and|or|for|at|when|if|under|on|during|und|oder|bei)\b)|(?:至少|最多|不超过|不少于)\s*\d+\s*(?:[。，；]|$)`)

func bareNumbers(in *inspection) {
	in.sentences(duty, func(st Statement) {
		if m := bareNumber.FindString(idLike.ReplaceAllString(st.Said, "_")); m != "" {
			in.hitSentence(st, "", "“%s” of what?", strings.TrimRight(strings.TrimSpace(m), ".,;)"))
		}
	})
}

var (
	loadCondition = compile(`(?i)percentile|\bp\d\d\b|% of|\d ?% (?:der|aller|von)|\bmedian\b|\baverage\b|\bmean\b|\b(?:per|each|every|any) (?:second|minute|hour|day|month|year|week)\b|\bconcurrent|\bsimultaneous|\bpeak\b|\bload\b|\bwhile\b|\bwhen\b|\bduring\b|\bwith (?:up to )?\d|\bof an? \d|\bon an?\b|\bover (?:an?|any|one|the)\b|\bwindow\b|\bmonth\b|perzentil|\bbei\b|\bunter last\b|\bpro (?:sekunde|minute|stunde|tag|monat)|\bje (?:tag|monat|stunde)|\bim (?:mittel|monat)\b|gleichzeitig|百分位|并发|每秒|每月|每天|每分钟|负载|高峰|的请求|同时|时，|情况下|期间`)
	// lifetime is how long a thing lasts: no speed, and true under any load.
	lifetime = compile(`(?i)\b(?:valid|keeps?|kept|retain\w*|stor(?:e|es|ed)|lock(?:s|ed)?|caches?|cached|lasts?|stays?|remains?)\b[^.]{0,40}\bfor (?:at least |at most )?\d|\bexpires?\b`)
)

// unconditioned asks of a bound in time, share or size what it holds for: a
// load, a window, or so many of something. What acts names no condition.
func unconditioned(in *inspection) {
	in.qualities(func(it Item, n NFR, _ bool) {
		text := strings.Join([]string{predicate(n.Statement), n.Metric, n.Target}, " ")
		bounds, counted := 0, false
		for _, q := range quantities(text) {
			if q.unit == "s" || q.unit == "%" || q.unit == "byte" {
				bounds++
			} else {
				counted = true
			}
		}
		if n.measurable() && bounds > 0 && !counted && !lifetime.MatchString(n.Statement) && !loadCondition.MatchString(text) {
			in.hitItem(it, "", it.ID+" has a bound and no load, percentile or window it holds for")
		}
	})
}

var (
	perfect  = compile(`(?i)\b100(?:\.0+)?\s?(?:%|percent)\s*(?:of (?:the time|each|every|all|a)\b|up ?time|availab|reliab|accura|secure|correct|error[- ]free|verfügbar)|\b(?:availab\w*|up ?time|verfügbar\w*|reliab\w*|accura\w*)(?: \w+){0,4} (?:of |is |be |von )?100\s?%|\b(?:zero|no|0|without(?: any)?) (?:errors?|downtime|bugs|failures|defects|outages|crashes|latency)\b|\bnever (?:fail|crash|go(?:es)? down|be unavailable|lose)\b|\b(?:unlimited|infinite|any) (?:number of )?(?:users|requests|connections|load|data|capacity)\b|\bfehlerfrei\b|\bkeine (?:ausfälle|fehler)\b|100\s?%\s*(?:的)?(?:可用|准确|可靠)|零(?:故障|错误|停机|延迟)|永不(?:宕机|出错)|无限(?:用户|并发)`)
	feasible = compile(`(?i)\b(?:zero|no|0|without(?: any)?)[- ](?:downtime|errors?)[- ](?:deploy|release|migration|upgrade|rollout|log|message|page|code)|\bno (?:errors?|failures?|crashes) (?:in|during|of|on|at|within|over|for) `)
)

func unreachable(in *inspection) {
	in.qualities(func(it Item, n NFR, _ bool) {
		if m := perfect.FindString(feasible.ReplaceAllString(unquoted(n.text()), "_")); m != "" {
			in.hitItem(it, "", "“"+strings.TrimSpace(m)+"” cannot be reached")
		}
	})
}

var verified = compile(`(?i)\b(?:measured|verified|tested|checked|shown|proved|confirmed|audited|benchmarked|gemessen|geprüft) (?:by|with|in|through|on|using|durch|mit|im)\b|\b(?:load|penetration|usability|stress|soak|acceptance) test|lasttest|压测|测试|审计`)

func unverified(in *inspection) {
	in.qualities(func(it Item, n NFR, labelled bool) {
		if labelled && strings.TrimSpace(n.Method) == "" && !verified.MatchString(n.text()) {
			in.hitItem(it, "", it.ID+" does not say how it is measured")
		}
	})
}

func goalsUnmeasured(in *inspection) {
	for _, g := range in.Of(KindGoal) {
		metric, target := orElse(g.Fields["success metric"], g.Fields["metric"]), g.Fields["target"]
		var lacks []string
		for _, f := range []struct{ name, value string }{{"metric", metric}, {"target", target}} {
			if strings.TrimSpace(f.value) == "" {
				lacks = append(lacks, f.name)
			}
		}
		all := strings.Join([]string{g.Statement, metric, target}, " ")
		switch {
		case slices.Contains(lacks, "metric") && strings.ContainsAny(all, "0123456789"):
			// The sentence itself carries the number.
		case len(lacks) > 0:
			in.hitItem(g, "", g.ID+" has no "+strings.Join(lacks, " and no "))
			continue
		}
		if !dated.MatchString(all) && !calendar.MatchString(all) {
			in.hitItem(g, Minor, g.ID+" has no date")
		}
	}
}

var calendar = compile(`(?i)\b(?:within|in|after|by|bis|nach|innerhalb)\b.{0,20}\b(?:weeks?|months?|quarters?|years?|releases?|launch|tagen?|wochen?|monaten?|jahre?n?)\b|年|月底|季度|上线`)
