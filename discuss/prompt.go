package discuss

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley/pipeline"
)

// promptVersion is part of every record and cache key; raise it with any
// change to the texts in prompts/ or the checks.
const promptVersion = "1"

//go:embed prompts
var prompts embed.FS

// checks are the six questions of each perspective, answerable from the text.
var checks = map[pipeline.Perspective][6]string{
	pipeline.Product: {
		"the problem, its users and their pain are stated with evidence",
		"every goal is measurable",
		"scope and non-goals do not clash",
		"the first slice gives value alone",
		"the priorities force a choice",
		"a builder need not invent a product decision",
	},
	pipeline.Technical: {
		"it is feasible on the facts given about the codebase",
		"interfaces and the owners of data are named",
		"every hard non-functional requirement is answered by a decision",
		"the options are truly different and the loser's reason is given",
		"dependencies and their versions are known",
		"a simpler option was considered",
	},
	pipeline.Quality: {
		"each statement has one reading",
		"each statement is testable as written",
		"terms are used one way",
		"nothing contradicts another file",
		"it is the right size for its reader",
		"ids can be traced throughout",
	},
	pipeline.Risk: {
		"the failure of every outside dependency is handled",
		"abuse and access are considered",
		"loss of data and rollback are considered",
		"assumptions are listed and checkable",
		"each risk has a mitigation and an owner",
		"duties of compliance or privacy are noted",
	},
	pipeline.Coverage: {
		"each ask has a requirement",
		"each requirement has a source",
		"acceptance criteria cover number, role and condition",
		"failure paths are covered",
		"the kinds of non-functional requirement are considered",
		"there is nothing beyond the asks",
	},
}

func checkID(p pipeline.Perspective, i int) string { return fmt.Sprintf("%s-%d", p, i+1) }

// own are the schema's fields of one perspective alone.
var own = map[pipeline.Perspective]struct{ fields, required string }{
	pipeline.Coverage: {
		`"missing_requirements": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "properties": {"text": {"type": "string"}, "source": {"$ref": "#/$defs/evidence"}}, "required": ["text", "source"]}},
    "coverage_map": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "properties": {"source_id": {"type": "string"}, "covered_by": {"type": "array", "items": {"type": "string"}},
        "state": {"type": "string", "enum": ["covered", "partial", "uncovered", "scoped_out"]}},
      "required": ["source_id", "covered_by", "state"]}},`,
		`"missing_requirements", "coverage_map",`},
	pipeline.Risk: {
		`"risk_level": {"type": "string", "enum": ["low", "medium", "high", "critical"]},
    "risks": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "properties": {"text": {"type": "string"}, "likelihood": {"type": "string"}, "impact": {"type": "string"}, "mitigation": {"type": "string"}},
      "required": ["text", "likelihood", "impact", "mitigation"]}},
    "assumptions_to_validate": {"type": "array", "items": {"type": "string"}},`,
		`"risk_level", "risks", "assumptions_to_validate",`},
	pipeline.Quality: {
		`"testability_issues": {"type": "array", "items": {"type": "string"}},`,
		`"testability_issues",`},
}

// question is a prompt and what is needed to judge its answer.
type question struct{ prompt pipeline.Prompt }

// question asks one perspective. The order of parts never changes, so that
// the prefix of a prompt is the same from run to run.
func (h *hearing) question(p pipeline.Perspective) question {
	s := h.review.Session
	return question{prompt: pipeline.Prompt{
		Slot: string(p), Version: promptVersion,
		System: system(p), Facts: h.facts(), Sources: h.sources(p),
		Task:      fmt.Sprintf("Judge %s from the %s perspective and answer in the JSON form given.", h.review.Artifact, p),
		Schema:    schema(p),
		Check:     func(raw []byte) error { return h.check(p, raw) },
		Salvage:   func(text string) ([]byte, bool) { return salvage(p, text) },
		MaxTokens: 2000, Language: s.Language, Verdict: true, Authors: h.review.Authors,
		Account: pipeline.Account{Session: s.ID, Repo: s.Repo.ID, Installation: s.Repo.Installation, Task: h.task()},
	}}
}

// text reads an embedded prompt; a missing one is a mistake of the build.
func text(name string) string {
	raw, err := prompts.ReadFile("prompts/" + name)
	if err != nil {
		panic("discuss: prompt " + name + " is not in the binary")
	}
	return string(raw)
}

// system is the whole role of one perspective: who it is, what it checks, how it answers.
func system(p pipeline.Perspective) string {
	var b strings.Builder
	b.WriteString(text(string(p) + ".md"))
	b.WriteString("\nChecks\n\n")
	for i, c := range checks[p] {
		fmt.Fprintf(&b, "- %s: %s\n", checkID(p, i), c)
	}
	b.WriteString("\n" + text("rules.md"))
	return b.String()
}

func schema(p pipeline.Perspective) json.RawMessage {
	ids := make([]string, len(checks[p]))
	for i := range checks[p] {
		ids[i] = fmt.Sprintf("%q", checkID(p, i))
	}
	return json.RawMessage(strings.NewReplacer(
		"$PERSPECTIVE", string(p), "$CHECKS", strings.Join(ids, ", "),
		"$OWN", own[p].fields, "$REQUIRED", own[p].required,
	).Replace(text("schema.json")))
}

// facts are what is computed and therefore trusted: the trace table and what
// people have accepted. No ratings, no linter hits, no names: those would lead the voice.
func (h *hearing) facts() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Round %s, %s. Document: %s.\n", h.round.ID, h.round.Topic, h.review.Artifact)
	b.WriteString(h.trace())
	for _, f := range h.ledger.Findings {
		if f.State == pipeline.FindingAccepted {
			fmt.Fprintf(&b, "Accepted by the team, not to be raised again: %s\n", fold(f.Claim))
		}
	}
	return b.String()
}

// issueSource is the name under which the issue's text is quoted.
const issueSource = "issue"

// sources are the texts a voice reads. Coverage also needs what was asked.
func (h *hearing) sources(p pipeline.Perspective) []pipeline.Source {
	var out []pipeline.Source
	for _, name := range h.scope.files {
		text, _ := h.scope.text(name)
		out = append(out, pipeline.Source{Name: name, Text: text})
	}
	if p != pipeline.Coverage {
		return out
	}
	if raw, ok := h.review.Folder[discoveryPath]; ok && !h.scope.has(discoveryPath) {
		out = append(out, pipeline.Source{Name: discoveryPath, Text: string(raw)})
	}
	if ask := asked(h.review.Issue); ask != "" {
		out = append(out, pipeline.Source{Name: issueSource, Text: ask, Author: h.review.Issue.Author})
	}
	return out
}

// asked is the issue as people wrote it, without their names.
func asked(i pipeline.IssueText) string {
	parts := []string{i.Title, i.Body}
	for _, c := range i.Comments {
		if c.Writer {
			parts = append(parts, c.Body)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}
