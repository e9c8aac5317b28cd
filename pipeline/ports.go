package pipeline

import (
	"context"
	"encoding/json"
	"io/fs"
	"time"
)

// Inbox takes events in; it returns once they are durable.
type Inbox interface {
	// Accept stores the event for its session. ErrDuplicate: seen before,
	// nothing stored. ErrFull: nothing stored, try later. ErrNotFound: the
	// event needs a session and there is none, nothing stored.
	Accept(ctx context.Context, ev Event) error
}

// Store is all that the loops need from the queue.
type Store interface {
	Inbox
	Turns
	Jobs
	Outbox
	Blobs
	Upkeep
}

// Turns hands out sessions that have an event waiting: one holder at a time,
// events in the order they were accepted.
type Turns interface {
	// NextTurn waits for the next due session of any installation, fairly.
	NextTurn(ctx context.Context) (Turn, error)
	// TakeTurn claims one session if it is due now, otherwise ErrNotFound.
	TakeTurn(ctx context.Context, key Key) (Turn, error)
	// Commit makes a decision true in one step. ErrStale: the lease or the
	// event is no longer the caller's and nothing changed. Repeating a commit
	// gives the same answer and changes nothing.
	Commit(ctx context.Context, l Lease, c Commit) (Committed, error)
	// FailTurn gives the event back for another try, or buries it.
	FailTurn(ctx context.Context, l Lease, s Setback) error
	// YieldTurn gives the session back as if it had never been claimed.
	YieldTurn(ctx context.Context, l Lease) error
}

// Jobs hands out long work. A job is held by at most one runner whose result
// counts; what a lost runner returns is refused.
type Jobs interface {
	NextJob(ctx context.Context, lane Lane) (Job, error)
	TakeJob(ctx context.Context, key Key, id string) (Job, error)
	// FinishJob closes the job and appends its event in one step.
	FinishJob(ctx context.Context, l Lease, f Finish) error
	FailJob(ctx context.Context, l Lease, s Setback) error
	YieldJob(ctx context.Context, l Lease) error
}

// Outbox is what a session still has to say on GitHub, in order. Only the
// holder of its deliver job reads it.
type Outbox interface {
	Entries(ctx context.Context, l Lease) ([]Entry, error)
	// Mark notes that the entries may be sent from now on. It comes before
	// the sending, so that a second runner knows what to look for.
	Mark(ctx context.Context, l Lease, keys []string) error
}

// Blobs keeps file contents by git blob id for a day, and for as long as an
// outbox entry names them.
type Blobs interface {
	PutBlobs(ctx context.Context, key Key, contents [][]byte) error
	// GetBlobs returns what is there; a missing id is simply absent.
	GetBlobs(ctx context.Context, key Key, ids []string) (map[string][]byte, error)
}

// Upkeep keeps leases alive and moves what time has made due.
type Upkeep interface {
	// Beat extends the leases that are still held and says per lease whether it is.
	Beat(ctx context.Context, leases []Lease) ([]bool, error)
	// Tick fires due timers and takes leases back from those who stopped beating.
	Tick(ctx context.Context) error
}

// Desk is the operator's side of the queue.
type Desk interface {
	Session(ctx context.Context, key Key) (Session, error)
	Dead(ctx context.Context) ([]DeadLetter, error)
	// Retry puts a dead event back at the head of its session, a dead job
	// back among the due ones, with a dead delivery what was set aside; Drop
	// forgets it, and what was set aside with it.
	Retry(ctx context.Context, id string) error
	Drop(ctx context.Context, id string) error
	// Hold keeps a session's events waiting until it is released.
	Hold(ctx context.Context, key Key, on bool) error
	// Stop keeps all sessions waiting, through restarts, until it is taken back.
	Stop(ctx context.Context, on bool) error
}

// DeadLetter is an event or a job that every try failed.
type DeadLetter struct {
	ID    string    `json:"id"`
	Key   Key       `json:"key"`
	What  string    `json:"what"` // event, job
	Kind  string    `json:"kind"`
	Tries int       `json:"tries"`
	At    time.Time `json:"at"`
	Text  string    `json:"text"`
	Body  string    `json:"body"` // the event or the job's spec as it is stored
}

