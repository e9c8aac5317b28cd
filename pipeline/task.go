package pipeline

import "time"

// TaskID is an id such as DRAFT-002, DRAFT-002-R1 or IMPROVE-depth-001.
type TaskID string

// Role owns one task prefix.
type Role string

const (
	Coordinator Role = "coordinator"
	Analyst     Role = "analyst"
	Writer      Role = "writer"
	Reviewer    Role = "reviewer"
	Planner     Role = "planner"
	Executor    Role = "executor"
	Tester      Role = "tester"
	Architect   Role = "architect"
	FEDeveloper Role = "fe-developer"
	FEQA        Role = "fe-qa"
)

// TaskStatus is where a task stands.
type TaskStatus string

const (
	TaskPending    TaskStatus = "pending"
	TaskInProgress TaskStatus = "in_progress"
	TaskCompleted  TaskStatus = "completed"
	TaskPartial    TaskStatus = "partial"
	TaskFailed     TaskStatus = "failed"
)

// Round is a discuss round, DISCUSS-001 to DISCUSS-006; empty is none.
type Round string

// Task is one entry of the graph. Tasks refer to one another by id only.
type Task struct {
	ID          TaskID     `json:"id"`
	Owner       Role       `json:"owner"`
	Status      TaskStatus `json:"status"`
	BlockedBy   []TaskID   `json:"blocked_by"`
	Description string     `json:"description"` // purpose, then the metadata lines of facts 3.5
	Round       Round      `json:"inline_discuss"`
	AgentID     string     `json:"agent_id"` // job that runs or ran it
	Artifact    string     `json:"artifact_path"`

	Verdict        Consensus  `json:"discuss_verdict"`
	Severity       Severity   `json:"discuss_severity"`
	Rating         *float64   `json:"discuss_rating"` // nil when no verdict
	Recommendation string     `json:"discuss_recommendation,omitempty"`
	Summary        string     `json:"summary,omitempty"`
	StartedAt      *time.Time `json:"started_at,omitempty"`
	CompletedAt    *time.Time `json:"completed_at,omitempty"`

	RevisionOf        TaskID  `json:"revision_of,omitempty"`
	RevisionCount     int     `json:"revision_count"`
	Revision          *Change `json:"revision,omitempty"`
	RetryCount        int     `json:"retry_count"`
	IsCheckpointAfter bool    `json:"is_checkpoint_after"`
	Superseded        bool    `json:"superseded,omitempty"`
	// Backends are those whose words stand in the artifact, where models wrote.
	Backends []string `json:"backends,omitempty"`
	Usage    Usage    `json:"usage"`
	TookMS   int64    `json:"took_ms,omitempty"`
	Warnings int      `json:"warnings,omitempty"`
	// Glance is what the panel shows of it, set by GlanceOf when its job returned.
	Glance *Glance `json:"glance,omitempty"`
	// Notes are handed to the worker: an earlier round's divergence, a person's feedback.
	Notes []string `json:"notes,omitempty"`
	// Decisions are the worker's, three at most, for the next task of its loop.
	Decisions []string `json:"key_decisions,omitempty"`
}

// Change is what a revision or improvement task is asked to do.
type Change struct {
	Why       string   `json:"why"` // consensus, revise, feedback, cascade, improve, recheck
	By        string   `json:"by,omitempty"`
	Text      string   `json:"text,omitempty"`
	Scope     string   `json:"scope"` // targeted or full
	Items     []string `json:"items,omitempty"`
	Actions   []string `json:"actions,omitempty"`
	Divergent []string `json:"divergent,omitempty"`
	Dimension string   `json:"dimension,omitempty"`
	Threads   bool     `json:"threads,omitempty"` // take writers' open review threads
}

// held tells a task that is done but for a person's decision: it is open, and
// nobody is at work on it.
func (t Task) held() bool { return t.Status == TaskInProgress && t.AgentID == "" }
