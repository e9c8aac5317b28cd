package githubsim

import "time"

// checkInput is a check run as GraphQL words it.
type checkInput struct {
	RepositoryID string
	CheckRunID   string
	Name         string
	HeadSHA      string
	Status       *string
	Conclusion   *string
	ExternalID   *string
	DetailsURL   *string
	StartedAt    *time.Time
	CompletedAt  *time.Time
	Actions      *[]Action
	Output       *struct {
		Title, Summary, Text string
		Annotations          []struct {
			Path            string
			AnnotationLevel string
			Message         string
			Title           string
			RawDetails      string
			Location        struct{ StartLine, EndLine int }
		}
	}
}

func (in checkInput) spec() checkSpec {
	s := checkSpec{
		Name: in.Name, HeadSHA: in.HeadSHA, Status: lowered(in.Status), Conclusion: lowered(in.Conclusion),
		ExternalID: in.ExternalID, DetailsURL: in.DetailsURL, StartedAt: in.StartedAt, CompletedAt: in.CompletedAt, Actions: in.Actions,
	}
	if in.Output != nil {
		s.Output = &outputSpec{Title: in.Output.Title, Summary: in.Output.Summary, Text: in.Output.Text}
		for _, a := range in.Output.Annotations {
			s.Output.Annotations = append(s.Output.Annotations, Annotation{Path: a.Path, StartLine: a.Location.StartLine,
				EndLine: a.Location.EndLine, Level: lower(a.AnnotationLevel), Message: a.Message, Title: a.Title, Raw: a.RawDetails})
		}
	}
	return s
}

func lowered(s *string) *string {
	if s == nil {
		return nil
	}
	l := lower(*s)
	return &l
}

func checkMutations() map[string]field[rootValue] {
	return map[string]field[rootValue]{
		"createCheckRun": mutation(func(x *execution, in checkInput) (object, error) {
			r, err := find[*Repo](x, in.RepositoryID)
			if err != nil {
				return nil, err
			}
			k, err := x.w.createCheck(x.caller, r, in.spec())
			if err != nil {
				return nil, err
			}
			return object{"checkRun": k}, nil
		}),
		"updateCheckRun": mutation(func(x *execution, in checkInput) (object, error) {
			k, err := find[*Check](x, in.CheckRunID)
			if err != nil {
				return nil, err
			}
			return object{"checkRun": k}, x.w.updateCheck(x.caller, k, in.spec())
		}),
	}
}
