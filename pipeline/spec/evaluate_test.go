package spec

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// tally is what a rule did on the mutants.
type tally struct {
	seeded, found int // mutants with the defect, and those it was found in
	right, wrong  int // new findings: of the seeded defect, of none
	clean         int // findings of any grade on the clean specifications
}

func (t tally) recall() float64 { return ratio(t.found, t.seeded) }

func (t tally) precision() float64 { return ratio(t.right, t.right+t.wrong) }

func ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// evaluation is the corpus under the rules.
type evaluation struct {
	rules                   map[string]*tally
	grave                   tally // blockers and majors alone
	mutants, kinds, domains int
	statements              int
	misses, falls           []string
}

func newEvaluation() *evaluation {
	e := &evaluation{rules: map[string]*tally{}}
	for _, r := range Rules {
		e.rules[r.ID] = &tally{}
	}
	return e
}

func (t *tally) add(o tally) {
	t.seeded += o.seeded
	t.found += o.found
	t.right += o.right
	t.wrong += o.wrong
	t.clean += o.clean
}

func (e *evaluation) add(o *evaluation) {
	if o == nil {
		return
	}
	for id, t := range o.rules {
		e.rules[id].add(*t)
	}
	e.grave.add(o.grave)
	e.mutants += o.mutants
	e.domains += o.domains
	e.statements += o.statements
	e.misses = append(e.misses, o.misses...)
	e.falls = append(e.falls, o.falls...)
}

func grave(f Finding) bool { return f.Grade == Blocker || f.Grade == Major }

func findingKey(f Finding) string { return f.Rule + "|" + f.Grade + "|" + f.Item + "|" + f.Message }

// run seeds mutations into one domain.
func (e *evaluation) run(fresh func() *domain, seeds []mutation) {
	clean := fresh()
	known := Parse(clean.files(nil))
	cleanSet := Parse(clean.files(known))
	before := map[string]bool{}
	for _, f := range Check(cleanSet, clean.options) {
		before[findingKey(f)] = true
		e.rules[f.Rule].clean++
	}
	accepted := map[string]string{}
	for _, it := range cleanSet.Items {
		accepted[it.ID] = it.Fingerprint
	}
	e.domains++
	e.statements += len(cleanSet.Statements)
	for _, m := range seeds {
		d := fresh()
		if !m.apply(d) {
			continue
		}
		e.mutants++
		mutant := Parse(d.files(known))
		if d.previous {
			d.options.Suspects = mutant.suspectsSince(accepted)
		}
		var fresh []Finding
		for _, f := range Check(mutant, d.options) {
			if !before[findingKey(f)] {
				fresh = append(fresh, f)
			}
		}
		e.judge(d.name, m, fresh)
	}
}

func (e *evaluation) judge(name string, m mutation, fresh []Finding) {
	rule, _ := RuleByID(m.rule)
	r := e.rules[m.rule]
	r.seeded++
	hit := false
	for _, f := range fresh {
		switch {
		case f.Rule == m.rule:
			// A blocker or major found as less is not found.
			hit = hit || grave(f) || rule.Grade == Minor || rule.Grade == Info
			r.right++
			if grave(f) {
				e.grave.right++
			}
		case strings.Contains(m.also, f.Rule):
		default:
			e.rules[f.Rule].wrong++
			e.falls = append(e.falls, fmt.Sprintf("%s, %s %q: %s %s %s:%d %s", name, m.rule, m.name, f.Rule, f.Grade, f.File, f.Line, f.Message))
			if grave(f) {
				e.grave.wrong++
			}
		}
	}
	if hit {
		r.found++
	} else {
		e.misses = append(e.misses, fmt.Sprintf("%s: %s %q", name, m.rule, m.name))
	}
	if rule.Grade == Blocker || rule.Grade == Major {
		e.grave.seeded++
		if hit {
			e.grave.found++
		}
	}
}

// evaluate seeds mutations into the domains the rules were developed on, or
// into those held out.
func evaluate(t testing.TB, held bool, seeds []mutation) *evaluation {
	e := newEvaluation()
	domains, texts := cleanDomains(t)
	parts := make([]*evaluation, len(domains))
	var wait sync.WaitGroup
	for i, d := range domains {
		if d.held == held {
			parts[i] = newEvaluation()
			wait.Go(func() { parts[i].run(func() *domain { return readDomain(t, d.name, texts[i]) }, seeds) })
		}
	}
	wait.Wait()
	for _, p := range parts {
		e.add(p)
	}
	e.kinds = len(seeds)
	return e
}

