package spec

import (
	"fmt"
	"slices"
	"strings"
)

// phaseCheck is one line of a phase's quality gate. An error is a blocker, a
// warning minor, an info info.
type phaseCheck struct {
	id, grade, demand string
	// ok tells whether the demand is met, and what was found.
	ok func(*Set) (bool, string)
}

// phaseGates are the checks per document phase.
var phaseGates = map[int]struct {
	file   string
	checks []phaseCheck
}{
	1: {DiscoveryPath, []phaseCheck{
		{"P1.1", Blocker, "session id has the form TLS-<slug>-<date>", sessionID},
		{"P1.2", Blocker, "problem has 20 characters or more", discovery(func(d Discovery) (int, int) { return width(d.SeedAnalysis.ProblemStatement), 20 })},
		{"P1.3", Blocker, "at least one user group", discovery(func(d Discovery) (int, int) { return len(d.SeedAnalysis.TargetUsers), 1 })},
		{"P1.4", Minor, "3 to 5 dimensions", dimensionsNamed},
		{"P1.5", Info, "constraints listed, or a reason why there are none", constraintsSaid},
	}},
	2: {BriefPath, []phaseCheck{
		{"P2.1", Blocker, "vision of 1 to 3 sentences", brief(func(b Brief) bool { n := len(sentences(b.Vision, Statement{})); return n >= 1 && n <= 3 })},
		{"P2.2", Blocker, "problem is specific and measurable", brief(func(b Brief) bool {
			return width(b.Situation) >= 40 || strings.ContainsAny(b.Situation+b.Impact, "0123456789")
		})},
		{"P2.3", Blocker, "at least one persona with needs", brief(func(b Brief) bool {
			return slices.ContainsFunc(b.Users, func(p Persona) bool { return len(p.Needs) > 0 })
		})},
		{"P2.4", Blocker, "at least two measurable goals", brief(func(b Brief) bool {
			return count(b.Goals, func(g Goal) bool { return g.Metric != "" || g.Target != "" }) >= 2
		})},
		{"P2.5", Minor, "at least two quantified metrics", brief(func(b Brief) bool {
			return count(b.Goals, func(g Goal) bool { return strings.ContainsAny(g.Metric+g.Target, "0123456789") }) >= 2
		})},
		{"P2.6", Minor, "scope says what is in and what is out", brief(func(b Brief) bool { return len(b.InScope) > 0 && len(b.OutOfScope) > 0 })},
		{"P2.7", Info, "at least two perspectives merged", brief(func(b Brief) bool {
			return count([]int{len(b.Synthesis.Product), len(b.Synthesis.Technical), len(b.Synthesis.User)}, func(n int) bool { return n > 0 }) >= 2
		})},
	}},
	3: {RequirementsPath, []phaseCheck{
		{"P3.1", Blocker, "at least 3 requirements", atLeast(KindReq, 3)},
		{"P3.2", Blocker, "each requirement has an acceptance criterion", each(KindReq, func(s *Set, it Item) bool { return len(s.Down(it.ID, KindAC)) > 0 })},
		{"P3.3", Blocker, "each requirement has a MoSCoW priority", each(KindReq, func(_ *Set, it Item) bool { return it.Priority != "" })},
		{"P3.4", Minor, "at least one non-functional requirement", atLeast(KindNFR, 1)},
		{"P3.5", Minor, "a user story for each Must", each(KindReq, mustHasStory)},
		{"P3.6", Minor, "each requirement traces to a goal", each(KindReq, func(_ *Set, it Item) bool { return len(ofKind(it.TracesTo, KindGoal)) > 0 })},
	}},
	4: {ArchitecturePath, []phaseCheck{
		{"P4.1", Blocker, "a component diagram", architecture(func(a Architecture) bool { return len(a.Components) > 0 })},
		{"P4.2", Blocker, "the technology stack is named", architecture(func(a Architecture) bool { return len(a.Stack) > 0 })},
		{"P4.3", Blocker, "at least one decision", atLeast(KindADR, 1)},
		{"P4.4", Minor, "each decision weighs two options or more", architecture(func(a Architecture) bool {
			return !slices.ContainsFunc(a.ADRs, func(d ADR) bool { return len(d.Options) < 2 })
		})},
		{"P4.5", Minor, "integration points are named", architecture(func(a Architecture) bool { return len(a.Endpoints)+len(a.Integration) > 0 })},
		{"P4.6", Minor, "a data model", architecture(func(a Architecture) bool { return len(a.Entities) > 0 })},
		{"P4.7", Info, "components are mapped to the codebase", architecture(func(a Architecture) bool { return !a.HasCodebase || len(a.Integration) > 0 })},
	}},
	5: {EpicsPath, []phaseCheck{
		{"P5.1", Blocker, "3 to 7 epics", between(KindEpic, 3, 7)},
		{"P5.2", Blocker, "at least one epic in the MVP", epics(func(e Epics) bool { return slices.ContainsFunc(e.Epics, func(ep Epic) bool { return ep.MVP }) })},
		{"P5.3", Blocker, "2 to 5 stories per epic", epics(func(e Epics) bool {
			return !slices.ContainsFunc(e.Epics, func(ep Epic) bool { return len(ep.Stories) < 2 || len(ep.Stories) > 5 })
		})},
		{"P5.4", Minor, "stories say role, want and benefit", epics(func(e Epics) bool { return e.allStories(func(st Story) bool { return st.Story.whole() }) })},
		{"P5.5", Minor, "a dependency map", epics(func(e Epics) bool { return len(e.Epics) > 0 })},
		{"P5.6", Minor, "stories trace to requirements", epics(func(e Epics) bool { return e.allStories(func(st Story) bool { return len(st.TracesTo) > 0 }) })},
		{"P5.7", Info, "each story has a size", epics(func(e Epics) bool { return e.allStories(func(st Story) bool { return st.Size != "" }) })},
	}},
	6: {ReadinessPath, []phaseCheck{
		{"P6.1", Blocker, "the four document sets exist", fourSets},
		{"P6.2", Blocker, "frontmatter is valid", clean("L03")},
		{"P6.3", Blocker, "links resolve", clean("L09")},
		{"P6.4", Blocker, "score of 60 or more", scored},
		{"P6.5", Blocker, "no open blocker", noBlocker},
		{"P6.6", Minor, "the spec summary exists", func(s *Set) (bool, string) { return s.First(DocSummary) != nil, "" }},
	}},
}

