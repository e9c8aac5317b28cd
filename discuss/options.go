package discuss

import (
	"fmt"
	"slices"

	"parley/pipeline"
)

// explain ties each divergence to the findings behind it and, on a block,
// offers two ways out, each with the command that takes it.
func (h *hearing) explain(v *pipeline.Verdict) {
	for i := range v.Divergences {
		d := &v.Divergences[i]
		d.Findings = behind(*d, v.Findings)
		if v.Consensus == pipeline.ConsensusBlocked && d.Kind != enhancement {
			d.Options = h.options(*d, *v)
		}
	}
}

// behind are the open findings a divergence rests on, at most three.
func behind(d pipeline.Divergence, findings []pipeline.Finding) []string {
	wanted := map[string]func(pipeline.Finding) bool{
		coverageGap: func(f pipeline.Finding) bool {
			return f.Rule == missingRule || f.Item == "" && f.Grade == pipeline.Blocker
		},
		highRisk:  func(f pipeline.Finding) bool { return gradeRank(f.Grade) <= gradeRank(pipeline.Major) },
		lowRating: func(f pipeline.Finding) bool { return gradeRank(f.Grade) <= gradeRank(pipeline.Major) },
	}[d.Kind]
	var ids []string
	for _, f := range findings {
		if wanted != nil && wanted(f) && slices.Contains(f.Voices, d.Perspective) && len(ids) < 3 {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func (h *hearing) options(d pipeline.Divergence, v pipeline.Verdict) []pipeline.Option {
	finding := "<finding>"
	if len(d.Findings) > 0 {
		finding = d.Findings[0]
	}
	revise := fmt.Sprintf("/revise %s", h.task())
	accept := fmt.Sprintf("/accept %s <reason>", finding)
	switch d.Kind {
	case coverageGap:
		leave := wOutScope
		if slices.ContainsFunc(v.Findings, func(f pipeline.Finding) bool { return f.ID == finding && f.Item != "" }) {
			leave = wLeaveGap // a goal stays one
		}
		return pair(h.say(wRevise), revise, h.say(leave), accept)
	case highRisk:
		return pair(h.say(wMitigate), revise, h.say(wTakeRisk), accept)
	case lowRating:
		return pair(h.say(wRevise), revise, h.say(wGoOn), "/resume")
	}
	least, most := extremes(v.Opinions)
	follow := func(o pipeline.Opinion) (string, string) {
		return h.say(wSideWith, h.voice(o.Perspective), *o.Rating), fmt.Sprintf("/feedback follow %s: <what to change>", o.Perspective)
	}
	a, doA := follow(least)
	b, doB := follow(most)
	return pair(a, doA, b, doB)
}

func pair(a, doA, b, doB string) []pipeline.Option {
	return []pipeline.Option{{Label: "A", Text: a, Command: doA}, {Label: "B", Text: b, Command: doB}}
}
