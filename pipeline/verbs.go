package pipeline

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// status posts where the session stands, once per head in ten minutes; asked
// again at once, the reaction says that nothing is new.
func status(t *turn, c Command) *Refusal {
	p := &t.s.Posted
	explain := slices.Contains(c.Args, "--explain")
	if !explain && p.StatusHead == t.s.PR.Head && t.now.Sub(p.StatusAt) < quietFor {
		return nil
	}
	p.StatusAt, p.StatusHead = t.now, t.s.PR.Head
	t.reply(StatusText(t.s, t.now, explain))
	return nil
}

// startCommand answers a start that was said where none can be.
func startCommand(t *turn, _ Command) *Refusal { return refuseStartHere(t.s) }

// help posts the table of commands.
func help(t *turn, _ Command) *Refusal {
	if t.now.Sub(t.s.Posted.HelpAt) >= quietFor {
		t.s.Posted.HelpAt = t.now
		t.reply(HelpText())
	}
	return nil
}

// target finds the task that a command names, in any case, by its base id or
// by a revision's.
func (t *turn) target(c Command) (*Task, *Refusal) {
	asked := firstArg(c)
	id := TaskID(strings.ToUpper(asked))
	if strings.HasPrefix(string(id), "IMPROVE-") {
		id = TaskID("IMPROVE-" + strings.ToLower(string(id[len("IMPROVE-"):])))
	}
	task := t.s.task(id)
	if task == nil {
		return nil, refuseTask(t.s, asked)
	}
	if task.RevisionOf != "" || baseOf(id) == id {
		if newest := t.s.latest(id); newest != nil {
			return newest, nil
		}
	}
	return task, nil
}

// reviseCommand revises a document and what hangs on it.
func reviseCommand(t *turn, c Command) *Refusal {
	task, refusal := t.target(c)
	if refusal != nil {
		return refusal
	}
	switch {
	case t.s.Status == SessionAborted:
		return refuseOver(t.s)
	case !slices.Contains(specDrafts, baseOf(task.ID)):
		return refuseNotSpec(task.ID)
	case !settled(*task):
		return refuseUnfinished(t.s, task.ID, task.Status)
	case baseOf(task.ID) == "QUALITY-001":
		return recheck(t, c)
	case t.s.revisions(task.ID) >= maxRevisions:
		return refuseSpent(baseOf(task.ID))
	}
	_, text, _ := strings.Cut(strings.TrimSpace(c.Text), firstArg(c))
	change := Change{Why: "revise", By: t.ev.Actor.Login, Text: clip(strings.TrimSpace(text), 4000), Scope: "targeted"}
	change.Threads = change.Text == ""
	t.settle(change.By, "revises it", change.Text)
	last := t.cascade(task.ID, change)
	t.decide(change.By, "revise "+string(baseOf(task.ID)), change.Text)
	t.promise(last, "")
	t.carryOn()
	return nil
}

// carryOn lets new tasks run: the session leaves its wait or its end, unless
// something outside holds it.
func (t *turn) carryOn() {
	if t.s.Status == SessionPaused && t.heldAside() {
		t.show()
		return
	}
	t.activate()
	t.next()
}

// subjects say which document a remark concerns. The earliest one wins.
var subjects = []struct {
	task  TaskID
	words *regexp.Regexp
}{
	{"DRAFT-001", wordPattern("vision", "market", "mvp", "scope")},
	{"DRAFT-002", wordPattern("requirement", "feature", "nfr", `user stor(?:y|ie)`)},
	{"DRAFT-003", wordPattern("architecture", "adr", "component", `tech(?:nology)? stack`)},
	{"DRAFT-004", wordPattern("epic", `stor(?:y|ie)`, "sprint", `priorit(?:y|ie)`)},
}

