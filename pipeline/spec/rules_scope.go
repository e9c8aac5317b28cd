package spec

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

func sessionIndex(body string) string {
	return "-- spec/requirements/_index.md --\n---\nsession_id: TLS-a\nphase: 3\ndocument_type: requirements\n---\n# Requirements: A\n\n" + body
}

const allKinds = "## Non-Functional Requirements\n\n### Not Applicable\n\n- Performance: one call a day\n- Security: public data\n- Scalability: one user\n"

func fourPriorities(list ...string) string {
	var b strings.Builder
	for i, p := range list {
		fmt.Fprintf(&b, "## REQ-%03d: A [%s]\n\nThe service MUST answer call %d.\n\n", i+1, p, i+1)
	}
	return b.String()
}

// scopeRules judge what is asked for at all: priorities, problem, scope, ground.
var scopeRules = []Rule{
	{ID: "L41", Grade: Minor, Title: "priorities", Detects: "A priority is absent, or more than 60 % of the requirements are a Must.",
		Perspectives: []string{product}, Move: Move{Weight: .5, Flat: true}, Artifacts: ofRequirements + ofEpics,
		Good: fourPriorities("Must", "Must", "Should", "Could"), Bad: fourPriorities("Must", "Must", "Must", "Must"),
		Remedy: "Ask of each what happens without it in the first release.", check: priorities},
	{ID: "L42", Grade: Info, Title: "technology named", Detects: "A functional requirement names a technology: a matter for the architecture.",
		Perspectives: []string{product, technical}, Artifacts: ofRequirements,
		Good: requirement("The service MUST keep orders across a restart."), Bad: requirement("The service MUST keep orders in PostgreSQL."),
		Remedy: "Say what it is for; let a decision choose the means.", check: technologies},
	{ID: "L44", Grade: Major, Title: "quality kind unsaid", Detects: "A kind of quality (performance, security, scalability, usability) is neither required nor marked as not applicable.",
		Perspectives: []string{coverage, risk}, Move: Move{Weight: 1, Each: .25}, Artifacts: ofNFR,
		Good: sessionIndex(allKinds + "- Usability: no screen\n"), Bad: sessionIndex(allKinds),
		Remedy: "Require it, or write under Not Applicable why it does not matter here.", check: kindsUnsaid},
	{ID: "L45", Grade: Major, Title: "non-goal required", Detects: "A requirement asks for what the brief puts out of scope.",
		Perspectives: []string{product}, Move: Move{Weight: .75, Flat: true}, Artifacts: ofRequirements + ofBrief,
		Good:   briefWith("## Scope\n\n### Out of Scope\n\n- a mobile app\n") + "-- a.md --\n" + requirement("The service MUST send a mail."),
		Bad:    briefWith("## Scope\n\n### Out of Scope\n\n- a mobile app\n") + "-- a.md --\n" + requirement("The service MUST offer a mobile app."),
		Remedy: "Take the requirement out, or move the line into scope.", check: nonGoals},
	{ID: "L63", Grade: Major, Title: "problem unproved", Detects: "The problem statement lacks who has it, what happens, or evidence for it.",
		Perspectives: []string{product}, Move: Move{Weight: 1, Flat: true}, Artifacts: ofDiscovery + ofBrief,
		Good:   briefWith("## Problem Statement\n\nOperators replay failed deliveries by hand, about 40 times per week.\n"),
		Bad:    briefWith("## Problem Statement\n\nThe current process for handling failed deliveries is not good and should become better.\n"),
		Remedy: "Say who, what happens to them, and how often or where it was seen.", check: problem},
	{ID: "L64", Grade: Info, Title: "ask incomplete", Detects: "The issue names no actor, trigger, expected result or limit of scope; each becomes a question.",
		Perspectives: []string{product, coverage}, Artifacts: ofDiscovery,
		Good:   "-- spec/discovery-context.json --\n{\"seed_analysis\": {\"target_users\": [\"operator\"], \"constraints\": [\"no new database\"]}, \"asks\": [{\"line\": 1, \"quote\": \"When a delivery fails, send it again\"}]}\n",
		Bad:    "-- spec/discovery-context.json --\n{\"seed_analysis\": {}, \"asks\": [{\"line\": 1, \"quote\": \"Make deliveries better\"}]}\n",
		Remedy: "Ask for it.", check: askParts},
	{ID: "L65", Grade: Minor, Title: "assumption unlisted", Detects: "A text assumes something that is not in the list of assumptions.",
		Perspectives: []string{risk}, Move: Move{Weight: .5, Share: .2}, Artifacts: ofAll, Words: true,
		Good:   briefWith("## Vision\n\nWe assume that endpoints are idempotent.\n\n## Scope\n\n### Assumptions\n\n- endpoints are idempotent\n"),
		Bad:    briefWith("## Vision\n\nWe assume that endpoints are idempotent.\n\n## Scope\n\n### Assumptions\n\n- clocks agree\n"),
		Remedy: "Add it to the list of assumptions, where it can be checked.", check: unlisted},
	{ID: "L69", Grade: Major, Title: "no such path", Detects: "A path is named that the repository does not have.",
		Perspectives: []string{technical, quality}, Move: Move{Weight: 1, Share: .1}, Artifacts: ofDiscovery + ofArchitecture + ofEpics,
		Good:   "-- tree --\ngateway/send.go\n" + architectureWith("The worker extends `gateway/send.go`.\n"),
		Bad:    "-- tree --\ngateway/send.go\n" + architectureWith("The worker extends `gateway/sender.go`.\n"),
		Remedy: "Correct the path, or say that the file is new.", check: ungrounded},
	{ID: "L70", Grade: Minor, Title: "number without source", Detects: "A number about the world outside (a market, a study, other companies) has no source.",
		Perspectives: []string{product, risk}, Move: Move{Weight: .25, Share: .3}, Artifacts: ofDiscovery + ofBrief,
		Good:   briefWith("## Vision\n\nThe market grew by 12 % in 2025 ([survey](https://example.org/survey)).\n"),
		Bad:    briefWith("## Vision\n\nThe market grew by 12 % in 2025.\n"),
		Remedy: "Link the source, or take the number out.", check: unsourced},
}

