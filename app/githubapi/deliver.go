package githubapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"parley/pipeline"
)

// run is one Deliver: the batch, what has been made of it, and the branch and
// pull request as far as they are known.
type run struct {
	c     *Client
	b     pipeline.Batch
	s     pipeline.Session
	again map[string]bool
	done  map[string]bool
	out   pipeline.Receipts

	base  string            // head the next commit expects
	head  string            // head a check or review without one is about
	files map[string]string // the folder at base
	exact bool              // files was read from the branch in this run
	read  map[string][]byte // the folder's texts by id, once they had to be read
	// foreign are paths that people changed behind the manifest's head.
	foreign map[string]bool
	pull    pullNode
	// bodyKnown: pull.Body is as GitHub said a moment ago.
	bodyKnown bool
	// foundCommit is an earlier try's commit, found on the branch.
	foundCommit string
	// history are the branch's newest commits as they were read in this run.
	history   []branchCommit
	repoID    string
	check     checkState
	seen      view
	readBacks bool // seen holds what earlier tries left on the pull request
}

// checkState is our newest run on a head.
type checkState struct {
	id     int64
	node   string
	head   string
	status string
}

// road is a way to write. There are two, GraphQL and REST; both make the same.
type road interface {
	open(ctx context.Context, r *run, w pipeline.Write) error
	commit(ctx context.Context, r *run, w pipeline.Write) error
	notes(ctx context.Context, r *run, ws []pipeline.Write) error
}

// Deliver implements pipeline.GitHub.
func (c *Client) Deliver(ctx context.Context, batch pipeline.Batch) (pipeline.Receipts, error) {
	allowed, refusal := guard(batch)
	batch.Writes = batch.Writes[:allowed]
	r := newRun(c, c.scrub(batch))
	if batch.Session.Settings.DryRun {
		return r.rehearse(), refusal
	}
	var spent pipeline.Requests
	err := r.all(context.WithValue(ctx, deliveryKey{}, &spent))
	r.out.Requests = spent
	return r.out, firstOfTwo(err, refusal)
}

func newRun(c *Client, b pipeline.Batch) *run {
	s := b.Session
	r := &run{c: c, b: b, s: s, again: maps.Clone(b.Again), done: map[string]bool{}, files: maps.Clone(s.Manifest.Files),
		base: s.Manifest.Head, head: s.PR.Head, repoID: s.Repo.NodeID, foreign: map[string]bool{},
		pull:  pullNode{ID: s.PR.NodeID, Number: s.PR.Number, URL: s.PR.URL, IsDraft: s.PR.Draft},
		check: checkState{id: s.Posted.CheckID, node: s.Posted.CheckNode, head: s.Posted.CheckHead, status: s.Posted.CheckStatus}}
	if r.again == nil {
		r.again = map[string]bool{}
	}
	if r.files == nil {
		r.files = map[string]string{}
	}
	if r.base == "" {
		r.base = s.PR.Head
	}
	if r.head == "" {
		r.head = r.base
	}
	return r
}

// rehearse logs the plan of writes and sends none.
func (r *run) rehearse() pipeline.Receipts {
	for n, u := range units(r.b.Writes) {
		for _, w := range u {
			r.c.cfg.Log.Info("dry run", "session", r.s.ID, "request", n+1, "write", string(w.Kind), "key", w.Key,
				"title", w.Title, "files", len(w.Files)+len(w.Append), "bytes", len(w.Body))
			r.receipt(w, pipeline.Receipt{})
		}
	}
	r.out.Mode = "dry run"
	return r.out
}

func (r *run) all(ctx context.Context) error {
	way := r.c.way()
	r.superseded()
	for _, u := range units(r.b.Writes) {
		err := r.unit(ctx, way, u)
		if down(err) && way == graphqlRoad && r.c.cfg.Writes == WritesAuto {
			// Whatever was asked for may have happened.
			r.c.cfg.Log.Warn("graphql is down, writing over rest", "session", r.s.ID, "err", err)
			r.c.restUntil.Store(r.c.cfg.Now().Add(time.Minute).UnixNano())
			for _, w := range u {
				r.again[w.Key] = true
			}
			way, r.history = restRoad, nil
			err = r.unit(ctx, way, u)
		}
		if err != nil {
			return r.gateStill(ctx, way, err)
		}
	}
	return nil
}

// superseded settles every panel but the last: the body is rewritten once.
func (r *run) superseded() {
	last := true
	for n := len(r.b.Writes) - 1; n >= 0; n-- {
		w := r.b.Writes[n]
		if w.Kind != pipeline.WritePanel {
			continue
		}
		if !last {
			r.receipt(w, pipeline.Receipt{Number: r.pull.Number})
		}
		last = false
	}
}

// gateStill sends the checks whose head is known although the rest must wait:
// a fifth of the limit is kept for them. Where the session's own waits for a
// commit, the run that is in progress says until when.
func (r *run) gateStill(ctx context.Context, way road, err error) error {
	var wait *pipeline.NotBefore
	if !errors.As(err, &wait) {
		return err
	}
	var checks []pipeline.Write
	var moves, waiting bool
	for _, w := range r.b.Writes {
		switch known := w.Check != nil && (w.Check.Head != "" || !moves && r.head != ""); {
		case r.done[w.Key]:
		case known:
			checks = append(checks, w)
		case w.Check != nil:
			waiting = true
		default:
			moves = moves || w.Kind == pipeline.WriteOpen || w.Kind == pipeline.WriteCommit
		}
	}
	if len(checks) == 0 && waiting && r.check.status == "in_progress" && wait.At.Sub(r.c.cfg.Now()) >= longWait {
		r.sayLimited(ctx, way, wait.At)
	} else if cerr := r.unit(ctx, way, checks); cerr != nil {
		r.c.cfg.Log.Debug("the gate waits too", "session", r.s.ID, "err", cerr)
	}
	return err
}

