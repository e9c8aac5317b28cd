package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley/pipeline"
)

type author struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

// restNote is a comment as REST tells of it.
type restNote struct {
	ID      int64  `json:"id"`
	NodeID  string `json:"node_id"`
	HTMLURL string `json:"html_url"`
	Body    string `json:"body"`
	User    author `json:"user"`
	App     *struct {
		ID int64 `json:"id"`
	} `json:"performed_via_github_app"`
}

// notes goes write by write: REST has no batches.
func (overREST) notes(ctx context.Context, r *run, ws []pipeline.Write) error {
	var first error
	for _, w := range ws {
		made, err := r.noteREST(ctx, w)
		if waits(err) || down(err) && is(err, KindDown) {
			return err
		}
		if err == nil {
			r.receipt(w, made)
			continue
		}
		first = firstOfTwo(first, r.settleREST(w, err))
	}
	return first
}

// settleREST: a refusal over REST is the last word, even one that over GraphQL
// would send us here.
func (r *run) settleREST(w pipeline.Write, err error) error {
	if !w.Ornament {
		return fmt.Errorf("%s: %w", w.Kind, err)
	}
	r.receipt(w, pipeline.Receipt{Note: Redact(err.Error())})
	return nil
}

var restPlans map[pipeline.WriteKind]func(*run, context.Context, pipeline.Write) (pipeline.Receipt, error)

func init() {
	restPlans = map[pipeline.WriteKind]func(*run, context.Context, pipeline.Write) (pipeline.Receipt, error){
		pipeline.WriteReview: (*run).reviewREST, pipeline.WriteCheck: (*run).checkREST, pipeline.WritePanel: (*run).panelREST,
		pipeline.WriteComment: (*run).commentREST, pipeline.WriteEdit: (*run).editREST, pipeline.WriteReact: (*run).reactREST,
		pipeline.WriteAssign: (*run).assignREST, pipeline.WriteClose: (*run).closeREST, pipeline.WriteDelete: (*run).deleteREST,
		pipeline.WriteReply: func(r *run, ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
			return r.replyREST(ctx, w, threadOf(w))
		},
		pipeline.WriteReady: notOverREST, pipeline.WriteResolve: notOverREST, pipeline.WriteUnresolve: notOverREST,
	}
}

// notOverREST is not done and says so; the panel names it.
func notOverREST(_ *run, _ context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	return pipeline.Receipt{Note: "not done: REST has no " + string(w.Kind)}, nil
}

func (r *run) noteREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	if w.Merge != nil {
		if err := r.pullBody(ctx); err != nil {
			return pipeline.Receipt{}, err
		}
		if r.pull.HeadRefOID != w.Merge.Head {
			return pipeline.Receipt{Note: "not done: the head moved to " + r.pull.HeadRefOID}, nil
		}
	}
	plan, ok := restPlans[w.Kind]
	if !ok {
		return pipeline.Receipt{}, fmt.Errorf("write %s: no such kind %q", w.Key, w.Kind)
	}
	return plan(r, ctx, w)
}

func (r *run) pullBody(ctx context.Context) error {
	if r.bodyKnown {
		return nil
	}
	var p restPull
	if err := r.rest(ctx, call{op: "read the pull request", method: http.MethodGet, path: r.at("pulls", strconv.Itoa(r.pull.Number))}, &p); err != nil {
		return err
	}
	r.pull, r.bodyKnown = p.node(), true
	return nil
}

func (r *run) panelREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	if err := r.pullBody(ctx); err != nil {
		return pipeline.Receipt{}, err
	}
	body, changed := r.newBody(w)
	if changed {
		if err := r.patchPull(ctx, "rewrite the panel", struct {
			Body string `json:"body"`
		}{body}); err != nil {
			return pipeline.Receipt{}, err
		}
		r.pull.Body = body
	}
	return pipeline.Receipt{NodeID: r.pull.ID, Number: r.pull.Number, URL: r.pull.URL}, nil
}

func (r *run) patchPull(ctx context.Context, op string, body any) error {
	return r.rest(ctx, call{op: op, method: http.MethodPatch, path: r.at("pulls", strconv.Itoa(r.pull.Number)), body: body}, nil)
}

func (r *run) closeREST(ctx context.Context, _ pipeline.Write) (pipeline.Receipt, error) {
	err := r.patchPull(ctx, "close the pull request", struct {
		State string `json:"state"`
	}{"closed"})
	return pipeline.Receipt{NodeID: r.pull.ID, Number: r.pull.Number}, err
}

func (r *run) deleteREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	branch := branchOf(r.s, w)
	err := r.rest(ctx, call{op: "delete branch " + branch, method: http.MethodDelete, path: r.refPath("refs", branch)}, nil)
	if is(err, KindNotFound, KindUnprocessable) {
		return pipeline.Receipt{}, nil // it was gone, which is what was wanted
	}
	return pipeline.Receipt{}, err
}

func (r *run) assignREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	body := struct {
		Assignees []string `json:"assignees"`
	}{[]string{w.Content}}
	path := r.at("issues", strconv.Itoa(r.pull.Number), "assignees")
	return pipeline.Receipt{}, r.rest(ctx, call{op: "assign " + w.Content, method: http.MethodPost, path: path, body: body}, nil)
}

