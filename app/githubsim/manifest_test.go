package githubsim_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-github/v62/github"

	"parley/app/githubsim"
	"parley/app/githubsim/conform"
)

// register posts a manifest as the form in a person's browser does, and
// returns where the browser is sent.
func register(t *testing.T, api, path string, alter func(map[string]any)) (int, *url.URL) {
	t.Helper()
	m := map[string]any{"name": "Parley Acme", "redirect_url": "http://127.0.0.1:9/registered", "hook_attributes": map[string]any{"url": "https://parley.test/hook"},
		"default_permissions": map[string]string{"issues": "write"}, "default_events": []string{"issues"}}
	if alter != nil {
		alter(m)
	}
	raw, err := json.Marshal(m)
	must(t, err)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.PostForm(api+path, url.Values{"manifest": {string(raw)}})
	must(t, err)
	resp.Body.Close()
	to, err := url.Parse(resp.Header.Get("Location"))
	must(t, err)
	return resp.StatusCode, to
}

func TestManifestMakesAnApp(t *testing.T) {
	w := githubsim.New(githubsim.Config{Recorder: conform.Watch(t)})
	server := httptest.NewServer(w.Handler())
	t.Cleanup(func() { w.Stop(); server.Close() })
	w.AddOrg("acme", "ann")
	const form = "/organizations/acme/settings/apps/new?state=s1"
	for name, alter := range map[string]func(map[string]any){
		"no name":            func(m map[string]any) { m["name"] = "" },
		"no way back":        func(m map[string]any) { m["redirect_url"] = "" },
		"a hook on loopback": func(m map[string]any) { m["hook_attributes"] = map[string]any{"url": "http://127.0.0.1/hook"} },
	} {
		if code, _ := register(t, server.URL, form, alter); code != 422 {
			t.Errorf("%s: %d, want 422", name, code)
		}
	}
	status, to := register(t, server.URL, form, nil)
	q := to.Query()
	if status != 302 || to.Host != "127.0.0.1:9" || q.Get("state") != "s1" || q.Get("code") == "" {
		t.Fatalf("%d %s", status, to)
	}
	anybody := github.NewClient(nil)
	anybody.BaseURL, _ = url.Parse(server.URL + "/api/v3/")
	got, _, err := anybody.Apps.CompleteAppManifest(context.Background(), q.Get("code"))
	must(t, err)
	app := w.AppBySlug("parley-acme")
	if app == nil || got.GetID() != app.ID || got.GetWebhookSecret() == "" || got.GetPEM() == "" || got.GetOwner().GetLogin() != "acme" ||
		app.HookURL != "https://parley.test/hook" || app.Permissions["issues"] != "write" {
		t.Errorf("app %+v from %+v", app, got)
	}
	if _, _, err := anybody.Apps.CompleteAppManifest(context.Background(), q.Get("code")); err == nil {
		t.Error("the code was good twice")
	}
	if code, _ := register(t, server.URL, form, nil); code != 422 {
		t.Errorf("a name that is taken: %d, want 422", code)
	}
}
