package pipeline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStartIsReadWholeOrRefused(t *testing.T) {
	plain := func(with func(*asked)) asked {
		a := asked{depth: "normal", execution: "parallel", focus: []string{}}
		with(&a)
		return a
	}
	tests := []struct {
		name, label, args string
		want              asked
		refused           []string // what the refusal names
	}{
		{name: "nothing", want: plain(func(*asked) {})},
		{name: "a label", label: "lifecycle", want: plain(func(*asked) {})},
		{name: "a label's mode", label: "lifecycle:Full-Lifecycle", want: plain(func(a *asked) { a.mode = FullLifecycle })},
		{name: "a label's mode behind a space", label: "lifecycle: spec-only ", want: plain(func(a *asked) { a.mode = SpecOnly })},
		{name: "a label's colon alone", label: "lifecycle: ", want: plain(func(*asked) {})},
		{name: "a mode", args: "spec-only", want: plain(func(a *asked) { a.mode = SpecOnly })},
		{name: "a mode in capitals behind a flag", args: "--sequential FULLSTACK", want: plain(func(a *asked) { a.mode, a.execution, a.flags = Fullstack, "sequential", []string{"--sequential"} })},
		{name: "a mode as a flag", args: "--mode=fe-only", want: plain(func(a *asked) { a.mode = FEOnly })},
		{name: "all flags", args: "spec-only --track tiny --depth deep --focus api,cost --parallel",
			want: plain(func(a *asked) {
				a.mode, a.track, a.depth, a.focus = SpecOnly, TrackTiny, "deep", []string{"api", "cost"}
				a.flags = []string{"--track tiny", "--depth deep", "--focus api,cost", "--parallel"}
			})},
		{name: "a path", args: "impl-only --spec docs/old=spec.md", want: plain(func(a *asked) {
			a.mode, a.spec, a.flags = ImplOnly, "docs/old=spec.md", []string{"--spec docs/old=spec.md"}
		})},
		{name: "the same twice", args: "spec-only --mode spec-only", want: plain(func(a *asked) { a.mode = SpecOnly })},

		{name: "two modes", args: "spec-only fullstack", refused: []string{"`spec-only`", "`fullstack`", "exclude each other"}},
		{name: "two modes, one a flag", args: "spec-only --mode fullstack", refused: []string{"`spec-only`", "`--mode fullstack`"}},
		{name: "a flag twice", args: "--track tiny --track standard", refused: []string{"`--track tiny`", "`--track standard`"}},
		{name: "two paths", args: "--spec a.md --spec `@b`", refused: []string{"`--spec a.md`", "`--spec '@b'`"}},
		{name: "two ways to run", args: "--parallel --sequential", refused: []string{"`--parallel`", "`--sequential`"}},
		{name: "a small specification of a mode that writes none", args: "fullstack --track tiny", refused: []string{"`fullstack`", "`--track tiny`", "`spec-only`"}},
		{name: "a specification for a mode that writes one", args: "--spec a.md full-lifecycle", refused: []string{"`full-lifecycle`", "`--spec a.md`", "`impl-only`"}},
		{name: "no mode", args: "everything", refused: []string{"no mode `everything`", "`full-lifecycle-fe`"}},
		{name: "a word behind the mode", args: "spec-only please", refused: []string{"no mode `please`"}},
		{name: "a mode that is left out", args: "--mode", refused: []string{"Which mode?", "`spec-only`"}},
		{name: "an unknown flag", args: "spec-only --fast", refused: []string{"no flag `--fast`", "`--track`"}},
		{name: "an unknown value", args: "--track small", refused: []string{"`--track`", "`small`", "`tiny`, `standard`"}},
		{name: "a value that is left out", args: "--spec --sequential", refused: []string{"`--spec` takes a value"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ev := Event{Label: test.label}
			if test.label == "" {
				ev.Command = &Command{Verb: "start", Args: strings.Fields(test.args)}
			}
			got, refusal := readStart(ev)
			if (refusal != nil) != (test.refused != nil) {
				t.Fatalf("refusal %v", refusal)
			}
			if refusal == nil {
				if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(asked{})); diff != "" {
					t.Fatal(diff)
				}
				return
			}
			for _, part := range test.refused {
				if !strings.Contains(refusal.Text, part) {
					t.Errorf("%q does not name %q", refusal.Text, part)
				}
			}
		})
	}
}

// TestSecondStart: what a further label or command asks for is taken while
// nothing was chosen, agreed to where it says nothing new, and refused with
// both modes named where it says something else.
func TestSecondStart(t *testing.T) {
	begin := func(label string) Event {
		return Event{Kind: EventStart, Label: label, Node: "I_142", Actor: Actor{Login: "octocat"}, Permission: PermWrite}
	}
	say := func(args ...string) Event {
		return Event{Kind: EventStart, Actor: Actor{Login: "octocat"}, Permission: PermWrite,
			Command: &Command{Verb: "start", Args: args, Subject: "IC_9", Carrier: OnIssue}}
	}
	tests := []struct {
		name          string
		first, second Event
		mode          Mode
		refused       []string
	}{
		{"a bare label, then a mode's", begin("lifecycle"), begin("lifecycle:full-lifecycle"), FullLifecycle, nil},
		{"a mode's label, then a bare one", begin("lifecycle:full-lifecycle"), begin("lifecycle"), FullLifecycle, nil},
		{"two modes' labels", begin("lifecycle:spec-only"), begin("lifecycle:fullstack"), SpecOnly, []string{"`spec-only`", "`fullstack`"}},
		{"a label and a command", begin("lifecycle:spec-only"), say("fe-only"), SpecOnly, []string{"`spec-only`", "`fe-only`"}},
		{"the same again", begin("lifecycle:spec-only"), say("spec-only"), SpecOnly, nil},
		{"a flag", begin("lifecycle:spec-only"), say("spec-only", "--depth", "deep"), SpecOnly, []string{"`--depth deep` counts at a start only"}},
		{"a contradiction of its own", begin("lifecycle:spec-only"), say("spec-only", "fe-only"), SpecOnly, []string{"exclude each other"}},
	}
	for _, test := range tests {
		for _, running := range []bool{false, true} {
			if running && test.mode != SpecOnly {
				continue // chosen by then
			}
			t.Run(test.name, func(t *testing.T) {
				p := newPlay(t)
				p.do(test.first)
				if running {
					p.step()
				}
				p.do(test.second)
				for _, part := range test.refused {
					p.refusedWith(part)
				}
				if len(test.refused) == 0 && len(p.said()) > 1 {
					t.Errorf("said %q", p.said())
				}
				for p.s.ID == "" && p.step() {
				}
				if p.s.Mode != test.mode {
					t.Fatalf("mode %s", p.s.Mode)
				}
			})
		}
	}
	t.Run("a flag while it waits", func(t *testing.T) {
		p := newPlay(t)
		p.begin("lifecycle:spec-only")
		p.do(Event{Kind: EventIssueClosed, Actor: Actor{Login: "octocat"}})
		p.do(say("--track", "tiny"))
		p.refusedWith("`--track tiny` counts at a start only")
		p.want(SessionPaused, WaitHeld, "action_required")
	})
	t.Run("labels that were there before", func(t *testing.T) {
		p := newPlay(t)
		p.do(begin("lifecycle"))
		p.brief.Body.Labels = []string{"lifecycle", "lifecycle:spec-only", "lifecycle:fullstack"}
		p.step()
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "`lifecycle:spec-only` and `lifecycle:fullstack` exclude each other") {
			t.Fatalf("%s, said %q", p.s.Status, p.lastSaid())
		}
	})
}
