package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// prepare reads the briefing and keeps the issue's text as a blob.
func (e *Engine) prepare(ctx context.Context, j Job) (Event, error) {
	b, err := e.GitHub.Brief(ctx, j.Repo, j.Lease.Key.Issue)
	if err != nil {
		return Event{}, fmt.Errorf("read the issue: %w", err)
	}
	text, err := json.Marshal(b.Body)
	if err != nil {
		return Event{}, fmt.Errorf("keep the issue's text: %w", err)
	}
	if err := e.Store.PutBlobs(ctx, j.Lease.Key, [][]byte{text}); err != nil {
		return Event{}, fmt.Errorf("keep the issue's text: %w", err)
	}
	b.Issue.Text = BlobID(text)
	if path := j.Session.SpecPath; path != "" {
		if b.HasSpec, err = e.isFile(ctx, b, path); err != nil {
			return Event{}, err
		}
	}
	return Event{Kind: EventPrepared, Briefing: &b}, nil
}

// isFile tells whether the default branch has the specification that a start
// named. The first task reads the same commit, so this fetches nothing more.
func (e *Engine) isFile(ctx context.Context, b Briefing, path string) (bool, error) {
	if b.BaseHead == "" || !fs.ValidPath(path) {
		return false, nil
	}
	source, err := e.GitHub.Source(ctx, b.Repo, b.BaseHead)
	if err != nil {
		return false, fmt.Errorf("look for the specification %s: %w", word(path), err)
	}
	if source == nil {
		return false, nil
	}
	info, err := fs.Stat(source, path)
	return err == nil && info.Mode().IsRegular(), nil
}

// task does a role's work and its discuss round, and keeps the files.
func (e *Engine) task(ctx context.Context, j Job) (Event, error) {
	started := time.Now()
	t, err := taskOf(j.Session, j.Spec.Task)
	if err != nil {
		return Event{}, err
	}
	in, err := e.inputs(ctx, j)
	if err != nil {
		return Event{}, err
	}
	var threads []Thread
	if t.Revision != nil && t.Revision.Threads && j.Session.PR.Number > 0 {
		if threads, err = e.GitHub.Threads(ctx, j.Session.Repo, j.Session.PR.Number); err != nil {
			return Event{}, fmt.Errorf("read review threads: %w", err)
		}
		threads = slices.DeleteFunc(threads, func(t Thread) bool { return t.Resolved })
	}
	e.Hooks.Progress(Progress{Stage: StageTaskStart, Key: j.Lease.Key, Session: j.Session, Task: t.ID, Round: t.Round})
	draft, err := e.Worker.Work(ctx, Assignment{
		Session: j.Session, Task: t, Issue: in.issue, Folder: in.folder, Source: in.source,
		Threads: threads, Notes: j.Spec.Notes, Now: e.Now(), Progress: e.note(j),
	})
	if err != nil {
		return Event{}, fmt.Errorf("%s: %w", t.ID, err)
	}
	out, texts := draft.Outcome, maps.Clone(draft.Text)
	if texts == nil {
		texts = map[string][]byte{}
	}
	lay(in.folder, texts, out.Append)
	for _, path := range out.Deleted {
		delete(in.folder, path)
	}
	if t.Round != "" && out.Status != TaskFailed {
		if err := e.round(ctx, j, round{task: t, in: in, out: &out, texts: texts}); err != nil {
			return Event{}, err
		}
	}
	out.Task, out.TookMS = t.ID, time.Since(started).Milliseconds()
	if out.Files, err = e.keep(ctx, j.Lease.Key, texts); err != nil {
		return Event{}, err
	}
	e.Hooks.Progress(Progress{Stage: StageTaskDone, Key: j.Lease.Key, Session: j.Session, Task: t.ID, Round: t.Round, Outcome: &out, Took: time.Since(started)})
	return Event{Kind: EventDone, Outcome: &out}, nil
}

type round struct {
	task  Task
	in    inputs
	out   *Outcome
	texts map[string][]byte
}

// round has the artifact judged. A round that fails is part of the outcome,
// not a reason to draft again.
func (e *Engine) round(ctx context.Context, j Job, r round) error {
	started := time.Now()
	judged, err := e.Critic.Critique(ctx, Review{
		Session: j.Session, Task: r.task, Round: r.task.Round, Artifact: r.out.Artifact, Folder: r.in.folder,
		Source: r.in.source, Issue: r.in.issue, Again: r.task.RevisionOf != "", Authors: authors(j.Session, r.task, r.out.Backends), Now: e.Now(), Progress: e.note(j),
	})
	var wait *NotBefore
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &wait):
		return err
	case err != nil:
		r.out.RoundErr = firstLine(err.Error())
		return nil
	}
	r.out.Verdict = &judged.Verdict
	r.out.Usage = r.out.Usage.Plus(judged.Verdict.Usage)
	r.out.Append = append(r.out.Append, judged.Append...)
	r.out.Memory = append(r.out.Memory, judged.Memory...)
	maps.Copy(r.texts, judged.Text)
	e.Hooks.Progress(Progress{Stage: StageRound, Key: j.Lease.Key, Session: j.Session, Task: r.task.ID, Round: r.task.Round, Verdict: &judged.Verdict, Took: time.Since(started)})
	return nil
}

