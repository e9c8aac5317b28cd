package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// append adds text to a file of the folder with the next commit.
func (t *turn) append(path, text string) {
	t.appends++
	t.s.Pending = append(t.s.Pending, FileAppend{
		Key: fmt.Sprintf("%s+%d", t.ev.ID, t.appends), Path: path, Text: text,
	})
	if name, ok := strings.CutPrefix(path, "wisdom/"); ok {
		t.s.WisdomEntries = append(t.s.WisdomEntries, strings.TrimSuffix(name, ".md")+": "+oneLine(strings.TrimLeft(text, "#- \n")))
		if n := len(t.s.WisdomEntries); n > 30 {
			t.s.WisdomEntries = t.s.WisdomEntries[n-30:]
		}
	}
}

// Message is one record of the bus, a line of .msg/messages.jsonl.
type Message struct {
	ID      string          `json:"id"` // MSG-NNN
	TS      string          `json:"ts"` // ISO 8601 with +00:00
	From    string          `json:"from"`
	To      string          `json:"to"`
	Type    string          `json:"type"`
	Summary string          `json:"summary"` // begins with [role]
	Ref     string          `json:"ref,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// MessagesPath is the bus in the session folder.
const MessagesPath = ".msg/messages.jsonl"

// say logs a message on the bus.
func (t *turn) say(m Message) {
	t.s.Messages++
	m.ID = fmt.Sprintf("MSG-%03d", t.s.Messages)
	m.TS = t.now.Format("2006-01-02T15:04:05+00:00")
	m.Summary = "[" + m.From + "] " + strings.TrimPrefix(m.Summary, "["+m.From+"] ")
	if m.Type == "" {
		m.Type = "message"
	}
	line, err := json.Marshal(m)
	if err != nil {
		panic("pipeline: a bus record does not marshal: " + err.Error())
	}
	t.append(MessagesPath, string(line)+"\n")
}

// note logs a message of the coordinator's to the roles, or a role's to it.
func (t *turn) note(from, kind, summary, ref string) {
	to := string(Coordinator)
	if from == to {
		to = "all"
	}
	t.say(Message{From: from, To: to, Type: kind, Summary: summary, Ref: ref})
}

// ParseMessages reads a bus back; unreadable lines are skipped.
func ParseMessages(text []byte) []Message {
	var out []Message
	for line := range strings.Lines(string(text)) {
		var m Message
		if json.Unmarshal([]byte(line), &m) == nil && m.ID != "" {
			out = append(out, m)
		}
	}
	return out
}

// first is at most n of the list.
func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// decide logs what somebody decided, where the next worker and a later reader look.
func (t *turn) decide(who, what, why string) {
	line := "- " + t.now.Format(time.RFC3339) + " `" + login(who) + "`: " + Inert(what)
	if why = oneLine(why); why != "" {
		line += ", because: " + Inert(why)
	}
	t.append("wisdom/decisions.md", line+"\n")
}

// data is a decision as the bus carries it.
func (d Decision) data() json.RawMessage {
	raw, err := json.Marshal(d)
	if err != nil {
		panic("pipeline: a decision does not marshal: " + err.Error())
	}
	return raw
}

// onBranch is a session as team-session.json has it: without GitHub's side.
type onBranch struct {
	Session
	PR       *struct{} `json:"pr,omitempty"`
	Manifest *struct{} `json:"manifest,omitempty"`
	Pending  *struct{} `json:"pending,omitempty"`
	Posted   *struct{} `json:"posted,omitempty"`
	Earlier  *struct{} `json:"earlier,omitempty"`
	Unsent   *struct{} `json:"unsent,omitempty"`
	Commands *struct{} `json:"commands,omitempty"`
	Trace    *struct{} `json:"trace,omitempty"`
}

// SessionPath is the session's state in its folder.
const SessionPath = "team-session.json"

// SessionFile is team-session.json.
func SessionFile(s Session) string { return pretty(onBranch{Session: s}) }

// committing is this turn's commit; it is made when first asked for.
func (t *turn) committing() *Write {
	if t.commit == nil {
		t.commit = &Write{Kind: WriteCommit}
	}
	return t.commit
}

// sealCommit puts the session file and all loose appends into the write that
// moves the branch, the opening or the commit. Without one they wait.
func (t *turn) sealCommit() {
	at := slices.IndexFunc(t.writes, func(w Write) bool { return w.Kind == WriteOpen })
	w := t.commit
	if at >= 0 {
		w = &t.writes[at]
	}
	if w == nil {
		return
	}
	if w.Title == "" {
		w.Title = "chore: session state"
	}
	for i := range t.s.Pending {
		p := &t.s.Pending[i]
		if p.Sent || slices.Contains(w.Deleted, p.Path) {
			continue
		}
		w.Append = append(w.Append, *p)
		p.Sent = true
	}
	w.Files = append(w.Files, FileChange{Path: SessionPath, Text: SessionFile(t.s)})
	if at < 0 {
		t.write(*w)
	}
}

// login is a name fit for a code span in a text of ours.
func login(name string) string { return word(name) }

// word keeps of foreign text what may stand in a code span: letters, digits
// and a little punctuation, forty characters at most.
func word(text string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.[]", r) {
			return r
		}
		return -1
	}, clip(text, 200))
	if len(kept) > 40 {
		kept = kept[:40]
	}
	if kept == "" {
		return "somebody"
	}
	return kept
}
