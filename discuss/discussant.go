package discuss

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

// Paths of a discussion in the session folder.
const (
	timelinePath    = "discussion.md"
	conclusionsPath = "conclusions.json"
	memoryPath      = "shared-memory.json"
	decisionsPath   = "wisdom/decisions.md"
)

// maxTalks is how often one session is discussed before it is concluded.
const maxTalks = 5

// Kinds of a talk, in the words of the round file.
const (
	initial   = "initial"
	deepen    = "deepen"
	direction = "direction-adjusted"
	questions = "specific-questions"
)

// talkKinds are the words of /discuss; any other word is unclear and deepens.
var talkKinds = map[string]string{"deepen": deepen, "direction": direction, "ask": questions}

// Discussant takes the rounds people ask for with /discuss. It concludes
// nothing before the last one, asks nobody, and changes no document.
type Discussant struct{ cfg Config }

// NewDiscussant returns a Discussant; a nil Model discusses from what is there.
func NewDiscussant(cfg Config) *Discussant {
	cfg.CallTimeout = cmp.Or(cfg.CallTimeout, 180*time.Second)
	return &Discussant{cfg: cfg}
}

// Talk is one round file, discussions/discussion-round-N.json.
type Talk struct {
	Round         int           `json:"round"`
	Type          string        `json:"type"`
	UserFeedback  string        `json:"user_feedback"`
	Understanding Understanding `json:"updated_understanding"`
	Findings      []Insight     `json:"new_findings"`
	Questions     []string      `json:"new_questions"`
	Note          string        `json:"note,omitempty"`
	Timestamp     string        `json:"timestamp"`
}

// Understanding is what a talk changed in what is known.
type Understanding struct {
	Confirmed []string `json:"confirmed"`
	Corrected []string `json:"corrected"`
	New       []string `json:"new_insights"`
}

// Insight is a finding of a talk with the places it rests on.
type Insight struct {
	Text       string   `json:"finding"`
	Evidence   []string `json:"evidence"` // file:line
	Confidence string   `json:"confidence"`
}

// Answer is one question answered, in discussions/questions-N.json.
type Answer struct {
	Question   string   `json:"question"`
	Answer     string   `json:"answer"`
	Evidence   []string `json:"evidence"`
	Confidence string   `json:"confidence"`
	// quotes are the lines that an answer without a model is made of.
	quotes []mention
}

// talking is one talk in the making.
type talking struct {
	pipeline.Discussion
	talk    Talk
	answers []Answer
	// settled are earlier questions that this talk found an answer to.
	settled  []Answer
	earlier  []Talk
	ledger   Ledger
	warnings []string
	usage    pipeline.Usage
	byModel  bool
}

// Discuss takes one talk and returns its files; nothing is judged. A session
// without a folder is refused.
func (d *Discussant) Discuss(ctx context.Context, in pipeline.Discussion) (pipeline.Draft, error) {
	t, err := begin(in)
	if err != nil {
		return pipeline.Draft{}, err
	}
	if len(t.earlier) >= maxTalks {
		t.warnings = append(t.warnings, fmt.Sprintf("%d rounds are the most; this one concludes instead", maxTalks))
		return t.conclude(nil)
	}
	t.fromRecords()
	if err := d.askModel(ctx, t); err != nil {
		return pipeline.Draft{}, err
	}
	t.limit()
	return t.draft()
}

// begin reads what was discussed so far and what this talk is about.
func begin(in pipeline.Discussion) (*talking, error) {
	if len(in.Folder) == 0 {
		return nil, &pipeline.Refusal{Text: "There is nothing to discuss yet: the session folder is missing or empty. `/status` says what the session waits for."}
	}
	t := &talking{Discussion: in, earlier: talks(in.Folder)}
	var lost bool
	if t.ledger, lost = readLedger(in.Folder); lost {
		t.warnings = append(t.warnings, wLedgerAnew.say(in.Session.Language))
	}
	t.ledger.accept(in.Session)
	t.talk = Talk{Round: len(t.earlier) + 1, Timestamp: in.Now.UTC().Format(time.RFC3339)}
	t.talk.Type, t.talk.UserFeedback, t.talk.Note = kindOf(in.Command, t.talk.Round)
	return t, nil
}

