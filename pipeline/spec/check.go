package spec

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Check runs the rules over a set. The findings come by file, line and rule.
func Check(s *Set, o Options) []Finding {
	in := &inspection{Set: s, Options: o, Language: o.Language, asks: o.Asks, epics: map[*Document]Epic{}}
	if in.Language == "" {
		in.Language = s.Language()
	}
	if in.asks == nil {
		in.asks = s.Asks()
	}
	scope := s.scope(o.Artifacts)
	marks := s.suppressions()
	var out []Finding
	for _, r := range Rules {
		if _, off := o.Disabled[r.ID]; off || r.check == nil {
			continue
		}
		in.rule, in.found = r, nil
		r.check(in)
		for _, f := range in.found {
			if scope != nil && !scope[f.File] {
				continue
			}
			if r.Words && in.Language != "en" {
				f.Grade = Info
			}
			if reason, ok := marks.reason(f); ok {
				f.Grade, f.Reason = Info, reason
			}
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Finding) bool {
		return a.File == b.File && a.Line == b.Line && a.Rule == b.Rule && a.Message == b.Message
	})
}

// scope is the named documents and the item files beside them that they link;
// nil is everything. A readiness report speaks for the whole spec.
func (s *Set) scope(artifacts []string) map[string]bool {
	if len(artifacts) == 0 {
		return nil
	}
	scope := map[string]bool{}
	for _, a := range artifacts {
		scope[a] = true
		d := s.byPath[a]
		if d == nil {
			continue
		}
		if d.Kind == DocReadiness || d.Kind == DocSummary {
			return nil
		}
		for _, l := range d.Links {
			if file, _, ok := d.Resolve(l); ok && path.Dir(file) == path.Dir(a) {
				scope[file] = true
			}
		}
		if kindByFolder[path.Base(path.Dir(a))] != "" && path.Base(a) == "_index.md" {
			for _, other := range s.Documents {
				if path.Dir(other.Path) == path.Dir(a) {
					scope[other.Path] = true
				}
			}
		}
	}
	return scope
}

// A finding is silenced where it stands, with a reason that is listed:
//
//	<!-- parley:allow L15 the customer's own word -->
//	<!-- parley:allow-file L41 all of it is regulated -->
var allowMark = compile(`<!--\s*parley:(allow|allow-file)\s+((?:L\d{2}[\s,]*)+)(.*?)\s*-->`)

var ruleID = compile(`L\d{2}`)

type suppression struct {
	rule, reason string
	from, to     int
}

type suppressions map[string][]suppression

// suppressions reads the marks. One without a reason counts for nothing.
func (s *Set) suppressions() suppressions {
	out := suppressions{}
	for _, d := range s.Documents {
		for i, l := range d.Lines {
			if !strings.Contains(l, "parley:allow") || d.inCode[i+1] {
				continue
			}
			for _, m := range allowMark.FindAllStringSubmatch(l, -1) {
				if strings.Trim(m[3], " .-:") == "" {
					continue
				}
				to := d.afterMark(i)
				from := i + 1
				if m[1] == "allow-file" {
					from, to = 0, len(d.Lines)+1
				}
				for _, id := range ruleID.FindAllString(m[2], -1) {
					out[d.Path] = append(out[d.Path], suppression{id, m[3], from, to})
				}
			}
		}
	}
	return out
}

// afterMark is the last line a mark covers: its own block, or the next block
// when it stands alone.
func (d *Document) afterMark(i int) int {
	if strings.TrimSpace(allowMark.ReplaceAllString(d.Lines[i], "")) != "" {
		return i + 1
	}
	for i++; i < len(d.Lines) && strings.TrimSpace(d.Lines[i]) == ""; i++ {
	}
	for ; i < len(d.Lines) && strings.TrimSpace(d.Lines[i]) != ""; i++ {
	}
	return i
}

func (ss suppressions) reason(f Finding) (string, bool) {
	for _, s := range ss[f.File] {
		if s.rule == f.Rule && f.End >= s.from && f.Line <= s.to {
			return s.reason, true
		}
	}
	return "", false
}
