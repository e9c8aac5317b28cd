package app_test

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/app/githubsim"
)

// act is a command that changes the world; the app comes to rest after it.
type act struct {
	least  int // arguments
	counts int // as so many commands; those in a text are counted there
	do     func(*stage, *testscript.TestScript, []string) error
}

// acts are what people can do.
var acts = map[string]act{
	"issue":   {1, 0, openIssue},
	"label":   {2, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.world.Label(a[0], s.at(), a[1]) }},
	"unlabel": {2, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.world.Unlabel(a[0], s.at(), a[1]) }},
	"comment": {3, 0, comment},
	"edit":    {2, 0, editComment},
	"push":    {3, 1, push},
	"review":  {3, 0, review},
	"line":    {4, 0, lineComment},
	"reply": {2, 0, func(s *stage, ts *testscript.TestScript, a []string) error {
		return s.inThread(a[0], "reply", s.text(ts, a[1]))
	}},
	"resolve":   {1, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.inThread(a[0], "resolve", "") }},
	"unresolve": {1, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.inThread(a[0], "unresolve", "") }},
	"click":     {2, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.onGate(a[0], a[1]) }},
	"rerun":     {1, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.onGate(a[0], "") }},
	"close":     {2, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.onConversation(a, s.world.Close) }},
	"reopen":    {2, 1, func(s *stage, _ *testscript.TestScript, a []string) error { return s.onConversation(a, s.world.Reopen) }},
	"merge":     {1, 1, merge},
	"body":      {3, 1, editBody},
	"do":        {1, 1, do},
	"hooks":     {1, 0, hooks},
	"fault":     {1, 0, addFault},
}

func (s *stage) at() githubsim.Where { return githubsim.At(repoName, s.issue) }

// text reads an argument, or with @ the file it names; $VARIABLES were
// expanded already.
// The commands in it are counted.
func (s *stage) text(ts *testscript.TestScript, arg string) string {
	if name, ok := strings.CutPrefix(arg, "@"); ok {
		arg = ts.ReadFile(name)
	}
	s.commands += min(5, len(commandLine.FindAllString(arg, -1)))
	return arg
}

var commandLine = regexp.MustCompile(`(?m)^/[a-z]`)

// issueFile splits a Markdown file into title and body.
func issueFile(raw string) (title, body string) {
	head, rest, _ := strings.Cut(strings.TrimLeft(raw, "\n"), "\n")
	return strings.TrimSpace(strings.TrimLeft(head, "# ")), strings.TrimSpace(rest)
}

func openIssue(s *stage, ts *testscript.TestScript, a []string) error {
	file := ts.Getenv("ISSUE")
	if file == "" {
		file = "issue.md"
	}
	title, body := issueFile(ts.ReadFile(file))
	s.commands += min(1, len(a)-1) // with the label it is a start
	n, err := s.world.OpenIssue(a[0], repoName, title, body, a[1:]...)
	s.issue = n
	return err
}

func comment(s *stage, ts *testscript.TestScript, a []string) error {
	at, err := s.where(a[1])
	if err != nil {
		return err
	}
	_, err = s.world.Comment(a[0], at, s.named(s.text(ts, a[2])))
	return err
}

var grade = regexp.MustCompile(`\*\*(F-\d+) · (blocker|major)`)

// named puts the first finding of its grade for {blocker} and {major}, whose
// numbers move when rules do, and the issue's first session for {first}.
func (s *stage) named(text string) string {
	said, err := s.place("replies")
	if err != nil {
		return text
	}
	for _, m := range grade.FindAllStringSubmatch(said, -1) {
		text = strings.ReplaceAll(text, "{"+m[2]+"}", m[1])
	}
	if state, err := s.session(); err == nil && len(state.Earlier) > 0 {
		text = strings.ReplaceAll(text, "{first}", state.Earlier[0].ID)
	}
	return text
}

func editComment(s *stage, ts *testscript.TestScript, a []string) error {
	k, err := s.newest(func(k githubsim.CommentView) bool { return k.Author != botName })
	if err != nil {
		return err
	}
	return s.world.EditComment(a[0], k.ID, s.text(ts, a[1]))
}

// newest finds the newest comment, on issue or pull request, that fits.
func (s *stage) newest(fits func(githubsim.CommentView) bool) (githubsim.CommentView, error) {
	list := s.world.Comments(s.at())
	if p, err := s.pull(); err == nil {
		list = append(list, s.world.Comments(githubsim.At(repoName, p.Number))...)
	}
	var found githubsim.CommentView
	for _, k := range list {
		if fits(k) && k.ID > found.ID {
			found = k
		}
	}
	if found.ID == 0 {
		return found, fmt.Errorf("no such comment among %d", len(list))
	}
	return found, nil
}

// inFolder makes a path of the session's folder one of the repository; a
// leading slash is the repository's root.
func (s *stage) inFolder(name string) (string, error) {
	if root, ok := strings.CutPrefix(name, "/"); ok {
		return root, nil
	}
	state, err := s.session()
	if err != nil || state.ID == "" {
		return "", fmt.Errorf("no session: %v", err)
	}
	return path.Join(state.Folder(), name), nil
}

// push commits files to the session's branch. "PATH s/old/new/" edits what is there.
func push(s *stage, ts *testscript.TestScript, a []string) error {
	p, err := s.pull()
	if err != nil {
		return err
	}
	have, err := s.world.Files(repoName, p.Branch)
	if err != nil {
		return err
	}
	files := map[string]string{}
	for pair := range slices.Chunk(a[1:], 2) {
		name, err := s.inFolder(pair[0])
		if err != nil {
			return err
		}
		if edit := strings.Split(pair[1], "/"); len(edit) == 4 && edit[0] == "s" {
			changed := strings.Replace(have[name], edit[1], edit[2], 1)
			if changed == have[name] {
				return fmt.Errorf("%s does not say %q:\n%s", name, edit[1], have[name])
			}
			files[name] = changed
			continue
		}
		files[name] = ts.ReadFile(pair[1])
	}
	_, err = s.world.Push(a[0], repoName, p.Branch, files)
	return err
}

