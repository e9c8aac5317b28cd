package main

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/githubsim"
)

// maxSteps is how many things a person does between nothing and a gate.
const maxSteps = 8

// newcomer follows the README with a simulated GitHub and counts what he does.
type newcomer struct {
	t     *testing.T
	world *githubsim.World
	api   string
	dir   string // where he works
	env   []string
	steps []string
	hub   *githubsim.App
	up    *server
}

// From nothing (no key, no secret, no Redis) by the README's own lines to the
// green gate of a labelled issue; then the operator's tools, beside that server.
func TestInstallFromTheREADME(t *testing.T) {
	n := arrive(t)
	do := map[string]func(string){"go": n.build, "setup": n.register, "serve": n.serve, "doctor": n.examine}
	for _, typed := range consoleBlock(t, "## Install it on an organisation") {
		words := strings.Fields(typed)
		verb := words[0]
		if verb == "./parley" {
			verb = words[1]
		}
		if do[verb] == nil {
			t.Fatalf("the README's install section gained a line that this test does not follow: %s", typed)
		}
		n.step(typed)
		do[verb](typed)
	}
	issue := n.label()
	n.awaitGate()
	if len(n.steps) > maxSteps {
		t.Errorf("%d steps, want %d at most", len(n.steps), maxSteps)
	}
	t.Logf("%d steps:\n  %s", len(n.steps), strings.Join(n.steps, "\n  "))
	t.Run("tools", func(t *testing.T) { n.playTools(t, issue) })
	t.Run("without a public address", n.pull)
}

// consoleBlock lists the commands of the first console block below a heading.
func consoleBlock(t *testing.T, heading string) []string {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, ok := strings.Cut(string(raw), "\n"+heading+"\n")
	_, block, ok2 := strings.Cut(below, "```console\n")
	block, _, ok3 := strings.Cut(block, "```")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("the README has no console block below %q", heading)
	}
	var commands []string
	for l := range strings.Lines(block) {
		if typed, ok := strings.CutPrefix(l, "$ "); ok {
			commands = append(commands, strings.TrimSpace(typed))
		}
	}
	return commands
}

// arrive is an organisation with a repository on a GitHub that knows no App.
// Of the README's world three things are put in place of others: GitHub's
// address, the ports, and what stands between the public address and them.
func arrive(t *testing.T) *newcomer {
	redisServer(t)
	n := &newcomer{t: t, steps: []string{"apt-get install redis-server"}, world: githubsim.New(githubsim.Config{}), dir: shortDir(t)}
	t.Cleanup(n.world.Stop)
	api := httptest.NewServer(n.world.Handler())
	t.Cleanup(api.Close)
	n.api = api.URL
	n.world.AddOrg("octo-org", "ann")
	if _, err := n.world.AddRepo("octo-org/shop", map[string]string{"README.md": "# Shop\n"}); err != nil {
		t.Fatal(err)
	}
	if err := n.world.SetPermission("octo-org/shop", "ann", "write"); err != nil {
		t.Fatal(err)
	}
	n.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PARLEY_GITHUB_URL=" + n.api, "PARLEY_LISTEN=" + freeAddress(t), "PARLEY_ADMIN_LISTEN=",
		"PARLEY_CACHE_DIR=" + filepath.Join(n.dir, "cache")}
	return n
}

func (n *newcomer) step(what string) { n.steps = append(n.steps, what) }

// command is a line of the README as the shell starts it.
func (n *newcomer) command(typed string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", "exec "+typed)
	cmd.Dir, cmd.Env = n.dir, n.env
	return cmd
}

// build makes the program in the sources and puts it where the rest is done.
func (n *newcomer) build(typed string) {
	cmd := n.command(strings.Replace(typed, "-o parley", "-o "+filepath.Join(n.dir, "parley"), 1))
	cmd.Dir, cmd.Env = "../..", os.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("%s: %v\n%s", typed, err, out)
	}
}

var pageAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

