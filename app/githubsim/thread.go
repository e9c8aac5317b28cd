package githubsim

import "fmt"

// Thread is a conversation on a line, a range or a file.
type Thread struct {
	ID         int64
	NodeID     string
	Path       string
	Side       string // RIGHT, LEFT
	Line       int    // 0 when outdated or on the file
	StartLine  int
	StartSide  string
	File       bool
	Resolved   bool
	ResolvedBy *Account
	Outdated   bool
	Comments   []*ReviewComment

	originalLine  int
	originalStart int
	hunk          string
	position      int // lines into the diff when it was made; 0 on the file
	pull          *Pull
}

func (t *Thread) String() string {
	if t.File || t.originalLine == 0 {
		return t.Path
	}
	return fmt.Sprintf("%s:%d", t.Path, t.originalLine)
}

// setResolved resolves or reopens a thread. An app needs contents:write for
// it, a person write access or the pull request.
func (w *World) setResolved(c *caller, t *Thread, resolved bool) error {
	level := RoleWrite
	if c.account == t.pull.Author {
		level = RoleRead
	}
	if err := c.needs(t.pull.repo, "contents", level); err != nil {
		return err
	}
	if t.Resolved == resolved {
		return nil
	}
	t.Resolved, t.ResolvedBy = resolved, nil
	action := "unresolved"
	if resolved {
		t.ResolvedBy, action = c.account, "resolved"
	}
	w.emitThread(c, t, action)
	return nil
}

// follow moves a thread along with its line when the head moves; a line that
// changed leaves the thread outdated.
func (t *Thread) follow(o *objects, before, after string) {
	if t.File || t.Line == 0 || t.Side == "LEFT" {
		return
	}
	old, now := o.filesAt(before)[t.Path], o.filesAt(after)[t.Path]
	if old == now {
		return
	}
	moved := map[int]int{}
	for _, l := range diffLines(splitLines(o.blobs[old.SHA]), splitLines(o.blobs[now.SHA])) {
		if l.Op == ' ' {
			moved[l.Old] = l.New
		}
	}
	t.Line = moved[t.Line]
	if t.StartLine > 0 {
		t.StartLine = moved[t.StartLine]
	}
	if t.Line == 0 {
		t.Outdated, t.StartLine = true, 0
	}
}
