package githubsim

import (
	"slices"
	"time"
)

var checkRoutes = []route{
	{"POST", "/repos/{o}/{r}/check-runs", inRepo(postCheck)},
	{"GET", "/repos/{o}/{r}/check-runs/{id}", inCheck(func(c *call, k *Check) (*answer, error) { return ok(c.w.checkJSON(k, false)) })},
	{"PATCH", "/repos/{o}/{r}/check-runs/{id}", inCheck(patchCheck)},
	{"GET", "/repos/{o}/{r}/check-runs/{id}/annotations", inCheck(listAnnotations)},
	{"GET", "/repos/{o}/{r}/commits/{ref}/check-runs", inRepo(listChecks)},
	{"GET", "/repos/{o}/{r}/commits/{ref}/check-suites", inRepo(listSuites)},
	{"GET", "/repos/{o}/{r}/commits/{ref}", inRepo(getCommit)},
}

func getCommit(c *call, r *Repo) (*answer, error) {
	sha, err := r.resolve(c.vars["ref"])
	if err != nil {
		return nil, err
	}
	return ok(c.w.commitJSON(r, r.objects.commits[sha]))
}

func inCheck(handle func(*call, *Check) (*answer, error)) handler {
	return inRepo(func(c *call, r *Repo) (*answer, error) {
		id, err := c.number("id")
		if err != nil {
			return nil, err
		}
		if err := c.caller.reads(r, "checks"); err != nil {
			return nil, err
		}
		k, found := c.w.nodes[nodeID("CR", id)].(*Check)
		if !found || k.suite.repo != r {
			return nil, refuse(notFound, "Not Found")
		}
		return handle(c, k)
	})
}

// restCheck is a check run as REST words it.
type restCheck struct {
	Name        string
	HeadSHA     string `json:"head_sha"`
	Status      *string
	Conclusion  *string
	ExternalID  *string    `json:"external_id"`
	DetailsURL  *string    `json:"details_url"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *outputSpec
	Actions     *[]Action
}

func (c *call) checkSpec() (checkSpec, error) {
	var in restCheck
	err := c.decode(&in)
	return checkSpec(in), err
}

func postCheck(c *call, r *Repo) (*answer, error) {
	spec, err := c.checkSpec()
	if err != nil {
		return nil, err
	}
	k, err := c.w.createCheck(c.caller, r, spec)
	if err != nil {
		return nil, err
	}
	return created(c.w.checkJSON(k, false))
}

func patchCheck(c *call, k *Check) (*answer, error) {
	spec, err := c.checkSpec()
	if err != nil {
		return nil, err
	}
	if err := c.w.updateCheck(c.caller, k, spec); err != nil {
		return nil, err
	}
	return ok(c.w.checkJSON(k, false))
}

func listAnnotations(c *call, k *Check) (*answer, error) {
	return ok(each(page(c, k.Annotations), func(a Annotation) object {
		return object{"path": a.Path, "start_line": a.StartLine, "end_line": a.EndLine, "start_column": nil, "end_column": nil,
			"annotation_level": a.Level, "title": orNull(a.Title), "message": a.Message, "raw_details": orNull(a.Raw),
			"blob_href": k.suite.repo.web("/blob/%s/%s", k.HeadSHA, a.Path)}
	}))
}

func listChecks(c *call, r *Repo) (*answer, error) {
	if err := c.caller.reads(r, "checks"); err != nil {
		return nil, err
	}
	sha, err := r.resolve(c.vars["ref"])
	if err != nil {
		return nil, err
	}
	list := []*Check{}
	for _, s := range r.suites {
		if s.HeadSHA != sha {
			continue
		}
		runs := s.Runs
		if c.query("filter") != "all" {
			runs = s.latest()
		}
		for _, k := range runs {
			if name := c.query("check_name"); name == "" || name == k.Name {
				list = append(list, k)
			}
		}
	}
	slices.SortFunc(list, func(a, b *Check) int { return int(b.ID - a.ID) })
	return ok(object{"total_count": len(list), "check_runs": each(page(c, list), func(k *Check) object { return c.w.checkJSON(k, false) })})
}

func listSuites(c *call, r *Repo) (*answer, error) {
	sha, err := r.resolve(c.vars["ref"])
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(slices.Clone(r.suites), func(s *Suite) bool { return s.HeadSHA != sha })
	return ok(object{"total_count": len(list), "check_suites": each(page(c, list), func(s *Suite) object {
		return c.w.suiteJSON(s).with(object{"repository": c.w.repoJSON(r)})
	})})
}
