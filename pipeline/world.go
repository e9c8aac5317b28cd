package pipeline

import (
	"cmp"
	"strings"
)

// holds say why a session is held, by what happened.
var holds = map[EventKind]string{
	EventUnlabelled:  "the label was taken off; set it again to go on",
	EventIssueClosed: "the issue was closed; reopen it to go on",
	EventSuspended:   "the installation is suspended, or the repository is archived",
}

// held stops a running session because its issue or its repository says so.
// What runs is finished and kept; nothing new starts.
func held(t *turn) error {
	t.pause(WaitHeld, t.s.unfinished(), holds[t.ev.Kind])
	if t.ev.Kind == EventSuspended {
		t.check, t.panel = false, false // nothing can be written now
	}
	return nil
}

// unhold goes on when what held the session is over. A write may have met a
// suspension before its delivery did: then what it set aside was all that
// waited, and it is sent again.
func unhold(t *turn) error {
	back := t.ev.Kind == EventUnsuspended
	if !t.heldAside() && !(back && t.interrupted()) {
		t.unchanged = !back || !t.sendAgain()
		return nil
	}
	t.activate()
	t.resetOrphans()
	t.next()
	return nil
}

// moved ends a session whose issue is gone from here: transferred, deleted or
// turned into a discussion. Its pull request stays where it is.
func moved(t *turn) error {
	t.s.Posted.Comment = "" // the comment went with the issue
	if t.s.Status == SessionCompleted {
		return nil
	}
	t.abort("the issue was moved or deleted")
	return nil
}

// pullClosed ends a session whose pull request was closed without a merge.
func pullClosed(t *turn) error {
	if t.s.PR.Closed {
		t.unchanged = true
		return nil
	}
	t.s.PR.Closed = true
	if t.s.Status == SessionActive || t.s.Status == SessionPaused {
		t.abort("the pull request was closed")
	}
	t.dropBranch()
	return nil
}

// pullMerged ends a session: complete where the specification was judged,
// otherwise before its time.
func pullMerged(t *turn) error {
	if t.s.PR.Merged {
		t.unchanged = true
		return nil
	}
	t.s.PR.Closed, t.s.PR.Merged = true, true
	switch {
	case t.s.Status == SessionCompleted:
		t.outcome()
	case t.s.Status == SessionAborted:
	case t.s.Status == SessionPaused && t.s.Gate != nil && len(t.s.ActiveWorkers) == 0:
		t.settle(t.ev.Actor.Login, "merged", "")
		t.lift()
		now := t.now
		t.s.leave()
		t.s.Status, t.s.CompletedAt, t.s.Ended = SessionCompleted, &now, "the pull request was merged"
		t.outcome()
		t.show()
	default:
		t.abort("the pull request was merged before the end")
	}
	t.dropBranch()
	return nil
}

func (t *turn) dropBranch() {
	if t.s.Settings.DeleteBranch && t.s.PR.Merged {
		t.write(Write{Kind: WriteDelete, Branch: t.s.Branch(), Ornament: true})
	}
}

// pullReopened revives a session that ended with its pull request. The issue
// may have another session by then: /resume asks which.
func pullReopened(t *turn) error {
	if pr := t.ev.PR; pr != 0 && pr != t.s.PR.Number {
		for i := range t.s.Earlier {
			if e := &t.s.Earlier[i]; e.PR == pr {
				e.Status = SessionPaused
				return nil
			}
		}
		t.unchanged = true
		return nil
	}
	t.s.PR.Closed = false
	if t.s.Status == SessionAborted {
		t.pause(WaitHeld, t.s.unfinished(), "the pull request was reopened; `/resume` goes on")
		t.s.Ended = ""
		t.outcome()
		return nil
	}
	t.show()
	return nil
}

// retargeted asks again: what was judged for one base is not judged for another.
func retargeted(t *turn) error {
	base := ""
	if t.ev.Moved != nil {
		base = word(t.ev.Moved.Base)
	}
	detail := "the pull request now goes to `" + base + "`: `/recheck` judges again, `/resume` accepts what is there"
	if t.s.Status == SessionCompleted && t.s.Gate != nil {
		t.pause(WaitEdited, t.s.latest("QUALITY-001").ID, detail)
		return nil
	}
	t.show()
	return nil
}

// showAgain posts check and panel again.
func showAgain(t *turn) error {
	t.s.Posted.Panel = ""
	t.show()
	return nil
}

// rerequested runs the check again for somebody who may; anybody else sees it
// as it stands.
func rerequested(t *turn) error {
	if t.ev.Permission >= PermWrite && t.judgedOnce() == nil && t.s.Status != SessionAborted {
		t.settle(t.ev.Actor.Login, "has it judged again", "")
		t.recheckTask(nil, t.ev.Actor.Login)
		t.audit("recheck", "done")
		t.carryOn()
		return nil
	}
	return showAgain(t)
}

