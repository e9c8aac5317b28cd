package roles

import (
	"regexp"
	"strings"

	"parley/pipeline/spec"
)

// Sort is what a sentence of the issue is for.
type Sort string

const (
	SortAsk        Sort = "ask"        // something the system shall do
	SortQuality    Sort = "quality"    // how well it shall do it
	SortGoal       Sort = "goal"       // what it is good for, with a number at best
	SortCriterion  Sort = "criterion"  // how one sees that it is done
	SortNonGoal    Sort = "non-goal"   //
	SortConstraint Sort = "constraint" //
	SortDecision   Sort = "decision"   // something already settled
	SortProblem    Sort = "problem"    // what is wrong today
	SortImpact     Sort = "impact"     // what that costs
	SortUser       Sort = "user"       // who it is for
	SortStory      Sort = "story"      // "As a … I want …"
	SortRisk       Sort = "risk"       //
	SortQuestion   Sort = "question"   // the issue's own open question
	SortAssumption Sort = "assumption" //
	SortDepends    Sort = "dependency" // what must be there first
	SortData       Sort = "data"       // an entity
	SortAlternate  Sort = "alternative"
	SortInterface  Sort = "interface" // an endpoint or another system
	SortVision     Sort = "vision"
	SortContext    Sort = "context" // steps, environment, links: read, not demanded
	SortNotes      Sort = "notes"   // anything: each sentence says itself what it is
	SortMeta       Sort = "meta"    // a form's own fields: mode, version, severity
)

// headingSorts say what stands below a heading, first match wins. English,
// German and Chinese; below any other heading list items are asks.
var headingSorts = []struct {
	sort Sort
	re   *regexp.Regexp
}{
	{SortNotes, headingRE(`(?:additional |further |other )?notes|tl;?dr|summary|overview|description|details|zusammenfassung|überblick|beschreibung|概述|摘要|描述|anything else\??|misc(?:ellaneous)?|sonstiges|anmerkungen|备注|其他`)},
	{SortMeta, headingRE(`mode|track|version|environment|severity|priority|browser|os|operating system|contact|checklist|before (?:you|submitting).*|prerequisites?(?: checked)?|pre-?flight.*|code of conduct|is there an existing.*|have you .*|did you .*|are you willing.*|(?:would|do) you (?:like|want) to .*|can you (?:help|contribute|work).*|(?:self[- ])?checks?|contribution|reporter|labels?|assignees?|device|platform|umgebung|schweregrad|modus|环境|版本|优先级|模式`)},
	{SortNonGoal, headingRE(`non[- ]?goals?|out of scope|not part of (?:this|it)|not in scope|what (?:we|this) (?:will|does) not.*|not needed|exclusions?|won'?t(?: have| do)?|nicht[- ]?ziele|nicht (?:nötig|erforderlich|enthalten|dabei)|was nicht .*|nicht im umfang|außerhalb des umfangs|abgrenzung|非目标|不在范围.*|不做.*|范围外`)},
	{SortCriterion, headingRE(`acceptance(?: criteria| tests?)?|definition of done|done when|how (?:do|will) we know.*|tests?|test cases|akzeptanz(?:kriterien)?|abnahme|abnahmekriterien|fertig wenn.*|验收(?:标准|条件)?|完成标准`)},
	{SortQuality, headingRE(`non[- ]?functional(?: requirements?)?|nfrs?|quality(?: attributes| targets| requirements)?|performance|service levels?|slos?|security requirements|nicht-?funktionale? anforderungen|qualitätsanforderungen|非功能(?:性)?(?:需求|要求)?|质量(?:要求|属性)|性能(?:要求|指标)?`)},
	{SortGoal, headingRE(`goals?(?: .*)?|objectives?|success (?:metrics?|criteria)|metrics|outcomes?|ziele?|erfolgskriterien|目标|成功指标|业务目标`)},
	{SortVision, headingRE(`vision|愿景`)},
	{SortUser, headingRE(`users?|target users|who(?: is it for| needs (?:this|it)| is affected)?\??|personas?|audience|actors?|stakeholders?|owners?|nutzer|benutzer|zielgruppe|anwender|用户|目标用户|使用者|角色`)},
	{SortStory, headingRE(`user stor(?:y|ies)|stories|jobs? to be done|anwendergeschichten|用户故事`)},
	{SortConstraint, headingRE(`constraints?|limits?|limitations|boundary conditions|compatibility|must keep.*|randbedingungen|einschränkungen|vorgaben|约束(?:条件)?|限制(?:条件)?`)},
	{SortDepends, headingRE(`dependenc(?:y|ies)|depends on|blocked by|abhängigkeiten|依赖`)},
	{SortDecision, headingRE(`decisions?(?: made| taken)?|design decisions|decided.*|technical decisions|tech(?:nical)? choices|entscheidungen|技术(?:决策|选型)|决定|已定`)},
	{SortRisk, headingRE(`risks?(?: .*)?|concerns?|risiken(?: .*)?|风险(?:.*)?`)},
	{SortQuestion, headingRE(`(?:open )?questions?|open(?: points?| issues?)?|tbd|offen|unknowns?|to be clarified|offene (?:fragen|punkte)|fragen|待定(?:问题)?|(?:开放|待解决)?问题清单|疑问`)},
	{SortAssumption, headingRE(`assumptions?|annahmen|假设`)},
	{SortImpact, headingRE(`impact|cost of (?:doing nothing|delay)|consequences?|auswirkung(?:en)?|影响`)},
	{SortAlternate, headingRE(`alternatives?(?: .*)?|rejected|considered|verworfen|(?:describe )?alternatives you.*|workarounds?|alternativen(?: .*)?|替代方案|备选方案`)},
	{SortData, headingRE(`data(?: model| entities| ?flows?)?|flow of data|entities|schema|daten(?:modell|fluss|flüsse)?|数据(?:模型|实体|流)?`)},
	{SortInterface, headingRE(`integrations?|interfaces?|external systems?|endpoints?|api|schnittstellen|接口|集成`)},
	{SortContext, headingRE(`(?:steps to )?repro(?:duce|duction)(?: steps)?|steps to reproduce.*|logs?|screenshots?|additional (?:context|information)|references?|links?|related.*|schritte.*|protokolle?|复现步骤|重现步骤|日志|截图|参考(?:资料)?|补充(?:说明|信息)`)},
	{SortProblem, headingRE(`problem(?: statement)?|background|context|motivation|why\??|current (?:behaviou?r|situation|state)|actual(?: behaviou?r)?|what happens(?: now)?|what (?:is|goes) wrong|is your feature request related to a problem.*|bug|describe the bug|today|situation|hintergrund|ausgangslage|motivation|ist-zustand|背景|现状|问题(?:描述)?|动机|痛点`)},
	{SortAsk, headingRE(`(?:functional )?requirements?|features?|scope|in scope|what we (?:want|need).*|what should happen.*|what is asked|expected(?: behaviou?r)?|proposal|proposed (?:solution|change|behaviou?r)|solution|describe the (?:solution|feature|proposal).*|what would you like.*|was (?:wir|ich) (?:brauchen?|wollen|will|wünschen?|möchten?).*|wünsche?|ziel-?zustand|soll-zustand|tasks?|to-?do|the ask|asks?|changes?|wanted|deliverables?|must(?: have)?|should(?: have)?|could(?: have)?|nice to have|optional|(?:funktionale )?anforderungen|funktionen|aufgaben|vorschlag|gewünschtes verhalten|erwartetes verhalten|muss|soll|kann|(?:功能)?(?:需求|要求)|功能(?:列表)?|期望(?:行为|结果)?|建议|方案|任务`)},
}

