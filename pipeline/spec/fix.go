package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Key names a finding across runs: the rule and what it is about, not where it
// stands.
func (f Finding) Key() string {
	h := sha256.Sum256([]byte(f.Rule + "\x00" + f.File + "\x00" + f.Item + "\x00" + orElse(oneLine(f.Quote), f.Unit)))
	return hex.EncodeToString(h[:8])
}

// Fix carries out the mechanical remedies and returns the files that changed.
// A replacement stands for exactly the cited lines; it is left out where the
// file no longer shows the quote there, or an earlier fix touched them.
func Fix(files []File, findings []Finding) []File {
	byFile := map[string][]Finding{}
	for _, f := range findings {
		if f.Replacement != "" && f.Reason == "" {
			byFile[f.File] = append(byFile[f.File], f)
		}
	}
	var out []File
	for _, f := range files {
		fixes := byFile[f.Path]
		slices.SortStableFunc(fixes, func(a, b Finding) int { return b.Line - a.Line })
		ending := "\n"
		if bytes.Contains(f.Text, []byte("\r\n")) {
			ending = "\r\n"
		}
		lines := strings.Split(strings.ReplaceAll(string(f.Text), "\r\n", "\n"), "\n")
		top, moved := len(lines)+1, false
		for _, fix := range fixes {
			from, to := fix.Line-1, max(fix.End, fix.Line)
			if from < 0 || to >= top || to > len(lines) || strings.TrimSpace(strings.Join(lines[from:to], "\n")) != fix.Quote {
				continue
			}
			mended := strings.Split(strings.TrimRight(fix.Replacement, "\n"), "\n")
			if strings.TrimLeft(mended[0], " \t") == mended[0] {
				mended[0] = lines[from][:len(lines[from])-len(strings.TrimLeft(lines[from], " \t"))] + mended[0]
			}
			lines = slices.Replace(lines, from, to, mended...)
			top, moved = fix.Line, true
		}
		if moved {
			out = append(out, File{Path: f.Path, Text: []byte(strings.Join(lines, ending))})
		}
	}
	return out
}

// Explain is a rule for a person: what it detects, why it counts, how to mend
// it, with a bad and a good example.
func Explain(r Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %s\n\n%s\n\n", r.ID, r.Title, r.Grade, r.Detects)
	fmt.Fprintf(&b, "Feeds: %s\nMoves: %s\n", strings.Join(r.Perspectives, ", "), r.Move)
	if r.Words {
		b.WriteString("Reads English words: in documents of other languages its findings are info.\n")
	}
	fmt.Fprintf(&b, "Remedy: %s\n", r.Remedy)
	for _, e := range []struct{ name, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		if e.text != "" {
			fmt.Fprintf(&b, "\n%s:\n\n    %s\n", e.name, strings.ReplaceAll(strings.TrimRight(e.text, "\n"), "\n", "\n    "))
		}
	}
	fmt.Fprintf(&b, "\nNot a problem in one place? Write there: <!-- parley:allow %s reason -->\n", r.ID)
	return b.String()
}

// String says what the hits do to a rating.
func (m Move) String() string {
	var out []string
	if m.Cap > 0 {
		s := fmt.Sprintf("rating at most %d", m.Cap)
		if m.CapGrade != "" {
			s += " for a " + m.CapGrade
		}
		if m.CapOver > 0 {
			s += fmt.Sprintf(" when more than %.0f %% are hit", m.CapOver*100)
		}
		out = append(out, s)
	}
	switch {
	case m.Weight == 0:
	case m.Each > 0:
		out = append(out, fmt.Sprintf("%.2f off for each, %.2f at most", m.Each, m.Weight))
	case m.Flat || m.Share == 0:
		out = append(out, fmt.Sprintf("%.2f off at the first", m.Weight))
	default:
		out = append(out, fmt.Sprintf("up to %.2f off, all of it at %.0f %% of units", m.Weight, m.Share*100))
	}
	if len(out) == 0 {
		return "nothing, shown only"
	}
	return strings.Join(out, "; ")
}
