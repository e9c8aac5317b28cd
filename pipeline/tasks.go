package pipeline

import (
	"slices"
	"strings"
	"time"
)

// maxRetries tries of one task, or errors of one inner loop whichever of its
// tasks they were in, then a person is asked.
const maxRetries = 3

// next goes on: it starts what is ready, or finds that the session is complete,
// waits for running work, or is stuck.
func (t *turn) next() {
	s := &t.s
	if s.Status != SessionActive {
		return
	}
	ready := s.ready()
	var missing TaskID
	for _, id := range ready {
		if d, _ := dutyOf(id); d.later && !s.Settings.Implementation {
			missing = id
			continue
		}
		t.start(id)
	}
	switch {
	case len(s.ActiveWorkers) > 0:
	case missing != "":
		t.pause(WaitMissingRole, missing, "this build has no "+string(s.task(missing).Owner)+"; `/finish` ends here with what there is")
	case s.unfinished() == "":
		t.complete()
	default:
		t.stuck()
	}
}

// unfinished is the first task that is not completed, "" when all are: only
// then is nothing ready and nothing running the end and not a deadlock.
func (s *Session) unfinished() TaskID {
	for _, task := range s.Tasks {
		if task.Status != TaskCompleted {
			return task.ID
		}
	}
	return ""
}

// stuck names why nothing can go on: a failed task, or needs that nobody will meet.
func (t *turn) stuck() {
	var spent, held []string
	var at TaskID
	for _, task := range t.s.Tasks {
		switch task.Status {
		case TaskFailed, TaskPartial:
			spent = append(spent, string(task.ID))
			if len(spent) == 1 {
				at = task.ID
			}
		case TaskPending:
			held = append(held, string(task.ID)+" needs "+unmet(t.s, task))
		}
	}
	if at != "" {
		t.pause(WaitRetries, at, strings.Join(spent, ", ")+" did not succeed; `/retry "+string(at)+"` runs it again")
		return
	}
	t.pause(WaitStalled, t.s.unfinished(), strings.Join(held, "; "))
}

func unmet(s Session, task Task) string {
	var out []string
	for _, need := range task.BlockedBy {
		if n := s.task(need); n == nil || n.Status != TaskCompleted {
			out = append(out, string(need))
		}
	}
	return strings.Join(out, " and ")
}

// start gives a task to a worker and counts its beat.
func (t *turn) start(id TaskID) {
	s := &t.s
	task := s.task(id)
	if t.opensBeat(*task) {
		s.Beats++
	}
	d, _ := dutyOf(id)
	job := s.ID + "/" + string(id) + "/" + itoa(task.RetryCount+1)
	task.Status, task.AgentID = TaskInProgress, job
	now := t.now
	task.StartedAt, task.CompletedAt = &now, nil
	s.ActiveWorkers = append(s.ActiveWorkers, ActiveWorker{AgentID: job, TaskID: id, Owner: task.Owner, SpawnedAt: t.now})
	t.job(JobSpec{
		ID: job, Kind: JobTask, Task: id, Head: s.PR.Head, Deadline: d.limit + convergence, Notes: slices.Clone(task.Notes),
	})
	t.timer("task/"+string(id), t.now.Add(d.limit))
	t.say(Message{From: string(Coordinator), To: string(task.Owner), Type: "task_unblocked", Summary: string(id) + " may start", Ref: task.Artifact})
}

// opensBeat tells whether starting the task is a new beat: the first task of
// its window in the mode's base graph, or any task beside that graph, once.
func (t *turn) opensBeat(task Task) bool {
	if begun(task) {
		return false
	}
	if t.s.extra(task.ID) {
		return true
	}
	depth := depths(t.s.Mode, t.s.Track)
	return !slices.ContainsFunc(t.s.Tasks, func(o Task) bool {
		d, ok := depth[o.ID]
		return ok && d == depth[task.ID] && begun(o)
	})
}

func begun(task Task) bool { return task.StartedAt != nil || task.RetryCount > 0 }

// release takes a task from its worker, whatever became of it.
func (t *turn) release(id TaskID) {
	t.s.ActiveWorkers = slices.DeleteFunc(t.s.ActiveWorkers, func(w ActiveWorker) bool { return w.TaskID == id })
	t.timer("task/"+string(id), time.Time{})
}