// feedback routes a remark to the documents it concerns. While the
// implementation runs it is only logged.
func feedback(t *turn, c Command) *Refusal {
	text := clip(strings.TrimSpace(c.Text), 4000)
	switch {
	case text == "":
		return refuseFeedback()
	case t.s.Status == SessionAborted:
		return refuseOver(t.s)
	}
	who := t.ev.Actor.Login
	start := t.concerns(text)
	task := t.s.latest(start)
	if t.implementing() || task == nil || !settled(*task) {
		t.decide(who, "feedback: "+text, "")
		if task != nil && task.Status == TaskPending {
			task.Notes = append(task.Notes, "feedback: "+text)
		}
		t.panel = true
		return nil
	}
	if t.s.revisions(start) >= maxRevisions {
		return refuseSpent(start)
	}
	t.decide(who, "feedback: "+text, "")
	t.settle(who, "gave feedback", text)
	last := t.cascade(start, Change{Why: "feedback", By: who, Text: text, Scope: "targeted"})
	t.promise(last, "")
	t.carryOn()
	return nil
}

// implementing tells whether the chain has left the specification.
func (t *turn) implementing() bool {
	return slices.ContainsFunc(t.s.Tasks, func(task Task) bool {
		d, _ := dutyOf(task.ID)
		return d.later && begun(task)
	})
}

// concerns finds the document a remark is about: by its words; otherwise the
// earliest unfinished one while the specification is written, and the one
// written last when it is done.
func (t *turn) concerns(text string) TaskID {
	for _, sub := range subjects {
		if sub.words.MatchString(text) && t.s.task(sub.task) != nil {
			return sub.task
		}
	}
	newest := TaskID("")
	var at time.Time
	for _, id := range specDrafts[1:5] {
		task := t.s.latest(id)
		if task == nil {
			continue
		}
		if !settled(*task) {
			return id
		}
		if task.CompletedAt == nil || !task.CompletedAt.Before(at) {
			newest = id
			if task.CompletedAt != nil {
				at = *task.CompletedAt
			}
		}
	}
	return newest
}

// recheck judges again. It may be asked any number of times, one at a time.
func recheck(t *turn, _ Command) *Refusal {
	if refusal := t.judgedOnce(); refusal != nil {
		return refusal
	}
	who := t.ev.Actor.Login
	t.settle(who, "has it judged again", "")
	id := t.recheckTask(nil, who)
	t.promise(id, "")
	t.carryOn()
	return nil
}

// judgedOnce asks that the quality task has run and none is under way.
func (t *turn) judgedOnce() *Refusal {
	if t.s.Status == SessionAborted {
		return refuseOver(t.s)
	}
	q := t.s.task("QUALITY-001")
	if q == nil || t.s.Gate == nil || !settled(*q) {
		return refuseQuality()
	}
	if newest := t.s.latest("QUALITY-001"); !settled(*newest) {
		return refuseRunning(*newest)
	}
	return nil
}

// improve lifts one dimension and judges again.
func improve(t *turn, c Command) *Refusal {
	if refusal := t.judgedOnce(); refusal != nil {
		return refusal
	}
	dimension := strings.ToLower(firstArg(c))
	if dimension == "" {
		dimension = weakest(t.s.Gate)
	}
	if _, ok := strategies[dimension]; !ok {
		return refuseDimension(dimension)
	}
	who := t.ev.Actor.Login
	t.settle(who, "improves "+dimension, "")
	id := t.improveTask(dimension, who)
	last := t.recheckTask([]TaskID{id}, who)
	t.promise(last, "")
	t.carryOn()
	return nil
}

// maxDiscussions per session; after that decide.
const maxDiscussions = 5

// discussant signs what a discussion says on the bus; it owns no task.
const discussant = "discussant"

