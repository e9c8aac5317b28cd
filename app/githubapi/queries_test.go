package githubapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	_ "github.com/vektah/gqlparser/v2/validator/rules"
)

var allMutations = []mutationField{
	createRef, createCommit, createPull, updatePull, readyPull, closePull, addReview, addFileThread, submitReview,
	updateReview, createCheck, updateCheck, addComment, editComment, addReply, addReaction, resolveThread,
	reopenThread, addAssignee, deleteRef,
}

// TestDocumentsAreValid holds every document against GitHub's published schema.
func TestDocumentsAreValid(t *testing.T) {
	schema := publicSchema(t)
	docs := map[string]string{
		"brief": briefQuery, "folder": folderQuery, "branch": branchQuery, "file": blobQuery, "pull": pullQuery,
		"threads": threadsQuery, "labelled": labelledQuery, "open": openPullsQuery, "gate": gateQuery, "settings": settingsQuery, "deliver": mutationDocument(allMutations),
	}
	for _, m := range allMutations {
		docs[m.name] = mutationDocument([]mutationField{m})
	}
	for name, text := range docs {
		t.Run(name, func(t *testing.T) {
			doc, err := parser.ParseQuery(&ast.Source{Name: name, Input: text})
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range validator.Validate(schema, doc) {
				t.Error(problem)
			}
		})
	}
}

// publicSchema loads the schema that `make test-peers` installs. The shipped
// file defines two fields twice; the second definitions are dropped.
func publicSchema(t *testing.T) *ast.Schema {
	t.Helper()
	dir := os.Getenv("PARLEY_TEST_PEERS")
	if dir == "" {
		dir = filepath.Join("..", "..", ".peers")
	}
	path := filepath.Join(dir, "node_modules", "@octokit", "graphql-schema", "schema.graphql")
	text, err := os.ReadFile(path)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("github's schema is not installed (make test-peers): %v", err)
		}
		t.Skip("NOT CHECKED AGAINST GITHUB'S SCHEMA: run make test-peers")
	}
	doc, perr := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: path, Input: string(text)})
	if perr != nil {
		t.Fatal(perr)
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
	schema, verr := validator.ValidateSchemaDocument(doc)
	if verr != nil {
		t.Fatal(strings.TrimSpace(verr.Error()))
	}
	return schema
}
