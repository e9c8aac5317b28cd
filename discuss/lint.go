package discuss

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// lint reads the specification by rules and keeps what was hit in the round's
// texts. What people have accepted weighs nothing from then on.
func (h *hearing) lint() reading {
	options := spec.Options{
		Language: h.review.Session.Language, Disabled: h.review.Session.Settings.DisabledRules, Paths: paths(h.review.Source),
	}
	if h.round.Whole {
		options.Suspects = h.set.Suspects() // what the report before it found
	}
	var hits []spec.Finding
	r := reading{ratings: map[pipeline.Perspective]spec.Rating{}}
	for _, f := range spec.Check(h.set, options) {
		here := h.round.Whole || h.scope.has(f.File)
		if here {
			r.asks = append(r.asks, questionOf(f)...)
			r.allowed = append(r.allowed, h.allowanceOf(f)...)
		}
		if f.Grade == string(pipeline.Info) || h.ledger.accepted(fromRule(f, nil)) {
			continue
		}
		hits = append(hits, f)
		if here {
			r.findings = append(r.findings, f)
		}
	}
	for _, p := range h.panel {
		r.ratings[p] = spec.Rate(h.set, hits, string(p), h.artifacts()...)
	}
	r.risks = h.risksIn()
	return r
}

// documents are the whole specification: a round judges one document, but
// links and traces reach the others.
func (h *hearing) documents() []spec.File {
	names := specFiles(h.review.Folder, "")
	if !slices.Contains(names, h.review.Artifact) {
		names = append(names, h.review.Artifact)
	}
	out := make([]spec.File, len(names))
	for i, name := range names {
		out[i] = spec.File{Path: name, Text: h.review.Folder[name]}
	}
	return out
}

// artifacts are the documents a round judges; nil is all.
func (h *hearing) artifacts() []string {
	if h.round.Whole {
		return nil
	}
	return []string{h.review.Artifact}
}

// mostPaths is how large a repository may be for its paths to be listed.
const mostPaths = 50_000

var errTooMany = errors.New("too many files")

// paths lists the repository's files for grounding; nil where there is none
// or it is too large to list in every round.
func paths(source fs.FS) map[string]bool {
	if source == nil {
		return nil
	}
	out := map[string]bool{}
	err := fs.WalkDir(source, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		out[name] = true
		if len(out) > mostPaths {
			return errTooMany
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}

// questionRule's hits are no faults but questions to the author.
const questionRule = "L64"

func questionOf(f spec.Finding) []string {
	if f.Rule != questionRule {
		return nil
	}
	return []string{f.Message}
}

// allowanceOf names a finding that a mark in the text silences: whoever reads
// the verdict sees what was not counted, and why.
func (h *hearing) allowanceOf(f spec.Finding) []string {
	if f.Reason == "" {
		return nil
	}
	return []string{h.say(wSilenced, f.Rule, at(f.File, f.Line), clip(f.Reason, 160))}
}

// risksIn are the risks the judged documents name themselves.
func (h *hearing) risksIn() []pipeline.RiskFlag {
	var rows []spec.RiskRow
	if a, err := spec.ParseArchitecture(h.set); err == nil && (h.round.Whole || h.review.Artifact == "spec/architecture/_index.md") {
		rows = append(rows, a.Risks...)
	}
	if e, err := spec.ParseEpics(h.set); err == nil && h.round.Whole {
		rows = append(rows, e.Risks...)
	}
	var out []pipeline.RiskFlag
	for _, r := range rows {
		out = append(out, pipeline.RiskFlag{Text: clip(r.Risk, 240), Likelihood: clip(r.Likelihood, 40), Impact: clip(r.Impact, 160), Mitigation: clip(r.Mitigation, 240)})
	}
	return out
}

// traceTable is the computed matrix in words, for a model to rely on.
func traceTable(chains []spec.Chain) string {
	var b strings.Builder
	for _, c := range chains {
		fmt.Fprintf(&b, "%s %q: requirements %s; design %s; stories %s", c.From, clip(c.Text, 160), orNone(c.Reqs), orNone(c.Design), orNone(c.Stories))
		if c.Missing != "" {
			fmt.Fprintf(&b, "; missing: %s", c.Missing)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// strengths are the positive proofs a rating found, in plain words.
func strengths(r spec.Rating) []string {
	var out []string
	for _, line := range r.Sum {
		if proof, ok := strings.CutPrefix(line, "+"); ok {
			_, words, _ := strings.Cut(proof, " ")
			out = append(out, words)
		}
	}
	return out
}