// measuredCorpus is the corpus in its parts: what the rules were developed on, and
// what was kept from them, specifications and wordings.
type measuredCorpus struct{ dev, domains, wordings, held *evaluation }

func measureCorpus(t testing.TB) measuredCorpus {
	c := measuredCorpus{evaluate(t, false, allMutations()), evaluate(t, true, allMutations()), evaluate(t, false, heldOutWordings), newEvaluation()}
	other := evaluate(t, true, heldOutWordings)
	c.wordings.add(other)
	c.held.add(c.domains)
	c.held.add(c.wordings)
	return c
}

// corpusTable shows the parts side by side.
func corpusTable(c measuredCorpus) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kinds of seeded defects in %d clean specifications. The rules were developed on %d specifications and %d kinds; held out were %d specifications and %d wordings.\n\n",
		c.dev.kinds+c.wordings.kinds, c.dev.domains+c.domains.domains, c.dev.domains, c.dev.kinds, c.domains.domains, c.wordings.kinds)
	b.WriteString("| | mutants | recall, blocker and major | precision, blocker and major |\n| --- | ---: | ---: | ---: |\n")
	for _, p := range []struct {
		name string
		e    *evaluation
	}{{"development", c.dev}, {"held out: specifications", c.domains}, {"held out: wordings", c.wordings}} {
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f |\n", p.name, p.e.mutants, p.e.grave.recall(), p.e.grave.precision())
	}
	b.WriteString("\nFiring rate: findings of any grade per statement of the clean specifications.\n\n")
	b.WriteString("| Rule | What | Recall | Precision | Held-out recall | Held-out precision | Firing rate |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n")
	statements := c.dev.statements + c.domains.statements
	for _, r := range Rules {
		d, h := c.dev.rules[r.ID], c.held.rules[r.ID]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %.3f |\n", r.ID, r.Title, cellOf(d.recall(), d.seeded), cellOf(d.precision(), d.right+d.wrong),
			cellOf(h.recall(), h.seeded), cellOf(h.precision(), h.right+h.wrong), ratio(d.clean+c.domains.rules[r.ID].clean, statements))
	}
	return b.String()
}

func cellOf(v float64, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// underRace is set when the race detector is on.
var underRace bool

const tablePath = "testdata/corpus/table.md"

// Recall and precision of the rules on seeded defects; the table the README
// shows is the one this run makes.
func TestCorpusRecallAndPrecision(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("1,300 specifications are judged: too slow here, and its own concurrency is one goroutine for each domain")
	}
	c := measureCorpus(t)
	for _, m := range slices.Concat(c.dev.misses, c.dev.falls) {
		t.Log(m)
	}
	// A third is kept from the rules' development: of the domains, and of the kinds.
	if domains := c.dev.domains + c.domains.domains; c.dev.kinds < 70 || domains < 12 || c.domains.domains*3 < domains || c.wordings.kinds*2 < c.dev.kinds {
		t.Errorf("%d and %d kinds of mutation in %d and %d domains", c.dev.kinds, c.wordings.kinds, c.dev.domains, c.domains.domains)
	}
	for _, p := range []struct {
		name string
		e    *evaluation
	}{{"development", c.dev}, {"held-out specifications", c.domains}, {"held-out wordings", c.wordings}} {
		if got := p.e.grave.recall(); got < .95 {
			t.Errorf("%s: recall %.3f of blockers and majors, want .95", p.name, got)
		}
		if got := p.e.grave.precision(); got < .9 {
			t.Errorf("%s: precision %.3f of blockers and majors, want .90", p.name, got)
		}
	}
	for _, r := range Rules {
		if c.dev.rules[r.ID].seeded == 0 {
			t.Errorf("no mutation seeds %s", r.ID)
		}
		if p := c.dev.rules[r.ID].precision(); p < .6 && r.Move != (Move{}) {
			t.Errorf("%s has precision %.2f and moves a rating", r.ID, p)
		}
	}
	got := []byte(corpusTable(c))
	if *update {
		if err := os.WriteFile(tablePath, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(tablePath)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not current (run with -update): %v", tablePath, err)
	}
	t.Log("\n" + string(got))
}