type bodyOnly struct {
	Body string `json:"body"`
}

func (r *run) commentREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	at := r.at("issues", strconv.Itoa(r.target(w)), "comments")
	if r.again[w.Key] {
		n, err := r.findREST(ctx, at, func(n restNote) bool { return r.own(n) && hasMark(n.Body, w.Key) })
		if err != nil || n != nil {
			return n.receipt(r.target(w)), err
		}
	}
	var made restNote
	err := r.rest(ctx, call{op: "comment", method: http.MethodPost, path: at, body: bodyOnly{marked(w.Body, w.Key)}, content: 1}, &made)
	return made.receipt(r.target(w)), err
}

func (n *restNote) receipt(number int) pipeline.Receipt {
	if n == nil {
		return pipeline.Receipt{}
	}
	return pipeline.Receipt{ID: n.ID, NodeID: n.NodeID, URL: n.HTMLURL, Number: number}
}

// own tells our comments from others': by the app where GitHub names it, else
// by being a bot's with our marker, which a person cannot be.
func (r *run) own(n restNote) bool {
	if n.App != nil {
		return n.App.ID == r.c.cfg.AppID
	}
	return n.User.Type == "Bot"
}

// maxNotePages bounds a search among comments, a hundred a page.
const maxNotePages = 50

// findREST goes through all pages: what we look for may be the 731st.
func (r *run) findREST(ctx context.Context, path string, want func(restNote) bool) (*restNote, error) {
	for page := 1; page <= maxNotePages; page++ {
		var notes []restNote
		q := url.Values{"per_page": {"100"}, "page": {strconv.Itoa(page)}}
		if err := r.rest(ctx, call{op: "read comments", method: http.MethodGet, path: path + "?" + q.Encode()}, &notes); err != nil {
			return nil, err
		}
		for _, n := range notes {
			if want(n) {
				return &n, nil
			}
		}
		if len(notes) < 100 {
			return nil, nil
		}
	}
	return nil, nil
}

func (r *run) editREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	n, err := r.findREST(ctx, r.at("issues", strconv.Itoa(r.target(w)), "comments"), func(n restNote) bool { return n.NodeID == w.Subject && r.own(n) })
	if err != nil {
		return pipeline.Receipt{}, err
	}
	if n == nil {
		return r.commentREST(ctx, w)
	}
	path := r.at("issues", "comments", strconv.FormatInt(n.ID, 10))
	err = r.rest(ctx, call{op: "edit a comment", method: http.MethodPatch, path: path, body: bodyOnly{marked(w.Body, w.Key)}}, nil)
	return n.receipt(r.target(w)), err
}

// reactREST looks the subject up by its node id, which REST's paths do not take.
func (r *run) reactREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	body := struct {
		Content string `json:"content"`
	}{strings.ToLower(w.Content)}
	var path string
	switch {
	case w.Subject == r.s.Issue.NodeID:
		path = r.at("issues", strconv.Itoa(r.s.Issue.Number), "reactions")
	case w.Subject == r.pull.ID:
		path = r.at("issues", strconv.Itoa(r.pull.Number), "reactions")
	default:
		kind, number := "issues", r.target(w)
		if w.On == pipeline.OnReviewComment {
			kind, number = "pulls", r.pull.Number
		}
		n, err := r.findREST(ctx, r.at(kind, strconv.Itoa(number), "comments"), func(n restNote) bool { return n.NodeID == w.Subject })
		if err != nil {
			return pipeline.Receipt{}, err
		}
		if n == nil {
			return pipeline.Receipt{Note: "not done: REST cannot react to that"}, nil
		}
		path = r.at(kind, "comments", strconv.FormatInt(n.ID, 10), "reactions")
	}
	return pipeline.Receipt{}, r.rest(ctx, call{op: "react", method: http.MethodPost, path: path, body: body}, nil)
}

// replyREST answers under the first comment of a thread. Its number is given,
// or found by the finding; without either the answer goes to the conversation.
func (r *run) replyREST(ctx context.Context, w pipeline.Write, thread string) (pipeline.Receipt, error) {
	at := r.at("pulls", strconv.Itoa(r.pull.Number), "comments")
	if r.again[w.Key] {
		n, err := r.findREST(ctx, at, func(n restNote) bool { return r.own(n) && hasMark(n.Body, w.Key) })
		if err != nil || n != nil {
			return n.receipt(r.pull.Number), err
		}
	}
	if !numeric(thread) {
		n, err := r.findREST(ctx, at, func(n restNote) bool {
			ids := pipeline.Marked(n.Body, pipeline.FindingMark)
			return n.NodeID == thread || w.Finding != "" && r.own(n) && len(ids) > 0 && ids[0] == w.Finding
		})
		if err != nil {
			return pipeline.Receipt{}, err
		}
		if n == nil {
			w.Number = r.pull.Number
			return r.commentREST(ctx, w)
		}
		thread = strconv.FormatInt(n.ID, 10)
	}
	var made restNote
	path := r.at("pulls", strconv.Itoa(r.pull.Number), "comments", thread, "replies")
	err := r.rest(ctx, call{op: "reply in a thread", method: http.MethodPost, path: path, body: bodyOnly{marked(w.Body, w.Key)}, content: 1, inThread: 1}, &made)
	return made.receipt(r.pull.Number), err
}