func headingRE(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:` + words + `)$`)
}

// headingPriority is what a heading such as "Must have" says about its items.
var headingPriority = []struct {
	priority string
	re       *regexp.Regexp
}{
	{"Must", headingRE(`must(?:[- ]haves?)?|muss|required|必须(?:有)?`)},
	{"Should", headingRE(`should(?:[- ]haves?)?|soll|应该(?:有)?`)},
	{"Could", headingRE(`could(?:[- ]haves?)?|nice[- ]to[- ]haves?|optional|kann|可选|最好有`)},
}

// exactHeading is one of the table's headings with nothing behind its words: a
// line that nothing marks as a heading has to be one.
var exactHeading = func() *regexp.Regexp {
	var all []string
	for _, h := range headingSorts {
		all = append(all, h.re.String())
	}
	return regexp.MustCompile(strings.ReplaceAll(strings.Join(all, "|"), ".*", ""))
}()

// bareField are a form's fields whose names are those of features, too.
var bareField = headingRE(`mode|track|version|environment|priority|browser|contact|(?:self[- ])?checks?|reporter|labels?|assignees?|device|platform|umgebung|modus|环境|版本|优先级|模式`)

// demanded tells whether something is demanded behind a line of the section,
// up to the next line that stands for a heading.
func (w *reader) demanded(line int) bool {
	for _, b := range w.doc.Blocks {
		if b.Section != w.section || b.Line < line || b.Kind == spec.CodeBlock || b.Kind == spec.QuoteBlock {
			continue
		}
		for i, text := range strings.Split(firstOf(b.Text, strings.Join(b.Cells, " ")), "\n") {
			if b.Line+i <= line {
				continue
			}
			if boldTitle.MatchString(strings.TrimSpace(text)) {
				return false
			}
			if demand, _ := priorityOf(text, w.lang); demand != "" && priorityOfHeading(text) == "" {
				return true
			}
		}
	}
	return false
}

var headingNoise = regexp.MustCompile(`^[^\p{L}\p{N}]+|[^\p{L}\p{N})?]+$|^\d+(?:\.\d+)*[.)、]?\s*|^[一二三四五六七八九十]+、\s*`)

// sortOfHeading classifies a heading; ok is false where the table has no line
// for it.
func sortOfHeading(title string) (Sort, bool) {
	title = cleanHeading(title)
	for _, h := range headingSorts {
		if h.re.MatchString(title) {
			return h.sort, true
		}
	}
	return "", false
}

func priorityOfHeading(title string) string {
	title = cleanHeading(title)
	for _, h := range headingPriority {
		if h.re.MatchString(title) {
			return h.priority
		}
	}
	return ""
}

func cleanHeading(title string) string {
	title = spec.Plain(title)
	for range 3 { // emoji, number, punctuation
		title = strings.TrimSpace(headingNoise.ReplaceAllString(title, ""))
	}
	return title
}
