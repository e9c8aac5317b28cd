package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/pipeline"
	"parley/pipeline/spec"
)

// settingsFile is .github/parley.yml. Pointers tell "not said" from "said no".
// The README's table is made from these tags.
type settingsFile struct {
	Enabled      *bool     `yaml:"enabled" doc:"false: Parley does nothing in this repository"`
	Label        *string   `yaml:"label" doc:"the label that starts a session"`
	BranchPrefix *string   `yaml:"branch_prefix" doc:"what session branches begin with"`
	DefaultMode  *string   `yaml:"default_mode" doc:"mode of a session that names none"`
	Track        *string   `yaml:"track" doc:"standard, or tiny for one spec file"`
	Title        *string   `yaml:"title" doc:"pull request title; {title} is the issue's"`
	Trailers     []string  `yaml:"trailers" doc:"lines added to every commit message"`
	DeleteBranch *bool     `yaml:"delete_branch" doc:"delete the branch when the pull request is closed"`
	Keep         *string   `yaml:"keep" doc:"all, or documents: the closing commit drops machine files"`
	Review       *string   `yaml:"review" doc:"each round is posted as a review, or only blocked ones"`
	Notify       *string   `yaml:"notify" doc:"who is named when a person is waited for: starter, assignees, none"`
	BareCommands *bool     `yaml:"bare_commands" doc:"false: only /lifecycle <command> is heard"`
	OtherPulls   *string   `yaml:"other_pulls" doc:"the check on pull requests that are not Parley's: silent or success"`
	Consensus    *string   `yaml:"consensus" doc:"severity of a block: graded, or literal after the upstream table"`
	DryRun       *bool     `yaml:"dry_run" doc:"log what would be written and write nothing"`
	QuestionHrs  *int      `yaml:"question_hours" doc:"hours until open questions are taken at their defaults"`
	Gate         gateFile  `yaml:"gate"`
	Lint         lintFile  `yaml:"lint"`
	Floor        *gateFile `yaml:"floor" doc:"organisation only: repositories may tighten this, not loosen it"`
}

type gateFile struct {
	RequireModel *bool      `yaml:"require_model" doc:"a PASS that rules alone gave needs a person"`
	Accept       acceptFile `yaml:"accept"`
}

type acceptFile struct {
	Review      *string `yaml:"review" doc:"who may accept a REVIEW gate"`
	Fail        *string `yaml:"fail" doc:"who may accept a FAIL gate"`
	IssueAuthor *bool   `yaml:"issue_author" doc:"the issue's author may accept, whatever the permission"`
}

type lintFile struct {
	Disable map[string]string `yaml:"disable" doc:"rules that do not apply here, each with its reason"`
}

// problem is one mistake in a settings file.
type problem struct {
	Line int
	Text string
}

func (p problem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

const repoFile = ".github/parley.yml"

// ParseSettings lays the repository's file over the organisation's over the
// defaults. A file with a mistake is reported and left out whole: half of a
// configuration is not what anybody asked for.
func ParseSettings(org, repo []byte) (pipeline.Settings, []string) {
	out := pipeline.DefaultSettings()
	var said []string
	floor := gateFile{}
	for _, src := range []struct {
		name string
		text []byte
	}{{"the organisation's parley.yml", org}, {repoFile, repo}} {
		file, problems := readSettings(src.text)
		if len(problems) == 0 && src.name == repoFile && file.Floor != nil {
			problems = located(src.text, []problem{{Text: "floor: only the organisation's file may set it"}})
		}
		if len(problems) == 0 {
			trial := out // a file with a mistake changes nothing
			trial.DisabledRules, trial.Trailers = maps.Clone(out.DisabledRules), slices.Clone(out.Trailers)
			if problems = located(src.text, file.apply(&trial)); len(problems) == 0 {
				out = trial
			}
		}
		for _, p := range problems {
			said = append(said, src.name+": "+p.String())
		}
		if src.name != repoFile && file.Floor != nil && len(problems) == 0 {
			floor = *file.Floor
		}
	}
	return out, append(said, hold(&out, floor)...)
}

// CheckSettings lists a repository file's mistakes with their lines, for
// annotations on a pull request that edits it.
func CheckSettings(text []byte) []problem {
	file, problems := readSettings(text)
	if len(problems) > 0 {
		return problems
	}
	scratch := pipeline.DefaultSettings()
	return located(text, file.apply(&scratch))
}

// located finds the line of each problem by the key it begins with.
func located(text []byte, problems []problem) []problem {
	var root yaml.Node
	if len(problems) == 0 || yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
		return problems
	}
	for i, p := range problems {
		key, _, _ := strings.Cut(p.Text, ":")
		if p.Line == 0 {
			problems[i].Line = lineOf(root.Content[0], strings.Split(key, "."))
		}
	}
	return problems
}

