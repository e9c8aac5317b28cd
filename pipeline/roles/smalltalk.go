package roles

import "regexp"

// What stands in issues beside what is asked: greetings and thanks, the ticks
// of a template, marks of later edits.

var (
	greeting = regexp.MustCompile(`(?i)^(?:hi|hey|hello|hallo|moin|servus|guten (?:tag|morgen|abend)|dear|liebes?|你好|大家好|您好)(?:\s+(?:all|there|team|folks|everyone|everybody|guys|zusammen|leute|maintainers?|@\S+))?[\s\p{P}\p{S}]*$`)
	thanks   = regexp.MustCompile(`(?i)^(?:(?:hi|hey|hello|hallo|moin)\b.{0,40})?\b(?:(?:many )?thanks|thank you|thx|danke|vielen dank|cheers|(?:best|kind) regards|viele grüße|lg|mfg)\b.{0,60}$|^(?:谢谢|感谢|多谢).{0,20}$`)
	// tick is a statement about the reporter or the report, not the product.
	tick = regexp.MustCompile(`(?i)^(?:yes,?\s+)?i(?:['’]ve| have| agree| confirm| understand| checked| searched)\b.*\b(?:search\w*|existing|duplicates?|read|conduct|contribut\w*|guidelines?|latest|documentation|terms)\b|^(?:yes,?\s+)?i(?:['’]d|['’]m| am| would| want| can|['’]ll| will)\b.*\b(?:submit|open|send|create|work on|contribute|help)\b.*\b(?:prs?|pull[- ]requests?|patch(?:es)?|contribut\w*|(?:this|it)(?: myself)?[.!]*$)`)

	// askback is a question about the issue itself.
	askback = regexp.MustCompile(`(?i)^(?:wdyt|(?:any )?thoughts|opinions|what do you(?: all| guys)? think|does that make sense|was meint ihr|大家怎么看)[?？!.]*$`)

	editMark     = regexp.MustCompile(`^(?:EDIT|Edit|UPDATE|Update|UPD|ETA|P\.?S\.?|Nachtrag|补充)(?:\s*\d+)?\s*[:：]\s*`)
	cautionLabel = regexp.MustCompile(`(?i)^(?:note|nb|attention|warning|important|caution|fyi|achtung|hinweis|wichtig|注意|提示)\b?(?:[, ]+\pL+){0,2}\s*[:：]\s*`)
)

// small tells talk among people from what is said of the product.
func small(text string) bool {
	return greeting.MatchString(text) || thanks.MatchString(text) || tick.MatchString(text) || askback.MatchString(text)
}
