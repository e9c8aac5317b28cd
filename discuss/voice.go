package discuss

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/pipeline"
)

// voice is what one perspective contributes to a round.
type voice struct {
	opinion   pipeline.Opinion
	findings  []pipeline.Finding
	risks     []pipeline.RiskFlag
	questions []string
	injection []pipeline.Injection
	warnings  []string
	checked   int                // quotes looked up
	dropped   int                // findings whose quote is not in the text
	tried     []pipeline.Attempt // every backend asked, in order
	spent     string             // the budget that kept a model from being asked
	took      time.Duration
}

// ask hears every perspective at once, each without knowledge of the others.
// late is true when the round's time ran out before all had answered.
func (c *Critic) ask(ctx context.Context, h *hearing) (voices []voice, late bool) {
	limit := c.cfg.RoundTimeout
	if at, ok := ctx.Deadline(); ok {
		// The job's own deadline would take the verdict with it.
		limit = min(limit, time.Until(at)*9/10)
	}
	round, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	voices = make([]voice, len(h.panel))
	var wg sync.WaitGroup
	wg.Go(func() { h.rules() })
	for i, p := range h.panel {
		wg.Go(func() { voices[i] = c.hear(round, h, p) })
	}
	wg.Wait()
	return voices, outOfTime(round.Err())
}

// hear asks the model for one perspective and falls back to the rules.
func (c *Critic) hear(ctx context.Context, h *hearing, p pipeline.Perspective) voice {
	if c.cfg.Model == nil {
		return h.byRules(p, "")
	}
	call, cancel := context.WithTimeout(ctx, c.cfg.CallTimeout)
	defer cancel()
	began := c.cfg.Now()
	q := h.question(p)
	reply, err := c.cfg.Model.Ask(call, q.prompt)
	took := c.cfg.Now().Sub(began)
	if err != nil {
		v := h.byRules(p, fallReason(reply, err))
		v.took = took
		v.injection = reply.Injection
		v.opinion.Usage = v.opinion.Usage.Plus(reply.Usage)
		v.spent = spentBudget(reply)
		v.tried = reply.Trail
		if !errors.Is(err, pipeline.ErrNoModel) {
			v.warnings = append(v.warnings, h.say(wByRules, h.voice(p), h.source(fallReason(reply, err))))
		}
		return v
	}
	v, err := h.byModel(p, reply)
	if err != nil {
		v = h.byRules(p, reply.Backend+" invalid")
		v.opinion.Usage = v.opinion.Usage.Plus(reply.Usage)
		v.warnings = append(v.warnings, h.say(wByRules, h.voice(p), h.say(outcomes["invalid"])))
	}
	v.took, v.tried = took, reply.Trail
	v.injection = addInjections(v.injection, reply.Injection)
	return v
}
