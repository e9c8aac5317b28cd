package discuss

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

// Results are opinions given from outside: nobody is asked, they are only tallied.
type Results struct {
	Round        pipeline.Round `json:"round"`
	Artifact     string         `json:"artifact"`
	Perspectives []Result       `json:"perspectives"`
}

// Result is one perspective's plain answer. A null rating is a voice that gave none.
type Result struct {
	Name        string   `json:"name"`
	Rating      *int     `json:"rating"`
	Strengths   []string `json:"strengths"`
	Weaknesses  []said   `json:"weaknesses"`
	Suggestions []string `json:"suggestions"`
	RiskLevel   string   `json:"risk_level"`
	Missing     []string `json:"missing_requirements"`
}

// MaxResults is how large a file of results may be.
const MaxResults = 1 << 20

// ReadResults parses and checks results; what is wrong with them is a Refusal.
func ReadResults(raw []byte) (Results, error) {
	var r Results
	if len(raw) > MaxResults {
		return r, &pipeline.Refusal{Text: fmt.Sprintf("results: more than %d bytes", MaxResults)}
	}
	if err := strict(raw, &r); err != nil {
		return r, &pipeline.Refusal{Text: "results: " + inWords(err)}
	}
	if r.Round != "" {
		if _, err := findRound(r.Round); err != nil {
			return r, err
		}
	}
	if len(r.Perspectives) == 0 {
		return r, &pipeline.Refusal{Text: "results: no perspectives are given"}
	}
	names := make([]string, len(r.Perspectives))
	for i, p := range r.Perspectives {
		names[i] = p.Name
		if p.Rating != nil && (*p.Rating < 1 || *p.Rating > 5) {
			return r, &pipeline.Refusal{Text: fmt.Sprintf("results: %s: rating %d is outside 1 to 5", p.Name, *p.Rating)}
		}
		if !slices.Contains(riskLevels, p.RiskLevel) {
			return r, &pipeline.Refusal{Text: fmt.Sprintf("results: %s: risk_level %q is not low, medium, high or critical", p.Name, p.RiskLevel)}
		}
	}
	panel, err := ParsePerspectives(names)
	for i, p := range panel {
		r.Perspectives[i].Name = string(p)
	}
	return r, err
}

// inWords says what is wrong with a JSON text without speaking of Go.
func inWords(err error) string {
	var other *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "there is nothing in the file"
	case errors.As(err, &other):
		want := map[reflect.Kind]string{reflect.Int: "a whole number", reflect.String: "a text", reflect.Slice: "a list"}[other.Type.Kind()]
		return fmt.Sprintf("%s is of another kind (%s): it must be %s", cmp.Or(other.Field, "the whole"), other.Value, cmp.Or(want, "an object"))
	}
	return err.Error()
}

// Judge tallies given results. The panel is exactly those given; settings
// matter only for the literal switch.
func (r Results) Judge(s pipeline.Settings, now time.Time) (pipeline.Judgement, error) {
	h := &hearing{run: 1, review: pipeline.Review{Session: pipeline.Session{Settings: s}, Artifact: r.Artifact, Now: now}}
	h.round.ID = cmp.Or(r.Round, Guess(r.Artifact, ""))
	h.ledger.Version = 1
	h.rules = func() reading { return reading{} }
	var voices []voice
	for _, one := range r.Perspectives {
		p := pipeline.Perspective(one.Name)
		h.panel = append(h.panel, p)
		o := pipeline.Opinion{
			Perspective: p, Rating: one.Rating, Source: "given", Strengths: texts(one.Strengths),
			Weaknesses: sentences(one.Weaknesses, len(one.Weaknesses)), Suggestions: texts(one.Suggestions),
			RiskLevel: one.RiskLevel, Missing: texts(one.Missing),
		}
		o.KeyFinding = keyFinding(voice{opinion: o})
		voices = append(voices, voice{opinion: o})
	}
	slices.SortFunc(h.panel, func(a, b pipeline.Perspective) int { return order(a) - order(b) })
	return h.judgement(h.conclude(voices))
}

// Verdict is a round's outcome in the form `parley discuss --format json` prints.
type Verdict struct {
	Round        pipeline.Round     `json:"round"`
	Artifact     string             `json:"artifact"`
	Perspectives []PerspectiveOut   `json:"perspectives"`
	Average      float64            `json:"average"`
	Consensus    pipeline.Consensus `json:"consensus"`
	Severity     *pipeline.Severity `json:"severity"`
	Divergences  []DivergenceOut    `json:"divergences"`
	Recommended  *string            `json:"recommendation"`
	Actions      []string           `json:"action_items"`
	Themes       []string           `json:"convergent_themes"`
	Sentiment    string             `json:"sentiment"`
	Record       *string            `json:"record"`
}

