package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"parley/app"
	"parley/pipeline"
)

type deadCmd struct {
	List  deadListCmd  `cmd:"" default:"withargs" help:"List what was given up, oldest first."`
	Show  deadShowCmd  `cmd:"" help:"Show one whole."`
	Retry deadRetryCmd `cmd:"" help:"Put one back where it was."`
	Drop  deadDropCmd  `cmd:"" help:"Forget one."`
}

type deadListCmd struct {
	settings
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c deadListCmd) Run(ctx context.Context, t *terminal) error {
	list := func(o *app.Operator) ([]pipeline.DeadLetter, error) { return o.Dead(ctx) }
	return view[[]pipeline.DeadLetter]{list, printDead}.print(ctx, t, c.settings, c.Format)
}

func printDead(w io.Writer, letters []pipeline.DeadLetter) error {
	if len(letters) == 0 {
		_, err := fmt.Fprintln(w, "nothing was given up")
		return err
	}
	var rows [][]string
	for _, l := range letters {
		rows = append(rows, []string{l.ID, l.What, l.Kind, fmt.Sprintf("%d/%d", l.Key.Repo, l.Key.Issue), fmt.Sprint(l.Tries), l.At.Format(time.RFC3339), short(l.Text, 100)})
	}
	return columns(w, "ID, WHAT, KIND, SESSION, TRIES, SINCE, WHY", rows)
}

type deadShowCmd struct {
	settings
	ID string `arg:"" help:"Id from dead list."`
}

func (c deadShowCmd) Run(ctx context.Context, t *terminal) error {
	one := func(o *app.Operator) (letter pipeline.DeadLetter, err error) {
		letters, err := o.Dead(ctx)
		if err != nil {
			return letter, err
		}
		i := slices.IndexFunc(letters, func(l pipeline.DeadLetter) bool { return l.ID == c.ID })
		if i < 0 {
			return letter, noLetter(c.ID)
		}
		return letters[i], nil
	}
	return view[pipeline.DeadLetter]{ask: one}.print(ctx, t, c.settings, "json")
}

type deadRetryCmd struct {
	settings
	ID string `arg:"" help:"Id from dead list."`
}

func (c deadRetryCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error { return handled(t, o.Retry(ctx, c.ID), c.ID, "is due again") })
}

type deadDropCmd struct {
	settings
	ID string `arg:"" help:"Id from dead list."`
}

func (c deadDropCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error { return handled(t, o.Drop(ctx, c.ID), c.ID, "is forgotten") })
}

// handled says what became of a dead letter.
func handled(t *terminal, err error, id, became string) error {
	if errors.Is(err, pipeline.ErrNotFound) {
		return noLetter(id)
	}
	return done(t, err, "%s %s", id, became)
}

func noLetter(id string) error {
	return badInput("there is no dead letter %q; parley dead list shows them", id)
}
