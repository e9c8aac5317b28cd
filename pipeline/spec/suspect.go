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
	accepted, listed := s.judged()
	out := s.suspectsSince(accepted)
	for id, up := range listed {
		out[id] = up
	}
	return out
}

// SuspectsAmong are the suspects among the items of which somebody knows that
// what they descend from was edited, and those the report lists. Where no
// report has judged anything yet, the marks nearest to the edit count.
func (s *Set) SuspectsAmong(marks []string) map[string]string {
	accepted, out := s.judged()
	changed := s.suspectsSince(accepted)
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

// judged is what the folder's report remembers: the fingerprints of the items
// it judged, nil where there is none, and the suspect links whose child still
// stands as it was.
func (s *Set) judged() (accepted, listed map[string]string) {
	listed = map[string]string{}
	d := s.First(DocReadiness)
	if d == nil {
		return nil, listed
	}
	accepted = map[string]string{}
	for _, f := range d.Front.Fields {
		if id, ok := strings.CutPrefix(f.Name, "fingerprints."); ok && len(f.Values) == 1 {
			accepted[id] = f.Values[0]
		}
	}
	for _, link := range d.Front.List("suspect") {
		id, up, _ := strings.Cut(link, " ")
		if it, ok := s.Item(id); ok && accepted[id] == it.Fingerprint {
			listed[id] = up
		}
	}
	return accepted, listed
}

// suspectLinks are the links a check found suspect and nobody allowed.
func suspectLinks(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Rule == "L52" && f.Grade != Info {
			out = append(out, f.Unit)
		}
	}
	return out
}
