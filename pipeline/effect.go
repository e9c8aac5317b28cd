package pipeline

import "time"

// Effect is a thing to do, as data. Exactly one field is set. Order matters
// among writes.
type Effect struct {
	Job    *JobSpec  `json:"job,omitempty"`
	Cancel string    `json:"cancel,omitempty"` // id of a job to cancel
	Timer  *Timer    `json:"timer,omitempty"`
	Write  *Write    `json:"write,omitempty"`
	Audit  *Decision `json:"audit,omitempty"`
	// Aside takes what waits in the outbox out of the way, whole and in order:
	// GitHub will not have it for now. Again puts it back at the head, Drop
	// forgets it and the letter that told of it.
	Aside bool `json:"aside,omitempty"`
	Again bool `json:"again,omitempty"`
	Drop  bool `json:"drop,omitempty"`
	// Forget erases the session's records once its writes are out.
	Forget bool `json:"forget,omitempty"`
}

// JobKind says what a job does.
type JobKind string

const (
	JobPrepare JobKind = "prepare" // read the briefing
	JobTask    JobKind = "task"    // a role's work and its round
	JobEdited  JobKind = "edited"  // read what a foreign head changed
	JobDiscuss JobKind = "discuss" // a discussant round
	JobRebuild JobKind = "rebuild" // read an earlier session back from its branch
	JobHead    JobKind = "head"    // read what a head amounts to that is not a session's own
	JobDeliver JobKind = "deliver" // drain the outbox; made by the store, never by Advance
)

// JobSpec is one long piece of work. ID is deterministic (session, task, try),
// so that a repeated turn makes the same job.
type JobSpec struct {
	ID       string        `json:"id"`
	Kind     JobKind       `json:"kind"`
	Task     TaskID        `json:"task,omitempty"`
	Command  *Command      `json:"command,omitempty"` // for a discussant round
	Actor    Actor         `json:"actor,omitzero"`
	Head     string        `json:"head,omitempty"`
	Branch   string        `json:"branch,omitempty"` // for a rebuild
	Ask      *HeadAsk      `json:"ask,omitempty"`    // for a head
	Deadline time.Duration `json:"deadline"`
	// Notes go into the worker's context: a MEDIUM divergence, a warning.
	Notes []string `json:"notes,omitempty"`
}

// Timer arms a named timer of the session; arming it again moves it, a zero
// At cancels it.
type Timer struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

// Decision is one line of the audit log: what a person decided.
type Decision struct {
	At       time.Time `json:"at"`
	Who      string    `json:"who"`
	Command  string    `json:"command"`
	Outcome  string    `json:"outcome"` // done, refused: why
	Head     string    `json:"head,omitempty"`
	Delivery string    `json:"delivery,omitempty"`
	Session  string    `json:"session,omitempty"`
}

// WriteKind names one visible act on GitHub.
type WriteKind string

const (
	WriteOpen      WriteKind = "open"       // branch, opening commit and draft pull request
	WriteCommit    WriteKind = "commit"     // files onto the session branch
	WriteReview    WriteKind = "review"     // one review with line comments
	WriteCheck     WriteKind = "check"      // parley/gate on a head
	WritePanel     WriteKind = "panel"      // the part of the PR body between the markers
	WriteComment   WriteKind = "comment"    // a comment on issue or pull request
	WriteEdit      WriteKind = "edit"       // new body for a comment of ours
	WriteReply     WriteKind = "reply"      // into a review thread
	WriteReact     WriteKind = "react"      // reaction on a comment or the issue
	WriteResolve   WriteKind = "resolve"    // resolve review threads
	WriteUnresolve WriteKind = "unresolve"  //
	WriteAssign    WriteKind = "assign"     // starter to the pull request
	WriteReady     WriteKind = "ready"      // draft to ready for review
	WriteClose     WriteKind = "close"      // close the pull request
	WriteDelete    WriteKind = "delete_ref" // delete the session branch
)

