package githubapi

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"parley/pipeline"
)

// C9: who somebody is to the repository is read live, and nothing but the
// repository's own answer makes a writer of him.
func TestC9WhoIsAWriter(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.AddPrivateMember("octo", "private-member")
	if err := w.SetMemberRole("octo/shop", "read"); err != nil {
		t.Fatal(err)
	}
	w.AddPrivateMember("octo", "private-writer")
	for login, role := range map[string]string{"private-writer": "write", "contributor": "read", "ex-member": "none", "triager": "triage",
		"outside-collaborator": "write", "lead_corp": "maintain", "boss": "admin"} {
		w.may(login, role)
	}
	w.AddUser("stranger")
	w.AddBot("other[bot]")
	for login, want := range map[string]pipeline.Permission{
		"stranger": pipeline.PermRead, "contributor": pipeline.PermRead, "ex-member": pipeline.PermNone, "private-member": pipeline.PermRead,
		"triager": pipeline.PermTriage, "private-writer": pipeline.PermWrite, "outside-collaborator": pipeline.PermWrite,
		"lead_corp": pipeline.PermMaintain, "boss": pipeline.PermAdmin,
		"other[bot]": pipeline.PermRead, "deleted-account": pipeline.PermNone, "": pipeline.PermNone,
	} {
		got, err := w.c.Permission(t.Context(), w.session.Repo, login)
		if err != nil || got != want {
			t.Errorf("%q: %v (%v), want %v", login, got, err, want)
		}
	}
}

// C10: whatever goes wrong with the question, the answer is never yes.
func TestC10PermissionUnread(t *testing.T) {
	hang := func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		<-req.Context().Done()
	}
	says := func(status int, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, body, status) }
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		known  bool // he is nobody there, and that is an answer
	}{
		"403":          {says(403, `{"message":"Resource not accessible by integration"}`), false},
		"404":          {says(404, `{"message":"Not Found"}`), true},
		"500":          {says(500, `{"message":"Server Error"}`), false},
		"timeout":      {hang, false},
		"cut off":      {says(200, `{"permission":"admin`), false},
		"no such word": {says(200, `{"permission":"root"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := newWire(t, test.answer)
			c.http.Timeout = 100 * time.Millisecond
			got, err := c.Permission(t.Context(), testRepo, "ann")
			if got != pipeline.PermNone || (err == nil) != test.known {
				t.Fatalf("got %v, %v", got, err)
			}
		})
	}
}

// C11: who was demoted between his comment and its turn is asked about again.
func TestC11Demoted(t *testing.T) {
	w := newWorld(t, WritesAuto)
	for _, role := range []string{"write", "read", "write"} {
		w.may("ann", role)
		got, err := w.c.Permission(t.Context(), w.session.Repo, "ann")
		if want := map[string]pipeline.Permission{"read": pipeline.PermRead, "write": pipeline.PermWrite}[role]; err != nil || got != want {
			t.Errorf("as %s: %v (%v)", role, got, err)
		}
	}
}

// C15: a conversation that was locked takes our words still, or says for good
// that it does not.
func TestC15LockedConversation(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			if err := w.Lock("ann", w.issue()); err != nil {
				t.Fatal(err)
			}
			_, err := w.try(nil, pipeline.Write{Key: "c", Kind: pipeline.WriteComment, Number: 1, Body: "it is over"})
			if err != nil && !errors.Is(err, pipeline.ErrForbidden) {
				t.Fatalf("tried for ever: %v", err)
			}
		})
	}
}

// G12: nothing is asked conditionally, since an answer's tag belongs to a
// token: after a new token the whole body comes, for one request as before.
func TestG12NoConditionalReads(t *testing.T) {
	asked := 0
	_, c := newWire(t, func(rw http.ResponseWriter, req *http.Request) {
		asked++
		if req.Header.Get("If-None-Match") != "" || req.Header.Get("If-Modified-Since") != "" {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Header().Set("ETag", `"of-a-token"`)
		_, _ = io.WriteString(rw, `{"permission":"write","role_name":"write"}`)
	})
	for n := 1; n <= 3; n++ {
		if got, err := c.Permission(t.Context(), testRepo, "ann"); err != nil || got != pipeline.PermWrite || asked != n {
			t.Fatalf("the %d. time: %v, %v, %d requests", n, got, err, asked)
		}
		c.tokens.drop(writeKey(testRepo))
	}
}

func TestPermission(t *testing.T) {
	w := newWorld(t, WritesAuto)
	for role, want := range map[string]pipeline.Permission{"read": pipeline.PermRead, "triage": pipeline.PermTriage, "write": pipeline.PermWrite, "maintain": pipeline.PermMaintain, "admin": pipeline.PermAdmin} {
		w.may("user-"+role, role)
		if got, err := w.c.Permission(t.Context(), w.session.Repo, "user-"+role); err != nil || got != want {
			t.Errorf("%s: got %v, %v", role, got, err)
		}
	}
	for _, login := range []string{"nobody-of-that-name", "a/b", "", "../../octo/shop"} {
		if got, err := w.c.Permission(t.Context(), w.session.Repo, login); err != nil || got >= pipeline.PermTriage {
			t.Errorf("%q: got %v, %v", login, got, err)
		}
	}
}

// TestCustomRole is judged by the coarse permission beside its name, an
// unknown word by nothing.
func TestCustomRole(t *testing.T) {
	tests := []struct {
		name, body string
		want       pipeline.Permission
		ok         bool
	}{
		{"custom role", `{"permission":"write","role_name":"release manager"}`, pipeline.PermWrite, true},
		{"triage hides in read", `{"permission":"read","role_name":"triage"}`, pipeline.PermTriage, true},
		{"old server without role", `{"permission":"admin"}`, pipeline.PermAdmin, true},
		{"a word nobody knows", `{"permission":"owner"}`, pipeline.PermNone, false},
		{"nothing", `{}`, pipeline.PermNone, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, c := newWire(t, reply200(test.body))
			got, err := c.Permission(t.Context(), testRepo, "ann")
			if got != test.want || (err == nil) != test.ok {
				t.Fatalf("got %v, %v", got, err)
			}
		})
	}
}
