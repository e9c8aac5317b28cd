package main

import (
	"bytes"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/app"
	"parley/app/githubsim"
)

var setupForm = regexp.MustCompile(`action="([^"]+)".*name="manifest" value="([^"]+)"`)

// browser answers as soon as setup says which page to open: it presses the
// button, GitHub's page is confirmed, and GitHub sends it back.
type browser struct {
	t    *testing.T
	said bytes.Buffer
	done chan struct{}
}

func (b *browser) Write(p []byte) (int, error) {
	b.said.Write(p)
	if address := pageAddress.FindString(string(p)); address != "" {
		go func() {
			defer close(b.done)
			resp, err := http.Get(address)
			if err != nil {
				b.t.Error(err)
				return
			}
			b.press(text(b.t, resp))
		}()
	}
	return len(p), nil
}

// press sends the form and returns where GitHub leads the browser.
func (b *browser) press(page string) (ends *url.URL) {
	form := setupForm.FindStringSubmatch(page)
	if form == nil {
		b.t.Errorf("no form in %s", page)
		return nil
	}
	client := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error { ends = r.URL; return nil }}
	resp, err := client.PostForm(html.UnescapeString(form[1]), url.Values{"manifest": {html.UnescapeString(form[2])}})
	if err == nil {
		resp.Body.Close()
	}
	return ends // the page of a machine without a browser answers nobody
}

// A person, an organisation and an Enterprise Server are registered for alike,
// with a browser here or elsewhere; doctor knows the App by what was written.
func TestSetupRegistersForAnybody(t *testing.T) {
	for _, row := range []struct {
		name, prefix string // of the API on its host
		args         []string
		owner, hook  string
		elsewhere    bool
	}{
		{"a person", "", []string{"--url", "https://parley.test/"}, "apps-owner", "https://parley.test" + app.HookPath, false},
		{"an organisation", "", []string{"--org", "octo", "--url", "https://parley.test"}, "octo", "https://parley.test" + app.HookPath, false},
		{"an Enterprise Server", "/api/v3", []string{"--org", "octo", "--url", "https://parley.test"}, "octo", "https://parley.test" + app.HookPath, false},
		{"no public address", "", []string{"--org", "octo"}, "octo", app.NoHook, false},
		{"a browser elsewhere", "/api/v3", []string{"--org", "octo"}, "octo", app.NoHook, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			world := githubsim.New(githubsim.Config{})
			t.Cleanup(world.Stop)
			world.AddOrg("octo", "ann")
			mux := http.NewServeMux()
			mux.Handle("/", world.Handler())
			mux.Handle("/api/v3/", http.StripPrefix("/api/v3", world.Handler()))
			host := httptest.NewServer(mux)
			t.Cleanup(host.Close)
			dir := filepath.Join(t.TempDir(), "data")
			args := append([]string{"setup", "--github-url", host.URL + row.prefix}, row.args...)
			b := &browser{t: t, done: make(chan struct{})}
			if row.elsewhere {
				_, page, _ := line(t, nil, append(args, "--print")...)
				back := b.press(page)
				if back == nil || back.Query().Get("code") == "" {
					t.Fatalf("GitHub leads to %v", back)
				}
				args = append(args, "--code", back.Query().Get("code"))
				close(b.done)
			}
			var out bytes.Buffer
			code := run(append(args, "--dir", dir), &terminal{in: strings.NewReader(""), out: &out, err: b, env: func(string) (string, bool) { return "", false }})
			if code != 0 {
				t.Fatalf("exit %d: %s", code, b.said.String())
			}
			<-b.done
			hub := world.AppBySlug("parley")
			if hub == nil || hub.Owner.Login != row.owner || hub.HookURL != row.hook || hub.Permissions["checks"] != "write" {
				t.Fatalf("registered %+v of %+v", hub, hub.Owner)
			}
			written(t, dir)
			code, report, _ := line(t, nil, "doctor", "--data", dir)
			if !strings.Contains(report, "ok    settings: complete") || !strings.Contains(report, "ok    app: parley") {
				t.Errorf("doctor: exit %d\n%s", code, report)
			}
			if pulled := strings.Contains(report, "ok    webhook: not needed: deliveries are pulled every 10s"); pulled != (row.hook == app.NoHook && !row.elsewhere) {
				t.Errorf("doctor of the hook %q:\n%s", row.hook, report)
			}
			if hint := strings.Contains(out.String(), "and --pull 10s, if"); hint != row.elsewhere {
				t.Errorf("says\n%s", out.String())
			}
			if row.hook == app.NoHook {
				logged(t, world, hub)
			}
		})
	}
}

// logged holds GitHub to keeping a log for an App nobody can be sent to, which
// is all that --pull has.
func logged(t *testing.T, world *githubsim.World, hub *githubsim.App) {
	t.Helper()
	if _, err := world.Install(hub, "octo"); err != nil {
		t.Fatal(err)
	}
	if err := world.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := world.Deliveries()
	if len(log) == 0 || log[0].Event != "installation" || log[0].Status != "failed to connect to host" {
		t.Errorf("GitHub's log holds %+v", log)
	}
}

// An address that nothing can be put behind is refused before a page is opened.
func TestSetupRefusesAddresses(t *testing.T) {
	for _, row := range [][2]string{
		{"--github-url", "github.octo.example"}, {"--github-url", "https://"}, {"--url", "parley.test"}, {"--url", "ftp://parley.test"}, {"--url", "https://parley.test/?x=1"},
	} {
		code, out, errs := line(t, nil, "setup", "--print", row[0], row[1])
		if code != 2 || out != "" || !strings.HasPrefix(errs, "parley: "+row[0]+": ") || !strings.Contains(errs, "is no address; ") {
			t.Errorf("%s %s: exit %d: %s%s", row[0], row[1], code, out, errs)
		}
	}
}

// written holds what setup wrote to its owner alone.
func written(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
}
