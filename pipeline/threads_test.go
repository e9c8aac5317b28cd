package pipeline

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// criticised is a finished session in which DRAFT-002's round and each round that
// runs again on it say what rounds give, one list of findings a round.
func criticised(t *testing.T, rounds ...[]Finding) *play {
	p := newPlay(t)
	p.work = func(task Task) Outcome {
		o := reached(task)
		if task.Round != "DISCUSS-003" || len(rounds) == 0 {
			return o
		}
		now := rounds[0]
		rounds = rounds[1:]
		for _, f := range now {
			if f.State == FindingFixed {
				o.Verdict.Fixed = append(o.Verdict.Fixed, f.ID)
				continue
			}
			o.Verdict.Findings = append(o.Verdict.Findings, f)
		}
		if slices.ContainsFunc(now, Finding.counts) {
			o.Verdict.Consensus, o.Verdict.Severity = ConsensusBlocked, Medium
		}
		return o
	}
	p.begin("lifecycle")
	p.run()
	return p
}

// finds is a major on a line of the requirements.
func finds(id string, state FindingState) Finding {
	return Finding{ID: id, Key: "k" + id, Grade: Major, Claim: "vague", State: state, Round: "DISCUSS-003",
		File: "spec/requirements/_index.md", LineStart: 3, LineEnd: 3}
}

// opens counts the line comments of a finding, and the threads that were
// resolved and opened again, over all that was sent.
func (p *play) opens(id string) (opened, resolved, reopened int) {
	for _, w := range append(slices.Clone(p.sent), p.writes...) {
		if w.Kind == WriteReview {
			for _, c := range w.Review.Comments {
				if c.Finding == id {
					opened++
				}
			}
		}
		if slices.Contains(w.Threads, "T_"+id) {
			switch w.Kind {
			case WriteResolve:
				resolved++
			case WriteUnresolve:
				reopened++
			}
		}
	}
	return opened, resolved, reopened
}

// TestOneThreadPerFinding: a finding has one thread for the life of its
// session, closed when it is fixed, opened again when it is back.
func TestOneThreadPerFinding(t *testing.T) {
	open, fixed, back := finds("F-01", FindingOpen), finds("F-01", FindingFixed), finds("F-01", FindingReopened)
	tests := []struct {
		name                       string
		rounds                     [][]Finding
		opened, resolved, reopened int
	}{
		{"seen once: open until the gate is green", [][]Finding{{open}}, 1, 1, 0},
		{"still there in the next round", [][]Finding{{open}, {open}}, 1, 2, 1},
		{"fixed in the next round", [][]Finding{{open}, {fixed}}, 1, 1, 0},
		{"fixed and back", [][]Finding{{open}, {fixed}, {back}}, 1, 2, 1},
		{"seen in the second round only", [][]Finding{{}, {open}}, 1, 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := criticised(t, test.rounds...)
			for range test.rounds[1:] {
				p.say("/revise DRAFT-002 more")
				p.run()
			}
			p.want(SessionCompleted, "", "success")
			if o, r, u := p.opens("F-01"); o != test.opened || r != test.resolved || u != test.reopened {
				t.Fatalf("opened %d times, resolved %d, reopened %d; want %d, %d, %d", o, r, u, test.opened, test.resolved, test.reopened)
			}
		})
	}
}

// TestKnownFindingsAreNamed: a later review names what has a thread already.
func TestKnownFindingsAreNamed(t *testing.T) {
	p := criticised(t, []Finding{finds("F-01", FindingOpen)}, []Finding{finds("F-01", FindingOpen), finds("F-02", FindingOpen)})
	p.say("/revise DRAFT-002 more")
	p.run()
	var last Write
	for _, w := range p.sent {
		if w.Kind == WriteReview && strings.Contains(w.Body, "DISCUSS-003") {
			last = w
		}
	}
	if !strings.Contains(last.Body, "Still open, in the threads they have: **F-01**") || len(last.Review.Comments) != 1 || last.Review.Comments[0].Finding != "F-02" {
		t.Fatalf("%s\n%+v", last.Body, last.Review.Comments)
	}
}

