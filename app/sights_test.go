package app_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/app/githubsim"
)

// commands are all commands of a script: acts, which the app answers before
// the next line is read, and sights, which look at what is there.
var commands = func() map[string]func(*testscript.TestScript, bool, []string) {
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for name, a := range acts {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) { runAct(ts, neg, a, args) }
	}
	for name, look := range sights {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(stageKey{}).(*stage)
			err := look(s, args)
			if (err != nil) != neg {
				if err == nil {
					err = fmt.Errorf("%s is there", strings.Join(args, " "))
				}
				ts.Fatalf("%v", err)
			}
		}
	}
	return out
}()

func runAct(ts *testscript.TestScript, neg bool, a act, args []string) {
	s := ts.Value(stageKey{}).(*stage)
	if len(args) < a.least {
		ts.Fatalf("needs %d arguments", a.least)
	}
	s.commands += a.counts
	err := a.do(s, ts, args)
	if neg && err == nil {
		ts.Fatalf("GitHub let it happen")
	}
	if !neg {
		ts.Check(err)
	}
	if err := s.rest(); err != nil {
		ts.Fatalf("%v\n%s", err, s.log)
	}
}

// sights fail when what they look for is not there; ! turns that round.
var sights = map[string]func(*stage, []string) error{
	"sees":     sees,
	"check":    checkIs,
	"status":   statusIs,
	"await":    await,
	"task":     taskIs,
	"reacts":   reacts,
	"count":    count,
	"requests": func(s *stage, a []string) error { return atMost("requests", s.requests(), a[0]) },
	"created":  func(s *stage, a []string) error { return atMost("created", s.world.Counts().Created, a[0]) },
	"beats": func(s *stage, a []string) error {
		state, err := s.session()
		if err != nil {
			return err
		}
		return same("beats", fmt.Sprint(state.Beats), a[0])
	},
	"mark": func(s *stage, _ []string) error {
		s.mark, s.asked = s.written(), len(s.world.Requests())
		return nil
	},
	"silent": func(s *stage, _ []string) error {
		if now := s.written(); now != s.mark {
			return fmt.Errorf("the bot wrote something:\n%s\nbefore it was\n%s", now, s.mark)
		}
		return nil
	},
}

func same(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s: %s, want %s", what, got, want)
	}
	return nil
}

func atMost(what string, got int, limit string) error {
	n, err := strconv.Atoi(limit)
	if err == nil && got > n {
		err = fmt.Errorf("%d %s, at most %d", got, what, n)
	}
	return err
}

func sees(s *stage, a []string) error {
	if len(a) != 2 {
		return fmt.Errorf("sees PLACE REGEXP")
	}
	re, err := regexp.Compile("(?m)" + a[1])
	if err != nil {
		return err
	}
	text, err := s.place(a[0])
	if err != nil {
		return err
	}
	if !re.MatchString(text) {
		return fmt.Errorf("%s does not show %s:\n%s", a[0], a[1], text)
	}
	return nil
}

// checkIs compares the gate's conclusion, or in_progress, on the present head.
func checkIs(s *stage, a []string) error {
	p, err := s.pull()
	if err != nil {
		return err
	}
	k, ok := s.gate(p.Head)
	if !ok {
		return fmt.Errorf("no %s on %s", gateName, p.Head)
	}
	got := k.Status
	if k.Conclusion != "" {
		got = k.Conclusion
	}
	return same("check", got, a[0])
}

func statusIs(s *stage, a []string) error {
	state, err := s.session()
	if err != nil {
		return err
	}
	got := string(state.Status)
	if len(a) > 1 && state.Wait != nil {
		got += " " + string(state.Wait.Reason)
	}
	return same("status", got, strings.Join(a, " "))
}

// await waits for a status that comes by itself: a failed try is due again
// only after a while, and nothing moves until then.
func await(s *stage, a []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := statusIs(s, a)
		if err == nil {
			return s.rest()
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return err
		}
	}
}

func taskIs(s *stage, a []string) error {
	state, err := s.session()
	if err != nil {
		return err
	}
	for _, t := range state.Tasks {
		if string(t.ID) == a[0] {
			return same(a[0], string(t.Status), a[1])
		}
	}
	return fmt.Errorf("no task %s", a[0])
}

// reacts looks for the bot's reaction on the newest comment of a person, or on
// the issue.
func reacts(s *stage, a []string) error {
	if a[0] == "issue" {
		v, err := s.world.Issue(s.at())
		if err != nil {
			return err
		}
		return hasReaction(v.Reactions, a[1])
	}
	k, err := s.newest(func(k githubsim.CommentView) bool { return k.Author == a[0] })
	if err != nil {
		return err
	}
	return hasReaction(k.Reactions, a[1])
}

func hasReaction(list []string, want string) error {
	for _, r := range list {
		if r == botName+" "+want {
			return nil
		}
	}
	return fmt.Errorf("no %s from the bot among %v", want, list)
}

// count compares how many there are of the bot's things.
func count(s *stage, a []string) error {
	n := 0
	bot := func(list []githubsim.CommentView) {
		for _, k := range list {
			if k.Author == botName {
				n++
			}
		}
	}
	p, noPull := s.pull()
	at := githubsim.At(repoName, p.Number)
	switch a[0] {
	case "comments":
		bot(s.world.Comments(s.at()))
		if noPull == nil {
			bot(s.world.Comments(at))
		}
	case "pulls":
		for _, number := range s.world.Pulls(repoName) {
			if v, err := s.world.Pull(githubsim.At(repoName, number)); err == nil && v.Author == botName {
				n++
			}
		}
	case "reviews":
		for _, v := range s.world.Reviews(at) {
			if v.Author == botName && v.Body != "" {
				n++
			}
		}
	case "open":
		for _, t := range s.world.Threads(at) {
			if !t.Resolved {
				n++
			}
		}
	case "checks":
		n = len(s.world.Checks(repoName, p.Head))
	case "threads":
		n = len(s.world.Threads(at))
	default:
		return fmt.Errorf("cannot count %s", a[0])
	}
	return same(a[0], fmt.Sprint(n), a[1])
}

// written is all the bot has written, to be compared with itself later.
func (s *stage) written() string {
	out := []string{s.said(s.at())}
	if p, err := s.pull(); err == nil {
		at := githubsim.At(repoName, p.Number)
		out = append(out, s.said(at), s.reviews(at, "review"), s.reviews(at, "lines"), p.Title, p.Body, p.Head, s.gateText(p.Head), p.State)
	}
	return strings.Join(out, "\n---\n")
}