func lineOf(n *yaml.Node, path []string) int {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != path[0] {
			continue
		}
		if len(path) > 1 {
			if line := lineOf(n.Content[i+1], path[1:]); line > 0 {
				return line
			}
		}
		return n.Content[i].Line
	}
	return 0
}

// annotate is CheckSettings for a check on the head that edits the file.
func annotate(text []byte) []pipeline.Annotation {
	var out []pipeline.Annotation
	for _, p := range CheckSettings(text) {
		out = append(out, pipeline.Annotation{Line: p.Line, Level: "failure", Message: p.Text})
	}
	return out
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

func readSettings(text []byte) (settingsFile, []problem) {
	var file settingsFile
	if len(bytes.TrimSpace(text)) == 0 {
		return file, nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	err := dec.Decode(&file)
	if err == nil || errors.Is(err, io.EOF) {
		return file, nil
	}
	lines := []string{err.Error()}
	var many *yaml.TypeError
	if errors.As(err, &many) {
		lines = lines[:0]
		for _, e := range many.Errors {
			lines = append(lines, fmt.Sprint(e))
		}
	}
	var out []problem
	for _, l := range lines {
		p := problem{Text: strings.TrimSpace(l)}
		if m := yamlLine.FindStringSubmatch(l); m != nil {
			fmt.Sscan(m[1], &p.Line)
			p.Text = strings.NewReplacer(" in type app.settingsFile", "", " in type app.gateFile", "", " in type app.acceptFile", "", " in type app.lintFile", "").Replace(m[2])
		}
		out = append(out, p)
	}
	return settingsFile{}, out
}

// setting is one validated word of the file.
type setting struct {
	key     string
	said    *string
	allowed []string
	set     func(string)
}

func (f settingsFile) apply(s *pipeline.Settings) []problem {
	words := []setting{
		{"default_mode", f.DefaultMode, modeNames(), func(v string) { s.DefaultMode = pipeline.Mode(v) }},
		{"track", f.Track, []string{"standard", "tiny"}, func(v string) { s.Track = pipeline.Track(v) }},
		{"keep", f.Keep, []string{"all", "documents"}, func(v string) { s.Keep = v }},
		{"review", f.Review, []string{"each", "blocked"}, func(v string) { s.Review = v }},
		{"notify", f.Notify, []string{"starter", "assignees", "none"}, func(v string) { s.Notify = v }},
		{"other_pulls", f.OtherPulls, []string{"silent", "success"}, func(v string) { s.OtherPulls = v }},
		{"consensus", f.Consensus, []string{"graded", "literal"}, func(v string) { s.LiteralSeverity = v == "literal" }},
		{"gate.accept.review", f.Gate.Accept.Review, acceptNames, func(v string) { s.Gate.AcceptReview = permission(v) }},
		{"gate.accept.fail", f.Gate.Accept.Fail, acceptNames, func(v string) { s.Gate.AcceptFail = permission(v) }},
	}
	if f.Floor != nil {
		words = append(words, setting{"floor.accept.review", f.Floor.Accept.Review, acceptNames, func(string) {}},
			setting{"floor.accept.fail", f.Floor.Accept.Fail, acceptNames, func(string) {}})
	}
	var problems []problem
	for _, w := range words {
		if w.said == nil {
			continue
		}
		if !slices.Contains(w.allowed, *w.said) {
			problems = append(problems, problem{Text: fmt.Sprintf("%s: %q is none of %s", w.key, *w.said, strings.Join(w.allowed, ", "))})
			continue
		}
		w.set(*w.said)
	}
	problems = append(problems, f.applyText(s)...)
	f.applySwitches(s)
	return problems
}

var safePrefix = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)*/$`)

func (f settingsFile) applyText(s *pipeline.Settings) []problem {
	var problems []problem
	if f.Label != nil {
		s.Label = strings.TrimSpace(*f.Label)
		if s.Label == "" || len(s.Label) > 50 {
			problems = append(problems, problem{Text: "label: give a name of 1 to 50 characters"})
		}
	}
	if f.BranchPrefix != nil {
		s.BranchPrefix = *f.BranchPrefix
		if !safePrefix.MatchString(s.BranchPrefix) || strings.Contains(s.BranchPrefix, "..") {
			problems = append(problems, problem{Text: fmt.Sprintf("branch_prefix: %q is no folder-like prefix; write one such as lifecycle/", s.BranchPrefix)})
		}
	}
	if f.Title != nil {
		s.Title = *f.Title
	}
	for _, t := range f.Trailers {
		if strings.ContainsAny(t, "\r\n") || !strings.Contains(t, ": ") {
			problems = append(problems, problem{Text: fmt.Sprintf("trailers: %q is not of the form Name: value", t)})
			continue
		}
		s.Trailers = append(s.Trailers, t)
	}
	rules := make([]string, 0, len(f.Lint.Disable))
	for rule := range f.Lint.Disable {
		rules = append(rules, rule)
	}
	sort.Strings(rules)
	for _, rule := range rules {
		if _, ok := spec.RuleByID(rule); !ok {
			problems = append(problems, problem{Text: fmt.Sprintf("lint.disable.%s: there is no such rule", rule)})
			continue
		}
		if strings.TrimSpace(f.Lint.Disable[rule]) == "" {
			problems = append(problems, problem{Text: fmt.Sprintf("lint.disable.%s: say why", rule)})
			continue
		}
		if s.DisabledRules == nil {
			s.DisabledRules = map[string]string{}
		}
		s.DisabledRules[rule] = f.Lint.Disable[rule]
	}
	if f.QuestionHrs != nil {
		s.QuestionHours = *f.QuestionHrs
		if s.QuestionHours < 1 || s.QuestionHours > 720 {
			problems = append(problems, problem{Text: "question_hours: give 1 to 720"})
		}
	}
	return problems
}

func (f settingsFile) applySwitches(s *pipeline.Settings) {
	for _, sw := range []struct {
		said *bool
		set  *bool
	}{
		{f.Enabled, &s.Enabled}, {f.DeleteBranch, &s.DeleteBranch}, {f.BareCommands, &s.BareCommands}, {f.DryRun, &s.DryRun},
		{f.Gate.RequireModel, &s.Gate.RequireModel}, {f.Gate.Accept.IssueAuthor, &s.Gate.AcceptIssueAuthor},
	} {
		if sw.said != nil {
			*sw.set = *sw.said
		}
	}
}

// hold lifts what lies under the organisation's floor, and says so.
func hold(s *pipeline.Settings, floor gateFile) []string {
	var said []string
	lift := func(key string, at *pipeline.Permission, least *string) {
		if least != nil && *at < permission(*least) {
			said = append(said, fmt.Sprintf(".github/parley.yml: %s: the organisation asks for %s at least; that holds", key, *least))
			*at = permission(*least)
		}
	}
	lift("gate.accept.review", &s.Gate.AcceptReview, floor.Accept.Review)
	lift("gate.accept.fail", &s.Gate.AcceptFail, floor.Accept.Fail)
	if floor.RequireModel != nil && *floor.RequireModel && !s.Gate.RequireModel {
		said = append(said, ".github/parley.yml: gate.require_model: the organisation asks for it; that holds")
		s.Gate.RequireModel = true
	}
	if no := floor.Accept.IssueAuthor; no != nil && !*no && s.Gate.AcceptIssueAuthor {
		said = append(said, ".github/parley.yml: gate.accept.issue_author: the organisation does not allow it; that holds")
		s.Gate.AcceptIssueAuthor = false
	}
	return said
}

// acceptNames leaves out what would let anybody accept.
var acceptNames = pipeline.PermissionNames[pipeline.PermTriage:]

func permission(name string) pipeline.Permission {
	return pipeline.Permission(slices.Index(pipeline.PermissionNames, name))
}

func modeNames() []string {
	var out []string
	for _, m := range pipeline.Modes {
		out = append(out, string(m))
	}
	return out
}
