package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// readClaude reads one JSON object. subtype says "success" for a wrong key
// too; is_error is what counts.
func readClaude(stdout, stderr []byte, code int) (Answer, error) {
	var out struct {
		Result string `json:"result"`
		Error  bool   `json:"is_error"`
		Status int    `json:"api_error_status"`
		Usage  struct {
			In    int `json:"input_tokens"`
			Read  int `json:"cache_read_input_tokens"`
			Write int `json:"cache_creation_input_tokens"`
			Out   int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(stdout, &out); err != nil {
		return Answer{}, &fault{classServer, fmt.Sprintf("exit %d: %s", code, tail(stderr, stdout))}
	}
	if out.Status != 0 {
		return Answer{}, httpFault(out.Status, out.Result)
	}
	if strings.Contains(out.Result, "/login") {
		return Answer{}, &fault{classAuth, out.Result}
	}
	if strings.Contains(strings.ToLower(out.Result), "timed out") && out.Error {
		return Answer{}, &fault{classTimeout, out.Result}
	}
	if out.Error || code != 0 {
		return Answer{}, &fault{classServer, fmt.Sprintf("exit %d: %s", code, cut(out.Result, 300))}
	}
	return Answer{Text: out.Result, InputTokens: out.Usage.In + out.Usage.Read + out.Usage.Write, OutputTokens: out.Usage.Out}, nil
}

// readCodex reads JSON lines: the last agent message is the answer.
func readCodex(stdout, stderr []byte, code int) (Answer, error) {
	var a Answer
	failed := ""
	for _, line := range bytes.Split(stdout, []byte("\n")) {
		var ev struct {
			Type string `json:"type"`
			Item struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"item"`
			Usage struct {
				In  int `json:"input_tokens"`
				Out int `json:"output_tokens"`
			} `json:"usage"`
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &ev) != nil {
			continue // notes between the events
		}
		switch {
		case ev.Type == "item.completed" && ev.Item.Type == "agent_message":
			a.Text = ev.Item.Text
		case ev.Type == "turn.completed":
			a.InputTokens, a.OutputTokens = ev.Usage.In, ev.Usage.Out
		case ev.Type == "turn.failed":
			failed = ev.Error.Message
		}
	}
	if failed != "" || code != 0 {
		if failed == "" {
			failed = tail(stderr, stdout)
		}
		return Answer{}, textFault(failed, code)
	}
	return a, nil
}

// readGemini reads one JSON object; errors are the tail of stderr, and the
// exit code is the HTTP status modulo 256.
func readGemini(stdout, stderr []byte, code int) (Answer, error) {
	if code != 0 {
		var out struct {
			Error struct {
				Message string          `json:"message"`
				Code    json.RawMessage `json:"code"`
			} `json:"error"`
		}
		if i := bytes.LastIndex(stderr, []byte("\n{")); i >= 0 {
			_ = json.Unmarshal(stderr[i:], &out) // what does not parse leaves the message empty
		} else {
			_ = json.Unmarshal(stderr, &out)
		}
		if status, err := strconv.Atoi(strings.Trim(string(out.Error.Code), `"`)); err == nil && status >= 400 {
			return Answer{}, httpFault(status, out.Error.Message)
		}
		for _, status := range []int{400, 401, 403, 429, 500, 503} {
			if code == status%256 {
				return Answer{}, httpFault(status, tail(stderr, stdout))
			}
		}
		if code == 41 {
			return Answer{}, &fault{classAuth, tail(stderr, stdout)}
		}
		return Answer{}, textFault(tail(stderr, stdout), code)
	}
	var out struct {
		Response string `json:"response"`
		Stats    struct {
			Models map[string]struct {
				Tokens struct {
					Prompt     int `json:"prompt"`
					Candidates int `json:"candidates"`
					Thoughts   int `json:"thoughts"`
				} `json:"tokens"`
			} `json:"models"`
		} `json:"stats"`
	}
	if err := json.Unmarshal(stdout, &out); err != nil {
		return Answer{}, &fault{classServer, "unreadable: " + tail(stderr, stdout)}
	}
	a := Answer{Text: out.Response}
	for _, m := range out.Stats.Models {
		a.InputTokens += m.Tokens.Prompt
		a.OutputTokens += m.Tokens.Candidates + m.Tokens.Thoughts
	}
	return a, nil
}

var statusInText = regexp.MustCompile(`\b(400|401|403|429|5\d\d)\b`)

// textFault finds the class in what a tool says.
func textFault(text string, code int) *fault {
	if m := statusInText.FindString(text); m != "" {
		status, err := strconv.Atoi(m)
		if err == nil {
			return httpFault(status, text)
		}
	}
	if strings.Contains(text, "environment variable") {
		return &fault{classAuth, text}
	}
	return &fault{classServer, fmt.Sprintf("exit %d: %s", code, cut(text, 300))}
}

// tail is the end of what was said, where tools put their reason.
func tail(stderr, stdout []byte) string {
	text := strings.TrimSpace(string(stderr))
	if text == "" {
		text = strings.TrimSpace(string(stdout))
	}
	if len(text) > 300 {
		text = text[len(text)-300:]
	}
	return strings.ToValidUTF8(text, "")
}
