package githubsim

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// mutation decodes a field's input into its own type and hands the client's
// mutation id back.
func mutation[In any](run func(*execution, In) (object, error)) field[rootValue] {
	return func(x *execution, _ rootValue, a args) (any, error) {
		var in In
		if err := json.Unmarshal(mustJSON(a["input"]), &in); err != nil {
			return nil, refuse(badRequest, "input: %v", err)
		}
		out, err := run(x, in)
		if err != nil {
			return nil, err
		}
		input, _ := a["input"].(map[string]any)
		return out.with(object{"clientMutationId": input["clientMutationId"]}), nil
	}
}

func mutationTable() typeTable {
	all := map[string]field[rootValue]{}
	for _, part := range []map[string]field[rootValue]{
		refMutations(), issueMutations(), pullMutations(), reviewMutations(), checkMutations(),
	} {
		for name, f := range part {
			all[name] = f
		}
	}
	return table("Mutation", all)
}

type refInput struct {
	RepositoryID string
	RefID        string
	Name         string
	OID          string
	Force        bool
}

func refMutations() map[string]field[rootValue] {
	return map[string]field[rootValue]{
		"createRef": mutation(func(x *execution, in refInput) (object, error) {
			r, err := find[*Repo](x, in.RepositoryID)
			if err != nil {
				return nil, err
			}
			if err := x.w.createRef(x.caller, r, in.Name, in.OID); err != nil {
				return nil, err
			}
			return object{"ref": r.branch(strings.TrimPrefix(in.Name, "refs/heads/"))}, nil
		}),
		"updateRef": mutation(func(x *execution, in refInput) (object, error) {
			b, err := find[*branch](x, in.RefID)
			if err != nil {
				return nil, err
			}
			return object{"ref": b}, x.w.updateRef(x.caller, b.repo, b.name, in.OID, in.Force)
		}),
		"deleteRef": mutation(func(x *execution, in refInput) (object, error) {
			b, err := find[*branch](x, in.RefID)
			if err != nil {
				return nil, err
			}
			return object{}, x.w.deleteRef(x.caller, b.repo, b.name)
		}),
		"updateRefs":           mutation(updateRefs),
		"createLinkedBranch":   mutation(createLinkedBranch),
		"createCommitOnBranch": mutation(createCommitOnBranch),
	}
}

type refUpdates struct {
	RepositoryID string
	RefUpdates   []struct {
		Name, BeforeOID, AfterOID string
		Force                     bool
	}
}

// updateRefs moves several branches or none.
func updateRefs(x *execution, in refUpdates) (object, error) {
	r, err := find[*Repo](x, in.RepositoryID)
	if err != nil {
		return nil, err
	}
	for _, u := range in.RefUpdates {
		have := r.refs[strings.TrimPrefix(u.Name, "refs/heads/")]
		if have == "" {
			have = zeroSHA
		}
		if u.BeforeOID != "" && u.BeforeOID != have {
			return nil, refuse(stale, "Expected %s to point to %s but it did not", u.Name, u.BeforeOID)
		}
	}
	for _, u := range in.RefUpdates {
		name := strings.TrimPrefix(u.Name, "refs/heads/")
		switch {
		case u.AfterOID == zeroSHA:
			err = x.w.deleteRef(x.caller, r, name)
		case r.refs[name] == "":
			err = x.w.createRef(x.caller, r, u.Name, u.AfterOID)
		default:
			err = x.w.updateRef(x.caller, r, name, u.AfterOID, u.Force)
		}
		if err != nil {
			return nil, err
		}
	}
	return object{}, nil
}

type linkedBranchInput struct{ IssueID, OID, Name string }

// createLinkedBranch makes a branch that belongs to an issue.
func createLinkedBranch(x *execution, in linkedBranchInput) (object, error) {
	i, err := find[*Issue](x, in.IssueID)
	if err != nil {
		return nil, err
	}
	if err := x.w.createRef(x.caller, i.repo, "refs/heads/"+in.Name, in.OID); err != nil {
		return nil, err
	}
	i.repo.linked[in.Name] = i.Number
	return object{"issue": i, "linkedBranch": linkedBranch(i.repo, in.Name)}, nil
}

type commitInput struct {
	Branch struct {
		ID                      string
		RepositoryNameWithOwner string
		BranchName              string
	}
	ExpectedHeadOID string
	Message         struct{ Headline, Body string }
	FileChanges     struct {
		Additions []struct{ Path, Contents string }
		Deletions []struct{ Path string }
	}
}

func createCommitOnBranch(x *execution, in commitInput) (object, error) {
	r, name, err := x.committable(in)
	if err != nil {
		return nil, err
	}
	s := commitSpec{Branch: name, Expected: in.ExpectedHeadOID, Message: in.Message.Headline, Additions: map[string][]byte{}}
	if in.Message.Body != "" {
		s.Message += "\n\n" + in.Message.Body
	}
	for _, f := range in.FileChanges.Additions {
		content, err := base64.StdEncoding.DecodeString(f.Contents)
		if err != nil {
			return nil, refuse(unprocessable, "contents of %s is not valid Base64", f.Path)
		}
		if _, twice := s.Additions[f.Path]; twice {
			return nil, refuse(unprocessable, "A path was requested twice: %s", f.Path)
		}
		s.Additions[f.Path] = content
	}
	for _, f := range in.FileChanges.Deletions {
		s.Deletions = append(s.Deletions, f.Path)
	}
	made, err := x.w.commitOnBranch(x.caller, r, s)
	if err != nil {
		return nil, err
	}
	return object{"commit": &commitNode{r, made}, "ref": r.branch(name)}, nil
}

func (x *execution) committable(in commitInput) (*Repo, string, error) {
	if in.Branch.ID != "" {
		b, err := find[*branch](x, in.Branch.ID)
		if err != nil {
			return nil, "", err
		}
		return b.repo, b.name, nil
	}
	r, err := x.w.repo(in.Branch.RepositoryNameWithOwner)
	if err != nil || !x.caller.sees(r) {
		return nil, "", refuse(notFound, "Could not resolve to a Repository with the name '%s'.", in.Branch.RepositoryNameWithOwner)
	}
	return r, strings.TrimPrefix(in.Branch.BranchName, "refs/heads/"), nil
}
