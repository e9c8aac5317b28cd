// Command bench measures every number that Parley promises and says for each
// whether it holds: `make bench`.
package main

import (
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// bench is one run of everything.
type bench struct {
	root   string // the repository
	dir    string // thrown away at the end
	binary string // parley
	self   string
	peers  string
	node   string // where probot is installed; empty without npm
	rounds int
	took   time.Duration
	// profiled is where our server's profile goes; admin is its listener then.
	profiled, admin string
	key             []byte
	github          *httptest.Server
	asked           atomic.Int64
	loads           atomic.Int64
	began           time.Time
	rows            []row
	out             io.Writer
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "bare" {
		fail(serveBare(os.Args[2], os.Args[3]))
	}
	root := flag.String("root", "../..", "the repository")
	only := flag.String("only", "", "parts to run, by comma: "+strings.Join(partNames(), ", "))
	rounds := flag.Int("rounds", 3, "webhook rounds; the median counts")
	took := flag.Duration("took", 5*time.Second, "how long one load lasts")
	profile := flag.String("profile", "", "file for a CPU profile of our webhook path")
	figures := flag.Bool("figures", false, "measure nothing: put bench.json into the README")
	flag.Parse()
	if *figures {
		fail(writeFigures(*root))
		return
	}
	b := &bench{rounds: *rounds, took: *took, profiled: *profile, began: time.Now(), out: os.Stdout}
	fail(b.prepare(*root))
	defer os.RemoveAll(b.dir)
	for _, p := range parts {
		if *only != "" && !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		began := time.Now()
		b.say("# %s", p.what)
		if err := p.measure(b); err != nil { // one part's fault leaves the others their numbers
			b.add(row{What: p.what, Missing: err.Error(), Target: target{Op: "to be measured"}})
		}
		b.say("  in %s", time.Since(began).Round(time.Second))
	}
	fail(b.finish(filepath.Join(b.root, "bench.json")))
}

// parts are what is measured, in this order.
var parts = []struct {
	name, what string
	measure    func(*bench) error
}{
	{"webhook", "webhook path", (*bench).webhook},
	{"foreign", "foreign deliveries", (*bench).floods},
	{"loss", "Redis kill -9", (*bench).losses},
	{"session", "spec-only sessions", (*bench).sessions},
	{"recheck", "recheck of an unchanged specification", (*bench).rechecks},
	{"go", "go test -bench", (*bench).goBenchmarks},
	{"held", "promises that tests hold", (*bench).promises},
	{"corpus", "the rules' corpus", (*bench).corpus},
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func (b *bench) prepare(root string) (err error) {
	if b.root, err = filepath.Abs(root); err != nil {
		return err
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "parley-bench"); err != nil {
		return err
	}
	if b.key, err = appKey(); err != nil {
		return err
	}
	b.binary = filepath.Join(b.root, "bin", "parley")
	b.peers = filepath.Join(b.root, ".peers")
	b.github = gitHub(&b.asked)
	if b.profiled != "" {
		if b.admin, err = freePort(); err != nil {
			return err
		}
	}
	return b.install()
}

// install puts Probot and GitHub's example payloads into .peers.
func (b *bench) install() error {
	if _, err := exec.LookPath("npm"); err != nil {
		b.say("npm is not here: the webhook path is not measured")
		return nil
	}
	b.node = filepath.Join(b.peers, "bench")
	if err := os.MkdirAll(b.node, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"package.json", "probot.mjs"} {
		raw, err := os.ReadFile(filepath.Join(b.root, "deploy", "bench", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.node, name), raw, 0o644); err != nil {
			return err
		}
	}
	b.say("installing Probot and GitHub's examples into .peers/bench")
	cmd := exec.Command("npm", "install", "--prefix", b.node, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm install: %w", err)
	}
	b.peers = b.node
	return nil
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.out, format+"\n", args...) }

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
