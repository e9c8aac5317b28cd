package pipeline

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// done takes what a job returned. A result of a task that nobody runs any
// more, or of another job than the one that runs it, is dropped whole.
func done(t *turn) error {
	o := t.ev.Outcome
	if o == nil {
		t.unchanged = true
		return nil
	}
	if o.Task == "" {
		return t.discussed(*o)
	}
	task := t.s.task(o.Task)
	if task != nil {
		t.retried(task)
	}
	if task == nil || task.Status != TaskInProgress || task.AgentID == "" || t.ev.Job != "" && t.ev.Job != task.AgentID {
		t.unchanged = true
		return nil
	}
	if why := trespass(*task, *o); why != "" {
		t.tryAgain(task.ID, TaskFailed, "its result was refused: "+why)
		t.show()
		return nil
	}
	t.keep(*o)
	t.describeResult(task, *o)
	t.announce(*task, *o)
	if o.Status == TaskFailed || o.Status == TaskPartial {
		t.publish(*task, *o)
		t.tryAgain(task.ID, o.Status, "it reported "+string(o.Status)+": "+o.Summary)
		t.show()
		return nil
	}
	t.endLoop(*task, t.committing())
	t.release(task.ID)
	t.finishTask(task, *o)
	t.publish(*t.s.task(o.Task), *o)
	t.show()
	t.next()
	return nil
}

// retried takes a failed task up again whose dead job the operator had run once
// more: what it brings counts as if it had come in time.
func (t *turn) retried(task *Task) {
	if task.Status != TaskFailed || task.AgentID != "" || t.ev.Job == "" || !strings.HasPrefix(t.ev.Job, t.s.ID+"/"+string(task.ID)+"/") {
		return
	}
	task.Status, task.AgentID = TaskInProgress, t.ev.Job
	if w := t.s.Wait; w != nil && w.Reason == WaitRetries && w.Task == task.ID {
		t.activate()
	}
}

// trespass names what a role may not do: answer for another role, write
// outside its folder, or touch the session's own files.
func trespass(task Task, o Outcome) string {
	if o.Role != "" && o.Role != task.Owner {
		return "it came from " + string(o.Role) + ", the task belongs to " + string(task.Owner)
	}
	d, _ := dutyOf(task.ID)
	allowed := append([]string{"discussions/"}, d.folder...)
	paths := slices.Clone(o.Deleted)
	for _, f := range o.Files {
		paths = append(paths, f.Path)
	}
	for _, p := range paths {
		if !under(p, allowed) {
			return "it wrote " + word(p) + ", outside its folder"
		}
	}
	for _, a := range o.Append {
		if !under(a.Path, []string{"wisdom/", "discussions/", "discussion.md"}) {
			return "it added to " + word(a.Path) + ", which is not its to keep"
		}
	}
	return ""
}

// under tells whether a path lies in one of the folders, or is one of the
// files, without a way out.
func under(path string, allowed []string) bool {
	if strings.Contains(path, "..") || strings.HasPrefix(path, "/") || strings.Contains(path, "\\") {
		return false
	}
	return slices.ContainsFunc(allowed, func(a string) bool {
		return path == a || strings.HasSuffix(a, "/") && strings.HasPrefix(path, a)
	})
}

// keep takes files, appends and settings of a result into the next commit and
// into the manifest, where the next task reads them without waiting for GitHub.
func (t *turn) keep(o Outcome) {
	w := t.committing()
	if t.s.Manifest.Files == nil {
		t.s.Manifest.Files = map[string]string{}
	}
	for _, f := range o.Files {
		t.s.Manifest.Files[f.Path] = f.Blob
		t.awaits(f.Path)
		w.Files = append(w.Files, FileChange{Path: f.Path, Blob: f.Blob})
	}
	for _, p := range o.Deleted {
		delete(t.s.Manifest.Files, p)
		t.awaits(p)
	}
	w.Deleted = append(w.Deleted, o.Deleted...)
	w.Memory = append(w.Memory, o.Memory...)
	for _, a := range o.Append {
		t.append(a.Path, a.Text)
	}
	t.s.Usage = t.s.Usage.Plus(o.Usage)
	if o.Language != "" {
		t.s.Language = o.Language
	}
	if o.Verdict != nil {
		t.s.count(*o.Verdict)
		t.s.Findings = mark(t.s.Findings, *o.Verdict)
	}
	for _, q := range o.Questions {
		same := func(k Question) bool { return k.ID == q.ID || k.Text == q.Text }
		if len(t.s.Questions) < 12 && !slices.ContainsFunc(t.s.Questions, same) {
			t.s.Questions = append(t.s.Questions, q)
		}
	}
}

