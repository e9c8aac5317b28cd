package app

import (
	"strings"
	"testing"
)

func TestSlogReachesTheLog(t *testing.T) {
	var out strings.Builder
	to, redact := newLogger(&out, "info")
	redact.add([]string{"sesame-open-sesame"})
	log := slogTo(to)
	log.Debug("unheard")
	log.With("session", "TLS-x").Info("dry run", "key", "sesame-open-sesame", "files", 3)
	got := out.String()
	for _, want := range []string{`"level":"info"`, `"message":"dry run"`, `"session":"TLS-x"`, `"files":"3"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "sesame") || strings.Contains(got, "unheard") {
		t.Errorf("logged %s", got)
	}
}
