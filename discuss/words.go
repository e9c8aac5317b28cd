package discuss

import (
	"fmt"
	"strings"

	"parley/pipeline"
)

// word is a sentence or heading in every language a record is written in.
type word struct{ en, zh string }

var (
	wTitle       = word{"Discussion Record: %s", "讨论记录：%s"}
	wArtifact    = word{"Artifact", "文档"}
	wVoices      = word{"Perspectives", "视角"}
	wConsensus   = word{"Consensus", "共识"}
	wReached     = word{"reached", "达成"}
	wBlocked     = word{"blocked", "受阻"}
	wAverage     = word{"Average Rating", "平均评分"}
	wSeverity    = word{"Severity", "严重程度"}
	wRecommend   = word{"Recommendation", "建议"}
	wSentiment   = word{"Sentiment", "总体评价"}
	wRun         = word{"Run", "轮次"}
	wTime        = word{"Time", "时间"}
	wStatus      = word{"Status", "状态"}
	wThemes      = word{"Convergent Themes", "共同观点"}
	wDivergent   = word{"Divergent Views", "分歧观点"}
	wGaps        = word{"Coverage Gaps", "覆盖缺口"}
	wActions     = word{"Action Items", "行动项"}
	wRatings     = word{"Ratings", "评分"}
	wPerspective = word{"Perspective", "视角"}
	wRating      = word{"Rating", "评分"}
	wAnsweredBy  = word{"Answered by", "来源"}
	wOpinions    = word{"Perspectives in Detail", "各视角详情"}
	wStrengths   = word{"Strengths", "优点"}
	wWeaknesses  = word{"Weaknesses", "不足"}
	wSuggestions = word{"Suggestions", "改进建议"}
	wTestability = word{"Testability issues", "可测试性问题"}
	wAssumptions = word{"Assumptions to validate", "待验证的假设"}
	wFindings    = word{"Findings", "发现"}
	wFixed       = word{"Fixed since the last run", "上一轮以来已修复"}
	wRisks       = word{"Risk Flags", "风险标记"}
	wRisk        = word{"Risk", "风险"}
	wLikelihood  = word{"Likelihood", "可能性"}
	wImpact      = word{"Impact", "影响"}
	wMitigation  = word{"Mitigation", "缓解措施"}
	wQuestions   = word{"Open Questions", "未决问题"}
	wDecisions   = word{"Decisions", "决定"}
	wOptions     = word{"Options", "选项"}
	wAdvice      = word{"Advice for the Next Phase", "对下一阶段的建议"}
	wEarlier     = word{"Earlier Records", "先前记录"}
	wHow         = word{"How the Ratings Came About", "评分依据"}
	wChecks      = word{"Checks answered yes", "通过的检查"}
	wMajors      = word{"Majors", "主要问题"}
	wBlockers    = word{"Blockers", "阻塞问题"}
	wCap         = word{"Cap", "上限"}
	wModelsOwn   = word{"Model's own", "模型自评"}
	wNotes       = word{"Notes", "备注"}
	wNone        = word{"none", "无"}
	wNotRated    = word{"not rated", "未评分"}
	wReady       = word{"Ready to execute.", "可以开始实施。"}
	wFormOnly    = word{"Rules see form, numbers, links and omissions, not meaning; read the text yourself.",
		"规则只能看到形式、数字、链接和遗漏，看不到含义；请亲自阅读文本。"}
	wQuotes = word{"Quotes checked: %d; findings dropped because their quote is not in the text: %d.",
		"已核对 %d 处引文，%d 项发现因引文不在文本中而被舍弃。"}
	wInjection = word{"Text that looks like an instruction or is hidden: %s in `%s` (%d). It changed nothing.",
		"疑似指令或隐藏文本：%s，位于 `%s`（%d 处）。未产生任何影响。"}
	wVersions = word{"Rules %s, prompt %s.", "规则 %s，提示词 %s。"}

	wOf      = word{"%d of %d", "%d/%d"}
	wRiskIs  = word{"risk is %s", "风险为%s"}
	wSpread  = word{"%s gives %d, %s gives %d", "%s给 %d 分，%s给 %d 分"}
	wNoFault = word{"no rule found fault", "规则未发现问题"}

	wThenRules    = word{"judged by rules", "由规则评判"}
	wThenAnswered = word{"%s answered", "由 %s 回答"}
	wSemicolon    = word{"; ", "；"}
	wColon        = word{": ", "："}
	wByRules      = word{"%s was judged by rules: %s", "%s由规则评判：%s"}
	wSpent        = word{"%s: %d of %d perspectives were judged by rules", "%s：%d/%d 个视角由规则评判"}
	wLate         = word{"PARTIAL: the round ran out of time; the voices still missing were judged by rules", "PARTIAL：本轮超时，尚缺的视角由规则评判"}
	wNoContext    = word{"no %s: coverage cannot be judged and was left out", "缺少 %s：无法评判覆盖，已略去该视角"}
	wMuted        = word{"not raised, because the text was judged before and has not changed: minor findings, %d", "%d 项次要发现涉及已评判且未改动的文本，不再提出"}
	wOwnRating    = word{"%s: the model's own rating is %d, its answers give %d", "%s：模型自评 %d 分，其答案得 %d 分"}
	wLedgerLost   = word{"the ledger of findings could not be written", "发现账本未能写入"}
	wLedgerAnew   = word{"the ledger of findings could not be read and begins anew", "发现账本无法读取，重新开始"}
	wSilenced     = word{"%s is silenced by a mark in the text at %s: %s", "%s 被文本中的标记静默，位于 %s：%s"}

	wOneModel  = word{"%s were answered by one backend (%s): where they agree, count it once.", "%s 由同一后端（%s）回答：意见一致时只算一次。"}
	wRuleWords = word{"", "规则的说明、建议与计分明细为英文原文。"}

	wRevise   = word{"revise it", "修订"}
	wOutScope = word{"leave it out: it moves to Out of Scope with your reason", "不纳入：附上理由移入“范围之外”"}
	wLeaveGap = word{"leave it without a requirement, for your reason", "附上理由，不为其设需求"}
	wMitigate = word{"mitigate the risk", "缓解风险"}
	wTakeRisk = word{"accept the risk", "接受风险"}
	wGoOn     = word{"go on with a warning", "带警告继续"}
	wSideWith = word{"follow %s (%d of 5)", "采纳 %s 的意见（%d/5）"}

	wAcceptedBy = word{"accepted by %s", "由 %s 接受"}
	wAnswerBy   = word{"answered by %s", "由 %s 回答"}
)

