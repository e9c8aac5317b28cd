package githubsim

import "maps"

// subject finds the conversation behind an issue's or pull request's id.
func (x *execution) subject(id string) (*Issue, error) {
	n, err := x.node(id)
	if err != nil {
		return nil, err
	}
	switch v := n.(type) {
	case *Issue:
		return v, nil
	case *Pull:
		return v.Issue, nil
	}
	return nil, refuse(notFound, "Could not resolve to a node with the global id of '%s'", id)
}

// whole is the conversation as GraphQL hands it out.
func (i *Issue) whole() any {
	if i.pull != nil {
		return i.pull
	}
	return i
}

func issueMutations() map[string]field[rootValue] {
	out := map[string]field[rootValue]{
		"createIssue": mutation(func(x *execution, in issueInput) (object, error) {
			r, err := find[*Repo](x, in.RepositoryID)
			if err != nil {
				return nil, err
			}
			body := ""
			set(&body, in.Body)
			i, err := x.w.openIssue(x.caller, r, *in.Title, body)
			x.call.created++
			return object{"issue": i}, err
		}),
		"updateIssue": mutation(func(x *execution, in issueInput) (object, error) {
			i, err := find[*Issue](x, in.ID)
			if err != nil {
				return nil, err
			}
			return object{"issue": i, "actor": x.caller.account}, x.w.editIssue(x.caller, i, issueEdit{Title: in.Title, Body: in.Body})
		}),
		"closeIssue":  mutation(issueState("closed")),
		"reopenIssue": mutation(issueState("open")),
		"addComment": mutation(func(x *execution, in commentInput) (object, error) {
			i, err := x.subject(in.SubjectID)
			if err != nil {
				return nil, err
			}
			k, err := x.w.addComment(x.caller, i, in.Body)
			if err != nil {
				return nil, err
			}
			x.call.created++
			return object{"commentEdge": object{"node": k, "cursor": cursor(len(i.Comments) - 1)}, "subject": i.whole()}, nil
		}),
		"updateIssueComment": mutation(func(x *execution, in commentInput) (object, error) {
			k, err := find[*Comment](x, in.ID)
			if err != nil {
				return nil, err
			}
			return object{"issueComment": k}, x.w.editComment(x.caller, k, in.Body)
		}),
		"deleteIssueComment": mutation(func(x *execution, in commentInput) (object, error) {
			k, err := find[*Comment](x, in.ID)
			if err != nil {
				return nil, err
			}
			return object{}, x.w.deleteComment(x.caller, k)
		}),
	}
	maps.Copy(out, ornamentMutations())
	return out
}

type issueInput struct {
	ID, RepositoryID string
	Title, Body      *string
}

type commentInput struct{ ID, SubjectID, Body string }

type issueStateInput struct{ IssueID, StateReason string }

func issueState(state string) func(*execution, issueStateInput) (object, error) {
	return func(x *execution, in issueStateInput) (object, error) {
		i, err := find[*Issue](x, in.IssueID)
		if err != nil {
			return nil, err
		}
		return object{"issue": i}, x.w.setIssueState(x.caller, i, state, lower(in.StateReason))
	}
}

type ornamentInput struct {
	SubjectID, Content, Classifier string
	AssignableID, LabelableID      string
	AssigneeIDs, LabelIDs          []string
}

