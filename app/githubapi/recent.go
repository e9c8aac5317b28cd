package githubapi

import "sync"

// recent holds small files this process committed lately, by blob id: append-
// only files are rewritten with every task, and their text stands nowhere else
// but on the branch.
type recent struct {
	mu    sync.Mutex
	kept  map[string][]byte
	order []string // oldest first
	bytes int
}

const maxRecent = 16 << 20

func (r *recent) get(id string) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, ok := r.kept[id]
	return text, ok
}

func (r *recent) put(id string, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.kept[id]; known || len(text) > maxRecent/16 {
		return
	}
	r.kept[id] = text
	r.order = append(r.order, id)
	r.bytes += len(text)
	for r.bytes > maxRecent {
		r.bytes -= len(r.kept[r.order[0]])
		delete(r.kept, r.order[0])
		r.order = r.order[1:]
	}
}
