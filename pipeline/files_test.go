package pipeline

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder lays all that was sent into a session folder, as the branch has it.
func (p *play) folder() Folder {
	f := Folder{}
	for _, w := range p.sent {
		for _, c := range w.Files {
			f[c.Path] = []byte(c.Text)
			if c.Blob != "" {
				f[c.Path] = []byte("---\nstatus: complete\n---\n# " + c.Blob + "\n")
				if strings.HasSuffix(c.Path, ".json") {
					f[c.Path] = []byte("{}")
				}
			}
		}
		for _, a := range w.Append {
			f[a.Path] = append(f[a.Path], a.Text...)
		}
		for _, d := range w.Deleted {
			delete(f, d)
		}
	}
	return f
}

func (p *play) snapshot() Snapshot {
	f := p.folder()
	snap := Snapshot{Head: "h", Tree: "t", Text: f, Files: map[string]string{}}
	for path, text := range f {
		snap.Files[path] = BlobID(text)
	}
	return snap
}

func TestSessionFileIsTheSessionLessGitHubsSide(t *testing.T) {
	p := finished(t, GateReview, 72)
	raw := p.folder()[SessionPath]
	var back Session
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if again := SessionFile(back); again != string(raw) {
		t.Fatalf("does not round-trip to itself:\n%s", cmp.Diff(string(raw), again))
	}
	want := p.s
	want.PR, want.Manifest, want.Pending, want.Posted, want.Earlier, want.Commands = PullRequest{}, Manifest{}, nil, Posted{}, nil, nil
	g := *want.Gate
	g.Tree, want.Gate = "", &g // known only once the commit is made
	want.Requests, back.Requests, want.UpdatedAt = Requests{}, Requests{}, back.UpdatedAt
	if diff := cmp.Diff(want, back); diff != "" {
		t.Fatal(diff)
	}
	for _, key := range []string{`"pr"`, `"manifest"`, `"posted"`, `"pending"`, `"earlier"`} {
		if strings.Contains(string(raw), key+":") {
			t.Errorf("the session file carries %s", key)
		}
	}
}

func TestSessionFileIsWrittenAfterEachTask(t *testing.T) {
	p := finished(t, GatePass, 90)
	commits := 0
	for _, w := range p.sent {
		if w.Kind != WriteCommit && w.Kind != WriteOpen {
			continue
		}
		commits++
		if !slices.ContainsFunc(w.Files, func(f FileChange) bool { return f.Path == SessionPath }) {
			t.Errorf("%s %q without a session file", w.Kind, w.Title)
		}
	}
	if commits != 7 {
		t.Fatalf("%d commits: one to open and one per task", commits)
	}
}

func TestOpeningFolder(t *testing.T) {
	p := finished(t, GatePass, 90)
	f := p.folder()
	for _, path := range []string{SessionPath, "spec/spec-config.json", ".gitattributes", "wisdom/learnings.md", "wisdom/decisions.md",
		"wisdom/conventions.md", "wisdom/issues.md", MessagesPath, ".msg/meta.json", "shared-memory.json", "explorations/cache-index.json", ReportPath} {
		if len(f[path]) == 0 {
			t.Errorf("no %s", path)
		}
	}
}

func TestMessages(t *testing.T) {
	p := finished(t, GatePass, 90)
	all := ParseMessages(p.folder()[MessagesPath])
	for i, m := range all {
		if want := "MSG-" + pad(i+1); m.ID != want {
			t.Fatalf("record %d has the id %s", i+1, m.ID)
		}
		if !strings.HasPrefix(m.Summary, "["+m.From+"]") || !strings.HasSuffix(m.TS, "+00:00") || m.To == "" {
			t.Fatalf("record %+v", m)
		}
	}
	if all[len(all)-1].Type != "shutdown" || p.s.Messages != len(all) {
		t.Fatalf("last %+v of %d, session says %d", all[len(all)-1], len(all), p.s.Messages)
	}
	if got := ParseMessages([]byte("nonsense\n" + mustJSON(t, all[0]) + "\n{\n")); len(got) != 1 {
		t.Fatalf("unreadable lines are not skipped: %v", got)
	}
}

