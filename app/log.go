package app

import (
	"io"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"parley/pipeline"
)

// newLogger writes structured lines from which no secret gets out: whatever a
// field holds, the line is cleaned as a whole on its way.
func newLogger(to io.Writer, level string) (zerolog.Logger, *cleanWriter) {
	l, err := zerolog.ParseLevel(level)
	if err != nil {
		l = zerolog.InfoLevel // config has refused all other words already
	}
	w := &cleanWriter{to: to}
	w.add(nil)
	return zerolog.New(w).Level(l).With().Timestamp().Logger(), w
}

// cleanWriter writes one line at a time, cleaned of the secrets it was told.
type cleanWriter struct {
	mu     sync.Mutex
	to     io.Writer
	known  []string
	redact atomic.Pointer[pipeline.Redactor]
}

// add tells it more secrets; those of before stay known, since a rotated
// secret is still in somebody's hands.
func (w *cleanWriter) add(secrets []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = append(w.known, secrets...)
	w.redact.Store(pipeline.NewRedactor(w.known))
}

// clean is what GitHub is given and what is taken from it, too.
func (w *cleanWriter) clean(text string) string { return w.redact.Load().Clean(text) }

func (w *cleanWriter) Write(line []byte) (int, error) {
	clean := w.clean(string(line))
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := io.WriteString(w.to, clean); err != nil {
		return 0, err
	}
	return len(line), nil
}

// secrets are what may never stand in a log line.
func (c Config) secrets() []string {
	out := []string{string(c.Secret), string(c.SecretOld)}
	if u, err := url.Parse(string(c.RedisURL)); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			out = append(out, password)
		}
	}
	return out
}

// loudOnly is the level of what would log every delivery: all of it where
// somebody debugs, faults otherwise.
func loudOnly(set zerolog.Level) zerolog.Level {
	if set <= zerolog.DebugLevel {
		return set
	}
	return max(set, zerolog.WarnLevel)
}
