package app_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts plays the conversations in testdata/script: a person acts, the
// app comes to rest, and the script says what is to be seen. Every command
// that acts waits until nothing is on its way any more.
//
//	issue WHO [LABEL...] < issue.md     open an issue: title from its heading; "issue.md" of the script, or $ISSUE
//	label|unlabel WHO NAME              on the issue
//	comment WHO WHERE TEXT              WHERE is issue, pr or #n; TEXT may be @file;
//	                                    {blocker} and {major} are the first finding of that grade,
//	                                    {first} is the id of the first session
//	edit WHO TEXT                       the newest comment of a person
//	push WHO PATH FILE [PATH FILE...]   to the session's branch; PATH is relative to the session folder, /PATH to the root
//	review WHO EVENT TEXT, line WHO PATH N TEXT, reply WHO TEXT, resolve|unresolve WHO
//	click WHO BUTTON, rerun WHO         on the newest gate of the pull request's head
//	close|reopen WHO WHERE, merge WHO [-squash], body WHO WHERE TEXT
//	do WHAT ARG...                      what is done to the repository: see deeds
//	hooks hold|release|reverse|double|drop|redeliver [EVENT...]
//	fault KEY=VALUE...                  the next matching call goes wrong
//
//	[!] sees PLACE REGEXP               PLACE: issue, pr, #n, review, lines, replies, panel, title, check, assignees,
//	                                    commits, files, file:PATH, thread, log, requests (since the mark),
//	                                    feature: the checks on the branch of that name
//	check CONCLUSION, status STATUS [REASON], await STATUS [REASON], task ID STATUS, reacts WHO|issue REACTION
//	count comments|reviews|pulls|checks|threads|open N, requests|created N (at most), beats N
//	mark, silent                        nothing was written by the bot since the mark
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("scripts start servers")
	}
	t.Cleanup(func() { keptManners(t) }) // the scripts run side by side, and are over by then
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("testdata", "script"),
		Setup: setupScript,
		Cmds:  commands,
	})
}

// TestScriptsConform runs after the scripts: no exchange with the API broke
// GitHub's own description.
func TestScriptsConform(t *testing.T) {
	r, err := exchanges()
	if err != nil {
		t.Fatal(err)
	}
	if r == nil {
		t.Skip("NOT CHECKED AGAINST GITHUB'S OPENAPI DESCRIPTION: run make test-peers")
	}
	for _, p := range r.Problems() {
		t.Error(p)
	}
}

type stageKey struct{}

// setupScript opens a stage with the files below repo/ and the settings in
// app.env, one NAME=VALUE a line.
func setupScript(env *testscript.Env) error {
	files, err := readTree(filepath.Join(env.WorkDir, "repo"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		files = map[string]string{"README.md": "# Shop\n\nA small shop.\n", "src/cart.go": "package src\n"}
	}
	if _, err := os.Stat(filepath.Join(env.WorkDir, "empty-repo")); err == nil {
		files = nil
	}
	settings, err := readSettings(filepath.Join(env.WorkDir, "app.env"))
	if err != nil {
		return err
	}
	samples, err := filepath.Abs(filepath.Join("..", "cmd", "parley", "samples"))
	if err != nil {
		return err
	}
	for _, name := range []string{"well-written", "vague", "risky"} {
		env.Setenv(strings.ToUpper(strings.ReplaceAll(name, "-", "_")), filepath.Join(samples, name+".md"))
	}
	s, err := openStage(files, settings)
	if err != nil {
		return err
	}
	env.Values[stageKey{}] = s
	env.Defer(func() {
		s.lookBack(filepath.Base(env.WorkDir))
		s.stop()
	})
	return nil
}

func readTree(root string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if os.IsNotExist(err) {
		return out, nil
	}
	return out, err
}

func readSettings(path string) (map[string]string, error) {
	out := map[string]string{}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			out[name] = value
		}
	}
	return out, nil
}

// withRedis runs the tests with a redis-server on PATH.
func withRedis(run func() int) int {
	if _, err := exec.LookPath("redis-server"); err == nil {
		return run()
	}
	real, err := exec.LookPath("redis-check-rdb")
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tests run a real redis-server: apt-get install redis-tools, or put redis-server on PATH")
		return 1
	}
	dir, err := os.MkdirTemp("", "parley-path")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Symlink(real, filepath.Join(dir, "redis-server")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return run()
}
