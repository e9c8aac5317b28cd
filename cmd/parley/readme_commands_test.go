package main

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	fromNothing = "TestInstallFromTheREADME"
	tools       = "testdata/tools/" // scripts of the same test
	notOurs     = "GitHub's own tool"
)

// ranBy says what runs each command of the README: a test, or a script. A
// command is its words and its flags without their values.
var ranBy = map[string]string{
	"make try": "TestMakeTargets", "make bench": "TestMakeTargets", "make figures": "TestMakeTargets", "make test": "../../.ci/run",
	"try": "TestTryWellWritten", "lint": "TestLint", "completion": "TestCompletion", "manifest --issue-form": "TestIssueForm",
	"go build": fromNothing, "setup --org --url": fromNothing, "serve --data": fromNothing, "doctor --data": fromNothing, "serve --data --pull": fromNothing,
	"serve": "TestSignalsUnderLoadLoseNothing", "set -a;": tools + "sessions.txt",
	"sessions list --status": tools + "sessions.txt", "sessions show": tools + "sessions.txt",
	"sessions stats": tools + "sessions.txt", "sessions stats --format --since": tools + "sessions.txt",
	"queue status": tools + "queue.txt", "queue check --fix": tools + "queue.txt", "queue hold --all": tools + "queue.txt", "queue release --all": tools + "queue.txt",
	"queue redeliver --since": tools + "replay.txt", "replay": tools + "replay.txt",
	"dead list": tools + "dead.txt", "dead retry": tools + "dead.txt",
	"gh repo": notOurs, "gh api": notOurs,
}

var (
	fences = regexp.MustCompile("(?s)```.*?```")
	inline = regexp.MustCompile("`([^`\n]+)`")
	made   = regexp.MustCompile(`(?s)<!-- generated: \w+ -->.*?<!-- end of generated -->`)
	ours   = regexp.MustCompile(`^(?:PARLEY_\w+=\S+ )?(?:\./|bin/)?parley(?: |$)`)
)

// readmeCommands are what a reader may type: lines with a prompt, and inline
// code that begins with a command.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text, out := made.ReplaceAllString(string(raw), ""), []string{}
	for l := range strings.Lines(text) {
		if typed, ok := strings.CutPrefix(l, "$ "); ok {
			out = append(out, strings.TrimSpace(typed))
		}
	}
	for _, m := range inline.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		if word, _, _ := strings.Cut(m[1], " "); ours.MatchString(m[1]) || slices.Contains([]string{"make", "gh", "set", "go", "docker", "kubectl"}, word) {
			out = append(out, m[1])
		}
	}
	return out
}

// Every command of the README is understood, and run by a test.
func TestREADMECommandsAreRun(t *testing.T) {
	missing := maps.Clone(ranBy)
	for _, typed := range readmeCommands(t) {
		name, err := commandName(typed)
		if err != nil {
			t.Errorf("%s: %v", typed, err)
			continue
		}
		delete(missing, name)
		switch by := ranBy[name]; {
		case by == "":
			t.Errorf("the README says %q (%q), and ranBy does not say what runs it", typed, name)
		case strings.HasPrefix(by, "Test"):
			if out, err := exec.Command("grep", "-rlE", "--include=*_test.go", `^func `+by+`\(`, "../..").CombinedOutput(); err != nil {
				t.Errorf("%s is run by %s, which is not there (%s)", name, by, out)
			}
		case by != notOurs:
			words, _, _ := strings.Cut(name, " --")
			if raw, err := os.ReadFile(by); err != nil || !strings.Contains(string(raw), words) {
				t.Errorf("%s is run by %s, which does not: %v", name, by, err)
			}
		}
	}
	for name := range missing {
		t.Errorf("ranBy knows %q, which the README does not say", name)
	}
}

// commandName is a command without what changes from use to use.
func commandName(typed string) (string, error) {
	words := strings.Fields(typed)
	if inner := strings.Index(typed, "<(parley "); inner >= 0 {
		typed = typed[inner+2:]
	}
	if !ours.MatchString(typed) && !strings.HasPrefix(typed, "parley ") {
		return strings.Join(words[:min(2, len(words))], " "), nil
	}
	args, _ := shellArgs(typed)
	k, err := quietParser().Parse(args)
	if err != nil {
		return "", err
	}
	name := place(k.Selected())
	flags := []string{}
	for _, at := range k.Path {
		if at.Flag != nil {
			flags = append(flags, "--"+at.Flag.Name)
		}
	}
	slices.Sort(flags)
	return strings.Join(append([]string{name}, slices.Compact(flags)...), " "), nil
}

