package pipeline

import "testing"

func TestWords(t *testing.T) {
	tests := []struct {
		name, in string
		want     int
	}{
		{"plain", "one two, three.", 3},
		{"signs are none", "· → | — ███ ●●○", 0},
		{"table", "| a | b c |\n|---|---|\n| d | 4 |", 5},
		{"link", "see [the brief](https://example.com/a b) now", 4},
		{"comment", "a <!-- b c --> d", 2},
		{"fold", "a <details><summary>two words</summary>\n\nhidden text\n\n</details> b", 4},
		{"diagram", "a\n```mermaid\nflowchart LR\n```\nb", 2},
		{"code is seen", "```text\nDepth 58%\n```", 3},
		{"tags", "<sub>one two</sub>", 2},
		{"less than", "3 < 4", 2},
		{"blank by name", "●●○&nbsp;3", 1},
		{"chinese", "必须支持", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Words(test.in); got != test.want {
				t.Fatalf("%d words, want %d", got, test.want)
			}
		})
	}
}
