package spec

import (
	"reflect"
	"slices"
	"strings"
)

// Revising keeps what people and links hold on to: ids, file names, versions.
// A regenerated document is brought in line with the one before it by After.

// After gives the brief the goal ids of the one before and raises the version
// where something changed.
func (b Brief) After(old Brief) Brief {
	ids := keepIDs("G", old.Retired, len(b.Goals), func(i int) claim { return claim{b.Goals[i].ID, b.Goals[i].Text, ""} },
		len(old.Goals), func(i int) claim { return claim{old.Goals[i].ID, old.Goals[i].Text, ""} })
	b.Goals = slices.Clone(b.Goals)
	for i := range b.Goals {
		b.Goals[i].ID = ids[i]
	}
	var before []string
	for _, g := range old.Goals {
		before = append(before, g.ID)
	}
	b.Retired = retire(old.Retired, before, ids)
	b.Version = raised(old.Version, !sameText(old.asIf(b.Head).Render(), b.asIf(b.Head).Render()))
	return b
}

func (b Brief) asIf(h Head) Brief { b.Head = h; return b }

// After does the same for requirements and their files.
func (r Requirements) After(old Requirements) Requirements {
	r.Reqs, r.NFRs = slices.Clone(r.Reqs), slices.Clone(r.NFRs)
	ids := keepIDs("REQ", old.Retired, len(r.Reqs), func(i int) claim { return r.Reqs[i].claim() }, len(old.Reqs), func(i int) claim { return old.Reqs[i].claim() })
	changed := len(r.Reqs) != len(old.Reqs) || len(r.NFRs) != len(old.NFRs)
	var before []string
	for _, q := range old.Reqs {
		before = append(before, q.ID)
	}
	for i := range r.Reqs {
		q := &r.Reqs[i]
		q.renumber(ids[i])
		at := slices.IndexFunc(old.Reqs, func(o Requirement) bool { return o.ID == q.ID })
		if at < 0 {
			q.Version, changed = 1, true
			continue
		}
		q.File, q.Version = old.Reqs[at].path(), old.Reqs[at].Version
		if !same(*q, old.Reqs[at]) {
			q.Version, changed = raised(q.Version, true), true
		}
	}
	for i := range r.NFRs {
		changed = r.NFRs[i].after(old, &ids) || changed
	}
	for _, n := range old.NFRs {
		before = append(before, n.ID)
	}
	r.Retired = retire(old.Retired, before, ids)
	index := old
	index.Head, index.Reqs, index.NFRs = r.Head, r.Reqs, r.NFRs
	r.Version = raised(old.Version, changed || !sameText(index.Render(), r.Render()))
	return r
}

func (n *NFR) after(old Requirements, ids *[]string) (changed bool) {
	prefix := "NFR-" + n.Category
	at := slices.IndexFunc(old.NFRs, func(o NFR) bool {
		return o.ID == n.ID && o.Category == n.Category && !slices.Contains(*ids, o.ID) && n.claim().like(o.claim())
	})
	if at < 0 {
		at = slices.IndexFunc(old.NFRs, func(o NFR) bool {
			return o.Category == n.Category && !slices.Contains(*ids, o.ID) && n.claim().like(o.claim())
		})
	}
	if at < 0 {
		taken := append(slices.Clone(*ids), old.Retired...)
		for _, o := range old.NFRs {
			taken = append(taken, o.ID)
		}
		if n.ID == "" || slices.Contains(taken, n.ID) {
			n.ID = NextID(prefix, taken...)
		}
		n.Version = 1
		*ids = append(*ids, n.ID)
		return true
	}
	o := old.NFRs[at]
	n.ID, n.File, n.Version = o.ID, o.path(), o.Version
	*ids = append(*ids, n.ID)
	if same(*n, o) {
		return false
	}
	n.Version = raised(n.Version, true)
	return true
}

