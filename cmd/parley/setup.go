package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/app"
)

type setupCmd struct {
	Name   string `default:"Parley" help:"The App's name; it must be free on GitHub."`
	Org    string `help:"Register for this organisation instead of your own account."`
	GitHub string `name:"github-url" default:"https://api.github.com" env:"PARLEY_GITHUB_URL" help:"API root; an Enterprise Server is https://HOST/api/v3."`
	Hook   string `name:"url" help:"Public address of your server, such as https://parley.example.com; without it deliveries are read from GitHub's log."`
	Dir    string `default:"./parley-data" help:"Where parley.env and the key are written; serve --data reads them there."`
	Listen string `default:"127.0.0.1:0" help:"Loopback address of the page."`
	Print  bool   `help:"Print the form, for a browser on another machine; then run setup again with --code."`
	Code   string `help:"The code in the address GitHub sent that browser back to."`
}

func (c setupCmd) Run(ctx context.Context, t *terminal) error {
	github, err := address("--github-url", c.GitHub, "an Enterprise Server's is https://HOST/api/v3")
	if err != nil {
		return err
	}
	hook, err := address("--url", c.Hook, "give the server's public address, such as https://parley.example.com")
	if err != nil {
		return err
	}
	s := app.Setup{Name: c.Name, Owner: c.Org, GitHubURL: github, HookURL: hook, Pull: hook == "" && c.Code == "", Dir: c.Dir, Listen: c.Listen,
		Client: &http.Client{Timeout: 30 * time.Second},
		Opened: func(address string) { fmt.Fprintf(t.err, "Open %s in a browser on this machine.\n", address) }}
	if c.Print {
		return s.Form(t.out, "http://127.0.0.1/registered", "printed")
	}
	run, pull := s.Run, ""
	if c.Code != "" {
		if hook == "" {
			pull = " (and --pull 10s, if the form had no --url)"
		}
		run = func(ctx context.Context) (r app.Registration, err error) { return s.Complete(ctx, c.Code) }
	}
	reg, err := run(ctx)
	if err != nil {
		return exit{1, err.Error()}
	}
	fmt.Fprintf(t.out, `Registered %s as App %d.
Credentials are in %s, readable by you only.

Next:
  1. Install it: %s/installations/new
  2. Start it:   parley serve --data %s%s
  3. Check it:   parley doctor --data %s
`, reg.Slug, reg.ID, c.Dir, reg.WebURL, c.Dir, pull, c.Dir)
	return nil
}

// address is a URL that paths can be put behind, without its last slash.
func address(flag, typed, otherwise string) (string, error) {
	u, err := url.Parse(typed)
	if typed != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "") {
		return "", badInput("%s: %q is no address; %s", flag, typed, otherwise)
	}
	return strings.TrimRight(typed, "/"), nil
}
