package pipeline

import "fmt"

// Consensus is the outcome of a round.
type Consensus string

const (
	ConsensusReached Consensus = "consensus_reached"
	ConsensusBlocked Consensus = "consensus_blocked"
	ConsensusNone    Consensus = "none" // the round failed; there is no verdict
)

// Severity grades a divergence or a blocked verdict.
type Severity string

const (
	High   Severity = "HIGH"
	Medium Severity = "MEDIUM"
	Low    Severity = "LOW"
)

// Perspective is one of the five voices of a round.
type Perspective string

const (
	Product   Perspective = "product"
	Technical Perspective = "technical"
	Quality   Perspective = "quality"
	Risk      Perspective = "risk"
	Coverage  Perspective = "coverage"
)

// Grade is the weight of a finding.
type Grade string

const (
	Blocker Grade = "blocker"
	Major   Grade = "major"
	Minor   Grade = "minor"
	Info    Grade = "info"
)

// FindingState is where a finding stands in the ledger.
type FindingState string

const (
	FindingOpen     FindingState = "open"
	FindingFixed    FindingState = "fixed"
	FindingAccepted FindingState = "accepted"
	FindingReopened FindingState = "reopened"
)

// RecordPath is where a round's record lies in the session folder. A round
// that runs again keeps the earlier records.
func RecordPath(r Round, run int) string {
	if run <= 1 {
		return fmt.Sprintf("discussions/%s-discussion.md", r)
	}
	return fmt.Sprintf("discussions/%s-discussion-r%d.md", r, run)
}

// LatestRecord is the newest record of a round in the folder, "" where there
// is none.
func LatestRecord(f Folder, r Round) string {
	last := ""
	for run := 1; ; run++ {
		path := RecordPath(r, run)
		if _, ok := f[path]; !ok {
			return last
		}
		last = path
	}
}

// Verdict is what a round returns. Every number in it can be recomputed from
// the rest.
type Verdict struct {
	Round          Round         `json:"round"`
	Run            int           `json:"run"` // 1, or n of a round that ran again
	Artifact       string        `json:"artifact"`
	Consensus      Consensus     `json:"consensus"`
	Severity       Severity      `json:"severity,omitempty"`       // empty when reached
	Recommendation string        `json:"recommendation,omitempty"` // revise, proceed-with-caution, escalate; empty when reached
	Average        float64       `json:"average"`                  // exact mean over rated perspectives
	Partial        bool          `json:"partial,omitempty"`        // fewer than half rated, or out of time
	Opinions       []Opinion     `json:"opinions"`
	Divergences    []Divergence  `json:"divergences"`
	Themes         []Theme       `json:"themes"`
	Actions        []Action      `json:"actions"`
	Gaps           []string      `json:"gaps,omitempty"`
	OpenQuestions  []string      `json:"open_questions,omitempty"`
	Risks          []RiskFlag    `json:"risks,omitempty"`
	Advice         []string      `json:"advice,omitempty"` // for the next phase
	Sentiment      string        `json:"sentiment"`
	Findings       []Finding     `json:"findings"`                 // this round's, merged over perspectives
	Fixed          []string      `json:"fixed,omitempty"`          // finding ids this run saw fixed
	Record         string        `json:"record,omitempty"`         // path of the record in the session folder
	Warnings       []string      `json:"warnings,omitempty"`       // shown, never silent
	QuotesChecked  int           `json:"quotes_checked,omitempty"` //
	Dropped        int           `json:"dropped,omitempty"`        // findings whose quote is not in the text
	Injection      []Injection   `json:"injection,omitempty"`      // instruction-like or hidden text seen
	Usage          Usage         `json:"usage"`
	TookMS         int64         `json:"took_ms"`
	OwnMS          int64         `json:"own_ms"` // without the models' time
	Versions       PanelVersions `json:"versions"`
}

// PanelVersions says what judged.
type PanelVersions struct {
	Rules  string `json:"rules"`
	Prompt string `json:"prompt"`
}

