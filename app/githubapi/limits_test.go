package githubapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"parley/pipeline"
)

var limitEpoch = time.Unix(1_750_000_000, 0)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for n := 0; n < len(pairs); n += 2 {
		h.Set(pairs[n], pairs[n+1])
	}
	return h
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

func newLimits(now *time.Time) *limits {
	clock := func() time.Time { return *now }
	return &limits{quota: NewMemoryQuota(clock), now: clock}
}

func waitOf(t *testing.T, err error) time.Time {
	t.Helper()
	var wait *pipeline.NotBefore
	if err != nil && !errors.As(err, &wait) {
		t.Fatalf("%v is no wait", err)
	}
	if wait == nil {
		return time.Time{}
	}
	return wait.At
}

// TestG5ReserveForTheGate: with less than a fifth left only the gate goes on;
// with nothing left nobody does, until the reset. Buckets do not mix.
func TestG5ReserveForTheGate(t *testing.T) {
	now := limitEpoch
	l := newLimits(&now)
	work := ask{installation: 1, resource: resourceGraphQL, write: true}
	gate := work
	gate.gate = true
	reset := now.Add(40 * time.Minute)
	steps := []struct {
		name       string
		left       string
		work, gate time.Time
	}{
		{"plenty", "1001", time.Time{}, time.Time{}},
		{"a fifth", "999", reset, time.Time{}},
		{"nothing", "0", reset, reset},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			h := header("X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", step.left, "X-RateLimit-Reset", unix(reset))
			if err := l.learn(t.Context(), work, h); err != nil {
				t.Fatal(err)
			}
			if at := waitOf(t, l.admit(t.Context(), work)); !at.Equal(step.work) {
				t.Errorf("work waits until %v, want %v", at, step.work)
			}
			if at := waitOf(t, l.admit(t.Context(), gate)); !at.Equal(step.gate) {
				t.Errorf("the gate waits until %v, want %v", at, step.gate)
			}
		})
	}
	for name, other := range map[string]ask{"rest bucket": {installation: 1, resource: resourceCore}, "other installation": {installation: 2, resource: resourceGraphQL}} {
		if at := waitOf(t, l.admit(t.Context(), other)); !at.IsZero() {
			t.Errorf("%s waits too", name)
		}
	}
	now = reset
	if at := waitOf(t, l.admit(t.Context(), work)); !at.IsZero() {
		t.Errorf("still waiting after the reset, until %v", at)
	}
}

// TestG5ToldOnce: while a session's commit and the check on it wait for the
// limit, its run that is in progress says so and until when, out of the gate's
// reserve. A check that needs no commit goes out itself.
func TestG5ToldOnce(t *testing.T) {
	for way, resource := range map[string]string{WritesGraphQL: resourceGraphQL, WritesREST: resourceCore} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			w.deliver(w.taskWrites()[2])
			reset, before := time.Now().Add(40*time.Minute), w.Counts()
			limited := func(ws ...pipeline.Write) pipeline.Receipts {
				t.Helper()
				low := pipeline.Bucket{Limit: 5000, Remaining: 900, Reset: reset}
				if err := w.c.limits.quota.WriteBucket(t.Context(), ask{installation: w.session.Repo.Installation, resource: resource}.bucket(), low); err != nil {
					t.Fatal(err)
				}
				got, err := w.try(nil, ws...)
				if !waits(err) {
					t.Fatalf("got %v", err)
				}
				return got
			}
			for range 3 {
				limited(w.taskWrites()[:3]...)
			}
			runs, _, err := w.eyes.Checks.ListCheckRunsForRef(t.Context(), "octo", "shop", w.session.PR.Head, nil)
			if err != nil || len(runs.CheckRuns) != 1 {
				t.Fatalf("%v: %v", runs, err)
			}
			want := "Waiting for GitHub's rate limit until " + reset.UTC().Format("15:04") + " UTC"
			if run := runs.CheckRuns[0]; run.GetOutput().GetTitle() != want || run.GetStatus() != "in_progress" || run.GetID() != w.session.Posted.CheckID {
				t.Errorf("the run says %q, %s", run.GetOutput().GetTitle(), run.GetStatus())
			}
			if n := w.Counts().Requests - before.Requests; n != 2 { // ours, and the look at it
				t.Errorf("%d requests", n)
			}
			if got := limited(w.taskWrites()[1:3]...); len(got.Done) != 1 || got.Done[0].Key != "t1:check" {
				t.Fatalf("made %+v", got.Done)
			}
			runs, _, err = w.eyes.Checks.ListCheckRunsForRef(t.Context(), "octo", "shop", w.session.PR.Head, nil)
			if err != nil || len(runs.CheckRuns) != 1 || runs.CheckRuns[0].GetOutput().GetTitle() != "DRAFT-002" {
				t.Errorf("%v: the run does not say what is true: %v", err, runs.CheckRuns)
			}
		})
	}
}

