package pipeline

import (
	"fmt"
	"regexp"
	"strings"
)

// waiting is how one reason to wait is told: behind "Waiting: " in a title, as
// a clause, and as what a person may say. {task} and {gate} are filled in.
type waiting struct {
	title   string
	reason  string
	say     string
	buttons []CheckAction
}

var (
	buttonResume  = CheckAction{"Resume", "Go on with the next task", "resume"}
	buttonAccept  = CheckAction{"Accept and resume", "Take the risk in your name and go on", "resume"}
	buttonDefault = CheckAction{"Take the defaults", "Answer the questions by their defaults", "resume"}
	buttonImprove = CheckAction{"Improve", "Lift the weakest dimension, score again", "improve"}
	buttonRecheck = CheckAction{"Recheck", "Score again, after your own edits", "recheck"}
	buttonFinish  = CheckAction{"Finish", "End here, keep what is done", "finish"}
	buttonAgain   = CheckAction{"Try again", "Send what GitHub did not take", "resume"}
	buttonRetry   = CheckAction{"Retry", "Run the failed task again", "retry"}
)

var waitings = map[WaitReason]waiting{
	WaitCheckpoint: {"{gate}, a person decides", "the specification is ready and the gate says {gate}",
		"`/resume` goes on, `/improve` lifts the weakest dimension, `/finish` ends here.", nil},
	WaitQuestions: {"questions to answer", "{task} needs answers that the issue does not give",
		"`/feedback <answers>` answers, `/resume` takes the defaults.", []CheckAction{buttonDefault}},
	WaitBlocked: {"consensus blocked at {task}", "the round on {task} is blocked and a revision did not or cannot lift it",
		"`/revise {task} <what>` changes it, `/accept <finding> <reason>` drops a finding, `/resume` goes on as it is.",
		[]CheckAction{buttonAccept}},
	WaitSignOff: {"sign-off missing", "the final round did not sign the specification off",
		"`/revise <task>` or `/improve` changes it, `/resume` takes the risk in your name.",
		[]CheckAction{buttonAccept, buttonImprove, buttonRecheck}},
	WaitRetries: {"{task} failed three times", "{task} failed three times",
		"`/retry {task}` runs it again, `/cancel` stops.", []CheckAction{buttonRetry}},
	WaitStalled: {"nothing can start", "nothing is ready, nothing runs, and something is pending",
		"`/resume` looks again, `/retry <task>` runs a failed task, `/cancel` stops.", []CheckAction{buttonResume}},
	WaitMissingRole: {"{task} has no role here", "the role of {task} is not part of this installation",
		"`/finish` ends here with what is done.", []CheckAction{buttonFinish}},
	WaitEdited: {"edited by hand: /recheck", "a person changed the judged files",
		"`/recheck` scores them as they are now.", []CheckAction{buttonRecheck}},
	WaitQALoop: {"frontend checks still fail", "the frontend loop used its two rounds",
		"`/resume` goes on as it is, `/feedback <text>` says what to change.", []CheckAction{buttonAccept}},
	WaitRebuilt: {"rebuilt from the branch", "the state was read back from the branch; later decisions are asked for again",
		"`/resume` goes on from there.", []CheckAction{buttonResume, buttonRecheck}},
	WaitModel: {"{gate} by rules only", "this repository wants a model's judgement, and only rules answered",
		"`/recheck` tries again, `/resume` accepts the rules' word in your name.", []CheckAction{buttonAccept, buttonRecheck}},
	WaitUnsent: {"GitHub refused a write", "GitHub did not take what was to be written",
		"`/resume` tries it again, `/cancel` stops.", []CheckAction{buttonAgain}},
	WaitHeld: {"on hold", "the session is on hold", "`/resume` takes it up again.", []CheckAction{buttonResume}},
}

// gateButtons are those of a checkpoint, by what the gate says. At FAIL going
// on is possible and not offered.
var gateButtons = map[GateResult][]CheckAction{
	GatePass:   {buttonResume, buttonImprove, buttonFinish},
	GateReview: {buttonAccept, buttonImprove, buttonRecheck},
	GateFail:   {buttonImprove, buttonRecheck},
}

// gateSays is what a person may say at a checkpoint, by what the gate says.
var gateSays = map[GateResult]string{
	GatePass:   "`/resume` goes on, `/improve` lifts the weakest dimension, `/finish` ends here.",
	GateReview: "`/improve` lifts the weakest dimension, `/resume` accepts the score in your name, `/finish` ends here.",
	GateFail:   "`/revise` or `/improve` what the gate names; `/resume` forces it in your name.",
}

func waitingOf(s Session) waiting {
	if s.Wait == nil {
		return waiting{title: "a person decides", reason: "the session is paused", say: "`/resume` goes on.", buttons: []CheckAction{buttonResume}}
	}
	w, ok := waitings[s.Wait.Reason]
	if !ok {
		w = waiting{title: "a person decides", reason: string(s.Wait.Reason), say: "`/resume` goes on."}
	}
	task := string(s.Wait.Task)
	if task == "" {
		task = "a task"
	}
	fill := strings.NewReplacer("{task}", task, "{gate}", gateWords(s.Gate))
	w.title, w.reason = fill.Replace(w.title), fill.Replace(w.reason)
	if s.Wait.Reason == WaitCheckpoint && s.Gate != nil {
		w.say = gateSays[s.Gate.Result]
	}
	if s.Wait.Task == "" {
		w.say = strings.NewReplacer("/revise {task}", "/revise <task>", " {task}", "").Replace(w.say)
	}
	w.say = strings.ReplaceAll(w.say, "{task}", string(s.Wait.Task))
	return w
}

// reasonText is why the session waits, with what only this case knows.
func reasonText(s Session) string {
	reason := waitingOf(s).reason
	if s.Wait != nil && s.Wait.Detail != "" {
		reason += ": " + strings.TrimRight(InertLine(s.Wait.Detail, 120), ".")
	}
	return sentence(strings.ToUpper(reason[:1]) + reason[1:])
}

var loginPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}(_[A-Za-z0-9]+)?$`)

// WaitNotice names the person a session waits for, why, and the command, in
// two lines. It is the only text of ours that pings anybody; it is empty where
// nobody is to be told.
func WaitNotice(s Session) string {
	if s.Wait == nil || s.Settings.Notify == "none" && !s.unopened() {
		return ""
	}
	who := "This session waits."
	if names := waitedFor(s); len(names) > 0 {
		who = strings.Join(names, ", ") + ", this session waits for you."
	}
	return fmt.Sprintf("%s %s\n%s", who, reasonText(s), waitingOf(s).say)
}

// waitedFor names the issue's assignees where the repository wants that and
// there are some, whoever started the session otherwise.
func waitedFor(s Session) []string {
	logins := []string{s.Starter}
	if s.Settings.Notify == "assignees" && len(s.Issue.Assignees) > 0 {
		logins = first(s.Issue.Assignees, 3)
	}
	if s.Settings.Notify == "none" {
		logins = nil
	}
	var names []string
	for _, name := range logins {
		if loginPattern.MatchString(name) {
			names = append(names, "@"+name)
		}
	}
	return names
}

// gateWords is "REVIEW 79 %".
func gateWords(g *Gate) string {
	if g == nil {
		return "not scored"
	}
	return fmt.Sprintf("%s %s %%", g.Result, percent(g.Score))
}
