package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley/pipeline"
)

type restThread struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line,omitempty"`
	StartSide string `json:"start_side,omitempty"`
	Body      string `json:"body"`
}

type restReview struct {
	CommitID string       `json:"commit_id,omitempty"`
	Body     string       `json:"body"`
	Event    string       `json:"event"`
	Comments []restThread `json:"comments,omitempty"`
}

// reviewREST posts the review with its line comments. REST takes all or
// nothing, so one bad line sends all of them to the body; comments on whole
// files have no place in a REST review and stand in the body as well.
func (r *run) reviewREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	at := r.at("pulls", strconv.Itoa(r.pull.Number), "reviews")
	if r.again[w.Key] {
		n, err := r.findREST(ctx, at, func(n restNote) bool { return r.own(n) && hasMark(n.Body, w.Key) })
		if err != nil {
			return pipeline.Receipt{}, err
		}
		if n != nil {
			return r.reviewedREST(ctx, *n, "")
		}
	}
	var all []pipeline.LineRemark
	if w.Review != nil {
		all = w.Review.Comments
	}
	placed := r.place(ctx, all)
	homeless := slices.Concat(placed.files, placed.body)
	in := restReview{CommitID: r.head, Body: r.reviewBody(w, homeless), Event: "COMMENT"}
	for _, m := range placed.lines {
		t := restThread{Path: r.path(m.Path), Line: m.Line, Side: "RIGHT", Body: remarkBody(m)}
		if m.Start > 0 {
			t.StartLine, t.StartSide = m.Start, "RIGHT"
		}
		in.Comments = append(in.Comments, t)
	}
	var made restNote
	note := noteOf(placed)
	err := r.rest(ctx, call{op: "review", method: http.MethodPost, path: at, body: in, content: 1}, &made)
	if is(err, KindUnprocessable) && len(in.Comments) > 0 {
		note = fmt.Sprintf("%d remarks in the body: their lines were refused", len(all))
		in = restReview{Body: r.reviewBody(w, all), Event: "COMMENT"}
		err = r.rest(ctx, call{op: "review", method: http.MethodPost, path: at, body: in, content: 1}, &made)
	}
	if err != nil {
		return pipeline.Receipt{}, err
	}
	if len(in.Comments) == 0 {
		return pipeline.Receipt{ID: made.ID, NodeID: made.NodeID, URL: made.HTMLURL, Note: note}, nil
	}
	return r.reviewedREST(ctx, made, note)
}

// reviewedREST maps the findings to the comments that open their threads: REST
// knows no threads, their first comment's number stands for them.
func (r *run) reviewedREST(ctx context.Context, made restNote, note string) (pipeline.Receipt, error) {
	got := pipeline.Receipt{ID: made.ID, NodeID: made.NodeID, URL: made.HTMLURL, Note: note, Threads: map[string]string{}, Roots: map[string]string{}}
	var comments []restNote
	path := r.at("pulls", strconv.Itoa(r.pull.Number), "reviews", strconv.FormatInt(made.ID, 10), "comments") + "?per_page=100"
	if err := r.rest(ctx, call{op: "read the review back", method: http.MethodGet, path: path}, &comments); err != nil {
		got.Note = Redact(err.Error()) // the review stands; only its threads are not known
		return got, nil
	}
	for _, c := range comments {
		for _, id := range pipeline.Marked(c.Body, pipeline.FindingMark) {
			got.Threads[id] = strconv.FormatInt(c.ID, 10)
			got.Roots[id] = got.Threads[id]
		}
	}
	return got, nil
}

type restCheck struct {
	Name       string          `json:"name"`
	HeadSHA    string          `json:"head_sha,omitempty"`
	Status     string          `json:"status"`
	Conclusion string          `json:"conclusion,omitempty"`
	DetailsURL string          `json:"details_url,omitempty"`
	ExternalID string          `json:"external_id,omitempty"`
	Output     restCheckOutput `json:"output"`
	Actions    []runButton     `json:"actions,omitempty"`
}

