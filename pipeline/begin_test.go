package pipeline

import (
	"slices"
	"strings"
	"testing"
)

func TestModeChoice(t *testing.T) {
	body := func(b string) func(*Briefing) { return func(x *Briefing) { x.Body.Body = b } }
	def := func(m Mode, b string) func(*Briefing) {
		return func(x *Briefing) { x.Body.Body = b; x.Settings.DefaultMode = m; x.HasSpec = true }
	}
	tests := []struct {
		name  string
		label string
		brief func(*Briefing)
		want  Mode
	}{
		{"the default", "lifecycle", body("x"), SpecOnly},
		{"spec-only is never upgraded", "lifecycle", body("a React page"), SpecOnly},
		{"the label's", "lifecycle:full-lifecycle", body("x"), FullLifecycle},
		{"an explicit mode is never upgraded", "lifecycle:full-lifecycle", body("a React page"), FullLifecycle},
		{"another label's without a mode", "lifecycle", func(x *Briefing) {
			x.Body.Labels = []string{"lifecycle", "lifecycle: fullstack", "lifecycle:"}
		}, Fullstack},
		{"another label's", "lifecycle", func(x *Briefing) { x.Body.Labels = []string{"bug", "lifecycle", "Lifecycle:fullstack"} }, Fullstack},
		{"the form's field", "lifecycle", body("### Lifecycle mode\n\nimpl-only\n\n### What\n\na React page"), ImplOnly},
		{"full-lifecycle sees a frontend", "lifecycle", def(FullLifecycle, "a sidebar with a dark mode"), FullLifecycleFE},
		{"impl-only sees a frontend alone", "lifecycle", def(ImplOnly, "a modal dialog"), FEOnly},
		{"impl-only sees both", "lifecycle", def(ImplOnly, "a page and its REST endpoint"), Fullstack},
		{"impl-only sees a backend", "lifecycle", def(ImplOnly, "a queue worker"), ImplOnly},
		{"build is not ui", "lifecycle", def(FullLifecycle, "build the guide, rebuild quickly"), FullLifecycle},
		{"a dependency tells", "lifecycle", func(b *Briefing) {
			b.Settings.DefaultMode, b.Body.Body, b.PackageJSON = FullLifecycle, "x", `{"devDependencies":{"vue":"3"}}`
		}, FullLifecycleFE},
		{"a broken package.json tells nothing", "lifecycle", func(b *Briefing) {
			b.Settings.DefaultMode, b.Body.Body, b.PackageJSON = FullLifecycle, "x", `{"devDependencies":`
		}, FullLifecycle},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			p.brief.Body.Title = "T"
			test.brief(&p.brief)
			p.begin(test.label)
			if p.s.Mode != test.want {
				t.Fatalf("mode %s (%s)", p.s.Mode, p.s.ModeReason)
			}
			if strings.HasPrefix(p.s.ModeReason, "upgraded") && len(p.s.FrontendSignals) == 0 {
				t.Fatal("an upgrade without its signals")
			}
		})
	}
}

