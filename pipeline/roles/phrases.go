package roles

import "fmt"

// phrases are the few words of ours in a document's body, by language. Any
// other language gets the English ones: body text follows the issue, our own
// frame does not pretend to a language it cannot speak.
var phrases = map[string]map[string]string{
	"en": {
		"demand Must": "", "demand Should": "", "demand Could": "",
		"line": "issue, line %d", "title": "issue title",
		"summary brief":   "Drafted from the issue by %s. Asks: %d, goals: %d, constraints: %d. Every statement below quotes or restates the issue; what it does not say is listed under Open Questions.",
		"summary reqs":    "Functional requirements: %d, non-functional: %d, from the asks of the issue: %d. Each names the sentence it comes from.",
		"summary arch":    "Components: %d, for %d requirements; decisions: %d. Components follow the subjects of the issue; decisions are those it states and those the code base has made.",
		"summary epics":   "Epics: %d, stories: %d, requirements covered: %d; epics of the first delivery: %d.",
		"summary tiny":    "One document for a small issue. Requirements: %d, from asks: %d.",
		"modal":           "[%s]: %s say so by “%s”.",
		"modal one":       "[%s]: %s says so by “%s”.",
		"no modal one":    "[%s]: %s is asked for without a modal word; it counts as %s until somebody says otherwise.",
		"by issue one":    "[%s]: %s, as the issue marks it.",
		"no modal":        "[%s]: %s are asked for without a modal word; they count as %s until somebody says otherwise.",
		"by issue":        "[%s]: %s, as the issue marks them.",
		"default taken":   "%s (%s: nobody answered %s, the default was taken)",
		"answered":        "%s (%s answered %s)",
		"style codebase":  "Change to the existing %s code base; the issue asks for nothing outside it.",
		"style parts":     "Split by subject: %s. The issue decides nothing else about the shape.",
		"conflict":        "“%s” is asked for (%s) and ruled out by “%s”.",
		"theme":           "“%s” concerns %s.",
		"context adr":     "The issue states this decision (%s).",
		"adr whole":       "It names no single requirement: it holds for all of them.",
		"context stack":   "The repository is written in %s (%s).",
		"decide stack":    "Build inside the existing %s code base.",
		"stack pro":       "reuses what `%s` already brings",
		"stack con":       "inherits its limits and its release cycle",
		"stack alt":       "A separate program beside it",
		"stack alt pro":   "could be released by itself",
		"stack alt con":   "a second build, deployment and interface to keep",
		"q unmeasured":    "How is “%s” measured?",
		"q criterion":     "How does one see that %s is done?",
		"q story":         "What shows that %s is done? Until somebody says so it has no story.",
		"q serves":        "Which goal does %s serve? Its words name none.",
		"q goal":          "By which number is “%s” judged?",
		"q alternative":   "Which alternatives to “%s” were weighed, and what speaks against them?",
		"q component":     "What is each part built with? The issue names no technology and the repository shows none.",
		"q risk":          "How likely is “%s”, what would it cost, and who watches it?",
		"epic desc":       "Everything the issue asks for about %s: %s.",
		"dep reason":      "%s speaks of “%s”",
		"done must":       "%s: %s",
		"feedback asked":  "%s asked: %s",
		"feedback none":   "%s No change by rules: the issue says nothing more about it.",
		"feedback became": "%s Became %s.",
		"feedback noted":  "%s Noted under Open Questions.",
		"first form":      "the issue's %s",
		"assume default":  "%s (assumed; %s is unanswered)",
		"env":             "Named by the repository: %s",
	},
	"de": {
		"demand Must": "Das System muss bieten: ", "demand Should": "Das System soll bieten: ", "demand Could": "Wünschenswert: ",
		"line": "Issue, Zeile %d", "title": "Titel des Issues",
		"summary brief":  "Aus dem Issue von %s: %d Anforderungen, %d Ziele, %d Randbedingungen. Jede Aussage zitiert das Issue oder gibt es wieder; was es nicht sagt, steht unter Open Questions.",
		"summary reqs":   "%d funktionale und %d nichtfunktionale Anforderungen aus %d Wünschen des Issues. Jede nennt den Satz, aus dem sie stammt.",
		"summary arch":   "%d Komponenten für %d Anforderungen, %d Entscheidungen. Die Komponenten folgen den Themen des Issues.",
		"summary epics":  "%d Epics mit %d Stories decken %d Anforderungen ab; %d Epics bilden die erste Lieferung.",
		"summary tiny":   "Ein Dokument für ein kleines Issue: %d Anforderungen aus %d Wünschen.",
		"modal":          "[%s]: %s, im Issue durch „%s“.",
		"no modal":       "[%s]: %s stehen ohne Modalwort im Issue; sie gelten als %s, bis jemand anderes sagt.",
		"by issue":       "[%s]: %s, so im Issue markiert.",
		"style parts":    "Nach Themen geteilt: %s. Mehr entscheidet das Issue nicht.",
		"style codebase": "Änderung am bestehenden %s-Code; das Issue verlangt nichts außerhalb.",
		"q unmeasured":   "Wie wird „%s“ gemessen?",
		"q criterion":    "Woran sieht man, dass %s fertig ist?",
		"q story":        "Woran sieht man, dass %s fertig ist? Bis dahin hat es keine Story.",
		"q serves":       "Welchem Ziel dient %s? Seine Worte nennen keines.",
		"q goal":         "An welcher Zahl misst man „%s“?",
		"q alternative":  "Welche Alternativen zu „%s“ wurden abgewogen, und was spricht dagegen?",
		"q component":    "Womit wird gebaut? Das Issue nennt keine Technik und das Repository zeigt keine.",
		"q risk":         "Wie wahrscheinlich ist „%s“, was kostet es, und wer achtet darauf?",
		"epic desc":      "Alles, was das Issue zu %s verlangt: %s.",
		"context adr":    "Das Issue nennt diese Entscheidung (%s).",
		"adr whole":      "Sie nennt keine einzelne Anforderung: sie gilt für alle.",
		"theme":          "„%s“ betrifft %s.",
		"dep reason":     "%s spricht von „%s“",
		"assume default": "%s (angenommen; %s ist unbeantwortet)",
		"default taken":  "%s (%s: niemand beantwortete %s, der Vorschlag gilt)",
		"answered":       "%s (%s beantwortete %s)",
	},
	"zh": {
		"demand Must": "系统必须做到：", "demand Should": "系统应做到：", "demand Could": "可选：",
		"line": "议题第 %d 行", "title": "议题标题",
		"summary brief":  "根据 %s 的议题整理：%d 条诉求，%d 个目标，%d 条约束。以下内容均引用或转述议题；议题没有说明的列在 Open Questions。",
		"summary reqs":   "%d 条功能需求和 %d 条非功能需求，来自议题的 %d 条诉求，每条都注明原句。",
		"summary arch":   "%d 个组件对应 %d 条需求，%d 项决策。组件按议题的主题划分。",
		"summary epics":  "%d 个史诗共 %d 个故事，覆盖 %d 条需求；其中 %d 个史诗组成首次交付。",
		"summary tiny":   "小议题合为一份文档：%d 条需求，来自 %d 条诉求。",
		"modal":          "[%s]：%s，依据原文“%s”。",
		"no modal":       "[%s]：%s 原文没有情态词，暂按 %s 处理。",
		"by issue":       "[%s]：%s，依据议题标注。",
		"style parts":    "按主题划分：%s。议题没有作其他决定。",
		"style codebase": "在现有 %s 代码库内修改；议题没有要求之外的内容。",
		"q unmeasured":   "“%s”如何测量？",
		"q criterion":    "如何判断 %s 已完成？",
		"q story":        "如何判断 %s 已完成？回答之前不写故事。",
		"q serves":       "%s 服务于哪个目标？原文没有说明。",
		"q goal":         "“%s”用什么数字衡量？",
		"q alternative":  "“%s”比较过哪些替代方案？各自的不足是什么？",
		"q component":    "各部分用什么技术实现？议题没有说明，仓库里也看不出。",
		"q risk":         "“%s”发生的可能性、影响和负责人分别是什么？",
		"epic desc":      "议题关于%s的全部诉求：%s。",
		"context adr":    "议题中说明了这一决策（%s）。",
		"adr whole":      "该决策不针对某一条需求，适用于全部需求。",
		"theme":          "“%s”涉及 %s。",
		"dep reason":     "%s 提到“%s”",
		"assume default": "%s（假设；%s 尚未回答）",
		"default taken":  "%s（%s：%s 无人回答，按默认处理）",
		"answered":       "%s（%s 回答了 %s）",
	},
}

func phrase(lang, key string, args ...any) string {
	text, ok := phrases[lang][key]
	if !ok {
		text = phrases["en"][key]
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// where says which line of the issue a sentence stands on.
func where(line int, lang string) string {
	if line == 0 {
		return phrase(lang, "title")
	}
	return phrase(lang, "line", line)
}