// After does the same for the architecture and its decisions.
func (a Architecture) After(old Architecture) Architecture {
	a.ADRs = slices.Clone(a.ADRs)
	ids := keepIDs("ADR", old.Retired, len(a.ADRs), func(i int) claim { return a.ADRs[i].claim() }, len(old.ADRs), func(i int) claim { return old.ADRs[i].claim() })
	changed := len(a.ADRs) != len(old.ADRs)
	var before []string
	for _, d := range old.ADRs {
		before = append(before, d.ID)
	}
	for i := range a.ADRs {
		d := &a.ADRs[i]
		d.ID = ids[i]
		at := slices.IndexFunc(old.ADRs, func(o ADR) bool { return o.ID == d.ID })
		if at < 0 {
			d.Version, changed = 1, true
			continue
		}
		d.File, d.Version = old.ADRs[at].path(), old.ADRs[at].Version
		if d.Date == "" {
			d.Date = old.ADRs[at].Date
		}
		if !same(*d, old.ADRs[at]) {
			d.Version, changed = raised(d.Version, true), true
		}
	}
	a.Retired = retire(old.Retired, before, ids)
	index := old
	index.Head, index.ADRs = a.Head, a.ADRs
	a.Version = raised(old.Version, changed || !sameText(index.Render(), a.Render()))
	return a
}

// After does the same for epics; a story keeps its number with its epic.
func (e Epics) After(old Epics) Epics {
	e.Epics = slices.Clone(e.Epics)
	ids := keepIDs("EPIC", old.Retired, len(e.Epics), func(i int) claim { return e.Epics[i].claim() }, len(old.Epics), func(i int) claim { return old.Epics[i].claim() })
	moved := map[string]string{}
	for i := range e.Epics {
		moved[e.Epics[i].ID] = ids[i]
	}
	before, now := old.ids(), []string(nil)
	changed := len(e.Epics) != len(old.Epics)
	for i := range e.Epics {
		ep := &e.Epics[i]
		ep.ID = ids[i]
		ep.Dependencies = slices.Clone(ep.Dependencies)
		for j := range ep.Dependencies {
			ep.Dependencies[j].Epic = orElse(moved[ep.Dependencies[j].Epic], ep.Dependencies[j].Epic)
		}
		at := slices.IndexFunc(old.Epics, func(o Epic) bool { return o.ID == ep.ID })
		var was Epic
		if at >= 0 {
			was = old.Epics[at]
			ep.File, ep.Version = was.path(), was.Version
		}
		ep.keepStories(was, old.Retired)
		if at < 0 || !same(*ep, was) {
			ep.Version, changed = raised(was.Version, true), true
		}
	}
	now = e.ids()
	for i := range e.Order {
		e.Order[i] = orElse(moved[e.Order[i]], e.Order[i])
	}
	e.Retired = retire(old.Retired, before, now)
	index := old
	index.Head, index.Epics = e.Head, e.Epics
	e.Version = raised(old.Version, changed || !sameText(index.Render(), e.Render()))
	return e
}

func (e Epics) ids() []string {
	var out []string
	for _, ep := range e.Epics {
		out = append(out, ep.ID)
		for _, st := range ep.Stories {
			out = append(out, st.ID)
		}
	}
	return out
}

func (e *Epic) keepStories(was Epic, retired []string) {
	prefix := "STORY-" + strings.TrimPrefix(e.ID, "EPIC-")
	e.Stories = slices.Clone(e.Stories)
	ids := keepIDs(prefix, retired, len(e.Stories), func(i int) claim { return e.Stories[i].claim() }, len(was.Stories), func(i int) claim { return was.Stories[i].claim() })
	for i := range e.Stories {
		st := &e.Stories[i]
		if st.ID != ids[i] {
			st.Criteria = slices.Clone(st.Criteria)
			for j := range st.Criteria {
				st.Criteria[j].ID = "" // numbered after the story they were in
			}
		}
		st.ID = ids[i]
	}
}

