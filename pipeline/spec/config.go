package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Config is spec/spec-config.json.
type Config struct {
	SessionID       string       `json:"session_id"`
	Topic           string       `json:"topic"`
	SeedInput       string       `json:"seed_input"`
	InputType       string       `json:"input_type"` // text, file
	Timestamp       string       `json:"timestamp"`
	Status          string       `json:"status"`
	Mode            string       `json:"mode"`       // interactive, auto
	Complexity      string       `json:"complexity"` // simple, moderate, complex
	Depth           string       `json:"depth"`      // light, standard, comprehensive
	FocusAreas      []string     `json:"focus_areas"`
	Language        string       `json:"language"`
	Track           string       `json:"track,omitempty"`
	SeedAnalysis    SeedAnalysis `json:"seed_analysis"`
	HasCodebase     bool         `json:"has_codebase"`
	PhasesCompleted []PhaseDone  `json:"phasesCompleted"`
}

// PhaseDone is one finished phase.
type PhaseDone struct {
	Phase       int    `json:"phase"`
	Name        string `json:"name"`
	OutputFile  string `json:"output_file"`
	CompletedAt string `json:"completed_at"`
}

// SeedAnalysis is what the ask says about itself.
type SeedAnalysis struct {
	ProblemStatement      string   `json:"problem_statement"`
	TargetUsers           []string `json:"target_users"`
	Domain                string   `json:"domain"`
	Constraints           []string `json:"constraints"`
	ConstraintsReason     string   `json:"constraints_reason,omitempty"` // why there are none
	Dimensions            []string `json:"dimensions"`
	ExplorationDimensions []string `json:"exploration_dimensions"`
	Complexity            string   `json:"complexity_assessment"`
}

// Discovery is spec/discovery-context.json.
type Discovery struct {
	SessionID    string       `json:"session_id"`
	Phase        int          `json:"phase"`
	DocumentType string       `json:"document_type"`
	Status       string       `json:"status"`
	GeneratedAt  string       `json:"generated_at"`
	SeedAnalysis SeedAnalysis `json:"seed_analysis"`
	// Asks are the sentences that ask for something, with their lines.
	Asks            []Ask           `json:"asks"`
	Questions       []OpenQuestion  `json:"questions"`
	Codebase        *Codebase       `json:"codebase_context"`
	Recommendations Recommendations `json:"recommendations"`
	References      []string        `json:"references,omitempty"`
}

// Ask is one thing the issue asks for.
type Ask struct {
	ID    string `json:"id"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Kind  string `json:"kind,omitempty"` // function, quality, constraint
	By    string `json:"by,omitempty"`   // a commenter, when not the author
}

// OpenQuestion is a decisive gap with the default taken unless somebody answers.
type OpenQuestion struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Default string `json:"default"`
	Why     string `json:"why,omitempty"`
	Answer  string `json:"answer,omitempty"`
}

// Codebase is what exploring the repository found.
type Codebase struct {
	TechStack            TechStack      `json:"tech_stack"`
	ArchitecturePatterns []string       `json:"architecture_patterns"`
	Conventions          []string       `json:"conventions"`
	IntegrationPoints    []string       `json:"integration_points"`
	Constraints          []string       `json:"constraints_from_codebase,omitempty"`
	RelevantFiles        []RelevantFile `json:"relevant_files"`
	Commit               string         `json:"commit,omitempty"`
}

// TechStack is what the repository is built with.
type TechStack struct {
	Languages      []string `json:"languages"`
	Frameworks     []string `json:"frameworks"`
	Databases      []string `json:"databases"`
	Infrastructure []string `json:"infrastructure"`
}

// RelevantFile is a file of the repository and why it matters.
type RelevantFile struct {
	Path            string   `json:"path"`
	Relevance       string   `json:"relevance"` // high, medium, low
	Rationale       string   `json:"rationale"`
	Role            string   `json:"role,omitempty"`
	DiscoverySource string   `json:"discovery_source,omitempty"`
	KeySymbols      []string `json:"key_symbols,omitempty"`
}

// Recommendations go to the writer.
type Recommendations struct {
	FocusAreas    []string `json:"focus_areas"`
	Risks         []string `json:"risks"`
	OpenQuestions []string `json:"open_questions"`
}

// Render writes the configuration.
func (c Config) Render() File { return jsonFile(ConfigPath, c) }

// Render writes the discovery context.
func (d Discovery) Render() File { return jsonFile(DiscoveryPath, d) }

func jsonFile(path string, v any) File {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("spec: encode %s: %v", path, err)) // plain structs always encode
	}
	return File{Path: path, Text: b.Bytes()}
}

// ParseConfig reads the configuration of a set.
func ParseConfig(s *Set) (Config, error) { return fromJSON[Config](s, ConfigPath) }

// ParseDiscovery reads the discovery context of a set.
func ParseDiscovery(s *Set) (Discovery, error) { return fromJSON[Discovery](s, DiscoveryPath) }

func fromJSON[T any](s *Set, name string) (v T, err error) {
	for _, f := range s.Files {
		if path.Base(f.Path) != path.Base(name) || len(f.Text) > FileLimit {
			continue
		}
		if err := json.Unmarshal(f.Text, &v); err != nil {
			return v, fmt.Errorf("read %s: %w", f.Path, err)
		}
		return v, nil
	}
	return v, fmt.Errorf("read %s: %w", name, errNoDocument)
}

// Asks are the asks as the discovery context keeps them.
func (s *Set) Asks() []Source {
	d, err := ParseDiscovery(s)
	if err != nil {
		return nil
	}
	var out []Source
	for _, a := range d.Asks {
		if strings.TrimSpace(a.Quote) != "" {
			out = append(out, Source{Line: a.Line, Quote: a.Quote})
		}
	}
	return out
}
