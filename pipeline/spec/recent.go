package spec

import (
	"crypto/sha256"
	"sync"
)

// recent are the documents that were read last. The tasks and rounds of a
// session read the same texts again and again; a document is never changed
// once it is read, so that sets may share it.
var recent = shelf{room: 2 << 20}

// shelf keeps documents by path and digest. When the newer ones take up its
// room they become the older ones, and what was older is forgotten.
type shelf struct {
	room int // bytes of text

	mu           sync.Mutex
	newer, older map[edition]*Document
	taken        int
}

type edition struct {
	path string
	text [sha256.Size]byte
}

// read is the document of a file, parsed at most once while it is on the shelf.
func (s *shelf) read(f File) *Document {
	e := edition{f.Path, sha256.Sum256(f.Text)}
	s.mu.Lock()
	d := s.newer[e]
	if d == nil {
		d = s.older[e]
	}
	s.mu.Unlock()
	if d == nil {
		d = readDocument(f)
		d.Kind = kindOfDocument(d)
	}
	s.put(e, d, len(f.Text))
	return d
}

func (s *shelf) put(e edition, d *Document, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newer[e] != nil {
		return
	}
	if s.newer == nil || s.taken+size > s.room {
		s.newer, s.older, s.taken = map[edition]*Document{}, s.newer, 0
	}
	s.newer[e] = d
	s.taken += size
}
