package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// seal folds the criteria below an item into its fingerprint: a changed
// criterion is a changed requirement.
func (s *Set) seal() {
	for i := range s.Items {
		it := &s.Items[i]
		var below []string
		for _, c := range it.Children {
			if ac, ok := s.Item(c); ok && ac.Kind == KindAC {
				below = append(below, ac.Statement)
			}
		}
		if len(below) > 0 {
			h := sha256.Sum256([]byte(it.Fingerprint + strings.Join(below, "\x00")))
			it.Fingerprint = hex.EncodeToString(h[:8])
		}
	}
}

// Fingerprints of all items that stand for themselves.
func (s *Set) Fingerprints() map[string]string {
	out := map[string]string{}
	for _, it := range s.Items {
		if it.Kind != KindAC {
			out[it.ID] = it.Fingerprint
		}
	}
	return out
}

// Changed lists the items whose own text differs between two states of a
// specification, new and vanished ones among them, and the suspects: those
// that descend from a changed item and did not change themselves.
func Changed(old, now *Set) (items, suspect []string) {
	before, after := old.Fingerprints(), now.Fingerprints()
	changed := map[string]bool{}
	for id, print := range after {
		if before[id] != print {
			changed[id] = true
		}
	}
	for id := range before {
		if _, there := after[id]; !there {
			changed[id] = true
		}
	}
	doubtful := map[string]bool{}
	for id := range changed {
		for _, s := range []*Set{old, now} {
			for _, d := range s.Descendants(id) {
				if _, there := after[d]; there && !changed[d] {
					doubtful[d] = true
				}
			}
		}
	}
	return keys(changed), keys(doubtful)
}

func keys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Descendants are the items that trace to an id, directly or through others,
// and the epics that hold such stories.
func (s *Set) Descendants(id string) []string {
	seen := map[string]bool{id: true}
	next := []string{id}
	for len(next) > 0 {
		var further []string
		for _, at := range next {
			for _, c := range s.Down(at) {
				if it, ok := s.Item(c); ok && it.Kind != KindAC && !seen[c] {
					seen[c] = true
					further = append(further, c)
				}
			}
		}
		next = further
	}
	delete(seen, id)
	return keys(seen)
}

// Relink brings the computed links downwards ("Architecture", "Implemented
// by") of requirement and decision files up to date and returns the files that
// changed. Nothing else in them is touched, so that people's edits stay.
func Relink(files []File) []File {
	s := Parse(files)
	to, down := targetsOf([]*Set{s}), downOf([]*Set{s})
	var out []File
	for _, d := range s.Documents {
		if d.Kind != DocReq && d.Kind != DocNFR && d.Kind != DocADR {
			continue
		}
		below, in := down[d.Front.Get("id")], to.from(d.Path)
		fresh := map[string]string{"implemented by": in.work(below)}
		if d.Kind != DocADR {
			fresh["architecture"] = in.design(below)
		}
		lines, moved := slices.Clone(d.Lines), false
		for _, b := range d.Blocks {
			name, _, ok := splitLabel(b.Text)
			links, ours := fresh[name]
			if !ok || !ours || b.Line != b.End || !strings.EqualFold(d.sectionTitle(b.Section), "Traces") {
				continue
			}
			if links == "" && len(IDs(b.Text)) == 0 {
				continue // it already says so, in the document's language
			}
			title := strings.ToUpper(name[:1]) + name[1:]
			l := "**" + title + ":** " + orElse(links, "_"+nothingIn(s.Language())+"_")
			if lines[b.Line-1] != l {
				lines[b.Line-1], moved = l, true
			}
		}
		if moved && !d.Cut {
			out = append(out, File{Path: d.Path, Text: []byte(strings.Join(lines, "\n") + "\n")})
		}
	}
	return out
}
