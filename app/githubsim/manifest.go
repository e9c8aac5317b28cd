package githubsim

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Manifest is what an app is registered from, as far as GitHub looks at it.
type Manifest struct {
	Name string `json:"name"`
	Hook struct {
		URL    string `json:"url"`
		Active *bool  `json:"active"`
	} `json:"hook_attributes"`
	RedirectURL string            `json:"redirect_url"`
	Permissions map[string]string `json:"default_permissions"`
	Events      []string          `json:"default_events"`

	owner string
}

// newApp is the page a manifest is posted to by the form in a person's
// browser. The person is taken to be signed in and to confirm at once, so that
// the answer sends the browser on to the manifest's redirect address.
func (w *World) newApp(rw http.ResponseWriter, owner, state string, body []byte) {
	form, err := url.ParseQuery(string(body))
	var m Manifest
	if err == nil {
		err = json.Unmarshal([]byte(form.Get("manifest")), &m)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m.owner = owner
	if err == nil {
		err = w.acceptable(m)
	}
	if err != nil {
		http.Error(rw, "Invalid GitHub App configuration: "+err.Error(), http.StatusUnprocessableEntity)
		return
	}
	code := randomHex(20)
	w.manifests[code] = m
	q := url.Values{"code": {code}, "state": {state}}
	rw.Header().Set("Location", m.RedirectURL+"?"+q.Encode())
	rw.WriteHeader(http.StatusFound)
}

// acceptable refuses what GitHub's form would be shown again for.
func (w *World) acceptable(m Manifest) error {
	hook, err := url.Parse(m.Hook.URL)
	taken := slices.ContainsFunc(w.apps, func(a *App) bool { return a.Slug == slug(m.Name) })
	switch {
	case m.Name == "" || len(m.Name) > 34:
		return errors.New("name is missing or too long")
	case taken:
		return errors.New("name is already taken")
	case w.accounts[strings.ToLower(m.owner)] == nil && m.owner != "":
		return fmt.Errorf("there is no organisation %s", m.owner)
	case err != nil || hook.Host == "":
		return errors.New("hook url is missing")
	case hook.Hostname() == "localhost" || net.ParseIP(hook.Hostname()).IsLoopback():
		return fmt.Errorf("hook url is not supported because it isn't reachable over the public Internet (%s)", hook.Hostname())
	case m.RedirectURL == "":
		return errors.New("redirect url is missing")
	}
	return nil
}

func slug(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
}

// convertManifest turns the code that came with the redirect into an app, once.
func convertManifest(c *call) (*answer, error) {
	m, ok := c.w.manifests[c.vars["code"]]
	if !ok {
		return nil, refuse(notFound, "Not Found")
	}
	delete(c.w.manifests, c.vars["code"])
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	cfg := AppConfig{Slug: slug(m.Name), Key: &key.PublicKey, Secret: randomHex(20), Permissions: m.Permissions, Events: m.Events,
		HookURL: m.Hook.URL, HookOff: m.Hook.Active != nil && !*m.Hook.Active}
	a := c.w.registerApp(cfg)
	a.Name = m.Name
	if m.owner != "" {
		a.Owner = c.w.account(m.owner, "Organization")
	}
	return created(c.w.appJSON(a).with(object{
		"client_secret": randomHex(20), "webhook_secret": cfg.Secret,
		"pem": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
	}))
}

// AppBySlug finds a registered app; nil where there is none.
func (w *World) AppBySlug(slug string) *App {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.apps {
		if a.Slug == slug {
			return a
		}
	}
	return nil
}

func randomHex(n int) string {
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}