// Opinion is one perspective's result.
type Opinion struct {
	Perspective Perspective `json:"perspective"`
	Rating      *int        `json:"rating"` // nil: not rated
	// Source is the badge shown: "rules", "anthropic", "rules, after gemini 429",
	// "openai (cached)", "gemini (unverified)", "codex (salvaged)".
	Source     string   `json:"source"`
	KeyFinding string   `json:"key_finding,omitempty"`
	Strengths  []string `json:"strengths,omitempty"`
	Weaknesses []string `json:"weaknesses,omitempty"`
	// Suggestions feed the action items.
	Suggestions []string `json:"suggestions,omitempty"`
	Missing     []string `json:"missing_requirements,omitempty"` // coverage
	RiskLevel   string   `json:"risk_level,omitempty"`           // risk: low, medium, high, critical
	Testability []string `json:"testability_issues,omitempty"`   // quality
	Assumptions []string `json:"assumptions,omitempty"`          // to validate
	// How the number came about; shown under a fold.
	ModelRating *int   `json:"model_rating,omitempty"`
	ChecksYes   int    `json:"checks_yes,omitempty"`
	ChecksTotal int    `json:"checks_total,omitempty"`
	Majors      int    `json:"majors,omitempty"`
	Blockers    int    `json:"blockers,omitempty"`
	Cap         int    `json:"cap,omitempty"`
	CapRule     string `json:"cap_rule,omitempty"`
	Base        string `json:"base,omitempty"` // the rule path's sum, in words
	Usage       Usage  `json:"usage"`
}

// Divergence is a conflict of views or a gap, attributed.
type Divergence struct {
	Kind        string      `json:"kind"` // coverage-gap, high-risk, low-rating, spread
	Severity    Severity    `json:"severity"`
	Perspective Perspective `json:"perspective,omitempty"`
	Text        string      `json:"text"`
	Findings    []string    `json:"findings,omitempty"`
	Options     []Option    `json:"options,omitempty"`
}

// Option is one labelled way out of a block, with the command that takes it.
type Option struct {
	Label   string `json:"label"` // A, B
	Text    string `json:"text"`
	Command string `json:"command,omitempty"` // empty: happens now by itself
}

// Theme is a view two or more perspectives share.
type Theme struct {
	Text   string        `json:"text"`
	Voices []Perspective `json:"voices"`
}

// Action is a suggested change, most important first.
type Action struct {
	Text     string        `json:"text"`
	Grade    Grade         `json:"grade"`
	Voices   []Perspective `json:"voices"`
	Findings []string      `json:"findings,omitempty"`
}

// RiskFlag is a risk with what is known about it.
type RiskFlag struct {
	Text       string `json:"text"`
	Likelihood string `json:"likelihood,omitempty"`
	Impact     string `json:"impact,omitempty"`
	Mitigation string `json:"mitigation,omitempty"`
}

// Score is the average as people read it. Nobody rates below 1: none is 0.
func (v Verdict) Score() string {
	if v.Average == 0 {
		return "not rated"
	}
	return rating(v.Average) + " / 5"
}

// Injection is instruction-like or hidden text that was found and changed nothing.
type Injection struct {
	Kind  string `json:"kind"`
	Where string `json:"where"`
	Count int    `json:"count"`
}

// Finding is one problem with evidence. ID is per session (F-01), Key is
// stable across rounds and runs.
type Finding struct {
	ID          string        `json:"id"`
	Key         string        `json:"key"`
	Grade       Grade         `json:"severity"`
	Claim       string        `json:"claim"`
	Suggestion  string        `json:"suggestion,omitempty"`
	Replacement string        `json:"replacement,omitempty"` // mechanical fix of exactly the cited lines
	File        string        `json:"file"`                  // relative to the session folder
	LineStart   int           `json:"line_start"`
	LineEnd     int           `json:"line_end"`
	Quote       string        `json:"quote"`
	Rule        string        `json:"rule,omitempty"`
	Item        string        `json:"item,omitempty"`
	Voices      []Perspective `json:"voices"`
	State       FindingState  `json:"state"`
	Round       Round         `json:"round"`
	Reason      string        `json:"reason,omitempty"` // why accepted
	By          string        `json:"by,omitempty"`     // who accepted
}
