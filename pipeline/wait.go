package pipeline

import (
	"strings"
	"time"
)

// parkAfter is how long a session waits for a person before it is parked in silence.
const parkAfter = 30 * 24 * time.Hour

// holding are the waits that keep a task open until somebody decides.
var holding = map[WaitReason]bool{WaitQuestions: true, WaitBlocked: true, WaitSignOff: true}

// accepting are the waits of which to go on is to take the gate's risk.
var accepting = map[WaitReason]bool{WaitCheckpoint: true, WaitSignOff: true, WaitModel: true, WaitEdited: true}

// silent are the waits that the person who must act has caused: naming him
// for them would be noise.
var silent = map[WaitReason]bool{WaitHeld: true}

// pause waits for a person. Every wait has a reason and a deadline; for each
// one comment names who is waited for.
func (t *turn) pause(reason WaitReason, id TaskID, detail string) {
	after := parkAfter
	if reason == WaitQuestions {
		after = time.Duration(t.s.Settings.QuestionHours) * time.Hour
	}
	t.waitOver()
	t.s.Status = SessionPaused
	t.s.Wait = &Wait{Reason: reason, Task: id, Detail: oneLine(detail), Since: t.now, Deadline: t.now.Add(after)}
	t.timer("wait", t.s.Wait.Deadline)
	t.show()
	if t.s.Settings.Notify != "none" && !silent[reason] {
		t.notice = true
	}
}

// lift ends the wait.
func (t *turn) lift() {
	if t.s.Wait == nil {
		return
	}
	t.waitOver()
	t.s.Wait = nil
	t.notice = false
	t.timer("wait", time.Time{})
}

// waitOver counts how long the wait that ends has taken.
func (t *turn) waitOver() {
	if t.s.Wait != nil {
		t.s.WaitedMS += t.now.Sub(t.s.Wait.Since).Milliseconds()
	}
}

// activate lets the session run again.
func (t *turn) activate() {
	t.lift()
	t.sendAgain()
	t.s.Status, t.s.CompletedAt, t.s.Ended = SessionActive, nil, ""
	t.show()
}

// waited is a wait's deadline: questions are taken at their defaults, anything
// else is parked.
func (t *turn) waited() error {
	w := t.s.Wait
	if w == nil || w.Parked || t.now.Before(w.Deadline) {
		t.unchanged = true
		return nil
	}
	if w.Reason == WaitQuestions {
		t.takeDefaults("default", "the time for answers is over")
		t.activate()
		t.next()
		return nil
	}
	w.Parked = true
	return nil
}

// takeDefaults answers every open question with its default and settles the
// task that asked.
func (t *turn) takeDefaults(who, why string) {
	var taken []string
	for i := range t.s.Questions {
		q := &t.s.Questions[i]
		if q.Answer != "" {
			continue
		}
		q.Answer, q.By = q.Default, who
		taken = append(taken, q.ID+": "+oneLine(q.Default))
	}
	choice := "went on as drafted"
	if len(taken) > 0 {
		choice = "took the defaults: " + strings.Join(taken, "; ")
	}
	t.settle(who, choice, why)
}

// checkpoint stops where a person decides about the whole specification: after
// the quality task of the full modes, and where rules alone may not pass.
func (t *turn) checkpoint(id TaskID, o Outcome) {
	task := t.s.task(id)
	if d, _ := dutyOf(id); d.prefix != "QUALITY" || t.s.Status != SessionActive && !t.interrupted() {
		return
	}
	if t.s.Settings.Gate.RequireModel && t.s.Gate.Result == GatePass && rulesOnly(o) {
		t.pause(WaitModel, id, "rules alone gave this PASS, and this repository wants a person's word on it")
		return
	}
	if task.IsCheckpointAfter && t.s.Mode != SpecOnly {
		t.s.CheckpointsHit = append(t.s.CheckpointsHit, string(id))
		t.pause(WaitCheckpoint, id, "the specification is complete")
	}
}

// heldAside tells a session that was held from outside while its task ran on.
func (t *turn) heldAside() bool { return t.s.Wait != nil && t.s.Wait.Reason == WaitHeld }

// interrupted tells a wait that says nothing of the work that went on under it.
func (t *turn) interrupted() bool {
	return t.heldAside() || t.s.Wait != nil && t.s.Wait.Reason == WaitUnsent
}

// rulesOnly tells a result in which no model had a voice.
func rulesOnly(o Outcome) bool {
	if o.ByModel {
		return false
	}
	if o.Verdict != nil {
		for _, op := range o.Verdict.Opinions {
			if op.Rating != nil && !strings.HasPrefix(op.Source, "rules") {
				return false
			}
		}
	}
	return true
}
