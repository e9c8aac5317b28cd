package pipeline

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// golden compares a text with its file under testdata/wording.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "wording", name+".md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Fatalf("%s (run with -update and read it):\n%s", path, diff)
	}
}

var (
	nine = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	full = func(v float64) *float64 { return &v }
	five = func(v int) *int { return &v }
)

// hooks is a session of six tasks, one of them revised, at the gate.
func hooks() Session {
	s := Session{
		ID: "TLS-retry-failed-web-142-2026-11-21", Mode: SpecOnly, Track: TrackStandard, Status: SessionPaused,
		ModeReason: "the default here", Language: "en", StartedAt: nine, UpdatedAt: nine.Add(14 * time.Minute),
		Repo:     Repo{ID: 11, Owner: "octo-org", Name: "hooks", URL: "https://github.com/octo-org/hooks"},
		Issue:    Issue{Number: 142, Title: "Retry failed webhooks", Author: "hubot"},
		PR:       PullRequest{Number: 143, URL: "https://github.com/octo-org/hooks/pull/143", Head: "b81d0e4c0ffee"},
		Settings: DefaultSettings(), Starter: "octocat",
		Wait:  &Wait{Reason: WaitCheckpoint, Task: "QUALITY-001", Since: nine.Add(14 * time.Minute), Deadline: nine.AddDate(0, 0, 30)},
		Usage: Usage{Calls: 22, ByRules: 2, Micros: 420000},
		Gate: &Gate{Result: GateReview, Score: 79.04, Rules: "1.0",
			Dimensions: map[string]*float64{"completeness": full(86), "consistency": full(90), "traceability": full(75), "depth": full(57.9), "coverage": full(91.7)},
			Notes:      map[string]string{"traceability": "3 of 4 goals reach a story", "depth": "4 of 7 stories sized", "coverage": "11 of 12 asks covered, 1 partly"},
			Lift:       "a story for G-003 (`/improve traceability`): 79 → 85 %"},
		Questions: []Question{{ID: "Q-1", Text: "Who may switch retries off?", Answer: "admins", By: "octocat"},
			{ID: "Q-2", Text: "How long is a payload kept?", Default: "72 h"}},
		Manifest: Manifest{Head: "b81d0e4c0ffee", Files: map[string]string{"spec/product-brief.md": "1", "spec/requirements/_index.md": "2",
			"spec/architecture/_index.md": "3", "spec/epics/_index.md": "4", "spec/readiness-report.md": "5", "spec/spec-summary.md": "6"}},
		RevisionChains: map[TaskID]TaskID{"DRAFT-002": "DRAFT-002-R1"},
	}
	s.Tasks = []Task{
		done("RESEARCH-001", Analyst, "", "DISCUSS-001", 3.7, "12 asks, 2 questions"),
		done("DRAFT-001", Writer, "RESEARCH-001", "DISCUSS-002", 3.8, "product brief, 4 goals"),
		done("DRAFT-002", Writer, "DRAFT-001", "DISCUSS-003", 3.0, "8 requirements, 3 NFRs"),
		done("DRAFT-002-R1", Writer, "DRAFT-001", "DISCUSS-003", 4.0, "9 requirements, 3 NFRs"),
		done("DRAFT-003", Writer, "DRAFT-002-R1", "DISCUSS-004", 3.0, "architecture, 2 decisions"),
		done("DRAFT-004", Writer, "DRAFT-003", "DISCUSS-005", 3.5, "3 epics, 7 stories"),
		done("QUALITY-001", Reviewer, "DRAFT-004", "DISCUSS-006", 3.6, "REVIEW 79 %"),
	}
	s.Tasks[2].Verdict, s.Tasks[2].Severity, s.Tasks[2].Superseded = ConsensusBlocked, High, true
	s.Tasks[3].RevisionOf, s.Tasks[3].RevisionCount = "DRAFT-002", 1
	s.Tasks[4].Glance.Low, s.Tasks[4].Glance.LowRating, s.Tasks[4].Glance.LowText = Risk, 2, "no plan for a full retry queue"
	s.Tasks[4].Glance.Majors, s.Tasks[4].Glance.Minors = 2, 5
	s.Tasks[3].Glance.Focus = []string{"New since round 003: REQ-009, switch retries off, from line 14 of the issue"}
	s.TasksTotal, s.TasksCompleted = len(s.Tasks), len(s.Tasks)
	return s
}