// Retriable refuses the letter of a start that its issue was told is off: there
// is no session any more that would take what it reads.
func (l DeadLetter) Retriable() error {
	if l.What == "job" && l.Kind == string(JobPrepare) {
		return no("%s was to read issue %d for a session that was then not started, and the issue says so. Set the label again there, and drop this.", l.ID, l.Key.Issue)
	}
	return nil
}

// Lane separates jobs that take seconds from jobs that take minutes.
type Lane string

const (
	LaneQuick Lane = "quick" // prepare, edited, head, deliver
	LaneSlow  Lane = "slow"  // task, discuss
)

// LaneOf is the lane a kind of job runs in.
func LaneOf(k JobKind) Lane {
	if k == JobTask || k == JobDiscuss {
		return LaneSlow
	}
	return LaneQuick
}

// Lease is the right to write for one session or one job. Token carries a
// counter and a nonce; every write checks it.
type Lease struct {
	Key          Key
	Installation int64
	Job          string // empty for a turn
	Token        string
	TTL          time.Duration // from the last good beat
}

// Turn is a claimed session and its oldest event.
type Turn struct {
	Lease   Lease
	Session Session // zero before the first event
	Event   Event
	Try     int // counted when claimed, so that a crash counts
}

// Commit is what a turn decided about one event.
type Commit struct {
	Event   string // its id
	Session Session
	Effects []Effect
	// Keep asks for the next event under the same lease.
	Keep bool
}

// Committed tells what a commit left behind.
type Committed struct {
	// Next is the next event when the lease was kept, nil when it was released.
	Next *Turn
	Jobs []string // jobs that became ready with it
}

// Setback is a try that came to nothing.
type Setback struct {
	Event string // a turn's event id; empty for a job
	Text  string
	At    time.Time // not before
	// Free does not count the try: we were told to wait, nothing went wrong.
	Free bool
	// Dead ends it: no further try, into the dead letters.
	Dead bool
	// Tell is appended to the session's inbox with it.
	Tell *Event
}

// Job is a claimed job with the session as it stands.
type Job struct {
	Lease   Lease
	Spec    JobSpec
	Session Session
	Repo    Repo // of the event that made it, for a session without state
	Try     int
}

// Finish is how a job ended.
type Finish struct {
	Event *Event
	// Settled are the outbox entries that are out, or never will be.
	Settled []string
	// NotBefore holds back what remains in the outbox.
	NotBefore time.Time
}

// Entry is one outbox entry.
type Entry struct {
	Write Write
	// Again: it was marked before, so it may have been sent.
	Again bool
}

// GitHub is the world the pipeline reads and writes.
type GitHub interface {
	// Permission reads the live permission; an error denies, and says so.
	Permission(ctx context.Context, repo Repo, login string) (Permission, error)
	// Brief reads everything a session needs to begin, in one query.
	Brief(ctx context.Context, repo Repo, issue int) (Briefing, error)
	// Deliver carries out the batch in order and returns what it made. On an
	// error the receipts say what was made before it. *NotBefore: take it up
	// again then. ErrStale: the branch has a foreign head.
	Deliver(ctx context.Context, batch Batch) (Receipts, error)
	// Folder reads the session folder at a ref in one query.
	Folder(ctx context.Context, repo Repo, ref, folder string) (Snapshot, error)
	// Source is the repository's content at a commit; nil for an empty repository.
	Source(ctx context.Context, repo Repo, commit string) (fs.FS, error)
	// Head reads what a head amounts to that is not a session's own.
	Head(ctx context.Context, repo Repo, head string, ask HeadAsk) (HeadFacts, error)
	// Threads lists the pull request's review threads, the open ones with their
	// authors' standing, the resolved ones only by what they are about.
	Threads(ctx context.Context, repo Repo, pr int) ([]Thread, error)
}

// Batch is one delivery: the session as it stands and the writes to make.
type Batch struct {
	Session Session
	Writes  []Write
	// Again lists the keys that may have been sent before: read back first.
	Again map[string]bool
	// Blob reads a stored file by its git blob id.
	Blob func(ctx context.Context, id string) ([]byte, error)
	// Keep stores a file that the delivery composed (an appended log, a
	// settings file), so that nobody has to read it back.
	Keep func(ctx context.Context, content []byte) error
}

// Snapshot is a session folder at a commit.
type Snapshot struct {
	Head  string
	Tree  string            // id of the folder's tree
	Files map[string]string // path to blob id
	Text  Folder            // path to content
	// Outside counts files the pull request changes outside the folder.
	Outside int
	Author  string // of the head commit
}

