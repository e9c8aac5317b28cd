package pipeline

import (
	"slices"
	"strings"
	"time"
)

// resumptions say how each wait is left by /resume. A nil row only goes on.
var resumptions map[WaitReason]func(*turn, string) *Refusal

func init() { // the rows start tasks, and starting a task may wait again
	resumptions = map[WaitReason]func(*turn, string) *Refusal{
		WaitCheckpoint:  (*turn).acceptAndGo,
		WaitQuestions:   (*turn).answerAndGo,
		WaitBlocked:     (*turn).overrule,
		WaitSignOff:     (*turn).acceptAndGo,
		WaitRetries:     (*turn).retryAll,
		WaitStalled:     (*turn).resetAndGo,
		WaitMissingRole: (*turn).stillMissing,
		WaitEdited:      (*turn).acceptAndGo,
		WaitQALoop:      (*turn).overrule,
		WaitRebuilt:     (*turn).acceptAndGo,
		WaitModel:       (*turn).acceptAndGo,
		WaitUnsent:      (*turn).resetAndGo,
		WaitHeld:        (*turn).resetAndGo,
	}
}

// resume leaves a pause. On a running session it looks for orphans; on a
// finished one it accepts a gate that is not green.
func resume(t *turn, c Command) *Refusal {
	if id := firstArg(c); id != "" && !strings.EqualFold(id, t.s.ID) {
		return t.switchTo(id)
	}
	if open := t.openEarlier(); len(open) > 0 && firstArg(c) == "" {
		return refuseAnotherSession(t.s, open)
	}
	who := t.ev.Actor.Login
	switch t.s.Status {
	case SessionActive:
		t.resetOrphans()
		t.next()
		return nil
	case SessionAborted:
		return refuseNothingToResume(t.s)
	case SessionCompleted:
		if !t.takesRisk() {
			return refuseNothingToResume(t.s)
		}
		t.acceptRisk("/resume")
		t.wrapUp()
		return nil
	}
	if t.s.Wait == nil {
		t.activate()
		t.next()
		return nil
	}
	return resumptions[t.s.Wait.Reason](t, who)
}

// acceptRisk records who took which gate, where it is not PASS or the sign-off
// was missing.
func (t *turn) acceptRisk(how string) {
	g := t.s.Gate
	if g == nil {
		return
	}
	signOff := t.s.Wait != nil && t.s.Wait.Reason != WaitCheckpoint
	if g.Result == GatePass && !signOff || t.s.AcceptedBy() != nil && g.Result != GatePass {
		return
	}
	reason := ""
	if t.s.Wait != nil {
		reason = t.s.Wait.Detail
	}
	who := t.ev.Actor.Login
	t.s.Accepted = append(t.s.Accepted, Acceptance{
		Who: who, At: t.now, Command: how, Gate: g.Result, Score: g.Score, Reason: reason, Head: t.s.PR.Head,
	})
	choice := "accepted " + string(g.Result) + " (" + itoa(int(g.Score)) + "%)"
	if g.Result == GateFail {
		choice = "forced " + string(g.Result) + " (" + itoa(int(g.Score)) + "%)"
	}
	t.decide(who, choice, reason)
}

// acceptAndGo takes the risk that the wait is about, and goes on.
func (t *turn) acceptAndGo(who string) *Refusal {
	t.settle(who, "went on", "")
	t.acceptRisk("/resume")
	t.s.Suspects = nil
	return t.resetAndGo(who)
}

// answerAndGo takes the open questions at their defaults.
func (t *turn) answerAndGo(who string) *Refusal {
	t.takeDefaults(who, "")
	return t.resetAndGo(who)
}

// overrule goes on although the round or the audit said no.
func (t *turn) overrule(who string) *Refusal {
	t.settle(who, "went on although it is blocked", "")
	if w := t.s.Wait; w != nil && !holding[w.Reason] {
		t.decide(who, string(w.Task)+": went on although "+w.Detail, "")
	}
	return t.resetAndGo(who)
}

// retryAll runs what failed again.
func (t *turn) retryAll(who string) *Refusal {
	for i := range t.s.Tasks {
		if task := &t.s.Tasks[i]; task.Status == TaskFailed || task.Status == TaskPartial {
			task.Status, task.AgentID, task.StartedAt = TaskPending, "", nil
		}
	}
	return t.resetAndGo(who)
}

// stillMissing keeps waiting for a role unless this build has it by now.
func (t *turn) stillMissing(who string) *Refusal {
	if !t.s.Settings.Implementation {
		return refuseMissingRole(t.s, *t.s.Wait)
	}
	return t.resetAndGo(who)
}

