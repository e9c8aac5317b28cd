package githubsim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Suite gathers one app's runs on one commit.
type Suite struct {
	ID        int64
	NodeID    string
	HeadSHA   string
	Branch    string
	App       *App
	Runs      []*Check
	CreatedAt time.Time

	repo   *Repo
	before string
}

// Check is a check run.
type Check struct {
	ID          int64
	NodeID      string
	Name        string
	HeadSHA     string
	Status      string // queued, in_progress, completed
	Conclusion  string
	ExternalID  string
	DetailsURL  string
	Title       string
	Summary     string
	Text        string
	Annotations []Annotation
	Actions     []Action
	StartedAt   time.Time
	CompletedAt time.Time

	suite *Suite
}

// Annotation marks lines of a file.
type Annotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Level     string `json:"annotation_level"`
	Message   string `json:"message"`
	Title     string `json:"title"`
	Raw       string `json:"raw_details"`
}

// Action is a button of a completed run.
type Action struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

// checkSpec is what a request says of a run; nil fields say nothing.
type checkSpec struct {
	Name        string
	HeadSHA     string
	Status      *string
	Conclusion  *string
	ExternalID  *string
	DetailsURL  *string
	StartedAt   *time.Time
	CompletedAt *time.Time
	Output      *outputSpec
	Actions     *[]Action
}

type outputSpec struct {
	Title       string
	Summary     string
	Text        string
	Annotations []Annotation
}

var checkStatuses = []string{"queued", "in_progress", "completed"}

var checkConclusions = []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}

const (
	outputLimit     = 65535
	annotationLimit = 50
)

func (w *World) createCheck(c *caller, r *Repo, s checkSpec) (*Check, error) {
	if err := c.needs(r, "checks", RoleAdmin); err != nil {
		return nil, err
	}
	if c.app == nil {
		return nil, refuse(forbidden, "You must authenticate via a GitHub App.")
	}
	if s.Name == "" {
		return nil, missing("CheckRun", "name")
	}
	if r.objects.commits[s.HeadSHA] == nil {
		return nil, refuse(unprocessable, "No commit found for SHA: %s", s.HeadSHA)
	}
	k := &Check{Name: s.Name, HeadSHA: s.HeadSHA, Status: "queued", StartedAt: w.now()}
	if err := w.applyCheck(k, s); err != nil {
		return nil, err
	}
	k.suite = w.suiteFor(r, c.app, s.HeadSHA)
	k.ID = w.nextID()
	k.NodeID = w.register("CR", k.ID, k)
	k.suite.Runs = append(k.suite.Runs, k)
	w.emitCheck(c, k, "created", nil)
	w.afterCheck(c, k, false)
	return k, nil
}