const (
	mustShare   = .6
	mustAtLeast = 4
)

func priorities(in *inspection) {
	reqs := in.Of(KindReq)
	must, known := 0, 0
	for _, it := range reqs {
		if it.Priority == "Must" {
			must++
		}
		if it.Priority != "" {
			known++
		}
	}
	for _, it := range in.Of(KindReq, KindEpic) {
		if it.Priority == "" && known > 0 {
			in.hitItem(it, "", it.ID+" has no priority")
		}
	}
	if len(reqs) >= mustAtLeast && float64(must) > mustShare*float64(len(reqs)) {
		at := Place{reqs[0].File, reqs[0].Line}
		if d := in.First(DocRequirements); d != nil {
			at = Place{d.Path, 1}
		}
		in.hit(Finding{File: at.File, Line: at.Line, Unit: "must", Message: fmt.Sprintf("%d of %d requirements are a Must", must, len(reqs))})
	}
}

var technology = compile(`\b(?:PostgreSQL|Postgres|MySQL|MariaDB|SQLite|MongoDB|Redis|Kafka|RabbitMQ|Elasticsearch|Cassandra|DynamoDB|Docker|Kubernetes|Terraform|React|Angular|Vue(?:\.js)?|Svelte|Node\.js|Django|Rails|Spring(?: Boot)?|Laravel|Flask|FastAPI|GraphQL|gRPC|Memcached|Nginx|Celery|Flutter|Kotlin|TypeScript|Rust|Golang|Lambda|S3|BigQuery|Snowflake|Spark|Airflow)\b`)

func technologies(in *inspection) {
	in.sentences(func(st Statement) bool { return st.Kind == KindReq }, func(st Statement) {
		if m := technology.FindString(st.Said); m != "" {
			in.hitSentence(st, "", "“%s” is a means", m)
		}
	})
}

var kindWords = map[string]pattern{
	"P": compile(`(?i)performance|leistung|性能`), "S": compile(`(?i)security|sicherheit|安全`),
	"SC": compile(`(?i)scalab|skalier|扩展|伸缩`), "U": compile(`(?i)usab|accessib|bedienb|nutzbar|易用|可用性|无障碍`),
}

func kindsUnsaid(in *inspection) {
	d := in.First(DocRequirements)
	if d == nil || !in.Session() {
		return
	}
	said := map[string]bool{}
	in.qualities(func(_ Item, n NFR, _ bool) {
		if n.Statement == "" || unsaid(n.Statement) != "" {
			said[n.Category] = true
		}
	})
	exempt := ""
	if at := d.Find(-1, "Not Applicable"); at >= 0 {
		for _, l := range strings.Split(prose(d.Below(at)), "\n") {
			kind, _, _ := strings.Cut(Plain(l), ":") // the reason may name other kinds
			exempt += kind + "\n"
		}
	}
	for _, c := range Categories {
		if !said[c.Letter] && !kindWords[c.Letter].MatchString(exempt) {
			f := Finding{File: d.Path, Unit: c.Word, Message: "nothing is said about " + c.Word}
			if at := d.Find(-1, c.Word); at >= 0 {
				f.Line = d.Sections[at].Line
			}
			in.hit(f)
		}
	}
}

