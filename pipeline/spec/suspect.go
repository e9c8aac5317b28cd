package spec

import (
	"slices"
	"strings"
)

// A link is suspect from the moment a parent changes until the child does, is
// written anew, or is accepted as it stands. The readiness report remembers
// what every item said when it was judged, and the links that were suspect then.

// Suspects are the items whose parent changed after the folder's own report
// judged them, with that parent.
func (s *Set) Suspects() map[string]string {
	accepted, links := s.judged()
	out := s.suspectsSince(accepted)
	for id, l := range links {
		l.settle(out, id)
	}
	return out
}

// SuspectsAmong are the suspects among the items of which somebody knows that
// what they descend from was edited, and those the report lists. Where no
// report has judged anything yet, the marks nearest to the edit count.
func (s *Set) SuspectsAmong(marks []string) map[string]string {
	accepted, links := s.judged()
	changed, out := s.suspectsSince(accepted), map[string]string{}
	for id, l := range links {
		l.settle(changed, id)
		l.settle(out, id)
	}
	for _, id := range marks {
		switch up, ok := changed[id]; {
		case ok:
			out[id] = up
		case accepted == nil && !slices.ContainsFunc(s.Up(id), func(up string) bool { return slices.Contains(marks, up) }):
			out[id] = ""
		}
	}
	return out
}

func (s *Set) suspectsSince(accepted map[string]string) map[string]string {
	out := map[string]string{}
	for _, it := range s.Items {
		print, known := accepted[it.ID]
		if it.Kind == KindAC || !known || print != it.Fingerprint {
			continue // a new or changed item was read against its parent
		}
		for _, up := range it.TracesTo {
			parent, ok := s.Item(up)
			before, had := accepted[up]
			if ok && had && before != parent.Fingerprint {
				out[it.ID] = up
				break
			}
		}
	}
	return out
}

// suspectLink is a link as a report remembers it: the parent, and its
// fingerprint from before it changed.
type suspectLink struct {
	up, was string
	back    bool // the parent says again what it said then
}

// settle enters the link of an item, or takes it out where its parent was put
// back.
func (l suspectLink) settle(suspects map[string]string, id string) {
	switch {
	case !l.back:
		suspects[id] = l.up
	case suspects[id] == l.up:
		delete(suspects, id)
	}
}

// judged is what the folder's report remembers: the fingerprints of the items
// it judged, nil where there is none, and the suspect links whose child still
// stands as it was.
func (s *Set) judged() (accepted map[string]string, links map[string]suspectLink) {
	links = map[string]suspectLink{}
	d := s.First(DocReadiness)
	if d == nil {
		return nil, links
	}
	accepted = map[string]string{}
	for _, f := range d.Front.Fields {
		if id, ok := strings.CutPrefix(f.Name, "fingerprints."); ok && len(f.Values) == 1 {
			accepted[id] = f.Values[0]
		}
	}
	for _, link := range d.Front.List("suspect") {
		id, rest, _ := strings.Cut(link, " ")
		up, was, _ := strings.Cut(rest, " ")
		if it, ok := s.Item(id); ok && accepted[id] == it.Fingerprint {
			parent, there := s.Item(up)
			links[id] = suspectLink{up, was, there && parent.Fingerprint == was}
		}
	}
	return accepted, links
}

// suspectLinks are the links a check found suspect and nobody allowed, each
// with what its parent said before, as far as the report before tells.
func suspectLinks(findings []Finding, s *Set) []string {
	var accepted map[string]string
	var links map[string]suspectLink
	if s != nil {
		accepted, links = s.judged()
	}
	var out []string
	for _, f := range findings {
		if f.Rule != "L52" || f.Grade == Info {
			continue
		}
		_, up, _ := strings.Cut(f.Unit, " ")
		was := accepted[up]
		if l, ok := links[f.Item]; ok && l.up == up {
			was = l.was
		}
		out = append(out, strings.TrimSpace(f.Unit+" "+was))
	}
	return out
}
