package app_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

// layers says which of our packages a package may import. A package without a
// line fails, so a new one needs a reason written here.
var layers = map[string][]string{
	"parley/pipeline":              {},
	"parley/pipeline/spec":         {},
	"parley/app/githubsim":         {},
	"parley/app/githubsim/conform": {"parley/app/githubsim"},
	"parley/handlers/command":      {"parley/pipeline"},
	"parley/pipeline/storetest":    {"parley/pipeline"},
	"parley/app/redisstore":        {"parley/pipeline"},
	"parley/app/githubapi":         {"parley/pipeline"},
	"parley/app/llm":               {"parley/pipeline"},
	"parley/handlers":              {"parley/pipeline", "parley/handlers/command"},
	"parley/pipeline/roles":        {"parley/pipeline", "parley/pipeline/spec"},
	"parley/discuss":               {"parley/pipeline", "parley/pipeline/spec"},
	"parley/app": {"parley/pipeline", "parley/pipeline/spec", "parley/pipeline/roles", "parley/discuss", "parley/handlers",
		"parley/handlers/command", "parley/app/redisstore", "parley/app/githubapi", "parley/app/llm"},
	"parley/cmd/parley": {"parley/app", "parley/app/githubsim", "parley/pipeline/roles", "parley/pipeline/spec", "parley/discuss", "parley/pipeline"},
}

// testLayers is what test files may import besides.
var testLayers = []string{"parley/app/githubsim", "parley/app/githubsim/conform", "parley/pipeline/storetest"}

// keepers are the only packages that may import a library (by path prefix).
var keepers = map[string][]string{
	"github.com/gin-gonic/gin":                {"parley/app"},
	"github.com/redis/go-redis":               {"parley/app/redisstore"},
	"github.com/alicebob/miniredis":           {"parley/app/redisstore"},
	"github.com/google/go-github":             {"parley/app/githubapi"},
	"github.com/bradleyfalzon/ghinstallation": {"parley/app/githubapi"},
	"github.com/palantir/go-githubapp":        {"parley/app"},
	"github.com/yuin/goldmark":                {"parley/pipeline/spec", "parley/handlers/command"},
	"github.com/anthropics/anthropic-sdk-go":  {"parley/app/llm"},
	"github.com/openai/openai-go":             {"parley/app/llm"},
	"google.golang.org/genai":                 {"parley/app/llm"},
	"go.opentelemetry.io/otel":                {"parley/app"},
}

// testKeepers may use a library in tests only: go-github as an independent
// client, goldmark to look at what is posted.
var testKeepers = []string{"github.com/google/go-github", "github.com/yuin/goldmark", "github.com/redis/go-redis"}

type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
	GoFiles                            []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports,GoFiles", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		allowed, known := layers[p.ImportPath]
		if !known {
			t.Errorf("%s is not in the layer table; give it a line, or put its files elsewhere", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, "parley/") && !slices.Contains(allowed, imp) {
				t.Errorf("%s may not import %s", p.ImportPath, imp)
			}
			if bad := keptFrom(p.ImportPath, imp, nil); bad {
				t.Errorf("%s may not import %s; its keepers are %v", p.ImportPath, imp, keeperOf(imp))
			}
			if p.ImportPath == "parley/pipeline" && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") {
				t.Errorf("pipeline is standard library only and imports %s", imp)
			}
		}
		for _, imp := range append(p.TestImports, p.XTestImports...) {
			mine := imp == p.ImportPath || slices.Contains(allowed, imp) || slices.Contains(testLayers, imp)
			if strings.HasPrefix(imp, "parley/") && !mine {
				t.Errorf("tests of %s may not import %s", p.ImportPath, imp)
			}
			if keptFrom(p.ImportPath, imp, testKeepers) {
				t.Errorf("tests of %s may not import %s", p.ImportPath, imp)
			}
		}
	}
}

func keeperOf(imp string) []string {
	for prefix, who := range keepers {
		if imp == prefix || strings.HasPrefix(imp, prefix+"/") {
			return who
		}
	}
	return nil
}

func keptFrom(pkg, imp string, free []string) bool {
	who := keeperOf(imp)
	if who == nil || slices.Contains(who, pkg) {
		return false
	}
	for _, f := range free {
		if strings.HasPrefix(imp, f) {
			return false
		}
	}
	return true
}

// TestOnePackageDoc wants exactly one package comment per package.
func TestOnePackageDoc(t *testing.T) {
	for _, p := range packages(t) {
		var with []string
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil {
				with = append(with, name)
			}
		}
		if len(with) != 1 {
			t.Errorf("%s has %d package docs %v, wants one", p.ImportPath, len(with), with)
		}
	}
}

// TestSizes holds files under 400 lines and functions under 60: past that a
// file has two subjects and a function two jobs.
func TestSizes(t *testing.T) {
	const maxFile, maxFunc = 400, 60
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if lines := set.Position(f.End()).Line; lines > maxFile {
				t.Errorf("%s/%s has %d lines, at most %d", p.ImportPath, name, lines, maxFile)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > maxFunc {
					t.Errorf("%s/%s: %s has %d lines, at most %d", p.ImportPath, name, fn.Name.Name, n, maxFunc)
				}
			}
		}
	}
}

// TestNames keeps bucket words out of package and type names.
func TestNames(t *testing.T) {
	banned := []string{"util", "common", "helper", "manager", "factory", "impl"}
	for _, p := range packages(t) {
		last := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		for _, b := range banned {
			if strings.Contains(strings.ToLower(last), b) {
				t.Errorf("package %s: %q says nothing about what it does", p.ImportPath, b)
			}
		}
	}
	var top []string
	for _, p := range packages(t) {
		rest := strings.TrimPrefix(p.ImportPath, "parley/")
		top = append(top, strings.SplitN(rest, "/", 2)[0])
	}
	sort.Strings(top)
	if got := slices.Compact(top); !slices.Equal(got, []string{"app", "cmd", "discuss", "handlers", "pipeline"}) {
		t.Errorf("top-level packages %v", got)
	}
}
