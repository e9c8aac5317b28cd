package pipeline

import (
	"fmt"
	"sort"
	"strings"
)

const (
	maxRemarks     = 10
	maxActions     = 5
	maxDivergences = 3
)

// FormOnly stands in every review that no model took part in.
const FormOnly = "*No model is configured. Rules see form, numbers, links and omissions, not meaning; read the text yourself.*"

// formNote stands in the first review of every session.
const formNote = "*Where it says rules: rules see form, not meaning.*"

// ReviewText is a round's review: the verdict first, because a mail shows no
// more, and line comments for blockers and majors only.
func ReviewText(s Session, t Task, v Verdict) (body string, remarks []LineRemark) {
	remarks, rest := remarksOf(v.Findings)
	var b strings.Builder
	b.WriteString(verdictLine(s, t, v) + "\n\n")
	b.WriteString(opinionTable(s, v))
	b.WriteString(divergenceList(v))
	b.WriteString(themeLine(v))
	b.WriteString(actionList(v))
	b.WriteString(warningList(v))
	b.WriteString(minorFold(rest))
	b.WriteString(sumFold(v))
	b.WriteString("\n" + footLine(s, v))
	return Cut(b.String(), MaxBody), remarks
}

// ReviewMarker identifies a round's review among ours.
func ReviewMarker(s Session, v Verdict) string {
	return Marker("review", fmt.Sprintf("%s/%s/r%d", s.ID, v.Round, max(v.Run, 1)))
}

func verdictLine(s Session, t Task, v Verdict) string {
	words := "consensus reached"
	switch {
	case v.Consensus == ConsensusBlocked:
		words = fmt.Sprintf("consensus blocked (%s)", v.Severity)
	case v.Consensus == ConsensusNone:
		words = "no verdict"
	}
	line := fmt.Sprintf("%s · %s · %s · %s / 5", v.Round, nounOf(baseOf(t.ID)), words, rating(v.Average))
	if v.Recommendation != "" {
		line += " · " + strings.ReplaceAll(v.Recommendation, "-", " ")
	}
	if v.Partial {
		line += " · partial"
	}
	return "**" + line + ".** " + consequence(s, t, v)
}

// consequence says what happens now and whether anybody has to act.
func consequence(s Session, t Task, v Verdict) string {
	blockers, majors, _ := tally(v.Findings)
	waits := s.Status == SessionPaused && s.Wait != nil && s.Wait.Task == t.ID
	switch {
	case waits:
		return reasonText(s) + " " + waitingOf(s).say
	case v.Consensus == ConsensusBlocked && v.Severity == High && revises(s, t):
		return fmt.Sprintf("Parley revises `%s` by itself, once; nothing to do unless you disagree.", t.ID)
	case v.Consensus == ConsensusBlocked:
		return "The next task is told; nothing to do unless you disagree."
	case blockers+majors > 0:
		return fmt.Sprintf("%s and %s stand in the lines below; nothing has to happen before the next task.", plural(blockers, "blocker"), plural(majors, "major"))
	}
	return "Nothing to do."
}

// revises tells whether a revision of the task stands in the graph.
func revises(s Session, t Task) bool {
	for _, other := range s.Tasks {
		if other.RevisionOf == t.ID {
			return true
		}
	}
	return false
}

func tally(all []Finding) (blockers, majors, minors int) {
	for _, f := range all {
		if !f.counts() {
			continue
		}
		switch f.Grade {
		case Blocker:
			blockers++
		case Major:
			majors++
		case Minor:
			minors++
		}
	}
	return blockers, majors, minors
}

func byRules(o Opinion) bool { return strings.HasPrefix(o.Source, "rules") || o.Source == "" }

