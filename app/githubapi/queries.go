package githubapi

import (
	"fmt"
	"strings"
)

// Every GraphQL document this package sends is in this file: the queries
// whole, the mutations as a table of fields that one request strings together
// by alias. Each is valid against GitHub's public schema.

// mutationField is one field of the mutation root with what is asked back.
type mutationField struct {
	name  string
	input string // its input type
	ask   string // its selection
}

const (
	askPull   = `id fullDatabaseId number url isDraft state headRefOid body`
	askThread = `id isResolved isOutdated path line subjectType comments(first: 1) { nodes { id fullDatabaseId body viewerDidAuthor } }`
	askReview = `id fullDatabaseId url body pullRequest { reviewThreads(last: 50) { nodes { ` + askThread + ` } } }`
	askCheck  = `checkRun { id databaseId url status }`
	askNote   = `id fullDatabaseId url`
)

// The mutations. createCommitOnBranch is the only one that uses a second
// variable, $folder.
var (
	createRef    = mutationField{"createRef", "CreateRefInput!", `ref { id target { oid } }`}
	createCommit = mutationField{"createCommitOnBranch", "CreateCommitOnBranchInput!", `commit { oid url folder: file(path: $folder) { oid } }` +
		` ref { associatedPullRequests(first: 5, states: [OPEN]) { nodes { ` + askPull + ` } } }`}
	createPull    = mutationField{"createPullRequest", "CreatePullRequestInput!", `pullRequest { ` + askPull + ` }`}
	updatePull    = mutationField{"updatePullRequest", "UpdatePullRequestInput!", `pullRequest { ` + askPull + ` }`}
	readyPull     = mutationField{"markPullRequestReadyForReview", "MarkPullRequestReadyForReviewInput!", `pullRequest { ` + askPull + ` }`}
	closePull     = mutationField{"closePullRequest", "ClosePullRequestInput!", `pullRequest { ` + askPull + ` }`}
	addReview     = mutationField{"addPullRequestReview", "AddPullRequestReviewInput!", `pullRequestReview { ` + askReview + ` }`}
	addFileThread = mutationField{"addPullRequestReviewThread", "AddPullRequestReviewThreadInput!", `thread { ` + askThread + ` }`}
	submitReview  = mutationField{"submitPullRequestReview", "SubmitPullRequestReviewInput!", `pullRequestReview { ` + askReview + ` }`}
	updateReview  = mutationField{"updatePullRequestReview", "UpdatePullRequestReviewInput!", `pullRequestReview { ` + askNote + ` }`}
	createCheck   = mutationField{"createCheckRun", "CreateCheckRunInput!", askCheck}
	updateCheck   = mutationField{"updateCheckRun", "UpdateCheckRunInput!", askCheck}
	addComment    = mutationField{"addComment", "AddCommentInput!", `commentEdge { node { ` + askNote + ` } }`}
	editComment   = mutationField{"updateIssueComment", "UpdateIssueCommentInput!", `issueComment { ` + askNote + ` }`}
	addReply      = mutationField{"addPullRequestReviewThreadReply", "AddPullRequestReviewThreadReplyInput!", `comment { ` + askNote + ` }`}
	addReaction   = mutationField{"addReaction", "AddReactionInput!", `reaction { id content }`}
	resolveThread = mutationField{"resolveReviewThread", "ResolveReviewThreadInput!", `thread { id isResolved }`}
	reopenThread  = mutationField{"unresolveReviewThread", "UnresolveReviewThreadInput!", `thread { id isResolved }`}
	addAssignee   = mutationField{"addAssigneesToAssignable", "AddAssigneesToAssignableInput!", `clientMutationId`}
	deleteRef     = mutationField{"deleteRef", "DeleteRefInput!", `clientMutationId`}
)

