package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"google.golang.org/genai"
)

type geminiBackend struct {
	client *genai.Client
	model  string
}

// Gemini reaches Google's API.
func Gemini(key, base, model string, h *http.Client) (Backend, error) {
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{APIKey: key, Backend: genai.BackendGeminiAPI,
		HTTPClient: h, HTTPOptions: genai.HTTPOptions{BaseURL: base}})
	if err != nil {
		return nil, fmt.Errorf("gemini client: %w", err)
	}
	return &geminiBackend{client, model}, nil
}

func (b *geminiBackend) Model() string { return b.model }

func (b *geminiBackend) Ask(ctx context.Context, c Call) (Answer, error) {
	zero := float32(0)
	cfg := &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText(c.System, genai.RoleUser),
		MaxOutputTokens: int32(c.MaxTokens), Temperature: &zero}
	if c.Schema != nil {
		cfg.ResponseMIMEType = "application/json"
		var schema any
		if err := json.Unmarshal(c.Schema, &schema); err != nil {
			return Answer{}, err
		}
		cfg.ResponseJsonSchema = schema
	}
	var turns []*genai.Content
	for _, t := range c.Turns {
		role := genai.Role(genai.RoleUser)
		if t.By == Assistant {
			role = genai.RoleModel
		}
		turns = append(turns, genai.NewContentFromText(t.Text, role))
	}
	got, err := b.client.Models.GenerateContent(ctx, b.model, turns, cfg)
	if err != nil {
		var api genai.APIError
		if errors.As(err, &api) {
			return Answer{}, httpFault(api.Code, api.Message)
		}
		return Answer{}, err
	}
	return geminiAnswer(got), nil
}

func geminiAnswer(got *genai.GenerateContentResponse) Answer {
	var a Answer
	if u := got.UsageMetadata; u != nil {
		a.InputTokens = int(u.PromptTokenCount)
		a.OutputTokens = int(u.CandidatesTokenCount + u.ThoughtsTokenCount) // thinking is paid too
	}
	if got.PromptFeedback != nil && got.PromptFeedback.BlockReason != "" {
		a.Refused = true
		return a
	}
	if len(got.Candidates) == 0 || got.Candidates[0].Content == nil {
		return a
	}
	first := got.Candidates[0]
	for _, p := range first.Content.Parts {
		if !p.Thought {
			a.Text += p.Text
		}
	}
	switch first.FinishReason {
	case genai.FinishReasonMaxTokens:
		a.CutOff = true
	case genai.FinishReasonSafety, genai.FinishReasonProhibitedContent, genai.FinishReasonBlocklist, genai.FinishReasonSPII, genai.FinishReasonRecitation:
		a.Refused = true
	}
	return a
}
