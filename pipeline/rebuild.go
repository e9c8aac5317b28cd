package pipeline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Rebuild reads a session back from its folder alone: the last state that was
// committed, with what was running put back, and tasks whose artifact is not
// there not counted as done. A finished artifact is never made again.
func Rebuild(snap Snapshot) (Session, error) {
	raw, ok := snap.Text[SessionPath]
	if !ok {
		return Session{}, fmt.Errorf("rebuild a session: no %s in the folder: %w", SessionPath, ErrNotFound)
	}
	var s Session
	if err := json.Unmarshal(raw, &s); err != nil {
		return Session{}, fmt.Errorf("rebuild a session: read %s: %w", SessionPath, err)
	}
	if s.Schema != 1 {
		return Session{}, fmt.Errorf("rebuild session %s: schema %d is not one of ours", s.ID, s.Schema)
	}
	if _, err := phaseOf(s); err != nil || s.ID == "" || len(s.Tasks) == 0 {
		return Session{}, errors.Join(fmt.Errorf("rebuild a session: %s is not a session", SessionPath), err)
	}
	if err := checkChain(s.Tasks); err != nil {
		return Session{}, fmt.Errorf("rebuild session %s: %w", s.ID, err)
	}
	s.Manifest = Manifest{Head: snap.Head, Tree: snap.Tree, Files: maps.Clone(snap.Files)}
	s.PR.Head = snap.Head
	s.ActiveWorkers = []ActiveWorker{}
	if s.RevisionChains == nil {
		s.RevisionChains = map[TaskID]TaskID{}
	}
	for i := range s.Tasks {
		reconcile(&s.Tasks[i], snap.Text, snap.Files)
	}
	if s.Gate != nil && s.Status != SessionActive {
		s.Gate.Tree = snap.Tree
	}
	s.CompletedTasks = completedTasks(s.Tasks)
	s.TasksTotal, s.TasksCompleted = len(s.Tasks), len(s.CompletedTasks)
	s.Messages = max(s.Messages, len(ParseMessages(snap.Text[MessagesPath])))
	return s, nil
}

// reconcile holds a task against the folder. What was running is pending again,
// unless its artifact and its round's record are there and whole: then it had
// finished and only the mark is missing. What counts as done without its
// artifact is not done.
func reconcile(task *Task, text Folder, files map[string]string) {
	_, there := files[task.Artifact]
	switch {
	case task.held() && task.Verdict != "" && there: // a person has yet to decide
	case task.Status == TaskInProgress && whole(*task, text):
		task.Status, task.AgentID = TaskCompleted, ""
		task.CompletedAt = task.StartedAt
		if task.Round != "" && task.Verdict == "" {
			task.Verdict = ConsensusNone
		}
	case task.Status == TaskInProgress, task.Status == TaskCompleted && task.Artifact != "" && !there && !task.Superseded:
		task.Status, task.AgentID, task.StartedAt, task.CompletedAt = TaskPending, "", nil, nil
	}
}

// whole tells an artifact that is complete: settings that parse, or a document
// whose frontmatter is closed, with the record of its round beside it.
func whole(task Task, text Folder) bool {
	raw, ok := text[task.Artifact]
	if !ok || task.Artifact == "" || task.RevisionOf != "" {
		return false
	}
	if task.Round != "" && LatestRecord(text, task.Round) == "" {
		return false
	}
	if strings.HasSuffix(task.Artifact, ".json") {
		return json.Valid(raw)
	}
	head, body, closed := strings.Cut(strings.TrimPrefix(string(raw), "---\n"), "\n---\n")
	return closed && head != "" && strings.TrimSpace(body) != ""
}

func completedTasks(tasks []Task) []TaskID {
	out := []TaskID{}
	for _, task := range tasks {
		if task.Status == TaskCompleted {
			out = append(out, task.ID)
		}
	}
	return out
}

// rebuilt adopts a session that was read back. It waits for a person, because
// decisions made since its last commit are lost; only an end that was
// committed stays.
func rebuilt(t *turn) error {
	if t.ev.Rebuilt == nil {
		t.unchanged = true
		return nil
	}
	before := t.s.Earlier
	t.timer("prepare", time.Time{})
	t.adopt(*t.ev.Rebuilt)
	t.s.Earlier = slices.DeleteFunc(before, func(e EarlierSession) bool { return e.ID == t.s.ID })
	if len(t.s.Earlier) == 0 {
		t.s.Earlier = nil
	}
	return nil
}

// adopt takes a rebuilt state over.
func (t *turn) adopt(s Session) {
	repo, pr := t.ev.Repo, t.s.PR.Number
	t.s = clone(s)
	t.s.PR.Number = cmp.Or(t.s.PR.Number, pr)
	if repo.ID != 0 {
		t.s.Repo = repo
	}
	if t.s.Status == SessionCompleted || t.s.Status == SessionAborted {
		t.show()
		return
	}
	t.pause(WaitRebuilt, t.s.unfinished(), "the session was read back from its branch; decisions made since its last commit are asked for again")
	t.audit("rebuild", "read back from the branch")
}

// switched puts another open session of the issue in the place of the present
// one, which waits as a tombstone until somebody chooses it again.
func switched(t *turn) error {
	r := t.ev.Rebuilt
	if r == nil || r.ID == t.s.ID {
		t.unchanged = true
		return nil
	}
	known := slices.ContainsFunc(t.s.Earlier, func(e EarlierSession) bool { return e.ID == r.ID })
	if !known {
		t.unchanged = true
		return nil
	}
	for _, w := range t.s.ActiveWorkers {
		t.cancel(w.AgentID)
	}
	t.lift()
	t.dropAside()
	old := t.s
	list := slices.DeleteFunc(slices.Clone(old.Earlier), func(e EarlierSession) bool { return e.ID == r.ID })
	state := old.Status
	if state == SessionActive {
		state = SessionPaused
	}
	t.closeCommand(func(c OpenCommand) bool { return c.Job != "" }, reactDone)
	t.adopt(*r)
	t.s.Earlier = append(list, EarlierSession{ID: old.ID, PR: old.PR.Number, Status: state, Mode: old.Mode})
	return nil
}
