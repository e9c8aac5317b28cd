package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/app"
	"parley/pipeline"
)

type sessionsCmd struct {
	List  sessionsListCmd  `cmd:"" default:"withargs" help:"List sessions, newest first."`
	Show  sessionsShowCmd  `cmd:"" help:"Show one: where it stands and what it waits for."`
	Stats sessionsStatsCmd `cmd:"" help:"Outcomes, waiting, cost and findings over a time."`
}

type sessionsListCmd struct {
	settings
	Status string `enum:",active,paused,completed,aborted" default:"" help:"Only these: active, paused, completed, aborted."`
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (c sessionsListCmd) Run(ctx context.Context, t *terminal) error {
	list := func(o *app.Operator) ([]pipeline.Session, error) {
		all, err := o.Sessions(ctx)
		all = slices.DeleteFunc(all, func(s pipeline.Session) bool { return c.Status != "" && string(s.Status) != c.Status })
		slices.SortFunc(all, func(a, b pipeline.Session) int {
			return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.ID, b.ID))
		})
		return all, err
	}
	return view[[]pipeline.Session]{list, printSessions}.print(ctx, t, c.settings, c.Format)
}

func printSessions(w io.Writer, all []pipeline.Session) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no sessions")
		return err
	}
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{s.ID, s.Repo.Owner + "/" + s.Repo.Name, fmt.Sprint(s.PR.Number), string(s.Mode), string(s.Status),
			fmt.Sprintf("%d/%d", s.TasksCompleted, s.TasksTotal), gateWord(s), waitWord(s)})
	}
	return columns(w, "SESSION, REPOSITORY, PR, MODE, STATUS, TASKS, GATE, WAITS FOR", rows)
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
	one := func(o *app.Operator) (pipeline.Session, error) {
		s, err := o.Find(ctx, c.Session)
		return s, unknown(err)
	}
	text := func(w io.Writer, s pipeline.Session) error {
		_, err := fmt.Fprintln(w, pipeline.StatusText(s, time.Now(), true))
		return err
	}
	return view[pipeline.Session]{one, text}.print(ctx, t, c.settings, c.Format)
}

// unknown turns a session that is not there into bad input.
func unknown(err error) error {
	if errors.Is(err, pipeline.ErrNotFound) {
		return badInput("%v; parley sessions list shows what there is", err)
	}
	return err
}

type sessionsStatsCmd struct {
	settings
	Since  lookback `default:"30d" help:"How far back, such as 12h or 30d."`
	Format string   `enum:"md,json" default:"md" help:"md or json."`
}

func (c sessionsStatsCmd) Run(ctx context.Context, t *terminal) error {
	sum := func(o *app.Operator) (app.SessionStats, error) {
		all, err := o.Sessions(ctx)
		now := time.Now()
		return app.Summarise(all, now.Add(-time.Duration(c.Since)), now), err
	}
	text := func(w io.Writer, s app.SessionStats) error {
		_, err := fmt.Fprint(w, s.Markdown())
		return err
	}
	return view[app.SessionStats]{sum, text}.print(ctx, t, c.settings, c.Format)
}

// lookback is how far back a command looks: a duration that may be in days.
type lookback time.Duration

// UnmarshalText reads 12h or 30d.
func (l *lookback) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if n, ok := strings.CutSuffix(string(text), "d"); ok {
		var count int
		count, err = strconv.Atoi(n)
		d = time.Duration(count) * 24 * time.Hour
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a time such as 12h or 30d", text)
	}
	*l = lookback(d)
	return nil
}
