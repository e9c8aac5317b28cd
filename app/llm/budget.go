package llm

import (
	"context"
	"fmt"
	"time"

	"parley/pipeline"
)

// Limits are in millionths of a US dollar; 0 is no limit.
type Limits struct {
	Session, Repository, Installation, Day int64
}

// Meter counts money where all replicas see it. Add returns the new sum.
type Meter interface {
	Add(ctx context.Context, key string, micros int64, ttl time.Duration) (int64, error)
}

// Price is dollars per million tokens, with the day it was looked up.
type Price struct {
	In, Out float64
	Seen    string
}

// Prices by model. A model that is not here is shown as "price unknown",
// never as free.
var Prices = map[string]Price{
	"claude-sonnet-4-5": {3, 15, "2026-10"},
	"claude-haiku-4-5":  {1, 5, "2026-10"},
	"claude-opus-4-5":   {5, 25, "2026-10"},
	"gpt-5":             {1.25, 10, "2026-10"},
	"gpt-5-mini":        {0.25, 2, "2026-10"},
	"gemini-2.5-pro":    {1.25, 10, "2026-10"},
	"gemini-2.5-flash":  {0.30, 2.50, "2026-10"},
}

func (c *Client) priceOf(model string) (Price, bool) {
	if p, ok := c.cfg.Prices[model]; ok {
		return p, true
	}
	p, ok := Prices[model]
	return p, ok
}

// price of an answer in millionths of a dollar; 0 when the price is unknown.
func (c *Client) price(model string, a Answer) int64 {
	p, _ := c.priceOf(model)
	return int64(p.In*float64(a.InputTokens) + p.Out*float64(a.OutputTokens))
}

// estimate is what a call may cost at most, four characters to a token.
func (c *Client) estimate(model string, turns []Turn, maxTokens int) int64 {
	chars := 0
	for _, t := range turns {
		chars += len(t.Text)
	}
	return c.price(model, Answer{InputTokens: chars / 4, OutputTokens: maxTokens})
}

// room is what a question may take of a budget: drafts leave the last fifth to
// the verdicts on them, in whatever slot they ask.
func room(p pipeline.Prompt, limit int64) int64 {
	if p.Verdict {
		return limit
	}
	return limit - limit/5
}

// reserve takes the estimate from every budget before the call, so that a
// budget cannot be overrun by calls made side by side. The returned function
// gives back what was not used.
func (c *Client) reserve(ctx context.Context, p pipeline.Prompt, estimate int64) (func(int64), error) {
	none := func(int64) {}
	if c.cfg.Meter == nil || estimate == 0 {
		return none, nil
	}
	a := p.Account
	day := c.cfg.Now().UTC().Format("2006-01-02")
	budgets := []struct {
		name, key string
		limit     int64
		ttl       time.Duration
	}{
		{"session", fmt.Sprintf("spent:session:%d:%s", a.Installation, a.Session), c.cfg.Limits.Session, 60 * 24 * time.Hour},
		{"repository", fmt.Sprintf("spent:repo:%d:%s", a.Repo, day), c.cfg.Limits.Repository, 48 * time.Hour},
		{"installation", fmt.Sprintf("spent:inst:%d:%s", a.Installation, day), c.cfg.Limits.Installation, 48 * time.Hour},
		{"day", "spent:day:" + day, c.cfg.Limits.Day, 48 * time.Hour},
	}
	taken := 0
	giveBack := func(micros int64) {
		if micros == 0 {
			return
		}
		for _, b := range budgets[:taken] {
			// A refund that is lost leaves the budget too low, which is the safe side.
			_, _ = c.cfg.Meter.Add(context.WithoutCancel(ctx), b.key, -micros, b.ttl)
		}
	}
	for _, b := range budgets {
		sum, err := c.cfg.Meter.Add(ctx, b.key, estimate, b.ttl)
		if err != nil {
			giveBack(estimate)
			return none, &fault{classBudget, "the budget cannot be read: " + err.Error()}
		}
		taken++
		if left := room(p, b.limit); b.limit > 0 && sum > left {
			giveBack(estimate)
			kept := ""
			if sum <= b.limit {
				kept = fmt.Sprintf(" but for $%.2f kept for verdicts", float64(b.limit-left)/1e6)
			}
			return none, &fault{classBudget, fmt.Sprintf("the %s's budget of $%.2f is reached%s", b.name, float64(b.limit)/1e6, kept)}
		}
	}
	return giveBack, nil
}
