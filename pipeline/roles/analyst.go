package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// research is RESEARCH-001: what is asked, for whom, within which limits.
func research(ctx context.Context, j *job) error {
	issue := j.issue()
	r := Read(issue, j.Source)
	if j.Task.Revision != nil {
		r.hear(j.Task.Revision.Text)
	}
	x := newExplorer(j.Assignment)
	d := Discovery{Version: 1, Language: r.Language, Title: firstOf(r.Title, oneLine(issue.Title)), Author: issue.Author, Missing: r.Missing}
	d.SessionID, d.Phase, d.DocumentType, d.Status, d.GeneratedAt = j.Session.ID, 1, "discovery-context", "complete", j.stamp()
	for _, s := range r.Said {
		if s.Asks() {
			d.Asks = append(d.Asks, s)
		} else if s.Sort != SortMeta {
			d.Said = append(d.Said, s)
		}
	}
	if earlier, err := readDiscovery(j.Folder); err == nil {
		d.forget(earlier)
	}
	d.SeedAnalysis = seedOf(r)
	d.Codebase = codebase(x, d)
	d.Questions = questionsFor(r, d.Codebase != nil)
	d.Assumptions = taken(j.Session.Questions, r.Language)
	d.Recommendations = spec.Recommendations{FocusAreas: d.SeedAnalysis.ExplorationDimensions, Risks: quotes(r.Of(SortRisk)), OpenQuestions: quotes(r.Of(SortQuestion))}
	for _, m := range d.Missing {
		d.Recommendations.OpenQuestions = append(d.Recommendations.OpenQuestions, "The issue names `"+m+"`, which is not in the repository.")
	}
	if err := j.model(ctx, r, &d); err != nil {
		return err
	}
	j.discovered(d, x)
	return nil
}

// issue is the text to work from: as given, or as the session keeps it.
func (j *job) issue() pipeline.IssueText {
	issue := j.Issue
	if issue.Body == "" && issue.Title == "" {
		issue.Title, issue.Body, issue.Author = j.Session.Issue.Title, j.Session.RawInput, j.Session.Issue.Author
	}
	if issue.Title == "" {
		issue.Title = j.Session.Issue.Title
	}
	return issue
}

// discovered writes the analyst's files and tells what was found.
func (j *job) discovered(d Discovery, x *explorer) {
	c := spec.Config{SessionID: j.Session.ID, Topic: d.Title, SeedInput: clip(oneLine(firstOf(j.Issue.Body, j.Session.RawInput, d.Title)), 400),
		InputType: "text", Timestamp: j.stamp(), Status: "research_complete", Mode: "auto", Complexity: d.SeedAnalysis.Complexity,
		Depth: depths[j.Session.Depth], FocusAreas: d.Recommendations.FocusAreas, Language: d.Language, Track: string(j.Session.Track),
		SeedAnalysis: d.SeedAnalysis, HasCodebase: d.Codebase != nil,
		PhasesCompleted: []spec.PhaseDone{{Phase: 1, Name: "discovery", OutputFile: "discovery-context.json", CompletedAt: j.stamp()}}}
	if c.Depth == "" {
		c.Depth = "standard"
	}
	for _, list := range []*[]string{&c.FocusAreas, &d.SeedAnalysis.TargetUsers, &d.SeedAnalysis.Constraints, &d.Recommendations.FocusAreas,
		&d.Recommendations.Risks, &d.Recommendations.OpenQuestions, &d.Assumptions} {
		if *list == nil {
			*list = []string{}
		}
	}
	j.draft.Text[spec.ConfigPath] = toJSON(c)
	j.draft.Text[spec.DiscoveryPath] = toJSON(d)
	for p, text := range x.text {
		j.draft.Text[p] = text
	}
	if di, ok := designIntelligence(d); ok {
		j.draft.Text["analysis/design-intelligence.json"] = toJSON(di)
		j.draft.Memory = append(j.draft.Memory, pipeline.Memory{Key: "design_intelligence", Value: string(toJSON(di))})
	}
	if x.hits+x.made > 0 {
		j.draft.Memory = append(j.draft.Memory, pipeline.Memory{Key: "exploration_cache", Value: fmt.Sprintf(`{"hits":%d,"misses":%d,"entries":%d}`, x.hits, x.made, len(x.index.Entries))})
	}
	j.draft.Language = d.Language
	for _, q := range d.Questions {
		j.draft.Questions = append(j.draft.Questions, pipeline.Question{ID: q.ID, Text: q.Text, Default: q.Default, Why: q.Why})
	}
	j.learn(d)
	j.draft.Summary = fmt.Sprintf("%s, %s, complexity %s", spec.Count(len(d.Asks), "ask"), spec.Count(len(d.Questions), "question"), d.SeedAnalysis.Complexity)
	j.draft.Covered = []string{spec.Count(len(d.Asks), "ask") + ", " + spec.Count(len(d.Questions), "question")}
	if !spoken(d.Language) {
		j.draft.Warnings = append(j.draft.Warnings, fmt.Sprintf("The issue is written in %s: modal words are known for English, German and Chinese only, so headings, bullets and checklists were taken for asks.", languageName(d.Language)))
	}
}

