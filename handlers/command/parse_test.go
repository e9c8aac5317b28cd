package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// said is a command as the tables below write it: verb, ?hint, and text.
func said(c pipeline.Command) string {
	word := c.Verb
	if c.Hint != "" {
		word = "?" + c.Hint
	}
	if c.Prefixed {
		word = "lifecycle " + word
	}
	return strings.TrimSpace(word + " " + c.Text)
}

func parse(t *testing.T, markdown string, opts Options) []string {
	t.Helper()
	var out []string
	for _, c := range Parse(markdown, opts).Commands {
		out = append(out, said(c))
	}
	return out
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, markdown string
		want           []string
	}{
		{"bare", "/resume", []string{"resume"}},
		{"prefixed", "/lifecycle resume", []string{"lifecycle resume"}},
		{"prefix alone", "/lifecycle", []string{"lifecycle help"}},
		{"start", "/lifecycle start spec-only --track tiny", []string{"lifecycle start spec-only --track tiny"}},
		{"bare start is nobody's", "/start", nil},
		{"alias", "/continue", []string{"resume"}},
		{"check is status", "/check --explain", []string{"status --explain"}},
		{"recheck is not check", "/recheck", []string{"recheck"}},
		{"mid-line", "please /resume", nil},
		{"two lines", "/recheck\n/status", []string{"recheck", "status"}},
		{"after prose", "Looks good.\n\n/resume", []string{"resume"}},
		{"second line of a paragraph", "Looks good.\n/resume", []string{"resume"}},
		{"up to three blanks", "   /resume", []string{"resume"}},
		{"CRLF", "thanks\r\n/revise DRAFT-002\r\n", []string{"revise DRAFT-002"}},
		{"text over lines", "/feedback use\npostgres", []string{"feedback use\npostgres"}},
		{"text over blocks", "/feedback use\n\n- postgres\n- not mysql\n\n```sql\nselect 1\n```", []string{"feedback use\n\n- postgres\n- not mysql\n\n```sql\nselect 1\n```"}},
		{"optional text ends with its paragraph", "/revise DRAFT-002\n\nThanks for this.", []string{"revise DRAFT-002"}},
		{"marked up text", "/feedback **never** use `eval`", []string{"feedback never use `eval`"}},
		{"zero width in text", "/feedback a\u200bb", []string{"feedback ab"}},

		// C1: where a reader does not see a command.
		{"fence", "```\n/resume\n```", nil},
		{"tilde fence", "~~~\n/resume\n~~~", nil},
		{"unclosed fence", "```\n\n/resume", nil},
		{"indented code", "    /resume", nil},
		{"code span", "`/resume`", nil},
		{"code span over lines", "a `b\n/resume\nc` d", nil},
		{"quote", "> /resume", nil},
		{"lazy quote", "> quoted\n/resume", nil},
		{"nested quote", "> > /resume", nil},
		{"list", "- /resume", nil},
		{"list continuation", "- a\n/resume", nil},
		{"heading", "# /resume", nil},
		{"setext heading", "/resume\n===", nil},
		{"bold", "**/resume**", nil},
		{"struck out", "~~/resume~~", nil},
		{"link", "[/resume](https://example.com)", nil},
		{"image", "![/resume](https://example.com/x.png)", nil},
		{"table", "| a |\n|---|\n| /resume |", nil},
		{"comment", "<!-- /resume -->", nil},
		{"comment over lines", "<!--\n/resume\n-->", nil},
		{"details", "<details>\n\n/resume\n\n</details>", nil},
		{"details without blank lines", "<details>\n/resume\n</details>", nil},
		{"after details", "<details>\n\nlog\n\n</details>\n\n/resume", []string{"resume"}},
		{"details left open", "<details>\n\nlog\n\n/resume", nil},
		{"inline tag", "<sub>\n/resume\n</sub>", nil},
		{"tag in a paragraph", "see <kbd>\n/resume\n</kbd>", nil},
		{"quoted bracket", "<details title=\"</details>\">\n\n/resume", nil},
		{"wrongly nested", "<details><table></details>\n\n/resume", nil},
		{"link definition", "[x]: /resume", nil},
		{"footnote nobody refers to", "[^1]: note\n/resume", nil},
		{"mathematics", "$$\n/resume\n$$", nil},
		{"escaped", `\/resume`, nil},

		// C2
		{"comment opened in a quote and never closed", "> a\n\n<!--\n\n/resume", nil},
		{"comment opened in a block and never closed", "<div><!--\n\n/resume", nil},
		{"comment closed in a later block", "<!-- a\n\n/resume\n\n--> b", nil},

		// C3
		{"zero width inside", "/re\u200bsume", nil},
		{"zero width before", "\u200b/resume", nil},
		{"bidi override", "a \u202e b\n/resume", nil},
		{"fullwidth slash", "／resume", nil},
		{"cyrillic letter", "/rеsume", nil},
		{"no-break space", "/resume\u00a0now", nil},
		{"tag letters", "/resume\U000E0041", nil},

		// C4
		{"upper case", "/REVISE draft-002", []string{"revise draft-002"}},
		{"many blanks", "/revise    DRAFT-002", []string{"revise DRAFT-002"}},

		// C7, C8
		{"swapped letters", "/reusme", []string{"?resume"}},
		{"one letter short", "/rechek", []string{"?recheck"}},
		{"prefixed nonsense", "/lifecycle bananas", []string{"lifecycle ?help"}},
		{"prow", "/lgtm\n/test all\n/retest\n/hold\n/approve\n/assign me\n/rebase", nil},
		{"prow's lifecycle", "/lifecycle frozen\n/lifecycle stale\n/remove-lifecycle rotten", nil},
		{"dependabot", "@dependabot rebase", nil},
		{"a path", "/usr/bin/env", nil},
		{"two slashes", "//resume", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parse(t, test.markdown, Options{})); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestParseArguments(t *testing.T) {
	tests := []struct {
		name, markdown string
		want           []string
	}{
		{"task id", "/revise draft-002-r1 more", []string{"DRAFT-002-R1", "more"}},
		{"improvement id", "/retry improve-Depth-001", []string{"IMPROVE-depth-001"}},
		{"finding", "/accept f-7 fine", []string{"F-7", "fine"}},
		{"no path is made of it", "/revise DRAFT-002/../x", []string{"DRAFT-002/../x"}},
		{"only its own line", "/improve\nthanks", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Parse(test.markdown, Options{}).Commands
			if len(got) != 1 {
				t.Fatalf("%d commands", len(got))
			}
			var args []string
			args = append(args, got[0].Args...)
			if diff := cmp.Diff(test.want, args); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// C6
func TestFirstFive(t *testing.T) {
	parsed := Parse(strings.Repeat("/recheck\n", 50), Options{})
	if len(parsed.Commands) != First || parsed.Dropped != 45 || parsed.Commands[0].Dropped != 45 {
		t.Fatalf("took %d, dropped %d", len(parsed.Commands), parsed.Dropped)
	}
}

// C13
func TestEdit(t *testing.T) {
	tests := []struct {
		name, before, after string
		want                []string
	}{
		{"added", "/recheck", "/recheck\n\n/status", []string{"status"}},
		{"prose changed", "hm\n\n/recheck", "well\n\n/recheck", nil},
		{"argument changed", "/revise DRAFT-001", "/revise DRAFT-002", []string{"revise DRAFT-002"}},
		{"uncovered", "`/recheck`", "/recheck", []string{"recheck"}},
		{"twice now", "/recheck", "/recheck\n/recheck", []string{"recheck"}},
		{"removed", "/recheck", "never mind", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := parse(t, test.after, Options{Edited: true, Before: test.before})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// Every verb and alias is heard, and near-misses of each lead back to it.
func TestEveryVerb(t *testing.T) {
	for _, spec := range pipeline.Commands {
		for _, name := range append([]string{spec.Verb}, spec.Aliases...) {
			if got := parse(t, "/lifecycle "+name, Options{}); len(got) != 1 || got[0] != "lifecycle "+spec.Verb {
				t.Errorf("/lifecycle %s is %q", name, got)
			}
		}
	}
}
