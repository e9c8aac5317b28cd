package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const figuresBegin, figuresEnd = "<!-- generated: figures -->\n", "<!-- end of generated -->"

// writeFigures puts the last run's table into the README.
func writeFigures(root string) error {
	raw, err := os.ReadFile(filepath.Join(root, "bench.json"))
	if err != nil {
		return fmt.Errorf("%w; run make bench first", err)
	}
	var w written
	if err := json.Unmarshal(raw, &w); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	path := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(readme), figuresBegin)
	_, after, ok2 := strings.Cut(rest, figuresEnd)
	if !ok || !ok2 {
		return errors.New("README.md has no generated part for the figures")
	}
	return os.WriteFile(path, []byte(before+figuresBegin+"\n"+w.markdown()+"\n"+figuresEnd+after), 0o644)
}

func (w written) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %s, the whole run in %s:\n\n", w.At.Format("2 January 2006"), w.Cores, w.Go, w.Took)
	b.WriteString("| What | Measured | Target | | |\n| --- | ---: | --- | --- | --- |\n")
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "<", "\\<")
	for _, r := range w.Rows {
		note := r.Note
		if r.Missing != "" {
			note = r.Missing
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cell.Replace(r.What), r.value(), cell.Replace(r.Target.String()), r.Verdict, cell.Replace(note))
	}
	return b.String()
}
