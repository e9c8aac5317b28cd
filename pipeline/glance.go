package pipeline

// Glance is what texts show of a finished task: enough to say where to look,
// without the findings, which live in the folder.
type Glance struct {
	// Result is one line: "9 requirements, 3 NFRs".
	Result string `json:"result,omitempty"`
	// Blockers, Majors and Minors are the findings its round left open.
	Blockers int `json:"blockers,omitempty"`
	Majors   int `json:"majors,omitempty"`
	Minors   int `json:"minors,omitempty"`
	// Worst is the gravest of them: "F-07", with its claim and file.
	Worst     string `json:"worst,omitempty"`
	WorstText string `json:"worst_text,omitempty"`
	WorstFile string `json:"worst_file,omitempty"`
	// Low is the perspective that rated lowest, Spread the distance to the highest.
	Low       Perspective `json:"low,omitempty"`
	LowRating int         `json:"low_rating,omitempty"`
	LowText   string      `json:"low_text,omitempty"`
	Spread    int         `json:"spread,omitempty"`
	// Models and Rules count the answers of its round by who gave them.
	Models  int `json:"models,omitempty"`
	Rules   int `json:"rules,omitempty"`
	Quotes  int `json:"quotes,omitempty"`
	Dropped int `json:"dropped,omitempty"`
	// Injection counts instruction-like or hidden pieces that were seen and ignored.
	Injection int      `json:"injection,omitempty"`
	Focus     []string `json:"focus,omitempty"` // the role's own pointers
}

const (
	glanceText  = 120
	glanceFocus = 2
)

// GlanceOf condenses what a job returned.
func GlanceOf(o Outcome) *Glance {
	g := &Glance{}
	if len(o.Covered) > 0 {
		g.Result = shorten(fold(o.Covered[0]), 60)
	}
	for _, line := range o.Focus[:min(len(o.Focus), glanceFocus)] {
		g.Focus = append(g.Focus, shorten(fold(line), glanceText))
	}
	if o.Verdict != nil {
		g.findings(o.Verdict.Findings)
		g.opinions(o.Verdict.Opinions)
		g.Quotes, g.Dropped = o.Verdict.QuotesChecked, o.Verdict.Dropped
		for _, in := range o.Verdict.Injection {
			g.Injection += in.Count
		}
	}
	return g
}

func (g *Glance) findings(all []Finding) {
	weight := 0
	for _, f := range all {
		if !f.counts() {
			continue
		}
		switch f.Grade {
		case Blocker:
			g.Blockers++
		case Major:
			g.Majors++
		case Minor:
			g.Minors++
		}
		if w := gradeWeight[f.Grade]; w > weight && w >= gradeWeight[Major] {
			weight = w
			g.Worst, g.WorstText, g.WorstFile = f.ID, shorten(fold(f.Claim), glanceText), f.File
		}
	}
}

func (g *Glance) opinions(all []Opinion) {
	high := 0
	for _, o := range all {
		if byRules(o) {
			g.Rules++
		} else {
			g.Models++
		}
		if o.Rating == nil {
			continue
		}
		high = max(high, *o.Rating)
		if g.LowRating == 0 || *o.Rating < g.LowRating {
			g.Low, g.LowRating = o.Perspective, *o.Rating
			g.LowText = shorten(fold(o.KeyFinding), glanceText)
		}
	}
	if g.LowRating > 0 {
		g.Spread = high - g.LowRating
	}
}

var gradeWeight = map[Grade]int{Blocker: 4, Major: 3, Minor: 2, Info: 1}

// counts tells whether a finding still stands.
func (f Finding) counts() bool {
	return f.State == "" || f.State == FindingOpen || f.State == FindingReopened
}
