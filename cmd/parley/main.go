// Command parley is the GitHub App and its tools: flags in, exit code out.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"parley/app/githubsim"
)

// cli is every command. A command is a struct of flags with
// Run(context.Context, *terminal) error.
type cli struct {
	Try        tryCmd        `cmd:"" help:"Run a session on a Markdown file: no keys, no network, no set-up."`
	Discuss    discussCmd    `cmd:"" help:"Judge a document from several perspectives, or tally given answers."`
	Lint       lintCmd       `cmd:"" help:"Judge a specification, or any Markdown, by rules."`
	Setup      setupCmd      `cmd:"" help:"Register the GitHub App and write its credentials."`
	Serve      serveCmd      `cmd:"" help:"Run the App."`
	Role       roleCmd       `cmd:"" help:"Run one role on a session folder by hand."`
	Messages   messagesCmd   `cmd:"" help:"Read and write a session's message bus."`
	Doctor     doctorCmd     `cmd:"" help:"Check the installation and name the remedy for every fault."`
	Replay     replayCmd     `cmd:"" help:"Feed a saved delivery to the queue."`
	Sessions   sessionsCmd   `cmd:"" help:"List sessions, show one, add them up."`
	Dead       deadCmd       `cmd:"" help:"Look at what was given up; retry or drop it."`
	Queue      queueCmd      `cmd:"" help:"Look at the queue, verify it, hold and release."`
	Manifest   manifestCmd   `cmd:"" help:"Print the App manifest, or the issue form."`
	Completion completionCmd `cmd:"" help:"Print the shell's completion script."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// terminal is where a command reads and writes.
type terminal struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	env func(string) (string, bool)
	// watch sees what passes between a try and its GitHub; nil is nobody.
	watch githubsim.Recorder
}

// exit is an error with the process's exit code. An empty text prints nothing.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

// badInput is exit code 2: what was given cannot be used.
func badInput(format string, args ...any) error { return exit{2, fmt.Sprintf(format, args...)} }

func main() {
	t := &terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv}
	os.Exit(run(os.Args[1:], t))
}

// run is main without the process around it.
func run(args []string, t *terminal) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := -1
	parser := newParser(t, kong.Exit(func(n int) { code = n }), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(t))
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if code >= 0 { // --help printed and asked to exit
		return code
	}
	if err != nil {
		misunderstood(t, parser, args, err)
		return 2
	}
	return report(t, k.Run())
}

func newParser(t *terminal, more ...kong.Option) *kong.Kong {
	parser, err := kong.New(&cli{}, append(more, kong.Name("parley"),
		kong.Description("Turn an issue into an argued, gated specification on one pull request."),
		kong.Writers(t.out, t.err))...)
	if err != nil {
		panic("command table: " + err.Error())
	}
	exemplify(parser.Model.Node)
	return parser
}

// misunderstood says what was not understood, the nearest that would have been,
// and where it is explained.
func misunderstood(t *terminal, parser *kong.Kong, args []string, err error) {
	var parse *kong.ParseError
	command := ""
	if errors.As(err, &parse) {
		if at := parse.Context.Selected(); at != nil {
			command = " " + place(at)
			if strings.HasPrefix(err.Error(), "unexpected argument") && at.Parent.DefaultCmd == at {
				// The default command took the misspelt name of a sibling for
				// its argument; without it the parser finds the sibling.
				command = " " + place(at.Parent)
				at.Parent.DefaultCmd = nil
				_, err = parser.Parse(args)
			}
		}
	}
	fmt.Fprintf(t.err, "parley: %v\nparley: see parley%s --help\n", err, command)
}

func report(t *terminal, err error) int {
	if err == nil {
		return 0
	}
	code := 1
	var e exit
	if errors.As(err, &e) {
		code = e.code
	}
	for line := range strings.Lines(err.Error()) { // several mistakes are several lines
		fmt.Fprintf(t.err, "parley: %s\n", strings.TrimRight(line, "\n"))
	}
	return code
}

type versionCmd struct{}

// version is set by the release build; otherwise the module's own is used.
var version = ""

func (versionCmd) Run(t *terminal) error {
	v := version
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
	}
	fmt.Fprintf(t.out, "parley %s\n", v)
	return nil
}
