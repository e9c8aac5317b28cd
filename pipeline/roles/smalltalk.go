package roles

import "regexp"

// What stands in issues beside what is asked: greetings and thanks, the ticks
// of a template, marks of later edits.

var (
	greeting = regexp.MustCompile(`(?i)^(?:hi|hey|hello|hallo|moin|servus|guten (?:tag|morgen|abend)|dear|liebes?|你好|大家好|您好)(?:\s+(?:all|there|team|folks|everyone|everybody|guys|zusammen|leute|maintainers?|@\S+))?[\s\p{P}\p{S}]*$`)
	thanks   = regexp.MustCompile(`(?i)^(?:(?:hi|hey|hello|hallo|moin)\b.{0,40})?\b(?:` +
		`(?:(?:many |best |a million )?thanks|thank you|thx|(?:vielen |herzlichen |besten )?dank|danke|cheers)(?:(?:,\s*\pL+)?[\s\p{P}\p{S}]*$|,?\s+(?:for|in advance|a lot|again|so much|very much|everyone|everybody|all|folks|guys|team|the team|and|euch|dir|ihnen|schon(?: mal)?|im voraus|vorab|für|und)(?:[\s\p{P}].{0,60})?$)` +
		`|(?:(?:best|kind) regards|cheers|viele grüße|lg|mfg)(?:,\s*\pL+(?: \pL+)?)?[\s\p{P}\p{S}]*$)` +
		`|^(?:谢谢|感谢|多谢)(?:大家|各位|团队|你们|您|你|的|支持|帮助|了|啦)*[\s\p{P}\p{S}]*$`)
	// tick is a template's statement about the reporter or the report, which a
	// box is there to confirm.
	tick = regexp.MustCompile(`(?i)^(?:yes,?\s+)?i(?:['’]ve| have| agree| confirm| understand| checked| searched)\b.*\b(?:(?:existing|open|closed|similar|other) (?:issues?|bugs?|reports?|requests?|tickets?)|duplicates?|issue tracker|code of conduct|contribut\w+ guide\w*|guidelines|(?:latest|newest|most recent) (?:version|release)|read the (?:docs|documentation|readme|faq)|terms of)\b` +
		`|^(?:yes,?\s+)?i(?:['’]d|['’]m| am| would| want| can|['’]ll| will)\b.*\b(?:(?:submit|open|send|create|make|contribute)\b.*\b(?:prs?|pull[- ]requests?|patch(?:es)?)\b|(?:work on|help with|implement|fix) (?:this|it)(?: myself)?[.!]*$)`)

	// askback is a question about the issue itself.
	askback = regexp.MustCompile(`(?i)^(?:wdyt|(?:any )?thoughts|opinions|what do you(?: all| guys)? think|does that make sense|was meint ihr|大家怎么看)[?？!.]*$`)

	// editMark opens what was added to a paragraph later. Small letters need a
	// number: "Update: …" may be an order.
	editMark     = regexp.MustCompile(`^(?:(?:EDIT|UPDATE|UPD|P\.?S\.?|Nachtrag)(?:\s*\d+)?|(?:[Ee]dit|[Uu]pdate|补充)\s*\d+)\s*[:：]\s*`)
	cautionLabel = regexp.MustCompile(`(?i)^(?:note|nb|attention|warning|important|caution|fyi|achtung|hinweis|wichtig|注意|提示)(?:[,，]\s*\pL+(?: \pL+)?)?\s*[:：]\s*`)
)

// small tells talk among people from what is said of the product. Whoever
// demands something does more than thank.
func (w *reader) small(text string) bool {
	if demand, _ := priorityOf(text, w.lang); demand == "" && thanks.MatchString(text) {
		return true
	}
	return greeting.MatchString(text) || askback.MatchString(text) || w.box && tick.MatchString(text)
}
