package roles

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// draftArchitecture is DRAFT-003: components by subject, decisions as stated.
func draftArchitecture(ctx context.Context, j *job) error {
	if j.tiny() {
		j.draft.Artifact = ""
		return nil
	}
	u, err := j.upstream()
	if err != nil {
		return err
	}
	reqs, err := spec.ParseRequirements(u.set)
	if err != nil {
		return fmt.Errorf("read the requirements: %w", err)
	}
	a := u.architecture(j, reqs)
	if err := j.modelArchitecture(ctx, u, &a); err != nil {
		return err
	}
	if old, err := spec.ParseArchitecture(u.set); err == nil {
		a = keepArchitecture(old, a, u.base(j, reqs))
	}
	j.put(a.Render(u.set))
	j.draft.Summary = fmt.Sprintf("architecture, %s, %s", spec.Count(len(a.Components), "component"), spec.Count(len(a.ADRs), "decision"))
	j.draft.Covered = []string{j.draft.Summary}
	for _, d := range a.ADRs {
		j.draft.Decisions = append(j.draft.Decisions, d.ID+": "+d.Title)
	}
	j.wisdom("decisions", j.draft.Decisions...)
	return nil
}

func (u upstream) architecture(j *job, reqs spec.Requirements) spec.Architecture {
	r, lang := u.r, u.lang
	a := spec.Architecture{Head: j.head(4), Title: reqs.Title, Open: quotes(r.Of(SortQuestion)), Feedback: j.heard(),
		References: references("spec/architecture/_index.md", "spec/requirements/_index.md", spec.BriefPath)}
	a.Dependencies = []string{"product-brief.md", "requirements/_index.md"}
	a.Entities, a.HasCodebase = reqs.Entities, u.d.Codebase != nil
	a.Components = u.components(reqs)
	a.ADRs = u.decisions(j, reqs)
	a.Stack = u.stack(a.ADRs)
	a.Style = u.style(a)
	a.Summary = phrase(lang, "summary arch", len(a.Components), len(reqs.Reqs)+len(reqs.NFRs), len(a.ADRs))
	if len(a.Stack) == 0 {
		a.Open = append(a.Open, phrase(lang, "q component"))
	}
	for i := range a.Components {
		a.Components[i].Technology = technologyFor(a.Components[i], a)
	}
	a.Relations, a.Endpoints, a.Controls = relationsOf(r, a.Entities), endpointsOf(r), u.controls(reqs)
	a.Storage = storageOf(r, a.Entities)
	a.Deployment = paragraph(slices.DeleteFunc(matching(r, deployWords), func(s Said) bool { return s.Sort == SortQuality }), 3, lang)
	a.Environments = environments(u.d)
	a.Integration = u.integration(a)
	a.Migration = paragraph(matching(r, migrateWords), 3, lang)
	a.Attributes = attributes(reqs, a.ADRs)
	a.Risks = risksOf(r)
	for _, k := range a.Risks {
		if k.Likelihood == "" || k.Impact == "" || k.Mitigation == "" || k.Owner == "" {
			a.Open = append(a.Open, phrase(lang, "q risk", k.Risk))
		}
	}
	return a
}

// components follow the subjects of the requirements; each carries the NFRs
// that speak of it, and every NFR is carried by one.
func (u upstream) components(reqs spec.Requirements) []spec.Component {
	asks := u.asksOf(reqs)
	groups := subjects(asks, u.r.Title)
	var out []spec.Component
	var texts []string
	for _, g := range groups {
		c := spec.Component{Name: g.name}
		var titles []string
		text := g.name
		for _, i := range g.at {
			c.Reqs = append(c.Reqs, reqs.Reqs[i].ID)
			titles = append(titles, inline(reqs.Reqs[i].Title, u.lang))
			text += " " + reqs.Reqs[i].Description
		}
		c.Responsibility = upperFirst(strings.Join(titles, "; "))
		out, texts = append(out, c), append(texts, text)
	}
	if len(out) == 0 && len(reqs.NFRs) > 0 {
		out, texts = []spec.Component{{Name: clip(u.r.Title, 40)}}, []string{u.r.Title}
	}
	words := corpusOf(texts)
	for _, n := range reqs.NFRs {
		at := slices.IndexFunc(out, func(c spec.Component) bool { return speaksOf(n.Statement, c.Name) })
		if at < 0 {
			at = max(words.best(n.Statement, texts), 0)
		}
		out[at].Reqs = append(out[at].Reqs, n.ID)
	}
	for i := range out {
		for k := range out {
			if i != k && k < i && speaksOf(texts[i], out[k].Name) {
				out[i].Depends = append(out[i].Depends, out[k].Name)
			}
		}
	}
	return out
}