// updateCheck changes a run. A completed one stays completed: GitHub offers a
// new run instead.
func (w *World) updateCheck(c *caller, k *Check, s checkSpec) error {
	if err := c.needs(k.suite.repo, "checks", RoleAdmin); err != nil {
		return err
	}
	if c.app != k.suite.App {
		return refuse(forbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", appID(c.app))
	}
	was := k.Status == "completed"
	if was && s.Status != nil && *s.Status != "completed" {
		return invalid("CheckRun", "status", "status cannot leave completed; create a new check run")
	}
	if err := w.applyCheck(k, s); err != nil {
		return err
	}
	w.afterCheck(c, k, was)
	w.touch()
	return nil
}

func (w *World) afterCheck(c *caller, k *Check, was bool) {
	if k.Status != "completed" || was {
		return
	}
	w.emitCheck(c, k, "completed", nil)
	if !slices.ContainsFunc(k.suite.Runs, func(o *Check) bool { return o.Status != "completed" }) {
		w.emitSuite(c, k.suite, "completed")
	}
}

func (w *World) applyCheck(k *Check, s checkSpec) error {
	next := *k
	set(&next.Status, s.Status)
	set(&next.Conclusion, s.Conclusion)
	set(&next.ExternalID, s.ExternalID)
	set(&next.DetailsURL, s.DetailsURL)
	set(&next.StartedAt, s.StartedAt)
	set(&next.CompletedAt, s.CompletedAt)
	set(&next.Actions, s.Actions)
	if s.Name != "" {
		next.Name = s.Name
	}
	if s.Conclusion != nil && *s.Conclusion != "" {
		next.Status = "completed"
	}
	if s.Output != nil {
		next.Title, next.Summary, next.Text = s.Output.Title, s.Output.Summary, s.Output.Text
		next.Annotations = append(slices.Clone(k.Annotations), s.Output.Annotations...)
	}
	if err := next.check(s); err != nil {
		return err
	}
	if next.Status == "completed" && next.CompletedAt.IsZero() {
		next.CompletedAt = w.now()
	}
	*k = next
	return nil
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// check refuses what GitHub's validation refuses.
func (k *Check) check(s checkSpec) error {
	if !slices.Contains(checkStatuses, k.Status) {
		return invalid("CheckRun", "status", fmt.Sprintf("status %q is not one of queued, in_progress, completed", k.Status))
	}
	if k.Status == "completed" && !slices.Contains(checkConclusions, k.Conclusion) {
		return invalid("CheckRun", "conclusion", fmt.Sprintf("conclusion %q is not allowed", k.Conclusion))
	}
	if o := s.Output; o != nil {
		switch {
		case o.Title == "" || o.Summary == "":
			return missing("CheckRun", "output")
		case len([]rune(o.Summary)) > outputLimit || len([]rune(o.Text)) > outputLimit:
			return invalid("CheckRun", "output", "Only 65535 characters are allowed")
		case len(o.Annotations) > annotationLimit:
			return invalid("CheckRun", "annotations", "No more than 50 annotations are allowed per request")
		}
	}
	if len(k.Actions) > 3 {
		return invalid("CheckRun", "actions", "No more than 3 actions are allowed")
	}
	for _, a := range k.Actions {
		if len([]rune(a.Label)) > 20 || len([]rune(a.Description)) > 40 || len([]rune(a.Identifier)) > 20 || a.Label == "" || a.Identifier == "" {
			return invalid("CheckRun", "actions", "an action's label (20), description (40) or identifier (20) is too long or absent")
		}
	}
	return nil
}

// suiteFor finds or makes an app's suite on a commit.
func (w *World) suiteFor(r *Repo, app *App, sha string) *Suite {
	for _, s := range r.suites {
		if s.App == app && s.HeadSHA == sha {
			return s
		}
	}
	s := &Suite{ID: w.nextID(), HeadSHA: sha, App: app, CreatedAt: w.now(), repo: r, before: zeroSHA}
	for name, head := range r.refs {
		if head == sha && (s.Branch == "" || name < s.Branch) {
			s.Branch = name
		}
	}
	if c := r.objects.commits[sha]; c != nil && len(c.Parents) > 0 {
		s.before = c.Parents[0]
	}
	s.NodeID = w.register("CS", s.ID, s)
	r.suites = append(r.suites, s)
	return s
}

// requestSuites makes a suite on a pushed head for every app that may check.
func (w *World) requestSuites(c *caller, r *Repo, branch, sha string) {
	for _, inst := range w.installationsOn(r) {
		if inst.Permissions["checks"] != "write" {
			continue
		}
		s := w.suiteFor(r, inst.App, sha)
		s.Branch = branch
		w.emitSuite(c, s, "requested")
	}
}

// status is the suite's, from its runs.
func (s *Suite) status() (status, conclusion string) {
	if len(s.Runs) == 0 {
		return "queued", ""
	}
	rank := []string{"", "success", "neutral", "skipped", "cancelled", "timed_out", "action_required", "failure"}
	worst := 0
	for _, k := range s.latest() {
		if k.Status != "completed" {
			return "in_progress", ""
		}
		worst = max(worst, slices.Index(rank, k.Conclusion))
	}
	return "completed", rank[worst]
}

// latest is the newest run of each name: the one that counts.
func (s *Suite) latest() []*Check {
	var out []*Check
	for _, k := range s.Runs {
		out = slices.DeleteFunc(out, func(o *Check) bool { return o.Name == k.Name })
		out = append(out, k)
	}
	return out
}

// pulls are the open pull requests whose head the suite is on.
func (s *Suite) pulls() []*Pull {
	var out []*Pull
	for _, p := range s.repo.pulls() {
		if p.HeadSHA == s.HeadSHA && p.State == "open" {
			out = append(out, p)
		}
	}
	return out
}

// checksAt lists the runs on a commit, all apps, oldest first.
func (r *Repo) checksAt(sha string) []*Check {
	var out []*Check
	for _, s := range r.suites {
		if s.HeadSHA == sha {
			out = append(out, s.Runs...)
		}
	}
	slices.SortFunc(out, func(a, b *Check) int { return int(a.ID - b.ID) })
	return out
}

func upper(s string) string { return strings.ToUpper(s) }
