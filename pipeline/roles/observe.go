package roles

import (
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

var (
	requirementForm = regexp.MustCompile(`^(.*?)\b(MUST NOT|SHOULD NOT|MUST|SHOULD|MAY)\s+(.+)$`)
	observable      = regexp.MustCompile(`(?i)\d|` + "`" + `|\b(?:when|if|after|once|return\w*|show\w*|display\w*|reject\w*|respond\w*|contain\w*|list\w*|log\w*|send\w*|receive\w*|refuse\w*|accept\w*|sort\w*|open\w*|close\w*|export\w*|import\w*|download\w*|upload\w*|notif\w*|record\w*|print\w*|see|fail\w*|delet\w*|creat\w*|wenn|zeigt|liefert|meldet)\b|当|如果|显示|返回|拒绝|发送|导出|导入|记录|提示`)
	trailingWhen    = regexp.MustCompile(`(?i)^(.+?),?\s+((?:when|if|once|after|whenever|as soon as)\s+.+)$`)
	leadingWhen     = regexp.MustCompile(`(?i)^(when|if|once|after|whenever|while)\s+(.+?),\s+(.+)$`)
)

// observed restates a requirement as something one can see happen; empty where
// the sentence holds nothing observable. It adds no fact: condition first,
// then the result in the present tense.
func observed(description, lang string) string {
	text := strings.TrimRight(description, ".。")
	if isVague(text) || !observable.MatchString(text) && len(keywords(text)) < 2 {
		return ""
	}
	if lang != "en" {
		return otherObserved(undemanded(text, lang), lang)
	}
	condition := ""
	if m := leadingWhen.FindStringSubmatch(text); m != nil {
		condition, text = m[1]+" "+m[2], m[3]
	} else if m := trailingWhen.FindStringSubmatch(text); m != nil && requirementForm.MatchString(m[1]) && !strings.HasSuffix(m[1], "only") {
		condition, text = m[2], m[1]
	}
	m := requirementForm.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	result := present(strings.TrimSpace(m[1]), m[2], m[3])
	if condition != "" {
		return upperFirst(condition) + ", " + lowerFirst(result)
	}
	return upperFirst(result)
}

// present puts subject, keyword and verb into the present tense.
func present(subject, word, rest string) string {
	if clause, ok := strings.CutPrefix(rest, "ensure that "); ok {
		return clause
	}
	plural := pluralSubject(subject)
	verb, more, _ := strings.Cut(rest, " ")
	if bare, ok := strings.CutSuffix(verb, ":"); ok {
		return subject + " " + thirdPerson(bare) + ": " + more
	}
	negative := strings.HasSuffix(word, "NOT")
	if verb == "be" {
		is := "is"
		if plural {
			is = "are"
		}
		if negative {
			is += " not"
		}
		if strings.HasPrefix(more, "able to ") {
			can := "can"
			if negative {
				can = "cannot"
			}
			return subject + " " + can + " " + strings.TrimPrefix(more, "able to ")
		}
		return subject + " " + is + " " + more
	}
	switch {
	case negative && moreThan.MatchString(rest):
		return present(subject, strings.TrimSuffix(word, " NOT"), moreThan.ReplaceAllString(rest, "$1 no more than"))
	case negative && plural:
		return subject + " do not " + rest
	case negative:
		return subject + " does not " + rest
	case plural:
		return subject + " " + rest
	}
	more = secondVerb.ReplaceAllStringFunc(more, func(part string) string {
		m := secondVerb.FindStringSubmatch(part)
		if !imperatives[m[2]] {
			return part
		}
		return m[1] + " " + thirdPerson(m[2]) + " " + m[3]
	})
	return subject + " " + strings.TrimSpace(thirdPerson(verb)+" "+more)
}

func pluralSubject(subject string) bool {
	words := strings.Fields(strings.ToLower(headOf(subject))) // "Users of the app"
	if len(words) == 0 {
		return false
	}
	first, last := words[0], words[len(words)-1]
	if last == "this" || last == "that" || last == "it" || first == "a" || first == "an" || first == "each" || first == "every" || first == "it" {
		return false
	}
	return first == "we" || first == "they" || slices.Contains(words, "and") || strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us")
}

// headEnds are the words behind which no head noun stands any more.
var headEnds = wordSet("of in with without for from on to by at after before that which who whose about under over below above")

// secondVerb is the second act of a sentence: "name the line and import it".
var secondVerb = regexp.MustCompile(`\b(and|or) ([a-z]+) (the|an?|its|it|their|them|all|each|every|no|that|only)\b`)

func thirdPerson(verb string) string {
	switch {
	case verb == "have":
		return "has"
	case verb == "do":
		return "does"
	case strings.HasSuffix(verb, "y") && len(verb) > 2 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "o"):
		return verb + "es"
	}
	return verb + "s"
}

