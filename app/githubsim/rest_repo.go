package githubsim

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

var repoRoutes = []route{
	{"GET", "/repos/{o}/{r}", inRepo(func(c *call, r *Repo) (*answer, error) {
		return ok(c.w.repoJSON(r).with(object{"network_count": 0, "subscribers_count": 0, "delete_branch_on_merge": false}))
	})},
	{"GET", "/repos/{o}/{r}/collaborators/{u}/permission", inRepo(getPermission)},
	{"GET", "/repos/{o}/{r}/contents", inRepo(getContents)},
	{"GET", "/repos/{o}/{r}/contents/{path...}", inRepo(getContents)},
	{"PUT", "/repos/{o}/{r}/contents/{path...}", inRepo(putContents)},
	{"GET", "/repos/{o}/{r}/branches/{branch...}", inRepo(getBranch)},
	{"GET", "/repos/{o}/{r}/commits", inRepo(listCommits)},
	{"GET", "/repos/{o}/{r}/compare/{basehead...}", inRepo(compare)},
	{"GET", "/repos/{o}/{r}/tarball/{ref...}", inRepo(redirectArchive)},
	{"GET", "/repos/{o}/{r}/rules/branches/{branch...}", inRepo(func(*call, *Repo) (*answer, error) { return ok([]object{}) })},
	{"GET", "/_codeload/{o}/{r}/legacy.tar.gz/{sha}", getArchive},
	{"GET", "/repos/{o}/{r}/labels", inRepo(func(c *call, r *Repo) (*answer, error) {
		return ok(each(page(c, r.labels), func(l *Label) object { return c.w.labelJSON(r, l) }))
	})},
	{"POST", "/repos/{o}/{r}/labels", inRepo(createLabel)},
	{"GET", "/repos/{o}/{r}/labels/{name}", inRepo(getLabel)},
}

func getPermission(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "metadata"); err != nil {
		return nil, err
	}
	a := c.w.accounts[lower(c.vars["u"])]
	if a == nil || a.Type == "Organization" {
		return nil, refuse(notFound, "%s is not a user", c.vars["u"])
	}
	level := r.role(a)
	user := c.w.userJSON(a).with(object{"role_name": level.String(), "permissions": object{
		"admin": level >= RoleAdmin, "maintain": level >= RoleMaintain, "push": level >= RoleWrite,
		"triage": level >= RoleTriage, "pull": level >= RoleRead,
	}})
	return ok(object{"permission": level.coarse(), "role_name": level.String(), "user": user})
}

// resolve finds the commit a ref, branch, or id names; "" is the default branch.
func (r *Repo) resolve(ref string) (string, error) {
	if ref == "" || ref == "HEAD" {
		ref = r.DefaultBranch
	}
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "refs/"), "heads/")
	if sha, ok := r.refs[ref]; ok {
		return sha, nil
	}
	for sha := range r.objects.commits {
		if len(ref) >= 7 && strings.HasPrefix(sha, ref) {
			return sha, nil
		}
	}
	return "", refuse(notFound, "No commit found for the ref %s", ref)
}

func getContents(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "contents"); err != nil {
		return nil, err
	}
	sha, err := r.resolve(c.query("ref"))
	if err != nil {
		return nil, err
	}
	at := strings.Trim(c.vars["path"], "/")
	e, found := r.objects.at(r.objects.commits[sha].Tree, at)
	if !found {
		return nil, refuse(notFound, "Not Found")
	}
	if e.kind() == "tree" {
		return ok(each(r.objects.trees[e.SHA], func(sub treeEntry) object { return r.contentJSON(path.Join(at, sub.Name), sha, sub) }))
	}
	out := r.contentJSON(at, sha, e)
	blob := r.objects.blobs[e.SHA]
	if strings.Contains(c.request.Header.Get("Accept"), "raw") {
		c.header.Set("Content-Type", "application/vnd.github.raw")
		return ok(blob)
	}
	if e.Mode != modeSubmodule {
		out["encoding"], out["content"] = "base64", wrap(base64.StdEncoding.EncodeToString(blob))
	}
	return ok(out)
}

