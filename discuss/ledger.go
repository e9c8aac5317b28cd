package discuss

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/pipeline"
)

// LedgerPath is where a session keeps its findings.
const LedgerPath = "discussions/ledger.json"

// Ledger is every finding of a session and every run of a round. It lets the
// rounds converge: what was accepted stays accepted, what is unchanged is not
// picked at again.
type Ledger struct {
	Version  int                `json:"version"`
	Findings []pipeline.Finding `json:"findings"`
	Runs     []Run              `json:"runs"`
}

// Run is one run of a round and the texts it judged.
type Run struct {
	Round     pipeline.Round     `json:"round"`
	Run       int                `json:"run"`
	Consensus pipeline.Consensus `json:"consensus"`
	Severity  pipeline.Severity  `json:"severity,omitempty"`
	Average   float64            `json:"average"`
	Texts     map[string]string  `json:"texts"` // path to digest
}

// readLedger reads a ledger; lost says that there is one nobody can read, and
// that it begins anew.
func readLedger(folder pipeline.Folder) (l Ledger, lost bool) {
	raw, ok := folder[LedgerPath]
	if !ok {
		return Ledger{Version: 1}, false
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return Ledger{Version: 1}, true
	}
	return l, false
}

// text is the ledger as it is stored.
func (l Ledger) text() ([]byte, error) {
	if l.Findings == nil {
		l.Findings = []pipeline.Finding{}
	}
	raw, err := json.MarshalIndent(l, "", "  ")
	return append(raw, '\n'), err
}

// nextRun is the number of the round's coming run.
func (l Ledger) nextRun(r pipeline.Round) int {
	n := 1
	for _, run := range l.Runs {
		if run.Round == r {
			n = max(n, run.Run+1)
		}
	}
	return n
}

// highBefore says whether a former run of the round was blocked HIGH.
func (l Ledger) highBefore(r pipeline.Round) bool {
	return slices.ContainsFunc(l.Runs, func(run Run) bool { return run.Round == r && run.Severity == pipeline.High })
}

// judged says whether exactly this text was judged before, in any round.
func (l Ledger) judged(file, digest string) bool {
	return slices.ContainsFunc(l.Runs, func(run Run) bool { return run.Texts[file] == digest })
}

// accept brings the ledger in line with what people accepted in a session: who
// accepted first stays, and what somebody took back counts again. Outside a
// session nobody decides, and the ledger stays as it is.
func (l *Ledger) accept(s pipeline.Session) {
	if s.ID == "" {
		return
	}
	for i := range l.Findings {
		f := &l.Findings[i]
		at := slices.IndexFunc(s.Accepted, func(a pipeline.Acceptance) bool { return strings.EqualFold(a.Finding, f.ID) })
		switch {
		case at >= 0 && f.State != pipeline.FindingAccepted:
			f.State, f.By, f.Reason = pipeline.FindingAccepted, s.Accepted[at].Who, s.Accepted[at].Reason
		case at < 0 && f.State == pipeline.FindingAccepted:
			f.State, f.By, f.Reason = pipeline.FindingReopened, "", ""
		}
	}
}

// accepted says whether people have accepted this very problem.
func (l Ledger) accepted(f pipeline.Finding) bool {
	i := l.match(f, nil)
	return i >= 0 && l.Findings[i].State == pipeline.FindingAccepted
}

// match finds the entry a finding continues: the same quote first, then the
// same rule on the same item, then much the same claim on the same item.
// Entries in taken are continued by another finding already.
func (l Ledger) match(f pipeline.Finding, taken map[int]bool) int {
	tests := []func(e pipeline.Finding) bool{
		func(e pipeline.Finding) bool {
			return root(e) == root(f) && fold(e.Quote) == fold(f.Quote) && e.Claim == f.Claim
		},
		func(e pipeline.Finding) bool { return root(e) == root(f) && fold(e.Quote) == fold(f.Quote) },
		func(e pipeline.Finding) bool {
			return f.Rule != "" && root(e) == root(f) && e.State != pipeline.FindingAccepted
		},
		func(e pipeline.Finding) bool {
			return (f.Rule == "" || e.Rule == "") && place(e) == place(f) && alike(e.Claim, f.Claim) >= same
		},
	}
	for _, test := range tests {
		for i, e := range l.Findings {
			if !taken[i] && test(e) {
				return i
			}
		}
	}
	return -1
}