// tryAgain counts a try that came to nothing and starts the next one, or asks
// a person once three are spent.
func (t *turn) tryAgain(id TaskID, status TaskStatus, why string) {
	task := t.s.task(id)
	t.release(id)
	task.RetryCount++
	task.Status = status
	t.say(Message{From: string(task.Owner), To: string(Coordinator), Type: "error", Summary: string(id) + ": " + oneLine(why)})
	loop := t.loopError(task.Owner)
	switch {
	case task.RetryCount%maxRetries == 0:
		t.giveUp(id, string(id)+" did not succeed in three tries: ", why)
		return
	case loop >= maxRetries:
		t.giveUp(id, "the "+string(task.Owner)+" met three errors, the last in "+string(id)+": ", why)
		return
	}
	t.append("wisdom/issues.md", "- "+t.now.Format(time.RFC3339)+" "+string(id)+" is run again: "+Inert(oneLine(why))+"\n")
	task.Status, task.AgentID, task.StartedAt = TaskPending, "", nil
	t.next()
}

// loopError counts an error of an inner-loop role since its loop began; it is
// 0 for the other roles.
func (t *turn) loopError(role Role) int {
	if !loops[role] {
		return 0
	}
	if t.s.LoopErrors == nil {
		t.s.LoopErrors = map[Role]int{}
	}
	t.s.LoopErrors[role]++
	return t.s.LoopErrors[role]
}

// forgiveLoop forgets a role's errors: its loop is over, or a person decides.
func (t *turn) forgiveLoop(role Role) {
	if delete(t.s.LoopErrors, role); len(t.s.LoopErrors) == 0 {
		t.s.LoopErrors = nil
	}
}

// giveUp ends the tries of a task and waits for a person.
func (t *turn) giveUp(id TaskID, what, why string) {
	task := t.s.task(id)
	if task.Status != TaskPartial {
		task.Status = TaskFailed
	}
	task.AgentID = ""
	t.forgiveLoop(task.Owner)
	t.warn(what + why)
	t.pause(WaitRetries, id, oneLine(why))
}

// failed takes the report of a job's failed try. The queue tries again by
// itself until the last one.
func failed(t *turn) error {
	f := t.ev.Failure
	if f == nil {
		t.unchanged = true
		return nil
	}
	if JobKind(f.Kind) == JobDeliver {
		return t.setAside(f.Text)
	}
	if JobKind(f.Kind) == JobDiscuss {
		t.closeCommand(func(c OpenCommand) bool { return c.Job == f.Job }, reactRefused)
		t.note(discussant, "error", "the round failed: "+oneLine(f.Text), "")
		t.warn("a discussant round failed: " + f.Text)
		t.write(Write{Kind: WriteComment, On: OnPull, Number: t.s.PR.Number, Body: sayNoDiscussion(f.Text)})
		return nil
	}
	task := t.s.task(f.Task)
	if task == nil || task.Status != TaskInProgress || f.Job != "" && f.Job != task.AgentID {
		t.unchanged = true
		return nil
	}
	if !f.Last {
		t.say(Message{From: string(task.Owner), To: string(Coordinator), Type: "error", Summary: string(f.Task) + ": " + oneLine(f.Text)})
		return nil
	}
	for task.RetryCount%maxRetries != maxRetries-1 {
		task.RetryCount++ // the queue's tries are tries of the task
	}
	t.tryAgain(f.Task, TaskFailed, f.Text)
	return nil
}

// timer fires: a wait's deadline has come, or a task was never heard of again.
func timer(t *turn) error {
	name := t.ev.Timer
	if name == "wait" {
		return t.waited()
	}
	id, ok := strings.CutPrefix(name, "task/")
	task := t.s.task(TaskID(id))
	if !ok || task == nil || task.Status != TaskInProgress || task.AgentID == "" {
		t.unchanged = true
		return nil
	}
	if !t.orphaned(*task) {
		t.converge(*task)
		return nil
	}
	t.cancel(task.AgentID)
	t.tryAgain(task.ID, TaskPending, "nothing was heard of its worker")
	return nil
}

// converge tells a worker that its time is up: it has two minutes to save and
// to report what is done and what is left.
func (t *turn) converge(task Task) {
	d, _ := dutyOf(task.ID)
	t.say(Message{From: string(Coordinator), To: string(task.Owner), Type: "message",
		Summary: string(task.ID) + " has used its " + d.limit.String() + ": save the files and finish with status partial"})
	t.timer("task/"+string(task.ID), task.StartedAt.Add(d.limit+convergence+orphanAfter))
	t.panel = true
}

// orphaned tells a task that should have reported by now.
func (t *turn) orphaned(task Task) bool {
	if task.Status != TaskInProgress || task.AgentID == "" || task.StartedAt == nil {
		return false
	}
	d, _ := dutyOf(task.ID)
	return !t.now.Before(task.StartedAt.Add(d.limit + convergence + orphanAfter))
}