// What make does on a reader's behalf is there, and a try is what the README says.
func TestMakeTargets(t *testing.T) {
	for _, target := range []string{"bench", "figures", "check", "test-peers", "soak", "mutants"} {
		if out, err := exec.Command("make", "-C", "../..", "-n", target).CombinedOutput(); err != nil {
			t.Errorf("make %s: %v\n%s", target, err, out)
		}
	}
	for _, sample := range []string{"well-written", "vague", "risky"} {
		out, err := exec.Command("make", "-s", "-C", "../..", "-n", "try", "SAMPLE="+sample).CombinedOutput()
		recipe := strings.Split(strings.TrimSpace(string(out)), "\n")
		last := recipe[len(recipe)-1]
		if want := "bin/parley try cmd/parley/samples/" + sample + ".md --mode spec-only"; err != nil || last != want {
			t.Errorf("make try SAMPLE=%s is %q, want %q (%v)", sample, last, want, err)
		}
	}
	args, _ := shellArgs("parley try samples/vague.md --mode spec-only --quiet")
	if code, out, errs := line(t, nil, append(args, "--out", t.TempDir())...); code != 0 || !strings.Contains(out, "Quality Gate") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// What the tests need is installed by root without being asked, and named to
// everybody else; an apt-get that fails is not passed over.
func TestMakeRedis(t *testing.T) {
	make, err := exec.LookPath("make")
	if err != nil {
		t.Fatal(err)
	}
	const install = "apt-get update -qq\napt-get install -y -qq --no-install-recommends redis-tools\n"
	for name, row := range map[string]struct {
		programs map[string]string
		ok       bool
		says     string
		did      string
	}{
		"there already":  {map[string]string{"id": "echo 0", "apt-get": "echo apt-get $* >>did", "redis-check-rdb": ""}, true, "", ""},
		"root":           {map[string]string{"id": "echo 0", "apt-get": "echo apt-get $* >>did"}, true, "installing redis-tools", install},
		"root offline":   {map[string]string{"id": "echo 0", "apt-get": "exit 100"}, false, "installing redis-tools", ""},
		"root elsewhere": {map[string]string{"id": "echo 0"}, false, "type: sudo apt-get install redis-tools", ""},
		"somebody else":  {map[string]string{"id": "echo 1000", "apt-get": "echo apt-get $* >>did"}, false, "type: sudo apt-get install redis-tools", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			for program, does := range row.programs {
				does = strings.ReplaceAll(does, ">>did", ">>"+path+"/did")
				if err := os.WriteFile(path+"/"+program, []byte("#!/bin/sh\n"+does+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(make, "-s", "-C", "../..", "redis")
			cmd.Env = []string{"PATH=" + path}
			out, err := cmd.CombinedOutput()
			did, _ := os.ReadFile(path + "/did")
			if (err == nil) != row.ok || !strings.Contains(string(out), row.says) || string(did) != row.did {
				t.Errorf("%v: %s; did %q", err, out, did)
			}
			if row.says == "" && len(out) > 0 {
				t.Errorf("says %s", out)
			}
		})
	}
}

// The form names headings that the analyst knows, and sets no label.
func TestIssueForm(t *testing.T) {
	code, out, errs := line(t, nil, "manifest", "--issue-form")
	if code != 0 {
		t.Fatal(errs)
	}
	var form struct {
		Name, Description string
		Labels            []string
		Body              []struct {
			Type, ID   string
			Attributes struct{ Label, Value string }
		}
	}
	if err := yaml.Unmarshal([]byte(out), &form); err != nil {
		t.Fatal(err)
	}
	if form.Name == "" || form.Description == "" || len(form.Labels) > 0 || len(form.Body) < 8 {
		t.Errorf("%+v", form)
	}
	for _, field := range form.Body {
		if field.Attributes.Label == "" && field.Attributes.Value == "" {
			t.Errorf("%s %s says nothing", field.Type, field.ID)
		}
	}
}
