package spec

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Report is everything a lint run has to say.
type Report struct {
	Files    int
	Items    int
	Findings []Finding
	Ratings  map[string]*int
	Risk     string
	Missing  []string
	Scores   Scores
	Gate     string
	Judged   bool // a specification, not just any Markdown
	Skipped  []string
}

// Judge checks, rates and scores a set.
func Judge(s *Set, o Options) Report {
	found := Check(s, o)
	r := Report{Files: len(s.Documents), Items: len(s.Items), Findings: found, Ratings: map[string]*int{}, Risk: RiskLevel(found), Missing: Missing(found)}
	for _, p := range Perspectives {
		r.Ratings[p] = nil
		if rating := Rate(s, found, p, o.Artifacts...); rating.Value > 0 {
			r.Ratings[p] = &rating.Value
		}
	}
	r.Judged = s.Session() || len(s.Of(KindReq)) > 0
	r.Scores = Score(s, found, o)
	r.Gate = r.Scores.Gate
	for _, d := range s.Documents {
		switch {
		case d.Binary:
			r.Skipped = append(r.Skipped, printed(d.Path)+": not text")
		case d.Cut:
			r.Skipped = append(r.Skipped, printed(d.Path)+": longer or deeper than is read; the rest was not judged")
		}
	}
	if s.Unread > 0 {
		r.Skipped = append(r.Skipped, fmt.Sprintf("%d more files were not read", s.Unread))
	}
	return r
}

// Formats of a report.
var Formats = map[string]func(Report, io.Writer) error{
	"text": Report.text, "json": Report.json, "sarif": Report.sarif, "github": Report.github,
}

// Worst tells whether a finding is of the grade or graver.
func (r Report) Worst(grade string) bool {
	for _, f := range r.Findings {
		if f.Grade != Info && gradeRank[f.Grade] <= gradeRank[grade] {
			return true
		}
	}
	return false
}

var gradeRank = map[string]int{Blocker: 0, Major: 1, Minor: 2, Info: 3}

type jsonFinding struct {
	Rule         string   `json:"rule"`
	Severity     string   `json:"severity"`
	File         string   `json:"file"`
	Line         int      `json:"line"`
	Item         string   `json:"item"`
	Message      string   `json:"message"`
	Remedy       string   `json:"remedy"`
	Perspectives []string `json:"perspectives"`
}

func (r Report) json(w io.Writer) error {
	findings := make([]jsonFinding, 0, len(r.Findings))
	for _, f := range r.Findings {
		message := f.Message
		if f.Reason != "" {
			message += " (allowed: " + f.Reason + ")"
		}
		findings = append(findings, jsonFinding{f.Rule, f.Grade, f.File, f.Line, f.Item, message, f.Remedy, f.Perspectives})
	}
	scores := map[string]*float64{}
	for _, d := range r.Scores.Dimensions {
		scores[d.Name] = d.Value
	}
	overall := r.Scores.Overall
	scores["overall"] = &overall
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Files    int                 `json:"files"`
		Items    int                 `json:"items"`
		Findings []jsonFinding       `json:"findings"`
		Ratings  map[string]*int     `json:"ratings"`
		Risk     string              `json:"risk_level"`
		Missing  []string            `json:"missing_requirements"`
		Scores   map[string]*float64 `json:"scores"`
		Gate     string              `json:"gate"`
	}{r.Files, r.Items, findings, r.Ratings, r.Risk, r.Missing, scores, r.Gate})
}

func (r Report) text(w io.Writer) error {
	var b strings.Builder
	last := ""
	for _, f := range r.Findings {
		if f.File != last {
			last = f.File
			fmt.Fprintf(&b, "%s\n", printed(f.File))
		}
		fmt.Fprintf(&b, "  %4d  %-7s  %s  %s\n", f.Line, f.Grade, f.Rule, printed(f.Message))
		if f.Reason != "" {
			fmt.Fprintf(&b, "                      allowed: %s\n", printed(f.Reason))
		} else if f.Remedy != "" && f.Grade != Info {
			fmt.Fprintf(&b, "                      %s\n", f.Remedy)
		}
	}
	if len(r.Findings) > 0 {
		b.WriteString("\n")
	}
	counts := map[string]int{}
	for _, f := range r.Findings {
		counts[f.Grade]++
	}
	fmt.Fprintf(&b, "%s, %s: %s, %s, %s, %d info\n", Count(r.Files, "file"), Count(r.Items, "item"),
		Count(counts[Blocker], "blocker"), Count(counts[Major], "major"), Count(counts[Minor], "minor"), counts[Info])
	if r.Judged {
		r.judgement(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) judgement(b *strings.Builder) {
	b.WriteString("ratings:")
	for _, p := range Perspectives {
		if v := r.Ratings[p]; v != nil {
			fmt.Fprintf(b, " %s %d", p, *v)
		} else {
			fmt.Fprintf(b, " %s not rated", p)
		}
	}
	fmt.Fprintf(b, " · risk %s\n", r.Risk)
	for _, d := range r.Scores.Dimensions {
		if d.Value == nil {
			fmt.Fprintf(b, "  %-12s  not assessable: %s\n", d.Name, printed(d.Note))
			continue
		}
		fmt.Fprintf(b, "  %-12s  %5.1f  × %2d  %s\n", d.Name, *d.Value, d.Weight, printed(d.Note))
	}
	fmt.Fprintf(b, "gate: %s (%.1f %%)\n", r.Gate, r.Scores.Overall)
	if r.Scores.Lift != "" {
		fmt.Fprintf(b, "shortest way up: %s\n", printed(r.Scores.Lift))
	}
}

// printed is a text without what could steer a terminal.
func printed(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, s)
}

// github prints workflow commands, which GitHub shows as annotations.
func (r Report) github(w io.Writer) error {
	levels := map[string]string{Blocker: "error", Major: "warning", Minor: "notice"}
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	var b strings.Builder
	for _, f := range r.Findings {
		if level, ok := levels[f.Grade]; ok {
			fmt.Fprintf(&b, "::%s file=%s,line=%d,endLine=%d,title=%s::%s\n", level, property.Replace(f.File), f.Line, f.End,
				property.Replace(f.Rule+" "+f.Grade), message.Replace(f.Message+". "+f.Remedy))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
