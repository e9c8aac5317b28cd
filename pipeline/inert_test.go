package pipeline

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestInert(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "two requirements cannot be tested", "two requirements cannot be tested"},
		{"emphasis stays", "use **one** word", "use **one** word"},
		{"code stays", "`REQ-003` needs a bound", "`REQ-003` needs a bound"},
		{"mention", "ask @octocat, please", "ask `@octocat`, please"},
		{"team", "@org/everyone", "`@org/everyone`"},
		{"address", "mail a.b@example.com.", "mail `a.b@example.com`."},
		{"mention in code", "`@octocat`", "`@octocat`"},
		{"reference", "fixes #12", "fixes `#12`"},
		{"foreign reference", "closes o/r#12 and GH-9", "closes `o/r#12` and `GH-9`"},
		{"address of an issue", "see https://github.com/o/r/issues/1.", "see `https://github.com/o/r/issues/1`."},
		{"image", "![x](http://evil/y.png)", "! [x] (`http://evil/y.png`)"},
		{"link", "[click](javascript:alert(1))", "[click] (javascript:alert(1))"},
		{"reference link", "[a][b]\n[b]: http://evil", "[a] [b]\n[b] : `http://evil`"},
		{"html", "<img src=x> </details> <!-- parley:session x -->", "&lt;img src=x> &lt;/details> &lt;!-- parley:session x -->"},
		{"less than", "a < b and 3<4", "a < b and 3<4"},
		{"command", "/resume\n  /lgtm", "`/resume`\n  `/lgtm`"},
		{"a path is read as a command too", "/etc/passwd", "`/etc`/passwd"},
		{"skip token", "docs [skip ci] [ CI SKIP ]", "docs (skip ci) (CI SKIP)"},
		{"trailer", "Co-authored-by: x <a@b.c>", "`Co-authored-by`: x &lt;`a@b.c`>"},
		{"heading", "# big\n### small", "\\# big\n\\### small"},
		{"rule and setext", "a\n===\n---", "a\n\\===\n\\---"},
		{"fence", "```sh\nrm -rf\n```", "'''sh\nrm -rf\n'''"},
		{"tilde fence", "~~~\nx", "\\~~~\nx"},
		{"odd backtick", "a ` b @c", "a ' b `@c`"},
		{"escaped backtick", "\\`@c`", "\\\\`@c`"},
		{"hidden", "a\u200bb\u202ec\x00d\U000E0041e", "abcde"},
		{"line ends", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"entities", "&#x40;octocat &commat;octocat &amp;", "&amp;#x40;octocat &amp;commat;octocat &amp;amp;"},
		{"many references", "#1#1 a/b#2", "`#1``#1` `a/b#2`"},
		{"emoji", "👨‍👩‍👧 ❤️", "👨‍👩‍👧 ❤️"},
		{"chinese", "必须支持重试（见 #3）", "必须支持重试（见 `#3`）"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Inert(test.in)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestInertSubject(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"mention", "ask @octocat", "ask (at)octocat"},
		{"closing word", "fixes #12, closes o/r#3", "fixes no. 12, closes o/r no. 3"},
		{"address", "https://github.com/o/r/issues/1", "https: //github.com/o/r/issues/1"},
		{"skip token", "x [skip ci]", "x (skip ci)"},
		{"trailer", "Co-authored-by: x", "Co-authored-by - x"},
		{"lines", "a\n\nCo-authored-by: x", "a Co-authored-by: x"},
		{"command", "/resume now", "resume now"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, InertSubject(test.in, 200)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// Whatever a model or a person writes, our texts stay quiet.
func TestHostileSession(t *testing.T) {
	evil := "@octo-org/everyone fixes #1 [skip ci]\n/merge\n<!-- /parley:panel --> <img src=http://x/y> ![a](http://b) ```\n</details> | x"
	s := hooks()
	s.Issue.Title, s.ModeReason, s.TrackHint, s.Starter, s.Problems = evil, evil, evil, evil, []string{evil}
	s.Wait.Detail, s.Gate.Lift, s.WisdomEntries = evil, evil, []string{evil}
	s.Questions = []Question{{ID: "Q-1", Text: evil, Default: evil}}
	for _, d := range Dimensions {
		s.Gate.Notes[d.Name] = evil
	}
	for i := range s.Tasks {
		g := s.Tasks[i].Glance
		g.Result, g.LowText, g.Worst, g.WorstText, g.Blockers, g.Focus, g.LowRating = evil, evil, "F-01", evil, 1, []string{evil}, 1
		s.Tasks[i].Summary = evil
	}
	v := blockedVerdict()
	for i := range v.Opinions {
		v.Opinions[i].KeyFinding, v.Opinions[i].Source = evil, evil
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		f.Claim, f.Quote, f.Suggestion, f.Rule = evil, evil, evil, evil
	}
	v.Divergences[0].Text, v.Divergences[0].Options[1].Text, v.Divergences[0].Options[1].Command = evil, evil, evil
	v.Actions[0].Text, v.Themes[0].Text, v.Warnings = evil, evil, []string{evil}
	v.Injection = []Injection{{Kind: evil, Where: evil, Count: 1}}
	head, body := CommitMessage(s, s.Tasks[2], &v)
	for name, text := range map[string]string{
		"start": StartComment(s), "outcome": OutcomeComment(s), "panel": Panel(s, nine), "check": CheckOutput(s, nine).Summary,
		"status": StatusText(s, nine, true), "review": reviewGolden(s, s.Tasks[2], v), "notice": WaitNotice(s),
		"title": PullTitle(s), "headline": head, "commit": body,
	} {
		bare := outside(text)
		for _, bad := range []string{"@", "[skip ci]", "<img", "![a](", "\n/merge", "fixes #1"} {
			if strings.Contains(bare, bad) {
				t.Errorf("%s says %q:\n%s", name, bad, text)
			}
		}
		if name == "panel" && strings.Count(text, PanelEnd) != 1 {
			t.Error("the panel ends twice")
		}
		if strings.Count(text, "</details>") != strings.Count(text, "<details>") {
			t.Errorf("%s: a fold was closed from within", name)
		}
	}
}

// Whatever the text, its work grows with its length alone.
func TestInertOfLongTexts(t *testing.T) {
	for _, piece := range []string{"@", "`", "``a`", "<a", "#1", "a/", "\\`", "a://", "[skip "} {
		text := strings.Repeat(piece, MaxBody/len(piece))
		if got := Inert(text); len(got) > 8*len(text) || strings.Contains(outside(got), "@") {
			t.Errorf("%q: %d bytes became %d", piece, len(text), len(got))
		}
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("a line of text\n", 50)
	tests := []struct {
		name, in string
		max      int
		want     []string // what the cut text has to contain
	}{
		{"fits", "short", 100, []string{"short"}},
		{"at a line", long, 300, []string{"a line of text\n\n*Cut here"}},
		{"open fence", "```go\n" + long, 300, []string{"\n```\n\n*Cut here"}},
		{"long fence", "````\n```\n" + long, 300, []string{"\n````\n\n*Cut here"}},
		{"open details", "<details><summary>x</summary>\n\n" + long, 300, []string{"</details>\n\n*Cut here"}},
		{"both", "<details>\n\n```\n" + long, 300, []string{"```\n\n</details>"}},
		{"closed ones are left", "```\nx\n```\n" + long, 300, []string{"a line of text\n\n*Cut here"}},
		{"multi-byte", strings.Repeat("規", 500), 300, []string{"規\n\n*Cut here"}},
		{"inside a comment", "text text text text text text text text text text text <!-- " + long, 150, []string{"text\n\n*Cut here"}},
		{"very small", strings.Repeat("規", 500), 10, []string{"規規規"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Cut(test.in, test.max)
			if len(got) > test.max || !utf8.ValidString(got) {
				t.Fatalf("%d bytes, valid %t", len(got), utf8.ValidString(got))
			}
			for _, part := range test.want {
				if !strings.Contains(got, part) {
					t.Fatalf("%q is not in\n%s", part, got)
				}
			}
		})
	}
}

func FuzzCut(f *testing.F) {
	f.Add("```\n<details>\n"+strings.Repeat("x", 400), uint16(300))
	f.Add(strings.Repeat("<!-- 規 -->\n", 90), uint16(200))
	f.Fuzz(func(t *testing.T, text string, limit uint16) {
		got := Cut(text, int(limit))
		if len(got) > int(limit) || !utf8.ValidString(got) {
			t.Fatalf("%d bytes of at most %d", len(got), limit)
		}
		if len(got) > len(cutNote) && len(text) > int(limit) && closers(got) != "" && !strings.Contains(text, cutNote) {
			t.Fatalf("left open: %q", got)
		}
	})
}
