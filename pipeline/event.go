package pipeline

import "time"

// EventKind names a fact that happened.
type EventKind string

const (
	// From people and GitHub.
	EventStart         EventKind = "start"          // the label was set, or /lifecycle start
	EventCommand       EventKind = "command"        // a slash command or a check button
	EventUnlabelled    EventKind = "unlabelled"     //
	EventIssueEdited   EventKind = "issue_edited"   // title or body
	EventIssueClosed   EventKind = "issue_closed"   //
	EventIssueReopened EventKind = "issue_reopened" //
	EventIssueMoved    EventKind = "issue_moved"    // transferred, deleted, converted
	EventPullClosed    EventKind = "pull_closed"    // closed without merge
	EventPullMerged    EventKind = "pull_merged"    //
	EventPullReopened  EventKind = "pull_reopened"  //
	EventRetargeted    EventKind = "retargeted"     // the pull request's base changed
	EventPushed        EventKind = "pushed"         // the branch has a head we may not have made
	EventEdited        EventKind = "edited"         // what a foreign head changed, item by item
	EventThread        EventKind = "thread"         // a review thread was resolved or reopened
	EventRerequested   EventKind = "rerequested"    // re-run of our check
	EventMergeGroup    EventKind = "merge_group"    //
	EventPanelLost     EventKind = "panel_lost"     // our panel or session comment was edited or deleted
	EventSuspended     EventKind = "suspended"      // installation suspended or repository archived
	EventUnsuspended   EventKind = "unsuspended"    //
	EventRemoved       EventKind = "removed"        // uninstalled, or repository taken out
	EventRenamed       EventKind = "renamed"        // repository or owner has a new name
	// EventOtherPull is a head of a pull request that is not ours, in a
	// repository that wants an answer there: a check that says so, and, where
	// it edits the configuration file, one with annotations. It has no session;
	// Number is PR, Head its head.
	EventOtherPull EventKind = "other_pull"
	// EventConfigPushed is a head that edits the configuration file; its Issue
	// is RepoDesk.
	EventConfigPushed EventKind = "config_pushed"

	// From our own side.
	EventPrepared  EventKind = "prepared"  // the briefing was read
	EventDone      EventKind = "done"      // a task's job returned
	EventFailed    EventKind = "failed"    // a job's try failed
	EventDelivered EventKind = "delivered" // writes reached GitHub
	EventRefused   EventKind = "refused"   // GitHub forbids a write
	EventTimer     EventKind = "timer"
	EventDead      EventKind = "dead"      // an event went to the dead letters
	EventRebuilt   EventKind = "rebuilt"   // state was read back from the branch
	EventHeadRead  EventKind = "head_read" // what was asked about a head that is no session's own
)

// An event with neither Issue nor PR concerns every session of its repository,
// and one without a repository id every session of its installation; the store
// hands it to each.

// Event is a fact that happened, flat so that it serialises by itself. Only
// the fields of its kind are set.
type Event struct {
	// ID is unique and stable: a delivery id and an index, a job's id and try, a timer's name and revision.
	ID   string    `json:"id"`
	Kind EventKind `json:"kind"`
	// At is when it happened by GitHub's clock, or ours for our own events.
	At       time.Time `json:"at"`
	Delivery string    `json:"delivery,omitempty"`
	// Trace is the delivery's place in a trace, as a W3C traceparent; empty
	// where nothing is traced.
	Trace string `json:"trace,omitempty"`
	// Dedupe is the event's meaning (a comment's id and its text's digest):
	// the same meaning under another delivery id is a duplicate.
	Dedupe string `json:"dedupe,omitempty"`
	Repo   Repo   `json:"repo"`
	Issue  int    `json:"issue,omitempty"` // the issue, or 0 when only the pull request is known
	PR     int    `json:"pr,omitempty"`
	Node   string `json:"node,omitempty"` // node id of what bears that number
	Actor  Actor  `json:"actor"`
	// Permission is read live by the turn, never taken from the delivery.
	Permission Permission `json:"permission,omitempty"`
	// PermissionUnknown is why it could not be read; unread is denied.
	PermissionUnknown string `json:"permission_unknown,omitempty"`
	// Head is the commit the event speaks of: a pushed head, a check's head,
	// the head a command was written against.
	Head string `json:"head,omitempty"`

	Label    string    `json:"label,omitempty"`
	Title    string    `json:"title,omitempty"`
	Command  *Command  `json:"command,omitempty"`
	Thread   *Thread   `json:"thread,omitempty"`
	Moved    *Moved    `json:"moved,omitempty"`
	Briefing *Briefing `json:"briefing,omitempty"`
	Outcome  *Outcome  `json:"outcome,omitempty"`
	Failure  *Failure  `json:"failure,omitempty"`
	Receipts *Receipts `json:"receipts,omitempty"`
	Edited   *Edited   `json:"edited,omitempty"`
	Timer    string    `json:"timer,omitempty"`
	// Retracted: the comment was deleted before its command ran.
	Retracted bool `json:"retracted,omitempty"`
	// Fork: the pull request comes from one. Others: its repository wants an
	// answer where there is no session.
	Fork   bool       `json:"fork,omitempty"`
	Others bool       `json:"others,omitempty"`
	Facts  *HeadFacts `json:"facts,omitempty"`
	// Requests is what our own side asked GitHub to learn this.
	Requests Requests `json:"requests,omitzero"`
	// Job is the id of the job that reports: prepared, done, failed, edited.
	// A result whose job is not the one the session waits for is dropped.
	Job string `json:"job,omitempty"`
	// Rebuilt is the state read back from the branch.
	Rebuilt *Session `json:"rebuilt,omitempty"`
}

