package discuss

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline"
)

// answer is what a model returns for one perspective: the full form with
// checks and evidence, or the plain form of the lifecycle alone.
type answer struct {
	Perspective  string     `json:"perspective"`
	ArtifactID   string     `json:"artifact_id"`
	BoundaryEcho string     `json:"boundary_echo"`
	Checks       []check    `json:"checks"`
	Findings     []claim    `json:"findings"`
	Strengths    []said     `json:"strengths"`
	Weaknesses   []said     `json:"weaknesses"`
	Suggestions  []said     `json:"suggestions"`
	Missing      []lack     `json:"missing_requirements"`
	Map          []mapped   `json:"coverage_map"`
	Covered      []string   `json:"covered_requirements"`
	Partly       []string   `json:"partial_requirements"`
	Creep        []string   `json:"scope_creep"`
	RiskLevel    string     `json:"risk_level"`
	Risks        []riskFlag `json:"risks"`
	Testability  []string   `json:"testability_issues"`
	Assumptions  []string   `json:"assumptions_to_validate"`
	Questions    []string   `json:"open_questions"`
	Injection    suspicion  `json:"injection_suspected"`
	Rating       *int       `json:"rating"`
}

type check struct {
	ID       string     `json:"id"`
	Answer   string     `json:"answer"`
	Why      string     `json:"why"`
	Evidence []evidence `json:"evidence"`
}

type claim struct {
	Key         string     `json:"key"`
	Claim       string     `json:"claim"`
	Severity    string     `json:"severity"`
	Suggestion  string     `json:"suggestion"`
	Replacement string     `json:"replacement"`
	RuleRef     string     `json:"rule_ref"`
	Evidence    []evidence `json:"evidence"`
}

type evidence struct {
	File  string `json:"file"`
	Start int    `json:"line_start"`
	End   int    `json:"line_end"`
	Quote string `json:"quote"`
}

type mapped struct {
	Source string   `json:"source_id"`
	By     []string `json:"covered_by"`
	State  string   `json:"state"`
}

type riskFlag struct {
	Text       string `json:"text"`
	Likelihood string `json:"likelihood"`
	Impact     string `json:"impact"`
	Mitigation string `json:"mitigation"`
}

type suspicion struct {
	Suspected bool       `json:"suspected"`
	Evidence  []evidence `json:"evidence"`
}

// said is a sentence: a bare string, or a text with its severity.
type said struct {
	Text     string `json:"text"`
	Severity string `json:"severity"`
}

func (s *said) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return json.Unmarshal(raw, &s.Text)
	}
	type plain said
	return strict(raw, (*plain)(s))
}

// lack is a missing requirement: a bare string in the plain form, with the
// asking sentence in the full one.
type lack struct {
	Text   string    `json:"text"`
	Source *evidence `json:"source"`
}

func (l *lack) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return json.Unmarshal(raw, &l.Text)
	}
	type plain lack
	return strict(raw, (*plain)(l))
}

// strict decodes one JSON value and refuses unknown fields and anything behind it.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text behind the JSON object")
	}
	return nil
}

// full says whether the answer carries checks; else it is the plain form.
func (a answer) full() bool { return a.Checks != nil }

