package roles

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// Config is spec/spec-config.json, the union of its older shapes.
type SpecConfig struct {
	SessionID    string   `json:"session_id"`
	Topic        string   `json:"topic"`
	SeedInput    string   `json:"seed_input"`
	InputType    string   `json:"input_type"` // text, file
	Timestamp    string   `json:"timestamp"`
	Status       string   `json:"status"`
	Mode         string   `json:"mode"`
	Complexity   string   `json:"complexity"` // simple, moderate, complex
	Depth        string   `json:"depth"`      // light, standard, comprehensive
	FocusAreas   []string `json:"focus_areas"`
	SeedAnalysis Seed     `json:"seed_analysis"`
	HasCodebase  bool     `json:"has_codebase"`
	Language     string   `json:"language"`
	Track        string   `json:"track"`
	Phases       []Phase  `json:"phasesCompleted"`
}

// Phase is one finished document.
type Phase struct {
	Phase       int    `json:"phase"`
	Name        string `json:"name"`
	OutputFile  string `json:"output_file"`
	CompletedAt string `json:"completed_at"`
}

// Seed is the first analysis of an issue.
type Seed struct {
	Problem     string   `json:"problem_statement"`
	TargetUsers []string `json:"target_users"`
	Domain      string   `json:"domain"`
	Constraints []string `json:"constraints"`
	Dimensions  []string `json:"exploration_dimensions"`
	Complexity  string   `json:"complexity_assessment"`
	Components  int      `json:"components"`
}

// Discovery is spec/discovery-context.json.
type Discovery struct {
	SessionID    string          `json:"session_id"`
	Phase        int             `json:"phase"`
	DocumentType string          `json:"document_type"`
	Status       string          `json:"status"`
	GeneratedAt  string          `json:"generated_at"`
	Version      int             `json:"version"`
	Language     string          `json:"language"`
	Title        string          `json:"title"`
	Author       string          `json:"author,omitempty"`
	Seed         Seed            `json:"seed_analysis"`
	Codebase     *Codebase       `json:"codebase_context"`
	Advice       Recommendations `json:"recommendations"`
	// Asks are the sentences a requirement must cover, Said all others that count.
	Asks        []Said   `json:"asks"`
	Said        []Said   `json:"said"`
	Questions   []Asked  `json:"questions"`
	Assumptions []string `json:"assumptions"`
	Feedback    []string `json:"feedback,omitempty"`
}

// Codebase is what exploration found.
type Codebase struct {
	Stack        TechStack      `json:"tech_stack"`
	Patterns     []string       `json:"architecture_patterns"`
	Conventions  []string       `json:"existing_conventions"`
	Integration  []string       `json:"integration_points"`
	Constraints  []string       `json:"constraints_from_codebase"`
	Files        []RelevantFile `json:"relevant_files"`
	FilesScanned int            `json:"files_scanned"`
}

// Recommendations steer the drafts.
type Recommendations struct {
	Focus     []string `json:"focus_areas"`
	Risks     []string `json:"risks"`
	Questions []string `json:"open_questions"`
}

// Asked is a question with its recommended default.
type Asked struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Default string `json:"default"`
	Why     string `json:"why"`
}

// Reading is the issue as the discovery keeps it.
func (d Discovery) Reading() Reading {
	return Reading{Title: d.Title, Language: d.Language, Said: append(append([]Said{}, d.Asks...), d.Said...)}
}

// readDiscovery reads the analyst's result from the folder; a broken one is an
// error, because every draft rests on it.
func readDiscovery(f pipeline.Folder) (Discovery, error) {
	var d Discovery
	text, ok := f[spec.DiscoveryPath]
	if !ok {
		return d, fmt.Errorf("read %s: %w", spec.DiscoveryPath, pipeline.ErrNotFound)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, &pipeline.Refusal{Text: fmt.Sprintf("`%s` is not valid JSON (%v). Mend it, or say `/revise RESEARCH-001`.", spec.DiscoveryPath, err)}
	}
	return d, nil
}

// toJSON writes a value for people: indented, with nothing escaped for HTML.
func toJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("roles: %T does not encode: %v", v, err))
	}
	return b.Bytes()
}
