package spec

// The documents of a session folder as values. Every one renders to Markdown
// (Render) and is read back (Parse…); render, parse, render is the identity.

// Head is the frontmatter every phase document carries.
type Head struct {
	SessionID    string   `yaml:"session_id"`
	Phase        int      `yaml:"phase"`
	DocumentType string   `yaml:"document_type"`
	Status       string   `yaml:"status"` // draft, review, complete
	GeneratedAt  string   `yaml:"generated_at"`
	Steps        []string `yaml:"stepsCompleted,omitempty"`
	Version      int      `yaml:"version"`
	Language     string   `yaml:"language,omitempty"` // of the body; empty is English
	Dependencies []string `yaml:"dependencies,omitempty"`
	Retired      []string `yaml:"retired,omitempty"` // ids never used again
}

// Brief is spec/product-brief.md.
type Brief struct {
	Head
	Title, Summary, Vision string
	Situation, Impact      string
	Users                  []Persona
	Goals                  []Goal
	InScope, OutOfScope    []string
	Assumptions            []string
	Landscape              []LandscapeRow
	Technical, Business    []string // constraints
	Depends                []string
	Synthesis              Synthesis
	Open                   []string
	Feedback               []string // what earlier rounds asked for and what came of it
	References             []string
}

type Persona struct {
	Name, Role                         string
	Needs, PainPoints, SuccessCriteria []string
}

type Goal struct{ ID, Text, Metric, Target string }

type LandscapeRow struct{ Aspect, Current, Proposed, Advantage string }

type Synthesis struct {
	Product, Technical, User []string
	Convergent, Conflicting  []string
}

// Requirement is one REQ file.
type Requirement struct {
	ID, Title, Priority, Status string // Must, Should, Could, Won't
	TracesTo                    []string
	Description                 string
	Source                      Source // the ask's own words
	Story                       Story3
	Criteria                    []Criterion
	Version                     int
	Inferred                    bool   // made by the rule path where a model's draft lacked it
	File                        string // where it was first written; empty: from the title
}

// Source quotes where an item comes from.
type Source struct {
	Line  int
	Quote string
}

// Story3 is the As a / I want / so that triple; empty parts are open.
type Story3 struct{ Role, Want, Benefit string }

type Criterion struct {
	ID   string
	Text string
	Done bool
}

// NFR is one NFR file; Category is P, S, SC or U.
type NFR struct {
	ID, Title, Category, Priority, Status string
	TracesTo                              []string
	Statement                             string
	Metric, Target, Method                string
	Source                                Source
	Version                               int
	Inferred                              bool
	File                                  string
}

// Requirements is spec/requirements/_index.md with its files.
type Requirements struct {
	Head
	Title, Summary string
	Reqs           []Requirement
	NFRs           []NFR
	Entities       []Entity
	Flows          []string
	Integrations   []Integration
	Constraints    []string
	Assumptions    []string
	Rationale      string
	Goals          []Goal
	NotApplicable  []string // NFR kinds that do not apply, with reason
	Open           []string
	Feedback       []string
	References     []string
}

type Entity struct{ Name, Description, Fields string }

type Integration struct{ System, Direction, Protocol, Format, Notes string }

// Architecture is spec/architecture/_index.md with its ADRs.
type Architecture struct {
	Head
	Title, Summary, Style string
	Components            []Component
	Stack                 []StackRow
	Libraries             []Library
	ADRs                  []ADR
	Entities              []Entity
	Relations             []Relation
	Storage               []StorageRow
	Endpoints             []Endpoint
	Controls              []Control
	Deployment            string
	Environments          []string
	HasCodebase           bool
	Integration           []IntegrationRow
	Migration             string
	Attributes            []Attribute
	Risks                 []RiskRow
	Open                  []string
	Feedback              []string
	References            []string

	around []neighbour // found in what is known when it is rendered
}

type Component struct {
	Name, Responsibility, Technology string
	Depends                          []string
	Reqs                             []string
}

type StackRow struct{ Layer, Technology, Version, Rationale string }

type Library struct{ Name, Purpose, License string }

type Relation struct{ From, To, Kind string }

type StorageRow struct{ Type, Storage, Retention, Backup string }

type Endpoint struct{ Endpoint, Method, Purpose, Auth string }

type Control struct{ Control, Implementation, Requirement string }

type IntegrationRow struct{ Component, Module, Change, Notes string }

type Attribute struct{ Name, Target, Measurement, ADR string }

type RiskRow struct {
	Risk, Likelihood, Impact, Mitigation, Owner string
	Affects                                     []string // epics
}

// ADR is one decision file.
type ADR struct {
	ID, Title, Status, Date   string // Proposed, Accepted
	TracesTo                  []string
	Context, Decision         string
	Options                   []Option // the chosen one first
	Positive, Negative, Risks []string
	Feedback                  []string
	ImplementedBy             []string
	Version                   int
	File                      string
}

type Option struct{ Name, Pros, Cons string }

// Epics is spec/epics/_index.md with its files.
type Epics struct {
	Head
	Title, Summary string
	Epics          []Epic
	Order          []string
	DoneWhen       []string // MVP definition of done
	Risks          []RiskRow
	Open           []string
	Feedback       []string
	References     []string

	parts map[string][]string // components by requirement, found when it is rendered
}

type Epic struct {
	ID, Title, Priority, Size, Status string
	MVP                               bool
	Description                       string
	Requirements, Architecture        []string
	Dependencies                      []Dependency
	Stories                           []Story
	Version                           int
	File                              string
}

type Dependency struct{ Epic, Kind, Reason string } // blocking, soft

type Story struct {
	ID, Title string
	Story     Story3
	Criteria  []Criterion
	Size      string
	TracesTo  []string
}

// Readiness is spec/readiness-report.md; Summary is spec/spec-summary.md.
type Readiness struct {
	Head
	Scores   Scores
	Gate     string
	Findings []Finding
	Set      *Set
	Accepted []string // who accepted the risk, and when
	Lift     string
}
