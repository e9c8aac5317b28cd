package githubapi

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/pipeline"
)

const planted = "ghs_abcdefghijklmnopqrstuvwxyz0123456789AB"

func TestNothingReadOrWrittenHoldsACredential(t *testing.T) {
	c := &Client{cfg: Config{Redact: pipeline.NewRedactor([]string{"a-configured-secret-0123456789"}).Clean}}
	text := "before " + planted + " and a-configured-secret-0123456789 after"
	b := pipeline.Briefing{Issue: pipeline.Issue{Title: text}, Body: pipeline.IssueText{Title: text, Body: text, Comments: []pipeline.IssueComment{{Body: text}}}}
	c.scrubText(&b)
	holdsNone(t, "briefing", b)
	if len(b.Notices) != 1 || !strings.Contains(b.Notices[0], "revoke") {
		t.Errorf("nobody is told: %v", b.Notices)
	}
	batch := c.scrub(pipeline.Batch{
		Writes: []pipeline.Write{{Title: text, Body: text, Files: []pipeline.FileChange{{Text: text}}, Append: []pipeline.FileAppend{{Text: text}},
			Memory: []pipeline.Memory{{Value: text}}, Review: &pipeline.ReviewWrite{Comments: []pipeline.LineRemark{{Body: text}}},
			Check: &pipeline.CheckWrite{Title: text, Summary: text, Text: text}}},
		Blob: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	holdsNone(t, "writes", batch.Writes)
	raw, err := batch.Blob(context.Background(), "x")
	if err != nil {
		t.Fatal(err)
	}
	holdsNone(t, "stored file", string(raw))
}

func holdsNone(t *testing.T, what string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), planted) || strings.Contains(string(raw), "a-configured-secret") {
		t.Errorf("%s: %s", what, raw)
	}
	if !strings.Contains(string(raw), "before "+pipeline.Redacted) {
		t.Errorf("%s lost more than the credential: %s", what, raw)
	}
}
