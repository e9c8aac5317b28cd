package conform

import (
	"net/http"
	"strings"
	"testing"

	"parley/app/githubsim"
)

// What is wrong on purpose is found: a recorder that passes everything would
// look the same as a client without mistakes.
func TestRecorderFindsFaults(t *testing.T) {
	all, err := Open(Need(t))
	if err != nil {
		t.Fatal(err)
	}
	const comment = `{"id":1,"node_id":"x","url":"https://a.b","html_url":"https://a.b","user":null,"created_at":"2026-01-01T00:00:00Z",` +
		`"updated_at":"2026-01-01T00:00:00Z","issue_url":"https://a.b","author_association":"OWNER"}`
	tests := []struct {
		name, method, url, body string
		status                  int
		answer, want            string
	}{
		{"right", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 201, comment, ""},
		{"no such operation", "POST", "/repos/o/r/issue/1", `{}`, 201, `{}`, "no such operation"},
		{"field missing", "POST", "/repos/o/r/issues/1/comments", `{}`, 201, comment, `property "body" is missing`},
		{"unknown field", "POST", "/repos/o/r/issues/1/comments", `{"body":"x","bdy":"y"}`, 201, comment, "unknown field bdy"},
		{"unknown field inside", "POST", "/repos/o/r/check-runs", `{"name":"n","head_sha":"a","output":{"title":"t","summary":"s","anotations":[]}}`, 422, `{"message":"m","documentation_url":"d"}`, ""},
		{"unknown field inside, accepted", "PATCH", "/repos/o/r/check-runs/1", `{"output":{"summary":"s","anotations":[]}}`, 404, `{"message":"m"}`, "unknown field output.anotations"},
		{"answer", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 201, `{"id":"one"}`, "answer"},
		{"slashes", "GET", "/repos/o/r/git/ref/heads/a/b", "", 404, `{"message":"m"}`, ""},
		{"document", "POST", "/graphql", `{"query":"{ viewer { logn } }"}`, 200, `{}`, "logn"},
		{"variables", "POST", "/graphql", `{"query":"query($n: Int!) { viewer { followers(first: $n) { totalCount } } }","variables":{"n":"two"}}`, 200, `{}`, "n"},
		{"right document", "POST", "/graphql", `{"query":"{ viewer { login } }"}`, 200, `{}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Recorder{router: all.router, schema: all.schema, problems: map[string]int{}, seen: map[string]int{}}
			r.Record(githubsim.Exchange{Method: tt.method, URL: tt.url, Body: []byte(tt.body), Status: tt.status, Answer: []byte(tt.answer),
				Header: http.Header{"Content-Type": {"application/json"}}, AnswerHeader: http.Header{"Content-Type": {"application/json"}}})
			got := strings.Join(r.Problems(), "\n")
			if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
			if len(r.Operations()) != 1 {
				t.Errorf("operations %v", r.Operations())
			}
		})
	}
}