// sayLimited says on the run what the session waits for, once in a wait
// however often it is tried in between.
func (r *run) sayLimited(ctx context.Context, way road, until time.Time) {
	name := fmt.Sprintf("said:%d:%s", r.s.Repo.ID, r.s.ID)
	said, err := r.c.limits.quota.ReadBucket(ctx, name)
	if err == nil && !said.Reset.After(r.c.cfg.Now()) {
		c := pipeline.LimitedCheck(r.s, r.check.head, until)
		if err = r.unit(ctx, way, []pipeline.Write{{Kind: pipeline.WriteCheck, Check: &c}}); err == nil {
			err = r.c.limits.quota.WriteBucket(ctx, name, pipeline.Bucket{Reset: until})
		}
	}
	if err != nil {
		r.c.cfg.Log.Debug("the wait is not said", "session", r.s.ID, "err", err)
	}
}

// longWait is how long a wait is worth a word on the pull request.
const longWait = 2 * time.Minute

// way is REST when it is configured, or for a minute after GraphQL was down.
func (c *Client) way() road {
	switch {
	case c.cfg.Writes == WritesREST:
		return restRoad
	case c.cfg.Writes == WritesAuto && c.restUntil.Load() > c.cfg.Now().UnixNano():
		return restRoad
	}
	return graphqlRoad
}

// down tells whether GraphQL as such did not answer or would not have us; a
// refused field is not that.
func down(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	refused := e.Status == 403 || e.Status == 404 || e.Status == 405 || e.Status == 410
	return e.Kind == KindDown || e.Kind == KindSchema || refused && e.Kind != KindSuspended && e.Kind != KindUninstalled
}

// unit carries out one group. Writes that were already made are left out.
func (r *run) unit(ctx context.Context, way road, u []pipeline.Write) error {
	var left []pipeline.Write
	for _, w := range u {
		if !r.done[w.Key] {
			left = append(left, w)
		}
	}
	if len(left) == 0 {
		return nil
	}
	r.out.Mode = WritesGraphQL
	if way == restRoad {
		r.out.Mode = WritesREST
	}
	var err error
	switch left[0].Kind {
	case pipeline.WriteOpen:
		err = way.open(ctx, r, left[0])
	case pipeline.WriteCommit:
		err = way.commit(ctx, r, left[0])
	default:
		err = way.notes(ctx, r, left)
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", r.s.ID, err)
	}
	return nil
}

// maxHeavy is how many mutations that make or rewrite something go into one
// request; reactions and resolved threads are light.
const (
	maxHeavy = 5
	maxLight = 20
)

var light = map[pipeline.WriteKind]bool{
	pipeline.WriteReact: true, pipeline.WriteResolve: true, pipeline.WriteUnresolve: true, pipeline.WriteAssign: true,
	pipeline.WriteReady: true, pipeline.WriteClose: true, pipeline.WriteDelete: true,
}

// units groups neighbours: a commit by itself, because what follows needs its
// head, everything else together.
func units(ws []pipeline.Write) [][]pipeline.Write {
	var all [][]pipeline.Write
	var group []pipeline.Write
	heavies, lights := 0, 0
	flush := func() {
		if len(group) > 0 {
			all = append(all, group)
		}
		group, heavies, lights = nil, 0, 0
	}
	for _, w := range ws {
		if w.Kind == pipeline.WriteOpen || w.Kind == pipeline.WriteCommit {
			flush()
			all = append(all, []pipeline.Write{w})
			continue
		}
		h, l := 1, 0
		if light[w.Kind] {
			h, l = 0, max(1, len(w.Threads))
		}
		if len(group) > 0 && w.Kind == pipeline.WriteResolve && w.Body != "" {
			l *= 2
		}
		if heavies+h > maxHeavy || lights+l > maxLight {
			flush()
		}
		heavies, lights = heavies+h, lights+l
		group = append(group, w)
	}
	flush()
	return all
}

// receipt notes that a write is made.
func (r *run) receipt(w pipeline.Write, made pipeline.Receipt) {
	made.Key, made.Kind, made.Finding = w.Key, w.Kind, w.Finding
	r.done[w.Key] = true
	r.out.Done = append(r.out.Done, made)
}

// settle turns a write's failure into a note where it is an ornament, and
// hands it back otherwise. A limit is no failure: the write waits.
func (r *run) settle(w pipeline.Write, err error) error {
	var wait *pipeline.NotBefore
	if err == nil || errors.As(err, &wait) {
		return err
	}
	if !w.Ornament || down(err) {
		return fmt.Errorf("%s: %w", w.Kind, err)
	}
	r.receipt(w, pipeline.Receipt{Note: Redact(err.Error())})
	return nil
}

// landed takes a commit into the receipts and makes it the base of the next.
func (r *run) landed(ch change, head, tree string) {
	if r.out.Files == nil {
		r.out.Files = map[string]string{}
	}
	for path, text := range ch.files {
		r.files[path] = blobID(text)
		r.out.Files[path] = r.files[path]
	}
	for _, path := range ch.deleted {
		delete(r.files, path)
		r.out.Files[path] = ""
	}
	r.base, r.head = head, head
	r.out.Head, r.out.Tree = head, tree
	r.out.Applied = append(r.out.Applied, ch.applied...)
	r.out.Conflicts = append(r.out.Conflicts, ch.conflicts...)
}
