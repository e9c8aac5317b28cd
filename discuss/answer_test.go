package discuss

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/pipeline"
)

func TestComputedRating(t *testing.T) {
	for _, test := range []struct {
		yes, total, majors, blockers, want int
	}{
		{6, 6, 0, 0, 5}, {6, 6, 1, 0, 4}, {6, 6, 2, 0, 3}, {6, 6, 3, 0, 2}, {6, 6, 9, 0, 2},
		{6, 6, 0, 1, 2}, {6, 6, 0, 2, 1}, {6, 6, 0, 5, 1},
		{5, 6, 0, 0, 4}, {5, 6, 1, 0, 4}, {4, 6, 0, 0, 3}, {4, 6, 2, 0, 3}, {3, 6, 0, 0, 2}, {2, 6, 0, 0, 2}, {1, 6, 0, 0, 1}, {0, 6, 0, 0, 1},
		{5, 5, 0, 0, 5}, {4, 5, 0, 0, 3}, {3, 3, 0, 0, 5}, {2, 3, 0, 0, 3}, {1, 3, 0, 0, 2}, {0, 3, 0, 0, 1},
		{2, 2, 0, 0, 0}, {0, 0, 0, 0, 0},
	} {
		got := computed(test.yes, test.total, test.majors, test.blockers)
		if test.want == 0 && got == nil {
			continue
		}
		if got == nil || *got != test.want {
			t.Errorf("%d of %d yes, %d majors, %d blockers: %v, want %d", test.yes, test.total, test.majors, test.blockers, got, test.want)
		}
	}
}

func TestQuotes(t *testing.T) {
	shelf := shelve([]pipeline.Source{{Name: briefPath, Text: brief}, {Name: "a/x.md", Text: "one line here"}, {Name: "b/x.md", Text: "one line here"}})
	for _, test := range []struct {
		name  string
		e     evidence
		start int // 0: not in the text
		end   int
	}{
		{"where it says", solid, 4, 4},
		{"spaces do not matter", quote(4, "Operators   lose about\tforty deliveries"), 4, 4},
		{"the printed line number is not part of it", quote(4, "4: Operators lose about forty"), 4, 4},
		{"two lines", evidence{briefPath, 4, 5, "deliveries a week. Retries must give up"}, 4, 5},
		{"wider than needed", evidence{briefPath, 3, 6, "Retries must give up"}, 5, 5},
		{"three lines off", quote(1, "Operators lose about forty"), 4, 4},
		{"four lines off", quote(1, "Retries must give up after"), 0, 0},
		{"past the end by two", quote(8, "The first retry happens promptly."), 6, 6},
		{"invented", quote(4, "Operators lose millions a week."), 0, 0},
		{"another file", evidence{"spec/other.md", 4, 4, "Operators lose about forty"}, 0, 0},
		{"name without directory", evidence{"product-brief.md", 4, 4, "Operators lose about forty"}, 4, 4},
		{"name that two files have", evidence{"x.md", 1, 1, "one line here"}, 0, 0},
		{"too short to prove anything", quote(4, "a week"), 0, 0},
		{"short but the whole line", quote(1, "# Brief"), 1, 1},
		{"empty", quote(4, "  "), 0, 0},
		{"line zero", quote(0, "# Brief"), 0, 0},
		{"upside down", evidence{briefPath, 4, 2, "Operators lose about forty"}, 4, 4},
		{"climbs out", evidence{"../../etc/passwd", 1, 1, "root:x:0:0:root"}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := shelf.verify(test.e)
			if ok != (test.start > 0) || ok && (got.Start != test.start || got.End != test.end) {
				t.Errorf("%v %d-%d, want %d-%d", ok, got.Start, got.End, test.start, test.end)
			}
		})
	}
}

