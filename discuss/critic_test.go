package discuss

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/pipeline"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func still() time.Time { return noon }

// reviewOf is a round on a folder, with nothing else set.
func reviewOf(id pipeline.Round, folder pipeline.Folder) pipeline.Review {
	s := pipeline.Session{ID: "TLS-retry-142", Language: "en", Settings: pipeline.DefaultSettings()}
	return pipeline.Review{Session: s, Round: id, Folder: folder, Now: noon}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name   string
		review pipeline.Review
		want   string
	}{
		{"unknown round", reviewOf("DISCUSS-007", nil),
			`unknown round "DISCUSS-007": one of DISCUSS-001, DISCUSS-002, DISCUSS-003, DISCUSS-004, DISCUSS-005, DISCUSS-006`},
		{"no artifact", reviewOf("DISCUSS-002", pipeline.Folder{}), "Artifact not found: spec/product-brief.md"},
		{"the first round's artifact is its context", reviewOf("DISCUSS-001", pipeline.Folder{}), "Artifact not found: spec/discovery-context.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(Config{Now: still}).Critique(context.Background(), test.review)
			var refusal *pipeline.Refusal
			if !errors.As(err, &refusal) || refusal.Text != test.want {
				t.Errorf("%v, want the refusal %q", err, test.want)
			}
		})
	}
}

func TestCoverageNeedsItsSecondInput(t *testing.T) {
	folder := pipeline.Folder{"spec/product-brief.md": []byte("# Brief\n")}
	j, err := New(Config{Now: still}).Critique(context.Background(), reviewOf("DISCUSS-002", folder))
	if err != nil {
		t.Fatal(err)
	}
	if hasVoice(j.Verdict.Opinions, pipeline.Coverage) || len(j.Verdict.Opinions) != 3 {
		t.Errorf("%d voices, coverage among them: %v", len(j.Verdict.Opinions), hasVoice(j.Verdict.Opinions, pipeline.Coverage))
	}
	if record := string(j.Text[j.Verdict.Record]); !strings.Contains(record, "coverage cannot be judged and was left out") || strings.Contains(record, "## Coverage Gaps") {
		t.Error(record)
	}
}
