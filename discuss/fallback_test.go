package discuss

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/pipeline"
)

// failures are the classes of the model client.
var failures = []string{"refused", "cut-off", "empty", "language", "invalid", "429", "5xx", "timeout", "budget", "auth", "leak", "too-long"}

func TestFallbackIsSaid(t *testing.T) {
	type row struct {
		name  string
		trail []pipeline.Attempt
		err   error
		want  string
	}
	var tests []row
	for _, class := range failures {
		tests = append(tests, row{class, []pipeline.Attempt{{Backend: "gemini", Class: class}}, pipeline.ErrNoModel, "rules, after gemini " + class})
	}
	for _, test := range append(tests, []row{
		{"nothing configured", nil, pipeline.ErrNoModel, "rules"},
		{"the last one tried is named", []pipeline.Attempt{{Backend: "gemini", Class: "empty"}, {Backend: "codex", Class: "timeout"}}, pipeline.ErrNoModel, "rules, after codex timeout"},
		{"time", nil, context.DeadlineExceeded, "rules, after timeout"},
		{"anything else", nil, fmt.Errorf("broken pipe"), "rules, after error"},
	}...) {
		t.Run(test.name, func(t *testing.T) {
			model := scripted(func(context.Context, pipeline.Prompt) (pipeline.Reply, error) {
				return pipeline.Reply{Trail: test.trail}, test.err
			})
			for _, o := range critique(t, model, briefFolder()).Verdict.Opinions {
				if o.Source != test.want {
					t.Errorf("%s: %q, want %q", o.Perspective, o.Source, test.want)
				}
			}
		})
	}
}

func TestRoundLimitIsPartial(t *testing.T) {
	model := scripted(func(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		if p.Slot == string(pipeline.Product) {
			return pipeline.Reply{Text: answers(pipeline.Product, "yyyyyy").json(t), Backend: "gemini"}, nil
		}
		<-ctx.Done()
		return pipeline.Reply{}, ctx.Err()
	})
	j, err := New(Config{Model: model, Now: still, RoundTimeout: 20 * time.Millisecond}).Critique(context.Background(), reviewOf("DISCUSS-002", briefFolder()))
	if err != nil {
		t.Fatal(err)
	}
	if !j.Verdict.Partial || opinionOf(t, j.Verdict, pipeline.Product).Source != "gemini" || opinionOf(t, j.Verdict, pipeline.Quality).Source != "rules, after timeout" {
		t.Errorf("partial %v, %+v", j.Verdict.Partial, j.Verdict.Opinions)
	}
	if !strings.Contains(string(j.Text[j.Verdict.Record]), "PARTIAL") {
		t.Error("the record does not say PARTIAL")
	}
}

// A job near its deadline still gets its verdict, with what was heard by then.
func TestNearDeadlineIsPartial(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	model := scripted(func(ctx context.Context, _ pipeline.Prompt) (pipeline.Reply, error) {
		<-ctx.Done()
		return pipeline.Reply{}, ctx.Err()
	})
	j, err := New(Config{Model: model, Now: still}).Critique(ctx, reviewOf("DISCUSS-002", briefFolder()))
	if err != nil || !j.Verdict.Partial || j.Verdict.Consensus == "" {
		t.Errorf("%v, partial %v, %q", err, j.Verdict.Partial, j.Verdict.Consensus)
	}
}

func TestCancelledRoundHasNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model := scripted(func(ctx context.Context, _ pipeline.Prompt) (pipeline.Reply, error) {
		cancel()
		<-ctx.Done()
		return pipeline.Reply{}, ctx.Err()
	})
	if _, err := New(Config{Model: model, Now: still}).Critique(ctx, reviewOf("DISCUSS-002", briefFolder())); err == nil {
		t.Error("a cancelled round gave a verdict")
	}
}

// The record tells, backend by backend, what happened before a voice had its
// answer, once for all who share it, and nothing of what a server sent.
func TestRecordTellsWhatHappened(t *testing.T) {
	const sent = "internal host 10.0.0.7, key sk-live"
	for language, want := range map[string][]string{
		"en": {"- product, coverage: gemini had too many requests (429); openai did not answer in time; judged by rules",
			"- quality: anthropic gave no answer in the form asked for; gemini answered"},
		"zh": {"- 产品, 覆盖：gemini 请求过多（429）；openai 未按时回答；由规则评判",
			"- 质量：anthropic 答案格式不符；由 gemini 回答"},
	} {
		t.Run(language, func(t *testing.T) {
			model := scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
				answer := pipeline.Reply{Text: answers(pipeline.Perspective(p.Slot), "yyyyyy").json(t), Backend: "gemini", Badge: "gemini"}
				switch pipeline.Perspective(p.Slot) {
				case pipeline.Technical:
					answer.Trail = []pipeline.Attempt{{Backend: "gemini", Class: "ok"}}
					return answer, nil
				case pipeline.Quality:
					answer.Badge = "gemini, after anthropic invalid"
					answer.Trail = []pipeline.Attempt{{Backend: "anthropic", Class: "invalid", Detail: sent}, {Backend: "gemini", Class: "ok"}}
					return answer, nil
				}
				return pipeline.Reply{Trail: []pipeline.Attempt{{Backend: "gemini", Class: "429", Detail: sent}, {Backend: "openai", Class: "timeout", Detail: sent}}}, pipeline.ErrNoModel
			})
			r := reviewOf("DISCUSS-002", briefFolder())
			r.Session.Language = language
			j := judge(t, model, r)
			record := string(j.Text[j.Verdict.Record])
			for _, line := range want {
				if !strings.Contains(record, line+"\n") {
					t.Errorf("the record lacks %q:\n%s", line, record)
				}
			}
			if strings.Contains(record, "10.0.0.7") || strings.Contains(record, "sk-live") {
				t.Error("the record carries what a server sent")
			}
		})
	}
}

// Every class of failure the client knows has its words.
func TestEveryFailureHasItsWords(t *testing.T) {
	for _, class := range failures {
		if w := outcomes[class]; w.en == "" || w.zh == "" {
			t.Errorf("%q has no words", class)
		}
	}
}
