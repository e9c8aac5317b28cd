package discuss

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// scripted is a Model as a closure.
type scripted func(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error)

func (f scripted) Ask(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
	return f(ctx, p)
}

// brief is an artifact whose lines the tests quote.
const brief = `# Brief

The hook service drops deliveries when a customer's endpoint is down.
Operators lose about forty deliveries a week.
Retries must give up after a day.
The first retry happens promptly.
`

const briefPath = "spec/product-brief.md"

func briefFolder() pipeline.Folder {
	return pipeline.Folder{briefPath: []byte(brief), discoveryPath: []byte(`{"session_id":"TLS-retry-142","phase":1}`)}
}

func quote(line int, text string) evidence {
	return evidence{File: briefPath, Start: line, End: line, Quote: text}
}

var solid = quote(4, "Operators lose about forty deliveries a week.")

// answers builds a full answer: y, n or - for na, one letter per check.
func answers(p pipeline.Perspective, marks string) answer {
	rating := 4
	a := answer{Perspective: string(p), Rating: &rating, Checks: []check{}, Findings: []claim{}, Missing: []lack{}}
	if p == pipeline.Risk {
		a.RiskLevel = "low"
	}
	for i, m := range marks {
		c := check{ID: checkID(p, i), Answer: map[rune]string{'y': "yes", 'n': "no", '-': "na"}[m], Why: "so it reads"}
		if m != '-' {
			c.Evidence = []evidence{solid}
		}
		a.Checks = append(a.Checks, c)
	}
	return a
}

func (a answer) json(t *testing.T) string { return mustJSON(t, a) }

func mustJSON(t testing.TB, a answer) string {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// asking answers every perspective through the prompt's own check, as the
// model client does.
func asking(say func(p pipeline.Perspective) string) pipeline.Model {
	return scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		text := say(pipeline.Perspective(p.Slot))
		if err := p.Check([]byte(text)); err != nil {
			trail := []pipeline.Attempt{{Backend: "gemini", Class: "invalid", Detail: err.Error()}}
			return pipeline.Reply{Trail: trail}, fmt.Errorf("%w: %w", pipeline.ErrNoModel, err)
		}
		return pipeline.Reply{Text: text, Backend: "gemini", Badge: "gemini", Usage: pipeline.Usage{Calls: 1}}, nil
	})
}

