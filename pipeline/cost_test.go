package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
	"parley/pipeline/storetest"
)

// A task costs its draft and its round; what nobody was paid for costs nothing.
func TestTaskPaysForItsRound(t *testing.T) {
	w := newWorld()
	work, critique := w.work, w.critique
	w.work = func(c context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
		d, err := work(c, a)
		d.Usage = pipeline.Usage{Calls: 1, Micros: 20_000}
		return d, err
	}
	w.critique = func(r pipeline.Review) (pipeline.Judgement, error) {
		j, err := critique(r)
		j.Verdict.Usage = pipeline.Usage{Calls: 3, Micros: 30_000, Unpriced: 1}
		return j, err
	}
	spent := map[pipeline.TaskID]pipeline.Usage{}
	policy := func(s pipeline.Session, ev pipeline.Event, now time.Time) (pipeline.Session, []pipeline.Effect, error) {
		if ev.Kind == pipeline.EventDone {
			spent[ev.Outcome.Task] = ev.Outcome.Usage
		}
		return twoTasks(s, ev, now)
	}
	run(t, w, storetest.NewMemory(storetest.Options{}), policy, startEvent(1))
	want := map[pipeline.TaskID]pipeline.Usage{"A": {Calls: 4, Micros: 50_000, Unpriced: 1}, "B": {Calls: 1, Micros: 20_000}}
	if diff := cmp.Diff(want, spent); diff != "" {
		t.Error(diff)
	}
}

// The panel shows what each task cost, its revisions with it, and the total.
func TestPanelShowsTheCostPerTaskAndInTotal(t *testing.T) {
	task := func(id pipeline.TaskID, of pipeline.TaskID, u pipeline.Usage) pipeline.Task {
		return pipeline.Task{ID: id, RevisionOf: of, Status: pipeline.TaskCompleted, Owner: pipeline.Writer, Usage: u}
	}
	s := pipeline.Session{Status: pipeline.SessionActive, Settings: pipeline.DefaultSettings(), Tasks: []pipeline.Task{
		task("RESEARCH-001", "", pipeline.Usage{ByRules: 3}),
		task("DRAFT-001", "", pipeline.Usage{Calls: 5, Micros: 120_000}),
		task("DRAFT-002", "", pipeline.Usage{Calls: 2, Micros: 50_000}),
		task("DRAFT-002-R1", "DRAFT-002", pipeline.Usage{Calls: 2, Micros: 30_000, Unpriced: 1}),
		task("DRAFT-003", "", pipeline.Usage{Calls: 1, Unpriced: 1}),
		task("DRAFT-004", "", pipeline.Usage{Cached: 4}),
	}}
	for _, t := range s.Tasks {
		s.Usage = s.Usage.Plus(t.Usage)
	}
	got := map[string]string{}
	for line := range strings.Lines(pipeline.Panel(s, time.Time{})) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) == 6 {
			got[strings.TrimPrefix(cells[0], "| ")] = strings.TrimSpace(strings.TrimSuffix(cells[5], "|"))
		}
	}
	want := map[string]string{"Task": "Cost", "RESEARCH-001": "", "DRAFT-001": "$0.12", "DRAFT-002 → R1": "more than $0.08",
		"DRAFT-003": "price unknown", "DRAFT-004": "$0.00"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if total := "$0.20 and 2 answers at an unknown price"; !strings.Contains(pipeline.Panel(s, time.Time{}), total) {
		t.Errorf("the panel does not say %q", total)
	}
	for i := range s.Tasks {
		s.Tasks[i].Usage = pipeline.Usage{ByRules: 3}
	}
	if strings.Contains(pipeline.Panel(s, time.Time{}), "Cost") {
		t.Error("a session by rules has a column of costs")
	}
}

// The review says what its round cost.
func TestReviewShowsTheCostOfItsRound(t *testing.T) {
	v := pipeline.Verdict{Round: "DISCUSS-002", Consensus: pipeline.ConsensusReached, Usage: pipeline.Usage{Calls: 4, Micros: 30_000}}
	body, _ := pipeline.ReviewText(pipeline.Session{Settings: pipeline.DefaultSettings()}, pipeline.Task{ID: "DRAFT-001"}, v)
	if !strings.Contains(body, " · $0.03</sub>") {
		t.Error(body)
	}
}