// kindOf reads the command. The first talk is always the initial one; what is
// unclear deepens, and says so.
func kindOf(c pipeline.Command, round int) (kind, feedback, note string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(c.Text), " ")
	if word == "" && len(c.Args) > 0 {
		word, rest = c.Args[0], strings.Join(c.Args[1:], " ")
	}
	kind, known := talkKinds[strings.ToLower(strings.TrimSpace(word))]
	feedback = strings.TrimSpace(rest)
	if !known {
		feedback = strings.TrimSpace(word + " " + rest)
	}
	switch {
	case round == 1:
		return initial, feedback, ""
	case !known && feedback == "":
		return deepen, "", "no direction was given; taken as deepen"
	case !known:
		return deepen, feedback, fmt.Sprintf("%q is not deepen, direction or ask; taken as deepen", clip(word, 40))
	case feedback == "" && kind != deepen:
		return deepen, "", fmt.Sprintf("%s came without text; taken as deepen", strings.ToLower(word))
	}
	return kind, feedback, ""
}

func talkPath(n int) string { return fmt.Sprintf("discussions/discussion-round-%d.json", n) }

// talks reads the earlier round files; one that cannot be read still counts as held.
func talks(folder pipeline.Folder) []Talk {
	var out []Talk
	for n := 1; ; n++ {
		raw, ok := folder[talkPath(n)]
		if !ok {
			return out
		}
		t := Talk{Round: n}
		if err := json.Unmarshal(raw, &t); err != nil {
			t = Talk{Round: n, Note: "unreadable"}
		}
		out = append(out, t)
	}
}

// asksQuestion says whether the person wants answers, whatever the round's type.
func (t *talking) asksQuestion() bool {
	return t.talk.Type == questions || t.talk.Type == initial && strings.ContainsAny(t.talk.UserFeedback, "?？")
}

// Limits of what one talk may say.
const (
	maxInsights  = 10
	maxThemes    = 5
	maxQuestions = 5
)

// limit cuts a talk to its size and makes empty lists lists.
func (t *talking) limit() {
	u := &t.talk.Understanding
	u.Confirmed = list(first(texts(u.Confirmed), maxThemes))
	u.Corrected = list(first(texts(u.Corrected), maxThemes))
	u.New = list(first(texts(u.New), maxThemes))
	t.talk.Questions = list(first(texts(t.talk.Questions), maxQuestions))
	t.talk.Findings = list(first(t.talk.Findings, maxInsights))
}

// list is never nil, so that it is written as [].
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// draft lays the talk's files out.
func (t *talking) draft() (pipeline.Draft, error) {
	out := pipeline.Draft{Text: map[string][]byte{}}
	put := func(path string, v any) error {
		raw, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		out.Text[path] = append(raw, '\n')
		return nil
	}
	errs := []error{put(talkPath(t.talk.Round), t.talk)}
	if t.talk.Type == deepen {
		errs = append(errs, put(fmt.Sprintf("discussions/deepen-%d.json", t.talk.Round), t.deepenFile()))
	}
	if len(t.answers) > 0 {
		errs = append(errs, put(fmt.Sprintf("discussions/questions-%d.json", t.talk.Round),
			questionsFile{Answers: t.answers, FollowUps: t.talk.Questions}))
	}
	if err := errors.Join(errs...); err != nil {
		return pipeline.Draft{}, err
	}
	out.Text[timelinePath] = append(slices.Clone(t.Folder[timelinePath]), t.timeline()...)
	t.outcome(&out)
	if t.talk.Round < maxTalks {
		return out, nil
	}
	return t.conclude(&out)
}

type deepenFile struct {
	Findings  []Insight `json:"new_findings"`
	Answered  []Answer  `json:"answered_questions"`
	Remaining []string  `json:"remaining_questions"`
	Evidence  []string  `json:"evidence"`
}

type questionsFile struct {
	Answers   []Answer `json:"answers"`
	FollowUps []string `json:"follow_up_questions"`
}

func (t *talking) deepenFile() deepenFile {
	f := deepenFile{Findings: t.talk.Findings, Answered: list(t.settled), Remaining: t.talk.Questions, Evidence: []string{}}
	for _, i := range t.talk.Findings {
		f.Evidence = append(f.Evidence, i.Evidence...)
	}
	return f
}

