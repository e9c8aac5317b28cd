package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

type anthropicBackend struct {
	client anthropic.Client
	model  string
}

// Anthropic reaches Anthropic's API. base is only for a gateway of the operator's.
func Anthropic(key, base, model string, h *http.Client) Backend {
	opts := []option.RequestOption{option.WithAPIKey(key), option.WithMaxRetries(0), option.WithHTTPClient(h)}
	if base != "" {
		opts = append(opts, option.WithBaseURL(base))
	}
	return &anthropicBackend{anthropic.NewClient(opts...), model}
}

func (b *anthropicBackend) Model() string { return b.model }

func (b *anthropicBackend) Ask(ctx context.Context, c Call) (Answer, error) {
	params := anthropic.MessageNewParams{
		Model: anthropic.Model(b.model), MaxTokens: int64(c.MaxTokens),
		System: []anthropic.TextBlockParam{{Text: c.System, CacheControl: anthropic.NewCacheControlEphemeralParam()}},
	}
	for _, t := range c.Turns {
		text := t.Text
		if text == "" {
			text = "(no answer)" // an empty block is refused
		}
		turn := anthropic.NewUserMessage(anthropic.NewTextBlock(text))
		if t.By == Assistant {
			turn = anthropic.NewAssistantMessage(anthropic.NewTextBlock(text))
		}
		params.Messages = append(params.Messages, turn)
	}
	if c.Schema != nil {
		var schema map[string]any
		if err := json.Unmarshal(c.Schema, &schema); err != nil {
			return Answer{}, err
		}
		params.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: schema}}
	}
	msg, err := b.client.Messages.New(ctx, params)
	if err != nil {
		var api *anthropic.Error
		if errors.As(err, &api) {
			return Answer{}, httpFault(api.StatusCode, api.RawJSON())
		}
		return Answer{}, err
	}
	a := Answer{InputTokens: int(msg.Usage.InputTokens + msg.Usage.CacheReadInputTokens + msg.Usage.CacheCreationInputTokens),
		OutputTokens: int(msg.Usage.OutputTokens),
		CutOff:       msg.StopReason == anthropic.StopReasonMaxTokens,
		Refused:      msg.StopReason == anthropic.StopReasonRefusal}
	var text strings.Builder
	for _, block := range msg.Content {
		if block.Type == "text" {
			text.WriteString(block.Text)
		}
	}
	a.Text = text.String()
	return a, nil
}
