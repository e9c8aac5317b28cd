package roles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// A model's draft is laid over the one by rules: its words where they are
// grounded, our ids, priorities, sources and links always. What it leaves out
// stays as the rules have it and is marked; what it invents is left out and
// said.

// model improves the seed analysis.
func (j *job) model(ctx context.Context, r Reading, d *Discovery) error {
	u := upstream{d: *d, r: r, lang: r.Language}
	answer, ok, err := j.ask(ctx, question{slot: "analyst", name: "analyst", task: "Analyse the issue.", check: func(text string) error {
		if len(seedSections(text)) == 0 {
			return errors.New("none of the sections Problem, Users, Domain, Constraints, Dimensions, Open Questions is there")
		}
		return nil
	}})
	if err != nil || !ok {
		return err
	}
	sections := seedSections(answer)
	seed := &d.SeedAnalysis
	seed.ProblemStatement = u.grounded(oneLine(strings.Join(sections["problem"], " ")), seed.ProblemStatement)
	seed.TargetUsers = u.groundedList(sections["users"], seed.TargetUsers)
	seed.Domain = u.grounded(strings.Join(sections["domain"], ", "), seed.Domain)
	if n := len(sections["dimensions"]); n >= 3 && n <= 5 {
		seed.ExplorationDimensions = u.groundedList(sections["dimensions"], seed.ExplorationDimensions)
		seed.Dimensions = seed.ExplorationDimensions
	}
	for _, line := range sections["openquestions"] {
		part := strings.Split(line, "|")
		if len(part) < 2 || len(d.Questions) >= questionMost {
			continue
		}
		q := spec.OpenQuestion{ID: fmt.Sprintf("Q-%d", len(d.Questions)+1), Text: strings.TrimSpace(part[0]), Default: strings.TrimSpace(part[1])}
		if len(part) > 2 {
			q.Why = strings.TrimSpace(part[2])
		}
		if nearest(q.Text, questionTexts(d.Questions), 0.6) < 0 {
			d.Questions = append(d.Questions, q)
		}
	}
	return nil
}

func questionTexts(qs []spec.OpenQuestion) []string {
	var out []string
	for _, q := range qs {
		out = append(out, q.Text)
	}
	return out
}

var seedTitles = []string{"problem", "users", "domain", "constraints", "dimensions", "openquestions"}

func seedSections(answer string) map[string][]string {
	d := spec.Parse([]spec.File{{Path: "answer.md", Text: []byte(answer)}}).Document("answer.md")
	out := map[string][]string{}
	if d == nil {
		return out
	}
	for _, b := range d.Blocks {
		if b.Section < 0 || b.Kind != spec.Paragraph && b.Kind != spec.ListItem {
			continue
		}
		if title := quoteKey(d.Sections[b.Section].Title); slices.Contains(seedTitles, title) {
			out[title] = append(out[title], plain(b.Text))
		}
	}
	return out
}

func (j *job) modelBrief(ctx context.Context, u upstream, b *spec.Brief) error {
	if j.config.Model == nil {
		return nil
	}
	if err := j.views(ctx, &b.Synthesis, u); err != nil {
		return err
	}
	read := func(answer string) (spec.Brief, error) {
		return spec.ParseBrief(spec.Parse(documents(answer, spec.BriefPath)))
	}
	answer, ok, err := j.ask(ctx, question{slot: "writer", name: "brief", task: "Write spec/product-brief.md.", rules: texts(b.Render()), check: func(text string) error {
		m, err := read(text)
		if err != nil {
			return err
		}
		for name, value := range map[string]string{"Vision": m.Vision, "Current Situation": m.Situation} {
			if strings.TrimSpace(value) == "" {
				return fmt.Errorf("section %q is missing or empty", name)
			}
		}
		if n := u.invented(m.Vision + " " + m.Situation + " " + m.Impact); n != "" {
			return fmt.Errorf("the number %s stands in no source", n)
		}
		return nil
	}, salvage: func(text string) bool { m, err := read(text); return err == nil && m.Vision+m.Situation != "" }})
	if err != nil || !ok {
		return err
	}
	m, err := read(answer)
	if err != nil {
		return fmt.Errorf("read the brief of a model: %w", err)
	}
	b.Vision, b.Situation, b.Impact = u.grounded(m.Vision, b.Vision), u.grounded(m.Situation, b.Situation), u.grounded(m.Impact, b.Impact)
	for i := range b.Users {
		for _, p := range m.Users {
			if strings.EqualFold(p.Name, b.Users[i].Name) {
				b.Users[i].Role = u.grounded(p.Role, b.Users[i].Role)
				b.Users[i].Needs = u.groundedList(p.Needs, b.Users[i].Needs)
				b.Users[i].PainPoints = u.groundedList(p.PainPoints, b.Users[i].PainPoints)
				b.Users[i].SuccessCriteria = u.groundedList(p.SuccessCriteria, b.Users[i].SuccessCriteria)
			}
		}
	}
	b.Synthesis.Convergent = u.groundedList(m.Synthesis.Convergent, b.Synthesis.Convergent)
	b.Synthesis.Conflicting = u.groundedList(m.Synthesis.Conflicting, b.Synthesis.Conflicting)
	union(&b.Open, few(m.Open, 3))
	return nil
}

