package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"parley/app"
	"parley/pipeline"
)

// operate opens the deployment's queue for one command.
func (s settings) operate(ctx context.Context, t *terminal, do func(*app.Operator) error) error {
	cfg, err := s.load(t)
	if err != nil {
		return exit{1, err.Error()}
	}
	o, err := app.NewOperator(ctx, cfg)
	if err != nil {
		return exit{1, err.Error()}
	}
	defer o.Close()
	return do(o)
}

type deadCmd struct {
	List  deadListCmd  `cmd:"" default:"withargs" help:"List what was given up, oldest first."`
	Show  deadShowCmd  `cmd:"" help:"Show one whole."`
	Retry deadRetryCmd `cmd:"" help:"Put one back where it was."`
	Drop  deadDropCmd  `cmd:"" help:"Forget one."`
}

// Help stands under the commands.
func (deadCmd) Help() string {
	return "Examples:\n  parley dead list\n  parley dead show p3-17\n  parley dead retry p3-17"
}

type deadListCmd struct {
	settings
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c deadListCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error {
		letters, err := o.Dead(ctx)
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return json.NewEncoder(t.out).Encode(letters)
		}
		if len(letters) == 0 {
			fmt.Fprintln(t.out, "nothing was given up")
			return nil
		}
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tWHAT\tKIND\tSESSION\tTRIES\tSINCE\tWHY")
		for _, l := range letters {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d/%d\t%d\t%s\t%s\n", l.ID, l.What, l.Kind, l.Key.Repo, l.Key.Issue, l.Tries, l.At.Format(time.RFC3339), short(l.Text, 60))
		}
		return w.Flush()
	})
}

func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

type deadShowCmd struct {
	settings
	ID string `arg:"" help:"Id from dead list."`
}

func (c deadShowCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error {
		letters, err := o.Dead(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(letters, func(l pipeline.DeadLetter) bool { return l.ID == c.ID })
		if i < 0 {
			return badInput("there is no dead letter %q; parley dead list shows them", c.ID)
		}
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", "  ")
		return enc.Encode(letters[i])
	})
}

type deadRetryCmd struct {
	settings
	ID string `arg:"" help:"Id from dead list."`
}

func (c deadRetryCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error { return done(t, o.Retry(ctx, c.ID), "%s is due again", c.ID) })
}

type deadDropCmd struct {
	settings
	ID string `arg:"" help:"Id from dead list."`
}

func (c deadDropCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error { return done(t, o.Drop(ctx, c.ID), "%s is forgotten", c.ID) })
}

func done(t *terminal, err error, format string, args ...any) error {
	if err == nil {
		fmt.Fprintf(t.out, format+"\n", args...)
	}
	return err
}

type queueCmd struct {
	Status    queueStatusCmd    `cmd:"" default:"withargs" help:"What is due, running, waiting and given up."`
	Check     queueCheckCmd     `cmd:"" help:"Verify the queue's invariants; --fix mends."`
	Redeliver queueRedeliverCmd `cmd:"" help:"Take in again what GitHub sent since then; what was stored is not stored twice."`
	Hold      queueHoldCmd      `cmd:"" help:"Keep a session waiting, or with --all every one, through restarts."`
	Release   queueReleaseCmd   `cmd:"" help:"Let it go on."`
}

// Help stands under the commands.
func (queueCmd) Help() string {
	return "Examples:\n  parley queue status\n  parley queue check --fix\n  parley queue hold TLS-retry-2026-11-21\n  parley queue redeliver --since 2h"
}

type queueStatusCmd struct {
	settings
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c queueStatusCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error {
		s, err := o.Stats(ctx)
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return json.NewEncoder(t.out).Encode(s)
		}
		fmt.Fprintf(t.out, "due %d (oldest %s), running %d, timers %d, writes on their way %d, given up %d, of a newer version %d\n",
			s.Due, s.Oldest.Round(time.Millisecond), s.Running, s.Timers, s.Outbox, s.Dead, s.Parked)
		faults, err := o.Faults(ctx)
		for _, f := range faults {
			fmt.Fprintf(t.out, "note: %v\n", f)
		}
		return err
	})
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
		case !c.Fix:
			return exit{1, "run it again with --fix to mend this"}
		}
		return nil
	})
}

type queueHoldCmd struct {
	settings
	Session string `arg:"" optional:"" help:"Session id, or <repository id>/<issue>."`
	All     bool   `help:"Every session."`
}

func (c queueHoldCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, hold(ctx, t, c.Session, c.All, true))
}

type queueReleaseCmd struct {
	settings
	Session string `arg:"" optional:"" help:"Session id, or <repository id>/<issue>."`
	All     bool   `help:"Every session."`
}

func (c queueReleaseCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, hold(ctx, t, c.Session, c.All, false))
}

func hold(ctx context.Context, t *terminal, session string, all, on bool) func(*app.Operator) error {
	word := map[bool]string{true: "is held", false: "goes on"}[on]
	return func(o *app.Operator) error {
		switch {
		case all && session == "":
			return done(t, o.HoldAll(ctx, on), "every session %s", word)
		case session == "" || all:
			return badInput("name one session, or --all")
		}
		return done(t, o.Hold(ctx, session, on), "%s %s", session, word)
	}
}

type queueRedeliverCmd struct {
	settings
	Since time.Duration `default:"2h" help:"How far back."`
}

func (c queueRedeliverCmd) Run(ctx context.Context, t *terminal) error {
	return c.server(ctx, t, func(a *app.App) error {
		n, err := a.Redeliver(ctx, c.Since)
		return done(t, err, "%d deliveries taken in", n)
	})
}

// server makes an App that serves nothing, for commands that speak to GitHub too.
func (s settings) server(ctx context.Context, t *terminal, do func(*app.App) error) error {
	cfg, err := s.load(t)
	if err != nil {
		return exit{1, err.Error()}
	}
	a, err := app.New(ctx, cfg, app.Deps{Log: t.err, Lookup: t.env})
	if err != nil {
		return exit{1, err.Error()}
	}
	defer a.Close()
	return do(a)
}
