package githubapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"parley/pipeline"
)

// What a session folder may weigh before it is refused.
const (
	maxFolderFiles = 2000
	maxFolderBytes = 24 << 20
	maxFileBytes   = 4 << 20

	modeSymlink   = 0o120000
	modeSubmodule = 0o160000
)

type tree struct {
	OID     string
	Entries []entry
}

type entry struct {
	Name   string
	Type   string
	Mode   int
	OID    string
	Object *node
}

// node is a blob or a tree.
type node struct {
	tree
	blob
}

// UnmarshalJSON reads both shapes: an embedded field of the same name in two
// structs would be lost.
func (n *node) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &n.tree); err != nil {
		return err
	}
	return json.Unmarshal(raw, &n.blob)
}

type folderAnswer struct {
	Repository *struct {
		Head *struct {
			OID    string
			Author struct {
				Name string
				User *struct{ Login string }
			}
			AssociatedPullRequests struct {
				Nodes []struct {
					Number       int
					State        string
					HeadRefOID   string
					ChangedFiles int
					Files        struct{ Nodes []struct{ Path string } }
				}
			}
		}
		Tree *node
	}
}

// Folder implements pipeline.GitHub: the session folder at a branch or commit
// in one query. Blobs too long for it are read one by one.
func (c *Client) Folder(ctx context.Context, repo pipeline.Repo, ref, folder string) (pipeline.Snapshot, error) {
	op := fmt.Sprintf("read %s of %s/%s at %s", folder, repo.Owner, repo.Name, ref)
	vars := struct {
		Owner string `json:"owner"`
		Name  string `json:"name"`
		Ref   string `json:"ref"`
		Tree  string `json:"tree"`
	}{repo.Owner, repo.Name, ref, ref + ":" + folder}
	var got folderAnswer
	if err := c.read(ctx, question{op: op, doc: folderQuery, variables: vars, token: writeKey(repo)}, &got); err != nil {
		return pipeline.Snapshot{}, gone(err)
	}
	if got.Repository == nil || got.Repository.Head == nil || got.Repository.Head.OID == "" {
		return pipeline.Snapshot{}, &Error{Kind: KindNotFound, Op: op, Message: "no such branch or commit"}
	}
	head := got.Repository.Head
	s := pipeline.Snapshot{Head: head.OID, Author: head.Author.Name, Files: map[string]string{}, Text: pipeline.Folder{}}
	if head.Author.User != nil {
		s.Author = head.Author.User.Login
	}
	for _, p := range head.AssociatedPullRequests.Nodes {
		if p.HeadRefOID == head.OID && p.State == "OPEN" {
			inside := 0
			for _, f := range p.Files.Nodes {
				if strings.HasPrefix(f.Path, folder+"/") {
					inside++
				}
			}
			s.Outside = len(p.Files.Nodes) - inside + max(0, p.ChangedFiles-len(p.Files.Nodes)-insideBeyond(got.Repository.Tree, inside))
		}
	}
	if got.Repository.Tree == nil {
		return s, nil
	}
	s.Tree = got.Repository.Tree.tree.OID
	w := walk{c: c, repo: repo, op: op, into: &s}
	return s, w.tree(ctx, "", got.Repository.Tree.tree)
}

// insideBeyond is how many of the files past the first hundred are ours: those
// of the folder that were not among them.
func insideBeyond(root *node, inside int) int {
	if root == nil {
		return 0
	}
	return max(0, len(root.ids("", nil))-inside)
}

// ids are the blob ids of a tree by path.
func (n *node) ids(at string, into map[string]string) map[string]string {
	if into == nil {
		into = map[string]string{}
	}
	if n == nil {
		return into
	}
	for _, e := range n.Entries {
		path := join(at, e.Name)
		if e.Type == "tree" {
			e.Object.ids(path, into)
			continue
		}
		into[path] = e.OID
	}
	return into
}

