package roles

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// An ask that somebody accepts as a gap stands under Out of Scope from the
// next look on, with the reason, and counts as covered; other findings do not.
func TestAcceptedGapGoesOutOfScope(t *testing.T) {
	f, root := pipeline.Folder{}, os.DirFS("../../discuss/testdata/session")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const ask = "Customers must be able to switch retries off for one endpoint"
	f["discussions/ledger.json"], err = json.Marshal(map[string][]pipeline.Finding{"findings": {
		{ID: "F-01", Rule: "L47", Quote: ask}, {ID: "F-02", Rule: "L30", Quote: "promptly"}, {ID: "F-03", Rule: "L47", Quote: "a goal", Item: "G-001"}}})
	if err != nil {
		t.Fatal(err)
	}
	look := func(accepted ...pipeline.Acceptance) (pipeline.Draft, float64) {
		d := work(t, f, pipeline.Task{ID: "QUALITY-001-R1"}, func(a *pipeline.Assignment) { a.Session.Accepted = accepted })
		return d, *d.Gate.Dimensions["coverage"]
	}
	before, low := look()
	if before.Text[spec.BriefPath] != nil {
		t.Fatal("the brief was changed though nobody accepted anything")
	}
	all := []pipeline.Acceptance{{Finding: "f-01", Who: "wes", Reason: "not before summer"}, {Finding: "F-02"}, {Finding: "F-03"}, {Gate: pipeline.GateReview}}
	after, high := look(all...)
	want := strings.Replace(string(f[spec.BriefPath]), "- a mobile app\n", "- a mobile app\n- "+ask+" (not before summer)\n", 1)
	if got := string(after.Text[spec.BriefPath]); got != want || high <= low {
		t.Errorf("coverage %v, then %v; the brief is\n%s", low, high, got)
	}
	if !strings.Contains(after.Gate.Notes["coverage"], "1 put out of scope") {
		t.Errorf("the coverage says %q", after.Gate.Notes["coverage"])
	}
	maps.Copy(f, after.Text)
	if again, _ := look(all...); again.Text[spec.BriefPath] != nil {
		t.Errorf("and once more:\n%s", again.Text[spec.BriefPath])
	}
}