func TestCannotBegin(t *testing.T) {
	tests := []struct {
		name, label, part string
		brief             func(*Briefing)
	}{
		{"impl-only without a specification", "lifecycle:impl-only", "or start `spec-only`", func(b *Briefing) { b.HasSpec = false }},
		{"switched off", "lifecycle", "switched off", func(b *Briefing) { b.Settings.Enabled = false }},
		{"empty repository", "lifecycle", "no commit", func(b *Briefing) { b.EmptyRepo = true }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			test.brief(&p.brief)
			p.begin(test.label)
			if p.s.Status != "" || len(p.jobs) != 0 || !strings.Contains(p.lastSaid(), test.part) {
				t.Fatalf("%s, %v, %q", p.s.Status, p.jobs, p.lastSaid())
			}
		})
	}
	t.Run("a reader's label", func(t *testing.T) {
		p := newPlay(t)
		p.do(Event{Kind: EventStart, Label: "lifecycle", Actor: Actor{Login: "r"}, Permission: PermRead})
		if p.s.Status != "" || len(p.jobs) != 0 || !strings.Contains(p.lastSaid(), "write access") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
	t.Run("impl-only with a specification that is not there", func(t *testing.T) {
		p := newPlay(t)
		p.brief.HasSpec = false
		p.do(Event{Kind: EventStart, Actor: Actor{Login: "w"}, Permission: PermWrite,
			Command: &Command{Verb: "start", Args: []string{"impl-only", "--spec", "docs/@old.md"}, Subject: "IC_0", Carrier: OnIssue}})
		p.step()
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "no file `docs/@old.md`") || !strings.Contains(p.lastSaid(), "`spec-only`") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
	for flags, mode := range map[string]Mode{"--track tiny": Fullstack, "--spec docs/old.md": SpecOnly} {
		t.Run("a configured mode that has no use for "+flags, func(t *testing.T) {
			p := newPlay(t)
			p.brief.Settings.DefaultMode = mode
			p.do(Event{Kind: EventStart, Actor: Actor{Login: "w"}, Permission: PermWrite,
				Command: &Command{Verb: "start", Args: strings.Fields(flags), Subject: "IC_0", Carrier: OnIssue}})
			p.step()
			if p.s.Status != "" || !strings.Contains(p.lastSaid(), "Mode `"+string(mode)+"` has no use for `"+flags+"`") {
				t.Fatalf("%s %q", p.s.Status, p.lastSaid())
			}
		})
	}
	t.Run("a briefing that cannot be read", func(t *testing.T) {
		p := newPlay(t)
		p.doStart()
		p.do(Event{Kind: EventFailed, Job: p.jobs[0].ID, Failure: &Failure{Job: p.jobs[0].ID, Kind: string(JobPrepare), Last: true, Text: "502"}})
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "could not be read, so no session was started") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
	t.Run("a command before it has begun", func(t *testing.T) {
		p := newPlay(t)
		p.doStart()
		p.say("/recheck")
		p.refusedWith("only just beginning")
		p.step()
		p.run()
		p.want(SessionCompleted, "", "success")
	})
	t.Run("a mode that is none", func(t *testing.T) {
		p := newPlay(t)
		p.do(Event{Kind: EventStart, Label: "lifecycle:everything", Actor: Actor{Login: "w"}, Permission: PermWrite})
		if p.s.Status != "" || !strings.Contains(p.lastSaid(), "`full-lifecycle-fe`") {
			t.Fatalf("%s %q", p.s.Status, p.lastSaid())
		}
	})
}

func TestSessionIDs(t *testing.T) {
	tests := []struct {
		title string
		issue int
		want  string
	}{
		{"Retry failed webhooks", 142, "TLS-retry-failed-web-142-2026-11-21"},
		{"  Ünïcode & tabs\t", 7, "TLS-n-code-tabs-7-2026-11-21"},
		{"日本語", 9, "TLS-issue-9-2026-11-21"},
		{"", 123456789, "TLS-issue-123456789-2026-11-21"},
		{"../../etc/passwd; rm -rf", 1, "TLS-etc-passwd-rm-rf-1-2026-11-21"},
	}
	for _, test := range tests {
		got := SessionID(test.title, test.issue, start, 1)
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.title, got, test.want)
		}
		if slug := Slug(test.title, test.issue); len(slug) > slugRoom {
			t.Errorf("%q: slug %q is longer than %d", test.title, slug, slugRoom)
		}
	}
	if got := SessionID("x", 1, start, 2); got != "TLS-x-1-2026-11-21-2" {
		t.Error(got)
	}
}

func TestTinyTrackRunsTwoRounds(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.Track = TrackTiny
	p.begin("lifecycle")
	var rounds []Round
	var tasks []TaskID
	for _, task := range p.s.Tasks {
		tasks = append(tasks, task.ID)
		if task.Round != "" {
			rounds = append(rounds, task.Round)
		}
	}
	if !slices.Equal(rounds, []Round{"DISCUSS-003", "DISCUSS-006"}) {
		t.Fatalf("rounds %v", rounds)
	}
	if !slices.Equal(tasks, []TaskID{"RESEARCH-001", "DRAFT-002", "QUALITY-001"}) {
		t.Fatalf("tasks %v", tasks)
	}
	p.run()
	p.want(SessionCompleted, "", "success")
}
