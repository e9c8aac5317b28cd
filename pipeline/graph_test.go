package pipeline

import (
	"slices"
	"strings"
	"testing"
)

// TestPreflight holds the checks of a chain before it starts, one row each:
// what is an error, what is put right, and what is only said.
func TestPreflight(t *testing.T) {
	tests := []struct {
		name    string
		spoil   func(*Session)
		err     string
		warning string
	}{
		{"a chain as it is built", func(*Session) {}, "", ""},
		{"task count", func(s *Session) { s.Tasks = s.Tasks[:5] }, "mode spec-only has 6 tasks, the chain 5", ""},
		{"a mode of nobody's", func(s *Session) { s.Mode, s.Tasks = "odd", nil }, "mode odd has 0 tasks", ""},
		{"dependencies", func(s *Session) { s.Tasks[5].BlockedBy = []TaskID{"DRAFT-009"} }, "QUALITY-001 needs DRAFT-009, which is not there", ""},
		{"cycles", func(s *Session) { s.Tasks[1].BlockedBy = []TaskID{"DRAFT-002"} }, "a circle: DRAFT-001 → DRAFT-002 → DRAFT-001", ""},
		{"owner of another prefix", func(s *Session) { s.Tasks[2].Owner = Reviewer }, "DRAFT-002 has the wrong owner reviewer", ""},
		{"owner that is no role", func(s *Session) { s.Tasks[2].Owner = "poet" }, "DRAFT-002 has the wrong owner poet", ""},
		{"prefix of nobody's", func(s *Session) { s.Tasks[2].ID = "POEM-001" }, "POEM-001 has the wrong owner", ""},
		{"unique ids", func(s *Session) { s.Tasks[2].ID = "DRAFT-001" }, "DRAFT-001 stands twice", ""},
		{"startable", func(s *Session) { s.Tasks[0].BlockedBy = []TaskID{"QUALITY-001"} }, "no task can start", ""},
		{"session line", func(s *Session) { s.Tasks[3].Description = "Architecture" }, "", ""},
		{"inline discuss", func(s *Session) { s.Tasks[3].Round = "DISCUSS-001" }, "", "DRAFT-003 has the round DISCUSS-001 where its mode has DISCUSS-004"},
		{"no inline discuss", func(s *Session) { s.Tasks[3].Round = "" }, "", "DRAFT-003 has the round – where its mode has DISCUSS-004"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := Session{ID: "TLS-x-1", Mode: SpecOnly, Track: TrackStandard}
			s.Tasks = build(&s)
			test.spoil(&s)
			warnings, err := preflight(&s)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if got := strings.Join(warnings, "; "); got != test.warning {
				t.Fatalf("warns %q, want %q", got, test.warning)
			}
			for _, task := range s.Tasks {
				if err == nil && ReadMeta(task.Description).Session != s.Folder() {
					t.Errorf("%s names no session: %q", task.ID, task.Description)
				}
			}
		})
	}
}

// TestPreflightOfEveryMode: the tables themselves pass, on both tracks.
func TestPreflightOfEveryMode(t *testing.T) {
	for _, mode := range Modes {
		for _, track := range []Track{TrackStandard, TrackTiny} {
			s := Session{ID: "TLS-x-1", Mode: mode, Track: track}
			s.Tasks = build(&s)
			if warnings, err := preflight(&s); err != nil || len(warnings) > 0 {
				t.Errorf("%s, %s: %v %v", mode, track, err, warnings)
			}
		}
	}
}

// TestSignals is every word and every dependency by which a frontend and a
// backend are told, and what becomes of both modes that are upgraded.
func TestSignals(t *testing.T) {
	choose := func(t *testing.T, m Mode, text, pkg string) choice {
		b := Briefing{Settings: DefaultSettings(), Body: IssueText{Title: "T", Body: text}, PackageJSON: pkg}
		b.Settings.DefaultMode = m
		c, refusal := chooseMode(Session{}, b)
		if refusal != nil {
			t.Fatal(refusal)
		}
		return c
	}
	front := []string{"component", "page", "UI", "frontend", "CSS", "HTML", "React", "Vue", "Tailwind", "Svelte", "Next.js", "Nuxt",
		"shadcn", "design system", "responsive", "layout", "form", "dialog", "modal", "sidebar", "navbar", "theme", "dark mode", "animation"}
	back := []string{"API", "database", "server", "endpoint", "backend", "middleware", "migration", "schema", "REST", "GraphQL",
		"authentication", "authorization", "queue", "worker", "cron"}
	for _, word := range front {
		c := choose(t, FullLifecycle, "We want a "+word+" here.", "")
		if c.Mode != FullLifecycleFE || !slices.Contains(c.Signals, strings.ToLower(word)) || !strings.Contains(c.Reason, strings.ToLower(word)) {
			t.Errorf("%s: %+v", word, c)
		}
		if got := choose(t, ImplOnly, "We want a "+word+" here.", "").Mode; got != FEOnly {
			t.Errorf("impl-only with %s alone becomes %s", word, got)
		}
	}
	for _, word := range back {
		if got := choose(t, ImplOnly, "We want a sidebar and a "+word+".", "").Mode; got != Fullstack {
			t.Errorf("impl-only with a sidebar and %s becomes %s", word, got)
		}
		for _, m := range []Mode{ImplOnly, FullLifecycle} {
			if got := choose(t, m, "We want a "+word+".", "").Mode; got != m {
				t.Errorf("%s with %s becomes %s", m, word, got)
			}
		}
	}
	for _, dep := range []string{"react", "vue", "svelte", "next"} {
		for _, list := range []string{"dependencies", "devDependencies"} {
			c := choose(t, FullLifecycle, "x", `{"`+list+`":{"`+dep+`":"1"}}`)
			if c.Mode != FullLifecycleFE || !slices.Equal(c.Signals, []string{"package.json: " + dep}) {
				t.Errorf("%s in %s: %+v", dep, list, c)
			}
		}
	}
	for _, m := range []Mode{SpecOnly, FEOnly, Fullstack, FullLifecycleFE} {
		if c := choose(t, m, "a React page with an API", ""); c.Mode != m || len(c.Signals) == 0 {
			t.Errorf("%s: %+v", m, c)
		}
	}
}

// TestUpgradeIsAnnounced: whoever labelled the issue reads why it is another
// mode, with the signals.
func TestUpgradeIsAnnounced(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.DefaultMode = FullLifecycle
	p.brief.Body.Body, p.brief.PackageJSON = "a sidebar", `{"dependencies":{"svelte":"5"}}`
	p.begin("lifecycle")
	p.deliver()
	said := strings.Join(p.said(), "\n")
	for _, part := range []string{"full-lifecycle-fe", "upgraded from full-lifecycle", "sidebar", "package.json: svelte"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not announced:\n%s", part, said)
		}
	}
}
