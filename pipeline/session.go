package pipeline

import "time"

// Mode names one of the six task graphs.
type Mode string

const (
	SpecOnly        Mode = "spec-only"
	ImplOnly        Mode = "impl-only"
	FEOnly          Mode = "fe-only"
	Fullstack       Mode = "fullstack"
	FullLifecycle   Mode = "full-lifecycle"
	FullLifecycleFE Mode = "full-lifecycle-fe"
)

// Track is the size of the spec: standard by default, tiny where asked for.
type Track string

const (
	TrackStandard Track = "standard"
	TrackTiny     Track = "tiny"
)

// SessionStatus is where a session stands; doc.go draws who enters and leaves each.
type SessionStatus string

const (
	SessionActive    SessionStatus = "active"
	SessionPaused    SessionStatus = "paused"
	SessionCompleted SessionStatus = "completed"
	SessionAborted   SessionStatus = "aborted"
)

// Repo is a repository as events carry it. ID and Installation are its
// identity; the names follow renames and serve only for calls and links.
type Repo struct {
	Installation  int64  `json:"installation"`
	ID            int64  `json:"id"`
	NodeID        string `json:"node_id,omitempty"`
	Owner         string `json:"owner"`
	Name          string `json:"name"`
	DefaultBranch string `json:"default_branch,omitempty"`
	Private       bool   `json:"private,omitempty"`
	// URL is the repository's page, for links.
	URL string `json:"url,omitempty"`
}

// Key addresses a session before it has an id: one key per repository and
// issue. The queue orders events by it.
type Key struct {
	Repo  int64 `json:"repo"`
	Issue int   `json:"issue"`
}

// Session is one labelled issue's run. The same struct is the state in the
// queue and, less the fields marked below, team-session.json on the branch,
// so that a session can be rebuilt from its files alone.
type Session struct {
	Schema int    `json:"schema"`
	ID     string `json:"session_id"`
	Mode   Mode   `json:"mode"`
	Track  Track  `json:"track"`

	Scope            string        `json:"scope"`
	Focus            []string      `json:"focus"`
	Depth            string        `json:"depth"`
	Execution        string        `json:"execution"`
	SpecPath         string        `json:"spec_path"`
	RawInput         string        `json:"raw_input"`
	FrontendDetected bool          `json:"frontend_detected"`
	FrontendSignals  []string      `json:"frontend_signals"`
	ModeReason       string        `json:"mode_reason"`
	Language         string        `json:"language"`
	Status           SessionStatus `json:"status"`

	StartedAt   time.Time  `json:"started_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`

	TasksTotal     int    `json:"tasks_total"`
	TasksCompleted int    `json:"tasks_completed"`
	Tasks          []Task `json:"pipeline"`
	// Left are the tasks that had not begun when the session was finished early.
	Left           []Task            `json:"left,omitempty"`
	ActiveWorkers  []ActiveWorker    `json:"active_workers"`
	CompletedTasks []TaskID          `json:"completed_tasks"`
	RevisionChains map[TaskID]TaskID `json:"revision_chains"`
	WisdomEntries  []string          `json:"wisdom_entries"`
	CheckpointsHit []string          `json:"checkpoints_hit"`
	GCLoopCount    int               `json:"gc_loop_count"`
	// LoopErrors counts the errors of an inner loop that is under way, by role.
	LoopErrors map[Role]int `json:"loop_errors,omitempty"`
	Gate       *Gate        `json:"checkpoint_gate,omitempty"`

	Repo     Repo     `json:"repo"`
	Issue    Issue    `json:"issue"`
	Starter  string   `json:"starter"`
	Settings Settings `json:"settings"`
	Wait     *Wait    `json:"wait,omitempty"`
	// WaitedMS is how long the waits took that are over.
	WaitedMS int64        `json:"waited_ms,omitempty"`
	Accepted []Acceptance `json:"accepted,omitempty"`
	// TrackHint is why the tiny track would do, empty where it would not.
	TrackHint string `json:"track_hint,omitempty"`
	// Problems are mistakes in the configuration that were found at the start.
	Problems []string `json:"problems,omitempty"`
	// Notices are what the people of the issue should know at once.
	Notices []string `json:"notices,omitempty"`
	// Questions are what the analyst asked; an unanswered one is taken at its default.
	Questions []Question `json:"questions,omitempty"`
	Usage     Usage      `json:"usage"`
	Beats     int        `json:"beats"`
	Requests  Requests   `json:"github"`
	Trace     string     `json:"trace,omitempty"` // of the delivery that set off what is being done
	// Messages is the number of the last bus record (MSG-NNN).
	Messages int `json:"messages"`
	// Findings are the numbered findings that are not fixed, so that /accept
	// and the gate's wording need not read the ledger.
	Findings []OpenFinding `json:"findings,omitempty"`
	// Rules counts per rule what was found, fixed and accepted.
	Rules map[string]Tally `json:"rules,omitempty"`
	// Warnings are lines for the panel, newest last: what went on with a fault.
	Warnings []string `json:"warnings,omitempty"`
	// Suspects are items that descend from something a person edited since the
	// last judgement.
	Suspects []string `json:"suspects,omitempty"`
	// Discussions counts the rounds asked for with /discuss.
	Discussions int `json:"discussions,omitempty"`
	// IssueReadAt is when a changed text of the issue was last taken in.
	IssueReadAt time.Time `json:"issue_read_at,omitzero"`
	// Ended says in one phrase why the session is over, where it did not run
	// to the end of its graph.
	Ended string `json:"ended,omitempty"`

	// Fields below describe GitHub's side and are not written to the branch.
	PR       PullRequest  `json:"pr"`
	Manifest Manifest     `json:"manifest"`
	Pending  []FileAppend `json:"pending,omitempty"`
	Posted   Posted       `json:"posted"`
	// Unsent: writes were set aside because GitHub did not take them.
	Unsent bool `json:"unsent,omitempty"`
	// Earlier holds this issue's former sessions, newest last.
	Earlier []EarlierSession `json:"earlier,omitempty"`
	// Commands are those whose work is still under way.
	Commands []OpenCommand `json:"commands,omitempty"`
}

