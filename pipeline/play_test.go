package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// play drives Advance as the loops do, with closures in the place of workers
// and GitHub, and holds every state it passes through against the rules that
// must always hold.
type play struct {
	t      testing.TB
	s      Session
	now    time.Time
	n      int
	jobs   []JobSpec
	writes []Write // not yet delivered
	aside  []Write
	sent   []Write
	audits []Decision
	timers map[string]time.Time
	brief  Briefing
	// work answers a task's job.
	work func(Task) Outcome
	head int
	// broken: the test has broken the chain itself.
	broken bool
}

var start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func newPlay(t testing.TB) *play {
	settings := DefaultSettings()
	return &play{
		t: t, now: start, timers: map[string]time.Time{}, work: reached,
		brief: Briefing{
			Repo:     Repo{Installation: 1, ID: 7, Owner: "octo", Name: "hooks", DefaultBranch: "main"},
			Issue:    Issue{Number: 142, NodeID: "I_142", Title: "Retry failed webhooks", Author: "mona", Text: "t0"},
			Body:     IssueText{Title: "Retry failed webhooks", Body: "Deliveries that fail must be retried for a day.", Author: "mona", Labels: []string{"lifecycle"}},
			BaseHead: "base", Settings: settings, CanDraft: true, HasSpec: true,
		},
	}
}

// again is a play that goes on from here as if there were no other: Advance
// never changes a session it was given.
func (p *play) again() *play {
	next := *p
	next.jobs, next.writes, next.sent, next.audits = slices.Clone(p.jobs), slices.Clone(p.writes), slices.Clone(p.sent), slices.Clone(p.audits)
	next.aside = slices.Clone(p.aside)
	next.timers = maps.Clone(p.timers)
	return &next
}

func (p *play) id(kind string) string { p.n++; return fmt.Sprintf("%s-%d", kind, p.n) }

// do gives Advance one event and takes its effects in.
func (p *play) do(ev Event) {
	p.t.Helper()
	if ev.ID == "" {
		ev.ID = p.id(string(ev.Kind))
	}
	if ev.Repo.ID == 0 {
		ev.Repo, ev.Issue = p.brief.Repo, 142
	}
	before := mustJSON(p.t, p.s)
	next, effects, err := Advance(p.s, ev, p.now)
	if err != nil {
		p.t.Fatalf("%s: %v", ev.ID, err)
	}
	if mustJSON(p.t, p.s) != before {
		p.t.Fatalf("%s: Advance changed its argument", ev.ID)
	}
	p.s = next
	for _, e := range effects {
		p.take(e)
	}
	p.holds(ev)
}

func (p *play) take(e Effect) {
	p.t.Helper()
	set := 0
	if e.Job != nil {
		set++
		for _, j := range p.jobs {
			if j.ID == e.Job.ID {
				p.t.Fatalf("job %s twice", j.ID)
			}
		}
		p.jobs = append(p.jobs, *e.Job)
	}
	if e.Cancel != "" {
		set++
		p.jobs = slices.DeleteFunc(p.jobs, func(j JobSpec) bool { return j.ID == e.Cancel })
	}
	if e.Timer != nil {
		set++
		p.timers[e.Timer.Name] = e.Timer.At
		if e.Timer.At.IsZero() {
			delete(p.timers, e.Timer.Name)
		}
	}
	if e.Write != nil {
		set++
		if e.Write.Key == "" || slices.ContainsFunc(slices.Concat(p.writes, p.aside, p.sent), func(w Write) bool { return w.Key == e.Write.Key }) {
			p.t.Fatalf("write %s with the key %q", e.Write.Kind, e.Write.Key)
		}
		quiet(p.t, *e.Write)
		list := &p.writes
		if e.Write.Aside && len(p.aside) > 0 {
			list = &p.aside
		}
		*list = append(*list, *e.Write)
	}
	if e.Aside {
		set++
		p.aside, p.writes = append(p.aside, p.writes...), nil
	}
	if e.Again {
		set++
		p.writes, p.aside = append(p.aside, p.writes...), nil
	}
	if e.Drop {
		set++
		p.aside = nil
	}
	if e.Audit != nil {
		set++
		p.audits = append(p.audits, *e.Audit)
	}
	if e.Forget {
		set++
	}
	if set != 1 {
		p.t.Fatalf("an effect with %d fields set", set)
	}
}

