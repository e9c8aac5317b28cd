package githubsim

import (
	"net/http"
	"slices"
	"strconv"
)

var appRoutes = []route{
	{"GET", "/app", byApp(func(c *call) (*answer, error) { return ok(c.w.appJSON(c.caller.app)) })},
	{"GET", "/app/installations", byApp(listInstallations)},
	{"GET", "/app/installations/{id}", byApp(inInstallation(func(c *call, i *Installation) (*answer, error) { return ok(c.w.installationJSON(i)) }))},
	{"POST", "/app/installations/{id}/access_tokens", byApp(inInstallation(mintToken))},
	{"GET", "/app/hook/config", byApp(hookConfig)},
	{"GET", "/app/hook/deliveries", byApp(listDeliveries)},
	{"GET", "/app/hook/deliveries/{id}", byApp(getDelivery)},
	{"POST", "/app/hook/deliveries/{id}/attempts", byApp(redeliverDelivery)},
	{"GET", "/repos/{o}/{r}/installation", byApp(repoInstallation)},
	{"GET", "/orgs/{login}/installation", byApp(accountInstallation)},
	{"GET", "/users/{login}/installation", byApp(accountInstallation)},
	{"GET", "/installation/repositories", listRepositories},
	{"DELETE", "/installation/token", revokeToken},
	{"POST", "/app-manifests/{code}/conversions", convertManifest},
	{"GET", "/rate_limit", rateLimits},
	{"GET", "/meta", func(*call) (*answer, error) {
		return ok(object{"verifiable_password_authentication": false, "hooks": []string{"127.0.0.1/32"}})
	}},
	{"GET", "/users/{login}", getUser},
}

// byApp admits a JWT and nothing else.
func byApp(handle handler) handler {
	return func(c *call) (*answer, error) {
		if c.caller.app == nil || c.caller.inst != nil {
			return nil, refuse(unauthorized, "A JSON web token could not be decoded")
		}
		return handle(c)
	}
}

func inInstallation(handle func(*call, *Installation) (*answer, error)) handler {
	return func(c *call) (*answer, error) {
		id, err := c.number("id")
		if err != nil {
			return nil, err
		}
		i := c.w.installation(id)
		if i == nil || i.App != c.caller.app {
			return nil, refuse(notFound, "Not Found")
		}
		return handle(c, i)
	}
}

func listInstallations(c *call) (*answer, error) {
	list := slices.DeleteFunc(c.w.installations(), func(i *Installation) bool { return i.App != c.caller.app })
	return ok(each(page(c, list), c.w.installationJSON))
}

// mintToken makes an installation token, narrowed as asked.
func mintToken(c *call, i *Installation) (*answer, error) {
	if i.Suspended {
		return nil, refuse(forbidden, "This installation has been suspended")
	}
	var in struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	perms, err := narrow(i, in.Permissions)
	if err != nil {
		return nil, err
	}
	repos, err := c.selected(i, in.Repositories, in.RepositoryIDs)
	if err != nil {
		return nil, err
	}
	out := object{"repository_selection": i.selection()}
	var ids map[int64]bool
	if repos != nil {
		ids = map[int64]bool{}
		for _, r := range repos {
			ids[r.ID] = true
		}
		out["repositories"] = each(repos, c.w.repoJSON)
		out["repository_selection"] = "selected"
	}
	t := c.w.mint(i, perms, ids)
	return created(out.with(object{"token": t.value, "expires_at": when(t.expires), "permissions": perms}))
}

// narrow refuses permissions the installation was not given.
func narrow(i *Installation, asked map[string]string) (map[string]string, error) {
	if len(asked) == 0 {
		return i.Permissions, nil
	}
	for name, level := range asked {
		have := i.Permissions[name]
		if have == "" || (level == "write" && have != "write") {
			return nil, refuse(unprocessable, "The permissions requested are not granted to this installation.")
		}
	}
	return asked, nil
}

