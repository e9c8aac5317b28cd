package llm

import (
	"context"
	"encoding/json"

	"parley/pipeline"
)

// kept is what the cache holds of an answer.
type kept struct {
	Text string `json:"text"`
}

// cached returns an earlier answer to the same question, if it still passes
// the check: a check may have become stricter since.
func (c *Client) cached(ctx context.Context, key string, q question) (pipeline.Reply, bool) {
	if c.cfg.Cache == nil {
		return pipeline.Reply{}, false
	}
	raw, ok, err := c.cfg.Cache.Get(ctx, key)
	var k kept
	if err != nil || !ok || json.Unmarshal(raw, &k) != nil {
		return pipeline.Reply{}, false
	}
	if q.prompt.Check != nil && q.prompt.Check([]byte(k.Text)) != nil {
		return pipeline.Reply{}, false
	}
	return pipeline.Reply{Text: k.Text, Usage: pipeline.Usage{Cached: 1}}, true
}

// remember keeps an answer. A cache that cannot be written costs money later,
// not correctness now.
func (c *Client) remember(ctx context.Context, key string, r pipeline.Reply) {
	if c.cfg.Cache == nil {
		return
	}
	if err := c.cfg.Cache.Set(ctx, key, mustJSON(kept{r.Text}), c.cfg.CacheTTL); err != nil {
		c.cfg.Failed(r.Backend, "cache")
	}
}
