package githubapi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pipeline"
)

type overGraphQL struct{}

var graphqlRoad road = overGraphQL{}

type commitReply struct {
	Commit struct {
		OID    string
		URL    string
		Folder *struct{ OID string }
	}
	Ref struct {
		AssociatedPullRequests struct{ Nodes []pullNode }
	}
}

type pullReply struct{ PullRequest pullNode }

// step is one mutation of a request with its input.
type step struct {
	field mutationField
	input any
}

// created is what a request makes that GitHub counts, and how much of it
// stands in review threads, which a session's own count leaves out.
type created struct{ all, inThreads int }

// mutate sends the steps as one request. Their aliases are w0, w1, …
func (r *run) mutate(ctx context.Context, steps []step, content created) (reply, error) {
	fields := make([]mutationField, len(steps))
	vars := map[string]any{}
	gate := true
	names := make([]string, len(steps))
	for n, s := range steps {
		fields[n] = s.field
		vars[fmt.Sprintf("i%d", n)] = s.input
		names[n] = s.field.name
		if s.field.name == createCommit.name {
			vars["folder"] = r.s.Folder()
		}
		gate = gate && (s.field.name == createCheck.name || s.field.name == updateCheck.name)
	}
	return r.c.graph(ctx, question{op: strings.Join(slices.Compact(names), ", "), doc: mutationDocument(fields), variables: vars,
		token: writeKey(r.s.Repo), content: content.all, inThread: content.inThreads, gate: gate, write: true})
}

// commit puts w on the branch on the head it expects. A branch that moved is
// looked at and committed to on its new head, leaving people's files alone.
func (overGraphQL) commit(ctx context.Context, r *run, w pipeline.Write) error {
	if made, err := r.committed(ctx, w, r.branch); made || err != nil {
		return err
	}
	var err error
	for range 3 {
		err = r.commitOnce(ctx, w)
		if !is(err, KindStale) {
			return gone(err)
		}
		if lerr := r.branch(ctx, w); lerr != nil {
			return lerr
		}
	}
	return err
}

// committed looks for the commit of an earlier try, and reads the branch
// where it must be known exactly.
func (r *run) committed(ctx context.Context, w pipeline.Write, look func(context.Context, pipeline.Write) error) (bool, error) {
	known := r.exact || len(w.Deleted) == 0 && r.base != ""
	if !r.again[w.Key] && known {
		return false, nil
	}
	if r.history != nil {
		r.moved(w) // what is on the branch since is this run's
	} else if err := look(ctx, w); err != nil {
		return false, err
	}
	if !r.again[w.Key] || r.foundCommit == "" {
		return false, nil
	}
	r.found(w)
	r.receipt(w, pipeline.Receipt{NodeID: r.foundCommit, URL: r.pull.URL, Number: r.pull.Number})
	return true, nil
}

// found takes an earlier try's commit into the receipts. What people put on
// top of it is not ours to report: it stays the next commit's base, and the
// pipeline hears of it as a push.
func (r *run) found(w pipeline.Write) {
	if r.out.Files == nil {
		r.out.Files = map[string]string{}
	}
	for _, path := range touched(w) {
		if !r.foreign[path] {
			r.out.Files[path] = r.files[path]
		}
	}
	for _, a := range w.Append {
		r.out.Applied = append(r.out.Applied, a.Key)
	}
	r.out.Head, r.out.Tree = r.foundCommit, ""
	if r.foundCommit == r.base {
		r.out.Tree = treeID(r.files)
	}
}

func (r *run) commitOnce(ctx context.Context, w pipeline.Write) error {
	ch, err := r.change(ctx, w)
	if err != nil {
		return err
	}
	if ch.empty() {
		r.out.Conflicts = append(r.out.Conflicts, ch.conflicts...)
		r.receipt(w, pipeline.Receipt{})
		return nil
	}
	parts := ch.parts()
	for n, part := range parts {
		input := r.commitInput(w, part, n == len(parts)-1)
		got, err := r.mutate(ctx, []step{{createCommit, input}}, created{})
		if err != nil {
			return err
		}
		var made commitReply
		if err := got.field("w0", &made); err != nil {
			return err
		}
		r.took(part, made)
	}
	r.committedAll(ctx, w, ch)
	return nil
}

// committedAll ends a commit write.
func (r *run) committedAll(ctx context.Context, w pipeline.Write, ch change) {
	for _, path := range slices.Compact(slices.Sorted(slices.Values(ch.resolved))) {
		r.keep(ctx, ch.files[path])
	}
	r.receipt(w, pipeline.Receipt{NodeID: r.head, URL: r.pull.URL, Number: r.pull.Number})
}

// took takes a commit's reply: the new head, and the pull request's body.
func (r *run) took(ch change, made commitReply) {
	tree := ""
	if made.Commit.Folder != nil {
		tree = made.Commit.Folder.OID
	}
	r.landed(ch, made.Commit.OID, tree)
	for _, p := range made.Ref.AssociatedPullRequests.Nodes {
		if p.Number == r.pull.Number {
			r.pull, r.bodyKnown = p, true
		}
	}
}

func (r *run) commitInput(w pipeline.Write, ch change, last bool) createCommitInput {
	in := createCommitInput{Branch: branchName{r.s.Repo.Owner + "/" + r.s.Repo.Name, branchOf(r.s, w)}, ExpectedHeadOID: r.base,
		Message: commitMessage{Headline: headline(r.s, w), Body: messageBody(w, last)}}
	for _, path := range slices.Sorted(maps.Keys(ch.files)) {
		in.FileChanges.Additions = append(in.FileChanges.Additions, addition{r.s.Folder() + "/" + path, ch.files[path]})
	}
	for _, path := range ch.deleted {
		in.FileChanges.Deletions = append(in.FileChanges.Deletions, deletion{r.s.Folder() + "/" + path})
	}
	return in
}
