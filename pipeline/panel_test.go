package pipeline

import (
	"strings"
	"testing"
)

// kinds lists the writes that wait, and forgets them.
func (p *play) kinds() (out []WriteKind) {
	for _, w := range p.writes {
		out = append(out, w.Kind)
	}
	p.writes = nil
	return out
}

// What somebody cut out of the body is written again, once.
func TestLostPanelIsWrittenOnce(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.deliver()
	p.kinds()
	p.do(Event{Kind: EventPanelLost, PR: 143, Label: "body edited"})
	if got := p.kinds(); len(got) != 1 || got[0] != WritePanel {
		t.Fatalf("written %v, want the panel", got)
	}
	p.do(Event{Kind: EventDelivered, Receipts: &Receipts{Done: []Receipt{{Key: "p", Kind: WritePanel}}}})
	p.do(Event{Kind: EventPushed, Head: p.s.PR.Head})
	if got := p.kinds(); len(got) != 0 {
		t.Fatalf("and once more: %v", got)
	}
}

// Over REST nobody can mark a pull request ready or resolve a thread: the
// panel asks for it, and no longer when it was done after all.
func TestPanelAsksForWhatRESTCannotDo(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.deliver()
	for _, step := range []struct {
		note, want string
		writes     int
	}{
		{"not done: REST has no ready", "please mark it ready for review and resolve the threads that are settled.", 1},
		{"not done: REST has no ready", "please mark it ready", 0},
		{"", "", 1},
	} {
		p.kinds()
		p.do(Event{Kind: EventDelivered, Receipts: &Receipts{Mode: "rest", Done: []Receipt{
			{Key: "a", Kind: WriteReady, Note: step.note}, {Key: "b", Kind: WriteResolve, Note: step.note},
		}}})
		panel := Panel(p.s, p.now)
		if strings.Contains(panel, "GitHub did not take") != (step.want != "") || !strings.Contains(panel, step.want) {
			t.Errorf("after %q: %s", step.note, panel)
		}
		if got := p.kinds(); len(got) != step.writes {
			t.Errorf("after %q: written %v", step.note, got)
		}
	}
}

// The configured trailers end every commit's message, beside the reference.
func TestTrailersEndEveryCommit(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.Trailers = []string{"Signed-off-by: Bot <bot@example.org>"}
	p.begin("lifecycle")
	p.run()
	commits := 0
	for _, w := range p.sent {
		if w.Kind != WriteCommit && w.Kind != WriteOpen {
			continue
		}
		commits++
		last := w.Body[strings.LastIndex(w.Body, "\n\n")+1:]
		if w.Kind == WriteCommit && strings.Count(last, "Signed-off-by: Bot <bot@example.org>") != 1 {
			t.Errorf("%s ends with %q", w.Title, last)
		}
	}
	if commits < 6 {
		t.Errorf("%d commits", commits)
	}
}

// delete_branch: the branch goes with the merge where that is configured, and
// stays where it is not.
func TestDeleteBranchIsAsked(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		p := finished(t, GatePass, 90)
		p.s.Settings.DeleteBranch = wanted
		p.kinds()
		p.do(Event{Kind: EventPullMerged, PR: 143})
		deleted := false
		for _, kind := range p.kinds() {
			deleted = deleted || kind == WriteDelete
		}
		if deleted != wanted {
			t.Errorf("delete_branch %v: deleted %v", wanted, deleted)
		}
	}
}
