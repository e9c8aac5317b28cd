package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/app"
	"parley/pipeline/spec"
)

type lintCmd struct {
	Paths    []string `arg:"" optional:"" help:"Session folders, folders of Markdown, or single files."`
	Format   string   `default:"text" enum:"text,json,sarif,github" help:"text, json, sarif (2.1.0), or github (workflow annotations)."`
	FailOn   string   `default:"blocker" enum:"blocker,major,minor" help:"Exit 1 when a finding is this grave or graver: blocker, major, minor."`
	Explain  string   `placeholder:"RULE" help:"Explain one rule, such as L15, with examples."`
	Fix      bool     `help:"Carry out in place what --explain shows a --fix for (L05, L09, L13, L25, L37), then judge."`
	Language string   `help:"Language of the documents (en, de, zh, …); guessed otherwise."`
	Repo     string   `type:"path" help:"Checkout whose files the documents may name; without it paths are not checked."`
}

// found is exit code 1: the findings are on standard output already.
var found = exit{1, ""}

func (c lintCmd) Run(_ context.Context, t *terminal) error {
	if c.Explain != "" {
		return c.explain(t)
	}
	if len(c.Paths) == 0 {
		return badInput("name a folder or a file to judge, for example: parley lint docs")
	}
	files, err := c.read()
	if err != nil {
		return err
	}
	home, err := c.home()
	if err != nil {
		return err
	}
	options := spec.Options{Language: c.Language}
	if options.Disabled, err = disabled(home); err != nil {
		return err
	}
	if c.Repo != "" {
		if options.Paths, err = filesBelow(c.Repo); err != nil {
			return badInput("%s cannot be read: %v", c.Repo, err)
		}
	}
	var report spec.Report
	if c.Fix {
		report, err = c.fix(t, files, options)
	} else {
		report = spec.Lint(files, options)
	}
	if err != nil {
		return err
	}
	if c.Format == "sarif" || c.Format == "github" {
		report = fromHome(report, home)
	}
	for _, s := range report.Skipped {
		fmt.Fprintf(t.err, "parley: not judged: %s\n", s)
	}
	if err := spec.Formats[c.Format](report, t.out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if report.Worst(c.FailOn) {
		return found
	}
	return nil
}

func (c lintCmd) explain(t *terminal) error {
	rule, ok := spec.RuleByID(strings.ToUpper(c.Explain))
	if !ok {
		return badInput("there is no rule %q; rules are %s to %s", c.Explain, spec.Rules[0].ID, spec.Rules[len(spec.Rules)-1].ID)
	}
	_, err := fmt.Fprint(t.out, spec.Explain(rule))
	return err
}

// fix writes the mended files and gives what the rules say of them.
func (c lintCmd) fix(t *terminal, files []spec.File, o spec.Options) (spec.Report, error) {
	mended, report := spec.Mend(files, o)
	for _, f := range mended {
		path := filepath.FromSlash(f.Path)
		info, err := os.Stat(path)
		if err != nil {
			return report, fmt.Errorf("mend %s: %w", f.Path, err)
		}
		if err := os.WriteFile(path, f.Text, info.Mode().Perm()); err != nil {
			return report, fmt.Errorf("mend %s: %w", f.Path, err)
		}
		fmt.Fprintf(t.err, "mended %s\n", f.Path)
	}
	return report, nil
}

const configFile = ".github/parley.yml"

// home is the checkout the paths lie in: the nearest folder above with a .git
// or a configuration; empty where there is none.
func (c lintCmd) home() (string, error) {
	home := ""
	for i, p := range c.Paths {
		at, err := above(p)
		if err != nil {
			return "", badInput("%s cannot be read: %v", p, err)
		}
		if i > 0 && at != home {
			return "", badInput("%s and %s lie in different checkouts: judge them one after the other", c.Paths[0], p)
		}
		home = at
	}
	return home, nil
}

func above(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for {
		for _, mark := range []string{".git", configFile} {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
		dir = filepath.Dir(dir)
	}
}

// disabled are the rules the checkout's configuration switches off.
func disabled(home string) (map[string]string, error) {
	if home == "" {
		return nil, nil
	}
	path := filepath.Join(home, configFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, badInput("%s cannot be read: %v", path, err)
	}
	settings, problems := app.ParseSettings(nil, text)
	if len(problems) > 0 {
		return nil, badInput("%s", problems[0])
	}
	return settings.DisabledRules, nil
}

// fromHome names the files as GitHub does, from the root of the checkout. What
// lies in none is named in full.
func fromHome(r spec.Report, home string) spec.Report {
	r.Findings = slices.Clone(r.Findings)
	for i, f := range r.Findings {
		path, err := filepath.Abs(filepath.FromSlash(f.File))
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(home, path); home != "" && err == nil {
			path = rel
		}
		r.Findings[i].File = filepath.ToSlash(path)
	}
	return r
}

// tooMany bounds what one run reads.
const tooMany = 20000

// read collects the Markdown below the paths.
func (c lintCmd) read() ([]spec.File, error) {
	var files []spec.File
	seen := map[string]bool{}
	for _, p := range c.Paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, badInput("%s: no such file or folder", p)
		}
		if err != nil {
			return nil, badInput("%s cannot be read: %v", p, err)
		}
		names := []string{filepath.Clean(p)}
		if info.IsDir() {
			if names, err = documentsBelow(p); err != nil {
				return nil, badInput("%s cannot be read: %v", p, err)
			}
		} else if !spec.IsDocument(filepath.ToSlash(p)) {
			return nil, badInput("%s is no specification document: .md, .markdown and .txt are read", p)
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			f, err := readText(name)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, badInput("%s: no Markdown there", strings.Join(c.Paths, ", "))
	}
	return files, nil
}

func readText(name string) (spec.File, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return spec.File{}, badInput("%s cannot be read: not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return spec.File{}, badInput("%s cannot be read: %v", name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, spec.FileLimit+1)) // one more, so that the rest is missed
	if err != nil {
		return spec.File{}, badInput("%s cannot be read: %v", name, err)
	}
	if !spec.IsText(text) {
		return spec.File{}, badInput("%s is not text", name)
	}
	return spec.File{Path: filepath.ToSlash(name), Text: text}, nil
}

var skipped = map[string]bool{".git": true, "node_modules": true, "vendor": true, ".venv": true}

func documentsBelow(root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && skipped[e.Name()] && p != root:
			return fs.SkipDir
		case e.Type().IsRegular() && spec.IsDocument(filepath.ToSlash(p)) && len(out) < tooMany:
			out = append(out, filepath.Clean(p))
		}
		return nil
	})
	return out, err
}

// filesBelow lists a checkout's files by their slash paths.
func filesBelow(root string) (map[string]bool, error) {
	out := map[string]bool{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		if rel, err := filepath.Rel(root, p); err == nil && rel != "." {
			out[filepath.ToSlash(rel)] = true
		}
		return nil
	})
	return out, err
}
