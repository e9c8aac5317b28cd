package githubapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"parley/pipeline"
)

func TestRefusalsAreTyped(t *testing.T) {
	tests := []struct {
		name string
		err  *Error
		want Kind
		as   error
	}{
		{"stale head", graphqlError("STALE_DATA", "Expected branch to point to \"a\" but it did not. Pull and try again."), KindStale, pipeline.ErrStale},
		{"rule set under another type", graphqlError("UNPROCESSABLE", "Repository rule violations found\n\nChanges must be made through a pull request."), KindRules, pipeline.ErrForbidden},
		{"classic protection", graphqlError("BRANCH_PROTECTION_RULE_VIOLATION", "no"), KindRules, pipeline.ErrForbidden},
		{"permission", graphqlError("FORBIDDEN", "Resource not accessible by integration"), KindForbidden, pipeline.ErrForbidden},
		{"gone", graphqlError("NOT_FOUND", "Could not resolve to a node"), KindNotFound, pipeline.ErrNotFound},
		{"content limit in a 200", graphqlError("UNPROCESSABLE", "was submitted too quickly"), KindRate, nil},
		{"hourly limit in a 200", graphqlError("RATE_LIMITED", "API rate limit exceeded"), KindRate, nil},
		{"field this server does not know", graphqlError("undefinedField", "Field 'x' doesn't exist"), KindSchema, nil},
		{"time-out inside", graphqlError("", "Something went wrong while executing your query."), KindDown, nil},
		{"rest: moved branch", rest(422, `{"message":"Update is not a fast forward"}`), KindStale, pipeline.ErrStale},
		{"rest: refused", rest(422, `{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists"}]}`), KindUnprocessable, nil},
		{"rest: secondary limit", rest(403, `{"message":"You have exceeded a secondary rate limit."}`), KindRate, nil},
		{"rest: 429", rest(429, ``), KindRate, nil},
		{"rest: archived", rest(403, `{"message":"Repository was archived so is read-only."}`), KindSuspended, pipeline.ErrGone},
		{"rest: bad gateway page", rest(502, `<html>`), KindDown, nil},
		{"rest: conflict", rest(409, `{"message":"Conflict"}`), KindStale, pipeline.ErrStale},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.err.Kind != test.want {
				t.Errorf("kind %q, want %q", test.err.Kind, test.want)
			}
			if test.as != nil && !errors.Is(test.err, test.as) {
				t.Errorf("%v is not %v", test.err, test.as)
			}
		})
	}
}

func graphqlError(typ, message string) *Error {
	w := wireError{Message: message}
	if strings.ToUpper(typ) == typ {
		w.Type = typ
	} else {
		w.Extensions.Code = typ
	}
	return w.typed("test", answer{header: http.Header{}})
}

func rest(status int, body string) *Error {
	return restError("test", status, http.Header{}, []byte(body))
}

func TestRedact(t *testing.T) {
	secrets := []string{
		"ghs_" + strings.Repeat("a1B2", 9),
		"ghs_12345_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJlLXRleHQ",
		"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjMifQ.abcdefgh_-XYZ",
		"github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
	}
	for _, secret := range secrets {
		for _, text := range []string{"Authorization: Bearer " + secret, "get https://codeload.github.com/o/r/legacy.tar.gz/x?token=" + secret + "&y=1", "bad " + secret + "\n"} {
			if got := Redact(text); strings.Contains(got, secret) || strings.Contains(got, secret[len(secret)-10:]) {
				t.Errorf("%q stays in %q", secret, got)
			}
		}
	}
	plain := "create branch lifecycle/TLS-login-7: the token of installation 9 was refused"
	if got := Redact(plain); got != plain {
		t.Errorf("plain words changed: %q", got)
	}
}
