package discuss

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"parley/pipeline"
)

// page is a Markdown text in the making. Everything put on it that is not a
// word of ours goes through plain or cell first.
type page struct{ strings.Builder }

func (p *page) line(format string, values ...any) { fmt.Fprintf(p, format+"\n", values...) }

func (p *page) heading(text string) { p.line("\n## %s\n", text) }

func (p *page) bullets(list []string, none string) {
	if len(list) == 0 {
		p.line("- %s", none)
	}
	for _, s := range list {
		p.line("- %s", plain(s))
	}
}

// table is written the way linters want it: one space around what a cell
// says, one between the bars of an empty one. Cells have gone through cell.
func (p *page) table(head []string, rows [][]string) {
	row := func(cells []string) {
		for _, c := range cells {
			p.WriteString("| " + c)
			if c != "" {
				p.WriteString(" ")
			}
		}
		p.WriteString("|\n")
	}
	row(head)
	row(slices.Repeat([]string{"---"}, len(head)))
	for _, r := range rows {
		row(r)
	}
}

// longest is the most that one line of foreign text may bring into a page.
const longest = 4000

// plain makes foreign text one line that reads the same and does nothing.
func plain(s string) string { return pipeline.InertLine(s, longest) }

// cell is plain text inside a table.
func cell(s string) string { return pipeline.InertCell(s, longest) }

// record writes what was said, in the order the lifecycle fixes, then what
// helps whoever reads it later.
func (h *hearing) record(v pipeline.Verdict) []byte {
	p := &page{}
	h.recordHead(p, v)
	p.heading(h.say(wThemes))
	p.bullets(h.themeLines(v.Themes), h.say(wNone))
	h.recordDivergences(p, v)
	if hasVoice(v.Opinions, pipeline.Coverage) {
		p.heading(h.say(wGaps))
		p.bullets(v.Gaps, h.say(wNone))
	}
	h.recordActions(p, v)
	h.recordRatings(p, v)
	h.recordOpinions(p, v)
	h.recordFindings(p, v)
	h.recordRisks(p, v)
	h.recordDecisions(p)
	h.recordList(p, wQuestions, v.OpenQuestions)
	h.recordOptions(p, v)
	h.recordList(p, wAdvice, v.Advice)
	h.recordEarlier(p)
	h.recordHow(p, v)
	h.recordNotes(p, v)
	return []byte(p.String())
}

func (h *hearing) recordHead(p *page, v pipeline.Verdict) {
	field := func(name word, value string) { p.line("**%s**: %s  ", h.say(name), value) }
	p.line("# "+h.say(wTitle)+"\n", h.round.ID)
	field(wArtifact, plain(v.Artifact))
	field(wVoices, h.voices(h.panel))
	field(wConsensus, h.outcome(v.Consensus))
	field(wAverage, h.average(v.Average))
	if v.Severity != "" {
		field(wSeverity, h.term(string(v.Severity)))
		field(wRecommend, h.term(v.Recommendation))
	}
	field(wSentiment, h.term(v.Sentiment))
	if v.Partial {
		field(wStatus, "PARTIAL")
	}
	field(wRun, fmt.Sprint(v.Run))
	field(wTime, h.review.Now.UTC().Format(time.RFC3339))
}

func (h *hearing) outcome(c pipeline.Consensus) string {
	if c == pipeline.ConsensusBlocked {
		return h.say(wBlocked)
	}
	return h.say(wReached)
}

func (h *hearing) themeLines(list []pipeline.Theme) []string {
	var out []string
	for _, t := range list {
		out = append(out, fmt.Sprintf("%s (%s)", t.Text, h.voices(t.Voices)))
	}
	return out
}

func hasVoice(opinions []pipeline.Opinion, p pipeline.Perspective) bool {
	for _, o := range opinions {
		if o.Perspective == p {
			return true
		}
	}
	return false
}

func (h *hearing) recordDivergences(p *page, v pipeline.Verdict) {
	p.heading(h.say(wDivergent))
	if len(v.Divergences) == 0 {
		p.line("- %s", h.say(wNone))
	}
	for _, d := range v.Divergences {
		p.line("- **%s** (%s): %s: %s%s", h.say(severityNames[d.Kind]), h.term(string(d.Severity)), h.voice(d.Perspective), plain(d.Text), inBrackets(d.Findings))
	}
}

