package githubsim

import (
	"net/http"
	"strconv"
	"time"
)

// limitKey is a rate limit bucket: an installation's, or with 0 everybody
// else's, for REST ("core") or GraphQL ("graphql").
type limitKey struct {
	installation int64
	resource     string
}

type limit struct {
	used  int
	reset time.Time
}

// spend takes one point; false when none is left in this hour.
func (w *World) spend(key limitKey) (*limit, bool) {
	l := w.limits[key]
	if l == nil || !w.now().Before(l.reset) {
		l = &limit{reset: w.now().Add(time.Hour)}
		w.limits[key] = l
	}
	if l.used >= w.cfg.RateLimit {
		return l, false
	}
	l.used++
	return l, true
}

// Spend uses up an installation's bucket ("core" or "graphql") down to what is left.
func (w *World) Spend(installation int64, resource string, left int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := limitKey{installation, resource}
	l, _ := w.spend(key)
	l.used = max(0, w.cfg.RateLimit-left)
}

func (w *World) limitHeaders(h http.Header, key limitKey, l *limit) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(w.cfg.RateLimit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(w.cfg.RateLimit-l.used))
	h.Set("X-RateLimit-Used", strconv.Itoa(l.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(l.reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", key.resource)
}
