package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"parley/app"
)

// operate opens the deployment's queue for one command.
func (s settings) operate(ctx context.Context, t *terminal, do func(*app.Operator) error) error {
	cfg, _, err := s.load(t)
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

// server makes an App that serves nothing, for commands that speak to GitHub too.
func (s settings) server(ctx context.Context, t *terminal, do func(*app.App) error) error {
	cfg, lookup, err := s.load(t)
	if err != nil {
		return exit{1, err.Error()}
	}
	a, err := app.New(ctx, cfg.Beside(), app.Deps{Log: t.err, Lookup: lookup})
	if err != nil {
		return exit{1, err.Error()}
	}
	defer a.Close()
	return do(a)
}

// view is one look at the queue: what is asked, and how a person reads it.
type view[T any] struct {
	ask  func(*app.Operator) (T, error)
	text func(io.Writer, T) error
}

// print shows the answer as JSON, or as text.
func (v view[T]) print(ctx context.Context, t *terminal, s settings, format string) error {
	return s.operate(ctx, t, func(o *app.Operator) error {
		got, err := v.ask(o)
		if err != nil {
			return err
		}
		if format != "json" {
			return v.text(t.out, got)
		}
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", "  ")
		return enc.Encode(got)
	})
}

// columns prints rows below their heads, aligned.
func columns(w io.Writer, heads string, rows [][]string) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, strings.ReplaceAll(heads, ", ", "\t"))
	for _, row := range rows {
		fmt.Fprintln(tab, strings.Join(row, "\t"))
	}
	return tab.Flush()
}

// short cuts a text to n characters of one line.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// done says that an act was carried out.
func done(t *terminal, err error, format string, args ...any) error {
	if err == nil {
		fmt.Fprintf(t.out, format+"\n", args...)
	}
	return err
}
