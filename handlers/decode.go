package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// decode reads the fields of T from a payload. The payload is first cut down
// to what T names, in one pass that jumps over everything else: nine tenths of
// a delivery are links nobody reads, and encoding/json looks at each byte twice.
func decode[T any](payload []byte) (*T, error) {
	value := new(T)
	var small [2 << 10]byte
	kept, rest, ok := prune(payload, shapeOf(reflect.TypeFor[T]()), small[:0])
	if !ok || len(bytes.TrimSpace(rest)) > 0 {
		return nil, fmt.Errorf("%w: not one JSON object", ErrMalformed)
	}
	if err := json.Unmarshal(kept, value); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return value, nil
}

// shape says which members of an object are wanted; nil wants a value whole.
type shape struct {
	members map[string]*shape
	list    bool // the value is a list of such objects
}

var shapes sync.Map // reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := makeShape(t)
	shapes.Store(t, s)
	return s
}

func makeShape(t reflect.Type) *shape {
	switch t.Kind() {
	case reflect.Pointer:
		return makeShape(t.Elem())
	case reflect.Slice:
		if inner := makeShape(t.Elem()); inner != nil {
			return &shape{members: inner.members, list: true}
		}
		return nil
	case reflect.Struct:
		s := &shape{members: map[string]*shape{}}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" {
				for key, inner := range makeShape(f.Type).members {
					s.members[key] = inner
				}
				continue
			}
			s.members[name] = makeShape(f.Type)
		}
		return s
	}
	return nil
}

// prune appends to out the JSON value that in starts with, less the members
// want does not name, and returns what follows the value.
func prune(in []byte, want *shape, out []byte) (kept, rest []byte, ok bool) {
	in = blank(in)
	switch {
	case len(in) == 0:
		return nil, nil, false
	case want != nil && want.list && in[0] == '[':
		return pruneList(in[1:], &shape{members: want.members}, append(out, '['))
	case want != nil && !want.list && in[0] == '{':
		return pruneObject(in[1:], want, append(out, '{'))
	}
	n := skip(in)
	if n < 0 {
		return nil, nil, false
	}
	return append(out, in[:n]...), in[n:], true
}

func pruneList(in []byte, want *shape, out []byte) (kept, rest []byte, ok bool) {
	if in = blank(in); len(in) > 0 && in[0] == ']' {
		return append(out, ']'), in[1:], true
	}
	for {
		if out, in, ok = prune(in, want, out); !ok {
			return nil, nil, false
		}
		if in = blank(in); len(in) == 0 {
			return nil, nil, false
		}
		out = append(out, in[0])
		switch in[0] {
		case ']':
			return out, in[1:], true
		case ',':
			in = in[1:]
		default:
			return nil, nil, false
		}
	}
}

func pruneObject(in []byte, want *shape, out []byte) (kept, rest []byte, ok bool) {
	if in = blank(in); len(in) > 0 && in[0] == '}' {
		return append(out, '}'), in[1:], true
	}
	first := true
	for {
		key, after, ok := member(in)
		if !ok {
			return nil, nil, false
		}
		inner, wanted := want.members[string(key)]
		if wanted {
			if !first {
				out = append(out, ',')
			}
			first = false
			out = append(append(append(out, '"'), key...), '"', ':')
			if out, in, ok = prune(after, inner, out); !ok {
				return nil, nil, false
			}
		} else if in, ok = past(after); !ok {
			return nil, nil, false
		}
		if in = blank(in); len(in) == 0 {
			return nil, nil, false
		}
		switch in[0] {
		case '}':
			return append(out, '}'), in[1:], true
		case ',':
			in = blank(in[1:])
		default:
			return nil, nil, false
		}
	}
}

// member reads a member's name and the colon behind it.
func member(in []byte) (key, rest []byte, ok bool) {
	if len(in) == 0 || in[0] != '"' {
		return nil, nil, false
	}
	n := skipString(in)
	if n < 0 {
		return nil, nil, false
	}
	rest = blank(in[n:])
	if len(rest) == 0 || rest[0] != ':' {
		return nil, nil, false
	}
	return in[1 : n-1], rest[1:], true
}

// past jumps over one value.
func past(in []byte) (rest []byte, ok bool) {
	in = blank(in)
	n := skip(in)
	if n < 0 {
		return nil, false
	}
	return in[n:], true
}

func blank(in []byte) []byte {
	for len(in) > 0 && (in[0] == ' ' || in[0] == '\n' || in[0] == '\t' || in[0] == '\r') {
		in = in[1:]
	}
	return in
}

// skip is the length of the value that in starts with, -1 where it has no end.
// Depth is counted, not recursed into.
func skip(in []byte) int {
	if len(in) == 0 {
		return -1
	}
	switch in[0] {
	case '"':
		return skipString(in)
	case '{', '[':
		return skipNested(in)
	}
	n := 0
	for n < len(in) && scalar[in[n]] {
		n++
	}
	if n == 0 {
		return -1
	}
	return n
}

// scalar are the bytes of numbers, true, false and null.
var scalar = func() (set [256]bool) {
	for _, c := range "+-.0123456789abcdefghijklmnopqrstuvwxyzE" {
		set[c] = true
	}
	return set
}()

func skipNested(in []byte) int {
	depth := 0
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '"':
			n := skipString(in[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

func skipString(in []byte) int {
	for i := 1; i < len(in); {
		n := bytes.IndexByte(in[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for in[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
	return -1
}