func inBrackets(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (" + strings.Join(ids, ", ") + ")"
}

func (h *hearing) recordActions(p *page, v pipeline.Verdict) {
	p.heading(h.say(wActions))
	if len(v.Actions) == 0 {
		p.line("%s", h.say(wNone))
	}
	for i, a := range v.Actions {
		p.line("%d. %s *(%s)*", i+1, plain(a.Text), strings.Join(append(h.voiceNames(a.Voices), a.Findings...), ", "))
	}
}

func (h *hearing) voiceNames(list []pipeline.Perspective) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = h.voice(v)
	}
	return out
}

func (h *hearing) voices(list []pipeline.Perspective) string {
	return strings.Join(h.voiceNames(list), ", ")
}

func (h *hearing) voice(p pipeline.Perspective) string { return h.term(string(p)) }

func (h *hearing) recordRatings(p *page, v pipeline.Verdict) {
	p.heading(h.say(wRatings))
	var rows [][]string
	for _, o := range v.Opinions {
		rows = append(rows, []string{h.voice(o.Perspective), h.rating(o), cell(h.source(o.Source))})
	}
	p.table([]string{h.say(wPerspective), h.say(wRating), h.say(wAnsweredBy)}, rows)
}

func (h *hearing) rating(o pipeline.Opinion) string {
	if o.Rating == nil {
		return h.say(wNotRated)
	}
	return fmt.Sprintf("%d/5", *o.Rating)
}

func (h *hearing) recordOpinions(p *page, v pipeline.Verdict) {
	p.heading(h.say(wOpinions))
	for i, o := range v.Opinions {
		if i > 0 {
			p.line("")
		}
		p.line("### %s: %s", h.voice(o.Perspective), h.rating(o))
		if o.KeyFinding != "" {
			p.line("\n%s", plain(o.KeyFinding))
		}
		gap := "\n"
		for _, part := range []struct {
			name word
			list []string
		}{
			{wStrengths, o.Strengths}, {wWeaknesses, o.Weaknesses}, {wSuggestions, o.Suggestions},
			{wTestability, o.Testability}, {wAssumptions, o.Assumptions},
		} {
			if len(part.list) > 0 {
				p.line("%s- **%s**: %s", gap, h.say(part.name), plain(strings.Join(part.list, "; ")))
				gap = ""
			}
		}
	}
}

func (h *hearing) recordFindings(p *page, v pipeline.Verdict) {
	if len(v.Findings)+len(v.Fixed) == 0 {
		return
	}
	p.heading(h.say(wFindings))
	for _, f := range v.Findings {
		rule := f.Rule
		if rule != "" {
			rule = ", " + rule
		}
		p.line("- **%s** %s (%s%s, %s) `%s:%d`: %s", f.ID, h.term(string(f.Grade)), h.voices(f.Voices), rule, h.term(string(f.State)), f.File, f.LineStart, plain(f.Claim))
		if f.Quote != "" {
			p.line("  > %s", plain(f.Quote))
		}
	}
	if len(v.Fixed) > 0 {
		p.line("- %s: %s", h.say(wFixed), strings.Join(v.Fixed, ", "))
	}
}

func (h *hearing) recordRisks(p *page, v pipeline.Verdict) {
	if len(v.Risks) == 0 {
		return
	}
	p.heading(h.say(wRisks))
	var rows [][]string
	for _, r := range v.Risks {
		rows = append(rows, []string{cell(r.Text), cell(h.term(r.Likelihood)), cell(h.term(r.Impact)), cell(r.Mitigation)})
	}
	p.table([]string{h.say(wRisk), h.say(wLikelihood), h.say(wImpact), h.say(wMitigation)}, rows)
}

// recordDecisions keeps what people decided, with their reasons: topic,
// decision, rationale.
func (h *hearing) recordDecisions(p *page) {
	var lines []string
	for _, f := range h.ledger.Findings {
		if f.State == pipeline.FindingAccepted {
			lines = append(lines, fmt.Sprintf("%s (%s): %s. %s", f.ID, f.Claim, h.say(wAcceptedBy, f.By), f.Reason))
		}
	}
	for _, q := range h.review.Session.Questions {
		if q.Answer != "" {
			lines = append(lines, fmt.Sprintf("%s %s: %s (%s). %s", q.ID, q.Text, q.Answer, h.say(wAnswerBy, q.By), q.Why))
		}
	}
	h.recordList(p, wDecisions, lines)
}

