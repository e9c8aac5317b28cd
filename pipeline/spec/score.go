package spec

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// Dimensions of the quality gate and their weights in percent.
var dimensions = []struct {
	name   string
	weight int
	score  func(*assessment) (*float64, string)
}{
	{"completeness", 25, (*assessment).completeness},
	{"consistency", 20, (*assessment).consistency},
	{"traceability", 25, (*assessment).traceability},
	{"depth", 20, (*assessment).depth},
	{"coverage", 10, (*assessment).coverage},
}

// Thresholds of the gate.
const (
	passScore, passCoverage = 80, 70
	failScore, failCoverage = 60, 50
)

// Gates.
const (
	Pass   = "PASS"
	Review = "REVIEW"
	Fail   = "FAIL"
)

// assessment is what the dimensions are computed from.
type assessment struct {
	set      *Set
	findings []Finding
	options  Options
	asks     []Source
}

// Score computes the five dimensions, their weighted sum and the gate. A
// dimension with nothing to judge is nil; its weight is shared by the rest and
// the gate is REVIEW at best.
func Score(s *Set, findings []Finding, o Options) Scores {
	a := &assessment{set: s, findings: findings, options: o, asks: o.Asks}
	if a.asks == nil {
		a.asks = s.Asks()
	}
	var out Scores
	for _, d := range dimensions {
		value, note := d.score(a)
		out.Dimensions = append(out.Dimensions, Dimension{Name: d.name, Weight: d.weight, Value: value, Note: note})
	}
	out.settle()
	if len(s.Documents) == 0 {
		out.Gate = Fail // an empty folder specifies nothing
	}
	out.Lift = a.lift(out)
	if open := a.unsaid(); open != nil && out.Gate == Pass {
		// A document set without a section its template requires is not ready,
		// whatever the sum says.
		out.Gate, out.Lift = Review, "say it, or answer the question about it: "+shortPath(open.File)+", "+open.Message
	}
	return out
}

// unsaid is the first required section that is missing or empty.
func (a *assessment) unsaid() *Finding {
	for i, f := range a.findings {
		if f.Rule == "L02" && f.Grade == Blocker {
			return &a.findings[i]
		}
	}
	return nil
}

// settle computes sum and gate from the dimensions.
func (s *Scores) settle() {
	sum, weight := 0.0, 0
	for _, d := range s.Dimensions {
		if d.Value != nil {
			sum += *d.Value * float64(d.Weight)
			weight += d.Weight
		}
	}
	if weight > 0 {
		// Hundredths are enough, and keep sums of thirds stable.
		s.Overall = math.Round(sum/float64(weight)*100) / 100
	}
	if weight == 0 {
		s.Gate = Review
		return
	}
	s.Gate = gate(s.Overall, s.Value("coverage"), weight == 100)
}

// gate holds score and coverage against the thresholds: PASS, then FAIL, then
// REVIEW. What could not be assessed whole does not pass.
func gate(score float64, coverage *float64, whole bool) string {
	switch {
	case score >= passScore && whole && coverage != nil && *coverage >= passCoverage:
		return Pass
	case score < failScore || coverage != nil && *coverage < failCoverage:
		return Fail
	}
	return Review
}

// Value is a dimension's score, nil when it is not assessable or unknown.
func (s Scores) Value(name string) *float64 {
	for _, d := range s.Dimensions {
		if d.Name == name {
			return d.Value
		}
	}
	return nil
}

// Weakest is the assessed dimension with the lowest score; the earlier one
// among equals.
func (s Scores) Weakest() string {
	name, low := "", math.Inf(1)
	for _, d := range s.Dimensions {
		if d.Value != nil && *d.Value < low {
			name, low = d.Name, *d.Value
		}
	}
	return name
}

func percent(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	v := 100 * float64(n) / float64(of)
	return &v
}