// place is what a finding is about: its item, else its file.
func place(f pipeline.Finding) string {
	if f.Item != "" {
		return f.Item
	}
	return f.File
}

// root is the part of a key that survives an edit of the line. A finding by
// a model is known by its place alone.
func root(f pipeline.Finding) string { return f.Rule + "@" + place(f) }

// settled is what a run made of its findings.
type settled struct {
	Open   []pipeline.Finding
	Fixed  []string
	Muted  int // minor findings on unchanged text, not raised after round one
	Passed int // findings that people have accepted
}

// settle continues, opens, reopens and closes entries after a run. It returns
// what counts now.
func (l *Ledger) settle(found []pipeline.Finding, s scope, r round, run int) settled {
	var out settled
	taken := map[int]bool{}
	for _, f := range found {
		i := l.match(f, taken)
		if i < 0 {
			if run > 1 && gradeRank(f.Grade) >= gradeRank(pipeline.Minor) && l.judged(f.File, s.digest(f.File)) ||
				r.Whole && gradeRank(f.Grade) >= gradeRank(pipeline.Minor) && l.judged(f.File, s.digest(f.File)) {
				out.Muted++
				continue
			}
			taken[len(l.Findings)] = true
			out.Open = append(out.Open, l.open(f, r.ID))
			continue
		}
		taken[i] = true
		if l.Findings[i].State == pipeline.FindingAccepted {
			out.Passed++
			continue
		}
		out.Open = append(out.Open, l.carry(i, f))
	}
	for i := range l.Findings {
		f := &l.Findings[i]
		if taken[i] || f.State != pipeline.FindingOpen && f.State != pipeline.FindingReopened {
			continue
		}
		if l.gone(*f, s, r) {
			f.State = pipeline.FindingFixed
			out.Fixed = append(out.Fixed, f.ID)
		} else if f.Round == r.ID && s.has(f.File) {
			out.Open = append(out.Open, *f)
		}
	}
	slices.SortStableFunc(out.Open, byWeight)
	return out
}

// open makes a new entry.
func (l *Ledger) open(f pipeline.Finding, r pipeline.Round) pipeline.Finding {
	f.ID = fmt.Sprintf("F-%02d", len(l.Findings)+1)
	f.Key = l.key(f)
	f.State, f.Round = pipeline.FindingOpen, r
	l.Findings = append(l.Findings, f)
	return f
}

// carry brings an entry up to date with today's finding.
func (l *Ledger) carry(i int, f pipeline.Finding) pipeline.Finding {
	have := l.Findings[i]
	f.ID, f.Key, f.Round = have.ID, have.Key, have.Round
	f.Voices = unite(have.Voices, f.Voices)
	f.State = have.State
	if have.State == pipeline.FindingFixed {
		f.State = pipeline.FindingReopened
	}
	l.Findings[i] = f
	return f
}

// gone decides whether an open entry that nobody raised again is fixed. A rule
// would have raised it. A model may merely have kept silent, so its finding is
// fixed once the text it quoted is no longer there.
func (l Ledger) gone(f pipeline.Finding, s scope, r round) bool {
	if f.Round != r.ID && !r.Whole {
		return false
	}
	if f.Rule != "" {
		return slices.ContainsFunc(r.Perspectives, func(p pipeline.Perspective) bool { return slices.Contains(f.Voices, p) })
	}
	text, ok := s.text(f.File)
	if !ok {
		return true
	}
	if f.Quote == "" {
		return !l.judged(f.File, s.digest(f.File))
	}
	return !strings.Contains(fold(text), fold(f.Quote))
}

// key is stable for the life of the entry: rule and place, and the quote's
// digest where one place has several.
func (l Ledger) key(f pipeline.Finding) string {
	k := f.Rule
	if k == "" {
		k = "model"
	}
	k += ":" + strings.TrimSuffix(path.Base(place(f)), ".md")
	taken := slices.ContainsFunc(l.Findings, func(e pipeline.Finding) bool { return e.Key == k })
	if f.Rule != "" && !taken {
		return k
	}
	return k + ":" + digest([]byte(fold(f.Quote) + "\x00" + f.Claim))[:8]
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
