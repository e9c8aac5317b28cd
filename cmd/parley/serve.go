package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parley/app"
)

// settings are the flags that every command of the server shares.
type settings struct {
	Config string `help:"YAML file with the server's settings." env:"PARLEY_CONFIG" type:"path"`
	Data   string `help:"Directory for a redis-server of our own; needs no other set-up." type:"path"`
	Redis  string `name:"redis" help:"Address of the Redis, over PARLEY_REDIS_URL."`
}

// load reads the configuration. lookup is what it was read from: the
// environment, over the credentials that setup left in the data directory.
func (s settings) load(t *terminal) (cfg app.Config, lookup func(string) (string, bool), err error) {
	dir := s.Data
	if dir == "" {
		dir, _ = t.env("PARLEY_DATA")
	}
	if lookup, err = app.Credentials(dir, t.env); err != nil {
		return cfg, lookup, err
	}
	cfg, err = app.LoadConfig(app.Source{File: s.Config, Lookup: lookup})
	if s.Data != "" {
		cfg.Data, cfg.RedisURL = s.Data, ""
	}
	if s.Redis != "" {
		cfg.RedisURL, cfg.Data = app.Secret(s.Redis), ""
	}
	return cfg, lookup, err
}

type serveCmd struct {
	settings
	Pull time.Duration `help:"Take deliveries from GitHub's log at this interval; no public address is needed."`
}

// Help stands under the flags.
func (serveCmd) Help() string {
	return "Settings come from the environment over the YAML file over defaults; the README lists them all. " +
		"SIGHUP reads secrets again; SIGTERM hands work back and ends."
}

func (c serveCmd) Run(ctx context.Context, t *terminal) error {
	cfg, lookup, err := c.load(t)
	if err != nil {
		return exit{1, err.Error()}
	}
	if c.Pull > 0 {
		cfg.Pull = c.Pull
	}
	a, err := app.New(ctx, cfg, app.Deps{Log: t.err, Models: true, Lookup: lookup})
	if err != nil {
		return exit{1, err.Error()}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reloads := make(chan os.Signal, 1)
	signal.Notify(reloads, syscall.SIGHUP)
	defer signal.Stop(reloads)
	go c.reload(ctx, t, a, reloads)
	if err := a.Run(ctx); err != nil {
		return exit{1, err.Error()}
	}
	return nil
}

// reload reads the settings again. A mistake in them keeps the old ones.
func (c serveCmd) reload(ctx context.Context, t *terminal, a *app.App, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		cfg, _, err := c.load(t)
		if err == nil {
			err = a.Reload(cfg)
		}
		if err != nil {
			fmt.Fprintf(t.err, "parley: not reloaded, the old settings hold: %v\n", err)
		}
	}
}

type manifestCmd struct {
	Name      string `default:"Parley" help:"The App's name."`
	URL       string `default:"https://parley.example.com" help:"Public address of the server."`
	IssueForm bool   `help:"Print the issue form for .github/ISSUE_TEMPLATE/lifecycle.yml instead."`
}

func (c manifestCmd) Run(t *terminal) error {
	if c.IssueForm {
		_, err := fmt.Fprint(t.out, issueForm)
		return err
	}
	text, err := app.NewManifest(c.Name, c.URL+app.HookPath).YAML()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(t.out, text)
	return err
}
