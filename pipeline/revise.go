package pipeline

import (
	"slices"
	"strings"
)

// directRevisions are those a person or a verdict asked for; what a cascade
// makes is not counted against the limit of two.
var directRevisions = map[string]bool{"consensus": true, "revise": true, "feedback": true}

const maxRevisions = 2

// revisions counts the direct revisions a task has had.
func (s *Session) revisions(id TaskID) int {
	n := 0
	for _, task := range s.Tasks {
		if task.RevisionOf == baseOf(id) && task.Revision != nil && directRevisions[task.Revision.Why] {
			n++
		}
	}
	return n
}

// revise creates the next revision of a task, right behind the newest of its
// chain. Whatever waited for the original waits for the revision.
func (t *turn) revise(id TaskID, c Change) TaskID {
	s := &t.s
	origin := baseOf(id)
	old := s.latest(origin)
	original := s.task(origin)
	rev := t.freeRevision(origin)
	task := Task{
		ID: rev, Owner: original.Owner, Status: TaskPending, BlockedBy: []TaskID{}, Round: original.Round,
		Artifact: original.Artifact, RevisionOf: origin, Revision: &c, IsCheckpointAfter: old.IsCheckpointAfter,
	}
	if need := t.unmetUpstream(origin); need != "" {
		task.BlockedBy = append(task.BlockedBy, need)
	}
	task.Description = describe(s, task, revisionPurpose(origin, c))
	task.Notes = append(append(slices.Clone(c.Divergent), c.Actions...), notEmpty(c.Text)...)
	original.RevisionCount++
	prior := old.ID
	old.Superseded, old.IsCheckpointAfter = true, false
	s.RevisionChains[origin] = rev
	s.Tasks = slices.Insert(s.Tasks, s.find(prior)+1, task)
	t.rewire(prior, rev)
	kind := "plan_revision"
	if c.Why == "consensus" {
		kind = "fix_required"
	}
	t.note(string(Coordinator), kind, string(rev)+" follows "+string(prior)+" ("+c.Why+")", original.Artifact)
	return rev
}

// unmetUpstream is the document before this one in the chain, where that one
// is still being written: a revision reads what it will say.
func (t *turn) unmetUpstream(origin TaskID) TaskID {
	at := slices.Index(specDrafts, origin)
	if at < 1 {
		return ""
	}
	before := t.s.latest(specDrafts[at-1])
	if before == nil || settled(*before) {
		return ""
	}
	return before.ID
}

// freeRevision is the next free number: a second recheck is -R2, not a duplicate.
func (t *turn) freeRevision(origin TaskID) TaskID {
	for n := 1; ; n++ {
		id := origin + "-R" + TaskID(itoa(n))
		if t.s.find(id) < 0 {
			return id
		}
	}
}

// rewire moves the pending dependents of one task to another. Where a
// dependent runs already, those who wait for it wait for the revision too.
func (t *turn) rewire(from, to TaskID) {
	for i := range t.s.Tasks {
		task := &t.s.Tasks[i]
		if task.ID == to || task.Status != TaskPending {
			continue
		}
		if at := slices.Index(task.BlockedBy, from); at >= 0 {
			task.BlockedBy[at] = to
			continue
		}
		runs := slices.ContainsFunc(task.BlockedBy, func(need TaskID) bool {
			n := t.s.task(need)
			return n != nil && n.Status != TaskPending && t.s.descends(need, from)
		})
		if runs && !t.s.descends(to, task.ID) {
			task.BlockedBy = append(task.BlockedBy, to)
		}
	}
}

func revisionPurpose(origin TaskID, c Change) string {
	text := "Revision of " + string(origin) + " (" + c.Why + ", " + c.Scope + "), original " + artifacts[origin]
	if c.Text != "" {
		text += ": " + oneLine(c.Text)
	}
	return oneLine(text)
}

func notEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// cascade revises a task and, one after the other, the completed tasks that
// hang on it, the quality task last. What is pending or running picks the
// change up by itself. It returns the last task of the chain.
func (t *turn) cascade(id TaskID, c Change) TaskID {
	origin := baseOf(id)
	at := slices.Index(specDrafts, origin)
	later := []TaskID{}
	if at >= 0 {
		for _, d := range specDrafts[at+1:] {
			if l := t.s.latest(d); l != nil && settled(*l) {
				later = append(later, d)
			}
		}
	}
	last := t.revise(origin, c)
	for _, d := range later {
		change := Change{Why: "cascade", By: c.By, Scope: "targeted", Text: "follows the revision of " + string(origin)}
		if strings.HasPrefix(string(d), "QUALITY") {
			change.Scope = "full"
		}
		next := t.revise(d, change)
		t.s.task(next).BlockedBy = []TaskID{last}
		last = next
	}
	return last
}

