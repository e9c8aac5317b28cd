package roles

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/pipeline/spec"
)

// roleWords name people; a sentence's subject among them is a persona.
var roleWords = regexp.MustCompile(`(?i)\b((?:[a-z]+[- ])?(?:on-call engineers?|operators?|admins?|administrators?|developers?|maintainers?|customers?|visitors?|readers?|editors?|authors?|analysts?|engineers?|managers?|owners?|members?|guests?|merchants?|sellers?|buyers?|drivers?|patients?|students?|teachers?|testers?|reviewers?|accountants?|clerks?|officers?|auditors?|agents?|subscribers?|employees?|colleagues?|contributors?|integrators?|consumers?|clients?|shoppers?|users?|support team|support staff|on-call))\b`)

var germanRole = regexp.MustCompile(`\b((?:Administrator|Benutzer|Betreiber|Disponent|Entwickler|Fahrer|Händler|Käufer|Kund|Lieferant|Mitarbeiter|Nutzer|Redakteur|Sachbearbeiter|Verkäufer)(?:en|e|in|innen)?)\b`)

// germanSingular are the names among them whose plural is another word.
var germanSingular = map[string]string{
	"Administratoren": "Administrator", "Disponenten": "Disponent", "Kunden": "Kunde", "Lieferanten": "Lieferant",
	"Redakteure": "Redakteur", "Redakteuren": "Redakteur",
}

var hanRole = regexp.MustCompile(`(?:运营|管理|开发|财务|客服|测试|普通|注册|仓库|审核)?(?:人员|管理员|用户|商家|买家|卖家|客户|读者|编辑|司机|老师|学生|专员|开发者)`)

var userLine = regexp.MustCompile(`^(?:an? |the |die |der |das )?([^:：,，.–—(]{2,40}?)(?:\s*(?:[:：–—]|\s-\s|\s\()\s*(.+))?$`)

// personasOf finds who it is for: a section on users, user stories, then the
// subjects of the asks and whoever the problem hurts. Whom the issue only
// mentions is nobody it is for.
func personasOf(r Reading) []spec.Persona {
	var c cast
	for _, s := range r.Of(SortUser) {
		c.listed(s)
	}
	for _, s := range r.Of(SortStory) {
		if st, ok := spec.ReadStory(s.Quote); ok {
			if p := c.find(st.Role); p != nil {
				p.Needs = once(p.Needs, upperFirst(st.Want))
				p.SuccessCriteria = once(p.SuccessCriteria, st.Benefit)
			}
		}
	}
	for _, s := range r.Of(SortAsk) {
		for _, role := range roles(headOf(subjectOf(statement(s, r.Language), r.Language))) {
			if p := c.find(role); p != nil && len(p.Needs) < 4 {
				p.Needs = once(p.Needs, titleOf(s, r.Language))
			}
		}
	}
	for _, s := range r.Of(SortQuality, SortProblem, SortImpact, SortGoal) {
		for _, role := range roles(s.Quote) {
			c.touched(role, s)
		}
	}
	// "User" says nothing where somebody is named.
	if len(c.people) > 1 {
		c.people = slices.DeleteFunc(c.people, func(p spec.Persona) bool { return singular(strings.ToLower(p.Name)) == "user" && p.Role == "" })
	}
	return c.people
}

// cast is the people found so far.
type cast struct{ people []spec.Persona }

// personaMost bounds the cast; what comes later is rarely who it is for.
const personaMost = 6

// known is the persona of a name: the same, a longer form of it ("admin",
// "administrator"), or one that says more closely who is meant ("clerk",
// "warehouse clerk").
func (c *cast) known(name string) *spec.Persona {
	key := strings.ToLower(singular(name))
	for i := range c.people {
		have := strings.ToLower(singular(c.people[i].Name))
		short, long := min(len(key), len(have)), max(len(key), len(have))
		if have == key || strings.HasSuffix(have, " "+key) || short >= 5 && long > short && have[:short] == key[:short] {
			return &c.people[i]
		}
	}
	return nil
}

func (c *cast) find(name string) *spec.Persona {
	if name = personaName(name); name == "" {
		return nil
	}
	if p := c.known(name); p != nil {
		return p
	}
	if len(c.people) >= personaMost {
		return nil
	}
	c.people = append(c.people, spec.Persona{Name: name})
	return &c.people[len(c.people)-1]
}

