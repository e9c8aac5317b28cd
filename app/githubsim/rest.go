package githubsim

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// handler answers one REST operation, with the world locked.
type handler func(*call) (*answer, error)

// route is a method and a path; {name} takes one segment, {name...} the rest.
type route struct {
	method  string
	pattern string
	handle  handler
}

// routes is all of REST that the simulator speaks.
var routes = join(appRoutes, repoRoutes, gitRoutes, issueRoutes, pullRoutes, checkRoutes)

func join(tables ...[]route) []route {
	var out []route
	for _, t := range tables {
		out = append(out, t...)
	}
	return out
}

func (c *call) rest() *answer {
	known := false
	at := c.byID()
	for _, r := range routes {
		vars, ok := match(r.pattern, at)
		if !ok {
			continue
		}
		known = true
		if r.method != c.method {
			continue
		}
		c.vars = vars
		a, err := r.handle(c)
		if err != nil {
			return refused(err)
		}
		return a
	}
	if known {
		return errorAnswer(http.StatusMethodNotAllowed, "Method not allowed")
	}
	return errorAnswer(http.StatusNotFound, "Not Found")
}

// byID is the path with a repository's number, which redirects name, turned
// into its present name.
func (c *call) byID() string {
	parts := strings.SplitN(c.path, "/", 4)
	if len(parts) < 3 || parts[1] != "repositories" {
		return c.path
	}
	for _, r := range c.w.repos {
		if parts[2] == strconv.FormatInt(r.ID, 10) {
			return strings.Join(append([]string{"/repos/" + r.FullName()}, parts[3:]...), "/")
		}
	}
	return c.path
}

func match(pattern, path string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	vars := map[string]string{}
	for i, segment := range want {
		name, variable := strings.CutPrefix(segment, "{")
		name, rest := strings.CutSuffix(strings.TrimSuffix(name, "}"), "...")
		if rest && i < len(have) {
			vars[name] = unescape(strings.Join(have[i:], "/"))
			return vars, true
		}
		if i >= len(have) || (!variable && have[i] != segment) || (variable && have[i] == "") {
			return nil, false
		}
		if variable {
			vars[name] = unescape(have[i])
		}
	}
	return vars, len(want) == len(have)
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// inRepo finds the repository of a route and sends callers who use a former
// name to the present one.
func inRepo(handle func(*call, *Repo) (*answer, error)) handler {
	return func(c *call) (*answer, error) {
		asked := c.vars["o"] + "/" + c.vars["r"]
		r, err := c.w.repo(asked)
		if err != nil {
			return nil, err
		}
		if c.caller.inst == nil && c.caller.app != nil {
			return nil, refuse(unauthorized, "Bad credentials")
		}
		if !c.caller.sees(r) {
			return nil, refuse(notFound, "Not Found")
		}
		if !strings.EqualFold(asked, r.FullName()) {
			rest := strings.TrimPrefix(c.path, "/repos/"+c.vars["o"]+"/"+c.vars["r"])
			c.header.Set("Location", "http://"+c.request.Host+fmt.Sprintf("/repositories/%d", r.ID)+rest)
			return &answer{http.StatusMovedPermanently, object{"message": "Moved Permanently", "url": r.api("")}}, nil
		}
		return handle(c, r)
	}
}

func ok(body any) (*answer, error) { return &answer{http.StatusOK, body}, nil }

func created(body any) (*answer, error) { return &answer{http.StatusCreated, body}, nil }

func noContent() (*answer, error) { return &answer{http.StatusNoContent, nil}, nil }

// number reads a numeric path variable; what is not a number is not found.
func (c *call) number(name string) (int64, error) {
	n, err := strconv.ParseInt(c.vars[name], 10, 64)
	if err != nil {
		return 0, refuse(notFound, "Not Found")
	}
	return n, nil
}

func (c *call) query(name string) string { return c.request.URL.Query().Get(name) }

// page cuts a list to the page asked for and sets the Link header.
func page[T any](c *call, list []T) []T {
	size := 30
	if n, err := strconv.Atoi(c.query("per_page")); err == nil && n > 0 {
		size = min(n, 100)
	}
	at := 1
	if n, err := strconv.Atoi(c.query("page")); err == nil && n > 0 {
		at = n
	}
	last := max(1, (len(list)+size-1)/size)
	var links []string
	link := func(rel string, to int) {
		q := c.request.URL.Query()
		q.Set("page", strconv.Itoa(to))
		links = append(links, fmt.Sprintf(`<%s?%s>; rel="%s"`, c.w.cfg.APIURL+c.path, q.Encode(), rel))
	}
	if at > 1 {
		link("prev", at-1)
		link("first", 1)
	}
	if at < last {
		link("next", at+1)
		link("last", last)
	}
	if len(links) > 0 {
		c.header.Set("Link", strings.Join(links, ", "))
	}
	from := min((at-1)*size, len(list))
	return list[from:min(from+size, len(list))]
}

// each renders a list.
func each[T any](list []T, render func(T) object) []object {
	out := make([]object, 0, len(list))
	for _, x := range list {
		out = append(out, render(x))
	}
	return out
}