func done(id TaskID, owner Role, need TaskID, round Round, value float64, result string) Task {
	end := nine.Add(10 * time.Minute)
	t := Task{ID: id, Owner: owner, Status: TaskCompleted, Round: round, Verdict: ConsensusReached, Rating: &value,
		CompletedAt: &end, Summary: "wrote " + result, Artifact: "spec/product-brief.md",
		Glance: &Glance{Result: result, Models: 3, Rules: 1, Quotes: 9, Low: Quality, LowRating: 4}}
	if need != "" {
		t.BlockedBy = []TaskID{need}
	}
	return t
}

// states are the session in every state whose texts differ.
func states() map[string]Session {
	out := map[string]Session{"review": hooks()}
	put := func(name string, change func(*Session)) {
		s := hooks()
		change(&s)
		out[name] = s
	}
	put("working", func(s *Session) {
		s.Status, s.Wait, s.Gate, s.Tasks = SessionActive, nil, nil, s.Tasks[:6]
		s.Tasks[4].Status, s.Tasks[4].Rating, s.Tasks[4].Verdict, s.Tasks[4].Glance = TaskInProgress, nil, "", nil
		s.Tasks[5] = Task{ID: "DRAFT-004", Owner: Writer, Status: TaskPending, BlockedBy: []TaskID{"DRAFT-003"}, Round: "DISCUSS-005"}
		s.ActiveWorkers = []ActiveWorker{{AgentID: "j", TaskID: "DRAFT-003", Owner: Writer, SpawnedAt: nine}}
		s.TasksTotal, s.TasksCompleted = 6, 4
	})
	put("questions", func(s *Session) {
		s.Gate, s.Tasks, s.TasksCompleted = nil, s.Tasks[:1], 1
		s.Wait = &Wait{Reason: WaitQuestions, Task: "RESEARCH-001", Since: nine, Deadline: nine.Add(72 * time.Hour)}
	})
	put("blocked", func(s *Session) {
		s.Gate, s.Tasks, s.TasksCompleted = nil, s.Tasks[:4], 4
		s.Wait = &Wait{Reason: WaitBlocked, Task: "DRAFT-002-R1", Since: nine, Detail: "the inputs did not change"}
	})
	put("failing", func(s *Session) {
		s.Status, s.Wait, s.Gate.Result, s.Gate.Score = SessionCompleted, nil, GateFail, 52.3
		s.Gate.Dimensions["coverage"] = nil
		s.Gate.Notes["coverage"] = "nothing to cover"
	})
	put("pass", func(s *Session) {
		s.Status, s.Wait, s.Gate.Result, s.Gate.Score = SessionCompleted, nil, GatePass, 86.2
	})
	put("accepted", func(s *Session) {
		s.Status, s.Wait = SessionCompleted, nil
		s.Accepted = []Acceptance{{Who: "octocat", Gate: GateReview, Score: s.Gate.Score, Command: "resume"}}
	})
	put("checkpoint", func(s *Session) { s.Mode, s.Gate.Result, s.Gate.Score = FullLifecycle, GatePass, 86.2 })
	put("cancelled", func(s *Session) { s.Status, s.Wait = SessionAborted, nil })
	return out
}