// wrap breaks base64 at 60 characters, as GitHub does.
func wrap(s string) string {
	var b strings.Builder
	for chunk := range slices.Chunk([]byte(s), 60) {
		b.Write(chunk)
		b.WriteByte('\n')
	}
	return b.String()
}

func (r *Repo) contentJSON(at, ref string, e treeEntry) object {
	kind := map[string]string{modeTree: "dir", modeLink: "symlink", modeSubmodule: "submodule"}[e.Mode]
	if kind == "" {
		kind = "file"
	}
	url := r.api("/contents/%s?ref=%s", at, ref)
	git := r.api("/git/%ss/%s", e.kind(), e.SHA)
	html := r.web("/%s/%s/%s", e.kind(), ref, at)
	return object{
		"type": kind, "name": path.Base(at), "path": at, "sha": e.SHA, "size": len(r.objects.blobs[e.SHA]),
		"url": url, "git_url": git, "html_url": html, "download_url": r.web("/raw/%s/%s", ref, at),
		"_links": object{"self": url, "git": git, "html": html},
	}
}

func putContents(c *call, r *Repo) (*answer, error) {
	var in struct{ Message, Content, SHA, Branch string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Branch == "" {
		in.Branch = r.DefaultBranch
	}
	content, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", ""))
	if err != nil {
		return nil, refuse(unprocessable, "content is not valid Base64")
	}
	head := r.refs[in.Branch]
	old, had := r.objects.filesAt(head)[c.vars["path"]]
	if had && old.SHA != in.SHA {
		return nil, refuse(conflict, "%s does not match %s", c.vars["path"], in.SHA)
	}
	made, err := c.w.commitOnBranch(c.caller, r, commitSpec{Branch: in.Branch, Expected: head, Message: in.Message,
		Additions: map[string][]byte{c.vars["path"]: content}})
	if err != nil {
		return nil, err
	}
	e, _ := r.objects.at(made.Tree, c.vars["path"])
	out := object{"content": r.contentJSON(c.vars["path"], in.Branch, e), "commit": c.w.gitCommitJSON(r, made)}
	if had {
		return ok(out)
	}
	return created(out)
}

func getBranch(c *call, r *Repo) (*answer, error) {
	name := c.vars["branch"]
	sha, found := r.refs[name]
	if !found {
		return nil, refuse(notFound, "Branch not found")
	}
	url := r.api("/branches/%s", name)
	return ok(object{
		"name": name, "commit": c.w.commitJSON(r, r.objects.commits[sha]), "protected": false,
		"_links":     object{"self": url, "html": r.web("/tree/%s", name)},
		"protection": object{"enabled": false}, "protection_url": url + "/protection",
	})
}

func listCommits(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "contents"); err != nil {
		return nil, err
	}
	sha, err := r.resolve(c.query("sha"))
	if err != nil {
		return nil, err
	}
	return ok(each(page(c, r.objects.ancestors(sha)), func(s string) object { return c.w.commitJSON(r, r.objects.commits[s]) }))
}

func compare(c *call, r *Repo) (*answer, error) {
	from, to, _ := strings.Cut(c.vars["basehead"], "...")
	base, err := r.resolve(from)
	if err != nil {
		return nil, err
	}
	head, err := r.resolve(to)
	if err != nil {
		return nil, err
	}
	o := r.objects
	fork := o.mergeBase(base, head)
	if fork == "" {
		return nil, refuse(notFound, "No common ancestor between %s and %s.", from, to)
	}
	ahead, behind := o.between(base, head), o.between(head, base)
	status := map[[2]bool]string{{false, false}: "identical", {true, false}: "ahead", {false, true}: "behind", {true, true}: "diverged"}
	p := &Pull{Issue: &Issue{repo: r}, HeadSHA: head}
	url := r.api("/compare/%s...%s", from, to)
	return ok(object{
		"url": url, "html_url": r.web("/compare/%s...%s", from, to), "permalink_url": r.web("/compare/%s...%s", base, head),
		"diff_url": url + ".diff", "patch_url": url + ".patch", "base_commit": c.w.commitJSON(r, o.commits[base]),
		"merge_base_commit": c.w.commitJSON(r, o.commits[fork]), "status": status[[2]bool{len(ahead) > 0, len(behind) > 0}],
		"ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
		"commits": each(ahead, func(k *commit) object { return c.w.commitJSON(r, k) }),
		"files":   each(o.diffFiles(o.filesAt(fork), o.filesAt(head)), func(d fileDiff) object { return c.w.fileJSON(p, d) }),
	})
}