// asksOf are the requirements as asks again, with the subject their sentence
// stood under.
func (u upstream) asksOf(reqs spec.Requirements) []Said {
	subject := map[string]string{}
	for _, s := range u.r.Said {
		subject[quoteKey(s.Quote)] = s.Subject
	}
	var out []Said
	for _, q := range reqs.Reqs {
		quote := firstOf(q.Source.Quote, q.Description)
		out = append(out, Said{Line: q.Source.Line, Quote: quote, Priority: q.Priority, Subject: subject[quoteKey(quote)]})
	}
	return out
}

// speaksOf tells whether a text names a subject with all its words.
func speaksOf(text, name string) bool {
	words := keywords(name)
	return len(words) > 0 && overlap(words, keywords(text)) == 1
}

// decisions become ADRs: what the issue states, and the stack the repository
// has settled on.
func (u upstream) decisions(j *job, reqs spec.Requirements) []spec.ADR {
	var out []spec.ADR
	date := j.Now.UTC().Format("2006-01-02")
	add := func(a spec.ADR) {
		a.ID, a.Date, a.Version = fmt.Sprintf("ADR-%03d", len(out)+1), date, 1
		out = append(out, a)
	}
	for _, s := range u.r.Of(SortDecision) {
		a := u.adr(s)
		if a.TracesTo = tracesOf(a, reqs); len(a.TracesTo) == 0 {
			a.Context += " " + phrase(u.lang, "adr whole")
		}
		add(a)
	}
	if c := u.d.Codebase; c != nil && !slices.ContainsFunc(out, func(a spec.ADR) bool { return strings.Contains(a.Decision, c.Stack.Languages[0]) }) {
		lang, on := c.Stack.Languages[0], strings.Join(c.Stack.Manifests, "`, `")
		add(spec.ADR{TracesTo: mustOf(reqs), Title: strings.TrimRight(phrase(u.lang, "decide stack", lang), "."), Status: "Proposed",
			Context:  phrase(u.lang, "context stack", strings.Join(c.Stack.Languages, ", "), "`"+on+"`"),
			Decision: phrase(u.lang, "decide stack", lang),
			Options: []spec.Option{{Name: strings.TrimRight(phrase(u.lang, "decide stack", lang), "."), Pros: phrase(u.lang, "stack pro", on), Cons: phrase(u.lang, "stack con")},
				{Name: phrase(u.lang, "stack alt"), Pros: phrase(u.lang, "stack alt pro"), Cons: phrase(u.lang, "stack alt con")}},
			Positive: []string{phrase(u.lang, "stack pro", on)}, Negative: []string{phrase(u.lang, "stack con")}})
	}
	return out
}

// mustOf are the requirements that any solution has to carry, at most six.
func mustOf(reqs spec.Requirements) []string {
	var out []string
	for _, q := range reqs.Reqs {
		if q.Priority == "Must" {
			out = append(out, q.ID)
		}
	}
	return few(out, 6)
}

var (
	insteadOf = regexp.MustCompile(`(?i)[,;]?\s*\b(?:instead of|rather than|in place of|over|and not|not|statt|anstatt|anstelle von)\s+(.+?)(?:\s*[,;:.(]|\s+(?:because|since|as|weil|da)\b|$)|(?:，|,)?(?:而不是|而非|不用)(.+?)(?:[，,。；]|$)`)
	becauseOf = regexp.MustCompile(`(?i)[,;:]?\s*\b(?:because|since|weil|denn|so that|damit)\s+(.+?)(?:[.;]|\s*,?\s+(?:although|even though|but|at the (?:price|cost) of)\b|$)|(?:因为|由于)(.+?)(?:[，。；]|$)`)
	priceOf   = regexp.MustCompile(`(?i)[,;]?\s*\b(?:although|even though|but|at the (?:price|cost) of|we accept(?: that)?|the (?:price|cost|downside) is(?: that)?)\s+(.+?)(?:[.;]|$)|(?:但是?|代价是)(.+?)(?:[，。；]|$)`)
	decided   = regexp.MustCompile(`(?i)^(?:decision:\s*|(?:we|it)\s+(?:have |has |was |is |already )*(?:been )?(?:decided|agreed|settled)\s*(?:to|on|that|:)?\s*|we(?: will|['’]ll)?\s+|wir (?:haben (?:uns )?)?(?:entschieden,?\s*)?|entscheidung:\s*|(?:我们)?(?:已)?决定\s*[:：]?)`)
)

func submatch(re *regexp.Regexp, s string) string {
	m := re.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(firstOf(m[1:]...))
}

