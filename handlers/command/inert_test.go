package command

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"parley/pipeline"
)

var (
	codeHTML = regexp.MustCompile(`(?s)<code>.*?</code>`)
	alive    = regexp.MustCompile(`<(a|img|details|script|h1|h2)[ >]|(^|[^\w&])#\d`)
)

// FuzzInert renders what was made inert, with text of ours around it, and
// looks at it as GitHub would: no mention, no link, no image, no reference, no
// structure, and no command for us or for any other bot.
func FuzzInert(f *testing.F) {
	for _, seed := range []string{"@a", "`@a", "``a``@b", "\\`@a`", "<img src=x>", "/resume", "# x", "fixes #1", "[a](b)", "![a](b)",
		"a@b.c `", "```\n@x\n```", "&#64;a", "[x]: http://y", "www.x.y", "<https://x.y>", "- [ ] a\n  # b", "a\n---", "@a|b", "    @x\n\n`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		inert := pipeline.Inert(text)
		var html bytes.Buffer
		if err := markdown.Convert([]byte("before\n\n"+inert+"\n\nafter"), &html); err != nil {
			t.Fatal(err)
		}
		bare := codeHTML.ReplaceAllString(html.String(), " ")
		if strings.Contains(bare, "@") || alive.MatchString(bare) {
			t.Fatalf("%q became %q, which shows\n%s", text, inert, html.String())
		}
		if !strings.Contains(html.String(), "<p>after</p>") && !strings.Contains(html.String(), "after") {
			t.Fatalf("%q swallows what follows:\n%s", text, html.String())
		}
		if got := Parse(inert, Options{}); len(got.Commands) != 0 {
			t.Fatalf("%q is still a command: %+v", text, got.Commands)
		}
	})
}