// listed takes an item of a section on users: a name, a name with what it
// does, or a sentence about somebody.
func (c *cast) listed(s Said) {
	m := userLine.FindStringSubmatch(strings.TrimRight(s.Quote, ".。)"))
	found := roles(s.Quote)
	sentence := m != nil && m[2] == "" && len(found) > 0 && len(strings.Fields(m[1])) > len(strings.Fields(found[0]))
	if m == nil || sentence || utf8.RuneCountInString(m[1]) > 32 {
		for _, role := range found {
			if p := c.find(role); p != nil && p.Role == "" {
				p.Role = s.Quote
			}
		}
		return
	}
	if p := c.find(m[1]); p != nil {
		p.Role = firstOf(p.Role, m[2], s.Quote)
	}
}

// touched notes whom a problem hurts or a goal serves.
func (c *cast) touched(role string, s Said) {
	p := c.known(personaName(role))
	if p == nil {
		if s.Sort == SortQuality {
			return
		}
		p = c.find(role)
	}
	switch {
	case p == nil:
	case (s.Sort == SortProblem || s.Sort == SortImpact) && len(p.PainPoints) < 3:
		p.PainPoints = once(p.PainPoints, s.Quote)
	case s.Sort == SortGoal && len(p.SuccessCriteria) < 3:
		p.SuccessCriteria = once(p.SuccessCriteria, s.Quote)
	}
}

// subjectOf is the part of a requirement that says who acts or is acted on:
// what stands before its modal, or what it ensures.
func subjectOf(text, lang string) string {
	if m := requirementForm.FindStringSubmatch(text); m != nil && lang == "en" {
		if clause, ok := strings.CutPrefix(m[3], "ensure that "); ok {
			return clause
		}
		return m[1]
	}
	for _, m := range modals[lang] {
		if at := m.re.FindStringIndex(text); at != nil {
			return text[:at[0]]
		}
	}
	return text
}

// headOf is a subject up to what only qualifies it: "the number of users" is
// about a number.
func headOf(subject string) string {
	words := strings.Fields(subject)
	for i, w := range words {
		if i > 0 && headEnds[strings.ToLower(w)] {
			return strings.Join(words[:i], " ")
		}
	}
	return subject
}

// mainOf is who most of the issue is about, nil where it is about nobody.
func mainOf(people []spec.Persona) *spec.Persona {
	var out *spec.Persona
	best := 0
	for i, p := range people {
		said := 1 + len(p.Needs) + len(p.PainPoints) + len(p.SuccessCriteria)
		if p.Role != "" {
			said += 2
		}
		if said > best {
			out, best = &people[i], said
		}
	}
	return out
}

// roles are the people a text speaks of. A name before another noun is none:
// "admin page", "customer e-mail".
func roles(text string) []string {
	var out []string
	for _, at := range roleWords.FindAllStringSubmatchIndex(text, -1) {
		name := trimRole(text[at[2]:at[3]])
		if name == singular(name) && attributive(text[at[3]:]) {
			continue
		}
		out = append(out, name)
	}
	return append(append(out, germanRole.FindAllString(text, -1)...), hanRole.FindAllString(text, -1)...)
}

// attributive tells from what follows a name that it only qualifies a noun.
func attributive(rest string) bool {
	if !strings.HasPrefix(rest, " ") {
		return strings.HasPrefix(rest, "-")
	}
	next, _, _ := strings.Cut(rest[1:], " ")
	word := strings.ToLower(strings.TrimRight(next, ".,;:!?)"))
	if word == "" || !hasLetter(word[:1]) || stopWords[word] || smallWords[word] || auxiliary[word] || finite[word] {
		return false
	}
	verb := strings.TrimSuffix(word, "s")
	return !(verb != word && (imperatives[verb] || imperatives[strings.TrimSuffix(verb, "e")]))
}

var notRole = wordSet(`the a an our all any each every of to for by from when if with and or new other some most no as that which let lets give allow help support tell send show per more many few their its this these those only api http rest web
 one two three four five another several both last next first after before than because`)

func trimRole(s string) string {
	if first, rest, ok := strings.Cut(s, " "); ok && (notRole[strings.ToLower(first)] || imperatives[strings.ToLower(first)]) {
		return rest
	}
	return s
}

func personaName(s string) string {
	s = strings.TrimSpace(strings.Trim(oneLine(s), "*_`\"'“”"))
	if one := germanSingular[s]; one != "" {
		return one
	}
	if one, ok := strings.CutSuffix(s, "innen"); ok && germanRole.MatchString(s) {
		return one + "in"
	}
	for first, rest, ok := strings.Cut(s, " "); ok && (notRole[strings.ToLower(first)] || strings.HasSuffix(first, "ed")); first, rest, ok = strings.Cut(s, " ") {
		s = rest
	}
	if s == "" || utf8.RuneCountInString(s) > 40 {
		return ""
	}
	return upperFirst(singular(s))
}
