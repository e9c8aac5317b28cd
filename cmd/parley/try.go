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
	"parley/pipeline"
)

type tryCmd struct {
	File    string   `arg:"" help:"Markdown file with the issue: its first heading is the title; - reads standard input."`
	Mode    string   `help:"Mode, never upgraded: spec-only, impl-only, fe-only, fullstack, full-lifecycle, full-lifecycle-fe. Without it the configuration's default."`
	Track   string   `help:"standard, or tiny for one spec file." enum:"standard,tiny" default:"standard"`
	Models  string   `default:"off" help:"off: rules only; auto: the backends whose keys are set; or one backend's name."`
	Spec    string   `help:"A specification to start from, for impl-only." type:"path"`
	Repo    string   `help:"A directory whose files are the repository." type:"path"`
	Out     string   `default:"./parley-out" help:"Where the session folder and thread.md are written."`
	Say     []string `help:"What you say at a pause, each once, in order." sep:"none" placeholder:"TEXT"`
	Format  string   `enum:"text,json" default:"text" help:"text, or json: one object on standard output."`
	Sources bool     `help:"Print every sentence of the issue that asks for something, with the requirement that covers it."`
	Quiet   bool     `short:"q" help:"No progress on standard error."`
}

// Help stands under the flags.
func (tryCmd) Help() string {
	return "The whole path runs in this process, against a simulated GitHub and a Redis in memory: signed deliveries, " +
		"tasks, rounds, one pull request, its check. At a pause a terminal is asked for the next comment."
}

func (c tryCmd) Run(ctx context.Context, t *terminal) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	title, body, err := c.issue(t)
	if err != nil {
		return c.refuse(t, err)
	}
	if c.Mode != "" && !slices.Contains(pipeline.Modes, pipeline.Mode(c.Mode)) {
		return c.refuse(t, fmt.Errorf("--mode: there is no %q; the modes are %s", c.Mode, strings.Trim(strings.ReplaceAll(fmt.Sprint(pipeline.Modes), " ", ", "), "[]")))
	}
	if _, err := app.LocalModel(c.Models, t.env); err != nil {
		return c.refuse(t, err)
	}
	files, err := c.repository()
	if err != nil {
		return c.refuse(t, err)
	}
	if err := c.writable(); err != nil {
		return err
	}
	show := newShow(t, c.Quiet)
	s, err := openStage(ctx, c, t, show, files)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.start(ctx, title, body); err != nil {
		return err
	}
	if err := s.play(ctx); err != nil {
		return err
	}
	return s.finish(ctx)
}

// issue reads the file: the first heading is the title, the rest the body.
func (c tryCmd) issue(t *terminal) (title, body string, err error) {
	var raw []byte
	name := c.File
	if name == "-" {
		name = "standard input"
		raw, err = io.ReadAll(io.LimitReader(t.in, 1<<20))
	} else {
		raw, err = os.ReadFile(name)
	}
	text := strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\uFFFD"))
	first, rest, _ := strings.Cut(text, "\n")
	heading, headed := strings.CutPrefix(first, "# ")
	title = strings.TrimSpace(strings.TrimLeft(first, "#> -*"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", fmt.Errorf("the issue: there is no %s; name a Markdown file, or - for standard input", name)
	case err != nil && isDir(name):
		return "", "", fmt.Errorf("the issue: %s is a directory; name a Markdown file in it", name)
	case err != nil:
		return "", "", fmt.Errorf("the issue: %w", err)
	case text == "":
		return "", "", fmt.Errorf("the issue: %s is empty; write a heading and what you want", name)
	case strings.ContainsRune(text, 0):
		return "", "", fmt.Errorf("the issue: %s is not text", name)
	case title == "":
		return "", "", fmt.Errorf("the issue: %s has no title; begin it with a heading, such as: # Retry failed deliveries", name)
	case headed:
		return strings.TrimSpace(heading), strings.TrimSpace(rest), nil
	}
	if r := []rune(title); len(r) > 80 {
		title = string(r[:80])
	}
	return title, text, nil
}

// writable makes --out and tries it, before the work and not after it.
func (c tryCmd) writable() error {
	err := os.MkdirAll(c.Out, 0o755)
	if err == nil {
		var tried *os.File
		if tried, err = os.CreateTemp(c.Out, ".parley-*"); err == nil {
			tried.Close()
			err = os.Remove(tried.Name())
		}
	}
	if err != nil {
		return fmt.Errorf("--out: %w; name a directory that can be written to", err)
	}
	return nil
}

// maxTree bounds what --repo reads; a bigger tree is explored on GitHub.
const maxTree, maxTreeFile = 64 << 20, 1 << 20

// repository is what the simulated repository holds.
func (c tryCmd) repository() (map[string]string, error) {
	files := map[string]string{"README.md": "# try\n"}
	if c.Repo != "" {
		var err error
		if files, err = readTree(c.Repo); err != nil {
			return nil, fmt.Errorf("--repo: %w", err)
		}
	}
	if c.Spec != "" {
		raw, err := os.ReadFile(c.Spec)
		if err != nil {
			return nil, fmt.Errorf("--spec: %w", err)
		}
		files[specPath(c.Spec)] = string(raw)
	}
	return files, nil
}

func specPath(file string) string { return "spec/" + filepath.Base(file) }

func readTree(dir string) (map[string]string, error) {
	files, left := map[string]string{}, maxTree
	root, err := os.OpenRoot(dir) // links that leave the directory are not followed
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxTreeFile {
			return err
		}
		raw, err := root.ReadFile(path)
		if err != nil {
			return err
		}
		if left -= len(raw); left < 0 {
			return fmt.Errorf("%s holds more than %d MiB; name a smaller part", dir, maxTree>>20)
		}
		files[path] = string(raw)
		return nil
	})
	return files, err
}

// refuse prints the object that a reader of JSON waits for, and exits 2.
func (c tryCmd) refuse(t *terminal, err error) error {
	if c.Format == "json" {
		if out := printJSON(t.out, result{Mode: c.Mode, Status: "refused", Tasks: []taskResult{}}); out != nil {
			return errors.Join(err, out)
		}
	}
	return badInput("%v", err)
}