// wantOf is what a person wants of a requirement: what they do themselves, or
// what they want to have done or to rely on.
func wantOf(q spec.Requirement, lang string) string {
	if lang != "en" {
		return otherWant(q, lang)
	}
	text := strings.TrimRight(q.Description, ".")
	if m := benefitWords.FindStringIndex(text); m != nil {
		text = strings.TrimRight(text[:m[0]], " ,")
	}
	text, _, _ = strings.Cut(text, "; ")
	condition := ""
	if m := leadingWhen.FindStringSubmatch(text); m != nil {
		condition, text = " "+strings.ToLower(m[1])+" "+m[2], m[3]
	}
	m := requirementForm.FindStringSubmatch(text)
	if m == nil {
		return lowerFirst(q.Title)
	}
	return wanted(strings.TrimSpace(m[1]), m[2], m[3]) + condition
}

var (
	participle = regexp.MustCompile(`^(?:\w+(?:ed|en|pt|wn|nt|ut|ld|ht|st|de|ne))\b`)
	theirs     = strings.NewReplacer(" their ", " my ", " theirs ", " mine ", " they ", " I ", " themselves ", " myself ")
)

func wanted(subject, word, rest string) string {
	person := len(roles(subject)) > 0 && len(strings.Fields(subject)) <= 3
	negative := strings.HasSuffix(word, "NOT")
	clause, ensured := strings.CutPrefix(rest, "ensure that ")
	state, is := strings.CutPrefix(rest, "be ")
	possible, may := strings.CutPrefix(rest, "be possible to ")
	first, _ := firstWord(subject)
	switch {
	case ensured:
		return "be sure that " + clause
	case person && !negative:
		return strings.TrimSpace(theirs.Replace(strings.TrimPrefix(rest, "be able to ") + " "))
	case person && moreThan.MatchString(rest):
		return moreThan.ReplaceAllString(rest, "$1 no more than")
	case may:
		return possible
	case subject == "This change":
		return rest
	case negative || phraseStart[first] || is && !participle.MatchString(state):
		return "be sure that " + lowerFirst(present(subject, word, rest))
	case is:
		return "have " + lowerFirst(subject) + " " + state
	}
	if given, ok := strings.CutPrefix(rest, "provide"); ok && subject == "The system" {
		return "have" + strings.TrimPrefix(given, ":")
	}
	return "have " + lowerFirst(subject) + " " + rest
}

// moreThan is how an upper bound is ruled: "not have more than 50".
var moreThan = regexp.MustCompile(`^(\w+) more than`)

var (
	flowWords     = regexp.MustCompile(`(?i)\bfrom (?:the |an? )?[\w -]{2,30} (?:in)?to (?:the |an? )?[\w -]{2,30}|→|->|从.{1,20}到`)
	endpointWords = regexp.MustCompile("\\b(GET|POST|PUT|PATCH|DELETE)\\s+`?(/[\\w/{}:.*-]*)")
	protocolWords = regexp.MustCompile(`(?i)\b(https?|grpc|graphql|rest|smtp|sftp|ftp|amqp|mqtt|webhooks?|websocket|s3|kafka|csv upload)\b`)
	formatWords   = regexp.MustCompile(`\b(JSON|CSV|XML|YAML|Parquet|Avro|Protobuf|PDF|XLSX)\b`)
	systemWords   = regexp.MustCompile(`\b(?:via|with|through|to|from|in|into|on|by|using)\s+(?:the\s+)?((?:[A-Z][A-Za-z0-9]+)(?:\s[A-Z][A-Za-z0-9]+)?)\b`)
	numberSpan    = regexp.MustCompile(`\d`)
)

// inBrackets are an entity's fields behind its description.
var inBrackets = regexp.MustCompile(`^(.*?)\s*[(（]([^()（）]*[,，、][^()（）]*)[)）]\.?$`)