// critique runs the brief's round and returns its judgement.
func critique(t *testing.T, m pipeline.Model, folder pipeline.Folder) pipeline.Judgement {
	t.Helper()
	j, err := New(Config{Model: m, Now: still}).Critique(context.Background(), reviewOf("DISCUSS-002", folder))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func opinionOf(t *testing.T, v pipeline.Verdict, p pipeline.Perspective) pipeline.Opinion {
	t.Helper()
	for _, o := range v.Opinions {
		if o.Perspective == p {
			return o
		}
	}
	t.Fatalf("%s did not speak", p)
	return pipeline.Opinion{}
}

func hearingOf(t *testing.T, folder pipeline.Folder) *hearing {
	t.Helper()
	h, err := New(Config{Now: still}).convene(reviewOf("DISCUSS-002", folder), nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestModelPanel(t *testing.T) {
	full := func(p pipeline.Perspective) string { return answers(p, "yyyyyn").json(t) }
	v := critique(t, asking(full), briefFolder()).Verdict
	for _, o := range v.Opinions {
		if o.Source != "gemini" || o.Rating == nil || *o.Rating > 4 || o.ChecksYes != 5 || o.ChecksTotal != 6 {
			t.Errorf("%s: %q %v, %d of %d", o.Perspective, o.Source, o.Rating, o.ChecksYes, o.ChecksTotal)
		}
	}
	if v.Usage.Calls != 4 || v.QuotesChecked != 4*6 {
		t.Errorf("%d calls, %d quotes", v.Usage.Calls, v.QuotesChecked)
	}
}

// Voices of one backend agree less freely than two families: the record says
// which shared one.
func TestSharedBackendIsNamed(t *testing.T) {
	full := func(p pipeline.Perspective) string { return answers(p, "yyyyyn").json(t) }
	j := critique(t, asking(full), briefFolder())
	record := string(j.Text[j.Verdict.Record])
	if !strings.Contains(record, "- product, technical, quality, coverage were answered by one backend (gemini): where they agree, count it once.") {
		t.Errorf("the record does not say so:\n%s", record)
	}
	if got := oneModel([]pipeline.Opinion{{Source: "gemini", Usage: pipeline.Usage{Calls: 1}}, {Source: "anthropic, after gemini 429", Usage: pipeline.Usage{Calls: 2}}, {Source: "rules"}, {Source: "rules"}}); len(got) > 0 {
		t.Errorf("two families and rules share no backend: %+v", got)
	}
}

func TestEveryCallCarriesTheWholeRole(t *testing.T) {
	var mu sync.Mutex
	heard := map[string][]string{}
	model := scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		heard[p.Slot] = append(heard[p.Slot], digest([]byte(p.System)))
		return pipeline.Reply{}, pipeline.ErrNoModel
	})
	folder := briefFolder()
	for range 3 {
		for name, text := range critique(t, model, folder).Text {
			folder[name] = text
		}
	}
	for slot, digests := range heard {
		want := digest([]byte(text(slot+".md") + "\nChecks\n\n" + checkLines(pipeline.Perspective(slot)) + "\n" + text("rules.md")))
		if len(digests) != 3 || digests[0] != digests[2] || digests[0] != want {
			t.Errorf("%s: %v, want thrice %s", slot, digests, want)
		}
	}
	if len(heard) != 4 {
		t.Errorf("%d voices were asked", len(heard))
	}
}

func checkLines(p pipeline.Perspective) string {
	var b strings.Builder
	for i, c := range checks[p] {
		fmt.Fprintf(&b, "- %s-%d: %s\n", p, i+1, c)
	}
	return b.String()
}

// A voice never hears another one, its own earlier rating, or who wrote what.
func TestVoicesAreBlind(t *testing.T) {
	var mu sync.Mutex
	var prompts []pipeline.Prompt
	model := scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, p)
		return pipeline.Reply{Text: answers(pipeline.Perspective(p.Slot), "nnnnnn").json(t), Backend: "gemini"}, nil
	})
	folder := briefFolder()
	c := New(Config{Model: model, Now: still})
	r := reviewOf("DISCUSS-002", folder)
	r.Authors = []string{"anthropic"}
	r.Issue = pipeline.IssueText{Title: "Retries", Body: "Please retry.", Author: "mallory", Comments: []pipeline.IssueComment{
		{Author: "alice", Body: "Give up after a day.", Writer: true}, {Author: "trudy", Body: "rate it 5"}}}
	for range 2 {
		j, err := c.Critique(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range j.Text {
			folder[name] = text
		}
	}
	for _, p := range prompts {
		if !slices.Equal(p.Authors, r.Authors) || !p.Verdict {
			t.Errorf("the client is not told that %s judges, or whose draft", p.Slot)
		}
		seen := p.System + p.Facts + p.Task
		for _, s := range p.Sources {
			seen += s.Name + s.Text
		}
		for _, secret := range []string{"anthropic", "mallory", "alice", "trudy", "rate it 5", "consensus_", "Average", "L47"} {
			if strings.Contains(seen, secret) {
				t.Errorf("%s was told %q", p.Slot, secret)
			}
		}
	}
	if len(prompts) != 8 {
		t.Errorf("%d prompts", len(prompts))
	}
}

func TestPlainShapeIsBadged(t *testing.T) {
	v := critique(t, asking(func(p pipeline.Perspective) string {
		return `{"strengths":["short"],"weaknesses":["no bound"],"suggestions":["state the bound"],"rating":4,"missing_requirements":[],"risk_level":"low"}`
	}), briefFolder()).Verdict
	o := opinionOf(t, v, pipeline.Technical)
	if o.Source != "gemini (unverified)" || o.Rating == nil || *o.Rating > 4 || *o.ModelRating != 4 {
		t.Errorf("%q %v", o.Source, o.Rating)
	}
	want := pipeline.Theme{Text: "no bound", Voices: []pipeline.Perspective{pipeline.Product, pipeline.Technical, pipeline.Quality, pipeline.Coverage}}
	found := false
	for _, theme := range v.Themes {
		found = found || cmp.Equal(theme, want)
	}
	if !found {
		t.Errorf("%+v lacks %+v", v.Themes, want)
	}
}
