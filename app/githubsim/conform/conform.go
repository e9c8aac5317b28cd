package conform

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/vektah/gqlparser/v2/ast"

	"parley/app/githubsim"
)

// base is where the description is told to stand; nothing listens there.
const base = "http://api.test"

// wrong are places where the description contradicts itself or the service.
var wrong = map[string]string{
	"GET /app/installations: answer": "account must be a user and an enterprise at once (allOf for anyOf)",
}

// Recorder validates exchanges as they end and keeps what was wrong. It is
// safe for concurrent use.
type Recorder struct {
	router routers.Router
	schema *ast.Schema

	mu       sync.Mutex
	problems map[string]int
	seen     map[string]int
}

// Open loads the descriptions; the error is fs.ErrNotExist where the peers are
// not installed.
func Open(peers string) (*Recorder, error) {
	path := filepath.Join(peers, "node_modules", "@octokit", "openapi", "generated", "api.github.com.json")
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("github's description: %w", err)
	}
	doc, err := openapi3.NewLoader().LoadFromFile(path)
	if err != nil {
		return nil, fmt.Errorf("github's description: %w", err)
	}
	doc.Servers = openapi3.Servers{{URL: base}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("github's description: %w", err)
	}
	schema, err := Schema(peers)
	if err != nil {
		return nil, err
	}
	return &Recorder{router: router, schema: schema, problems: map[string]int{}, seen: map[string]int{}}, nil
}

// Record validates one exchange. Codeload is in no description.
func (r *Recorder) Record(e githubsim.Exchange) {
	if strings.HasPrefix(e.URL, "/_codeload/") || e.Status == http.StatusMethodNotAllowed {
		return
	}
	validate := r.rest
	if strings.HasPrefix(e.URL, "/graphql") {
		validate = r.graphql
	}
	operation, problems := validate(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[operation]++
	for _, p := range problems {
		kind, _, _ := strings.Cut(p, ":")
		if _, known := wrong[operation+": "+kind]; !known {
			r.problems[operation+": "+p]++
		}
	}
}

// Problems lists what was wrong, each once, sorted.
func (r *Recorder) Problems() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sorted(r.problems)
}

// Operations lists the operations that were exchanged.
func (r *Recorder) Operations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sorted(r.seen)
}

func sorted(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (r *Recorder) rest(e githubsim.Exchange) (operation string, problems []string) {
	req, err := http.NewRequest(e.Method, base+routable(e.URL), bytes.NewReader(e.Body))
	if err != nil {
		return e.Method + " " + e.URL, []string{err.Error()}
	}
	req.Header = e.Header.Clone()
	route, params, err := r.router.FindRoute(req)
	if err != nil {
		return e.Method + " " + e.URL, []string{"no such operation"}
	}
	operation = e.Method + " " + route.Path
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	refused := e.Status == http.StatusUnprocessableEntity || e.Status == http.StatusBadRequest
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil && !refused {
		problems = append(problems, "request: "+brief(err))
	}
	if !refused {
		for _, field := range unknownFields(route.Operation, e.Body) {
			problems = append(problems, "request: unknown field "+field)
		}
	}
	if e.Status >= 300 && e.Status < 400 {
		return operation, problems
	}
	header := e.AnswerHeader.Clone()
	if header.Get("Content-Type") == "" && len(e.Answer) > 0 {
		header.Set("Content-Type", "application/json; charset=utf-8")
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: e.Status, Header: header,
		Body: io.NopCloser(bytes.NewReader(e.Answer)), Options: in.Options}
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		problems = append(problems, "answer: "+brief(err))
	}
	return operation, problems
}

// slashed are the routes whose last parameter may hold slashes; the router
// takes one segment only, so they are escaped for the look-up.
var slashed = regexp.MustCompile(`^(/repos/[^/]+/[^/]+/(?:contents|git/ref|git/refs|git/matching-refs|git/trees|branches|compare|tarball|rules/branches)/)([^?]+)(.*)$`)

// byNumber is where a renamed repository redirects to; the description knows
// repositories by name only.
var byNumber = regexp.MustCompile(`^/repositories/\d+`)

func routable(path string) string {
	path = byNumber.ReplaceAllString(path, "/repos/by/number")
	m := slashed.FindStringSubmatch(path)
	if m == nil {
		return path
	}
	tail, err := url.PathUnescape(m[2])
	if err != nil {
		return path
	}
	return m[1] + url.PathEscape(tail) + m[3]
}

// brief cuts the schema and value that kin-openapi prints below an error.
func brief(err error) string {
	text := err.Error()
	if cut := strings.Index(text, "\nSchema:"); cut > 0 {
		text = text[:cut]
	}
	return strings.ReplaceAll(text, "\n", " ")
}
