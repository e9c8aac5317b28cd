package pipeline

import "time"

// lateAfter is from when a command's execution says that it comes late.
const lateAfter = 10 * time.Minute

// quietFor is how long a status, a help text or a hint is not said twice.
const quietFor = 10 * time.Minute

// verbs are the commands' deeds. A verb either does it all or changes nothing
// and returns a refusal.
var verbs map[string]func(*turn, Command) *Refusal

func init() { // breaks the initialisation cycle through resume and again
	verbs = map[string]func(*turn, Command) *Refusal{
		"status": status, "resume": resume, "revise": reviseCommand, "feedback": feedback, "recheck": recheck,
		"improve": improve, "finish": finishCommand, "discuss": discuss, "accept": accept, "retry": retry,
		"cancel": cancelCommand, "help": help, "start": startCommand,
	}
}

// specOf finds a verb or an alias.
func specOf(verb string) (CommandSpec, bool) {
	for _, c := range Commands {
		if c.Verb == verb {
			return c, true
		}
		for _, a := range c.Aliases {
			if a == verb {
				return c, true
			}
		}
	}
	return CommandSpec{}, false
}

// slash runs a slash command on a session that exists, and says how many more
// of the comment were left out.
func slash(t *turn) error {
	c := t.ev.Command
	if c == nil || t.ev.Actor.Bot {
		t.unchanged = true
		return nil
	}
	err := heard(t, c)
	if c.Dropped > 0 && !t.unchanged {
		t.replyToo(sayDropped(c.Dropped))
	}
	return err
}

func heard(t *turn, c *Command) error {
	if c.Hint != "" {
		t.hint(*c)
		return nil
	}
	spec, ok := specOf(c.Verb)
	if !ok {
		t.unchanged = true
		return nil
	}
	if refusal := t.may(spec); refusal != nil {
		t.refuse(spec.Verb, refusal)
		return nil
	}
	if w := t.s.Wait; w != nil && w.Parked {
		w.Parked, w.Deadline = false, t.now.Add(parkAfter)
		t.timer("wait", w.Deadline)
	}
	if refusal := verbs[spec.Verb](t, *c); refusal != nil {
		t.refuse(spec.Verb, refusal)
		return nil
	}
	if !t.reacted {
		t.react(reactSeen, reactDone)
	}
	t.afterwords(*c)
	t.audit(spec.Verb, "done")
	return nil
}

// retracted passes over a command whose comment was deleted before it ran.
func retracted(t *turn) error {
	t.unchanged = true
	t.audit(t.ev.Command.Verb, "none: the comment was deleted before it ran")
	return nil
}

// may holds the person and the session against the command's row.
func (t *turn) may(spec CommandSpec) *Refusal {
	ev := t.ev
	author := ev.Actor.Login != "" && ev.Actor.Login == t.s.Issue.Author
	risk := (spec.Verb == "resume" || spec.Verb == "finish") && t.takesRisk()
	switch {
	case spec.Off != "":
		return refuseOff(spec)
	case spec.IssueAuthor && author:
	case risk && author && t.s.Settings.Gate.AcceptIssueAuthor:
	case ev.PermissionUnknown != "":
		return refuseUnknown(ev.PermissionUnknown)
	case ev.Permission < spec.Who:
		return refusePermission(spec, ev.Actor.Login, ev.Permission)
	case risk && ev.Permission < t.acceptLevel():
		return refuseRisk(t.s.Gate.Result, t.acceptLevel(), ev.Permission)
	}
	if ev.PR != 0 && t.s.PR.Number != 0 && ev.PR != t.s.PR.Number {
		return refuseOtherPull(t.s)
	}
	return t.boundTo(spec.Verb)
}

// takesRisk tells whether going on now accepts a gate that is not PASS.
func (t *turn) takesRisk() bool {
	s := t.s
	if s.Gate == nil || s.Gate.Result == GatePass || s.AcceptedBy() != nil {
		return false
	}
	return s.Status == SessionCompleted || s.Wait != nil && (accepting[s.Wait.Reason] || s.Wait.Reason == WaitRebuilt)
}

// acceptLevel is the standing that the present gate's risk takes.
func (t *turn) acceptLevel() Permission {
	if t.s.Gate.Result == GateFail {
		return t.s.Settings.Gate.AcceptFail
	}
	return t.s.Settings.Gate.AcceptReview
}

// bound are the verbs that decide about a text: they count for the text that
// their author had before him.
var bound = map[string]bool{"resume": true, "finish": true, "accept": true}

// boundTo refuses a decision about a text that has moved since.
func (t *turn) boundTo(verb string) *Refusal {
	pr, ev := t.s.PR, t.ev
	if !bound[verb] {
		return nil
	}
	if ev.Head != "" && pr.Head != "" && ev.Head != pr.Head {
		return refuseMoved(ev.Head, pr.Head)
	}
	if !pr.MovedAt.IsZero() && !ev.Command.At.IsZero() && ev.Command.At.Before(pr.MovedAt) {
		return refuseMoved(pr.Before, pr.Head)
	}
	return nil
}

// afterwords says what the person should know besides: that the command came late.
func (t *turn) afterwords(c Command) {
	if late := t.now.Sub(c.At); !c.At.IsZero() && late > lateAfter {
		t.replyToo(sayLate(c.Verb, late))
	}
}

// hint names the nearest verb of a misspelt one, to somebody who could use it.
func (t *turn) hint(c Command) {
	if t.ev.Permission < PermWrite || t.now.Sub(t.s.Posted.HintAt) < quietFor {
		t.unchanged = true
		return
	}
	t.s.Posted.HintAt = t.now
	t.reply(sayHint(c.Hint))
}

// unasked answers a prefixed command where there is no session; a bare one was
// not for us.
func unasked(t *turn) error {
	c := t.ev.Command
	if c == nil || !c.Prefixed || t.ev.Actor.Bot || t.ev.Permission < PermTriage {
		t.unchanged = true
		return nil
	}
	t.s.Repo, t.s.Settings = t.ev.Repo, DefaultSettings()
	t.s.Issue.Number, t.s.Issue.NodeID = max(t.ev.Issue, t.ev.PR), t.ev.Node
	if spec, ok := specOf(c.Verb); ok && spec.Verb == "help" {
		t.reply(HelpText())
		return nil
	}
	t.refuse(c.Verb, refuseNoSession())
	return nil
}

// hurried answers a command that came before the session had begun.
func hurried(t *turn) error {
	c := t.ev.Command
	if c == nil || t.ev.Actor.Bot || t.ev.Permission < PermWrite {
		t.unchanged = true
		return nil
	}
	switch c.Verb {
	case "help":
		t.reply(HelpText())
	case "cancel":
		t.react(reactSeen, reactDone)
		t.audit("cancel", "done")
		return abandon(t)
	default:
		t.refuse(c.Verb, refuseHurried())
	}
	return nil
}
