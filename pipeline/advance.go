package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Advance is the whole policy: it takes a session and one fact and returns the
// session after it and what is to be done. It reads no clock, does no I/O and
// leaves its arguments alone. What a person did wrong is an effect, a refusal
// in words; an error means that state or event are not ours.
func Advance(s Session, ev Event, now time.Time) (Session, []Effect, error) {
	steps, ok := table[ev.Kind]
	if !ok {
		return s, nil, fmt.Errorf("advance %s: event of unknown kind %q", s.ID, ev.Kind)
	}
	p, err := phaseOf(s)
	if err != nil {
		return s, nil, err
	}
	step := steps[p]
	if step == nil || elsewhere(&s, ev) {
		return s, nil, nil
	}
	t := &turn{s: clone(s), ev: ev, now: now.UTC().Round(0)}
	t.follow()
	if ev.Retracted {
		step = retracted
	}
	if err := step(t); err != nil {
		return s, nil, fmt.Errorf("advance %s by %s %s: %w", s.ID, ev.Kind, ev.ID, err)
	}
	t.finish()
	return t.s, t.effects, nil
}

// phase is a column of the state table.
type phase int

const (
	none      phase = iota // no session on this issue
	preparing              // started, the briefing is being read
	active
	paused
	completed
	aborted
	phases
)

func phaseOf(s Session) (phase, error) {
	switch s.Status {
	case "":
		return none, nil
	case SessionActive:
		if s.ID == "" {
			return preparing, nil
		}
		return active, nil
	case SessionPaused:
		return paused, nil
	case SessionCompleted:
		return completed, nil
	case SessionAborted:
		return aborted, nil
	}
	return none, fmt.Errorf("session %s has the unknown status %q", s.ID, s.Status)
}

// elsewhere tells events of a pull request that is not the session's own. An
// earlier session's pull request may be reopened, and a command there deserves
// its refusal.
func elsewhere(s *Session, ev Event) bool {
	if ev.PR == 0 || s.PR.Number == 0 || ev.PR == s.PR.Number {
		return false
	}
	return ev.Kind != EventPullReopened && ev.Kind != EventCommand && ev.Kind != EventStart
}

// turn is one run of Advance: the session being changed and what was decided.
type turn struct {
	s       Session
	ev      Event
	now     time.Time
	effects []Effect

	writes  []Write
	commit  *Write
	appends int
	answer  int // the reply's place among the writes, from 1
	reacted bool
	// check and panel are written once, at the end, from the session as it then stands.
	check, panel bool
	// notice: whoever is waited for is to be told, in one comment.
	notice    bool
	unchanged bool // nothing was decided; the session keeps its date
}

// step is one cell of the state table.
type step func(*turn) error

// ownNews are the events of our own side: their repository is the one that was
// known when the work began, and may have another name by now.
var ownNews = map[EventKind]bool{
	EventPrepared: true, EventDone: true, EventFailed: true, EventDelivered: true, EventRefused: true,
	EventTimer: true, EventDead: true, EventHeadRead: true, EventEdited: true,
}

// follow keeps the repository's names in step with what GitHub says.
func (t *turn) follow() {
	if r := t.ev.Repo; !ownNews[t.ev.Kind] && r.ID != 0 && r.ID == t.s.Repo.ID && r.Owner != "" && r.Name != "" {
		t.s.Repo.Owner, t.s.Repo.Name = r.Owner, r.Name
		t.s.Repo.Installation = cmp.Or(r.Installation, t.s.Repo.Installation)
	}
}

