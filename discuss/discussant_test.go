package discuss

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pipeline"
)

func discussFolder(t *testing.T) pipeline.Folder {
	t.Helper()
	folder := briefFolder()
	ledger := Ledger{Version: 1, Runs: []Run{{Round: "DISCUSS-002", Run: 1}}, Findings: []pipeline.Finding{
		{ID: "F-01", Grade: pipeline.Major, Claim: "the first retry has no bound", Suggestion: "state the first delay", File: briefPath, LineStart: 6,
			Voices: []pipeline.Perspective{pipeline.Product, pipeline.Quality}, State: pipeline.FindingOpen},
		{ID: "F-02", Grade: pipeline.Minor, Claim: "a long title", File: briefPath, LineStart: 1, Voices: []pipeline.Perspective{pipeline.Quality}, State: pipeline.FindingFixed},
	}}
	raw, err := ledger.text()
	if err != nil {
		t.Fatal(err)
	}
	folder[LedgerPath] = raw
	folder["discussions/DISCUSS-002-discussion.md"] = []byte("# Discussion Record: DISCUSS-002\n\n## Convergent Themes\n\n- retries matter (product, quality)\n\n## Open Questions\n\n- who is told when it gives up\n")
	return folder
}

func talkOf(folder pipeline.Folder, text string) pipeline.Discussion {
	return pipeline.Discussion{
		Session: pipeline.Session{ID: "TLS-retry-142", Scope: "retries", Language: "en"}, Now: noon, Folder: folder,
		Command: pipeline.Command{Verb: "discuss", Text: text, Args: strings.Fields(text)},
	}
}