func review(s *stage, ts *testscript.TestScript, a []string) error {
	at, err := s.where("pr")
	if err != nil {
		return err
	}
	_, err = s.world.Review(a[0], at, a[1], s.text(ts, a[2]))
	return err
}

func lineComment(s *stage, ts *testscript.TestScript, a []string) error {
	at, err := s.where("pr")
	if err != nil {
		return err
	}
	name, err := s.inFolder(a[1])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(a[2])
	if err != nil {
		return err
	}
	_, err = s.world.ReviewComment(a[0], at, name, n, s.text(ts, a[3]))
	return err
}

// inThread acts in the first open thread.
func (s *stage) inThread(who, what, body string) error {
	at, err := s.where("pr")
	if err != nil {
		return err
	}
	for _, t := range s.world.Threads(at) {
		if t.Resolved != (what == "unresolve") {
			continue
		}
		if what == "reply" {
			return s.world.ReplyThread(who, t.ID, body)
		}
		return s.world.ResolveThread(who, t.ID, what == "resolve")
	}
	return fmt.Errorf("no thread to %s", what)
}

// onGate clicks a button of the gate, or re-runs it.
func (s *stage) onGate(who, button string) error {
	p, err := s.pull()
	if err != nil {
		return err
	}
	if button == "" {
		return s.world.Rerun(who, repoName, p.Head, gateName)
	}
	return s.world.ClickCheckAction(who, repoName, p.Head, gateName, button)
}

func (s *stage) onConversation(a []string, act func(string, githubsim.Where) error) error {
	at, err := s.where(a[1])
	if err != nil {
		return err
	}
	return act(a[0], at)
}

func merge(s *stage, _ *testscript.TestScript, a []string) error {
	at, err := s.where("pr")
	if err != nil {
		return err
	}
	return s.world.MergePull(a[0], at, slices.Contains(a, "-squash"))
}

func editBody(s *stage, ts *testscript.TestScript, a []string) error {
	at, err := s.where(a[1])
	if err != nil {
		return err
	}
	return s.world.EditBody(a[0], at, s.text(ts, a[2]))
}

// hooks holds, releases and repeats deliveries.
func hooks(s *stage, _ *testscript.TestScript, a []string) error {
	switch a[0] {
	case "hold":
		s.world.HoldHooks()
	case "release":
		s.world.ReleaseHooks(nil)
	case "reverse":
		s.world.ReleaseHooks(func(d []*githubsim.Delivery) []*githubsim.Delivery { slices.Reverse(d); return d })
	case "double":
		s.world.FaultHook(githubsim.HookFault{Event: a[1], Copies: 1})
	case "drop":
		s.world.FaultHook(githubsim.HookFault{Event: a[1], Drop: true})
	case "redeliver":
		return s.redeliver(a[1:])
	default:
		return fmt.Errorf("hooks cannot %s", a[0])
	}
	return nil
}

// redeliver sends every delivery of an event again, or all of them.
func (s *stage) redeliver(events []string) error {
	sent := 0
	for _, d := range s.world.Deliveries() {
		if d.Redelivery || (len(events) > 0 && !slices.Contains(events, d.Event)) {
			continue
		}
		if err := s.world.Redeliver(d.ID); err != nil {
			return err
		}
		sent++
	}
	if sent == 0 {
		return fmt.Errorf("nothing to send again")
	}
	return nil
}

// faultFields are the keys of the fault command.
var faultFields = map[string]func(*githubsim.Fault, string) error{
	"method":  func(f *githubsim.Fault, v string) error { f.Method = v; return nil },
	"path":    func(f *githubsim.Fault, v string) error { f.Path = v; return nil },
	"op":      func(f *githubsim.Fault, v string) error { f.Operation = v; return nil },
	"type":    func(f *githubsim.Fault, v string) error { f.Type = v; return nil },
	"message": func(f *githubsim.Fault, v string) error { f.Message = v; return nil },
	"limit":   func(f *githubsim.Fault, v string) error { f.Limit = v; return nil },
	"lost":    func(f *githubsim.Fault, _ string) error { f.Lost = true; return nil },
	"reset": func(f *githubsim.Fault, v string) error {
		f.Before, f.After = v == "before", v == "after"
		return nil
	},
	"status": func(f *githubsim.Fault, v string) (err error) { f.Status, err = strconv.Atoi(v); return err },
	"times":  func(f *githubsim.Fault, v string) (err error) { f.Times, err = strconv.Atoi(v); return err },
	"skip":   func(f *githubsim.Fault, v string) (err error) { f.Skip, err = strconv.Atoi(v); return err },
	"retry":  func(f *githubsim.Fault, v string) (err error) { f.RetryAfter, err = strconv.Atoi(v); return err },
}

func addFault(s *stage, _ *testscript.TestScript, a []string) error {
	var f githubsim.Fault
	for _, arg := range a {
		key, value, _ := strings.Cut(arg, "=")
		set := faultFields[key]
		if set == nil {
			return fmt.Errorf("a fault has no %s", key)
		}
		if err := set(&f, value); err != nil {
			return err
		}
	}
	s.faulty = true
	s.world.AddFault(f)
	return nil
}