// adr takes a stated decision apart: what, instead of what, why, at what price.
func (u upstream) adr(s Said) spec.ADR {
	text := strings.TrimRight(s.Quote, ".。")
	why, loser, price := submatch(becauseOf, text), submatch(insteadOf, text), submatch(priceOf, text)
	name := text
	for _, re := range []*regexp.Regexp{becauseOf, insteadOf, priceOf} {
		if at := re.FindStringIndex(name); at != nil && at[0] > 3 {
			name = name[:at[0]]
		}
	}
	name = upperFirst(strings.TrimSpace(decided.ReplaceAllString(name, "")))
	a := spec.ADR{Title: phraseCut(name, titleLength), Status: "Accepted", Context: phrase(u.lang, "context adr", where(s.Line, u.lang)), Decision: stop(s.Quote, u.lang)}
	if p := u.occasion(s); p != "" {
		a.Context = stop(p, u.lang) + " " + a.Context
	}
	chosen := spec.Option{Name: name, Pros: why, Cons: price}
	var others []spec.Option
	if loser != "" {
		others = append(others, spec.Option{Name: upperFirst(strings.TrimPrefix(loser, "as "))})
	}
	for _, d := range s.Details {
		switch d.Label {
		case "pro":
			chosen.Pros = joinText(chosen.Pros, d.Quote)
		case "con":
			chosen.Cons = joinText(chosen.Cons, d.Quote)
		case "risk":
			a.Risks = append(a.Risks, d.Quote)
		case "alternative":
			others = append(others, optionsOf(d.Quote)...)
		default:
			a.Context += " " + stop(d.Quote, u.lang)
		}
	}
	if chosen.Pros != "" {
		a.Positive = []string{upperFirst(chosen.Pros)}
	}
	if chosen.Cons != "" {
		a.Negative = []string{upperFirst(chosen.Cons)}
	}
	a.Options = append([]spec.Option{chosen}, merged(others)...)
	return a
}

// merged makes one option of those that name one thing: the loser in the
// sentence and the alternative below it.
func merged(options []spec.Option) []spec.Option {
	var out []spec.Option
	for _, o := range options {
		o.Name = upperFirst(strings.TrimPrefix(o.Name, "as "))
		own := keywords(o.Name)
		at := slices.IndexFunc(out, func(k spec.Option) bool {
			return sameQuote(k.Name, o.Name) || min(overlap(own, keywords(k.Name)), overlap(keywords(k.Name), own)) == 1 || out[0].Pros+out[0].Cons == "" && overlap(keywords(k.Name), own) >= 0.5
		})
		if at < 0 {
			out = append(out, o)
			continue
		}
		if out[at].Pros+out[at].Cons == "" {
			out[at].Name = o.Name
		}
		out[at].Pros, out[at].Cons = joinText(out[at].Pros, o.Pros), joinText(out[at].Cons, o.Cons)
	}
	return out
}

// occasion is the sentence on today's state that a decision answers to; the
// whole problem stands in the brief.
func (u upstream) occasion(s Said) string {
	about := s.Quote
	for _, d := range s.Details {
		about += " " + d.Quote
	}
	today := quotes(u.r.Of(SortProblem, SortImpact, SortConstraint))
	if at := corpusOf(append(slices.Clone(today), quotes(u.r.Of(SortDecision))...)).best(about, today); at >= 0 {
		return today[at]
	}
	return ""
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

var proCon = regexp.MustCompile(`(?i)[,;(–—.]?\s*\b(pros?|cons?|for it|against it|vorteil|nachteil)\b\s*[:：]\s*|(优点|缺点)\s*[:：]\s*`)

var (
	reasoned  = regexp.MustCompile(`^[^(),;:]+ \(([^()]+)\)\.?$`)
	reasonEnd = regexp.MustCompile(`\)\s*[,;]\s*`)
)

// optionsOf reads several options with their reasons: "Kafka (one more
// service), Redis (no replay)".
func optionsOf(text string) []spec.Option {
	var out []spec.Option
	for _, part := range strings.Split(reasonEnd.ReplaceAllString(text, ")\n"), "\n") {
		m := reasoned.FindStringSubmatch(part)
		if m == nil {
			return []spec.Option{optionOf(text)}
		}
		name, _, _ := strings.Cut(part, " (")
		out = append(out, spec.Option{Name: strings.TrimSpace(name), Cons: m[1]})
	}
	return out
}

// optionOf reads "a broker; pro: pushes; con: one more service".
func optionOf(text string) spec.Option {
	at := proCon.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		name, why, ok := strings.Cut(text, ":")
		if !ok {
			name, why, _ = strings.Cut(text, ", ")
		}
		return spec.Option{Name: strings.TrimSpace(name), Cons: strings.TrimSpace(why)}
	}
	o := spec.Option{Name: strings.Trim(text[:at[0][0]], " ,;:.–—(")}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		value := strings.Trim(text[m[1]:end], " ,;.)")
		switch label := strings.ToLower(strings.TrimSpace(text[m[0]:m[1]])); {
		case strings.Contains(label, "con"), strings.Contains(label, "against"), strings.Contains(label, "nachteil"), strings.Contains(label, "缺点"):
			o.Cons = joinText(o.Cons, value)
		default:
			o.Pros = joinText(o.Pros, value)
		}
	}
	return o
}
