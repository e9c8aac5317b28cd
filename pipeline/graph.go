package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// build turns a mode's table into the session's tasks.
func build(s *Session) []Task {
	rows := rowsOf(s.Mode, s.Track)
	tasks := make([]Task, 0, len(rows))
	for _, r := range rows {
		t := Task{
			ID: r.id, Owner: r.owner, Status: TaskPending, BlockedBy: append([]TaskID{}, r.blockedBy...),
			Round: roundOf(s, r.id), IsCheckpointAfter: r.checkpoint, Artifact: artifacts[r.id],
		}
		t.Description = describe(s, t, purposes[r.id])
		tasks = append(tasks, t)
	}
	return tasks
}

// preflight holds a fresh chain against its mode before anything is started.
// What can be put right is; what only should be otherwise is a warning.
func preflight(s *Session) (warnings []string, err error) {
	if want, base := len(rowsOf(s.Mode, s.Track)), baseTasks(s.Tasks); want == 0 || base != want {
		return nil, fmt.Errorf("mode %s has %d tasks, the chain %d", s.Mode, want, base)
	}
	if err := checkChain(s.Tasks); err != nil {
		return nil, err
	}
	for i := range s.Tasks {
		task := &s.Tasks[i]
		if ReadMeta(task.Description).Session == "" {
			task.Description += "\nSession: " + s.Folder()
		}
		if want := roundOf(s, task.ID); task.Round != want {
			warnings = append(warnings, string(task.ID)+" has the round "+orDash(string(task.Round))+" where its mode has "+orDash(string(want)))
		}
	}
	return warnings, nil
}

// baseTasks counts what a mode's table gives: the tasks that revise nothing.
func baseTasks(tasks []Task) int {
	n := 0
	for _, t := range tasks {
		if t.RevisionOf == "" {
			n++
		}
	}
	return n
}

// roundOf is the round a task of the mode's table runs, "" for none.
func roundOf(s *Session, id TaskID) Round {
	for _, r := range rowsOf(s.Mode, s.Track) {
		if r.id == id {
			return r.round
		}
	}
	return ""
}

// checkChain refuses a chain, fresh or read back, that cannot be run: an id
// twice, a task that is not its owner's, and links that lead nowhere.
func checkChain(tasks []Task) error {
	seen := map[TaskID]bool{}
	for _, t := range tasks {
		if seen[t.ID] {
			return fmt.Errorf("task %s stands twice in the chain", t.ID)
		}
		seen[t.ID] = true
		if d, ok := dutyOf(t.ID); !ok || d.role != t.Owner {
			return fmt.Errorf("task %s has the wrong owner %s", t.ID, t.Owner)
		}
	}
	return checkLinks(tasks)
}

// checkLinks refuses dangling needs, cycles and a chain that cannot start.
func checkLinks(tasks []Task) error {
	at := map[TaskID]int{}
	for i, t := range tasks {
		at[t.ID] = i
	}
	free := false
	for _, t := range tasks {
		free = free || len(t.BlockedBy) == 0
		for _, need := range t.BlockedBy {
			if _, ok := at[need]; !ok {
				return fmt.Errorf("task %s needs %s, which is not there", t.ID, need)
			}
		}
	}
	if !free {
		return fmt.Errorf("no task can start")
	}
	const (
		fresh = iota
		open
		closed
	)
	state := make([]int, len(tasks))
	var path []string
	var visit func(i int) error
	visit = func(i int) error {
		path = append(path, string(tasks[i].ID))
		defer func() { path = path[:len(path)-1] }()
		if state[i] == open {
			return fmt.Errorf("the chain is a circle: %s", strings.Join(path, " → "))
		}
		if state[i] == closed {
			return nil
		}
		state[i] = open
		for _, need := range tasks[i].BlockedBy {
			if err := visit(at[need]); err != nil {
				return err
			}
		}
		state[i] = closed
		return nil
	}
	for i := range tasks {
		if err := visit(i); err != nil {
			return err
		}
	}
	return nil
}

// depths are the windows of a mode's base graph: the length of the longest
// chain of needs before each task.
func depths(m Mode, track Track) map[TaskID]int {
	rows := rowsOf(m, track)
	out := make(map[TaskID]int, len(rows))
	for _, r := range rows { // tables list needs before those who need them
		d := 0
		for _, need := range r.blockedBy {
			d = max(d, out[need]+1)
		}
		out[r.id] = d
	}
	return out
}

// Beats is how many beats a mode takes without revisions.
func Beats(m Mode) int {
	n := 0
	for _, d := range depths(m, TrackStandard) {
		n = max(n, d+1)
	}
	return n
}

// find is the task's index, or -1.
func (s *Session) find(id TaskID) int {
	return slices.IndexFunc(s.Tasks, func(t Task) bool { return t.ID == id })
}

// task returns the task to change, nil when there is none of that id.
func (s *Session) task(id TaskID) *Task {
	if i := s.find(id); i >= 0 {
		return &s.Tasks[i]
	}
	return nil
}

// latest is the newest of a task and its revisions.
func (s *Session) latest(id TaskID) *Task {
	if rev, ok := s.RevisionChains[baseOf(id)]; ok {
		if t := s.task(rev); t != nil {
			return t
		}
	}
	return s.task(baseOf(id))
}

// ready lists the tasks that may start now, in the order of the graph: pending
// with every need completed, and no second task for an inner-loop role.
func (s *Session) ready() []TaskID {
	busy := map[Role]bool{}
	completed := make(map[TaskID]bool, len(s.Tasks))
	for _, t := range s.Tasks {
		completed[t.ID] = t.Status == TaskCompleted
		if t.Status == TaskInProgress && t.AgentID != "" {
			busy[t.Owner] = true
		}
	}
	var out []TaskID
	for _, t := range s.Tasks {
		if t.Status != TaskPending || loops[t.Owner] && busy[t.Owner] {
			continue
		}
		if slices.ContainsFunc(t.BlockedBy, func(need TaskID) bool { return !completed[need] }) {
			continue
		}
		out = append(out, t.ID)
		busy[t.Owner] = true
		if s.Execution == "sequential" {
			break
		}
	}
	if s.Execution == "sequential" && len(s.ActiveWorkers) > 0 {
		return nil
	}
	return out
}

// descends tells whether task id needs root, directly or not.
func (s *Session) descends(id, root TaskID) bool {
	t := s.task(id)
	if t == nil {
		return false
	}
	for _, need := range t.BlockedBy {
		if need == root || s.descends(need, root) {
			return true
		}
	}
	return false
}

// dutyOf is what a task's prefix stands for.
func dutyOf(id TaskID) (duty, bool) {
	for _, d := range duties {
		if strings.HasPrefix(string(id), d.prefix+"-") {
			return d, true
		}
	}
	return duty{}, false
}

// extra tells tasks that no mode's table holds: revisions, improvements,
// rechecks and second rounds of the frontend loop. Each is a beat of its own.
func (s *Session) extra(id TaskID) bool {
	return !slices.ContainsFunc(rowsOf(s.Mode, s.Track), func(r row) bool { return r.id == id })
}

// isSpec tells the tasks of the specification half.
func isSpec(id TaskID) bool {
	d, ok := dutyOf(id)
	return ok && d.label == "spec"
}
