package discuss

import (
	"errors"
	"slices"
	"strings"

	"parley/pipeline"
)

// outcomes say in a few words what came of asking a backend. What a server
// sent with its refusal stays out: it may be anything.
var outcomes = map[string]word{
	"refused":  {"declined to answer", "拒绝回答"},
	"cut-off":  {"ended at its length limit", "在长度上限处被截断"},
	"empty":    {"gave an empty answer", "答案为空"},
	"language": {"answered in another language", "答案语言不符"},
	"invalid":  {"gave no answer in the form asked for", "答案格式不符"},
	"429":      {"had too many requests (429)", "请求过多（429）"},
	"5xx":      {"failed or was out of reach (5xx)", "出错或无法连接（5xx）"},
	"timeout":  {"did not answer in time", "未按时回答"},
	"budget":   {"was not asked, the budget is spent", "未被询问，预算已用尽"},
	"auth":     {"did not take its key", "不接受密钥"},
	"leak":     {"repeated what it was told to keep", "重复了应保密的内容"},
	"too-long": {"gave far too long an answer", "答案过长"},
}

// story tells, backend by backend, what happened before a voice had its
// answer; "" where the first one asked answered.
func (h *hearing) story(one voice) string {
	var steps []string
	for _, a := range one.tried {
		if said, failed := outcomes[a.Class]; failed {
			steps = append(steps, a.Backend+" "+h.say(said))
		}
	}
	if len(steps) == 0 {
		return ""
	}
	end := h.say(wThenRules)
	if one.opinion.Usage.ByRules == 0 {
		backend, _, _ := strings.Cut(strings.ReplaceAll(one.opinion.Source, ",", " "), " ")
		end = h.say(wThenAnswered, backend)
	}
	return strings.Join(append(steps, end), h.say(wSemicolon))
}

// stories are the voices' stories, each told once with all who share it.
func (h *hearing) stories(voices []voice) []string {
	var order []string
	who := map[string][]pipeline.Perspective{}
	for _, one := range voices {
		text := h.story(one)
		if text == "" {
			continue
		}
		if !slices.Contains(order, text) {
			order = append(order, text)
		}
		who[text] = append(who[text], one.opinion.Perspective)
	}
	for i, text := range order {
		order[i] = h.voices(who[text]) + h.say(wColon) + text
	}
	return order
}

// spentBudget is what the client says of a budget that left no answer.
func spentBudget(reply pipeline.Reply) string {
	for _, a := range reply.Trail {
		if a.Class == "budget" {
			return a.Detail
		}
	}
	return ""
}

// fallReason names the last backend that was tried and why it gave no answer;
// "" when none is configured.
func fallReason(reply pipeline.Reply, err error) string {
	if n := len(reply.Trail); n > 0 {
		last := reply.Trail[n-1]
		return last.Backend + " " + last.Class
	}
	if outOfTime(err) {
		return "timeout"
	}
	if errors.Is(err, pipeline.ErrNoModel) {
		return ""
	}
	return "error"
}