// terms are the words of a verdict's fields as people read them. English reads
// them as they are; commands and files keep them in any language.
var terms = map[string]string{
	"product": "产品", "technical": "技术", "quality": "质量", "risk": "风险", "coverage": "覆盖",
	"positive": "积极", "neutral": "中性", "concerns": "有顾虑", "critical": "危急",
	"low": "低", "medium": "中", "high": "高", "HIGH": "高", "MEDIUM": "中", "LOW": "低",
	revise: "修订", caution: "谨慎推进", escalate: "上报",
	"blocker": "阻塞", "major": "主要", "minor": "次要",
	"open": "未解决", "fixed": "已修复", "accepted": "已接受", "reopened": "重新打开",
}

// termIn is a field's word in a language.
func termIn(language, s string) string {
	if zh, ok := terms[s]; ok {
		return word{s, zh}.say(language)
	}
	return s
}

// badgeWords are the parts of a badge that are not a backend's name.
var badgeWords = strings.NewReplacer("rules", "规则", ", after ", "，此前 ", "cached", "缓存", "salvaged", "摘录", "unverified", "未核实", "given", "给定",
	"refused", "拒绝回答", "cut-off", "被截断", "empty", "空答案", "language", "语言不符", "invalid", "格式不符", "timeout", "超时", "budget", "预算用尽",
	"auth", "密钥无效", "leak", "泄露内容", "too-long", "过长", "error", "出错")

// source is a badge in the session's language; backends keep their names.
func (h *hearing) source(badge string) string {
	if !chinese(h.review.Session.Language) {
		return badge
	}
	return badgeWords.Replace(badge)
}

var severityNames = map[string]word{
	coverageGap: {"Coverage gap", "覆盖缺口"},
	highRisk:    {"High risk", "高风险"},
	lowRating:   {"Low rating", "低评分"},
	spread:      {"Spread", "意见悬殊"},
	enhancement: {"Suggestion", "改进建议"},
}

func chinese(language string) bool { return strings.HasPrefix(strings.ToLower(language), "zh") }

// say is the word in a language, with its values filled in: Chinese where the
// session is Chinese, else English.
func (w word) say(language string, values ...any) string {
	text := w.en
	if chinese(language) {
		text = w.zh
	}
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// say is a word in the session's language.
func (h *hearing) say(w word, values ...any) string {
	return w.say(h.review.Session.Language, values...)
}

// term is a field's word in the session's language.
func (h *hearing) term(s string) string { return termIn(h.review.Session.Language, s) }

// task is the task a person would revise.
func (h *hearing) task() pipeline.TaskID {
	if h.review.Task.ID != "" {
		return h.review.Task.ID
	}
	return h.round.Task
}