func (j *job) modelRequirements(ctx context.Context, u upstream, r *spec.Requirements) error {
	read := func(answer string) []spec.Requirement {
		m, err := spec.ParseRequirements(spec.Parse(append(documents(answer, spec.RequirementsPath), spec.File{Path: spec.RequirementsPath, Text: []byte("# Requirements\n")})))
		if err != nil {
			return nil
		}
		return m.Reqs
	}
	answer, ok, err := j.ask(ctx, question{slot: "writer", name: "requirements", task: "Write one file for each requirement under spec/requirements/.", rules: texts(r.Render()),
		check: func(text string) error { return u.checkRequirements(*r, read(text)) }, salvage: func(text string) bool { return len(read(text)) > 0 }})
	if err != nil || !ok {
		return err
	}
	drafted := read(answer)
	used := map[int]bool{}
	for i := range r.Reqs {
		q := &r.Reqs[i]
		at := slices.IndexFunc(drafted, func(m spec.Requirement) bool {
			return sameQuote(m.Source.Quote, q.Source.Quote) || m.Source.Quote == "" && m.ID == q.ID
		})
		if at < 0 {
			q.Inferred = true
			continue
		}
		used[at] = true
		j.take(u, q, drafted[at])
	}
	for i, m := range drafted {
		if !used[i] {
			j.warn("left out %s of the model, “%s”: it quotes no sentence of the issue", m.ID, clip(m.Title, 60))
		}
	}
	return nil
}

// take lays one requirement of a model over ours.
func (j *job) take(u upstream, q *spec.Requirement, m spec.Requirement) {
	if m.Priority != "" && m.Priority != q.Priority {
		j.warn("%s stays %s: the issue says so, the model said %s", q.ID, q.Priority, m.Priority)
	}
	if n := u.invented(m.Description); n != "" {
		j.warn("%s keeps its own statement: the model's names %s, which nobody said", q.ID, n)
	}
	q.Title, q.Description = u.grounded(m.Title, q.Title), u.grounded(m.Description, q.Description)
	q.Story.Role, q.Story.Want, q.Story.Benefit = u.grounded(m.Story.Role, q.Story.Role), u.grounded(m.Story.Want, q.Story.Want), u.grounded(m.Story.Benefit, q.Story.Benefit)
	var criteria []spec.Criterion
	for _, c := range m.Criteria {
		if u.invented(c.Text) == "" {
			criteria = append(criteria, spec.Criterion{ID: fmt.Sprintf("AC-%s-%02d", strings.TrimPrefix(q.ID, "REQ-"), len(criteria)+1), Text: c.Text})
		}
	}
	if len(criteria) > 0 {
		q.Criteria = criteria
	}
}

// checkRequirements names the first thing that is wrong with a model's draft.
func (u upstream) checkRequirements(ours spec.Requirements, drafted []spec.Requirement) error {
	if len(drafted) == 0 {
		return errors.New("no requirement file was found behind a line `=== FILE: spec/requirements/REQ-NNN-….md`")
	}
	for _, q := range ours.Reqs {
		at := slices.IndexFunc(drafted, func(m spec.Requirement) bool { return sameQuote(m.Source.Quote, q.Source.Quote) })
		if at < 0 {
			return fmt.Errorf("no requirement quotes line %d of the issue: “%s”", q.Source.Line, q.Source.Quote)
		}
		m := drafted[at]
		switch n := u.invented(m.Description); {
		case m.Description == "":
			return fmt.Errorf("%s has no description", m.ID)
		case n != "":
			return fmt.Errorf("%s names the number %s, which stands in no source", m.ID, n)
		case len(m.Criteria) == 0:
			return fmt.Errorf("%s has no acceptance criterion", m.ID)
		}
	}
	return nil
}