// renumber gives a requirement its id, and its criteria theirs.
func (r *Requirement) renumber(id string) {
	if r.ID == id {
		return
	}
	r.Criteria = slices.Clone(r.Criteria)
	for i := range r.Criteria {
		if r.Criteria[i].ID != "" {
			r.Criteria[i].ID = acID(id, i+1)
		}
	}
	r.ID = id
}

// claim is what identifies an item to a reader.
type claim struct{ id, text, source string }

func (r Requirement) claim() claim { return claim{r.ID, r.Title + " " + r.Description, r.Source.Quote} }
func (n NFR) claim() claim         { return claim{n.ID, n.Title + " " + n.Statement, n.Source.Quote} }
func (d ADR) claim() claim         { return claim{d.ID, d.Title + " " + d.Decision, ""} }
func (e Epic) claim() claim        { return claim{e.ID, e.Title + " " + e.Description, ""} }
func (s Story) claim() claim {
	return claim{s.ID, s.Title + " " + s.Story.Want + " " + strings.Join(s.TracesTo, " "), ""}
}

// alike is the share of words two claims must have in common to be one item.
const alike = .5

func (c claim) like(o claim) bool {
	if c.source != "" && quoteKey(c.source) == quoteKey(o.source) {
		return true
	}
	return overlap(contentWords(c.text), wordSet(o.text)) >= alike || overlap(contentWords(o.text), wordSet(c.text)) >= alike
}

// keepIDs gives each new item the id of the old one it is, else its own where
// that is free, else the next that was never used.
func keepIDs(prefix string, retired []string, n int, now func(int) claim, m int, was func(int) claim) []string {
	ids := make([]string, n)
	used := map[string]bool{}
	taken := slices.Clone(retired)
	for j := range m {
		taken = append(taken, was(j).id)
	}
	assign := func(fits func(c, o claim) bool) {
		for i := range n {
			for j := 0; j < m && ids[i] == ""; j++ {
				if o := was(j); !used[o.id] && fits(now(i), o) {
					ids[i], used[o.id] = o.id, true
				}
			}
		}
	}
	assign(func(c, o claim) bool { return c.id == o.id && c.like(o) })
	assign(func(c, o claim) bool { return c.source != "" && quoteKey(c.source) == quoteKey(o.source) })
	assign(claim.like)
	for i := range n {
		if ids[i] != "" {
			continue
		}
		id := now(i).id
		if id == "" || used[id] || slices.Contains(taken, id) || !strings.HasPrefix(id, prefix+"-") {
			id = NextID(prefix, append(slices.Clone(taken), keys(used)...)...)
		}
		ids[i], used[id] = id, true
	}
	return ids
}

// retire lists the ids that were given and are gone.
func retire(retired, before, now []string) []string {
	out := slices.Clone(retired)
	for _, id := range before {
		if !slices.Contains(now, id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func raised(version int, changed bool) int {
	if changed {
		return version + 1
	}
	return max(version, 1)
}

// same compares items but for where and how often they were written.
func same[T Requirement | NFR | ADR | Epic](a, b T) bool {
	for _, v := range []any{&a, &b} {
		e := reflect.ValueOf(v).Elem()
		e.FieldByName("Version").SetInt(0)
		e.FieldByName("File").SetString("")
	}
	return sameText([]File{itemFile(a)}, []File{itemFile(b)})
}

func itemFile(v any) File {
	switch v := v.(type) {
	case Requirement:
		return v.file(Head{}, targets{}, nil)
	case NFR:
		return v.file(Head{}, targets{}, nil)
	case ADR:
		v.ImplementedBy = nil // computed
		return v.file(Head{}, targets{}, nil)
	case Epic:
		return v.file(Head{}, targets{})
	}
	panic("spec: not an item with a file of its own")
}

func sameText(a, b []File) bool {
	return slices.EqualFunc(a, b, func(x, y File) bool { return x.Path == y.Path && string(x.Text) == string(y.Text) })
}
