package pipeline

import (
	"slices"
	"time"
)

// Reactions a person sees on a command: stored, done, refused.
const (
	reactSeen    = "EYES"
	reactDone    = "ROCKET"
	reactRefused = "CONFUSED"
)

// react puts reactions on the comment that carried the command, or on the
// issue where a label was the command.
func (t *turn) react(contents ...string) {
	t.reacted = true
	w := Write{Kind: WriteReact, Number: t.s.Issue.Number, On: OnIssue, Subject: t.s.Issue.NodeID, Ornament: true}
	if c := t.ev.Command; c != nil {
		w.Subject, w.On = c.Subject, c.Carrier
	}
	if w.Subject == "" {
		return // a button has no comment, and a fresh issue's id comes with the briefing
	}
	for _, content := range contents {
		w.Content = content
		t.write(w)
	}
}

// reply answers once, where the person spoke.
func (t *turn) reply(body string) {
	t.answer = len(t.writes) + 1
	w := Write{Kind: WriteComment, On: OnIssue, Number: t.s.Issue.Number, Subject: t.ev.Node, Body: body}
	if c := t.ev.Command; c != nil {
		switch c.Carrier {
		case OnReviewComment:
			if c.Thread != "" {
				t.write(Write{Kind: WriteReply, Threads: []string{c.Thread}, Body: body})
				return
			}
			w.On, w.Number = OnPull, t.pull()
		case OnPull, OnReview, OnCheck:
			w.On, w.Number = OnPull, t.pull()
		}
	}
	t.write(w)
}

// replyToo adds to the answer, or gives it.
func (t *turn) replyToo(text string) {
	if t.answer == 0 {
		t.reply(text)
		return
	}
	t.writes[t.answer-1].Body += "\n\n" + text
}

// pull is the pull request that the event came from, or the session's own.
func (t *turn) pull() int {
	if t.ev.PR != 0 {
		return t.ev.PR
	}
	return t.s.PR.Number
}

// refuse says once what was refused, why, and what would work. The same person
// refused again within a minute sees the reaction alone.
func (t *turn) refuse(verb string, r *Refusal) {
	t.react(reactRefused)
	p := &t.s.Posted
	text := BlobID([]byte(verb + r.Text))[:12]
	if p.RefusedWho != t.ev.Actor.Login || p.RefusedText != text || t.now.Sub(p.RefusedAt) >= time.Minute {
		t.reply(r.Text)
	}
	p.RefusedAt, p.RefusedWho, p.RefusedText = t.now, t.ev.Actor.Login, text
	t.audit(verb, "refused: "+r.Text)
}

// promise reacts at once and again when the task is done.
func (t *turn) promise(task TaskID, job string) {
	t.react(reactSeen)
	c := t.ev.Command
	if c == nil || c.Subject == "" || len(t.s.Commands) >= 20 {
		return
	}
	t.s.Commands = append(t.s.Commands, OpenCommand{Subject: c.Subject, On: c.Carrier, Task: task, Job: job})
}

// closeCommand puts the second reaction on the commands whose work is over.
func (t *turn) closeCommand(over func(OpenCommand) bool, content string) {
	for _, c := range t.s.Commands {
		if over(c) {
			t.write(Write{Kind: WriteReact, Subject: c.Subject, On: c.On, Content: content, Ornament: true})
		}
	}
	t.s.Commands = slices.DeleteFunc(t.s.Commands, over)
	if len(t.s.Commands) == 0 {
		t.s.Commands = nil
	}
}
