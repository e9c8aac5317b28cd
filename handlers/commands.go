package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"parley/handlers/command"
	"parley/pipeline"
)

// remark is a comment or review as far as commands are concerned.
type remark struct {
	carrier pipeline.Carrier
	subject string // node id, for reactions
	author  user
	body    string
	before  *was // the former body, for an edit
	edited  bool
	thread  string
	at      time.Time
	off     bool // the repository was not let in
}

// commands makes one event per command of a remark. Bots give none; of an edit
// only what is new counts, and only where the editor is the author.
func (c *Config) commands(ev pipeline.Event, r remark) ([]pipeline.Event, error) {
	nobody := ev.Actor.Login == "" // a deleted account
	if ev.Actor.Bot || r.author.bot() || nobody || r.off {
		return nil, ErrIgnored
	}
	opts := command.Options{Edited: r.edited}
	if r.edited {
		if r.before == nil || r.author.ID != ev.Actor.ID {
			return nil, ErrIgnored
		}
		opts.Before = text(r.before.From, maxBody)
	}
	parsed := command.Parse(text(r.body, maxBody), opts)
	if len(parsed.Commands) == 0 {
		return nil, ErrIgnored
	}
	out := make([]pipeline.Event, 0, len(parsed.Commands))
	for _, cmd := range parsed.Commands {
		cmd.Subject, cmd.Carrier, cmd.Thread, cmd.At = r.subject, r.carrier, r.thread, r.at
		next := ev
		next.Kind, next.At, next.Command = pipeline.EventCommand, r.at, &cmd
		if cmd.Verb == "start" && r.carrier == pipeline.OnIssue {
			next.Kind = pipeline.EventStart
		}
		next.Dedupe = "command/" + r.subject + "/" + meaning(cmd)
		out = append(out, next)
	}
	return out, nil
}

// retract notes a deleted comment whose commands may still wait. Only a text
// that holds one leaves a trace; what has run already has run.
func (c *Config) retract(gone comment) error {
	if c.Retract == nil || gone.User.bot() || len(command.Parse(text(gone.Body, maxBody), command.Options{}).Commands) == 0 {
		return ErrIgnored
	}
	return &retraction{gone.NodeID}
}

// retraction carries a deleted comment's id out of an intake, which has no context.
type retraction struct{ subject string }

func (r *retraction) Error() string { return "comment " + r.subject + " was deleted" }

// meaning is a short digest of what a command says: the same comment says the
// same thing once, under whatever delivery id.
func meaning(cmd pipeline.Command) string {
	sum := sha256.Sum256([]byte(command.Identity(cmd)))
	return hex.EncodeToString(sum[:8])
}