// expected are the sections that make a document complete; the last names
// item files where the content lives there.
var expected = []struct {
	kind     DocKind
	name     string
	sections []expectedSection
}{
	{DocBrief, "product brief", []expectedSection{
		{"Vision", []string{"Vision Statement"}, ""}, {"Problem Statement", []string{"Problem"}, ""},
		{"Target Users", []string{"Target Audience", "Users"}, ""}, {"Goals & Success Metrics", []string{"Success Metrics", "Goals"}, ""},
		{"Constraints & Dependencies", []string{"Constraints"}, ""}}},
	{DocRequirements, "requirements", []expectedSection{
		{"Traceability Matrix", []string{"Goals"}, ""}, {"Functional Requirements", []string{"Requirements"}, DocReq},
		{"User Story", []string{"User Stories"}, DocReq}, {"Acceptance Criteria", nil, DocReq},
		{"Non-Functional Requirements", nil, DocNFR}}},
	{DocArchitecture, "architecture", []expectedSection{
		{"System Overview", nil, ""}, {"Component Architecture", []string{"Component Design", "Components"}, ""},
		{"Data Architecture", []string{"Data Models"}, ""}, {"API Design", []string{"API Specifications"}, ""},
		{"Technology Stack", nil, ""}}},
	{DocEpics, "epics", []expectedSection{
		{"Epic Overview", []string{"Stories", "Story List"}, DocEpic}, {"Acceptance Criteria", nil, DocEpic},
		{"Priority", nil, DocEpic}, {"Estimation Summary", []string{"Estimation", "Size"}, DocEpic}}},
}

var expectedTiny = []expectedSection{
	{"Problem Statement", []string{"Problem"}, ""}, {"Goals & Success Metrics", []string{"Goals"}, ""},
	{"Requirements", []string{"Functional Requirements"}, ""}, {"Out of Scope", []string{"Non-Goals", "Scope"}, ""},
}

type expectedSection struct {
	title   string
	aliases []string
	items   DocKind
}

// substantial is how much a section must say past its heading.
const substantial = 100

func (a *assessment) completeness() (*float64, string) {
	if len(a.set.Items) == 0 && !a.set.Session() {
		return nil, "no specification documents"
	}
	if d := a.set.First(DocTiny); d != nil && a.set.First(DocBrief) == nil {
		v, thin := a.document(d, expectedTiny)
		return &v, thinNote(thin)
	}
	sum := 0.0
	var thin, missing []string
	for _, e := range expected {
		d := a.set.First(e.kind)
		if d == nil {
			missing = append(missing, e.name)
			continue
		}
		v, t := a.document(d, e.sections)
		sum += v
		for _, title := range t {
			thin = append(thin, e.name+" › "+title)
		}
	}
	v := sum / float64(len(expected))
	if len(missing) > 0 {
		return &v, "missing: " + strings.Join(missing, ", ")
	}
	return &v, thinNote(thin)
}

func thinNote(thin []string) string {
	if len(thin) == 0 {
		return "every expected section says something"
	}
	if len(thin) == 1 {
		return "thin: " + thin[0]
	}
	return fmt.Sprintf("%d thin sections, first %s", len(thin), thin[0])
}

// document is half for sections present, half for sections substantial.
func (a *assessment) document(d *Document, sections []expectedSection) (float64, []string) {
	present, full := 0, 0
	var thin []string
	for _, e := range sections {
		size, found := a.size(d, e)
		if found {
			present++
		}
		if size > substantial {
			full++
		} else {
			thin = append(thin, e.title)
		}
	}
	n := float64(len(sections))
	return float64(present)/n*50 + float64(full)/n*50, thin
}

func (a *assessment) size(d *Document, e expectedSection) (size int, found bool) {
	titles := append([]string{e.title}, e.aliases...)
	if at := d.Find(-1, titles...); at >= 0 {
		size, found = weight(d.Below(at)), true
	}
	if e.items == "" {
		return size, found
	}
	for _, f := range a.set.Documents {
		if f.Kind != e.items {
			continue
		}
		if e.items == DocNFR || e.title == "Functional Requirements" || e.title == "Epic Overview" {
			size, found = size+weight(f.Blocks), true
			continue
		}
		for _, b := range f.Blocks {
			if name, _, ok := splitLabel(b.Text); ok && (titleKey(name) == titleKey(e.title) || strings.Contains(name, strings.ToLower(e.title))) {
				size, found = size+substantial, true
			}
		}
		if at := f.Find(-1, titles...); at >= 0 {
			size, found = size+weight(f.Below(at)), true
		}
	}
	return size, found
}

