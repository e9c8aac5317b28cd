package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"parley/pipeline"
	"parley/pipeline/roles"
)

// sources prints each sentence of the issue that demands something beside what
// covers it, and how many of how many are. With JSON on standard output it goes
// to standard error.
func (s *stage) sources(state pipeline.Session) error {
	files, err := s.world.Files(repoName, state.Branch())
	if err != nil {
		return fmt.Errorf("read the branch: %w", err)
	}
	folder := pipeline.Folder{}
	for path, text := range files {
		if rel, ok := strings.CutPrefix(path, state.Folder()+"/"); ok {
			folder[rel] = []byte(text)
		}
	}
	issue, err := s.world.Issue(s.at())
	if err != nil {
		return err
	}
	w := s.t.out
	if s.cmd.Format == "json" {
		w = s.t.err
	}
	return printSources(w, roles.Sources(pipeline.IssueText{Title: issue.Title, Body: issue.Body, Author: issue.Author}, folder))
}

func printSources(out io.Writer, found []roles.Covered) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	covered := 0
	for _, c := range found {
		by := c.By
		if by == "" {
			by = "nothing"
		} else {
			covered++
		}
		fmt.Fprintf(w, "line %d\t%s\t%s\t%s\n", c.Line, c.Sort, by, short(c.Quote, 90))
	}
	fmt.Fprintf(w, "%d of %d covered\n", covered, len(found))
	return w.Flush()
}
