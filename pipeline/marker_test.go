package pipeline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplacePanel(t *testing.T) {
	panel := PanelStart + "\nnew\n" + PanelEnd
	old := PanelStart + "\nold\n" + PanelEnd
	tests := []struct{ name, body, want string }{
		{"empty body", "", panel},
		{"only the panel", old, panel},
		{"people's words stay", "before\n\n" + old + "\n\nafter", "before\n\n" + panel + "\n\nafter"},
		{"markers gone", "rewritten by hand\n", "rewritten by hand\n\n" + panel},
		{"end marker gone", "a\n" + PanelStart + "\nb", "a\n\nb\n\n" + panel},
		{"end before start", PanelEnd + "a" + PanelStart, "a\n\n" + panel},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ReplacePanel(test.body, panel)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatal(diff)
			}
			if again := ReplacePanel(got, panel); strings.Count(again, PanelStart) != 1 {
				t.Fatalf("a second panel appeared:\n%s", again)
			}
		})
	}
}

func TestMarked(t *testing.T) {
	text := "x " + Marker(FindingMark, "F-07") + Marker(WriteMark, "abc:3") + Marker(FindingMark, "F-08")
	if diff := cmp.Diff([]string{"F-07", "F-08"}, Marked(text, FindingMark)); diff != "" {
		t.Fatal(diff)
	}
	if got := Marked("<!-- parley:finding F 1 -->", FindingMark); got != nil {
		t.Fatalf("took %q", got)
	}
}
