package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/pipeline"
)

type messagesCmd struct {
	Log    messagesLogCmd    `cmd:"" help:"Append a message to a session's bus."`
	List   messagesListCmd   `cmd:"" help:"List messages, newest last."`
	Read   messagesReadCmd   `cmd:"" help:"Print one message."`
	Status messagesStatusCmd `cmd:"" help:"Say who was last heard of, and when."`
}

// messages reads a session's bus; a line that cannot be read is skipped.
func messages(dir string) ([]pipeline.Message, error) {
	text, err := os.ReadFile(filepath.Join(dir, pipeline.MessagesPath))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, badInput("--session: %v", err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the bus: %w", err)
	}
	return pipeline.ParseMessages(text), nil
}

type messagesLogCmd struct {
	Session string `required:"" help:"Session folder."`
	From    string `required:"" help:"Role that speaks."`
	To      string `required:"" help:"Role that is spoken to."`
	Type    string `default:"message" help:"Type of the message."`
	Summary string `required:"" help:"One line; the speaker's role is put in front."`
	Ref     string `help:"Artifact it is about."`
	Data    string `help:"Further fields, as a JSON object."`
	JSON    bool   `name:"json" help:"Print the record as JSON."`
}

func (c messagesLogCmd) Run(t *terminal) error {
	if info, err := os.Stat(c.Session); err != nil || !info.IsDir() {
		return badInput("--session: %s is not a folder", c.Session)
	}
	all, err := messages(c.Session)
	if err != nil {
		return err
	}
	m := pipeline.Message{TS: time.Now().UTC().Format("2006-01-02T15:04:05") + "+00:00", From: c.From, To: c.To, Type: c.Type, Summary: strings.Join(strings.Fields(c.Summary), " "), Ref: c.Ref}
	if prefix := "[" + c.From + "]"; !strings.HasPrefix(m.Summary, prefix) {
		m.Summary = prefix + " " + m.Summary
	}
	if c.Data != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.Data), &object); err != nil {
			return badInput("--data is not a JSON object: %v", err)
		}
		m.Data = json.RawMessage(c.Data)
	}
	highest := 0
	for _, o := range all {
		if n, err := strconv.Atoi(strings.TrimPrefix(o.ID, "MSG-")); err == nil {
			highest = max(highest, n)
		}
	}
	m.ID = fmt.Sprintf("MSG-%03d", highest+1)
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	if err := appendBus(c.Session, line); err != nil {
		return err
	}
	if c.JSON {
		fmt.Fprintln(t.out, string(line))
		return nil
	}
	fmt.Fprintln(t.out, m.ID)
	return nil
}

func appendBus(dir string, line []byte) error {
	name := filepath.Join(dir, pipeline.MessagesPath)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("append to the bus: %w", err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to the bus: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

type messagesListCmd struct {
	Session string `required:"" help:"Session folder."`
	From    string `help:"Only messages of this role."`
	To      string `help:"Only messages to this role."`
	Type    string `help:"Only messages of this type."`
	Last    int    `default:"20" help:"How many, 1 to 100."`
	JSON    bool   `name:"json" help:"Print JSON, one record per line."`
}

func (c messagesListCmd) Run(t *terminal) error {
	if c.Last < 1 || c.Last > 100 {
		return badInput("--last is 1 to 100, not %d", c.Last)
	}
	all, err := messages(c.Session)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m pipeline.Message) bool {
		return c.From != "" && m.From != c.From || c.To != "" && m.To != c.To || c.Type != "" && m.Type != c.Type
	})
	for _, m := range all[max(0, len(all)-c.Last):] {
		if err := printMessage(t, m, c.JSON); err != nil {
			return err
		}
	}
	return nil
}

func printMessage(t *terminal, m pipeline.Message, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(t.out).Encode(m)
	}
	fmt.Fprintf(t.out, "%s %s %s → %s %s: %s\n", m.ID, m.TS, m.From, m.To, m.Type, m.Summary)
	return nil
}

type messagesReadCmd struct {
	ID      string `arg:"" help:"MSG-NNN."`
	Session string `required:"" help:"Session folder."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (c messagesReadCmd) Run(t *terminal) error {
	all, err := messages(c.Session)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.ID != c.ID {
			continue
		}
		if err := printMessage(t, m, c.JSON); err != nil || c.JSON {
			return err
		}
		if m.Ref != "" {
			fmt.Fprintln(t.out, "ref: "+m.Ref)
		}
		if len(m.Data) > 0 {
			fmt.Fprintln(t.out, "data: "+string(m.Data))
		}
		return nil
	}
	return badInput("there is no message %s in %s", c.ID, filepath.Join(c.Session, pipeline.MessagesPath))
}

type messagesStatusCmd struct {
	Session string `required:"" help:"Session folder."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// memberStatus is what the bus knows of one role.
type memberStatus struct {
	Member     string `json:"member"`
	LastSeen   string `json:"last_seen"`
	LastAction string `json:"last_action"`
	Count      int    `json:"message_count"`
}

func (c messagesStatusCmd) Run(t *terminal) error {
	all, err := messages(c.Session)
	if err != nil {
		return err
	}
	var members []memberStatus
	for _, m := range all {
		at := slices.IndexFunc(members, func(s memberStatus) bool { return s.Member == m.From })
		if at < 0 {
			members = append(members, memberStatus{Member: m.From})
			at = len(members) - 1
		}
		members[at].LastSeen, members[at].LastAction = m.TS, m.Type
		members[at].Count++
	}
	state := "active"
	if n := len(all); n > 0 && all[n-1].Type == "shutdown" {
		state = "completed"
	}
	if c.JSON {
		return json.NewEncoder(t.out).Encode(struct {
			Status  string         `json:"status"`
			Total   int            `json:"total_messages"`
			Members []memberStatus `json:"members"`
		}{state, len(all), members})
	}
	fmt.Fprintf(t.out, "%s, %d messages\n", state, len(all))
	for _, m := range members {
		fmt.Fprintf(t.out, "%-14s %4d  %s  %s\n", m.Member, m.Count, m.LastSeen, m.LastAction)
	}
	return nil
}
