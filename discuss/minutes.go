package discuss

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// timeline is the talk's part of discussion.md.
func (t *talking) timeline() []byte {
	p := &page{}
	if len(t.Folder[timelinePath]) == 0 {
		// Every round has headings of the same names, as the lifecycle wants them.
		p.line("<!-- markdownlint-configure-file { \"MD024\": { \"siblings_only\": true } } -->\n\n# Discussion: %s\n\n## Rounds", plain(t.Session.ID))
	}
	p.line("\n### Round %d - Discussion (%s)", t.talk.Round, t.talk.Timestamp)
	p.line("\n#### Type\n\n%s", t.talk.Type)
	if t.talk.Note != "" {
		p.line("\n%s", plain(t.talk.Note))
	}
	p.line("\n#### User Input\n\n%s", cmp.Or(plain(t.talk.UserFeedback), "(initial round, none)"))
	p.line("\n#### Updated Understanding")
	for _, part := range []struct {
		name string
		list []string
	}{
		{"Confirmed", t.talk.Understanding.Confirmed}, {"Corrected", t.talk.Understanding.Corrected}, {"New Insights", t.talk.Understanding.New},
	} {
		p.line("\n**%s**:\n", part.name)
		p.bullets(part.list, "none")
	}
	p.line("\n#### New Findings\n")
	p.bullets(insightLines(t.talk.Findings), "none")
	for _, a := range slices.Concat(t.answers, t.settled) {
		p.line("- %s **%s** (%s, %s)", plain(a.Question), plain(a.Answer), a.Confidence, plain(strings.Join(a.Evidence, ", ")))
	}
	p.line("\n#### Open Questions\n")
	p.bullets(t.talk.Questions, "none")
	return []byte(p.String())
}

func insightLines(list []Insight) []string {
	var out []string
	for _, i := range list {
		out = append(out, fmt.Sprintf("%s (%s)", i.Text, strings.Join(i.Evidence, ", ")))
	}
	return out
}

// Conclusions is conclusions.json: what five talks came to.
type Conclusions struct {
	SessionID       string           `json:"session_id"`
	Topic           string           `json:"topic"`
	Completed       string           `json:"completed"`
	TotalRounds     int              `json:"total_rounds"`
	Strategy        string           `json:"strategy_used"`
	Summary         string           `json:"summary"`
	KeyConclusions  []Conclusion     `json:"key_conclusions"`
	Recommendations []Recommendation `json:"recommendations"`
	OpenQuestions   []string         `json:"open_questions"`
	FollowUps       []string         `json:"follow_up_suggestions"`
	Trail           []trailEntry     `json:"decision_trail"`
	Synthesis       []string         `json:"cross_perspective_synthesis"`
	Metadata        metadata         `json:"_metadata"`
}

type metadata struct {
	GeneratedAt string `json:"generated_at"`
	Source      string `json:"source"`
}

// Conclusion is one point with the places it rests on.
type Conclusion struct {
	Point      string   `json:"point"`
	Evidence   []string `json:"evidence"`
	Confidence string   `json:"confidence"`
}

// Recommendation is one thing to do and why.
type Recommendation struct {
	Action    string `json:"action"`
	Rationale string `json:"rationale"`
	Priority  string `json:"priority"`
	Voice     string `json:"source_perspective"`
}

// conclude writes the synthesis. With a draft it joins the fifth talk's files;
// without one it is all that a sixth command brings.
func (t *talking) conclude(out *pipeline.Draft) (pipeline.Draft, error) {
	all := t.earlier
	if out != nil {
		all = append(slices.Clone(all), t.talk)
	} else {
		out = &pipeline.Draft{Text: map[string][]byte{}}
		out.Status, out.Warnings = pipeline.TaskCompleted, t.warnings
	}
	raw, err := json.MarshalIndent(t.conclusions(all), "", "  ")
	if err != nil {
		return pipeline.Draft{}, fmt.Errorf("write %s: %w", conclusionsPath, err)
	}
	out.Text[conclusionsPath] = append(raw, '\n')
	out.Artifact = conclusionsPath
	out.Summary = clip(strings.TrimSpace(out.Summary+fmt.Sprintf(" After %d rounds the discussion is concluded: %s", len(all), conclusionsPath)), 900)
	return *out, nil
}

func (t *talking) conclusions(all []Talk) Conclusions {
	source := "rules"
	if t.byModel {
		source = "model"
	}
	c := Conclusions{
		SessionID: t.Session.ID, Topic: cmp.Or(t.Session.Scope, t.Issue.Title, t.Session.Issue.Title), Completed: t.Now.UTC().Format("2006-01-02T15:04:05Z"),
		TotalRounds: len(all), Strategy: "deep", KeyConclusions: t.points(all), Recommendations: t.recommendations(),
		OpenQuestions: list(first(texts(lastQuestions(all)), maxQuestions)), FollowUps: []string{}, Trail: list(t.remembered().Trail),
		Synthesis: list(first(t.agreed(), 7)), Metadata: metadata{t.talk.Timestamp, source},
	}
	for _, q := range c.OpenQuestions {
		c.FollowUps = append(c.FollowUps, "/feedback "+clip(q, 120))
	}
	c.Summary = fmt.Sprintf("%s, %s, %s, %s open.", spec.Count(c.TotalRounds, "round"), spec.Count(len(c.KeyConclusions), "conclusion"),
		spec.Count(len(c.Recommendations), "recommendation"), spec.Count(len(c.OpenQuestions), "question"))
	return c
}

func lastQuestions(all []Talk) []string {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].Questions
}

// points are what the talks found, most often seen first; how many files a
// point rests on is how sure it is.
func (t *talking) points(all []Talk) []Conclusion {
	var out []Conclusion
	for _, talk := range all {
		for _, f := range talk.Findings {
			i := slices.IndexFunc(out, func(c Conclusion) bool { return c.Point == f.Text || alike(c.Point, f.Text) >= same })
			if i < 0 {
				out = append(out, Conclusion{Point: f.Text})
				i = len(out) - 1
			}
			out[i].Evidence = texts(append(out[i].Evidence, f.Evidence...))
		}
	}
	for i := range out {
		out[i].Confidence = confidence(sources(out[i].Evidence))
	}
	slices.SortStableFunc(out, func(a, b Conclusion) int { return cmp.Compare(len(b.Evidence), len(a.Evidence)) })
	return list(first(out, 7))
}

// sources counts the different files among places.
func sources(places []string) int {
	files := map[string]bool{}
	for _, p := range places {
		files[path.Clean(strings.SplitN(p, ":", 2)[0])] = true
	}
	return len(files)
}

// recommendations are what the open findings ask for.
func (t *talking) recommendations() []Recommendation {
	open := slices.DeleteFunc(slices.Clone(t.ledger.Findings), func(f pipeline.Finding) bool { return !live(f) || f.Suggestion == "" })
	slices.SortStableFunc(open, byWeight)
	out := []Recommendation{}
	for _, f := range first(open, 10) {
		out = append(out, Recommendation{Action: f.Suggestion, Rationale: fmt.Sprintf("%s: %s", f.ID, f.Claim), Priority: priority(f.Grade), Voice: joinVoices(f.Voices)})
	}
	return out
}

func priority(g pipeline.Grade) string {
	return []string{"high", "medium", "low", "low", "low"}[gradeRank(g)]
}