// holds are the rules of every state.
func (p *play) holds(ev Event) {
	p.t.Helper()
	s := p.s
	roles := map[Role]int{}
	done := map[TaskID]bool{}
	ids := map[TaskID]bool{}
	for _, t := range s.Tasks {
		done[t.ID] = t.Status == TaskCompleted
		if ids[t.ID] {
			p.t.Fatalf("after %s: task %s twice", ev.ID, t.ID)
		}
		ids[t.ID] = true
	}
	running := 0
	for _, t := range s.Tasks {
		for _, need := range t.BlockedBy {
			if !ids[need] {
				p.t.Fatalf("after %s: %s needs %s, which is gone", ev.ID, t.ID, need)
			}
			if t.Status == TaskInProgress && t.AgentID != "" && !done[need] {
				p.t.Fatalf("after %s: %s runs before its need %s", ev.ID, t.ID, need)
			}
		}
		if t.Status == TaskInProgress && t.AgentID != "" {
			running++
			roles[t.Owner]++
			if n := len(slices.DeleteFunc(slices.Clone(s.ActiveWorkers), func(w ActiveWorker) bool { return w.TaskID != t.ID })); n != 1 {
				p.t.Fatalf("after %s: %s runs with %d workers", ev.ID, t.ID, n)
			}
		}
	}
	for r, n := range roles {
		if n > 1 && loops[r] {
			p.t.Fatalf("after %s: %d tasks of the inner-loop role %s run", ev.ID, n, r)
		}
	}
	if s.ID != "" && running != len(s.ActiveWorkers) {
		p.t.Fatalf("after %s: %d run, %d workers", ev.ID, running, len(s.ActiveWorkers))
	}
	if len(s.Tasks) > 0 && !p.broken {
		if err := checkLinks(s.Tasks); err != nil {
			p.t.Fatalf("after %s: %v", ev.ID, err)
		}
	}
	switch s.Status {
	case SessionActive:
		if s.ID != "" && running == 0 {
			p.t.Fatalf("after %s: active and nothing runs", ev.ID)
		}
		if s.Wait != nil {
			p.t.Fatalf("after %s: active and waiting", ev.ID)
		}
	case SessionPaused:
		if s.Wait == nil || s.Wait.Reason == "" || s.Wait.Deadline.IsZero() {
			p.t.Fatalf("after %s: paused without reason or deadline: %+v", ev.ID, s.Wait)
		}
	}
	var again Session
	if err := json.Unmarshal([]byte(mustJSON(p.t, s)), &again); err != nil {
		p.t.Fatal(err)
	}
	if reflect.DeepEqual(s, again) {
		return // and so it is nearly always, which cmp takes long to find
	}
	if diff := cmp.Diff(s, again); diff != "" {
		p.t.Fatalf("after %s: the session changes in a JSON round trip (-was +is):\n%s", ev.ID, diff)
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// begin labels the issue and reads the briefing.
func (p *play) begin(label string) {
	p.t.Helper()
	p.brief.Body.Labels = append(slices.Clone(p.brief.Body.Labels), label)
	p.do(Event{Kind: EventStart, Label: label, Title: p.brief.Issue.Title, Actor: Actor{ID: 1, Login: "octocat"}, Permission: PermWrite})
	p.step()
}

// step runs the oldest job.
func (p *play) step() bool {
	p.t.Helper()
	if len(p.jobs) == 0 {
		return false
	}
	j := p.jobs[0]
	p.jobs = p.jobs[1:]
	ev := Event{ID: "job:" + j.ID, Job: j.ID, Actor: j.Actor}
	switch j.Kind {
	case JobPrepare:
		b := p.brief
		ev.Kind, ev.Briefing = EventPrepared, &b
	case JobTask:
		o := p.work(*p.s.task(j.Task))
		ev.Kind, ev.Outcome = EventDone, &o
	case JobDiscuss:
		ev.Kind, ev.Outcome = EventDone, &Outcome{Summary: "discussed", Files: []FileRef{{"discussions/discussion-round-1.json", "d1"}}}
	case JobRebuild:
		ev.Kind = EventRebuilt
	default:
		p.t.Fatalf("no answer for a job of kind %s", j.Kind)
	}
	p.now = p.now.Add(time.Second)
	p.do(ev)
	return true
}

// deliver sends the outbox, as GitHub would take it.
func (p *play) deliver() {
	p.t.Helper()
	for len(p.writes) > 0 {
		r := p.receipts()
		p.sent, p.writes = append(p.sent, p.writes...), nil
		p.do(Event{Kind: EventDelivered, Receipts: &r})
	}
}

// receipts are what GitHub makes of the outbox.
func (p *play) receipts() (r Receipts) {
	for _, w := range p.writes {

		d := Receipt{Key: w.Key, Kind: w.Kind, Number: w.Number, NodeID: "N_" + w.Key, Finding: w.Finding}
		switch w.Kind {
		case WriteOpen:
			d.Number, d.Draft = 143, w.Draft
			p.commits(&r, w)
		case WriteCommit:
			p.commits(&r, w)
		case WriteCheck:
			d.ID, d.Status = int64(p.n), w.Check.Status
		case WriteReview:
			d.Threads, d.Roots = map[string]string{}, map[string]string{}
			for _, c := range w.Review.Comments {
				d.Threads[c.Finding], d.Roots[c.Finding] = "T_"+c.Finding, "9"+c.Finding[2:]
			}
		}
		r.Done = append(r.Done, d)
	}
	r.Requests = Requests{Requests: 2, GraphQL: 2}
	return r
}

func (p *play) commits(r *Receipts, w Write) {
	p.head++
	r.Head, r.Tree = fmt.Sprintf("head%d", p.head), fmt.Sprintf("tree%d", p.head)
	if r.Files == nil {
		r.Files = map[string]string{}
	}
	for _, f := range w.Files {
		r.Files[f.Path] = f.Blob
		if f.Blob == "" {
			r.Files[f.Path] = BlobID([]byte(f.Text))
		}
	}
	for _, d := range w.Deleted {
		r.Files[d] = ""
	}
	for _, a := range w.Append {
		r.Applied = append(r.Applied, a.Key)
		r.Files[a.Path] = "appended-" + a.Key
	}
}

// run goes on until nothing more happens by itself.
func (p *play) run() {
	p.t.Helper()
	for n := 0; ; n++ {
		if n > 200 {
			p.t.Fatal("does not come to rest")
		}
		if p.step() {
			continue
		}
		if len(p.writes) == 0 {
			return
		}
		p.deliver()
	}
}

// say is a comment by somebody with write access.
func (p *play) say(text string) { p.t.Helper(); p.sayAs("octocat", PermWrite, text) }

func (p *play) sayAs(who string, perm Permission, text string) {
	p.t.Helper()
	p.now = p.now.Add(time.Minute)
	verb, rest, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	if spec, ok := specOf(verb); ok {
		verb = spec.Verb
	}
	p.do(Event{Kind: EventCommand, Actor: Actor{ID: 2, Login: who}, Permission: perm, PR: p.s.PR.Number, Command: &Command{
		Verb: verb, Args: strings.Fields(rest), Text: rest, Subject: p.id("IC"), Carrier: OnPull, At: p.now,
	}})
}

// said lists the bodies of all comments and replies so far, newest last.
func (p *play) said() []string {
	var out []string
	for _, w := range append(slices.Clone(p.sent), p.writes...) {
		if w.Kind == WriteComment || w.Kind == WriteReply {
			out = append(out, w.Body)
		}
	}
	return out
}

func (p *play) lastSaid() string {
	all := p.said()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

func (p *play) check() string {
	status, conclusion := Conclude(p.s)
	if status == "in_progress" {
		return status
	}
	return conclusion
}

func (p *play) statuses() string {
	var out []string
	for _, t := range p.s.Tasks {
		out = append(out, string(t.ID)+":"+string(t.Status))
	}
	return strings.Join(out, " ")
}
