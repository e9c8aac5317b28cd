package spec

import (
	"fmt"
	"slices"
	"strings"
)

// depth is the mean of four shares: criteria one can test, decisions that are
// argued, stories one can estimate, technical detail. What is not there to be
// judged leaves the mean.
func (a *assessment) depth() (*float64, string) {
	parts := []struct {
		n, of int
		noun  string
	}{}
	add := func(n, of int, noun string) {
		if of > 0 {
			parts = append(parts, struct {
				n, of int
				noun  string
			}{n, of, noun})
		}
	}
	n, of := a.testableCriteria()
	add(n, of, "criteria testable")
	n, of = a.arguedDecisions()
	add(n, of, "of the marks of argued decisions")
	n, of = a.estimableStories()
	add(n, of, "stories estimable")
	n, of = a.technicalDetail()
	add(n, of, "kinds of technical detail")
	if len(parts) == 0 {
		return nil, "nothing to judge"
	}
	sum, low := 0.0, parts[0]
	for _, p := range parts {
		sum += float64(p.n) / float64(p.of)
		if p.n*low.of < low.n*p.of {
			low = p
		}
	}
	v := 100 * sum / float64(len(parts))
	return &v, fmt.Sprintf("%d of %d %s", low.n, low.of, low.noun)
}

func (a *assessment) testableCriteria() (n, of int) {
	for _, it := range a.set.Of(KindAC) {
		of++
		if testable.MatchString(it.Statement) || strings.Contains(it.Statement, "`") {
			n++
		}
	}
	// A requirement without any criterion is one that cannot be tested.
	for _, it := range a.set.Of(KindReq) {
		if len(a.set.Down(it.ID, KindAC)) == 0 {
			of++
		}
	}
	return n, of
}

// arguedDecisions counts four marks per decision: why, against what, for what
// good and at what price.
func (a *assessment) arguedDecisions() (n, of int) {
	for _, d := range a.set.Documents {
		if d.Kind != DocADR {
			continue
		}
		adr := readADR(d)
		both := len(adr.Options) >= 2 && slices.ContainsFunc(adr.Options, func(o Option) bool { return o.Pros != "" && o.Cons != "" })
		for _, ok := range []bool{adr.Context != "", both, len(adr.Positive) > 0, len(adr.Negative)+len(adr.Risks) > 0} {
			of++
			if ok {
				n++
			}
		}
	}
	return n, of
}

func (a *assessment) estimableStories() (n, of int) {
	for _, it := range a.set.Of(KindStory) {
		of++
		_, told := ReadStory(orElse(it.Fields["user story"], it.Statement))
		if a.set.sized(it) || (told || it.Fields["user story"] != "") && len(a.set.Down(it.ID, KindAC)) > 0 {
			n++
		}
	}
	return n, of
}

func (s *Set) sized(it Item) bool {
	size := strings.ToUpper(it.Fields["size"])
	return slices.ContainsFunc(sizes, func(x struct{ size, meaning string }) bool { return x.size == size })
}

var technicalMarks = []pattern{
	compile(`(?i)\b(api|endpoint|grpc|graphql|rest|webhook|cli|command|library|sdk|schnittstelle)\b|接口`),
	compile(`(?i)\b(https?|tcp|tls|websocket|smtp|get|post|put|delete|status code|stdin|stdout|json|csv|protobuf|exit code)\b`),
	compile(`(?i)\b(table|index|transaction|schema|column|sql|postgres\w*|mysql|sqlite|redis|mongo\w*|s3|bucket|file|cache|queue|datenbank)\b|数据库|数据表`),
}

// technicalDetail asks for two of four kinds: code or diagrams, interfaces,
// protocols, storage.
func (a *assessment) technicalDetail() (n, of int) {
	d := a.set.First(DocArchitecture)
	if d == nil {
		return 0, 0
	}
	code := slices.ContainsFunc(d.Blocks, func(b Block) bool { return b.Kind == CodeBlock })
	if code {
		n++
	}
	var text strings.Builder
	for _, f := range a.set.Documents {
		if f.Kind != DocArchitecture && f.Kind != DocADR {
			continue
		}
		for _, b := range f.Blocks {
			if b.Kind != TableHead && b.Kind != HTMLBlock {
				text.WriteString(b.Text + "\n")
			}
		}
	}
	for _, re := range technicalMarks {
		if re.MatchString(text.String()) {
			n++
		}
	}
	return min(n, 2), 2
}
