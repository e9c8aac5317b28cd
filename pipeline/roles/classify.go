package roles

import (
	"regexp"
	"strings"

	"parley/pipeline/spec"
)

var (
	politeQuestion = regexp.MustCompile(`(?i)^(?:can|could|would it be possible|is it possible|can we|could you|könnt|kann man|能否|可以)`)
	// firmModal asks even where the heading speaks of today.
	firmModal   = regexp.MustCompile(`(?i)\b(?:must|shall|should|would like|we['’]d like|we want|we need|(?:must|should)n['’]t|please|pls|plz|soll(?:te|ten|en)?|bitte|wir (?:wollen|brauchen|möchten))\b|必须|应该|应当|希望|想要|请`)
	priorityTag = regexp.MustCompile(`(?i)^\s*(?:\[(must|should|could|won['’]?t)\]|\((must|should|could|won['’]?t)\)|(must|should|could) have\s*:)\s*[:：-]?\s*|\s*(?:\[(must|should|could|won['’]?t)\]|\((must|should|could|won['’]?t)\))\s*\.?$`)
)

// sentence is one finding of the classifier.
type sentence struct {
	sort            Sort
	priority, modal string
}

// add files one sentence under what it is for.
func (w *reader) add(text string, line int, listed bool) {
	subject, name := w.subject, ""
	if m := boldLabel.FindStringSubmatch(text); m != nil && w.here != SortRisk && w.here != SortUser {
		if _, known := sortOfHeading(m[1]); !known && priorityOfHeading(m[1]) == "" {
			subject = spec.Plain(m[1])
		}
		text, name = text[len(m[0]):], spec.Plain(m[1])
	}
	if text = plain(text); !listed {
		text = editMark.ReplaceAllString(text, "")
	}
	text = cautionLabel.ReplaceAllString(text, "")
	tagged := ""
	if m := priorityTag.FindStringSubmatch(text); m != nil {
		tagged = moscow(strings.Join(m[1:], ""))
		text = strings.TrimSpace(strings.Replace(text, m[0], "", 1))
	}
	if len([]rune(text)) < 3 || noResponse.MatchString(text) || !hasLetter(text) || w.here == SortMeta || w.small(text) {
		return
	}
	c := w.classify(text, listed)
	if c.sort == "" {
		return
	}
	said := Said{Line: line + w.offset, Quote: text, Sort: c.sort, Priority: c.priority, Modal: c.modal, Subject: subject}
	if c.sort == SortAsk || c.sort == SortQuality || c.sort == SortStory {
		said.Priority = firstOf(tagged, c.priority, w.lead.priority, w.priority, "Must")
		if listed && w.lead.sort == SortAsk && c.modal == "" {
			said.Lead, said.Modal = w.lead.text, w.lead.modal
		}
		if at := englishModal.FindStringIndex(text); name != "" && at != nil && at[0] == 0 {
			said.Lead = name // "**Secrets** – must come from the vault"
		}
		if said.Priority == "Won't" {
			said.Sort = SortNonGoal
		}
	}
	w.said = append(w.said, said)
}

