package roles

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/pipeline/spec"
)

// What German and Chinese sentences are taken apart by. English has its forms
// in statement.go and observe.go.

// demand is a sentence cut at its modal.
type demand struct {
	condition, subject, modal, act string
}

var (
	hanModals  = []string{"必须", "务必", "需要", "应该", "应当", "不得", "希望", "想要", "最好", "应"}
	hanBefore  = []rune("响供反适对效相感") // 响应, 供应: a word with 应, not the modal
	hanWhen    = regexp.MustCompile(`^(.{1,40}?[时后])，`)
	hanAble    = regexp.MustCompile(`^(?:能够|能|可以)`)
	hanSystem  = regexp.MustCompile(`^(?:本|该)?(?:系统|平台|应用|程序|服务)?$`)
	germanForm = regexp.MustCompile(`(?i)^(.+?) (muss|müssen|soll|sollen|sollten?|kann|können|könnten?|darf|dürfen|möchten?) (.+?)(?: können)?$`)
	// germanClause has a verb of its own, by its ending or by name.
	germanClause = regexp.MustCompile(`(?:^|\s)(?:ist|sind|wird|werden|hat|haben|kann|können|bleiben|gibt|gilt|geht|läuft|[a-zäöü]{3,}(?:[bdfgklmnprszß]|ch)t(?:\s+\S+)+?\s+(?:ein|an|ab|auf|aus|zu|zurück|weg|mit|vor|nach)|(?:zeigt|bleibt|kommt|steht|sieht|erscheint|meldet|liefert|bekommt|erhält|braucht|lässt|sendet|schickt|speichert|löscht|öffnet|schließt|taucht))(?:[\s,;.]|$)`)
	germanOwner  = regexp.MustCompile(`^(?:Das|Die) (?:System|Anwendung|App)$`)
)

// demandIn cuts a sentence; ok is false where it has no modal these know.
func demandIn(text, lang string) (demand, bool) {
	switch lang {
	case "zh":
		return hanDemand(text)
	case "de":
		if m := germanForm.FindStringSubmatch(text); m != nil {
			return demand{subject: m[1], modal: m[2], act: m[3]}, true
		}
	}
	return demand{}, false
}

func hanDemand(text string) (demand, bool) {
	var d demand
	if m := hanWhen.FindStringSubmatch(text); m != nil {
		d.condition, text = m[1], strings.TrimPrefix(text, m[0])
	}
	at := -1
	for _, modal := range hanModals {
		i := strings.Index(text, modal)
		before, _ := utf8.DecodeLastRuneInString(text[:max(i, 0)])
		if i >= 0 && (at < 0 || i < at) && !(modal == "应" && slices.Contains(hanBefore, before)) {
			at, d.modal = i, modal
		}
	}
	if at < 0 {
		return d, false
	}
	d.subject, d.act = text[:at], strings.TrimPrefix(text[at:], d.modal)
	return d, d.act != ""
}

// own tells that the subject says no more than that the system or a person
// acts; any other subject belongs to what is asked for.
func (d demand) own() bool {
	people := roles(d.subject)
	return d.subject == "" || hanSystem.MatchString(d.subject) || germanOwner.MatchString(d.subject) || len(people) == 1 && people[0] == d.subject
}

// name is the act, with its subject where that is not just the one who acts.
func (d demand) name(lang string) string {
	act := hanAble.ReplaceAllString(d.act, "")
	if d.own() || lang == "de" {
		return act
	}
	if d.modal == "不得" {
		act = "不" + act
	}
	return d.subject + act
}

// otherWant is what a person wants, in the language.
func otherWant(q spec.Requirement, lang string) string {
	text := undemanded(strings.TrimRight(q.Description, ".。"), lang)
	if d, ok := demandIn(text, lang); ok && (lang == "zh" || d.own()) {
		return cutTitle(d.name(lang))
	}
	return strings.TrimRight(q.Title, ".。")
}

// otherObserved is a demand as one sees it fulfilled: without its modal.
func otherObserved(text, lang string) string {
	d, ok := demandIn(text, lang)
	if !ok || lang != "zh" || d.modal == "不得" {
		return text
	}
	if d.condition != "" {
		d.condition += "，"
	}
	return d.condition + d.subject + d.act
}

// hanGoal is a goal with its date, what is measured, and how far it goes.
var hanGoal = regexp.MustCompile(`^(?:(到[^，]{2,20})，)?(.+?)(从.+?(?:降到|降至|降低到|减少到|提高到|提升到|增加到|升到).+)$`)

// hanBound puts a Chinese quality's target behind its modal, what it is said
// of before it.
func hanBound(text string, b bound) bound {
	if m := methodWords.FindStringIndex(text); m != nil {
		text = strings.TrimRight(text[:m[0]], "，（( ")
	}
	if d, ok := hanDemand(text); ok && d.subject != "" {
		b.metric, b.target = d.subject, d.act
	}
	return b
}