// authors are the backends whose words a round judges: those of the artifact,
// and in the last round, which is on the whole specification, of every task.
func authors(s Session, t Task, own []string) []string {
	all := slices.Clone(own)
	if t.Round == lastRound {
		for _, one := range s.Tasks {
			all = append(all, one.Backends...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// discuss holds a round a person asked for.
func (e *Engine) discuss(ctx context.Context, j Job) (Event, error) {
	if e.Discussant == nil || j.Spec.Command == nil {
		return Event{}, errors.New("no discussant for this round")
	}
	started := time.Now()
	in, err := e.inputs(ctx, j)
	if err != nil {
		return Event{}, err
	}
	draft, err := e.Discussant.Discuss(ctx, Discussion{
		Session: j.Session, Command: *j.Spec.Command, Actor: j.Spec.Actor, Folder: in.folder,
		Source: in.source, Issue: in.issue, Now: e.Now(), Progress: e.note(j),
	})
	if err != nil {
		return Event{}, fmt.Errorf("discuss: %w", err)
	}
	out := draft.Outcome
	out.Task, out.TookMS = j.Spec.Task, time.Since(started).Milliseconds()
	if out.Files, err = e.keep(ctx, j.Lease.Key, draft.Text); err != nil {
		return Event{}, err
	}
	return Event{Kind: EventDone, Outcome: &out, Command: j.Spec.Command}, nil
}

// edited reads what a foreign head changed in the session folder.
func (e *Engine) edited(ctx context.Context, j Job) (Event, error) {
	s := j.Session
	snap, err := e.GitHub.Folder(ctx, s.Repo, j.Spec.Head, s.Folder())
	if err != nil {
		return Event{}, fmt.Errorf("read the session folder at %s: %w", j.Spec.Head, err)
	}
	ed := Edited{Head: snap.Head, Tree: snap.Tree, By: snap.Author, Files: snap.Files, Outside: snap.Outside}
	for path, blob := range snap.Files {
		if s.Manifest.Files[path] != blob {
			ed.Paths = append(ed.Paths, path)
		}
	}
	for path := range s.Manifest.Files {
		if _, there := snap.Files[path]; !there {
			ed.Paths = append(ed.Paths, path)
		}
	}
	slices.Sort(ed.Paths)
	if len(ed.Paths) > 0 && e.Compare != nil {
		before, _, err := e.stored(ctx, j.Lease.Key, s.Manifest.Files)
		if err != nil {
			return Event{}, err
		}
		ed.Items, ed.Suspect = e.Compare(before, snap.Text)
	}
	texts := slices.Collect(maps.Values(snap.Text))
	if err := e.Store.PutBlobs(ctx, j.Lease.Key, texts); err != nil {
		return Event{}, fmt.Errorf("keep the session folder: %w", err)
	}
	return Event{Kind: EventEdited, Head: snap.Head, Edited: &ed}, nil
}

// headOf reads what a head amounts to that is not a session's own.
func (e *Engine) headOf(ctx context.Context, j Job) (Event, error) {
	if j.Spec.Ask == nil {
		return Event{}, errors.New("nothing is asked about this head")
	}
	facts, err := e.GitHub.Head(ctx, j.Repo, j.Spec.Head, *j.Spec.Ask)
	if err != nil {
		return Event{}, fmt.Errorf("read head %s: %w", j.Spec.Head, err)
	}
	return Event{Kind: EventHeadRead, Head: j.Spec.Head, Facts: &facts}, nil
}

// rebuild reads an earlier session back from its branch.
func (e *Engine) rebuild(ctx context.Context, j Job) (Event, error) {
	id := strings.TrimPrefix(j.Spec.Branch, j.Session.Settings.BranchPrefix)
	snap, err := e.GitHub.Folder(ctx, j.Repo, j.Spec.Branch, Session{ID: id}.Folder())
	if err != nil {
		return Event{}, fmt.Errorf("read branch %s: %w", j.Spec.Branch, err)
	}
	s, err := Rebuild(snap)
	if err != nil {
		return Event{}, err
	}
	s.PR.Number = j.Session.PR.Number
	for _, former := range j.Session.Earlier {
		if former.ID == s.ID {
			s.PR.Number = former.PR
		}
	}
	threads, err := e.GitHub.Threads(ctx, j.Repo, s.PR.Number)
	if err != nil {
		return Event{}, fmt.Errorf("read the threads of %s: %w", s.ID, err)
	}
	s.Rethread(threads)
	texts := slices.Collect(maps.Values(snap.Text))
	if err := e.Store.PutBlobs(ctx, j.Lease.Key, texts); err != nil {
		return Event{}, fmt.Errorf("keep the session folder: %w", err)
	}
	return Event{Kind: EventRebuilt, Head: snap.Head, Rebuilt: &s}, nil
}

func taskOf(s Session, id TaskID) (Task, error) {
	for _, t := range s.Tasks {
		if t.ID == id {
			return t, nil
		}
	}
	return Task{}, fmt.Errorf("task %s is not in session %s", id, s.ID)
}

func (e *Engine) note(j Job) func(string) {
	return func(text string) {
		e.Hooks.Progress(Progress{Stage: StageNote, Key: j.Lease.Key, Session: j.Session, Task: j.Spec.Task, Text: text})
	}
}
