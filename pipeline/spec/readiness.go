package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Summary is spec/spec-summary.md: what a reader of one page needs.
type Summary struct {
	Head
	Title    string
	Scores   Scores
	Findings []Finding
	Set      *Set
}

var gateMessages = map[string]string{
	Pass: "ready for implementation", Review: "improve, may go on with care", Fail: "major revision needed",
}

var gateActions = map[string]string{
	Pass: "go on with `/resume`", Review: "`/improve` or `/revise` first; `/resume` accepts the risk", Fail: "`/improve` or `/revise`; the gate stays red until then",
}

var dimensionTitles = map[string]string{
	"completeness": "Completeness", "consistency": "Consistency", "traceability": "Traceability", "depth": "Depth", "coverage": "Coverage",
}

func (s Scores) front(f *frontWriter) {
	f.value("gate", s.Gate)
	f.b.WriteString("score: " + number(s.Overall) + "\ndimensions:\n")
	for _, d := range s.Dimensions {
		f.b.WriteString("  " + d.Name + ": " + orElse(dimensionNumber(d.Value), "null") + "\n")
	}
	f.value("rules", "v"+RulesVersion)
}

func number(v float64) string { return strconv.FormatFloat(float64(int(v*100+.5))/100, 'f', -1, 64) }

func dimensionNumber(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

// Render writes the readiness report.
func (r Readiness) Render() []File {
	f := r.front(DocReadiness, 6)
	r.Scores.front(f)
	f.some("accepted", r.Accepted)
	f.prints(r.Set)
	f.some("suspect", suspectLinks(r.Findings, r.Set))
	lead := []string{
		"**Generated:** " + orElse(r.GeneratedAt, "unknown"),
		fmt.Sprintf("**Overall Score:** %s%%", number(r.Scores.Overall)),
		fmt.Sprintf("**Quality Gate:** %s - %s", r.Scores.Gate, gateMessages[r.Scores.Gate]),
		"**Recommended Action:** " + r.action(),
	}
	return []File{document{path: ReadinessPath, title: "Specification Readiness Report", lang: r.Language, front: f,
		lead: strings.Join(lead, "\n\n"), parts: r.layout()}.file()}
}

// printsLimit keeps a report's frontmatter within what is read of one.
const printsLimit = 300

// prints writes what the judged items said, so that whoever reads the folder
// later can tell which have changed since.
func (f *frontWriter) prints(s *Set) {
	if s == nil {
		return
	}
	var lines []string
	for _, it := range s.Items {
		if it.Kind != KindAC && it.Kind != KindRisk && it.Kind != KindAssumption && len(lines) < printsLimit {
			lines = append(lines, "  "+it.ID+": "+strconv.Quote(it.Fingerprint)+"\n")
		}
	}
	slices.Sort(lines)
	if len(lines) > 0 {
		f.b.WriteString("fingerprints:\n" + strings.Join(lines, ""))
	}
}

func (r *Readiness) action() string {
	if lift := orElse(r.Lift, r.Scores.Lift); lift != "" && r.Scores.Gate != Pass {
		return inline(lift)
	}
	return gateActions[r.Scores.Gate]
}

func (r *Readiness) layout() []part {
	titles := map[string]string{"coverage": "Requirement Coverage"}
	parts := []part{{title: "Dimension Scores", body: made(r.table)}}
	for _, d := range r.Scores.Dimensions {
		parts = append(parts, part{title: orElse(titles[d.Name], dimensionTitles[d.Name]+" Analysis"), need: should,
			body: made(func(p *page) { r.analysis(p, d) })})
	}
	return append(parts,
		part{title: "Issues by Severity", need: should, body: made(r.issues)},
		part{title: "Phase Gates", need: should, body: made(r.phases)},
		part{title: "Traceability Matrix", need: should, body: made(r.matrix)},
		part{title: "Suppressed Findings", need: whenAny, body: made(r.suppressed)},
		part{title: "Accepted Risks", need: whenAny, body: bullets{to: &r.Accepted}})
}

func (r *Readiness) table(p *page) {
	var rows [][]string
	for _, d := range r.Scores.Dimensions {
		score, weighted := "not assessable", "–"
		if d.Value != nil {
			score, weighted = number(*d.Value)+"%", number(*d.Value*float64(d.Weight)/100)
		}
		rows = append(rows, []string{dimensionTitles[d.Name], score, strconv.Itoa(d.Weight) + "%", weighted})
	}
	p.block(grid([]string{"Dimension", "Score", "Weight", "Weighted Score"}, rows))
}

// rulesOf names the rules whose findings belong under a dimension.
var rulesOf = map[string][]string{
	"completeness": {"L01", "L02", "L03", "L07", "L08", "L44"}, "consistency": {"L04", "L05", "L06", "L09", "L13", "L37", "L39", "L40", "L56"},
	"traceability": {"L46", "L48", "L49", "L52", "L55"}, "depth": {"L31", "L33", "L35", "L50", "L51", "L53", "L54", "L59", "L60", "L61"},
	"coverage": {"L47", "L43", "L45"},
}

func (r *Readiness) analysis(p *page, d Dimension) {
	note := d.Note
	if d.Value == nil {
		note = "Not assessable: " + note + ". Its weight is shared by the other dimensions, and the gate is REVIEW at best"
	}
	p.block(line(strings.ToUpper(note[:min(1, len(note))])+note[min(1, len(note)):]) + ".")
	var out []string
	for _, f := range r.Findings {
		if f.Grade != Info && slices.Contains(rulesOf[d.Name], f.Rule) {
			out = append(out, r.entry(f))
		}
	}
	p.block(strings.Join(few(out), "\n"))
}

// few keeps a section readable.
func few(entries []string) []string {
	const most = 12
	if len(entries) <= most {
		return entries
	}
	return append(entries[:most:most], fmt.Sprintf("- and %d more", len(entries)-most))
}

func (r *Readiness) entry(f Finding) string {
	where := f.File + ":" + strconv.Itoa(f.Line)
	if f.File != "" {
		where = "[" + shortPath(f.File) + ":" + strconv.Itoa(f.Line) + "](" + relative(ReadinessPath, f.File) + ")"
	}
	return fmt.Sprintf("- %s, %s (%s): %s", where, f.Grade, f.Rule, inline(f.Message))
}

func shortPath(p string) string { return strings.TrimPrefix(p, "spec/") }

func (r *Readiness) issues(p *page) {
	var rows [][]string
	for _, g := range []string{Blocker, Major, Minor} {
		n, rules := 0, []string{}
		for _, f := range r.Findings {
			if f.Grade == g {
				n++
				rules = append(rules, f.Rule)
			}
		}
		rows = append(rows, []string{g, strconv.Itoa(n), strings.Join(compact(rules), ", ")})
	}
	p.block(grid([]string{"Severity", "Count", "Rules"}, rows))
	var out []string
	for _, f := range r.Findings {
		if f.Grade == Blocker || f.Grade == Major {
			out = append(out, r.entry(f))
		}
	}
	p.block(strings.Join(few(out), "\n"))
}

// phaseNames are the phases that leave a document; the sixth is this report.
var phaseNames = []string{1: "Discovery", 2: "Product brief", 3: "Requirements", 4: "Architecture", 5: "Epics"}

// phases shows what each phase's document lacks. They inform: what counts is
// the score.
func (r *Readiness) phases(p *page) {
	if r.Set == nil {
		return
	}
	var rows [][]string
	for phase, name := range phaseNames {
		if r.Set.Document(phaseGates[phase].file) == nil {
			continue
		}
		unmet := map[string][]string{}
		for _, f := range PhaseGate(r.Set, phase) {
			unmet[f.Grade] = append(unmet[f.Grade], inline(strings.TrimPrefix(f.Message, notMet)))
		}
		row := []string{name}
		for _, grade := range []string{Blocker, Minor, Info} {
			row = append(row, orElse(strings.Join(unmet[grade], "; "), "–"))
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		p.block(grid([]string{"Phase", "Errors", "Warnings", "Infos"}, rows))
	}
}

func (r *Readiness) matrix(p *page) {
	if r.Set == nil {
		return
	}
	in := targetsOf([]*Set{r.Set}).from(ReadinessPath)
	var rows [][]string
	for _, c := range Trace(r.Set, Options{}) {
		rows = append(rows, []string{orElse(in.one(c.From), inline(clip(c.Text, 60))), orElse(in.all(c.Reqs), "none"),
			orElse(designs(in, c.Design), "none"), orElse(in.all(c.Stories), "none"), orElse(c.Missing, "–")})
	}
	if len(rows) > 0 {
		p.block(grid([]string{"Goal", "Requirements", "Architecture", "Stories", "Missing"}, rows))
	}
}

func designs(in linker, names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, inline(in.one(n)))
	}
	return strings.Join(out, ", ")
}

func (r *Readiness) suppressed(p *page) {
	var out []string
	for _, f := range r.Findings {
		if f.Reason != "" {
			out = append(out, r.entry(f)+" · allowed: "+inline(f.Reason))
		}
	}
	p.block(strings.Join(few(out), "\n"))
}

// ParseReadiness reads gate, scores and acceptances from the report's
// frontmatter; its tables are not read back.
func ParseReadiness(s *Set) (Readiness, error) {
	d := s.First(DocReadiness)
	if d == nil {
		return Readiness{}, fmt.Errorf("read readiness report: %w", errNoDocument)
	}
	r := Readiness{Head: d.Front.head(), Gate: d.Front.Get("gate"), Accepted: slices.Clone(d.Front.List("accepted"))}
	r.Scores.Gate = r.Gate
	if v, err := strconv.ParseFloat(d.Front.Get("score"), 64); err == nil {
		r.Scores.Overall = v
	}
	for _, dim := range dimensions {
		one := Dimension{Name: dim.name, Weight: dim.weight}
		if v, err := strconv.ParseFloat(d.Front.Get("dimensions."+dim.name), 64); err == nil {
			one.Value = &v
		}
		r.Scores.Dimensions = append(r.Scores.Dimensions, one)
	}
	return r, nil
}
