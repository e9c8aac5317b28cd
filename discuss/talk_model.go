package discuss

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// talkAnswer is what a model adds to a talk.
type talkAnswer struct {
	Confirmed []string      `json:"confirmed"`
	Corrected []string      `json:"corrected"`
	New       []string      `json:"new_insights"`
	Findings  []talkFinding `json:"findings"`
	Answers   []talkReply   `json:"answers"`
	Questions []string      `json:"open_questions"`
	Echo      string        `json:"boundary_echo"`
}

type talkFinding struct {
	Finding  string     `json:"finding"`
	Evidence []evidence `json:"evidence"`
}

type talkReply struct {
	Question string     `json:"question"`
	Answer   string     `json:"answer"`
	Evidence []evidence `json:"evidence"`
}

// askModel lets a model add to the talk. Without one, or when it fails, the
// talk stands as the records give it.
func (d *Discussant) askModel(ctx context.Context, t *talking) error {
	if d.cfg.Model == nil {
		return nil
	}
	call, cancel := context.WithTimeout(ctx, d.cfg.CallTimeout)
	defer cancel()
	reply, err := d.cfg.Model.Ask(call, t.prompt())
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("discussion round %d: %w", t.talk.Round, cause)
	}
	t.usage = reply.Usage
	if err == nil {
		err = t.take(reply)
	}
	if err != nil {
		t.warnings = append(t.warnings, "no model answered; this round was held from the documents and records alone")
	}
	return nil
}

func (t *talking) prompt() pipeline.Prompt {
	s := t.Session
	return pipeline.Prompt{
		Slot: string(pipeline.Analyst), Version: promptVersion,
		System: text("discussant.md"), Facts: t.facts(), Sources: t.library(),
		Task: "Take this discussion round and answer in the JSON form given.", Schema: json.RawMessage(text("discussant.json")),
		Check:     func(raw []byte) error { return strict(raw, new(talkAnswer)) },
		MaxTokens: 3000, Language: s.Language,
		Account: pipeline.Account{Session: s.ID, Repo: s.Repo.ID, Installation: s.Repo.Installation},
	}
}

// facts are what is known without the model. What the person wrote is fenced
// as a source: people with write access still do not configure anything.
func (t *talking) facts() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Round %d, type %s.\n", t.talk.Round, t.talk.Type)
	for _, s := range t.talk.Understanding.New {
		fmt.Fprintf(&b, "Open: %s\n", fold(s))
	}
	for _, q := range t.open() {
		fmt.Fprintf(&b, "Asked before: %s\n", fold(q))
	}
	return b.String()
}

// take adds what a model said and can show; the rest is dropped and counted.
func (t *talking) take(reply pipeline.Reply) error {
	var a talkAnswer
	if err := strict([]byte(reply.Text), &a); err != nil {
		return fmt.Errorf("discussion answer: %w", err)
	}
	shelf := shelve(t.library())
	var q quoteCount
	dropped := 0
	u := &t.talk.Understanding
	u.Confirmed = slices.Concat(short(a.Confirmed, maxThemes), u.Confirmed)
	u.Corrected = slices.Concat(short(a.Corrected, maxThemes), u.Corrected)
	u.New = slices.Concat(short(a.New, maxThemes), u.New)
	var findings []Insight
	for _, f := range a.Findings {
		places := placesOf(q.keep(shelf, f.Evidence))
		if len(places) == 0 {
			dropped++
			continue
		}
		findings = append(findings, Insight{Text: clip(f.Finding, 240), Evidence: places, Confidence: confidence(len(places))})
	}
	t.talk.Findings = append(findings, t.talk.Findings...)
	if t.asksQuestion() {
		t.replaceAnswers(a.Answers, shelf, &q)
	}
	t.talk.Questions = append(t.talk.Questions, short(a.Questions, maxQuestions)...)
	if dropped > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("Dropped, because the documents do not hold their quotes: %s", spec.Count(dropped, "finding")))
	}
	t.byModel = true
	return nil
}

// replaceAnswers takes a model's answer over the looked-up one where it can
// show its place in the text.
func (t *talking) replaceAnswers(list []talkReply, shelf library, q *quoteCount) {
	for _, r := range list {
		places := placesOf(q.keep(shelf, r.Evidence))
		if len(places) == 0 || strings.TrimSpace(r.Answer) == "" {
			continue
		}
		answer := Answer{Question: clip(r.Question, 240), Answer: clip(r.Answer, 600), Evidence: places, Confidence: confidence(len(places))}
		i := slices.IndexFunc(t.answers, func(have Answer) bool { return alike(have.Question, r.Question) >= same })
		if i < 0 {
			t.answers = append(t.answers, answer)
			continue
		}
		t.answers[i] = answer
		t.talk.Questions = slices.DeleteFunc(t.talk.Questions, func(open string) bool { return alike(open, r.Question) >= same })
	}
}

func placesOf(proof []evidence) []string {
	var out []string
	for _, e := range proof {
		out = append(out, at(e.File, e.Start))
	}
	return texts(out)
}
