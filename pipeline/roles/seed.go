package roles

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// seedOf is the first analysis: the issue's own words, sorted.
func seedOf(r Reading) spec.SeedAnalysis {
	s := spec.SeedAnalysis{ProblemStatement: problemOf(r), Domain: domainOf(r), Constraints: quotes(r.Of(SortConstraint, SortDepends))}
	for _, p := range personasOf(r) {
		s.TargetUsers = append(s.TargetUsers, p.Name)
	}
	if len(s.Constraints) == 0 {
		s.ConstraintsReason = "the issue states none"
	}
	asks := r.Asks()
	groups := subjects(asks, r.Title)
	for _, g := range groups {
		if len(s.ExplorationDimensions) < 5 {
			s.ExplorationDimensions = append(s.ExplorationDimensions, g.name)
		}
	}
	s.Dimensions = s.ExplorationDimensions
	switch n := len(groups); {
	case n <= 2:
		s.Complexity = "simple"
	case n <= 5:
		s.Complexity = "moderate"
	default:
		s.Complexity = "complex"
	}
	return s
}

// problemOf is what the issue says is wrong today, at most three sentences.
func problemOf(r Reading) string {
	said := append(r.Of(SortProblem), r.Of(SortImpact)...)
	if len(said) == 0 {
		said = r.Of(SortVision)
	}
	if len(said) == 0 {
		return r.Title
	}
	slices.SortStableFunc(said, func(a, b Said) int { return a.Line - b.Line })
	var out []string
	for _, s := range said[:min(3, len(said))] {
		out = append(out, stop(s.Quote, r.Language))
	}
	return join(out, r.Language)
}

