package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxActions     = 5
	maxDivergences = 3
)

// What rules cannot see is said in every review they made alone, and in the
// first review of every session.
const (
	formOnly = "*No model is configured. Rules see form, numbers, links and omissions, not meaning; read the text yourself.*"
	formLost = "*No model answered in this round. Rules see form, numbers, links and omissions, not meaning; read the text yourself.*"
	formNote = "*Where it says rules: rules see form, not meaning.*"
)

// ReviewText is a round's review: the verdict first, because a mail shows no
// more, and line comments for blockers and majors only.
func ReviewText(s Session, t Task, v Verdict) (body string, remarks []LineRemark) {
	fresh, known := threaded(s, v.Findings)
	remarks, rest := remarksOf(fresh)
	folds := knownLine(known) + minorFold(rest) + sumFold(v) + "\n" + footLine(s, v)
	body = fitted(reviewWords, func(z size) string {
		return verdictLine(s, t, v) + "\n\n" + opinionTable(s, v, z) + divergenceList(v, z) + themeLine(v, z) +
			actionList(v, z) + warningList(v, z) + folds
	})
	return Cut(body, MaxBody), remarks
}

func verdictLine(s Session, t Task, v Verdict) string {
	words := "consensus reached"
	switch {
	case v.Consensus == ConsensusBlocked:
		words = fmt.Sprintf("consensus blocked (%s)", v.Severity)
	case v.Consensus == ConsensusNone:
		words = "no verdict"
	}
	line := fmt.Sprintf("%s · %s · %s · %s", v.Round, nounOf(baseOf(t.ID)), words, v.Score())
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
		return graded(blockers, majors) + "; nothing has to happen before the next task."
	}
	return "Nothing to do."
}

// graded says where blockers and majors are: "1 major stands in a line comment".
func graded(blockers, majors int) string {
	var parts []string
	if blockers > 0 {
		parts = append(parts, plural(blockers, "blocker"))
	}
	if majors > 0 {
		parts = append(parts, plural(majors, "major"))
	}
	where := " stand in line comments"
	if blockers+majors == 1 {
		where = " stands in a line comment"
	}
	return strings.Join(parts, " and ") + where
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

func opinionTable(s Session, v Verdict, z size) string {
	var b strings.Builder
	b.WriteString("| Perspective | Rating | Answered by | Key finding |\n|---|---|---|---|\n")
	rules, lost := 0, false
	for _, o := range v.Opinions {
		if byRules(o) {
			rules++
			lost = lost || strings.Contains(o.Source, "after")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", titled(string(o.Perspective)), ratingCell(o.Rating), badge(o.Source), InertCell(o.KeyFinding, z.line))
	}
	switch {
	case rules > 0 && rules == len(v.Opinions) && lost:
		b.WriteString("\n" + formLost + "\n")
	case rules > 0 && rules == len(v.Opinions):
		b.WriteString("\n" + formOnly + "\n")
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

func divergenceList(v Verdict, z size) string {
	all := slices.DeleteFunc(slices.Clone(v.Divergences), v.proposed)
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**Divergences**\n")
	for _, d := range all[:min(len(all), z.main)] {
		fmt.Fprintf(&b, "- **%s (%s)**", titled(strings.ReplaceAll(d.Kind, "-", " ")), d.Severity)
		if d.Perspective != "" {
			fmt.Fprintf(&b, ", %s", d.Perspective)
		}
		fmt.Fprintf(&b, ": %s\n", strings.TrimRight(InertLine(d.Text, z.line*3/2), ".")+names(d.Findings)+".")
		for _, o := range d.Options {
			if v.Consensus == ConsensusBlocked {
				fmt.Fprintf(&b, "  - %s\n", optionText(o, z))
			}
		}
	}
	return b.String() + moreLine(len(all)-z.main)
}

// proposed tells a divergence that the action items say again, word for word.
func (v Verdict) proposed(d Divergence) bool {
	return d.Severity == Low && slices.ContainsFunc(v.Actions, func(a Action) bool { return a.Text == d.Text })
}

// moreLine says that a list goes on in the record.
func moreLine(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("\n%d more in the record.\n", n)
}

func optionText(o Option, z size) string {
	text := sentence(InertLine(o.Text, z.line))
	if o.Command == "" {
		return fmt.Sprintf("%s, happens now: %s", o.Label, text)
	}
	return fmt.Sprintf("%s: %s Say %s.", o.Label, text, inCode(o.Command))
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

func themeLine(v Verdict, z size) string {
	if len(v.Themes) == 0 || !z.extra {
		return ""
	}
	theme := v.Themes[0]
	return fmt.Sprintf("\n**Agreed by %d:** %s *(%s)*\n", len(theme.Voices), sentence(InertLine(theme.Text, z.line)), voices(theme.Voices))
}

func voices(all []Perspective) string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = string(p)
	}
	return strings.Join(out, ", ")
}

func actionList(v Verdict, z size) string {
	if len(v.Actions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n**Action items**\n")
	for i, a := range v.Actions[:min(len(v.Actions), z.items)] {
		from := a.Findings[:min(len(a.Findings), 3)]
		if z.extra {
			from = append([]string{voices(a.Voices)}, from...)
		}
		fmt.Fprintf(&b, "%d. %s%s\n", i+1, sentence(InertLine(a.Text, z.line)), emphasised(from))
	}
	return b.String() + moreLine(len(v.Actions)-z.items)
}

func emphasised(parts []string) string {
	if text := strings.Trim(strings.Join(parts, ", "), ", "); text != "" {
		return " *(" + text + ")*"
	}
	return ""
}

// warningList shows what went wrong on the way, and what a text tried.
func warningList(v Verdict, z size) string {
	var b strings.Builder
	for _, w := range v.Warnings[:min(len(v.Warnings), z.main)] {
		fmt.Fprintf(&b, "\n> %s\n", sentence(InertLine(w, z.line*3/2)))
	}
	if len(v.Injection) == 0 {
		return b.String()
	}
	var kinds []string
	for _, in := range v.Injection[:min(len(v.Injection), z.main)] {
		kinds = append(kinds, fmt.Sprintf("%s in %s (%d)", InertLine(in.Kind, 40), InertLine(in.Where, 60), in.Count))
	}
	fmt.Fprintf(&b, "\n> Seen and ignored: %s. It changed nothing.\n", strings.Join(kinds, ", "))
	return b.String()
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
