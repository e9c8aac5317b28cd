package spec

// RulesVersion is stored with every judgement; a test has it raised when a rule changes
// what it finds.
const RulesVersion = "1.1"

// Kind of an item, by its id's prefix.
type Kind string

const (
	KindGoal       Kind = "G"
	KindReq        Kind = "REQ"
	KindNFR        Kind = "NFR"
	KindADR        Kind = "ADR"
	KindEpic       Kind = "EPIC"
	KindStory      Kind = "STORY"
	KindAC         Kind = "AC"
	KindRisk       Kind = "RISK"
	KindAssumption Kind = "ASSUMPTION"
)

// Item is one addressable thing of a specification.
type Item struct {
	ID          string
	Kind        Kind
	Title       string
	Statement   string // the normative text
	Priority    string
	File        string
	Line, End   int
	Fields      map[string]string
	TracesTo    []string // upwards, as written
	Children    []string // downwards, computed
	Fingerprint string   // of the item's own text
}

// File is one input.
type File struct {
	Path string
	Text []byte
}

// Finding is one rule's hit. Grade is blocker, major, minor or info.
type Finding struct {
	Rule, Grade, File string
	Line, End         int
	Item              string
	Message, Remedy   string
	Quote             string // the text of the cited lines, trimmed
	Replacement       string // for mechanical rules: exactly the cited lines, mended
	Perspectives      []string
	Unit              string // what was hit, for the share
	Must              bool   // the hit lies in a Must item
	Reason            string // suppression's reason; such a finding is info
}

// Rating is what the rules give one perspective. Value 0 is "not rated".
type Rating struct {
	Perspective string
	Value       int
	Cap         int // 0: none
	CapRule     string
	Sum         []string // the sum, line by line, as shown under the fold
	Why         string   // why not rated
}

// Dimension is the score of one: nil is "not assessable".
type Dimension struct {
	Name   string
	Weight int
	Value  *float64
	Note   string
}

// Scores are the five dimensions, their weighted sum and the gate.
type Scores struct {
	Dimensions []Dimension
	Overall    float64
	Gate       string // PASS, REVIEW, FAIL
	Lift       string // the cheapest computed change that lifts the gate
}

// Chain is one row of the trace matrix, from an ask or goal down to stories.
type Chain struct {
	From    string
	Text    string
	Reqs    []string
	Design  []string
	Stories []string
	Missing string // the first link that is not there
}

// Options steer a check.
type Options struct {
	Language  string            // en, de, zh, …; "" guesses
	Asks      []Source          // the asks, for coverage
	Paths     map[string]bool   // files of the repository at the base commit, for grounding; nil: unknown
	Disabled  map[string]string // rule to reason
	Artifacts []string          // only these documents and what they link; nil: all
	Suspects  map[string]string // item to the parent that changed after the item was accepted; "" where that is not known
}
