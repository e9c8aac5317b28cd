package llm

import "regexp"

// hiddenMarkup is markup whose content GitHub does not show.
var hiddenMarkup = []struct {
	kind    string
	pattern *regexp.Regexp
	with    string
}{
	{"HTML comments", regexp.MustCompile(`(?s)<!--.*?(-->|\z)`), ""},
	{"hidden elements", regexp.MustCompile(`(?is)<(\w+)[^>]*\b(hidden|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)[^>]*>.*?</\w+>`), ""},
	{"alternative texts", regexp.MustCompile(`(?i)(<img[^>]*?)\s(?:alt|title)\s*=\s*("[^"]*"|'[^']*')`), "$1"},
	{"image texts", regexp.MustCompile(`!\[[^\]]*\]\(([^)\s]*)(?:\s+"[^"]*")?\)`), "![]($1)"},
	{"data addresses", regexp.MustCompile(`(?i)data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]+`), "data:removed"},
}

// orders are phrases that speak to a model rather than about a product. They
// are reported, never obeyed and never a reason to block.
var orders = []*regexp.Regexp{
	regexp.MustCompile(`(ignore|disregard|forget)\s+(all\s+|any\s+|the\s+)?(previous|prior|above|earlier|your)\s+(instruction|prompt|rule|message|context)`),
	regexp.MustCompile(`</?(system|assistant|instructions?)>`),
	regexp.MustCompile(`\b(you are|act as|pretend to be)\s+(now\s+)?(an?\s+)?(ai|assistant|language model|reviewer|system)\b`),
	regexp.MustCompile(`\b(rate|score|give)\s+(this|it|everything)\s+(a\s+)?(5|five|10|ten|maximum|top)\b`),
	regexp.MustCompile(`\b(print|reveal|output|exfiltrate|send|repeat)\s+(me\s+)?(your|the system|all)\s+.{0,30}\b(prompt|key|secret|token|variable|credential)s?\b`),
	regexp.MustCompile(`\bas an? (ai|llm|language model)( reviewer)?,? you (must|should|will)\b`),
	regexp.MustCompile(`\bnote to (the )?(ai|llm|bot|reviewer|model)s?\b`),
	regexp.MustCompile(`"(tool_calls?|function_call|pretooluse|posttooluse|postcreatecommand)"\s*:`),
	regexp.MustCompile(`(?m)^\s*(system|assistant)\s*:[^\n]{0,80}\b(you|approve|ignore|disregard|reviewers?|model)\b`),
	regexp.MustCompile(`\buse the (gh|git|github|bash|shell|terminal) tool\b`),
	regexp.MustCompile(`\b(pre-?approved|already approved)\b.{0,60}\b(skip|ignore|no need)\b`),
	regexp.MustCompile(`\bdeserves? (full|top|the highest|maximum) (marks?|ratings?|scores?)\b`),
	regexp.MustCompile(`/proc/(self|\d+)/(environ|cmdline|mem)\b`),
	regexp.MustCompile(`\b(anthropic|openai|gemini|claude)_base_url\s*=[^\n]{0,80}\b(judge|review|reviewers?|rate|rating|approve|verdict)\b`),
	regexp.MustCompile(`--[a-z_]+\.\w*(instructions|provider|model)\w*\s*=`),
	regexp.MustCompile(`\b(env|printenv|base64)\b[^\n]{0,40}\|\s*curl\b|\bcurl\s[^\n]*\$\((env|printenv|base64|gh auth|cat\s+[~/])`),
}