func opinionTable(s Session, v Verdict) string {
	var b strings.Builder
	b.WriteString("| Perspective | Rating | Answered by | Key finding |\n|---|---|---|---|\n")
	rules := 0
	for _, o := range v.Opinions {
		if byRules(o) {
			rules++
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", titled(string(o.Perspective)), ratingCell(o.Rating), badge(o.Source), InertCell(o.KeyFinding, 110))
	}
	switch {
	case rules > 0 && rules == len(v.Opinions):
		b.WriteString("\n" + FormOnly + "\n")
	case firstReview(s, v):
		b.WriteString("\n" + formNote + "\n")
	}
	if s.Language != "" && !strings.HasPrefix(s.Language, "en") && firstReview(s, v) {
		fmt.Fprintf(&b, "\n*The issue is read as `%s`.*\n", strings.Trim(fold(s.Language), "`"))
	}
	return b.String()
}

func firstReview(s Session, v Verdict) bool {
	for _, t := range s.Tasks {
		if t.Round != "" && t.finished() && t.Round != v.Round {
			return false
		}
	}
	return true
}

func ratingCell(n *int) string {
	if n == nil {
		return "not rated"
	}
	return fmt.Sprintf("%s&nbsp;%d", dots(*n), *n)
}

// badge shows who answered; a backend's name is code.
func badge(source string) string {
	source = fold(plainRunes(source))
	if source == "" || strings.HasPrefix(source, "rules") {
		return InertCell(max(source, "rules"), 60)
	}
	name, rest, _ := strings.Cut(source, " ")
	return strings.TrimSpace("`" + strings.Trim(name, "`|") + "` " + InertCell(rest, 40))
}

func titled(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func divergenceList(v Verdict) string {
	if len(v.Divergences) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**Divergences**\n")
	for _, d := range v.Divergences[:min(len(v.Divergences), maxDivergences)] {
		kind := titled(strings.ReplaceAll(d.Kind, "-", " "))
		fmt.Fprintf(&b, "- **%s (%s)**", kind, d.Severity)
		if d.Perspective != "" {
			fmt.Fprintf(&b, ", %s", d.Perspective)
		}
		fmt.Fprintf(&b, ": %s%s\n", sentence(InertLine(d.Text, 180)), names(d.Findings))
		if v.Consensus != ConsensusBlocked {
			continue
		}
		for _, o := range d.Options {
			fmt.Fprintf(&b, "  - %s\n", optionText(o))
		}
	}
	return b.String()
}

func optionText(o Option) string {
	if o.Command == "" {
		return fmt.Sprintf("%s, happens now: %s", o.Label, sentence(InertLine(o.Text, 110)))
	}
	return fmt.Sprintf("%s: %s Say `%s`.", o.Label, sentence(InertLine(o.Text, 110)), strings.ReplaceAll(fold(plainRunes(o.Command)), "`", "'"))
}

// names lists finding ids in bold: " (**F-07**, **F-09**)".
func names(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	out := make([]string, 0, 4)
	for _, id := range ids[:min(len(ids), 4)] {
		out = append(out, "**"+id+"**")
	}
	return " (" + strings.Join(out, ", ") + ")"
}

func themeLine(v Verdict) string {
	if len(v.Themes) == 0 {
		return ""
	}
	theme := v.Themes[0]
	return fmt.Sprintf("\n**Agreed by %d:** %s *(%s)*\n", len(theme.Voices), sentence(InertLine(theme.Text, 140)), voices(theme.Voices))
}

func voices(all []Perspective) string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = string(p)
	}
	return strings.Join(out, ", ")
}

