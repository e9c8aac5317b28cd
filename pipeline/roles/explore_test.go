package roles

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// One row for each language whose build files are known.
func TestDetectsStacks(t *testing.T) {
	tests := []struct {
		file, text string
		want       TechStack
	}{
		{"go.mod", "module x\n\ngo 1.25\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.10.0\n\tgithub.com/redis/go-redis/v9 v9.7.0\n)\n",
			TechStack{Languages: []string{"Go"}, Frameworks: []string{"Gin"}, Databases: []string{"Redis"}, Versions: map[string]string{"Go": "1.25", "Gin": "1.10.0", "Redis": "9.7.0"}}},
		{"package.json", `{"engines": {"node": ">=22"}, "dependencies": {"express": "^5.1.0", "pg": "^8.13.0"}}`,
			TechStack{Languages: []string{"JavaScript"}, Frameworks: []string{"Express"}, Databases: []string{"PostgreSQL"}, Versions: map[string]string{"JavaScript": "22", "Express": "5.1.0", "PostgreSQL": "8.13.0"}}},
		{"web/package.json", `{"dependencies": {"react": "19.0.0"}, "devDependencies": {"typescript": "~5.7.2"}}`,
			TechStack{Languages: []string{"TypeScript"}, Frameworks: []string{"React"}, Versions: map[string]string{"TypeScript": "5.7.2", "React": "19.0.0"}}},
		{"pyproject.toml", "[project]\nrequires-python = \">=3.12\"\n[tool.poetry.dependencies]\ndjango = \"^5.1\"\npsycopg = \"^3.2\"\n",
			TechStack{Languages: []string{"Python"}, Frameworks: []string{"Django"}, Databases: []string{"PostgreSQL"}, Versions: map[string]string{"Python": "3.12", "Django": "5.1", "PostgreSQL": "3.2"}}},
		{"pom.xml", "<project><properties><java.version>21</java.version></properties><dependency><artifactId>spring-boot-starter-web</artifactId><version>3.4.0</version></dependency></project>",
			TechStack{Languages: []string{"Java"}, Frameworks: []string{"Spring Boot"}, Versions: map[string]string{"Java": "21", "Spring Boot": "3.4.0"}}},
		{"Cargo.toml", "[package]\nrust-version = \"1.83\"\n[dependencies]\naxum = { version = \"0.8\" }\n",
			TechStack{Languages: []string{"Rust"}, Frameworks: []string{"Axum"}, Versions: map[string]string{"Rust": "1.83", "Axum": "0.8"}}},
		{"Gemfile", "ruby '3.3.6'\ngem 'rails', '~> 8.0'\ngem 'sidekiq'\n",
			TechStack{Languages: []string{"Ruby"}, Frameworks: []string{"Rails"}, Infrastructure: []string{"Sidekiq"}, Versions: map[string]string{"Ruby": "3.3.6", "Rails": "8.0"}}},
		{"composer.json", `{"require": {"php": "^8.3", "laravel/framework": "^11.0"}}`,
			TechStack{Languages: []string{"PHP"}, Frameworks: []string{"Laravel"}, Versions: map[string]string{"PHP": "8.3", "Laravel": "11.0"}}},
		{"src/Shop.csproj", `<Project><TargetFramework>net9.0</TargetFramework><PackageReference Include="Microsoft.AspNetCore.OpenApi" Version="9.0.0" /></Project>`,
			TechStack{Languages: []string{"C#"}, Frameworks: []string{"ASP.NET Core"}, Versions: map[string]string{"C#": "net9.0", "ASP.NET Core": "9.0.0"}}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			repo := fstest.MapFS{test.file: file(test.text)}
			got := detectStack(repo, (&explorer{repo: repo}).list())
			if got == nil {
				t.Fatal("no stack")
			}
			test.want.Manifests = []string{test.file}
			for _, list := range []*[]string{&test.want.Frameworks, &test.want.Databases, &test.want.Infrastructure} {
				if *list == nil {
					*list = []string{}
				}
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := detectStack(fstest.MapFS{"README.md": file("# x")}, []string{"README.md"}); got != nil {
		t.Errorf("a repository without code is %+v", got)
	}
}

// Symbols and imports: Go by its own parser, whatever its lines look like.
func TestReadsSourceFiles(t *testing.T) {
	tests := []struct {
		file, text       string
		symbols, imports []string
	}{
		{"a.go", "package a\n/*\nfunc commented() {}\n*/\nimport (\n\tx \"parley/store\"\n)\nvar s = `\nfunc quoted() {}\n`\ntype Order struct{}\nfunc (o Order) Ship() {}\nfunc New() {}\n", []string{"Order", "Ship", "New"}, []string{"parley/store"}},
		{"a.ts", "import { pay } from './pay'\nexport interface Order {}\nexport async function ship() {}\n", []string{"Order", "ship"}, []string{"pay"}},
		{"a.js", "const db = require('./db')\nclass Order {}\n", []string{"db", "Order"}, []string{"db"}},
		{"a.py", "from shop.orders import x\nclass Order:\n    def ship(self): pass\n", []string{"Order", "ship"}, []string{"shop/orders"}},
		{"A.java", "import com.shop.Pay;\npublic class Order {}\n", []string{"Order"}, []string{"com/shop/Pay"}},
		{"a.rs", "use crate::pay;\npub struct Order;\npub fn ship() {}\n", []string{"Order", "ship"}, []string{"crate/pay"}},
		{"a.rb", "require_relative 'pay'\nclass Order\n  def ship; end\nend\n", []string{"Order", "ship"}, []string{"pay"}},
		{"a.php", "<?php\nuse Shop\\Pay;\nfinal class Order { public function ship() {} }\n", []string{"Order"}, []string{"Shop/Pay"}},
		{"A.cs", "using Shop.Pay;\npublic sealed class Order {}\n", []string{"Order"}, []string{"Shop/Pay"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			s := readSource(test.file, []byte(test.text))
			if diff := cmp.Diff([][]string{test.symbols, test.imports}, [][]string{s.symbols, s.imports}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// shop is a small code base about orders.
func shop() fstest.MapFS {
	return fstest.MapFS{
		"go.mod":               file("module shop\n\ngo 1.25\n"),
		"order/order.go":       file("package order\n\nimport \"shop/pay\"\n\n// Order ships by invoice.\ntype Order struct{ Invoice pay.Invoice }\n"),
		"order/order_test.go":  file("package order\n\nfunc TestOrder() { order() }\n"),
		"pay/invoice.go":       file("package pay\n\n// Invoice of an order.\ntype Invoice struct{}\n"),
		"vendor/x/order.go":    file("package x\n\ntype Order struct{}\n"),
		"docs/unrelated.sql":   file("select 1;\n"),
		"web/handler/order.ts": file("export function orderHandler() { return invoice }\n"),
	}
}

func looked(f pipeline.Folder, commit string) *explorer {
	a := pipeline.Assignment{Source: shop(), Folder: f, Now: when, Task: pipeline.Task{Owner: pipeline.Analyst}}
	a.Session.PR.BaseHead = commit
	return newExplorer(a)
}

// A look is kept by angle, query, commit and tool version; whatever differs is
// a miss that takes the place of what was there.
func TestExplorationCache(t *testing.T) {
	first := looked(pipeline.Folder{}, "c1")
	first.explore("general", "order invoice")
	kept := pipeline.Folder(first.text)
	old := func(change func(*CacheIndex)) pipeline.Folder {
		f := maps.Clone(kept)
		var index CacheIndex
		if err := json.Unmarshal(f[cacheIndex], &index); err != nil {
			t.Fatal(err)
		}
		change(&index)
		f[cacheIndex] = toJSON(index)
		return f
	}
	gone := maps.Clone(kept)
	delete(gone, "explorations/explore-general.json")
	corrupt := maps.Clone(kept)
	corrupt[cacheIndex] = []byte("{")
	tests := []struct {
		name, angle, query, commit string
		folder                     pipeline.Folder
		hit                        bool
		entries                    int
	}{
		{"the same", "general", "order invoice", "c1", kept, true, 1},
		{"another query", "general", "order refund", "c1", kept, false, 1},
		{"another commit", "general", "order invoice", "c2", kept, false, 1},
		{"another angle", "security", "order invoice", "c1", kept, false, 2},
		{"another version of the tool", "general", "order invoice", "c1", old(func(x *CacheIndex) { x.Entries[0].Key = "0000000000000000" }), false, 1},
		{"an entry without its file", "general", "order invoice", "c1", gone, false, 1},
		{"a corrupt index", "general", "order invoice", "c1", corrupt, false, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := looked(test.folder, test.commit)
			_, hit := x.explore(test.angle, test.query)
			if hit != test.hit || x.hits+x.made != 1 || (x.hits == 1) != test.hit || len(x.index.Entries) != test.entries {
				t.Errorf("hit %v; %d hits, %d misses, %d entries", hit, x.hits, x.made, len(x.index.Entries))
			}
			if _, written := x.text["explorations/explore-"+test.angle+".json"]; written == test.hit {
				t.Errorf("written: %v", written)
			}
		})
	}
	stale := looked(gone, "c1")
	if len(stale.index.Entries) != 0 || !strings.Contains(string(stale.text[cacheIndex]), `"entries": []`) {
		t.Errorf("a stale entry stays: %s", stale.text[cacheIndex])
	}
}

func TestRelevantFilesSayWhy(t *testing.T) {
	e, _ := looked(pipeline.Folder{}, "c1").explore("general", "order invoice")
	roles := map[string]string{}
	for _, f := range e.Files {
		roles[f.Path] = f.Role
		if len(f.Rationale) <= 10 || strings.HasSuffix(f.Rationale, " ") || f.Source != "bash-scan" || f.Symbols == nil || f.Relevance <= 0 || f.Relevance >= 1 {
			t.Errorf("%+v", f)
		}
	}
	want := map[string]string{"order/order.go": "modify_target", "order/order_test.go": "test_target", "pay/invoice.go": "modify_target", "web/handler/order.ts": "integration_point"}
	if diff := cmp.Diff(want, roles); diff != "" {
		t.Error(diff)
	}
	if e.Files[1].Rationale != "is named after invoice; speaks of order, invoice" {
		t.Errorf("rationale %q", e.Files[1].Rationale)
	}
	if !slices.Contains(e.Dependencies, FileLink{From: "order/order.go", To: "pay/invoice.go", Type: "import"}) {
		t.Errorf("links %v", e.Dependencies)
	}
	if !slices.Contains(e.Files[0].Symbols, "Order") || e.Metadata.Scanned != 5 || e.Metadata.Relevant != 4 || e.Metadata.CacheKey == "" {
		t.Errorf("%+v", e)
	}
}

// Every angle that a preset may ask for has its focus.
func TestPresetAnglesHaveAFocus(t *testing.T) {
	for _, p := range presets {
		for _, a := range p.angles {
			if len(angles[a]) == 0 {
				t.Errorf("angle %q looks for nothing", a)
			}
		}
	}
	for _, test := range []struct {
		text  string
		looks int
		first string
	}{
		{"Refactor the order module across multiple packages", 4, "architecture"},
		{"Add permissions to the api", 1, "security"},
		{"Fix the broken import", 1, "error-handling"},
		{"A page for orders", 1, "patterns"},
	} {
		_, looks := complexityOf(test.text)
		at := slices.IndexFunc(presets, func(p struct {
			re     *regexp.Regexp
			angles []string
		}) bool {
			return p.re.MatchString(test.text)
		})
		if looks != test.looks || presets[at].angles[0] != test.first {
			t.Errorf("%q: %d looks from %s", test.text, looks, presets[at].angles[0])
		}
	}
}