// settled tells a task that is done, or done but for a person's decision.
func settled(task Task) bool {
	return task.Status == TaskCompleted || task.held()
}

// recheckTask adds another run of the quality task behind the tasks it is to judge.
func (t *turn) recheckTask(after []TaskID, by string) TaskID {
	id := t.revise("QUALITY-001", Change{Why: "recheck", By: by, Scope: "full"})
	t.s.task(id).BlockedBy = append([]TaskID{}, after...)
	return id
}

// strategy is how a dimension is lifted.
type strategy struct {
	says    string
	targets []string
}

var strategies = map[string]strategy{
	"completeness": {"fill missing sections", []string{"DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"}},
	"consistency":  {"unify terms and format, all drafts as one batch", []string{"DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"}},
	"traceability": {"strengthen the chain from goal to requirement to architecture to story", []string{"DRAFT-002", "DRAFT-003", "DRAFT-004"}},
	"depth":        {"enrich acceptance criteria and the detail of decisions", []string{"DRAFT-002", "DRAFT-003", "DRAFT-004"}},
	"coverage":     {"add uncovered requirements", []string{"DRAFT-002"}},
}

// improveTarget is the score an improvement aims at, in percent.
const improveTarget = 80

// improveTask adds a writer's task for one dimension.
func (t *turn) improveTask(dimension, by string) TaskID {
	s := &t.s
	how := strategies[dimension]
	id := TaskID("")
	for n := 1; id == "" || s.find(id) >= 0; n++ {
		id = TaskID("IMPROVE-" + dimension + "-" + pad(n))
	}
	score := "not assessable"
	if v := s.Gate.Dimensions[dimension]; v != nil {
		score = itoa(int(*v)) + "%"
	}
	task := Task{ID: id, Owner: Writer, Status: TaskPending, BlockedBy: []TaskID{}, Artifact: artifacts["QUALITY-001"],
		Revision: &Change{Why: "improve", By: by, Scope: "targeted", Dimension: dimension, Text: how.says, Items: how.targets}}
	note := s.Gate.Notes[dimension]
	task.Description = describe(s, task, oneLine("Improve "+dimension+" from "+score+" to "+itoa(improveTarget)+"%: "+how.says))
	task.Description += "\nReport: " + artifacts["QUALITY-001"] + "\nWeak areas: " + oneLine(orDash(note))
	at := s.find(s.latest("QUALITY-001").ID) + 1
	s.Tasks = slices.Insert(s.Tasks, at, task)
	return id
}

func pad(n int) string {
	text := itoa(n)
	return strings.Repeat("0", max(0, 3-len(text))) + text
}

// maxFrontendRounds of developing and auditing the frontend, the first included.
const maxFrontendRounds = 2

// frontend is the loop of developer and audit: what needs a fix gets a second
// round, and whoever waited for the audit waits for the second one.
func (t *turn) frontend(id TaskID, o Outcome) {
	d, _ := dutyOf(id)
	switch {
	case d.prefix == "REVIEW" && o.Review == "BLOCK":
		t.pause(WaitBlocked, id, "the code review blocks the merge")
		return
	case d.prefix == "TEST" && o.Review == "fix_required":
		t.pause(WaitRetries, id, "tests still fail after ten iterations")
		return
	case d.prefix != "QA-FE" || strings.HasPrefix(o.Review, "PASS") || o.Review == "":
		return
	}
	round := t.s.GCLoopCount + 1
	if o.Review != "NEEDS_FIX" || round >= maxFrontendRounds {
		t.pause(WaitQALoop, id, "the frontend audit says "+word(o.Review)+" after "+itoa(round)+" rounds")
		return
	}
	t.s.GCLoopCount++
	s := &t.s
	n := pad(round + 1)
	dev := Task{ID: TaskID("DEV-FE-" + n), Owner: FEDeveloper, Status: TaskPending, BlockedBy: []TaskID{id}}
	dev.Description = describe(s, dev, "Frontend, round "+itoa(round+1)+": what the audit found, see "+orDash(s.task(id).Artifact))
	qa := Task{ID: TaskID("QA-FE-" + n), Owner: FEQA, Status: TaskPending, BlockedBy: []TaskID{dev.ID}}
	qa.Description = describe(s, qa, "Audit of the frontend, round "+itoa(round+1))
	for i := range s.Tasks {
		task := &s.Tasks[i]
		if at := slices.Index(task.BlockedBy, id); at >= 0 && task.Status == TaskPending {
			task.BlockedBy[at] = qa.ID
		}
	}
	s.Tasks = slices.Insert(s.Tasks, s.find(id)+1, dev, qa)
}
