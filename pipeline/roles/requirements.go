package roles

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// draftRequirements is DRAFT-002: one requirement for each ask, with its
// sentence as source.
func draftRequirements(ctx context.Context, j *job) error {
	u, err := j.upstream()
	if err != nil {
		return err
	}
	if j.tiny() {
		return draftTiny(j, u)
	}
	goals := goalsOf(u.r)
	if b, err := spec.ParseBrief(u.set); err == nil && len(b.Goals) > 0 {
		goals = b.Goals
	}
	r := u.requirements(j, goals)
	if err := j.modelRequirements(ctx, u, &r); err != nil {
		return err
	}
	if old, err := spec.ParseRequirements(u.set); err == nil {
		var gone []string
		r, gone = u.keepRequirements(old, r)
		j.drop(gone)
		u.set = j.set()
	}
	j.put(r.Render(u.set))
	j.draft.Summary = fmt.Sprintf("%s, %s", spec.Count(len(r.Reqs), "requirement"), spec.Count(len(r.NFRs), "NFR"))
	j.draft.Covered = []string{j.draft.Summary}
	return nil
}

// requirements writes them by rules.
func (u upstream) requirements(j *job, goals []spec.Goal) spec.Requirements {
	r, lang := u.r, u.lang
	out := spec.Requirements{Head: j.head(3), Title: firstOf(r.Title, "Untitled"), Goals: goals, Constraints: readable(r.Of(SortConstraint, SortDepends)),
		Assumptions: u.assumptions(j.Session), Open: u.open(j.Session), Feedback: j.heard(),
		References: references("spec/requirements/_index.md", spec.BriefPath, spec.DiscoveryPath)}
	out.Dependencies = []string{"product-brief.md", "discovery-context.json"}
	asks := distinct(r.Asks())
	seq := map[string]int{}
	for _, a := range asks {
		if a.Sort == SortQuality {
			out.NFRs = append(out.NFRs, u.nfr(a, seq))
			continue
		}
		id := fmt.Sprintf("REQ-%03d", len(out.Reqs)+1)
		out.Reqs = append(out.Reqs, u.requirement(a, id))
	}
	for _, s := range r.Of(SortQuality) {
		if !s.Asks() {
			out.NotApplicable = append(out.NotApplicable, s.Quote)
		}
	}
	slices.SortFunc(out.NFRs, func(a, b spec.NFR) int { return strings.Compare(a.ID, b.ID) })
	u.criteria(&out)
	u.trace(&out)
	u.stories(&out)
	out.Summary = phrase(lang, "summary reqs", len(out.Reqs), len(out.NFRs), len(asks))
	out.Rationale = rationale(out, asks, lang)
	out.Entities, out.Flows, out.Integrations = entitiesOf(r), flowsOf(r), integrationsOf(r)
	for _, q := range out.Reqs {
		if len(q.Criteria) == 0 {
			out.Open = append(out.Open, phrase(lang, "q criterion", q.ID))
		}
	}
	for _, n := range out.NFRs {
		if n.Method == "" {
			out.Open = append(out.Open, phrase(lang, "q unmeasured", n.Title))
		}
	}
	return out
}

