package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

// result is what --format json prints.
type result struct {
	Session  *string      `json:"session"`
	Mode     string       `json:"mode"`
	Status   string       `json:"status"`
	Beats    int          `json:"beats"`
	Tasks    []taskResult `json:"tasks"`
	Gate     *gateResult  `json:"gate"`
	Check    *string      `json:"check"`
	GitHub   counted      `json:"github"`
	Duration int64        `json:"duration_ms"`
	Out      *string      `json:"out"`
}

type taskResult struct {
	ID      pipeline.TaskID     `json:"id"`
	Role    pipeline.Role       `json:"role"`
	Status  pipeline.TaskStatus `json:"status"`
	Round   *string             `json:"round"`
	Verdict *string             `json:"verdict"`
	Rating  *float64            `json:"rating"`
}

type gateResult struct {
	Result     pipeline.GateResult `json:"result"`
	Score      float64             `json:"score"`
	Dimensions map[string]*float64 `json:"dimensions"`
}

type counted struct {
	Requests int `json:"requests"`
	REST     int `json:"rest"`
	GraphQL  int `json:"graphql"`
	Created  int `json:"created"`
}

// finish writes the folder and the thread, and says how it ended.
func (s *stage) finish(ctx context.Context) error {
	state, err := s.state(ctx)
	if err != nil {
		return err
	}
	r := s.result(state)
	if state.ID != "" {
		if err := s.write(state, &r); err != nil {
			return err
		}
	}
	if s.cmd.Format == "json" {
		err = printJSON(s.t.out, r)
	} else {
		err = s.show.end(s.t.out, state, r)
	}
	if err == nil && s.cmd.Sources && state.ID != "" {
		err = s.sources(state)
	}
	if err == nil && r.Status == "refused" {
		err = badInput("refused: %s", s.lastWord())
	}
	return err
}

func (s *stage) result(state pipeline.Session) result {
	c := s.world.Counts()
	r := result{Mode: s.cmd.Mode, Status: "refused", Tasks: []taskResult{}, Duration: time.Since(s.began).Milliseconds(),
		GitHub: counted{c.Requests, c.REST, c.GraphQL, c.Created}}
	if state.ID == "" {
		return r
	}
	r.Session, r.Mode, r.Status, r.Beats = &state.ID, string(state.Mode), string(state.Status), state.Beats
	for _, t := range slices.Concat(state.Tasks, state.Left) {
		one := taskResult{ID: t.ID, Role: t.Owner, Status: t.Status, Rating: t.Rating}
		if t.Round != "" && t.Status != pipeline.TaskPending {
			one.Round = ptr(string(t.Round))
		}
		if t.Verdict != "" {
			one.Verdict = ptr(string(t.Verdict))
		}
		r.Tasks = append(r.Tasks, one)
	}
	if g := state.Gate; g != nil {
		r.Gate = &gateResult{g.Result, g.Score, g.Dimensions}
	}
	for _, check := range s.world.Checks(repoName, s.world.Head(repoName, state.Branch())) {
		if check.Name == "parley/gate" {
			r.Check = ptr(check.Status)
			if check.Conclusion != "" {
				r.Check = ptr(check.Conclusion)
			}
		}
	}
	return r
}

func ptr[T any](v T) *T { return &v }

func printJSON(w io.Writer, r result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// write puts the session folder, as it is on the branch, and the thread into --out.
func (s *stage) write(state pipeline.Session, r *result) error {
	files, err := s.world.Files(repoName, state.Branch())
	if err != nil {
		return fmt.Errorf("read the branch: %w", err)
	}
	out, err := filepath.Abs(s.cmd.Out)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	folder := filepath.Join(out, state.ID)
	for path, text := range files {
		rel, ok := strings.CutPrefix(path, state.Folder()+"/")
		if !ok {
			continue
		}
		if err := writeFile(filepath.Join(folder, filepath.FromSlash(rel)), text); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	thread, err := s.world.Thread(s.at())
	if err != nil {
		return fmt.Errorf("read the thread: %w", err)
	}
	r.Out = &folder
	if err := writeFile(filepath.Join(out, "thread.md"), thread); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// lastWord is the first line of what Parley said last on the issue.
func (s *stage) lastWord() string {
	for _, c := range s.world.Comments(s.at()) {
		if c.Author != you {
			line, _, _ := strings.Cut(strings.TrimSpace(c.Body), "\n")
			return line
		}
	}
	return "no session was started"
}
