package discuss

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pipeline"
)

// fromRecords discusses from what is there: the ledger, the records, the open
// questions and the documents themselves. It is the whole talk where no model
// answers, and its ground where one does.
func (t *talking) fromRecords() {
	t.understand()
	if len(t.ledger.Runs) == 0 {
		t.warnings = append(t.warnings, "no round has judged anything yet; there is little to discuss")
	}
	switch {
	case t.asksQuestion():
		t.answer()
	case t.talk.Type == deepen:
		t.deepen()
	case t.talk.Type == direction:
		t.turn()
	}
	t.raise()
}

// understand sorts what the rounds found into what holds, what changed and what is new.
func (t *talking) understand() {
	known := map[string]bool{}
	for _, e := range t.earlier {
		for _, s := range slices.Concat(e.Understanding.Confirmed, e.Understanding.Corrected, e.Understanding.New) {
			known[s] = true
		}
	}
	u := &t.talk.Understanding
	add := func(to *[]string, s string) {
		if !known[s] {
			*to = append(*to, s)
		}
	}
	for _, s := range t.agreed() {
		add(&u.Confirmed, s)
	}
	for _, f := range t.ledger.Findings {
		switch f.State {
		case pipeline.FindingFixed:
			add(&u.Corrected, fmt.Sprintf("%s is fixed: %s", f.ID, f.Claim))
		case pipeline.FindingAccepted:
			add(&u.Corrected, fmt.Sprintf("%s is accepted: %s", f.ID, f.Claim))
		case pipeline.FindingOpen, pipeline.FindingReopened:
			if gradeRank(f.Grade) <= gradeRank(pipeline.Major) {
				add(&u.New, fmt.Sprintf("%s (%s): %s", f.ID, f.Grade, f.Claim))
			}
		}
	}
	for _, f := range t.ledger.Findings {
		if live(f) && gradeRank(f.Grade) <= gradeRank(pipeline.Major) {
			t.talk.Findings = append(t.talk.Findings, Insight{Text: f.Claim, Evidence: []string{at(f.File, f.LineStart)}, Confidence: confidence(len(f.Voices))})
		}
	}
}

func live(f pipeline.Finding) bool {
	return f.State == pipeline.FindingOpen || f.State == pipeline.FindingReopened
}