// ornamentMutations decorate what is there: reactions, labels, assignees, folds.
func ornamentMutations() map[string]field[rootValue] {
	return map[string]field[rootValue]{
		"addReaction":    mutation(addReaction),
		"removeReaction": mutation(removeReaction),
		"minimizeComment": mutation(func(x *execution, in ornamentInput) (object, error) {
			n, err := x.minimize(in.SubjectID, in.Classifier)
			return object{"minimizedComment": n}, err
		}),
		"unminimizeComment": mutation(func(x *execution, in ornamentInput) (object, error) {
			n, err := x.minimize(in.SubjectID, "")
			return object{"unminimizedComment": n}, err
		}),
		"addAssigneesToAssignable": mutation(func(x *execution, in ornamentInput) (object, error) {
			i, people, err := subjectAnd[*Account](x, in.AssignableID, in.AssigneeIDs)
			if err != nil {
				return nil, err
			}
			return object{"assignable": i.whole()}, x.w.assign(x.caller, i, people)
		}),
		"removeAssigneesFromAssignable": mutation(func(x *execution, in ornamentInput) (object, error) {
			i, people, err := subjectAnd[*Account](x, in.AssignableID, in.AssigneeIDs)
			if err != nil {
				return nil, err
			}
			return object{"assignable": i.whole()}, x.w.unassign(x.caller, i, people)
		}),
		"addLabelsToLabelable": mutation(func(x *execution, in ornamentInput) (object, error) {
			i, labels, err := subjectAnd[*Label](x, in.LabelableID, in.LabelIDs)
			if err != nil {
				return nil, err
			}
			return object{"labelable": i.whole()}, x.w.addLabels(x.caller, i, labels)
		}),
		"removeLabelsFromLabelable": mutation(func(x *execution, in ornamentInput) (object, error) {
			i, labels, err := subjectAnd[*Label](x, in.LabelableID, in.LabelIDs)
			if err != nil {
				return nil, err
			}
			for _, l := range labels {
				if err := x.w.removeLabel(x.caller, i, l); err != nil {
					return nil, err
				}
			}
			return object{"labelable": i.whole()}, nil
		}),
	}
}

// subjectAnd finds a conversation and the things to hang on it.
func subjectAnd[T any](x *execution, id string, things []string) (*Issue, []T, error) {
	i, err := x.subject(id)
	if err != nil {
		return nil, nil, err
	}
	out := []T{}
	for _, thing := range things {
		v, err := find[T](x, thing)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, v)
	}
	return i, out, nil
}

// reactable finds where reactions on a subject are kept.
func (x *execution) reactable(id string) (subject any, list *[]*Reaction, err error) {
	n, err := x.node(id)
	if err != nil {
		return nil, nil, err
	}
	permission := "pull_requests"
	switch v := n.(type) {
	case *Issue:
		list, permission = &v.Reactions, "issues"
	case *Pull:
		list = &v.Reactions
	case *Comment:
		list, permission = &v.Reactions, v.issue.permission()
	case *Review:
		list = &v.Reactions
	case *ReviewComment:
		list = &v.Reactions
	default:
		return nil, nil, refuse(unprocessable, "The subject cannot be reacted to")
	}
	return n, list, x.caller.needsEither(repoOf(n), "issues", permission, RoleRead)
}

func addReaction(x *execution, in ornamentInput) (object, error) {
	subject, list, err := x.reactable(in.SubjectID)
	if err != nil {
		return nil, err
	}
	r, _ := x.w.react(x.caller, list, in.Content)
	return object{"reaction": r, "subject": subject}, nil
}

func removeReaction(x *execution, in ornamentInput) (object, error) {
	subject, list, err := x.reactable(in.SubjectID)
	if err != nil {
		return nil, err
	}
	for n, r := range *list {
		if r.By == x.caller.account && r.Content == in.Content {
			*list = append((*list)[:n:n], (*list)[n+1:]...)
			return object{"reaction": r, "subject": subject}, nil
		}
	}
	return nil, refuse(notFound, "Reaction does not exist")
}

func (x *execution) minimize(id, classifier string) (any, error) {
	n, err := x.node(id)
	if err != nil {
		return nil, err
	}
	if err := x.caller.needsEither(repoOf(n), "issues", "pull_requests", RoleTriage); err != nil {
		return nil, err
	}
	switch v := n.(type) {
	case *Comment:
		v.Minimized = classifier
	case *Review:
		v.Minimized = classifier
	case *ReviewComment:
		v.Minimized = classifier
	default:
		return nil, refuse(unprocessable, "The subject cannot be minimized")
	}
	x.w.touch()
	return n, nil
}