// TestEveryMessageTypeIsEmitted lists the types of the roles present and the
// play that emits each.
func TestEveryMessageTypeIsEmitted(t *testing.T) {
	failing := func(id TaskID, status TaskStatus) func(Task) Outcome {
		n := 0
		return func(task Task) Outcome {
			o := reached(task)
			if task.ID == id && n == 0 {
				n++
				o.Status = status
			}
			return o
		}
	}
	plays := map[string]func() *play{
		"whole": func() *play { return finished(t, GatePass, 90) },
		"revised": func() *play {
			p := finished(t, GatePass, 90)
			p.say("/revise DRAFT-003 more")
			p.run()
			return p
		},
		"mended": func() *play {
			p := newPlay(t)
			p.work = blockAt("DRAFT-002", High, true, false)
			p.begin("lifecycle")
			p.run()
			return p
		},
		"at the plan": func() *play {
			p := newPlay(t)
			p.begin("lifecycle:impl-only")
			p.run()
			return p
		},
		"orphaned": func() *play {
			p := newPlay(t)
			p.begin("lifecycle")
			p.jobs = nil // its worker is gone
			p.now = p.now.Add(specLimit + convergence + orphanAfter)
			p.say("/resume")
			p.run()
			return p
		},
		"code":         func() *play { return coded(t, "PASS") },
		"code to mend": func() *play { return coded(t, "NEEDS_FIX") },
		"planned": func() *play {
			p := newPlay(t)
			p.work = failing("PLAN-001", TaskFailed)
			p.begin("lifecycle:impl-only")
			p.run()
			p.say("/finish")
			p.run()
			return p
		},
	}
	for _, id := range []TaskID{"RESEARCH-001", "DRAFT-001", "QUALITY-001"} {
		plays["failed "+string(id)] = func() *play {
			p := newPlay(t)
			p.work = failing(id, TaskPartial)
			p.begin("lifecycle")
			p.run()
			return p
		}
	}
	rows := []struct {
		from Role
		kind string
		play string
	}{
		{Coordinator, "plan_approved", "whole"}, {Coordinator, "task_unblocked", "whole"}, {Coordinator, "shutdown", "whole"},
		{Coordinator, "plan_revision", "revised"}, {Coordinator, "fix_required", "mended"},
		{Coordinator, "error", "orphaned"},
		{Analyst, "research_ready", "whole"}, {Analyst, "research_progress", "failed RESEARCH-001"}, {Analyst, "error", "failed RESEARCH-001"},
		{Writer, "draft_ready", "whole"}, {Writer, "draft_revision", "revised"}, {Writer, "error", "failed DRAFT-001"},
		{Reviewer, "quality_result", "whole"}, {Reviewer, "quality_recheck", "revised"}, {Reviewer, "error", "failed QUALITY-001"},
		{Planner, "plan_revision", "planned"}, {Planner, "error", "planned"}, {Planner, "plan_ready", "at the plan"},
		{Reviewer, "review_result", "code"}, {Reviewer, "fix_required", "code to mend"},
	}
	for _, row := range rows {
		t.Run(string(row.from)+" "+row.kind, func(t *testing.T) {
			all := ParseMessages(plays[row.play]().folder()[MessagesPath])
			if !slices.ContainsFunc(all, func(m Message) bool { return m.From == string(row.from) && m.Type == row.kind }) {
				t.Fatalf("play %q emits none", row.play)
			}
		})
	}
}

// coded plays the implementation with closures; the reviewer of the code says
// what it is given to say.
func coded(t *testing.T, verdict string) *play {
	p := newPlay(t)
	p.brief.Settings.Implementation = true
	p.work = func(task Task) Outcome {
		o := reached(task)
		if task.ID == "REVIEW-001" {
			o.Review = verdict
		}
		return o
	}
	p.begin("lifecycle:impl-only")
	p.run()
	return p
}

func TestMetadataLinesAreReadBack(t *testing.T) {
	for mode, path := range map[Mode]string{SpecOnly: "", ImplOnly: "docs/old-spec.md"} {
		p := newPlay(t)
		p.brief.Issue.Title = "Odd\nSession: elsewhere InnerLoop: true"
		args := []string{string(mode)}
		if path != "" {
			args = append(args, "--spec", path)
		}
		p.do(Event{Kind: EventStart, Actor: Actor{Login: "w"}, Permission: PermWrite, Command: &Command{Verb: "start", Args: args, Subject: "IC_0", Carrier: OnIssue}})
		p.step()
		for _, task := range p.s.Tasks {
			want := Meta{Purpose: purposes[task.ID], Session: p.s.Folder(), Scope: p.s.Scope, Round: task.Round, InnerLoop: loops[task.Owner], Spec: path}
			if diff := cmp.Diff(want, ReadMeta(task.Description)); diff != "" {
				t.Fatalf("%s: %s", task.ID, diff)
			}
		}
	}
}

func TestCompletionReport(t *testing.T) {
	p := finished(t, GatePass, 90)
	p.say("/revise DRAFT-004 more")
	p.run()
	c := p.s.Count()
	if c.Total != 8 || c.Completed != 8 || c.Revisions != 2 || c.SuccessRate != 100 {
		t.Fatalf("counts %+v", c)
	}
	report := string(p.folder()[ReportPath])
	for _, part := range []string{"8 of 8 tasks completed (100 %)", "| DRAFT-004-R1 | writer | R |", "`discussions/DISCUSS-001-discussion.md`",
		"All rounds reached consensus", "- learnings: no entries", "/feedback"} {
		if !strings.Contains(report, part) {
			t.Errorf("the report lacks %q:\n%s", part, report)
		}
	}
	golden(t, "../completion-report", report)
	s := p.s
	s.Manifest.Files = nil
	if !strings.Contains(CompletionReport(s), "(missing)") {
		t.Error("a missing artifact is not named")
	}
}

