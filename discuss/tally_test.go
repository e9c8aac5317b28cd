package discuss

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pipeline"
)

// oracle is the verdict table of the design written a second time, from the
// table and not from the code, over plain numbers.
func oracle(ratings []int, risk string, missing, literal bool) (blocked bool, severity string) {
	total, low, lo, hi := 0, 0, 6, 0
	for _, r := range ratings {
		total += r
		if r == 1 || r == 2 {
			low++
		}
		lo, hi = min(lo, r), max(hi, r)
	}
	highDivergence := missing || risk == "high" || risk == "critical"
	if !highDivergence && total >= 3*len(ratings) {
		return false, ""
	}
	if literal {
		if low >= 1 || risk == "critical" || missing {
			return true, "HIGH"
		}
		if hi-lo >= 3 {
			return true, "MEDIUM"
		}
		return true, "LOW"
	}
	if missing || risk == "critical" || low >= 2 {
		return true, "HIGH"
	}
	if low == 1 || hi-lo >= 3 || risk == "high" {
		return true, "MEDIUM"
	}
	return true, "LOW"
}

// panelOf puts ratings, risk and gaps on the voices that own them. The last
// voice takes what the panel has no seat for.
func panelOf(ratings []int, risk string, missing bool) []pipeline.Opinion {
	seats := [][]pipeline.Perspective{
		2: {pipeline.Risk, pipeline.Coverage},
		3: {pipeline.Product, pipeline.Risk, pipeline.Coverage},
		4: {pipeline.Product, pipeline.Quality, pipeline.Risk, pipeline.Coverage},
		5: Perspectives,
	}[len(ratings)]
	out := make([]pipeline.Opinion, len(ratings))
	for i, p := range seats {
		r := ratings[i]
		out[i] = pipeline.Opinion{Perspective: p, Rating: &r}
		if p == pipeline.Risk {
			out[i].RiskLevel = risk
		}
		if p == pipeline.Coverage && missing {
			out[i].Missing = []string{"an ask nobody answers"}
		}
	}
	return out
}

// everyPanel calls f with each combination of two to five ratings.
func everyPanel(f func(ratings []int)) int {
	n := 0
	for size := 2; size <= 5; size++ {
		ratings := slices.Repeat([]int{1}, size)
		for {
			f(slices.Clone(ratings))
			n++
			i := 0
			for i < size && ratings[i] == 5 {
				ratings[i], i = 1, i+1
			}
			if i == size {
				break
			}
			ratings[i]++
		}
	}
	return n
}

func TestVerdictTable(t *testing.T) {
	seen := map[string]int{}
	n := everyPanel(func(ratings []int) {
		for _, risk := range riskLevels {
			for _, missing := range []bool{false, true} {
				for _, literal := range []bool{false, true} {
					got := Tally(panelOf(ratings, risk, missing), Conditions{Round: "DISCUSS-003", Literal: literal})
					blocked, severity := oracle(ratings, risk, missing, literal)
					want := pipeline.ConsensusReached
					if blocked {
						want = pipeline.ConsensusBlocked
					}
					if got.Consensus != want || string(got.Severity) != severity {
						t.Fatalf("%v risk=%q missing=%v literal=%v: %s %s, want %s %s", ratings, risk, missing, literal, got.Consensus, got.Severity, want, severity)
					}
					checkRest(t, ratings, got)
					seen[fmt.Sprint(got.Consensus, got.Severity, literal)]++
				}
			}
		}
	})
	if n != 5*5+5*5*5+5*5*5*5+5*5*5*5*5 {
		t.Fatalf("%d panels", n)
	}
	// Read literally the table never says MEDIUM; read specific before general
	// it never says LOW (C1). Every other cell must occur.
	for _, cell := range []string{"consensus_reachedfalse", "consensus_blockedMEDIUMfalse", "consensus_blockedHIGHfalse", "consensus_reachedtrue", "consensus_blockedLOWtrue", "consensus_blockedHIGHtrue"} {
		if seen[cell] == 0 {
			t.Errorf("no panel gives %s", cell)
		}
	}
	if seen["consensus_blockedMEDIUMtrue"] != 0 {
		t.Error("the literal table gave MEDIUM")
	}
}