// walk lays a tree out in a snapshot, refusing what is not a plain file.
type walk struct {
	c     *Client
	repo  pipeline.Repo
	op    string
	into  *pipeline.Snapshot
	bytes int
}

func (w *walk) tree(ctx context.Context, at string, t tree) error {
	for _, e := range t.Entries {
		path := join(at, e.Name)
		switch {
		case e.Mode == modeSymlink:
			return w.refuse(path, "is a symbolic link")
		case e.Mode == modeSubmodule || e.Type == "commit":
			return w.refuse(path, "is a submodule")
		case e.Type == "tree":
			if e.Object == nil || e.Object.tree.OID == "" {
				return w.refuse(path, "lies deeper than a session folder goes")
			}
			if err := w.tree(ctx, path, e.Object.tree); err != nil {
				return err
			}
		default:
			if err := w.file(ctx, path, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) file(ctx context.Context, path string, e entry) error {
	var b blob
	if e.Object != nil {
		b = e.Object.blob
	}
	w.bytes += b.ByteSize
	switch {
	case b.ByteSize > maxFileBytes:
		return w.refuse(path, fmt.Sprintf("has %d bytes, more than the %d a session file may have", b.ByteSize, maxFileBytes))
	case w.bytes > maxFolderBytes || len(w.into.Files) >= maxFolderFiles:
		return w.refuse(path, "is one too many: the session folder is too large to read")
	}
	w.into.Files[path] = e.OID
	if b.Text != nil && !b.IsTruncated {
		w.into.Text[path] = []byte(*b.Text)
		return lfs(w, path, *b.Text)
	}
	text, err := w.c.blob(ctx, w.repo, e.OID)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", w.op, path, err)
	}
	w.into.Text[path] = text
	return nil
}

func lfs(w *walk, path, text string) error {
	if strings.HasPrefix(text, "version https://git-lfs.github.com/spec/") {
		return w.refuse(path, "is kept in Git LFS, which is not read")
	}
	return nil
}

func (w *walk) refuse(path, why string) error {
	return &pipeline.Refusal{Text: fmt.Sprintf("I cannot read the session folder: `%s` %s. Replace it with a plain file.", strings.ReplaceAll(path, "`", "'"), why)}
}

// blob reads one object by id.
func (c *Client) blob(ctx context.Context, repo pipeline.Repo, id string) ([]byte, error) {
	var said struct{ Content, Encoding string }
	k := call{op: "read blob " + id, method: http.MethodGet, read: true, token: writeKey(repo), path: repoPath(repo, "git", "blobs", id), max: 2 * maxFileBytes}
	if err := c.restCall(ctx, k, &said); err != nil {
		return nil, err
	}
	if said.Encoding != "base64" {
		return []byte(said.Content), nil
	}
	return base64.StdEncoding.DecodeString(strings.ReplaceAll(said.Content, "\n", ""))
}

// ReadFile is one file at a branch or commit; nil when there is none.
func (c *Client) ReadFile(ctx context.Context, repo pipeline.Repo, ref, path string) ([]byte, error) {
	vars := struct {
		Owner      string `json:"owner"`
		Name       string `json:"name"`
		Expression string `json:"expression"`
	}{repo.Owner, repo.Name, ref + ":" + path}
	var got struct {
		Repository *struct{ Object *blob }
	}
	op := fmt.Sprintf("read %s at %s", path, ref)
	if err := c.read(ctx, question{op: op, doc: blobQuery, variables: vars, token: writeKey(repo)}, &got); err != nil {
		return nil, gone(err)
	}
	if got.Repository == nil || got.Repository.Object == nil || got.Repository.Object.OID == "" {
		return nil, nil
	}
	if b := got.Repository.Object; b.Text != nil && !b.IsTruncated {
		return []byte(*b.Text), nil
	}
	return c.blob(ctx, repo, got.Repository.Object.OID)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "/" + name
}
