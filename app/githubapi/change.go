package githubapi

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pipeline"
)

// change is a commit write resolved against the branch as it stands: whole
// files, because that is what GitHub takes.
type change struct {
	files     map[string][]byte // path in the folder to content
	deleted   []string
	applied   []string
	conflicts []string
	resolved  []string // paths whose text only this commit knows
}

func (ch change) empty() bool { return len(ch.files) == 0 && len(ch.deleted) == 0 }

// What one commit may hold: the server gives up after ten seconds.
const (
	maxCommitFiles = 100
	maxCommitBytes = 10 << 20
)

// parts splits a change that is too large for one commit. What was applied is
// told with the last.
func (ch change) parts() []change {
	var all []change
	part, size := change{files: map[string][]byte{}}, 0
	for _, path := range slices.Sorted(maps.Keys(ch.files)) {
		text := ch.files[path]
		if len(part.files) > 0 && (len(part.files) >= maxCommitFiles || size+len(text) > maxCommitBytes) {
			all = append(all, part)
			part, size = change{files: map[string][]byte{}}, 0
		}
		part.files[path] = text
		size += len(text)
	}
	part.deleted, part.applied, part.conflicts, part.resolved = ch.deleted, ch.applied, ch.conflicts, nil
	return append(all, part)
}

const memoryFile = "shared-memory.json"

// ours are files of the machine's: a person's edit of them does not stand
// against a new state.
var ours = []string{"team-session.json"}

// change resolves w: stored blobs to text, appends and settings to the file
// they lead to. What a person changed since we last looked is left to them.
func (r *run) change(ctx context.Context, w pipeline.Write) (change, error) {
	ch := change{files: map[string][]byte{}}
	for _, f := range w.Files {
		text := []byte(f.Text)
		if f.Blob != "" {
			var err error
			if text, err = r.b.Blob(ctx, f.Blob); err != nil {
				return ch, fmt.Errorf("read stored file %s: %w", f.Path, err)
			}
		}
		switch id := blobID(text); {
		case r.files[f.Path] == id && r.exact:
		case r.foreign[f.Path] && !slices.Contains(ours, f.Path):
			ch.conflicts = append(ch.conflicts, f.Path)
		default:
			ch.files[f.Path] = text
		}
	}
	for _, path := range w.Deleted {
		switch _, there := r.files[path]; {
		case r.foreign[path]:
			ch.conflicts = append(ch.conflicts, path)
		case there:
			ch.deleted = append(ch.deleted, path)
		}
	}
	for _, a := range w.Append {
		text, err := r.current(ctx, ch, a.Path)
		if err != nil {
			return ch, err
		}
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		ch.files[a.Path] = append(text, a.Text...)
		ch.applied = append(ch.applied, a.Key)
		ch.resolved = append(ch.resolved, a.Path)
	}
	if len(w.Memory) > 0 {
		ch.resolved = append(ch.resolved, memoryFile)
	}
	return ch, r.remember(ctx, w, ch)
}

// remember sets keys of shared-memory.json. A file that is no object any more
// is begun anew: its former text is in the branch's history.
func (r *run) remember(ctx context.Context, w pipeline.Write, ch change) error {
	if len(w.Memory) == 0 {
		return nil
	}
	text, err := r.current(ctx, ch, memoryFile)
	if err != nil {
		return err
	}
	memory := map[string]json.RawMessage{}
	if json.Unmarshal(text, &memory) != nil || memory == nil {
		memory = map[string]json.RawMessage{}
	}
	for _, m := range w.Memory {
		value := json.RawMessage(m.Value)
		if !json.Valid(value) {
			if value, err = json.Marshal(m.Value); err != nil {
				return fmt.Errorf("set %s: %w", m.Key, err)
			}
		}
		memory[m.Key] = value
	}
	out, err := json.MarshalIndent(memory, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", memoryFile, err)
	}
	ch.files[memoryFile] = append(out, '\n')
	return nil
}

// current is a file's content as this commit would leave it so far.
func (r *run) current(ctx context.Context, ch change, path string) ([]byte, error) {
	if text, ok := ch.files[path]; ok {
		return bytes.Clone(text), nil
	}
	id := r.files[path]
	if id == "" {
		return nil, nil
	}
	text, err := r.text(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read %s as it stands: %w", path, err)
	}
	return bytes.Clone(text), nil
}

