package githubsim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// contextLines surround a change in a hunk, as on GitHub.
const contextLines = 3

// line is one line of a hunk: ' ', '+' or '-', with its number on each side
// where it has one.
type line struct {
	Op   byte
	Old  int
	New  int
	Text string
}

type hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []line
}

func (h hunk) header() string {
	part := func(start, count int) string {
		if count == 1 {
			return fmt.Sprint(start)
		}
		return fmt.Sprintf("%d,%d", start, count)
	}
	return fmt.Sprintf("@@ -%s +%s @@", part(h.OldStart, h.OldLines), part(h.NewStart, h.NewLines))
}

// fileDiff is what a pull request changes in one file.
type fileDiff struct {
	Path      string
	Status    string // added, modified, removed
	SHA       string
	Additions int
	Deletions int
	Binary    bool
	Hunks     []hunk
}

// patch is the unified diff as REST shows it.
func (d fileDiff) patch() string {
	var b strings.Builder
	for _, h := range d.Hunks {
		fmt.Fprintf(&b, "%s\n", h.header())
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c%s\n", l.Op, l.Text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// hunkOf finds the hunk that shows a line on a side; -1 when none does.
func (d fileDiff) hunkOf(side string, number int) int {
	return slices.IndexFunc(d.Hunks, func(h hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l line) bool {
			if side == "LEFT" {
				return l.Old == number && l.Op != '+'
			}
			return l.New == number && l.Op != '-'
		})
	})
}

// before counts the lines of the hunks above one, with a heading each between.
func (d fileDiff) before(hunk int) int {
	n := 0
	for _, h := range d.Hunks[:hunk] {
		n += len(h.Lines) + 1
	}
	return n
}

// upTo is the piece of a hunk that a line comment quotes.
func (h hunk) upTo(side string, number int) string {
	var b strings.Builder
	b.WriteString(h.header())
	for _, l := range h.Lines {
		fmt.Fprintf(&b, "\n%c%s", l.Op, l.Text)
		if (side == "LEFT" && l.Old == number) || (side != "LEFT" && l.New == number) {
			break
		}
	}
	return b.String()
}

// diffFiles compares two flattened trees, by path.
func (o *objects) diffFiles(base, head map[string]entry) []fileDiff {
	paths := map[string]bool{}
	for p := range base {
		paths[p] = true
	}
	for p := range head {
		paths[p] = true
	}
	var out []fileDiff
	for p := range paths {
		before, had := base[p]
		after, has := head[p]
		if before == after {
			continue
		}
		d := fileDiff{Path: p, Status: "modified", SHA: after.SHA}
		if !had {
			d.Status = "added"
		}
		if !has {
			d.Status, d.SHA = "removed", before.SHA
		}
		d.fill(o.blobs[before.SHA], o.blobs[after.SHA])
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b fileDiff) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (d *fileDiff) fill(before, after []byte) {
	if bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0 {
		d.Binary = true
		return
	}
	script := diffLines(splitLines(before), splitLines(after))
	for _, l := range script {
		switch l.Op {
		case '+':
			d.Additions++
		case '-':
			d.Deletions++
		}
	}
	d.Hunks = hunks(script)
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// diffLines is the shortest edit script by Myers' greedy algorithm, with
// common heads and tails cut off first.
func diffLines(a, b []string) []line {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := make([]line, 0, len(a)+len(b))
	for i := range head {
		out = append(out, line{Op: ' ', Old: i + 1, New: i + 1, Text: a[i]})
	}
	for _, l := range myers(a[head:len(a)-tail], b[head:len(b)-tail]) {
		if l.Op != '+' {
			l.Old += head
		}
		if l.Op != '-' {
			l.New += head
		}
		out = append(out, l)
	}
	for i := range tail {
		x, y := len(a)-tail+i, len(b)-tail+i
		out = append(out, line{Op: ' ', Old: x + 1, New: y + 1, Text: a[x]})
	}
	return out
}

// wholly takes out all of a and puts in all of b.
func wholly(a, b []string) []line {
	out := make([]line, 0, len(a)+len(b))
	for i, text := range a {
		out = append(out, line{Op: '-', Old: i + 1, Text: text})
	}
	for i, text := range b {
		out = append(out, line{Op: '+', New: i + 1, Text: text})
	}
	return out
}

func myers(a, b []string) []line {
	n, m := len(a), len(b)
	if n == 0 || m == 0 { // a new file is not searched for what it keeps
		return wholly(a, b)
	}
	reach := map[int]int{1: 0}
	var trace []map[int]int
	for d := 0; d <= n+m; d++ {
		row := make(map[int]int, len(reach))
		for k, x := range reach {
			row[k] = x
		}
		trace = append(trace, row)
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || (k != d && reach[k-1] < reach[k+1]) {
				x = reach[k+1]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			reach[k] = x
			if x >= n && x-k >= m {
				return backtrack(a, b, trace)
			}
		}
	}
	return nil
}

func backtrack(a, b []string, trace []map[int]int) []line {
	var out []line
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		k := x - y
		prev := k - 1
		if k == -d || (k != d && trace[d][k-1] < trace[d][k+1]) {
			prev = k + 1
		}
		px := trace[d][prev]
		py := px - prev
		for x > px && y > py {
			out = append(out, line{Op: ' ', Old: x, New: y, Text: a[x-1]})
			x, y = x-1, y-1
		}
		if d == 0 {
			break
		}
		if x == px {
			out = append(out, line{Op: '+', New: y, Text: b[y-1]})
			y--
		} else {
			out = append(out, line{Op: '-', Old: x, Text: a[x-1]})
			x--
		}
	}
	slices.Reverse(out)
	return out
}

// hunks groups changes that are at most two contexts apart.
func hunks(script []line) []hunk {
	var out []hunk
	for i := 0; i < len(script); i++ {
		if script[i].Op == ' ' {
			continue
		}
		last := i
		for j := i; j < len(script) && j-last <= 2*contextLines; j++ {
			if script[j].Op != ' ' {
				last = j
			}
		}
		from, to := max(0, i-contextLines), min(len(script), last+1+contextLines)
		out = append(out, newHunk(script[from:to], script[:from]))
		i = to - 1
	}
	return out
}

func newHunk(lines, before []line) hunk {
	h := hunk{Lines: slices.Clone(lines)}
	for _, l := range before {
		if l.Op != '+' {
			h.OldStart++
		}
		if l.Op != '-' {
			h.NewStart++
		}
	}
	for _, l := range lines {
		if l.Op != '+' {
			h.OldLines++
		}
		if l.Op != '-' {
			h.NewLines++
		}
	}
	// Git counts from one, except for a side that has no line at all.
	if h.OldLines > 0 {
		h.OldStart++
	}
	if h.NewLines > 0 {
		h.NewStart++
	}
	return h
}
