package githubsim

// state is the pull request's in GraphQL's three words.
func (p *Pull) state() string {
	if p.Merged {
		return "MERGED"
	}
	return upper(p.State)
}

func pullTable() typeTable {
	fields := conversation(func(p *Pull) *Issue { return p.Issue })
	for name, get := range map[string]func(*Pull) any{
		"id":                func(p *Pull) any { return p.NodeID },
		"databaseId":        func(p *Pull) any { return p.ID },
		"fullDatabaseId":    func(p *Pull) any { return big(p.ID) },
		"state":             func(p *Pull) any { return p.state() },
		"isDraft":           func(p *Pull) any { return p.Draft },
		"merged":            func(p *Pull) any { return p.Merged },
		"mergedAt":          func(p *Pull) any { return when(p.MergedAt) },
		"baseRefName":       func(p *Pull) any { return p.BaseRef },
		"baseRefOid":        func(p *Pull) any { return p.baseSHA() },
		"headRefName":       func(p *Pull) any { return p.HeadRef },
		"headRefOid":        func(p *Pull) any { return p.HeadSHA },
		"headRef":           func(p *Pull) any { return p.repo.branch(p.HeadRef) },
		"baseRef":           func(p *Pull) any { return p.repo.branch(p.BaseRef) },
		"headRepository":    func(p *Pull) any { return p.repo },
		"baseRepository":    func(p *Pull) any { return p.repo },
		"isCrossRepository": func(*Pull) any { return false },
		"mergeable":         func(*Pull) any { return "UNKNOWN" },
		"mergeCommit":       func(p *Pull) any { return p.repo.commitNode(p.MergeSHA) },
		"changedFiles":      func(p *Pull) any { return len(p.diff()) },
		"additions":         func(p *Pull) any { return p.counts()["additions"] },
		"deletions":         func(p *Pull) any { return p.counts()["deletions"] },
	} {
		fields[name] = plain(get)
	}
	fields["reviews"] = func(x *execution, p *Pull, a args) (any, error) {
		return connection(p.visible(x.caller), a)
	}
	fields["reviewThreads"] = func(x *execution, p *Pull, a args) (any, error) {
		return connection(p.visibleThreads(x.caller), a)
	}
	fields["files"] = func(_ *execution, p *Pull, a args) (any, error) {
		var out []object
		for _, d := range p.diff() {
			change := map[string]string{"added": "ADDED", "removed": "DELETED", "modified": "MODIFIED"}[d.Status]
			out = append(out, object{"path": d.Path, "additions": d.Additions, "deletions": d.Deletions, "changeType": change})
		}
		return connection(out, a)
	}
	fields["commits"] = func(_ *execution, p *Pull, a args) (any, error) {
		var out []object
		for _, c := range p.commits() {
			out = append(out, object{"id": "PRC_" + c.SHA, "commit": p.repo.commitNode(c.SHA)})
		}
		return connection(out, a)
	}
	fields["closingIssuesReferences"] = func(_ *execution, p *Pull, a args) (any, error) { return connection(p.closes(), a) }
	return table("PullRequest", fields)
}

// visibleThreads leaves out what other people have not submitted yet.
func (p *Pull) visibleThreads(c *caller) []*Thread {
	var out []*Thread
	for _, t := range p.Threads {
		if v := t.Comments[0].review; v.State != "PENDING" || v.Author == c.account {
			out = append(out, t)
		}
	}
	return out
}

func reviewTable() typeTable {
	return table("PullRequestReview", map[string]field[*Review]{
		"id":                plain(func(v *Review) any { return v.NodeID }),
		"databaseId":        plain(func(v *Review) any { return v.ID }),
		"fullDatabaseId":    plain(func(v *Review) any { return big(v.ID) }),
		"body":              plain(func(v *Review) any { return v.Body }),
		"state":             plain(func(v *Review) any { return v.State }),
		"author":            plain(func(v *Review) any { return v.Author }),
		"authorAssociation": plain(func(v *Review) any { return v.pull.repo.association(v.Author) }),
		"submittedAt":       plain(func(v *Review) any { return when(v.SubmittedAt) }),
		"createdAt":         plain(func(v *Review) any { return v.CreatedAt }),
		"updatedAt":         plain(func(v *Review) any { return v.UpdatedAt }),
		"commit":            plain(func(v *Review) any { return v.pull.repo.commitNode(v.CommitID) }),
		"url":               plain(func(v *Review) any { return v.web() }),
		"isMinimized":       plain(func(v *Review) any { return v.Minimized != "" }),
		"minimizedReason":   plain(func(v *Review) any { return orNull(lower(v.Minimized)) }),
		"pullRequest":       plain(func(v *Review) any { return v.pull }),
		"viewerDidAuthor":   func(x *execution, v *Review, _ args) (any, error) { return v.Author == x.caller.account, nil },
		"comments":          func(_ *execution, v *Review, a args) (any, error) { return connection(v.Comments, a) },
		"reactions":         func(_ *execution, v *Review, a args) (any, error) { return reactions(v.Reactions, a) },
	})
}