// distinct drops an ask said twice.
func distinct(asks []Said) []Said {
	seen := map[string]bool{}
	var out []Said
	for _, a := range asks {
		key := strings.ToLower(strings.TrimRight(a.Quote, ".。 "))
		if !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}

func (u upstream) requirement(a Said, id string) spec.Requirement {
	q := spec.Requirement{ID: id, Title: titleOf(a, u.lang), Priority: a.Priority, Status: "draft", Description: statement(a, u.lang), Source: a.Source(), Version: 1}
	if st, ok := spec.ReadStory(a.Quote); ok {
		q.Story = st
		q.Title = cutTitle(upperFirst(st.Want))
		if u.lang == "en" {
			q.Description = stop(upperFirst(articled(st.Role))+" "+firstOf(keyword[a.Priority], "MUST")+" be able to "+mine.Replace(strings.TrimPrefix(st.Want, "to ")+" "), u.lang)
		}
	}
	for _, d := range a.Details {
		if d.Label == "" || !labelOnly[d.Label] {
			q.Criteria = append(q.Criteria, spec.Criterion{Text: stop(d.Quote, u.lang)})
		}
	}
	return q
}

// mine turns what somebody says of himself into what is said of him.
var mine = strings.NewReplacer(" my ", " their ", " mine ", " theirs ", " I ", " they ", " me ", " them ", " myself ", " themselves ")

// labelOnly details belong to decisions and risks, not to criteria.
var labelOnly = map[string]bool{"pro": true, "con": true, "alternative": true, "risk": true, "priority": true, "metric": true, "likelihood": true, "impact": true, "mitigation": true, "owner": true, "kind": true, "id": true, "type": true, "category": true, "#": true}

func articled(role string) string {
	role = strings.TrimSpace(role)
	for _, a := range []string{"a ", "an ", "the ", "any ", "every "} {
		if strings.HasPrefix(strings.ToLower(role), a) {
			return role
		}
	}
	if role != "" && strings.ContainsRune("aeiouAEIOU", rune(role[0])) {
		return "an " + role
	}
	return "a " + role
}

func (u upstream) nfr(a Said, seq map[string]int) spec.NFR {
	category := firstOf(statedCategory(a), categoryOf(a.Quote), "P")
	seq[category]++
	b := boundOf(a)
	n := spec.NFR{ID: fmt.Sprintf("NFR-%s-%03d", category, seq[category]), Title: titleOf(a, u.lang), Category: category, Priority: a.Priority, Status: "draft",
		Statement: statement(a, u.lang), Metric: b.metric, Target: b.target, Method: b.method, Source: a.Source(), Version: 1}
	if u.lang == "en" {
		entitle(&n)
	}
	return n
}

var noMore = regexp.MustCompile(` no (?:more|less|longer|fewer|later) than`)

var isState = regexp.MustCompile(` (?:is|are) `)

var danglingWord = regexp.MustCompile(`(?i)\s+(?:in|at|of|for|to|is|are|with|on|by|:)$`)

// entitle gives an English quality a title with its subject, and a metric that
// says what is measured, not only of what: "delivery list answers". A standard
// without a number is its own target.
func entitle(n *spec.NFR) {
	m := requirementForm.FindStringSubmatch(strings.TrimRight(n.Statement, "."))
	if m == nil {
		return
	}
	subject := strings.TrimSpace(m[1])
	whole := article.ReplaceAllString(present(subject, m[2], m[3]), "")
	if at := methodWords.FindStringIndex(whole); at != nil {
		whole = strings.TrimRight(whole[:at[0]], " ,;(")
	}
	clause, ensured := strings.CutPrefix(m[3], "ensure that ")
	if held, ok := strings.CutPrefix(m[3], "hold "); ok {
		clause, ensured = held, true
	}
	if at := methodWords.FindStringIndex(clause); ensured && at != nil {
		clause = strings.TrimRight(clause[:at[0]], " ,;(")
	}
	if ensured {
		whole = clause
	}
	if ensured || subject != "The system" {
		n.Title = upperFirst(phraseCut(whole, titleLength))
	}
	if n.Target == "" || n.Category == "S" && !unitMeasure.MatchString(n.Target) {
		if state, ok := strings.CutPrefix(m[3], "be "); ok && subject != "The system" {
			if at := methodWords.FindStringIndex(state); at != nil {
				state = strings.TrimRight(state[:at[0]], " ,;(")
			}
			n.Metric, n.Target = lowerFirst(article.ReplaceAllString(subject, "")), state
		} else if at := isState.FindStringIndex(clause); ensured && at != nil {
			n.Metric, n.Target = clause[:at[0]], clause[at[1]:]
		}
		return
	}
	if m := noMore.FindString(whole); m != "" && strings.HasPrefix(n.Target, strings.TrimPrefix(m, " no ")) {
		n.Target = "no " + n.Target
	}
	if at := strings.Index(whole, n.Target); at > 3 {
		n.Metric = lowerFirst(danglingWord.ReplaceAllString(strings.Trim(whole[:at], " ,;:"), ""))
	}
}

// criteria gives each criterion of the issue to the requirement it is about;
// one that is about none of them is an ask of its own. Requirements left
// without one get their own sentence as an observation, where it can be
// observed at all.
func (u upstream) criteria(out *spec.Requirements) {
	var texts []string
	for _, q := range out.Reqs {
		texts = append(texts, q.Title+" "+q.Description)
	}
	for _, c := range u.r.Of(SortCriterion) {
		at := corpusOf(texts).best(c.Quote, texts)
		if at < 0 {
			at = nearest(c.Quote, texts, 0.3)
		}
		if at < 0 {
			c.Sort, c.Priority = SortAsk, firstOf(c.Priority, "Must")
			out.Reqs = append(out.Reqs, u.requirement(c, fmt.Sprintf("REQ-%03d", len(out.Reqs)+1)))
			out.Reqs[len(out.Reqs)-1].Criteria = append(out.Reqs[len(out.Reqs)-1].Criteria, spec.Criterion{Text: stop(c.Quote, u.lang)})
			texts = append(texts, c.Quote)
			continue
		}
		text := stop(c.Quote, u.lang)
		if !slices.ContainsFunc(out.Reqs[at].Criteria, func(k spec.Criterion) bool { return k.Text == text }) {
			out.Reqs[at].Criteria = append(out.Reqs[at].Criteria, spec.Criterion{Text: text})
		}
	}
	for i := range out.Reqs {
		q := &out.Reqs[i]
		if len(q.Criteria) == 0 {
			if text := observed(q.Description, u.lang); text != "" {
				q.Criteria = append(q.Criteria, spec.Criterion{Text: stop(text, u.lang)})
			}
		}
		number := strings.TrimPrefix(q.ID, "REQ-")
		for k := range q.Criteria {
			q.Criteria[k].ID = fmt.Sprintf("AC-%s-%02d", number, k+1)
		}
	}
}

// stories fills who wants what and why: from the sentence, from the only
// persona there is, and the reason from the goal it serves.
func (u upstream) stories(out *spec.Requirements) {
	people := personasOf(u.r)
	for i := range out.Reqs {
		q := &out.Reqs[i]
		if q.Story.Want == "" {
			q.Story.Want = wantOf(*q, u.lang)
		}
		if q.Story.Role == "" {
			q.Story.Role = roleOf(*q, u.lang, people)
		}
		if q.Story.Benefit == "" {
			q.Story.Benefit = benefitOf(q.Source.Quote)
		}
		if q.Story.Benefit == "" && len(q.TracesTo) > 0 {
			for _, g := range out.Goals {
				if g.ID == q.TracesTo[0] && g.Text != purposeOfTitle(u.r) {
					q.Story.Benefit = benefitFrom(g.Text, u.lang)
				}
			}
		}
	}
}

// roleOf is who a requirement is for: whom its sentence is about, whom it
// names, whose needs it is like, else whom most of the issue is about.
func roleOf(q spec.Requirement, lang string, people []spec.Persona) string {
	spoken := func(name string) string {
		if lang != "en" {
			return name
		}
		return lowerFirst(name)
	}
	c := cast{people}
	for _, text := range []string{headOf(subjectOf(q.Description, lang)), q.Description} {
		for _, f := range roles(text) {
			if p := c.known(personaName(f)); p != nil {
				return spoken(p.Name)
			}
		}
	}
	var needs []string
	for _, p := range people {
		needs = append(needs, strings.Join(append(append(slices.Clone(p.Needs), p.PainPoints...), p.Role), " "))
	}
	if at := nearest(q.Source.Quote, needs, 0.2); at >= 0 {
		return spoken(people[at].Name)
	}
	if p := mainOf(people); p != nil {
		return spoken(p.Name)
	}
	return ""
}

var benefitWords = regexp.MustCompile(`(?i)(?:\bso that\b|\bin order to\b|\bso (?:we|they|it|users|that)\b|\bbecause\b|\bdamit\b|以便|从而)\s*(.+?)[.。]?$`)

func benefitOf(quote string) string {
	if m := benefitWords.FindStringSubmatch(quote); m != nil {
		return m[1]
	}
	return ""
}

// goalShape takes a goal apart that says what shall fall or rise.
var goalShape = regexp.MustCompile(`(?i)^(reduce|cut|lower|decrease|shorten|drop|increase|raise|grow) (?:the )?(.+?)(?:,? (?:from|to|by|below|under|above) [^a-z]*\d.*)?$`)

// benefitFrom makes a goal a reason. Its numbers stay with the goal: a story
// says which way things go.
func benefitFrom(goal, lang string) string {
	if lang != "en" {
		return lowerFirst(goal)
	}
	if m := goalShape.FindStringSubmatch(goal); m != nil {
		way := "falls"
		if verb := strings.ToLower(m[1]); verb == "increase" || verb == "raise" || verb == "grow" {
			way = "rises"
		}
		return "the " + m[2] + " " + way
	}
	if verb, _ := firstWord(goal); imperatives[verb] || goalVerb.MatchString(goal) {
		return "we " + lowerFirst(goal)
	}
	return lowerFirst(goal)
}

// rationale says by which word each priority was read.
func rationale(out spec.Requirements, asks []Said, lang string) string {
	ids := map[string]string{}
	for _, q := range out.Reqs {
		ids[q.Source.Quote] = q.ID
	}
	for _, n := range out.NFRs {
		ids[n.Source.Quote] = n.ID
	}
	type reason struct{ priority, word string }
	by := map[reason][]string{}
	var order []reason
	for _, a := range asks {
		k := reason{a.Priority, strings.ToLower(a.Modal)}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], ids[a.Quote])
	}
	var lines []string
	for _, k := range order {
		list := strings.Join(by[k], ", ")
		one := "" // an English verb bends for one
		if len(by[k]) == 1 && lang == "en" {
			one = " one"
		}
		switch {
		case k.word == "" && k.priority != "Must":
			lines = append(lines, phrase(lang, "by issue"+one, k.priority, list))
		case k.word == "":
			lines = append(lines, phrase(lang, "no modal"+one, k.priority, list, k.priority))
		default:
			lines = append(lines, phrase(lang, "modal"+one, k.priority, list, k.word))
		}
	}
	return "- " + strings.Join(lines, "\n- ")
}
