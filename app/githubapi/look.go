package githubapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"parley/pipeline"
)

type pullNode struct {
	ID              string
	Number          int
	URL             string
	IsDraft         bool
	State           string
	HeadRefOID      string
	Body            string
	FullDatabaseID  bigID
	ViewerDidAuthor bool
}

// bigID is a database id, which GraphQL writes as a string and REST as a number.
type bigID int64

// UnmarshalJSON takes both.
func (b *bigID) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if text == "null" || text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	*b = bigID(n)
	return err
}

// note is a comment, reply or review of ours as read back.
type note struct {
	ID              string
	FullDatabaseID  bigID
	URL             string
	Body            string
	ViewerDidAuthor bool
}

type reviewThread struct {
	ID          string
	IsResolved  bool
	IsOutdated  bool
	Path        string
	Line        *int
	SubjectType string
	Comments    struct{ Nodes []note }
}

type checkNode struct {
	ID         string
	DatabaseID int64
	URL        string
	Name       string
	Status     string
	Conclusion string
	Title      string
	ExternalID string
}

// view is what was read before a group of writes that depends on it.
type view struct {
	ref     string // node id of the branch
	user    string // node id of who is to be assigned
	issue   string
	other   string
	notes   []note // comments and replies
	reviews []note
	threads []reviewThread
	checks  []checkNode // on the pull request's head
	checked string      // that head
}

type pullAnswer struct {
	Repository *struct {
		ID          string
		Ref         *struct{ ID string }
		PullRequest *struct {
			pullNode
			Comments      struct{ Nodes []note }
			Reviews       struct{ Nodes []note }
			ReviewThreads struct{ Nodes []reviewThread }
			Commits       struct {
				Nodes []struct {
					Commit struct {
						OID         string
						CheckSuites struct {
							Nodes []struct{ CheckRuns struct{ Nodes []checkNode } }
						}
					}
				}
			}
		}
		Issue *struct {
			ID       string
			Comments struct{ Nodes []note }
		}
		Other *struct{ ID string }
	}
	User *struct{ ID string }
}

type pullVars struct {
	Owner     string `json:"owner"`
	Name      string `json:"name"`
	PR        int    `json:"pr"`
	Issue     int    `json:"issue"`
	Other     int    `json:"other"`
	Branch    string `json:"branch"`
	Login     string `json:"login"`
	App       int64  `json:"app"`
	WithPull  bool   `json:"withPull"`
	WithIssue bool   `json:"withIssue"`
	WithOther bool   `json:"withOther"`
	WithRef   bool   `json:"withRef"`
	WithLogin bool   `json:"withLogin"`
	Again     bool   `json:"again"`
}

// needs says what must be read before ws can be written; none is most often
// the answer right after a commit, whose reply brought the body along.
func (r *run) needs(ws []pipeline.Write) (pullVars, bool) {
	v := pullVars{Owner: r.s.Repo.Owner, Name: r.s.Repo.Name, PR: r.pull.Number, Issue: r.s.Issue.Number, App: r.c.cfg.AppID}
	need := false
	for _, w := range ws {
		if r.again[w.Key] && repeats[w.Kind] && !r.readBacks {
			v.Again, v.WithPull, v.WithIssue = true, v.PR != 0, v.Issue != 0
			need = true
		}
		switch {
		case w.Kind == pipeline.WritePanel && !r.bodyKnown, w.Merge != nil:
			v.WithPull, need = true, true
		case w.Kind == pipeline.WriteAssign:
			v.Login, v.WithLogin, need = w.Content, true, true
		case w.Kind == pipeline.WriteDelete:
			v.Branch, v.WithRef, need = "refs/heads/"+branchOf(r.s, w), true, true
		case w.Kind == pipeline.WriteComment && r.subject(w) == "":
			v.Other, v.WithOther, need = r.target(w), true, true
		case w.Kind == pipeline.WriteCheck && r.repoID == "":
			need = true
		}
		if r.pull.ID == "" && onPull[w.Kind] {
			v.WithPull, need = true, true
		}
	}
	v.WithPull = v.WithPull && v.PR != 0
	return v, need
}

// repeats are the writes that would be seen twice; the others say the same
// thing again when they are sent again.
var repeats = map[pipeline.WriteKind]bool{
	pipeline.WriteComment: true, pipeline.WriteReply: true, pipeline.WriteReview: true, pipeline.WriteCheck: true, pipeline.WriteEdit: true,
}

// onPull are the writes that need the pull request's node id.
var onPull = map[pipeline.WriteKind]bool{
	pipeline.WriteReview: true, pipeline.WritePanel: true, pipeline.WriteAssign: true, pipeline.WriteReady: true, pipeline.WriteClose: true,
}

