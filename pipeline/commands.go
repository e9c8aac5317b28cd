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