func (t *turn) resetAndGo(string) *Refusal {
	t.activate()
	t.resetOrphans()
	t.next()
	return nil
}

// resetOrphans puts tasks back that are in progress without anybody working on them.
func (t *turn) resetOrphans() {
	for i := range t.s.Tasks {
		task := &t.s.Tasks[i]
		works := slices.ContainsFunc(t.s.ActiveWorkers, func(w ActiveWorker) bool { return w.TaskID == task.ID })
		if task.Status != TaskInProgress || works && !t.orphaned(*task) {
			continue
		}
		if works {
			t.cancel(task.AgentID)
		}
		t.release(task.ID)
		task.Status, task.AgentID, task.StartedAt = TaskPending, "", nil
		task.RetryCount++
		t.say(Message{From: string(Coordinator), To: string(task.Owner), Type: "error", Summary: string(task.ID) + " was orphaned and is run again"})
		t.append("wisdom/issues.md", "- "+t.now.Format(time.RFC3339)+" "+string(task.ID)+" was orphaned and is run again\n")
	}
}

// wrapUp shows a decision that may have turned the gate green, and commits it.
func (t *turn) wrapUp() {
	w := t.committing()
	if w.Title == "" {
		w.Title = "docs: " + strings.ToLower(string(t.s.Gate.Result)) + " gate accepted"
	}
	w.Files = append(w.Files, FileChange{Path: ReportPath, Text: CompletionReport(t.s)})
	t.outcome()
	t.ripen()
	t.show()
}

// ends are the waits at which /finish may end a session early.
var ends = map[WaitReason]bool{
	WaitCheckpoint: true, WaitSignOff: true, WaitModel: true, WaitEdited: true, WaitRebuilt: true, WaitMissingRole: true, WaitHeld: true,
}

// finishCommand ends the session here with what there is.
func finishCommand(t *turn, _ Command) *Refusal {
	if t.s.Status == SessionCompleted || t.s.Status == SessionAborted {
		if t.s.Status == SessionCompleted && t.takesRisk() {
			t.acceptRisk("/finish")
			t.wrapUp()
			return nil
		}
		return refuseOver(t.s)
	}
	w := t.s.Wait
	if w == nil || !ends[w.Reason] || t.s.Gate == nil && w.Reason != WaitMissingRole || len(t.s.ActiveWorkers) > 0 {
		return refuseFinishEarly()
	}
	t.settle(t.ev.Actor.Login, "finished here", "")
	t.acceptRisk("/finish")
	t.cutShort("finished by `" + login(t.ev.Actor.Login) + "`")
	return nil
}

// cutShort leaves what has not begun and completes the session. One that ends
// at its specification was a spec-only session after all.
func (t *turn) cutShort(why string) {
	s := &t.s
	s.leave()
	if len(s.Left) > 0 {
		s.Ended = why
	}
	built := slices.ContainsFunc(s.Tasks, func(task Task) bool { return !isSpec(task.ID) })
	if s.Gate != nil && !built {
		s.Mode, s.Left = SpecOnly, nil
	}
	t.complete()
}

// leave takes what has not begun out of the graph, so that nothing starts it
// later, and keeps it to be shown.
func (s *Session) leave() {
	pending := func(task Task) bool { return task.Status == TaskPending }
	for _, task := range s.Tasks {
		if pending(task) {
			s.Left = append(s.Left, task)
		}
	}
	s.Tasks = slices.DeleteFunc(s.Tasks, pending)
}

func firstArg(c Command) string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}

// openEarlier are former sessions of this issue whose pull request is open again.
func (t *turn) openEarlier() []EarlierSession {
	var open []EarlierSession
	for _, e := range t.s.Earlier {
		if e.Status == SessionActive || e.Status == SessionPaused {
			open = append(open, e)
		}
	}
	return open
}

// switchTo has the other open session of the issue read back; the present one
// waits in its place.
func (t *turn) switchTo(id string) *Refusal {
	for _, e := range t.openEarlier() {
		if !strings.EqualFold(e.ID, id) {
			continue
		}
		job := "rebuild/" + t.ev.ID
		t.job(JobSpec{ID: job, Kind: JobRebuild, Branch: t.s.Settings.BranchPrefix + e.ID, Deadline: prepareLimit})
		t.promise("", job)
		return nil
	}
	return refuseUnknownSession(t.s, id)
}
