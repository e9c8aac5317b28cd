package discuss

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// Config is what a Critic and a Discussant need.
type Config struct {
	// Model answers for the perspectives; nil judges by rules alone.
	Model pipeline.Model
	// CallTimeout bounds one perspective's question with all its backends and
	// repair turns; RoundTimeout bounds the whole panel.
	CallTimeout  time.Duration
	RoundTimeout time.Duration
	Now          func() time.Time
}

// Critic runs discuss rounds. It holds no state and may be shared.
type Critic struct{ cfg Config }

// New returns a Critic; zero values are filled with the defaults of the design.
func New(cfg Config) *Critic {
	cfg.CallTimeout = cmp.Or(cfg.CallTimeout, 180*time.Second)
	cfg.RoundTimeout = cmp.Or(cfg.RoundTimeout, 300*time.Second)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Critic{cfg: cfg}
}

// hearing is one round on its way to a verdict.
type hearing struct {
	review pipeline.Review
	round  round
	run    int
	scope  scope
	panel  []pipeline.Perspective
	ledger Ledger
	set    *spec.Set
	// rules is what the rules see, read once, while the models are thinking.
	rules    func() reading
	trace    func() string // the computed trace table
	warnings []string
	tried    []string // what happened before the voices had their answers
}

// Critique runs the round and returns its verdict, record and ledger. A
// missing artifact or an unknown round is a Refusal; nothing else but a
// cancelled context keeps it from a verdict.
func (c *Critic) Critique(ctx context.Context, r pipeline.Review) (pipeline.Judgement, error) {
	return c.Hear(ctx, r, nil)
}

// Hear is Critique with another panel than the round's own; nil is the round's own.
func (c *Critic) Hear(ctx context.Context, r pipeline.Review, panel []pipeline.Perspective) (pipeline.Judgement, error) {
	began := c.cfg.Now()
	h, err := c.convene(r, panel)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	say(r, fmt.Sprintf("%s: perspectives: %d, files read: %d", h.round.ID, len(h.panel), len(h.scope.files)))
	voices, late := c.ask(ctx, h)
	if errors.Is(ctx.Err(), context.Canceled) {
		return pipeline.Judgement{}, fmt.Errorf("round %s: %w", h.round.ID, context.Cause(ctx))
	}
	v := h.conclude(voices)
	if late {
		v.Partial = true
		v.Warnings = append(v.Warnings, h.say(wLate))
	}
	var waited time.Duration
	for _, one := range voices {
		waited = max(waited, one.took)
	}
	took := c.cfg.Now().Sub(began)
	v.TookMS, v.OwnMS = took.Milliseconds(), (took - waited).Milliseconds()
	return h.judgement(v)
}

func say(r pipeline.Review, text string) {
	if r.Progress != nil {
		r.Progress(text)
	}
}

// convene reads everything the round needs before anybody is asked.
func (c *Critic) convene(r pipeline.Review, panel []pipeline.Perspective) (*hearing, error) {
	rd, err := findRound(r.Round)
	if err != nil {
		return nil, err
	}
	h := &hearing{review: r, round: rd}
	h.review.Artifact = cmp.Or(r.Artifact, rd.Artifact)
	var ok bool
	if h.scope, ok = newScope(r.Folder, rd, h.review.Artifact); !ok {
		return nil, &pipeline.Refusal{Text: "Artifact not found: " + h.review.Artifact}
	}
	if panel == nil {
		panel = rd.Perspectives
	}
	h.panel = slices.SortedFunc(slices.Values(panel), func(a, b pipeline.Perspective) int { return cmp.Compare(order(a), order(b)) })
	h.round.Perspectives = h.panel
	h.dropCoverage()
	var lost bool
	if h.ledger, lost = readLedger(r.Folder); lost {
		h.warn(h.say(wLedgerAnew))
	}
	h.ledger.accept(r.Session)
	h.run = h.ledger.nextRun(rd.ID)
	h.set = spec.Parse(h.documents())
	h.rules = sync.OnceValue(h.lint)
	h.trace = sync.OnceValue(func() string { return traceTable(spec.Trace(h.set, spec.Options{})) })
	return h, nil
}

// dropCoverage takes the coverage voice out where there is nothing to compare
// the artifact with.
func (h *hearing) dropCoverage() {
	if _, ok := h.review.Folder[discoveryPath]; ok || !slices.Contains(h.panel, pipeline.Coverage) || len(h.panel) == 1 {
		return
	}
	h.panel = slices.DeleteFunc(slices.Clone(h.panel), func(p pipeline.Perspective) bool { return p == pipeline.Coverage })
	h.warn(h.say(wNoContext, discoveryPath))
}

func (h *hearing) warn(text string) { h.warnings = append(h.warnings, text) }

