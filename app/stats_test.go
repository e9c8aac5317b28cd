package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// Days waited are those of the waits that are over and of the one that lasts;
// what nobody touched since is left out.
func TestSummarise(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	days := func(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }
	repo := pipeline.Repo{Owner: "octo", Name: "shop"}
	over := pipeline.Session{ID: "a", Repo: repo, Status: pipeline.SessionCompleted, UpdatedAt: now, WaitedMS: days(3).Milliseconds(),
		Gate: &pipeline.Gate{Result: pipeline.GateReview}, Accepted: []pipeline.Acceptance{{Who: "ann"}}, Usage: pipeline.Usage{Calls: 7, InputTokens: 4000, OutputTokens: 500, Micros: 1_250_000},
		Requests: pipeline.Requests{Requests: 20}, Rules: map[string]pipeline.Tally{"L15": {Found: 3, Fixed: 1, Accepted: 1}}}
	lasts := pipeline.Session{ID: "b", Repo: repo, Status: pipeline.SessionPaused, UpdatedAt: now.Add(-days(1)), WaitedMS: days(.5).Milliseconds(),
		Wait: &pipeline.Wait{Since: now.Add(-days(1))}, Usage: pipeline.Usage{Calls: 1, Unpriced: 1}, Rules: map[string]pipeline.Tally{"L15": {Found: 1}}}
	old := pipeline.Session{ID: "c", Repo: repo, UpdatedAt: now.Add(-days(31)), WaitedMS: days(9).Milliseconds()}
	since := now.Add(-days(30))
	want := SessionStats{Since: since, Sessions: 2, Outcomes: map[string]int{"completed REVIEW": 1, "paused": 1}, Waiting: 4.5, Accepted: map[string]int{"ann": 1},
		Repos: map[string]RepoStats{"octo/shop": {Sessions: 2, Micros: 1_250_000, Unpriced: 1, Calls: 8, Tokens: 4500, Requests: 20}},
		Rules: map[string]pipeline.Tally{"L15": {Found: 4, Fixed: 1, Accepted: 1}}}
	if diff := cmp.Diff(want, Summarise([]pipeline.Session{over, lasts, old}, since, now)); diff != "" {
		t.Error(diff)
	}
}
