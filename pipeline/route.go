package pipeline

import (
	"slices"
	"strings"
	"time"
)

// routing is what a round's verdict does to the chain.
type routing int

const (
	proceed  routing = iota // go on
	noted                   // go on, the notes are in the record
	cautious                // go on, the divergence goes with the next task
	unjudged                // go on without a verdict, and say so
	mend                    // one revision by itself, or a person
	signOff                 // a person, always
)

// verdictKey is what routing depends on: verdict, severity, and whether the
// round is the last one, the sign-off.
type verdictKey struct {
	consensus Consensus
	severity  Severity
	last      bool
}

var routes = map[verdictKey]routing{
	{ConsensusReached, "", false}:     proceed,
	{ConsensusReached, "", true}:      proceed,
	{ConsensusBlocked, Low, false}:    noted,
	{ConsensusBlocked, Low, true}:     noted,
	{ConsensusBlocked, Medium, false}: cautious,
	{ConsensusBlocked, Medium, true}:  cautious,
	{ConsensusBlocked, High, false}:   mend,
	{ConsensusBlocked, High, true}:    signOff,
	{ConsensusNone, "", false}:        unjudged,
	{ConsensusNone, "", true}:         signOff,
}

// lastRound is the sign-off.
const lastRound Round = "DISCUSS-006"

// route does what the verdict of a completed task asks for.
func (t *turn) route(id TaskID, o Outcome) {
	task := t.s.task(id)
	if task.Round == "" {
		return
	}
	key := verdictKey{task.Verdict, task.Severity, task.Round == lastRound}
	if key.consensus == ConsensusReached {
		key.severity = "" // a reached verdict with a low rating stays reached
	}
	way, ok := routes[key]
	if !ok {
		way = unjudged // a critic's answer that is in no table is no verdict
	}
	switch way {
	case cautious:
		t.caution(*task, o.Verdict)
	case unjudged:
		t.warn(string(id) + " has no verdict: " + strings.TrimSpace(string(task.Round)+" failed. "+o.RoundErr))
	case mend:
		t.mend(id, o)
	case signOff:
		t.s.CheckpointsHit = append(t.s.CheckpointsHit, string(id)+"-"+string(lastRound)+"-HIGH")
		t.hold(WaitSignOff, id, signOffDetail(*task))
	}
}

func signOffDetail(task Task) string {
	if task.Verdict == ConsensusNone {
		return "the sign-off has no verdict"
	}
	return "the sign-off is blocked (HIGH)"
}

// caution puts a MEDIUM block's divergences and actions into wisdom/issues.md
// and the divergences into the context of the tasks that come next.
func (t *turn) caution(task Task, v *Verdict) {
	if v == nil {
		return
	}
	var b strings.Builder
	b.WriteString("\n## " + string(task.ID) + ": " + string(task.Round) + " blocked (MEDIUM), " + t.now.Format(time.RFC3339) + "\n\n")
	var notes []string
	for _, d := range v.Divergences {
		line := oneLine(d.Text) + " (" + string(d.Severity) + ", " + string(d.Perspective) + ")"
		b.WriteString("- Divergence: " + Inert(line) + "\n")
		notes = append(notes, string(task.Round)+": "+line)
	}
	for _, a := range v.Actions {
		b.WriteString("- Action: " + Inert(oneLine(a.Text)) + "\n")
	}
	t.append("wisdom/issues.md", b.String())
	for i := range t.s.Tasks {
		next := &t.s.Tasks[i]
		if next.Status == TaskPending && slices.Contains(next.BlockedBy, task.ID) {
			next.Notes = append(next.Notes, notes...)
		}
	}
}

// mend answers a HIGH block: one revision by itself where that can change
// anything, otherwise a person. Rules draft the same text from the same
// inputs, so without a model it asks at once, with defaults.
func (t *turn) mend(id TaskID, o Outcome) {
	task := *t.s.task(id)
	original := t.s.task(baseOf(id))
	fresh := o.ByModel || t.s.IssueReadAt.After(*task.StartedAt)
	if task.RevisionOf == "" && original.RevisionCount == 0 && fresh {
		change := Change{Why: "consensus", Scope: "targeted"}
		for _, d := range o.Verdict.Divergences {
			change.Divergent = append(change.Divergent, oneLine(d.Text))
		}
		for _, a := range o.Verdict.Actions {
			change.Actions = append(change.Actions, oneLine(a.Text))
		}
		t.revise(id, change)
		return
	}
	if task.RevisionOf == "" && !fresh {
		t.ask(*o.Verdict)
		t.hold(WaitQuestions, id, "consensus blocked (HIGH), and the issue does not say more")
		return
	}
	task.Recommendation = "escalate"
	t.s.task(id).Recommendation = "escalate"
	t.hold(WaitBlocked, id, "consensus blocked (HIGH) again after a revision")
}

// maxQuestions are asked at once.
const maxQuestions = 5

// ask turns what a blocked round lacks into questions with defaults, where the
// analyst has not asked enough already.
func (t *turn) ask(v Verdict) {
	open := 0
	for _, q := range t.s.Questions {
		if q.Answer == "" {
			open++
		}
	}
	add := func(text, standard, why string) {
		text = oneLine(text)
		known := slices.ContainsFunc(t.s.Questions, func(q Question) bool { return q.Text == text })
		if open >= maxQuestions || known || text == "" {
			return
		}
		open++
		t.s.Questions = append(t.s.Questions, Question{ID: "Q-" + itoa(len(t.s.Questions)+1), Text: text, Default: standard, Why: why})
	}
	for _, q := range v.OpenQuestions {
		add(q, "left open in the document", string(v.Round))
	}
	for _, d := range v.Divergences {
		if d.Severity == High {
			add("How is this to be settled: "+oneLine(d.Text), "it stays as drafted, and the finding stays open", string(v.Round))
		}
	}
}

// hold stops at a task until a person has decided: the task stays open, so
// that the decision is in the record before it counts as completed.
func (t *turn) hold(reason WaitReason, id TaskID, detail string) {
	task := t.s.task(id)
	task.Status, task.CompletedAt = TaskInProgress, nil
	t.pause(reason, id, detail)
}

// heldTask is the task that waits for a decision: the one the wait is about,
// else whichever a later wait, an edit by hand say, has put aside.
func (s *Session) heldTask() *Task {
	if s.Wait != nil {
		if task := s.task(s.Wait.Task); task != nil && task.held() {
			return task
		}
	}
	if i := slices.IndexFunc(s.Tasks, Task.held); i >= 0 {
		return &s.Tasks[i]
	}
	return nil
}

// settle writes the decision on a held task into the round's record and the
// log of decisions, and completes the task.
func (t *turn) settle(who, choice, why string) {
	task := t.s.heldTask()
	if task == nil {
		return
	}
	now := t.now
	task.Status, task.CompletedAt = TaskCompleted, &now
	t.decide(who, string(task.ID)+": "+choice, why)
	if record := t.recordOf(*task); record != "" {
		line := "\n**Decision**, " + now.Format(time.RFC3339) + ", `" + login(who) + "`: " + choice
		if why = oneLine(why); why != "" {
			line += ", because: " + why
		}
		t.append(record, line+"\n")
	}
}

// recordOf is the newest record of the task's round in the folder, "" where
// the round left none.
func (t *turn) recordOf(task Task) string {
	last := ""
	for run := 1; ; run++ {
		path := RecordPath(task.Round, run)
		if _, ok := t.s.Manifest.Files[path]; !ok {
			return last
		}
		last = path
	}
}
