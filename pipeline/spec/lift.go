package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// step is one change that would raise a dimension by so many of its points.
type step struct {
	what      string
	dimension int
	gain      float64
}

// lift names the cheapest computed change that brings the next better gate:
// the fewest steps, in one dimension where one suffices.
func (a *assessment) lift(s Scores) string {
	if s.Gate == Pass {
		return ""
	}
	steps := a.steps(s)
	if len(steps) == 0 {
		return ""
	}
	for _, goal := range []string{Pass, Review} {
		if goal == Review && s.Gate == Review {
			continue
		}
		best := []step(nil)
		for d := -1; d < len(s.Dimensions); d++ {
			taken := s.reach(goal, steps, d)
			if taken != nil && (best == nil || len(taken) < len(best)) {
				best = taken
			}
		}
		if best != nil && (goal == Review || len(best) <= 8) {
			return describe(s, best, goal)
		}
	}
	return describe(s, steps[:1], "")
}

// reach takes steps, the most gainful first, until the gate is met; only those
// of one dimension unless it is -1. Nil when they do not suffice.
func (s Scores) reach(goal string, steps []step, only int) []step {
	now := s.copy()
	var taken []step
	for _, st := range steps {
		if only >= 0 && st.dimension != only {
			continue
		}
		now.raise(st)
		taken = append(taken, st)
		if now.Gate == goal || now.Gate == Pass {
			return taken
		}
	}
	return nil
}

func (s Scores) copy() Scores {
	c := s
	c.Dimensions = slices.Clone(s.Dimensions)
	return c
}

func (s *Scores) raise(st step) {
	d := &s.Dimensions[st.dimension]
	v := st.gain
	if d.Value != nil {
		v += *d.Value
	}
	v = min(100, v)
	d.Value = &v
	s.settle()
}

func describe(s Scores, taken []step, goal string) string {
	after := s.copy()
	var what []string
	counts := map[string]int{}
	for _, st := range taken {
		after.raise(st)
		if counts[st.what]++; counts[st.what] == 1 && len(what) < 3 {
			what = append(what, st.what)
		}
	}
	text := strings.Join(what, "; ")
	if more := len(taken) - len(what); more > 0 {
		text += fmt.Sprintf(" and %d more like it", more)
	}
	text += fmt.Sprintf(" (`/improve %s`): %s → %s %%", s.Dimensions[taken[0].dimension].Name, whole(s.Overall), whole(after.Overall))
	if goal != "" && goal != s.Gate {
		text += ", " + goal
	}
	return text
}

func whole(v float64) string { return fmt.Sprintf("%.0f", math.Floor(v)) }

// steps lists what can be computed to raise each dimension, the most gainful
// for the sum first.
func (a *assessment) steps(s Scores) []step {
	var out []step
	add := func(name, what string, gain float64) {
		at := slices.IndexFunc(s.Dimensions, func(d Dimension) bool { return d.Name == name })
		out = append(out, step{what, at, gain})
	}
	a.chainSteps(add)
	a.askSteps(add)
	a.sectionSteps(add)
	a.depthSteps(add)
	for _, f := range a.findings {
		for _, p := range penalties {
			if f.Grade != Info && slices.Contains(p.rules, f.Rule) {
				add("consistency", fmt.Sprintf("mend %s in %s:%d", f.Rule, f.File, f.Line), p.points)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b step) int {
		return cmp.Compare(b.gain*float64(s.Dimensions[b.dimension].Weight), a.gain*float64(s.Dimensions[a.dimension].Weight))
	})
	return out
}

func (a *assessment) chainSteps(add func(name, what string, gain float64)) {
	chains := Trace(a.set, a.options)
	for _, c := range chains {
		if c.Missing == "" || a.set.First(DocTiny) != nil && c.Missing != "requirement" {
			continue
		}
		article := "a "
		add("traceability", article+c.Missing+" for "+orElse(c.From, "“"+clip(c.Text, 50)+"”"), 100/float64(len(chains)))
	}
	if len(chains) == 0 {
		add("traceability", "a goal with a metric and a requirement that traces to it", 100)
	}
}

func (a *assessment) askSteps(add func(name, what string, gain float64)) {
	for i, c := range a.set.askCoverage(a.asks) {
		if c == uncoveredAsk || c == partlyCovered {
			add("coverage", fmt.Sprintf("a requirement for line %d, “%s”", a.asks[i].Line, clip(oneLine(a.asks[i].Quote), 50)), 100/float64(len(a.asks)))
		}
	}
}

func (a *assessment) sectionSteps(add func(name, what string, gain float64)) {
	for _, e := range expected {
		d := a.set.First(e.kind)
		if d == nil {
			if a.set.First(DocTiny) == nil {
				add("completeness", "the "+e.name, 100/float64(len(expected)))
			}
			continue
		}
		_, thin := a.document(d, e.sections)
		for _, title := range thin {
			add("completeness", fmt.Sprintf("more to say under “%s” of the %s", title, e.name), 50/float64(len(e.sections)*len(expected)))
		}
	}
}

func (a *assessment) depthSteps(add func(name, what string, gain float64)) {
	parts := 0.0
	counts := [][2]int{}
	for _, count := range []func() (int, int){a.testableCriteria, a.estimableStories, a.arguedDecisions, a.technicalDetail} {
		n, of := count()
		counts = append(counts, [2]int{n, of})
		if of > 0 {
			parts++
		}
	}
	for i, what := range []string{"a criterion one can test", "a size for a story", "options and consequences for a decision", "an interface, protocol or storage named in the architecture"} {
		for n := counts[i][0]; n < counts[i][1]; n++ {
			add("depth", what, 100/parts/float64(counts[i][1]))
		}
	}
}
