package discuss

import (
	"cmp"
	"slices"
	"strings"

	"parley/pipeline"
)

// Recommendations of a blocked verdict.
const (
	revise   = "revise"
	caution  = "proceed-with-caution"
	escalate = "escalate"
)

// Conditions are what a verdict depends on besides the opinions.
type Conditions struct {
	Round pipeline.Round
	// Literal reads the severity table of the lifecycle as written: any rating
	// of two or less is HIGH.
	Literal bool
	// HighBefore: an earlier run of this round was blocked HIGH already.
	HighBefore bool
	// OnlyBlockers holds once the same text was judged before: ratings alone no
	// longer stop the session, an open blocker does.
	OnlyBlockers bool
	OpenBlockers int
	// Language is what the divergences are worded in; "" is English.
	Language string
}

// count is a panel in whole numbers, so that 3.0 is never 2.9999.
type count struct {
	voices, rated, sum int
	low                int // ratings of two or less
	least, most        int
	missing            bool
	risk               string
}

func countOf(opinions []pipeline.Opinion) count {
	c := count{voices: len(opinions)}
	for _, o := range opinions {
		c.missing = c.missing || hasText(o.Missing)
		c.risk = worseRisk(c.risk, o.RiskLevel)
		if o.Rating == nil {
			continue
		}
		n := *o.Rating
		if c.rated == 0 {
			c.least, c.most = n, n
		}
		c.rated, c.sum = c.rated+1, c.sum+n
		c.least, c.most = min(c.least, n), max(c.most, n)
		if n <= 2 {
			c.low++
		}
	}
	return c
}

// atLeast compares the exact average with a whole number.
func (c count) atLeast(n int) bool { return c.rated > 0 && c.sum >= n*c.rated }

func (c count) wide() bool { return c.rated > 0 && c.most-c.least >= 3 }

// few: fewer than half of the panel gave a rating.
func (c count) few() bool { return c.rated*2 < c.voices || c.rated == 0 }

func (c count) average() float64 {
	if c.rated == 0 {
		return 0
	}
	return float64(c.sum) / float64(c.rated)
}

// Tally turns opinions into a verdict's arithmetic part. It depends on nothing
// but its arguments, and not on their order.
func Tally(opinions []pipeline.Opinion, k Conditions) pipeline.Verdict {
	opinions = slices.SortedStableFunc(slices.Values(opinions), func(a, b pipeline.Opinion) int {
		return cmp.Compare(order(a.Perspective), order(b.Perspective))
	})
	c := countOf(opinions)
	v := pipeline.Verdict{Round: k.Round, Opinions: opinions, Average: c.average(), Partial: c.few(), Sentiment: c.sentiment()}
	v.Consensus = pipeline.ConsensusReached
	if c.blocked() {
		v.Consensus = pipeline.ConsensusBlocked
		v.Severity = c.severity(k)
		v.Recommendation = recommend(v.Severity, k)
	}
	v.Divergences = diverge(opinions, c, k.Language)
	return v
}

func (c count) blocked() bool {
	gap := c.missing || riskRank(c.risk) >= riskRank("high")
	return c.few() || gap || !c.atLeast(3)
}

// severity grades a blocked verdict: the specific before the general.
func (c count) severity(k Conditions) pipeline.Severity {
	if c.few() {
		return pipeline.Medium
	}
	fact := c.missing || c.risk == "critical"
	lows := 2
	if k.Literal {
		lows = 1
	}
	if fact || c.low >= lows {
		if k.OnlyBlockers && k.OpenBlockers == 0 && !fact {
			return pipeline.Medium
		}
		return pipeline.High
	}
	if c.low == 1 || c.wide() || (c.risk == "high" && !k.Literal) {
		return pipeline.Medium
	}
	return pipeline.Low
}

func recommend(s pipeline.Severity, k Conditions) string {
	if s != pipeline.High {
		return caution
	}
	if k.Round == signOff || k.HighBefore {
		return escalate
	}
	return revise
}

// sentiment puts the average into a word.
func (c count) sentiment() string {
	if c.rated == 0 {
		return "concerns"
	}
	for _, step := range []struct {
		least int
		word  string
	}{{4, "positive"}, {3, "neutral"}, {2, "concerns"}} {
		if c.atLeast(step.least) {
			return step.word
		}
	}
	return "critical"
}

// Kinds of divergence.
const (
	coverageGap = "coverage-gap"
	highRisk    = "high-risk"
	lowRating   = "low-rating"
	spread      = "spread"
	enhancement = "enhancement"
)

// diverge lists every divergence, gravest first, each with the voice that said it.
func diverge(opinions []pipeline.Opinion, c count, language string) []pipeline.Divergence {
	var out []pipeline.Divergence
	add := func(kind string, s pipeline.Severity, p pipeline.Perspective, text string) {
		out = append(out, pipeline.Divergence{Kind: kind, Severity: s, Perspective: p, Text: text})
	}
	for _, o := range opinions {
		if missing := texts(o.Missing); len(missing) > 0 {
			add(coverageGap, pipeline.High, o.Perspective, strings.Join(missing, "; "))
		}
	}
	for _, o := range opinions {
		if riskRank(o.RiskLevel) >= riskRank("high") {
			add(highRisk, pipeline.High, o.Perspective, because(wRiskIs.say(language, termIn(language, o.RiskLevel)), o))
		}
	}
	for _, o := range opinions {
		if o.Rating != nil && *o.Rating <= 2 {
			add(lowRating, pipeline.Medium, o.Perspective, because(wOf.say(language, *o.Rating, 5), o))
		}
	}
	if c.wide() {
		least, most := extremes(opinions)
		add(spread, pipeline.Medium, least.Perspective, wSpread.say(language,
			termIn(language, string(least.Perspective)), *least.Rating, termIn(language, string(most.Perspective)), *most.Rating))
	}
	if len(out) == 0 && c.rated > 0 {
		for _, o := range opinions {
			if hasText(o.Suggestions) {
				add(enhancement, pipeline.Low, o.Perspective, texts(o.Suggestions)[0])
			}
		}
	}
	return out
}

// because adds the reason an opinion gives to a bare number.
func because(what string, o pipeline.Opinion) string {
	reason := o.KeyFinding
	if reason == "" && hasText(o.Weaknesses) {
		reason = texts(o.Weaknesses)[0]
	}
	if reason == "" {
		return what
	}
	return what + ": " + reason
}

// extremes are the lowest and the highest rated opinion, the first of equals.
func extremes(opinions []pipeline.Opinion) (least, most pipeline.Opinion) {
	for _, o := range opinions {
		if o.Rating == nil {
			continue
		}
		if least.Rating == nil || *o.Rating < *least.Rating {
			least = o
		}
		if most.Rating == nil || *o.Rating > *most.Rating {
			most = o
		}
	}
	return least, most
}

// riskLevels, calmest first; "" is nobody asked.
var riskLevels = []string{"", "low", "medium", "high", "critical"}

func riskRank(level string) int { return slices.Index(riskLevels, level) }

func worseRisk(a, b string) string {
	if riskRank(b) > riskRank(a) {
		return b
	}
	return a
}

func hasText(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) != "" })
}

// texts drops blank lines and repetitions, keeping the order.
func texts(list []string) []string {
	var out []string
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
