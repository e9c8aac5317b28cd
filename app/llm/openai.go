package llm

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

type openaiBackend struct {
	client openai.Client
	model  string
	// native: the vendor's own API, which knows schemas and the newer limit's
	// name; servers that are merely compatible often know neither.
	native bool
}

// OpenAI reaches OpenAI, or with base any compatible server: Azure, Ollama,
// vLLM, LM Studio and the like.
func OpenAI(key, base, model string, h *http.Client) Backend {
	opts := []option.RequestOption{option.WithAPIKey(key), option.WithMaxRetries(0), option.WithHTTPClient(h)}
	if base != "" {
		opts = append(opts, option.WithBaseURL(base))
	}
	return &openaiBackend{openai.NewClient(opts...), model, base == ""}
}

func (b *openaiBackend) Model() string { return b.model }

func (b *openaiBackend) Ask(ctx context.Context, c Call) (Answer, error) {
	params := openai.ChatCompletionNewParams{Model: b.model, Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(c.System)}}
	for _, t := range c.Turns {
		turn := openai.UserMessage(t.Text)
		if t.By == Assistant {
			turn = openai.AssistantMessage(t.Text)
		}
		params.Messages = append(params.Messages, turn)
	}
	if b.native {
		params.MaxCompletionTokens = openai.Int(int64(c.MaxTokens))
	} else {
		params.MaxTokens = openai.Int(int64(c.MaxTokens))
		params.Temperature = openai.Float(0)
	}
	if c.Schema != nil {
		params.ResponseFormat = b.format(c)
	}
	got, err := b.client.Chat.Completions.New(ctx, params)
	if err != nil {
		var api *openai.Error
		if errors.As(err, &api) {
			return Answer{}, httpFault(api.StatusCode, api.Message)
		}
		return Answer{}, err
	}
	a := Answer{InputTokens: int(got.Usage.PromptTokens), OutputTokens: int(got.Usage.CompletionTokens)}
	if len(got.Choices) == 0 {
		return a, nil
	}
	choice := got.Choices[0]
	a.Text = choice.Message.Content
	a.CutOff = choice.FinishReason == "length"
	a.Refused = choice.Message.Refusal != "" || choice.FinishReason == "content_filter"
	return a, nil
}

func (b *openaiBackend) format(c Call) openai.ChatCompletionNewParamsResponseFormatUnion {
	if !b.native {
		return openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONObject: &shared.ResponseFormatJSONObjectParam{}}
	}
	return openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: c.Schema}}}
}
