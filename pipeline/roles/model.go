package roles

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// promptVersion is part of the cache key: raise it with any text in prompts/
// and with any check.
const promptVersion = "roles-1"

//go:embed prompts/*.md
var prompts embed.FS

func promptText(name string) string {
	text, err := prompts.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic("roles: no prompt " + name)
	}
	return string(text)
}

// question is what a role asks a model; check and salvage see Markdown.
type question struct {
	slot, name, task string
	rules            map[string][]byte // the draft by rules
	extra            []pipeline.Source
	aside            bool // shown beside the draft, which the answer does not write
	check            func(text string) error
	salvage          func(text string) bool
}

// ask returns a model's answer, or false where the rules have to do: no model,
// or none that answered usably.
func (j *job) ask(ctx context.Context, q question) (string, bool, error) {
	if j.config.Model == nil {
		return "", false, nil
	}
	j.Progress("asking a model: " + q.name)
	p := pipeline.Prompt{Slot: q.slot, Version: promptVersion, System: promptText("rules") + "\n" + promptText(q.name), Task: q.task,
		Facts: fmt.Sprintf("Session %s. Task %s.", j.Session.ID, j.Task.ID), Sources: append(j.sources(q.rules), q.extra...), Language: firstOf(j.language(), "en"),
		MaxTokens: 16000, Check: func(answer []byte) error { return q.check(string(answer)) },
		Salvage: func(answer string) ([]byte, bool) { return []byte(answer), q.salvage != nil && q.salvage(answer) },
		Account: pipeline.Account{Session: j.Session.ID, Repo: j.Session.Repo.ID, Installation: j.Session.Repo.Installation, Task: j.Task.ID}}
	reply, err := j.config.Model.Ask(ctx, p)
	j.account(reply)
	switch {
	case errors.Is(err, pipeline.ErrNoModel):
		j.byRules(q.name, reply)
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("ask for %s: %w", q.name, err)
	case q.check(reply.Text) != nil && (q.salvage == nil || !q.salvage(reply.Text)):
		j.byRules(q.name, reply)
		return "", false, nil
	}
	j.tell(func() {
		j.draft.ByModel = true
		if !q.aside && !slices.Contains(j.draft.Backends, reply.Backend) {
			j.draft.Backends = slices.Sorted(slices.Values(append(j.draft.Backends, reply.Backend)))
		}
		if reply.Salvaged {
			j.warn("%s: the model's answer was not whole; what it lacks is by rules", q.name)
		}
	})
	return reply.Text, true, nil
}

// tell changes the draft while several answers come in at once.
func (j *job) tell(change func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change()
}

func (j *job) account(r pipeline.Reply) {
	j.tell(func() { j.draft.Usage = j.draft.Usage.Plus(r.Usage) })
}

func (j *job) byRules(name string, r pipeline.Reply) {
	why := "no model answered"
	if n := len(r.Trail); n > 0 {
		why = r.Trail[n-1].Backend + " " + r.Trail[n-1].Class
	}
	j.tell(func() {
		j.draft.Usage.ByRules++
		j.warn("%s by rules: %s", name, why)
	})
}

// sources are what a model may read: issue, comments that count, upstream
// documents, the draft by rules, wisdom.
func (j *job) sources(rules map[string][]byte) []pipeline.Source {
	issue := j.issue()
	out := []pipeline.Source{{Name: "issue", Text: "# " + issue.Title + "\n\n" + issue.Body, Author: issue.Author}}
	for i, c := range issue.Comments {
		if c.Writer || c.Author == issue.Author {
			out = append(out, pipeline.Source{Name: fmt.Sprintf("comment %d", i+1), Text: c.Body, Author: c.Author})
		}
	}
	if c := j.Task.Revision; c != nil {
		out = append(out, pipeline.Source{Name: "change request", Text: strings.Join(append(append([]string{c.Text}, c.Actions...), c.Divergent...), "\n"), Author: c.By})
	}
	for _, p := range sortedKeys(j.Folder) {
		if strings.HasPrefix(p, "wisdom/") || p == spec.DiscoveryPath || p == spec.BriefPath || p == spec.RequirementsPath && strings.Contains(j.kind.prefix, "DRAFT-003") {
			out = append(out, pipeline.Source{Name: p, Text: string(j.Folder[p])})
		}
	}
	for _, p := range sortedKeys(rules) {
		out = append(out, pipeline.Source{Name: "draft by rules: " + p, Text: string(rules[p])})
	}
	return out
}

