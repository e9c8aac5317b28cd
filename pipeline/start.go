package pipeline

import (
	"slices"
	"strings"
	"time"
)

// begin starts a session for somebody who may: a preliminary one, until the
// briefing has been read.
func begin(t *turn) error {
	ev := t.ev
	t.s.Schema = 1
	t.s.Repo = ev.Repo
	t.s.Issue = Issue{Number: ev.Issue, NodeID: ev.Node, Title: ev.Title, Label: ev.Label}
	t.s.Settings = DefaultSettings()
	asked, refusal := readStart(ev)
	if refusal == nil {
		refusal = t.mayStart()
	}
	if refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
	t.s.Status = SessionActive
	t.s.Starter, t.s.StartedAt = ev.Actor.Login, t.now
	t.s.Mode, t.s.Track, t.s.SpecPath = asked.mode, asked.track, asked.spec
	t.s.Depth, t.s.Execution, t.s.Focus = asked.depth, asked.execution, asked.focus
	t.promise("", "start")
	t.readBriefing()
	t.audit("start", "done")
	return nil
}

// mayStart holds the person against the write access a start needs.
func (t *turn) mayStart() *Refusal {
	switch {
	case t.ev.PermissionUnknown != "":
		return refuseUnknown(t.ev.PermissionUnknown)
	case t.ev.Permission < PermWrite:
		return refuseStart(t.ev.Actor.Login, t.ev.Permission)
	}
	return nil
}

// readBriefing has the briefing read; its job is the session's one worker meanwhile.
func (t *turn) readBriefing() {
	id := "prepare/" + t.ev.ID
	t.s.ActiveWorkers = []ActiveWorker{{AgentID: id, Owner: Coordinator, SpawnedAt: t.now}}
	t.job(JobSpec{ID: id, Kind: JobPrepare, Deadline: prepareLimit})
	t.timer("prepare", t.now.Add(prepareLimit+orphanAfter))
}

// seen answers a start where one was made already. A bare label says nothing
// new; whoever asks for more is told what runs.
func seen(t *turn) error {
	refusal := t.mayStart()
	if refusal == nil {
		refusal = t.agree()
	}
	switch {
	case refusal != nil && (t.ev.Command != nil || strings.Contains(t.ev.Label, ":")):
		t.refuse("start", refusal)
	case t.ev.Command != nil:
		t.react(reactDone)
	}
	return nil
}

// agree holds a further start against the session: a mode counts while none
// was chosen yet, another one than was chosen is refused, and so is any flag.
func (t *turn) agree() *Refusal {
	a, refusal := readStart(t.ev)
	switch {
	case refusal != nil:
		return refusal
	case a.mode != "" && t.s.Mode != "" && a.mode != t.s.Mode:
		return refuseOtherMode(t.s.Mode, a.mode)
	case len(a.flags) > 0:
		return refuseLater(a.flags)
	case a.mode != "":
		t.s.Mode = a.mode
	}
	return nil
}

// relabelled resumes a paused session, but the label is not how one takes a
// risk: where resuming would accept something, it says so instead.
func relabelled(t *turn) error {
	if t.s.PR.Closed || t.s.PR.Merged {
		return again(t)
	}
	refusal := t.mayStart()
	if refusal == nil {
		refusal = t.agree()
	}
	if refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
	if w := t.s.Wait; w != nil && (accepting[w.Reason] || t.takesRisk()) {
		t.refuse("start", refuseLabelAccept(t.s.Wait.Reason))
		return nil
	}
	if refusal := resume(t, Command{Verb: "resume"}); refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
	t.react(reactSeen)
	t.audit("start", "resumed")
	return nil
}

// again opens the next session of an issue whose former one is over.
func again(t *turn) error {
	if t.s.Status == SessionCompleted && !t.s.PR.Closed && !t.s.PR.Merged {
		t.refuse("start", refuseFinished(t.s.ID))
		return nil
	}
	_, refusal := readStart(t.ev)
	if refusal == nil {
		refusal = t.mayStart()
	}
	if refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
	t.dropAside()
	old := t.s
	t.s = Session{Earlier: append(old.Earlier, EarlierSession{
		ID: old.ID, PR: old.PR.Number, Status: endedStatus(old), Mode: old.Mode,
	})}
	return begin(t)
}

// endedStatus is what a former session's tombstone says of it.
func endedStatus(s Session) SessionStatus {
	if s.Status == SessionPaused || s.Status == SessionActive {
		return SessionAborted
	}
	return s.Status
}

// abandon drops a session that was unwanted again before it began.
func abandon(t *turn) error {
	for _, w := range t.s.ActiveWorkers {
		t.cancel(w.AgentID)
	}
	t.timer("prepare", time.Time{})
	t.s = Session{Schema: t.s.Schema, Repo: t.s.Repo, Issue: t.s.Issue, Settings: t.s.Settings, Earlier: t.s.Earlier}
	return nil
}

// prepareFailed tells the starter when the briefing cannot be read at all.
func prepareFailed(t *turn) error {
	if f := t.ev.Failure; f == nil || !f.Last || f.Kind == string(JobDeliver) || !t.current(f.Job) {
		return undelivered(t)
	}
	return t.notStarted(refuseBriefing())
}

// prepareLate reads the briefing again when its job never came back.
func prepareLate(t *turn) error {
	if t.ev.Timer != "prepare" {
		t.unchanged = true
		return nil
	}
	if t.now.Sub(t.s.StartedAt) > 3*(prepareLimit+orphanAfter) {
		return t.notStarted(refuseBriefing())
	}
	t.readBriefing()
	return nil
}

// notStarted ends a start with one reply on the issue.
func (t *turn) notStarted(r *Refusal) error {
	t.write(Write{Kind: WriteComment, Number: t.s.Issue.Number, Subject: t.s.Issue.NodeID, Body: r.Text})
	t.audit("start", "refused: "+r.Text)
	return abandon(t)
}

// current tells whether a report is of the job the session waits for; a report
// without a job's id is taken at its word.
func (t *turn) current(job string) bool {
	return job == "" || slices.ContainsFunc(t.s.ActiveWorkers, func(w ActiveWorker) bool { return w.AgentID == job })
}
