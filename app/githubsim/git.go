package githubsim

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

// Modes of tree entries, as git writes them.
const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeLink       = "120000"
	modeTree       = "40000"
	modeSubmodule  = "160000"
)

// zeroSHA stands for "no commit" in pushes and ref updates.
const zeroSHA = "0000000000000000000000000000000000000000"

// signature is who wrote a commit and when.
type signature struct {
	Name  string
	Email string
	At    time.Time
}

func (s signature) String() string {
	return fmt.Sprintf("%s <%s> %d %s", s.Name, s.Email, s.At.Unix(), s.At.Format("-0700"))
}

type commit struct {
	SHA       string
	Tree      string
	Parents   []string
	Author    signature
	Committer signature
	Message   string
	// By is the account behind the author's address; nil for none.
	By *Account
	// Verified: made through the API and signed by GitHub.
	Verified bool
}

func (c *commit) headline() string {
	head, _, _ := strings.Cut(c.Message, "\n")
	return head
}

func (c *commit) body() string {
	_, rest, _ := strings.Cut(c.Message, "\n")
	return strings.TrimLeft(rest, "\n")
}

type treeEntry struct {
	Name string
	Mode string
	SHA  string
}

func (e treeEntry) kind() string {
	switch e.Mode {
	case modeTree:
		return "tree"
	case modeSubmodule:
		return "commit"
	}
	return "blob"
}

// entry is a file of a flattened tree.
type entry struct {
	Mode string
	SHA  string
}

// objects is an object store whose ids are git's own.
type objects struct {
	blobs   map[string][]byte
	trees   map[string][]treeEntry
	commits map[string]*commit
}

func newObjects() *objects {
	return &objects{blobs: map[string][]byte{}, trees: map[string][]treeEntry{}, commits: map[string]*commit{}}
}

// gitID is the id git gives to an object of that kind and content.
func gitID(kind string, content []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

func (o *objects) putBlob(content []byte) string {
	id := gitID("blob", content)
	if _, ok := o.blobs[id]; !ok {
		o.blobs[id] = bytes.Clone(content)
	}
	return id
}

// putTree stores one directory. Git sorts a subtree as if its name ended in a slash.
func (o *objects) putTree(entries []treeEntry) string {
	entries = slices.Clone(entries)
	sortName := func(e treeEntry) string {
		if e.Mode == modeTree {
			return e.Name + "/"
		}
		return e.Name
	}
	sort.Slice(entries, func(i, j int) bool { return sortName(entries[i]) < sortName(entries[j]) })
	var raw bytes.Buffer
	for _, e := range entries {
		id, err := hex.DecodeString(e.SHA)
		if err != nil {
			panic("githubsim: tree entry with a bad object id " + e.SHA)
		}
		fmt.Fprintf(&raw, "%s %s\x00", e.Mode, e.Name)
		raw.Write(id)
	}
	id := gitID("tree", raw.Bytes())
	o.trees[id] = entries
	return id
}

// putFiles stores a flattened tree and returns its root.
func (o *objects) putFiles(files map[string]entry) string {
	var here []treeEntry
	below := map[string]map[string]entry{}
	for path, e := range files {
		dir, rest, nested := strings.Cut(path, "/")
		if !nested {
			here = append(here, treeEntry{Name: path, Mode: e.Mode, SHA: e.SHA})
			continue
		}
		if below[dir] == nil {
			below[dir] = map[string]entry{}
		}
		below[dir][rest] = e
	}
	for dir, sub := range below {
		here = append(here, treeEntry{Name: dir, Mode: modeTree, SHA: o.putFiles(sub)})
	}
	return o.putTree(here)
}

func (o *objects) putCommit(c commit) *commit {
	var raw strings.Builder
	fmt.Fprintf(&raw, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&raw, "parent %s\n", p)
	}
	fmt.Fprintf(&raw, "author %s\ncommitter %s\n\n%s", c.Author, c.Committer, c.Message)
	c.SHA = gitID("commit", []byte(raw.String()))
	if _, ok := o.commits[c.SHA]; !ok {
		o.commits[c.SHA] = &c
	}
	return o.commits[c.SHA]
}

// files flattens a tree; an unknown tree has no files.
func (o *objects) files(tree string) map[string]entry {
	out := map[string]entry{}
	o.walk(tree, "", out)
	return out
}

func (o *objects) walk(tree, prefix string, out map[string]entry) {
	for _, e := range o.trees[tree] {
		if e.Mode == modeTree {
			o.walk(e.SHA, prefix+e.Name+"/", out)
			continue
		}
		out[prefix+e.Name] = entry{Mode: e.Mode, SHA: e.SHA}
	}
}

// filesAt flattens the tree of a commit.
func (o *objects) filesAt(sha string) map[string]entry {
	c := o.commits[sha]
	if c == nil {
		return map[string]entry{}
	}
	return o.files(c.Tree)
}

// at finds the entry at a path of a tree; the empty path is the tree itself.
func (o *objects) at(tree, path string) (treeEntry, bool) {
	found := treeEntry{Mode: modeTree, SHA: tree}
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		i := slices.IndexFunc(o.trees[found.SHA], func(e treeEntry) bool { return e.Name == part })
		if i < 0 || found.Mode != modeTree {
			return treeEntry{}, false
		}
		found = o.trees[found.SHA][i]
	}
	return found, true
}

// ancestors lists a commit and everything before it, nearest first.
func (o *objects) ancestors(sha string) []string {
	seen := map[string]bool{}
	order := []string{}
	queue := []string{sha}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if seen[next] || o.commits[next] == nil {
			continue
		}
		seen[next] = true
		order = append(order, next)
		queue = append(queue, o.commits[next].Parents...)
	}
	return order
}

// contains says whether old is sha or one of its ancestors.
func (o *objects) contains(sha, old string) bool {
	return slices.Contains(o.ancestors(sha), old)
}

// mergeBase is the nearest commit both have; empty when they share none.
func (o *objects) mergeBase(a, b string) string {
	of := o.ancestors(a)
	for _, sha := range o.ancestors(b) {
		if slices.Contains(of, sha) {
			return sha
		}
	}
	return ""
}

// between lists the commits of head that base does not have, oldest first.
func (o *objects) between(base, head string) []*commit {
	skip := map[string]bool{}
	for _, sha := range o.ancestors(base) {
		skip[sha] = true
	}
	var out []*commit
	for _, sha := range o.ancestors(head) {
		if !skip[sha] {
			out = append(out, o.commits[sha])
		}
	}
	slices.Reverse(out)
	return out
}

// overlay applies what changed from base to head onto another tree's files.
func (o *objects) overlay(onto, base, head map[string]entry) map[string]entry {
	out := maps.Clone(onto)
	for path, e := range head {
		if base[path] != e {
			out[path] = e
		}
	}
	for path := range base {
		if _, kept := head[path]; !kept {
			delete(out, path)
		}
	}
	return out
}
