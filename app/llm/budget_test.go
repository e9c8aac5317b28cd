package llm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/pipeline"
)

type memory struct {
	mu   sync.Mutex
	kv   map[string][]byte
	sums map[string]int64
	ttl  time.Duration // of what was kept last
}

func newMemory() *memory { return &memory{kv: map[string][]byte{}, sums: map[string]int64{}} }

func (m *memory) Get(_ context.Context, key string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.kv[key]
	return v, ok, nil
}

func (m *memory) Set(_ context.Context, key string, v []byte, ttl time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kv[key], m.ttl = v, ttl
	return nil
}

func (m *memory) Add(_ context.Context, key string, n int64, _ time.Duration) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sums[key] += n
	return m.sums[key], nil
}

func TestUnchangedArtifactCostsNothing(t *testing.T) {
	b := backendOf("claude-sonnet-4-5", says(good))
	c := New(Config{Backends: map[string]Backend{"anthropic": b}, Cache: newMemory()})
	first, err := c.Ask(context.Background(), ratingPrompt())
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Ask(context.Background(), ratingPrompt())
	if err != nil || again.Badge != "anthropic (cached)" || again.Text != first.Text || len(b.calls) != 1 {
		t.Fatalf("%q, %d calls, %v", again.Badge, len(b.calls), err)
	}
	if again.Usage != (pipeline.Usage{Cached: 1}) {
		t.Errorf("a cached answer cost %+v", again.Usage)
	}
}

// Whatever decides an answer is in its key; another installation pays for its
// own, and nothing is kept longer than it should be.
func TestAnswersAreKeptByDigest(t *testing.T) {
	for name, change := range map[string]func(*pipeline.Prompt){
		"the artifact":        func(p *pipeline.Prompt) { p.Sources[0].Text += " Soon." },
		"the artifact's name": func(p *pipeline.Prompt) { p.Sources[0].Name = "other.md" },
		"a parent": func(p *pipeline.Prompt) {
			p.Sources = append(p.Sources, pipeline.Source{Name: "brief.md", Text: "Why."})
		},
		"the facts":            func(p *pipeline.Prompt) { p.Facts = "F-01 is accepted." },
		"the role":             func(p *pipeline.Prompt) { p.System += " Be strict." },
		"the prompt's version": func(p *pipeline.Prompt) { p.Version = "2" },
		"the schema": func(p *pipeline.Prompt) {
			p.Schema = json.RawMessage(strings.Replace(string(p.Schema), "integer", "number", 1))
		},
		"the language":     func(p *pipeline.Prompt) { p.Language = "de" },
		"the installation": func(p *pipeline.Prompt) { p.Account.Installation = 9 },
	} {
		b, m := backendOf("claude-sonnet-4-5", says(good)), newMemory()
		c := New(Config{Backends: map[string]Backend{"anthropic": b}, Cache: m, CacheTTL: 3 * time.Hour})
		changed := ratingPrompt()
		change(&changed)
		for _, p := range []pipeline.Prompt{ratingPrompt(), changed, changed} {
			if _, err := c.Ask(context.Background(), p); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.calls) != 2 || m.ttl != 3*time.Hour {
			t.Errorf("%s changed: %d calls, want 2; kept for %s", name, len(b.calls), m.ttl)
		}
	}
}

