package command

import (
	"regexp"
	"slices"
	"strings"

	"parley/pipeline"
)

const (
	// First is how many commands of one comment run.
	First = 5
	// MaxText is the most text a command carries, in bytes.
	MaxText = 64 << 10
)

// Options say what text a comment had before it was edited.
type Options struct {
	// Edited is set for an edit; only commands that Before lacks count then.
	Edited bool
	Before string
}

// Parsed is what a comment says to us.
type Parsed struct {
	// Commands are the first five, in order. One with a Hint and no verb was
	// misspelt and does not run.
	Commands []pipeline.Command
	// Dropped counts the commands behind the fifth.
	Dropped int
}

// Parse reads the commands a reader sees in a comment.
func Parse(markdown string, opts Options) Parsed {
	found := all(markdown)
	if opts.Edited {
		found = without(found, all(opts.Before))
	}
	parsed := Parsed{Commands: found}
	if len(found) > First {
		parsed.Commands, parsed.Dropped = found[:First:First], len(found)-First
		parsed.Commands[0].Dropped = parsed.Dropped
	}
	return parsed
}

func all(markdown string) []pipeline.Command {
	if !mayCommand(markdown) {
		return nil
	}
	if len(markdown) > MaxText {
		markdown = strings.ToValidUTF8(markdown[:MaxText], "")
	}
	var out []pipeline.Command
	for _, line := range seen([]byte(markdown)) {
		if cmd, ok := read(line); ok {
			out = append(out, cmd)
		}
	}
	return out
}

// mayCommand is the cheap test that spares most comments the Markdown parser:
// some line starts with a slash.
func mayCommand(s string) bool {
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "/") {
			return true
		}
		s = rest
	}
	return false
}

// without keeps of now what before does not have, counting repeats.
func without(now, before []pipeline.Command) []pipeline.Command {
	had := map[string]int{}
	for _, c := range before {
		had[Identity(c)]++
	}
	return slices.DeleteFunc(now, func(c pipeline.Command) bool {
		had[Identity(c)]--
		return had[Identity(c)] >= 0
	})
}

// Identity tells two commands of one comment apart by what they say.
func Identity(c pipeline.Command) string {
	return strings.Join([]string{c.Verb, c.Hint, c.Text}, "\x00")
}

var wordPattern = regexp.MustCompile(`^/([A-Za-z][A-Za-z-]{0,31})$`)

// read turns a visible line into a command or a hint; ok is false for a line
// that is not addressed to us.
func read(l line) (cmd pipeline.Command, ok bool) {
	word, rest := cutWord(l.text)
	m := wordPattern.FindStringSubmatch(word)
	if m == nil {
		return cmd, false
	}
	name := strings.ToLower(m[1])
	if name == "lifecycle" {
		cmd.Prefixed = true
		if word, rest = cutWord(rest); word == "" {
			word = "help"
		}
		if m = wordPattern.FindStringSubmatch("/" + word); m == nil {
			return cmd, false
		}
		name = strings.ToLower(m[1])
	}
	cmd.Verb = verbs[name]
	if cmd.Verb == "start" && !cmd.Prefixed {
		return cmd, false
	}
	if cmd.Verb == "" {
		cmd.Hint = nearest(name, cmd.Prefixed)
		return cmd, cmd.Hint != ""
	}
	rest = shown(rest)
	cmd.Args = arguments(rest)
	cmd.Text = rest
	if l.more != "" {
		cmd.Text += "\n" + l.more
	}
	if takesAll[cmd.Verb] && l.rest != "" {
		cmd.Text += "\n\n" + l.rest
	}
	cmd.Text = strings.TrimSpace(shown(cmd.Text))
	return cmd, true
}

// cutWord takes the first word off a line. Only a blank or a tab parts words:
// exotic spaces stay in the word, which then is no command.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	if at := strings.IndexAny(s, " \t"); at >= 0 {
		return s[:at], strings.TrimLeft(s[at:], " \t")
	}
	return s, ""
}

var (
	taskPattern    = regexp.MustCompile(`(?i)^(research|draft|quality|plan|impl|test|review|dev-fe|qa-fe|arch(-[a-z]+)?)-\d{3}(-r\d{1,2})?$`)
	improvePattern = regexp.MustCompile(`(?i)^improve-[a-z]+-\d{3}$`)
	findingPattern = regexp.MustCompile(`(?i)^f-\d{1,4}$`)
)

const maxArgs = 16

// arguments are the words behind the verb on its own line; ids get their
// proper case, so that draft-002 means DRAFT-002.
func arguments(rest string) []string {
	args := strings.Fields(rest)
	if len(args) == 0 {
		return nil // as it comes back from storage
	}
	args = args[:min(len(args), maxArgs)]
	for i, a := range args {
		switch {
		case taskPattern.MatchString(a), findingPattern.MatchString(a):
			args[i] = strings.ToUpper(a)
		case improvePattern.MatchString(a):
			args[i] = "IMPROVE" + strings.ToLower(a[len("improve"):])
		}
	}
	return args
}

// verbs maps every name and alias of the command table to its verb; takesAll
// holds the verbs whose text goes on to the end of the comment.
var verbs, takesAll = table()

func table() (map[string]string, map[string]bool) {
	names, long := map[string]string{}, map[string]bool{}
	for _, c := range pipeline.Commands {
		names[c.Verb] = c.Verb
		for _, alias := range c.Aliases {
			names[alias] = c.Verb
		}
		long[c.Verb] = strings.Contains(c.Usage, "<text>") || strings.Contains(c.Usage, "<question>")
	}
	return names, long
}