const notMet = "not met: "

// PhaseGate runs the checks of a phase (1 discovery to 6 readiness). A finding
// is a demand that is not met.
func PhaseGate(s *Set, phase int) []Finding {
	gate, ok := phaseGates[phase]
	if !ok {
		return nil
	}
	var out []Finding
	for _, c := range gate.checks {
		met, found := c.ok(s)
		if met {
			continue
		}
		message := notMet + c.demand
		if found != "" {
			message += " (" + found + ")"
		}
		out = append(out, Finding{Rule: c.id, Grade: c.grade, File: gate.file, Line: 1, End: 1, Message: message, Unit: c.id})
	}
	return out
}

var sessionForm = compile(`^(TLS|SPEC)-[\p{L}\d]+(-[\p{L}\d]+)*-\d{4}-\d{2}-\d{2}(-\d+)?$`)

func sessionID(s *Set) (bool, string) {
	c, err := ParseConfig(s)
	id := c.SessionID
	if err != nil {
		d, err := ParseDiscovery(s)
		if err != nil {
			return false, "no configuration"
		}
		id = d.SessionID
	}
	return sessionForm.MatchString(id), id
}

// width counts letters; a Chinese one says as much as three others.
func width(s string) int {
	return weight([]Block{{Kind: Paragraph, Text: s}})
}

func count[T any](list []T, keep func(T) bool) int {
	n := 0
	for _, v := range list {
		if keep(v) {
			n++
		}
	}
	return n
}

