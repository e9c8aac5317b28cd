package roles

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
	"parley/pipeline/spec"
)

const well = "../../cmd/parley/samples/well-written.md"

func work(t *testing.T, f pipeline.Folder, task pipeline.Task, more func(*pipeline.Assignment)) pipeline.Draft {
	t.Helper()
	a := pipeline.Assignment{Session: pipeline.Session{ID: "TLS-sample-1-2026-11-21", Settings: pipeline.DefaultSettings()}, Task: task, Folder: maps.Clone(f), Now: when.AddDate(0, 0, 1),
		Issue: sample(t, well)}
	if more != nil {
		more(&a)
	}
	d, err := New(Config{}).Work(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRerunChangesNothing(t *testing.T) {
	f, _ := finished(t, well)
	for _, id := range []pipeline.TaskID{"DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"} {
		d := work(t, f, pipeline.Task{ID: id + "-R1", RevisionOf: id, Revision: &pipeline.Change{Why: "consensus", Scope: "targeted"}}, nil)
		if len(d.Text) > 0 {
			p := sortedKeys(d.Text)[0]
			t.Errorf("%s rewrote %v\n%s", id, sortedKeys(d.Text), cmp.Diff(string(f[p]), string(d.Text[p])))
		}
	}
}

func TestFeedbackBecomesARequirement(t *testing.T) {
	f, _ := finished(t, well)
	before, err := spec.ParseRequirements(parse(f, nil))
	if err != nil {
		t.Fatal(err)
	}
	edited := ""
	for p := range f {
		if strings.Contains(p, "REQ-002") {
			edited = p
			f[p] = []byte(strings.Replace(string(f[p]), "and mark it as failed.", "and mark it as lost for good.", 1))
		}
	}
	change := &pipeline.Change{Why: "feedback", By: "alice", Text: "Operators must be able to pause all retries of one endpoint for 2 hours.", Scope: "targeted"}
	d := work(t, f, pipeline.Task{ID: "DRAFT-002-R1", RevisionOf: "DRAFT-002", Revision: change}, nil)
	if _, touched := d.Text[edited]; touched {
		t.Errorf("a file a person edited was rewritten:\n%s", cmp.Diff(string(f[edited]), string(d.Text[edited])))
	}
	maps.Copy(f, d.Text)
	after, err := spec.ParseRequirements(parse(f, nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(after.Reqs) != len(before.Reqs)+1 {
		t.Fatalf("%d requirements, want one more than %d", len(after.Reqs), len(before.Reqs))
	}
	for i, q := range before.Reqs {
		if after.Reqs[i].ID != q.ID {
			t.Errorf("%s became %s", q.ID, after.Reqs[i].ID)
		}
	}
	added := after.Reqs[len(after.Reqs)-1]
	if added.Source.Quote != change.Text || added.Priority != "Must" || added.ID != "REQ-010" {
		t.Errorf("added %+v", added)
	}
	if !strings.HasSuffix(d.Summary, "; added REQ-010") {
		t.Errorf("the summary does not say what changed: %q", d.Summary)
	}
	if after.Version != before.Version+1 {
		t.Errorf("index has version %d", after.Version)
	}
	if !strings.Contains(string(f[spec.RequirementsPath]), "`alice` asked: Operators must be able to pause") {
		t.Error("the feedback is not shown in the document")
	}
	// What descends from it follows, and only that.
	for _, id := range []pipeline.TaskID{"DRAFT-003", "DRAFT-004"} {
		d := work(t, f, pipeline.Task{ID: id + "-R1", RevisionOf: id, Revision: &pipeline.Change{Why: "feedback", Scope: "targeted"}}, nil)
		maps.Copy(f, d.Text)
	}
	for _, x := range spec.Check(parse(f, nil), spec.Options{}) {
		if x.Grade == spec.Blocker {
			t.Errorf("%s %s: %s", x.Rule, x.File, x.Message)
		}
	}
}

func TestThreadsAreAnswered(t *testing.T) {
	f, _ := finished(t, well)
	task := pipeline.Task{ID: "DRAFT-002-R1", RevisionOf: "DRAFT-002", Revision: &pipeline.Change{Why: "revise", By: "bob", Threads: true}}
	d := work(t, f, task, func(a *pipeline.Assignment) {
		a.Threads = []pipeline.Thread{
			{ID: "T1", Path: "spec/requirements/_index.md", Writer: true, Texts: []string{"The gateway must also log each attempt with its delivery id."}},
			{ID: "T2", Path: "spec/requirements/_index.md", Writer: true, Texts: []string{"Who pays for replays?"}},
			{ID: "T3", Path: "spec/requirements/_index.md", Writer: false, Texts: []string{"It must be free."}},
			{ID: "T4", Path: "spec/epics/_index.md", Writer: true, Texts: []string{"It must be quick."}},
			{ID: "T5", Path: "spec/requirements/_index.md", Writer: true, Texts: []string{"Thanks!"}},
			{ID: "T6", Path: "spec/requirements/_index.md", Writer: true, Texts: []string{"The gateway must give up a delivery after 24 hours and mark it as failed."}},
		}
	})
	want := []pipeline.ThreadNote{{Thread: "T1", Text: "Became REQ-010.", Resolve: true}, {Thread: "T2", Text: "Became an open question.", Resolve: true},
		{Thread: "T5", Text: "Nothing was changed: rules cannot tell what this asks for. Say what must hold in one sentence with “must” or “should”, or edit the file.", Resolve: true},
		{Thread: "T6", Text: "REQ-002 says so already; nothing was changed.", Resolve: true}}
	if diff := cmp.Diff(want, d.Replies); diff != "" {
		t.Fatal(diff)
	}
}

func TestRefusals(t *testing.T) {
	w := New(Config{})
	_, err := w.Work(context.Background(), pipeline.Assignment{Task: pipeline.Task{ID: "IMPL-001", Owner: pipeline.Executor}})
	if !errors.Is(err, ErrNoRole) {
		t.Errorf("IMPL-001: %v", err)
	}
	var refusal *pipeline.Refusal
	if _, err := w.Work(context.Background(), pipeline.Assignment{Task: pipeline.Task{ID: "DRAFT-003"}}); !errors.As(err, &refusal) {
		t.Errorf("a draft without its needs: %v", err)
	}
	f, _ := run(t, sample(t, well), w)
	_, err = w.Work(context.Background(), pipeline.Assignment{Task: pipeline.Task{ID: "IMPROVE-beauty-001"}, Folder: f})
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Text, "completeness, consistency, coverage, depth, traceability") {
		t.Errorf("an unknown dimension: %v", err)
	}
}

func TestTinyTrack(t *testing.T) {
	f := pipeline.Folder{}
	var gate *pipeline.Gate
	for _, id := range []pipeline.TaskID{"RESEARCH-001", "DRAFT-002", "QUALITY-001"} {
		d := work(t, f, pipeline.Task{ID: id}, func(a *pipeline.Assignment) { a.Session.Track = pipeline.TrackTiny })
		maps.Copy(f, d.Text)
		gate = d.Gate
	}
	if _, ok := f[spec.RequirementsPath]; ok || f[spec.TinyPath] == nil {
		t.Fatalf("files: %v", sortedKeys(f))
	}
	if gate.Result != pipeline.GatePass {
		t.Errorf("gate %s %.1f: %v", gate.Result, gate.Score, gate.Notes)
	}
	again := work(t, f, pipeline.Task{ID: "DRAFT-002-R1", Revision: &pipeline.Change{Why: "consensus"}}, func(a *pipeline.Assignment) { a.Session.Track = pipeline.TrackTiny })
	if diff := cmp.Diff(string(f[spec.TinyPath]), string(again.Text[spec.TinyPath])); len(again.Text) > 0 {
		t.Errorf("a rerun rewrote the document:\n%s", diff)
	}
}

func TestPlan(t *testing.T) {
	repo := fstest.MapFS{
		"go.mod":              {Data: []byte("module hooks\n\ngo 1.26\n\nrequire github.com/jackc/pgx/v5 v5.7.1\n")},
		"gateway/delivery.go": {Data: []byte("package gateway\n\n// Delivery is one attempt series.\ntype Delivery struct{ ID string }\n\nfunc RetryFailedDelivery(d Delivery) error { return nil }\n")},
		"gateway/replay.go":   {Data: []byte("package gateway\n\nfunc ReplayDelivery(id string) error { return nil }\n")},
	}
	f := pipeline.Folder{}
	var d pipeline.Draft
	for _, id := range []pipeline.TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001", "PLAN-001"} {
		d = work(t, f, pipeline.Task{ID: id}, func(a *pipeline.Assignment) { a.Source = repo })
		maps.Copy(f, d.Text)
	}
	for _, p := range []string{"plan/plan.json", "plan/explorations-manifest.json", "plan/.task/TASK-001.json"} {
		if f[p] == nil {
			t.Errorf("no %s among %v", p, sortedKeys(d.Text))
		}
	}
	if !strings.Contains(string(f["plan/.task/TASK-001.json"]), "gateway/delivery.go") {
		t.Errorf("the task names no file:\n%s", f["plan/.task/TASK-001.json"])
	}
	for _, w := range d.Warnings {
		t.Errorf("warning %q", w)
	}
	again := work(t, f, pipeline.Task{ID: "PLAN-001"}, func(a *pipeline.Assignment) { a.Source = repo })
	if !strings.Contains(string(again.Text["plan/explorations-manifest.json"]), `"new_count": 0`) {
		t.Errorf("the second plan explored again:\n%s", again.Text["plan/explorations-manifest.json"])
	}
	stale := maps.Clone(f)
	delete(stale, "explorations/explore-general.json")
	x := newExplorer(pipeline.Assignment{Folder: stale, Source: repo})
	for _, e := range x.index.Entries {
		if e.Angle == "general" {
			t.Error("an entry without its file was kept")
		}
	}
}

// /feedback with a number where one was missing, then /improve: the dimension
// rises, the documents it concerns change, and the summary says by how much.
func TestImproveTakesWhatWasSaidSince(t *testing.T) {
	f, _ := finished(t, "testdata/issues/ui.md")
	said := &pipeline.Change{Why: "feedback", By: "alice", Text: "We have decided to use React 19 with a theme provider instead of two style sheets, because charts share the palette."}
	for _, id := range []pipeline.TaskID{"DRAFT-003"} {
		d := work(t, f, pipeline.Task{ID: id + "-R1", RevisionOf: id, Revision: said}, nil)
		maps.Copy(f, d.Text)
		if !strings.Contains(d.Summary, "1 decision") || len(d.Text) == 0 {
			t.Fatalf("%s: %q, wrote %v", id, d.Summary, sortedKeys(d.Text))
		}
	}
	a, err := spec.ParseArchitecture(parse(f, nil))
	if err != nil || len(a.ADRs) != 1 || len(a.Stack) == 0 || a.Stack[0].Technology != "React" || a.Version != 2 {
		t.Fatalf("the decision is not in the architecture: %+v (%v)", a.ADRs, err)
	}
	d := work(t, f, pipeline.Task{ID: "IMPROVE-depth-001", Revision: &pipeline.Change{Why: "improve", Dimension: "depth"}}, func(a *pipeline.Assignment) { a.Issue = sample(t, "testdata/issues/ui.md") })
	if !strings.HasPrefix(d.Summary, "depth ") || !strings.Contains(d.Summary, "→") {
		t.Errorf("summary %q", d.Summary)
	}
	for p := range d.Text {
		if strings.HasPrefix(p, "spec/product-brief") {
			t.Errorf("depth rewrote %s", p)
		}
	}
}