type restCheckOutput struct {
	Title       string           `json:"title"`
	Summary     string           `json:"summary"`
	Text        string           `json:"text,omitempty"`
	Annotations []restAnnotation `json:"annotations,omitempty"`
}

type restAnnotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Level     string `json:"annotation_level"`
	Message   string `json:"message"`
}

type restCheckRun struct {
	ID         int64  `json:"id"`
	NodeID     string `json:"node_id"`
	HTMLURL    string `json:"html_url"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	ExternalID string `json:"external_id"`
	Output     struct {
		Title string `json:"title"`
	} `json:"output"`
	App struct {
		ID int64 `json:"id"`
	} `json:"app"`
}

func (c restCheckRun) node() checkNode {
	return checkNode{ID: c.NodeID, DatabaseID: c.ID, URL: c.HTMLURL, Name: c.Name, Status: c.Status, Conclusion: c.Conclusion, Title: c.Output.Title, ExternalID: c.ExternalID}
}

func (r *run) checkREST(ctx context.Context, w pipeline.Write) (pipeline.Receipt, error) {
	head := r.checkHead(w.Check)
	if r.again[w.Key] {
		if made, ok, err := r.sameCheckREST(ctx, w, head); ok || err != nil {
			return made, err
		}
	}
	in := r.checkInput(w.Check)
	body := restCheck{Name: in.Name, HeadSHA: head, Status: w.Check.Status, Conclusion: strings.ToLower(in.Conclusion),
		DetailsURL: in.DetailsURL, ExternalID: in.ExternalID, Actions: in.Actions,
		Output: restCheckOutput{Title: in.Output.Title, Summary: in.Output.Summary, Text: in.Output.Text}}
	var notes []restAnnotation
	for _, a := range in.Output.Annotations {
		notes = append(notes, restAnnotation{a.Path, a.Location.StartLine, a.Location.EndLine, strings.ToLower(a.Level), a.Message})
	}
	body.Output.Annotations = notes[:min(len(notes), maxAnnotations)]
	k := call{op: "post " + in.Name, method: http.MethodPost, path: r.at("check-runs"), gate: true}
	if r.updates(w.Check) && r.check.id != 0 {
		body.HeadSHA = ""
		k.method, k.path = http.MethodPatch, r.at("check-runs", strconv.FormatInt(r.check.id, 10))
	}
	k.body = body
	var made restCheckRun
	if err := r.rest(ctx, k, &made); err != nil {
		return pipeline.Receipt{}, err
	}
	for part := range slices.Chunk(notes[len(body.Output.Annotations):], maxAnnotations) {
		body.HeadSHA, body.Output.Annotations = "", part
		k = call{op: k.op, method: http.MethodPatch, path: r.at("check-runs", strconv.FormatInt(made.ID, 10)), gate: true, body: body}
		if err := r.rest(ctx, k, nil); err != nil {
			return pipeline.Receipt{}, err
		}
	}
	return r.checked(w.Check, made.node()), nil
}

// sameCheckREST reads our own runs on the head; other apps' do not count.
func (r *run) sameCheckREST(ctx context.Context, w pipeline.Write, head string) (pipeline.Receipt, bool, error) {
	var said struct {
		Runs []restCheckRun `json:"check_runs"`
	}
	path := r.at("commits", head, "check-runs") + "?filter=latest&per_page=100&app_id=" + strconv.FormatInt(r.c.cfg.AppID, 10)
	if err := r.rest(ctx, call{op: "read checks of " + head, method: http.MethodGet, path: path, gate: true}, &said); err != nil {
		return pipeline.Receipt{}, false, err
	}
	r.seen.checked, r.seen.checks = head, nil
	for _, c := range said.Runs {
		if c.App.ID == r.c.cfg.AppID {
			r.seen.checks = append(r.seen.checks, c.node())
		}
	}
	made, ok := r.sameCheck(w)
	return made, ok, nil
}