// checkRest holds what follows from a verdict for every panel.
func checkRest(t *testing.T, ratings []int, v pipeline.Verdict) {
	t.Helper()
	sum := 0
	for _, r := range ratings {
		sum += r
	}
	if v.Average != float64(sum)/float64(len(ratings)) {
		t.Fatalf("%v: average %v", ratings, v.Average)
	}
	want := map[pipeline.Severity]string{"": "", pipeline.High: revise, pipeline.Medium: caution, pipeline.Low: caution}[v.Severity]
	if v.Recommendation != want {
		t.Fatalf("%v: recommendation %q, want %q", ratings, v.Recommendation, want)
	}
	mood := "critical"
	if 10*sum >= 20*len(ratings) {
		mood = "concerns"
	}
	if 10*sum >= 30*len(ratings) {
		mood = "neutral"
	}
	if 10*sum >= 40*len(ratings) {
		mood = "positive"
	}
	if v.Sentiment != mood || v.Partial {
		t.Fatalf("%v: sentiment %q, want %q; partial %v", ratings, v.Sentiment, mood, v.Partial)
	}
}

func TestDivergences(t *testing.T) {
	for _, test := range []struct {
		name    string
		ratings []int
		risk    string
		missing bool
		want    string
	}{
		{"calm", []int{4, 4, 4}, "low", false, ""},
		{"a gap at full marks", []int{5, 5, 5}, "low", true, "coverage-gap HIGH coverage"},
		{"high risk", []int{3, 3, 3}, "high", false, "high-risk HIGH risk"},
		{"critical risk", []int{3, 3, 3}, "critical", false, "high-risk HIGH risk"},
		{"medium risk says nothing", []int{3, 3, 3}, "medium", false, ""},
		{"a low rating that does not block", []int{2, 5, 4}, "", false, "low-rating MEDIUM product, spread MEDIUM product"},
		{"three is not low", []int{3, 5, 5}, "", false, ""},
		{"all at once, gravest first", []int{1, 2, 5}, "high", true, "coverage-gap HIGH coverage, high-risk HIGH risk, low-rating MEDIUM product, low-rating MEDIUM risk, spread MEDIUM product"},
		{"spread of exactly three", []int{2, 5, 5}, "", false, "low-rating MEDIUM product, spread MEDIUM product"},
		{"spread of two", []int{3, 5, 3}, "", false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range Tally(panelOf(test.ratings, test.risk, test.missing), Conditions{}).Divergences {
				got = append(got, fmt.Sprint(d.Kind, " ", d.Severity, " ", d.Perspective))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSuggestionsAloneAreLow(t *testing.T) {
	o := panelOf([]int{4, 3}, "", false)
	o[1].Suggestions = []string{"say it shorter"}
	v := Tally(o, Conditions{})
	want := []pipeline.Divergence{{Kind: enhancement, Severity: pipeline.Low, Perspective: pipeline.Coverage, Text: "say it shorter"}}
	if diff := cmp.Diff(want, v.Divergences); diff != "" || v.Consensus != pipeline.ConsensusReached {
		t.Error(v.Consensus, diff)
	}
}

func TestPartialPanels(t *testing.T) {
	for _, test := range []struct {
		name      string
		ratings   []int // 0: not rated
		partial   bool
		consensus pipeline.Consensus
		severity  pipeline.Severity
		average   float64
	}{
		{"all of five", []int{4, 4, 4, 4, 4}, false, pipeline.ConsensusReached, "", 4},
		{"three of five", []int{4, 0, 4, 0, 4}, false, pipeline.ConsensusReached, "", 4},
		{"two of five", []int{5, 0, 5, 0, 0}, true, pipeline.ConsensusBlocked, pipeline.Medium, 5},
		{"half of four is enough", []int{3, 0, 3, 0}, false, pipeline.ConsensusReached, "", 3},
		{"one of two", []int{5, 0}, false, pipeline.ConsensusReached, "", 5},
		{"one of three", []int{5, 0, 0}, true, pipeline.ConsensusBlocked, pipeline.Medium, 5},
		{"two low of five stay MEDIUM", []int{1, 0, 1, 0, 0}, true, pipeline.ConsensusBlocked, pipeline.Medium, 1},
		{"a missing voice counts as nothing, not as three", []int{2, 2, 0, 0}, false, pipeline.ConsensusBlocked, pipeline.High, 2},
		{"nobody", []int{0, 0, 0}, true, pipeline.ConsensusBlocked, pipeline.Medium, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := panelOf(slices.Repeat([]int{1}, len(test.ratings)), "", false)
			for i, r := range test.ratings {
				o[i].Rating = nil
				if r > 0 {
					o[i].Rating = &r
				}
			}
			v := Tally(o, Conditions{})
			if v.Partial != test.partial || v.Consensus != test.consensus || v.Severity != test.severity || v.Average != test.average {
				t.Errorf("partial %v %s %s %v", v.Partial, v.Consensus, v.Severity, v.Average)
			}
		})
	}
}

func TestRecommendation(t *testing.T) {
	high, medium := panelOf([]int{1, 1}, "", false), panelOf([]int{1, 3}, "", false)
	for _, test := range []struct {
		name     string
		opinions []pipeline.Opinion
		k        Conditions
		want     string
	}{
		{"first HIGH", high, Conditions{Round: "DISCUSS-002"}, revise},
		{"second HIGH", high, Conditions{Round: "DISCUSS-002", HighBefore: true, OpenBlockers: 1}, escalate},
		{"HIGH at the sign-off", high, Conditions{Round: signOff}, escalate},
		{"MEDIUM at the sign-off", medium, Conditions{Round: signOff}, caution},
		{"MEDIUM after a HIGH", medium, Conditions{HighBefore: true}, caution},
		{"reached", panelOf([]int{3, 3}, "", false), Conditions{Round: signOff, HighBefore: true}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Tally(test.opinions, test.k).Recommendation; got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestOnlyBlockersStopASecondRun(t *testing.T) {
	low := panelOf([]int{2, 2, 2}, "", false)
	for _, test := range []struct {
		name     string
		opinions []pipeline.Opinion
		blockers int
		want     pipeline.Severity
	}{
		{"ratings alone", low, 0, pipeline.Medium},
		{"an open blocker", low, 1, pipeline.High},
		{"a missing requirement", panelOf([]int{4, 4, 4}, "", true), 0, pipeline.High},
		{"critical risk", panelOf([]int{4, 4, 4}, "critical", false), 0, pipeline.High},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := Tally(test.opinions, Conditions{OnlyBlockers: true, OpenBlockers: test.blockers})
			if v.Severity != test.want || v.Consensus != pipeline.ConsensusBlocked {
				t.Errorf("%s %s, want %s", v.Consensus, v.Severity, test.want)
			}
		})
	}
}

// rank orders verdicts from good to bad.
func rank(v pipeline.Verdict) int {
	return map[pipeline.Severity]int{"": 0, pipeline.Low: 1, pipeline.Medium: 2, pipeline.High: 3}[v.Severity]
}

func drawPanel(t *rapid.T) []pipeline.Opinion {
	size := rapid.IntRange(2, 5).Draw(t, "size")
	ratings := rapid.SliceOfN(rapid.IntRange(1, 5), size, size).Draw(t, "ratings")
	return panelOf(ratings, rapid.SampledFrom(riskLevels).Draw(t, "risk"), rapid.Bool().Draw(t, "missing"))
}

func TestOrderOfVoicesIsIrrelevant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawPanel(t)
		k := Conditions{Round: "DISCUSS-002", Literal: rapid.Bool().Draw(t, "literal")}
		want := Tally(o, k)
		shuffled := slices.Clone(o)
		rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		if diff := cmp.Diff(want, Tally(shuffled, k)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRaisingARatingNeverWorsens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawPanel(t)
		k := Conditions{Literal: rapid.Bool().Draw(t, "literal"), OnlyBlockers: rapid.Bool().Draw(t, "again")}
		before := Tally(o, k)
		i := rapid.IntRange(0, len(o)-1).Draw(t, "voice")
		higher := rapid.IntRange(*o[i].Rating, 5).Draw(t, "higher")
		raised := slices.Clone(o)
		raised[i].Rating = &higher
		if after := Tally(raised, k); rank(after) > rank(before) {
			t.Fatalf("%v to %v after raising %s to %d", before.Severity, after.Severity, o[i].Perspective, higher)
		}
	})
}

func TestTallyLeavesItsInputAlone(t *testing.T) {
	o := panelOf([]int{1, 5, 3}, "high", true)
	slices.Reverse(o)
	want := slices.Clone(o)
	Tally(o, Conditions{})
	if diff := cmp.Diff(want, o); diff != "" {
		t.Error(diff)
	}
}
