package roles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
	"parley/pipeline/spec"
)

func samples(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/issues/*.md")
	if err != nil || len(paths) < 10 {
		t.Fatalf("want ten samples, found %d (%v)", len(paths), err)
	}
	return paths
}

// outline is a specification as one reads it to judge it.
func outline(f pipeline.Folder, drafts map[string]pipeline.Draft) string {
	var b strings.Builder
	set := parse(f, nil)
	for _, q := range drafts["RESEARCH-001"].Questions {
		fmt.Fprintf(&b, "%s %s\n", q.ID, q.Text)
	}
	if brief, err := spec.ParseBrief(set); err == nil {
		for _, p := range brief.Users {
			fmt.Fprintf(&b, "for %s: %s\n", p.Name, strings.Join(p.Needs, "; "))
		}
	}
	for _, it := range set.Items {
		switch it.Kind {
		case spec.KindRisk, spec.KindAssumption:
			continue
		case spec.KindAC:
			fmt.Fprintf(&b, "    %s %s\n", it.ID, it.Statement)
		default:
			fmt.Fprintf(&b, "%s [%s] %s ← %s\n", it.ID, it.Priority, it.Title, strings.Join(it.TracesTo, ", "))
		}
	}
	reqs, err := spec.ParseRequirements(set)
	if err == nil {
		for _, q := range reqs.Reqs {
			fmt.Fprintf(&b, "%s = %s (line %d)\n    as %s, I want to %s, so that %s\n", q.ID, q.Description, q.Source.Line, q.Story.Role, q.Story.Want, q.Story.Benefit)
		}
		for _, n := range reqs.NFRs {
			fmt.Fprintf(&b, "%s = %s | %s | %s (line %d)\n", n.ID, n.Metric, n.Target, n.Method, n.Source.Line)
		}
	}
	for _, x := range spec.Check(set, spec.Options{}) {
		if x.Grade == spec.Blocker {
			fmt.Fprintf(&b, "%s %s %s: %s\n", x.Grade, x.Rule, strings.TrimPrefix(x.File, "spec/"), x.Message)
		}
	}
	g := drafts["QUALITY-001"].Gate
	fmt.Fprintf(&b, "gate %s\n", g.Result)
	return b.String()
}

func TestSamplesGolden(t *testing.T) {
	for _, path := range samples(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, drafts := finished(t, path)
			got := outline(f, drafts)
			golden := strings.TrimSuffix(path, ".md") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// Every sentence that demands something is taken up, in every sample.
func TestEveryAskIsCovered(t *testing.T) {
	all, covered := 0, 0
	for _, path := range append(samples(t), "../../cmd/parley/samples/well-written.md", "../../cmd/parley/samples/risky.md") {
		issue := sample(t, path)
		f, _ := finished(t, path)
		for _, s := range Sources(issue, f) {
			all++
			if s.By == "" {
				t.Errorf("%s line %d (%s): %q is covered by nothing", path, s.Line, s.Sort, s.Quote)
				continue
			}
			covered++
			if line := strings.Split(issue.Body, "\n"); s.Line > 0 && !strings.Contains(quoteKey(line[s.Line-1]+nextLine(line, s.Line)), quoteKey(s.Quote)) {
				t.Errorf("%s: %q does not stand on line %d", path, s.Quote, s.Line)
			}
		}
	}
	t.Logf("every ask covered: %d of %d", covered, all)
	if all < 120 {
		t.Fatalf("only %d normative sentences were found", all)
	}
}

func nextLine(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return ""
}

// Ratings must tell the samples apart.
func TestRatingsSpread(t *testing.T) {
	rounds := map[string][]string{
		spec.DiscoveryPath:    {"product", "risk", "coverage"},
		spec.BriefPath:        {"product", "technical", "quality", "coverage"},
		spec.RequirementsPath: {"quality", "product", "coverage"},
		spec.ArchitecturePath: {"technical", "risk"},
		spec.EpicsPath:        {"product", "technical", "quality", "coverage"},
		spec.ReadinessPath:    {"product", "technical", "quality", "risk", "coverage"},
	}
	count, total := map[int]int{}, 0
	for _, path := range samples(t) {
		f, _ := finished(t, path)
		set := parse(f, nil)
		findings := spec.Check(set, spec.Options{})
		for artifact, voices := range rounds {
			for _, v := range voices {
				if r := spec.Rate(set, findings, v, artifact); r.Value > 0 {
					count[r.Value]++
					total++
				}
			}
		}
	}
	t.Logf("ratings: %v", count)
	for v, n := range count {
		if n*100 > total*60 {
			t.Errorf("%d of %d ratings are %d", n, total, v)
		}
	}
}

func TestGates(t *testing.T) {
	tests := []struct {
		path      string
		want      pipeline.GateResult
		questions int // at least
		blockers  bool
	}{
		{"../../cmd/parley/samples/well-written.md", pipeline.GatePass, 0, false},
		{"../../cmd/parley/samples/vague.md", pipeline.GateFail, 4, true},
		{"testdata/issues/vague.md", pipeline.GateFail, 4, true},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			f, drafts := finished(t, test.path)
			if g := drafts["QUALITY-001"].Gate; g.Result != test.want {
				t.Errorf("gate %s at %.1f, want %s", g.Result, g.Score, test.want)
			}
			if n := len(drafts["RESEARCH-001"].Questions); n < test.questions || n > questionMost {
				t.Errorf("%d questions", n)
			}
			blockers := 0
			for _, x := range spec.Check(parse(f, nil), spec.Options{}) {
				if x.Grade == spec.Blocker {
					blockers++
				}
			}
			if (blockers > 0) != test.blockers {
				t.Errorf("%d blockers", blockers)
			}
		})
	}
}
