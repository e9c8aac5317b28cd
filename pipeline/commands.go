package pipeline

// CommandSpec describes one verb. The table drives the parser, the help text, the refusals
// and the README.
type CommandSpec struct {
	Verb    string
	Aliases []string
	Usage   string // "/revise <TASK-ID> [text]"
	Help    string
	Who     Permission
	// IssueAuthor may use it whatever his permission.
	IssueAuthor bool
	// Off is the reason a verb is refused and absent from /help.
	Off string
}

// Commands is the table of verbs, in the order /help shows them.
var Commands = []CommandSpec{
	{Verb: "status", Aliases: []string{"check"}, Usage: "/status [--explain]", Who: PermTriage, IssueAuthor: true,
		Help: "shows where the session stands and changes nothing; `--explain` says what it waits for"},
	{Verb: "resume", Aliases: []string{"continue", "next"}, Usage: "/resume [session]", Who: PermWrite,
		Help: "goes on; at a REVIEW or FAIL gate you take the risk by name"},
	{Verb: "revise", Usage: "/revise <TASK-ID> [text]", Who: PermWrite,
		Help: "rewrites that document and what hangs on it; without text it takes the open comments on it"},
	{Verb: "feedback", Usage: "/feedback <text>", Who: PermWrite,
		Help: "finds the documents your remark concerns and revises those"},
	{Verb: "recheck", Usage: "/recheck", Who: PermWrite,
		Help: "scores the quality again, after your own edits"},
	{Verb: "improve", Usage: "/improve [dimension]", Who: PermWrite,
		Help: "lifts the weakest dimension, or the one you name, then scores again"},
	{Verb: "finish", Usage: "/finish", Who: PermWrite,
		Help: "ends here with the specification; at REVIEW or FAIL you take the risk by name"},
	{Verb: "discuss", Usage: "/discuss deepen | direction <text> | ask <question>", Who: PermWrite,
		Help: "holds one more round on what you name and adds it to the timeline"},
	{Verb: "accept", Usage: "/accept <finding> [reason]", Who: PermWrite,
		Help: "drops a finding in your name; in its thread the finding need not be named"},
	{Verb: "retry", Usage: "/retry <TASK-ID>", Who: PermWrite, Help: "runs a failed task again"},
	{Verb: "cancel", Usage: "/cancel", Who: PermWrite, Help: "stops and closes; branch and files stay"},
	{Verb: "start", Usage: "/lifecycle start [mode] [--track tiny]", Who: PermWrite,
		Help: "starts a session on this issue, as the label does"},
	{Verb: "consult", Usage: "/consult <question>", Who: PermWrite,
		Help: "asks the architect", Off: "the architect comes with the implementation half"},
	{Verb: "extend", Usage: "/extend <text>", Who: PermWrite,
		Help: "appends to a finished session", Off: "extending comes with the implementation half"},
	{Verb: "help", Usage: "/help", Who: PermTriage, Help: "shows this table"},
}
