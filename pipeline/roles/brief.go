package roles

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// draftBrief is DRAFT-001: the product brief.
func draftBrief(ctx context.Context, j *job) error {
	if j.tiny() {
		j.draft.Artifact = ""
		return nil
	}
	u, err := j.upstream()
	if err != nil {
		return err
	}
	b := u.brief(j)
	if err := j.modelBrief(ctx, u, &b); err != nil {
		return err
	}
	if old, err := spec.ParseBrief(u.set); err == nil {
		b = keepBrief(old, b)
	}
	j.put(b.Render(u.set))
	j.draft.Summary = fmt.Sprintf("product brief, %s", spec.Count(len(b.Goals), "goal"))
	j.draft.Covered = []string{j.draft.Summary}
	j.draft.Decisions = scopeDecisions(b)
	j.wisdom("decisions", j.draft.Decisions...)
	return nil
}

func scopeDecisions(b spec.Brief) []string {
	var out []string
	for _, o := range b.OutOfScope {
		out = append(out, "Out of scope: "+o)
	}
	return out[:min(3, len(out))]
}

// brief writes the product brief by rules.
func (u upstream) brief(j *job) spec.Brief {
	r, lang := u.r, u.lang
	b := spec.Brief{Head: j.head(2, "load-context", "synthesis", "generation"), Title: firstOf(r.Title, "Untitled"),
		Users: personasOf(r), Goals: goalsOf(r), OutOfScope: quotes(r.Of(SortNonGoal)), Assumptions: u.assumptions(j.Session),
		Depends: quotes(r.Of(SortDepends)), Open: u.open(j.Session), Feedback: j.heard(), References: references("spec/product-brief.md", spec.DiscoveryPath)}
	asks := r.Asks()
	b.Dependencies = []string{"discovery-context.json"}
	b.Summary = phrase(lang, "summary brief", firstOf(code(u.d.Author), "its author"), len(asks), len(b.Goals), len(r.Of(SortConstraint)))
	b.Vision = visionOf(r)
	b.Situation = situationOf(r)
	b.Impact = paragraph(r.Of(SortImpact), 4, lang)
	for _, a := range asks {
		title := titleOf(a, lang)
		if a.Sort == SortQuality {
			title = u.nfr(a, map[string]int{}).Title
		}
		b.InScope = append(b.InScope, title)
	}
	for _, c := range r.Of(SortConstraint) {
		if businessWords.MatchString(c.Quote) {
			b.Business = append(b.Business, firstOf(c.Row, c.Quote))
		} else {
			b.Technical = append(b.Technical, firstOf(c.Row, c.Quote))
		}
	}
	if u.d.Codebase != nil {
		for _, c := range u.d.Codebase.Constraints {
			b.Technical = once(b.Technical, c+" (`"+strings.Join(u.d.Codebase.Stack.Manifests, "`, `")+"`)")
		}
	}
	b.Landscape = landscapeOf(r)
	b.Synthesis = u.synthesis(b)
	for _, g := range few(b.Goals, len(r.Of(SortGoal))) { // the title's stand-in is asked for by the analyst
		if (g.Metric == "" || g.Target == "") && !slices.ContainsFunc(b.Open, func(o string) bool { return strings.Contains(o, g.Text) }) {
			b.Open = append(b.Open, phrase(lang, "q goal", g.Text))
		}
	}
	return b
}

var businessWords = regexp.MustCompile(`(?i)\b(?:budget|deadline|release|legal|gdpr|dsgvo|compliance|costs?|budget|price|licen[cs]e|contract|until|spend\w*|kosten|by (?:the )?(?:end|q\d|january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)|vertrag|kosten)\b|预算|合规|截止|合同|费用`)

// paragraph joins the first few sentences.
func paragraph(said []Said, most int, lang string) string {
	var out []string
	for _, s := range said[:min(most, len(said))] {
		out = append(out, stop(s.Quote, lang))
	}
	return join(out, lang)
}

// situationOf is today's state: the problem's sentences, and where the issue
// has none, what it calls context.
func situationOf(r Reading) string {
	for _, sort := range []Sort{SortProblem, SortImpact, SortContext} {
		if p := paragraph(r.Of(sort), 6, r.Language); p != "" {
			return p
		}
	}
	return ""
}