// PerspectiveOut is one voice of a printed verdict.
type PerspectiveOut struct {
	Name        pipeline.Perspective `json:"name"`
	Rating      *int                 `json:"rating"`
	Source      string               `json:"source"`
	Strengths   []string             `json:"strengths"`
	Weaknesses  []string             `json:"weaknesses"`
	Suggestions []string             `json:"suggestions"`
	Missing     []string             `json:"missing_requirements"`
	RiskLevel   *string              `json:"risk_level"`
	Findings    []FindingOut         `json:"findings"`
}

// FindingOut is one finding of a printed verdict.
type FindingOut struct {
	Key       string         `json:"key"`
	Grade     pipeline.Grade `json:"severity"`
	Claim     string         `json:"claim"`
	File      string         `json:"file"`
	LineStart int            `json:"line_start"`
	LineEnd   int            `json:"line_end"`
	Quote     string         `json:"quote"`
	Rule      string         `json:"rule"`
}

// DivergenceOut is one divergence of a printed verdict.
type DivergenceOut struct {
	Kind        string               `json:"kind"`
	Severity    pipeline.Severity    `json:"severity"`
	Perspective pipeline.Perspective `json:"perspective"`
	Text        string               `json:"text"`
}

// Printed is the verdict as printed; record is "" where nothing was written.
func Printed(v pipeline.Verdict, record string) Verdict {
	out := Verdict{
		Round: v.Round, Artifact: v.Artifact, Average: v.Average, Consensus: v.Consensus, Sentiment: v.Sentiment,
		Severity: orNull(v.Severity), Recommended: orNull(v.Recommendation), Record: orNull(record),
		Perspectives: []PerspectiveOut{}, Divergences: []DivergenceOut{}, Actions: []string{}, Themes: []string{},
	}
	for _, o := range v.Opinions {
		one := PerspectiveOut{
			Name: o.Perspective, Rating: o.Rating, Source: o.Source, Strengths: list(o.Strengths), Weaknesses: list(o.Weaknesses),
			Suggestions: list(o.Suggestions), Missing: list(o.Missing), RiskLevel: orNull(o.RiskLevel), Findings: []FindingOut{},
		}
		for _, f := range v.Findings {
			if slices.Contains(f.Voices, o.Perspective) {
				one.Findings = append(one.Findings, FindingOut{f.Key, f.Grade, f.Claim, f.File, f.LineStart, f.LineEnd, f.Quote, f.Rule})
			}
		}
		out.Perspectives = append(out.Perspectives, one)
	}
	for _, d := range v.Divergences {
		out.Divergences = append(out.Divergences, DivergenceOut{d.Kind, d.Severity, d.Perspective, d.Text})
	}
	for _, a := range v.Actions {
		out.Actions = append(out.Actions, a.Text)
	}
	for _, t := range v.Themes {
		out.Themes = append(out.Themes, t.Text)
	}
	return out
}

// orNull is nil for the empty string, so that it prints as null.
func orNull[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

// english writes without a session, for a terminal.
var english = &hearing{}

// Report is the verdict as a person reads it in a terminal.
func Report(v pipeline.Verdict, record string) string {
	p := &page{}
	p.line("## Discuss Verdict: %s\n", v.Round)
	p.line("**Verdict**: %s  ", v.Consensus)
	p.line("**Average Rating**: %s  ", strings.ReplaceAll(v.Score(), " / ", "/"))
	if v.Severity != "" {
		p.line("**Severity**: %s  ", v.Severity)
		p.line("**Recommendation**: %s  ", v.Recommendation)
	}
	p.line("**Artifact**: %s  ", plain(v.Artifact))
	if record != "" {
		p.line("**Discussion Record**: %s  ", plain(record))
	}
	p.line("\n### Perspective Ratings\n")
	var rows [][]string
	for _, o := range v.Opinions {
		rows = append(rows, []string{string(o.Perspective), english.rating(o), cell(o.Source), cell(o.KeyFinding)})
	}
	p.table([]string{"Perspective", "Rating", "Answered by", "Key Finding"}, rows)
	if len(v.Divergences) > 0 {
		p.line("\n### Divergence Summary\n")
		for _, d := range v.Divergences {
			p.line("- **%s** (%s), %s: %s", severityNames[d.Kind].en, d.Severity, d.Perspective, plain(d.Text))
		}
	}
	if len(v.Themes) > 0 {
		p.line("\n### Convergent Themes\n")
		p.bullets(english.themeLines(v.Themes), "")
	}
	reportActions(p, v)
	for _, w := range v.Warnings {
		p.line("\n> %s", plain(w))
	}
	return p.String()
}

// reportActions: all of them where changes are required, else the first three.
func reportActions(p *page, v pipeline.Verdict) {
	title, list := "Action Items", v.Actions
	if v.Consensus == pipeline.ConsensusReached {
		title, list = "Key Action Items", first(list, 3)
	}
	if len(list) == 0 {
		return
	}
	p.line("\n### %s\n", title)
	for i, a := range list {
		p.line("%d. %s *(%s)*", i+1, plain(a.Text), english.voices(a.Voices))
	}
}