// Q15: what a call may cost at most has to be left before it is made.
func TestQ15BudgetStopsBeforeTheCall(t *testing.T) {
	m := newMemory()
	b := backendOf("claude-sonnet-4-5", says(good))
	c := New(Config{Backends: map[string]Backend{"anthropic": b}, Meter: m, Limits: Limits{Session: 40_000}})
	p := ratingPrompt()
	p.Account = pipeline.Account{Session: "TLS-x", Repo: 1, Installation: 2}
	reply, err := c.Ask(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	// 100 tokens in at $3 and 10 out at $15 a million.
	if reply.Usage.Micros != 450 || m.sums["spent:session:2:TLS-x"] != 450 {
		t.Errorf("cost %d, metered %d, want 450 both", reply.Usage.Micros, m.sums["spent:session:2:TLS-x"])
	}
	p.MaxTokens = 5000
	reply, err = c.Ask(context.Background(), p)
	if !errors.Is(err, pipeline.ErrNoModel) || reply.Trail[0].Class != classBudget || len(b.calls) != 1 {
		t.Errorf("%v, trail %+v, %d calls", err, reply.Trail, len(b.calls))
	}
	if m.sums["spent:session:2:TLS-x"] != 450 {
		t.Errorf("a call that was not made cost %d", m.sums["spent:session:2:TLS-x"]-450)
	}
}

// A budget that has no room for the first backend may have room for a cheaper
// one; with none left the rest of the round is the rules'.
func TestBudgetGoesToTheNextBackend(t *testing.T) {
	p := ratingPrompt()
	p.Account = pipeline.Account{Session: "TLS-x", Repo: 1, Installation: 2}
	dear, cheap := backendOf("claude-opus-4-5", says(good)), backendOf("gemini-2.5-flash", says(good))
	c := New(Config{Backends: map[string]Backend{"anthropic": dear, "gemini": cheap}, Meter: newMemory(), Limits: Limits{Installation: 10_000}})
	reply, err := c.Ask(context.Background(), p)
	if err != nil || reply.Badge != "gemini, after anthropic budget" || len(dear.calls) != 0 {
		t.Fatalf("badge %q, %d dear calls, %v", reply.Badge, len(dear.calls), err)
	}
	for _, limits := range []Limits{{Session: 1}, {Repository: 1}, {Installation: 1}, {Day: 1}} {
		c := New(Config{Backends: map[string]Backend{"anthropic": dear, "gemini": cheap}, Meter: newMemory(), Limits: limits})
		reply, err := c.Ask(context.Background(), p)
		if !errors.Is(err, pipeline.ErrNoModel) || len(reply.Trail) != 2 || reply.Trail[1].Class != classBudget || reply.Usage.Calls != 0 || len(dear.calls)+len(cheap.calls) != 1 {
			t.Errorf("%+v: %v, trail %+v", limits, err, reply.Trail)
		}
	}
}

func TestUnknownPriceIsUnknown(t *testing.T) {
	c := New(Config{Backends: map[string]Backend{"anthropic": backendOf("brand-new", says(good))}})
	reply, err := c.Ask(context.Background(), ratingPrompt())
	if err != nil || reply.Usage.Unpriced != 1 || reply.Usage.Micros != 0 {
		t.Fatalf("%+v, %v", reply.Usage, err)
	}
}

// Drafts leave the last fifth of a budget to the verdicts on them.
func TestVerdictsHaveTheirReserve(t *testing.T) {
	m := newMemory()
	b := backendOf("claude-sonnet-4-5", says(good))
	c := New(Config{Backends: map[string]Backend{"anthropic": b}, Meter: m, Limits: Limits{Session: 100_000}})
	ask := func(slot pipeline.Perspective, verdict bool) (pipeline.Reply, error) {
		p := ratingPrompt()
		p.Slot, p.Verdict, p.Account = string(slot), verdict, pipeline.Account{Session: "TLS-x", Installation: 2}
		return c.Ask(context.Background(), p)
	}
	m.sums["spent:session:2:TLS-x"] = 60_000                                                                 // a call may cost 30,000 and a little at most
	for _, slot := range []pipeline.Perspective{pipeline.Perspective(pipeline.Writer), pipeline.Technical} { // views and critique ask where judges do
		reply, err := ask(slot, false)
		if want := "the session's budget of $0.10 is reached but for $0.02 kept for verdicts"; err == nil || reply.Trail[0].Detail != want {
			t.Errorf("a draft in slot %s: %v, %+v, want %q", slot, err, reply.Trail, want)
		}
	}
	reply, err := ask(pipeline.Risk, true)
	if err != nil || reply.Usage.Micros != 450 {
		t.Errorf("a verdict: %v, %+v", err, reply)
	}
	m.sums["spent:session:2:TLS-x"] = 90_000
	if reply, err = ask(pipeline.Risk, true); err == nil || reply.Trail[0].Detail != "the session's budget of $0.10 is reached" {
		t.Errorf("a verdict with nothing left: %v, %+v", err, reply.Trail)
	}
}
