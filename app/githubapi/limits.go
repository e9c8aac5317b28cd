package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"parley/pipeline"
)

// Quota keeps what is known of the limits where all replicas see it.
type Quota interface {
	// ReadBucket returns what any replica learned last; zero when nothing.
	ReadBucket(ctx context.Context, name string) (pipeline.Bucket, error)
	// WriteBucket stores it until its times have passed.
	WriteBucket(ctx context.Context, name string, b pipeline.Bucket) error
	// Spend counts, or returns when it would fit: the zero time is "counted".
	Spend(ctx context.Context, s pipeline.Spend) (time.Time, error)
}

// GitHub's documented ceilings. The gate keeps a fifth of the hourly budget.
const (
	pointsREST    = 900 // a minute; a read is 1, a write 5
	pointsGraphQL = 2000
	contentMinute = 80
	contentHour   = 500
	reserveShare  = 5

	resourceCore    = "core"
	resourceGraphQL = "graphql"
	resourceApp     = "app" // calls as the app itself
)

// limits decides before a request whether it may go, and learns from every
// answer. It never sleeps.
type limits struct {
	quota Quota
	now   func() time.Time
}

// ask is what a request would use.
type ask struct {
	installation int64
	resource     string
	write        bool
	content      int  // documented content-creating calls in it
	gate         bool // may use the reserve
}

func (a ask) bucket() string { return fmt.Sprintf("%s:%d", a.resource, a.installation) }
func (a ask) hold() string   { return fmt.Sprintf("hold:%d", a.installation) }

// admit returns a *pipeline.NotBefore when the request must wait.
func (l *limits) admit(ctx context.Context, a ask) error {
	now := l.now()
	held, err := l.quota.ReadBucket(ctx, a.hold())
	if err != nil {
		return fmt.Errorf("read the limits of installation %d: %w", a.installation, err)
	}
	if held.Hold.After(now) {
		return &pipeline.NotBefore{At: held.Hold, Why: "GitHub asked for a pause"}
	}
	b, err := l.quota.ReadBucket(ctx, a.bucket())
	if err != nil {
		return fmt.Errorf("read the limits of installation %d: %w", a.installation, err)
	}
	if b.Reset.After(now) && b.Limit > 0 {
		if b.Remaining <= 0 {
			return &pipeline.NotBefore{At: b.Reset, Why: "GitHub's hourly limit is used up"}
		}
		if !a.gate && b.Remaining*reserveShare < b.Limit {
			return &pipeline.NotBefore{At: b.Reset, Why: "the rest of GitHub's hourly limit is kept for the gate"}
		}
	}
	return l.spend(ctx, a)
}

// spend paces: points a minute, created content a minute and an hour.
func (l *limits) spend(ctx context.Context, a ask) error {
	points, ceiling := 1, pointsREST
	if a.write {
		points = 5
	}
	if a.resource == resourceGraphQL {
		ceiling = pointsGraphQL
	}
	asks := []pipeline.Spend{{Bucket: "points:" + a.bucket(), N: points, Limit: ceiling, Window: time.Minute}}
	if a.content > 0 {
		name := fmt.Sprintf("content:%d", a.installation)
		asks = append(asks,
			pipeline.Spend{Bucket: name + ":minute", N: a.content, Limit: contentMinute, Window: time.Minute},
			pipeline.Spend{Bucket: name + ":hour", N: a.content, Limit: contentHour, Window: time.Hour})
	}
	for _, s := range asks {
		at, err := l.quota.Spend(ctx, s)
		if err != nil {
			return fmt.Errorf("count against the limits of installation %d: %w", a.installation, err)
		}
		if !at.IsZero() {
			return &pipeline.NotBefore{At: at, Why: "pacing what is created on GitHub"}
		}
	}
	return nil
}

// learn stores what an answer's headers say of the bucket.
func (l *limits) learn(ctx context.Context, a ask, h http.Header) error {
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return nil // Enterprise Server has no limits by default
	}
	if named := h.Get("X-RateLimit-Resource"); named == resourceCore || named == resourceGraphQL {
		a.resource = named
	}
	return l.quota.WriteBucket(ctx, a.bucket(), pipeline.Bucket{Limit: limit, Remaining: remaining, Reset: time.Unix(reset, 0)})
}

// refused turns a limit's answer into the time to wait for: Retry-After, then
// the reset of an empty bucket, then a minute that doubles up to an hour.
func (l *limits) refused(ctx context.Context, a ask, h http.Header) error {
	now := l.now()
	held, err := l.quota.ReadBucket(ctx, a.hold())
	if err != nil {
		return fmt.Errorf("read the limits of installation %d: %w", a.installation, err)
	}
	at, why := time.Time{}, "GitHub's secondary limit"
	switch wait, empty := retryAfter(h, now), h.Get("X-RateLimit-Remaining") == "0"; {
	case !wait.IsZero():
		at = wait
	case empty && !resetOf(h).IsZero():
		at = later(resetOf(h), now.Add(time.Second))
		used := pipeline.Bucket{Limit: max(1, number(h.Get("X-RateLimit-Limit"))), Reset: at}
		if err := l.quota.WriteBucket(ctx, a.bucket(), used); err != nil {
			return fmt.Errorf("store the limits of installation %d: %w", a.installation, err)
		}
		return &pipeline.NotBefore{At: at, Why: "GitHub's hourly limit is used up"}
	default:
		at = now.Add(min(time.Minute<<min(held.Strikes, 6), time.Hour))
		held.Strikes++
	}
	held.Hold = later(held.Hold, at)
	if err := l.quota.WriteBucket(ctx, a.hold(), held); err != nil {
		return fmt.Errorf("store the limits of installation %d: %w", a.installation, err)
	}
	return &pipeline.NotBefore{At: held.Hold, Why: why}
}

// calm ends a series of refusals.
func (l *limits) calm(ctx context.Context, a ask) error {
	held, err := l.quota.ReadBucket(ctx, a.hold())
	if err != nil || held.Strikes == 0 {
		return err
	}
	return l.quota.WriteBucket(ctx, a.hold(), pipeline.Bucket{})
}

// maxWait bounds what a header can make us wait.
const maxWait = 2 * time.Hour

func retryAfter(h http.Header, now time.Time) time.Time {
	text := h.Get("Retry-After")
	if text == "" {
		return time.Time{}
	}
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return now.Add(min(time.Duration(seconds)*time.Second, maxWait))
	}
	if at, err := http.ParseTime(text); err == nil && at.Before(now.Add(maxWait)) {
		return later(at, now.Add(time.Second))
	}
	return now.Add(time.Minute)
}

func resetOf(h http.Header) time.Time {
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(reset, 0)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
