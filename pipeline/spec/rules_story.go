package spec

import (
	"fmt"
	"slices"
	"strings"
)

func storyText(sentence string) string {
	return "## STORY-001-001: Retry\n\n" + sentence + "\n\n**Acceptance Criteria:**\n\n- [ ] The list shows 503 after a 503 answer.\n\n**Size:** S\n"
}

// epicFile is an epic's file with what an example changes.
func epicFile(id, mvp, size, dependencies, stories string) string {
	return "-- spec/epics/" + id + "-a.md --\n---\nid: " + id + "\npriority: Must\nmvp: " + mvp + "\nsize: " + size + "\n---\n# " + id + ": A\n\n## Dependencies\n\n| Epic | Kind | Reason |\n| --- | --- | --- |\n" + dependencies + "\n## Stories\n\n" + stories
}

const epicIndex = "-- spec/epics/_index.md --\n---\nsession_id: TLS-a\nphase: 5\ndocument_type: epics\n---\n# Epics: A\n"

func sizedStory(id string) string {
	return "### " + id + ": A\n\n**User Story:** As an operator, I want to see failures, so that I find the cause.\n\n**Acceptance Criteria:**\n\n- [ ] The list shows 503.\n\n**Size:** S\n"
}

// storyRules judge criteria, stories, epics, and links gone stale.
var storyRules = []Rule{
	{ID: "L50", Grade: Major, Title: "no testable criterion", Detects: "A requirement or story has no acceptance criterion, or one without an observable result.",
		Perspectives: []string{coverage, quality}, Move: Move{Weight: 1, Share: .2}, Artifacts: ofRequirements + ofEpics,
		Good:   withCriterion("The service MUST retry.", "Given a 503 answer, when 30 seconds pass, then it is sent again."),
		Bad:    withCriterion("The service MUST retry.", "It works as expected."),
		Remedy: "Given <state>, when <act>, then <what is seen>.", check: untestable},
	{ID: "L52", Grade: Major, Title: "suspect link", Detects: "An item's parent changed after the item was accepted.",
		Perspectives: []string{coverage}, Move: Move{Weight: .75, Share: .1}, Artifacts: ofRequirements + ofNFR + ofArchitecture + ofEpics,
		Good:   "-- before/spec.md --\n## REQ-001: Retry\n\nThe service MUST retry.\n\n## STORY-001-001: Retry\n\nAs an operator, I want a retry.\n\n**Traces to:** REQ-001\n-- spec.md --\n## REQ-001: Retry\n\nThe service MUST retry.\n\n## STORY-001-001: Retry\n\nAs an operator, I want a retry.\n\n**Traces to:** REQ-001\n",
		Bad:    "-- before/spec.md --\n## REQ-001: Retry\n\nThe service MUST retry.\n\n## STORY-001-001: Retry\n\nAs an operator, I want a retry.\n\n**Traces to:** REQ-001\n-- spec.md --\n## REQ-001: Retry\n\nThe service MUST retry twice.\n\n## STORY-001-001: Retry\n\nAs an operator, I want a retry.\n\n**Traces to:** REQ-001\n",
		Remedy: "Read the item against its parent again; change it, or accept it anew.", check: suspect},
	{ID: "L59", Grade: Minor, Title: "story not whole", Detects: "A story lacks its role, its want or its benefit.",
		Perspectives: []string{product, quality}, Move: Move{Weight: .5, Share: .2}, Artifacts: ofEpics,
		Good: storyText("As an operator, I want to see the status, so that I find the cause."), Bad: storyText("As an operator, I want to see the status."),
		Remedy: "As a <role>, I want to <act>, so that <benefit>.", check: storyParts},
	{ID: "L60", Grade: Minor, Title: "two wants", Detects: "A story wants two things, or its role is just “user”.",
		Perspectives: []string{product, quality}, Move: Move{Weight: .5, Share: .2}, Artifacts: ofEpics,
		Good: storyText("As an operator, I want to see the status, so that I find the cause."), Bad: storyText("As a user, I want to see the status and export the list, so that I find the cause."),
		Remedy: "Split it into one story for each want, and name the role that has it.", check: storyWants},
	{ID: "L61", Grade: Minor, Title: "size and count", Detects: "No size, more than eight criteria, or a number of epics outside 3 to 7, of stories outside 2 to 5.",
		Perspectives: []string{product, technical}, Move: Move{Weight: .5, Flat: true}, Artifacts: ofEpics,
		Good: epicFile("EPIC-001", "true", "S", "", sizedStory("STORY-001-001")+"\n"+sizedStory("STORY-001-002")),
		Bad:  epicFile("EPIC-001", "true", "S", "", sizedStory("STORY-001-001")), Remedy: "Split or join until it fits an iteration, and size it.", check: sizesAndCounts},
	{ID: "L62", Grade: Major, Title: "no first slice", Detects: "No epic is marked as the first slice, or one that is waits for a later one.",
		Perspectives: []string{product}, Move: Move{Weight: .75, Flat: true}, Artifacts: ofEpics,
		Good: epicIndex + epicFile("EPIC-001", "true", "S", "", sizedStory("STORY-001-001")),
		Bad:  epicIndex + epicFile("EPIC-001", "false", "S", "", sizedStory("STORY-001-001")), Remedy: "Mark the smallest set that is of use by itself, with all it waits for.", check: firstSlice},
}

