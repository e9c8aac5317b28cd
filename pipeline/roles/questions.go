package roles

import (
	"fmt"
	"regexp"
	"slices"

	"parley/pipeline/spec"
)

// questionMost is how many questions one comment may ask.
const questionMost = 5

// gap is something decisive that an issue may leave open.
type gap struct {
	name string
	// missing tells whether the issue leaves it open, and about what.
	missing func(r Reading, code bool) (about string, open bool)
}

// gaps in the order of their weight; the first five that are open are asked.
var gaps = []gap{
	{"outcome", func(r Reading, _ bool) (string, bool) {
		return r.Title, len(r.Asks()) < 2 && len(r.Of(SortCriterion)) == 0
	}},
	{"vague", func(r Reading, _ bool) (string, bool) {
		for _, s := range append(r.Asks(), r.Of(SortGoal)...) {
			if isVague(s.Quote) {
				return s.Quote, true
			}
		}
		return "", false
	}},
	{"who", func(r Reading, _ bool) (string, bool) { return "", len(personasOf(r)) == 0 }},
	{"protect", func(r Reading, _ bool) (string, bool) { return firstMatch(r, assets, protections) }},
	{"undo", func(r Reading, _ bool) (string, bool) {
		about, open := firstMatch(r, irreversible, reversals)
		return about, open && !opensWithChange(about)
	}},
	{"failure", func(r Reading, _ bool) (string, bool) { return firstMatch(r, external, failures) }},
	{"criteria", func(r Reading, _ bool) (string, bool) {
		if len(r.Of(SortCriterion)) > 0 || slices.ContainsFunc(r.Asks(), func(s Said) bool { return len(s.Details) > 0 }) {
			return "", false
		}
		return "", true
	}},
	{"measure", func(r Reading, _ bool) (string, bool) {
		goals := r.Of(SortGoal)
		for _, g := range goals {
			if measure.FindString(g.Quote) == "" {
				return g.Quote, true
			}
		}
		return r.Title, len(goals) == 0
	}},
	{"scope", func(r Reading, _ bool) (string, bool) { return "", len(r.Of(SortNonGoal)) == 0 }},
	{"tools", func(r Reading, code bool) (string, bool) { return "", !code && len(r.Of(SortDecision)) == 0 }},
}

var (
	vagueQuality = regexp.MustCompile(`(?i)\b(?:fast(?:er)?|quick(?:ly|er)?|slow|easy|easier|simple|user[- ]friendly|intuitive|better|nice(?:r)?|good|modern|robust|scalable|secure|efficient|performant|improved?|soon|often|large|small|many|schnell(?:er)?|einfach(?:er)?|besser|modern|benutzerfreundlich)\b|更快|快速|简单|友好|更好|稳定|高效|方便|优化`)
	assets       = regexp.MustCompile(`(?i)\b(?:passwords?|payments?|credit cards?|uploads?|personal data|e-?mail address(?:es)?|tokens?|api keys?|log ?in|sign[- ]?in|personenbezogen\w*|passwör?t\w*|zahlung\w*)\b|密码|支付|个人信息|上传|登录|令牌`)
	protections  = regexp.MustCompile(`(?i)\b(?:encrypt\w*|hash\w*|permissions?|only (?:the|an?|their|own)|authori[sz]\w*|authenticat\w*|redact\w*|mask\w*|verif\w*|sign(?:ed|ature)|expires?|limit\w*|scan\w*|reject\w*|verschlüssel\w*|berechtig\w*)\b|加密|权限|脱敏|校验|过期|限制`)
	irreversible = regexp.MustCompile(`(?i)\b(?:delet\w*|remov\w* (?:all|the|old)|purg\w*|drop(?:s|ped)? (?:the )?(?:table|column|data)|overwrit\w*|migrat(?:e|es|ed|ing)|(?:data|schema|database) migrations?|lösch\w*)\b|删除|清空|迁移|覆盖`)
	reversals    = regexp.MustCompile(`(?i)\b(?:undo|restor\w*|confirm\w*|backup|back up|roll ?back|revert\w*|dry[- ]run|soft[- ]delet\w*|trash|recover\w*|reversible|wiederherstell\w*|bestätig\w*|sicherung)\b|恢复|撤销|确认|备份|回滚`)
	external     = regexp.MustCompile(`(?i)\b(?:webhooks?|uploads?|imports?|third[- ]party|external|api|csv|incoming|user input|form|schnittstelle)\b|导入|外部|接口|上传|第三方`)
	failures     = regexp.MustCompile(`(?i)\b(?:fails?|failed|failures?|failing|errors?|invalid|malformed|rejects?|rejected|timeouts?|retr(?:y|ies|ied)|unavailable|refus\w*|4\d\d|5\d\d|fehl\w*|ungültig\w*)\b|失败|错误|无效|超时|重试|拒绝`)
)

