package app

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app/githubapi"
)

// Setup registers an App by GitHub's manifest flow and writes its credentials.
type Setup struct {
	Name      string
	Owner     string // organisation; empty is the person who is signed in
	GitHubURL string // API root
	HookURL   string // public address of the server; empty registers one that leads nowhere
	Pull      bool   // deliveries are to be read from GitHub's log
	Dir       string // where the credentials go
	Listen    string // loopback address of the page
	// Client makes the one call that turns the code into credentials.
	Client *http.Client
	// Opened is told the page's address once it is served.
	Opened func(address string)
}

// Registration is what GitHub gives for a registered App.
type Registration = githubapi.Registration

// credentials is the file a server is started with.
const credentialsFile, keyFile = "parley.env", "parley.private-key.pem"

var formPage = template.Must(template.New("form").Parse(`<!doctype html>
<meta charset="utf-8"><title>Register Parley</title>
<style>body{font:16px/1.5 system-ui;max-width:38rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.2rem}</style>
<h1>Register Parley</h1>
<p>GitHub shows what Parley asks for and makes the App under <b>{{.Owner}}</b>. Nothing is registered before you confirm there.</p>
<form action="{{.Action}}" method="post"><input type="hidden" name="manifest" value="{{.Manifest}}"><button autofocus>Go to GitHub</button></form>
`))

// Form writes the page that starts the flow; state ties GitHub's answer to it.
func (s Setup) Form(w io.Writer, redirect, state string) error {
	m := NewManifest(s.Name, s.hook())
	m.RedirectURL = redirect
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the form: %w", err)
	}
	action := githubapi.WebRoot(s.GitHubURL) + "/settings/apps/new?state=" + url.QueryEscape(state)
	owner := "your own account"
	if s.Owner != "" {
		action = githubapi.WebRoot(s.GitHubURL) + "/organizations/" + url.PathEscape(s.Owner) + "/settings/apps/new?state=" + url.QueryEscape(state)
		owner = s.Owner
	}
	return formPage.Execute(w, struct{ Owner, Action, Manifest string }{owner, action, string(raw)})
}

func (s Setup) hook() string {
	if s.HookURL == "" {
		return ""
	}
	return s.HookURL + HookPath
}

// Run serves the page on loopback until GitHub has sent the person back, then
// writes the credentials.
func (s Setup) Run(ctx context.Context) (Registration, error) {
	if err := s.free(); err != nil { // before an App is made that nobody has the key of
		return Registration{}, err
	}
	ln, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return Registration{}, fmt.Errorf("--listen: %w; give another loopback address", err)
	}
	state := randomHex(16)
	here := "http://" + ln.Addr().String()
	codes := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := s.Form(w, here+"/registered", state); err != nil {
			http.Error(w, "the form could not be written", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /registered", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("state")), []byte(state)) != 1 {
			http.Error(w, "this answer belongs to another registration; start again", http.StatusBadRequest)
			return
		}
		select {
		case codes <- r.URL.Query().Get("code"):
		default: // a reload of the page
		}
		fmt.Fprintln(w, "Registered. Go back to the terminal; this page can be closed.")
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	if s.Opened != nil {
		s.Opened(here + "/")
	}
	var code string
	select {
	case <-ctx.Done():
		err = errors.New("stopped before GitHub answered; nothing was written")
	case code = <-codes:
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	closed := srv.Shutdown(stop)
	<-served
	if err = errors.Join(err, closed); err != nil {
		return Registration{}, err
	}
	return s.Complete(ctx, code)
}

// Complete turns a code into credentials and writes them, readable by their
// owner only. Existing files are never overwritten.
func (s Setup) Complete(ctx context.Context, code string) (Registration, error) {
	if err := s.free(); err != nil {
		return Registration{}, err
	}
	reg, err := githubapi.Register(ctx, s.GitHubURL, code, s.Client)
	if err != nil {
		return reg, err
	}
	key := filepath.Join(s.Dir, keyFile)
	if err := writeSecret(key, reg.PEM); err != nil {
		return reg, err
	}
	absolute, err := filepath.Abs(key)
	if err != nil {
		return reg, fmt.Errorf("place of the key: %w", err)
	}
	env := fmt.Sprintf("PARLEY_APP_ID=%d\nPARLEY_PRIVATE_KEY_FILE=%s\nPARLEY_WEBHOOK_SECRET=%s\n", reg.ID, quoted(absolute), reg.WebhookSecret)
	if s.GitHubURL != "https://api.github.com" {
		env += "PARLEY_GITHUB_URL=" + s.GitHubURL + "\n"
	}
	if s.Pull {
		env += "PARLEY_PULL=10s\n"
	}
	return reg, writeSecret(filepath.Join(s.Dir, credentialsFile), env)
}

// free refuses before an App is made and the code is spent, which works once
// only: the credentials must not be there, and there must be a place for them.
func (s Setup) free() error {
	for _, name := range []string{credentialsFile, keyFile} {
		_, err := os.Lstat(filepath.Join(s.Dir, name))
		switch {
		case err == nil:
			return fmt.Errorf("%s is there already; move it away or give another --dir", filepath.Join(s.Dir, name))
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("--dir: %w; give another one", err)
		}
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("--dir: %w; give another one", err)
	}
	f, err := os.CreateTemp(s.Dir, ".parley-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("--dir: nothing can be written there: %w; give another one", err)
	}
	return nil
}

// quoted is a value as a shell reads it back: the file is sourced, too.
func quoted(value string) string { return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" }

// unquoted undoes quoted, and takes the double quotes people type.
func unquoted(value string) string {
	if len(value) > 1 && value[0] == '\'' && value[len(value)-1] == '\'' {
		return strings.ReplaceAll(value[1:len(value)-1], `'\''`, "'")
	}
	return strings.Trim(value, `"`)
}

func writeSecret(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return fmt.Errorf("write credentials: %w", err)
	}
	return f.Close()
}

// Credentials is an environment with the credentials that setup wrote into dir
// beneath it. Without the file it is the environment alone.
func Credentials(dir string, env func(string) (string, bool)) (func(string) (string, bool), error) {
	path := filepath.Join(dir, credentialsFile)
	info, err := os.Stat(path)
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		return env, nil
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("PARLEY_DATA: %s can be read by others; type: chmod 600 %s", path, path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("PARLEY_DATA: credentials: %w", err)
	}
	written := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			written[name] = unquoted(value)
		}
	}
	return func(name string) (string, bool) {
		if value, ok := env(name); ok {
			return value, true
		}
		value, ok := written[name]
		return value, ok
	}, nil
}

func randomHex(n int) string {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic("no randomness: " + err.Error())
	}
	return hex.EncodeToString(b)
}
