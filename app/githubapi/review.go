package githubapi

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
)

// maxThreads is how many line comments one review carries; more have made
// GitHub give up.
const maxThreads = 30

// remarks are a review's line comments by where they can stand.
type remarks struct {
	lines []pipeline.LineRemark
	files []pipeline.LineRemark // the line is not in the file: a comment on the file
	body  []pipeline.LineRemark // the file is not in the pull request either
}

// place sorts the remarks. The session's files are all new in the pull
// request, so every line of them can carry a comment.
func (r *run) place(ctx context.Context, all []pipeline.LineRemark) remarks {
	var out remarks
	for _, m := range all {
		id, there := r.files[m.Path]
		switch {
		case !there || len(out.lines)+len(out.files) >= maxThreads:
			out.body = append(out.body, m)
		case r.hasLine(ctx, id, m.Line):
			if m.Start >= m.Line || m.Start < 0 {
				m.Start = 0
			}
			out.lines = append(out.lines, m)
		default:
			out.files = append(out.files, m)
		}
	}
	return out
}

// hasLine is yes where the text cannot be had: GitHub's answer tells then.
func (r *run) hasLine(ctx context.Context, id string, line int) bool {
	if line < 1 {
		return false
	}
	if r.b.Blob == nil {
		return true
	}
	text, err := r.b.Blob(ctx, id)
	if err != nil {
		return true
	}
	lines := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	return line <= lines
}

func (r *run) path(relative string) string { return r.s.Folder() + "/" + relative }

func remarkBody(m pipeline.LineRemark) string {
	body := pipeline.Cut(m.Body, pipeline.MaxBody)
	if m.Finding == "" {
		return body
	}
	return body + "\n\n" + pipeline.Marker(pipeline.FindingMark, m.Finding)
}

// reviewBody is the review's text, with the remarks that found no line.
func (r *run) reviewBody(w pipeline.Write, homeless []pipeline.LineRemark) string {
	var b strings.Builder
	b.WriteString(w.Body)
	for _, m := range homeless {
		fmt.Fprintf(&b, "\n\n`%s`", strings.ReplaceAll(m.Path, "`", "'"))
		if m.Line > 0 {
			fmt.Fprintf(&b, " line %d", m.Line)
		}
		fmt.Fprintf(&b, ": %s", m.Body)
	}
	return marked(b.String(), w.Key)
}

type reviewReply struct {
	PullRequestReview struct {
		note
		PullRequest struct {
			ReviewThreads struct{ Nodes []reviewThread }
		}
	}
}

// review posts one review. Comments on whole files can only join a review that
// is still pending, so with some of them it is made pending, filled and
// submitted, all in the same request.
func (b *noteBatch) review(ctx context.Context, w pipeline.Write) error {
	var all []pipeline.LineRemark
	if w.Review != nil {
		all = w.Review.Comments
	}
	placed := b.r.place(ctx, all)
	body := b.r.reviewBody(w, placed.body)
	in := addReviewInput{PullRequestID: b.r.pull.ID, CommitOID: b.r.head, Body: body, Event: "COMMENT"}
	for _, m := range placed.lines {
		t := draftThread{Path: b.r.path(m.Path), Line: m.Line, Side: "RIGHT", Body: remarkBody(m)}
		if m.Start > 0 {
			t.StartLine, t.StartSide = m.Start, "RIGHT"
		}
		in.Threads = append(in.Threads, t)
	}
	steps := []step{{addReview, in}}
	if len(placed.files) > 0 {
		in.Event, in.Body = "", ""
		steps = []step{{addReview, in}}
		for _, m := range placed.files {
			steps = append(steps, step{addFileThread, fileThreadInput{b.r.pull.ID, "FILE", b.r.path(m.Path), remarkBody(m)}})
		}
		steps = append(steps, step{submitReview, submitReviewInput{b.r.pull.ID, "COMMENT", body}})
	}
	b.put(pendingNote{w: w, take: func(ctx context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		return b.r.reviewed(ctx, w, placed, func(out *reviewReply) error {
			if err := got.field(alias(0), out); err != nil {
				return err
			}
			return got.field(alias(len(steps)-1), out)
		})
	}}, created{all: 1}, steps...)
	return nil
}

// reviewed reads the review back. A review that was refused for its lines goes
// out again with all of them in the body; lines that GitHub took and does not
// show are added to the body.
func (r *run) reviewed(ctx context.Context, w pipeline.Write, placed remarks, read func(*reviewReply) error) (pipeline.Receipt, error) {
	var made reviewReply
	err := read(&made)
	all := slices.Concat(placed.lines, placed.files)
	if is(err, KindUnprocessable) {
		plain := addReviewInput{PullRequestID: r.pull.ID, Body: r.reviewBody(w, slices.Concat(all, placed.body)), Event: "COMMENT"}
		if _, err = r.one(ctx, step{addReview, plain}, created{all: 1}, &made); err != nil {
			return pipeline.Receipt{}, err
		}
		return reviewReceipt(made, fmt.Sprintf("%d remarks in the body: their lines were refused", len(all))), nil
	}
	if err != nil {
		return pipeline.Receipt{}, err
	}
	lost := unseen(all, made.PullRequestReview.PullRequest.ReviewThreads.Nodes)
	if len(lost) == 0 {
		return reviewReceipt(made, noteOf(placed)), nil
	}
	in := updateReviewInput{made.PullRequestReview.ID, r.reviewBody(w, slices.Concat(lost, placed.body))}
	got := reviewReceipt(made, fmt.Sprintf("%d remarks in the body: GitHub does not show their lines", len(lost)))
	if _, err := r.one(ctx, step{updateReview, in}, created{}, &struct{}{}); err != nil {
		got.Note = Redact(err.Error())
	}
	return got, nil
}

func noteOf(p remarks) string {
	if len(p.files)+len(p.body) == 0 {
		return ""
	}
	return fmt.Sprintf("%d remarks on their file, %d in the body", len(p.files), len(p.body))
}

func reviewReceipt(made reviewReply, note string) pipeline.Receipt {
	p := made.PullRequestReview
	got := pipeline.Receipt{NodeID: p.ID, ID: int64(p.FullDatabaseID), URL: p.URL, Note: note}
	got.Threads, got.Roots = threadsOf(p.PullRequest.ReviewThreads.Nodes)
	return got
}

// unseen are the remarks that no thread shows: none carries the finding, or
// its line is nowhere.
func unseen(all []pipeline.LineRemark, threads []reviewThread) []pipeline.LineRemark {
	shown := map[string]bool{}
	for _, t := range threads {
		if len(t.Comments.Nodes) == 0 || (t.Line == nil && t.SubjectType != "FILE" && !t.IsOutdated) {
			continue
		}
		for _, id := range pipeline.Marked(t.Comments.Nodes[0].Body, pipeline.FindingMark) {
			shown[id] = true
		}
	}
	var lost []pipeline.LineRemark
	for _, m := range all {
		if m.Finding != "" && !shown[m.Finding] {
			lost = append(lost, m)
		}
	}
	return lost
}
