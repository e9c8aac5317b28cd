package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func twoRequirements(a, b string) string {
	return "## REQ-001: A\n\n" + a + "\n\n## REQ-002: B\n\n" + b + "\n"
}

func withCriterion(statement, criterion string) string {
	return requirement(statement) + "\n**Acceptance Criteria:**\n\n- [ ] " + criterion + "\n"
}

// conflictRules hold statements against each other.
var conflictRules = []Rule{
	{ID: "L38", Grade: Major, Title: "near-duplicate", Detects: "Two requirements say nearly the same (info where only the verb differs).",
		Perspectives: []string{quality}, Move: Move{Weight: .75, Share: .1}, Artifacts: ofRequirements + ofEpics,
		Good:   twoRequirements("The gateway MUST sign each outgoing delivery.", "The worker MUST record the answer of each endpoint."),
		Bad:    twoRequirements("The gateway MUST sign each outgoing delivery to a customer.", "The gateway MUST sign each outgoing delivery to its customer."),
		Remedy: "Keep one; let the other's traces point to it.", check: nearDuplicates},
	{ID: "L39", Grade: Blocker, Title: "two bounds", Detects: "Two bounds for one subject and attribute cannot both hold.",
		Perspectives: []string{technical, risk}, Move: Move{Cap: 2}, Artifacts: ofRequirements + ofNFR + ofArchitecture,
		Good:   twoRequirements("The service MUST keep audit entries for 30 days.", "The service MUST keep payloads for 3 days."),
		Bad:    twoRequirements("The service MUST keep audit entries for 30 days.", "The service MUST retain audit entries for 90 days."),
		Remedy: "Decide which holds and strike the other.", check: twoBounds},
	{ID: "L40", Grade: Blocker, Title: "contradiction", Detects: "One statement demands what another forbids.",
		Perspectives: []string{technical, risk}, Move: Move{Cap: 2}, Artifacts: ofRequirements,
		Good:   twoRequirements("The gateway MUST store the payload.", "The gateway MUST NOT store the authorization header."),
		Bad:    twoRequirements("The gateway MUST store the payload.", "The gateway MUST NOT store the payload."),
		Remedy: "Decide which holds, or say under what condition each does.", check: contradictions},
	{ID: "L51", Grade: Major, Title: "criteria too narrow", Detects: "The acceptance criteria lose or loosen a number, a role or a condition of their requirement.",
		Perspectives: []string{coverage, technical}, Move: Move{Weight: 1, Share: .15}, Artifacts: ofEpics + ofRequirements,
		Good:   withCriterion("The service MUST retry a failed delivery after 30 seconds.", "Given a failed delivery, when 30 seconds pass, then it is sent again."),
		Bad:    withCriterion("The service MUST retry a failed delivery after 30 seconds.", "Given a failed delivery, when 2 minutes pass, then it is sent again."),
		Remedy: "Let a criterion test the requirement's own number, role or condition.", check: narrowCriteria},
}

// demand is a requirement's statement with what it speaks of.
type demand struct {
	Statement
	key string
	qs  []quantity
	not bool
}

// demands are the sentences that can contradict each other: of requirements,
// quality requirements and decisions; criteria give examples.
func (in *inspection) demands() []demand {
	if in.duties != nil {
		return in.duties
	}
	in.duties = []demand{}
	for _, st := range in.Statements {
		if st.Kind == KindReq || st.Kind == KindNFR || st.Kind == KindADR {
			text := st.Said
			in.duties = append(in.duties, demand{st, coreKey(text), quantities(text), forbids(text)})
		}
	}
	return in.duties
}

var prohibition = compile(`(?i)\b(?:must|shall|may|should|will|can)\s+(?:not|never)\b|\bcannot\b|\b(?:darf|dürfen)\b[^.]{0,80}\bnicht\b|\b(?:darf|dürfen) kein|\bniemals\b|不得|禁止|不能|不可|不应`)

func forbids(text string) bool { return prohibition.MatchString(text) }

func nearDuplicates(in *inspection) {
	list := slices.DeleteFunc(slices.Clone(in.demands()), func(c demand) bool { return c.Kind == KindADR })
	sets := make([][]uint64, len(list))
	for i, c := range list {
		sets[i] = hashedSet(wordSet(dutyWord.ReplaceAllString(c.Text, " ")))
	}
	for _, p := range similarPairs(sets, .8) {
		a, b := list[p[0]], list[p[1]]
		if a.Item == b.Item || len(sets[p[1]]) < 3 || a.not != b.not || !sameNumbers(a.qs, b.qs) {
			continue
		}
		grade := ""
		if va, vb := headVerb(a.Text), headVerb(b.Text); va != vb {
			grade = Info // a pair such as view and update
		}
		in.hitSentence(b.Statement, grade, "%s says nearly the same as %s", orElse(b.Item, "this sentence"), orElse(a.Item, fmt.Sprintf("%s:%d", a.File, a.Line)))
	}
}