// awaits notes that a path's newest content is on its way.
func (t *turn) awaits(path string) {
	if !slices.Contains(t.s.Manifest.Waiting, path) {
		t.s.Manifest.Waiting = append(t.s.Manifest.Waiting, path)
	}
}

// count adds a verdict to what is known per rule: what it saw for the first
// time, and what it saw fixed.
func (s *Session) count(v Verdict) {
	for _, f := range v.Findings {
		if f.ID != "" && f.Grade != Info && !slices.ContainsFunc(s.Findings, func(k OpenFinding) bool { return k.ID == f.ID }) {
			s.tally(f.Rule, Tally{Found: 1})
		}
	}
	for _, k := range s.Findings {
		if slices.Contains(v.Fixed, k.ID) {
			s.tally(k.Rule, Tally{Fixed: 1})
		}
	}
}

func (s *Session) tally(rule string, n Tally) {
	if rule == "" {
		return // a model's own finding
	}
	if s.Rules == nil {
		s.Rules = map[string]Tally{}
	}
	was := s.Rules[rule]
	s.Rules[rule] = Tally{was.Found + n.Found, was.Fixed + n.Fixed, was.Accepted + n.Accepted}
}

// mark keeps the findings that are not fixed.
func mark(known []OpenFinding, v Verdict) []OpenFinding {
	for _, f := range v.Findings {
		if f.ID == "" || f.Grade == Info {
			continue
		}
		m := OpenFinding{ID: f.ID, Grade: f.Grade, State: f.State, File: f.File, Rule: f.Rule}
		if m.State == "" {
			m.State = FindingOpen
		}
		at := slices.IndexFunc(known, func(k OpenFinding) bool { return k.ID == f.ID })
		switch {
		case at < 0:
			known = append(known, m)
		case known[at].State != FindingAccepted || m.State == FindingReopened:
			known[at] = m
		}
	}
	known = slices.DeleteFunc(known, func(k OpenFinding) bool {
		return k.State == FindingFixed || slices.Contains(v.Fixed, k.ID)
	})
	if len(known) == 0 {
		return nil
	}
	return known
}

// describeResult writes a result into its task.
func (t *turn) describeResult(task *Task, o Outcome) {
	if o.Artifact != "" {
		task.Artifact = o.Artifact
	}
	task.Summary = oneLine(o.Summary)
	if len(o.Covered) > 0 {
		task.Summary = oneLine(strings.Join(o.Covered, ", "))
	}
	task.Backends = o.Backends
	task.Usage = task.Usage.Plus(o.Usage)
	task.TookMS += o.TookMS
	task.Warnings = len(o.Warnings)
	task.Decisions = nil
	for _, d := range first(o.Decisions, 3) {
		task.Decisions = append(task.Decisions, oneLine(d))
	}
	task.Glance = GlanceOf(o)
	task.Verdict, task.Severity, task.Rating, task.Recommendation = "", "", nil, ""
	if task.Round == "" {
		return
	}
	if o.Verdict == nil {
		task.Verdict = ConsensusNone
		return
	}
	v := *o.Verdict
	task.Verdict, task.Severity, task.Recommendation = v.Consensus, v.Severity, v.Recommendation
	if average := v.Average; average > 0 {
		task.Rating = &average
	}
}

// finishTask completes a task, or holds it where a person must decide first.
func (t *turn) finishTask(task *Task, o Outcome) {
	now := t.now
	task.Status, task.CompletedAt = TaskCompleted, &now
	task.AgentID = ""
	for _, w := range o.Warnings {
		t.append("wisdom/issues.md", "- "+string(task.ID)+": "+Inert(oneLine(w))+"\n")
	}
	id := task.ID
	if d, _ := dutyOf(id); d.prefix == "QUALITY" {
		t.judged(id, o)
	}
	t.closeCommand(func(c OpenCommand) bool { return c.Task == id }, reactDone)
	t.route(id, o)
	t.checkpoint(id, o)
	t.frontend(id, o)
}

// judged takes the gate's numbers.
func (t *turn) judged(id TaskID, o Outcome) {
	if o.Gate == nil {
		t.warn(string(id) + " gave no scores: the gate counts as FAIL until `/recheck`")
		t.s.Gate = &Gate{Result: GateFail, Dimensions: map[string]*float64{}}
		return
	}
	g := *o.Gate
	g.Tree = ""
	t.s.Gate = &g
	t.s.Suspects = nil
}