func discovery(measure func(Discovery) (have, want int)) func(*Set) (bool, string) {
	return func(s *Set) (bool, string) {
		d, err := ParseDiscovery(s)
		if err != nil {
			return false, "no discovery context"
		}
		have, want := measure(d)
		return have >= want, fmt.Sprintf("%d", have)
	}
}

func dimensionsNamed(s *Set) (bool, string) {
	d, err := ParseDiscovery(s)
	n := max(len(d.SeedAnalysis.Dimensions), len(d.SeedAnalysis.ExplorationDimensions))
	return err == nil && n >= 3 && n <= 5, fmt.Sprintf("%d", n)
}

func constraintsSaid(s *Set) (bool, string) {
	d, err := ParseDiscovery(s)
	return err == nil && (len(d.SeedAnalysis.Constraints) > 0 || d.SeedAnalysis.ConstraintsReason != ""), ""
}

func parsed[T any](read func(*Set) (T, error), test func(T) bool) func(*Set) (bool, string) {
	return func(s *Set) (bool, string) {
		v, err := read(s)
		if err != nil {
			return false, "no document"
		}
		return test(v), ""
	}
}

func brief(test func(Brief) bool) func(*Set) (bool, string) { return parsed(ParseBrief, test) }
func epics(test func(Epics) bool) func(*Set) (bool, string) { return parsed(ParseEpics, test) }
func architecture(test func(Architecture) bool) func(*Set) (bool, string) {
	return parsed(ParseArchitecture, test)
}

func (e Epics) allStories(test func(Story) bool) bool {
	return !slices.ContainsFunc(e.Epics, func(ep Epic) bool {
		return slices.ContainsFunc(ep.Stories, func(st Story) bool { return !test(st) })
	})
}

func (s Story3) whole() bool { return s.Role != "" && s.Want != "" && s.Benefit != "" }

func atLeast(kind Kind, n int) func(*Set) (bool, string) { return between(kind, n, 1<<30) }

func between(kind Kind, low, high int) func(*Set) (bool, string) {
	return func(s *Set) (bool, string) {
		n := len(s.Of(kind))
		return n >= low && n <= high, fmt.Sprintf("%d found", n)
	}
}

func each(kind Kind, test func(*Set, Item) bool) func(*Set) (bool, string) {
	return func(s *Set) (bool, string) {
		var not []string
		for _, it := range s.Of(kind) {
			if !test(s, it) {
				not = append(not, it.ID)
			}
		}
		if len(not) > 5 {
			not = append(not[:5], "…")
		}
		return len(not) == 0, strings.Join(not, ", ")
	}
}

func mustHasStory(s *Set, it Item) bool {
	if it.Priority != "Must" {
		return true
	}
	d := s.Document(it.File)
	if d == nil || d.Front.Get("id") != it.ID {
		return it.Fields["user story"] != ""
	}
	return readRequirement(d).Story.Want != ""
}

func fourSets(s *Set) (bool, string) {
	if s.First(DocTiny) != nil {
		return true, ""
	}
	var missing []string
	for _, e := range expected {
		if s.First(e.kind) == nil {
			missing = append(missing, e.name)
		}
	}
	return len(missing) == 0, strings.Join(missing, ", ")
}

func clean(rule string) func(*Set) (bool, string) {
	return func(s *Set) (bool, string) {
		n := 0
		for _, f := range Check(s, Options{}) {
			if f.Rule == rule && f.Grade != Info {
				n++
			}
		}
		return n == 0, Count(n, "finding") + " of " + rule
	}
}

func scored(s *Set) (bool, string) {
	r, err := ParseReadiness(s)
	if err != nil {
		return false, "no readiness report"
	}
	return r.Scores.Overall >= failScore, number(r.Scores.Overall)
}

func noBlocker(s *Set) (bool, string) {
	n := 0
	for _, f := range Check(s, Options{}) {
		if f.Grade == Blocker {
			n++
		}
	}
	return n == 0, fmt.Sprintf("%d open", n)
}
