package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/palantir/go-githubapp/githubapp"

	"parley/handlers"
)

// live is what may change while the process serves. It is never written to,
// only replaced whole, so that a delivery sees one state from end to end.
type live struct {
	secret, secretOld Secret
	accounts          []string // that may use this server; empty is all
	labels, prefixes  []string
	bot               string // login of the App's own bot; empty until GitHub has said it
	handlers          []*handlers.Handler
	events            []githubapp.EventHandler // the same, as the dispatcher wants them
}

// change replaces the live settings by an altered copy.
func (a *App) change(alter func(*live)) {
	a.changing.Lock()
	defer a.changing.Unlock()
	next := live{}
	if l := a.live.Load(); l != nil {
		next = *l
	}
	alter(&next)
	next.handlers = handlers.All(handlers.Config{Inbox: a.tracing.inbox(a.store), AppID: a.cfg.AppID, BotLogin: next.bot, Labels: next.labels,
		BranchPrefixes: next.prefixes, Allowed: a.allowed, Others: a.others.want,
		Property: a.cfg.Property, Retract: a.retract, Edits: a.edits, Returned: a.returned, Now: a.now})
	next.events = make([]githubapp.EventHandler, len(next.handlers))
	for i, h := range next.handlers {
		next.events[i] = h
	}
	a.live.Store(&next)
}

func (l *live) take(cfg Config) {
	l.secret, l.secretOld = cfg.Secret, cfg.SecretOld
	l.accounts, l.labels, l.prefixes = cfg.Organisations, cfg.Labels, cfg.Prefixes
	if cfg.Bot != "" {
		l.bot = cfg.Bot
	}
}

// handler is who takes an event in; nil is nobody.
func (l *live) handler(event string) *handlers.Handler {
	for _, h := range l.handlers {
		if slices.Contains(h.Handles(), event) {
			return h
		}
	}
	return nil
}

// allowed tells whether an account may use this server.
func (a *App) allowed(owner string) bool {
	accounts := a.live.Load().accounts
	if len(accounts) == 0 || slices.ContainsFunc(accounts, func(o string) bool { return strings.EqualFold(o, owner) }) {
		return true
	}
	a.log.Info().Str("account", owner).Msg("not among PARLEY_ORGANISATIONS; passed by")
	return false
}

// askBot learns the login of the App's own bot, which handlers must know to
// pass our own echoes by.
func (a *App) askBot(ctx context.Context) error {
	if a.live.Load().bot != "" {
		return nil
	}
	about, err := a.github.App(ctx)
	if err != nil {
		return fmt.Errorf("ask GitHub who this App is: %w", err)
	}
	a.change(func(l *live) { l.bot = about.Slug + "[bot]" })
	return nil
}

const askEvery = 10 * time.Second

// introduce asks until GitHub answers. The server does not wait for it: a
// delivery is stored whether GitHub can be reached or not.
func (a *App) introduce(ctx context.Context) {
	t := time.NewTicker(askEvery)
	defer t.Stop()
	for told := false; ; told = true {
		err := a.askBot(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !told {
			a.log.Warn().Err(err).Msg("GitHub does not answer; deliveries are stored, and it is asked again")
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
