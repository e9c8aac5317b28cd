package app

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetupRegistersAndWritesCredentials(t *testing.T) {
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.URL.Path != "/api/v3/app-manifests/c0de/conversions" {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"id":42,"slug":"parley-octo","html_url":"https://ghe/apps/parley-octo","webhook_secret":"from-github-0123456789","pem":"PEM"}`)
	}))
	defer github.Close()
	s := Setup{Name: "Parley octo", Owner: "octo", GitHubURL: github.URL + "/api/v3", HookURL: "https://parley.test", Dir: filepath.Join(t.TempDir(), "ann's two words"),
		Listen: "127.0.0.1:0", Client: github.Client()}
	s.Opened = func(address string) { go walkThrough(t, s, address) }
	reg, err := s.Run(context.Background())
	if err != nil || reg.ID != 42 {
		t.Fatalf("%+v, %v", reg, err)
	}
	for _, name := range []string{credentialsFile, keyFile} {
		info, err := os.Stat(filepath.Join(s.Dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	env, _ := os.ReadFile(filepath.Join(s.Dir, credentialsFile))
	for _, want := range []string{"PARLEY_APP_ID=42\n", "PARLEY_WEBHOOK_SECRET=from-github-0123456789\n", "PARLEY_GITHUB_URL=" + s.GitHubURL + "\n"} {
		if !strings.Contains(string(env), want) {
			t.Errorf("%q is not in %s", want, env)
		}
	}
	lookup, err := Credentials(s.Dir, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	sourced, err := exec.Command("sh", "-c", `. "$0" && printf %s "$PARLEY_PRIVATE_KEY_FILE"`, filepath.Join(s.Dir, credentialsFile)).CombinedOutput()
	if key, _ := lookup("PARLEY_PRIVATE_KEY_FILE"); err != nil || key != filepath.Join(s.Dir, keyFile) || string(sourced) != key {
		t.Errorf("the key is read at %q, by a shell at %q, %v", key, sourced, err)
	}
	s.Opened = func(string) { t.Error("the page was opened before it was known that nothing is in the way") }
	again := map[string]func() (Registration, error){"by hand": func() (Registration, error) { return s.Complete(t.Context(), "c0de") },
		"on the page": func() (Registration, error) { return s.Run(t.Context()) }}
	for how, register := range again {
		if _, err := register(); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("a second registration over the first, %s: %v", how, err)
		}
	}
}

// Where the credentials cannot be kept, no App is made.
func TestSetupRefusesAPlaceItCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel() // nobody is waited for
	for _, dir := range []string{file, filepath.Join(file, "data"), "/proc"} {
		s := Setup{Dir: dir, Listen: "127.0.0.1:0", GitHubURL: "http://127.0.0.1:1", Client: http.DefaultClient, Opened: func(string) { t.Errorf("%s: the page was opened", dir) }}
		for how, register := range map[string]func() (Registration, error){"by hand": func() (Registration, error) { return s.Complete(t.Context(), "c0de") },
			"on the page": func() (Registration, error) { return s.Run(over) }} {
			if _, err := register(); err == nil || !strings.HasPrefix(err.Error(), "--dir: ") {
				t.Errorf("%s, %s: %v", dir, how, err)
			}
		}
	}
}

// What setup wrote is read again from the data directory, beneath the environment.
func TestCredentialsAreRead(t *testing.T) {
	dir := t.TempDir()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"PARLEY_APP_ID": "7"}[name]
		return v, ok
	}
	path := filepath.Join(dir, credentialsFile)
	if err := writeSecret(path, "# ours\nPARLEY_APP_ID=42\nPARLEY_WEBHOOK_SECRET=a=b\n\nOPENAI_API_KEY=\"sk\"\n"); err != nil {
		t.Fatal(err)
	}
	lookup, err := Credentials(dir, env)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range []string{"PARLEY_APP_ID", "PARLEY_WEBHOOK_SECRET", "OPENAI_API_KEY", "# ours", "PARLEY_PULL"} {
		if v, ok := lookup(name); ok {
			got[name] = v
		}
	}
	if diff := cmp.Diff(map[string]string{"PARLEY_APP_ID": "7", "PARLEY_WEBHOOK_SECRET": "a=b", "OPENAI_API_KEY": "sk"}, got); diff != "" {
		t.Error(diff)
	}
	for _, elsewhere := range []string{"", t.TempDir()} {
		if lookup, err = Credentials(elsewhere, env); err != nil {
			t.Fatal(err)
		}
		if _, ok := lookup("PARLEY_WEBHOOK_SECRET"); ok {
			t.Errorf("%q has credentials", elsewhere)
		}
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Credentials(dir, env); err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
		t.Errorf("an open file: %v", err)
	}
}

var formParts = regexp.MustCompile(`action="([^"]+)".*name="manifest" value="([^"]+)"`)

// walkThrough is the person with the browser: a forged answer first, then the real one.
func walkThrough(t *testing.T, s Setup, address string) {
	page := get(t, address)
	m := formParts.FindStringSubmatch(page)
	if m == nil {
		t.Errorf("no form in %s", page)
		return
	}
	var manifest Manifest
	if err := json.Unmarshal([]byte(html.UnescapeString(m[2])), &manifest); err != nil {
		t.Error(err)
	}
	if manifest.Hook.URL != "https://parley.test"+HookPath || !strings.HasPrefix(manifest.RedirectURL, address) {
		t.Errorf("manifest %+v", manifest)
	}
	action := html.UnescapeString(m[1])
	if !strings.Contains(action, "/organizations/octo/settings/apps/new?state=") {
		t.Errorf("form goes to %s", action)
	}
	if got := get(t, manifest.RedirectURL+"?code=stolen&state=guess"); !strings.Contains(got, "another registration") {
		t.Errorf("a forged answer was taken: %s", got)
	}
	get(t, manifest.RedirectURL+"?code=c0de&state="+action[strings.Index(action, "state=")+6:])
}

func get(t *testing.T, url string) string {
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(raw)
}