func actionList(v Verdict) string {
	if len(v.Actions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**Action items**\n")
	for i, a := range v.Actions[:min(len(v.Actions), maxActions)] {
		from := append([]string{voices(a.Voices)}, a.Findings[:min(len(a.Findings), 3)]...)
		fmt.Fprintf(&b, "%d. %s *(%s)*\n", i+1, sentence(InertLine(a.Text, 130)), strings.Join(from, ", "))
	}
	if more := len(v.Actions) - maxActions; more > 0 {
		fmt.Fprintf(&b, "\n%d more in the record.\n", more)
	}
	return b.String()
}

func warningList(v Verdict) string {
	var b strings.Builder
	for _, w := range v.Warnings[:min(len(v.Warnings), 3)] {
		fmt.Fprintf(&b, "\n> %s\n", sentence(InertLine(w, 160)))
	}
	if len(v.Injection) > 0 {
		var kinds []string
		for _, in := range v.Injection[:min(len(v.Injection), 3)] {
			kinds = append(kinds, fmt.Sprintf("%s in %s (%d)", InertLine(in.Kind, 40), InertLine(in.Where, 60), in.Count))
		}
		fmt.Fprintf(&b, "\n> Seen and ignored: %s. It changed nothing.\n", strings.Join(kinds, ", "))
	}
	return b.String()
}

// remarksOf splits findings into line comments and the rest, gravest first.
func remarksOf(all []Finding) (remarks []LineRemark, rest []Finding) {
	sorted := append([]Finding(nil), all...)
	sort.SliceStable(sorted, func(i, j int) bool { return gradeWeight[sorted[i].Grade] > gradeWeight[sorted[j].Grade] })
	for _, f := range sorted {
		if !f.counts() {
			continue
		}
		grave := f.Grade == Blocker || f.Grade == Major
		if grave && f.LineStart > 0 && f.File != "" && len(remarks) < maxRemarks {
			remarks = append(remarks, remarkOf(f))
			continue
		}
		rest = append(rest, f)
	}
	return remarks, rest
}

func remarkOf(f Finding) LineRemark {
	line, start := max(f.LineEnd, f.LineStart), f.LineStart
	if start == line {
		start = 0
	}
	return LineRemark{Finding: f.ID, Path: f.File, Line: line, Start: start, Body: RemarkText(f)}
}

// RemarkText is one line comment: who sees what, the quote, the way out.
func RemarkText(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s · %s · %s**\n", f.ID, f.Grade, voices(f.Voices))
	if f.Quote != "" {
		fmt.Fprintf(&b, "> %s\n", InertLine(f.Quote, 240))
	}
	fmt.Fprintf(&b, "\n%s", sentence(InertLine(f.Claim, 300)))
	if f.Suggestion != "" {
		b.WriteString(" " + sentence(InertLine(f.Suggestion, 300)))
	}
	if f.Replacement != "" {
		b.WriteString("\n\n" + suggestion(f.Replacement))
	}
	rule := ""
	if f.Rule != "" {
		rule = InertLine(f.Rule, 20) + " · "
	}
	fmt.Fprintf(&b, "\n\n<sub>%snot a problem here? Reply `/accept <reason>` in this thread</sub>", rule)
	return Cut(b.String(), MaxBody)
}

// suggestion is GitHub's block for a mechanical fix; its fence is longer than
// any in the text.
func suggestion(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "suggestion\n" + strings.TrimRight(plainRunes(text), "\n") + "\n" + fence
}

// minorFold holds what gets no line comment of its own: minors, and graver
// findings beyond the tenth or without a line.
func minorFold(rest []Finding) string {
	if len(rest) == 0 {
		return ""
	}
	title := plural(len(rest), "minor finding") + ", no reply needed"
	if rest[0].Grade == Blocker || rest[0].Grade == Major {
		title = plural(len(rest), "further finding")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", title)
	for _, f := range rest[:min(len(rest), 40)] {
		where := ""
		if f.File != "" {
			where = " `" + strings.Trim(f.File, "`")
			if f.LineStart > 0 {
				where += fmt.Sprintf(":%d", f.LineStart)
			}
			where += "`"
		}
		from := voices(f.Voices)
		if f.Rule != "" {
			from = strings.TrimPrefix(InertLine(f.Rule, 20)+", "+from, ", ")
		}
		grade := ""
		if f.Grade != Minor {
			grade = " " + string(f.Grade) + ","
		}
		fmt.Fprintf(&b, "- %s%s%s: %s (%s)\n", f.ID, grade, where, strings.TrimRight(InertLine(f.Claim, 160), "."), from)
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// sumFold lets a reader recompute every number of the review.
func sumFold(v Verdict) string {
	if len(v.Opinions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n<details><summary>How the ratings came about</summary>\n\n| Perspective | Checks answered yes | Majors | Blockers | Cap | Rating | Model's own |\n|---|---|---|---|---|---|---|\n")
	sum, rated := 0, 0
	for _, o := range v.Opinions {
		checks := InertCell(o.Base, 60)
		if o.ChecksTotal > 0 {
			checks = fmt.Sprintf("%d of %d", o.ChecksYes, o.ChecksTotal)
		}
		limit, own := "", ""
		if o.Cap > 0 {
			limit = fmt.Sprintf("%d (%s)", o.Cap, InertCell(o.CapRule, 12))
		}
		if o.ModelRating != nil {
			own = fmt.Sprint(*o.ModelRating)
		}
		shown := "not rated"
		if o.Rating != nil {
			shown = fmt.Sprintf("**%d**", *o.Rating)
			sum, rated = sum+*o.Rating, rated+1
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %s |\n", titled(string(o.Perspective)), checks, o.Majors, o.Blockers, limit, shown, own)
	}
	b.WriteString("\n" + averageText(v, sum, rated) + "\n\n</details>\n")
	return b.String()
}

func averageText(v Verdict, sum, rated int) string {
	text := "No perspective was rated."
	if rated > 0 {
		text = fmt.Sprintf("Average %d / %d = %s.", sum, rated, rating(v.Average))
	}
	if v.Consensus == ConsensusBlocked {
		text += " " + blockedBecause(v)
	}
	if v.QuotesChecked > 0 {
		text += fmt.Sprintf(" %s checked, %s dropped for a quote that is not in the text.", plural(v.QuotesChecked, "quote"), plural(v.Dropped, "finding"))
	}
	return text
}

func blockedBecause(v Verdict) string {
	for _, d := range v.Divergences {
		if d.Severity == High {
			return "Blocked, because a HIGH divergence blocks at any average."
		}
	}
	if v.Partial {
		return "Blocked, because fewer than half of the voices rated."
	}
	return "Blocked, because the average is under 3.0."
}

func footLine(s Session, v Verdict) string {
	var parts []string
	if v.Record != "" {
		name := v.Record[strings.LastIndexByte(v.Record, '/')+1:]
		ref := s.Branch()
		parts = append(parts, "Record: "+linked(InertLine(name, 60), fileURL(s, ref, v.Record)))
	}
	parts = append(parts, fmt.Sprintf("%s, of it ours %s", millis(v.TookMS), millis(v.OwnMS)), money(v.Usage))
	if v.Versions.Rules != "" {
		parts = append(parts, fmt.Sprintf("rules %s, prompt %s", v.Versions.Rules, v.Versions.Prompt))
	}
	return "<sub>" + strings.Join(parts, " · ") + "</sub>"
}