func (j *job) modelArchitecture(ctx context.Context, u upstream, a *spec.Architecture) error {
	read := func(answer string) (spec.Architecture, error) {
		return spec.ParseArchitecture(spec.Parse(documents(answer, spec.ArchitecturePath)))
	}
	answer, ok, err := j.ask(ctx, question{slot: "writer", name: "architecture", task: "Write spec/architecture/_index.md and its decision files.", rules: texts(a.Render()), check: func(text string) error {
		m, err := read(text)
		if err == nil && strings.TrimSpace(m.Style) == "" {
			return errors.New(`section "Architecture Style" is missing or empty`)
		}
		return err
	}, salvage: func(text string) bool { m, err := read(text); return err == nil && (m.Style != "" || len(m.ADRs) > 0) }})
	if err != nil {
		return err
	}
	if ok {
		m, err := read(answer)
		if err != nil {
			return fmt.Errorf("read the architecture of a model: %w", err)
		}
		a.Style = u.grounded(m.Style, a.Style)
		for i := range a.Components {
			for _, c := range m.Components {
				if strings.EqualFold(c.Name, a.Components[i].Name) {
					a.Components[i].Responsibility = u.grounded(c.Responsibility, a.Components[i].Responsibility)
				}
			}
		}
		for i := range a.ADRs {
			for _, d := range m.ADRs {
				if d.ID == a.ADRs[i].ID {
					u.argue(&a.ADRs[i], d)
				}
			}
		}
	}
	return j.critique(ctx, u, a)
}

// argue takes a model's arguments for a decision that was made already.
func (u upstream) argue(a *spec.ADR, m spec.ADR) {
	a.Context = u.grounded(m.Context, a.Context)
	a.Positive, a.Negative, a.Risks = u.groundedList(m.Positive, a.Positive), u.groundedList(m.Negative, a.Negative), u.groundedList(m.Risks, a.Risks)
	if len(m.Options) >= max(2, len(a.Options)) && u.invented(fmt.Sprint(m.Options)) == "" {
		a.Options = m.Options
	}
}

// critique comes strictly after the design and is shown as feedback.
func (j *job) critique(ctx context.Context, u upstream, a *spec.Architecture) error {
	answer, ok, err := j.ask(ctx, question{slot: "technical", name: "critique", aside: true, task: "Criticise the architecture.", rules: texts(a.Render()), check: needBullets})
	if err != nil || !ok {
		return err
	}
	for _, b := range bulletsIn(answer, 5) {
		if u.invented(b) != "" {
			continue
		}
		a.Feedback = append(a.Feedback, "Critical review: "+b)
		for i := range a.ADRs {
			if strings.Contains(b, a.ADRs[i].ID) {
				a.ADRs[i].Feedback = append(a.ADRs[i].Feedback, b)
			}
		}
	}
	return nil
}

func (j *job) modelEpics(ctx context.Context, u upstream, e *spec.Epics) error {
	read := func(answer string) (spec.Epics, error) {
		return spec.ParseEpics(spec.Parse(append(documents(answer, spec.EpicsPath), spec.File{Path: spec.EpicsPath, Text: []byte("# Epics\n")})))
	}
	answer, ok, err := j.ask(ctx, question{slot: "writer", name: "epics", task: "Write one file for each epic under spec/epics/.", rules: texts(e.Render()), check: func(text string) error {
		m, err := read(text)
		if err == nil && len(m.Epics) == 0 {
			return errors.New("no epic file was found behind a line `=== FILE: spec/epics/EPIC-NNN-….md`")
		}
		return err
	}})
	if err != nil || !ok {
		return err
	}
	m, err := read(answer)
	if err != nil {
		return fmt.Errorf("read the epics of a model: %w", err)
	}
	for i := range e.Epics {
		for _, ep := range m.Epics {
			if ep.ID != e.Epics[i].ID {
				continue
			}
			e.Epics[i].Description = u.grounded(ep.Description, e.Epics[i].Description)
			for k := range e.Epics[i].Stories {
				s := &e.Epics[i].Stories[k]
				at := slices.IndexFunc(ep.Stories, func(o spec.Story) bool { return o.ID == s.ID })
				if at < 0 {
					continue
				}
				o := ep.Stories[at]
				s.Title, s.Story.Want, s.Story.Benefit = u.grounded(o.Title, s.Title), u.grounded(o.Story.Want, s.Story.Want), u.grounded(o.Story.Benefit, s.Story.Benefit)
				if o.Size == "S" || o.Size == "M" || o.Size == "L" {
					s.Size = o.Size
				}
			}
		}
	}
	return nil
}
