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
	asked, refusal := askedMode(ev)
	if refusal == nil {
		refusal = t.mayStart()
	}
	if refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
	args := startFlags(ev.Command)
	t.s.Status = SessionActive
	t.s.Mode, t.s.Starter, t.s.StartedAt = asked, ev.Actor.Login, t.now
	t.s.SpecPath, t.s.Depth, t.s.Execution, t.s.Focus = args.spec, args.depth, args.execution, args.focus
	t.s.Track = args.track
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

// askedMode is the mode that label or command name, "" for none.
func askedMode(ev Event) (Mode, *Refusal) {
	name := ""
	if _, mode, ok := strings.Cut(ev.Label, ":"); ok {
		name = mode
	}
	if c := ev.Command; c != nil && len(c.Args) > 0 && !strings.HasPrefix(c.Args[0], "--") {
		name = c.Args[0]
	}
	name = strings.ToLower(strings.TrimSpace(name))
	if _, ok := modes[Mode(name)]; name != "" && !ok {
		return "", refuseMode(name)
	}
	return Mode(name), nil
}

// flags are what may follow a start.
type flags struct {
	spec, depth, execution string
	focus                  []string
	track                  Track
}

// startFlags reads --spec, --track, --focus, --depth, --parallel and --sequential; what
// it does not know is left alone.
func startFlags(c *Command) flags {
	f := flags{depth: "normal", execution: "parallel", focus: []string{}}
	if c == nil {
		return f
	}
	for i, arg := range c.Args {
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1]
		}
		switch arg {
		case "--sequential", "--parallel":
			f.execution = arg[2:]
		case "--track":
			if Track(next) == TrackTiny || Track(next) == TrackStandard {
				f.track = Track(next)
			}
		case "--spec":
			f.spec = next
		case "--focus":
			f.focus = strings.FieldsFunc(next, func(r rune) bool { return r == ',' })
		case "--depth":
			if slices.Contains([]string{"shallow", "normal", "deep"}, next) {
				f.depth = next
			}
		}
	}
	return f
}

// readBriefing has the briefing read; its job is the session's one worker meanwhile.
func (t *turn) readBriefing() {
	id := "prepare/" + t.ev.ID
	t.s.ActiveWorkers = []ActiveWorker{{AgentID: id, Owner: Coordinator, SpawnedAt: t.now}}
	t.job(JobSpec{ID: id, Kind: JobPrepare, Deadline: prepareLimit})
	t.timer("prepare", t.now.Add(prepareLimit+orphanAfter))
}

// seen answers a start where a session runs already.
func seen(t *turn) error {
	if t.ev.Command != nil {
		t.react(reactDone)
	}
	return nil
}

// relabelled resumes a paused session, but the label is not how one takes a
// risk: where resuming would accept something, it says so instead.
func relabelled(t *turn) error {
	if t.s.PR.Closed || t.s.PR.Merged {
		return again(t)
	}
	if refusal := t.mayStart(); refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
	if t.s.Wait != nil && accepting[t.s.Wait.Reason] {
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
	_, refusal := askedMode(t.ev)
	if refusal == nil {
		refusal = t.mayStart()
	}
	if refusal != nil {
		t.refuse("start", refusal)
		return nil
	}
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
	if f := t.ev.Failure; f == nil || !f.Last || !t.current(f.Job) {
		t.unchanged = true
		return nil
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
