package discuss

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline"
)

// round is one line of the table of rounds.
type round struct {
	ID           pipeline.Round
	Task         pipeline.TaskID // the task it judges
	Artifact     string
	Perspectives []pipeline.Perspective
	Topic        string
	Next         string // the phase its advice is for
	// Whole rounds read the complete specification, not one document.
	Whole bool
}

var rounds = []round{
	{ID: "DISCUSS-001", Task: "RESEARCH-001", Artifact: discoveryPath, Topic: "scope and direction", Next: "product brief",
		Perspectives: []pipeline.Perspective{pipeline.Product, pipeline.Risk, pipeline.Coverage}},
	{ID: "DISCUSS-002", Task: "DRAFT-001", Artifact: "spec/product-brief.md", Topic: "positioning and feasibility", Next: "requirements",
		Perspectives: []pipeline.Perspective{pipeline.Product, pipeline.Technical, pipeline.Quality, pipeline.Coverage}},
	{ID: "DISCUSS-003", Task: "DRAFT-002", Artifact: "spec/requirements/_index.md", Topic: "completeness and priority", Next: "architecture",
		Perspectives: []pipeline.Perspective{pipeline.Quality, pipeline.Product, pipeline.Coverage}},
	{ID: "DISCUSS-004", Task: "DRAFT-003", Artifact: "spec/architecture/_index.md", Topic: "technical choices and security", Next: "epics",
		Perspectives: []pipeline.Perspective{pipeline.Technical, pipeline.Risk}},
	{ID: "DISCUSS-005", Task: "DRAFT-004", Artifact: "spec/epics/_index.md", Topic: "first slice and estimates", Next: "quality check",
		Perspectives: []pipeline.Perspective{pipeline.Product, pipeline.Technical, pipeline.Quality, pipeline.Coverage}},
	{ID: signOff, Task: "QUALITY-001", Artifact: "spec/readiness-report.md", Topic: "final sign-off", Next: "implementation", Whole: true,
		Perspectives: Perspectives},
}

const signOff pipeline.Round = "DISCUSS-006"

const discoveryPath = "spec/discovery-context.json"

// Perspectives are the five voices in the order they are shown.
var Perspectives = []pipeline.Perspective{
	pipeline.Product, pipeline.Technical, pipeline.Quality, pipeline.Risk, pipeline.Coverage,
}

// findRound looks a round up; an unknown one is refused with the list.
func findRound(id pipeline.Round) (round, error) {
	i := slices.IndexFunc(rounds, func(r round) bool { return r.ID == id })
	if i >= 0 {
		return rounds[i], nil
	}
	known := make([]string, len(rounds))
	for i, r := range rounds {
		known[i] = string(r.ID)
	}
	return round{}, &pipeline.Refusal{Text: fmt.Sprintf("unknown round %q: one of %s", id, strings.Join(known, ", "))}
}

// documentType reads the frontmatter field that says which document a file is.
var documentType = regexp.MustCompile(`(?m)^document_type:\s*"?([a-z-]+)`)

// roundsByType are the rounds of documents that say what they are.
var roundsByType = map[string]pipeline.Round{
	"product-brief": "DISCUSS-002", "requirements": "DISCUSS-003", "requirements-index": "DISCUSS-003",
	"architecture": "DISCUSS-004", "architecture-index": "DISCUSS-004", "epics": "DISCUSS-005", "epics-index": "DISCUSS-005",
	"readiness-report": signOff, "spec-summary": signOff,
}

// Guess is the round of a document: by its path, by what its frontmatter says,
// else the brief's, whose panel suits any prose.
func Guess(path, text string) pipeline.Round {
	for _, r := range rounds {
		tail := strings.TrimPrefix(r.Artifact, "spec/")
		if path == tail || path == r.Artifact || strings.HasSuffix(path, "/"+tail) {
			return r.ID
		}
	}
	if m := documentType.FindStringSubmatch(text); m != nil && roundsByType[m[1]] != "" {
		return roundsByType[m[1]]
	}
	if strings.HasSuffix(path, ".json") {
		return "DISCUSS-001"
	}
	return "DISCUSS-002"
}

// Mount is where a round expects its artifact in a session folder.
func Mount(id pipeline.Round) (string, error) {
	r, err := findRound(id)
	return r.Artifact, err
}

// ParsePerspectives reads names such as "product,risk"; an unknown name or a
// duplicate is refused with the list.
func ParsePerspectives(names []string) ([]pipeline.Perspective, error) {
	var out []pipeline.Perspective
	for _, name := range names {
		p := pipeline.Perspective(strings.TrimSpace(name))
		if !slices.Contains(Perspectives, p) {
			return nil, &pipeline.Refusal{Text: fmt.Sprintf("unknown perspective %q: one of %s", name, joinVoices(Perspectives))}
		}
		if slices.Contains(out, p) {
			return nil, &pipeline.Refusal{Text: fmt.Sprintf("perspective %q is named twice", name)}
		}
		out = append(out, p)
	}
	return out, nil
}

// order is a perspective's place in the table; what is shown never depends on
// who answered first.
func order(p pipeline.Perspective) int { return slices.Index(Perspectives, p) }

// backed is the voices that one backend gave.
type backed struct {
	backend string
	voices  []pipeline.Perspective
}

// oneModel lists the backends that answered for two voices or more: such
// voices agree less freely than two families would.
func oneModel(opinions []pipeline.Opinion) []backed {
	var out []backed
	for _, o := range opinions {
		name, _, _ := strings.Cut(strings.ReplaceAll(o.Source, ",", " "), " ")
		if name == "" || name == "rules" || o.Usage.Calls+o.Usage.Cached == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(b backed) bool { return b.backend == name })
		if i < 0 {
			i, out = len(out), append(out, backed{backend: name})
		}
		out[i].voices = append(out[i].voices, o.Perspective)
	}
	return slices.DeleteFunc(out, func(b backed) bool { return len(b.voices) < 2 })
}

func joinVoices(voices []pipeline.Perspective) string {
	names := make([]string, len(voices))
	for i, v := range voices {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}
