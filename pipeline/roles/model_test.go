package roles

import (
	"context"
	"maps"
	"regexp"
	"slices"
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
	as     func(p pipeline.Prompt) string // the backend that answers; nil is always "script"
}

func (s *script) Ask(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, name := "", "script"
	if s.as != nil {
		name = s.as(p)
	}
	for try := range 3 {
		s.calls++
		text = s.answer(p, try)
		if text != "" && p.Check([]byte(text)) == nil {
			return pipeline.Reply{Text: text, Backend: name, Usage: pipeline.Usage{Calls: try + 1}}, nil
		}
	}
	if out, ok := p.Salvage(text); ok && text != "" {
		return pipeline.Reply{Text: string(out), Backend: name, Salvaged: true, Usage: pipeline.Usage{Calls: 3}}, nil
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

// byModel runs one task of the spec half with a model, on what the tasks
// before it left by rules.
func byModel(t *testing.T, n int, m *script) (pipeline.Folder, pipeline.Draft) {
	t.Helper()
	f := upTo(t, n)
	d, err := New(Config{Model: m}).Work(context.Background(), pipeline.Assignment{
		Session: pipeline.Session{ID: "TLS-sample-1-2026-11-21", Mode: pipeline.SpecOnly, Settings: pipeline.DefaultSettings()},
		Task:    pipeline.Task{ID: []pipeline.TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001"}[n]},
		Issue:   sample(t, well), Folder: f, Now: when,
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(f, d.Text)
	return f, d
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
			f, draft := byModel(t, 2, m)
			if got := first(f); got.Description != test.want || got.Priority != "Must" {
				t.Errorf("REQ-001 [%s] %q, want %q", got.Priority, got.Description, test.want)
			}
			warnings := strings.Join(draft.Warnings, "\n")
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
			for _, s := range Sources(sample(t, well), f) {
				if s.By == "" && s.Sort != SortDecision { // those wait for DRAFT-003
					t.Errorf("not covered: %q", s.Quote)
				}
			}
			if draft.Usage.Calls == 0 {
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
	}, as: func(p pipeline.Prompt) string { return "model of " + p.Slot }}
	f, drafts := run(t, sample(t, well), New(Config{Model: m}))
	writer := []string{"model of writer"}
	for id, wrote := range map[string][]string{"RESEARCH-001": {"model of analyst"}, "DRAFT-001": {"model of product", "model of quality", "model of technical", "model of writer"},
		"DRAFT-002": writer, "DRAFT-003": writer, "DRAFT-004": writer} { // the critique of DRAFT-003 stands beside it
		if !drafts[id].ByModel || !slices.Equal(drafts[id].Backends, wrote) {
			t.Errorf("%s was drafted by %v, want %v: %v", id, drafts[id].Backends, wrote, drafts[id].Warnings)
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

// Each document, from a good answer, half an answer, a broken one and one that
// contradicts the issue: what is grounded is taken, what is missing comes from
// the rules and is said, what contradicts is left out.
func TestModelDocuments(t *testing.T) {
	swap := func(old, now string) func(string) string {
		return func(d string) string { return strings.ReplaceAll(d, old, now) }
	}
	only := func(marks ...string) func(string) string {
		return func(d string) string {
			var out []string
			for _, part := range strings.SplitAfter(d, "\n=== ") {
				for _, m := range marks {
					if strings.Contains(part, m) {
						out = append(out, strings.TrimSuffix(part, "=== "))
					}
				}
			}
			return "=== " + strings.TrimPrefix(strings.Join(out, "\n=== "), "=== ")
		}
	}
	is := func(text string) func(string) string { return func(string) string { return text } }
	const broken = "{\"oops\":"
	brief, arch, epic := spec.BriefPath, spec.ArchitecturePath, "spec/epics/EPIC-001-retry.md"
	tests := []struct {
		name    string
		task    int
		ask     string // the prompt's task
		answer  func(drafted string) string
		file    string
		has     string // regexp
		not     string
		warning string
	}{
		{"analyst, good", 0, "Analyse", is("## Problem\n\nDeliveries get lost for good.\n\n## Users\n\n- Operator\n"), spec.DiscoveryPath, "get lost for good", "", ""},
		{"analyst, half", 0, "Analyse", is("## Problem\n\nDeliveries get lost for good.\n"), spec.DiscoveryPath, "(?s)get lost for good.*Operator", "", ""},
		{"analyst, broken", 0, "Analyse", is(broken), spec.DiscoveryPath, "Operator", "oops", "analyst by rules: script invalid"},
		{"analyst, contradicting", 0, "Analyse", is("## Problem\n\n77 % of deliveries are lost.\n"), spec.DiscoveryPath, "problem_statement", "77 %", ""},

		{"brief, good", 1, "Write spec/product-brief", swap("## Vision\n\n", "## Vision\n\nNo delivery is lost. "), brief, "No delivery is lost", "", ""},
		{"brief, half", 1, "Write spec/product-brief", is("# Product Brief: X\n\n## Vision\n\nNo delivery is lost.\n"), brief, "(?s)No delivery is lost.*### Current Situation\n\n[A-Z]", "", "brief: the model's answer was not whole"},
		{"brief, broken", 1, "Write spec/product-brief", is(broken), brief, "## Vision", "oops", "brief by rules: script invalid"},
		{"brief, contradicting", 1, "Write spec/product-brief", swap("## Vision\n\n", "## Vision\n\nSave 77 % of the cost. "), brief, "## Vision", "77 %", "brief: the model's answer was not whole"},

		{"architecture, good", 3, "Write spec/architecture", swap("### Architecture Style\n\n", "### Architecture Style\n\nOne process. "), arch, "One process", "", ""},
		{"architecture, half", 3, "Write spec/architecture", only("architecture/_index.md"), arch, "ADR-001", "", ""},
		{"architecture, broken", 3, "Write spec/architecture", is(broken), arch, "ADR-001", "oops", "architecture by rules: script invalid"},
		{"architecture, contradicting", 3, "Write spec/architecture", swap("## Decision\n\n", "## Decision\n\nUse a blockchain. "), "spec/architecture/ADR-001", "## Decision", "blockchain", ""},

		{"epics, good", 4, "Write one file for each epic", swap("## Description\n\n", "## Description\n\nNothing is lost. "), epic, "Nothing is lost", "", ""},
		{"epics, half", 4, "Write one file for each epic", only("EPIC-001"), "spec/epics/EPIC-002", "STORY-002-001", "", ""},
		{"epics, broken", 4, "Write one file for each epic", is(broken), epic, "STORY-001-001", "oops", "epics by rules: script invalid"},
		{"epics, contradicting", 4, "Write one file for each epic", swap("**Size:** S", "**Size:** XL"), epic, `\*\*Size:\*\* [SML]\n`, "XL", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &script{answer: func(p pipeline.Prompt, _ int) string {
				if strings.HasPrefix(p.Task, test.ask) {
					return test.answer(drafted(p))
				}
				return "- a remark\n"
			}}
			f, d := byModel(t, test.task, m)
			text := ""
			for _, p := range sortedKeys(f) {
				if strings.HasPrefix(p, test.file) {
					text = string(f[p])
					break
				}
			}
			if !regexp.MustCompile(test.has).MatchString(text) {
				t.Errorf("%s lacks %q:\n%s", test.file, test.has, text)
			}
			if test.not != "" && strings.Contains(text, test.not) {
				t.Errorf("%s holds %q", test.file, test.not)
			}
			if warnings := strings.Join(d.Warnings, "\n"); !strings.Contains(warnings, test.warning) {
				t.Errorf("warnings %q lack %q", warnings, test.warning)
			}
			if test.warning == "" && !d.ByModel {
				t.Error("the draft is not marked as a model's")
			}
		})
	}
}

// The reviewer's scores are computed: no model is asked, none can lift them.
func TestReviewerAsksNoModel(t *testing.T) {
	m := &script{answer: func(pipeline.Prompt, int) string { return "PASS" }}
	if _, d := byModel(t, 5, m); m.calls != 0 || d.Gate.Result != pipeline.GatePass {
		t.Errorf("%d calls, gate %s", m.calls, d.Gate.Result)
	}
}