// outcome fills what the pipeline reads: the reply, memory and decisions.
func (t *talking) outcome(out *pipeline.Draft) {
	out.Status = pipeline.TaskCompleted
	out.Artifact = timelinePath
	out.Summary = t.reply()
	out.Warnings = t.warnings
	out.Usage, out.ByModel = t.usage, t.byModel
	out.Memory = t.memory()
	out.Decisions = t.decisions()
	if d := t.decision(); d != "" {
		out.Append = []pipeline.FileAppend{{
			Key:  fmt.Sprintf("%s/discussion-round-%d", t.Session.ID, t.talk.Round),
			Path: decisionsPath,
			Text: fmt.Sprintf("- %s\n", plain(d)),
		}}
	}
}

// reply is the one answer the person gets.
func (t *talking) reply() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Discussion round %d**, %s.", t.talk.Round, strings.ReplaceAll(t.talk.Type, "-", " "))
	if t.talk.Note != "" {
		b.WriteString(" (" + t.talk.Note + ")")
	}
	for _, a := range t.answers {
		b.WriteString("\n\n" + a.reply())
	}
	if len(t.answers) == 0 {
		fmt.Fprintf(&b, " It brought %s, %s and %s.", counted(len(t.talk.Understanding.New), "new insight"),
			counted(len(t.talk.Findings), "finding"), counted(len(t.talk.Questions), "open question"))
		for _, q := range first(t.talk.Questions, 3) {
			b.WriteString("\n- " + clip(fold(q), 200))
		}
	}
	fmt.Fprintf(&b, "\n\nThe minutes are in `%s`.", timelinePath)
	return pipeline.Cut(b.String(), maxReply)
}

const maxReply = 2400

// reply is one question and what was found: a model's words with their places,
// or the lines of the documents that speak of it, quoted.
func (a Answer) reply() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", a.Question)
	switch {
	case len(a.quotes) > 0:
		b.WriteString("The documents say:\n")
		for _, m := range a.quotes {
			fmt.Fprintf(&b, "- %s (`%s`)\n", clip(m.text, 180), at(m.file, m.line))
		}
	case len(a.Evidence) > 0:
		fmt.Fprintf(&b, "%s (`%s`)", a.Answer, strings.Join(first(a.Evidence, 3), "`, `"))
	default:
		b.WriteString(a.Answer + " It is kept as an open question; `/feedback <answer>` puts an answer into the documents.")
	}
	return strings.TrimRight(b.String(), "\n")
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// decisions is what this talk writes down at once: what the person decided or
// asked, what was understood differently before, and what is sure now.
func (t *talking) decisions() []string {
	var out []string
	if d := t.decision(); d != "" {
		out = append(out, d)
	} else if t.talk.UserFeedback != "" {
		out = append(out, fmt.Sprintf("Discussion round %d, %s: feedback %q", t.talk.Round, t.talk.Timestamp, t.talk.UserFeedback))
	}
	for _, c := range t.talk.Understanding.Corrected {
		out = append(out, "changed assumption: "+c)
	}
	for _, f := range t.talk.Findings {
		if f.Confidence == confidence(3) {
			out = append(out, fmt.Sprintf("key finding (confidence %s): %s", f.Confidence, f.Text))
		}
	}
	return out
}

// decision is what a person decided by the command, with what was set aside.
func (t *talking) decision() string {
	switch t.talk.Type {
	case direction:
		return fmt.Sprintf("Discussion round %d, %s: direction is now %q; set aside: %s", t.talk.Round, t.talk.Timestamp,
			t.talk.UserFeedback, cmp.Or(t.focus(), "none before it"))
	case deepen:
		if t.talk.UserFeedback != "" && t.talk.Note == "" {
			return fmt.Sprintf("Discussion round %d, %s: go deeper into %q", t.talk.Round, t.talk.Timestamp, t.talk.UserFeedback)
		}
	}
	return ""
}

// focus is the direction chosen last, before this talk.
func (t *talking) focus() string {
	for _, e := range slices.Backward(t.earlier) {
		if e.Type == direction {
			return e.UserFeedback
		}
	}
	return ""
}
