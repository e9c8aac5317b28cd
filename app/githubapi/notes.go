package githubapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
)

// notes carries out neighbouring writes that make no commit, in one mutation.
func (overGraphQL) notes(ctx context.Context, r *run, ws []pipeline.Write) error {
	if v, need := r.needs(ws); need {
		if err := r.look(ctx, v); err != nil {
			return r.settleAll(ws, err)
		}
	}
	batch := &noteBatch{r: r}
	var first error
	for _, w := range ws {
		if err := batch.add(ctx, w); err != nil {
			first = firstOfTwo(first, r.settle(w, err))
		}
	}
	return firstOfTwo(batch.send(ctx), first)
}

func firstOfTwo(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// settleAll is for a request that came to nothing as a whole.
func (r *run) settleAll(ws []pipeline.Write, err error) error {
	if down(err) || waits(err) {
		return err
	}
	var first error
	for _, w := range ws {
		first = firstOfTwo(first, r.settle(w, err))
	}
	return first
}

func waits(err error) bool {
	var wait *pipeline.NotBefore
	return errors.As(err, &wait)
}

// noteBatch is a request in the making: its steps, and for each write what to
// do with the reply.
type noteBatch struct {
	r       *run
	steps   []step
	content created
	pending []pendingNote
}

type pendingNote struct {
	w     pipeline.Write
	first int // its first step
	count int
	// take reads the reply; alias names a step of this write.
	take func(ctx context.Context, got reply, alias func(n int) string) (pipeline.Receipt, error)
}

// planners make the steps of a write. A write that needs no step is settled
// by its planner at once.
var planners map[pipeline.WriteKind]func(*noteBatch, context.Context, pipeline.Write) error

func init() {
	planners = map[pipeline.WriteKind]func(*noteBatch, context.Context, pipeline.Write) error{
		pipeline.WriteReview: (*noteBatch).review, pipeline.WriteCheck: (*noteBatch).check, pipeline.WritePanel: (*noteBatch).panel,
		pipeline.WriteComment: (*noteBatch).comment, pipeline.WriteEdit: (*noteBatch).edit, pipeline.WriteReply: (*noteBatch).reply,
		pipeline.WriteReact: (*noteBatch).react, pipeline.WriteResolve: (*noteBatch).resolve, pipeline.WriteUnresolve: (*noteBatch).resolve,
		pipeline.WriteAssign: (*noteBatch).assign, pipeline.WriteReady: (*noteBatch).pullState, pipeline.WriteClose: (*noteBatch).pullState,
		pipeline.WriteDelete: (*noteBatch).deleteRef,
	}
}

func (b *noteBatch) add(ctx context.Context, w pipeline.Write) error {
	if made, ok := b.r.readBack(w); ok {
		b.r.receipt(w, made)
		return nil
	}
	if w.Merge != nil && b.r.pull.HeadRefOID != "" && w.Merge.Head != b.r.pull.HeadRefOID {
		b.r.receipt(w, pipeline.Receipt{Note: "not done: the head moved to " + b.r.pull.HeadRefOID})
		return nil
	}
	plan, ok := planners[w.Kind]
	if !ok {
		return fmt.Errorf("write %s: no such kind %q", w.Key, w.Kind)
	}
	return plan(b, ctx, w)
}

// put queues a write's steps. content is what GitHub counts as created.
func (b *noteBatch) put(p pendingNote, content created, steps ...step) {
	p.first, p.count = len(b.steps), len(steps)
	b.steps = append(b.steps, steps...)
	b.content.all += content.all
	b.content.inThreads += content.inThreads
	b.pending = append(b.pending, p)
}

func (b *noteBatch) send(ctx context.Context) error {
	if len(b.steps) == 0 {
		return nil
	}
	got, err := b.r.mutate(ctx, b.steps, b.content)
	if err != nil {
		return b.r.settleAll(writesOf(b.pending), err)
	}
	var first error
	for _, p := range b.pending {
		made, err := p.result(ctx, got)
		if err == nil {
			b.r.receipt(p.w, made)
			continue
		}
		first = firstOfTwo(first, b.r.settle(p.w, err))
	}
	return first
}

// result reads the reply of one write: the first step that failed decides,
// unless the write knows a way on.
func (p pendingNote) result(ctx context.Context, got reply) (pipeline.Receipt, error) {
	alias := func(n int) string { return fmt.Sprintf("w%d", p.first+n) }
	if p.take != nil {
		return p.take(ctx, got, alias)
	}
	for n := range p.count {
		if err := got.field(alias(n), &struct{}{}); err != nil {
			return pipeline.Receipt{}, err
		}
	}
	return pipeline.Receipt{}, nil
}

func writesOf(ps []pendingNote) []pipeline.Write {
	ws := make([]pipeline.Write, len(ps))
	for n, p := range ps {
		ws[n] = p.w
	}
	return ws
}

// panel replaces what stands between the markers of the pull request's body.
func (b *noteBatch) panel(_ context.Context, w pipeline.Write) error {
	body, changed := b.r.newBody(w)
	if !changed {
		b.r.receipt(w, pipeline.Receipt{Number: b.r.pull.Number, NodeID: b.r.pull.ID})
		return nil
	}
	b.put(pendingNote{w: w, take: func(_ context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		var made pullReply
		if err := got.field(alias(0), &made); err != nil {
			return pipeline.Receipt{}, err
		}
		b.r.pull, b.r.bodyKnown = made.PullRequest, true
		return pipeline.Receipt{NodeID: made.PullRequest.ID, Number: made.PullRequest.Number, URL: made.PullRequest.URL}, nil
	}}, created{}, step{updatePull, updatePullInput{b.r.pull.ID, body}})
	return nil
}

// newBody lays the panel into the body. Where both are too long for GitHub
// the panel is cut, never what people wrote.
func (r *run) newBody(w pipeline.Write) (string, bool) {
	panel := w.Body
	if !strings.Contains(panel, pipeline.PanelStart) {
		panel = pipeline.PanelStart + "\n" + panel + "\n" + pipeline.PanelEnd
	}
	body := pipeline.ReplacePanel(r.pull.Body, panel)
	if over := len(body) - pipeline.MaxBody; over > 0 {
		inner := strings.TrimSuffix(strings.TrimPrefix(panel, pipeline.PanelStart), pipeline.PanelEnd)
		panel = pipeline.PanelStart + pipeline.Cut(inner, max(0, len(inner)-over-200)) + "\n" + pipeline.PanelEnd
		body = pipeline.ReplacePanel(r.pull.Body, panel)
	}
	return body, body != r.pull.Body
}

type commentReply struct{ CommentEdge struct{ Node note } }

func (b *noteBatch) comment(_ context.Context, w pipeline.Write) error {
	subject := b.r.subject(w)
	if subject == "" {
		return &Error{Kind: KindNotFound, Op: fmt.Sprintf("comment on #%d", b.r.target(w))}
	}
	b.put(pendingNote{w: w, take: func(_ context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		var made commentReply
		err := got.field(alias(0), &made)
		n := made.CommentEdge.Node
		return pipeline.Receipt{NodeID: n.ID, ID: int64(n.FullDatabaseID), URL: n.URL, Number: b.r.target(w)}, err
	}}, created{all: 1}, step{addComment, addCommentInput{subject, marked(w.Body, w.Key)}})
	return nil
}

// edit rewrites a comment of ours. One that was deleted is written anew, once:
// the marker keeps a repeat from doing it again.
func (b *noteBatch) edit(_ context.Context, w pipeline.Write) error {
	b.r.seen.notes = slices.DeleteFunc(b.r.seen.notes, func(n note) bool { return n.ID == w.Subject }) // what it said is gone
	b.put(pendingNote{w: w, take: func(ctx context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		var made struct{ IssueComment note }
		err := got.field(alias(0), &made)
		n := made.IssueComment
		if is(err, KindNotFound) && b.r.subject(w) != "" {
			var anew commentReply
			_, err = b.r.one(ctx, step{addComment, addCommentInput{b.r.subject(w), marked(w.Body, w.Key)}}, created{all: 1}, &anew)
			n = anew.CommentEdge.Node
		}
		return pipeline.Receipt{NodeID: n.ID, ID: int64(n.FullDatabaseID), URL: n.URL, Number: b.r.target(w)}, err
	}}, created{}, step{editComment, editCommentInput{w.Subject, marked(w.Body, w.Key)}})
	return nil
}

// reply answers a thread. Where only the first comment's number is known REST
// does it.
func (b *noteBatch) reply(ctx context.Context, w pipeline.Write) error {
	thread := threadOf(w)
	if numeric(thread) {
		made, err := b.r.replyREST(ctx, w, thread)
		if err == nil {
			b.r.receipt(w, made)
		}
		var e *Error
		if errors.As(err, &e) && e.Kind != KindDown {
			e.Status = 0 // it says nothing of GraphQL
		}
		return err
	}
	b.put(pendingNote{w: w, take: func(_ context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		var made struct{ Comment note }
		err := got.field(alias(0), &made)
		return pipeline.Receipt{NodeID: made.Comment.ID, ID: int64(made.Comment.FullDatabaseID), URL: made.Comment.URL}, err
	}}, created{1, 1}, step{addReply, replyInput{thread, marked(w.Body, w.Key)}})
	return nil
}

func threadOf(w pipeline.Write) string {
	if len(w.Threads) > 0 {
		return w.Threads[0]
	}
	return w.Subject
}

func numeric(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func (b *noteBatch) react(_ context.Context, w pipeline.Write) error {
	b.put(pendingNote{w: w}, created{}, step{addReaction, reactionInput{w.Subject, w.Content}})
	return nil
}

func (b *noteBatch) resolve(_ context.Context, w pipeline.Write) error {
	field := resolveThread
	if w.Kind == pipeline.WriteUnresolve {
		field = reopenThread
	}
	// On a second try the closing lines may be there; the threads matter more.
	closing := w.Body != "" && len(w.Threads) <= maxClosing && !b.r.again[w.Key]
	var steps []step
	var content created
	for _, thread := range slices.Compact(slices.Clone(w.Threads)) {
		if numeric(thread) {
			continue // opened over REST, which does not tell the thread's id
		}
		if closing {
			steps = append(steps, step{addReply, replyInput{thread, marked(w.Body, w.Key)}})
			content = created{content.all + 1, content.inThreads + 1}
		}
		steps = append(steps, step{field, threadInput{thread}})
	}
	if len(steps) == 0 {
		b.r.receipt(w, pipeline.Receipt{})
		return nil
	}
	b.put(pendingNote{w: w}, content, steps...)
	return nil
}

// maxClosing is how many threads get a closing line; more are resolved in
// silence.
const maxClosing = 10

func (b *noteBatch) assign(_ context.Context, w pipeline.Write) error {
	if b.r.seen.user == "" || b.r.pull.ID == "" {
		return &Error{Kind: KindNotFound, Op: fmt.Sprintf("assign %q", w.Content)}
	}
	b.put(pendingNote{w: w}, created{}, step{addAssignee, assigneeInput{b.r.pull.ID, []string{b.r.seen.user}}})
	return nil
}

func (b *noteBatch) pullState(_ context.Context, w pipeline.Write) error {
	field := readyPull
	if w.Kind == pipeline.WriteClose {
		field = closePull
	}
	b.put(pendingNote{w: w, take: func(_ context.Context, got reply, alias func(int) string) (pipeline.Receipt, error) {
		var made pullReply
		err := got.field(alias(0), &made)
		return pipeline.Receipt{NodeID: made.PullRequest.ID, Number: made.PullRequest.Number, Draft: made.PullRequest.IsDraft}, err
	}}, created{}, step{field, pullInput{b.r.pull.ID}})
	return nil
}

// deleteRef removes the session branch; one that is gone is what was wanted.
func (b *noteBatch) deleteRef(_ context.Context, w pipeline.Write) error {
	if b.r.seen.ref == "" {
		b.r.receipt(w, pipeline.Receipt{})
		return nil
	}
	b.put(pendingNote{w: w}, created{}, step{deleteRef, deleteRefInput{b.r.seen.ref}})
	return nil
}