// TestG6RefusalsAreWaitedFor: every shape a limit comes in.
func TestG6RefusalsAreWaitedFor(t *testing.T) {
	tests := []struct {
		name string
		h    http.Header
		want time.Duration
	}{
		{"Retry-After", header("Retry-After", "60"), time.Minute},
		{"Retry-After as a date", header("Retry-After", limitEpoch.Add(90*time.Second).UTC().Format(http.TimeFormat)), 90 * time.Second},
		{"Retry-After absurd", header("Retry-After", "999999999"), maxWait},
		{"Retry-After broken", header("Retry-After", "soon"), time.Minute},
		{"empty bucket", header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", unix(limitEpoch.Add(7*time.Minute))), 7 * time.Minute},
		{"no header at all", header(), time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			now := limitEpoch
			l := newLimits(&now)
			if got := waitOf(t, l.refused(t.Context(), ask{installation: 1, resource: resourceCore}, test.h)).Sub(now); got != test.want {
				t.Fatalf("waits %v, want %v", got, test.want)
			}
		})
	}
}

// TestG6Doubles: refusals that name no time double up to an hour, hold every
// bucket of the installation, and are forgotten by an answer.
func TestG6Doubles(t *testing.T) {
	now := limitEpoch
	l := newLimits(&now)
	a := ask{installation: 1, resource: resourceCore}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		at := waitOf(t, l.refused(t.Context(), a, http.Header{}))
		if got := at.Sub(now); got != want*time.Minute {
			t.Fatalf("waits %v, want %v", got, want*time.Minute)
		}
		if held := waitOf(t, l.admit(t.Context(), ask{installation: 1, resource: resourceGraphQL, gate: true})); !held.Equal(at) {
			t.Fatalf("the other bucket is held until %v", held)
		}
		now = at
	}
	if err := l.calm(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := waitOf(t, l.refused(t.Context(), a, http.Header{})).Sub(now); got != time.Minute {
		t.Fatalf("after an answer it waits %v", got)
	}
}

// TestLimitsAreShared: what one replica is told, the next one heeds.
func TestLimitsAreShared(t *testing.T) {
	now := limitEpoch
	one, other := newLimits(&now), newLimits(&now)
	other.quota = one.quota
	a := ask{installation: 1, resource: resourceCore}
	told := waitOf(t, one.refused(t.Context(), a, header("Retry-After", "90")))
	if at := waitOf(t, other.admit(t.Context(), a)); !at.Equal(told) || at.IsZero() {
		t.Fatalf("the other replica goes on at %v, want %v", at, told)
	}
}

func TestContentIsPaced(t *testing.T) {
	now := limitEpoch
	l := newLimits(&now)
	create := ask{installation: 1, resource: resourceGraphQL, write: true, content: 1}
	for n := range contentMinute {
		if err := l.admit(t.Context(), create); err != nil {
			t.Fatalf("the %d. waits: %v", n, err)
		}
	}
	if at := waitOf(t, l.admit(t.Context(), create)); !at.Equal(limitEpoch.Add(time.Minute)) {
		t.Fatalf("the next goes at %v", at)
	}
	edit := create
	edit.content = 0
	if err := l.admit(t.Context(), edit); err != nil {
		t.Fatalf("an edit is held up: %v", err)
	}
	now = now.Add(time.Minute)
	if err := l.admit(t.Context(), create); err != nil {
		t.Fatalf("a minute later: %v", err)
	}
}

func TestSpendNeverExceeds(t *testing.T) {
	now := limitEpoch
	q := NewMemoryQuota(func() time.Time { return now })
	var counted []time.Time
	for n := range 500 {
		now = now.Add(time.Duration(n%7) * 100 * time.Millisecond)
		at, err := q.Spend(context.Background(), pipeline.Spend{Bucket: "b", N: 1, Limit: 10, Window: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if at.IsZero() {
			counted = append(counted, now)
		} else if !at.After(now) {
			t.Fatalf("told to come back at %v when it is %v", at, now)
		}
	}
	for n := 10; n < len(counted); n++ {
		if counted[n].Sub(counted[n-10]) < 5*time.Second {
			t.Fatalf("11 in %v", counted[n].Sub(counted[n-10]))
		}
	}
}
