package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// quietParser is the command line's parser; what it would do stays undone.
func quietParser() *kong.Kong {
	t := &terminal{out: io.Discard, err: io.Discard}
	return newParser(t, kong.Exit(func(int) {}), kong.Bind(t))
}

// places lists every command, those with commands below them included.
func places(n *kong.Node) []string {
	out := []string{place(n)}
	for _, child := range n.Children {
		out = append(out, places(child)...)
	}
	return out
}

var shellWords = regexp.MustCompile(`"[^"]*"|\S+`)

// shellArgs finds a parley command in a line of shell, as its arguments.
func shellArgs(line string) (args []string, ok bool) {
	_, rest, ok := strings.Cut(" "+line, "parley ")
	if !ok {
		return nil, strings.HasSuffix(line, "parley")
	}
	for _, w := range shellWords.FindAllString(rest, -1) {
		if strings.ContainsAny(w[:1], "|>#;&)") {
			break
		}
		args = append(args, strings.Trim(strings.TrimSuffix(w, ")"), `"`))
	}
	return args, true
}

// Every command shows examples, and every example is understood.
func TestEveryCommandHasExamples(t *testing.T) {
	all := places(quietParser().Model.Node)
	for name := range examples {
		if !slices.Contains(all, name) {
			t.Errorf("examples for %q, which is no command", name)
		}
	}
	for _, name := range all {
		code, help, errs := line(t, nil, append(strings.Fields(name), "--help")...)
		if code != 0 || errs != "" {
			t.Errorf("parley %s --help: exit %d: %s", name, code, errs)
		}
		if len(examples[name]) == 0 {
			t.Errorf("parley %s has no example", name)
		}
		for _, ex := range examples[name] {
			if !strings.Contains(help, "\n    "+ex+"\n") {
				t.Errorf("parley %s --help does not show %q:\n%s", name, ex, help)
			}
			args, ok := shellArgs(ex)
			if !ok || !strings.HasPrefix(strings.Join(args, " "), name) {
				t.Errorf("%q is no example of parley %s", ex, name)
			}
			if _, err := quietParser().Parse(args); err != nil {
				t.Errorf("%s: %v", ex, err)
			}
		}
	}
}

// What is not understood is answered with the nearest that would be, and with
// where it is explained.
func TestMistypedIsMetWithTheNearest(t *testing.T) {
	for typed, want := range map[string]string{
		"trye issue.md":                   `unexpected argument trye, did you mean "try"? | parley --help`,
		"sesions list":                    `unexpected argument sesions, did you mean "sessions"? | parley --help`,
		"sessions lst":                    `unexpected argument lst, did you mean "list"? | parley sessions --help`,
		"queue chek --fix":                `unexpected argument chek, did you mean "check"? | parley queue --help`,
		"dead retyr p3-17":                `unexpected argument retyr, did you mean "retry"? | parley dead --help`,
		"messages lits":                   `unexpected argument lits, did you mean "list"? | parley messages --help`,
		"sessions list --stauts active":   `unknown flag --stauts, did you mean "--status"? | parley sessions list --help`,
		"sessions --stauts active":        `unknown flag --stauts, did you mean "--status"? | parley sessions --help`,
		"try issue.md --formt json":       `unknown flag --formt, did you mean "--format"? | parley try --help`,
		"serve --dta x":                   `unknown flag --dta, did you mean "--data"? | parley serve --help`,
		"sessions list --status finished": `--status must be one of "","active","paused","completed","aborted" but got "finished" | parley sessions list --help`,
		"sessions stats --since 3x":       `--since: "3x" is not a time such as 12h or 30d | parley sessions stats --help`,
		"queue redeliver --since=-1d":     `--since: "-1d" is not a time such as 12h or 30d | parley queue redeliver --help`,
		"completion tcsh":                 `<shell> must be one of "bash","zsh","fish" but got "tcsh" | parley completion --help`,
		"try":                             `expected "<file>" | parley try --help`,
		"version of what":                 `unexpected argument of | parley version --help`,
	} {
		t.Run(typed, func(t *testing.T) {
			code, out, errs := line(t, nil, strings.Fields(typed)...)
			says, see, _ := strings.Cut(want, " | ")
			if diff := cmp.Diff("parley: "+says+"\nparley: see "+see+"\n", errs); diff != "" || code != 2 || out != "" {
				t.Errorf("exit %d, %s, %s", code, out, diff)
			}
		})
	}
}

// shells that are here, and how each is asked for what may follow a line.
var shells = map[string]string{
	"bash": `source "$1"
IFS=' ' read -ra COMP_WORDS <<<"$2"
[ "${2% }" = "$2" ] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_parley
printf '%s\n' "${COMPREPLY[@]}"`,
	"fish": `source $argv[1]
complete -C $argv[2] | string split -f1 \t; true`,
	"zsh": `compdef() { : }
compadd() { shift; print -l -- ${(M)@:#$words[CURRENT]*} }
source $1
words=("${(@s: :)2}") CURRENT=$#words
_parley`,
}

func TestCompletion(t *testing.T) {
	for shell, ask := range shells {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil && shell == "bash" {
				t.Fatal("bash is not here")
			} else if err != nil {
				t.Skip(shell + " is not here: its completion is not tried")
			}
			code, script, errs := line(t, nil, "completion", shell)
			if code != 0 {
				t.Fatal(errs)
			}
			for typed, want := range map[string]string{
				"parley q":               "queue",
				"parley queue ":          "status check redeliver hold release",
				"parley queue check --f": "--fix",
				"parley sessions --stat": "--status",
				"parley sessions list --status paused --for": "--format",
				"parley sessions stats --format ":            "md json",
				"parley try issue.md --track ":               "standard tiny",
				"parley completion ":                         "bash zsh fish",
			} {
				args := []string{"-c", ask, shell, write(t, "completion", script), typed}
				if shell == "fish" {
					args = append(args[:2], args[3:]...)
				}
				cmd := exec.Command(program, args...)
				cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + filepath.Dir(program) + ":/usr/bin:/bin"}
				out, err := cmd.CombinedOutput()
				got := slices.DeleteFunc(strings.Fields(string(out)), func(w string) bool {
					return strings.HasPrefix(w, "--") && strings.HasSuffix(typed, " ") // flags are offered too, by some
				})
				if diff := cmp.Diff(slices.Sorted(slices.Values(strings.Fields(want))), slices.Sorted(slices.Values(got))); err != nil || diff != "" {
					t.Errorf("%q: %v %s\n%s", typed, err, diff, out)
				}
			}
		})
	}
}
