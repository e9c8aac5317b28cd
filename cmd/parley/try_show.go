package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"parley/pipeline"
)

// show tells on standard error what happens, as it happens.
type show struct {
	mu    sync.Mutex
	w     io.Writer
	quiet bool
	color bool
	began time.Time
	moved chan struct{} // something happened
}

func newShow(t *terminal, quiet bool) *show {
	plain, _ := t.env("NO_COLOR")
	return &show{w: t.err, quiet: quiet, color: plain == "" && isTerminal(t.err), began: time.Now(), moved: make(chan struct{}, 1)}
}

// interactive tells whether a person can be asked.
func (t *terminal) interactive() bool { return isTerminal(t.in) && isTerminal(t.err) }

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	nowhere, err := os.Stat(os.DevNull) // a character device, and nobody is there
	return err != nil || !os.SameFile(info, nowhere)
}

func (s *show) progress(p pipeline.Progress) {
	select {
	case s.moved <- struct{}{}:
	default:
	}
	switch p.Stage {
	case pipeline.StageTaskStart:
		s.line("%s %s", s.bold(string(p.Task)), p.Text)
	case pipeline.StageNote:
		s.line("  %s", s.dim(p.Text))
	case pipeline.StageRound:
		s.round(p)
	case pipeline.StageTaskDone:
		if p.Outcome != nil && p.Outcome.Summary != "" {
			s.line("  %s %s", p.Outcome.Summary, s.dim(span(p.Took)))
		}
	case pipeline.StageRetry:
		s.line("  %s", p.Text)
	}
}

// round is a bar per perspective, then the verdict.
func (s *show) round(p pipeline.Progress) {
	if p.Verdict == nil {
		s.line("  %s without a verdict: %s", p.Round, p.Text)
		return
	}
	for _, o := range p.Verdict.Opinions {
		rating := "not rated"
		if o.Rating != nil {
			rating = strings.Repeat("●", *o.Rating) + strings.Repeat("○", 5-*o.Rating) + fmt.Sprintf(" %d", *o.Rating)
		}
		s.line("  %-10s %-9s  %s", o.Perspective, rating, s.dim(o.Source))
	}
	verdict := strings.ReplaceAll(string(p.Verdict.Consensus), "_", " ")
	if p.Verdict.Severity != "" {
		verdict += fmt.Sprintf(" (%s)", p.Verdict.Severity)
	}
	s.line("  %s %s, %s", p.Round, s.bold(verdict), p.Verdict.Score())
}

func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func (s *show) said(text string) { s.line("%s %s", s.bold("you:"), text) }

// pause asks the person at the terminal.
func (s *show) pause(state pipeline.Session) {
	s.line("\n%s", pipeline.StatusText(state, time.Now(), true))
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(s.w, "your comment (empty ends): ")
}

func (s *show) line(format string, args ...any) {
	if s.quiet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w, format+"\n", args...)
}

func (s *show) bold(text string) string { return s.paint("1", text) }
func (s *show) dim(text string) string  { return s.paint("2", text) }

func (s *show) paint(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// end prints the checkpoint panel and where everything is.
func (s *show) end(w io.Writer, state pipeline.Session, r result) error {
	if state.ID == "" {
		return nil
	}
	check := pipeline.CheckOutput(state, time.Now())
	_, err := fmt.Fprintf(w, "\n%s\n\n%s\n\n%d beats, %d requests to GitHub (%d created), %s\nsession folder: %s\n", check.Title, check.Summary,
		r.Beats, r.GitHub.Requests, r.GitHub.Created, span(time.Duration(r.Duration)*time.Millisecond), *r.Out)
	return err
}