func join(sentences []string, lang string) string {
	if lang == "zh" || lang == "ja" {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

// domainOf is the most frequent telling words.
func domainOf(r Reading) string {
	freq := map[string]int{}
	for _, w := range keywords(r.Title) {
		freq[w] += 2
	}
	for _, s := range r.Said {
		for _, w := range keywords(s.Quote) {
			freq[w]++
		}
	}
	words := sortedKeys(freq)
	slices.SortStableFunc(words, func(a, b string) int { return freq[b] - freq[a] })
	// Stems are for comparing; people get a word as the issue spells it.
	var out []string
	for _, w := range words[:min(3, len(words))] {
		out = append(out, spelt(r, w))
	}
	return strings.Join(out, ", ")
}

var spelling = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_-]*`)

func spelt(r Reading, stemmed string) string {
	texts := []string{r.Title}
	for _, s := range r.Said {
		texts = append(texts, s.Quote)
	}
	for _, t := range texts {
		for _, w := range spelling.FindAllString(t, -1) {
			if k := keywords(w); len(k) == 1 && k[0] == stemmed {
				return strings.ToLower(w)
			}
		}
	}
	return stemmed
}

// roleWords name people; a sentence's subject among them is a persona.
var roleWords = regexp.MustCompile(`(?i)\b((?:[a-z]+[- ])?(?:operators?|admins?|administrators?|developers?|maintainers?|customers?|visitors?|readers?|editors?|authors?|analysts?|engineers?|managers?|owners?|members?|guests?|merchants?|sellers?|buyers?|drivers?|patients?|students?|teachers?|testers?|reviewers?|accountants?|auditors?|agents?|subscribers?|employees?|colleagues?|contributors?|integrators?|consumers?|clients?|shoppers?|users?|support team|support staff|on-call|betreiber|administratoren|entwickler|kunden|nutzer(?:innen)?|benutzer|redakteure|sachbearbeiter(?:innen)?))\b`)

var hanRole = regexp.MustCompile(`(?:运营|管理|开发|财务|客服|测试|普通|注册|仓库|审核)?(?:人员|管理员|用户|商家|买家|卖家|客户|读者|编辑|司机|老师|学生|专员|开发者)`)

var userLine = regexp.MustCompile(`^(?:an? |the |die |der |das )?([^:：,，.–—(]{2,40}?)(?:\s*(?:[:：–—]|\s-\s|\s\()\s*(.+))?$`)

// personasOf finds who it is for: a section on users, user stories, then the
// subjects of the asks.
func personasOf(r Reading) []spec.Persona {
	var out []spec.Persona
	find := func(name string) *spec.Persona {
		name = personaName(name)
		if name == "" {
			return nil
		}
		for i := range out {
			if strings.EqualFold(singular(out[i].Name), singular(name)) {
				return &out[i]
			}
		}
		if len(out) >= 6 {
			return nil
		}
		out = append(out, spec.Persona{Name: name})
		return &out[len(out)-1]
	}
	for _, s := range r.Of(SortUser) {
		m := userLine.FindStringSubmatch(strings.TrimRight(s.Quote, ".。)"))
		if m == nil || utf8.RuneCountInString(m[1]) > 32 {
			for _, role := range roles(s.Quote) {
				if p := find(role); p != nil && p.Role == "" {
					p.Role = s.Quote
				}
			}
			continue
		}
		if p := find(m[1]); p != nil {
			p.Role = firstOf(p.Role, m[2], s.Quote)
		}
	}
	for _, s := range r.Of(SortStory) {
		if st, ok := spec.ReadStory(s.Quote); ok {
			if p := find(st.Role); p != nil {
				p.Needs = once(p.Needs, upperFirst(st.Want))
				p.SuccessCriteria = once(p.SuccessCriteria, st.Benefit)
			}
		}
	}
	for _, s := range r.Of(SortAsk, SortQuality, SortCriterion, SortProblem, SortImpact, SortGoal) {
		for _, role := range roles(s.Quote) {
			p := find(role)
			switch {
			case p == nil:
			case s.Sort == SortAsk && len(p.Needs) < 4:
				p.Needs = once(p.Needs, titleOf(s, r.Language))
			case (s.Sort == SortProblem || s.Sort == SortImpact) && len(p.PainPoints) < 3:
				p.PainPoints = once(p.PainPoints, s.Quote)
			case s.Sort == SortGoal && len(p.SuccessCriteria) < 3:
				p.SuccessCriteria = once(p.SuccessCriteria, s.Quote)
			}
		}
	}
	// "User" says nothing where somebody is named.
	if len(out) > 1 {
		out = slices.DeleteFunc(out, func(p spec.Persona) bool { return singular(strings.ToLower(p.Name)) == "user" && p.Role == "" })
	}
	return out
}

func roles(text string) []string {
	var out []string
	for _, m := range roleWords.FindAllStringSubmatch(text, -1) {
		out = append(out, trimRole(m[1]))
	}
	return append(out, hanRole.FindAllString(text, -1)...)
}

var notRole = wordSet(`the a an our all any each every of to for by from when if with and or new other some most no as that which let lets give allow help support tell send show per more many few their its this these those only api http rest web`)

func trimRole(s string) string {
	if first, rest, ok := strings.Cut(s, " "); ok && (notRole[strings.ToLower(first)] || imperatives[strings.ToLower(first)]) {
		return rest
	}
	return s
}

func personaName(s string) string {
	s = strings.TrimSpace(strings.Trim(oneLine(s), "*_`\"'“”"))
	for _, article := range []string{"the ", "a ", "an ", "our "} {
		if len(s) > len(article) && strings.EqualFold(s[:len(article)], article) {
			s = s[len(article):]
		}
	}
	if s == "" || utf8.RuneCountInString(s) > 40 {
		return ""
	}
	return upperFirst(singular(s))
}

func singular(s string) string {
	switch {
	case strings.HasSuffix(s, "ies") && len(s) > 5:
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "ss") || strings.HasSuffix(s, "us"):
		return s
	case strings.HasSuffix(s, "s") && len(s) > 3:
		return s[:len(s)-1]
	}
	return s
}

// taken lists the answers to questions: by people, or the defaults of those
// whose time ran out.
func taken(questions []pipeline.Question, lang string) []string {
	out := []string{}
	for _, q := range questions {
		switch {
		case q.Answer == "":
		case q.By == "default":
			out = append(out, phrase(lang, "default taken", q.Answer, q.ID, q.ID))
		default:
			out = append(out, phrase(lang, "answered", q.Answer, "`"+q.By+"`", q.ID))
		}
	}
	return out
}

var languageNames = map[string]string{"en": "English", "de": "German", "zh": "Chinese", "fr": "French", "es": "Spanish", "pt": "Portuguese",
	"it": "Italian", "nl": "Dutch", "pl": "Polish", "ja": "Japanese", "ko": "Korean", "ru": "Russian"}

func languageName(lang string) string {
	return firstOf(languageNames[lang], "a language with the code "+lang)
}