// selected resolves the repositories a token is for; nil means all.
func (c *call) selected(i *Installation, names []string, ids []int64) ([]*Repo, error) {
	if len(names)+len(ids) == 0 {
		return nil, nil
	}
	out := []*Repo{}
	for _, r := range c.w.repos {
		if i.covers(r) && (slices.Contains(names, r.Name) || slices.Contains(ids, r.ID)) {
			out = append(out, r)
		}
	}
	if len(out) < len(names)+len(ids) {
		return nil, refuse(unprocessable, "There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	return out, nil
}

func hookConfig(c *call) (*answer, error) {
	return ok(object{"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": c.caller.app.HookURL})
}

// listDeliveries pages newest first, by cursor.
func listDeliveries(c *call) (*answer, error) {
	list := []*Delivery{}
	for _, d := range c.w.hooks.log {
		failed := d.StatusCode >= 400 && d.StatusCode <= 599
		status := c.query("status")
		if d.app == c.caller.app && (status == "" || (status == "failure") == failed) {
			list = append(list, d)
		}
	}
	slices.Reverse(list)
	size := 30
	if n, err := strconv.Atoi(c.query("per_page")); err == nil && n > 0 {
		size = min(n, 100)
	}
	from, _ := strconv.Atoi(c.query("cursor"))
	from = min(max(0, from), len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		q := c.request.URL.Query()
		q.Set("cursor", strconv.Itoa(to))
		c.header.Set("Link", "<"+c.w.cfg.APIURL+c.path+"?"+q.Encode()+`>; rel="next"`)
	}
	return ok(each(list[from:to], func(d *Delivery) object { return c.w.deliveryJSON(d, false) }))
}

func (c *call) ownDelivery() (*Delivery, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, err
	}
	d := c.w.delivery(id)
	if d == nil || d.app != c.caller.app {
		return nil, refuse(notFound, "Not Found")
	}
	return d, nil
}

func getDelivery(c *call) (*answer, error) {
	d, err := c.ownDelivery()
	if err != nil {
		return nil, err
	}
	return ok(c.w.deliveryJSON(d, true))
}

func redeliverDelivery(c *call) (*answer, error) {
	d, err := c.ownDelivery()
	if err != nil {
		return nil, err
	}
	if err := c.w.redeliver(d.ID); err != nil {
		return nil, err
	}
	return &answer{http.StatusAccepted, object{}}, nil
}

func repoInstallation(c *call) (*answer, error) {
	r, err := c.w.repo(c.vars["o"] + "/" + c.vars["r"])
	if err != nil {
		return nil, err
	}
	for _, i := range c.w.installations() {
		if i.App == c.caller.app && i.covers(r) {
			return ok(c.w.installationJSON(i))
		}
	}
	return nil, refuse(notFound, "Not Found")
}

func accountInstallation(c *call) (*answer, error) {
	for _, i := range c.w.installations() {
		if i.App == c.caller.app && lower(i.Account.Login) == lower(c.vars["login"]) {
			return ok(c.w.installationJSON(i))
		}
	}
	return nil, refuse(notFound, "Not Found")
}

func listRepositories(c *call) (*answer, error) {
	if c.caller.inst == nil {
		return nil, refuse(forbidden, "You must authenticate with an installation access token in order to list repositories for an installation.")
	}
	list := []*Repo{}
	for _, r := range c.w.repos {
		if c.caller.sees(r) {
			list = append(list, r)
		}
	}
	return ok(object{"total_count": len(list), "repository_selection": c.caller.inst.selection(),
		"repositories": each(page(c, list), c.w.repoJSON)})
}

func revokeToken(c *call) (*answer, error) {
	if c.caller.inst == nil {
		return nil, refuse(forbidden, "Resource not accessible by integration")
	}
	for _, t := range c.w.tokens {
		if c.request.Header.Get("Authorization") == "Bearer "+t.value || c.request.Header.Get("Authorization") == "token "+t.value {
			t.revoked = true
		}
	}
	return noContent()
}

func rateLimits(c *call) (*answer, error) {
	id := int64(0)
	if c.caller.inst != nil {
		id = c.caller.inst.ID
	}
	resources := object{}
	for _, name := range []string{"core", "graphql", "search"} {
		one := object{"limit": c.w.cfg.RateLimit, "used": 0, "remaining": c.w.cfg.RateLimit, "reset": c.w.now().Unix() + 3600}
		if l := c.w.limits[limitKey{id, name}]; l != nil {
			one.with(object{"used": l.used, "remaining": c.w.cfg.RateLimit - l.used, "reset": l.reset.Unix()})
		}
		resources[name] = one
	}
	return ok(object{"resources": resources, "rate": resources["core"]})
}

func getUser(c *call) (*answer, error) {
	a := c.w.accounts[lower(c.vars["login"])]
	if a == nil {
		return nil, refuse(notFound, "Not Found")
	}
	return ok(c.w.userJSON(a).with(object{
		"name": orNull(a.Name), "company": nil, "blog": "", "location": nil, "email": nil, "hireable": nil, "bio": nil,
		"public_repos": 0, "public_gists": 0, "followers": 0, "following": 0,
		"created_at": when(c.w.now()), "updated_at": when(c.w.now()),
	}))
}
