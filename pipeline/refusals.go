package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Every refusal says what is refused, why, and what would work. Names of
// people and what they wrote stand in code spans: nobody is pinged by a no.

func no(format string, args ...any) *Refusal { return &Refusal{Text: fmt.Sprintf(format, args...)} }

// codes lists names in code spans.
func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func refuseMode(name string) *Refusal {
	names := make([]string, len(Modes))
	for i, m := range Modes {
		names[i] = string(m)
	}
	if name == "" {
		return no("Which mode? The modes are %s.", codes(names))
	}
	return no("There is no mode `%s`. The modes are %s.", word(name), codes(names))
}

func refuseFlag(name string) *Refusal {
	return no("`/lifecycle start` has no flag `%s`. Behind the mode it takes %s.", word(name), codes(slices.Sorted(maps.Keys(startFlags))))
}

func refuseFlagValue(name, value string, among []string) *Refusal {
	what := "a value behind it"
	if among != nil {
		what = "one of " + codes(among)
	}
	if value == "" {
		return no("`%s` takes %s. Nothing was started.", word(name), what)
	}
	return no("`%s` takes %s, not `%s`. Nothing was started.", word(name), what, word(value))
}

func refuseBoth(one, other string) *Refusal {
	return no("%s and %s exclude each other, so nothing was started. Say `/lifecycle start` again with one of them.", inCode(one), inCode(other))
}

// refuseUnfit names the modes that have a use for the flag instead.
func refuseUnfit(m Mode, flag string, fits func(Mode) bool) *Refusal {
	var names []string
	for _, other := range Modes {
		if fits(other) {
			names = append(names, string(other))
		}
	}
	return no("Mode `%s` has no use for %s, so nothing was started. Say `/lifecycle start` again without that, or in one of the modes %s.", m, inCode(flag), codes(names))
}

func refuseLater(flags []string) *Refusal {
	return no("A session runs on this issue, and %s counts at a start only, so nothing was changed. `/cancel` makes room for a new start.", inCode(strings.Join(flags, " ")))
}

func refuseOtherMode(runs, asked Mode) *Refusal {
	return no("A session in mode `%s` runs on this issue, so none was started in mode `%s`. `/cancel` makes room for that.", runs, asked)
}

func refuseStart(who string, has Permission) *Refusal {
	return no("Starting a session takes write access to this repository; `%s` has %s. Somebody with write access can set the label again.", login(who), has)
}

func refuseUnknown(why string) *Refusal {
	return no("Your access to this repository could not be read just now (%s), so nothing was done. Say it again in a few minutes.", Inert(oneLine(why)))
}

func refusePermission(spec CommandSpec, who string, has Permission) *Refusal {
	return no("`/%s` takes %s access to this repository; `%s` has %s. Somebody with %s access can say it.", spec.Verb, spec.Who, login(who), has, spec.Who)
}

func refuseRisk(gate GateResult, needs, has Permission) *Refusal {
	return no("Accepting a %s gate takes %s access here; you have %s. `/improve` and `/revise` lift the gate instead.", gate, needs, has)
}

func refuseOff(spec CommandSpec) *Refusal {
	return no("`/%s` is not available: %s. `/help` lists what is.", spec.Verb, spec.Off)
}

func refuseOtherPull(s Session) *Refusal {
	return no("This pull request belongs to an earlier session. The present one is `%s`, in pull request %d.", s.ID, s.PR.Number)
}

func refuseMoved(was, is string) *Refusal {
	return no("The branch has moved since you wrote this, from `%s` to `%s`, and the text with it. Read it and say it again.", short(was), short(is))
}

func refuseNoSession() *Refusal {
	return no("There is no session on this issue. The label `lifecycle` or `/lifecycle start [mode]` opens one.")
}

func refuseHurried() *Refusal {
	return no("The session is only just beginning; its first comment here says when it can take commands.")
}

func refuseFinished(id string) *Refusal {
	return no("Session `%s` is finished and its pull request is open. Merge or close that first, or change it with `/revise`, `/feedback` or `/improve`.", id)
}

func refuseLabelAccept(reason WaitReason) *Refusal {
	return no("The session waits for a decision (%s), and a label does not take it. Say `/resume` to go on, or `/status --explain`.", reason)
}

func refuseBriefing() *Refusal {
	return no("The issue and its repository could not be read, so no session was started. Set the label again; `parley doctor` finds missing permissions.")
}

func refuseStartHere(s Session) *Refusal {
	return no("A session is started on its issue, and this one has `%s`. `/lifecycle start` there opens the next once its pull request is merged or closed.", s.ID)
}

func refuseDisabled() *Refusal {
	return no("Parley is switched off in this repository: `enabled: false` in `.github/parley.yml` on the default branch.")
}

func refuseEmpty() *Refusal {
	return no("This repository has no commit yet, so there is nothing to branch from. Push a first commit and set the label again.")
}

func refuseNoSpec(path string) *Refusal {
	if path != "" {
		return no("Mode `impl-only` needs a specification, and the default branch has no file %s. Name another one, or start `spec-only` or `full-lifecycle`.", InertLine(path, 80))
	}
	return no("Mode `impl-only` needs a specification and none was found. Name one with `/lifecycle start impl-only --spec <path>`, or start `spec-only` or `full-lifecycle`.")
}

