package discuss

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
	"parley/pipeline/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with what is kept, whatever version the rules have.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	for _, lead := range []string{"Rules ", "规则 "} {
		got = bytes.ReplaceAll(got, []byte(lead+spec.RulesVersion), []byte(lead+"N"))
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

// session is the sample specification as a session folder. One ask of its
// issue has no requirement.
func session(t testing.TB) pipeline.Folder {
	t.Helper()
	folder := pipeline.Folder{}
	root := os.DirFS("testdata/session")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		folder[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// judge runs a round and lays its files over the folder, as a commit does.
func judge(t testing.TB, m pipeline.Model, r pipeline.Review) pipeline.Judgement {
	t.Helper()
	j, err := New(Config{Model: m, Now: still}).Critique(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Folder, j.Text)
	return j
}

// edit replaces text in a file of the folder; text that is not there fails.
func edit(t testing.TB, folder pipeline.Folder, file, old, with string) {
	t.Helper()
	if !bytes.Contains(folder[file], []byte(old)) {
		t.Fatalf("%s does not say %q", file, old)
	}
	folder[file] = bytes.ReplaceAll(folder[file], []byte(old), []byte(with))
}

const (
	reqIndex = "spec/requirements/_index.md"
	req1     = "spec/requirements/REQ-001-retry-a-failed-delivery.md"
)

// hand is a hearing made by hand, so that what is written does not depend on
// which rules there are.
func hand(language string) *hearing {
	r := reviewOf("DISCUSS-003", pipeline.Folder{reqIndex: []byte("# Requirements\n"), discoveryPath: []byte("{}"),
		"discussions/DISCUSS-002-discussion.md": []byte("# Discussion Record: DISCUSS-002\n")})
	r.Artifact, r.Session.Language = reqIndex, language
	r.Session.Questions = []pipeline.Question{{ID: "Q-1", Text: "Who may replay?", Answer: "operators", By: "alice", Why: "it decides a role"}}
	h := &hearing{review: r, round: rounds[2], run: 1, panel: []pipeline.Perspective{pipeline.Product, pipeline.Quality, pipeline.Coverage}}
	h.scope, _ = newScope(r.Folder, h.round, reqIndex)
	h.ledger = Ledger{Version: 1, Runs: []Run{{Round: "DISCUSS-002", Run: 1, Consensus: pipeline.ConsensusReached, Average: 4}},
		Findings: []pipeline.Finding{{ID: "F-01", Key: "L41:_index", Rule: "L41", Grade: pipeline.Minor, Claim: "every requirement is Must", File: reqIndex,
			State: pipeline.FindingAccepted, By: "alice", Reason: "the law says so", Voices: []pipeline.Perspective{pipeline.Product}, Round: "DISCUSS-003"}}}
	rules := reading{
		findings: []spec.Finding{
			{Rule: "L47", Grade: "blocker", File: reqIndex, Line: 1, End: 1, Message: "line 18 of the issue is in no requirement", Remedy: "Add a requirement for it.",
				Quote: "Customers must be able to switch retries off", Perspectives: []string{"coverage"}},
			{Rule: "L30", Grade: "major", File: req1, Line: 17, End: 17, Item: "REQ-001", Message: "“promptly” has no bound", Remedy: "State the first delay and how it grows.",
				Quote: "again promptly | <b>now</b>", Perspectives: []string{"quality", "product"}},
		},
		ratings: map[pipeline.Perspective]spec.Rating{
			pipeline.Product:  {Value: 4, Sum: []string{"base 4.0", "+0.5 two non-goals listed", "= 4.50, rated 4"}},
			pipeline.Quality:  {Value: 3, Sum: []string{"base 4.0", "−1.00 L30 open time (× 1)", "= 3.00, rated 3"}},
			pipeline.Coverage: {Value: 2, Cap: 2, CapRule: "L47", Sum: []string{"base 4.0", "at most 2 (L47)", "= 2.00, rated 2"}},
		},
		asks: []string{"who is told when it gives up"},
	}
	h.rules = func() reading { return rules }
	return h
}

// byHand concludes such a hearing by rules.
func byHand(t *testing.T, h *hearing) pipeline.Judgement {
	t.Helper()
	var voices []voice
	for _, p := range h.panel {
		voices = append(voices, h.byRules(p, ""))
	}
	voices[1].risks = []pipeline.RiskFlag{{Text: "retries pile up", Likelihood: "medium", Impact: "high", Mitigation: "a cap | per endpoint"}}
	voices[0].risks = voices[1].risks // told by two, it is listed once
	j, err := h.judgement(h.conclude(voices))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestRecords(t *testing.T) {
	for _, language := range []string{"en", "zh"} {
		t.Run(language, func(t *testing.T) {
			j := byHand(t, hand(language))
			golden(t, "record-"+language+".md", j.Text["discussions/DISCUSS-003-discussion.md"])
			golden(t, "ledger.json", j.Text[LedgerPath])
		})
	}
}

func TestReport(t *testing.T) {
	j := byHand(t, hand("en"))
	golden(t, "report.md", []byte(Report(j.Verdict, j.Verdict.Record)))
}

// An index stands for its items: a fault in an item file is found by the round
// of the index and lands on the item's line.
func TestRoundReadsTheItemsBehindItsIndex(t *testing.T) {
	r := reviewOf("DISCUSS-003", session(t))
	edit(t, r.Folder, req1, "again after 30 seconds.", "again after TBD.")
	for _, f := range judge(t, nil, r).Verdict.Findings {
		if f.File == req1 && strings.Contains(f.Quote, "again after TBD") && f.LineStart == 17 {
			return
		}
	}
	t.Error("the open line of REQ-001 was not found")
}

// A mark in the text silences a rule, but never in silence.
func TestSilencedRulesAreListed(t *testing.T) {
	r := reviewOf("DISCUSS-003", session(t))
	edit(t, r.Folder, req1, "again after 30 seconds.", "again after TBD. <!-- parley:allow L01 the vendor decides in May -->")
	v := judge(t, nil, r).Verdict
	want := "L01 is silenced by a mark in the text at " + req1 + ":17: the vendor decides in May"
	if !slices.Contains(v.Warnings, want) {
		t.Errorf("%q lacks %q", v.Warnings, want)
	}
}

// A hit elsewhere takes nothing off this document.
func TestRoundLeavesOtherDocumentsAlone(t *testing.T) {
	r := reviewOf("DISCUSS-004", session(t))
	want := judge(t, nil, r).Verdict
	other := reviewOf("DISCUSS-004", session(t))
	edit(t, other.Folder, "spec/product-brief.md", "## Vision", "## Vision\n\nTBD")
	got := judge(t, nil, other).Verdict
	if diff := cmp.Diff(want.Opinions, got.Opinions); diff != "" {
		t.Error(diff)
	}
}

func TestSignOffReadsEverything(t *testing.T) {
	r := reviewOf(signOff, session(t))
	v := judge(t, nil, r).Verdict
	if len(v.Opinions) != 5 || v.Severity != pipeline.High || v.Recommendation != escalate {
		t.Errorf("%d voices, %s %s", len(v.Opinions), v.Severity, v.Recommendation)
	}
	if len(v.Gaps) != 1 || !strings.Contains(v.Gaps[0], "switch retries off") {
		t.Error(v.Gaps)
	}
}

// The links that the report found suspect are findings of the sign-off; a round
// on one document has just been written for, and leaves them to it.
func TestSignOffNamesSuspectLinks(t *testing.T) {
	for round, want := range map[pipeline.Round]bool{signOff: true, "DISCUSS-005": false} {
		r := reviewOf(round, session(t))
		var files []spec.File
		for p, text := range r.Folder {
			files = append(files, spec.File{Path: p, Text: text})
		}
		judged := []spec.Finding{{Rule: "L52", Grade: spec.Major, Unit: "STORY-001-001 REQ-001"}}
		r.Folder[spec.ReadinessPath] = spec.Readiness{Set: spec.Parse(files), Findings: judged}.Render()[0].Text
		found := slices.ContainsFunc(judge(t, nil, r).Verdict.Findings, func(f pipeline.Finding) bool { return f.Rule == "L52" })
		if found != want {
			t.Errorf("%s names the suspect link: %v, want %v", round, found, want)
		}
	}
}

// A document that says too little is not rated; it never gets a friendly three.
func TestTooLittleIsNotRated(t *testing.T) {
	folder := pipeline.Folder{discoveryPath: session(t)[discoveryPath], reqIndex: []byte("# Requirements\n\nNothing yet.\n")}
	v := judge(t, nil, reviewOf("DISCUSS-003", folder)).Verdict
	for _, o := range v.Opinions {
		if o.Rating != nil || o.KeyFinding == "" {
			t.Errorf("%s: %v %q", o.Perspective, o.Rating, o.KeyFinding)
		}
	}
	if !v.Partial || v.Severity != pipeline.Medium {
		t.Errorf("partial %v, %s", v.Partial, v.Severity)
	}
}

func TestBlocksOfferTwoWaysOut(t *testing.T) {
	r := reviewOf("DISCUSS-003", session(t))
	r.Task.ID = "DRAFT-002-R1"
	for _, d := range judge(t, nil, r).Verdict.Divergences {
		if len(d.Options) != 2 || d.Options[0].Command == "" || d.Options[1].Command == "" || d.Options[0].Label != "A" {
			t.Errorf("%s: %+v", d.Kind, d.Options)
		}
		if d.Kind == coverageGap {
			want := []pipeline.Option{
				{Label: "A", Text: "revise it", Command: "/revise DRAFT-002-R1"},
				{Label: "B", Text: "leave it out: it moves to Out of Scope with your reason", Command: "/accept F-01 <reason>"},
			}
			if diff := cmp.Diff(want, d.Options); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// A goal that has no requirement does not move out of scope: it stays a goal.
func TestAGoalsGapIsLeftNotMoved(t *testing.T) {
	h := hand("en")
	v := pipeline.Verdict{Findings: []pipeline.Finding{{ID: "F-04", Rule: missingRule, Item: "G-001"}}}
	got := h.options(pipeline.Divergence{Kind: coverageGap, Findings: []string{"F-04"}}, v)
	if got[1].Text != "leave it without a requirement, for your reason" || got[1].Command != "/accept F-04 <reason>" {
		t.Errorf("%+v", got)
	}
}