// hold takes a talk and lays its files over the folder, as the pipeline does.
func hold(t *testing.T, m pipeline.Model, folder pipeline.Folder, text string) pipeline.Draft {
	t.Helper()
	d, err := NewDiscussant(Config{Model: m}).Discuss(context.Background(), talkOf(folder, text))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(folder, d.Text)
	memory := map[string]json.RawMessage{}
	if raw, ok := folder[memoryPath]; ok {
		if err := json.Unmarshal(raw, &memory); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range d.Memory {
		memory[m.Key] = json.RawMessage(m.Value)
	}
	raw, err := json.Marshal(memory)
	if err != nil {
		t.Fatal(err)
	}
	folder[memoryPath] = raw
	return d
}

func TestKindsOfTalk(t *testing.T) {
	for _, test := range []struct {
		text, kind, feedback, note string
		round                      int
	}{
		{"", initial, "", "", 1},
		{"deepen", initial, "", "", 1},
		{"ask who is told?", initial, "who is told?", "", 1},
		{"deepen", deepen, "", "", 2},
		{"deepen the retry bound", deepen, "the retry bound", "", 2},
		{"direction think of operators first", direction, "think of operators first", "", 2},
		{"ask who is told?", questions, "who is told?", "", 2},
		{"DEEPEN", deepen, "", "", 3},
		{"", deepen, "", "no direction was given; taken as deepen", 2},
		{"hmm not sure", deepen, "hmm not sure", `"hmm" is not deepen, direction or ask; taken as deepen`, 2},
		{"ask", deepen, "", "ask came without text; taken as deepen", 2},
		{"direction", deepen, "", "direction came without text; taken as deepen", 2},
	} {
		t.Run(fmt.Sprintf("%s in round %d", test.text, test.round), func(t *testing.T) {
			kind, feedback, note := kindOf(pipeline.Command{Text: test.text, Args: strings.Fields(test.text)}, test.round)
			if kind != test.kind || feedback != test.feedback || note != test.note {
				t.Errorf("%s %q %q", kind, feedback, note)
			}
		})
	}
}

func TestInitialTalk(t *testing.T) {
	folder := discussFolder(t)
	d := hold(t, nil, folder, "")
	var got Talk
	if err := json.Unmarshal(d.Text["discussions/discussion-round-1.json"], &got); err != nil {
		t.Fatal(err)
	}
	want := Talk{
		Round: 1, Type: initial, Timestamp: "2026-11-21T12:00:00Z",
		Understanding: Understanding{
			Confirmed: []string{"retries matter (product, quality)"},
			Corrected: []string{"F-02 is fixed: a long title"},
			New:       []string{"F-01 (major): the first retry has no bound"},
		},
		Findings:  []Insight{{"the first retry has no bound", []string{briefPath + ":6"}, "medium"}},
		Questions: []string{"who is told when it gives up"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	timeline := string(d.Text[timelinePath])
	for _, part := range []string{"### Round 1 - Discussion (2026-11-21T12:00:00Z)", "#### Type\n\ninitial", "#### User Input\n\n(initial round, none)",
		"#### Updated Understanding", "**Confirmed**", "**Corrected**", "**New Insights**", "#### New Findings", "#### Open Questions\n\n- who is told when it gives up"} {
		if !strings.Contains(timeline, part) {
			t.Errorf("the timeline lacks %q:\n%s", part, timeline)
		}
	}
}

func TestTalksBuildOnEachOther(t *testing.T) {
	folder := discussFolder(t)
	hold(t, nil, folder, "")
	deep := hold(t, nil, folder, "deepen retries that give up")
	var side deepenFile
	if err := json.Unmarshal(deep.Text["discussions/deepen-2.json"], &side); err != nil {
		t.Fatal(err)
	}
	if len(side.Findings) == 0 || !slices.Contains(side.Evidence, briefPath+":5") {
		t.Errorf("deepen found %+v", side)
	}
	turned := hold(t, nil, folder, "direction operators first")
	if len(turned.Decisions) != 1 || len(turned.Append) != 1 || turned.Append[0].Path != decisionsPath {
		t.Errorf("the direction was not recorded: %+v", turned.Outcome)
	}
	again := hold(t, nil, folder, "direction endpoints first")
	if !strings.Contains(again.Decisions[0], `set aside: operators first`) {
		t.Errorf("the rejected direction is not named: %q", again.Decisions[0])
	}
	timeline := string(folder[timelinePath])
	if strings.Count(timeline, "### Round ") != 4 || strings.Count(timeline, "# Discussion: ") != 1 {
		t.Error(timeline)
	}
	var memory memories
	if err := json.Unmarshal(folder[memoryPath], &memory); err != nil {
		t.Fatal(err)
	}
	if len(memory.Discussions) != 4 || memory.Discussions[0].ID != "discussion-round-1" || memory.Discussions[0].Corrected != 1 {
		t.Errorf("%+v", memory.Discussions)
	}
	if !slices.Contains(memory.Current.Clarified, "F-02 is fixed: a long title") || !slices.Contains(memory.Current.Established, "retries matter (product, quality)") {
		t.Errorf("%+v", memory.Current)
	}
	var trail []string
	for _, e := range memory.Trail {
		trail = append(trail, e.Decision)
	}
	want := []string{
		"changed assumption: F-02 is fixed: a long title",
		`Discussion round 2, 2026-11-21T12:00:00Z: go deeper into "retries that give up"`,
		`Discussion round 3, 2026-11-21T12:00:00Z: direction is now "operators first"; set aside: none before it`,
		`Discussion round 4, 2026-11-21T12:00:00Z: direction is now "endpoints first"; set aside: operators first`,
	}
	if diff := cmp.Diff(want, trail); diff != "" {
		t.Error(diff)
	}
}

func TestQuestionsAreAnsweredFromTheText(t *testing.T) {
	folder := discussFolder(t)
	hold(t, nil, folder, "")
	d := hold(t, nil, folder, "ask When do retries give up? Which colour has the dashboard?")
	var got questionsFile
	if err := json.Unmarshal(d.Text["discussions/questions-2.json"], &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Answers) != 2 || !strings.Contains(got.Answers[0].Answer, "give up after a day") || got.Answers[0].Evidence[0] != briefPath+":5" {
		t.Errorf("%+v", got.Answers)
	}
	want := Answer{Question: "Which colour has the dashboard?", Answer: "The documents do not say.", Evidence: []string{}, Confidence: "low"}
	if diff := cmp.Diff(want, got.Answers[1], cmpopts.IgnoreUnexported(Answer{})); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(got.FollowUps, "Which colour has the dashboard?") || !strings.Contains(d.Summary, "give up after a day") {
		t.Errorf("%q %q", got.FollowUps, d.Summary)
	}
}

func TestFiveTalksConclude(t *testing.T) {
	folder := discussFolder(t)
	for n, text := range []string{"", "deepen retries", "direction operators", "deepen", "ask who is told?", "deepen more"} {
		d := hold(t, nil, folder, text)
		_, concluded := d.Text[conclusionsPath]
		if concluded != (n >= 4) {
			t.Errorf("talk %d concluded: %v", n+1, concluded)
		}
	}
	if _, ok := folder[talkPath(6)]; ok {
		t.Error("a sixth round was held")
	}
	var c Conclusions
	if err := json.Unmarshal(folder[conclusionsPath], &c); err != nil {
		t.Fatal(err)
	}
	if c.TotalRounds != 5 || c.SessionID != "TLS-retry-142" || c.Topic != "retries" || len(c.KeyConclusions) == 0 || len(c.KeyConclusions) > 7 || len(c.OpenQuestions) > 5 {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff([]Recommendation{{"state the first delay", "F-01: the first retry has no bound", "medium", "product, quality"}}, c.Recommendations); diff != "" {
		t.Error(diff)
	}
}

func TestDiscussionErrors(t *testing.T) {
	t.Run("no folder", func(t *testing.T) {
		_, err := NewDiscussant(Config{}).Discuss(context.Background(), talkOf(nil, ""))
		var refusal *pipeline.Refusal
		if !errors.As(err, &refusal) {
			t.Error(err)
		}
	})
	t.Run("no analyses", func(t *testing.T) {
		d := hold(t, nil, pipeline.Folder{"team-session.json": []byte("{}")}, "")
		if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "no round has judged anything yet") {
			t.Error(d.Warnings)
		}
	})
	t.Run("model off", func(t *testing.T) {
		model := scripted(func(context.Context, pipeline.Prompt) (pipeline.Reply, error) {
			return pipeline.Reply{}, pipeline.ErrNoModel
		})
		d := hold(t, model, discussFolder(t), "")
		if d.ByModel || len(d.Warnings) != 1 || !strings.Contains(d.Summary, "1 finding ") {
			t.Error(d.Warnings, d.Summary)
		}
	})
	t.Run("memory unreadable", func(t *testing.T) {
		folder := discussFolder(t)
		folder[memoryPath] = []byte("{")
		d, err := NewDiscussant(Config{}).Discuss(context.Background(), talkOf(folder, ""))
		if err != nil || len(d.Memory) != 3 {
			t.Error(err, d.Memory)
		}
	})
	t.Run("an earlier stage left half a file", func(t *testing.T) {
		folder := discussFolder(t)
		folder[talkPath(1)] = []byte(`{"round": 1,`)
		d := hold(t, nil, folder, "deepen retries")
		if d.Text[talkPath(2)] == nil || d.Text[talkPath(1)] != nil {
			t.Errorf("the half round was not passed over as held: wrote %v", slices.Sorted(maps.Keys(d.Text)))
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		model := scripted(func(ctx context.Context, _ pipeline.Prompt) (pipeline.Reply, error) {
			return pipeline.Reply{}, ctx.Err()
		})
		if _, err := NewDiscussant(Config{Model: model}).Discuss(ctx, talkOf(discussFolder(t), "")); err == nil {
			t.Error("a cancelled discussion gave a draft")
		}
	})
}

func TestModelTalkShowsItsPlaces(t *testing.T) {
	model := scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		text := `{"confirmed":["deliveries are lost"],"corrected":[],"new_insights":["nobody is told"],
			"findings":[{"finding":"retries end after a day","evidence":[{"file":"spec/product-brief.md","line_start":5,"line_end":5,"quote":"give up after a day"}]},
			            {"finding":"made up","evidence":[{"file":"spec/product-brief.md","line_start":5,"line_end":5,"quote":"never written anywhere"}]}],
			"answers":[{"question":"When do retries end?","answer":"After a day.","evidence":[{"file":"spec/product-brief.md","line_start":5,"line_end":5,"quote":"give up after a day"}]}],
			"open_questions":["who is told"]}`
		return pipeline.Reply{Text: text, Backend: "gemini"}, p.Check([]byte(text))
	})
	folder := discussFolder(t)
	hold(t, nil, folder, "")
	d := hold(t, model, folder, "ask When do retries end?")
	var talk Talk
	if err := json.Unmarshal(d.Text[talkPath(2)], &talk); err != nil {
		t.Fatal(err)
	}
	if !d.ByModel || talk.Findings[0].Text != "retries end after a day" || strings.Contains(string(d.Text[talkPath(2)]), "made up") {
		t.Errorf("%+v", talk)
	}
	if !strings.Contains(d.Summary, "After a day.") || !slices.Contains(d.Warnings, "Dropped, because the documents do not hold their quotes: 1 finding") {
		t.Error(d.Summary, d.Warnings)
	}
}
