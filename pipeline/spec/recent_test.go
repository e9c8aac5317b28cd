package spec

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A document is read again when its text or its place is another one.
func TestRecentDocuments(t *testing.T) {
	a, b := File{"spec/a.md", []byte("# A\n")}, File{"spec/a.md", []byte("# B\n")}
	moved := File{"spec/requirements/REQ-001-a.md", []byte("# A\n")}
	s := shelf{room: 10}
	first := s.read(a)
	if s.read(File{"spec/a.md", []byte("# A\n")}) != first {
		t.Error("an unchanged document is read twice")
	}
	if s.read(b).Title != "B" || s.read(moved).Kind != DocReq || s.read(a) != first {
		t.Error("another document is taken for the one that was read before")
	}
}

// What is kept is bounded, and forgetting changes nothing.
func TestRecentForgets(t *testing.T) {
	s := shelf{room: 100}
	for n := range 1000 {
		text := fmt.Appendf(nil, "# Document %d\n\nThe service MUST answer.\n", n)
		if diff := cmp.Diff(fmt.Sprintf("Document %d", n), s.read(File{"a.md", text}).Title); diff != "" {
			t.Fatal(diff)
		}
	}
	if n := len(s.newer) + len(s.older); n > 6 {
		t.Errorf("%d documents are kept", n)
	}
}
