package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// scripted is a backend that answers from a list, and says what it was asked.
type scripted struct {
	mu      sync.Mutex
	model   string
	answers []func(Call) (Answer, error)
	calls   []Call
}

func (s *scripted) Model() string { return s.model }

func (s *scripted) Ask(ctx context.Context, c Call) (Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	next := s.answers[min(len(s.calls), len(s.answers))-1]
	return next(c)
}

func says(text string) func(Call) (Answer, error) {
	return func(c Call) (Answer, error) {
		return Answer{Text: strings.ReplaceAll(text, "ECHO", echoIn(c)), InputTokens: 100, OutputTokens: 10}, nil
	}
}

func fails(class string) func(Call) (Answer, error) {
	return func(Call) (Answer, error) { return Answer{}, &fault{class, "told to"} }
}

func echoIn(c Call) string {
	m := regexp.MustCompile(`Set boundary_echo to (\w+)`).FindStringSubmatch(c.Turns[0].Text)
	if m == nil {
		return ""
	}
	return m[1]
}

func backendOf(model string, answers ...func(Call) (Answer, error)) *scripted {
	return &scripted{model: model, answers: answers}
}

var ratingSchema = json.RawMessage(`{"type":"object","properties":{"rating":{"type":"integer"}},"required":["rating"]}`)

func ratingPrompt() pipeline.Prompt {
	return pipeline.Prompt{Slot: "quality", Version: "1", System: "You judge.", Task: "Rate it.", Schema: ratingSchema,
		Sources: []pipeline.Source{{Name: "spec.md", Text: "The service MUST retry."}},
		Check: func(raw []byte) error {
			var v struct{ Rating int }
			if err := json.Unmarshal(raw, &v); err != nil {
				return err
			}
			if v.Rating < 1 || v.Rating > 5 {
				return fmt.Errorf("rating %d is not 1 to 5", v.Rating)
			}
			return nil
		}}
}

func clientOf(first, second Backend) *Client {
	return New(Config{Backends: map[string]Backend{"anthropic": first, "gemini": second}})
}

const good = `{"rating":4,"boundary_echo":"ECHO"}`

// Q14: each class of failure has its next step and its badge.
func TestQ14FailureClasses(t *testing.T) {
	twice := func(f func(Call) (Answer, error)) []func(Call) (Answer, error) {
		return []func(Call) (Answer, error){f, f, f}
	}
	tests := []struct {
		name  string
		first []func(Call) (Answer, error)
		calls int // of the first backend
		badge string
	}{
		{"good at once", twice(says(good)), 1, "anthropic"},
		{"a violation is mended in the first repair", []func(Call) (Answer, error){says(`{"rating":11}`), says(good)}, 2, "anthropic"},
		{"a violation is mended in the second repair", []func(Call) (Answer, error){says(`{"rating":11}`), says(`{"rating":0}`), says(good)}, 3, "anthropic"},
		{"a violation that stays", twice(says(`{"rating":11}`)), 3, "gemini, after anthropic invalid"},
		{"a rating that is no number", twice(says(`{"rating":NaN}`)), 3, "gemini, after anthropic invalid"},
		{"5 MB", twice(says(strings.Repeat("four ", 1<<20))), 1, "gemini, after anthropic too-long"},
		{"no JSON", twice(says("I would say four.")), 3, "gemini, after anthropic invalid"},
		{"half a JSON", twice(says(`{"rating": 4`)), 3, "gemini, after anthropic invalid"},
		{"a key twice", twice(says(`{"rating":4,"rating":5}`)), 3, "gemini, after anthropic invalid"},
		{"a wrong echo", twice(says(`{"rating":4,"boundary_echo":"nope"}`)), 3, "gemini, after anthropic invalid"},
		{"a whole answer without its echo", twice(says(`{"rating":4}`)), 3, "gemini, after anthropic invalid"},
		{"an echo that comes with the repair", []func(Call) (Answer, error){says(`{"rating":4}`), says(good)}, 2, "anthropic"},
		{"empty", twice(says("")), 3, "gemini, after anthropic empty"},
		{"wrong language", twice(says(`{"rating":4,"why":"` + strings.Repeat("这个需求没有写清楚", 20) + `"}`)), 3, "gemini, after anthropic language"},
		{"cut off", twice(func(Call) (Answer, error) { return Answer{Text: `{"rating":4`, CutOff: true}, nil }), 3, "gemini, after anthropic cut-off"},
		{"refused", twice(func(Call) (Answer, error) { return Answer{Text: "no", Refused: true}, nil }), 1, "gemini, after anthropic refused"},
		{"429", twice(fails(classRate)), 1, "gemini, after anthropic 429"},
		{"5xx", twice(fails(classServer)), 1, "gemini, after anthropic 5xx"},
		{"wrong key", twice(fails(classAuth)), 1, "gemini, after anthropic auth"},
		{"a plain error", twice(func(Call) (Answer, error) { return Answer{}, errors.New("connection reset") }), 1, "gemini, after anthropic 5xx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first := backendOf("m1", tt.first...)
			p := ratingPrompt()
			p.Language = "en"
			reply, err := clientOf(first, backendOf("m2", says(good))).Ask(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(first.calls); got != tt.calls {
				t.Errorf("the first backend was asked %d times, want %d", got, tt.calls)
			}
			if reply.Badge != tt.badge {
				t.Errorf("badge %q, want %q", reply.Badge, tt.badge)
			}
			if reply.Text != `{"rating":4}` {
				t.Errorf("answer %s", reply.Text)
			}
		})
	}
}

