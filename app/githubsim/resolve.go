package githubsim

import (
	"reflect"
	"strings"
	"sync"
)

// resolver answers one field of one type.
type resolver func(x *execution, value any, a args) (any, error)

// field is a resolver that knows what it hangs on.
type field[T any] func(x *execution, value T, a args) (any, error)

// plain is a field that needs neither arguments nor the request.
func plain[T any](get func(T) any) field[T] {
	return func(_ *execution, value T, _ args) (any, error) { return get(value), nil }
}

// typeTable is one GraphQL type's resolvers. Types without a table are plain
// objects whose keys are their fields.
type typeTable struct {
	name   string
	goType reflect.Type
	fields map[string]resolver
}

func table[T any](name string, fields map[string]field[T]) typeTable {
	t := typeTable{name: name, goType: reflect.TypeFor[T](), fields: map[string]resolver{}}
	for key, f := range fields {
		t.fields[key] = func(x *execution, value any, a args) (any, error) { return f(x, value.(T), a) }
	}
	return t
}

var tables = sync.OnceValue(func() []typeTable {
	return []typeTable{
		queryTable(), mutationTable(), accountTable("User"), accountTable("Bot"), accountTable("Organization"),
		repositoryTable(), refTable(), commitTable(), treeTable(), blobTable(), labelTable(), reactionTable(),
		issueTable(), commentTable(), pullTable(), reviewTable(), threadTable(), reviewCommentTable(),
		checkTable(), suiteTable(), rollupTable(), appTable(),
	}
})

var resolvers = sync.OnceValue(func() map[string]map[string]resolver {
	out := map[string]map[string]resolver{}
	for _, t := range tables() {
		out[t.name] = t.fields
	}
	return out
})

var typeNames = sync.OnceValue(func() map[reflect.Type]string {
	out := map[reflect.Type]string{}
	for _, t := range tables() {
		out[t.goType] = t.name
	}
	return out
})

func queryTable() typeTable {
	return table("Query", map[string]field[rootValue]{
		"viewer": func(x *execution, _ rootValue, _ args) (any, error) {
			// The viewer of an app is a user whose login keeps its suffix.
			v := *x.caller.account
			v.Type = "User"
			return &v, nil
		},
		"user": func(x *execution, _ rootValue, a args) (any, error) {
			u := x.w.accounts[lower(a.text("login"))]
			if u == nil || u.Type != "User" {
				return nil, refuse(notFound, "Could not resolve to a User with the login of '%s'.", a.text("login"))
			}
			return u, nil
		},
		"repository": func(x *execution, _ rootValue, a args) (any, error) {
			name := a.text("owner") + "/" + a.text("name")
			r, err := x.w.repo(name)
			if err != nil || !x.caller.sees(r) {
				return nil, refuse(notFound, "Could not resolve to a Repository with the name '%s'.", name)
			}
			return r, nil
		},
		"node":  func(x *execution, _ rootValue, a args) (any, error) { return x.node(a.text("id")) },
		"nodes": func(x *execution, _ rootValue, a args) (any, error) { return x.nodes(a.texts("ids")) },
		"rateLimit": func(x *execution, _ rootValue, _ args) (any, error) {
			id := int64(0)
			if x.caller.inst != nil {
				id = x.caller.inst.ID
			}
			l := x.w.limits[limitKey{id, "graphql"}]
			if l == nil {
				l = &limit{reset: x.w.now()}
			}
			return object{"cost": 1, "limit": x.w.cfg.RateLimit, "remaining": x.w.cfg.RateLimit - l.used, "used": l.used, "resetAt": l.reset}, nil
		},
	})
}

// node finds an object by its global id, if the caller may see its repository.
func (x *execution) node(id string) (any, error) {
	found, known := x.w.nodes[id]
	if r := repoOf(found); !known || (r != nil && !x.caller.sees(r)) {
		return nil, refuse(notFound, "Could not resolve to a node with the global id of '%s'", id)
	}
	return found, nil
}

