package pipeline

import (
	"fmt"
	"strings"
)

// reached is a result with a good verdict and, of the quality task, a PASS.
func reached(task Task) Outcome {
	o := Outcome{Task: task.ID, Role: task.Owner, Status: TaskCompleted, Artifact: task.Artifact, Summary: "done: " + string(task.ID), Language: "en"}
	if task.Artifact != "" {
		o.Files = []FileRef{{task.Artifact, fmt.Sprintf("blob-%s", task.ID)}}
	}
	if task.Round != "" {
		o.Verdict = &Verdict{Round: task.Round, Run: 1, Artifact: task.Artifact, Consensus: ConsensusReached, Average: 4, Record: RecordPath(task.Round, 1)}
		o.Files = append(o.Files, FileRef{RecordPath(task.Round, 1), "rec-" + string(task.ID)})
	}
	if strings.HasPrefix(string(task.ID), "QUALITY") {
		o.Gate = gate(GatePass, 86)
	}
	if strings.HasPrefix(string(task.ID), "QA-FE") {
		o.Review = "PASS"
	}
	return o
}

func gate(r GateResult, score float64) *Gate {
	g := &Gate{Result: r, Score: score, Dimensions: map[string]*float64{}, Rules: "1.0"}
	for i, d := range Dimensions {
		v := score - float64(i)
		g.Dimensions[d.Name] = &v
	}
	return g
}

// blocked is a result whose round is blocked at the severity.
func blocked(task Task, sev Severity, byModel bool) Outcome {
	o := reached(task)
	o.ByModel = byModel
	o.Verdict.Consensus, o.Verdict.Severity, o.Verdict.Average, o.Verdict.Recommendation = ConsensusBlocked, sev, 2.4, "revise"
	o.Verdict.Divergences = []Divergence{{Kind: "coverage-gap", Severity: sev, Perspective: Coverage, Text: "one ask has no requirement", Findings: []string{"F-01"},
		Options: []Option{{Label: "A", Text: "it becomes one"}, {Label: "B", Text: "it is left out", Command: "/accept F-01"}}}}
	o.Verdict.Actions = []Action{{Text: "add it", Grade: Blocker, Voices: []Perspective{Coverage}}}
	o.Verdict.Findings = []Finding{{ID: "F-01", Key: "k1", Grade: Blocker, Claim: "missing", State: FindingOpen, File: task.Artifact, Round: task.Round},
		{ID: "F-02", Key: "k2", Grade: Major, Claim: "vague", State: FindingOpen, File: task.Artifact, Round: task.Round}}
	return o
}
