package main

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/app"
)

type doctorCmd struct {
	settings
	Models bool   `help:"Ask each configured model one tiny question; it costs a little."`
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c doctorCmd) Run(ctx context.Context, t *terminal) error {
	cfg, lookup, err := c.load(t)
	if err != nil {
		return exit{1, err.Error()}
	}
	d := app.Doctor{Config: cfg, Lookup: lookup, Models: c.Models}
	found := d.Examine(ctx)
	if c.Format == "json" {
		err = json.NewEncoder(t.out).Encode(found)
	} else {
		for _, s := range found {
			mark := "ok  "
			if s.Remedy != "" {
				mark = "FAIL"
			}
			if s.Note {
				mark = "note"
			}
			fmt.Fprintf(t.out, "%s  %s: %s\n", mark, s.What, s.Says)
			if s.Remedy != "" {
				fmt.Fprintf(t.out, "      → %s\n", s.Remedy)
			}
		}
	}
	faults := 0
	for _, s := range found {
		if s.Remedy != "" && !s.Note {
			faults++
		}
	}
	if err == nil && faults > 0 {
		err = exit{1, fmt.Sprintf("%d to mend", faults)}
	}
	return err
}