// Q14: nor is a model waited for that does not answer.
func TestQ14HangGoesToTheNextBackend(t *testing.T) {
	hang := backendOf("m1", func(Call) (Answer, error) { return Answer{}, context.DeadlineExceeded })
	slow := &waiting{scripted: hang}
	c := New(Config{Backends: map[string]Backend{"anthropic": slow, "gemini": backendOf("m2", says(good))}, CallTimeout: 5 * time.Millisecond})
	reply, err := c.Ask(context.Background(), ratingPrompt())
	if err != nil || reply.Badge != "gemini, after anthropic timeout" {
		t.Fatalf("badge %q, error %v", reply.Badge, err)
	}
}

// waiting answers only when its context ends.
type waiting struct{ *scripted }

func (w *waiting) Ask(ctx context.Context, c Call) (Answer, error) {
	<-ctx.Done()
	return Answer{}, ctx.Err()
}

func TestNoBackendIsAnAnswer(t *testing.T) {
	for name, c := range map[string]*Client{
		"none configured": New(Config{}),
		"all failed":      clientOf(backendOf("a", fails(classRate)), backendOf("b", fails(classServer))),
	} {
		reply, err := c.Ask(context.Background(), ratingPrompt())
		if !errors.Is(err, pipeline.ErrNoModel) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "all failed" {
			want := []pipeline.Attempt{{Backend: "anthropic", Class: "429", Detail: "told to"}, {Backend: "gemini", Class: "5xx", Detail: "told to"}}
			if d := cmp.Diff(want, reply.Trail); d != "" {
				t.Error(d)
			}
		}
	}
}

func TestSalvageComesAfterRepairsAndNeverInvents(t *testing.T) {
	p := ratingPrompt()
	stated := regexp.MustCompile(`(\d)/5`)
	p.Salvage = func(text string) ([]byte, bool) {
		m := stated.FindStringSubmatch(text)
		if m == nil {
			return nil, false
		}
		return []byte(`{"rating":` + m[1] + `}`), true
	}
	first := backendOf("m1", says("Solid work, 3/5, but no bound."))
	reply, err := clientOf(first, backendOf("m2", says(good))).Ask(context.Background(), p)
	if err != nil || reply.Badge != "anthropic (salvaged)" || reply.Text != `{"rating":3}` || len(first.calls) != 3 {
		t.Fatalf("%q %s after %d calls, %v", reply.Badge, reply.Text, len(first.calls), err)
	}
	reply, err = clientOf(backendOf("m1", says("Solid work.")), backendOf("m2", says(good))).Ask(context.Background(), p)
	if err != nil || reply.Badge != "gemini, after anthropic invalid" {
		t.Fatalf("without a stated rating: %q, %v", reply.Badge, err)
	}
}

func TestRepairNamesTheViolation(t *testing.T) {
	b := backendOf("m1", says(`{"rating":11}`), says(good))
	if _, err := clientOf(b, backendOf("m2", says(good))).Ask(context.Background(), ratingPrompt()); err != nil {
		t.Fatal(err)
	}
	last := b.calls[1].Turns
	if len(last) != 3 || !strings.Contains(last[2].Text, "rating 11 is not 1 to 5") {
		t.Errorf("repair turn: %+v", last)
	}
	if b.calls[0].System != b.calls[1].System || last[0].Text != b.calls[0].Turns[0].Text {
		t.Error("the repair does not carry the whole role and question again")
	}
}

// A form the caller takes though it is less than the schema's has no echo.
func TestLesserFormNeedsNoEcho(t *testing.T) {
	p := ratingPrompt()
	p.Schema = json.RawMessage(`{"type":"object","properties":{"rating":{"type":"integer"},"checks":{"type":"array"}},"required":["checks","rating"]}`)
	b := backendOf("m1", says(`{"rating":4}`))
	if reply, err := clientOf(b, backendOf("m2", says(good))).Ask(context.Background(), p); err != nil || reply.Badge != "anthropic" || len(b.calls) != 1 {
		t.Errorf("%q after %d calls, %v", reply.Badge, len(b.calls), err)
	}
}

// No model judges its own draft where another is there; where none is, it does.
func TestWhoWroteIsAskedLast(t *testing.T) {
	for _, test := range []struct {
		authors  []string
		backends []string
		want     []string
	}{
		{nil, []string{"anthropic", "claude", "gemini"}, []string{"anthropic", "claude", "gemini"}},
		{[]string{"anthropic"}, []string{"anthropic", "claude", "gemini"}, []string{"gemini", "anthropic", "claude"}},
		{[]string{"claude"}, []string{"anthropic", "gemini", "openai"}, []string{"gemini", "openai", "anthropic"}},
		{[]string{"gemini"}, []string{"anthropic", "gemini"}, []string{"anthropic", "gemini"}},
		{[]string{"anthropic", "gemini"}, []string{"anthropic", "gemini", "openai"}, []string{"openai", "anthropic", "gemini"}},
		{[]string{"anthropic"}, []string{"anthropic"}, []string{"anthropic"}},
	} {
		backends := map[string]Backend{}
		for _, name := range test.backends {
			backends[name] = backendOf(name, says(good))
		}
		p := ratingPrompt()
		p.Authors = test.authors
		c := New(Config{Backends: backends})
		if diff := cmp.Diff(test.want, c.chainFor(p)); diff != "" {
			t.Errorf("written by %q: %s", test.authors, diff)
		}
		if reply, err := c.Ask(context.Background(), p); err != nil || reply.Backend != test.want[0] {
			t.Errorf("written by %q: %s answered, %v", test.authors, reply.Backend, err)
		}
	}
}
