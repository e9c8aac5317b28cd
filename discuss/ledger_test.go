package discuss

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pipeline"
)

func ledgerIn(t testing.TB, folder pipeline.Folder) Ledger {
	t.Helper()
	var l Ledger
	if err := json.Unmarshal(folder[LedgerPath], &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func entry(t testing.TB, folder pipeline.Folder, rule, file string) pipeline.Finding {
	t.Helper()
	for _, f := range ledgerIn(t, folder).Findings {
		if f.Rule == rule && f.File == file {
			return f
		}
	}
	t.Fatalf("no %s on %s in the ledger", rule, file)
	return pipeline.Finding{}
}

// A finding's way through the ledger: open, fixed, reopened, accepted; always
// with the number and the key it was born with.
func TestFindingsLife(t *testing.T) {
	folder := session(t)
	r := reviewOf("DISCUSS-003", folder)
	edit(t, folder, req1, "again after 30 seconds.", "again after TBD.")
	judge(t, nil, r)
	born := entry(t, folder, "L01", req1)
	if born.State != pipeline.FindingOpen || born.ID == "" || born.Round != "DISCUSS-003" {
		t.Fatalf("%+v", born)
	}

	edit(t, folder, req1, "again after TBD.", "again after 30 seconds.")
	v := judge(t, nil, r).Verdict
	if diff := cmp.Diff([]string{born.ID}, v.Fixed); diff != "" {
		t.Error(diff)
	}
	edit(t, folder, req1, "again after 30 seconds.", "after TBD seconds.")
	judge(t, nil, r)
	back := entry(t, folder, "L01", req1)
	if back.State != pipeline.FindingReopened || back.ID != born.ID || back.Key != born.Key {
		t.Errorf("%+v, born as %+v", back, born)
	}

	r.Session.Accepted = []pipeline.Acceptance{{Finding: strings.ToLower(born.ID), Who: "alice", Reason: "the SLA says it"}}
	v = judge(t, nil, r).Verdict
	done := entry(t, folder, "L01", req1)
	if done.State != pipeline.FindingAccepted || done.By != "alice" || done.Reason != "the SLA says it" {
		t.Errorf("%+v", done)
	}
	for _, f := range v.Findings {
		if f.ID == born.ID {
			t.Error("an accepted finding still counts")
		}
	}
	if record := string(folder[v.Record]); !strings.Contains(record, "accepted by alice. the SLA says it") {
		t.Error(record)
	}

	r.Session.Accepted = nil
	judge(t, nil, r)
	if taken := entry(t, folder, "L01", req1); taken.State != pipeline.FindingReopened || taken.By != "" {
		t.Errorf("taken back, but %+v", taken)
	}
}

func TestAcceptedGapNoLongerBlocks(t *testing.T) {
	folder := session(t)
	r := reviewOf("DISCUSS-003", folder)
	v := judge(t, nil, r).Verdict
	if v.Severity != pipeline.High || len(v.Divergences[0].Findings) == 0 {
		t.Fatalf("%s %+v", v.Severity, v.Divergences)
	}
	r.Session.Accepted = []pipeline.Acceptance{{Finding: v.Divergences[0].Findings[0], Who: "alice", Reason: "later"}}
	v = judge(t, nil, r).Verdict
	if v.Consensus != pipeline.ConsensusReached || len(v.Gaps) != 0 {
		t.Errorf("%s %v %+v", v.Consensus, v.Gaps, v.Divergences)
	}
}

func TestEarlierRecordsAreKept(t *testing.T) {
	folder := session(t)
	r := reviewOf("DISCUSS-003", folder)
	first := judge(t, nil, r)
	text := string(folder[first.Verdict.Record])
	second := judge(t, nil, r)
	if second.Verdict.Record != "discussions/DISCUSS-003-discussion-r2.md" || second.Verdict.Run != 2 {
		t.Errorf("%s, run %d", second.Verdict.Record, second.Verdict.Run)
	}
	if string(folder[first.Verdict.Record]) != text {
		t.Error("the first record was overwritten")
	}
	if !strings.Contains(string(folder[second.Verdict.Record]), "[DISCUSS-003](DISCUSS-003-discussion.md): blocked 3.7/5 HIGH") {
		t.Error("the second record does not name the first")
	}
	if second.Verdict.Recommendation != escalate {
		t.Errorf("a second HIGH recommends %s", second.Verdict.Recommendation)
	}
}

func TestUnreadableLedgerBeginsAnew(t *testing.T) {
	folder := session(t)
	folder[LedgerPath] = []byte("{")
	v := judge(t, nil, reviewOf("DISCUSS-003", folder)).Verdict
	if v.Run != 1 || len(v.Warnings) == 0 || !strings.Contains(v.Warnings[0], "ledger") {
		t.Error(v.Run, v.Warnings)
	}
}

func TestLedgerSurvivesJSON(t *testing.T) {
	folder := session(t)
	judge(t, nil, reviewOf("DISCUSS-003", folder))
	l := ledgerIn(t, folder)
	raw, err := l.text()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(folder[LedgerPath]), string(raw)); diff != "" {
		t.Error(diff)
	}
}

// pick is a model that finds something to say about every line, one grade per
// line, however often it is asked: the reviewer nobody ever satisfies.
func pick(grade func(line string) string) pipeline.Model {
	return asking(func(p pipeline.Perspective) string {
		a := answers(p, "yyyyyy")
		for i := range a.Checks {
			a.Checks[i].Evidence = []evidence{{briefPath, 1, 1, "# Brief"}}
		}
		for i, line := range strings.Split(brief, "\n") {
			if g := grade(line); g != "" {
				a.Findings = append(a.Findings, claim{Claim: fmt.Sprintf("%s about %s", g, line), Severity: g, Evidence: []evidence{{briefPath, i + 1, i + 1, line}}})
			}
		}
		raw, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		return string(raw)
	})
}

func TestNoNewMinorsOnUnchangedText(t *testing.T) {
	folder := briefFolder()
	r := reviewOf("DISCUSS-002", folder)
	judge(t, pick(func(string) string { return "" }), r)
	before := len(ledgerIn(t, folder).Findings)
	minor := pick(func(line string) string {
		if strings.HasPrefix(line, "Operators") {
			return "minor"
		}
		return ""
	})
	v := judge(t, minor, r).Verdict
	if got := len(ledgerIn(t, folder).Findings); got != before {
		t.Errorf("%d findings, %d before", got, before)
	}
	if !strings.Contains(strings.Join(v.Warnings, "\n"), "judged before and has not changed: minor findings, 1") {
		t.Error(v.Warnings)
	}
	edit(t, folder, briefPath, "The first retry happens promptly.", "The first retry happens after a minute.")
	judge(t, minor, r)
	if got := len(ledgerIn(t, folder).Findings); got != before+1 {
		t.Errorf("%d findings on changed text, want %d", got, before+1)
	}
}

// A model's silence closes nothing; the edit of the quoted text does.
func TestModelFindingsCloseByTheText(t *testing.T) {
	folder := briefFolder()
	r := reviewOf("DISCUSS-002", folder)
	judge(t, pick(func(line string) string {
		if strings.HasPrefix(line, "The first retry") {
			return "major"
		}
		return ""
	}), r)
	silent := pick(func(string) string { return "" })
	if v := judge(t, silent, r).Verdict; len(v.Fixed) != 0 {
		t.Error("silence fixed", v.Fixed)
	}
	edit(t, folder, briefPath, "happens promptly", "happens after a minute")
	fixed := judge(t, silent, r).Verdict.Fixed
	if len(fixed) != 1 {
		t.Error("the edit did not fix it:", fixed)
	}
}

// Twenty sessions with seeded faults: an author who mends what the verdict
// names reaches a verdict that no longer stops the session in three runs or less.
func TestSessionsConverge(t *testing.T) {
	faults := []struct{ file, good, bad string }{
		{req1, "again after 30 seconds.", "again promptly, as appropriate."},
		{req1, "The service MUST send", "The service should, if possible, send"},
		{req1, "- [ ] AC-001-01: Given a 503 answer, when 30 seconds pass, then the service sends the delivery again.", "- [ ] AC-001-01: it works well"},
		{req1, "traces_to: [G-001]", "traces_to: [G-009]"},
		{reqIndex, "PostgreSQL 16 stays the store", "TBD"},
		{"spec/requirements/NFR-P-001-retry-delay.md", "The service MUST begin 99 % of retries within 5 seconds of their due time at 500 deliveries per second.", "The service MUST be fast."},
		{"spec/requirements/REQ-002-show-the-reason.md", "an operator the last HTTP status of each failed delivery", "all kinds of useful things, such as statuses, etc."},
	}
	for seed := range int64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			folder := session(t)
			edit(t, folder, discoveryPath, "Customers must be able to switch retries off for one endpoint", "Operators should see the last HTTP status of each failed delivery")
			chance := rand.New(rand.NewSource(seed))
			var made []int
			for i, f := range faults {
				if chance.Intn(2) == 0 && strings.Contains(string(folder[f.file]), f.good) {
					edit(t, folder, f.file, f.good, f.bad)
					made = append(made, i)
				}
			}
			r := reviewOf("DISCUSS-003", folder)
			for run := 1; ; run++ {
				v := judge(t, nil, r).Verdict
				if v.Severity != pipeline.High {
					return
				}
				if run == 3 {
					t.Fatalf("run 3 is still %s %s, %d faults left: %+v", v.Consensus, v.Severity, len(made), v.Findings)
				}
				made = mend(t, folder, v, made, func(i int) (file, good, bad string) { return faults[i].file, faults[i].good, faults[i].bad })
			}
		})
	}
}