// Folder is a session folder's content by path relative to it.
type Folder map[string][]byte

// Worker does one task for its role. It writes nothing; what it returns is
// stored by the caller.
type Worker interface {
	Work(ctx context.Context, a Assignment) (Draft, error)
}

// Assignment is all a role may see.
type Assignment struct {
	Session Session
	Task    Task
	Issue   IssueText
	Folder  Folder
	// Source is the repository at Session.PR.BaseHead; nil when there is none.
	Source  fs.FS
	Threads []Thread // for a revision that takes review threads
	Notes   []string // divergences and warnings for this task
	Now     time.Time
	// Progress tells people what is being done; never nil.
	Progress func(text string)
}

// Draft is a role's result before its round. Paths are relative to the
// session folder.
type Draft struct {
	Outcome
	Text map[string][]byte // changed files
}

// Critic runs a discuss round on an artifact.
type Critic interface {
	Critique(ctx context.Context, r Review) (Judgement, error)
}

// Review asks for one round. Folder already holds the artifact to be judged.
type Review struct {
	Session  Session
	Task     Task
	Round    Round
	Artifact string
	Folder   Folder
	Source   fs.FS
	Issue    IssueText
	Again    bool // the round runs again, on a revision
	// Authors are the backends whose words are judged; none where rules or people wrote.
	Authors  []string
	Now      time.Time
	Progress func(text string)
}

// Judgement is a verdict and the files that go with it: record and ledger.
type Judgement struct {
	Verdict Verdict
	Text    map[string][]byte
	Append  []FileAppend
	Memory  []Memory
}

// Discussant takes one round that a person asked for with /discuss: it reads
// what is there, writes its side files and the timeline, and judges nothing.
// The summary of the draft is the one reply the person gets.
type Discussant interface {
	Discuss(ctx context.Context, d Discussion) (Draft, error)
}

// Discussion asks for one such round.
type Discussion struct {
	Session  Session
	Command  Command // verb discuss; Args[0] is deepen, direction, ask, or absent
	Actor    Actor
	Folder   Folder
	Source   fs.FS
	Issue    IssueText
	Now      time.Time
	Progress func(text string)
}

// Model answers a prompt. Fencing, repair turns, fallback, cache, budget and
// redaction are its business; the caller's is what to ask and how to check it.
type Model interface {
	// Ask returns ErrNoModel when nothing is configured or all failed; the
	// reply's trail then says what was tried.
	Ask(ctx context.Context, p Prompt) (Reply, error)
}

// Prompt is one question.
type Prompt struct {
	// Slot chooses the backends: a perspective (product, technical, quality,
	// risk, coverage) or a role (analyst, writer, reviewer, planner).
	Slot string
	// Version is the prompt text's version, part of the cache key.
	Version string
	System  string // role, rubric, rules; trusted
	Facts   string // computed facts; trusted
	Sources []Source
	Task    string // one line, repeated behind the sources
	// Schema of the JSON answer; nil asks for Markdown.
	Schema json.RawMessage
	// Check refuses an answer by naming the violation, which goes into the repair turn.
	Check func(answer []byte) error
	// Salvage may accept what Check refused after the repair turns; nil never does.
	Salvage   func(answer string) ([]byte, bool)
	MaxTokens int
	Language  string
	// Verdict marks a question whose answer is a verdict; budgets keep a reserve for it.
	Verdict bool
	// Authors are the backends whose own work is to be judged: their vendors are
	// asked after all others.
	Authors []string
	Account Account
}

// Source is untrusted text. The model client fences it with numbered lines.
type Source struct {
	Name   string
	Text   string
	Author string // for the injection report, never sent
}

// Account is who pays.
type Account struct {
	Session      string
	Repo         int64
	Installation int64
	Task         TaskID
}

// Reply is an answer with its provenance.
type Reply struct {
	Text      string // JSON where a schema was given, Markdown otherwise
	Backend   string
	Model     string
	Badge     string // what people see as source
	Cached    bool
	Salvaged  bool
	Usage     Usage
	Trail     []Attempt
	Injection []Injection
	TookMS    int64
}

// Attempt is one backend that was tried and what came of it.
type Attempt struct {
	Backend string `json:"backend"`
	Class   string `json:"class"` // ok, refused, cut-off, empty, language, invalid, rate, server, timeout, budget, auth
	Detail  string `json:"detail,omitempty"`
}
