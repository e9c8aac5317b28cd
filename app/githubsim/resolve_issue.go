package githubsim

import (
	"strconv"
	"time"
)

// timelineEvent is a label that was set or taken off.
type timelineEvent struct {
	kind  string // LabeledEvent, UnlabeledEvent
	id    int64
	label *Label
	by    *Account
	at    time.Time
}

func (e timelineEvent) node() object {
	return object{"__typename": e.kind, "id": nodeID("LE", e.id), "createdAt": e.at, "label": e.label, "actor": e.by}
}

func big(id int64) string { return strconv.FormatInt(id, 10) }

// conversation is what issues and pull requests have in common.
func conversation[T any](of func(T) *Issue) map[string]field[T] {
	get := func(f func(*Issue) any) field[T] { return plain(func(v T) any { return f(of(v)) }) }
	return map[string]field[T]{
		"number":            get(func(i *Issue) any { return i.Number }),
		"title":             get(func(i *Issue) any { return i.Title }),
		"body":              get(func(i *Issue) any { return i.Body }),
		"author":            get(func(i *Issue) any { return i.Author }),
		"authorAssociation": get(func(i *Issue) any { return i.repo.association(i.Author) }),
		"createdAt":         get(func(i *Issue) any { return i.CreatedAt }),
		"updatedAt":         get(func(i *Issue) any { return i.UpdatedAt }),
		"closed":            get(func(i *Issue) any { return i.State == "closed" }),
		"closedAt":          get(func(i *Issue) any { return when(i.ClosedAt) }),
		"locked":            get(func(i *Issue) any { return i.Locked }),
		"repository":        get(func(i *Issue) any { return i.repo }),
		"url":               get(func(i *Issue) any { return i.repo.web("/%s/%d", i.path(), i.Number) }),
		"viewerDidAuthor":   func(x *execution, v T, _ args) (any, error) { return of(v).Author == x.caller.account, nil },
		"labels":            func(_ *execution, v T, a args) (any, error) { return connection(of(v).Labels, a) },
		"comments":          func(_ *execution, v T, a args) (any, error) { return connection(of(v).Comments, a) },
		"assignees":         func(_ *execution, v T, a args) (any, error) { return accounts(of(v).Assignees, a) },
		"reactions":         func(_ *execution, v T, a args) (any, error) { return reactions(of(v).Reactions, a) },
	}
}

func issueTable() typeTable {
	fields := conversation(func(i *Issue) *Issue { return i })
	fields["id"] = plain(func(i *Issue) any { return i.NodeID })
	fields["databaseId"] = plain(func(i *Issue) any { return i.ID })
	fields["fullDatabaseId"] = plain(func(i *Issue) any { return big(i.ID) })
	fields["state"] = plain(func(i *Issue) any { return upper(i.State) })
	fields["stateReason"] = plain(func(i *Issue) any { return orNull(upper(i.StateReason)) })
	fields["linkedBranches"] = func(_ *execution, i *Issue, a args) (any, error) {
		var out []object
		for _, name := range sortedKeys(i.repo.linked) {
			if i.repo.linked[name] == i.Number {
				out = append(out, linkedBranch(i.repo, name))
			}
		}
		return connection(out, a)
	}
	fields["timelineItems"] = func(_ *execution, i *Issue, a args) (any, error) {
		wanted := map[string]bool{}
		for _, kind := range a.texts("itemTypes") {
			wanted[kind] = true
		}
		var out []object
		for _, e := range i.timeline {
			if len(wanted) == 0 || wanted[map[string]string{"LabeledEvent": "LABELED_EVENT", "UnlabeledEvent": "UNLABELED_EVENT"}[e.kind]] {
				out = append(out, e.node())
			}
		}
		return connection(out, a)
	}
	return table("Issue", fields)
}

func linkedBranch(r *Repo, name string) object {
	return object{"id": "LB_" + r.refID(name), "ref": r.branch(name)}
}

func commentTable() typeTable {
	return table("IssueComment", map[string]field[*Comment]{
		"id":                plain(func(k *Comment) any { return k.NodeID }),
		"databaseId":        plain(func(k *Comment) any { return k.ID }),
		"fullDatabaseId":    plain(func(k *Comment) any { return big(k.ID) }),
		"body":              plain(func(k *Comment) any { return k.Body }),
		"author":            plain(func(k *Comment) any { return k.Author }),
		"authorAssociation": plain(func(k *Comment) any { return k.issue.repo.association(k.Author) }),
		"createdAt":         plain(func(k *Comment) any { return k.CreatedAt }),
		"updatedAt":         plain(func(k *Comment) any { return k.UpdatedAt }),
		"url":               plain(func(k *Comment) any { return k.web() }),
		"isMinimized":       plain(func(k *Comment) any { return k.Minimized != "" }),
		"minimizedReason":   plain(func(k *Comment) any { return orNull(lower(k.Minimized)) }),
		"viewerDidAuthor":   func(x *execution, k *Comment, _ args) (any, error) { return k.Author == x.caller.account, nil },
		"editor":            plain(func(k *Comment) any { return k.Editor }),
		"lastEditedAt": plain(func(k *Comment) any {
			if k.Editor == nil {
				return nil
			}
			return k.UpdatedAt
		}),
		"issue": plain(func(k *Comment) any { return k.issue }),
		"pullRequest": plain(func(k *Comment) any {
			return k.issue.pull
		}),
		"reactions": func(_ *execution, k *Comment, a args) (any, error) { return reactions(k.Reactions, a) },
	})
}
