package spec

import (
	"fmt"
	"testing"
)

// sizedFiles is a specification of about n files.
func sizedFiles(n int) []File {
	r, e := sampleRequirements(), sampleEpics()
	r.Reqs, e.Epics = nil, nil
	for i := 1; i <= n*7/10; i++ {
		q := sampleRequirements().Reqs[i%2]
		q.ID, q.Title = fmt.Sprintf("REQ-%03d", i), fmt.Sprintf("%s %d", q.Title, i)
		q.Description = fmt.Sprintf("The service MUST answer request kind %d within %d seconds under a load of %d requests per second.", i, i, 10*i)
		q.Criteria = []Criterion{{fmt.Sprintf("AC-%03d-01", i), fmt.Sprintf("Given %d open requests, when one more arrives, then it is answered within %d s.", i, i), false}}
		r.Reqs = append(r.Reqs, q)
	}
	for i := 1; i <= n*2/10; i++ {
		ep := sampleEpics().Epics[0]
		ep.ID, ep.Title = fmt.Sprintf("EPIC-%03d", i), fmt.Sprintf("%s %d", ep.Title, i)
		ep.Stories = []Story{ep.Stories[0]}
		ep.Stories[0].ID = fmt.Sprintf("STORY-%03d-001", i)
		ep.Stories[0].TracesTo = []string{fmt.Sprintf("REQ-%03d", i)}
		e.Epics = append(e.Epics, ep)
	}
	files := append(sampleBrief().Render(), r.Render()...)
	files = append(files, sampleArchitecture().Render()...)
	return append(files, e.Render()...)
}

func BenchmarkLint(b *testing.B) {
	for _, n := range []int{40, 400} {
		files := sizedFiles(n)
		b.Run(fmt.Sprintf("files=%d", len(files)), func(b *testing.B) {
			for b.Loop() {
				Lint(files, Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(len(files)), "ms/file")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	files := sizedFiles(40)
	for b.Loop() {
		Parse(files)
	}
}