// weight counts what blocks say; a Chinese letter says as much as three others.
func weight(blocks []Block) int {
	n := 0
	for _, b := range blocks {
		if b.Kind == HTMLBlock || b.Kind == TableHead || unsaid(b.Text) == "" {
			continue
		}
		for _, r := range b.Text {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
				n += 3
			case !unicode.IsSpace(r) || r == ' ':
				n++
			}
		}
	}
	return n
}

// penalties of the consistency dimension by rule.
var penalties = []struct {
	rules  []string
	points float64
	name   string
}{
	{[]string{"L09", "L48", "L04", "L39", "L40"}, 10, "broken links and contradictions"},
	{[]string{"L37", "L06", "L56"}, 5, "terms and titles that differ"},
	{[]string{"L05", "L13"}, 2, "mixed styles"},
}

func (a *assessment) consistency() (*float64, string) {
	if len(a.set.Items) == 0 {
		return nil, "no items to compare"
	}
	value := 100.0
	var notes []string
	for _, p := range penalties {
		n := 0
		for _, f := range a.findings {
			for _, id := range p.rules {
				if f.Rule == id && f.Grade != Info {
					n++
				}
			}
		}
		if n > 0 {
			value -= float64(n) * p.points
			notes = append(notes, fmt.Sprintf("%d × %s", n, p.name))
		}
	}
	value = max(0, value)
	if len(notes) == 0 {
		return &value, "no contradictions, no broken links"
	}
	return &value, strings.Join(notes, "; ")
}

func (a *assessment) traceability() (*float64, string) {
	chains := Trace(a.set, a.options)
	if len(chains) == 0 {
		return nil, "no goals to trace"
	}
	whole, noun := 0, "goal"
	tiny := a.set.First(DocTiny) != nil
	for _, c := range chains {
		if c.From == "" {
			noun = "ask"
		}
		// The tiny track has neither design nor stories: a requirement is the end of its chain.
		if c.Missing == "" || tiny && c.Missing != "requirement" {
			whole++
		}
	}
	one, many := "reaches a story", "reach a story"
	if tiny {
		one, many = "has a requirement", "have a requirement"
	}
	return percent(whole, len(chains)), outOf(whole, len(chains), noun, one, many)
}

func (a *assessment) coverage() (*float64, string) {
	if len(a.asks) == 0 {
		return a.goalCoverage()
	}
	if len(a.set.Of(KindReq, KindNFR)) == 0 && a.set.First(DocRequirements) == nil && a.set.First(DocTiny) == nil {
		return nil, "no requirements yet"
	}
	covered, partly, out := 0, 0, 0
	for _, c := range a.set.askCoverage(a.asks) {
		switch c {
		case coveredAsk:
			covered++
		case partlyCovered:
			partly++
		case scopedOut:
			covered++
			out++
		}
	}
	note := outOf(covered, len(a.asks), "ask", "covered", "covered")
	if partly > 0 {
		note += fmt.Sprintf(", %d partly", partly)
	}
	if out > 0 {
		note += fmt.Sprintf(", %d put out of scope", out)
	}
	return percent(covered, len(a.asks)), note
}

func (a *assessment) goalCoverage() (*float64, string) {
	goals := a.set.Of(KindGoal)
	if len(goals) == 0 {
		return nil, "no asks and no goals to cover"
	}
	n := 0
	for _, g := range goals {
		if len(ofKind(g.Children, KindReq, KindNFR)) > 0 {
			n++
		}
	}
	return percent(n, len(goals)), outOf(n, len(goals), "goal", "has a requirement", "have a requirement")
}

var testable = compile(`(?i)\d|\b(given|when|then|angenommen|wenn|dann|returns?|shows?|displays?|rejects?|answers?|responds?|contains?|equals?|fails?|sends?|writes?|creates?|deletes?|receives?|lists?|prints?|logs?|exits?|refuses?|accepts?|zeigt|liefert|gibt|lehnt|enthält|sendet)\b|当|如果|那么|返回|显示|拒绝|包含|发送`)
