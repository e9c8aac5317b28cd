package pipeline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// prepared turns the briefing into a session: mode, id, graph, the opening of
// branch and pull request, and the first task.
func prepared(t *turn) error {
	b := t.ev.Briefing
	if b == nil || !t.current(t.ev.Job) {
		t.unchanged = true
		return nil
	}
	if open := openSession(b.Existing, t.s.Earlier); open != nil {
		return t.fetch(*open)
	}
	if withdrawn(t.s, *b) {
		return t.lookAgain()
	}
	chosen, refusal := chooseMode(t.s, *b)
	if refusal == nil {
		refusal = cannotBegin(t.s, *b, chosen.Mode)
	}
	if refusal != nil {
		return t.notStarted(refusal)
	}
	t.timer("prepare", time.Time{})
	seen := t.s.Issue.NodeID != "" // then the reaction went out with the label
	t.fill(*b, chosen)
	warnings, err := preflight(&t.s)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		t.warn(w)
	}
	t.acknowledge(seen)
	t.open(*b)
	t.note("coordinator", "plan_approved", "chain of "+string(t.s.Mode)+" dispatched", "")
	t.next()
	return nil
}

// cannotBegin names what makes a session impossible, before anything is made.
func cannotBegin(s Session, b Briefing, m Mode) *Refusal {
	switch misfit := unfit(m, s.Track, s.SpecPath); {
	case !b.Settings.Enabled:
		return refuseDisabled()
	case b.EmptyRepo:
		return refuseEmpty()
	case misfit != nil:
		return misfit
	case m == ImplOnly && !b.HasSpec:
		return refuseNoSpec(s.SpecPath)
	}
	return nil
}

// withdrawn says that GitHub does not show what asked for the session.
func withdrawn(s Session, b Briefing) bool {
	shown := slices.ContainsFunc(b.Body.Labels, func(l string) bool { return strings.EqualFold(l, s.Issue.Label) })
	return s.Issue.Label != "" && (!shown || b.Closed)
}

// apiLag is how far GitHub's API may be behind its deliveries.
const apiLag = 10 * time.Second

// lookAgain waits out GitHub's lag. What asked for the session and is not
// shown then was taken back, and the delivery that says so came first.
func (t *turn) lookAgain() error {
	if t.now.Sub(t.s.StartedAt) >= apiLag/2 { // a second look; Redis's clock may differ from ours
		return abandon(t)
	}
	t.s.ActiveWorkers = []ActiveWorker{}
	t.timer("prepare", t.s.StartedAt.Add(apiLag))
	return nil
}

// openSession is an earlier session whose pull request is still open: its
// state was lost here, and its branch has it.
func openSession(existing, known []EarlierSession) *EarlierSession {
	for i, e := range existing {
		ours := slices.ContainsFunc(known, func(k EarlierSession) bool { return k.ID == e.ID })
		if !ours && (e.Status == SessionActive || e.Status == SessionPaused) {
			return &existing[i]
		}
	}
	return nil
}

// smallIssue is the number of words under which one document would do.
const smallIssue = 60

// fetch has a session read back from its branch instead of starting another.
func (t *turn) fetch(e EarlierSession) error {
	id := "rebuild/" + t.ev.ID
	t.s.PR.Number = e.PR
	t.s.ActiveWorkers = []ActiveWorker{{AgentID: id, Owner: Coordinator, SpawnedAt: t.now}}
	t.job(JobSpec{ID: id, Kind: JobRebuild, Branch: t.s.Settings.BranchPrefix + e.ID, Deadline: prepareLimit})
	t.timer("prepare", t.now.Add(prepareLimit+orphanAfter))
	return nil
}

// fill writes what the briefing says into the session.
func (t *turn) fill(b Briefing, c choice) {
	s := &t.s
	implementation := b.Settings.Implementation || s.Settings.Implementation
	s.Settings = b.Settings
	s.Settings.Implementation = implementation
	if b.Repo.ID == s.Repo.ID || s.Repo.ID == 0 {
		page := s.Repo.URL
		s.Repo = b.Repo
		s.Repo.URL = cmp.Or(b.Repo.URL, page)
	}
	s.Issue = b.Issue
	s.Issue.Number = max(s.Issue.Number, b.Issue.Number)
	s.Mode, s.ModeReason = c.Mode, c.Reason
	s.FrontendDetected, s.FrontendSignals = c.Frontend, c.Signals
	if s.FrontendSignals == nil {
		s.FrontendSignals = []string{}
	}
	s.Track = cmp.Or(s.Track, s.Settings.Track, TrackStandard)
	if words := len(strings.Fields(b.Body.Body)); s.Track == TrackStandard && words < smallIssue {
		s.TrackHint = itoa(words) + " words"
	}
	s.Scope = oneLine(b.Issue.Title)
	s.RawInput = clip(b.Body.Body, 2000)
	s.Problems, s.Notices = slices.Clone(b.Problems), slices.Clone(b.Notices)
	s.PR = PullRequest{BaseHead: b.BaseHead, Draft: b.CanDraft}
	s.ID = freeID(*s, b, t.now)
	s.Earlier = earlier(s.Earlier, b.Existing)
	s.RevisionChains = map[TaskID]TaskID{}
	s.ActiveWorkers = []ActiveWorker{}
	s.CompletedTasks, s.WisdomEntries, s.CheckpointsHit = []TaskID{}, []string{}, []string{}
	s.Tasks = build(s)
}