// text reads a blob: from the store, from what this process wrote lately, or,
// with all others of the folder in one query, from GitHub.
func (r *run) text(ctx context.Context, id string) ([]byte, error) {
	if r.b.Blob != nil {
		if text, err := r.b.Blob(ctx, id); err == nil {
			return text, nil
		}
	}
	if text, ok := r.c.recent.get(id); ok {
		return text, nil
	}
	if r.read == nil {
		at, err := r.c.Folder(ctx, r.s.Repo, r.base, r.s.Folder())
		if err != nil {
			return nil, err
		}
		r.read = map[string][]byte{}
		for path, text := range at.Text {
			r.read[at.Files[path]] = text
		}
	}
	if text, ok := r.read[id]; ok {
		return text, nil
	}
	return r.c.blob(ctx, r.s.Repo, id)
}

// keep remembers what appends led to.
func (r *run) keep(ctx context.Context, text []byte) {
	r.c.recent.put(blobID(text), text)
	if r.b.Keep == nil {
		return
	}
	if err := r.b.Keep(ctx, text); err != nil {
		r.c.cfg.Log.Warn("file not kept, it will be read from GitHub", "session", r.s.ID, "err", err)
	}
}

// blobID is git's name for a content.
func blobID(text []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// treeID is git's name for a folder of plain files, so that a commit made
// over REST tells the same tree as one made over GraphQL.
func treeID(files map[string]string) string {
	type item struct{ sortKey, mode, name, id string }
	dirs := map[string]map[string]string{}
	var items []item
	for path, id := range files {
		name, rest, nested := strings.Cut(path, "/")
		if !nested {
			items = append(items, item{name, "100644", name, id})
			continue
		}
		if dirs[name] == nil {
			dirs[name] = map[string]string{}
		}
		dirs[name][rest] = id
	}
	for name, inner := range dirs {
		items = append(items, item{name + "/", "40000", name, treeID(inner)})
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.sortKey, b.sortKey) })
	var body bytes.Buffer
	for _, it := range items {
		fmt.Fprintf(&body, "%s %s\x00", it.mode, it.name)
		id, err := hex.DecodeString(it.id)
		if err != nil {
			return ""
		}
		body.Write(id)
	}
	h := sha1.New()
	fmt.Fprintf(h, "tree %d\x00", body.Len())
	h.Write(body.Bytes())
	return hex.EncodeToString(h.Sum(nil))
}

// mark is the form in which a write's key is left on what it made: keys may
// hold anything.
func mark(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}

// trailer marks a commit.
const trailer = "Parley-Write"

// commitBody is the message's body with our trailer behind it; next to other
// trailers, so that git reads them as one block.
func commitBody(body, key string) string {
	line := trailer + ": " + mark(key)
	body = strings.TrimRight(body, " \n")
	if body == "" {
		return line
	}
	last := body[strings.LastIndexByte(body, '\n')+1:]
	name, _, found := strings.Cut(last, ": ")
	if found && !strings.ContainsAny(name, " \t") {
		return body + "\n" + line
	}
	return body + "\n\n" + line
}

// messageBody is a commit's body; only the last commit of a write is marked,
// so that a write half done is done again.
func messageBody(w pipeline.Write, last bool) string {
	body := w.Body
	if w.Kind == pipeline.WriteOpen {
		body = "" // it is the pull request's
	}
	if !last {
		return body
	}
	return commitBody(body, w.Key)
}

// headline of a commit: the opening one is named for its session.
func headline(s pipeline.Session, w pipeline.Write) string {
	if w.Kind == pipeline.WriteOpen {
		return "Open session " + s.ID
	}
	return pipeline.Cut(strings.Join(strings.Fields(w.Title), " "), pipeline.MaxTitle)
}

// signed tells whether a commit message carries the trailer, of key if given.
func signed(message, key string) bool {
	want := trailer + ": "
	if key != "" {
		want += mark(key)
	}
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line == want || key == "" && strings.HasPrefix(line, want) {
			return true
		}
	}
	return false
}

// marked is text with the write's marker behind it, cut to what GitHub takes.
func marked(text, key string) string {
	return pipeline.Cut(text, pipeline.MaxBody) + "\n\n" + pipeline.Marker(pipeline.WriteMark, mark(key))
}

// hasMark tells whether a text of ours was made by the write.
func hasMark(text, key string) bool {
	return slices.Contains(pipeline.Marked(text, pipeline.WriteMark), mark(key))
}
