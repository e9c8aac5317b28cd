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
	// nothing stored. ErrFull: nothing stored, try later.
	Accept(ctx context.Context, ev Event) error
}

// GitHub is the world the pipeline reads and writes.
type GitHub interface {
	// Permission reads the live permission; an error is "denied for now".
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
	// Threads lists the pull request's open review threads with their authors' standing.
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
	Account   Account
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
