package githubapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/pipeline"
)

// DeliveryNote is one line of the app's webhook log.
type DeliveryNote struct {
	ID           int64     `json:"id"`
	GUID         string    `json:"guid"`
	At           time.Time `json:"delivered_at"`
	Redelivery   bool      `json:"redelivery"`
	Status       string    `json:"status"`
	StatusCode   int       `json:"status_code"`
	Event        string    `json:"event"`
	Action       string    `json:"action"`
	Installation int64     `json:"installation_id"`
	Repository   int64     `json:"repository_id"`
}

// Deliveries is a page of the webhook log, newest first, and the cursor of
// the next page: empty at the end.
func (c *Client) Deliveries(ctx context.Context, cursor string) ([]DeliveryNote, string, error) {
	q := url.Values{"per_page": {"100"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	got, err := c.send(ctx, call{op: "read the delivery log", method: http.MethodGet, path: "/app/hook/deliveries?" + q.Encode(), asApp: true, read: true})
	if err != nil {
		return nil, "", err
	}
	var page []DeliveryNote
	if err := json.Unmarshal(got.body, &page); err != nil {
		return nil, "", &Error{Kind: KindInvalid, Op: "read the delivery log", Message: err.Error()}
	}
	return page, nextCursor(got.header.Get("Link")), nil
}

// nextCursor reads the cursor out of a Link header.
func nextCursor(link string) string {
	for part := range strings.SplitSeq(link, ",") {
		target, params, ok := strings.Cut(part, ";")
		if !ok || !strings.Contains(params, `rel="next"`) {
			continue
		}
		if u, err := url.Parse(strings.Trim(strings.TrimSpace(target), "<>")); err == nil {
			return u.Query().Get("cursor")
		}
	}
	return ""
}

// Delivery is what GitHub sent, or tried to.
type Delivery struct {
	DeliveryNote
	Payload json.RawMessage
}

// Delivery reads one with its payload, so that a missed one can be taken in
// without being sent again.
func (c *Client) Delivery(ctx context.Context, id int64) (Delivery, error) {
	var said struct {
		DeliveryNote
		Request struct {
			Payload json.RawMessage `json:"payload"`
		} `json:"request"`
	}
	k := call{op: fmt.Sprintf("read delivery %d", id), method: http.MethodGet, path: "/app/hook/deliveries/" + strconv.FormatInt(id, 10), asApp: true, read: true}
	if err := c.restCall(ctx, k, &said); err != nil {
		return Delivery{}, err
	}
	return Delivery{DeliveryNote: said.DeliveryNote, Payload: said.Request.Payload}, nil
}

// Installation is one account that installed the app.
type Installation struct {
	ID          int64             `json:"id"`
	Created     time.Time         `json:"created_at"`
	Suspended   *time.Time        `json:"suspended_at"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
	Selection   string            `json:"repository_selection"`
	Account     struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
	} `json:"account"`
}

// maxPages bounds every paged read of this file.
const maxPages = 200

// Installations lists them all.
func (c *Client) Installations(ctx context.Context) ([]Installation, error) {
	var all []Installation
	for page := 1; page <= maxPages; page++ {
		var part []Installation
		k := call{op: "list installations", method: http.MethodGet, path: fmt.Sprintf("/app/installations?per_page=100&page=%d", page), asApp: true, read: true}
		if err := c.restCall(ctx, k, &part); err != nil {
			return nil, err
		}
		all = append(all, part...)
		if len(part) < 100 {
			break
		}
	}
	return all, nil
}

// Covered is a repository of an installation with what its organisation says
// of it.
type Covered struct {
	pipeline.Repo
	Properties map[string]json.RawMessage // custom properties
}

// Repositories lists what an installation covers, but for archived ones.
func (c *Client) Repositories(ctx context.Context, installation int64) ([]Covered, error) {
	var all []Covered
	for page := 1; page <= maxPages; page++ {
		var said struct {
			Repositories []struct {
				ID            int64                      `json:"id"`
				NodeID        string                     `json:"node_id"`
				Name          string                     `json:"name"`
				DefaultBranch string                     `json:"default_branch"`
				Private       bool                       `json:"private"`
				Archived      bool                       `json:"archived"`
				Owner         author                     `json:"owner"`
				Properties    map[string]json.RawMessage `json:"custom_properties"`
			} `json:"repositories"`
		}
		k := call{op: fmt.Sprintf("list repositories of installation %d", installation), method: http.MethodGet, read: true,
			token: tokenKey{installation: installation, grant: grantRead}, path: fmt.Sprintf("/installation/repositories?per_page=100&page=%d", page)}
		if err := c.restCall(ctx, k, &said); err != nil {
			return nil, err
		}
		for _, r := range said.Repositories {
			if !r.Archived {
				repo := pipeline.Repo{Installation: installation, ID: r.ID, NodeID: r.NodeID, Owner: r.Owner.Login, Name: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private}
				all = append(all, Covered{repo, r.Properties})
			}
		}
		if len(said.Repositories) < 100 {
			break
		}
	}
	return all, nil
}

// App is what GitHub knows of the app itself.
type App struct {
	ID          int64             `json:"id"`
	Slug        string            `json:"slug"`
	Name        string            `json:"name"`
	URL         string            `json:"html_url"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
	// Skew is how far our clock is ahead of GitHub's.
	Skew time.Duration `json:"-"`
}

// App reads it with the app's own key: the first thing doctor asks.
func (c *Client) App(ctx context.Context) (App, error) {
	var app App
	got, err := c.send(ctx, call{op: "read the app", method: http.MethodGet, path: "/app", asApp: true, read: true})
	if at := clock(got.header); !at.IsZero() {
		app.Skew = c.cfg.Now().Sub(at)
	}
	if err != nil {
		if skew := app.Skew.Abs(); is(err, KindAuth) && skew > 30*time.Second {
			return app, fmt.Errorf("the clock is %s off GitHub's, so the app's signature is not accepted: %w", skew.Round(time.Second), err)
		}
		return app, err
	}
	skew := app.Skew
	if err := json.Unmarshal(got.body, &app); err != nil {
		return app, &Error{Kind: KindInvalid, Op: "read the app", Message: err.Error()}
	}
	app.Skew = skew
	return app, nil
}
