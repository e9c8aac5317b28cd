package spec

import (
	"path"
	"slices"
	"strings"
)

// Lint judges files session folder by session folder, because ids are unique
// within one, and what lies outside them by itself. Of several, the worst
// ratings and the worst gate speak for all. What a folder's readiness report has
// judged counts as accepted: links to what changed since are suspect.
func Lint(files []File, o Options) Report {
	var out Report
	for i, group := range sessions(files) {
		s, one := Parse(group), o
		if one.Suspects == nil {
			one.Suspects = s.Suspects()
		}
		r := Judge(s, one)
		if i == 0 {
			out = r
			continue
		}
		out = out.join(r)
	}
	if len(files) == 0 {
		return Judge(Parse(nil), o)
	}
	return out
}

// sessions splits files by the session folder they lie in.
func sessions(files []File) [][]File {
	var roots []string
	for _, f := range files {
		dir, base := path.Split(f.Path)
		dir = strings.TrimSuffix(dir, "/")
		if kindByFolder[path.Base(dir)] != "" && base == "_index.md" {
			dir = path.Dir(dir)
		} else if kindByName[base] == "" {
			continue
		}
		if path.Base(dir) == "spec" || base != "spec.md" {
			roots = append(roots, path.Dir(dir))
		}
	}
	roots = compact(roots)
	groups := map[string][]File{}
	for _, f := range files {
		at := slices.IndexFunc(roots, func(r string) bool { return r == "." || strings.HasPrefix(f.Path, r+"/") })
		key := ""
		if at >= 0 {
			key = roots[at]
		}
		groups[key] = append(groups[key], f)
	}
	var out [][]File
	for _, key := range append([]string{""}, roots...) {
		if g := groups[key]; len(g) > 0 {
			out = append(out, g)
			delete(groups, key)
		}
	}
	return out
}

var gateRank = map[string]int{Pass: 0, Review: 1, Fail: 2}

var riskRank = map[string]int{"low": 0, "medium": 1, "high": 2, "critical": 3}

func (r Report) join(o Report) Report {
	r.Files += o.Files
	r.Items += o.Items
	r.Findings = append(r.Findings, o.Findings...)
	r.Missing = append(r.Missing, o.Missing...)
	r.Skipped = append(r.Skipped, o.Skipped...)
	for p, v := range o.Ratings {
		if have := r.Ratings[p]; v != nil && (have == nil || *v < *have) {
			r.Ratings[p] = v
		}
	}
	if riskRank[o.Risk] > riskRank[r.Risk] {
		r.Risk = o.Risk
	}
	if o.Judged && (!r.Judged || gateRank[o.Gate] > gateRank[r.Gate] || o.Gate == r.Gate && o.Scores.Overall < r.Scores.Overall) {
		r.Scores, r.Gate = o.Scores, o.Gate
	}
	r.Judged = r.Judged || o.Judged
	return r
}
