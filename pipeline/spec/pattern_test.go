package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// expressions are those of the package that are written as one literal.
func expressions(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			name, isName := call.Fun.(*ast.Ident)
			lit, isLit := call.Args[0].(*ast.BasicLit)
			if isName && isLit && name.Name == "compile" {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
			return true
		})
	}
	return out
}

// What an expression matches, its words must let through.
func TestPatternRulesNoMatchOut(t *testing.T) {
	all := append(expressions(t), `(?i)kS`, `(?i)[sk]x|Ünder`, `(a|b)*c`, `x{0,2}yy`, `(?:ab?|cd+)(?:ef)?`, `a.*|`, `(?i)straße`, "caf\u00e9", "[\uFFFD]a", "\uFFFDend")
	if len(all) < 100 {
		t.Fatalf("only %d expressions were found", len(all))
	}
	for _, expr := range all {
		p := compile(expr)
		if p.words == nil {
			continue
		}
		matching := rapid.StringMatching(expr)
		t.Run("", rapid.MakeCheck(func(t *rapid.T) {
			if s := matching.Draw(t, "text"); p.Regexp.MatchString(s) && !p.may(s) {
				t.Fatalf("%q is matched by %s and holds none of %q", s, expr, p.words.all)
			}
		}))
	}
}

func TestPatternWords(t *testing.T) {
	for expr, texts := range map[string][]string{
		`(?i)\b(?:retry|retries) (?:the|a) call`: {"Retry a CALL", "we retries the call", "retry\u017F"},
		`(?i)skip`:                               {"\u017Fkip", "s\u212Aip"},
		`(?i)für`:                                {"FÜR", "für"},
		`[ab]c`:                                  {"xAC", "bc"},
	} {
		for _, text := range texts {
			if !compile(expr).may(text) {
				t.Errorf("%s does not look at %q", expr, text)
			}
		}
		if text := "Nothing like it."; compile(expr).may(text) {
			t.Errorf("%s looks at %q", expr, text)
		}
	}
	if p := compile(`\w+`); p.words != nil {
		t.Errorf("any text may hold a word, and %q are asked for", p.words.all)
	}
}

func TestTermWords(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z]+(?:-[A-Za-z]+)*`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aZ-- @[`{é"))).Draw(t, "text")
		if got, want := termWords(text), word.FindAllString(text, -1); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}

// What is read by hand reads what its expression would.
func TestReadByHand(t *testing.T) {
	label := regexp.MustCompile(`^\*\*([^*\n]{1,60}?):?\*\*:?[ \t]*`)
	rapid.Check(t, func(t *rapid.T) {
		lead := rapid.SampledFrom([]string{"", "*", "**", "***"})
		text := lead.Draw(t, "lead") + rapid.StringOfN(rapid.RuneFrom([]rune("aé: \t*\n")), 0, 64, -1).Draw(t, "name") + lead.Draw(t, "end") + rapid.StringOf(rapid.RuneFrom([]rune(": \nab"))).Draw(t, "rest")
		name, rest, ok := splitLabel(text)
		m := label.FindStringSubmatch(text)
		if m == nil || !strings.Contains(m[0], ":") {
			if ok {
				t.Fatalf("%q is no label", text)
			}
			return
		}
		if !ok || name != strings.ToLower(strings.TrimSpace(m[1])) || rest != strings.TrimSpace(text[len(m[0]):]) {
			t.Fatalf("%q: %q, %q", text, name, rest)
		}
	})
	stars := regexp.MustCompile(`\*\*\*?|__`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("**__a"))).Draw(t, "text")
		if got, want := emphasis.Replace(text), stars.ReplaceAllString(text, ""); got != want {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"REQ-001", "AC-1-2", "NFR-P-001", "NFR-", "G-1", "STORY-001-", "ADR-", "1", "-", "_", "x", " ", "é", "(", "RISK-3"})).Draw(t, "parts"), "")
		var want []string
		for _, id := range idAnywhere.FindAllString(text, -1) {
			if !slices.Contains(want, id) {
				want = append(want, id)
			}
		}
		if got := IDs(text); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}