func texts(files []spec.File) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Path] = f.Text
	}
	return out
}

var fileMark = regexp.MustCompile(`(?m)^=== FILE:[ \t]*(\S+)[ \t]*$`)

// documents takes an answer apart; one without a mark is the given document.
// Paths outside the spec folder are not ours to write and are left out.
func documents(answer, alone string) []spec.File {
	at := fileMark.FindAllStringSubmatchIndex(answer, -1)
	if len(at) == 0 {
		return []spec.File{{Path: alone, Text: []byte(strings.TrimSpace(answer) + "\n")}}
	}
	var out []spec.File
	for i, m := range at {
		end := len(answer)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		p := answer[m[2]:m[3]]
		if strings.HasPrefix(p, "spec/") && !strings.Contains(p, "..") && strings.HasSuffix(p, ".md") {
			out = append(out, spec.File{Path: p, Text: []byte(strings.TrimSpace(answer[m[1]:end]) + "\n")})
		}
	}
	return out
}

var numberIn = regexp.MustCompile(`\d+(?:[.,]\d+)*`)

// invented is the first number of a text that no source holds. Small counts
// are language, ids and years of the draft are ours.
func (u upstream) invented(text string) string {
	text = regexp.MustCompile(`\b[A-Z]+(?:-[A-Z]+)?-\d[\d-]*|issue, line \d+`).ReplaceAllString(text, "")
	for _, n := range numberIn.FindAllString(text, -1) {
		if len(n) < 2 && n <= "3" {
			continue
		}
		if !slices.Contains(u.numbers(), n) {
			return n
		}
	}
	return ""
}

func (u upstream) numbers() []string {
	var out []string
	out = append(out, numberIn.FindAllString(u.r.Title, -1)...)
	for _, s := range u.r.Said {
		out = append(out, numberIn.FindAllString(s.Quote, -1)...)
		for _, d := range s.Details {
			out = append(out, numberIn.FindAllString(d.Quote, -1)...)
		}
	}
	if c := u.d.Codebase; c != nil {
		for _, v := range c.Stack.Versions {
			out = append(out, numberIn.FindAllString(v, -1)...)
		}
	}
	return out
}

// grounded is a model's text, or the rules' own where it is empty or brings a
// number nobody said.
func (u upstream) grounded(model, rules string) string {
	if strings.TrimSpace(model) == "" || u.invented(model) != "" {
		return rules
	}
	return model
}

func (u upstream) groundedList(model, rules []string) []string {
	var out []string
	for _, m := range model {
		if strings.TrimSpace(m) != "" && u.invented(m) == "" {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return rules
	}
	return out
}

// bulletsIn are the entries of a list in an answer.
func bulletsIn(answer string, most int) []string {
	d := spec.Parse([]spec.File{{Path: "answer.md", Text: []byte(answer)}}).Document("answer.md")
	if d == nil {
		return nil
	}
	var out []string
	for _, b := range d.Blocks {
		if b.Kind == spec.ListItem && len(out) < most {
			out = append(out, plain(b.Text))
		}
	}
	return out
}

func needBullets(answer string) error {
	if len(bulletsIn(answer, 1)) == 0 {
		return errors.New("the answer holds no Markdown list")
	}
	return nil
}

// views asks three points of view at once.
func (j *job) views(ctx context.Context, s *spec.Synthesis, u upstream) error {
	views := []struct {
		slot, task string
		to         *[]string
	}{{"product", "The product's view: vision, market, metrics, scope.", &s.Product}, {"technical", "The technical view: feasibility, constraints, integration.", &s.Technical},
		{"quality", "The users' view: personas, journeys, pain points.", &s.User}}
	errs := make([]error, len(views))
	var wg sync.WaitGroup
	for i, v := range views {
		wg.Go(func() {
			answer, ok, err := j.ask(ctx, question{slot: v.slot, name: "view", task: v.task, check: needBullets})
			if errs[i] = err; ok {
				*v.to = u.groundedList(bulletsIn(answer, 5), *v.to)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
