package spec

import (
	"cmp"
	"slices"
)

// itemSpan is the lines an item occupies.
type itemSpan struct {
	from, to int
	id       string
}

// indexSpans lists each file's items by their first line. An item that is a
// whole file begins at its frontmatter.
func (s *Set) indexSpans() {
	s.spans = map[string][]itemSpan{}
	for _, it := range s.Items {
		from := it.Line
		if d := s.byPath[it.File]; d != nil && d.Front.Get("id") == it.ID {
			from = 1
		}
		s.spans[it.File] = append(s.spans[it.File], itemSpan{from, max(it.End, it.Line), it.ID})
	}
	for _, sp := range s.spans {
		slices.SortFunc(sp, func(a, b itemSpan) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	}
}
