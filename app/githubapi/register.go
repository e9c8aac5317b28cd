package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v62/github"
)

// Registration is what GitHub gives for a registered App, once.
type Registration struct {
	ID            int64
	Slug          string
	WebURL        string
	WebhookSecret string
	PEM           string
}

// Register turns the code of a manifest flow into an App's credentials. The
// code is good for an hour and for one use.
func Register(ctx context.Context, base, code string, h *http.Client) (Registration, error) {
	if code == "" || strings.ContainsAny(code, "/?#") {
		return Registration{}, fmt.Errorf("register: %q is not a code", code)
	}
	c := github.NewClient(h)
	root, err := url.Parse(strings.TrimSuffix(base, "/") + "/")
	if err != nil {
		return Registration{}, fmt.Errorf("register: %w", err)
	}
	c.BaseURL = root
	app, _, err := c.Apps.CompleteAppManifest(ctx, code)
	if err != nil {
		return Registration{}, fmt.Errorf("register: GitHub did not take the code; it is good for an hour and once: %w", err)
	}
	return Registration{ID: app.GetID(), Slug: app.GetSlug(), WebURL: app.GetHTMLURL(),
		WebhookSecret: app.GetWebhookSecret(), PEM: app.GetPEM()}, nil
}

// WebRoot is the address people use of the host whose API root is base.
func WebRoot(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	if u.Host == "api.github.com" {
		return "https://github.com"
	}
	return u.Scheme + "://" + strings.TrimPrefix(u.Host, "api.")
}
