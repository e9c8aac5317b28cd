package spec

import "testing"

// A required section that says nothing keeps a high score from passing.
func TestUnsaidSectionHoldsTheGate(t *testing.T) {
	a := &assessment{findings: []Finding{{Rule: "L46", Grade: Major}, {Rule: "L02", Grade: Major}}}
	if a.unsaid() != nil {
		t.Error("a major is not a section that is missing")
	}
	a.findings = append(a.findings, Finding{Rule: "L02", Grade: Blocker, Message: "section is empty"})
	if f := a.unsaid(); f == nil || f.Message != "section is empty" {
		t.Errorf("got %v", f)
	}
}