// blockedVerdict is the round of the second picture to aim at.
func blockedVerdict() Verdict {
	return Verdict{
		Round: "DISCUSS-003", Run: 1, Artifact: "spec/requirements/_index.md", Consensus: ConsensusBlocked, Severity: High,
		Recommendation: "revise", Average: 3, QuotesChecked: 9, Dropped: 1, TookMS: 41000, OwnMS: 6,
		Record: "discussions/DISCUSS-003-discussion.md", Usage: Usage{Micros: 30000}, Versions: PanelVersions{Rules: "1.0", Prompt: "3"},
		Opinions: []Opinion{
			{Perspective: Quality, Rating: five(3), Source: "anthropic", KeyFinding: "two requirements cannot be tested as written", ChecksYes: 4, ChecksTotal: 6, Majors: 2, ModelRating: five(4)},
			{Perspective: Product, Rating: five(4), Source: "gemini (cached)", KeyFinding: "goals are measurable; the first retry has no bound", ChecksYes: 5, ChecksTotal: 6, Majors: 1, ModelRating: five(4)},
			{Perspective: Coverage, Rating: five(2), Source: "rules, after gemini 429", KeyFinding: "\"switch retries off for one endpoint\" is covered nowhere", Base: "rules: base 4.0", Blockers: 1, Cap: 2, CapRule: "L47"},
		},
		Divergences: []Divergence{
			{Kind: "coverage-gap", Severity: High, Perspective: Coverage, Text: "line 14 of the issue is in no requirement", Findings: []string{"F-07"},
				Options: []Option{{Label: "A", Text: "it becomes a requirement"}, {Label: "B", Text: "it moves to Out of Scope", Command: "/accept F-07 <reason>"}}},
			{Kind: "low-rating", Severity: Medium, Perspective: Coverage, Text: "2 / 5, held there by F-07"},
		},
		Themes: []Theme{{Text: "nobody can test when the first retry happens", Voices: []Perspective{Quality, Product}}},
		Actions: []Action{
			{Text: "Add a requirement for switching retries off per endpoint", Grade: Blocker, Voices: []Perspective{Coverage}, Findings: []string{"F-07"}},
			{Text: "Give REQ-003 a first delay, a growth and an end", Grade: Major, Voices: []Perspective{Quality, Product}, Findings: []string{"F-08"}},
		},
		Findings: []Finding{
			{ID: "F-10", Grade: Minor, Claim: "7 of 8 requirements are Must", File: "spec/requirements/_index.md", LineStart: 31, Rule: "L41", Voices: []Perspective{Product}},
			{ID: "F-08", Grade: Major, Claim: "No bound, so no test can fail", Suggestion: "State the first delay, how it grows and when it ends",
				File: "spec/requirements/REQ-003-retry-schedule.md", LineStart: 18, LineEnd: 18, Rule: "L30",
				Quote: "The service MUST retry promptly after a failed delivery.", Voices: []Perspective{Quality, Product}},
			{ID: "F-07", Grade: Blocker, Claim: "An ask of the issue has no requirement", File: "spec/requirements/_index.md", LineStart: 12, LineEnd: 14, Voices: []Perspective{Coverage}},
			{ID: "F-03", Grade: Major, Claim: "dropped by a person", State: FindingAccepted, File: "spec/product-brief.md", LineStart: 3},
		},
	}
}

func calmVerdict() Verdict {
	v := blockedVerdict()
	v.Consensus, v.Severity, v.Recommendation, v.Average = ConsensusReached, "", "", 4
	v.Divergences, v.Actions, v.Findings = nil, nil, v.Findings[:1]
	for i := range v.Opinions {
		v.Opinions[i].Rating, v.Opinions[i].Source = five(4), "rules"
	}
	return v
}

func reviewGolden(s Session, t Task, v Verdict) string {
	body, remarks := ReviewText(s, t, v)
	for _, r := range remarks {
		body += fmt.Sprintf("\n\n---- %s %s:%d-%d ----\n%s", r.Finding, r.Path, r.Start, r.Line, r.Body)
	}
	return body
}

func checkGolden(c CheckWrite) string {
	head := fmt.Sprintf("%s %s | %s | %s\n", c.Status, c.Conclusion, c.Title, c.External)
	for _, a := range c.Actions {
		head += fmt.Sprintf("[%s] %s (%s)\n", a.Label, a.Description, a.Identifier)
	}
	return head + "\n" + c.Summary
}

// texts are all texts of all states, by file name.
func texts() map[string]string {
	out := map[string]string{"help": HelpText()}
	for name, s := range states() {
		out["panel-"+name] = Panel(s, nine)
		out["check-"+name] = checkGolden(CheckOutput(s, nine))
		out["status-"+name] = StatusText(s, nine.Add(time.Hour), true)
	}
	s := hooks()
	revised := s
	revised.Tasks = s.Tasks[:4]
	out["review-blocked"] = reviewGolden(revised, s.Tasks[2], blockedVerdict())
	first := s
	first.Tasks = s.Tasks[:1]
	calm := calmVerdict()
	calm.Round = "DISCUSS-001"
	out["review-calm-rules"] = reviewGolden(first, s.Tasks[0], calm)
	start := hooks()
	start.Status, start.Wait, start.Gate = SessionActive, nil, nil
	start.TrackHint = "2 asks in 31 words"
	start.Problems = []string{".github/parley.yml line 3: gate.accept.review: no such permission"}
	start.Earlier = []EarlierSession{{ID: "TLS-retry-142-2026-10-01", PR: 120, Status: SessionAborted}}
	out["comment-start"] = StartComment(start)
	for _, name := range []string{"pass", "accepted", "cancelled", "failing"} {
		out["comment-"+name] = OutcomeComment(states()[name])
	}
	opening := start
	opening.Tasks, opening.Manifest, opening.PR, opening.TasksCompleted = nil, Manifest{}, PullRequest{}, 0
	out["pull-body"] = PullTitle(opening) + "\n\n" + PullBody(opening, nine)
	v := blockedVerdict()
	head, body := CommitMessage(s, s.Tasks[2], &v)
	out["commit-blocked"] = head + "\n\n" + body
	revision := s.Tasks[3]
	revision.Revision = &Change{Why: "consensus", Scope: "targeted", Items: []string{"REQ-003", "REQ-009"}, Text: "one ask had no requirement"}
	head, body = CommitMessage(s, revision, nil)
	out["commit-revision"] = head + "\n\n" + body
	for reason := range waitings {
		w := hooks()
		w.Wait = &Wait{Reason: reason, Task: "DRAFT-002"}
		out["notice-"+string(reason)] = WaitNotice(w)
	}
	return out
}