// announce logs the result on the bus, before anything follows from it.
func (t *turn) announce(task Task, o Outcome) {
	t.explored(task, o)
	d, _ := dutyOf(task.ID)
	m := Message{From: string(task.Owner), To: string(Coordinator), Type: d.says, Ref: task.Artifact,
		Summary: string(task.ID) + ": " + oneLine(o.Summary), Data: resultData(o)}
	switch {
	case task.RevisionOf != "" && d.prefix == "QUALITY":
		m.Type = "quality_recheck"
	case task.RevisionOf != "" && d.prefix == "DRAFT":
		m.Type = "draft_revision"
	case o.Status == TaskPartial && task.Owner == Analyst:
		m.Type = "research_progress"
	case task.Owner == Planner && task.RetryCount > 0:
		m.Type = "plan_revision"
	case o.Review == "NEEDS_FIX" || o.Review == "BLOCK" || o.Review == "fix_required":
		m.Type = "fix_required"
	case d.prefix == "QA-FE" && strings.HasPrefix(o.Review, "PASS"):
		m.Type = "qa_fe_passed"
	}
	if o.Verdict != nil {
		m.Summary = CallerMessage(task, *o.Verdict)
	}
	t.say(m)
}

// explored logs where the analyst has put what the repository's code says.
func (t *turn) explored(task Task, o Outcome) {
	at := slices.IndexFunc(o.Files, func(f FileRef) bool { return strings.HasPrefix(f.Path, "explorations/explore-") })
	if task.Owner == Analyst && at >= 0 {
		t.note(string(Analyst), "research_progress", string(task.ID)+": read the repository's code", o.Files[at].Path)
	}
}

// publish names the commit after the task and posts the review; both speak of
// what followed from the verdict.
func (t *turn) publish(task Task, o Outcome) {
	w := t.committing()
	w.Title, w.Body = CommitMessage(t.s, task, o.Verdict)
	if v := o.Verdict; v != nil && (t.s.Settings.Review != "blocked" || v.Consensus == ConsensusBlocked) {
		t.postReview(task, *v)
	}
	if o.Verdict != nil {
		t.resolveFixed(o.Verdict.Fixed)
		t.reopenThreads(*o.Verdict)
	}
	for _, r := range o.Replies {
		t.write(Write{Kind: WriteReply, Threads: []string{r.Thread}, Body: Inert(r.Text)})
		if r.Resolve {
			t.write(Write{Kind: WriteResolve, Threads: []string{r.Thread}, Ornament: true})
		}
	}
}

// resultData is the data object of a result's bus message, nil for none.
func resultData(o Outcome) json.RawMessage {
	var data any
	switch {
	case o.Gate != nil:
		data = struct {
			Gate  GateResult `json:"gate"`
			Score float64    `json:"score"`
		}{o.Gate.Result, o.Gate.Score}
	case o.Verdict != nil && o.Verdict.Consensus == ConsensusBlocked:
		var options []Option
		for _, d := range o.Verdict.Divergences {
			options = append(options, d.Options...)
		}
		data = struct {
			Reason  string   `json:"reason"`
			Options []Option `json:"options"`
		}{o.Verdict.Recommendation, options}
	default:
		return nil
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil // a score that is not a number says nothing
	}
	return raw
}

// endLoop closes one round of an inner loop: while it goes on, what was decided
// goes into the accumulator for its next task; behind its last task the role
// reports all of them at once.
func (t *turn) endLoop(task Task, w *Write) {
	if !loops[task.Owner] {
		return
	}
	var names []string
	for _, o := range t.s.Tasks {
		if o.Owner != task.Owner || o.ID == task.ID {
			continue
		}
		if o.Status == TaskPending {
			w.Memory = append(w.Memory, t.accumulator(task))
			return
		}
		if o.Status == TaskCompleted {
			names = append(names, string(o.ID))
		}
	}
	t.forgiveLoop(task.Owner)
	t.say(Message{From: string(task.Owner), To: string(Coordinator), Ref: task.Artifact,
		Summary: "all tasks done: " + strings.Join(append(names, string(task.ID)), ", ")})
}

// accumulator is what an inner loop has decided so far, for its next task and
// for whoever takes over after a crash.
func (t *turn) accumulator(now Task) Memory {
	type entry struct {
		Task      TaskID    `json:"task"`
		Artifact  string    `json:"artifact"`
		Decisions []string  `json:"key_decisions"`
		Verdict   Consensus `json:"discuss_verdict"`
		Rating    *float64  `json:"discuss_rating"`
		Summary   string    `json:"summary"`
	}
	entries := []entry{}
	for _, o := range t.s.Tasks {
		if o.ID == now.ID {
			o = now
		}
		if o.Owner != now.Owner || o.Status != TaskCompleted && o.ID != now.ID {
			continue
		}
		entries = append(entries, entry{o.ID, o.Artifact, append([]string{}, o.Decisions...), o.Verdict, o.Rating, o.Summary})
	}
	return Memory{Key: "context_accumulator", Value: strings.TrimSpace(pretty(entries))}
}

func itoa(n int) string { return strconv.Itoa(n) }
