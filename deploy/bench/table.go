package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// row is one number with what it should be.
type row struct {
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit,omitempty"`
	Target  target  `json:"target,omitzero"`
	Verdict string  `json:"verdict"` // met, not met, not measured, or for information
	Missing string  `json:"missing,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// target is a bound; the zero target is none.
type target struct {
	Op    string  `json:"op"`
	Bound float64 `json:"bound"`
}

func atLeast(x float64) target { return target{">=", x} }
func atMost(x float64) target  { return target{"<=", x} }
func below(x float64) target   { return target{"<", x} }

func (t target) String() string {
	if t.Op == "" {
		return ""
	}
	return fmt.Sprintf("%s %g", t.Op, t.Bound)
}

func (t target) holds(x float64) bool {
	switch t.Op {
	case ">=":
		return x >= t.Bound
	case "<=":
		return x <= t.Bound
	case "<":
		return x < t.Bound
	}
	return true
}

func (r row) verdict() string {
	switch {
	case r.Missing != "":
		return "not measured"
	case r.Target.Op == "":
		return "for information"
	case r.Target.holds(r.Value):
		return "met"
	}
	return "NOT MET"
}

// add takes a row into the table and shows it at once.
func (b *bench) add(r row) {
	r.Verdict = r.verdict()
	b.rows = append(b.rows, r)
	print(b.out, r)
}

// value is what was measured, as it is read.
func (r row) value() string {
	switch {
	case r.Missing != "":
		return "—"
	case r.Value >= 100:
		return strings.TrimSpace(fmt.Sprintf("%.0f %s", r.Value, r.Unit))
	}
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", r.Value, r.Unit))
}

func print(w io.Writer, r row) {
	note := r.Note
	if r.Missing != "" {
		note = r.Missing
	}
	fmt.Fprintf(w, "%-52s %14s  %-9s %-15s %s\n", r.What, r.value(), r.Target, r.Verdict, note)
}

// written is bench.json.
type written struct {
	At    time.Time `json:"at"`
	Cores int       `json:"cores"`
	Go    string    `json:"go"`
	Took  string    `json:"took"`
	Rows  []row     `json:"rows"`
}

// finish prints the whole table and writes bench.json.
func (b *bench) finish(path string) error {
	fmt.Fprintf(b.out, "\n%-52s %14s  %-9s %-15s\n", "what", "measured", "target", "")
	for _, r := range b.rows {
		print(b.out, r)
	}
	raw, err := json.MarshalIndent(written{b.began.UTC(), runtime.NumCPU(), runtime.Version(), time.Since(b.began).Round(time.Second).String(), b.rows}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n%d cores, %s, took %s; %s\n", runtime.NumCPU(), runtime.Version(), time.Since(b.began).Round(time.Second), path)
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
