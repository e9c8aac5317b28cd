package githubsim

import ()

func (w *World) reactionsJSON(url string, list []*Reaction) object {
	out := object{"url": url + "/reactions", "total_count": len(list)}
	for _, name := range reactionNames {
		out[name] = 0
	}
	for _, r := range list {
		out[reactionNames[r.Content]] = out[reactionNames[r.Content]].(int) + 1
	}
	return out
}

func (w *World) reactionJSON(r *Reaction) object {
	return object{"id": r.ID, "node_id": r.NodeID, "user": w.userJSON(r.By), "content": reactionNames[r.Content], "created_at": when(r.At)}
}

func (i *Issue) path() string {
	if i.pull != nil {
		return "pull"
	}
	return "issues"
}

func (w *World) issueJSON(i *Issue) object {
	r := i.repo
	url := r.api("/issues/%d", i.Number)
	labels := []object{}
	for _, l := range i.Labels {
		labels = append(labels, w.labelJSON(r, l))
	}
	out := object{
		"id": i.ID, "node_id": i.node(), "number": i.Number, "title": i.Title, "body": orNull(i.Body), "user": w.userJSON(i.Author),
		"url": url, "repository_url": r.api(""), "labels_url": url + "/labels{/name}", "comments_url": url + "/comments",
		"events_url": url + "/events", "timeline_url": url + "/timeline", "html_url": r.web("/%s/%d", i.path(), i.Number),
		"labels": labels, "state": i.State, "state_reason": orNull(i.StateReason), "locked": i.Locked, "active_lock_reason": nil,
		"assignee": nil, "assignees": w.usersJSON(i.Assignees), "milestone": nil, "comments": len(i.Comments),
		"created_at": when(i.CreatedAt), "updated_at": when(i.UpdatedAt), "closed_at": when(i.ClosedAt), "closed_by": nil,
		"author_association": r.association(i.Author), "reactions": w.reactionsJSON(url, i.Reactions),
		"performed_via_github_app": w.appOrNull(i.app),
	}
	if len(i.Assignees) > 0 {
		out["assignee"] = w.userJSON(i.Assignees[0])
	}
	if p := i.pull; p != nil {
		out["draft"] = p.Draft
		out["pull_request"] = object{
			"url": r.api("/pulls/%d", i.Number), "html_url": r.web("/pull/%d", i.Number),
			"diff_url": r.web("/pull/%d.diff", i.Number), "patch_url": r.web("/pull/%d.patch", i.Number), "merged_at": when(p.MergedAt),
		}
	} else {
		out["sub_issues_summary"] = object{"total": 0, "completed": 0, "percent_completed": 0}
		out["issue_dependencies_summary"] = object{"blocked_by": 0, "blocking": 0, "total_blocked_by": 0, "total_blocking": 0}
	}
	return out
}

// node is the conversation's global id: a pull request's where it is one.
func (i *Issue) node() string {
	if i.pull != nil {
		return i.pull.NodeID
	}
	return i.NodeID
}

func (w *World) appOrNull(a *App) any {
	if a == nil {
		return nil
	}
	return w.appJSON(a)
}

func (k *Comment) web() string {
	return k.issue.repo.web("/%s/%d#issuecomment-%d", k.issue.path(), k.issue.Number, k.ID)
}

func (w *World) commentJSON(k *Comment) object {
	r := k.issue.repo
	url := r.api("/issues/comments/%d", k.ID)
	return object{
		"id": k.ID, "node_id": k.NodeID, "url": url, "html_url": k.web(), "issue_url": r.api("/issues/%d", k.issue.Number),
		"body": k.Body, "user": w.userJSON(k.Author), "created_at": when(k.CreatedAt), "updated_at": when(k.UpdatedAt),
		"author_association": r.association(k.Author), "reactions": w.reactionsJSON(url, k.Reactions),
		"performed_via_github_app": w.appOrNull(k.app),
	}
}

func (p *Pull) sideJSON(ref, sha string) object {
	r := p.repo
	return object{"label": r.Owner.Login + ":" + ref, "ref": ref, "sha": sha, "user": r.world.userJSON(r.Owner), "repo": r.world.repoJSON(r)}
}

