package roles

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/pipeline"
)

// ErrNoRole says that this build has nobody for a task.
var ErrNoRole = errors.New("no such role in this build")

// Config is what the roles need from outside.
type Config struct {
	// Model answers prompts; nil: everything by rules.
	Model pipeline.Model
	// Now is the clock for generated_at where an assignment brings no time.
	Now func() time.Time
}

// Worker does the tasks of all roles that are present.
type Worker struct{ config Config }

// New returns the worker of all roles.
func New(c Config) *Worker {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Worker{c}
}

// job is one task being worked on.
type job struct {
	pipeline.Assignment
	*Worker
	kind  kind
	mu    sync.Mutex // guards draft while several answers come in
	draft pipeline.Draft
}

// kind is one line of the dispatch table: a task's prefix, who owns it, what
// must be in the folder, what comes out, and the rule path. The model path is
// laid over the rule path's documents by the prompt of the same name.
type kind struct {
	prefix   string
	role     pipeline.Role
	needs    []string
	artifact string
	rules    func(context.Context, *job) error
	prompt   string // file under prompts/; empty: no model path
	says     string // the bus message it ends with
}

var kinds = []kind{
	{"RESEARCH-", pipeline.Analyst, nil, "spec/discovery-context.json", research, "analyst", "research_ready"},
	{"DRAFT-001", pipeline.Writer, []string{"spec/discovery-context.json"}, "spec/product-brief.md", draftBrief, "brief", "draft_ready"},
	{"DRAFT-002", pipeline.Writer, []string{"spec/discovery-context.json"}, "spec/requirements/_index.md", draftRequirements, "requirements", "draft_ready"},
	{"DRAFT-003", pipeline.Writer, []string{"spec/discovery-context.json", "spec/requirements/_index.md"}, "spec/architecture/_index.md", draftArchitecture, "architecture", "draft_ready"},
	{"DRAFT-004", pipeline.Writer, []string{"spec/discovery-context.json", "spec/requirements/_index.md", "spec/architecture/_index.md"}, "spec/epics/_index.md", draftEpics, "epics", "draft_ready"},
	{"IMPROVE-", pipeline.Writer, []string{"spec/discovery-context.json"}, "", improve, "improve", "draft_revision"},
	{"QUALITY-", pipeline.Reviewer, nil, "spec/readiness-report.md", quality, "", "quality_result"},
	{"PLAN-", pipeline.Planner, nil, "plan/plan.json", plan, "", "plan_ready"},
}

// Present lists the roles of this build.
func Present() []pipeline.Role {
	var out []pipeline.Role
	for _, k := range kinds {
		if !slices.Contains(out, k.role) {
			out = append(out, k.role)
		}
	}
	return out
}

func kindOf(t pipeline.Task) (kind, error) {
	for _, k := range kinds {
		if strings.HasPrefix(string(t.ID), k.prefix) && (t.Owner == "" || t.Owner == k.role) {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("task %s of %s: %w", t.ID, t.Owner, ErrNoRole)
}

// Work does one task. It reads what upstream left in the folder, drafts, and
// checks itself; it writes nothing.
func (w *Worker) Work(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
	k, err := kindOf(a.Task)
	if err != nil {
		return pipeline.Draft{}, err
	}
	if a.Now.IsZero() {
		a.Now = w.config.Now()
	}
	if a.Progress == nil {
		a.Progress = func(string) {}
	}
	for _, need := range k.needs {
		if _, ok := a.Folder[need]; !ok {
			return pipeline.Draft{}, &pipeline.Refusal{Text: fmt.Sprintf("%s needs `%s`, which is not in the session folder. Say `/retry` on the task that makes it.", a.Task.ID, need)}
		}
	}
	a.Folder = maps.Clone(a.Folder) // a draft of several documents lays each over it for the next
	j := &job{Assignment: heardThreads(a, k), Worker: w, kind: k}
	j.draft.Text = map[string][]byte{}
	j.draft.Outcome = pipeline.Outcome{Task: a.Task.ID, Role: k.role, Status: pipeline.TaskCompleted, Artifact: j.artifact(), InputsDigest: j.inputs()}
	before := maps.Clone(a.Folder)
	if err := k.rules(ctx, j); err != nil {
		return pipeline.Draft{}, fmt.Errorf("%s: %w", k.prefix, err)
	}
	j.finish()
	if a.Task.Revision != nil && k.role == pipeline.Writer {
		j.tellChanges(parse(before, nil))
	}
	return j.draft, nil
}

func (j *job) artifact() string {
	if j.tiny() && strings.HasPrefix(string(j.Task.ID), "DRAFT-002") {
		return "spec/spec.md"
	}
	return j.kind.artifact
}

func (j *job) tiny() bool { return j.Session.Track == pipeline.TrackTiny }

// stamp is the time a document was made, as frontmatter has it.
func (j *job) stamp() string { return j.Now.UTC().Format("2006-01-02T15:04:05Z") }