func (x *execution) nodes(ids []string) (any, error) {
	out := []any{}
	for _, id := range ids {
		n, err := x.node(id)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// find is node for a value of one type.
func find[T any](x *execution, id string) (T, error) {
	var none T
	n, err := x.node(id)
	if err != nil {
		return none, err
	}
	v, ok := n.(T)
	if !ok {
		return none, refuse(notFound, "Could not resolve to a node of the right type with the global id of '%s'", id)
	}
	return v, nil
}

// repoOf is the repository an object belongs to; nil for accounts and apps.
func repoOf(n any) *Repo {
	switch v := n.(type) {
	case *Repo:
		return v
	case *Issue:
		return v.repo
	case *Pull:
		return v.repo
	case *Comment:
		return v.issue.repo
	case *Review:
		return v.pull.repo
	case *Thread:
		return v.pull.repo
	case *ReviewComment:
		return v.thread.pull.repo
	case *Check:
		return v.suite.repo
	case *Suite:
		return v.repo
	case *branch:
		return v.repo
	}
	return nil
}

func accountTable(name string) typeTable {
	fields := map[string]field[*Account]{
		"id":         plain(func(a *Account) any { return a.NodeID }),
		"databaseId": plain(func(a *Account) any { return a.ID }),
		"login": func(_ *execution, a *Account, _ args) (any, error) {
			return a.actorLogin(), nil
		},
		"url": func(x *execution, a *Account, _ args) (any, error) { return x.w.web("/%s", a.actorLogin()), nil },
	}
	if name == "User" {
		fields["login"] = plain(func(a *Account) any { return a.Login })
	}
	if name != "Bot" {
		fields["name"] = plain(func(a *Account) any { return orNull(a.Name) })
	}
	return table(name, fields)
}

func appTable() typeTable {
	return table("App", map[string]field[*App]{
		"id":         plain(func(a *App) any { return a.nodeID }),
		"databaseId": plain(func(a *App) any { return a.ID }),
		"slug":       plain(func(a *App) any { return a.Slug }),
		"name":       plain(func(a *App) any { return a.Name }),
	})
}

func labelTable() typeTable {
	return table("Label", map[string]field[*Label]{
		"id":          plain(func(l *Label) any { return l.NodeID }),
		"name":        plain(func(l *Label) any { return l.Name }),
		"color":       plain(func(l *Label) any { return l.Color }),
		"description": plain(func(l *Label) any { return orNull(l.Description) }),
	})
}

func reactionTable() typeTable {
	return table("Reaction", map[string]field[*Reaction]{
		"id":         plain(func(r *Reaction) any { return r.NodeID }),
		"databaseId": plain(func(r *Reaction) any { return r.ID }),
		"content":    plain(func(r *Reaction) any { return r.Content }),
		"user":       plain(func(r *Reaction) any { return r.By }),
		"createdAt":  plain(func(r *Reaction) any { return r.At }),
	})
}

func reactions(list []*Reaction, a args) (any, error) {
	var out []*Reaction
	for _, r := range list {
		if c := a.text("content"); c == "" || c == r.Content {
			out = append(out, r)
		}
	}
	return connection(out, a)
}

func accounts(list []*Account, a args) (any, error) { return connection(list, a) }

// checkTable and its like: what a commit's checks say.
func checkTable() typeTable {
	return table("CheckRun", map[string]field[*Check]{
		"id":          plain(func(k *Check) any { return k.NodeID }),
		"databaseId":  plain(func(k *Check) any { return k.ID }),
		"name":        plain(func(k *Check) any { return k.Name }),
		"status":      plain(func(k *Check) any { return upper(k.Status) }),
		"conclusion":  plain(func(k *Check) any { return orNull(upper(k.Conclusion)) }),
		"externalId":  plain(func(k *Check) any { return orNull(k.ExternalID) }),
		"detailsUrl":  plain(func(k *Check) any { return orNull(k.DetailsURL) }),
		"title":       plain(func(k *Check) any { return orNull(k.Title) }),
		"summary":     plain(func(k *Check) any { return orNull(k.Summary) }),
		"text":        plain(func(k *Check) any { return orNull(k.Text) }),
		"checkSuite":  plain(func(k *Check) any { return k.suite }),
		"startedAt":   plain(func(k *Check) any { return when(k.StartedAt) }),
		"completedAt": plain(func(k *Check) any { return when(k.CompletedAt) }),
		"url":         plain(func(k *Check) any { return k.suite.repo.web("/runs/%d", k.ID) }),
		"permalink":   plain(func(k *Check) any { return k.suite.repo.web("/runs/%d", k.ID) }),
		"repository":  plain(func(k *Check) any { return k.suite.repo }),
	})
}

func suiteTable() typeTable {
	return table("CheckSuite", map[string]field[*Suite]{
		"id":         plain(func(s *Suite) any { return s.NodeID }),
		"databaseId": plain(func(s *Suite) any { return s.ID }),
		"app":        plain(func(s *Suite) any { return s.App }),
		"commit":     plain(func(s *Suite) any { return &commitNode{s.repo, s.repo.objects.commits[s.HeadSHA]} }),
		"status":     plain(func(s *Suite) any { status, _ := s.status(); return upper(status) }),
		"conclusion": plain(func(s *Suite) any { _, conclusion := s.status(); return orNull(upper(conclusion)) }),
		"url":        plain(func(s *Suite) any { return s.repo.web("/commit/%s/checks?check_suite_id=%d", s.HeadSHA, s.ID) }),
		"checkRuns": func(_ *execution, s *Suite, a args) (any, error) {
			runs := s.latest()
			filter, _ := a["filterBy"].(map[string]any)
			if filter["checkType"] == "ALL" {
				runs = s.Runs
			}
			var out []*Check
			for _, k := range runs {
				if filter["checkName"] == nil || filter["checkName"] == k.Name {
					out = append(out, k)
				}
			}
			return connection(out, a)
		},
	})
}

// rollup is all that was checked on a commit.
type rollup struct {
	repo *Repo
	sha  string
}

func rollupTable() typeTable {
	return table("StatusCheckRollup", map[string]field[*rollup]{
		"id": plain(func(r *rollup) any { return "SCR_" + r.sha }),
		"state": plain(func(r *rollup) any {
			state := "SUCCESS"
			for _, k := range r.repo.checksAt(r.sha) {
				switch {
				case k.Status != "completed":
					state = "PENDING"
				case !strings.Contains("success neutral skipped", k.Conclusion):
					return "FAILURE"
				}
			}
			return state
		}),
		"contexts": func(_ *execution, r *rollup, a args) (any, error) { return connection(r.repo.checksAt(r.sha), a) },
	})
}