// OpenFinding is what the session keeps of a finding; the ledger has the rest.
type OpenFinding struct {
	ID    string       `json:"id"`
	Grade Grade        `json:"grade"`
	State FindingState `json:"state"`
	File  string       `json:"file,omitempty"`
	Rule  string       `json:"rule,omitempty"`
}

// Tally is what became of one rule's findings.
type Tally struct {
	Found    int `json:"found"`
	Fixed    int `json:"fixed"`
	Accepted int `json:"accepted"`
}

// OpenCommand is a command that gets its second reaction when Task is done.
type OpenCommand struct {
	Subject string  `json:"subject"`
	On      Carrier `json:"on"`
	Task    TaskID  `json:"task,omitempty"`
	Job     string  `json:"job,omitempty"` // of a discussant round
}

// Folder is the session's folder on its branch.
func (s Session) Folder() string { return ".workflow/.team/" + s.ID }

// Branch is the session's branch.
func (s Session) Branch() string { return s.Settings.BranchPrefix + s.ID }

// Key is the session's address in the queue.
func (s Session) Key() Key { return Key{Repo: s.Repo.ID, Issue: s.Issue.Number} }

// Issue is the issue as the session knows it. The text lives in a blob.
type Issue struct {
	Number int    `json:"number"`
	NodeID string `json:"node_id,omitempty"`
	Title  string `json:"title"`
	Author string `json:"author"`
	// Text names the blob with the IssueText the session works from.
	Text      string   `json:"text,omitempty"`
	Assignees []string `json:"assignees,omitempty"` // when it was read
	// Label is the one that asked for the session, until GitHub has shown it.
	Label string `json:"label,omitempty"`
}

