package app

import (
	"context"
	"strconv"
	"strings"
	"time"

	"parley/app/githubapi"
	"parley/pipeline"
	"parley/pipeline/spec"
)

// logLine is an error where it stops, or the word that it is over.
func (a *App) logLine(l pipeline.LogLine) {
	e := a.log.Info()
	text := "works again"
	if l.Err != nil {
		e, text = a.log.Error().Err(l.Err), "did not work"
	}
	if l.Key != (pipeline.Key{}) {
		e = e.Int64("repo", l.Key.Repo).Int("issue", l.Key.Issue)
	}
	e.Str("what", l.What).Str("job", l.Job).Msg(text)
}

// progress logs what people would want to know of a session afterwards.
func (a *App) progress(also func(pipeline.Progress)) func(pipeline.Progress) {
	return func(p pipeline.Progress) {
		if also != nil {
			also(p)
		}
		e := a.log.Debug()
		switch p.Stage {
		case pipeline.StageTaskDone, pipeline.StageRound, pipeline.StageRetry:
			e = a.log.Info()
		}
		e.Str("session", p.Session.ID).Str("task", string(p.Task)).Str("round", string(p.Round)).
			Str("stage", string(p.Stage)).Dur("took", p.Took).Msg(p.Text)
	}
}

// audit is the one line per decision of a person; the folder has the same in
// its log.
func (a *App) audit(key pipeline.Key, d pipeline.Decision) {
	decision, why, _ := strings.Cut(d.Outcome, ":")
	a.metrics.command(d.Command, decision)
	a.log.Info().Int64("repo", key.Repo).Int("issue", key.Issue).Str("session", d.Session).Str("who", d.Who).Str("command", d.Command).
		Str("decision", decision).Str("why", strings.TrimSpace(why)).Str("head", d.Head).Str("delivery", d.Delivery).Time("at", d.At).Msg("audit")
}

func (a *App) observe(s pipeline.Sample) {
	switch s.What {
	case "permission":
		a.metrics.permErrors.Inc()
	case "readback":
		a.metrics.readbacks.Inc()
	case "turn":
		if s.Kind == string(pipeline.EventPanelLost) && s.Result == "done" {
			a.metrics.healed.Inc()
		}
	case "job":
		a.metrics.job(s.Kind, s.Result, s.Took)
		if s.Result == "failed" {
			a.metrics.jobRetries.Inc()
		}
	}
	if s.Result == "stale" {
		a.metrics.leaseLost.Inc()
	}
}

func (a *App) observeGitHub(c githubapi.Call) {
	a.metrics.requests.WithLabelValues(strconv.Itoa(c.Status), map[bool]string{true: "yes", false: "no"}[c.Cached]).Inc()
	switch {
	case c.Op == githubapi.OpMint:
		a.metrics.mints.Inc()
	case c.Held:
		a.metrics.waits.Inc()
	}
	if c.Resource != "" && c.Remaining >= 0 {
		a.metrics.quota.WithLabelValues(c.Resource).Set(float64(c.Remaining))
	}
}

// compareFolders names the items that differ and what descends from them; the
// pipeline itself does not read documents.
func compareFolders(before, after pipeline.Folder) (items, suspect []string) {
	return spec.Changed(parsed(before), parsed(after))
}

func parsed(f pipeline.Folder) *spec.Set {
	files := make([]spec.File, 0, len(f))
	for path, text := range f {
		files = append(files, spec.File{Path: path, Text: text})
	}
	return spec.Parse(files)
}

// every runs step now and then until ctx ends; it is told when it first runs.
func every(ctx context.Context, period time.Duration, step func(context.Context)) {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		step(ctx)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
