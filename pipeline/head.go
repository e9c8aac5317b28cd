package pipeline

import "fmt"

// RepoDesk is the number under which events of a repository that belong to no
// issue and no pull request wait for their turn.
const RepoDesk = -1

// ConfigCheck is the check on a head that edits the configuration.
const ConfigCheck = "parley/config"

// HeadAsk says what is to be read about a head that is not a session's own: a
// merge group, somebody else's pull request, an edited configuration.
type HeadAsk struct {
	// PR is the pull request, of a merge group the one its ref names.
	PR    int  `json:"pr,omitempty"`
	Group bool `json:"group,omitempty"`
	// Folder is the session's, for a group that should hold it.
	Folder string `json:"folder,omitempty"`
	// Config: the head is known to edit the configuration. Files: whether it
	// does is to be looked up in the pull request's paths.
	Config bool `json:"config,omitempty"`
	Files  bool `json:"files,omitempty"`
}

// HeadFacts is what GitHub says of such a head.
type HeadFacts struct {
	HeadAsk
	// Ours: a session opened the pull request. Green: our own check on its
	// head is a success. Holds: that head is in the merge group.
	Ours  bool `json:"ours,omitempty"`
	Green bool `json:"green,omitempty"`
	Holds bool `json:"holds,omitempty"`
	// Edited are the configuration files the head holds, Mistakes what is
	// wrong in them, line by line.
	Edited   []string     `json:"edited,omitempty"`
	Mistakes []Annotation `json:"mistakes,omitempty"`
	// Quiet: the repository wants nothing written.
	Quiet bool `json:"quiet,omitempty"`
}

// askHead has a head read by a job of its own.
func (t *turn) askHead(ask HeadAsk) {
	t.job(JobSpec{ID: "head/" + t.ev.Head + "/" + t.ev.ID, Kind: JobHead, Head: t.ev.Head, Ask: &ask, Deadline: prepareLimit})
}

// mergeGroup has the group compared with the pull request: a state that was
// green a minute ago says nothing about the commit that is to be merged.
func mergeGroup(t *turn) error {
	t.askHead(HeadAsk{PR: t.s.PR.Number, Group: true, Folder: t.s.Folder()})
	return nil
}

// otherGroup is a merge group that names a pull request without a session, in
// a repository that requires an answer.
func otherGroup(t *turn) error {
	t.bare()
	t.askHead(HeadAsk{PR: t.ev.PR, Group: true})
	return nil
}

// otherPull answers a pull request that is not ours, where a repository that
// requires the check wants an answer there. Whether one of a fork edits the
// configuration no push tells us, so its paths are read.
func otherPull(t *turn) error {
	t.bare()
	t.notASession()
	if t.ev.Fork {
		t.askHead(HeadAsk{PR: t.ev.PR, Files: true})
	}
	return nil
}

// configPushed has an edited configuration read, of a fork only where its
// paths bear out what it says.
func configPushed(t *turn) error {
	t.bare()
	t.askHead(HeadAsk{PR: t.ev.PR, Config: !t.ev.Fork, Files: t.ev.Fork})
	return nil
}

// bare lets a turn answer where there is no session.
func (t *turn) bare() {
	t.s.Schema, t.s.Repo, t.s.Issue.Number = 1, t.ev.Repo, max(t.ev.Issue, t.ev.PR)
}

func (t *turn) notASession() {
	t.write(Write{Kind: WriteCheck, Check: &CheckWrite{
		Name: gateName, Head: t.ev.Head, Status: "completed", Conclusion: "success", Title: "Not a session",
		Summary: "This pull request was not opened by a session, so there is nothing to judge.", External: "other/" + short(t.ev.Head),
	}})
}

const gateName = "parley/gate"

// headRead answers what was asked about a head.
func headRead(t *turn) error {
	f := t.ev.Facts
	if f == nil || f.Quiet {
		t.unchanged = true
		return nil
	}
	if t.s.ID == "" {
		t.bare()
	}
	if len(f.Edited) > 0 {
		t.configCheck(*f)
	}
	switch {
	case !f.Group:
	case t.s.ID == "" && !f.Ours:
		t.notASession()
	default:
		t.groupCheck(*f)
	}
	return nil
}

// groupCheck answers for a group that holds our pull request: green only where
// our check on the pull request's head is green and that head is in the group.
func (t *turn) groupCheck(f HeadFacts) {
	c := CheckWrite{Name: gateName, Title: "Not green on the pull request",
		Summary: fmt.Sprintf("The gate of #%d is not green on its head, so this group is not either.", f.PR)}
	if t.s.ID != "" {
		c = CheckOutput(t.s, t.now)
		_, c.Conclusion = Conclude(t.s)
	}
	switch {
	case f.Green && f.Holds:
		c.Conclusion = "success"
		if t.s.ID == "" {
			c.Title, c.Summary = "Green on the pull request", fmt.Sprintf("The gate of #%d is green on its head, and that head is in this group.", f.PR)
		}
	case !f.Holds:
		c.Conclusion, c.Title = "action_required", "The judged head is not in this group"
		c.Summary = "This group was built without the head that was judged. Queue the pull request again.\n\n" + c.Summary
	case c.Conclusion == "success" || c.Conclusion == "":
		c.Conclusion, c.Title = "action_required", "Not green on the pull request's head"
	}
	c.Status, c.Head, c.Actions = "completed", t.ev.Head, nil
	c.External = fmt.Sprintf("%d/%s/group/%s", t.s.Issue.Number, t.s.ID, short(t.ev.Head))
	t.write(Write{Kind: WriteCheck, Check: &c})
}

// configCheck shows each mistake of an edited configuration at its line.
func (t *turn) configCheck(f HeadFacts) {
	c := CheckWrite{
		Name: ConfigCheck, Head: t.ev.Head, Status: "completed", Conclusion: "success", External: "config/" + short(t.ev.Head),
		Title:   "The configuration reads well",
		Summary: "It counts from the moment it is on the default branch; until then what is there now holds, for this pull request too.",
	}
	if n := len(f.Mistakes); n > 0 {
		c.Conclusion, c.Title, c.Annotations = "failure", plural(n, "mistake")+" in the configuration", f.Mistakes
		c.Summary = "A file with a mistake is left out whole. " + c.Summary
	}
	t.write(Write{Kind: WriteCheck, Check: &c})
}
