package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const versionPath = "testdata/rules-version.txt"

// The version in reports and checks names what the rules look for and what it
// costs: whoever changes a pattern, a list, a limit or an entry's weight raises
// it. Wording, examples and code that moves need no new version.
func TestRulesVersionIsRaisedWithTheRules(t *testing.T) {
	paths, err := filepath.Glob("rules_*.go")
	if err != nil {
		t.Fatal(err)
	}
	var literals []string
	for _, r := range Rules {
		literals = append(literals, fmt.Sprint(r.ID, r.Grade, r.Perspectives, r.Move, r.Artifacts, r.Words))
	}
	for _, p := range append(paths, "nongoal.go", "proof.go", "quantity.go", "rate.go", "score.go", "statement.go") {
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok {
				literals = append(literals, l.Value)
			}
			_, code := n.(*ast.FuncDecl)
			return !code && !isRuleTable(n)
		})
	}
	slices.Sort(literals)
	sum := sha256.Sum256([]byte(strings.Join(literals, "\n")))
	got := fmt.Sprintf("%s %s\n", RulesVersion, hex.EncodeToString(sum[:8]))
	known, err := os.ReadFile(versionPath)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if got == string(known) {
		return
	}
	if strings.HasPrefix(string(known), RulesVersion+" ") {
		t.Fatalf("the rules changed and are still called %s: raise RulesVersion, then run with -update", RulesVersion)
	}
	if !*update {
		t.Fatalf("%s is not current (run with -update): %s", versionPath, got)
	}
	if err := os.WriteFile(versionPath, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// isRuleTable tells whether a node lists rules, whose texts are no matter here.
func isRuleTable(n ast.Node) bool {
	list, ok := n.(*ast.CompositeLit)
	if !ok {
		return false
	}
	array, ok := list.Type.(*ast.ArrayType)
	if !ok {
		return false
	}
	of, ok := array.Elt.(*ast.Ident)
	return ok && of.Name == "Rule"
}
