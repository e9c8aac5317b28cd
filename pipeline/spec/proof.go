package spec

import (
	"fmt"
	"slices"
	"strings"
)

// proofs are what lifts a rating over the base: facts the documents show. Each
// returns its words, or nothing. None may grow weaker when a hit is mended.
var proofs = map[string][]func(*Set, map[string][]Finding) string{
	product:   {goalsMeasured, nonGoalsListed},
	technical: {nfrsMeasured, losersExplained},
	quality:   {statementsClean, termsDefined},
	risk:      {risksComplete, failuresHandled},
	coverage:  {asksCovered, tracedBothWays},
}

var dated = compile(`(?i)\b(20\d\d|q[1-4]|january|february|march|april|may|june|july|august|september|october|november|december|(within|in|after) \d+ (days?|weeks?|months?)|per (day|week|month|quarter|release)|(erste|nächste)[nrs]? (monat|quartal)|innerhalb)\b|\d+ ?(天|周|个月|季度)内?`)

func goalsMeasured(s *Set, _ map[string][]Finding) string {
	goals := s.Of(KindGoal)
	for _, g := range goals {
		target := g.Fields["target"]
		if g.Fields["success metric"] == "" || !strings.ContainsAny(target, "0123456789") || !dated.MatchString(target+" "+g.Fields["success metric"]) {
			return ""
		}
	}
	if len(goals) == 0 {
		return ""
	}
	return fmt.Sprintf("every goal has a metric and a date (%d)", len(goals))
}

func nonGoalsListed(s *Set, hits map[string][]Finding) string {
	if n := len(s.outOfScope()); n >= 2 && len(hits["L45"]) == 0 {
		return fmt.Sprintf("%d non-goals listed, none contradicted", n)
	}
	return ""
}

func nfrsMeasured(s *Set, hits map[string][]Finding) string {
	n := len(s.Of(KindNFR))
	if n == 0 || len(hits["L31"])+len(hits["L33"])+len(hits["L35"]) > 0 {
		return ""
	}
	return fmt.Sprintf("every NFR has bound, condition and method (%d)", n)
}

func losersExplained(s *Set, _ map[string][]Finding) string {
	n := 0
	for _, d := range s.Documents {
		if d.Kind != DocADR {
			continue
		}
		n++
		options := readADR(d).Options
		if len(options) < 2 || slices.ContainsFunc(options[1:], func(o Option) bool { return o.Cons == "" }) {
			return ""
		}
	}
	if n == 0 {
		return ""
	}
	return "every decision says why the others lost"
}

func statementsClean(s *Set, hits map[string][]Finding) string {
	if len(s.Statements) < 3 {
		return ""
	}
	bad := map[string]bool{}
	for _, list := range hits {
		for _, f := range list {
			if f.Grade == Major || f.Grade == Blocker {
				bad[f.Unit] = true
			}
		}
	}
	if len(bad)*10 > len(s.Statements) {
		return ""
	}
	return fmt.Sprintf("%d major hits on %d statements", len(bad), len(s.Statements))
}

func termsDefined(s *Set, hits map[string][]Finding) string {
	if len(s.Statements) < 3 || len(hits["L37"]) > 0 {
		return ""
	}
	return "acronyms defined, one spelling per term"
}

func risksComplete(s *Set, hits map[string][]Finding) string {
	n := len(s.Of(KindRisk))
	if n == 0 || len(hits["L66"]) > 0 {
		return ""
	}
	return fmt.Sprintf("every risk has likelihood, impact, mitigation and owner (%d)", n)
}

func failuresHandled(s *Set, hits map[string][]Finding) string {
	if len(s.Of(KindReq)) == 0 || len(hits["L43"]) > 0 {
		return ""
	}
	return "each outside input has a failure behaviour"
}

func asksCovered(s *Set, hits map[string][]Finding) string {
	if len(s.Of(KindReq)) == 0 || len(s.Asks())+len(s.Of(KindGoal)) == 0 || len(hits["L47"]) > 0 {
		return ""
	}
	return "all asks and goals are covered"
}

func tracedBothWays(s *Set, hits map[string][]Finding) string {
	if len(s.Of(KindStory)) == 0 || len(hits["L46"])+len(hits["L48"])+len(hits["L49"]) > 0 {
		return ""
	}
	for _, c := range Trace(s, Options{}) {
		if c.Missing != "" {
			return ""
		}
	}
	return "traced both ways down to the stories"
}