// visionOf is one to three sentences: the issue's own vision, or its title
// with the first goal or benefit.
func visionOf(r Reading) string {
	if v := paragraph(r.Of(SortVision), 3, r.Language); v != "" {
		return v
	}
	if why := becauseOfGoals(r); why != "" {
		return stop(strings.TrimRight(r.Title, ".")+", so that "+why, r.Language)
	}
	out := []string{stop(r.Title, r.Language)}
	if len(r.Of(SortGoal)) == 0 {
		out[0] = stop(purposeOfTitle(r), r.Language)
	}
	for _, s := range r.Of(SortStory) {
		if st, ok := spec.ReadStory(s.Quote); ok && st.Benefit != "" && len(out) < 2 {
			out = append(out, stop(s.Quote, r.Language))
		}
	}
	for _, g := range r.Of(SortGoal) {
		if len(out) < 3 {
			out = append(out, stop(g.Quote, r.Language))
		}
	}
	if len(out) == 1 {
		if asks := r.Asks(); len(asks) > 0 && asks[0].Quote != r.Title {
			out = append(out, statement(asks[0], r.Language))
		}
	}
	return join(out, r.Language)
}

// becauseOfGoals says which way the goals want things to go, where all of them
// say so; their numbers stand in the table of goals.
func becauseOfGoals(r Reading) string {
	var out []string
	for _, g := range r.Of(SortGoal) {
		if r.Language != "en" || !goalShape.MatchString(g.Quote) {
			return ""
		}
		out = append(out, benefitFrom(strings.TrimRight(g.Quote, "."), r.Language))
	}
	return strings.Join(few(out, 3), " and ")
}

var goalVerb = regexp.MustCompile(`(?i)^(?:reduce|cut|lower|decrease|increase|raise|grow|improve|halve|double|bring|keep|get|shorten|drop|senken|erhöhen|steigern)\s+(?:the\s+)?`)

// goalsOf are the goals the issue states; without any its title is the one
// purpose it has.
func goalsOf(r Reading) []spec.Goal {
	var out []spec.Goal
	for _, s := range r.Of(SortGoal) {
		b := boundOf(s)
		g := spec.Goal{ID: fmt.Sprintf("G-%03d", len(out)+1), Text: strings.TrimRight(s.Quote, ".。"), Metric: goalVerb.ReplaceAllString(b.metric, ""), Target: b.target}
		if m := goalShape.FindStringSubmatch(g.Text); m != nil && g.Target != "" {
			g.Metric = m[2]
		}
		if m := goalNumber.FindStringSubmatch(g.Text); m != nil && g.Target != "" {
			g.Metric = m[1]
		}
		if g.Metric == "" && g.Target != "" {
			g.Metric = clip(g.Text, 60)
		}
		for _, d := range s.Details {
			switch d.Label {
			case "metric", "success metric":
				g.Metric = d.Quote
			case "target":
				g.Target = d.Quote
			}
		}
		out = append(out, g)
	}
	if len(out) == 0 && r.Title != "" {
		out = append(out, spec.Goal{ID: "G-001", Text: purposeOfTitle(r)})
	}
	return out
}

// goalNumber is a goal that counts something: what it counts is its metric.
var goalNumber = regexp.MustCompile(`(?i)^(?:bring|reduce|cut|lower|get|keep|raise|increase) (?:the )?((?:number|share|rate|count|percentage|amount) of .+?) (?:from|to|below|under|above|by) `)

// complaining titles say what is wrong today.
var complaining = regexp.MustCompile(`(?i)\b(?:is|are) (?:too|broken|wrong|slow|missing|not)\b|\b(?:drops?|fails?|crash(?:es)?|hangs?|leaks?|loses?|ignores?|skips?|breaks?|does not|do not|doesn['’]t|don['’]t|cannot|can['’]t|not working)\b`)

// A complaint whose end can be said by turning its verb.
var (
	ailing = regexp.MustCompile(`(?i)^(\S.*?) (drops|fails|crashes|hangs|leaks|loses|ignores|skips|breaks)\b(.*)$`)
	broken = regexp.MustCompile(`(?i)^(\S.*?) (is|are) ((?:too|broken|wrong|slow|missing)\b.*)$`)
)

// purposeOfTitle makes a title the one purpose of an issue without goals. What
// is wrong today is no purpose; its end is.
func purposeOfTitle(r Reading) string {
	title := strings.TrimRight(r.Title, ".")
	if r.Language != "en" || !complaining.MatchString(title) || opensWithVerb(title) {
		return title
	}
	if m := ailing.FindStringSubmatch(title); m != nil {
		return m[1] + " no longer " + strings.ToLower(m[2]) + m[3]
	}
	if m := broken.FindStringSubmatch(title); m != nil {
		return m[1] + " " + strings.ToLower(m[2]) + " no longer " + m[3]
	}
	return phrase(r.Language, "goal ended", title)
}

func few[T any](list []T, most int) []T { return list[:min(most, len(list))] }