func redirectArchive(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "contents"); err != nil {
		return nil, err
	}
	sha, err := r.resolve(c.vars["ref"])
	if err != nil {
		return nil, err
	}
	key := newGUID()
	c.w.downloads[key] = true
	c.header.Set("Location", fmt.Sprintf("http://%s/_codeload/%s/legacy.tar.gz/%s?token=%s", c.request.Host, r.FullName(), sha, key))
	return &answer{http.StatusFound, nil}, nil
}

// getArchive needs the token of the redirect and no header.
func getArchive(c *call) (*answer, error) {
	r, err := c.w.repo(c.vars["o"] + "/" + c.vars["r"])
	if err != nil || !c.w.downloads[c.query("token")] {
		return nil, refuse(notFound, "Not Found")
	}
	k := r.objects.commits[c.vars["sha"]]
	if k == nil {
		return nil, refuse(notFound, "Not Found")
	}
	c.header.Set("Content-Type", "application/x-gzip")
	return ok(r.archive(k))
}

// archive packs a commit as codeload does: one folder named after it.
func (r *Repo) archive(k *commit) []byte {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	top := fmt.Sprintf("%s-%s-%.7s/", r.Owner.Login, r.Name, k.SHA)
	put := func(h *tar.Header, content []byte) {
		if h.Typeflag != tar.TypeXGlobalHeader {
			h.ModTime, h.Size = k.Committer.At, int64(len(content))
		}
		// A buffer takes every write; only a bad header could fail here.
		if err := out.WriteHeader(h); err != nil {
			panic("githubsim: archive: " + err.Error())
		}
		_, _ = out.Write(content)
	}
	put(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": k.SHA}}, nil)
	put(&tar.Header{Typeflag: tar.TypeDir, Name: top, Mode: 0o775}, nil)
	files := r.objects.files(k.Tree)
	for _, name := range sortedKeys(files) {
		e := files[name]
		content := r.objects.blobs[e.SHA]
		switch e.Mode {
		case modeLink:
			put(&tar.Header{Typeflag: tar.TypeSymlink, Name: top + name, Linkname: string(content), Mode: 0o777}, nil)
		case modeSubmodule:
			put(&tar.Header{Typeflag: tar.TypeDir, Name: top + name + "/", Mode: 0o775}, nil)
		case modeExecutable:
			put(&tar.Header{Typeflag: tar.TypeReg, Name: top + name, Mode: 0o775}, content)
		default:
			put(&tar.Header{Typeflag: tar.TypeReg, Name: top + name, Mode: 0o664}, content)
		}
	}
	_ = out.Close()
	_ = zip.Close()
	return b.Bytes()
}

func createLabel(c *call, r *Repo) (*answer, error) {
	if err := c.caller.needs(r, "issues", RoleWrite); err != nil {
		return nil, err
	}
	var in struct{ Name, Color, Description string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Name == "" || len([]rune(in.Name)) > 50 {
		return nil, invalid("Label", "name", "name must be 1 to 50 characters")
	}
	if r.label(in.Name) != nil {
		return nil, &refusal{kind: unprocessable, message: "Validation Failed",
			details: []detail{{Resource: "Label", Code: "already_exists", Field: "name"}}}
	}
	l := r.addLabel(in.Name)
	l.Description = in.Description
	if in.Color != "" {
		l.Color = in.Color
	}
	return created(c.w.labelJSON(r, l))
}

func getLabel(c *call, r *Repo) (*answer, error) {
	l := r.label(c.vars["name"])
	if l == nil {
		return nil, refuse(notFound, "Not Found")
	}
	return ok(c.w.labelJSON(r, l))
}