func TestKeepDocumentsDropsMachineFiles(t *testing.T) {
	p := newPlay(t)
	p.brief.Settings.Keep = "documents"
	p.begin("lifecycle")
	p.deliver()
	p.run()
	f := p.folder()
	for path := range f {
		if strings.HasPrefix(path, ".msg/") || strings.HasPrefix(path, "explorations/") || path == "shared-memory.json" {
			t.Errorf("%s stays", path)
		}
	}
	if len(f["spec/product-brief.md"]) == 0 {
		t.Error("documents must stay")
	}
}

func TestRebuildFromFilesAlone(t *testing.T) {
	p := newPlay(t)
	p.begin("lifecycle")
	for p.s.task("DRAFT-003").Status != TaskInProgress {
		p.step()
	}
	p.deliver()
	s, err := Rebuild(p.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if s.task("DRAFT-002").Status != TaskCompleted || s.task("DRAFT-003").Status != TaskPending || len(s.ActiveWorkers) != 0 {
		t.Fatalf("rebuilt: %+v", s.Tasks)
	}
	q := newPlay(t)
	q.work = p.work
	q.now = p.now
	q.do(Event{Kind: EventRebuilt, Rebuilt: &s})
	q.want(SessionPaused, WaitRebuilt, "action_required")
	q.say("/resume")
	if len(q.jobs) != 1 || q.jobs[0].Task != "DRAFT-003" {
		t.Fatalf("goes on with %v", q.jobs)
	}
	q.run()
	q.want(SessionCompleted, "", "success")
	if len(q.s.Tasks) != 6 {
		t.Fatalf("tasks after the rebuild: %s", q.statuses())
	}
}

func TestResumeArtifactCheck(t *testing.T) {
	at := func(p *play) {
		p.begin("lifecycle")
		for p.s.task("DRAFT-003").Status != TaskInProgress {
			p.step()
		}
		p.deliver()
	}
	artifact, record := artifacts["DRAFT-003"], RecordPath("DISCUSS-004", 1)
	tests := []struct {
		name string
		lay  Folder
		want TaskStatus
	}{
		{"absent", Folder{}, TaskPending},
		{"partial: no record", Folder{artifact: []byte("---\na: b\n---\n# x\n")}, TaskPending},
		{"partial: frontmatter not closed", Folder{artifact: []byte("---\na: b\n# x\n"), record: []byte("r")}, TaskPending},
		{"complete but unmarked", Folder{artifact: []byte("---\na: b\n---\n# x\n"), record: []byte("r")}, TaskCompleted},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t)
			at(p)
			snap := p.snapshot()
			for path, text := range test.lay {
				snap.Text[path], snap.Files[path] = text, BlobID(text)
			}
			s, err := Rebuild(snap)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.task("DRAFT-003").Status; got != test.want {
				t.Fatalf("DRAFT-003 is %s", got)
			}
		})
	}
	t.Run("done without its artifact is not done", func(t *testing.T) {
		p := newPlay(t)
		at(p)
		snap := p.snapshot()
		delete(snap.Files, artifacts["DRAFT-002"])
		s, err := Rebuild(snap)
		if err != nil || s.task("DRAFT-002").Status != TaskPending {
			t.Fatalf("%v %v", s.task("DRAFT-002"), err)
		}
	})
}

func TestRebuildRefusesWhatIsNotASession(t *testing.T) {
	for name, text := range map[string]string{
		"absent": "", "no JSON": "{", "another schema": `{"schema":9,"session_id":"x"}`, "no tasks": `{"schema":1,"session_id":"x","status":"active"}`,
		"a circle":             `{"schema":1,"session_id":"x","status":"active","pipeline":[{"id":"A","blocked_by":["B"]},{"id":"B","blocked_by":["A"]},{"id":"C"}]}`,
		"a status of nobody's": `{"schema":1,"session_id":"x","status":"odd","pipeline":[{"id":"A"}]}`,
	} {
		snap := Snapshot{Text: Folder{}}
		if text != "" {
			snap.Text[SessionPath] = []byte(text)
		}
		if _, err := Rebuild(snap); err == nil {
			t.Errorf("%s: taken for a session", name)
		}
	}
}

func TestRebuiltGreenStaysGreen(t *testing.T) {
	p := finished(t, GatePass, 90)
	s, err := Rebuild(p.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	q := newPlay(t)
	q.do(Event{Kind: EventRebuilt, Rebuilt: &s})
	q.want(SessionCompleted, "", "success")
}
