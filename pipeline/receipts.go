package pipeline

import (
	"maps"
	"slices"
)

// delivered takes what the writes made: ids to edit instead of writing again,
// the branch's new head, the appends that are on it.
func delivered(t *turn) error {
	r := t.ev.Receipts
	if r == nil {
		t.unchanged = true
		return nil
	}
	t.s.Requests = t.s.Requests.Plus(r.Requests)
	t.s.Pending = slices.DeleteFunc(t.s.Pending, func(a FileAppend) bool { return slices.Contains(r.Applied, a.Key) })
	if len(t.s.Pending) == 0 {
		t.s.Pending = nil
	}
	if t.s.ID == "" {
		return nil
	}
	t.branch(*r)
	for _, d := range r.Done {
		if take := takes[d.Kind]; take != nil {
			take(t, d)
		}
		if d.Note != "" {
			t.s.Warnings = append(t.s.Warnings, oneLine(string(d.Kind)+": "+d.Note))
		}
		t.touched(d)
	}
	t.arrived(*r)
	return nil
}

// touched keeps what of the last touches is not done, for the panel to name.
func (t *turn) touched(d Receipt) {
	undone := &t.s.Posted.Undone
	at := slices.Index(*undone, d.Kind)
	switch {
	case lastTouches[d.Kind] == "" || (d.Note != "") == (at >= 0):
		return
	case at < 0:
		*undone = append(*undone, d.Kind)
	default:
		*undone = slices.Delete(*undone, at, at+1)
	}
	if len(*undone) == 0 {
		*undone = nil
	}
	t.panel = true
}

// branch follows the branch to what the batch made of it. A path whose newer
// content waits in the outbox keeps that; a person's text that stayed wins.
func (t *turn) branch(r Receipts) {
	if r.Head == "" {
		return
	}
	t.s.PR.Head, t.s.Manifest.Head, t.s.Manifest.Tree = r.Head, r.Head, r.Tree
	if t.s.Manifest.Files == nil {
		t.s.Manifest.Files = map[string]string{}
	}
	for _, p := range slices.Sorted(maps.Keys(r.Files)) {
		own, known := t.s.Manifest.Files[p]
		if own == r.Files[p] || machine(p) || !known || slices.Contains(r.Conflicts, p) {
			t.s.Manifest.Waiting = slices.DeleteFunc(t.s.Manifest.Waiting, func(w string) bool { return w == p })
		}
		switch {
		case r.Files[p] == "" && (machine(p) || !known):
			delete(t.s.Manifest.Files, p)
		case r.Files[p] == "":
		case machine(p) || !known || slices.Contains(r.Conflicts, p):
			t.s.Manifest.Files[p] = r.Files[p]
		}
	}
	if len(t.s.Manifest.Waiting) == 0 {
		t.s.Manifest.Waiting = nil
	}
	if g := t.s.Gate; g != nil && t.s.Status != SessionActive && (t.s.Wait == nil || t.s.Wait.Reason != WaitEdited) {
		g.Tree = r.Tree
	}
	for _, p := range r.Conflicts {
		t.warn("`" + word(p) + "` was edited by hand meanwhile: the person's text stayed, ours is in the review")
	}
}

// takes say what each kind of receipt leaves in the session.
var takes = map[WriteKind]func(*turn, Receipt){
	WriteOpen:    opened,
	WriteComment: commented,
	WriteCheck: func(t *turn, d Receipt) {
		p := &t.s.Posted
		p.CheckID, p.CheckNode, p.CheckHead, p.CheckStatus = d.ID, d.NodeID, d.Head, d.Status
	},
	WriteReview: reviewed,
}

// opened says on issue and pull request that there is a session.
func opened(t *turn, d Receipt) {
	pr := &t.s.PR
	pr.Number, pr.NodeID, pr.URL, pr.Draft = d.Number, d.NodeID, d.URL, d.Draft
	t.write(Write{Kind: WriteComment, On: OnIssue, Number: t.s.Issue.Number, Body: StartComment(t.s), Finding: SessionMark})
	if t.s.Starter != "" {
		t.write(Write{Kind: WriteAssign, Content: t.s.Starter, Ornament: true})
	}
	t.s.Posted.Panel = ""
	t.show()
	if t.s.Status == SessionCompleted {
		t.ripen()
	}
}

// commented keeps the id of the session comment, which says what it is.
// Where the session is over by then, it becomes the outcome at once.
func commented(t *turn, d Receipt) {
	if t.s.Posted.Comment != "" || d.Finding != SessionMark || d.Number != t.s.Issue.Number || d.NodeID == "" || t.s.PR.Number == 0 {
		return
	}
	t.s.Posted.Comment = d.NodeID
	if t.s.Status == SessionCompleted || t.s.Status == SessionAborted {
		t.outcome()
	}
}

// refused takes a write that GitHub forbids. One that the branch can do
// without is given up and named in the panel.
func refused(t *turn) error {
	if err := delivered(t); err != nil { // what was made before it was made
		return err
	}
	t.unchanged = false
	f := t.ev.Failure
	if f == nil {
		return nil
	}
	if f.Kept {
		return t.setAside(f.Text)
	}
	if f.Kind == string(WriteReview) {
		t.unposted()
	}
	t.s.Warnings = append(t.s.Warnings, oneLine(f.Text))
	return nil
}

// dead says that an event could not be handled, so that nobody waits for it.
func dead(t *turn) error {
	text := "an event could not be handled"
	if f := t.ev.Failure; f != nil && f.Text != "" {
		text += ": " + f.Text
	}
	t.warn(text)
	return nil
}
