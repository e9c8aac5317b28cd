package githubsim

import (
	"errors"
	"fmt"
)

// kind of a refusal, which REST shows as a status and GraphQL as errors[].type.
type kind int

const (
	badRequest kind = iota
	unauthorized
	forbidden
	notFound
	conflict
	unprocessable
	stale
	protected
	unavailable
	rateLimited
	readOnly
)

var kinds = map[kind]struct {
	status int
	typ    string
}{
	badRequest:    {400, "BAD_REQUEST"},
	unauthorized:  {401, "UNAUTHORIZED"},
	forbidden:     {403, "FORBIDDEN"},
	notFound:      {404, "NOT_FOUND"},
	conflict:      {409, "UNPROCESSABLE"},
	unprocessable: {422, "UNPROCESSABLE"},
	stale:         {409, "STALE_DATA"},
	protected:     {422, "BRANCH_PROTECTION_RULE_VIOLATION"},
	unavailable:   {503, "SERVICE_UNAVAILABLE"},
	rateLimited:   {403, "RATE_LIMITED"},
	readOnly:      {403, "FORBIDDEN"},
}

// refusal is an error GitHub would answer with. It is also what the methods
// for people return.
type refusal struct {
	kind    kind
	message string
	details []detail
	// texts: the details are bare sentences, as reviews word them.
	texts bool
}

// detail is one entry of a 422's errors.
type detail struct {
	Resource string `json:"resource,omitempty"`
	Code     string `json:"code,omitempty"`
	Field    string `json:"field,omitempty"`
	Message  string `json:"message,omitempty"`
}

// plainly is a refusal whose details are bare sentences.
func plainly(err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	bare := *r
	bare.texts = true
	return &bare
}

func (r *refusal) Error() string {
	if len(r.details) > 0 && r.details[0].Message != "" {
		return r.message + ": " + r.details[0].Message
	}
	return r.message
}

func refuse(k kind, format string, args ...any) *refusal {
	return &refusal{kind: k, message: fmt.Sprintf(format, args...)}
}

// invalid is the 422 of GitHub's validation.
func invalid(resource, field, message string) *refusal {
	return &refusal{kind: unprocessable, message: "Validation Failed",
		details: []detail{{Resource: resource, Code: "custom", Field: field, Message: message}}}
}

func missing(resource, field string) *refusal {
	return &refusal{kind: unprocessable, message: "Validation Failed",
		details: []detail{{Resource: resource, Code: "missing_field", Field: field}}}
}

// bodyLimit is what an issue, pull request or comment may hold.
const bodyLimit = 65536

func checkBody(resource, body string) error {
	if len([]rune(body)) > bodyLimit {
		return invalid(resource, "body", "body is too long (maximum is 65536 characters)")
	}
	return nil
}
