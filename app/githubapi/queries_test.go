package githubapi

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"

	"parley/app/githubsim/conform"
)

var allMutations = []mutationField{
	createRef, createCommit, createPull, updatePull, readyPull, closePull, addReview, addFileThread, submitReview,
	updateReview, createCheck, updateCheck, addComment, editComment, addReply, addReaction, resolveThread,
	reopenThread, addAssignee, deleteRef,
}

// TestDocumentsAreValid holds every document against GitHub's published schema.
func TestDocumentsAreValid(t *testing.T) {
	schema, err := conform.Schema(conform.Need(t))
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]string{
		"brief": briefQuery, "folder": folderQuery, "branch": branchQuery, "file": blobQuery, "pull": pullQuery,
		"threads": threadsQuery, "labelled": labelledQuery, "earlier talk": earlierTalkQuery, "open": openPullsQuery, "gate": gateQuery, "survey": surveyQuery(7), "edited": editedQuery, "folders": foldersQuery, "deliver": mutationDocument(allMutations),
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
			for _, problem := range validator.ValidateWithRules(schema, doc, nil) {
				t.Error(problem)
			}
		})
	}
}
