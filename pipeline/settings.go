package pipeline

// Settings is what a repository or its organisation configures. The zero
// value is not usable; start from DefaultSettings.
type Settings struct {
	Label           string       `json:"label"`
	BranchPrefix    string       `json:"branch_prefix"`
	DefaultMode     Mode         `json:"default_mode"`
	Track           Track        `json:"track"`
	Title           string       `json:"title"` // pull request title, {title} is the issue's
	Trailers        []string     `json:"trailers,omitempty"`
	DeleteBranch    bool         `json:"delete_branch"`
	Keep            string       `json:"keep"`   // all, documents
	Review          string       `json:"review"` // each, blocked
	Notify          string       `json:"notify"` // starter, assignees, none
	BareCommands    bool         `json:"bare_commands"`
	OtherPulls      string       `json:"other_pulls"`       // silent, success
	LiteralSeverity bool         `json:"literal_consensus"` // C1's switch
	DryRun          bool         `json:"dry_run"`
	Enabled         bool         `json:"enabled"`
	Gate            GateSettings `json:"gate"`
	QuestionHours   int          `json:"question_hours"`
	// Implementation says that this build has the roles of the implementation
	// half. It is the program's to set, never a repository's.
	Implementation bool `json:"implementation,omitempty"`
	// DisabledRules are lint rules that do not apply here, each with its reason.
	DisabledRules map[string]string `json:"disabled_rules,omitempty"`
}

// GateSettings says who may accept what.
type GateSettings struct {
	RequireModel      bool       `json:"require_model"`
	AcceptReview      Permission `json:"accept_review"`
	AcceptFail        Permission `json:"accept_fail"`
	AcceptIssueAuthor bool       `json:"accept_issue_author"`
}

// DefaultSettings is how Parley behaves where nothing is configured.
func DefaultSettings() Settings {
	return Settings{
		Label: "lifecycle", BranchPrefix: "lifecycle/", DefaultMode: SpecOnly, Track: TrackStandard,
		Title: "spec: {title}", Keep: "all", Review: "each", Notify: "starter", BareCommands: true,
		OtherPulls: "silent", Enabled: true, QuestionHours: 72,
		Gate: GateSettings{AcceptReview: PermWrite, AcceptFail: PermMaintain, AcceptIssueAuthor: true},
	}
}

// Permission is a person's standing in a repository, weakest first.
type Permission int

const (
	PermNone Permission = iota
	PermRead
	PermTriage
	PermWrite
	PermMaintain
	PermAdmin
)

// PermissionNames are GitHub's words, in the order of the constants.
var PermissionNames = []string{"none", "read", "triage", "write", "maintain", "admin"}

func (p Permission) String() string {
	if p < PermNone || p > PermAdmin {
		return "unknown"
	}
	return PermissionNames[p]
}
