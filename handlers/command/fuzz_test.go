package command

import (
	"strings"
	"testing"

	"parley/pipeline"
)

// wraps are ways to keep a line from a reader's eyes; %s is where it goes.
var wraps = []struct{ name, before, after string }{
	{"fence", "```\n", "\n```"}, {"tildes", "~~~\n", "\n~~~"}, {"comment", "<!--\n", "\n-->"},
	{"details", "<details>\n\n", "\n\n</details>"}, {"folded details", "<details><summary>x</summary>\n", "\n</details>"},
	{"quote", "> ", ""}, {"code", "`", "`"}, {"indent", "    ", ""}, {"heading", "## ", ""},
	{"zero width", "\u200b", ""}, {"bidi", "\u202e", "\u202c"}, {"open comment", "<!--\n\n", ""},
	{"open details", "<details>\n\n", ""},
}

// lookAlike spells a word with Cyrillic letters; every verb has one of them.
var lookAlike = strings.NewReplacer("a", "\u0430", "c", "\u0441", "e", "\u0435", "i", "\u0456", "o", "\u043e", "p", "\u0440")

// FuzzHidden wraps a command so that no reader sees it, with any text before
// and behind: no further command may come of it.
func FuzzHidden(f *testing.F) {
	for i := range wraps {
		f.Add("hello", "bye", uint8(i), uint8(i))
	}
	f.Add("a `b", "c` d", uint8(0), uint8(1))
	f.Add("- list", "\tx", uint8(3), uint8(2))
	f.Add("<details>", "</details>", uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, before, after string, wrap, verb uint8) {
		// Fuzzed text may itself open or close what hides; what is wrapped then
		// is seen by readers too. Such text is not the subject here.
		if strings.ContainsAny(before+after, "<>`~/") {
			t.Skip()
		}
		w := wraps[int(wrap)%len(wraps)]
		word := "/" + pipeline.Commands[int(verb)%len(pipeline.Commands)].Verb
		for _, hidden := range []string{w.before + word + w.after, lookAlike.Replace(word), "\uff0f" + word[1:]} {
			hidden = before + "\n\n" + hidden + "\n\n" + after
			if got := Parse(hidden, Options{}); len(got.Commands) != 0 {
				t.Fatalf("%s: %q became %+v", w.name, hidden, got.Commands)
			}
		}
	})
}

// FuzzWord holds what one word behind a slash may mean: the verb it names, to
// the letter; one hint, where it is close to one; or nothing.
func FuzzWord(f *testing.F) {
	for _, seed := range []string{"check", "recheck", "rechek", "Resume", "reusme", "lgtm", "start", "helpp", "re\u200bsume"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.ContainsAny(word, "\r\n") {
			t.Skip() // two lines
		}
		got := Parse("/"+word, Options{}).Commands
		verb := verbs[strings.ToLower(word)]
		first, _ := cutWord(strings.ToLower(word))
		switch {
		case verb != "" && verb != "start":
			if len(got) != 1 || got[0].Verb != verb || got[0].Hint != "" {
				t.Fatalf("/%s is %+v, want %s", word, got, verb)
			}
		case len(got) == 0:
		case len(got) > 1:
			t.Fatalf("one word became %+v", got)
		case got[0].Hint != "":
			if distance(first, got[0].Hint) > 2 && !got[0].Prefixed {
				t.Fatalf("/%s brings the hint %s", word, got[0].Hint)
			}
		default: // a verb with something behind it
			if verbs[first] != got[0].Verb && !got[0].Prefixed {
				t.Fatalf("/%s became %+v", word, got)
			}
		}
	})
}

// FuzzParse holds what is true of any text: bounded, only known verbs, a first
// word of a line for each, and the same text says nothing new.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"/resume", "> /resume\n\n/recheck", "<details>\n\n/x", "/feedback a\n\n```\nb", "/lifecycle start\n/reusme", strings.Repeat("> ", 200) + "/resume"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		parsed := Parse(markdown, Options{})
		if len(parsed.Commands) > First {
			t.Fatalf("%d commands", len(parsed.Commands))
		}
		for _, c := range parsed.Commands {
			if (c.Verb == "") == (c.Hint == "") {
				t.Fatalf("neither command nor hint, or both: %+v", c)
			}
			if c.Verb != "" && verbs[c.Verb] != c.Verb {
				t.Fatalf("unknown verb %q", c.Verb)
			}
			if len(c.Text) > MaxText+64 {
				t.Fatalf("%d bytes of text", len(c.Text))
			}
		}
		if len(parsed.Commands) > 0 && !mayCommand(markdown) {
			t.Fatal("a command without a slash at a line's start")
		}
		if again := Parse(markdown, Options{Edited: true, Before: markdown}); len(again.Commands) != 0 {
			t.Fatalf("an edit that changes nothing said %+v", again.Commands)
		}
	})
}

func BenchmarkParseProse(b *testing.B) {
	text := strings.Repeat("A comment that says nothing to anybody in particular.\n", 100)
	for b.Loop() {
		Parse(text, Options{})
	}
}

func BenchmarkParseCommand(b *testing.B) {
	text := strings.Repeat("A comment with a command at its end.\n", 20) + "\n/revise DRAFT-002 say how it ends\n"
	for b.Loop() {
		Parse(text, Options{})
	}
}
