package githubsim

import (
	"fmt"
	"strings"
	"time"
)

func lower(s string) string { return strings.ToLower(s) }

// when renders a time, null when it never happened.
func when(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// orNull renders an empty text as null.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (w *World) api(format string, args ...any) string {
	return w.cfg.APIURL + fmt.Sprintf(format, args...)
}

func (w *World) web(format string, args ...any) string {
	return w.cfg.WebURL + fmt.Sprintf(format, args...)
}

func (r *Repo) api(format string, args ...any) string {
	return r.world.api("/repos/%s", r.FullName()) + fmt.Sprintf(format, args...)
}

func (r *Repo) web(format string, args ...any) string {
	return r.world.web("/%s", r.FullName()) + fmt.Sprintf(format, args...)
}

func (w *World) userJSON(a *Account) object {
	if a == nil {
		return nil
	}
	url := w.api("/users/%s", a.Login)
	html := w.web("/%s", a.Login)
	if a.bot() {
		html = w.web("/apps/%s", a.actorLogin())
	}
	return object{
		"login": a.Login, "id": a.ID, "node_id": a.NodeID, "type": a.Type, "site_admin": false, "user_view_type": "public",
		"avatar_url":  fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", a.ID),
		"gravatar_id": "", "url": url, "html_url": html,
		"followers_url": url + "/followers", "following_url": url + "/following{/other_user}",
		"gists_url": url + "/gists{/gist_id}", "starred_url": url + "/starred{/owner}{/repo}",
		"subscriptions_url": url + "/subscriptions", "organizations_url": url + "/orgs",
		"repos_url": url + "/repos", "events_url": url + "/events{/privacy}",
		"received_events_url": url + "/received_events",
	}
}

func (w *World) usersJSON(list []*Account) []object {
	out := []object{}
	for _, a := range list {
		out = append(out, w.userJSON(a))
	}
	return out
}

func (w *World) orgJSON(a *Account) object {
	url := w.api("/orgs/%s", a.Login)
	return object{
		"login": a.Login, "id": a.ID, "node_id": a.NodeID, "url": url, "repos_url": url + "/repos",
		"events_url": url + "/events", "hooks_url": url + "/hooks", "issues_url": url + "/issues",
		"members_url": url + "/members{/member}", "public_members_url": url + "/public_members{/member}",
		"avatar_url": fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", a.ID), "description": "",
	}
}

// repoURLs are the addresses every repository object carries.
var repoURLs = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
	"comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
	"contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
	"downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks", "git_commits_url": "/git/commits{/sha}",
	"git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}", "hooks_url": "/hooks",
	"issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}",
	"languages_url": "/languages", "merges_url": "/merges", "milestones_url": "/milestones{/number}",
	"notifications_url": "/notifications{?since,all,participating}", "pulls_url": "/pulls{/number}",
	"releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
	"trees_url": "/git/trees{/sha}",
}

func (w *World) repoJSON(r *Repo) object {
	open := 0
	for _, i := range r.issues {
		if i.State == "open" {
			open++
		}
	}
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	out := object{
		"id": r.ID, "node_id": r.NodeID, "name": r.Name, "full_name": r.FullName(), "private": r.Private,
		"owner": w.userJSON(r.Owner), "html_url": r.web(""), "url": r.api(""), "description": nil, "fork": false,
		"git_url": "git:" + strings.TrimPrefix(r.web(".git"), "https:"), "ssh_url": "git@github.com:" + r.FullName() + ".git",
		"clone_url": r.web(".git"), "svn_url": r.web(""), "mirror_url": nil, "homepage": nil, "language": nil,
		"created_at": when(r.CreatedAt), "updated_at": when(r.CreatedAt), "pushed_at": when(r.CreatedAt),
		"size": len(r.objects.blobs), "stargazers_count": 0, "watchers_count": 0, "watchers": 0,
		"forks_count": 0, "forks": 0, "open_issues_count": open, "open_issues": open, "license": nil, "topics": []string{},
		"has_issues": true, "has_projects": true, "has_downloads": true, "has_wiki": true, "has_pages": false, "has_discussions": false,
		"archived": r.Archived, "disabled": false, "allow_forking": true, "is_template": false, "web_commit_signoff_required": false,
		"visibility": visibility, "default_branch": r.DefaultBranch, "custom_properties": r.Properties,
	}
	for name, suffix := range repoURLs {
		out[name] = r.api("") + suffix
	}
	return out
}

// repoStub is the short form in installation events.
func repoStub(r *Repo) object {
	return object{"id": r.ID, "node_id": r.NodeID, "name": r.Name, "full_name": r.FullName(), "private": r.Private}
}

func (w *World) labelJSON(r *Repo, l *Label) object {
	return object{"id": l.ID, "node_id": l.NodeID, "url": r.api("/labels/%s", l.Name), "name": l.Name,
		"color": l.Color, "default": l.Default, "description": orNull(l.Description)}
}

