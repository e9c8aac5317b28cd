package githubapi

import (
	"context"
	"slices"

	"parley/pipeline"
)

// leakNote is said once, in the session comment, so that the key is revoked.
const leakNote = "The issue holds text that looks like a credential; Parley leaves it out everywhere, but whoever reads the issue sees it: revoke it."

// scrubText takes credentials out of what people wrote, before anybody works with it.
func (c *Client) scrubText(b *pipeline.Briefing) {
	dirty := false
	clean := func(s string) string {
		out := c.cfg.Redact(s)
		dirty = dirty || out != s
		return out
	}
	b.Issue.Title, b.Body.Title, b.Body.Body = clean(b.Issue.Title), clean(b.Body.Title), clean(b.Body.Body)
	for i := range b.Body.Comments {
		b.Body.Comments[i].Body = clean(b.Body.Comments[i].Body)
	}
	if dirty {
		b.Notices = append(b.Notices, leakNote)
	}
}

// scrub is the last look at everything that is about to be written: what came
// by another way than the issue, a command or a model, holds no credential either.
func (c *Client) scrub(b pipeline.Batch) pipeline.Batch {
	clean := c.cfg.Redact
	b.Writes = slices.Clone(b.Writes)
	for i := range b.Writes {
		w := &b.Writes[i]
		w.Title, w.Body = clean(w.Title), clean(w.Body)
		w.Files, w.Append, w.Memory = slices.Clone(w.Files), slices.Clone(w.Append), slices.Clone(w.Memory)
		for j := range w.Files {
			w.Files[j].Text = clean(w.Files[j].Text)
		}
		for j := range w.Append {
			w.Append[j].Text = clean(w.Append[j].Text)
		}
		for j := range w.Memory {
			w.Memory[j].Value = clean(w.Memory[j].Value)
		}
		if w.Review != nil {
			r := *w.Review
			r.Comments = slices.Clone(r.Comments)
			for j := range r.Comments {
				r.Comments[j].Body = clean(r.Comments[j].Body)
			}
			w.Review = &r
		}
		if w.Check != nil {
			k := *w.Check
			k.Title, k.Summary, k.Text = clean(k.Title), clean(k.Summary), clean(k.Text)
			w.Check = &k
		}
	}
	if read := b.Blob; read != nil {
		b.Blob = func(ctx context.Context, id string) ([]byte, error) {
			text, err := read(ctx, id)
			return []byte(clean(string(text))), err
		}
	}
	return b
}
