package spec

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// domain is one clean specification of the corpus, as typed documents, with
// what a mutation may change.
type domain struct {
	name     string
	brief    Brief
	reqs     Requirements
	arch     Architecture
	epics    Epics
	options  Options
	edits    []func([]File) []File // on the rendered files
	held     bool                  // kept out of the rules' development
	previous bool                  // judge against the clean version's fingerprints
}

// heldOut are the domains no rule was written against.
var heldOut = []string{"booking", "chat", "compiler", "logistics"}

// cleanDomains reads the twelve specifications, and gives their sources too.
func cleanDomains(t testing.TB) (out []*domain, texts []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/corpus/clean/*.txt")
	if err != nil || len(paths) < 12 {
		t.Fatalf("the corpus has %d domains, want 12: %v", len(paths), err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		out = append(out, readDomain(t, strings.TrimSuffix(filepath.Base(p), ".txt"), string(text)))
	}
	return out, texts
}

// readDomain reads lines "kind: cell | cell"; entries inside a cell are
// separated by semicolons.
func readDomain(t testing.TB, name, text string) *domain {
	d := &domain{name: name, held: slices.Contains(heldOut, name)}
	h := Head{SessionID: "TLS-" + name + "-2026-11-21", Status: "complete", GeneratedAt: "2026-11-21T09:00:00Z", Steps: []string{"generation"}, Version: 1}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		kind, rest, _ := strings.Cut(l, ": ")
		cells := strings.Split(rest, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		read, ok := domainLines[kind]
		if !ok {
			t.Fatalf("%s: what is %q?", name, kind)
		}
		read(d, &h, cells)
	}
	d.brief.Head, d.reqs.Head, d.arch.Head, d.epics.Head = h, h, h, h
	d.reqs.Title, d.arch.Title, d.epics.Title = d.brief.Title, d.brief.Title, d.brief.Title
	return d
}

func entriesOf(s string) []string {
	var out []string
	for _, e := range strings.Split(s, ";") {
		if e = strings.TrimSpace(e); e != "" {
			out = append(out, e)
		}
	}
	return out
}

func optionOf(s string) Option {
	e := append(entriesOf(s), "", "")
	return Option{e[0], e[1], e[2]}
}

var domainLines = map[string]func(d *domain, h *Head, c []string){
	"language":  func(_ *domain, h *Head, c []string) { h.Language = c[0] },
	"title":     func(d *domain, _ *Head, c []string) { d.brief.Title = c[0] },
	"summary":   func(d *domain, _ *Head, c []string) { d.brief.Summary = c[0] },
	"vision":    func(d *domain, _ *Head, c []string) { d.brief.Vision = c[0] },
	"situation": func(d *domain, _ *Head, c []string) { d.brief.Situation = c[0] },
	"impact":    func(d *domain, _ *Head, c []string) { d.brief.Impact = c[0] },
	"user": func(d *domain, _ *Head, c []string) {
		d.brief.Users = append(d.brief.Users, Persona{c[0], c[1], c[2:3], c[3:4], c[4:5]})
	},
	"goal": func(d *domain, _ *Head, c []string) {
		d.brief.Goals = append(d.brief.Goals, Goal{c[0], c[1], c[2], c[3]})
		d.reqs.Goals = append(d.reqs.Goals, Goal{ID: c[0], Text: c[1]})
	},
	"in":     func(d *domain, _ *Head, c []string) { d.brief.InScope = append(d.brief.InScope, c[0]) },
	"out":    func(d *domain, _ *Head, c []string) { d.brief.OutOfScope = append(d.brief.OutOfScope, c[0]) },
	"assume": func(d *domain, _ *Head, c []string) { d.brief.Assumptions = append(d.brief.Assumptions, c[0]) },
	"req": func(d *domain, _ *Head, c []string) {
		d.reqs.Reqs = append(d.reqs.Reqs, Requirement{ID: c[0], Title: c[1], Priority: c[2], TracesTo: IDs(c[3]), Description: c[4],
			Story: Story3{c[5], c[6], c[7]}, Criteria: []Criterion{{ID: strings.Replace(c[0], "REQ", "AC", 1) + "-01", Text: c[8]}}})
	},
	"nfr": func(d *domain, _ *Head, c []string) {
		d.reqs.NFRs = append(d.reqs.NFRs, NFR{ID: c[0], Title: c[1], Category: c[2], Priority: c[3], TracesTo: IDs(c[4]), Statement: c[5], Metric: c[6], Target: c[7], Method: c[8]})
	},
	"na":        func(d *domain, _ *Head, c []string) { d.reqs.NotApplicable = append(d.reqs.NotApplicable, c[0]) },
	"rationale": func(d *domain, _ *Head, c []string) { d.reqs.Rationale = c[0] },
	"style":     func(d *domain, _ *Head, c []string) { d.arch.Style = c[0] },
	"component": func(d *domain, _ *Head, c []string) {
		d.arch.Components = append(d.arch.Components, Component{c[0], c[1], c[2], entriesOf(c[3]), IDs(c[4])})
	},
	"stack": func(d *domain, _ *Head, c []string) {
		d.arch.Stack = append(d.arch.Stack, StackRow{c[0], c[1], c[2], c[3]})
	},
	"adr": func(d *domain, _ *Head, c []string) {
		d.arch.ADRs = append(d.arch.ADRs, ADR{ID: c[0], Title: c[1], Status: "Accepted", Date: "2026-11-21", TracesTo: IDs(c[2]), Context: c[3], Decision: c[4],
			Options: []Option{optionOf(c[5]), optionOf(c[6])}, Positive: c[7:8], Negative: c[8:9], Risks: c[9:10]})
	},
	"entity": func(d *domain, _ *Head, c []string) {
		d.reqs.Entities = append(d.reqs.Entities, Entity{c[0], c[1], c[2]})
		d.arch.Entities = d.reqs.Entities
	},
	"storage": func(d *domain, _ *Head, c []string) {
		d.arch.Storage = append(d.arch.Storage, StorageRow{c[0], c[1], c[2], c[3]})
	},
	"endpoint": func(d *domain, _ *Head, c []string) {
		d.arch.Endpoints = append(d.arch.Endpoints, Endpoint{c[0], c[1], c[2], c[3]})
	},
	"risk": func(d *domain, _ *Head, c []string) {
		d.arch.Risks = append(d.arch.Risks, RiskRow{Risk: c[0], Likelihood: c[1], Impact: c[2], Mitigation: c[3], Owner: c[4]})
		d.epics.Risks = d.arch.Risks
	},
	"epic": func(d *domain, _ *Head, c []string) {
		ep := Epic{ID: c[0], Title: c[1], Priority: c[2], Size: c[3], MVP: c[4] == "yes", Description: c[5], Requirements: IDs(c[6]), Architecture: IDs(c[7])}
		if dep := entriesOf(c[8]); len(dep) == 3 {
			ep.Dependencies = []Dependency{{dep[0], dep[1], dep[2]}}
		}
		d.epics.Epics = append(d.epics.Epics, ep)
	},
	"story": func(d *domain, _ *Head, c []string) {
		st := Story{ID: c[0], Title: c[1], Story: Story3{c[2], c[3], c[4]}, Criteria: []Criterion{{Text: c[5]}}, Size: c[6], TracesTo: IDs(c[7])}
		for i := range d.epics.Epics {
			if strings.HasPrefix(st.ID, "STORY-"+strings.TrimPrefix(d.epics.Epics[i].ID, "EPIC-")) {
				d.epics.Epics[i].Stories = append(d.epics.Epics[i].Stories, st)
			}
		}
	},
}

// files renders the documents, linked against what is known, and carries out
// the edits.
func (d *domain) files(known *Set) []File {
	out := d.brief.Render(known)
	out = append(out, d.reqs.Render(known)...)
	out = append(out, d.arch.Render(known)...)
	out = append(out, d.epics.Render(known)...)
	for _, edit := range d.edits {
		out = edit(out)
	}
	return out
}

// edit changes the text of the files a name part picks.
func (d *domain) edit(part string, change func(string) string) {
	d.edits = append(d.edits, func(files []File) []File {
		for i, f := range files {
			if strings.Contains(f.Path, part) {
				files[i].Text = []byte(change(string(f.Text)))
			}
		}
		return files
	})
}

var subjectForm = regexp.MustCompile(`(?i)(?:^|, )(the [a-z -]+?) (?:MUST|SHOULD|MAY)\b`)

// subject is who acts in an English domain: "The billing service".
func (d *domain) subject() string {
	for _, r := range d.reqs.Reqs {
		if m := subjectForm.FindStringSubmatch(r.Description); m != nil {
			return "The " + m[1][4:]
		}
	}
	return "The system"
}

// say adds a sentence to a requirement that has no number of its own; the
// subject takes the place of a dollar sign.
func (d *domain) say(sentence string) {
	at := max(0, slices.IndexFunc(d.reqs.Reqs, func(r Requirement) bool { return !measured.MatchString(r.Description) }))
	d.reqs.Reqs[at].Description += " " + strings.Replace(sentence, "$", d.subject(), 1)
}

func (d *domain) english() bool { return d.brief.Language == "" }

// Clean specifications stay clean.
func TestCorpusCleanSpecsHaveNoGraveFindings(t *testing.T) {
	domains, _ := cleanDomains(t)
	for _, d := range domains {
		known := Parse(d.files(nil))
		s := Parse(d.files(known))
		for _, f := range Check(s, d.options) {
			if f.Grade == Blocker || f.Grade == Major {
				t.Errorf("%s: %s %s %s:%d: %s", d.name, f.Rule, f.Grade, f.File, f.Line, f.Message)
			}
		}
		if gate := Judge(s, d.options).Gate; gate != Pass {
			t.Errorf("%s: gate %s", d.name, gate)
		}
	}
}