// IssueText is what people wrote: the body and the comments of those who may
// write, as of the event.
type IssueText struct {
	Title    string         `json:"title"`
	Body     string         `json:"body"`
	Author   string         `json:"author"`
	Labels   []string       `json:"labels,omitempty"`
	Comments []IssueComment `json:"comments,omitempty"`
}

// IssueComment is one comment that counts as input.
type IssueComment struct {
	Author string    `json:"author"`
	Body   string    `json:"body"`
	At     time.Time `json:"at"`
	Writer bool      `json:"writer"`
}

// PullRequest is the session's pull request and branch head.
type PullRequest struct {
	Number int    `json:"number,omitempty"`
	NodeID string `json:"node_id,omitempty"`
	URL    string `json:"url,omitempty"`
	Head   string `json:"head,omitempty"`
	Draft  bool   `json:"draft,omitempty"`
	Closed bool   `json:"closed,omitempty"`
	Merged bool   `json:"merged,omitempty"`
	// Before and MovedAt tell the last foreign push: a decision written before
	// it was made about another text.
	Before  string    `json:"before,omitempty"`
	MovedAt time.Time `json:"moved_at,omitzero"`
	// BaseHead is the default branch's head when the session began: what
	// exploration reads and what artifacts may name.
	BaseHead string `json:"base_head,omitempty"`
	// Outside counts the files it changes outside the session folder.
	Outside int `json:"outside,omitempty"`
}

// Manifest is what we last committed or have stored to commit: the folder's
// paths, relative to it, to git blob ids. A head that is neither Head nor one
// of our later commits is a human edit.
type Manifest struct {
	Head  string            `json:"head,omitempty"`
	Tree  string            `json:"tree,omitempty"`
	Files map[string]string `json:"files,omitempty"`
	// Waiting are paths whose newest content is in the outbox: another head
	// lacks it for that reason, and not because a person changed it.
	Waiting []string `json:"waiting,omitempty"`
}

// Posted keeps the ids of what we wrote on GitHub, so that it is edited
// instead of written again.
type Posted struct {
	Comment   string `json:"comment,omitempty"` // session comment on the issue (node id)
	CheckID   int64  `json:"check_id,omitempty"`
	CheckHead string `json:"check_head,omitempty"`
	// CheckNode and CheckStatus let a run that is not completed be updated;
	// both are copied from the check's receipt.
	CheckNode   string `json:"check_node,omitempty"`
	CheckStatus string `json:"check_status,omitempty"`
	Panel       string `json:"panel,omitempty"` // digest of the panel last sent
	// Threads maps findings to the thread each one has, empty while its review
	// is on the way; Roots to the number of the thread's first comment. Closed
	// are those whose thread is resolved: true where only the green gate did it.
	Threads map[string]string `json:"threads,omitempty"`
	Roots   map[string]string `json:"roots,omitempty"`
	Closed  map[string]bool   `json:"closed,omitempty"`
	// Undone are the last touches that GitHub did not take from us, as over
	// REST it does not; the panel asks a person for them.
	Undone []WriteKind `json:"undone,omitempty"`
	// When and on which head a status was last posted, and when help and a
	// hint were: asked again at once, a reaction does.
	StatusAt   time.Time `json:"status_at,omitzero"`
	StatusHead string    `json:"status_head,omitempty"`
	HelpAt     time.Time `json:"help_at,omitzero"`
	HintAt     time.Time `json:"hint_at,omitzero"`
	// The last refusal: said once, not once per try.
	RefusedAt   time.Time `json:"refused_at,omitzero"`
	RefusedWho  string    `json:"refused_who,omitempty"`
	RefusedText string    `json:"refused_text,omitempty"`
}

// EarlierSession is the tombstone of a former session on the same issue.
type EarlierSession struct {
	ID     string        `json:"id"`
	PR     int           `json:"pr"`
	Status SessionStatus `json:"status"`
	Mode   Mode          `json:"mode"`
}

