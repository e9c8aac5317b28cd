package githubsim

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// TestEveryFieldHasAResolver: the schema promises nothing that the resolvers
// do not answer, and no resolver stands without a field.
func TestEveryFieldHasAResolver(t *testing.T) {
	for _, table := range tables() {
		def := schema().Types[table.name]
		if def == nil {
			t.Errorf("no type %s in the schema", table.name)
			continue
		}
		for _, f := range def.Fields {
			if table.fields[f.Name] == nil && f.Name[0] != '_' {
				t.Errorf("%s.%s has no resolver", table.name, f.Name)
			}
		}
		for name := range table.fields {
			if def.Fields.ForName(name) == nil {
				t.Errorf("%s.%s is in no schema", table.name, name)
			}
		}
	}
}

// TestSchemaIsGitHubs: every type, field, argument and value of the cut is in
// the published schema, with the same type.
func TestSchemaIsGitHubs(t *testing.T) {
	dir := os.Getenv("PARLEY_TEST_PEERS")
	if dir == "" {
		t.Skip("NOT COMPARED WITH GITHUB'S SCHEMA: run make test-peers")
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "@octokit", "graphql-schema", "schema.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	public, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: "public", Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range schema().Types {
		whole := public.Definitions.ForName(name)
		if whole == nil {
			t.Errorf("type %s is not GitHub's", name)
			continue
		}
		for _, f := range def.Fields {
			same := whole.Fields.ForName(f.Name)
			if f.Name[0] != '_' && (same == nil || same.Type.String() != f.Type.String()) {
				t.Errorf("%s.%s is not GitHub's", name, f.Name)
			}
		}
		for _, v := range def.EnumValues {
			if whole.EnumValues.ForName(v.Name) == nil {
				t.Errorf("%s.%s is not GitHub's", name, v.Name)
			}
		}
	}
}
