package githubapi

import (
	"strings"
	"testing"

	"parley/pipeline"
)

// TestG18NewRun: a run is updated until it is completed; leaving that state,
// and every new head, is a new run.
func TestG18NewRun(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			check := func(key, status, conclusion string) int64 {
				c := &pipeline.CheckWrite{Status: status, Conclusion: conclusion, Title: key, Summary: key, External: w.session.ID,
					Actions: []pipeline.CheckAction{{Label: "Resume", Description: strings.Repeat("x", 60), Identifier: "resume"}}}
				return w.deliver(pipeline.Write{Key: key, Kind: pipeline.WriteCheck, Check: c}).Done[0].ID
			}
			first := check("a", "in_progress", "")
			if again := check("b", "in_progress", ""); again != first {
				t.Error("an open run was not updated")
			}
			if closed := check("c", "completed", "action_required"); closed != first {
				t.Error("an open run was not completed")
			}
			if anew := check("d", "in_progress", ""); anew == first {
				t.Error("a completed run was taken back")
			}
		})
	}
}

// TestPeoplesWordsStay around the panel, also when they remove its markers.
func TestPeoplesWordsStay(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			panel := func(key, text string) pipeline.Write {
				return pipeline.Write{Key: key, Kind: pipeline.WritePanel, Body: pipeline.PanelStart + "\n" + text + "\n" + pipeline.PanelEnd}
			}
			if err := w.EditBody("ann", w.pull(), "All rewritten by Ann."); err != nil {
				t.Fatal(err)
			}
			w.deliver(panel("p1", "one"))
			if err := w.EditBody("ann", w.pull(), "Before.\n\n"+pipeline.PanelStart+"\nhand-edited\n"+pipeline.PanelEnd+"\n\nAfter."); err != nil {
				t.Fatal(err)
			}
			got := w.deliver(panel("p2", "two"), panel("p3", "three"))
			sight := w.sight()
			if !strings.Contains(sight, "Before.\n\n\nthree\n\n\nAfter.") || strings.Contains(sight, "two") {
				t.Fatal(sight)
			}
			if len(got.Done) != 2 {
				t.Errorf("%d receipts for two panels", len(got.Done))
			}
		})
	}
}
