package githubapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"parley/pipeline"
)

// Kind is what a refusal of GitHub's means to us.
type Kind string

const (
	KindStale         Kind = "stale"         // the branch is not where we thought
	KindRate          Kind = "rate"          // a limit; carried as *pipeline.NotBefore
	KindForbidden     Kind = "forbidden"     // a permission is missing
	KindNotFound      Kind = "not found"     // gone, or not ours to see
	KindRules         Kind = "rules"         // branch protection or a rule set
	KindUnprocessable Kind = "unprocessable" // GitHub will not take it as it is
	KindAuth          Kind = "auth"          // the token or the app's key is not accepted
	KindUninstalled   Kind = "not installed" // the app is not on that account any more
	KindSuspended     Kind = "suspended"     // the installation is suspended or the repository archived
	KindDown          Kind = "down"          // no answer, or 5xx: the write may have happened
	KindSchema        Kind = "schema"        // this GraphQL does not know a field we asked for
	KindInvalid       Kind = "invalid"       // an answer that cannot be read
)

// Error is a refusal. Its text holds no token.
type Error struct {
	Kind    Kind
	Op      string // what was being done
	Status  int
	Type    string // GraphQL's type
	Path    string // GraphQL's path
	Message string
	Request string // GitHub's request id
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Op, e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Type != "" {
		fmt.Fprintf(&b, " %s", e.Type)
	}
	if e.Path != "" {
		fmt.Fprintf(&b, " at %s", e.Path)
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", Redact(e.Message))
	}
	if e.Request != "" {
		fmt.Fprintf(&b, " [request %s]", e.Request)
	}
	return b.String()
}

var sentinels = map[Kind]error{
	KindStale: pipeline.ErrStale, KindForbidden: pipeline.ErrForbidden, KindRules: pipeline.ErrForbidden,
	KindNotFound: pipeline.ErrNotFound, KindSuspended: pipeline.ErrGone, KindUninstalled: pipeline.ErrGone,
	KindDown: pipeline.ErrUnavailable, KindAuth: pipeline.ErrUnavailable,
}

// Unwrap gives the pipeline's word for it.
func (e *Error) Unwrap() error { return sentinels[e.Kind] }

// is tells whether err is a refusal of one of the kinds.
func is(err error, kinds ...Kind) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, k := range kinds {
		if e.Kind == k {
			return true
		}
	}
	return false
}

// graphqlTypes maps GraphQL's error types. Rule sets answer with other types
// than classic protection, so the words are looked at too.
var graphqlTypes = map[string]Kind{
	"STALE_DATA": KindStale, "RATE_LIMITED": KindRate, "FORBIDDEN": KindForbidden, "NOT_FOUND": KindNotFound,
	"UNPROCESSABLE": KindUnprocessable, "BRANCH_PROTECTION_RULE_VIOLATION": KindRules,
	"UNDEFINEDFIELD": KindSchema, "ARGUMENTNOTACCEPTED": KindSchema, "UNDEFINEDTYPE": KindSchema,
	"VARIABLEREQUIRESVALIDTYPE": KindSchema, "MISSINGREQUIREDARGUMENTS": KindSchema, "PARSE_ERROR": KindSchema,
	"INSUFFICIENT_SCOPES": KindForbidden, "SERVICE_UNAVAILABLE": KindDown, "INTERNAL": KindDown,
}

// phrases are words that decide where a type or status does not.
var phrases = []struct {
	text string
	kind Kind
}{
	{"submitted too quickly", KindRate},
	{"secondary rate limit", KindRate},
	{"abuse detection", KindRate},
	{"rate limit exceeded", KindRate},
	{"resource limits for this query exceeded", KindUnprocessable},
	{"repository rule violations", KindRules},
	{"protected branch", KindRules},
	{"expected branch to point to", KindStale},
	{"is not a fast forward", KindStale},
	{"reference does not exist", KindNotFound},
	{"not accessible by integration", KindForbidden},
	{"has been suspended", KindSuspended},
	{"archived so is read-only", KindSuspended},
	{"repository was archived", KindSuspended},
	{"bad credentials", KindAuth},
}

func kindOfWords(message string) (Kind, bool) {
	lower := strings.ToLower(message)
	for _, p := range phrases {
		if strings.Contains(lower, p.text) {
			return p.kind, true
		}
	}
	return "", false
}

func kindOfType(typ, message string) Kind {
	if kind, ok := kindOfWords(message); ok {
		return kind
	}
	if kind, ok := graphqlTypes[typ]; ok {
		return kind
	}
	if strings.Contains(strings.ToLower(message), "something went wrong while executing your query") {
		return KindDown
	}
	return KindUnprocessable
}

var statusKinds = map[int]Kind{
	http.StatusUnauthorized: KindAuth, http.StatusForbidden: KindForbidden, http.StatusNotFound: KindNotFound,
	http.StatusGone: KindNotFound, http.StatusConflict: KindStale, http.StatusUnprocessableEntity: KindUnprocessable,
	http.StatusTooManyRequests: KindRate, http.StatusUnavailableForLegalReasons: KindSuspended,
}

// restError reads a REST refusal. What GitHub says in errors[] belongs to the
// message: the reason is often only there.
func restError(op string, status int, header http.Header, body []byte) *Error {
	e := &Error{Op: op, Status: status, Request: header.Get("X-GitHub-Request-Id")}
	var said struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &said) == nil {
		e.Message = said.Message
		for _, raw := range said.Errors {
			e.Message += " " + detail(raw)
		}
	}
	e.Message = clip(e.Message)
	kind, ok := kindOfWords(e.Message)
	if !ok {
		kind, ok = statusKinds[status]
	}
	switch {
	case ok:
		e.Kind = kind
	case status >= 500:
		e.Kind = KindDown
	default:
		e.Kind = KindUnprocessable
	}
	return e
}

func detail(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var d struct{ Resource, Field, Code, Message string }
	if json.Unmarshal(raw, &d) != nil {
		return ""
	}
	return strings.TrimSpace(strings.Join([]string{d.Resource, d.Field, d.Code, d.Message}, " "))
}

func clip(text string) string {
	if len(text) > 500 {
		text = strings.ToValidUTF8(text[:500], "") + "…"
	}
	return strings.TrimSpace(text)
}

// What GitHub's wires carry besides the shapes that pipeline knows: signed
// addresses of archives, and a header that an error text may quote. Nothing
// assumes a length: installation tokens come in a long form too.
var wireSecrets = regexp.MustCompile(`(?i)(\b(?:bearer|basic) +|[?&](?:token|access_token|sig|signature|x-amz-signature)=|\bv1\.)[A-Za-z0-9_.\-+/=%]{16,}`)

var redactor = pipeline.NewRedactor(nil)

// Redact takes out of text whatever may be a credential of GitHub's.
func Redact(text string) string {
	return redactor.Clean(wireSecrets.ReplaceAllString(text, "${1}"+pipeline.Redacted))
}
