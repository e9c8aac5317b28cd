package pipeline

import "testing"

// BenchmarkTexts is what a finished task's texts cost: review, panel, check,
// commit message.
func BenchmarkTexts(b *testing.B) {
	s, v := hooks(), blockedVerdict()
	b.ReportAllocs()
	for b.Loop() {
		ReviewText(s, s.Tasks[2], v)
		Panel(s, nine)
		CheckOutput(s, nine)
		CommitMessage(s, s.Tasks[2], &v)
	}
}