// conclude turns the voices into the verdict.
func (h *hearing) conclude(voices []voice) pipeline.Verdict {
	var found []pipeline.Finding
	opinions := make([]pipeline.Opinion, len(voices))
	for i, one := range voices {
		opinions[i] = one.opinion
		found = append(found, one.findings...)
	}
	found = mergeFindings(append(found, h.rules().found(h)...))
	state := h.ledger.settle(found, h.scope, h.round, h.run)

	v := Tally(opinions, Conditions{
		Round: h.round.ID, Literal: h.review.Session.Settings.LiteralSeverity,
		HighBefore:   h.ledger.highBefore(h.round.ID),
		OnlyBlockers: h.run > 1, OpenBlockers: blockers(state.Open), Language: h.review.Session.Language,
	})
	v.Run, v.Artifact = h.run, h.review.Artifact
	v.Findings, v.Fixed = state.Open, state.Fixed
	v.Themes = themes(v.Opinions, v.Findings)
	v.Actions = actions(v.Opinions, v.Findings)
	v.Versions = pipeline.PanelVersions{Rules: spec.RulesVersion, Prompt: promptVersion}
	h.gather(&v, voices)
	h.explain(&v)
	if state.Muted > 0 {
		v.Warnings = append(v.Warnings, h.say(wMuted, state.Muted))
	}
	v.Warnings = append(slices.Clone(h.warnings), v.Warnings...)
	h.ledger.Runs = append(h.ledger.Runs, Run{
		Round: h.round.ID, Run: h.run, Consensus: v.Consensus, Severity: v.Severity, Average: v.Average, Texts: h.scope.digests,
	})
	return v
}

func blockers(list []pipeline.Finding) int {
	n := 0
	for _, f := range list {
		if f.Grade == pipeline.Blocker {
			n++
		}
	}
	return n
}

// gather adds up what the voices said beside their ratings.
func (h *hearing) gather(v *pipeline.Verdict, voices []voice) {
	broke, why := 0, ""
	for _, one := range voices {
		v.Gaps = texts(append(v.Gaps, one.opinion.Missing...))
		v.OpenQuestions = texts(append(v.OpenQuestions, one.questions...))
		v.Risks = addRisks(v.Risks, one.risks)
		v.Injection = addInjections(v.Injection, one.injection)
		v.QuotesChecked += one.checked
		v.Dropped += one.dropped
		v.Usage = v.Usage.Plus(one.opinion.Usage)
		v.Warnings = append(v.Warnings, one.warnings...)
		if one.spent != "" {
			broke, why = broke+1, one.spent
		}
	}
	if broke > 0 {
		v.Warnings = append(v.Warnings, h.say(wSpent, why, broke, len(voices)))
	}
	h.tried = h.stories(voices)
	v.OpenQuestions = texts(append(v.OpenQuestions, h.rules().asks...))
	v.Warnings = append(v.Warnings, h.rules().allowed...)
	if hasVoice(v.Opinions, pipeline.Risk) {
		v.Risks = addRisks(v.Risks, h.rules().risks)
	}
	v.Advice = h.advice(*v)
}

// addRisks takes a risk that several voices or documents name alike once.
func addRisks(have, more []pipeline.RiskFlag) []pipeline.RiskFlag {
	for _, r := range more {
		if !slices.Contains(have, r) {
			have = append(have, r)
		}
	}
	return have
}

// addInjections counts one kind at one place once.
func addInjections(have, more []pipeline.Injection) []pipeline.Injection {
	for _, m := range more {
		i := slices.IndexFunc(have, func(x pipeline.Injection) bool { return x.Kind == m.Kind && x.Where == m.Where })
		if i < 0 {
			have = append(have, m)
			continue
		}
		have[i].Count = max(have[i].Count, m.Count)
	}
	return have
}

// advice is what the next phase should keep in mind: the first three actions.
func (h *hearing) advice(v pipeline.Verdict) []string {
	var out []string
	if h.round.ID == signOff && v.Consensus == pipeline.ConsensusReached {
		out = append(out, h.say(wReady))
	}
	for _, a := range first(v.Actions, 3) {
		out = append(out, a.Text)
	}
	return out
}

// judgement writes record and ledger. A text that cannot be written leaves the
// verdict whole, with a warning.
func (h *hearing) judgement(v pipeline.Verdict) (pipeline.Judgement, error) {
	j := pipeline.Judgement{Text: map[string][]byte{}}
	ledger, err := h.ledger.text()
	if err == nil {
		j.Text[LedgerPath] = ledger
	} else {
		v.Warnings = append(v.Warnings, h.say(wLedgerLost))
	}
	v.Record = pipeline.RecordPath(h.round.ID, h.run)
	all := v.Divergences
	j.Text[v.Record] = h.record(v)
	v.Divergences = all[:min(topDivergences, len(all))]
	j.Verdict = v
	return j, nil
}

// topDivergences is how many a verdict returns; the record keeps them all.
const topDivergences = 3

// outOfTime tells a limit of ours from a cancelled job.
func outOfTime(err error) bool { return errors.Is(err, context.DeadlineExceeded) }
