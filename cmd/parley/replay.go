package main

import (
	"context"

	"parley/app"
)

type replayCmd struct {
	settings
	File  string `arg:"" help:"A saved delivery: the payload, or a JSON object with event, guid and payload."`
	Event string `help:"The event's name, when the file is the bare payload."`
	GUID  string `help:"The delivery's id; a fresh one by default, so that it counts as new."`
}

func (c replayCmd) Run(ctx context.Context, t *terminal) error {
	d, err := app.ReadDelivery(c.File, c.Event, c.GUID)
	if err != nil {
		return badInput("%v", err)
	}
	return c.server(ctx, t, func(a *app.App) error {
		result, err := a.Replay(ctx, d)
		return done(t, err, "%s %s: %s", d.Event, d.GUID, result)
	})
}