// panelLost writes again what somebody edited or deleted, once.
func panelLost(t *turn) error {
	t.s.Posted.Panel = ""
	t.panel = true
	t.audit("panel", "written again after an edit by hand")
	return nil
}

// removed ends a session whose repository is no longer ours; nothing can be written.
func removed(t *turn) error {
	t.stop("the app was removed")
	t.effects = append(t.effects, Effect{Forget: true})
	return nil
}

// renamed follows a repository or an owner to its new name.
func renamed(t *turn) error {
	if t.ev.Moved == nil {
		return nil // the event's own repository was followed already
	}
	r := t.ev.Moved.Repo
	t.s.Repo.Owner = cmp.Or(r.Owner, t.s.Repo.Owner)
	t.s.Repo.Name = cmp.Or(r.Name, t.s.Repo.Name)
	return nil
}

// thread takes a writer's resolving of a review thread as accepting its
// finding; a blocker takes a reason, so its thread opens again.
func thread(t *turn) error {
	th := t.ev.Thread
	if th == nil || t.ev.Permission < PermWrite || t.ev.Actor.Bot {
		t.unchanged = true
		return nil
	}
	id := cmp.Or(th.Finding, t.findingOf(th.ID))
	at := t.finding(id)
	if at < 0 {
		t.unchanged = true
		return nil
	}
	f := &t.s.Findings[at]
	switch {
	case !th.Resolved && f.State == FindingAccepted:
		f.State = FindingReopened
		t.s.Accepted = withoutFinding(t.s.Accepted, f.ID)
		t.openThread(f.ID)
		t.decide(t.ev.Actor.Login, "reopened "+f.ID, "")
		t.audit("reopen", "done")
	case !th.Resolved || f.State == FindingAccepted:
		t.unchanged = true
		return nil
	case f.Grade == Blocker:
		t.write(Write{Kind: WriteUnresolve, Threads: []string{th.ID}})
		t.write(Write{Kind: WriteReply, Threads: []string{th.ID}, Body: refuseBlockerReason(f.ID).Text})
		t.audit("accept", "refused: "+refuseBlockerReason(f.ID).Text)
	default:
		t.acceptFinding(at, "resolved the thread")
		t.audit("accept", "done")
		t.closeThreads([]string{f.ID}, false)
	}
	t.panel = true
	return nil
}

// finding is the index of an open finding by its id or an unambiguous start of it.
func (t *turn) finding(id string) int {
	at := -1
	for i, f := range t.s.Findings {
		if strings.EqualFold(f.ID, id) {
			return i
		}
		if id != "" && len(f.ID) > len(id) && strings.EqualFold(f.ID[:len(id)], id) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

func withoutFinding(list []Acceptance, id string) []Acceptance {
	var out []Acceptance
	for _, a := range list {
		if a.Finding != id {
			out = append(out, a)
		}
	}
	return out
}

func (t *turn) acceptFinding(at int, reason string) {
	f := &t.s.Findings[at]
	f.State = FindingAccepted
	who := t.ev.Actor.Login
	t.s.Accepted = append(t.s.Accepted, Acceptance{
		Who: who, At: t.now, Command: "/accept", Finding: f.ID, Reason: oneLine(reason), Head: t.s.PR.Head,
	})
	t.s.tally(f.Rule, Tally{Accepted: 1})
	t.decide(who, "accepted "+f.ID+" ("+string(f.Grade)+")", reason)
}

// accept takes a finding out of the count, with who said so and why.
func accept(t *turn, c Command) *Refusal {
	id, reason := firstArg(c), ""
	at := t.finding(id)
	if own := t.findingOf(c.Thread); c.Thread != "" && own != "" && at < 0 {
		id, at, reason = own, t.finding(own), strings.TrimSpace(c.Text)
	} else if _, rest, ok := strings.Cut(strings.TrimSpace(c.Text), firstArg(c)); ok {
		reason = strings.TrimSpace(rest)
	}
	switch {
	case t.s.Status == SessionAborted:
		return refuseOver(t.s)
	case at < 0 || t.s.Findings[at].State == FindingAccepted:
		return refuseFinding(t.s, id)
	case t.s.Findings[at].Grade == Blocker && reason == "":
		return refuseBlockerReason(t.s.Findings[at].ID)
	}
	t.acceptFinding(at, reason)
	t.resolveFixed([]string{t.s.Findings[at].ID})
	t.panel = true
	return nil
}