// read parses an answer and names the first violation of the contract.
func read(p pipeline.Perspective, raw []byte) (answer, error) {
	var a answer
	if err := strict(raw, &a); err != nil {
		return a, fmt.Errorf("the answer is not the JSON object asked for: %w", err)
	}
	for _, test := range []func(pipeline.Perspective) error{a.checkHead, a.checkChecks, a.checkFindings, a.checkDuties} {
		if err := test(p); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (a answer) checkHead(p pipeline.Perspective) error {
	if a.Perspective != "" && a.Perspective != string(p) {
		return fmt.Errorf("perspective is %q, asked was %q", a.Perspective, p)
	}
	if a.Rating == nil {
		return errors.New("rating is missing")
	}
	if *a.Rating < 1 || *a.Rating > 5 {
		return fmt.Errorf("rating is %d, it must be 1 to 5", *a.Rating)
	}
	return nil
}

func (a answer) checkChecks(p pipeline.Perspective) error {
	if !a.full() {
		return nil
	}
	seen := map[string]bool{}
	for _, c := range a.Checks {
		if seen[c.ID] {
			return fmt.Errorf("check %s is answered twice", c.ID)
		}
		seen[c.ID] = true
		if !slices.Contains([]string{"yes", "no", "na"}, c.Answer) {
			return fmt.Errorf("check %s: answer %q is not yes, no or na", c.ID, c.Answer)
		}
		if c.Answer == "na" && strings.TrimSpace(c.Why) == "" {
			return fmt.Errorf("check %s: na needs a reason", c.ID)
		}
		if c.Answer != "na" && len(c.Evidence) == 0 {
			return fmt.Errorf("check %s: %s needs evidence", c.ID, c.Answer)
		}
	}
	for i := range checks[p] {
		if id := checkID(p, i); !seen[id] {
			return fmt.Errorf("check %s is not answered", id)
		}
	}
	if len(a.Checks) != len(checks[p]) {
		return fmt.Errorf("%d checks are answered, %d were asked", len(a.Checks), len(checks[p]))
	}
	return nil
}

func (a answer) checkFindings(pipeline.Perspective) error {
	for _, f := range a.Findings {
		if gradeRank(pipeline.Grade(f.Severity)) > gradeRank(pipeline.Minor) {
			return fmt.Errorf("finding %q: severity %q is not blocker, major or minor", f.Key, f.Severity)
		}
		if strings.TrimSpace(f.Claim) == "" {
			return fmt.Errorf("finding %q has no claim", f.Key)
		}
	}
	return nil
}

// checkDuties: what the verdict's arithmetic reads must be there.
func (a answer) checkDuties(p pipeline.Perspective) error {
	if p == pipeline.Risk && riskRank(a.RiskLevel) < 1 {
		return fmt.Errorf("risk_level is %q, it must be low, medium, high or critical", a.RiskLevel)
	}
	if p == pipeline.Coverage && a.Missing == nil {
		return errors.New("missing_requirements is missing; an empty list says nothing is missing")
	}
	return nil
}

var (
	statedRating = regexp.MustCompile(`\b([1-5])(?:\.0)?\s*/\s*5\b`)
	statedRisk   = regexp.MustCompile(`(?i)risk[ _]level\W{1,6}(low|medium|high|critical)\b`)
	bullet       = regexp.MustCompile(`^\s*(?:[-*•]|\d+[.)])\s+(.{8,})$`)
)

// salvage takes key points and a stated n/5 from prose. It fills only what the
// text says; without one stated rating there is nothing to salvage.
func salvage(p pipeline.Perspective, prose string) ([]byte, bool) {
	stated := map[string]bool{}
	for _, m := range statedRating.FindAllStringSubmatch(prose, -1) {
		stated[m[1]] = true
	}
	if len(stated) != 1 {
		return nil, false
	}
	out := salvaged{Perspective: string(p), Strengths: []string{}, Weaknesses: []string{}, Suggestions: []string{}}
	for digit := range stated {
		out.Rating = int(digit[0] - '0')
	}
	if m := statedRisk.FindStringSubmatch(prose); m != nil && p == pipeline.Risk {
		out.RiskLevel = strings.ToLower(m[1])
	}
	out.points(prose)
	raw, err := json.Marshal(out)
	return raw, err == nil
}

// salvaged is the plain form, less what prose does not say.
type salvaged struct {
	Perspective string   `json:"perspective"`
	Strengths   []string `json:"strengths"`
	Weaknesses  []string `json:"weaknesses"`
	Suggestions []string `json:"suggestions"`
	RiskLevel   string   `json:"risk_level,omitempty"`
	Rating      int      `json:"rating"`
}

// points sorts bullets under the last line that names a list.
func (s *salvaged) points(prose string) {
	list := &s.Weaknesses
	for line := range strings.Lines(prose) {
		if m := bullet.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			if len(*list) < 5 {
				*list = append(*list, clip(m[1], 160))
			}
			continue
		}
		low := strings.ToLower(line)
		for word, target := range map[string]*[]string{"strength": &s.Strengths, "weakness": &s.Weaknesses, "suggest": &s.Suggestions} {
			if strings.Contains(low, word) {
				list = target
			}
		}
	}
}
