package githubapi

// The mutations' inputs, as GitHub's schema names them.

type createRefInput struct {
	RepositoryID string `json:"repositoryId"`
	Name         string `json:"name"`
	OID          string `json:"oid"`
}

type createCommitInput struct {
	Branch          branchName    `json:"branch"`
	ExpectedHeadOID string        `json:"expectedHeadOid"`
	Message         commitMessage `json:"message"`
	FileChanges     fileChanges   `json:"fileChanges"`
}

type branchName struct {
	Repository string `json:"repositoryNameWithOwner"`
	Name       string `json:"branchName"`
}

type commitMessage struct {
	Headline string `json:"headline"`
	Body     string `json:"body,omitempty"`
}

type fileChanges struct {
	Additions []addition `json:"additions,omitempty"`
	Deletions []deletion `json:"deletions,omitempty"`
}

type addition struct {
	Path     string `json:"path"`
	Contents []byte `json:"contents"` // base64 on the wire
}

type deletion struct {
	Path string `json:"path"`
}

type createPullInput struct {
	RepositoryID string `json:"repositoryId"`
	BaseRefName  string `json:"baseRefName"`
	HeadRefName  string `json:"headRefName"`
	Title        string `json:"title"`
	Body         string `json:"body"`
	Draft        bool   `json:"draft"`
}

type updatePullInput struct {
	PullRequestID string `json:"pullRequestId"`
	Body          string `json:"body"`
}

type pullInput struct {
	PullRequestID string `json:"pullRequestId"`
}

type addReviewInput struct {
	PullRequestID string        `json:"pullRequestId"`
	CommitOID     string        `json:"commitOID,omitempty"`
	Body          string        `json:"body,omitempty"`
	Event         string        `json:"event,omitempty"`
	Threads       []draftThread `json:"threads,omitempty"`
}

type draftThread struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"startLine,omitempty"`
	StartSide string `json:"startSide,omitempty"`
	Body      string `json:"body"`
}

type fileThreadInput struct {
	PullRequestID string `json:"pullRequestId"`
	SubjectType   string `json:"subjectType"`
	Path          string `json:"path"`
	Body          string `json:"body"`
}

type submitReviewInput struct {
	PullRequestID string `json:"pullRequestId"`
	Event         string `json:"event"`
	Body          string `json:"body"`
}

type updateReviewInput struct {
	ReviewID string `json:"pullRequestReviewId"`
	Body     string `json:"body"`
}

// checkInput serves createCheckRun and, with CheckRunID and without HeadSHA,
// updateCheckRun.
type checkInput struct {
	RepositoryID string      `json:"repositoryId"`
	CheckRunID   string      `json:"checkRunId,omitempty"`
	Name         string      `json:"name"`
	HeadSHA      string      `json:"headSha,omitempty"`
	Status       string      `json:"status"`
	Conclusion   string      `json:"conclusion,omitempty"`
	DetailsURL   string      `json:"detailsUrl,omitempty"`
	ExternalID   string      `json:"externalId,omitempty"`
	Output       checkOutput `json:"output"`
	Actions      []runButton `json:"actions,omitempty"`
}

type checkOutput struct {
	Title       string           `json:"title"`
	Summary     string           `json:"summary"`
	Text        string           `json:"text,omitempty"`
	Annotations []lineAnnotation `json:"annotations,omitempty"`
}

type lineAnnotation struct {
	Path     string       `json:"path"`
	Location lineLocation `json:"location"`
	Level    string       `json:"annotationLevel"`
	Message  string       `json:"message"`
}

type lineLocation struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

type runButton struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

type addCommentInput struct {
	SubjectID string `json:"subjectId"`
	Body      string `json:"body"`
}

type editCommentInput struct {
	ID   string `json:"id"`
	Body string `json:"body"`
}

type replyInput struct {
	ThreadID string `json:"pullRequestReviewThreadId"`
	Body     string `json:"body"`
}

type reactionInput struct {
	SubjectID string `json:"subjectId"`
	Content   string `json:"content"`
}

type threadInput struct {
	ThreadID string `json:"threadId"`
}

type assigneeInput struct {
	AssignableID string   `json:"assignableId"`
	AssigneeIDs  []string `json:"assigneeIds"`
}

type deleteRefInput struct {
	RefID string `json:"refId"`
}