// ActiveWorker is a task that a job is running.
type ActiveWorker struct {
	AgentID   string    `json:"agent_id"` // the job's id
	TaskID    TaskID    `json:"task_id"`
	Owner     Role      `json:"owner"`
	SpawnedAt time.Time `json:"spawned_at"`
}

// Gate is the quality result of a QUALITY task.
type Gate struct {
	Result GateResult `json:"gate"`
	Score  float64    `json:"score"`
	// Dimensions by lower-case name; nil is "not assessable".
	Dimensions map[string]*float64 `json:"dimensions"`
	// Notes say per dimension what the number rests on ("3 of 4 goals reach a story").
	Notes map[string]string `json:"notes,omitempty"`
	// Lift is the cheapest computed change that would raise the gate.
	Lift string `json:"lift,omitempty"`
	// Rules is the rule-set version the judgement was made with.
	Rules string `json:"rules,omitempty"`
	// Tree is the id of the session folder's tree that was judged.
	Tree string `json:"tree,omitempty"`
}

// GateResult is PASS, REVIEW or FAIL.
type GateResult string

const (
	GatePass   GateResult = "PASS"
	GateReview GateResult = "REVIEW"
	GateFail   GateResult = "FAIL"
)

// Dimensions of the gate in the order they are shown, with their weights in percent.
var Dimensions = []struct {
	Name   string
	Weight int
}{{"completeness", 25}, {"consistency", 20}, {"traceability", 25}, {"depth", 20}, {"coverage", 10}}

// Wait says what a session waits for. Every waiting state has a reason and a deadline.
type Wait struct {
	Reason   WaitReason `json:"reason"`
	Task     TaskID     `json:"task,omitempty"`
	Detail   string     `json:"detail,omitempty"`
	Since    time.Time  `json:"since"`
	Deadline time.Time  `json:"deadline"`
	// Parked: nobody came for thirty days; nothing is said any more, any command revives it.
	Parked bool `json:"parked,omitempty"`
}

// WaitReason is why a session is paused.
type WaitReason string

const (
	WaitCheckpoint  WaitReason = "checkpoint"   // QUALITY finished, a person decides
	WaitQuestions   WaitReason = "questions"    // the analyst asked, or rules lack an answer
	WaitBlocked     WaitReason = "blocked"      // consensus blocked HIGH, revision spent or useless
	WaitSignOff     WaitReason = "sign-off"     // DISCUSS-006 HIGH or without a verdict
	WaitRetries     WaitReason = "retries"      // three tries spent
	WaitStalled     WaitReason = "stalled"      // nothing ready, nothing running, something pending
	WaitMissingRole WaitReason = "missing-role" // the next task's role is not in this build
	WaitEdited      WaitReason = "edited"       // a person changed the judged folder
	WaitQALoop      WaitReason = "qa-loop"      // the frontend loop is spent
	WaitRebuilt     WaitReason = "rebuilt"      // rebuilt from the branch
	WaitModel       WaitReason = "model"        // gate.require_model: rules alone may not pass
	WaitUnsent      WaitReason = "unsent"       // GitHub did not take what was to be written
	WaitHeld        WaitReason = "held"         // issue closed or unlabelled, app suspended, operator's hold
)

// Acceptance records who took a risk, and which.
type Acceptance struct {
	Who     string     `json:"who"`
	At      time.Time  `json:"at"`
	Command string     `json:"command"`
	Gate    GateResult `json:"gate,omitempty"`
	Score   float64    `json:"score,omitempty"`
	Finding string     `json:"finding,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Head    string     `json:"head,omitempty"`
}

// Question is something decisive the issue does not say.
type Question struct {
	ID      string `json:"id"` // Q-1 …
	Text    string `json:"text"`
	Default string `json:"default"`
	Why     string `json:"why,omitempty"`
	Answer  string `json:"answer,omitempty"`
	By      string `json:"by,omitempty"` // who answered; "default" when taken by deadline
}
