package roles

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/pipeline"
	"parley/pipeline/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

var when = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// run takes an issue through the spec half by rules and returns the folder.
func run(t *testing.T, issue pipeline.IssueText, w *Worker) (pipeline.Folder, map[string]pipeline.Draft) {
	t.Helper()
	s := pipeline.Session{ID: "TLS-sample-1-2026-11-21", Mode: pipeline.SpecOnly, Track: pipeline.TrackStandard, Issue: pipeline.Issue{Number: 1, Title: issue.Title}, Settings: pipeline.DefaultSettings()}
	f := pipeline.Folder{}
	out := map[string]pipeline.Draft{}
	for _, id := range []pipeline.TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001"} {
		d, err := w.Work(context.Background(), pipeline.Assignment{Session: s, Task: pipeline.Task{ID: id}, Issue: issue, Folder: maps.Clone(f), Now: when})
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		maps.Copy(f, d.Text)
		out[string(id)] = d
	}
	return f, out
}

// finished is a sample's spec half by rules, which is made once for all tests.
func finished(t *testing.T, path string) (pipeline.Folder, map[string]pipeline.Draft) {
	t.Helper()
	one, ok := specs[path]
	if !ok {
		one.folder, one.drafts = run(t, sample(t, path), New(Config{}))
		specs[path] = one
	}
	return maps.Clone(one.folder), maps.Clone(one.drafts)
}

var specs = map[string]struct {
	folder pipeline.Folder
	drafts map[string]pipeline.Draft
}{}

// specParts are the documents of the spec half in the order they are made.
var specParts = []string{spec.DiscoveryPath, spec.BriefPath, "spec/requirements/", "spec/architecture/", "spec/epics/", spec.ReadinessPath}

// upTo is the well-written sample's folder as the tasks before the given one
// left it, 0 being the analyst's.
func upTo(t *testing.T, n int) pipeline.Folder {
	t.Helper()
	f, _ := finished(t, well)
	maps.DeleteFunc(f, func(p string, _ []byte) bool {
		for _, part := range specParts[n:] {
			if strings.HasPrefix(p, part) {
				return true
			}
		}
		return false
	})
	return f
}

// sample reads an issue from testdata: its title is the first line.
func sample(t *testing.T, path string) pipeline.IssueText {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	title, body, _ := strings.Cut(string(text), "\n")
	return pipeline.IssueText{Title: strings.TrimPrefix(title, "# "), Body: strings.TrimLeft(body, "\n"), Author: "octocat"}
}

func TestShow(t *testing.T) {
	name := os.Getenv("SHOW")
	if name == "" {
		t.Skip("set SHOW to a sample")
	}
	f, d := finished(t, name)
	for _, p := range sortedKeys(f) {
		fmt.Printf("=== %s\n%s\n", p, f[p])
	}
	set := parse(f, nil)
	for _, x := range spec.Check(set, spec.Options{}) {
		fmt.Println(x.Grade, x.Rule, x.File, x.Line, x.Message)
	}
	g := d["QUALITY-001"].Gate
	for k, v := range g.Dimensions {
		if v != nil {
			fmt.Println(k, *v, g.Notes[k])
		}
	}
	fmt.Println(g.Result, g.Score, g.Lift)
	_ = filepath.Base
}
