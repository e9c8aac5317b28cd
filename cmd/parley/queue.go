package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"parley/app"
)

type queueCmd struct {
	Status    queueStatusCmd    `cmd:"" default:"withargs" help:"What is due, running, waiting and given up."`
	Check     queueCheckCmd     `cmd:"" help:"Verify the queue's invariants; --fix mends."`
	Redeliver queueRedeliverCmd `cmd:"" help:"Take in again what GitHub sent since then; what was stored is not stored twice."`
	Hold      queueHoldCmd      `cmd:"" help:"Keep a session waiting, or with --all every one, through restarts."`
	Release   queueReleaseCmd   `cmd:"" help:"Let it go on."`
}

type queueStatusCmd struct {
	settings
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c queueStatusCmd) Run(ctx context.Context, t *terminal) error {
	look := func(o *app.Operator) (app.QueueStatus, error) { return o.Status(ctx) }
	return view[app.QueueStatus]{look, printStatus}.print(ctx, t, c.settings, c.Format)
}

func printStatus(w io.Writer, s app.QueueStatus) error {
	_, err := fmt.Fprintf(w, "due %d (oldest %s), running %d, timers %d, writes on their way %d, given up %d, of a newer version %d\n",
		s.Due, time.Duration(s.OldestMS)*time.Millisecond, s.Running, s.Timers, s.Outbox, s.Dead, s.Parked)
	if s.HeldAll {
		fmt.Fprintln(w, "every session is held; parley queue release --all lets them go on")
	}
	for _, session := range s.Held {
		fmt.Fprintf(w, "%s is held; parley queue release %s lets it go on\n", session, session)
	}
	for _, f := range s.Faults {
		fmt.Fprintf(w, "note: %s\n", f)
	}
	return err
}

type queueCheckCmd struct {
	settings
	Fix bool `help:"Mend what is found."`
}

func (c queueCheckCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error {
		faults, err := o.Check(ctx, c.Fix)
		if err != nil {
			return err
		}
		for _, f := range faults {
			fmt.Fprintln(t.out, f)
		}
		switch {
		case len(faults) == 0:
			fmt.Fprintln(t.out, "the queue is consistent")
		case c.Fix:
			fmt.Fprintln(t.out, "mended")
		default:
			return exit{1, "run it again with --fix to mend this"}
		}
		return nil
	})
}

type queueRedeliverCmd struct {
	settings
	Since lookback `default:"2h" help:"How far back, such as 2h or 1d; GitHub keeps three days."`
}

func (c queueRedeliverCmd) Run(ctx context.Context, t *terminal) error {
	return c.server(ctx, t, func(a *app.App) error {
		n, err := a.Redeliver(ctx, time.Duration(c.Since))
		return done(t, err, "%d deliveries taken in", n)
	})
}

type queueHoldCmd struct{ held }

func (c queueHoldCmd) Run(ctx context.Context, t *terminal) error { return c.set(ctx, t, true) }

type queueReleaseCmd struct{ held }

func (c queueReleaseCmd) Run(ctx context.Context, t *terminal) error { return c.set(ctx, t, false) }

// held names what is held or let go.
type held struct {
	settings
	Session string `arg:"" optional:"" help:"Session id, or <repository id>/<issue>."`
	All     bool   `help:"Every session."`
}

func (h held) set(ctx context.Context, t *terminal, on bool) error {
	if (h.Session == "") != h.All {
		return badInput("name one session, or --all")
	}
	became := map[bool]string{true: "is held", false: "goes on"}[on]
	return h.operate(ctx, t, func(o *app.Operator) error {
		if h.All {
			return done(t, o.HoldAll(ctx, on), "every session %s", became)
		}
		return done(t, unknown(o.Hold(ctx, h.Session, on)), "%s %s", h.Session, became)
	})
}