// Write is one entry of the outbox. The adapter groups neighbours into as few
// requests as GitHub allows and looks for Key's marker before a second try.
type Write struct {
	// Key is unique per visible act and survives retries: event id and index.
	Key  string    `json:"key"`
	Kind WriteKind `json:"kind"`
	// Ornament: a failure is noted and never fails a task.
	Ornament bool `json:"ornament,omitempty"`
	// Aside: it goes behind what was set aside, if anything is, because it
	// builds on it.
	Aside bool `json:"aside,omitempty"`

	Title   string       `json:"title,omitempty"` // pull request title or commit headline
	Body    string       `json:"body,omitempty"`  // markdown as posted; commit body for commits
	Subject string       `json:"subject,omitempty"`
	Number  int          `json:"number,omitempty"` // issue or PR to comment on
	On      Carrier      `json:"on,omitempty"`
	Content string       `json:"content,omitempty"` // reaction: EYES, ROCKET, CONFUSED; assignee's login
	Threads []string     `json:"threads,omitempty"`
	Files   []FileChange `json:"files,omitempty"`
	Append  []FileAppend `json:"append,omitempty"`
	Memory  []Memory     `json:"memory,omitempty"`
	Deleted []string     `json:"deleted,omitempty"`
	Review  *ReviewWrite `json:"review,omitempty"`
	Check   *CheckWrite  `json:"check,omitempty"`
	Branch  string       `json:"branch,omitempty"`
	Draft   bool         `json:"draft,omitempty"`
	Finding string       `json:"finding,omitempty"`
	Merge   *MergeGuard  `json:"merge,omitempty"`
}

// FileChange is a file of the session folder: by blob, or as text.
type FileChange struct {
	Path string `json:"path"`
	Blob string `json:"blob,omitempty"`
	Text string `json:"text,omitempty"`
}

// ReviewWrite is a round's review: body plus line comments.
type ReviewWrite struct {
	Marker   string       `json:"marker"`
	Comments []LineRemark `json:"comments,omitempty"`
}

// LineRemark is one line comment. A line outside the diff falls back to the
// file, then to the review's body.
type LineRemark struct {
	Finding string `json:"finding"`
	Path    string `json:"path"` // relative to the session folder
	Line    int    `json:"line"`
	Start   int    `json:"start,omitempty"` // first line of a range
	Body    string `json:"body"`
}

// CheckWrite is the check run on one head; an empty Head means the head that
// the writes before it made. Leaving a completed state is always a new run.
type CheckWrite struct {
	Head       string        `json:"head,omitempty"`
	Status     string        `json:"status"`               // in_progress, completed
	Conclusion string        `json:"conclusion,omitempty"` // success, failure, action_required, cancelled
	Title      string        `json:"title"`
	Summary    string        `json:"summary"`
	Text       string        `json:"text,omitempty"`
	Actions    []CheckAction `json:"actions,omitempty"`
	External   string        `json:"external_id"`
	// Annotations are for a configuration file edited in a pull request.
	Annotations []Annotation `json:"annotations,omitempty"`
	Name        string       `json:"name,omitempty"` // default parley/gate
}

// CheckAction is a button: label ≤ 20, description ≤ 40, identifier ≤ 20 characters.
type CheckAction struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

// Annotation points at a line of a file in the pull request.
type Annotation struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// MergeGuard asks that a write happens only on the head it was decided for.
type MergeGuard struct {
	Head string `json:"head"`
}

// Receipt is what one write made.
type Receipt struct {
	Key    string    `json:"key"`
	Kind   WriteKind `json:"kind"`
	ID     int64     `json:"id,omitempty"`
	NodeID string    `json:"node_id,omitempty"`
	Number int       `json:"number,omitempty"`
	URL    string    `json:"url,omitempty"`
	// Threads maps finding ids to the threads that were opened.
	Threads map[string]string `json:"threads,omitempty"`
	// Roots maps them to the number of each thread's first comment, which is
	// how a reply's delivery names its thread.
	Roots map[string]string `json:"roots,omitempty"`
	// Draft is whether the pull request is one; drafts are refused in some plans.
	Draft bool `json:"draft,omitempty"`
	// Head is the commit a check stands on, Status what it says.
	Head   string `json:"head,omitempty"`
	Status string `json:"status,omitempty"`
	// Finding is the write's: what a comment or reply is about.
	Finding string `json:"finding,omitempty"`
	// Note is set when an ornament failed or a remark fell back.
	Note string `json:"note,omitempty"`
}

// Receipts is the result of one delivery batch.
type Receipts struct {
	Done []Receipt `json:"done"`
	// Head, Tree and Files are the branch after the batch; empty when it made no commit.
	Head  string            `json:"head,omitempty"`
	Tree  string            `json:"tree,omitempty"`
	Files map[string]string `json:"files,omitempty"` // changed paths to blob ids, "" for a deleted one
	// Applied are the keys of appends that are on the branch now.
	Applied  []string `json:"applied,omitempty"`
	Requests Requests `json:"requests"`
	// Mode says which way was used: graphql or rest.
	Mode string `json:"mode,omitempty"`
	// Conflicts are paths a person changed meanwhile; their text stayed.
	Conflicts []string `json:"conflicts,omitempty"`
}
