package spec

import (
	"slices"
	"strings"
)

// targets knows where ids are to be found.
type targets map[string]target

type target struct{ file, anchor string }

// targetsOf takes the places of items from parsed sets.
func targetsOf(known []*Set) targets {
	t := targets{}
	for _, s := range known {
		if s == nil {
			continue
		}
		for _, it := range s.Items {
			if it.Kind == KindAC || it.Kind == KindRisk || it.Kind == KindAssumption {
				continue
			}
			t[it.ID] = target{it.File, s.anchorOf(it)}
		}
	}
	return t
}

// anchorOf is the heading that shows an item; empty when it is the whole file.
func (s *Set) anchorOf(it Item) string {
	d := s.byPath[it.File]
	if d == nil || d.Front.Get("id") == it.ID {
		return ""
	}
	anchor := ""
	for _, sec := range d.Sections {
		if sec.Line > it.Line {
			break
		}
		anchor = sec.Anchor
	}
	return anchor
}

// from makes links as seen from one file.
func (t targets) from(file string) linker { return linker{file, t} }

type linker struct {
	file string
	to   targets
}

// one is the id as a link, or bare where its place is not known.
func (l linker) one(id string) string {
	at, ok := l.to[id]
	if !ok {
		return id
	}
	href := ""
	if at.file != l.file {
		href = relative(l.file, at.file)
	}
	if at.anchor != "" {
		href += "#" + at.anchor
	}
	if href == "" {
		return id // a link to the page itself says nothing
	}
	return "[" + id + "](" + href + ")"
}

func (l linker) all(ids []string) string {
	var out []string
	for _, id := range fold(ids...) {
		out = append(out, l.one(id))
	}
	return strings.Join(out, ", ")
}

// fold lists ids once each, in order.
func fold(ids ...string) []string {
	var out []string
	for _, id := range ids {
		if idExactly.MatchString(id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