var (
	unobservable = compile(`(?i)\b(?:works?|functions?|behaves?|performs?|runs?|operates?)(?: (?:correctly|properly|fine|well|smoothly|as (?:expected|intended|designed|specified|described|required)))?[.!]?$|\bas (?:expected|intended|desired|described|specified|required|appropriate)[.!]?$|^(?:the |this |it |all )?[\w ]{0,40}\b(?:is|are|was) (?:implemented|done|complete[d]?|finished|supported|working|available|ok|okay|good|fine|correct|satisfied|met|tested|verified|user[- ]friendly|intuitive|easy(?: to \w+)?)[.!]?$|\b(?:looks?|feels?) (?:good|nice|right|modern|clean)\b|\bfunktioniert(?: (?:korrekt|wie erwartet|richtig|einwandfrei))?[.!]?$|wie erwartet[.!]?$|(?:正常(?:工作|运行|使用)|功能正常|符合预期|没有问题)[。！]?$`)
	observed     = compile("\\d|`|“|\"")
)

// hasRoom tells whether an item is one that can hold criteria: a heading or a
// file, not a bullet or a row.
func (in *inspection) hasRoom(it Item) bool {
	d := in.Document(it.File)
	return d != nil && (d.Front.Get("id") == it.ID || slices.ContainsFunc(d.Sections, func(s Section) bool { return s.Line == it.Line }))
}

func untestable(in *inspection) {
	for _, it := range in.Of(KindReq, KindStory) {
		if it.Priority == "Won't" || len(in.Down(it.ID, KindAC)) > 0 || !in.hasRoom(it) {
			continue
		}
		if d := in.Document(it.File); it.Kind == KindReq && d.Kind == DocOther && len(in.Down(it.ID, KindStory)) > 0 {
			continue // its stories carry the criteria
		}
		in.hitItem(it, "", it.ID+" has no acceptance criterion")
	}
	for _, ac := range in.Of(KindAC) {
		text := Plain(ac.Statement)
		if m := unobservable.FindString(text); m != "" && !observed.MatchString(m) && !aNoun(text, m) {
			in.hit(Finding{File: ac.File, Line: ac.Line, End: ac.End, Item: ac.ID, Message: "“" + clip(strings.TrimSpace(m), 60) + "” is nothing one can see"})
		}
	}
}

var determiner = compile(`(?i)\b(?:an?|the|each|every|its|this|that|next|first|last|no|nightly|per)\s+$`)

// aNoun: "before the run" ends in a thing, not in something that runs.
func aNoun(text, m string) bool {
	at := strings.Index(text, m)
	return len(strings.Fields(m)) == 1 && determiner.MatchString(text[:at])
}

// suspect says which links are to be looked at again. The parent is part of
// the finding's unit, by which the report remembers the link.
func suspect(in *inspection) {
	for _, it := range in.Items {
		up, ok := in.Options.Suspects[it.ID]
		if !ok {
			continue
		}
		line, what := it.Line, "what it descends from"
		if up != "" {
			line, what = in.traceLine(it, up), up
		}
		in.hit(Finding{File: it.File, Line: line, Item: it.ID, Unit: strings.TrimSpace(it.ID + " " + up), Message: fmt.Sprintf("%s changed after %s was accepted", what, it.ID)})
	}
}

// told is the story of an item: from its label, else from its sentence.
func told(it Item) (Story3, bool) {
	text := strings.ReplaceAll(orElse(it.Fields["user story"], it.Statement), "\n", " ")
	st, ok := ReadStory(text)
	if ok || it.Fields["user story"] == "" {
		return st, ok
	}
	for _, l := range strings.Split(it.Fields["user story"], "\n") {
		for _, p := range []struct {
			lead string
			to   *string
		}{{"as a", &st.Role}, {"as an", &st.Role}, {"i want to", &st.Want}, {"i want", &st.Want}, {"so that", &st.Benefit}} {
			if rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(l)), p.lead+" "); ok {
				*p.to = unsaid(rest)
			}
		}
	}
	return st, false
}