func (n *newcomer) register(typed string) {
	setup := start(n.t, n.command(typed))
	setup.says("Open http://", 1)
	n.step("confirm on GitHub's page")
	resp, err := http.Get(pageAddress.FindString(setup.text()))
	if err != nil {
		n.t.Fatal(err)
	}
	page := text(n.t, resp)
	form := regexp.MustCompile(`action="([^"]+)".*name="manifest" value="([^"]+)"`).FindStringSubmatch(page)
	if form == nil {
		n.t.Fatalf("no form in %s", page)
	}
	resp, err = http.PostForm(html.UnescapeString(form[1]), url.Values{"manifest": {html.UnescapeString(form[2])}})
	if err != nil {
		n.t.Fatal(err)
	}
	if said := text(n.t, resp); !strings.Contains(said, "Registered") {
		n.t.Fatalf("GitHub sent the browser to %s", said)
	}
	if err := setup.cmd.Wait(); err != nil {
		n.t.Fatalf("%s: %v\n%s", typed, err, setup.text())
	}
	n.hub = n.world.AppBySlug("parley")
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// serve starts the server, puts it where its address leads, and installs the
// App where setup said.
func (n *newcomer) serve(typed string) {
	n.up = start(n.t, n.command(typed))
	n.up.says(`"message":"serving"`, 1)
	const public = "https://parley.example.com"
	if n.hub.HookURL != public+app.HookPath {
		n.t.Errorf("registered for %s", n.hub.HookURL)
	}
	secret := regexp.MustCompile(`PARLEY_WEBHOOK_SECRET=(\S+)`).FindStringSubmatch(n.read("parley-data/parley.env"))[1]
	n.world.SetHook(n.hub, "http://"+n.setting("PARLEY_LISTEN")+app.HookPath, secret)
	n.step("install the App on octo-org")
	if _, err := n.world.Install(n.hub, "octo-org"); err != nil {
		n.t.Fatal(err)
	}
}

func (n *newcomer) read(name string) string {
	raw, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(raw)
}

func (n *newcomer) setting(name string) string {
	for _, e := range n.env {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

func (n *newcomer) examine(typed string) {
	n.settle()
	out, err := n.command(typed).CombinedOutput()
	if err != nil || strings.Contains(string(out), "FAIL") {
		n.t.Errorf("%s: %v\n%s", typed, err, out)
	}
}

func (n *newcomer) settle() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := n.world.Settle(ctx); err != nil {
		n.t.Fatal(err)
	}
}

// label opens an issue and labels it.
func (n *newcomer) label() int {
	raw, err := os.ReadFile("samples/well-written.md")
	if err != nil {
		n.t.Fatal(err)
	}
	title, body, _ := strings.Cut(strings.TrimPrefix(string(raw), "# "), "\n")
	number, err := n.world.OpenIssue("ann", "octo-org/shop", title, body)
	if err == nil {
		n.step("label an issue")
		err = n.world.Label("ann", githubsim.At("octo-org/shop", number), "lifecycle")
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return number
}

// pull goes on with the README's line for a server that GitHub cannot reach.
func (n *newcomer) pull(t *testing.T) {
	n.t = t
	n.up.signal(syscall.SIGTERM)
	if err := n.up.cmd.Wait(); err != nil {
		t.Fatalf("SIGTERM: %v\n%s", err, n.up.text())
	}
	n.world.SetHook(n.hub, "http://127.0.0.1:1"+app.HookPath, "")
	n.up = start(t, n.command("./parley serve --data ./parley-data --pull 1s")) // the README says 10s
	n.up.says(`"message":"serving"`, 1)
	before := len(n.world.Pulls("octo-org/shop"))
	if _, err := n.world.OpenIssue("ann", "octo-org/shop", "Pay at night", "Customers must be able to pay at night.", "lifecycle"); err != nil {
		t.Fatal(err)
	}
	n.await("a pull request of a pulled delivery", func() bool { return len(n.world.Pulls("octo-org/shop")) > before })
}

// awaitGate waits for the check that lets the pull request be merged.
func (n *newcomer) awaitGate() {
	n.t.Helper()
	n.await("a green gate", func() bool {
		for _, number := range n.world.Pulls("octo-org/shop") {
			pull, err := n.world.Pull(githubsim.At("octo-org/shop", number))
			if err != nil {
				return false
			}
			for _, check := range n.world.Checks("octo-org/shop", pull.Head) {
				if check.Name == "parley/gate" && check.Conclusion == "success" {
					return true
				}
			}
		}
		return false
	})
}

func (n *newcomer) await(what string, holds func() bool) {
	n.t.Helper()
	if err := n.comes(holds); err != nil {
		n.t.Fatalf("never: %s\n%s", what, n.up.text())
	}
}

// comes waits until something holds.
func (n *newcomer) comes(holds func() bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return n.world.Await(ctx, holds)
}
