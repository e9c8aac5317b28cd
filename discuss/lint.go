package discuss

import (
	"parley/pipeline"
	"parley/pipeline/spec"
)

// lint reads the round's texts by rules.
func (h *hearing) lint() reading {
	r := reading{ratings: map[pipeline.Perspective]spec.Rating{}}
	for _, p := range h.panel {
		r.ratings[p] = spec.Rating{Perspective: string(p), Why: "too few statements to rate"}
	}
	return r
}

// strengths are the positive proofs a rating found, in plain words.
func strengths(spec.Rating) []string { return nil }
