package spec

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// Mend carries out the mechanical remedies until none is left, so that doing it
// again changes nothing. It returns the files that changed, and what the rules
// say then.
func Mend(files []File, o Options) ([]File, Report) {
	files = slices.Clone(files)
	changed := map[string]File{}
	report := Lint(files, o)
	// A line takes one remedy at a time; so many on one line are not honest.
	for range 20 {
		mended := Fix(files, report.Findings)
		if len(mended) == 0 {
			break
		}
		for _, f := range mended {
			changed[f.Path] = f
			files[slices.IndexFunc(files, func(o File) bool { return o.Path == f.Path })] = f
		}
		report = Lint(files, o)
	}
	var out []File
	for _, f := range files {
		if m, ok := changed[f.Path]; ok {
			out = append(out, m)
		}
	}
	return out, report
}

// Fix carries out each mechanical remedy once and returns the files that
// changed. A replacement stands for exactly the cited lines, which keep their
// indent and their ends; it is left out where the file no longer shows the
// quote there, or an earlier fix touched them.
func Fix(files []File, findings []Finding) []File {
	byFile := map[string][]Finding{}
	for _, f := range findings {
		if f.Replacement != "" && f.Reason == "" {
			byFile[f.File] = append(byFile[f.File], f)
		}
	}
	var out []File
	for _, f := range files {
		if len(f.Text) > FileLimit {
			continue // there may be more of it than we were given
		}
		fixes := byFile[f.Path]
		slices.SortStableFunc(fixes, func(a, b Finding) int { return b.Line - a.Line })
		lines := strings.SplitAfter(string(f.Text), "\n")
		top, moved := len(lines)+1, false
		for _, fix := range fixes {
			from, to := fix.Line-1, max(fix.End, fix.Line)
			if from < 0 || to >= top || to > len(lines) {
				continue
			}
			was := strings.Join(lines[from:to], "")
			shown := strings.TrimSpace(strings.ReplaceAll(was, "\r\n", "\n"))
			if shown != fix.Quote || shown == strings.TrimSpace(fix.Replacement) {
				continue
			}
			lead := was[:len(was)-len(strings.TrimLeft(was, " \t"))]
			end := was[len(strings.TrimRight(was, " \t\r\n")):]
			lines = slices.Replace(lines, from, to, lead+strings.TrimSpace(fix.Replacement)+end)
			top, moved = fix.Line, true
		}
		if moved {
			out = append(out, File{Path: f.Path, Text: []byte(strings.Join(lines, ""))})
		}
	}
	return out
}

// unread are the parts of a line whose words are not the author's to be
// mended: quotations, code, links' targets, addresses, comments.
var unread = compile("“[^”]*”|\"[^\"]*\"|‘[^’]*’|`+[^`]*`+|「[^」]*」|\\]\\([^)]*\\)|^ {0,3}\\[[^\\]]+\\]:.*$|<[^>]*>|https?://\\S+|\\S*/\\S+/\\S*")

// replaced puts a word in the place of the only one like it in the words of a
// line; it is empty where there is none, or more than one.
func replaced(line, word, by string) string {
	words := unread.ReplaceAllStringFunc(line, func(m string) string { return strings.Repeat("_", len(m)) })
	at := wholeWords(words, word)
	if len(at) != 1 {
		return ""
	}
	return line[:at[0]] + by + line[at[0]+len(word):]
}

// wholeWords is where a word stands in a text, not inside another.
func wholeWords(text, word string) []int {
	if word == "" {
		return nil
	}
	var out []int
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return out
		}
		at := from + i
		from = at + len(word)
		if !joins(text[:at], -1) && !joins(text[from:], 1) {
			out = append(out, at)
		}
	}
}

var (
	wordBefore = compile(`[\p{L}\p{N}_-]$`)
	wordAfter  = compile(`^(?:[\p{L}\p{N}_-]|\.\w)`)
)

func joins(rest string, side int) bool {
	if side < 0 {
		return wordBefore.MatchString(rest)
	}
	return wordAfter.MatchString(rest)
}

var (
	alternatives = compile(`^and/or ((?:[\w'-]+ ){0,5}[\w'-]+)([.;,])`)
	conditional  = compile(`(?i)\b(?:if|when|unless|while|until|after|before|that|which|who|where|than)\b`)
)

// eitherOrBoth says in words what "and/or" says on a line, where it is plain
// which two things it joins.
func eitherOrBoth(line string) string {
	words := unread.ReplaceAllStringFunc(line, func(m string) string { return strings.Repeat("_", len(m)) })
	at := wholeWords(words, "and/or")
	if len(at) != 1 {
		return ""
	}
	before, after := words[:at[0]], words[at[0]:]
	m := alternatives.FindStringSubmatchIndex(after)
	if m == nil || conditional.MatchString(after[m[2]:m[3]]) || strings.Contains(before[strings.LastIndexAny(before, ".;:")+1:], ",") {
		return ""
	}
	return line[:at[0]] + "or " + line[at[0]+m[2]:at[0]+m[3]] + ", or both" + line[at[0]+m[3]:]
}

// relinked is the line of a broken link with the link led to the one file or
// heading that bears the name it asks for; empty where there is none, or more
// than one.
func (in *inspection) relinked(d *Document, l Link, file, anchor string) string {
	line := in.Quote(d.Path, l.Line, l.Line)
	target := in.sameName(d, file, anchor)
	if target == "" || strings.Count(line, l.Target) != 1 || !strings.Contains(line, "]("+l.Target+")") {
		return ""
	}
	return strings.Replace(line, "]("+l.Target+")", "]("+target+")", 1)
}

func (in *inspection) sameName(d *Document, file, anchor string) string {
	to := in.Document(file)
	if to == nil {
		to = in.only(func(o *Document) bool { return path.Base(o.Path) == path.Base(file) })
	} else if a := to.nearAnchor(anchor); a != "" {
		anchor = a
	} else {
		to = in.only(func(o *Document) bool { return o.Anchors[strings.ToLower(anchor)] })
	}
	if to == nil || anchor != "" && !to.Anchors[strings.ToLower(anchor)] || strings.ContainsAny(to.Path, "()<>") {
		return ""
	}
	target := ""
	if to != d {
		target = (&url.URL{Path: relative(d.Path, to.Path)}).EscapedPath()
	}
	if anchor != "" {
		target += "#" + anchor
	}
	return target
}

// only is the one document that fits; nil where there are more.
func (in *inspection) only(fits func(*Document) bool) *Document {
	var found *Document
	for _, d := range in.Documents {
		if fits(d) {
			if found != nil {
				return nil
			}
			found = d
		}
	}
	return found
}

// nearAnchor is the one heading whose words are those of the anchor, whatever
// stands between them.
func (d *Document) nearAnchor(anchor string) string {
	found, key := "", anchorWords(anchor)
	if key == "" {
		return ""
	}
	for a := range d.Anchors {
		if anchorWords(a) == key {
			if found != "" {
				return ""
			}
			found = a
		}
	}
	return found
}

func anchorWords(anchor string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(anchor))
}