// pullJSON renders a pull request; full adds the counts and the merge state
// that only a single one and its own events carry.
func (w *World) pullJSON(p *Pull, full bool) object {
	r := p.repo
	url := r.api("/pulls/%d", p.Number)
	html := r.web("/pull/%d", p.Number)
	issue := w.issueJSON(p.Issue)
	out := object{
		"id": p.ID, "node_id": p.NodeID, "url": url, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch",
		"issue_url": r.api("/issues/%d", p.Number), "commits_url": url + "/commits", "review_comments_url": url + "/comments",
		"review_comment_url": r.api("/pulls/comments{/number}"), "comments_url": issue["comments_url"],
		"statuses_url": r.api("/statuses/%s", p.HeadSHA), "number": p.Number, "merged_at": when(p.MergedAt),
		"merge_commit_sha": orNull(p.MergeSHA), "requested_reviewers": []object{}, "requested_teams": []object{}, "draft": p.Draft,
		"head": p.sideJSON(p.HeadRef, p.HeadSHA), "base": p.sideJSON(p.BaseRef, p.baseSHA()), "auto_merge": nil,
		"_links": object{
			"self": href(url), "html": href(html), "issue": href(r.api("/issues/%d", p.Number)),
			"comments": href(r.api("/issues/%d/comments", p.Number)), "review_comments": href(url + "/comments"),
			"review_comment": href(r.api("/pulls/comments{/number}")), "commits": href(url + "/commits"),
			"statuses": href(r.api("/statuses/%s", p.HeadSHA)),
		},
	}
	for _, k := range []string{"title", "body", "user", "labels", "state", "locked", "active_lock_reason", "assignee",
		"assignees", "milestone", "created_at", "updated_at", "closed_at", "author_association"} {
		out[k] = issue[k]
	}
	if full {
		out.with(p.counts())
	}
	return out
}

func href(url string) object { return object{"href": url} }

func (p *Pull) counts() object {
	diff := p.diff()
	added, removed, threads := 0, 0, 0
	for _, d := range diff {
		added, removed = added+d.Additions, removed+d.Deletions
	}
	for _, t := range p.Threads {
		threads += len(t.Comments)
	}
	return object{
		"merged": p.Merged, "mergeable": nil, "rebaseable": nil, "mergeable_state": "unknown",
		"merged_by": p.repo.world.userOrNull(p.MergedBy), "comments": len(p.Comments), "review_comments": threads,
		"maintainer_can_modify": false, "commits": len(p.commits()), "additions": added, "deletions": removed, "changed_files": len(diff),
	}
}

func (v *Review) web() string {
	return v.pull.repo.web("/pull/%d#pullrequestreview-%d", v.pull.Number, v.ID)
}

func (w *World) reviewJSON(v *Review) object {
	r := v.pull.repo
	pull := r.api("/pulls/%d", v.pull.Number)
	out := object{
		"id": v.ID, "node_id": v.NodeID, "user": w.userJSON(v.Author), "body": v.Body, "state": v.State, "commit_id": v.CommitID,
		"html_url": v.web(), "pull_request_url": pull, "author_association": r.association(v.Author),
		"_links": object{"html": href(v.web()), "pull_request": href(pull)},
	}
	if !v.SubmittedAt.IsZero() {
		out["submitted_at"] = when(v.SubmittedAt)
	}
	return out
}

func (k *ReviewComment) web() string {
	p := k.thread.pull
	return p.repo.web("/pull/%d#discussion_r%d", p.Number, k.ID)
}

