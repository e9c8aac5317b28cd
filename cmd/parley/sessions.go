package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"parley/app"
	"parley/pipeline"
)

type sessionsCmd struct {
	List  sessionsListCmd  `cmd:"" default:"withargs" help:"List sessions, newest first."`
	Show  sessionsShowCmd  `cmd:"" help:"Show one: where it stands and what it waits for."`
	Stats sessionsStatsCmd `cmd:"" help:"Outcomes, waiting, cost and findings over a time."`
}

// Help stands under the commands.
func (sessionsCmd) Help() string {
	return "Examples:\n  parley sessions list --status paused\n  parley sessions show TLS-retry-2026-11-21\n  parley sessions stats --since 30d --format md"
}

type sessionsListCmd struct {
	settings
	Status string `help:"Only these: active, paused, completed, aborted."`
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c sessionsListCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error {
		all, err := o.Sessions(ctx)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(s pipeline.Session) bool { return c.Status != "" && string(s.Status) != c.Status })
		slices.SortFunc(all, func(a, b pipeline.Session) int {
			return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.ID, b.ID))
		})
		if c.Format == "json" {
			return json.NewEncoder(t.out).Encode(all)
		}
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "SESSION\tREPOSITORY\tPR\tMODE\tSTATUS\tTASKS\tGATE\tWAITS FOR")
		for _, s := range all {
			fmt.Fprintf(w, "%s\t%s/%s\t%d\t%s\t%s\t%d/%d\t%s\t%s\n", s.ID, s.Repo.Owner, s.Repo.Name, s.PR.Number, s.Mode, s.Status,
				s.TasksCompleted, s.TasksTotal, gateWord(s), waitWord(s))
		}
		return w.Flush()
	})
}

func gateWord(s pipeline.Session) string {
	if s.Gate == nil {
		return "-"
	}
	return fmt.Sprintf("%s %.0f %%", s.Gate.Result, s.Gate.Score)
}

func waitWord(s pipeline.Session) string {
	if s.Wait == nil {
		return "-"
	}
	return fmt.Sprintf("%s, since %s", s.Wait.Reason, s.Wait.Since.Format("2006-01-02 15:04"))
}

type sessionsShowCmd struct {
	settings
	Session string `arg:"" help:"Session id, or <repository id>/<issue>."`
	Format  string `enum:"text,json" default:"text" help:"text or json."`
}

func (c sessionsShowCmd) Run(ctx context.Context, t *terminal) error {
	return c.operate(ctx, t, func(o *app.Operator) error {
		s, err := o.Find(ctx, c.Session)
		if err != nil {
			return exit{2, err.Error()}
		}
		if c.Format == "json" {
			enc := json.NewEncoder(t.out)
			enc.SetIndent("", "  ")
			return enc.Encode(s)
		}
		_, err = fmt.Fprintln(t.out, pipeline.StatusText(s, time.Now(), true))
		return err
	})
}

type sessionsStatsCmd struct {
	settings
	Since  string `default:"30d" help:"How far back, such as 12h or 30d."`
	Format string `enum:"md,json" default:"md" help:"md or json."`
}

func (c sessionsStatsCmd) Run(ctx context.Context, t *terminal) error {
	span, err := days(c.Since)
	if err != nil {
		return badInput("--since: %v", err)
	}
	return c.operate(ctx, t, func(o *app.Operator) error {
		all, err := o.Sessions(ctx)
		if err != nil {
			return err
		}
		stats := app.Summarise(all, time.Now().Add(-span))
		if c.Format == "json" {
			return json.NewEncoder(t.out).Encode(stats)
		}
		_, err = fmt.Fprint(t.out, stats.Markdown())
		return err
	})
}

// days reads a duration that may be in days.
func days(s string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(s, "d"); ok {
		d, err := strconv.Atoi(n)
		if err != nil || d < 0 {
			return 0, fmt.Errorf("%q is not a number of days", s)
		}
		return time.Duration(d) * 24 * time.Hour, nil
	}
	return time.ParseDuration(s)
}

type replayCmd struct {
	settings
	File  string `arg:"" help:"A saved delivery: the payload, or a JSON object with event, guid and payload."`
	Event string `help:"The event's name, when the file is the bare payload."`
	GUID  string `help:"The delivery's id; a fresh one by default, so that it counts as new."`
}

// Help stands under the flags.
func (replayCmd) Help() string {
	return "Examples:\n  parley replay delivery.json\n  parley replay payload.json --event issues"
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
