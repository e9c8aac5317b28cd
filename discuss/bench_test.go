package discuss

import (
	"context"
	"testing"
	"time"

	"parley/pipeline"
)

// instant answers at once, slow after its slot's time: the five models of a round.
func instant(t testing.TB) pipeline.Model {
	text := map[string]string{}
	for _, p := range Perspectives {
		text[string(p)] = benchAnswer(t, p)
	}
	return scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		if err := p.Check([]byte(text[p.Slot])); err != nil {
			return pipeline.Reply{}, err
		}
		return pipeline.Reply{Text: text[p.Slot], Backend: "bench"}, nil
	})
}

func benchAnswer(t testing.TB, p pipeline.Perspective) string {
	a := answers(p, "yyyyny")
	for i := range a.Checks {
		a.Checks[i].Evidence = []evidence{{reqIndex, 10, 10, "# Requirements: Retry failed webhooks"}}
	}
	for range 8 {
		a.Findings = append(a.Findings, claim{Claim: "no bound", Severity: "minor", Suggestion: "state it", Evidence: []evidence{{req1, 17, 17, "The service MUST send a failed delivery again"}}})
	}
	return mustJSON(t, a)
}

// BenchmarkRound is our own time in a sign-off of five perspectives whose
// models answer in no time: reading, rules, quotes, tally, record, ledger.
func BenchmarkRound(b *testing.B) {
	for _, bench := range []struct {
		name  string
		model pipeline.Model
	}{{"models", instant(b)}, {"rules", nil}} {
		b.Run(bench.name, func(b *testing.B) {
			c := New(Config{Model: bench.model})
			r := reviewOf(signOff, session(b))
			for b.Loop() {
				if _, err := c.Critique(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "own-ms/round")
		})
	}
}

// BenchmarkWall compares a round's wall time with its slowest model, for
// models of 0.2 to 2 seconds.
func BenchmarkWall(b *testing.B) {
	waits := map[string]time.Duration{"product": 200 * time.Millisecond, "technical": 2 * time.Second, "quality": 900 * time.Millisecond,
		"risk": 500 * time.Millisecond, "coverage": 1500 * time.Millisecond}
	fast := instant(b)
	slow := scripted(func(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		select {
		case <-time.After(waits[p.Slot]):
			return fast.Ask(ctx, p)
		case <-ctx.Done():
			return pipeline.Reply{}, ctx.Err()
		}
	})
	c := New(Config{Model: slow})
	r := reviewOf(signOff, session(b))
	for b.Loop() {
		if _, err := c.Critique(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/waits["technical"].Seconds(), "wall/slowest")
}