func (w *reader) classify(text string, listed bool) sentence {
	priority, modal := priorityOf(text, w.lang)
	as := func(s Sort) sentence { return sentence{s, priority, modal} }
	here := w.here
	if listed && w.lead.sort != "" {
		here = w.lead.sort
	}
	if _, ok := spec.ReadStory(text); ok && here != SortNonGoal {
		return as(SortStory)
	}
	if ruleRow.MatchString(text) && listed && (here == SortContext || here == "") {
		return as(SortAsk)
	}
	if questionEnd.MatchString(text) && here != SortCriterion {
		if listed && here != SortQuestion && opensWithVerb(text) {
			return sentence{SortAsk, "Should", modal} // an order, and somebody asked to see to it
		}
		if politeQuestion.MatchString(text) && here != SortQuestion {
			return sentence{SortAsk, "Should", modal}
		}
		return as(SortQuestion)
	}
	switch here {
	case SortNonGoal, SortGoal, SortVision, SortUser, SortRisk, SortAssumption, SortDepends, SortQuestion,
		SortCriterion, SortConstraint, SortDecision, SortStory:
		if here == SortStory { // an item among stories that is not written as one
			here = SortAsk
		}
		return as(here)
	case SortQuality:
		return as(binding(text))
	case SortProblem, SortContext, SortAlternate, SortImpact, SortData, SortInterface:
		return w.told(text, here, as)
	}
	if s := byWords(text, priority); s != "" {
		return as(s)
	}
	if illustration.MatchString(text) {
		return as(SortContext)
	}
	if m := guess.FindString(text); m != "" && opensWithVerb(text[len(m):]) {
		return sentence{SortAsk, "Could", strings.ToLower(strings.Fields(m)[0])}
	}
	switch {
	case isQuality(text) && (priority != "" || listed || here == SortAsk):
		return as(SortQuality)
	case priority != "" && (here == SortAsk || firmOrListed(text, w.lang, listed, priority)), opensWithVerb(text):
		return as(SortAsk)
	case here == SortAsk:
		return as(SortAsk)
	case listed && !(w.lang == "en" && descriptive.MatchString(text)):
		return as(SortAsk)
	case here == "" && w.subject == "" && !w.after:
		return w.told(text, SortProblem, as)
	}
	return as(SortContext)
}

// binding is what an item below a heading of qualities is: what the work may
// cost binds the work, and how long a thing lasts is what the product does.
func binding(text string) Sort {
	switch {
	case isSpending(text):
		return SortConstraint
	case lifetime.MatchString(text) && categoryOf(text) == "P":
		return SortAsk
	}
	return SortQuality
}

// told is a sentence under a heading about today: it asks only with a firm
// word.
func (w *reader) told(text string, here Sort, as func(Sort) sentence) sentence {
	switch {
	case nonGoalWords.MatchString(text):
		return as(SortNonGoal)
	case (here == SortProblem || here == SortContext || here == SortData || here == SortInterface) && firmModal.MatchString(text):
		if isQuality(text) {
			return as(SortQuality)
		}
		return as(SortAsk)
	case here == SortProblem && impactWords.MatchString(text):
		return as(SortImpact)
	}
	return as(here)
}

// byWords recognises what a sentence says it is.
func byWords(text, priority string) Sort {
	switch {
	case nonGoalWords.MatchString(text):
		return SortNonGoal
	case isSpending(text) && !decisionWords.MatchString(text):
		return SortConstraint
	case riskWords.MatchString(text):
		return SortRisk
	case decisionWords.MatchString(text):
		return SortDecision
	case dependsWords.MatchString(text):
		return SortDepends
	case constraintWords.MatchString(text) && !isQuality(text):
		return SortConstraint
	}
	return ""
}

// firmOrListed keeps "this could be caused by" and "users have to retype it"
// in prose from being taken for asks.
func firmOrListed(text, lang string, listed bool, priority string) bool {
	return listed || priority != "Could" && (lang != "en" || firmModal.MatchString(text) || !complaint.MatchString(text))
}

var (
	// illustration is what something is likened to.
	illustration = regexp.MustCompile(`(?i)^(?:something like|similar to|(?:just )?like (?:in|on|the)|e\.g\.|for (?:example|instance)|inspired by|see also|z\.\s?B\.|zum beispiel|ähnlich wie|例如|比如|类似)`)
	// ruleRow is a table's row as a sentence.
	ruleRow = regexp.MustCompile(`^[^:;]{1,60}: [^;]+; .+`)
	// guess is how people in a bug report propose something.
	guess = regexp.MustCompile(`(?i)^(?:maybe|perhaps|vielleicht)\s+(?:(?:we|you|it|one)\s+)?(?:(?:can|could|should|might)\s+)?`)
)

var complaint = regexp.MustCompile(`(?i)\b(?:(?:have|has) to|expected)\b`)

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r > 127 || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