// Actor is who did it.
type Actor struct {
	ID    int64  `json:"id,omitempty"`
	Login string `json:"login,omitempty"`
	Bot   bool   `json:"bot,omitempty"`
}

// Command is one slash command as a person wrote it. Verbs are those of Commands.
type Command struct {
	Verb string   `json:"verb"`
	Args []string `json:"args,omitempty"`
	Text string   `json:"text,omitempty"` // everything behind the verb, folded to one block
	// Prefixed is true for /lifecycle <verb>.
	Prefixed bool `json:"prefixed,omitempty"`
	// Hint is set instead of a verb that runs when the word was misspelt.
	Hint string `json:"hint,omitempty"`
	// Subject is the node id of the comment or review, for reactions; Reply is
	// where one answer goes.
	Subject string    `json:"subject,omitempty"`
	Carrier Carrier   `json:"carrier"`
	Thread  string    `json:"thread,omitempty"` // review thread's node id or first comment id
	At      time.Time `json:"at"`
	// Dropped is how many further commands of the same comment were not taken;
	// the first one carries it, so that it is said whatever becomes of the rest.
	Dropped int `json:"dropped,omitempty"`
}

// Carrier is where a command was written.
type Carrier string

const (
	OnIssue         Carrier = "issue_comment"
	OnPull          Carrier = "pull_comment"
	OnReview        Carrier = "review"
	OnReviewComment Carrier = "review_comment"
	OnCheck         Carrier = "check" // a button of the check run
	OnTerminal      Carrier = "terminal"
)

// Thread is a review thread.
type Thread struct {
	ID       string   `json:"id"`
	Finding  string   `json:"finding,omitempty"` // F-07 when we opened it
	Root     string   `json:"root,omitempty"`    // number of its first comment
	Path     string   `json:"path,omitempty"`    // relative to the session folder
	Line     int      `json:"line,omitempty"`
	Author   string   `json:"author,omitempty"`
	Texts    []string `json:"texts,omitempty"`
	Resolved bool     `json:"resolved,omitempty"`
	Writer   bool     `json:"writer,omitempty"`
}

// Moved says what a transferred, retargeted or renamed thing became.
type Moved struct {
	Repo  Repo   `json:"repo,omitzero"`
	Issue int    `json:"issue,omitempty"`
	Base  string `json:"base,omitempty"`
}

// Briefing is all a session needs to begin, read in one query.
type Briefing struct {
	Repo     Repo      `json:"repo"` // with node id and default branch
	Issue    Issue     `json:"issue"`
	Body     IssueText `json:"body"`
	BaseHead string    `json:"base_head"`
	Settings Settings  `json:"settings"`
	// Problems are mistakes in the configuration, with line; defaults hold where it is broken.
	Problems []string `json:"problems,omitempty"`
	// Notices are for the people of the issue: a credential in its text.
	Notices     []string `json:"notices,omitempty"`
	PackageJSON string   `json:"package_json,omitempty"`
	// Existing is a session pull request found by branch name, open or not.
	Existing []EarlierSession `json:"existing,omitempty"`
	// Comment is our session comment, if one is there already.
	Comment   string `json:"comment,omitempty"`
	HasSpec   bool   `json:"has_spec,omitempty"`   // impl-only's pre-check found one
	CanDraft  bool   `json:"can_draft,omitempty"`  //
	EmptyRepo bool   `json:"empty_repo,omitempty"` // no commit to branch from
	Closed    bool   `json:"closed,omitempty"`     // the issue
}

