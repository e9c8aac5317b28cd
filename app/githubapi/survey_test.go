package githubapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// TestSurvey asks once for fifty repositories, whatever they hold.
func TestSurvey(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.c.cfg.ParseSettings = func(org, repo []byte) (pipeline.Settings, []string) {
		s := pipeline.DefaultSettings()
		s.Title = string(org) + "+" + string(repo)
		return s, nil
	}
	if _, err := w.AddRepo("octo/.github", map[string]string{"parley.yml": "floor"}); err != nil {
		t.Fatal(err)
	}
	for n := range 2*SurveySize - 2 {
		files := map[string]string{"README.md": "x"}
		if n == 7 {
			files[".github/parley.yml"] = "mine"
		}
		if _, err := w.AddRepo(fmt.Sprintf("octo/r%03d", n), files); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.OpenIssue("octo", "octo/r007", "Also", issueBody, "spec-me", "lifecycle"); err != nil {
		t.Fatal(err)
	}
	covered, err := w.c.Repositories(t.Context(), w.session.Repo.Installation)
	if err != nil {
		t.Fatal(err)
	}
	before := w.Counts().Requests
	seen := map[string]Surveyed{}
	for some := range slices.Chunk(covered, SurveySize) {
		got, err := w.c.Survey(t.Context(), some, []string{"lifecycle", "spec-me"}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got {
			seen[s.Name] = s
		}
	}
	if n := w.Counts().Requests - before; n != 2 || len(seen) != 2*SurveySize {
		t.Errorf("%d requests for %d of %d repositories", n, len(seen), len(covered))
	}
	for name, want := range map[string]map[string]int{
		"shop": {"lifecycle": 1, "spec-me": 0}, "r007": {"lifecycle": 1, "spec-me": 1}, "r008": {"lifecycle": 0, "spec-me": 0},
	} {
		if diff := cmp.Diff(want, seen[name].Labelled); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if a, b := seen["r007"].Settings.Title, seen["r008"].Settings.Title; a != "floor+mine" || b != "floor+" {
		t.Errorf("settings %q and %q", a, b)
	}
	if s := seen["shop"]; s.ID != w.session.Repo.ID || s.Installation != w.session.Repo.Installation {
		t.Errorf("the repository lost its address: %+v", s.Repo)
	}
}

// TestSurveyOfWhatWent: a repository that vanished or refuses us hides no other.
func TestSurveyOfWhatWent(t *testing.T) {
	_, c := newWire(t, reply200(`{"data":{"nodes":[null,{"id":"R_b","label0":{"totalCount":2},"config":null}],"org":null},"errors":[
		{"type":"NOT_FOUND","path":["nodes",0],"message":"gone"},{"type":"NOT_FOUND","path":["org"],"message":"none"}]}`))
	repos := []Covered{{Repo: pipeline.Repo{NodeID: "R_a", Owner: "octo", Installation: 1}}, {Repo: pipeline.Repo{NodeID: "R_b", Owner: "octo", Installation: 1}}}
	seen, err := c.Survey(t.Context(), repos, []string{"lifecycle"}, time.Time{})
	if len(seen) != 1 || seen[0].NodeID != "R_b" || seen[0].Labelled["lifecycle"] != 2 {
		t.Errorf("saw %+v", seen)
	}
	if err == nil || !strings.Contains(err.Error(), "gone") || strings.Contains(err.Error(), "none") {
		t.Errorf("error %v", err)
	}
}
