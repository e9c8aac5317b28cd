package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Grades of a finding, gravest first.
const (
	Blocker = "blocker"
	Major   = "major"
	Minor   = "minor"
	Info    = "info"
)

// Perspectives in the order they are shown.
var Perspectives = []string{"product", "technical", "quality", "risk", "coverage"}

const (
	product   = "product"
	technical = "technical"
	quality   = "quality"
	risk      = "risk"
	coverage  = "coverage"
)

// Artifacts a rule applies to.
const (
	ofDiscovery    = "D"
	ofBrief        = "B"
	ofRequirements = "R"
	ofNFR          = "N"
	ofArchitecture = "A"
	ofEpics        = "E"
	ofAll          = "DBRNAE"
)

// Rule is one entry of the catalogue. Adding a rule is adding an entry.
type Rule struct {
	ID      string
	Grade   string // of its findings, where the check does not say otherwise
	Title   string // a few words: "broken link"
	Detects string // one sentence
	// Perspectives it feeds, the main one first.
	Perspectives []string
	Move         Move
	Artifacts    string
	// Words marks rules about English words: elsewhere their findings are info.
	Words bool
	// Good and Bad are a Markdown document each, or several behind lines
	// "-- path --".
	Good, Bad string
	Remedy    string // one line
	Mends     string // what Fix does about it, and when; empty: a person must
	check     func(*inspection)
}

// Move is what hits do to a rating.
type Move struct {
	Cap      int     // the rating is at most this
	CapGrade string  // only findings of this grade cap; empty: all
	CapOver  float64 // only when more than this share of units is hit
	Weight   float64 // up to so many points off …
	Share    float64 // … reached when this share of units is hit
	Flat     bool    // all of Weight at the first hit
	Each     float64 // this much for every hit, Weight at most
}

// Rules is the catalogue, by id.
var Rules = sortRules(structureRules, formRules, wordRules, numberRules, conflictRules, scopeRules, riskRules, traceRules, storyRules, designRules)

func sortRules(tables ...[]Rule) []Rule {
	all := slices.Concat(tables...)
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// RuleByID finds a rule.
func RuleByID(id string) (Rule, bool) {
	at, ok := slices.BinarySearchFunc(Rules, id, func(r Rule, id string) int { return cmp.Compare(r.ID, id) })
	if !ok {
		return Rule{}, false
	}
	return Rules[at], true
}

// inspection is one rule at work on a set.
type inspection struct {
	*Set
	Options  Options
	Language string
	asks     []Source
	rule     Rule
	found    []Finding
	// What several rules ask for is read once.
	duties  []demand
	nfrs    []qualityRead
	decided []decisionRead
	epics   map[*Document]Epic
}

// findingsLimit per rule keeps hostile input from filling the memory; nobody
// reads so many.
const findingsLimit = 2000

// hit records a finding. File, Line and Message are the check's; the rest is
// filled in where it is empty.
func (in *inspection) hit(f Finding) {
	if len(in.found) >= findingsLimit {
		return
	}
	f.Rule = in.rule.ID
	f.Grade = orElse(f.Grade, in.rule.Grade)
	f.Perspectives = in.rule.Perspectives
	f.Remedy = orElse(f.Remedy, in.rule.Remedy)
	if f.Line < 1 {
		f.Line = in.titleLine(f.File) // of the whole document
	}
	f.End = max(f.End, f.Line)
	if f.Quote == "" {
		f.Quote = in.Quote(f.File, f.Line, f.End)
	}
	f.Unit = orElse(f.Unit, f.Item)
	if f.Unit == "" {
		f.Unit = f.File + "\x00" + f.Quote
	}
	if it, ok := in.Item(f.Item); ok && it.Priority == "Must" {
		f.Must = true
	}
	in.found = append(in.found, f)
}

// titleLine is where a document's text begins: what is said of all of it is
// quoted from its title, not from its frontmatter.
func (in *inspection) titleLine(file string) int {
	if d := in.Document(file); d != nil && len(d.Sections) > 0 {
		return max(d.Sections[0].Line, 1)
	}
	return 1
}

// Key names a finding across runs: the rule and what it is about, not where it
// stands.
func (f Finding) Key() string {
	h := sha256.Sum256([]byte(f.Rule + "\x00" + f.File + "\x00" + f.Item + "\x00" + orElse(oneLine(f.Quote), f.Unit)))
	return hex.EncodeToString(h[:8])
}
