package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var (
	nine  = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	num   = func(v float64) *float64 { return &v }
	stars = func(v int) *int { return &v }
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
			Dimensions: map[string]*float64{"completeness": num(86), "consistency": num(90), "traceability": num(75), "depth": num(57.9), "coverage": num(91.7)},
			Notes:      map[string]string{"traceability": "3 of 4 goals reach a story", "depth": "4 of 7 stories sized", "coverage": "11 of 12 asks covered, 1 partly"},
			Lift:       "a story for G-003 (`/improve traceability`): 79 → 85 %"},
		Questions: []Question{{ID: "Q-1", Text: "Who may switch retries off?", Answer: "admins", By: "octocat"},
			{ID: "Q-2", Text: "How long is a payload kept?", Default: "72 h"}},
		Manifest: Manifest{Head: "b81d0e4c0ffee", Files: map[string]string{"spec/product-brief.md": "1", "spec/requirements/_index.md": "2",
			"spec/architecture/_index.md": "3", "spec/epics/_index.md": "4", "spec/readiness-report.md": "5", "spec/spec-summary.md": "6"}},
		RevisionChains: map[TaskID]TaskID{"DRAFT-002": "DRAFT-002-R1"},
	}
	s.Tasks = []Task{
		finishedTask("RESEARCH-001", Analyst, "", "DISCUSS-001", 3.7, "12 asks, 2 questions"),
		finishedTask("DRAFT-001", Writer, "RESEARCH-001", "DISCUSS-002", 3.8, "product brief, 4 goals"),
		finishedTask("DRAFT-002", Writer, "DRAFT-001", "DISCUSS-003", 3.0, "8 requirements, 3 NFRs"),
		finishedTask("DRAFT-002-R1", Writer, "DRAFT-001", "DISCUSS-003", 4.0, "9 requirements, 3 NFRs"),
		finishedTask("DRAFT-003", Writer, "DRAFT-002-R1", "DISCUSS-004", 3.0, "architecture, 2 decisions"),
		finishedTask("DRAFT-004", Writer, "DRAFT-003", "DISCUSS-005", 3.5, "3 epics, 7 stories"),
		finishedTask("QUALITY-001", Reviewer, "DRAFT-004", "DISCUSS-006", 3.6, "REVIEW 79 %"),
	}
	s.Tasks[2].Verdict, s.Tasks[2].Severity, s.Tasks[2].Superseded = ConsensusBlocked, High, true
	s.Tasks[3].RevisionOf, s.Tasks[3].RevisionCount = "DRAFT-002", 1
	s.Tasks[4].Glance.Low, s.Tasks[4].Glance.LowRating, s.Tasks[4].Glance.LowText = Risk, 2, "no plan for a full retry queue"
	s.Tasks[4].Glance.Majors, s.Tasks[4].Glance.Minors = 2, 5
	s.Tasks[3].Glance.Focus = []string{"New since round 003: REQ-009, switch retries off, from line 14 of the issue"}
	for i, g := range []Grade{Major, Minor, Minor, Major, Minor, Minor, Minor} {
		s.Findings = append(s.Findings, OpenFinding{ID: fmt.Sprintf("F-%02d", i+1), Grade: g, State: FindingOpen})
	}
	s.Findings = append(s.Findings, OpenFinding{ID: "F-08", Grade: Blocker, State: FindingAccepted})
	s.TasksTotal, s.TasksCompleted = len(s.Tasks), len(s.Tasks)
	return s
}

func finishedTask(id TaskID, owner Role, need TaskID, round Round, value float64, result string) Task {
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
		s.Warnings = []string{"older", "DRAFT-001 has no verdict: its round failed, by @mona", "edited by `mona`: spec/product-brief.md. `/recheck` judges it."}
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
	put("rest", func(s *Session) {
		s.Status, s.Wait, s.Gate.Result, s.Gate.Score = SessionCompleted, nil, GatePass, 86.2
		s.Posted.Undone = []WriteKind{WriteReady, WriteResolve}
	})
	put("accepted", func(s *Session) {
		s.Status, s.Wait = SessionCompleted, nil
		s.Accepted = []Acceptance{{Who: "octocat", Gate: GateReview, Score: s.Gate.Score, Command: "resume", At: nine.Add(time.Hour)}}
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
			{Perspective: Quality, Rating: stars(3), Source: "anthropic", KeyFinding: "two requirements cannot be tested as written", ChecksYes: 4, ChecksTotal: 6, Majors: 2, ModelRating: stars(4)},
			{Perspective: Product, Rating: stars(4), Source: "gemini (cached)", KeyFinding: "goals are measurable; the first retry has no bound", ChecksYes: 5, ChecksTotal: 6, Majors: 1, ModelRating: stars(4)},
			{Perspective: Coverage, Rating: stars(2), Source: "rules, after gemini 429", KeyFinding: "\"switch retries off for one endpoint\" is covered nowhere", Base: "rules: base 4.0", Blockers: 1, Cap: 2, CapRule: "L47"},
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
	v.Findings = v.Findings[:1]
	// What an action item says again is not said twice; the other stays.
	v.Actions = []Action{{Text: "Name the role that has the want.", Voices: []Perspective{Product}}}
	v.Divergences = []Divergence{{Kind: "enhancement", Severity: Low, Perspective: Product, Text: "Name the role that has the want."},
		{Kind: "enhancement", Severity: Low, Perspective: Quality, Text: "Give the export a size."}}
	for i := range v.Opinions {
		v.Opinions[i].Rating, v.Opinions[i].Source = stars(4), "rules"
	}
	return v
}

// TestExplainNamesEveryWait: whatever a session waits for, --explain says why,
// since when, until when and which command helps.
func TestExplainNamesEveryWait(t *testing.T) {
	for reason := range resumptions {
		t.Run(string(reason), func(t *testing.T) {
			s := hooks()
			s.Status = SessionPaused
			s.Wait = &Wait{Reason: reason, Task: "DRAFT-002", Since: nine, Deadline: nine.Add(72 * time.Hour)}
			if _, told := waitings[reason]; !told {
				t.Fatal("no words for this wait")
			}
			text := StatusText(s, nine.Add(time.Hour), true)
			for _, part := range []string{reasonText(s), waitingOf(s).say, "**Waits** since 21 November, 09:00 UTC, 60 min ago", "Until 24 November, 09:00 UTC; then"} {
				if !strings.Contains(text, part) {
					t.Errorf("lacks %q:\n%s", part, text)
				}
			}
		})
	}
}
