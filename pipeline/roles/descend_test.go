package roles

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// The same inputs: the same digest, and no file is written again.
func TestInputsDigest(t *testing.T) {
	f, drafts := finished(t, well)
	revision := func(id pipeline.TaskID, change pipeline.Change) pipeline.Draft {
		return work(t, f, pipeline.Task{ID: id + "-R1", RevisionOf: id, Revision: &change}, nil)
	}
	for _, id := range []pipeline.TaskID{"DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"} {
		first := drafts[string(id)].InputsDigest
		if first == "" {
			t.Fatalf("%s has no digest of its inputs", id)
		}
		again, next := revision(id, pipeline.Change{Why: "consensus"}), revision(id, pipeline.Change{Why: "consensus"})
		if again.InputsDigest != next.InputsDigest || len(again.Text) > 0 {
			t.Errorf("%s: %s then %s, wrote %v", id, again.InputsDigest, next.InputsDigest, sortedKeys(again.Text))
		}
		if told := revision(id, pipeline.Change{Why: "feedback", Text: "It must hum."}); told.InputsDigest == again.InputsDigest {
			t.Errorf("%s: feedback does not show in the digest", id)
		}
	}
}

// One edited requirement redoes what descends from it and nothing else.
func TestOneEditReachesItsDescendantsOnly(t *testing.T) {
	f, _ := finished(t, well)
	for p, text := range f {
		if strings.Contains(p, "/REQ-002") {
			f[p] = []byte(strings.NewReplacer("MUST give up a delivery after 24 hours", "MUST give up a delivery after 48 hours", "created 24 hours ago", "created 48 hours ago").Replace(string(text)))
		}
	}
	var wrote []string
	for _, id := range []pipeline.TaskID{"DRAFT-002", "DRAFT-003", "DRAFT-004"} {
		d := work(t, f, pipeline.Task{ID: id + "-R1", RevisionOf: id, Revision: &pipeline.Change{Why: "edited"}}, nil)
		maps.Copy(f, d.Text)
		for _, p := range sortedKeys(d.Text) {
			wrote = append(wrote, strings.TrimPrefix(p, "spec/"))
		}
	}
	want := []string{"requirements/_index.md", "architecture/_index.md", "epics/EPIC-001-retry.md", "epics/_index.md"}
	for _, w := range wrote {
		if !slices.Contains(want, w) {
			t.Errorf("%s was rewritten; it does not descend from REQ-002", w)
		}
	}
	epic := string(f["spec/epics/EPIC-001-retry.md"])
	if !strings.Contains(epic, "created 48 hours ago") || strings.Contains(epic, "created 24 hours ago") || !strings.Contains(epic, "version: 2") {
		t.Errorf("the story did not follow:\n%s", epic)
	}
	t.Logf("%d of %d files rewritten: %s", len(wrote), len(f), strings.Join(wrote, ", "))
}

// What the issue no longer asks for is retired, down to its story; a sentence
// in other words keeps its id.
func TestVanishedAsksAreRetired(t *testing.T) {
	issue := sample(t, well)
	f, _ := run(t, issue, New(Config{}))
	issue.Body = strings.Replace(issue.Body, "- An operator could export failed deliveries as CSV.\n  - The exported file holds one line per failed delivery with id, endpoint, status and time.\n", "", 1)
	issue.Body = strings.Replace(issue.Body, "must give up a delivery after 24 hours", "must give up a delivery after 36 hours", 1)
	var deleted []string
	for _, id := range []pipeline.TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"} {
		d := work(t, f, pipeline.Task{ID: id + "-R1", RevisionOf: id, Revision: &pipeline.Change{Why: "revise"}}, func(a *pipeline.Assignment) { a.Issue = issue })
		maps.Copy(f, d.Text)
		for _, p := range d.Deleted {
			delete(f, p)
			deleted = append(deleted, path.Base(p)[:7])
		}
	}
	if diff := cmp.Diff([]string{"REQ-007"}, deleted); diff != "" {
		t.Fatal(diff)
	}
	r, err := spec.ParseRequirements(parse(f, nil))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.Retired, "REQ-007") {
		t.Errorf("retired: %v", r.Retired)
	}
	at := slices.IndexFunc(r.Reqs, func(q spec.Requirement) bool { return strings.Contains(q.Description, "36 hours") })
	if at < 0 || r.Reqs[at].ID != "REQ-002" || r.Reqs[at].Version != 2 {
		t.Errorf("the reworded requirement: %+v", r.Reqs)
	}
	for p, text := range f {
		if strings.HasPrefix(p, "spec/") && strings.Count(p, "/") == 2 && strings.Contains(string(text), "[REQ-007](") {
			t.Errorf("%s still links REQ-007", p)
		}
	}
	for _, x := range spec.Check(parse(f, nil), spec.Options{}) {
		if x.Grade == spec.Blocker {
			t.Errorf("%s %s: %s", x.Rule, x.File, x.Message)
		}
	}
}

