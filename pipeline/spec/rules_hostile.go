package spec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	// invisible characters that carry no meaning in any script; joiners of emoji
	// and of Persian or Hebrew are not among them.
	invisible = compile("[\u200B\u2060\u2062-\u2064\u202A-\u202E\u2066-\u2069]|[\U000E0000-\U000E007F]")
	// stray is a zero-width space or two: what copying leaves behind, and too short
	// to carry a message.
	stray = compile("[\u200B\u2060]+")
	// flagEmoji is a flag's emoji, spelt with characters that are invisible elsewhere.
	flagEmoji = compile("\U0001F3F4[\U000E0020-\U000E007E]{2,6}\U000E007F")
	// unseen is markup that a reader does not see.
	unseen = compile(`(?i)style\s*=\s*["'][^"']*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:[;"' ]|$)|color\s*:\s*(?:white|#fff(?:fff)?)\b)|<[a-z]+[^>]*\shidden(?:\s|>|=)`)
	secret = compile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}|\bsk_live_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{20,}|\bglpat-[A-Za-z0-9_-]{20,}|\bnpm_[A-Za-z0-9]{36}\b|\bhf_[A-Za-z0-9]{30,}\b|\bAIza[0-9A-Za-z_-]{35}|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{20,}|\b[a-z+]+://[^\s/:@]+:[^\s/:@<>{}$*]{6,}@[\w.-]+`)
	sample = compile(`(?i)example|dummy|placeholder|xxxx|your[-_]|\*{4}|\.\.\.|user:password|changeme`)
	// aimed are words that speak to whoever judges the text.
	aimed = compile(`(?i)\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |these |every )*(?:previous|prior|above|earlier|preceding|other|system) (?:instructions?|prompts?|rules?|context|guidelines|directions)\b|\b(?:you are|act as|pretend to be) (?:now |from now on )?(?:an? |the )?(?:ai|llm|large language model|language model|assistant|reviewer|grader)\b|\b(?:dear |note to (?:the )?)?(?:reviewers?|graders?|ai|llm|assistant|model|judge)s?[:,]? (?:please |must |should |will )*(?:approve|rate|score|pass|accept|give|skip|assign) (?:this|the|it|all|a|every)\b|\b(?:rate|score|grade) (?:this|it|everything|the (?:spec|document|artifact))[^.]{0,30}\b(?:5|five|10|ten|highest|maximum|full marks)\b|\b(?:give|assign) (?:this|it|the (?:spec|document)) (?:a |the )?(?:rating|score|grade|verdict) of\b|\bdo not (?:report|flag|mention|raise|list) (?:any |the )?(?:issues?|problems?|findings?|defects?|concerns?)\b|<\|im_(?:start|end)\|>|</?(?:system|assistant|instructions)>|\[/?INST\]|忽略(?:以上|之前|先前|上述)(?:的)?(?:所有|全部)?(?:指令|说明|规则|要求)|ignoriere (?:alle )?(?:vorherigen|bisherigen|obigen) (?:anweisungen|regeln)`)
)

// hostileText looks at every line: in a specification at all three kinds of hidden
// or aimed text, elsewhere for secrets and at what a reader does not see.
func hostileText(in *inspection) {
	for _, d := range in.Documents {
		in.hidden(d)
		for _, b := range d.Blocks {
			if !speaks.in(b.Text) {
				continue
			}
			shown := unquoted(codeSpan.ReplaceAllString(b.Text, "_"))
			comments := strings.Join(comment.FindAllString(b.Text, -1), "\n")
			said := ""
			switch {
			case b.Kind == CodeBlock || b.Kind == QuoteBlock:
				continue
			case b.Kind == HTMLBlock || comments != "" && aimed.MatchString(comments):
				said = aimed.FindString(b.Text)
			case d.Kind != DocOther || in.itemAt(d.Path, b.Line) != "":
				said = aimed.FindString(oneLine(shown))
			}
			if said != "" {
				in.hit(Finding{File: d.Path, Line: b.Line, End: b.End, Item: in.itemAt(d.Path, b.Line), Message: "words aimed at the reviewer: “" + clip(oneLine(said), 60) + "”"})
			}
		}
	}
}

// marks are what a line must hold for one of the three patterns to match; most
// lines hold none, and a look for them is far cheaper than the patterns.
var marks = []string{"<", "AKIA", "ASIA", "gh", "sk", "xox", "glpat-", "npm_", "hf_", "AIza", "-----BEGIN", "eyJ", "://"}

func plainLine(l string) bool {
	for i := range len(l) {
		if l[i] >= 0x80 {
			return false
		}
	}
	return !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(l, m) })
}

// speaks are words and marks one of which all words aimed at a reviewer hold;
// most texts hold none, and a look for them is far cheaper than the pattern.
var speaks = newWords([]string{"ignor", "disregard", "forget", "overrid", "bypass", "you are", "act as", "pretend", "approve", "rate", "score", "grade",
	"pass", "accept", "skip", "assign", "give", "do not", "im_start", "im_end", "system>", "assistant>", "instructions>", "inst]", "忽略"})

func (in *inspection) hidden(d *Document) {
	for i, l := range d.Lines {
		message, quote := "", ""
		if plainLine(l) {
			continue
		}
		switch {
		case in.invisible(d, i+1, l):
			message, quote = "characters nobody sees", invisible.ReplaceAllString(l, "�")
		case !d.inCode[i+1] && unseen.MatchString(codeSpan.ReplaceAllString(l, "")):
			message = "text styled so that nobody sees it"
		default:
			if m := secret.FindString(l); m != "" && !sample.MatchString(m) {
				// Whoever prints the finding must not print the secret.
				message, quote = "the shape of a secret", strings.ReplaceAll(l, m, m[:4]+"…")
			}
		}
		if message != "" {
			in.hit(Finding{File: d.Path, Line: i + 1, Item: in.itemAt(d.Path, i+1), Quote: strings.TrimSpace(quote), Message: message})
		}
	}
}

// strayLimit is how many zero-width spaces side by side are an accident.
const strayLimit = 4

// invisible tells whether a line hides characters. A text that specifies
// nothing may hold what copying leaves behind.
func (in *inspection) invisible(d *Document, line int, l string) bool {
	l = flagEmoji.ReplaceAllString(l, "")
	if d.Kind == DocOther && in.itemAt(d.Path, line) == "" {
		l = stray.ReplaceAllStringFunc(l, func(m string) string {
			if utf8.RuneCountInString(m) > strayLimit {
				return m
			}
			return ""
		})
	}
	return invisible.MatchString(l)
}