func at(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// agreed are the convergent themes of the newest record of every round.
func (t *talking) agreed() []string {
	var out []string
	for _, r := range rounds {
		record := string(t.Folder[pipeline.LatestRecord(t.Folder, r.ID)])
		for _, w := range []string{wThemes.en, wThemes.zh} {
			out = append(out, bulletsUnder(record, w)...)
		}
	}
	return out
}

// bulletsUnder are the bullets of one section of a record of ours.
func bulletsUnder(text, heading string) []string {
	_, body, ok := strings.Cut(text, "\n## "+heading+"\n")
	if !ok {
		return nil
	}
	body, _, _ = strings.Cut(body, "\n## ")
	var out []string
	for line := range strings.Lines(body) {
		s, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if ok && s != wNone.en && s != wNone.zh {
			out = append(out, s)
		}
	}
	return out
}

// confidence counts sources: three are high, two medium.
func confidence(sources int) string {
	return []string{"low", "low", "medium", "high"}[min(sources, 3)]
}

// place of a line in the documents that speaks of a subject.
type mention struct {
	file  string
	line  int
	text  string
	score int
}

// search finds the lines that share most content words with a text, best first.
func (t *talking) search(about string, n int) []mention {
	want := words(about)
	needed := (min(len(want), 4) + 1) / 2
	if len(want) == 2 {
		needed = 2 // one of two words is as good as none
	}
	var out []mention
	for _, s := range t.library() {
		for i, line := range prose(s.Text) {
			score := 0
			for w := range words(line) {
				if want[w] {
					score++
				}
			}
			if score > 0 && score >= needed {
				out = append(out, mention{s.Name, i + 1, clip(line, 240), score})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b mention) int { return cmp.Compare(b.score, a.score) })
	return first(out, n)
}

// markup is what stands around the words of a line of Markdown.
var (
	markup = strings.NewReplacer("**", "", "__", "", "<br>", " ")
	links  = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)
)

// prose is the lines of a document that say something, by their index; tables,
// headings, labels, fences and frontmatter are left empty.
func prose(text string) []string {
	lines := strings.Split(text, "\n")
	head := len(lines) > 0 && strings.TrimSpace(lines[0]) == "---"
	fenced := false
	for i, line := range lines {
		line = strings.TrimSpace(line)
		lines[i] = ""
		switch {
		case head:
			head = i == 0 || line != "---"
			continue
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			continue
		case fenced, line == "", strings.ContainsRune("#<|", rune(line[0])), strings.Trim(line, "-: ") == "":
			continue
		}
		line = fold(markup.Replace(links.ReplaceAllString(strings.TrimLeft(line, "-*+> "), "$1")))
		if !strings.HasSuffix(line, ":") && len(words(line)) > 1 {
			lines[i] = line
		}
	}
	return lines
}

// library is what a talk reads: the documents and the issue.
func (t *talking) library() []pipeline.Source {
	var out []pipeline.Source
	for _, name := range specFiles(t.Folder, "") {
		if strings.HasSuffix(name, ".md") {
			out = append(out, pipeline.Source{Name: name, Text: string(t.Folder[name])})
		}
	}
	if ask := asked(t.Issue); ask != "" {
		out = append(out, pipeline.Source{Name: issueSource, Text: ask, Author: t.Issue.Author})
	}
	return out
}

// answer looks each question up. What the documents do not say is said to be open.
func (t *talking) answer() {
	for _, q := range split(t.talk.UserFeedback) {
		a, ok := t.lookUp(q)
		if !ok {
			t.talk.Questions = append(t.talk.Questions, q)
		}
		t.answers = append(t.answers, a)
	}
}

// split cuts a text into its questions.
func split(text string) []string {
	var out []string
	for _, q := range strings.FieldsFunc(text, func(r rune) bool { return r == '?' || r == '？' || r == '\n' }) {
		if q = fold(q); q != "" {
			out = append(out, q+"?")
		}
	}
	return first(out, maxQuestions)
}

func (t *talking) lookUp(q string) (Answer, bool) {
	found := t.search(q, 3)
	a := Answer{Question: q, Answer: "The documents do not say.", Evidence: []string{}, Confidence: "low"}
	if len(found) == 0 {
		return a, false
	}
	var said []string
	files := map[string]bool{}
	for _, m := range found {
		said = append(said, m.text)
		files[m.file] = true
		a.Evidence = append(a.Evidence, at(m.file, m.line))
	}
	a.Answer, a.quotes = strings.Join(texts(said), " / "), found
	a.Confidence = confidence(len(files))
	return a, true
}

// deepen follows the feedback, or the questions still open, into the documents.
func (t *talking) deepen() {
	for _, q := range t.open() {
		if a, ok := t.lookUp(q); ok {
			t.settled = append(t.settled, a)
			continue
		}
		t.talk.Questions = append(t.talk.Questions, q)
	}
	subject := cmp.Or(t.talk.UserFeedback, t.focus())
	if subject == "" {
		return
	}
	t.sort(subject)
	for _, m := range t.search(subject, maxInsights) {
		t.talk.Findings = append(t.talk.Findings, Insight{Text: m.text, Evidence: []string{at(m.file, m.line)}, Confidence: confidence(1)})
	}
}

// turn puts what speaks of the new direction first and sets the rest aside.
func (t *talking) turn() {
	t.sort(t.talk.UserFeedback)
	for _, m := range t.search(t.talk.UserFeedback, maxInsights) {
		t.talk.Understanding.New = append(t.talk.Understanding.New, fmt.Sprintf("%s (%s)", m.text, at(m.file, m.line)))
	}
	if len(t.talk.Understanding.New) == 0 {
		t.talk.Questions = append(t.talk.Questions, "What should the documents say about: "+t.talk.UserFeedback+"?")
	}
}

// sort orders findings by how near they are to a subject.
func (t *talking) sort(subject string) {
	slices.SortStableFunc(t.talk.Findings, func(a, b Insight) int {
		return cmp.Compare(alike(b.Text, subject), alike(a.Text, subject))
	})
}

// open are the questions of the talk before this one.
func (t *talking) open() []string {
	if len(t.earlier) == 0 {
		return nil
	}
	return t.earlier[len(t.earlier)-1].Questions
}

// raise adds what nobody has answered yet.
func (t *talking) raise() {
	for _, q := range t.Session.Questions {
		if q.Answer == "" {
			t.talk.Questions = append(t.talk.Questions, q.Text)
		}
	}
	if t.talk.Type != initial {
		return
	}
	for _, r := range rounds {
		record := string(t.Folder[pipeline.LatestRecord(t.Folder, r.ID)])
		for _, w := range []string{wQuestions.en, wQuestions.zh} {
			t.talk.Questions = append(t.talk.Questions, bulletsUnder(record, w)...)
		}
	}
}

// memories is shared-memory.json as far as a discussion writes it.
type memories struct {
	Discussions []memoryOfTalk `json:"discussions"`
	Current     current        `json:"current_understanding"`
	Trail       []trailEntry   `json:"decision_trail"`
}

type memoryOfTalk struct {
	ID        string `json:"id"`
	Round     int    `json:"round"`
	Type      string `json:"type"`
	New       int    `json:"new_insight_count"`
	Corrected int    `json:"corrected_count"`
	Timestamp string `json:"timestamp"`
}

// current uses the memory's own words: confirmed is established, corrected is clarified.
type current struct {
	Established []string `json:"established"`
	Clarified   []string `json:"clarified"`
	KeyInsights []string `json:"key_insights"`
}

type trailEntry struct {
	Round     int    `json:"round"`
	Decision  string `json:"decision"`
	Context   string `json:"context"`
	Timestamp string `json:"timestamp"`
}

// remembered reads the shared memory; what cannot be read is begun anew.
func (t *talking) remembered() memories {
	var m memories
	raw, ok := t.Folder[memoryPath]
	if ok && json.Unmarshal(raw, &m) != nil {
		t.warnings = append(t.warnings, memoryPath+" could not be read; the discussion's part of it begins anew")
		return memories{}
	}
	return m
}

// memory is the shared memory after this talk.
func (t *talking) memory() []pipeline.Memory {
	m := t.remembered()
	u := t.talk.Understanding
	id := fmt.Sprintf("discussion-round-%d", t.talk.Round)
	m.Discussions = slices.DeleteFunc(m.Discussions, func(x memoryOfTalk) bool { return x.ID == id })
	m.Discussions = append(m.Discussions, memoryOfTalk{id, t.talk.Round, t.talk.Type, len(u.New), len(u.Corrected), t.talk.Timestamp})
	m.Current.Established = list(texts(append(m.Current.Established, u.Confirmed...)))
	m.Current.Clarified = list(texts(append(m.Current.Clarified, u.Corrected...)))
	m.Current.KeyInsights = list(texts(append(m.Current.KeyInsights, u.New...)))
	out := []pipeline.Memory{setting("discussions", m.Discussions), setting("current_understanding", m.Current)}
	for _, d := range t.decisions() {
		m.Trail = append(m.Trail, trailEntry{t.talk.Round, d, cmp.Or(t.talk.UserFeedback, t.talk.Type), t.talk.Timestamp})
	}
	if len(m.Trail) > 0 {
		out = append(out, setting("decision_trail", m.Trail))
	}
	return out
}

// setting is one key of the shared memory; its types cannot fail to encode.
func setting[T []memoryOfTalk | current | []trailEntry](key string, v T) pipeline.Memory {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("discuss: " + key + " does not encode: " + err.Error())
	}
	return pipeline.Memory{Key: key, Value: string(raw)}
}