// What descends from an edited requirement is suspect until it changes or its
// draft is written anew; a second look finds the same as the first.
func TestQualityNamesSuspectLinks(t *testing.T) {
	f, _ := finished(t, well)
	before := parse(f, nil)
	p := "spec/requirements/REQ-002-give-up-a-delivery-after-24-hours.md"
	f[p] = []byte(strings.Replace(string(f[p]), "MUST give up a delivery after 24 hours", "MUST give up a delivery after 48 hours", 1))
	_, marks := spec.Changed(before, parse(f, nil))
	moved := when.AddDate(0, 0, 1)
	again := pipeline.TaskCompleted
	var allowed []pipeline.Acceptance
	quality := func(marks []string, begun time.Time) pipeline.Draft {
		return work(t, f, pipeline.Task{ID: "QUALITY-001-R1"}, func(a *pipeline.Assignment) {
			a.Session.Suspects, a.Session.PR.MovedAt = marks, moved
			a.Session.Tasks = []pipeline.Task{{ID: "DRAFT-004", StartedAt: &when}, {ID: "DRAFT-004-R1", Status: again, StartedAt: &begun}}
			a.Session.Accepted = allowed
		})
	}
	suspects := func(report []byte) []string {
		var out []string
		for _, link := range parse(pipeline.Folder{spec.ReadinessPath: report}, nil).Document(spec.ReadinessPath).Front.List("suspect") {
			out = append(out, strings.Join(strings.Fields(link)[:2], " "))
		}
		return out
	}
	first := quality(marks, when).Text
	want := []string{"EPIC-001 REQ-002", "STORY-001-002 REQ-002"}
	if diff := cmp.Diff(want, suspects(first[spec.ReadinessPath])); diff != "" {
		t.Fatal(diff)
	}
	if anew := quality(marks, moved.Add(time.Minute)).Text[spec.ReadinessPath]; strings.Contains(string(anew), "STORY-001-002 REQ-002") {
		t.Error("a story that was written anew is still suspect")
	}
	again = pipeline.TaskFailed
	if diff := cmp.Diff(want, suspects(quality(marks, moved.Add(time.Minute)).Text[spec.ReadinessPath])); diff != "" {
		t.Errorf("a revision that failed cleared a suspicion: %s", diff)
	}
	maps.Copy(f, first)
	if second := quality(nil, when); len(second.Text) > 0 {
		t.Errorf("a second look wrote %v", sortedKeys(second.Text))
	}
	f["discussions/ledger.json"] = []byte(`{"findings": [{"id": "F-01", "rule": "L52", "item": "EPIC-001"}]}`)
	allowed = []pipeline.Acceptance{{Finding: "F-01"}}
	if diff := cmp.Diff(want[1:], suspects(quality(marks, when).Text[spec.ReadinessPath])); diff != "" {
		t.Errorf("an accepted link is still suspect: %s", diff)
	}
	allowed = nil
	f[p] = []byte(strings.Replace(string(f[p]), "after 48 hours", "after 24 hours", 1))
	if got := suspects(quality(marks, when).Text[spec.ReadinessPath]); got != nil {
		t.Errorf("suspect though the parent says again what it said: %v", got)
	}
}
