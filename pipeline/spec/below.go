package spec

import (
	"slices"
	"strings"
)

// below is what stands under an item: what traces to it, and the components
// that carry it.
type below struct{ ids, parts []string }

// downOf lists what stands under each id in the known sets.
func downOf(known []*Set) map[string]below {
	down := map[string]below{}
	for _, s := range known {
		if s == nil {
			continue
		}
		for _, it := range s.Items {
			if len(it.Children) > 0 {
				d := down[it.ID]
				d.ids = fold(append(d.ids, it.Children...)...)
				down[it.ID] = d
			}
		}
		for id, parts := range partsOf(s) {
			d := down[id]
			d.parts = parts
			down[id] = d
		}
	}
	return down
}

// partsOf names the components that carry each requirement.
func partsOf(s *Set) map[string][]string {
	a, err := ParseArchitecture(s)
	if err != nil {
		return nil
	}
	out := map[string][]string{}
	for _, c := range a.Components {
		for _, id := range c.Reqs {
			if known(c.Name) && !slices.Contains(out[id], c.Name) {
				out[id] = append(out[id], c.Name)
			}
		}
	}
	return out
}

// work links the stories and epics that carry an item out.
func (l linker) work(b below) string { return l.all(ofKind(b.ids, KindStory, KindEpic)) }

// design links the decisions about an item, and the components that carry it.
func (l linker) design(b below) string {
	var out []string
	if ids := l.all(ofKind(b.ids, KindADR)); ids != "" {
		out = append(out, ids)
	}
	return strings.Join(append(out, l.components(b.parts)...), ", ")
}

func (l linker) components(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, "["+inline(name)+"]("+relative(l.file, ArchitecturePath)+"#"+Anchor("Component Descriptions")+")")
	}
	return out
}

// neighbour is somebody or something outside that the system has to do with.
type neighbour struct {
	name    string
	inwards bool // it gives to the system; people always do
}

// around finds in the known sets who and what stands around the system: the
// brief's users and the systems of its integration requirements.
func around(known []*Set) []neighbour {
	var out []neighbour
	for _, s := range known {
		if s == nil {
			continue
		}
		if b, err := ParseBrief(s); err == nil {
			for _, u := range b.Users {
				out = append(out, neighbour{u.Name, true})
			}
		}
		if r, err := ParseRequirements(s); err == nil {
			for _, i := range r.Integrations {
				out = append(out, neighbour{i.System, strings.EqualFold(i.Direction, "in")})
			}
		}
	}
	return out
}
