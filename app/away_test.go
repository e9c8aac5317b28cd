package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// away is a deployment that was off since then: it was installed before, its
// last sweep was clean, and nothing that follows is delivered until serve.
func away(t *testing.T, since time.Duration, alter func(*Config)) (d *deployment, lastSweep []byte) {
	t.Helper()
	d = stage(t, alter)
	d.Uninstall(d.installed)
	d.ahead.Store(int64(-since - time.Minute))
	var err error
	if d.installed, err = d.Install(d.hub, "octo"); err != nil {
		t.Fatal(err)
	}
	lastSweep = []byte(d.now().UTC().Format(time.RFC3339))
	d.ahead.Store(int64(-since))
	return d, lastSweep
}

// back is the moment when the server returns.
func (d *deployment) back() {
	d.t.Helper()
	eventually(d.t, "GitHub has given up on every delivery", d.Idle)
	d.ahead.Store(0)
}

// I21: the server was off for half an hour. GitHub's log has all of it, and the
// first sweep takes it in: every event once, in the order it happened.
func TestI21OffForHalfAnHour(t *testing.T) {
	const labels, events = 20, 200
	d, swept := away(t, 30*time.Minute, func(c *Config) { c.Sweep = 30 * time.Second })
	a := unserved(t, d)
	if err := a.store.Set(t.Context(), "watermark:sweep", swept, time.Hour); err != nil {
		t.Fatal(err)
	}
	want, got := map[int][]string{}, map[int][]string{}
	var issues []int
	for range labels {
		n := d.issue("lifecycle")
		issues, want[n] = append(issues, n), []string{"start"}
	}
	for i := range events - labels {
		n := issues[i%labels]
		d.comment(n, fmt.Sprintf("/lifecycle feedback part %d", i))
		want[n] = append(want[n], fmt.Sprintf("command part %d", i))
	}
	d.back()
	for range 2 { // the second sweep finds nothing new
		a.sweep(t.Context())
		for _, n := range issues {
			got[n] = append(got[n], taken(t, a, pipeline.Key{Repo: d.repo.ID, Issue: n})...)
		}
		d.ahead.Add(int64(31 * time.Second))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("taken in (-want +got):\n%s\n%s", diff, d.log)
	}
}

// taken empties a session's inbox and tells what was in it. What the scan of
// labels adds for a session that has not begun is left out.
func taken(t *testing.T, a *App, key pipeline.Key) (told []string) {
	t.Helper()
	turn, err := a.store.TakeTurn(t.Context(), key)
	if err != nil {
		return nil
	}
	for next := &turn; next != nil; {
		ev := next.Event
		switch {
		case ev.Command != nil:
			told = append(told, fmt.Sprint(ev.Kind, " ", ev.Command.Text))
		case !strings.HasPrefix(ev.ID, "scan/"):
			told = append(told, string(ev.Kind))
		}
		done, err := a.store.Commit(t.Context(), next.Lease, pipeline.Commit{
			Event: ev.ID, Session: pipeline.Session{Schema: 1, ID: "s", Repo: ev.Repo}, Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		next = done.Next
	}
	return told
}

// I22: the server was off for four days, longer than GitHub's log is read
// back. The label and the open pull request are found where they stand, and
// people are told.
func TestI22OffForFourDays(t *testing.T) {
	redis, cfg := onRedis(t, 20*time.Millisecond)
	d, swept := away(t, 4*24*time.Hour, cfg)
	o, err := NewOperator(t.Context(), Config{RedisURL: Secret(redis.URL)})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.store.Set(t.Context(), "watermark:sweep", swept, time.Hour), o.Close()); err != nil {
		t.Fatal(err)
	}
	number := d.issue("lifecycle:fullstack")
	if _, err := d.Push("ann", "octo/shop", "main", map[string]string{".github/parley.yml": "other_pulls: success\n"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Push("ann", "octo/shop", "fix", map[string]string{"a.txt": "a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.OpenPull("ann", "octo/shop", "fix", "main", "A fix", ""); err != nil {
		t.Fatal(err)
	}
	d.back()
	d.serve()
	if s := d.session(number, "is started", ended); s.Mode != pipeline.Fullstack {
		t.Errorf("started as %s, want what the label says", s.Mode)
	}
	eventually(t, "the pull request has its check", func() bool {
		for _, k := range d.Checks("octo/shop", d.Head("octo/shop", "fix")) {
			if k.Name == "parley/gate" && k.Conclusion == "success" {
				return true
			}
		}
		return false
	})
	d.settled()
	if got := strings.Count(mustThread(t, d, number), "<!-- parley:session"); got != 1 {
		t.Errorf("%d session comments, want people told once", got)
	}
	for _, r := range d.Requests() {
		if strings.HasPrefix(r.Path, "/app/hook/deliveries/") {
			t.Errorf("%s was read: what is older than three days is not to be carried out", r.Path)
		}
	}
}