var (
	anybody  = compile(`(?i)\b(?:users?|customers?|operators?|teams?|developers?|support|admin\w*|patients?|nurses?|doctors?|clinicians?|drivers?|dispatchers?|players?|staff|people|clients?|buyers?|sellers?|engineers?|analysts?|managers?|members?|students?|teachers?|accountants?|accounting|finance|sales|marketing|procurement|logistics|dispatch|auditors?|lawyers?|authors?|agents?|readers?|maintainers?|nobody|everybody|we|kunden?|kundin\w*|mitarbeiter\w*|nutzer\w*|benutzer\w*|betreiber\w*|bürger\w*|sachbearbeiter\w*|buchhaltung|disposition|vertrieb|einkauf|personalabteilung|leitstelle|pflege\w*|verwaltung)\b|用户|客户|运维|团队|医生|护士|员工|人员|患者|学生|商家|居民|司机`)
	evidence = compile(`(?i)\d|\b(?:tickets?|survey|interviews?|report(?:ed|s)?|log(?:s|ged)?|incident|complain\w*|measured|study|audit|observed|according|half of|one in|once|twice|two|three|four|five|six|seven|eight|nine|ten|dozens?|hundreds?|thousands?|daily|weekly|monthly|(?:every|each) \w+|(?:on|in) (?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february|march|april|june|july|august|september|october|november|december)|last (?:week|month|quarter|year|spring|summer|autumn|winter)|umfrage|beschwerde\w*|täglich|wöchentlich|gemessen)\b|每天|每周|每月|投诉|调查|统计`)
)

const problemWords = 8

func problem(in *inspection) {
	var text string
	var d *Document
	if b, err := ParseBrief(in.Set); err == nil {
		d, text = in.First(DocBrief), b.Situation+" "+b.Impact
		for _, u := range b.Users {
			if w := contentWords(u.Name); len(w) > 0 && overlap(w, wordSet(text)) == 1 {
				text += " user"
			}
		}
	} else if t, err := ParseTiny(in.Set); err == nil {
		d, text = in.First(DocTiny), t.Problem
	}
	if strings.TrimSpace(text) == "" {
		return // missing: another rule's
	}
	var lacks []string
	if !anybody.MatchString(text) {
		lacks = append(lacks, "who has it")
	}
	if wordCount(text) < problemWords {
		lacks = append(lacks, "what happens")
	}
	if !evidence.MatchString(text) {
		lacks = append(lacks, "how often, or where it was seen")
	}
	if len(lacks) > 0 {
		at := d.Find(-1, "Problem Statement", "Problem")
		in.hit(Finding{File: d.Path, Line: d.Sections[max(at, 0)].Line, Unit: d.Path + "#problem", Message: "the problem does not say " + strings.Join(lacks, ", nor ")})
	}
}

var (
	trigger = compile(`(?i)\b(?:when|if|after|before|once|on|every|while|whenever|wenn|sobald|nach|bei|jede[nrsm]?)\b|当|如果|每|之后`)
	limits  = compile(`(?i)\b(?:only|no|not|without|except|out of scope|non-goals?|nur|kein\w*|nicht|ohne)\b|不|仅|只`)
)

func askParts(in *inspection) {
	d := in.First(DocDiscovery)
	ctx, err := ParseDiscovery(in.Set)
	if d == nil || err != nil {
		return
	}
	var asks strings.Builder
	for _, a := range ctx.Asks {
		asks.WriteString(a.Quote + "\n")
	}
	seed := ctx.SeedAnalysis
	for _, p := range []struct {
		name string
		ok   bool
	}{
		{"actor", len(seed.TargetUsers) > 0}, {"trigger", trigger.MatchString(asks.String())}, {"expected result", len(ctx.Asks) > 0},
		{"limit of scope", len(seed.Constraints) > 0 || seed.ConstraintsReason != "" || limits.MatchString(asks.String())},
	} {
		if !p.ok {
			in.hit(Finding{File: d.Path, Unit: p.name, Message: "the issue names no " + p.name})
		}
	}
}

var assumes = compile(`(?i)\b(?:we|i) (?:assume|presume|suppose)\b(?: that)?|\b(?:it is|is) (?:assumed|presumed)(?: that)?|\bassuming(?: that)?\b|\bpresumably\b|\bour assumption is\b`)

func unlisted(in *inspection) {
	var list []map[string]bool
	for _, it := range in.Of(KindAssumption) {
		list = append(list, wordSet(it.Statement))
	}
	in.runningText(func(d *Document, p passageRead) {
		title := d.sectionTitle(p.Section)
		if len(p.assumed) == 0 || assumptionTitle.MatchString(title) || strings.EqualFold(title, "Open Questions") || strings.EqualFold(title, "Review Feedback") || !in.Session() && d.Kind == DocOther {
			return
		}
		for _, st := range p.assumed {
			words := contentWords(st.what)
			if !slices.ContainsFunc(list, func(l map[string]bool) bool { return overlap(words, l) >= .5 }) {
				in.hit(Finding{File: d.Path, Line: st.Line, End: st.End, Item: in.itemAt(d.Path, st.Line), Message: "this assumption is in no list: “" + clip(st.Text, 80) + "”"})
			}
		}
	})
}

