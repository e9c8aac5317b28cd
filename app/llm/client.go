package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

// repairs is how often a violation is named to the same backend.
const repairs = 2

// Config is what a Client is made of. The zero value answers ErrNoModel.
type Config struct {
	// Backends by name; see FromEnvironment.
	Backends map[string]Backend
	// Chains are the backends per slot, first choice first; a missing slot uses DefaultChains.
	Chains      map[string][]string
	CallTimeout time.Duration
	Parallel    int // calls to one backend at once
	Cache       KV
	CacheTTL    time.Duration
	Limits      Limits
	Meter       Meter
	Prices      map[string]Price // by model, over the built-in table
	Secrets     []string         // never to be sent or returned
	Now         func() time.Time
	// Failed and Spent report to the metrics; nil is fine.
	Failed func(backend, class string)
	Spent  func(slot string, u pipeline.Usage)
}

// KV is the cache a deployment shares; nil keeps none.
type KV interface {
	Get(ctx context.Context, key string) ([]byte, bool, error)
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// Client implements pipeline.Model.
type Client struct {
	cfg    Config
	gates  map[string]*gate
	redact *pipeline.Redactor
}

// New fills what is not set.
func New(cfg Config) *Client {
	if cfg.CallTimeout <= 0 {
		cfg.CallTimeout = time.Minute
	}
	if cfg.Parallel <= 0 {
		cfg.Parallel = 8
	}
	if cfg.CacheTTL <= 0 {
		cfg.CacheTTL = 7 * 24 * time.Hour
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Failed == nil {
		cfg.Failed = func(string, string) {}
	}
	if cfg.Spent == nil {
		cfg.Spent = func(string, pipeline.Usage) {}
	}
	c := &Client{cfg: cfg, gates: map[string]*gate{}, redact: pipeline.NewRedactor(cfg.Secrets)}
	for name := range cfg.Backends {
		c.gates[name] = newGate(cfg.Parallel)
	}
	return c
}

// Chain lists the configured backends of a slot in the order they are asked.
func (c *Client) Chain(slot string) []string {
	chain, ok := c.cfg.Chains[slot]
	if !ok {
		chain = DefaultChains[slot]
	}
	var out []string
	for _, name := range chain {
		if _, ok := c.cfg.Backends[name]; ok {
			out = append(out, name)
		}
	}
	return out
}

// chainFor is the slot's chain, the vendors that wrote what is judged last: no
// model judges its own draft where another is there.
func (c *Client) chainFor(p pipeline.Prompt) []string {
	chain := c.Chain(p.Slot)
	own := func(name string) bool {
		return slices.ContainsFunc(p.Authors, func(author string) bool { return vendorOf(name) == vendorOf(author) })
	}
	return append(slices.DeleteFunc(slices.Clone(chain), own), slices.DeleteFunc(chain, func(name string) bool { return !own(name) })...)
}

// Ask implements pipeline.Model.
func (c *Client) Ask(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
	start := c.cfg.Now()
	q := c.question(p)
	var reply pipeline.Reply
	for _, name := range c.chainFor(p) {
		got, attempt := c.askBackend(ctx, name, q)
		reply.Trail = append(reply.Trail, attempt)
		reply.Usage = reply.Usage.Plus(got.Usage)
		if attempt.Class == classOK {
			got.Trail, got.Usage = reply.Trail, reply.Usage
			got.Badge = badge(got, reply.Trail)
			got.Injection = q.injection
			got.TookMS = c.cfg.Now().Sub(start).Milliseconds()
			c.cfg.Spent(p.Slot, got.Usage)
			return got, nil
		}
		c.cfg.Failed(name, attempt.Class)
		if ctx.Err() != nil {
			break
		}
	}
	reply.Injection = q.injection
	reply.TookMS = c.cfg.Now().Sub(start).Milliseconds()
	c.cfg.Spent(p.Slot, reply.Usage)
	return reply, fmt.Errorf("%s: %w", strings.Join(trailWords(reply.Trail), ", "), pipeline.ErrNoModel)
}

// askBackend is one backend's turn: cache, budget, the call and its repairs.
func (c *Client) askBackend(ctx context.Context, name string, q question) (pipeline.Reply, pipeline.Attempt) {
	b := c.cfg.Backends[name]
	key := q.cacheKey(b)
	if hit, ok := c.cached(ctx, key, q); ok {
		hit.Backend, hit.Model, hit.Cached = name, b.Model(), true
		return hit, pipeline.Attempt{Backend: name, Class: classOK}
	}
	reply := pipeline.Reply{Backend: name, Model: b.Model()}
	turns := q.turns
	var last *fault
	var raw string
	for try := 0; try <= repairs; try++ {
		answer, err := c.call(ctx, name, q, turns)
		if err == nil || !asFault(err).unasked() {
			reply.Usage = reply.Usage.Plus(c.usage(b.Model(), answer))
		}
		if err == nil {
			raw = answer.Text
			var text string
			if text, err = q.accept(answer, c.redact); err == nil {
				reply.Text = text
				c.remember(ctx, key, reply)
				return reply, pipeline.Attempt{Backend: name, Class: classOK}
			}
		}
		last = asFault(err)
		if !last.repairable() {
			break
		}
		turns = append(turns[:len(turns):len(turns)],
			Turn{Assistant, answer.Text}, Turn{User, repairText(last)})
	}
	if text, ok := q.salvage(raw, c.redact); ok && last.repairable() {
		reply.Text, reply.Salvaged = text, true
		return reply, pipeline.Attempt{Backend: name, Class: classOK, Detail: "salvaged after: " + last.detail}
	}
	return reply, pipeline.Attempt{Backend: name, Class: last.class, Detail: last.detail}
}

// call makes one paid call, under the budget, the backend's gate and a deadline.
func (c *Client) call(ctx context.Context, name string, q question, turns []Turn) (Answer, error) {
	b := c.cfg.Backends[name]
	estimate := c.estimate(b.Model(), turns, q.maxTokens)
	refund, err := c.reserve(ctx, q.prompt, estimate)
	if err != nil {
		return Answer{}, err
	}
	var spent int64
	defer func() { refund(estimate - spent) }()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.CallTimeout)
	defer cancel()
	leave, err := c.gates[name].enter(ctx, q.prompt.Account.Installation)
	if err != nil {
		return Answer{}, &fault{classTimeout, noPlace}
	}
	defer leave()
	answer, err := b.Ask(ctx, Call{System: q.system, Turns: turns, Schema: q.schema, MaxTokens: q.maxTokens})
	spent = c.price(b.Model(), answer)
	if err != nil && ctx.Err() != nil {
		return answer, &fault{classTimeout, fmt.Sprintf("no answer in %s", c.cfg.CallTimeout)}
	}
	if err != nil {
		return answer, asFault(err)
	}
	return answer, nil
}

func (c *Client) usage(model string, a Answer) pipeline.Usage {
	if a.Text == "" && a.InputTokens == 0 {
		return pipeline.Usage{Calls: 1}
	}
	u := pipeline.Usage{Calls: 1, InputTokens: a.InputTokens, OutputTokens: a.OutputTokens}
	if _, known := c.priceOf(model); !known {
		u.Unpriced = 1
		return u
	}
	u.Micros = c.price(model, a)
	return u
}

// badge is what people see as the source of an answer.
func badge(r pipeline.Reply, trail []pipeline.Attempt) string {
	out := r.Backend
	switch {
	case r.Cached:
		out += " (cached)"
	case r.Salvaged:
		out += " (salvaged)"
	}
	if n := len(trail); n > 1 {
		out += ", after " + strings.Join(trailWords(trail[:n-1]), ", ")
	}
	return out
}

func trailWords(trail []pipeline.Attempt) []string {
	out := make([]string, len(trail))
	for i, a := range trail {
		out[i] = a.Backend + " " + a.Class
	}
	return out
}

func asFault(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	return &fault{classServer, err.Error()}
}
