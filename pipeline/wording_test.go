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

// quiet holds every write of every play to what is true of all our texts: no
// ping but the one notice, within the budget, within GitHub's limits.
func quiet(t testing.TB, w Write) {
	t.Helper()
	body, limit := w.Body, map[WriteKind]int{WriteReview: 250, WritePanel: 200}[w.Kind]
	if w.Check != nil {
		body, limit = w.Check.Summary, 200
	}
	if n := Words(body); limit > 0 && n > limit {
		t.Errorf("%s of %d words:\n%s", w.Kind, n, body)
	}
	notice := w.Kind == WriteComment && strings.HasPrefix(body, "@")
	if w.Kind != WriteCommit && !notice && strings.Contains(outside(body), "@") {
		t.Errorf("%s pings somebody:\n%s", w.Kind, body)
	}
	if w.Kind == WriteComment && strings.TrimSpace(body) == "" || len(body) > MaxBody || len(w.Title) > 4*MaxTitle {
		t.Errorf("%s of %d bytes cannot be posted", w.Kind, len(body))
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
		v.Opinions = append(v.Opinions, Opinion{Perspective: p, Rating: stars(1), Source: "openai"})
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

// Half a question cannot be answered: the panel and the check of a gate that
// fails for want of answers ask in full.
func TestQuestionsAreAskedInFull(t *testing.T) {
	s := states()["failing"]
	s.Questions = nil
	for i, text := range []string{"What should be possible that is not today? All there is: “Make search better”.",
		"How much is meant in “Please make it faster and more user…”: which number and unit?",
		"How will you see that it is done: a checklist, or one example per wish?", "By which number is “Make search better” judged, and until when?", "What is not part of it?"} {
		s.Questions = append(s.Questions, Question{ID: fmt.Sprintf("Q-%d", i+1), Text: text, Default: "The sentences of the issue are the criteria, word by word."})
	}
	for kind, text := range map[string]string{"panel": Panel(s, nine), "check": CheckOutput(s, nine).Summary} {
		for _, q := range s.Questions {
			if !strings.Contains(text, q.Text) || !strings.Contains(text, q.Default) {
				t.Errorf("the %s does not ask %s in full:\n%s", kind, q.ID, text)
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
		"failing": "failure", "pass": "success", "rest": "success", "accepted": "success", "checkpoint": "action_required", "cancelled": "cancelled"}
	got := map[string]string{}
	for name, s := range states() {
		got[name] = CheckOutput(s, nine).Conclusion
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	rechecked := states()["accepted"]
	later := nine.Add(2 * time.Hour)
	rechecked.Tasks[6].CompletedAt, rechecked.Gate.Score = &later, 71
	if c := CheckOutput(rechecked, nine).Conclusion; c != "action_required" {
		t.Errorf("an acceptance of 79 %% made a later 71 %% %s", c)
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

func TestGradedCounts(t *testing.T) {
	for _, row := range []struct {
		blockers, majors int
		want             string
	}{
		{0, 1, "1 major stands in a line comment"},
		{1, 0, "1 blocker stands in a line comment"},
		{0, 3, "3 majors stand in line comments"},
		{1, 1, "1 blocker and 1 major stand in line comments"},
	} {
		if got := graded(row.blockers, row.majors); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// A round in which nobody rated has no average, in any text.
func TestNobodyRated(t *testing.T) {
	v := calmVerdict()
	v.Average = 0
	for i := range v.Opinions {
		v.Opinions[i].Rating = nil
	}
	task := hooks().Tasks[2]
	body, _ := ReviewText(hooks(), task, v)
	headline, _ := CommitMessage(hooks(), task, &v)
	for _, text := range []string{body, headline} {
		if !strings.Contains(text, "not rated") || strings.Contains(text, "0.0 / 5") || strings.Contains(text, "0.0/5") {
			t.Error(text)
		}
	}
}
