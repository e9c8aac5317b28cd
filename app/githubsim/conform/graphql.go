package conform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	_ "github.com/vektah/gqlparser/v2/validator/rules" // the rules register themselves

	"parley/app/githubsim"
)

// Schema loads GitHub's public schema. The shipped file defines two fields
// twice; the second definitions are dropped.
func Schema(peers string) (*ast.Schema, error) {
	path := filepath.Join(peers, "node_modules", "@octokit", "graphql-schema", "schema.graphql")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("github's schema: %w", err)
	}
	doc, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: path, Input: string(text)})
	if err != nil {
		return nil, fmt.Errorf("github's schema: %w", err)
	}
	for _, def := range doc.Definitions {
		seen := map[string]bool{}
		kept := def.Fields[:0]
		for _, f := range def.Fields {
			if !seen[f.Name] {
				kept = append(kept, f)
			}
			seen[f.Name] = true
		}
		def.Fields = kept
	}
	schema, err := validator.ValidateSchemaDocument(doc)
	if err != nil {
		return nil, fmt.Errorf("github's schema: %w", err)
	}
	return schema, nil
}

// graphql validates a document and its variables.
func (r *Recorder) graphql(e githubsim.Exchange) (operation string, problems []string) {
	operation = "POST /graphql"
	if e.Method != http.MethodPost {
		return operation, []string{"request: " + e.Method}
	}
	var sent struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
		Operation string         `json:"operationName"`
	}
	if err := json.Unmarshal(e.Body, &sent); err != nil {
		return operation, []string{"request: " + err.Error()}
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: sent.Query})
	if err != nil {
		return operation, []string{"request: " + err.Error()}
	}
	for _, problem := range validator.ValidateWithRules(r.schema, doc, nil) {
		problems = append(problems, "request: "+problem.Error())
	}
	if len(problems) > 0 {
		return operation, problems
	}
	for _, op := range doc.Operations {
		if _, err := validator.VariableValues(r.schema, op, sent.Variables); err != nil {
			problems = append(problems, "request: "+err.Error())
		}
	}
	return operation, problems
}
