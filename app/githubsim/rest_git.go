package githubsim

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

var gitRoutes = []route{
	{"GET", "/repos/{o}/{r}/git/ref/{ref...}", inRepo(getRef)},
	{"GET", "/repos/{o}/{r}/git/matching-refs/{ref...}", inRepo(matchingRefs)},
	{"POST", "/repos/{o}/{r}/git/refs", inRepo(postRef)},
	{"PATCH", "/repos/{o}/{r}/git/refs/{ref...}", inRepo(patchRef)},
	{"DELETE", "/repos/{o}/{r}/git/refs/{ref...}", inRepo(removeRef)},
	{"GET", "/repos/{o}/{r}/git/commits/{sha}", inRepo(getGitCommit)},
	{"POST", "/repos/{o}/{r}/git/commits", inRepo(postGitCommit)},
	{"GET", "/repos/{o}/{r}/git/trees/{sha...}", inRepo(getTree)},
	{"POST", "/repos/{o}/{r}/git/trees", inRepo(postTree)},
	{"GET", "/repos/{o}/{r}/git/blobs/{sha}", inRepo(getBlob)},
	{"POST", "/repos/{o}/{r}/git/blobs", inRepo(postBlob)},
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (r *Repo) refJSON(name string) object {
	return object{
		"ref": "refs/heads/" + name, "node_id": r.refID(name), "url": r.api("/git/refs/heads/%s", name),
		"object": object{"type": "commit", "sha": r.refs[name], "url": r.api("/git/commits/%s", r.refs[name])},
	}
}

func getRef(c *call, r *Repo) (*answer, error) {
	name := strings.TrimPrefix(c.vars["ref"], "heads/")
	if _, found := r.refs[name]; !found {
		return nil, refuse(notFound, "Not Found")
	}
	return ok(r.refJSON(name))
}

func matchingRefs(c *call, r *Repo) (*answer, error) {
	prefix := strings.TrimPrefix(c.vars["ref"], "heads/")
	out := []object{}
	for _, name := range sortedKeys(r.refs) {
		if strings.HasPrefix(name, prefix) {
			out = append(out, r.refJSON(name))
		}
	}
	return ok(page(c, out))
}

func postRef(c *call, r *Repo) (*answer, error) {
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if len(r.refs) == 0 {
		return nil, refuse(conflict, "Git Repository is empty.")
	}
	if err := c.w.createRef(c.caller, r, in.Ref, in.SHA); err != nil {
		return nil, err
	}
	return created(r.refJSON(strings.TrimPrefix(in.Ref, "refs/heads/")))
}

func patchRef(c *call, r *Repo) (*answer, error) {
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(c.vars["ref"], "heads/")
	if err := c.w.updateRef(c.caller, r, name, in.SHA, in.Force); err != nil {
		return nil, err
	}
	return ok(r.refJSON(name))
}

func removeRef(c *call, r *Repo) (*answer, error) {
	if err := c.w.deleteRef(c.caller, r, strings.TrimPrefix(c.vars["ref"], "heads/")); err != nil {
		return nil, err
	}
	return noContent()
}

func getGitCommit(c *call, r *Repo) (*answer, error) {
	k := r.objects.commits[c.vars["sha"]]
	if k == nil {
		return nil, refuse(notFound, "Not Found")
	}
	return ok(c.w.gitCommitJSON(r, k))
}

func postGitCommit(c *call, r *Repo) (*answer, error) {
	if err := c.caller.needs(r, "contents", RoleWrite); err != nil {
		return nil, err
	}
	var in struct {
		Message string
		Tree    string
		Parents []string
		Author  *struct {
			Name, Email string
			Date        time.Time
		}
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if _, found := r.objects.trees[in.Tree]; !found {
		return nil, refuse(unprocessable, "Tree SHA does not exist")
	}
	for _, p := range in.Parents {
		if r.objects.commits[p] == nil {
			return nil, refuse(unprocessable, "Parent SHA does not exist or is not a commit object")
		}
	}
	k := commit{Tree: in.Tree, Parents: in.Parents, Message: in.Message, By: c.caller.account, Verified: c.caller.inst != nil && in.Author == nil}
	k.Author = c.caller.account.signature(c.w.now())
	if a := in.Author; a != nil {
		k.Author = signature{Name: a.Name, Email: a.Email, At: c.w.now()}
		if !a.Date.IsZero() {
			k.Author.At = a.Date
		}
	}
	k.Committer = k.Author
	return created(c.w.gitCommitJSON(r, r.objects.putCommit(k)))
}

func getTree(c *call, r *Repo) (*answer, error) {
	id := c.vars["sha"]
	if sha, err := r.resolve(id); err == nil {
		id = r.objects.commits[sha].Tree
	}
	entries, found := r.objects.trees[id]
	if !found {
		return nil, refuse(notFound, "Not Found")
	}
	list := []object{}
	if c.query("recursive") == "" {
		for _, e := range entries {
			list = append(list, r.treeEntryJSON(e.Name, e))
		}
	} else {
		list = r.treeJSON(id, "")
	}
	return ok(object{"sha": id, "url": r.api("/git/trees/%s", id), "tree": list, "truncated": false})
}

func (r *Repo) treeJSON(id, prefix string) []object {
	out := []object{}
	for _, e := range r.objects.trees[id] {
		out = append(out, r.treeEntryJSON(prefix+e.Name, e))
		if e.Mode == modeTree {
			out = append(out, r.treeJSON(e.SHA, prefix+e.Name+"/")...)
		}
	}
	return out
}

func (r *Repo) treeEntryJSON(at string, e treeEntry) object {
	out := object{"path": at, "mode": fmt.Sprintf("%06s", e.Mode), "type": e.kind(), "sha": e.SHA,
		"url": r.api("/git/%ss/%s", e.kind(), e.SHA)}
	if e.kind() == "blob" {
		out["size"] = len(r.objects.blobs[e.SHA])
	}
	return out
}

// treeInput is one entry of a tree to make; a null sha deletes the path.
type treeInput struct {
	Path    string
	Mode    string
	Type    string
	SHA     *string
	Content *string
}

func postTree(c *call, r *Repo) (*answer, error) {
	if err := c.caller.needs(r, "contents", RoleWrite); err != nil {
		return nil, err
	}
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []treeInput
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	base := in.BaseTree
	if k := r.objects.commits[base]; k != nil {
		base = k.Tree
	}
	if _, found := r.objects.trees[base]; base != "" && !found {
		return nil, refuse(notFound, "Not Found")
	}
	files := r.objects.files(base)
	for _, e := range in.Tree {
		if err := r.applyTree(c.caller, files, e); err != nil {
			return nil, err
		}
	}
	id := r.objects.putFiles(files)
	return created(object{"sha": id, "url": r.api("/git/trees/%s", id), "tree": r.treeJSON(id, ""), "truncated": false})
}

func (r *Repo) applyTree(c *caller, files map[string]entry, e treeInput) error {
	if err := c.mayWritePath(e.Path); err != nil {
		return err
	}
	mode := strings.TrimPrefix(e.Mode, "0")
	switch {
	case e.Content != nil:
		files[e.Path] = entry{Mode: mode, SHA: r.objects.putBlob([]byte(*e.Content))}
	case e.SHA == nil:
		if _, found := files[e.Path]; !found {
			return refuse(unprocessable, "GitRPC::BadObjectState")
		}
		delete(files, e.Path)
	case mode == modeTree:
		r.objects.walk(*e.SHA, e.Path+"/", files)
	default:
		if _, found := r.objects.blobs[*e.SHA]; !found && mode != modeSubmodule {
			return refuse(unprocessable, "tree.sha %s is not a valid blob", *e.SHA)
		}
		files[e.Path] = entry{Mode: mode, SHA: *e.SHA}
	}
	return nil
}

func getBlob(c *call, r *Repo) (*answer, error) {
	blob, found := r.objects.blobs[c.vars["sha"]]
	if !found {
		return nil, refuse(notFound, "Not Found")
	}
	return ok(object{"sha": c.vars["sha"], "node_id": "B_" + c.vars["sha"], "url": r.api("/git/blobs/%s", c.vars["sha"]), "size": len(blob),
		"encoding": "base64", "content": wrap(base64.StdEncoding.EncodeToString(blob))})
}

func postBlob(c *call, r *Repo) (*answer, error) {
	if err := c.caller.needs(r, "contents", RoleWrite); err != nil {
		return nil, err
	}
	var in struct{ Content, Encoding string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		raw, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", ""))
		if err != nil {
			return nil, refuse(unprocessable, "content is not valid Base64")
		}
		content = raw
	}
	id := r.objects.putBlob(content)
	return created(object{"sha": id, "url": r.api("/git/blobs/%s", id)})
}
