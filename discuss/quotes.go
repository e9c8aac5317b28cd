package discuss

import (
	"path"
	"regexp"
	"strings"

	"parley/pipeline"
)

// drift is how many lines a quote may lie off the lines it names.
const drift = 3

// shortest is the length from which a part of a line counts as evidence.
const shortest = 8

// library is what a voice was given to read, cut into lines.
type library map[string][]string

func shelve(sources []pipeline.Source) library {
	l := library{}
	for _, s := range sources {
		l[s.Name] = strings.Split(s.Text, "\n")
	}
	return l
}

var lineNumber = regexp.MustCompile(`(?m)^\s*\d+:\s`)

// verify looks a quote up. ok is false when it is not in the text; near misses
// come back with the lines they are really on.
func (l library) verify(e evidence) (evidence, bool) {
	lines, name, ok := l.find(e.File)
	if !ok {
		return e, false
	}
	e.File = name
	quote := fold(lineNumber.ReplaceAllString(e.Quote, ""))
	if e.Start < 1 || quote == "" {
		return e, false
	}
	e.End = max(e.Start, e.End)
	if e.Start > len(lines)+drift || e.End-e.Start > 60 {
		return e, false
	}
	first, last := max(1, e.Start-drift), min(len(lines), e.End+drift)
	for _, window := range [][2]int{{e.Start, min(e.End, len(lines))}, {first, last}} {
		if start, end, ok := tightest(lines, window, quote); ok {
			e.Start, e.End, e.Quote = start, end, quote
			return e, true
		}
	}
	return e, false
}

// find is a source by name; a name without its directory counts when only one fits.
func (l library) find(file string) (lines []string, name string, ok bool) {
	file = strings.TrimPrefix(path.Clean(file), "./")
	if lines, ok := l[file]; ok {
		return lines, file, true
	}
	for have := range l {
		if strings.HasSuffix(have, "/"+file) {
			if name != "" {
				return nil, "", false
			}
			name = have
		}
	}
	return l[name], name, name != ""
}

// tightest finds the fewest lines of a window that hold the quote.
func tightest(lines []string, window [2]int, quote string) (start, end int, ok bool) {
	from, to := window[0], window[1]
	if from > to || !holds(lines[from-1:to], quote) {
		return 0, 0, false
	}
	for from < to && holds(lines[from:to], quote) {
		from++
	}
	for from < to && holds(lines[from-1:to-1], quote) {
		to--
	}
	return from, to, true
}

// holds: a long enough quote anywhere in the lines, a short one only as a whole line.
func holds(lines []string, quote string) bool {
	text := fold(strings.Join(lines, "\n"))
	if len([]rune(quote)) < shortest {
		return text == quote
	}
	return strings.Contains(text, quote)
}

// tally counts what came of a voice's quotes.
type quoteCount struct{ checked, kept int }

// keep returns the evidence that is really in the text.
func (q *quoteCount) keep(l library, list []evidence) []evidence {
	var out []evidence
	for _, e := range list {
		q.checked++
		if e, ok := l.verify(e); ok {
			q.kept++
			out = append(out, e)
		}
	}
	return out
}
