package app

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app/githubsim"
	"parley/pipeline"
)

// sessions counts what the store knows.
func (d *deployment) sessions() int {
	d.t.Helper()
	n := 0
	err := d.app.store.Sessions(context.Background(), func(s pipeline.Session) error {
		if s.ID != "" {
			n++
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

func onRedis(t *testing.T, sweep time.Duration) (*redisProc, func(*Config)) {
	redis := startRedis(t)
	return redis, func(c *Config) { c.RedisURL, c.Sweep = Secret(redis.URL), sweep }
}

// Q5: after FLUSHALL an open session is read back from its branch, and goes on.
func TestQ5RebuildAfterFlush(t *testing.T) {
	redis, cfg := onRedis(t, 0)
	d := deploy(t, cfg)
	number := d.issue("lifecycle")
	before := d.session(number, "waits", ended)
	d.settled()
	before = d.session(number, "waits still", ended)
	if got := redis.command("FLUSHALL"); got != "+OK" {
		t.Fatal(got)
	}
	back := d.session(number, "is read back", ended)
	if back.ID != before.ID || back.PR.Number != before.PR.Number || back.TasksCompleted != before.TasksCompleted {
		t.Errorf("read back %s on #%d with %d tasks; was %s on #%d with %d", back.ID, back.PR.Number, back.TasksCompleted,
			before.ID, before.PR.Number, before.TasksCompleted)
	}
	if before.Status == pipeline.SessionPaused && (back.Wait == nil || back.Wait.Reason != pipeline.WaitRebuilt) {
		t.Errorf("waits for %+v, want a person to look at what was read back", back.Wait)
	}
	d.comment(back.PR.Number, "/status")
	d.settled()
	if got := d.Pulls("octo/shop"); len(got) != 1 {
		t.Errorf("pull requests %v, want the one", got)
	}
	if !strings.Contains(d.log.String(), "this Redis is empty") {
		t.Error("no alarm in the log")
	}
}

// A replica that dies while it reads sessions back leaves word of it.
func TestRebuildIsTakenUpByTheNextSweep(t *testing.T) {
	d := deploy(t, nil)
	number := d.issue("lifecycle")
	d.session(number, "waits", ended)
	d.settled()
	fresh := unserved(t, d) // an empty store of its own
	for range 2 {
		if err := fresh.rebuildIfWanted(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s, err := fresh.store.Stats(t.Context()); err != nil || s.Due != 0 {
			t.Fatalf("%d due before anybody asked (%v)", s.Due, err)
		}
	}
	if err := fresh.store.Set(t.Context(), rebuildKey, []byte(rebuildWanted), rebuildKept); err != nil {
		t.Fatal(err)
	}
	d.AddFault(githubsim.Fault{Method: "GET", Path: "/app/installations", Status: 500, Times: 1})
	if err := fresh.rebuildIfWanted(t.Context()); err == nil {
		t.Fatal("a sweep that saw nothing was taken for a good one")
	}
	if err := fresh.rebuildIfWanted(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := fresh.store.Stats(t.Context()); err != nil || s.Due != 1 {
		t.Errorf("%d sessions handed on, want one (%v)", s.Due, err)
	}
}

// I16, I18: a delivery that did not arrive, or was refused, is found in GitHub's log.
func TestI16SweepTakesInWhatWasMissed(t *testing.T) {
	_, cfg := onRedis(t, 50*time.Millisecond)
	d := deploy(t, cfg)
	eventually(t, "a first sweep", func() bool {
		_, ok, err := d.app.store.Get(context.Background(), "watermark:sweep")
		return err == nil && ok
	})
	number := d.issue("lifecycle")
	s := d.session(number, "waits", ended)
	d.settled()
	d.FaultHook(githubsim.HookFault{Event: "issue_comment", Drop: true})
	d.comment(s.PR.Number, "/help")
	eventually(t, "the command is answered", func() bool { return d.helped(s.PR.Number) })
}

// helped tells whether /help was answered.
func (d *deployment) helped(pr int) bool {
	for _, c := range d.Comments(githubsim.At("octo/shop", pr)) {
		if c.Author != "ann" && strings.Contains(c.Body, "/resume") && strings.Contains(c.Body, "/revise") {
			return true
		}
	}
	return false
}

// Labels set while nobody listened: those since the installation, five an hour.
func TestScanStartsWhatWasMissed(t *testing.T) {
	d := stage(t, func(c *Config) { c.Sweep = time.Hour })
	d.Uninstall(d.installed)
	old := d.issue("lifecycle")
	d.ahead.Add(int64(5 * time.Second))
	var err error
	if d.installed, err = d.Install(d.hub, "octo"); err != nil {
		t.Fatal(err)
	}
	d.ahead.Add(int64(5 * time.Second))
	for range 7 {
		d.issue("lifecycle")
	}
	bot := d.issue()
	d.AddBot("helper[bot]")
	d.may("helper[bot]", "write")
	if err := d.Label("helper[bot]", githubsim.At("octo/shop", bot), "lifecycle"); err != nil {
		t.Fatal(err)
	}
	a := unserved(t, d)
	for range 2 { // the second finds nothing new to do
		if err := a.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := a.store.Stats(t.Context())
	if err != nil || s.Due != startsAnHour {
		t.Errorf("%d sessions started, want %d (%v)", s.Due, startsAnHour, err)
	}
	if _, err := a.store.TakeTurn(t.Context(), pipeline.Key{Repo: d.repo.ID, Issue: old}); err == nil {
		t.Error("an issue labelled before the installation was started")
	}
	if _, err := a.store.TakeTurn(t.Context(), pipeline.Key{Repo: d.repo.ID, Issue: bot}); err == nil {
		t.Error("an issue that a bot labelled was started")
	}
}

// Where a custom property lets repositories in, neither a delivery nor the
// scan begins anything, or asks about the repository, until it is on.
func TestPropertyLetsIn(t *testing.T) {
	d := stage(t, func(c *Config) { c.Sweep, c.Property = time.Hour, "parley" })
	a := unserved(t, d)
	for _, step := range []struct {
		value     string
		requests  int // beyond the lists of installations and repositories
		delivered bool
		started   int
	}{{"", 0, false, 0}, {"off", 0, false, 0}, {"on", 2, true, 3}} {
		if step.value != "" {
			if err := d.SetProperty("octo/shop", "parley", step.value); err != nil {
				t.Fatal(err)
			}
		}
		d.ahead.Add(int64(5 * time.Second)) // labels older than the installation are not ours
		d.issue("lifecycle")
		if err := d.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		said := d.Deliveries()
		slices.Reverse(said)
		label := said[slices.IndexFunc(said, func(x githubsim.Delivery) bool { return x.Action == "labeled" })]
		if err := a.Ingest(t.Context(), label.Event, label.GUID, label.Payload); (err == nil) != step.delivered {
			t.Errorf("property %q: the delivery: %v", step.value, err)
		}
		before := d.Counts().Requests
		if err := a.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := d.Counts().Requests - before - 2; n != step.requests {
			t.Errorf("property %q: %d requests about the repository, want %d", step.value, n, step.requests)
		}
		if s, err := a.store.Stats(t.Context()); err != nil || s.Due != step.started {
			t.Errorf("property %q: %d sessions started, want %d (%v)", step.value, s.Due, step.started, err)
		}
	}
}

// What happened while the installation was suspended is looked for as soon as
// it is back, however far the next sweep is.
func TestUnsuspendLooksForWhatWasMissed(t *testing.T) {
	_, cfg := onRedis(t, time.Hour)
	d := deploy(t, cfg)
	eventually(t, "the first sweep", func() bool {
		_, ok, err := d.app.store.Get(context.Background(), waitKey)
		return err == nil && ok
	})
	d.Suspend(d.installed, true)
	number := d.issue("lifecycle")
	d.settled()
	if n := d.sessions(); n != 0 {
		t.Fatalf("%d sessions while suspended", n)
	}
	d.Suspend(d.installed, false)
	d.session(number, "begins", func(s pipeline.Session) bool { return s.PR.Number > 0 })
}

// Without a webhook the same deliveries are read from GitHub's log.
func TestPull(t *testing.T) {
	_, cfg := onRedis(t, 0)
	d := stage(t, func(c *Config) {
		cfg(c)
		c.Pull, c.Secret = 200*time.Millisecond, ""
	})
	d.serve()
	d.SetHook(d.hub, "", "")
	eventually(t, "a first reading", func() bool {
		_, ok, err := d.app.store.Get(context.Background(), "watermark:pull")
		return err == nil && ok
	})
	number := d.issue("lifecycle")
	s := d.session(number, "waits", ended)
	d.settled()
	d.comment(s.PR.Number, "/help")
	eventually(t, "the command is answered", func() bool { return d.helped(s.PR.Number) })
	reads := 0
	for _, r := range d.Requests() {
		if strings.HasPrefix(r.Path, "/app/hook/deliveries/") {
			reads++
		}
	}
	if n := len(d.Deliveries()); reads > n {
		t.Errorf("%d deliveries were read %d times", n, reads)
	}
}

// G21: where other pull requests are answered, an open head that never had a
// check gets it, once, though nothing was delivered; after that a delivery is
// enough.
func TestG21FirstGate(t *testing.T) {
	d := stage(t, func(c *Config) { c.Sweep = time.Hour })
	if _, err := d.Push("ann", "octo/shop", "main", map[string]string{".github/parley.yml": "other_pulls: success\n"}); err != nil {
		t.Fatal(err)
	}
	open := func(branch string) {
		t.Helper()
		if _, err := d.Push("ann", "octo/shop", branch, map[string]string{branch: "a"}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.OpenPull("ann", "octo/shop", branch, "main", "A fix", ""); err != nil {
			t.Fatal(err)
		}
	}
	answered := func(branch string) {
		t.Helper()
		eventually(t, "the head of "+branch+" has its check", func() bool { return len(d.Checks("octo/shop", d.Head("octo/shop", branch))) > 0 })
		d.settled()
		got := d.Checks("octo/shop", d.Head("octo/shop", branch))
		if len(got) != 1 || got[0].Name != "parley/gate" || got[0].Conclusion != "success" || got[0].Title != "Not a session" {
			t.Errorf("%s: %+v", branch, got)
		}
	}
	open("fix")
	d.serve() // its first sweep finds the head
	answered("fix")
	if err := d.app.scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	answered("fix")
	open("delivered")
	answered("delivered")
}
