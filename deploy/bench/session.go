package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tried is what `parley try --format json` prints.
type tried struct {
	Status string
	Beats  int
	Tasks  []struct {
		ID    string
		Round *string
	}
	GitHub struct{ Requests, Created int }
	Took   float64 `json:"duration_ms"`
}

func (b *bench) try(env []string, args ...string) (tried, error) {
	var got tried
	dir, err := os.MkdirTemp(b.dir, "try")
	if err != nil {
		return got, err
	}
	sample := filepath.Join(b.root, "cmd", "parley", "samples", "well-written.md")
	cmd := exec.Command(b.binary, append([]string{"try", sample, "--mode", "spec-only", "--format", "json", "--quiet", "--out", dir}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return got, fmt.Errorf("parley try: %w: %s", err, complaint.String())
	}
	return got, json.Unmarshal(out, &got)
}

// sessions plays a spec-only session on rules alone against the simulator.
func (b *bench) sessions() error {
	var times []float64
	var last tried
	for range 5 {
		got, err := b.try(nil)
		if err != nil {
			return err
		}
		times, last = append(times, got.Took), got
	}
	slices.Sort(times)
	rounds := 0
	for _, t := range last.Tasks {
		if t.Round != nil {
			rounds++
		}
	}
	b.add(row{What: "spec-only session, rules only: time", Value: times[len(times)/2], Unit: "ms", Target: below(1000), Note: fmt.Sprintf("median of 5, %s, %d rounds", last.Status, rounds)})
	b.add(row{What: "spec-only session: beats", Value: float64(last.Beats), Target: atMost(6), Note: "none for a round"})
	b.add(row{What: "spec-only session: GitHub requests", Value: float64(last.GitHub.Requests), Target: atMost(24), Note: "floor 9"})
	b.add(row{What: "spec-only session: content created", Value: float64(last.GitHub.Created), Target: atMost(10)})
	return nil
}
