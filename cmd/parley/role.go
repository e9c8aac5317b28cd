package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/app"
	"parley/pipeline"
	"parley/pipeline/roles"
)

// issueForm is the form that `parley manifest --issue-form` prints.
//
//go:embed issueform.yml
var issueForm string

type roleCmd struct {
	Role    string `arg:"" help:"analyst, writer, reviewer or planner."`
	Session string `help:"Session folder, always needed; the role reads it and writes into it." placeholder:"DIR"`
	Task    string `help:"Task to do; the role's next one by default, the writer's by what is missing."`
	Issue   string `help:"Markdown file with the issue; the session's own text by default."`
	Repo    string `help:"Working copy to explore."`
	Models  string `default:"off" help:"off, auto, or one backend by name."`
}

// Run does one task of one role on a folder, outside any session.
func (c roleCmd) Run(ctx context.Context, t *terminal) error {
	role := pipeline.Role(c.Role)
	if !slices.Contains(roles.Present(), role) {
		return badInput("there is no role %q: it is one of %s", c.Role, names(roles.Present()))
	}
	if c.Session == "" { // asked here, so that an unknown role is told first
		return badInput("--session: name the session's folder, such as --session parley-out/TLS-…")
	}
	session, folder, err := readSession(c.Session)
	if err != nil {
		return badInput("--session: %v", err)
	}
	a := pipeline.Assignment{Session: session, Folder: folder, Now: time.Now().UTC(), Progress: func(s string) { fmt.Fprintln(t.err, s) }}
	if a.Issue, err = c.issue(session); err != nil {
		return badInput("--issue: %v", err)
	}
	if c.Repo != "" {
		a.Source = os.DirFS(c.Repo)
	}
	a.Task = c.task(role, session, folder)
	model, err := c.model(t)
	if err != nil {
		return badInput("--models: %v", err)
	}
	draft, err := roles.New(roles.Config{Model: model}).Work(ctx, a)
	var refusal *pipeline.Refusal
	if errors.As(err, &refusal) {
		return badInput("%s", refusal.Text)
	}
	if errors.Is(err, roles.ErrNoRole) {
		return badInput("--task: %v", err)
	}
	if err != nil {
		return err
	}
	if err := writeDraft(c.Session, draft); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %s\n", a.Task.ID, draft.Summary)
	for _, p := range slices.Sorted(keysOf(draft.Text)) {
		fmt.Fprintln(t.out, "  "+p)
	}
	for _, w := range draft.Warnings {
		fmt.Fprintln(t.err, "warning: "+w)
	}
	return nil
}

func keysOf(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func names(list []pipeline.Role) string {
	var out []string
	for _, r := range list {
		out = append(out, string(r))
	}
	return strings.Join(out, ", ")
}

func (c roleCmd) model(t *terminal) (pipeline.Model, error) {
	if c.Models == "off" {
		return nil, nil
	}
	return app.LocalModel(c.Models, t.env)
}

func (c roleCmd) issue(s pipeline.Session) (pipeline.IssueText, error) {
	if c.Issue == "" {
		return pipeline.IssueText{Title: s.Issue.Title, Body: s.RawInput, Author: s.Issue.Author}, nil
	}
	text, err := os.ReadFile(c.Issue)
	if err != nil {
		return pipeline.IssueText{}, err
	}
	title, body, _ := strings.Cut(string(text), "\n")
	return pipeline.IssueText{Title: strings.TrimSpace(strings.TrimPrefix(title, "#")), Body: body, Author: s.Issue.Author}, nil
}

// task is the one asked for, as the session has it, or the role's next.
func (c roleCmd) task(role pipeline.Role, s pipeline.Session, f pipeline.Folder) pipeline.Task {
	id := pipeline.TaskID(c.Task)
	if id == "" {
		id = nextTask(role, s.Track, f)
	}
	for _, t := range s.Tasks {
		if t.ID == id {
			return t
		}
	}
	return pipeline.Task{ID: id, Owner: role}
}

// nextTask is the first of the role's tasks whose artifact is missing, or its
// last one.
func nextTask(role pipeline.Role, track pipeline.Track, f pipeline.Folder) pipeline.TaskID {
	if role == pipeline.Writer && track == pipeline.TrackTiny {
		return "DRAFT-002" // the whole specification is one document
	}
	tasks := map[pipeline.Role][]struct {
		id       pipeline.TaskID
		artifact string
	}{
		pipeline.Analyst: {{"RESEARCH-001", "spec/discovery-context.json"}},
		pipeline.Writer: {{"DRAFT-001", "spec/product-brief.md"}, {"DRAFT-002", "spec/requirements/_index.md"},
			{"DRAFT-003", "spec/architecture/_index.md"}, {"DRAFT-004", "spec/epics/_index.md"}},
		pipeline.Reviewer: {{"QUALITY-001", "spec/readiness-report.md"}}, pipeline.Planner: {{"PLAN-001", "plan/plan.json"}},
	}[role]
	for _, t := range tasks {
		if _, ok := f[t.artifact]; !ok {
			return t.id
		}
	}
	return tasks[len(tasks)-1].id
}

// readSession reads a session folder; without team-session.json it is a new one.
func readSession(dir string) (pipeline.Session, pipeline.Folder, error) {
	s := pipeline.Session{ID: filepath.Base(filepath.Clean(dir)), Mode: pipeline.SpecOnly, Track: pipeline.TrackStandard, Settings: pipeline.DefaultSettings()}
	f := pipeline.Folder{}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return s, nil, fmt.Errorf("make the session folder: %w", err)
	}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(root, p)
		f[p] = content
		return err
	})
	if err != nil {
		return s, nil, fmt.Errorf("read the session folder: %w", err)
	}
	if text, ok := f["team-session.json"]; ok {
		if err := json.Unmarshal(text, &s); err != nil {
			return s, nil, fmt.Errorf("read team-session.json: %w", err)
		}
	}
	return s, f, nil
}

// writeDraft lays a role's result into the folder: files, deletions, appends.
func writeDraft(dir string, d pipeline.Draft) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the session folder: %w", err)
	}
	defer root.Close()
	for p, text := range d.Text {
		if err := root.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", p, err)
		}
		if err := root.WriteFile(p, text, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", p, err)
		}
	}
	for _, p := range d.Deleted {
		if err := root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete %s: %w", p, err)
		}
	}
	for _, a := range d.Append {
		if err := appendTo(root, a); err != nil {
			return err
		}
	}
	return nil
}

func appendTo(root *os.Root, a pipeline.FileAppend) error {
	if err := root.MkdirAll(filepath.Dir(a.Path), 0o755); err != nil {
		return fmt.Errorf("append to %s: %w", a.Path, err)
	}
	f, err := root.OpenFile(a.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to %s: %w", a.Path, err)
	}
	_, err = f.WriteString(a.Text)
	return errors.Join(err, f.Close())
}
