package githubapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// G19: the group's verdict rests on our own green check on the pull request's
// head, and on that head being in the group. A forged check does not count.
func TestG19GroupFacts(t *testing.T) {
	w := opened(t, WritesAuto)
	forge(t, w)
	ask := pipeline.HeadAsk{PR: w.session.PR.Number, Group: true, Folder: w.session.Folder()}
	group, err := w.MergeGroup("octo/shop", w.session.PR.Number)
	if err != nil {
		t.Fatal(err)
	}
	facts := func(head string) pipeline.HeadFacts {
		t.Helper()
		got, err := w.c.Head(t.Context(), w.session.Repo, head, ask)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := pipeline.HeadFacts{HeadAsk: ask, Ours: true, Holds: true}
	if diff := cmp.Diff(want, facts(group)); diff != "" {
		t.Fatalf("with a forged green alone:\n%s", diff)
	}
	check := &pipeline.CheckWrite{Status: "completed", Conclusion: "success", Title: "PASS", Summary: "x", External: w.session.ID}
	w.deliver(pipeline.Write{Key: "g", Kind: pipeline.WriteCheck, Check: check})
	want.Green = true
	if diff := cmp.Diff(want, facts(group)); diff != "" {
		t.Fatal(diff)
	}
	want.Holds = false
	if diff := cmp.Diff(want, facts(w.session.PR.BaseHead)); diff != "" {
		t.Fatalf("a group without our head:\n%s", diff)
	}
}

// S13: the mistakes of an edited configuration are read at its head, the
// settings that hold on the default branch.
func TestEditedConfigurationFacts(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.c.cfg.CheckSettings = func(text []byte) []pipeline.Annotation {
		return []pipeline.Annotation{{Line: strings.Count(string(text), "\n"), Level: "failure", Message: "no"}}
	}
	head, err := w.Push("ann", "octo/shop", "feature", map[string]string{".github/parley.yml": "keep: al\nlabel: x\n", "parley.yml": "not ours"})
	if err != nil {
		t.Fatal(err)
	}
	before := w.Counts().Requests
	got, err := w.c.Head(t.Context(), w.session.Repo, head, pipeline.HeadAsk{Config: true})
	if err != nil {
		t.Fatal(err)
	}
	want := pipeline.HeadFacts{HeadAsk: pipeline.HeadAsk{Config: true}, Edited: []string{".github/parley.yml"},
		Mistakes: []pipeline.Annotation{{Path: ".github/parley.yml", Line: 2, Level: "failure", Message: "no"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if n := w.Counts().Requests - before; n != 1 {
		t.Errorf("%d requests", n)
	}
	if _, err := w.Push("ann", "octo/shop", "main", map[string]string{".github/parley.yml": "keep: al\nlabel: x\n"}); err != nil {
		t.Fatal(err)
	}
	if got, err = w.c.Head(t.Context(), w.session.Repo, head, pipeline.HeadAsk{Config: true}); err != nil || got.Edited != nil {
		t.Errorf("what holds already is taken for edited: %+v, %v", got, err)
	}
	if _, err := w.c.Head(t.Context(), w.session.Repo, "main", pipeline.HeadAsk{Config: true}); err == nil {
		t.Error("took a name for a commit")
	}
}