func storyParts(in *inspection) {
	for _, it := range in.Of(KindStory) {
		st, _ := told(it)
		var lacks []string
		for _, p := range []struct{ name, text string }{{"role", st.Role}, {"want", st.Want}, {"benefit", st.Benefit}} {
			if strings.Trim(p.text, " ._*-–") == "" {
				lacks = append(lacks, p.name)
			}
		}
		if len(lacks) > 0 && in.hasRoom(it) {
			in.hitItem(it, "", it.ID+" has no "+strings.Join(lacks, " and no "))
		}
	}
}

var (
	secondWant = compile(`(?i)\b(?:and|as well as)\s+(?:also\s+|then\s+|to\s+|i want (?:to )?)?(?:see|view|send|log|store|notify|delete|create|update|write|record|show|display|export|import|mail|print|publish|share|edit|change|add|remove|cancel|pay|order|search|filter|sort|download|upload|schedule|book|receive|get|assign|approve|reject|configure|manage|track|compare|restore|rename|move|copy|invite)\b|\bund (?:\p{L}+ ){0,4}(?:exportieren|löschen|ändern|drucken|versenden|anlegen|teilen)\b|(?:并且|同时|以及)(?:能|要|可以)?(?:导出|删除|修改|打印|发送|创建|分享)`)
	bareRole   = compile(`(?i)^(?:the |an? )?(?:user|end[- ]?user|person|someone|somebody|anyone|human|nutzer(?:in)?|benutzer(?:in)?|anwender(?:in)?|用户|使用者)$`)
)

func storyWants(in *inspection) {
	for _, it := range in.Of(KindStory) {
		st, _ := told(it)
		switch {
		case secondWant.MatchString(st.Want):
			in.hitItem(it, "", it.ID+" wants two things: “"+strings.TrimSpace(secondWant.FindString(st.Want))+"”")
		case bareRole.MatchString(strings.TrimSpace(st.Role)):
			in.hitItem(it, "", it.ID+" is for “"+strings.TrimSpace(st.Role)+"”, which is everybody")
		}
	}
}

const criteriaMost = 8

func sizesAndCounts(in *inspection) {
	stories := in.Of(KindStory)
	sized := slices.ContainsFunc(stories, in.sized)
	for _, it := range stories {
		if n := len(in.Down(it.ID, KindAC)); n > criteriaMost {
			in.hitItem(it, "", fmt.Sprintf("%s has %d criteria", it.ID, n))
		}
		if !in.sized(it) && (sized || in.First(DocEpics) != nil) {
			in.hitItem(it, "", it.ID+" has no size")
		}
	}
	for _, d := range in.Documents {
		if d.Kind != DocEpic {
			continue
		}
		if n := len(in.epic(d).Stories); n < 2 || n > 5 {
			in.hit(Finding{File: d.Path, Item: d.Front.Get("id"), Message: d.Front.Get("id") + " has " + Count(n, "story") + "; 2 to 5 fit"})
		}
	}
	if d := in.First(DocEpics); d != nil {
		if n := len(in.Of(KindEpic)); n < 3 || n > 7 {
			in.hit(Finding{File: d.Path, Unit: d.Path, Message: Count(n, "epic") + "; 3 to 7 fit"})
		}
	}
}

func firstSlice(in *inspection) {
	e, err := ParseEpics(in.Set)
	if err != nil || len(e.Epics) == 0 {
		return
	}
	first := map[string]bool{}
	for _, ep := range e.Epics {
		first[ep.ID] = ep.MVP
	}
	if !slices.ContainsFunc(e.Epics, func(ep Epic) bool { return ep.MVP }) {
		in.hit(Finding{File: in.First(DocEpics).Path, Unit: "mvp", Message: "no epic is marked as the first slice"})
	}
	for _, ep := range e.Epics {
		for _, dep := range ep.Dependencies {
			if marked, there := first[dep.Epic]; ep.MVP && there && !marked && !strings.EqualFold(dep.Kind, "soft") {
				in.hit(Finding{File: ep.File, Item: ep.ID, Message: fmt.Sprintf("%s is in the first slice and waits for %s, which is not", ep.ID, dep.Epic)})
			}
		}
	}
}