func TestGoldens(t *testing.T) {
	all := texts()
	for name, text := range all {
		t.Run(name, func(t *testing.T) { golden(t, name, text) })
	}
	files, err := filepath.Glob("testdata/wording/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if _, ok := all[strings.TrimSuffix(filepath.Base(path), ".md")]; !ok {
			t.Errorf("%s belongs to no text", path)
		}
	}
}

var (
	codePattern  = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	issueNumbers = regexp.MustCompile(`#\d+`)
	headings     = regexp.MustCompile(`(?m)^#{1,2} `)
)

// outside is a text without its code.
func outside(text string) string { return codePattern.ReplaceAllString(text, "") }

func TestEveryTextIsQuiet(t *testing.T) {
	for name, text := range texts() {
		bare := outside(text)
		if at := strings.Count(bare, "@"); at > 0 && !strings.HasPrefix(name, "notice-") || at > 1 {
			t.Errorf("%s pings somebody:\n%s", name, text)
		}
		if n := len(issueNumbers.FindAllString(bare, -1)); n > 1 {
			t.Errorf("%s names %d issues", name, n)
		}
		if headings.MatchString(text) {
			t.Errorf("%s has a heading above ###", name)
		}
	}
}

func TestWordBudgets(t *testing.T) {
	for name, text := range texts() {
		kind, _, _ := strings.Cut(name, "-")
		limit := map[string]int{"review": 250, "panel": 200, "check": 200, "status": 200}[kind]
		if n := Words(text); limit > 0 && n > limit && kind != "review" {
			t.Errorf("%s has %d words", name, n)
		}
	}
	body, _ := ReviewText(hooks(), hooks().Tasks[2], blockedVerdict())
	if n := Words(body); n > 250 {
		t.Errorf("a review of %d words", n)
	}
}

// A round that has everything to say, at length, still fits.
func TestBudgetsHoldForLongTexts(t *testing.T) {
	long := strings.Repeat("a rather long remark about very little ", 40)
	v := blockedVerdict()
	for _, p := range []Perspective{Technical, Risk} {
		v.Opinions = append(v.Opinions, Opinion{Perspective: p, Rating: five(1), Source: "openai"})
	}
	for i := range v.Opinions {
		v.Opinions[i].KeyFinding = long
	}
	for range 6 {
		v.Actions = append(v.Actions, Action{Text: long, Voices: []Perspective{Quality, Product, Risk, Technical, Coverage}, Findings: []string{"F-01", "F-02", "F-03"}})
		v.Divergences = append(v.Divergences, Divergence{Kind: "high-risk", Severity: High, Perspective: Risk, Text: long, Options: []Option{{Label: "A", Text: long}, {Label: "B", Text: long, Command: "/accept F-01 <reason>"}}})
		v.Warnings = append(v.Warnings, long)
		v.Injection = append(v.Injection, Injection{Kind: long, Where: long, Count: 3})
	}
	body, _ := ReviewText(hooks(), hooks().Tasks[2], v)
	if n := Words(body); n > 250 {
		t.Errorf("a review of %d words:\n%s", n, body)
	}
	for name, s := range states() {
		s.ModeReason, s.TrackHint = long, long
		for i := range s.Tasks {
			if g := s.Tasks[i].Glance; g != nil {
				g.Result, g.LowText, g.LowRating, g.Spread, g.Focus, g.Injection = shorten(long, 60), shorten(long, glanceText), 1, 4, []string{long, long}, 9
				g.Worst, g.WorstText, g.Blockers = "F-01", shorten(long, glanceText), 2
			}
		}
		if s.Gate != nil {
			s.Gate.Lift = long
			for _, d := range Dimensions {
				s.Gate.Notes[d.Name] = long
			}
		}
		if s.Wait != nil {
			s.Wait.Detail = long
			for i := range 5 {
				s.Questions = append(s.Questions, Question{ID: fmt.Sprintf("Q-%d", i+3), Text: long, Default: long})
			}
		}
		for kind, text := range map[string]string{"panel": Panel(s, nine), "check": CheckOutput(s, nine).Summary, "status": StatusText(s, nine, true)} {
			if n := Words(text); n > 200 {
				t.Errorf("%s of %s has %d words:\n%s", kind, name, n, text)
			}
		}
	}
}