// discuss asks for a discussant round.
func discuss(t *turn, c Command) *Refusal {
	kind := strings.ToLower(firstArg(c))
	switch {
	case t.s.Status == SessionAborted:
		return refuseOver(t.s)
	case kind == "direction" && len(c.Args) < 2, kind == "ask" && len(c.Args) < 2:
		return refuseDiscuss()
	case t.s.Discussions >= maxDiscussions:
		return refuseDiscussions(maxDiscussions)
	}
	t.s.Discussions++
	id := t.s.ID + "/discuss/" + itoa(t.s.Discussions)
	t.job(JobSpec{ID: id, Kind: JobDiscuss, Command: &c, Actor: t.ev.Actor, Head: t.s.PR.Head, Deadline: roundLimit})
	t.promise("", id)
	return nil
}

// discussed commits a discussant round and gives its one reply.
func (t *turn) discussed(o Outcome) error {
	for _, f := range o.Files {
		if !under(f.Path, []string{"discussions/", "discussion.md", "conclusions.json"}) {
			t.warn("a discussant's result was refused: it wrote " + word(f.Path))
			return nil
		}
	}
	o.Verdict, o.Questions = nil, nil // a discussion judges nothing
	o.Append = slices.DeleteFunc(slices.Clone(o.Append), func(a FileAppend) bool {
		return !under(a.Path, []string{"wisdom/", "discussions/", "discussion.md"})
	})
	t.keep(o)
	t.note(discussant, "discussion_processed", "round "+itoa(t.s.Discussions)+" is in the timeline", "discussion.md")
	t.committing().Title = "docs: discussion " + itoa(t.s.Discussions)
	at := slices.IndexFunc(t.s.Commands, func(c OpenCommand) bool { return c.Job != "" && (t.ev.Job == "" || c.Job == t.ev.Job) })
	if at >= 0 && o.Summary != "" {
		t.write(Write{Kind: WriteComment, On: OnPull, Number: t.s.PR.Number, Body: Inert(o.Summary)})
	}
	t.closeCommand(func(c OpenCommand) bool { return at >= 0 && c.Job != "" && (t.ev.Job == "" || c.Job == t.ev.Job) }, reactDone)
	t.panel = true
	return nil
}

// retry runs a failed task again, with three fresh tries.
func retry(t *turn, c Command) *Refusal {
	task, refusal := t.target(c)
	if refusal != nil {
		return refusal
	}
	if task.Status != TaskFailed && task.Status != TaskPartial || t.s.Status == SessionAborted {
		return refuseRetry(t.s, task.ID)
	}
	task.Status, task.AgentID, task.StartedAt = TaskPending, "", nil
	t.promise(task.ID, "")
	t.carryOn()
	return nil
}

// cancelCommand stops the session and closes its pull request.
func cancelCommand(t *turn, _ Command) *Refusal {
	if t.s.Status == SessionCompleted || t.s.Status == SessionAborted {
		return refuseOver(t.s)
	}
	t.react(reactSeen, reactDone)
	t.settle(t.ev.Actor.Login, "cancelled", "")
	t.abort("cancelled by `" + login(t.ev.Actor.Login) + "`")
	if !t.s.unopened() {
		t.write(Write{Kind: WriteClose})
	}
	t.s.PR.Closed = true
	return nil
}

// abort ends a session before its time: jobs stop, timers too, the gate says
// cancelled. Branch and files stay.
func (t *turn) abort(why string) {
	t.stop(why)
	t.outcome()
	t.show()
}

// stop is abort without a word.
func (t *turn) stop(why string) {
	for _, w := range t.s.ActiveWorkers {
		t.cancel(w.AgentID)
		t.timer("task/"+string(w.TaskID), time.Time{})
	}
	t.s.ActiveWorkers = []ActiveWorker{}
	for i := range t.s.Tasks {
		if task := &t.s.Tasks[i]; task.Status == TaskInProgress {
			task.Status, task.AgentID = TaskPending, ""
		}
	}
	t.lift()
	if t.s.unopened() {
		t.dropAside()
	}
	t.s.Status, t.s.Ended, t.s.Commands = SessionAborted, why, nil
}