func entitiesOf(r Reading) []spec.Entity {
	var out []spec.Entity
	for _, s := range r.Of(SortData) {
		name, text, ok := strings.Cut(strings.NewReplacer("：", ":", " – ", ":", " — ", ":").Replace(s.Quote), ":")
		e := spec.Entity{Name: clip(strings.TrimSpace(name), 40)}
		if ok {
			e.Description = strings.TrimSpace(text)
		}
		var fields []string
		for _, d := range s.Details {
			if d.Label == "fields" || d.Label == "" || d.Label == "字段" || d.Label == "felder" {
				fields = append(fields, d.Quote)
			} else if e.Description == "" {
				e.Description = d.Quote
			}
		}
		if m := inBrackets.FindStringSubmatch(e.Description); m != nil && len(fields) == 0 {
			e.Description, fields = strings.TrimSpace(m[1]), []string{m[2]}
		}
		e.Fields = strings.Join(fields, ", ")
		if !ok && len(s.Details) == 0 && len(strings.Fields(s.Quote)) > 6 {
			continue // a sentence about data names no entity
		}
		out = append(out, e)
	}
	return out
}

func flowsOf(r Reading) []string {
	var out []string
	for _, s := range r.Of(SortAsk, SortData, SortInterface, SortDecision) {
		if flowWords.MatchString(s.Quote) && !numberSpan.MatchString(flowWords.FindString(s.Quote)) {
			out = once(out, s.Quote)
		}
	}
	return few(out, 6)
}

func integrationsOf(r Reading) []spec.Integration {
	var out []spec.Integration
	for _, s := range r.Of(SortInterface) {
		if endpointWords.MatchString(s.Quote) {
			continue
		}
		name, notes, ok := strings.Cut(strings.ReplaceAll(s.Quote, "：", ":"), ":")
		if !ok {
			name, notes = s.Quote, ""
			if m := systemWords.FindStringSubmatch(s.Quote); m != nil {
				name, notes = m[1], s.Quote
			}
		}
		i := spec.Integration{System: clip(name, 40), Notes: strings.TrimSpace(notes), Protocol: protocolWords.FindString(s.Quote), Format: formatWords.FindString(s.Quote)}
		for _, d := range s.Details {
			switch d.Label {
			case "direction", "richtung", "方向":
				i.Direction = d.Quote
			case "protocol", "protokoll", "协议":
				i.Protocol = d.Quote
			case "format", "data format", "格式":
				i.Format = d.Quote
			default:
				i.Notes = strings.TrimSpace(i.Notes + " " + d.Quote)
			}
		}
		out = append(out, i)
	}
	for _, s := range r.Of(SortAsk, SortQuality, SortConstraint, SortDepends, SortData) {
		for _, m := range servicesIn(s.Quote) {
			if !slices.ContainsFunc(out, func(i spec.Integration) bool { return strings.Contains(i.System, m.name) }) {
				out = append(out, spec.Integration{System: m.name, Direction: m.direction, Notes: where(s.Line, r.Language)})
			}
		}
	}
	return few(out, 8)
}

// service is another system that a sentence names, with the way data goes
// where a preposition says so.
type service struct{ name, direction string }

var serviceWords = regexp.MustCompile(`(?i:\b(from|out of|to|into|in|via|through|with|over|nach|aus|an|in)\s+(?:(?:the|a|an|our|existing|dem|der|das|die)\s+){0,2})?\b(PostgreSQL|MySQL|MariaDB|MongoDB|Redis|Kafka|RabbitMQ|Elasticsearch|OpenSearch|ClickHouse|BigQuery|Snowflake|Redshift|DynamoDB|S3|Azure Blob|Google Drive|SharePoint|PagerDuty|Opsgenie|Slack|Microsoft Teams|Jira|Confluence|GitHub|GitLab|Bitbucket|Salesforce|HubSpot|Zendesk|SAP|Stripe|PayPal|Adyen|Twilio|SendGrid|Mailgun|Okta|Auth0|Keycloak|OpenID Connect|LDAP|Active Directory|Datadog|Grafana|Prometheus|Sentry|Kubernetes|DATEV)\b`)

func servicesIn(text string) []service {
	var out []service
	for _, m := range serviceWords.FindAllStringSubmatch(text, -1) {
		direction := ""
		switch strings.ToLower(m[1]) {
		case "from", "out of", "aus":
			direction = "in"
		case "to", "into", "in", "via", "through", "nach", "an":
			direction = "out"
		}
		out = append(out, service{m[2], direction})
	}
	return out
}
