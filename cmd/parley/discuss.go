package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app"
	"parley/discuss"
	"parley/pipeline"
)

type discussCmd struct {
	File         string   `arg:"" optional:"" help:"Document to judge; the item files its index links are read too."`
	Round        string   `help:"Round whose panel judges it, DISCUSS-001 to DISCUSS-006; guessed from the path."`
	Perspectives []string `help:"Panel instead of the round's: product, technical, quality, risk, coverage."`
	Context      string   `help:"discovery-context.json, which coverage compares the document with."`
	Models       string   `default:"auto" help:"off, auto, or one backend by name."`
	Format       string   `default:"md" enum:"md,json" help:"md or json."`
	Results      string   `help:"Tally the answers in this JSON file; nobody is asked and FILE need not exist."`
	Out          string   `help:"Write the record and the ledger below this directory."`
	Literal      bool     `help:"Grade a blocked verdict by the lifecycle's table as written."`
}

// blocked is exit code 3: the verdict is on standard output already.
var blocked = exit{3, ""}

func (c discussCmd) Run(ctx context.Context, t *terminal) error {
	if c.Round != "" && len(c.Perspectives) > 0 {
		return badInput("--round and --perspectives exclude each other")
	}
	judge := c.panel
	if c.Results != "" {
		judge = c.tally
	}
	j, err := judge(ctx, t)
	var refusal *pipeline.Refusal
	if errors.As(err, &refusal) {
		return badInput("%s", refusal.Text)
	}
	if err != nil {
		return err
	}
	record := c.write(t, j)
	if err := c.print(t, j.Verdict, record); err != nil {
		return err
	}
	if j.Verdict.Consensus != pipeline.ConsensusReached {
		return blocked
	}
	return nil
}

// settings are the defaults; only the literal switch matters here.
func (c discussCmd) settings() pipeline.Settings {
	s := pipeline.DefaultSettings()
	s.LiteralSeverity = c.Literal
	return s
}

// tally judges answers given in a file.
func (c discussCmd) tally(context.Context, *terminal) (pipeline.Judgement, error) {
	none := pipeline.Judgement{}
	if len(c.Perspectives) > 0 {
		return none, &pipeline.Refusal{Text: "--results brings its own panel: leave --perspectives out"}
	}
	file, err := os.Open(c.Results)
	if err != nil {
		return none, &pipeline.Refusal{Text: "Results not found: " + c.Results}
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, discuss.MaxResults+1))
	if err != nil {
		return none, &pipeline.Refusal{Text: fmt.Sprintf("results: %v", err)}
	}
	r, err := discuss.ReadResults(raw)
	if err != nil {
		return none, err
	}
	round := pipeline.Round(c.Round)
	if round != "" && r.Round != "" && r.Round != round {
		return none, &pipeline.Refusal{Text: fmt.Sprintf("--round is %s, the results are of %s", round, r.Round)}
	}
	if round != "" {
		if _, err := discuss.Mount(round); err != nil {
			return none, err
		}
		r.Round = round
	}
	r.Artifact = cmp.Or(r.Artifact, c.File)
	return r.Judge(c.settings(), time.Now())
}

// panel asks the perspectives about FILE.
func (c discussCmd) panel(ctx context.Context, t *terminal) (pipeline.Judgement, error) {
	none := pipeline.Judgement{}
	if c.File == "" {
		return none, &pipeline.Refusal{Text: "name a file to judge, or --results FILE.json"}
	}
	panel, err := discuss.ParsePerspectives(c.Perspectives)
	if err != nil {
		return none, err
	}
	model, err := app.LocalModel(c.Models, t.env)
	if err != nil {
		return none, err
	}
	text, err := os.ReadFile(c.File)
	if err != nil {
		return none, &pipeline.Refusal{Text: "Artifact not found: " + c.File}
	}
	round := pipeline.Round(c.Round)
	if round == "" {
		round = discuss.Guess(filepath.ToSlash(c.File), string(text))
	}
	f, err := readFolder(c, round)
	if err != nil {
		return none, err
	}
	r := pipeline.Review{
		Session: pipeline.Session{Settings: c.settings()}, Round: round, Artifact: f.artifact, Folder: f.texts, Now: time.Now(),
		Progress: func(text string) { fmt.Fprintln(t.err, text) },
	}
	j, err := discuss.New(discuss.Config{Model: model}).Hear(ctx, r, panel)
	if err != nil {
		return none, err
	}
	j.Verdict.Artifact = c.File
	for i := range j.Verdict.Findings {
		j.Verdict.Findings[i].File = f.real(j.Verdict.Findings[i].File)
	}
	return j, nil
}

// write puts record and ledger below --out. A failed write costs the path, not
// the verdict.
func (c discussCmd) write(t *terminal, j pipeline.Judgement) string {
	if c.Out == "" {
		return ""
	}
	for name, text := range j.Text {
		path := filepath.Join(c.Out, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			fmt.Fprintf(t.err, "parley: the record was not written: %v\n", err)
			return ""
		}
	}
	return filepath.Join(c.Out, filepath.FromSlash(j.Verdict.Record))
}

func (c discussCmd) print(t *terminal, v pipeline.Verdict, record string) error {
	if c.Format == "json" {
		e := json.NewEncoder(t.out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(discuss.Printed(v, record))
	}
	_, err := fmt.Fprint(t.out, discuss.Report(v, record))
	return err
}

// folder is a file and its neighbours laid out as a session folder.
type folder struct {
	artifact string
	texts    pipeline.Folder
	from     map[string]string // path in the folder to path on disk
}

// real is a path on disk again.
func (f folder) real(name string) string {
	if path, ok := f.from[name]; ok {
		return path
	}
	return name
}

// readFolder mounts FILE where its round expects it. A file inside a spec
// directory brings the whole specification along; any other file brings the
// Markdown files beside it when it is an index.
func readFolder(c discussCmd, round pipeline.Round) (folder, error) {
	f := folder{texts: pipeline.Folder{}, from: map[string]string{}}
	mount, err := discuss.Mount(round)
	if err != nil {
		return f, err
	}
	slash := filepath.ToSlash(c.File)
	f.artifact = mount
	if root, inside, ok := cutSpec(slash); ok {
		f.artifact = inside
		err = f.addTree(root+"spec", "spec")
	} else if filepath.Base(slash) == "_index.md" {
		err = f.addTree(filepath.Dir(c.File), filepath.ToSlash(filepath.Dir(mount)))
	} else {
		err = f.add(c.File, mount)
	}
	if err == nil && c.Context != "" {
		if err = f.add(c.Context, "spec/discovery-context.json"); err != nil {
			return f, &pipeline.Refusal{Text: "Context not found: " + c.Context}
		}
	}
	if err == nil && c.Out != "" {
		// Earlier runs are continued: a round that runs again keeps its records.
		if dir := filepath.Join(c.Out, "discussions"); isDir(dir) {
			err = f.addTree(dir, "discussions")
		}
	}
	return f, err
}

// cutSpec splits a/b/spec/x.md into a/b/ and spec/x.md.
func cutSpec(path string) (root, inside string, ok bool) {
	if strings.HasPrefix(path, "spec/") {
		return "", path, true
	}
	i := strings.LastIndex(path, "/spec/")
	if i < 0 {
		return "", "", false
	}
	return path[:i+1], path[i+1:], true
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (f folder) addTree(dir, as string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isText(path) {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return f.add(path, as+"/"+filepath.ToSlash(rel))
	})
}

func isText(path string) bool {
	return strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".json")
}

func (f folder) add(path, as string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	f.texts[as], f.from[as] = raw, path
	return nil
}
