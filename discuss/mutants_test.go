package discuss

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutants break the tally on purpose, one line each.
var mutants = []struct{ name, old, with string }{
	{"average is exclusive", "c.sum >= n*c.rated", "c.sum > n*c.rated"},
	{"average over the panel, not over the rated", "c.sum >= n*c.rated", "c.sum >= n*c.voices"},
	{"three counts as low", "if n <= 2 {", "if n <= 3 {"},
	{"only one counts as low", "if n <= 2 {", "if n <= 1 {"},
	{"spread from two", "c.most-c.least >= 3", "c.most-c.least >= 2"},
	{"half of the panel is too few", "c.rated*2 < c.voices", "c.rated*2 <= c.voices"},
	{"a missing requirement does not block", "gap := c.missing || riskRank", "gap := riskRank"},
	{"only critical risk blocks", `gap := c.missing || riskRank(c.risk) >= riskRank("high")`, `gap := c.missing || riskRank(c.risk) >= riskRank("critical")`},
	{"medium risk blocks", `gap := c.missing || riskRank(c.risk) >= riskRank("high")`, `gap := c.missing || riskRank(c.risk) >= riskRank("medium")`},
	{"a low average does not block", "return c.few() || gap || !c.atLeast(3)", "return c.few() || gap"},
	{"a thin panel does not block", "return c.few() || gap || !c.atLeast(3)", "return gap || !c.atLeast(3)"},
	{"a thin panel is graded like a full one", "if c.few() {\n\t\treturn pipeline.Medium", "if c.few() && false {\n\t\treturn pipeline.Medium"},
	{"a missing requirement is not HIGH", `fact := c.missing || c.risk == "critical"`, `fact := c.risk == "critical"`},
	{"critical risk is not HIGH", `fact := c.missing || c.risk == "critical"`, `fact := c.missing`},
	{"one low rating is HIGH", "lows := 2", "lows := 1"},
	{"it takes three low ratings for HIGH", "lows := 2", "lows := 3"},
	{"the literal switch is dead", "if k.Literal {\n\t\tlows = 1", "if false {\n\t\tlows = 1"},
	{"one low rating is LOW", "if c.low == 1 || c.wide()", "if c.wide()"},
	{"high risk is LOW", `|| (c.risk == "high" && !k.Literal)`, ""},
	{"high risk is MEDIUM read literally", `(c.risk == "high" && !k.Literal)`, `c.risk == "high"`},
	{"ratings alone stop a second run", "if k.OnlyBlockers && k.OpenBlockers == 0 && !fact {", "if false {"},
	{"a second run is never stopped", "if k.OnlyBlockers && k.OpenBlockers == 0 && !fact {", "if k.OnlyBlockers {"},
	{"the sign-off recommends to revise", "k.Round == signOff || k.HighBefore", "k.HighBefore"},
	{"a second HIGH recommends to revise", "k.Round == signOff || k.HighBefore", "k.Round == signOff"},
	{"MEDIUM escalates", "if s != pipeline.High {", "if s == pipeline.Low {"},
	{"positive from three", `{4, "positive"}, {3, "neutral"}`, `{3, "positive"}, {3, "neutral"}`},
	{"two is critical", `{2, "concerns"}`, `{3, "concerns"}`},
	{"voices in the order they came", "return cmp.Compare(order(a.Perspective), order(b.Perspective))", "return cmp.Compare(0, 0)"},
	{"medium risk diverges", `if riskRank(o.RiskLevel) >= riskRank("high") {`, `if riskRank(o.RiskLevel) >= riskRank("medium") {`},
	{"a gap is no divergence", "if missing := texts(o.Missing); len(missing) > 0 {", "if missing := texts(o.Missing); len(missing) > 9 {"},
}

// TestMutants runs the package's tests once per mutant; each must turn them
// red. make mutants sets the variable: it takes minutes.
func TestMutants(t *testing.T) {
	if os.Getenv("PARLEY_MUTANTS") == "" {
		t.Skip("make mutants runs this")
	}
	source, err := os.ReadFile("tally.go")
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs("tally.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			if strings.Count(string(source), m.old) != 1 {
				t.Fatalf("tally.go has %q %d times", m.old, strings.Count(string(source), m.old))
			}
			dir := t.TempDir()
			broken := filepath.Join(dir, "tally.go")
			overlay := filepath.Join(dir, "overlay.json")
			raw, err := json.Marshal(struct{ Replace map[string]string }{map[string]string{path: broken}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{broken: []byte(strings.Replace(string(source), m.old, m.with, 1)), overlay: raw} {
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=1", ".", "-rapid.nofailfile")
			cmd.Env = append(os.Environ(), "PARLEY_MUTANTS=")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("the suite stays green: %s", m.with)
			} else if !strings.Contains(string(out), "--- FAIL") {
				t.Errorf("the mutant does not build: %s", out)
			}
		})
	}
}