// TestLateReceipt: the receipt of a review may come when its finding is
// settled, when the gate is green, twice, and for findings nobody expects.
func TestLateReceipt(t *testing.T) {
	receipt := func(ids ...string) Event {
		d := Receipt{Key: "w", Kind: WriteReview, Threads: map[string]string{}, Roots: map[string]string{}}
		for _, id := range ids {
			d.Threads[id], d.Roots[id] = "T_"+id, "9"
		}
		return Event{Kind: EventDelivered, Receipts: &Receipts{Done: []Receipt{d}}}
	}
	waiting := func(t *testing.T) *play { // DRAFT-002's review is on its way, the next task runs
		p := newPlay(t)
		p.work = func(task Task) Outcome {
			o := reached(task)
			if task.ID == "DRAFT-002" {
				o.Verdict.Findings = []Finding{finds("F-01", FindingOpen)}
			}
			return o
		}
		p.begin("lifecycle")
		for p.s.task("DRAFT-003").Status != TaskInProgress {
			p.step()
		}
		if thread, expected := p.s.Posted.Threads["F-01"]; !expected || thread != "" {
			t.Fatalf("threads %v", p.s.Posted.Threads)
		}
		return p
	}
	t.Run("kept, with its first comment", func(t *testing.T) {
		p := waiting(t)
		p.do(receipt("F-01", "F-77"))
		if diff := cmp.Diff(map[string]string{"F-01": "T_F-01"}, p.s.Posted.Threads); diff != "" {
			t.Fatal(diff)
		}
		tt := &turn{s: p.s}
		if tt.findingOf("T_F-01") != "F-01" || tt.findingOf("9") != "F-01" || tt.findingOf("T_x") != "" || tt.findingOf("") != "" {
			t.Fatalf("found %q by number", tt.findingOf("9"))
		}
	})
	t.Run("the first one counts", func(t *testing.T) {
		p := waiting(t)
		p.do(receipt("F-01"))
		again := receipt("F-01")
		again.Receipts.Done[0].Threads["F-01"] = "T_other"
		p.do(again)
		if p.s.Posted.Threads["F-01"] != "T_F-01" {
			t.Fatal(p.s.Posted.Threads)
		}
	})
	t.Run("accepted meanwhile: closed at once", func(t *testing.T) {
		p := waiting(t)
		p.say("/accept F-01 fine")
		if _, resolved, _ := p.opens("F-01"); resolved != 0 {
			t.Fatal("a thread was resolved that nobody knows yet")
		}
		p.do(receipt("F-01"))
		if _, resolved, _ := p.opens("F-01"); resolved != 1 {
			t.Fatalf("resolved %d times", resolved)
		}
	})
	t.Run("green meanwhile: closed with the session", func(t *testing.T) {
		p := waiting(t)
		for p.s.Status == SessionActive {
			p.step()
		}
		p.writes = nil
		p.do(receipt("F-01"))
		if _, resolved, _ := p.opens("F-01"); resolved != 1 {
			t.Fatalf("resolved %d times", resolved)
		}
	})
	t.Run("never posted: the next review carries it", func(t *testing.T) {
		p := waiting(t)
		p.do(Event{Kind: EventRefused, Failure: &Failure{Kind: string(WriteReview), Text: "gone"}, Receipts: &Receipts{}})
		if len(p.s.Posted.Threads) != 0 {
			t.Fatal(p.s.Posted.Threads)
		}
	})
}

// TestRebuiltKeepsItsThreads: read back from its branch, a session knows again
// which findings have a thread, and which of those only the green gate closed.
func TestRebuiltKeepsItsThreads(t *testing.T) {
	p := criticised(t, []Finding{finds("F-01", FindingOpen), finds("F-02", FindingOpen), finds("F-03", FindingOpen)}, []Finding{finds("F-01", FindingReopened)})
	p.now = p.now.Add(time.Minute)
	p.say("/accept F-02 fine")
	p.run()
	was := p.s.Posted
	s, err := Rebuild(p.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var threads []Thread
	for _, id := range slices.Sorted(maps.Keys(was.Threads)) {
		_, closed := was.Closed[id]
		threads = append(threads, Thread{ID: was.Threads[id], Finding: id, Root: was.Roots[id], Resolved: closed})
	}
	s.Findings = slices.Clone(p.s.Findings) // decided since the last commit
	s.Rethread(append(threads, Thread{ID: "T_theirs", Author: "mona"}))
	for _, d := range []string{cmp.Diff(was.Threads, s.Posted.Threads), cmp.Diff(was.Roots, s.Posted.Roots), cmp.Diff(was.Closed, s.Posted.Closed)} {
		if d != "" {
			t.Error(d)
		}
	}
	q := newPlay(t)
	q.work, q.now = p.work, p.now
	s.PR.Number = 143
	q.do(Event{Kind: EventRebuilt, Rebuilt: &s})
	q.run()
	q.say("/revise DRAFT-002 more")
	q.run()
	if opened, _, reopened := q.opens("F-01"); opened != 0 || reopened != 1 {
		t.Fatalf("opened %d new threads, reopened %d", opened, reopened)
	}
}
