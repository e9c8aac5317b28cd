package discuss

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/pipeline"
)

// Q15: the budget is reached in the middle of a round: the rest goes by rules,
// and people read which budget, of how much, and how many voices it cost.
func TestQ15BudgetReachedInARound(t *testing.T) {
	const said = "the session's budget of $2.00 is reached"
	model := scripted(func(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		if p.Slot == string(pipeline.Product) {
			return pipeline.Reply{Text: answers(pipeline.Product, "yyyyyy").json(t), Backend: "gemini"}, nil
		}
		return pipeline.Reply{Trail: []pipeline.Attempt{{Backend: "gemini", Class: "budget", Detail: said}}}, pipeline.ErrNoModel
	})
	j := critique(t, model, briefFolder())
	for _, o := range j.Verdict.Opinions {
		want := "rules, after gemini budget"
		if o.Perspective == pipeline.Product {
			want = "gemini"
		}
		if o.Source != want {
			t.Errorf("%s: %q, want %q", o.Perspective, o.Source, want)
		}
	}
	n := len(j.Verdict.Opinions)
	if want := fmt.Sprintf("%s: %d of %d perspectives were judged by rules", said, n-1, n); !slices.Contains(j.Verdict.Warnings, want) {
		t.Errorf("warnings %q, want %q", j.Verdict.Warnings, want)
	}
	if j.Verdict.Consensus == "" || !strings.Contains(string(j.Text[j.Verdict.Record]), said) {
		t.Error("the round did not end, or its record does not tell")
	}
}