// mend repairs the seeded faults whose file a finding names; a gap sends the
// author to every requirement.
func mend(t *testing.T, folder pipeline.Folder, v pipeline.Verdict, made []int, fault func(int) (file, good, bad string)) []int {
	t.Helper()
	named := map[string]bool{}
	for _, f := range v.Findings {
		named[f.File] = true
	}
	var left []int
	for _, i := range made {
		file, good, bad := fault(i)
		if !named[file] && len(v.Gaps) == 0 {
			left = append(left, i)
			continue
		}
		edit(t, folder, file, bad, good)
	}
	return left
}

// A reviewer who always finds new minors and majors stops no session for ever:
// after the first run only blockers do.
func TestPickyReviewersConverge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		folder := briefFolder()
		r := reviewOf("DISCUSS-002", folder)
		for run := 1; run <= 3; run++ {
			// Drawn before the voices speak: they speak at once.
			grades := map[string]string{}
			for _, line := range strings.Split(brief, "\n") {
				grades[line] = rapid.SampledFrom([]string{"", "minor", "major"}).Draw(rt, "grade")
			}
			v := judge(t, pick(func(line string) string { return grades[line] }), r).Verdict
			if run > 1 && v.Severity == pipeline.High {
				rt.Fatalf("run %d is HIGH without a blocker: %+v", run, v.Findings)
			}
		}
	})
}

func TestKeysAreUnique(t *testing.T) {
	folder := session(t)
	edit(t, folder, req1, "again after 30 seconds.", "again after TBD.\n\nIt stops after TBD.\n\nIt is logged as TODO.")
	for _, id := range []pipeline.Round{"DISCUSS-003", "DISCUSS-005", "DISCUSS-006", "DISCUSS-003"} {
		judge(t, nil, reviewOf(id, folder))
	}
	keys, ids := map[string]bool{}, map[string]bool{}
	for i, f := range ledgerIn(t, folder).Findings {
		if keys[f.Key] || ids[f.ID] || f.ID != fmt.Sprintf("F-%02d", i+1) {
			t.Errorf("%s %s is there twice or out of turn", f.ID, f.Key)
		}
		keys[f.Key], ids[f.ID] = true, true
	}
	if len(keys) < 3 {
		t.Errorf("%d findings", len(keys))
	}
}
