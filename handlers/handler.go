package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

var (
	// ErrIgnored is a delivery that says nothing to us; answer 202.
	ErrIgnored = errors.New("ignored")
	// ErrMalformed is a payload that is not what its event promises; answer 400.
	ErrMalformed = errors.New("malformed payload")
	// ErrNoInstallation is a delivery of a hook that is not the App's; answer 422.
	ErrNoInstallation = errors.New("no installation in the payload")
)

// Config is what the handlers know. They hold no state.
type Config struct {
	Inbox pipeline.Inbox
	// AppID and BotLogin ("parley[bot]") tell our own acts and checks from others'.
	AppID    int64
	BotLogin string
	// Labels start a session, alone or followed by ":<mode>".
	Labels []string
	// BranchPrefixes mark the heads of our own pull requests.
	BranchPrefixes []string
	// Allowed tells whether an account may use this server; nil allows all.
	Allowed func(owner string) bool
	// Others tells whether a repository wants an answer on pull requests that
	// are not ours; nil is never.
	Others func(repo pipeline.Repo) bool
	// Property is the custom property that lets a repository in, by the value
	// "on"; empty: every repository of an installation is in.
	Property string
	// Retract notes that a comment which carried commands was deleted; nil
	// lets them run.
	Retract func(ctx context.Context, subject string) error
	// Edits tells whether a branch edits the configuration: now, as its push
	// says, or by an earlier push; nil knows of this push alone.
	Edits func(ctx context.Context, repo pipeline.Repo, branch string, now bool) (bool, error)
	// Returned is told of an installation or a repository that is back, so
	// that what it missed can be looked for; nil is nobody.
	Returned func()
	Now      func() time.Time
}

// Handler takes in one kind of event.
type Handler struct {
	event string
	cfg   *Config
	take  func(*Config, []byte) ([]pipeline.Event, error)
}

// intakes is the table of events; the App manifest is held against it.
var intakes = []struct {
	event string
	take  func(*Config, []byte) ([]pipeline.Event, error)
}{
	{"check_run", checkRun},
	{"check_suite", checkSuite},
	{"installation", installation},
	{"installation_repositories", installationRepositories},
	{"installation_target", installationTarget},
	{"issue_comment", issueComment},
	{"issues", issues},
	{"merge_group", mergeGroup},
	{"pull_request", pullRequest},
	{"pull_request_review", pullRequestReview},
	{"pull_request_review_comment", reviewComment},
	{"pull_request_review_thread", reviewThread},
	{"push", push},
	{"repository", repositoryEvent},
}

// All returns one handler per event, in the order of their names.
func All(cfg Config) []*Handler {
	if len(cfg.Labels) == 0 {
		cfg.Labels = []string{pipeline.DefaultSettings().Label}
	}
	if len(cfg.BranchPrefixes) == 0 {
		cfg.BranchPrefixes = []string{pipeline.DefaultSettings().BranchPrefix}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	out := make([]*Handler, len(intakes))
	for i, in := range intakes {
		out[i] = &Handler{event: in.event, cfg: &cfg, take: in.take}
	}
	return out
}

// Handles names the event, as go-githubapp asks.
func (h *Handler) Handles() []string { return []string{h.event} }

// Handle stores what the delivery says. It returns nil when that is durable,
// pipeline.ErrDuplicate when all of it was stored before, ErrIgnored when
// there is nothing to store, and the inbox's error when the delivery has to
// come again.
func (h *Handler) Handle(ctx context.Context, _, deliveryID string, payload []byte) error {
	events, err := h.take(h.cfg, payload)
	var gone *retraction
	if errors.As(err, &gone) {
		if err := h.cfg.Retract(ctx, gone.subject); err != nil {
			return fmt.Errorf("store %w: %w", gone, err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	outcome := ErrIgnored
	for i, ev := range events {
		if ev.Kind == pipeline.EventConfigPushed && !ev.Fork {
			if known, err := h.cfg.edits(ctx, ev); err != nil {
				return fmt.Errorf("look for what the branch edits: %w", err)
			} else if !known {
				continue
			}
		}
		ev.ID = fmt.Sprintf("%s/%d", deliveryID, i)
		ev.Delivery = deliveryID
		err := h.cfg.Inbox.Accept(ctx, ev)
		switch {
		case err == nil:
			outcome = nil
		case errors.Is(err, pipeline.ErrDuplicate):
			if outcome != nil {
				outcome = pipeline.ErrDuplicate
			}
		case errors.Is(err, pipeline.ErrNotFound):
			// The inbox knows no session that this could concern.
		default:
			return fmt.Errorf("store %s of %s: %w", ev.Kind, h.event, err)
		}
	}
	return outcome
}

// start guards a delivery and makes the event its facts go into.
func (c *Config) start(e *envelope) (pipeline.Event, error) {
	if e.Installation.ID == 0 {
		return pipeline.Event{}, ErrNoInstallation
	}
	owner := e.Repository.Owner.Login
	if owner == "" {
		owner = e.Installation.Account.Login
	}
	if c.Allowed != nil && !c.Allowed(owner) || c.ours(e.Sender) {
		return pipeline.Event{}, ErrIgnored
	}
	return pipeline.Event{At: c.Now(), Repo: e.repo(), Actor: e.Sender.actor()}, nil
}

// session is start for deliveries that name a repository.
func (c *Config) session(e *envelope) (pipeline.Event, error) {
	ev, err := c.start(e)
	if err == nil && ev.Repo.ID == 0 {
		return ev, fmt.Errorf("%w: no repository", ErrMalformed)
	}
	return ev, err
}

// off tells a repository that was not let in. Nothing begins there; what runs
// is still told of its closing, so that it ends.
func (c *Config) off(e *envelope) bool {
	return c.Property != "" && !OptedIn(e.Repository.Properties[c.Property])
}

// OptedIn reads a custom property's value: "on", "true" or "yes".
func OptedIn(value json.RawMessage) bool {
	var word string
	if json.Unmarshal(value, &word) != nil {
		return false
	}
	return slices.Contains([]string{"on", "true", "yes"}, strings.ToLower(word))
}

// back says that somebody is back.
func (c *Config) back() {
	if c.Returned != nil {
		c.Returned()
	}
}

// ours tells our own acts, which come back as deliveries.
func (c *Config) ours(u user) bool {
	return c.BotLogin != "" && strings.EqualFold(u.Login, c.BotLogin)
}

// ourBranch tells the head of a session's pull request by its name; a fork may
// name its branches as it likes.
func (c *Config) ourBranch(p *pull, repo int64) bool {
	return p.Head.Repo.ID == repo && slices.ContainsFunc(c.BranchPrefixes, func(prefix string) bool {
		return strings.HasPrefix(p.Head.Ref, prefix)
	})
}

// trigger tells whether a label starts a session.
func (c *Config) trigger(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return slices.ContainsFunc(c.Labels, func(l string) bool {
		return strings.EqualFold(l, name) || strings.EqualFold(l, label)
	})
}

// at is GitHub's time of the event, or ours where it gives none.
func (c *Config) at(stamps ...string) time.Time {
	for _, s := range stamps {
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			return t.UTC()
		}
	}
	return c.Now()
}

// one wraps the single event of a delivery.
func one(ev pipeline.Event, err error) ([]pipeline.Event, error) {
	if err != nil {
		return nil, err
	}
	return []pipeline.Event{ev}, nil
}