var depths = map[string]string{"shallow": "light", "normal": "standard", "deep": "comprehensive"}

// readable are sentences as a reader understands them alone: a table's row with
// its columns.
func readable(said []Said) []string {
	out := []string{}
	for _, s := range said {
		out = append(out, firstOf(s.Row, s.Quote))
	}
	return out
}

func quotes(said []Said) []string {
	out := []string{}
	for _, s := range said {
		out = append(out, s.Quote)
	}
	return out
}

// codebase explores the repository; nil where it holds no code.
func codebase(x *explorer, d Discovery) *Codebase {
	stack := detectStack(x.repo, x.list())
	if stack == nil {
		return nil
	}
	var query []string
	query = append(query, d.Title)
	for _, a := range d.Asks {
		query = append(query, a.Quote)
	}
	e, _ := x.explore("general", clip(strings.Join(query, " "), 2000))
	c := &Codebase{Stack: *stack, Patterns: []string{}, Conventions: []string{}, Integration: []string{}, Constraints: []string{}, Files: []spec.RelevantFile{},
		Commit: x.commit, FilesScanned: e.Metadata.Scanned}
	for _, p := range e.Patterns {
		c.Conventions = append(c.Conventions, p.Name+": "+p.Description)
	}
	for _, f := range e.Files {
		level := "low"
		if f.Relevance >= 0.6 {
			level = "high"
		} else if f.Relevance >= 0.35 {
			level = "medium"
		}
		c.Files = append(c.Files, spec.RelevantFile{Path: f.Path, Relevance: level, Rationale: f.Rationale, Role: f.Role, DiscoverySource: f.Source, KeySymbols: f.Symbols})
		if f.Role == "integration_point" {
			c.Integration = append(c.Integration, f.Path)
		}
	}
	for _, lang := range stack.Languages {
		if v := stack.Versions[lang]; v != "" {
			c.Constraints = append(c.Constraints, lang+" "+v)
		}
	}
	return c
}

// DesignIntelligence is analysis/design-intelligence.json: what the issue says
// about the looks; what it does not say stays empty.
type DesignIntelligence struct {
	Industry   string   `json:"industry"`
	Style      string   `json:"style_direction"`
	UX         []string `json:"ux_patterns"`
	Color      string   `json:"color_strategy"`
	Typography string   `json:"typography"`
	Components []string `json:"component_patterns"`
}

var designWords = map[string][]string{
	"ux":         {"dialog", "modal", "form", "wizard", "drag", "search", "filter", "pagination", "infinite scroll", "keyboard", "tooltip", "toast", "undo", "tab", "表单", "弹窗", "搜索", "分页"},
	"components": {"button", "table", "list", "card", "sidebar", "navbar", "menu", "badge", "chart", "page", "panel", "icon", "dropdown", "toggle", "switch", "按钮", "表格", "列表", "图表", "页面"},
	"color":      {"dark mode", "dark theme", "contrast", "colour", "color", "palette", "深色", "颜色", "对比度"},
	"type":       {"font", "typeface", "typography", "text size", "字体", "字号"},
	"style":      {"minimal", "compact", "responsive", "mobile", "theme", "design system", "简洁", "响应式"},
	"frontend":   {"ui", "page", "screen", "frontend", "css", "button", "dialog", "layout", "react", "vue", "svelte", "dark mode", "dashboard", "accessibility", "页面", "界面", "前端", "按钮"},
}

// designIntelligence is made where the issue is about a user interface.
func designIntelligence(d Discovery) (DesignIntelligence, bool) {
	var all []string
	for _, s := range append(slices.Clone(d.Asks), d.Said...) {
		if s.Sort != SortNonGoal {
			all = append(all, s.Quote)
		}
	}
	all = append(all, d.Title)
	if len(mentions(all, designWords["frontend"])) == 0 {
		return DesignIntelligence{}, false
	}
	return DesignIntelligence{
		Industry: d.SeedAnalysis.Domain, Style: strings.Join(mentions(all, designWords["style"]), ", "), UX: mentions(all, designWords["ux"]),
		Color: firstWith(all, designWords["color"]), Typography: firstWith(all, designWords["type"]), Components: mentions(all, designWords["components"]),
	}, true
}

// mentions are the words that occur, as words.
func mentions(texts, words []string) []string {
	out := []string{}
	all := " " + strings.ToLower(strings.Join(texts, " . ")) + " "
	for _, w := range words {
		if i := strings.Index(all, w); i >= 0 && (w[0] > 127 || wholeWord(all, w)) {
			out = append(out, w)
		}
	}
	return out
}

func wholeWord(text, w string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], w)
		if i < 0 {
			return false
		}
		before, after := text[from+i-1], text[from+i+len(w)]
		rest := strings.TrimPrefix(text[from+i+len(w):], "s")
		if !letter(before) && (!letter(after) || after == 's' && !letter(rest[0])) {
			return true
		}
		from += i + len(w)
	}
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b > 127 }

func firstWith(texts, words []string) string {
	for _, t := range texts {
		if len(mentions([]string{t}, words)) > 0 {
			return t
		}
	}
	return ""
}