// mutationDocument strings the fields together; the n-th is aliased w<n> and
// takes $i<n>.
func mutationDocument(fields []mutationField) string {
	var head, body strings.Builder
	for n, f := range fields {
		if n > 0 {
			head.WriteString(", ")
		}
		fmt.Fprintf(&head, "$i%d: %s", n, f.input)
		if strings.Contains(f.ask, "$folder") && !strings.Contains(head.String(), "$folder") {
			head.WriteString(", $folder: String!")
		}
		fmt.Fprintf(&body, "  w%d: %s(input: $i%d) { %s }\n", n, f.name, n, f.ask)
	}
	return "mutation Deliver(" + head.String() + ") {\n" + body.String() + "}"
}

const askBlob = `... on Blob { oid text isBinary isTruncated byteSize }`

// briefQuery reads all a session needs to begin. `.github` of the owner may be
// missing or out of reach: that is a NOT_FOUND at path "org", and no failure.
const briefQuery = `query Brief($owner: String!, $name: String!, $issue: Int!, $refPrefix: String!, $refQuery: String!) {
  repository(owner: $owner, name: $name) {
    id databaseId name isPrivate isArchived owner { login }
    defaultBranchRef { name target { oid } }
    config: object(expression: "HEAD:.github/parley.yml") { ` + askBlob + ` }
    package: object(expression: "HEAD:package.json") { ` + askBlob + ` }
    sessions: object(expression: "HEAD:.workflow/.team") {
      ... on Tree { entries { name type object { ... on Tree { entries { name type } } } } }
    }
    issue(number: $issue) {
      id number title body state author { __typename login }
      labels(first: 100) { nodes { name } }
      assignees(first: 10) { nodes { login } }
      comments(last: 100) { totalCount nodes { id body createdAt isMinimized viewerDidAuthor author { __typename login } } }
    }
    refs(refPrefix: $refPrefix, query: $refQuery, first: 20) {
      nodes { name target { oid } associatedPullRequests(first: 3) { nodes { number state headRefName viewerDidAuthor } } }
    }
    pullRequests(first: 50, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { number state headRefName viewerDidAuthor }
    }
  }
  org: repository(owner: $owner, name: ".github") {
    config: object(expression: "HEAD:.github/parley.yml") { ` + askBlob + ` }
    root: object(expression: "HEAD:parley.yml") { ` + askBlob + ` }
  }
}`

// askTree asks for a tree four levels deep: what facts 6.1 lists, and one more.
func askTree(blob string) string {
	ask := blob
	for range 4 {
		ask = strings.TrimSpace(blob + ` ... on Tree { oid entries { name type mode oid object { __typename ` + ask + ` } } }`)
	}
	return ask
}

// folderQuery reads the session folder whole. $tree is "<ref>:<folder>".
var folderQuery = `query Folder($owner: String!, $name: String!, $ref: String!, $tree: String!) {
  repository(owner: $owner, name: $name) {
    head: object(expression: $ref) { ... on Commit {
      oid author { name user { login } }
      associatedPullRequests(first: 5) { nodes { number state headRefOid changedFiles files(first: 100) { nodes { path } } } }
    } }
    tree: object(expression: $tree) { ` + askTree(askBlob) + ` }
  }
}`

// branchQuery tells what a moved branch changed: the folder as we knew it
// ($known is "<commit>:<folder>") beside the folder as it is ($tree is
// "<branch>:<folder>"), ids only, with the newest commits and their messages,
// and the pull requests that were ever opened from it.
var branchQuery = `query Branch($owner: String!, $name: String!, $branch: String!, $head: String!, $known: String!, $tree: String!) {
  repository(owner: $owner, name: $name) {
    id
    ref(qualifiedName: $branch) { id target { oid ... on Commit { history(first: 30) { nodes { oid message author { user { login } } } } } } }
    known: object(expression: $known) { ` + askTree("") + ` }
    tree: object(expression: $tree) { ` + askTree("") + ` }
    pullRequests(headRefName: $head, first: 5, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { ` + askPull + ` viewerDidAuthor } }
  }
}`

// blobQuery reads one file at a commit.
const blobQuery = `query File($owner: String!, $name: String!, $expression: String!) {
  repository(owner: $owner, name: $name) { object(expression: $expression) { ` + askBlob + ` } }
}`