func TestAnswerContract(t *testing.T) {
	good := answers(pipeline.Product, "yyyyyy")
	bad := func(change func(a *answer)) string {
		a := answers(pipeline.Product, "yyyyyy")
		change(&a)
		return a.json(t)
	}
	for _, test := range []struct {
		name string
		who  pipeline.Perspective
		text string
		want string // "" is accepted
	}{
		{"full", pipeline.Product, good.json(t), ""},
		{"plain", pipeline.Product, `{"strengths":["a"],"weaknesses":["b"],"suggestions":["c"],"rating":4}`, ""},
		{"plain with graded weaknesses", pipeline.Product, `{"strengths":[],"weaknesses":[{"text":"b","severity":"major"}],"suggestions":[],"rating":4}`, ""},
		{"plain coverage", pipeline.Coverage, `{"rating":4,"missing_requirements":["x"]}`, ""},
		{"plain risk", pipeline.Risk, `{"rating":4,"risk_level":"high"}`, ""},
		{"no rating", pipeline.Product, `{"strengths":[]}`, "rating is missing"},
		{"rating out of range", pipeline.Product, `{"rating":6}`, "rating is 6"},
		{"rating not whole", pipeline.Product, `{"rating":4.5}`, "not the JSON object"},
		{"coverage without its list", pipeline.Coverage, `{"rating":4}`, "missing_requirements is missing"},
		{"risk without its level", pipeline.Risk, `{"rating":4}`, "risk_level"},
		{"risk with another level", pipeline.Risk, `{"rating":4,"risk_level":"extreme"}`, "risk_level"},
		{"unknown field", pipeline.Product, `{"rating":4,"verdict":"approve"}`, "unknown field"},
		{"text behind", pipeline.Product, `{"rating":4} done`, "behind the JSON"},
		{"not JSON", pipeline.Product, "I like it", "not the JSON object"},
		{"another perspective", pipeline.Risk, good.json(t), `perspective is "product"`},
		{"check twice", pipeline.Product, bad(func(a *answer) { a.Checks[1].ID = "product-1" }), "answered twice"},
		{"check left out", pipeline.Product, bad(func(a *answer) { a.Checks = a.Checks[:5] }), "product-6 is not answered"},
		{"check nobody asked", pipeline.Product, bad(func(a *answer) { a.Checks = append(a.Checks, check{ID: "product-7", Answer: "na", Why: "x"}) }), "7 checks"},
		{"yes without evidence", pipeline.Product, bad(func(a *answer) { a.Checks[0].Evidence = nil }), "yes needs evidence"},
		{"na without a reason", pipeline.Product, bad(func(a *answer) { a.Checks[0].Answer, a.Checks[0].Why = "na", " " }), "na needs a reason"},
		{"perhaps", pipeline.Product, bad(func(a *answer) { a.Checks[0].Answer = "perhaps" }), "not yes, no or na"},
		{"severity of its own", pipeline.Product, bad(func(a *answer) { a.Findings = []claim{{Claim: "x", Severity: "fatal"}} }), "is not blocker"},
		{"every quote invented", pipeline.Product, bad(func(a *answer) {
			for i := range a.Checks {
				a.Checks[i].Evidence = []evidence{quote(4, "nobody ever wrote this")}
			}
		}), "none of the quotes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := hearingOf(t, briefFolder())
			err := h.check(test.who, []byte(test.text))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestSchemasAreJSON(t *testing.T) {
	for _, p := range Perspectives {
		var s struct {
			Required []string `json:"required"`
		}
		if err := json.Unmarshal(schema(p), &s); err != nil || len(s.Required) < 8 {
			t.Errorf("%s: %v, %d required", p, err, len(s.Required))
		}
	}
}

func TestSalvage(t *testing.T) {
	prose := "Strengths\n- states the problem plainly\nWeaknesses:\n- the first retry has no bound\nI suggest:\n1. say how long the first delay is\nRisk level: high\nOverall 3/5."
	for _, test := range []struct {
		name, prose, want string
	}{
		{"key points and one rating", prose, `{"perspective":"risk","strengths":["states the problem plainly"],"weaknesses":["the first retry has no bound"],"suggestions":["say how long the first delay is"],"risk_level":"high","rating":3}`},
		{"no rating", "Strengths\n- nice text here", ""},
		{"two ratings", "product 3/5, but really 5/5", ""},
		{"a rating out of range", "9/5", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := salvage(pipeline.Risk, test.prose)
			if ok != (test.want != "") || string(got) != test.want {
				t.Errorf("%v %s", ok, got)
			}
		})
	}
	model := scripted(func(_ context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
		raw, ok := p.Salvage(prose)
		if !ok {
			return pipeline.Reply{}, pipeline.ErrNoModel
		}
		return pipeline.Reply{Text: string(raw), Backend: "codex", Salvaged: true}, nil
	})
	o := opinionOf(t, critique(t, model, briefFolder()).Verdict, pipeline.Coverage)
	if o.Source != "codex (salvaged)" || o.Rating == nil || *o.Rating > 3 {
		t.Errorf("%q %v", o.Source, o.Rating)
	}
}