func refuseTask(s Session, asked string) *Refusal {
	if asked == "" {
		return no("Which task? This session has %s.", taskNames(s, nil))
	}
	return no("There is no task `%s` in this session. It has %s.", word(asked), taskNames(s, nil))
}

func refuseUnfinished(s Session, id TaskID, status TaskStatus) *Refusal {
	return no("`%s` is %s; only a completed task can be revised. Completed are %s.", id, status,
		taskNames(s, func(t Task) bool { return t.Status == TaskCompleted }))
}

func refuseNotSpec(id TaskID) *Refusal {
	return no("`%s` is not a document of the specification, so it cannot be revised. `/retry %s` runs a failed task again.", id, id)
}

func refuseSpent(id TaskID) *Refusal {
	return no("`%s` was revised twice already, and a third round would go in circles. Edit the file on the branch and say `/recheck`, or go on with `/resume`.", id)
}

func refuseQuality() *Refusal {
	return no("QUALITY-001 has not judged the specification yet. Wait for it; `/status --explain` says what comes before.")
}

func refuseRunning(task Task) *Refusal {
	if task.Status == TaskFailed || task.Status == TaskPartial {
		return no("`%s` was to do just that and did not succeed. `/retry %s` runs it again.", task.ID, task.ID)
	}
	return no("`%s` does just that and is not done yet. `/status` shows where it stands.", task.ID)
}

func refuseDimension(asked string) *Refusal {
	names := make([]string, len(Dimensions))
	for i, d := range Dimensions {
		names[i] = d.Name
	}
	return no("There is no dimension `%s`. There are %s.", word(asked), strings.Join(names, ", "))
}

func refuseNothingToResume(s Session) *Refusal {
	if s.Status == SessionAborted {
		return no("Session `%s` is over (%s). The label starts a new one.", s.ID, orDash(s.Ended))
	}
	return no("Session `%s` is finished; nothing waits. `/revise`, `/feedback`, `/improve` and `/recheck` still work.", s.ID)
}

func refuseMissingRole(s Session, w Wait) *Refusal {
	return no("`%s` cannot run: %s.", w.Task, w.Detail)
}

func refuseAnotherSession(s Session, open []EarlierSession) *Refusal {
	lines := []string{fmt.Sprintf("`%s` in pull request %d", s.ID, s.PR.Number)}
	for _, e := range open {
		lines = append(lines, fmt.Sprintf("`%s` in pull request %d", e.ID, e.PR))
	}
	return no("This issue has more than one open session: %s. Say `/resume <session id>`.", strings.Join(lines, ", "))
}

func refuseUnknownSession(s Session, asked string) *Refusal {
	return no("There is no session `%s` to resume here. The present one is `%s`.", word(asked), s.ID)
}

func refuseFinishEarly() *Refusal {
	return no("There is nothing to finish yet: the specification has not been judged. `/cancel` stops the session.")
}

func refuseFeedback() *Refusal {
	return no("What is the feedback? Say `/feedback <text>`.")
}

func refuseDiscuss() *Refusal {
	return no("Say `/discuss deepen`, `/discuss direction <text>` or `/discuss ask <question>`.")
}

func refuseDiscussions(n int) *Refusal {
	return no("This session has had its %d discussions. Decide with `/revise`, `/feedback` or `/resume`.", n)
}

func refuseFinding(s Session, asked string) *Refusal {
	var open []string
	for _, f := range s.Findings {
		if f.State != FindingAccepted && len(open) < 20 {
			open = append(open, "`"+f.ID+"`")
		}
	}
	list := "No finding is open."
	if len(open) > 0 {
		list = "Open are " + strings.Join(open, ", ") + "."
	}
	if asked == "" {
		return no("Which finding? %s", list)
	}
	return no("There is no open finding `%s`. %s", word(asked), list)
}

func refuseBlockerReason(id string) *Refusal {
	return no("`%s` is a blocker, and accepting one takes a reason: `/accept %s <reason>`.", id, id)
}

func refuseRetry(s Session, id TaskID) *Refusal {
	return no("`%s` has not failed, so there is nothing to retry. Failed are %s.", id,
		taskNames(s, func(t Task) bool { return t.Status == TaskFailed || t.Status == TaskPartial }))
}

func refuseOver(s Session) *Refusal {
	return no("Session `%s` is over already (%s).", s.ID, s.Status)
}

func sayLate(verb string, late time.Duration) string {
	return fmt.Sprintf("`/%s` was carried out %d minutes after it was written.", word(verb), int(late.Minutes()))
}

func sayDropped(n int) string {
	return fmt.Sprintf("Only the first five commands of a comment are taken; %d more were left out.", n)
}

func sayNoDiscussion(why string) string {
	return fmt.Sprintf("The discussion was not held: %s. Say it again in a while.", Inert(oneLine(why)))
}

func sayHint(verb string) string {
	return fmt.Sprintf("Did you mean `/%s`? Nothing was done. `/help` lists the commands.", word(verb))
}

const closingLine = "Closed with the session: the gate is green, and the ledger keeps what was open here."

func taskNames(s Session, want func(Task) bool) string {
	var names []string
	for _, t := range s.Tasks {
		if want == nil || want(t) {
			names = append(names, "`"+string(t.ID)+"`")
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Compact(names), ", ")
}

// short is a commit's id as people read it.
func short(head string) string {
	if head == "" {
		return "?"
	}
	return word(head[:min(7, len(head))])
}