// pullQuery reads the pull request before a write that depends on what it says
// now: the body the panel stands in, and, on a second try, our own comments,
// reviews and check runs with their markers.
const pullQuery = `query Pull($owner: String!, $name: String!, $pr: Int!, $issue: Int!, $other: Int!, $branch: String!, $login: String!, $app: Int!,
    $withPull: Boolean!, $withIssue: Boolean!, $withOther: Boolean!, $withRef: Boolean!, $withLogin: Boolean!, $again: Boolean!) {
  repository(owner: $owner, name: $name) {
    id
    ref(qualifiedName: $branch) @include(if: $withRef) { id target { oid } }
    pullRequest(number: $pr) @include(if: $withPull) {
      ` + askPull + `
      comments(last: 100) @include(if: $again) { nodes { ` + askNote + ` body viewerDidAuthor } }
      reviews(last: 50) @include(if: $again) { nodes { ` + askNote + ` body viewerDidAuthor } }
      reviewThreads(last: 100) @include(if: $again) { nodes { id isResolved isOutdated path line subjectType
        comments(last: 30) { nodes { id fullDatabaseId url body viewerDidAuthor } } } }
      commits(last: 1) @include(if: $again) { nodes { commit { oid
        checkSuites(first: 5, filterBy: { appId: $app }) { nodes { checkRuns(first: 50) { nodes { id databaseId url name status conclusion title externalId } } } } } } }
    }
    issue(number: $issue) @include(if: $withIssue) {
      id comments(last: 100) @include(if: $again) { nodes { ` + askNote + ` body viewerDidAuthor } }
    }
    other: issueOrPullRequest(number: $other) @include(if: $withOther) { ... on Issue { id } ... on PullRequest { id } }
  }
  user(login: $login) @include(if: $withLogin) { id }
}`

// threadsQuery lists review threads, a hundred at a time.
const threadsQuery = `query Threads($owner: String!, $name: String!, $pr: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $pr) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved path line originalLine comments(first: 50) { nodes { fullDatabaseId body viewerDidAuthor author { __typename login } } } }
    }
  } }
}`

// labelledQuery lists open issues that carry a label, newest change first,
// with when the label was set and whether a session comment of ours is there.
const labelledQuery = `query Labelled($owner: String!, $name: String!, $label: String!, $since: DateTime!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(first: 50, after: $after, states: [OPEN], labels: [$label], filterBy: { since: $since }) {
      pageInfo { hasNextPage endCursor }
      nodes { number
        timelineItems(last: 20, itemTypes: [LABELED_EVENT]) { nodes { ... on LabeledEvent { createdAt label { name } actor { __typename login } } } }
        comments(last: 100) { pageInfo { hasPreviousPage startCursor } nodes { body viewerDidAuthor } }
      }
    }
  }
}`

// earlierTalkQuery reads the comments before those.
const earlierTalkQuery = `query EarlierTalk($owner: String!, $name: String!, $issue: Int!, $before: String!) {
  repository(owner: $owner, name: $name) {
    issue(number: $issue) { comments(last: 100, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { body viewerDidAuthor } } }
  }
}`

// openPullsQuery lists open pull requests with what our check says of their heads.
const openPullsQuery = `query Open($owner: String!, $name: String!, $app: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 50, after: $after, states: [OPEN]) {
      pageInfo { hasNextPage endCursor }
      nodes { number headRefName headRefOid viewerDidAuthor
        commits(last: 1) { nodes { commit {
          checkSuites(first: 5, filterBy: { appId: $app }) { nodes { checkRuns(first: 20) { nodes { id databaseId name status conclusion externalId } } } } } } }
      }
    }
  }
}`

// gateQuery reads our check on the head of one pull request.
const gateQuery = `query Gate($owner: String!, $name: String!, $pr: Int!, $app: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $pr) { number headRefName headRefOid viewerDidAuthor
      commits(last: 1) { nodes { commit {
        checkSuites(first: 5, filterBy: { appId: $app }) { nodes { checkRuns(first: 20) { nodes { id databaseId name status conclusion externalId } } } } } } }
    }
  }
}`