func TestGreenPanelIsShort(t *testing.T) {
	for _, name := range []string{"pass", "accepted"} {
		if n := strings.Count(Panel(states()[name], nine), "\n") + 1; n > 8 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

// Buttons fit GitHub's limits, at most three, and say what a command does.
func TestButtons(t *testing.T) {
	sessions := states()
	for reason := range waitings {
		for _, task := range []TaskID{"DRAFT-002", "IMPROVE-traceability-001", ""} {
			s := hooks()
			s.Wait = &Wait{Reason: reason, Task: task}
			sessions[string(reason)+string(task)] = s
		}
	}
	for name, s := range sessions {
		check := CheckOutput(s, nine)
		if len(check.Actions) > 3 || check.Status != "completed" && len(check.Actions) > 0 {
			t.Errorf("%s: %d buttons", name, len(check.Actions))
		}
		for _, a := range check.Actions {
			if len(a.Label) > 20 || len(a.Description) > 40 || len(a.Identifier) > 20 {
				t.Errorf("%s: button too long: %+v", name, a)
			}
			verb, _, _ := strings.Cut(a.Identifier, ":")
			known := false
			for _, c := range Commands {
				known = known || c.Verb == verb
			}
			if !known {
				t.Errorf("%s: button %q is no command", name, a.Identifier)
			}
		}
		if check.Conclusion == "neutral" || check.Conclusion == "skipped" {
			t.Errorf("%s: %s satisfies a required check", name, check.Conclusion)
		}
	}
}

func TestGateTable(t *testing.T) {
	want := map[string]string{"working": "", "review": "action_required", "questions": "action_required", "blocked": "action_required",
		"failing": "failure", "pass": "success", "accepted": "success", "checkpoint": "action_required", "cancelled": "cancelled"}
	got := map[string]string{}
	for name, s := range states() {
		got[name] = CheckOutput(s, nine).Conclusion
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	rechecked := states()["accepted"]
	rechecked.Gate.Score = 71
	if c := CheckOutput(rechecked, nine).Conclusion; c != "action_required" {
		t.Errorf("an acceptance of 79 %% made 71 %% %s", c)
	}
}

// Numbers are rounded for display only, never over a line they have not reached.
func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{79.6: "79.6", 79.96: "79.9", 79.2: "79", 80: "80", 59.9: "59.9", 0: "0", 100: "100"} {
		if got := percent(v); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	if got := rating(2.98); got != "2.98" {
		t.Errorf("2.98 is shown as %s", got)
	}
}

func TestExternalID(t *testing.T) {
	if n := IssueOfExternalID(ExternalID(hooks())); n != 142 {
		t.Fatal(n)
	}
	for _, bad := range []string{"", "142", "x/TLS-a", "-1/TLS-a", "142/other"} {
		if n := IssueOfExternalID(bad); n != 0 {
			t.Errorf("%q is issue %d", bad, n)
		}
	}
}

// Only the end of a mode that builds something closes the issue.
func TestClosesOnlyAtTheEnd(t *testing.T) {
	s := hooks()
	if _, body := CommitMessage(s, s.Tasks[6], nil); !strings.Contains(body, "Refs #142") || strings.Contains(body, "Closes") {
		t.Error(body)
	}
	s.Mode = ImplOnly
	if _, body := CommitMessage(s, s.Tasks[6], nil); !strings.Contains(body, "Closes #142") {
		t.Error(body)
	}
	s.Tasks[6].Status = TaskPending
	if _, body := CommitMessage(s, s.Tasks[5], nil); strings.Contains(body, "Closes") {
		t.Error(body)
	}
}