// freeID is the first session id of the issue that no earlier session has.
func freeID(s Session, b Briefing, now time.Time) string {
	taken := func(id string) bool {
		same := func(e EarlierSession) bool { return e.ID == id }
		return slices.ContainsFunc(b.Existing, same) || slices.ContainsFunc(s.Earlier, same)
	}
	n := 1 + len(earlier(s.Earlier, b.Existing))
	for taken(SessionID(b.Issue.Title, s.Issue.Number, now, n)) {
		n++
	}
	return SessionID(b.Issue.Title, s.Issue.Number, now, n)
}

// earlier joins what we remember of former sessions with what GitHub shows.
func earlier(known, found []EarlierSession) []EarlierSession {
	out := slices.Clone(known)
	for _, f := range found {
		if !slices.ContainsFunc(out, func(e EarlierSession) bool { return e.ID == f.ID }) {
			out = append(out, f)
		}
	}
	return out
}

// acknowledge reacts where the start was said: on the command, or on the issue
// that got the label, where that has not been done.
func (t *turn) acknowledge(seen bool) {
	switch {
	case len(t.s.Commands) > 0:
		t.closeCommand(func(c OpenCommand) bool { return c.Job == "start" }, reactDone)
	case !seen:
		t.react(reactSeen)
	}
}

// open makes branch, opening commit and pull request in one request.
func (t *turn) open(b Briefing) {
	files := opening(t.s, b)
	for _, f := range files {
		t.s.Manifest.Waiting = append(t.s.Manifest.Waiting, f.Path)
	}
	t.write(Write{
		Kind: WriteOpen, Title: PullTitle(t.s), Body: PullBody(t.s, t.now), Branch: t.s.Branch(),
		Draft: b.CanDraft, Files: files,
	})
}

// opening are the files of the first commit. The session file is added when
// the write is sealed, so that it tells of the task that starts with it.
func opening(s Session, b Briefing) []FileChange {
	config := struct {
		SessionID string    `json:"session_id"`
		Topic     string    `json:"topic"`
		Seed      string    `json:"seed_input"`
		InputType string    `json:"input_type"`
		Timestamp time.Time `json:"timestamp"`
		Mode      string    `json:"mode"`
		Depth     string    `json:"depth"`
		Status    string    `json:"status"`
	}{s.ID, s.Scope, clip(b.Body.Body, 2000), "text", s.StartedAt, "interactive", s.Depth, "started"}
	meta := struct {
		Status    string    `json:"status"`
		SessionID string    `json:"session_id"`
		Mode      Mode      `json:"pipeline_mode"`
		CreatedAt time.Time `json:"created_at"`
	}{"active", s.ID, s.Mode, s.StartedAt}
	files := []FileChange{
		{Path: ".gitattributes", Text: "*.json linguist-generated\n.msg/** linguist-generated\nexplorations/** linguist-generated\n"},
		{Path: "spec/spec-config.json", Text: pretty(config)},
		{Path: ".msg/meta.json", Text: pretty(meta)},
		{Path: "explorations/cache-index.json", Text: "{\n  \"entries\": []\n}\n"},
		{Path: "shared-memory.json", Text: emptyMemory},
	}
	for _, w := range wisdomHeads {
		files = append(files, FileChange{Path: "wisdom/" + w.name + ".md", Text: w.head})
	}
	return files
}

const emptyMemory = `{
  "design_intelligence": null,
  "design_token_registry": null,
  "component_inventory": null,
  "style_decisions": null,
  "qa_history": null,
  "industry_context": null,
  "exploration_cache": null,
  "context_accumulator": null
}
`

// wisdomHeads open the four files that every task may add lines to: the first
// line of each list says what stands in it.
var wisdomHeads = []struct{ name, head string }{
	{"learnings", "# Learnings\n\n- Patterns and insights, oldest first.\n"},
	{"decisions", "# Decisions\n\n- What was decided, by whom and why, oldest first.\n"},
	{"conventions", "# Conventions\n\n- How things are done in this codebase.\n"},
	{"issues", "# Issues\n\n- Risks, warnings and divergences that went on, oldest first.\n"},
}

// pretty is a value of ours as an indented file. Such a value always marshals.
func pretty(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("pipeline: a value of ours does not marshal: " + err.Error())
	}
	return string(raw) + "\n"
}

// clip cuts text to at most n bytes at a rune's border.
func clip(text string, n int) string {
	if len(text) <= n {
		return strings.ToValidUTF8(text, "�")
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// refreshed takes a newer text of the issue into a running session. Tasks that
// have not started read it; what is written already changes only on command.
func refreshed(t *turn) error {
	b := t.ev.Briefing
	if b != nil {
		t.s.Issue.Assignees = b.Issue.Assignees
	}
	if b == nil || b.Issue.Text == "" || b.Issue.Text == t.s.Issue.Text {
		t.unchanged = true
		return nil
	}
	t.s.Issue.Title, t.s.Issue.Text, t.s.IssueReadAt = b.Issue.Title, b.Issue.Text, t.now
	if t.s.TasksCompleted > 0 {
		t.warn("The issue was edited after work had begun: `/feedback <text>` or `/revise RESEARCH-001` takes the change in.")
	}
	t.show()
	return nil
}

// reread has the edited issue read; what it says now comes as another briefing.
func reread(t *turn) error {
	t.job(JobSpec{ID: "reread/" + t.ev.ID, Kind: JobPrepare, Deadline: prepareLimit})
	return nil
}
