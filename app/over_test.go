package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/app/githubsim"
	"parley/pipeline"
)

// Part 7: what is over stays over, whatever Redis forgets. Six of the fifty
// sessions are run; the others are made to look on GitHub as those do.
func TestSweepStartsNothingThatIsOver(t *testing.T) {
	const all, run = 50, 6
	redis, cfg := onRedis(t, 0)
	d := deploy(t, cfg)
	var over []pipeline.Session
	for n := range run {
		redis.forgetPace()
		over = append(over, d.over(n))
	}
	d.settled()
	if err := d.down(); err != nil {
		t.Fatal(err)
	}
	d.SetHook(d.hub, "", "")
	d.may("parley[bot]", "write")
	for n := run; n < all; n++ {
		d.lookalike(n, over[n%run])
	}
	for _, branch := range d.Branches("octo/shop") {
		if branch == "main" {
			continue
		}
		if err := d.DeleteBranch("ann", "octo/shop", branch); err != nil {
			t.Fatal(err)
		}
	}
	pulls := len(d.Pulls("octo/shop"))
	if pulls != all {
		t.Fatalf("%d pull requests, want %d", pulls, all)
	}
	eventually(t, "nobody was told of all that", d.Idle)
	d.ahead.Add(int64(5 * time.Second)) // past what the log still has of this second
	redis.command("FLUSHALL")
	d.cfg.Sweep = 20 * time.Millisecond
	d.serve()
	eventually(t, "a whole sweep", func() bool {
		_, ok, err := d.app.store.Get(context.Background(), waitKey)
		return err == nil && ok
	})
	d.settled()
	if n := d.sessions(); n != 0 {
		t.Errorf("%d sessions after the sweep, want none", n)
	}
	if n := len(d.Pulls("octo/shop")); n != pulls {
		t.Errorf("%d pull requests, there were %d", n, pulls)
	}
}

// over runs a session and ends it: cancelled on the way, merged, the first
// time when it had come to its end, or closed by hand.
func (d *deployment) over(n int) pipeline.Session {
	d.t.Helper()
	number := d.issue("lifecycle")
	s := d.session(number, "has its pull request", func(s pipeline.Session) bool { return s.PR.Number > 0 })
	aborted := func(s pipeline.Session) bool { return s.Status == pipeline.SessionAborted }
	if n == 1 {
		s = d.session(number, "comes to its end", ended)
		d.settled()
	}
	switch n % 3 {
	case 0:
		d.comment(s.PR.Number, "/cancel")
		return d.session(number, "is cancelled", aborted)
	case 1:
		d.end(n, s.PR.Number)
	case 2:
		d.end(n, s.PR.Number)
		return d.session(number, "is closed", aborted)
	}
	return s
}

// end closes or merges a pull request.
func (d *deployment) end(n, pull int) {
	d.t.Helper()
	at := githubsim.At("octo/shop", pull)
	err := error(nil)
	if n%3 == 1 {
		err = d.MergePull("ann", at, n%2 == 0)
	} else {
		err = d.Close("ann", at)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// lookalike leaves on GitHub what the session of has left there, under another
// number: the label, what the bot wrote, the branch and the pull request.
func (d *deployment) lookalike(n int, of pipeline.Session) {
	d.t.Helper()
	number := d.issue("lifecycle")
	id := strings.ReplaceAll(of.ID, fmt.Sprintf("-%d-", of.Issue.Number), fmt.Sprintf("-%d-", number))
	named := strings.NewReplacer(of.ID, id).Replace
	const bot = "parley[bot]"
	said := 0
	for _, k := range d.Comments(githubsim.At("octo/shop", of.Issue.Number)) {
		if k.Author != bot {
			continue
		}
		said++
		if _, err := d.Comment(bot, githubsim.At("octo/shop", number), named(k.Body)); err != nil {
			d.t.Fatal(err)
		}
	}
	pull, err := d.Pull(githubsim.At("octo/shop", of.PR.Number))
	if err != nil || said == 0 || id == of.ID {
		d.t.Fatalf("the session %s left %d comments (%v)", of.ID, said, err)
	}
	if _, err := d.Push(bot, "octo/shop", named(pull.Branch), map[string]string{".workflow/.team/" + id + "/team-session.json": "{}"}); err != nil {
		d.t.Fatal(err)
	}
	opened, err := d.OpenPull(bot, "octo/shop", named(pull.Branch), "main", pull.Title, named(pull.Body))
	if err != nil {
		d.t.Fatal(err)
	}
	d.end(n, opened)
}
