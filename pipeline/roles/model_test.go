package roles

import (
	"context"
	"strings"
	"sync"
	"testing"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// script answers each kind of prompt as a test says, and repairs twice as the
// real client does.
type script struct {
	mu     sync.Mutex
	calls  int
	answer func(p pipeline.Prompt, try int) string
}

func (s *script) Ask(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	for try := range 3 {
		s.calls++
		text = s.answer(p, try)
		if text != "" && p.Check([]byte(text)) == nil {
			return pipeline.Reply{Text: text, Backend: "script", Usage: pipeline.Usage{Calls: try + 1}}, nil
		}
	}
	if out, ok := p.Salvage(text); ok && text != "" {
		return pipeline.Reply{Text: string(out), Backend: "script", Salvaged: true, Usage: pipeline.Usage{Calls: 3}}, nil
	}
	return pipeline.Reply{Trail: []pipeline.Attempt{{Backend: "script", Class: "invalid"}}, Usage: pipeline.Usage{Calls: 3}}, pipeline.ErrNoModel
}

// drafted are the files the prompt shows as drafted by rules.
func drafted(p pipeline.Prompt) string {
	var b strings.Builder
	for _, s := range p.Sources {
		if name, ok := strings.CutPrefix(s.Name, "draft by rules: "); ok {
			b.WriteString("=== FILE: " + name + "\n" + s.Text + "\n")
		}
	}
	return b.String()
}

const retryRule = "The gateway MUST send a failed delivery again after 30 seconds, 5 minutes and 1 hour."

func TestModelPath(t *testing.T) {
	first := func(f pipeline.Folder) spec.Requirement {
		r, err := spec.ParseRequirements(parse(f, nil))
		if err != nil {
			t.Fatal(err)
		}
		return r.Reqs[0]
	}
	tests := []struct {
		name    string
		change  func(draft string, try int) string // of the requirements
		want    string                             // statement of REQ-001
		warning string
		marked  bool // REQ-002 is marked as inferred
	}{
		{"good answer", func(d string, _ int) string {
			return strings.ReplaceAll(d, retryRule, "The gateway MUST send a failed delivery again 30 seconds, 5 minutes and 1 hour after the failure.")
		}, "The gateway MUST send a failed delivery again 30 seconds, 5 minutes and 1 hour after the failure.", "", false},
		{"good after a repair", func(d string, try int) string {
			if try == 0 {
				return "I cannot do that."
			}
			return d
		}, retryRule, "", false},
		{"half an answer", func(d string, _ int) string {
			at := strings.Index(d, "=== FILE: spec/requirements/REQ-002")
			return d[:at]
		}, retryRule, "", true},
		{"broken answer", func(string, int) string { return "{\"oops\":" }, retryRule, "requirements by rules: script invalid", false},
		{"empty answer", func(string, int) string { return "" }, retryRule, "requirements by rules: script invalid", false},
		{"an invented number", func(d string, _ int) string {
			return strings.ReplaceAll(d, retryRule, "The gateway MUST send a failed delivery again after 77 seconds.")
		}, retryRule, "names 77, which nobody said", false},
		{"a contradicting priority", func(d string, _ int) string {
			return strings.Replace(d, "type: functional\npriority: Must", "type: functional\npriority: Could", 1)
		}, retryRule, "REQ-001 stays Must: the issue says so, the model said Could", false},
		{"a requirement nobody asked for", func(d string, _ int) string {
			return d + "=== FILE: spec/requirements/REQ-099-blockchain.md\n---\nid: REQ-099\ntype: functional\npriority: Must\ntraces_to: [G-001]\nstatus: draft\n---\n\n# REQ-099: Blockchain\n\n## Description\n\nThe system MUST use a blockchain.\n"
		}, retryRule, "left out REQ-099", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &script{answer: func(p pipeline.Prompt, try int) string {
				if strings.HasPrefix(p.Task, "Write one file for each requirement") {
					return test.change(drafted(p), try)
				}
				return ""
			}}
			f, drafts := run(t, sample(t, "../../cmd/parley/samples/well-written.md"), New(Config{Model: m}))
			if got := first(f); got.Description != test.want || got.Priority != "Must" {
				t.Errorf("REQ-001 [%s] %q, want %q", got.Priority, got.Description, test.want)
			}
			warnings := strings.Join(drafts["DRAFT-002"].Warnings, "\n")
			if !strings.Contains(warnings, test.warning) {
				t.Errorf("warnings %q lack %q", warnings, test.warning)
			}
			r, err := spec.ParseRequirements(parse(f, nil))
			if err != nil {
				t.Fatal(err)
			}
			if r.Reqs[1].Inferred != test.marked {
				t.Errorf("REQ-002 inferred: %v", r.Reqs[1].Inferred)
			}
			for _, s := range Sources(sample(t, "../../cmd/parley/samples/well-written.md"), f) {
				if s.By == "" {
					t.Errorf("not covered: %q", s.Quote)
				}
			}
			if drafts["DRAFT-002"].Usage.Calls == 0 {
				t.Error("calls are not accounted")
			}
		})
	}
}

// The whole session with a model that repeats the rules' drafts.
func TestModelOnEveryTask(t *testing.T) {
	m := &script{answer: func(p pipeline.Prompt, _ int) string {
		switch {
		case p.Task == "Analyse the issue.":
			return "## Problem\n\nFailed deliveries are lost.\n\n## Users\n\n- Operator\n\n## Open Questions\n\n- Who pays for replays? | Nobody | it is not said\n"
		case p.Task == "Criticise the architecture.":
			return "- ADR-001 polls the table; say how the poll backs off\n- The component Retry needs a limit\n"
		case drafted(p) == "":
			return "- deliveries must not be lost\n"
		}
		return drafted(p)
	}}
	f, drafts := run(t, sample(t, "../../cmd/parley/samples/well-written.md"), New(Config{Model: m}))
	for _, id := range []string{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004"} {
		if !drafts[id].ByModel {
			t.Errorf("%s was not drafted with the model: %v", id, drafts[id].Warnings)
		}
	}
	if g := drafts["QUALITY-001"].Gate; g.Result != pipeline.GatePass {
		t.Errorf("gate %s %.1f", g.Result, g.Score)
	}
	if !strings.Contains(string(f[spec.ArchitecturePath]), "Critical review: ADR-001 polls the table") {
		t.Error("the critique is not shown in the architecture")
	}
	if !strings.Contains(string(f[spec.DiscoveryPath]), "Who pays for replays?") {
		t.Error("the model's question is lost")
	}
}