func sameNumbers(a, b []quantity) bool {
	return slices.EqualFunc(a, b, func(x, y quantity) bool { return x.unit == y.unit && x.value == y.value })
}

var verbAfterModal = compile(`(?i)\b(?:must|shall|should|may|will|can)\s+(?:not\s+|also\s+|be able to\s+|\w+ly\s+)?(\w+)`)

func headVerb(text string) string {
	if m := verbAfterModal.FindStringSubmatch(text); m != nil {
		v := stem(strings.ToLower(m[1]))
		return orElse(sameVerb[v], v)
	}
	return ""
}

func twoBounds(in *inspection) {
	list := in.demands()
	byKey := map[string][]demand{}
	for _, c := range list {
		if c.key == "" || len(c.qs) == 0 {
			continue
		}
		for _, other := range byKey[c.key] {
			in.hitBounds(c, sole(c.qs), other.Item, sole(other.qs))
		}
		byKey[c.key] = append(byKey[c.key], c)
	}
	in.qualities(func(it Item, n NFR, _ bool) {
		target := sole(quantities(n.Target))
		own := slices.DeleteFunc(slices.Clone(list), func(c demand) bool { return c.Item != it.ID || len(c.qs) == 0 })
		for _, c := range own {
			// With several sentences of bounds nobody knows which the target means.
			if len(own) == 1 {
				in.hitBounds(c, sole(c.qs), it.ID+"'s target", target)
			}
		}
	})
}

func (in *inspection) hitBounds(c demand, mine map[string]quantity, where string, theirs map[string]quantity) {
	units := make([]string, 0, len(mine))
	for unit := range mine {
		units = append(units, unit)
	}
	slices.Sort(units)
	for _, unit := range units {
		a, b := mine[unit], theirs[unit]
		if b.unit == "" {
			continue
		}
		// A sentence and its own target often differ in how the bound is worded.
		if a.conflicts(b) || strings.HasSuffix(where, "target") && a.value != b.value {
			in.hitSentence(c.Statement, "", "%s here, %s in %s", a.text, b.text, where)
			return
		}
	}
}

func contradictions(in *inspection) {
	byKey := map[string]demand{}
	for _, c := range in.demands() {
		if c.key == "" {
			continue
		}
		other, ok := byKey[c.key]
		if ok && other.not != c.not && other.Item != c.Item {
			in.hitSentence(c.Statement, "", "%s demands what %s forbids", map[bool]string{false: c.Item, true: other.Item}[c.not], map[bool]string{true: c.Item, false: other.Item}[c.not])
			continue
		}
		if !ok {
			byKey[c.key] = c
		}
	}
}

var (
	conditionLead = compile(`(?i)^(?:when|if|while|where|after|before|once|as soon as|unless|until)\s+([^,]{6,120}),|^(?:wenn|falls|sobald|solange|nachdem|bevor)\s+([^,]{6,120}),|^(?:当|如果|若|在)(.{2,40}?)(?:时|后|，)`)
	onlyRole      = compile(`(?i)\bonly (?:an? |the )?([a-z]{4,}(?: [a-z]{4,})?)\s+(?:may|can|must|shall|who|with)\b`)
)

// narrowCriteria asks of each requirement with criteria whether some criterion
// still shows its numbers, its role and its condition.
func narrowCriteria(in *inspection) {
	for _, it := range in.Of(KindReq) {
		var texts []string
		for _, id := range in.Down(it.ID, KindAC) {
			ac, _ := in.Item(id)
			texts = append(texts, ac.Statement)
		}
		if len(texts) == 0 {
			continue
		}
		all := strings.Join(texts, "\n")
		if lost := lostFrom(Plain(it.Statement), all); lost != "" {
			in.hitItem(it, "", "no criterion of "+it.ID+" tests "+lost)
		}
	}
}

// lostFrom names the first thing the statement says and the criteria do not.
func lostFrom(statement, criteria string) string {
	have := quantities(criteria)
	for _, q := range quantities(unquoted(statement)) {
		tested := slices.ContainsFunc(have, func(h quantity) bool { return h.value == q.value && (h.unit == q.unit || unitScale[h.unit].unit == "") })
		if !tested && !strings.Contains(criteria, strings.Fields(q.text)[0]) {
			return "“" + q.text + "”"
		}
	}
	words := wordSet(criteria)
	for _, st := range sentences(statement, Statement{}) {
		if m := conditionLead.FindStringSubmatch(st.Text); m != nil {
			condition := cmp.Or(m[1], m[2], m[3])
			if list := contentWords(condition); len(list) >= 2 && overlap(list, words) == 0 {
				return "its condition “" + oneLine(condition) + "”"
			}
		}
	}
	if m := onlyRole.FindStringSubmatch(statement); m != nil {
		if overlap(contentWords(m[1]), words) == 0 {
			return "the role “" + m[1] + "”"
		}
	}
	return ""
}