func orZero(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (w *World) reviewCommentJSON(k *ReviewComment) object {
	t := k.thread
	r := t.pull.repo
	url := r.api("/pulls/comments/%d", k.ID)
	pull := r.api("/pulls/%d", t.pull.Number)
	out := object{
		"id": k.ID, "node_id": k.NodeID, "url": url, "html_url": k.web(), "pull_request_url": pull,
		"pull_request_review_id": k.review.ID, "diff_hunk": t.hunk, "path": t.Path, "commit_id": t.pull.HeadSHA,
		"original_commit_id": k.commitID, "user": w.userJSON(k.Author), "body": k.Body,
		"created_at": when(k.CreatedAt), "updated_at": when(k.UpdatedAt), "author_association": r.association(k.Author),
		"reactions":    w.reactionsJSON(url, k.Reactions),
		"_links":       object{"self": href(url), "html": href(k.web()), "pull_request": href(pull)},
		"subject_type": "line", "side": t.Side, "line": orZero(t.Line), "original_line": orZero(t.originalLine),
		"start_line": orZero(t.StartLine), "original_start_line": orZero(t.originalStart), "start_side": orNull(t.StartSide),
	}
	if t.File {
		out["subject_type"] = "file"
	}
	for _, k := range []string{"line", "original_line"} {
		if out[k] == nil {
			delete(out, k) // GitHub's description forbids null here
		}
	}
	if t.position > 0 {
		out["original_position"] = t.position
		if !t.Outdated {
			out["position"] = t.position
		}
	}
	if k.replyTo != nil {
		out["in_reply_to_id"] = k.replyTo.ID
	}
	return out
}

// reviewsCommentJSON is a comment as the list of one review gives it, where
// GitHub still says positions in the diff.
func (w *World) reviewsCommentJSON(k *ReviewComment) object {
	out := w.reviewCommentJSON(k)
	if out["position"] == nil {
		out["position"] = nil
	}
	out["original_position"] = max(1, k.thread.position)
	return out
}

func (w *World) fileJSON(p *Pull, d fileDiff) object {
	out := object{
		"sha": d.SHA, "filename": d.Path, "status": d.Status, "additions": d.Additions, "deletions": d.Deletions,
		"changes":  d.Additions + d.Deletions,
		"blob_url": p.repo.web("/blob/%s/%s", p.HeadSHA, d.Path), "raw_url": p.repo.web("/raw/%s/%s", p.HeadSHA, d.Path),
		"contents_url": p.repo.api("/contents/%s?ref=%s", d.Path, p.HeadSHA),
	}
	if !d.Binary && len(d.Hunks) > 0 {
		out["patch"] = d.patch()
	}
	return out
}

func pullRefs(pulls []*Pull) []object {
	out := []object{}
	for _, p := range pulls {
		r := p.repo
		stub := object{"id": r.ID, "url": r.api(""), "name": r.Name}
		out = append(out, object{
			"id": p.ID, "number": p.Number, "url": r.api("/pulls/%d", p.Number),
			"head": object{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": stub},
			"base": object{"ref": p.BaseRef, "sha": p.baseSHA(), "repo": stub},
		})
	}
	return out
}

// checkJSON renders a run; events carry the whole suite within.
func (w *World) checkJSON(k *Check, whole bool) object {
	r := k.suite.repo
	url := r.api("/check-runs/%d", k.ID)
	details := k.DetailsURL
	if details == "" {
		details = r.web("/runs/%d", k.ID)
	}
	out := object{
		"id": k.ID, "node_id": k.NodeID, "name": k.Name, "head_sha": k.HeadSHA, "external_id": k.ExternalID,
		"url": url, "html_url": r.web("/runs/%d", k.ID), "details_url": details, "status": k.Status,
		"conclusion": orNull(k.Conclusion), "started_at": when(k.StartedAt), "completed_at": when(k.CompletedAt),
		"output": object{"title": orNull(k.Title), "summary": orNull(k.Summary), "text": orNull(k.Text),
			"annotations_count": len(k.Annotations), "annotations_url": url + "/annotations"},
		"app": w.appJSON(k.suite.App), "pull_requests": pullRefs(k.suite.pulls()),
		"check_suite": object{"id": k.suite.ID},
	}
	if whole {
		out["check_suite"] = w.suiteJSON(k.suite)
	}
	return out
}

func (w *World) suiteJSON(s *Suite) object {
	r := s.repo
	status, conclusion := s.status()
	url := r.api("/check-suites/%d", s.ID)
	out := object{
		"id": s.ID, "node_id": s.NodeID, "head_branch": orNull(s.Branch), "head_sha": s.HeadSHA, "status": status,
		"conclusion": orNull(conclusion), "url": url, "before": s.before, "after": s.HeadSHA,
		"pull_requests": pullRefs(s.pulls()), "app": w.appJSON(s.App), "created_at": when(s.CreatedAt), "updated_at": when(w.now()),
		"latest_check_runs_count": len(s.latest()), "check_runs_url": url + "/check-runs", "rerequestable": true,
	}
	if c := r.objects.commits[s.HeadSHA]; c != nil {
		out["head_commit"] = object{"id": c.SHA, "tree_id": c.Tree, "message": c.Message, "timestamp": when(c.Author.At),
			"author":    object{"name": c.Author.Name, "email": c.Author.Email},
			"committer": object{"name": c.Committer.Name, "email": c.Committer.Email}}
	}
	return out
}

func (w *World) deliveryJSON(d *Delivery, whole bool) object {
	out := object{
		"id": d.ID, "guid": d.GUID, "delivered_at": when(d.DeliveredAt), "redelivery": d.Redelivery,
		"duration": d.Took.Seconds(), "status": d.Status, "status_code": d.StatusCode, "event": d.Event,
		"action": orNull(d.Action), "installation_id": orZero(int(d.Installation)), "repository_id": orZero(int(d.Repository)),
		"throttled_at": nil,
	}
	if whole {
		headers := object{"X-GitHub-Event": d.Event, "X-GitHub-Delivery": d.GUID, "content-type": "application/json"}
		out["url"] = d.app.HookURL
		out["request"] = object{"headers": headers, "payload": rawJSON(d.Payload)}
		out["response"] = object{"headers": object{}, "payload": string(d.Response)}
	}
	return out
}