var (
	pathSpan = compile("`([\\w.@-]+(?:/[\\w.@-]+)+|[\\w-]+\\.(?:go|py|js|ts|tsx|jsx|rs|java|kt|rb|php|cs|c|h|cpp|swift|sql|proto|sh|toml|yml|yaml))`")
	newFile  = compile(`(?i)\b(?:new|creates?|created|adds?|added|introduces?|will be|neu\w*|anlegen)\b|新增|新建|创建`)
	fileEnd  = compile(`\.\w{1,5}$`)
)

// ungrounded holds named paths against the repository's. Symbols are not in
// the tree listing and stay unjudged.
func ungrounded(in *inspection) {
	if in.Options.Paths == nil {
		return
	}
	known := map[string]bool{}
	for p := range in.Options.Paths {
		for at := p; at != "." && at != "/" && at != ""; at = path.Dir(at) {
			known[at] = true
		}
		known[path.Base(p)] = true
	}
	for _, d := range in.Documents {
		if !slices.Contains([]DocKind{DocArchitecture, DocADR, DocEpics, DocEpic}, d.Kind) {
			continue
		}
		for _, b := range d.Blocks {
			if b.Kind == CodeBlock || b.Kind == QuoteBlock || newFile.MatchString(b.Text) {
				continue
			}
			for _, p := range in.pathsIn(d, b) {
				if !known[strings.TrimSuffix(p, "/")] {
					in.hit(Finding{File: d.Path, Line: b.Line, End: b.End, Item: in.itemAt(d.Path, b.Line), Unit: p, Message: fmt.Sprintf("the repository has no %s", p)})
				}
			}
		}
	}
	in.relevantFiles(known)
}

// pathsIn are the paths of a block: in code, and the module column of the
// integration table. What begins outside the repository's folders and has no
// file's ending may be anything.
func (in *inspection) pathsIn(d *Document, b Block) []string {
	var out []string
	for _, m := range pathSpan.FindAllStringSubmatch(b.Text, -1) {
		if fileEnd.MatchString(m[1]) && !strings.HasPrefix(m[1], "spec/") {
			out = append(out, m[1])
		}
	}
	if b.Kind == TableRow && len(b.Cells) > 1 && d.sectionTitle(b.Section) == codebaseTitle {
		if p := Plain(b.Cells[1]); strings.Contains(p, "/") && !strings.ContainsAny(p, " *") && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (in *inspection) relevantFiles(known map[string]bool) {
	d := in.First(DocDiscovery)
	ctx, err := ParseDiscovery(in.Set)
	if d == nil || err != nil || ctx.Codebase == nil {
		return
	}
	for _, f := range ctx.Codebase.RelevantFiles {
		if !known[f.Path] {
			line := 1 + slices.IndexFunc(d.Lines, func(l string) bool { return strings.Contains(l, f.Path) })
			in.hit(Finding{File: d.Path, Line: line, Unit: f.Path, Message: fmt.Sprintf("the repository has no %s", f.Path)})
		}
	}
}

var (
	world   = compile(`(?i)\b(?:market|industry|competitors?|analysts|studies|study|surveys?|worldwide|global(?:ly)?|(?:of|most) (?:all )?(?:companies|enterprises|businesses|developers|consumers|organi[sz]ations|hospitals|retailers)|gartner|forrester|branche|weltweit|marktanteil)\b|市场|行业|全球|竞品`)
	sourced = compile(`(?i)\]\(|https?://|\[\d+\]|\bsource:|\(source|\baccording to\b|\breported by\b|\bquelle\b|来源|根据`)
	figure  = compile(`(?i)\d+(?:[.,]\d+)?\s?(?:%|percent|prozent|million|billion|mio|mrd|times|x\b|万|亿)|[$€£]\s?\d`)
)

func unsourced(in *inspection) {
	for _, d := range in.Documents {
		if d.Kind != DocBrief && d.Kind != DocTiny {
			continue
		}
		for _, b := range d.Blocks {
			if b.Kind != Paragraph && b.Kind != ListItem && b.Kind != TableRow {
				continue
			}
			for _, st := range sentences(b.Text, Statement{File: d.Path, Line: b.Line, End: b.End}) {
				if world.MatchString(st.Text) && figure.MatchString(st.Text) && !sourced.MatchString(b.Text) {
					in.hit(Finding{File: d.Path, Line: st.Line, End: st.End, Message: "where does this number come from: “" + clip(st.Text, 80) + "”"})
				}
			}
		}
	}
}