// isVague tells words of quality without a number; those of courtesy ("would
// be nice") speak of no quality.
func isVague(text string) bool {
	return vagueQuality.MatchString(courtesy.ReplaceAllString(text, "")) && !unitMeasure.MatchString(text)
}

var courtesy = regexp.MustCompile(`(?i)\b(?:(?:it )?would be (?:nice|good|great|helpful)|nice to have|wäre (?:schön|gut|hilfreich))\b`)

// firstMatch finds an ask that has the one kind of word while the whole issue
// has none of the other.
func firstMatch(r Reading, has, answer *regexp.Regexp) (string, bool) {
	about := ""
	for _, s := range r.Said {
		if s.Sort == SortContext || s.Sort == SortNonGoal {
			continue
		}
		if answer.MatchString(s.Quote) {
			return "", false
		}
		for _, d := range s.Details {
			if answer.MatchString(d.Quote) {
				return "", false
			}
		}
		if about == "" && s.Asks() && has.MatchString(s.Quote) {
			about = s.Quote
		}
	}
	return about, about != ""
}

// asked is a question's text, default and reason by language.
var asked = map[string]map[string][3]string{
	"en": {
		"outcome":  {"What should be possible that is not today? All there is: “%s”.", "Only what the title says is specified.", "a requirement needs an expected result"},
		"vague":    {"How much is meant in “%s”: which number and unit?", "No number is set; the sentence stays as it is and cannot be tested.", "without a number nobody can tell whether it is done"},
		"who":      {"Who is it for?", "Everybody who uses the product today, without a distinction of roles.", "stories need somebody who wants something"},
		"protect":  {"Who may see or use what “%s” touches, and how is it protected?", "Signed-in people see their own data only; nothing of it is logged.", "it concerns data that must not leak"},
		"undo":     {"What happens when “%s” was a mistake: is there a confirmation, a backup, a way back?", "It asks for confirmation and keeps a backup for 30 days.", "it cannot be taken back"},
		"failure":  {"What should happen when “%s” fails or receives invalid input?", "It is refused as a whole with a message that names the fault; nothing is stored.", "the issue describes only the good case"},
		"criteria": {"How will you see that it is done: a checklist, or one example per wish?", "The sentences of the issue are the criteria, word by word.", "nothing says how it is accepted"},
		"measure":  {"By which number is “%s” judged, and until when?", "No number; it counts as reached when all Must requirements are accepted.", "a goal without a number cannot be missed"},
		"scope":    {"What is not part of it?", "Everything the issue does not name is out of scope.", "the issue draws no line"},
		"tools":    {"What is it built with, and where does it run?", "Whoever implements it chooses.", "the repository shows no code and the issue names no technology"},
	},
	"de": {
		"outcome":  {"Was soll möglich sein, was heute nicht geht? Bisher steht da nur „%s“.", "Nur was der Titel sagt, wird spezifiziert.", "eine Anforderung braucht ein erwartetes Ergebnis"},
		"vague":    {"Wie viel ist gemeint in „%s“: welche Zahl und Einheit?", "Keine Zahl; der Satz bleibt stehen und ist nicht prüfbar.", "ohne Zahl kann niemand sagen, ob es fertig ist"},
		"who":      {"Für wen ist es?", "Für alle, die das Produkt heute nutzen, ohne Unterschied der Rollen.", "Stories brauchen jemanden, der etwas will"},
		"protect":  {"Wer darf sehen oder nutzen, was „%s“ berührt, und wie wird es geschützt?", "Angemeldete sehen nur ihre eigenen Daten; nichts davon wird protokolliert.", "es geht um Daten, die nicht abfließen dürfen"},
		"undo":     {"Was geschieht, wenn „%s“ ein Irrtum war: gibt es Bestätigung, Sicherung, Rückweg?", "Es fragt nach und behält 30 Tage lang eine Sicherung.", "es lässt sich nicht zurücknehmen"},
		"failure":  {"Was soll geschehen, wenn „%s“ scheitert oder Ungültiges erhält?", "Es wird im Ganzen abgelehnt, mit einer Meldung, die den Fehler nennt; nichts wird gespeichert.", "das Issue beschreibt nur den guten Fall"},
		"criteria": {"Woran sieht man, dass es fertig ist: eine Checkliste, oder ein Beispiel je Wunsch?", "Die Sätze des Issues sind die Kriterien, Wort für Wort.", "nichts sagt, wie abgenommen wird"},
		"measure":  {"An welcher Zahl misst man „%s“, und bis wann?", "Keine Zahl; erreicht, wenn alle Muss-Anforderungen abgenommen sind.", "ein Ziel ohne Zahl kann man nicht verfehlen"},
		"scope":    {"Was gehört nicht dazu?", "Alles, was das Issue nicht nennt.", "das Issue zieht keine Grenze"},
		"tools":    {"Womit wird gebaut, und wo läuft es?", "Wer es umsetzt, entscheidet.", "das Repository zeigt keinen Code und das Issue nennt keine Technik"},
	},
	"zh": {
		"outcome":  {"完成之后能做到哪些现在做不到的事？每项一句话即可（目前只有“%s”）。", "只按标题所述编写规格。", "需求必须有预期结果"},
		"vague":    {"“%s”具体指多少？请给出数字和单位。", "不设数字，原句保留，无法测试。", "没有数字就无法判断是否完成"},
		"who":      {"这是给谁用的？", "现有的全部用户，不区分角色。", "用户故事需要明确的角色"},
		"protect":  {"“%s”涉及的数据谁可以查看或使用？如何保护？", "登录用户只能看到自己的数据，且不写入日志。", "涉及不能泄露的数据"},
		"undo":     {"如果“%s”是误操作怎么办：有确认、备份或撤销吗？", "操作前确认，并保留 30 天备份。", "该操作不可逆"},
		"failure":  {"“%s”失败或收到无效输入时应当怎样？", "整体拒绝并提示错误原因，不保存任何内容。", "议题只描述了正常情况"},
		"criteria": {"如何判断已经完成？每项给一个检查点或例子即可。", "以议题原句作为验收标准。", "没有说明如何验收"},
		"measure":  {"“%s”用什么数字衡量？截止到什么时候？", "不设数字；全部 Must 需求验收后即视为达成。", "没有数字的目标无法检验"},
		"scope":    {"哪些内容不在范围内？", "议题没有提到的都不在范围内。", "议题没有划定边界"},
		"tools":    {"用什么技术实现？运行在哪里？", "由实现者决定。", "仓库中没有代码，议题也没有提到技术"},
	},
}

// questionsFor asks what decides the work and is not said: at most five, each
// with the default that is taken when nobody answers.
func questionsFor(r Reading, code bool) []spec.OpenQuestion {
	texts, ok := asked[r.Language]
	if !ok {
		texts = asked["en"]
	}
	var out []spec.OpenQuestion
	for _, g := range gaps {
		about, open := g.missing(r, code)
		if !open || len(out) >= questionMost {
			continue
		}
		q := texts[g.name]
		text := q[0]
		if about != "" && regexp.MustCompile(`%s`).MatchString(text) {
			text = fmt.Sprintf(text, excerpt(about, 40))
		}
		out = append(out, spec.OpenQuestion{ID: fmt.Sprintf("Q-%d", len(out)+1), Text: text, Default: q[1], Why: q[2]})
	}
	return out
}