func (h *hearing) recordList(p *page, name word, list []string) {
	if len(list) == 0 {
		return
	}
	p.heading(h.say(name))
	p.bullets(list, h.say(wNone))
}

func (h *hearing) recordOptions(p *page, v pipeline.Verdict) {
	if v.Consensus != pipeline.ConsensusBlocked {
		return
	}
	p.heading(h.say(wOptions))
	if len(v.Divergences) == 0 {
		p.line("- %s: `/revise %s` · %s: `/resume`", h.say(wRevise), h.task(), h.say(wGoOn))
	}
	for _, d := range v.Divergences {
		p.line("- **%s** (%s)", h.say(severityNames[d.Kind]), h.voice(d.Perspective))
		for _, o := range d.Options {
			p.line("  - %s: %s: `%s`", o.Label, plain(o.Text), o.Command)
		}
	}
}

// average is 0 where nobody rated.
func (h *hearing) average(of float64) string {
	if of == 0 {
		return h.say(wNotRated)
	}
	return fmt.Sprintf("%.1f/5", of)
}

// recordEarlier links the records that came before, so that a reader can
// follow how a view changed.
func (h *hearing) recordEarlier(p *page) {
	var lines []string
	for _, run := range h.ledger.Runs[:max(0, len(h.ledger.Runs)-1)] {
		name := pipeline.RecordPath(run.Round, run.Run)
		if _, ok := h.review.Folder[name]; ok {
			lines = append(lines, fmt.Sprintf("[%s](%s): %s %s %s", run.Round, path.Base(name), h.outcome(run.Consensus), h.average(run.Average), h.term(string(run.Severity))))
		}
	}
	if len(lines) == 0 {
		return
	}
	p.heading(h.say(wEarlier))
	sort.Strings(lines)
	for _, l := range lines {
		p.line("- %s", strings.TrimSpace(l))
	}
}

func (h *hearing) recordHow(p *page, v pipeline.Verdict) {
	p.heading(h.say(wHow))
	var rows [][]string
	for _, o := range v.Opinions {
		checks, own, limit := o.Base, "", ""
		if o.ChecksTotal > 0 {
			checks = h.say(wOf, o.ChecksYes, o.ChecksTotal)
		}
		if o.ModelRating != nil {
			own = fmt.Sprint(*o.ModelRating)
		}
		if o.Cap > 0 {
			limit = fmt.Sprintf("%d (%s)", o.Cap, o.CapRule)
		}
		rows = append(rows, []string{h.voice(o.Perspective), cell(checks), fmt.Sprint(o.Majors), fmt.Sprint(o.Blockers), limit, h.rating(o), own})
	}
	p.table([]string{h.say(wPerspective), h.say(wChecks), h.say(wMajors), h.say(wBlockers), h.say(wCap), h.say(wRating), h.say(wModelsOwn)}, rows)
}

func (h *hearing) recordNotes(p *page, v pipeline.Verdict) {
	p.heading(h.say(wNotes))
	if v.Usage.Calls+v.Usage.Cached == 0 {
		p.line("- %s", h.say(wFormOnly))
	}
	if v.QuotesChecked > 0 {
		p.line("- "+h.say(wQuotes), v.QuotesChecked, v.Dropped)
	}
	for _, i := range v.Injection {
		p.line("- "+h.say(wInjection), plain(i.Kind), plain(i.Where), i.Count)
	}
	for _, w := range v.Warnings {
		p.line("- %s", plain(w))
	}
	for _, line := range h.tried {
		p.line("- %s", plain(line))
	}
	for _, group := range oneModel(v.Opinions) {
		p.line("- "+h.say(wOneModel), h.voices(group.voices), plain(group.backend))
	}
	if text := h.say(wRuleWords); text != "" && slices.ContainsFunc(v.Findings, func(f pipeline.Finding) bool { return f.Rule != "" }) {
		p.line("- %s", text)
	}
	p.line("- "+h.say(wVersions), v.Versions.Rules, v.Versions.Prompt)
}