// look reads what needs asked for, over GraphQL, in one query.
func (r *run) look(ctx context.Context, v pullVars) error {
	op := fmt.Sprintf("look at %s/%s#%d before writing", v.Owner, v.Name, v.PR)
	var got pullAnswer
	q := question{op: op, doc: pullQuery, variables: v, token: writeKey(r.s.Repo), optional: []string{"user"}}
	if err := r.c.read(ctx, q, &got); err != nil {
		return err
	}
	if got.Repository == nil {
		return gone(&Error{Kind: KindNotFound, Op: op})
	}
	r.repoID = got.Repository.ID
	if got.Repository.Ref != nil {
		r.seen.ref = got.Repository.Ref.ID
	}
	if got.User != nil {
		r.seen.user = got.User.ID
	}
	if got.Repository.Other != nil {
		r.seen.other = got.Repository.Other.ID
	}
	if i := got.Repository.Issue; i != nil {
		r.seen.issue = i.ID
		r.seen.notes = append(r.seen.notes, i.Comments.Nodes...)
	}
	if p := got.Repository.PullRequest; p != nil {
		r.pull, r.bodyKnown = p.pullNode, true
		if v.Again {
			r.readBacks = true
			r.seen.reviews, r.seen.threads = p.Reviews.Nodes, p.ReviewThreads.Nodes
		}
		r.seen.notes = append(r.seen.notes, p.Comments.Nodes...)
		for _, t := range p.ReviewThreads.Nodes {
			r.seen.notes = append(r.seen.notes, t.Comments.Nodes...)
		}
		for _, n := range p.Commits.Nodes {
			r.seen.checked = n.Commit.OID
			for _, s := range n.Commit.CheckSuites.Nodes {
				r.seen.checks = append(r.seen.checks, s.CheckRuns.Nodes...)
			}
		}
	}
	return nil
}

// target is the number a comment goes to.
func (r *run) target(w pipeline.Write) int {
	if w.Number != 0 {
		return w.Number
	}
	if r.pull.Number != 0 {
		return r.pull.Number
	}
	return r.s.Issue.Number
}

// subject is the node id a comment goes to, empty while it is not known.
func (r *run) subject(w pipeline.Write) string {
	switch n := r.target(w); {
	case w.Kind == pipeline.WriteComment && w.Subject != "":
		return w.Subject
	case n == r.s.Issue.Number && r.s.Issue.NodeID != "":
		return r.s.Issue.NodeID
	case n == r.s.Issue.Number && r.seen.issue != "":
		return r.seen.issue
	case n == r.pull.Number && r.pull.ID != "":
		return r.pull.ID
	}
	return r.seen.other
}

// readBack finds what an earlier try of w made, among objects of our own.
func (r *run) readBack(w pipeline.Write) (pipeline.Receipt, bool) {
	if !r.again[w.Key] {
		return pipeline.Receipt{}, false
	}
	switch w.Kind {
	case pipeline.WriteComment, pipeline.WriteReply, pipeline.WriteEdit:
		if n, ok := find(r.seen.notes, w.Key); ok {
			return pipeline.Receipt{NodeID: n.ID, ID: int64(n.FullDatabaseID), URL: n.URL, Number: r.target(w)}, true
		}
	case pipeline.WriteReview:
		if n, ok := find(r.seen.reviews, w.Key); ok {
			made := pipeline.Receipt{NodeID: n.ID, ID: int64(n.FullDatabaseID), URL: n.URL}
			made.Threads, made.Roots = threadsOf(r.seen.threads)
			return made, true
		}
	case pipeline.WriteCheck:
		return r.sameCheck(w)
	}
	return pipeline.Receipt{}, false
}

func find(notes []note, key string) (note, bool) {
	for _, n := range notes {
		if n.ViewerDidAuthor && hasMark(n.Body, key) {
			return n, true
		}
	}
	return note{}, false
}

// threadsOf maps the findings to our threads and to their first comments.
func threadsOf(threads []reviewThread) (nodes, roots map[string]string) {
	nodes, roots = map[string]string{}, map[string]string{}
	for _, t := range threads {
		if len(t.Comments.Nodes) == 0 || !t.Comments.Nodes[0].ViewerDidAuthor {
			continue
		}
		first := t.Comments.Nodes[0]
		for _, id := range pipeline.Marked(first.Body, pipeline.FindingMark) {
			nodes[id], roots[id] = t.ID, strconv.FormatInt(int64(first.FullDatabaseID), 10)
		}
	}
	return nodes, roots
}
