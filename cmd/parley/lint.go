package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/app"
	"parley/pipeline/spec"
)

type lintCmd struct {
	Paths    []string `arg:"" optional:"" help:"Session folders, folders of Markdown, or single files."`
	Format   string   `default:"text" enum:"text,json,sarif,github" help:"text, json, sarif (2.1.0), or github (workflow annotations)."`
	FailOn   string   `default:"blocker" enum:"blocker,major,minor" help:"Exit 1 when a finding is this grave or graver: blocker, major, minor."`
	Explain  string   `placeholder:"RULE" help:"Explain one rule, such as L15, with examples."`
	Fix      bool     `help:"Carry out the mechanical remedies in place, then judge."`
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
	disabled, err := c.disabled()
	if err != nil {
		return err
	}
	files, err := c.read()
	if err != nil {
		return err
	}
	options := spec.Options{Language: c.Language, Disabled: disabled}
	if c.Repo != "" {
		if options.Paths, err = filesBelow(c.Repo); err != nil {
			return badInput("%s cannot be read: %v", c.Repo, err)
		}
	}
	report := spec.Lint(files, options)
	if c.Fix {
		if report, err = c.fix(t, files, report, options); err != nil {
			return err
		}
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

// fix writes the mended files and judges them again.
func (c lintCmd) fix(t *terminal, files []spec.File, report spec.Report, o spec.Options) (spec.Report, error) {
	fixed := spec.Fix(files, report.Findings)
	for _, f := range fixed {
		info, err := os.Stat(filepath.FromSlash(f.Path))
		if err != nil {
			return report, fmt.Errorf("mend %s: %w", f.Path, err)
		}
		if err := os.WriteFile(filepath.FromSlash(f.Path), f.Text, info.Mode().Perm()); err != nil {
			return report, fmt.Errorf("mend %s: %w", f.Path, err)
		}
		fmt.Fprintf(t.err, "mended %s\n", f.Path)
		for i := range files {
			if files[i].Path == f.Path {
				files[i] = f
			}
		}
	}
	if len(fixed) == 0 {
		return report, nil
	}
	return spec.Lint(files, o), nil
}

// configFile is looked for in the working directory and above it.
const configFile = ".github/parley.yml"

func (c lintCmd) disabled() (map[string]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", configFile, err)
	}
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, configFile))
		if err == nil {
			settings, problems := app.ParseSettings(nil, text)
			if len(problems) > 0 {
				return nil, badInput("%s: %s", configFile, problems[0])
			}
			return settings.DisabledRules, nil
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return nil, nil
		}
	}
}

// tooMany bounds what one run reads.
const tooMany = 20000

// read collects the Markdown below the paths.
func (c lintCmd) read() ([]spec.File, error) {
	var files []spec.File
	seen := map[string]bool{}
	for _, p := range c.Paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, badInput("%s: no such file or folder", p)
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
	text, err := os.ReadFile(name)
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