func (w *World) appJSON(a *App) object {
	if a == nil {
		return nil
	}
	return object{
		"id": a.ID, "client_id": a.ClientID, "slug": a.Slug, "node_id": a.nodeID, "owner": w.userJSON(a.Owner),
		"name": a.Name, "description": "", "external_url": "https://example.test/" + a.Slug, "html_url": w.web("/apps/%s", a.Slug),
		"created_at": when(w.now()), "updated_at": when(w.now()), "permissions": a.Permissions, "events": a.Events,
	}
}

func (i *Installation) selection() string {
	if i.All {
		return "all"
	}
	return "selected"
}

func (w *World) installationJSON(i *Installation) object {
	out := object{
		"id": i.ID, "node_id": i.nodeID, "client_id": i.App.ClientID, "account": w.userJSON(i.Account),
		"repository_selection": i.selection(), "access_tokens_url": w.api("/app/installations/%d/access_tokens", i.ID),
		"repositories_url": w.api("/installation/repositories"), "html_url": w.web("/settings/installations/%d", i.ID),
		"app_id": i.App.ID, "app_slug": i.App.Slug, "target_id": i.Account.ID, "target_type": i.Account.Type,
		"permissions": i.Permissions, "events": i.Events, "created_at": when(i.CreatedAt), "updated_at": when(w.now()),
		"single_file_name": nil, "has_multiple_single_files": false, "single_file_paths": []string{},
		"suspended_by": nil, "suspended_at": nil,
	}
	if i.Suspended {
		out["suspended_at"], out["suspended_by"] = when(w.now()), w.userJSON(i.Account)
	}
	return out
}

func (w *World) pushCommitJSON(r *Repo, c *commit) object {
	var before map[string]entry
	if len(c.Parents) > 0 {
		before = r.objects.filesAt(c.Parents[0])
	}
	lists := map[string][]string{"added": {}, "removed": {}, "modified": {}}
	for path, e := range r.objects.files(c.Tree) {
		old, had := before[path]
		switch {
		case !had:
			lists["added"] = append(lists["added"], path)
		case old != e:
			lists["modified"] = append(lists["modified"], path)
		}
	}
	for path := range before {
		if _, ok := r.objects.at(c.Tree, path); !ok {
			lists["removed"] = append(lists["removed"], path)
		}
	}
	author := object{"name": c.Author.Name, "email": c.Author.Email, "username": accountLogin(c.By)}
	return object{
		"id": c.SHA, "tree_id": c.Tree, "distinct": true, "message": c.Message, "timestamp": when(c.Author.At),
		"url": r.web("/commit/%s", c.SHA), "author": author, "committer": author,
		"added": lists["added"], "removed": lists["removed"], "modified": lists["modified"],
	}
}

func accountLogin(a *Account) any {
	if a == nil {
		return nil
	}
	return a.Login
}

func signatureJSON(s signature) object {
	return object{"name": s.Name, "email": s.Email, "date": when(s.At)}
}

func (c *commit) verification() object {
	out := object{"verified": c.Verified, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}
	if c.Verified {
		out["reason"], out["verified_at"] = "valid", when(c.Author.At)
	}
	return out
}

// gitCommitJSON is a commit of the git data API.
func (w *World) gitCommitJSON(r *Repo, c *commit) object {
	parents := []object{}
	for _, p := range c.Parents {
		parents = append(parents, object{"sha": p, "url": r.api("/git/commits/%s", p), "html_url": r.web("/commit/%s", p)})
	}
	return object{
		"sha": c.SHA, "node_id": "C_" + c.SHA, "url": r.api("/git/commits/%s", c.SHA), "html_url": r.web("/commit/%s", c.SHA),
		"author": signatureJSON(c.Author), "committer": signatureJSON(c.Committer), "message": c.Message,
		"tree":    object{"sha": c.Tree, "url": r.api("/git/trees/%s", c.Tree)},
		"parents": parents, "verification": c.verification(),
	}
}

// commitJSON is a commit of the repository API.
func (w *World) commitJSON(r *Repo, c *commit) object {
	git := w.gitCommitJSON(r, c)
	return object{
		"sha": c.SHA, "node_id": git["node_id"], "url": r.api("/commits/%s", c.SHA), "html_url": git["html_url"],
		"comments_url": r.api("/commits/%s/comments", c.SHA), "author": w.userOrNull(c.By), "committer": w.userOrNull(c.By),
		"parents": git["parents"],
		"commit": object{
			"url": git["url"], "author": git["author"], "committer": git["committer"], "message": c.Message,
			"tree": git["tree"], "comment_count": 0, "verification": git["verification"],
		},
	}
}

func (w *World) userOrNull(a *Account) any {
	if a == nil {
		return nil
	}
	return w.userJSON(a)
}