func threadTable() typeTable {
	may := func(x *execution, t *Thread, _ args) (any, error) {
		return x.caller.needs(t.pull.repo, "contents", RoleWrite) == nil, nil
	}
	return table("PullRequestReviewThread", map[string]field[*Thread]{
		"id":                plain(func(t *Thread) any { return t.NodeID }),
		"path":              plain(func(t *Thread) any { return t.Path }),
		"line":              plain(func(t *Thread) any { return orZero(t.Line) }),
		"startLine":         plain(func(t *Thread) any { return orZero(t.StartLine) }),
		"originalLine":      plain(func(t *Thread) any { return orZero(t.originalLine) }),
		"originalStartLine": plain(func(t *Thread) any { return orZero(t.originalStart) }),
		"diffSide":          plain(func(t *Thread) any { return t.Side }),
		"startDiffSide":     plain(func(t *Thread) any { return orNull(t.StartSide) }),
		"subjectType":       plain(func(t *Thread) any { return map[bool]string{true: "FILE", false: "LINE"}[t.File] }),
		"isResolved":        plain(func(t *Thread) any { return t.Resolved }),
		"isOutdated":        plain(func(t *Thread) any { return t.Outdated }),
		"resolvedBy":        plain(func(t *Thread) any { return t.ResolvedBy }),
		"pullRequest":       plain(func(t *Thread) any { return t.pull }),
		"comments":          func(_ *execution, t *Thread, a args) (any, error) { return connection(t.Comments, a) },
		"viewerCanResolve":  may, "viewerCanUnresolve": may,
		"viewerCanReply": plain(func(t *Thread) any { return !t.pull.Locked }),
	})
}

func reviewCommentTable() typeTable {
	return table("PullRequestReviewComment", map[string]field[*ReviewComment]{
		"id":                plain(func(k *ReviewComment) any { return k.NodeID }),
		"databaseId":        plain(func(k *ReviewComment) any { return k.ID }),
		"fullDatabaseId":    plain(func(k *ReviewComment) any { return big(k.ID) }),
		"body":              plain(func(k *ReviewComment) any { return k.Body }),
		"author":            plain(func(k *ReviewComment) any { return k.Author }),
		"authorAssociation": plain(func(k *ReviewComment) any { return k.thread.pull.repo.association(k.Author) }),
		"path":              plain(func(k *ReviewComment) any { return k.thread.Path }),
		"line":              plain(func(k *ReviewComment) any { return orZero(k.thread.Line) }),
		"startLine":         plain(func(k *ReviewComment) any { return orZero(k.thread.StartLine) }),
		"createdAt":         plain(func(k *ReviewComment) any { return k.CreatedAt }),
		"updatedAt":         plain(func(k *ReviewComment) any { return k.UpdatedAt }),
		"url":               plain(func(k *ReviewComment) any { return k.web() }),
		"pullRequestReview": plain(func(k *ReviewComment) any { return k.review }),
		"pullRequest":       plain(func(k *ReviewComment) any { return k.thread.pull }),
		"diffHunk":          plain(func(k *ReviewComment) any { return k.thread.hunk }),
		"replyTo":           plain(func(k *ReviewComment) any { return k.replyTo }),
		"isMinimized":       plain(func(k *ReviewComment) any { return k.Minimized != "" }),
		"minimizedReason":   plain(func(k *ReviewComment) any { return orNull(lower(k.Minimized)) }),
		"outdated":          plain(func(k *ReviewComment) any { return k.thread.Outdated }),
		"commit":            plain(func(k *ReviewComment) any { return k.thread.pull.repo.commitNode(k.commitID) }),
		"viewerDidAuthor":   func(x *execution, k *ReviewComment, _ args) (any, error) { return k.Author == x.caller.account, nil },
		"reactions":         func(_ *execution, k *ReviewComment, a args) (any, error) { return reactions(k.Reactions, a) },
	})
}