// Outcome is what a task's job returned: files as blobs, a verdict, notes. It
// wrote nothing itself.
type Outcome struct {
	Task      TaskID       `json:"task"`
	Role      Role         `json:"role"`
	Status    TaskStatus   `json:"status"` // completed, partial, failed
	Artifact  string       `json:"artifact"`
	Summary   string       `json:"summary"` // one line
	Files     []FileRef    `json:"files,omitempty"`
	Deleted   []string     `json:"deleted,omitempty"`
	Append    []FileAppend `json:"append,omitempty"` // wisdom, messages
	Decisions []string     `json:"decisions,omitempty"`
	Warnings  []string     `json:"warnings,omitempty"`
	Questions []Question   `json:"questions,omitempty"`
	Verdict   *Verdict     `json:"verdict,omitempty"` // nil: no round, or the round failed
	RoundErr  string       `json:"round_err,omitempty"`
	Gate      *Gate        `json:"gate,omitempty"`
	// Review is the tester's and reviewer's and fe-qa's result in the implementation half.
	Review   string       `json:"review,omitempty"` // PASS, NEEDS_FIX, BLOCK, …
	Score    float64      `json:"score,omitempty"`
	Memory   []Memory     `json:"memory,omitempty"` // shared-memory.json keys
	Replies  []ThreadNote `json:"replies,omitempty"`
	Focus    []string     `json:"focus,omitempty"`    // lines for the panel's review focus
	Covered  []string     `json:"covered,omitempty"`  // one line of result for the panel ("9 requirements, 3 NFRs")
	Language string       `json:"language,omitempty"` // analyst's guess of the issue's language
	// InputsDigest tells whether a revision by rules would change anything.
	InputsDigest string `json:"inputs_digest,omitempty"`
	ByModel      bool   `json:"by_model,omitempty"`
	// Backends are those whose words stand in the artifact, where models wrote.
	Backends []string `json:"backends,omitempty"`
	Usage    Usage    `json:"usage"`
	TookMS   int64    `json:"took_ms,omitempty"`
}

// ThreadNote answers a person's review thread.
type ThreadNote struct {
	Thread  string `json:"thread"`
	Text    string `json:"text"`
	Resolve bool   `json:"resolve"`
}

// Memory sets one key of shared-memory.json to a JSON value.
type Memory struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// FileRef is a file of the session folder by its git blob id.
type FileRef struct {
	Path string `json:"path"` // relative to the session folder
	Blob string `json:"blob"`
}

// FileAppend is text to add to the end of a file. Appends are resolved when
// they are written; until then readers lay them over the folder.
type FileAppend struct {
	Key  string `json:"key"`
	Path string `json:"path"`
	Text string `json:"text"`
	// Sent, in Session.Pending, marks what a write of the outbox carries already.
	Sent bool `json:"sent,omitempty"`
}

// Failure is a job's failed try.
type Failure struct {
	Job     string `json:"job"`
	Kind    string `json:"kind"` // the job's kind
	Task    TaskID `json:"task,omitempty"`
	Try     int    `json:"try"`
	Text    string `json:"text"`
	Timeout bool   `json:"timeout,omitempty"`
	Last    bool   `json:"last,omitempty"` // no further try follows by itself
	Kept    bool   `json:"kept,omitempty"` // a refused write is still in the outbox
}

// Edited is what a foreign head changed in the session folder.
type Edited struct {
	Head  string   `json:"head"`
	Tree  string   `json:"tree"`
	By    string   `json:"by,omitempty"`
	Paths []string `json:"paths,omitempty"`
	// Items are the changed ids (REQ-003, ADR-001), Suspect what descends from them.
	Items   []string          `json:"items,omitempty"`
	Suspect []string          `json:"suspect,omitempty"`
	Files   map[string]string `json:"files,omitempty"` // new manifest
	Outside int               `json:"outside,omitempty"`
}
