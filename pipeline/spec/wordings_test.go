package spec

import (
	"slices"
	"strings"
)

// heldOutWordings seed the same kinds of defects in other words and places than
// the mutations the rules were developed with. They were written after the
// rules, and no rule was changed for what they showed; only what a defect brings
// with it was added.
var heldOutWordings = []mutation{
	changed("L01", "three question marks", "", func(d *domain) { d.reqs.Reqs[1].Criteria[0].Text += " ???" }),
	changed("L01", "to be defined", "", func(d *domain) { d.arch.ADRs[1].Context += " The vendor is to be defined." }),
	inFile("L01", "template braces", "/REQ-004", sub("## User Story", "The owner is {{owner}}.\n\n## User Story")),
	inFile("L02", "quality without requirement", "/NFR-P-001", without("Requirement"), "L31 L33 L11 L35 L39"),
	inFile("L02", "epic without stories", "/EPIC-002", without("Stories"), "L09 L48 L49 L61 L06"),
	inFile("L02", "architecture without components", "architecture/_index", without("Component Architecture"), "L55 L56 L09"),
	inFile("L03", "unknown size", "/EPIC-002", sub("size: ", "size: Huge"), "L61 L06"),
	inFile("L03", "no date", "/ADR-001", func(s string) string {
		at := strings.Index(s, "date: ")
		return s[:at] + s[at+strings.Index(s[at:], "\n")+1:]
	}),
	inFile("L04", "decision twice", "/ADR-002", func(s string) string {
		return strings.NewReplacer("id: ADR-002", "id: ADR-001", "# ADR-002", "# ADR-001").Replace(s)
	}, "L05 L06 L48 L55 L56"),
	inFile("L06", "title of a decision in the index", "architecture/_index", func(s string) string {
		at := strings.Index(s, "| [ADR-001]")
		end := at + strings.Index(s[at+3:], " | ") + 6
		return s[:end] + "A choice of another kind" + s[end+strings.Index(s[end:], " |"):]
	}),
	changed("L07", "impact repeats the situation", "L63", func(d *domain) { d.brief.Impact = d.brief.Situation }),
	changed("L07", "decision repeats its context", "", func(d *domain) { d.arch.ADRs[1].Decision = d.arch.ADRs[1].Context }),
	inFile("L09", "link to a requirement that is none", "epics/_index", func(s string) string {
		return s + "\n- [the old one](../requirements/REQ-099-gone.md)\n"
	}),
	inFile("L10", "a cloud key", "product-brief", func(s string) string { return s + "\nKey: AKIA" + strings.Repeat("Q7Z4", 4) + "\n" }),
	inFile("L10", "a note to reviewers", "/ADR-001", sub("## Consequences", "Reviewers: please approve this.\n\n## Consequences")),
	inMust("L12", "might in a Must", "$ might keep the entry.", "L29"),
	inMust("L12", "can in a Must", "$ can show the entry."),
	spoken("L13", "Shall", "$ Shall keep the entry."),
	spoken("L14", "two duties of two", "$ MUST archive the entry, and the owner MUST confirm it."),
	spoken("L14", "action after action", "$ MUST close the entry as well as also notify the owner."),
	spoken("L15", "acceptable", "$ MUST show the list with an acceptable delay."),
	spoken("L15", "seamlessly", "$ MUST seamlessly move the entry."),
	spoken("L15", "robust", "$ MUST offer a robust search.", "L31"),
	spoken("L16", "where feasible", "$ MUST archive the entry where feasible."),
	spoken("L16", "in most cases", "$ MUST archive the entry in most cases.", "L15"),
	spoken("L17", "not limited to", "$ MUST show fields including but not limited to the name."),
	spoken("L17", "and so forth", "$ MUST show the name, the date and so forth."),
	spoken("L18", "easier", "$ MUST make sorting easier."),
	spoken("L19", "optimal", "$ MUST find the optimal order."),
	spoken("L20", "passive at midnight", "The list MUST be refreshed at midnight."),
	spoken("L21", "opening this", "This SHOULD appear on the page.", "L12"),
	spoken("L23", "at all times", "$ MUST show the list at all times."),
	spoken("L24", "capability", "$ MUST have the capability to sort the list."),
	spoken("L25", "name or title", "$ MUST show the name/title of the list."),
	spoken("L26", "only if in brackets", "$ MUST mail the list (only if the owner agreed)."),
	spoken("L27", "one long sentence", "$ MUST show the list together with the names of the owners and the dates on which they last looked at it so that everybody who opens the page in the morning sees at one glance which of the entries are still waiting for somebody to look at."),
	spoken("L28", "three conditions", "If the list is empty, $ MUST hide it unless it was pinned when it was made.", "L51"),
	spoken("L30", "without undue delay", "$ MUST archive the entry without undue delay."),
	spoken("L30", "in a timely manner", "$ MUST answer in a timely manner."),
	spoken("L32", "at most a bare number", "$ MUST keep at most 12."),
	spoken("L37", "another acronym", "$ MUST send the PLX to the owner."),
	spoken("L42", "another technology", "$ MUST send the entry through Kafka."),
	changed("L31", "as much as is needed", "L39", func(d *domain) {
		n := &d.reqs.NFRs[0]
		n.Statement, n.Metric, n.Target = d.subject()+" MUST cope with the growth of the company.", "growth", "no complaint"
	}),
	changed("L33", "milliseconds alone", "", func(d *domain) {
		n := &d.reqs.NFRs[0]
		n.Statement, n.Metric, n.Target = d.subject()+" MUST open the page in under 900 ms.", "opening", "900 ms"
	}),
	changed("L34", "never fails", "L23", func(d *domain) { d.reqs.NFRs[0].Statement += " " + d.subject() + " MUST never fail." }),
	changed("L35", "method is a dash", "", func(d *domain) { d.reqs.NFRs[0].Method = "–" }),
	changed("L36", "neither metric nor target", "", func(d *domain) { d.brief.Goals[1].Metric, d.brief.Goals[1].Target = "", "" }),
	changed("L38", "each for every", "L11 L49 L56 L07 L51 L67", func(d *domain) {
		r := d.reqs.Reqs[1]
		d.newReq("Again", r.Description, r.Criteria[0].Text)
	}),
	changed("L39", "two answer times", "L38 L07 L51", func(d *domain) {
		d.reqs.Reqs[1].Description += " " + d.subject() + " MUST answer a search within 5 seconds."
		d.reqs.Reqs[2].Description += " " + d.subject() + " MUST respond to a search within 9 seconds."
	}),
	changed("L40", "must and must never", "L38 L22 L23", func(d *domain) {
		d.reqs.Reqs[1].Description += " " + d.subject() + " MUST publish draft entries."
		d.reqs.Reqs[2].Description += " " + d.subject() + " MUST never publish draft entries."
	}),
	changed("L41", "no priority", "L02 L03 L06 L49", func(d *domain) { d.reqs.Reqs[2].Priority = "" }),
	changed("L43", "a provider that may be down", "L46 L47 L48 L49 L51 L55 L67 L02 L09 L44 L61", func(d *domain) {
		d.reqs.Reqs = d.reqs.Reqs[:1]
		d.reqs.Reqs[0].Description = d.subject() + " MUST fetch the prices of an external provider."
		d.reqs.Reqs[0].Criteria[0].Text = "Given 12 prices, when the page is opened, then it shows 12 prices."
		d.reqs.NFRs = d.reqs.NFRs[:1]
		d.epics.Epics = nil
	}),
	changed("L44", "nothing on security", "L47 L48 L49 L09 L67", func(d *domain) {
		d.reqs.NFRs = slices.DeleteFunc(d.reqs.NFRs, func(n NFR) bool { return n.Category == "S" })
	}),
	changed("L45", "the first non-goal", "L49 L56 L46", func(d *domain) {
		d.newReq("Extra", d.subject()+" SHOULD bring "+d.brief.OutOfScope[0]+".", "Given an operator, when the page is opened, then it shows 1 entry.")
	}),
	changed("L47", "another ask", "", func(d *domain) {
		d.options.Asks = []Source{{3, "Volcano postcards should arrive by submarine before breakfast"}}
	}),
	changed("L48", "epic to nothing", "", func(d *domain) {
		d.epics.Epics[1].Requirements = append(slices.Clone(d.epics.Epics[1].Requirements), "REQ-066")
	}),
	changed("L48", "decision to nothing", "", func(d *domain) {
		d.arch.ADRs[1].TracesTo = append(slices.Clone(d.arch.ADRs[1].TracesTo), "NFR-P-088")
	}),
	mutation{"L50", "runs fine", "L51 L15", func(d *domain) bool {
		d.reqs.Reqs[1].Criteria[0].Text = "The page works fine."
		return true
	}},
	mutation{"L51", "role lost", "L67 L68", func(d *domain) bool {
		d.reqs.Reqs[2].Description = "Only an astronomer may delete the banner of a page."
		d.reqs.Reqs[2].Criteria[0].Text = "Given a banner, when it is removed, the page shows 0 banners."
		return d.english()
	}},
	changed("L52", "quality changed", "L51 L39", func(d *domain) {
		d.previous = true
		d.reqs.NFRs[0].Statement += " " + d.subject() + " MUST keep a log of it."
	}),
	changed("L53", "no pros", "", func(d *domain) { d.arch.ADRs[0].Options[1].Pros = "" }),
	changed("L57", "a stack item of two words", "", func(d *domain) { d.arch.Stack[0].Technology, d.arch.Stack[0].Version = "Common Lisp", "" }),
	changed("L58", "three in a circle", "L62", func(d *domain) {
		e := d.epics.Epics
		for i := range 3 {
			e[i].Dependencies = []Dependency{{e[(i+1)%3].ID, "blocking", "a"}}
		}
	}),
	changed("L59", "no want", "", func(d *domain) { d.epics.Epics[0].Stories[0].Story.Want = "" }),
	mutation{"L60", "two other wants", "", func(d *domain) bool {
		d.epics.Epics[0].Stories[0].Story.Want = "book a seat and cancel the old one"
		return d.english()
	}},
	changed("L61", "nine criteria", "", func(d *domain) {
		st := &d.epics.Epics[0].Stories[0]
		for i := range 9 {
			st.Criteria = append(st.Criteria, Criterion{Text: "The page shows " + strings.Repeat("1", i+1) + " entries."})
		}
	}),
	changed("L63", "nobody named", "L08", func(d *domain) {
		d.brief.Situation, d.brief.Impact = "The thing is not what it could be and it has been so for a long time now.", "It could be more than that."
	}),
	spoken("L65", "presumably", "Presumably the moon stays where it is.", "L11"),
	changed("L66", "no impact", "", func(d *domain) {
		d.arch.Risks = []RiskRow{d.arch.Risks[0]}
		d.arch.Risks[0].Impact = ""
	}),
	mutation{"L67", "files of strangers", "L49 L56 L46 L43", func(d *domain) bool {
		d.newReq("Attach", d.subject()+" SHOULD show the dates of birth of all visitors.", "Given a visitor, when the page is opened, then it shows a date of birth.")
		return true
	}},
	changed("L68", "purges for good", "L49 L56 L46", func(d *domain) {
		d.newReq("Purge", d.subject()+" SHOULD purge the walrus pictures of a visitor.", "Given walrus pictures, when the visitor asks for it, then the page shows 0 pictures.")
	}),
	changed("L69", "a folder that is not there", "", func(d *domain) {
		d.options.Paths = map[string]bool{"src/server/main.go": true}
		d.arch.ADRs[0].Decision += " It changes `src/client/start.ts`."
	}),
	changed("L70", "a study without source", "", func(d *domain) {
		d.brief.Impact += " Studies say that 62 % of companies see the same."
	}),
}