// finish brings the counters in step, composes the commit, the check and the
// panel, and puts the writes in the order in which people should see them.
func (t *turn) finish() {
	if t.unchanged {
		return
	}
	s := &t.s
	s.UpdatedAt = t.now
	s.TasksTotal, s.TasksCompleted = len(s.Tasks), 0
	if s.ID != "" {
		s.CompletedTasks = s.CompletedTasks[:0:0]
		for _, task := range s.Tasks {
			if task.Status == TaskCompleted {
				s.TasksCompleted++
				s.CompletedTasks = append(s.CompletedTasks, task.ID)
			}
		}
		if s.CompletedTasks == nil {
			s.CompletedTasks = []TaskID{}
		}
	}
	if text := WaitNotice(*s); t.notice && text != "" {
		w := Write{Kind: WriteComment, On: OnPull, Number: s.PR.Number, Body: text, Ornament: true}
		if s.unopened() {
			w.On, w.Number, w.Subject = OnIssue, s.Issue.Number, s.Issue.NodeID
		}
		t.write(w)
	}
	t.sealCommit()
	if s.unopened() {
		t.check, t.panel = false, false
	}
	if t.check && s.ID != "" {
		c := CheckOutput(*s, t.now)
		t.write(Write{Kind: WriteCheck, Check: &c})
	}
	if t.panel && s.ID != "" {
		t.writePanel()
	}
	slices.SortStableFunc(t.writes, func(a, b Write) int { return cmp.Compare(writeOrder[a.Kind], writeOrder[b.Kind]) })
	for i := range t.writes {
		w := t.writes[i]
		w.Key = t.ev.ID + "#" + strconv.Itoa(i)
		w.Aside = s.Unsent && onTheBranch[w.Kind]
		t.effects = append(t.effects, Effect{Write: &w})
	}
}

// writeOrder is the order of one turn's writes: first what moves the branch,
// then what speaks of it.
var writeOrder = map[WriteKind]int{
	WriteOpen: 1, WriteCommit: 2, WriteReview: 3, WriteReply: 4, WriteResolve: 5, WriteUnresolve: 5, WriteReady: 6,
	WriteCheck: 7, WritePanel: 8, WriteEdit: 9, WriteReact: 10, WriteAssign: 11, WriteComment: 12,
	WriteClose: 13, WriteDelete: 14,
}

// writePanel sends the panel unless the last one sent says the same.
func (t *turn) writePanel() {
	text := Panel(t.s, t.now)
	digest := BlobID([]byte(text))
	if t.s.Posted.Panel == digest {
		return
	}
	t.s.Posted.Panel = digest
	t.write(Write{Kind: WritePanel, Body: text, Ornament: true})
}

func (t *turn) write(w Write) { t.writes = append(t.writes, w) }

func (t *turn) job(j JobSpec) { t.effects = append(t.effects, Effect{Job: &j}) }

func (t *turn) cancel(job string) { t.effects = append(t.effects, Effect{Cancel: job}) }

func (t *turn) timer(name string, at time.Time) {
	t.effects = append(t.effects, Effect{Timer: &Timer{Name: name, At: at}})
}

// audit notes what a person decided, or why it was refused. What was carried
// out goes into the folder too; a refusal does not, since anybody can be
// refused any number of times.
func (t *turn) audit(command, outcome string) {
	d := Decision{At: t.now.Truncate(time.Second), Who: t.ev.Actor.Login, Command: command, Outcome: outcome,
		Head: cmp.Or(t.ev.Head, t.s.PR.Head), Delivery: t.ev.Delivery, Session: t.s.ID}
	t.effects = append(t.effects, Effect{Audit: &d})
	if t.s.Status != "" && carriedOut[outcome] && !askings[command] {
		t.say(Message{From: string(Coordinator), To: "all", Summary: login(d.Who) + ": " + command, Data: d.data()})
	}
}

// carriedOut are the outcomes of decisions that were.
var carriedOut = map[string]bool{"done": true, "resumed": true}

// askings decide nothing.
var askings = map[string]bool{"status": true, "help": true}

// warn puts a line where people see it: the panel, and wisdom/issues.md.
func (t *turn) warn(text string) {
	t.s.Warnings = append(t.s.Warnings, oneLine(text))
	if n := len(t.s.Warnings); n > 20 {
		t.s.Warnings = t.s.Warnings[n-20:]
	}
	t.append("wisdom/issues.md", "- "+t.now.Format(time.RFC3339)+" "+Inert(oneLine(text))+"\n")
	t.panel = true
}

// show has check and panel written again.
func (t *turn) show() { t.check, t.panel = true, true }
