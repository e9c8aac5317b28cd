package githubsim

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	_ "github.com/vektah/gqlparser/v2/validator/rules" // the rules register themselves
)

// schemaText is a cut of GitHub's public schema: what the resolvers answer,
// every input type whole.
//
//go:embed schema.graphql
var schemaText string

var schema = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})
})

// graphqlRequest is a request's body, parsed but not yet validated.
type graphqlRequest struct {
	Query         string
	Variables     map[string]any
	OperationName string

	document *ast.QueryDocument
	err      error
}

func parseGraphQL(body []byte) *graphqlRequest {
	r := &graphqlRequest{}
	if err := json.Unmarshal(body, r); err != nil {
		r.err = err
		return r
	}
	r.document, r.err = parser.ParseQuery(&ast.Source{Name: "request", Input: r.Query})
	return r
}

// operation is the one to run; nil when the name fits none.
func (r *graphqlRequest) operation() *ast.OperationDefinition {
	if r.err != nil {
		return nil
	}
	return r.document.Operations.ForName(r.OperationName)
}

// roots lists the root fields in order, fragments left aside.
func (r *graphqlRequest) roots() []string {
	op := r.operation()
	if op == nil {
		return nil
	}
	var out []string
	for _, s := range op.SelectionSet {
		if f, ok := s.(*ast.Field); ok {
			out = append(out, f.Name)
		}
	}
	return out
}

// gqlError is one entry of errors, as GitHub words it.
type gqlError struct {
	Type      string              `json:"type,omitempty"`
	Path      []any               `json:"path,omitempty"`
	Locations []gqlerror.Location `json:"locations,omitempty"`
	Message   string              `json:"message"`
	Extra     map[string]string   `json:"extensions,omitempty"`
}

func graphqlErrors(list ...gqlError) *answer {
	return &answer{http.StatusOK, object{"errors": list}}
}

// graphql validates and runs a request.
func (c *call) graphql(r *graphqlRequest) *answer {
	if c.method != http.MethodPost {
		return errorAnswer(http.StatusMethodNotAllowed, "Method not allowed")
	}
	if c.caller.app != nil && c.caller.inst == nil {
		return errorAnswer(http.StatusUnauthorized, "Bad credentials")
	}
	if r.err != nil {
		return graphqlErrors(gqlError{Message: r.err.Error()})
	}
	if problems := validator.ValidateWithRules(schema(), r.document, nil); len(problems) > 0 {
		return graphqlErrors(validation(problems)...)
	}
	op := r.operation()
	if op == nil {
		return graphqlErrors(gqlError{Message: "An operation name is required"})
	}
	vars, err := validator.VariableValues(schema(), op, r.Variables)
	if err != nil {
		return graphqlErrors(gqlError{Message: err.Error(), Extra: map[string]string{"code": "variableMismatch"}})
	}
	x := &execution{w: c.w, call: c, caller: c.caller, vars: vars}
	root := schema().Query
	if op.Operation == ast.Mutation {
		root = schema().Mutation
	}
	data, _ := x.object(root, rootValue{}, op.SelectionSet, nil)
	out := object{"data": data}
	if len(x.errors) > 0 {
		out["errors"] = x.errors
		for _, e := range x.errors {
			c.failed = append(c.failed, e.Type)
		}
	}
	return &answer{http.StatusOK, out}
}

func validation(list gqlerror.List) []gqlError {
	out := []gqlError{}
	for _, e := range list {
		out = append(out, gqlError{Message: e.Message, Locations: e.Locations, Extra: map[string]string{"code": "undefinedField"}})
	}
	return out
}

// rootValue is what the root fields hang on.
type rootValue struct{}

// execution is one request's run over the world, which is locked.
type execution struct {
	w      *World
	call   *call
	caller *caller
	vars   map[string]any
	errors []gqlError
}

// args are a field's arguments, coerced.
type args map[string]any

// fields collects a selection set by response key, in order, for one object type.
func (x *execution) fields(set ast.SelectionSet, def *ast.Definition) (keys []string, by map[string][]*ast.Field) {
	by = map[string][]*ast.Field{}
	var visit func(ast.SelectionSet)
	visit = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if !x.included(s.Directives) {
					continue
				}
				if by[s.Alias] == nil {
					keys = append(keys, s.Alias)
				}
				by[s.Alias] = append(by[s.Alias], s)
			case *ast.InlineFragment:
				if x.included(s.Directives) && applies(s.TypeCondition, def) {
					visit(s.SelectionSet)
				}
			case *ast.FragmentSpread:
				if x.included(s.Directives) && applies(s.Definition.TypeCondition, def) {
					visit(s.Definition.SelectionSet)
				}
			}
		}
	}
	visit(set)
	return keys, by
}

func (x *execution) included(directives ast.DirectiveList) bool {
	if d := directives.ForName("skip"); d != nil && d.ArgumentMap(x.vars)["if"] == true {
		return false
	}
	if d := directives.ForName("include"); d != nil && d.ArgumentMap(x.vars)["if"] == false {
		return false
	}
	return true
}

func applies(condition string, def *ast.Definition) bool {
	if condition == "" || condition == def.Name {
		return true
	}
	for _, possible := range schema().PossibleTypes[condition] {
		if possible.Name == def.Name {
			return true
		}
	}
	return false
}

// object resolves the fields of an object one after the other; false means a
// field that may not be null is, and the object is null in its stead.
func (x *execution) object(def *ast.Definition, value any, set ast.SelectionSet, path []any) (object, bool) {
	out := object{}
	keys, by := x.fields(set, def)
	for _, key := range keys {
		group := by[key]
		f := group[0]
		at := append(append([]any{}, path...), key)
		if f.Name == "__typename" {
			out[key] = def.Name
			continue
		}
		var below ast.SelectionSet
		for _, g := range group {
			below = append(below, g.SelectionSet...)
		}
		resolved, err := x.resolve(def.Name, f, value)
		if err != nil {
			x.fail(err, f, at)
			resolved = nil
		}
		done, ok := x.complete(f.Definition.Type, resolved, below, at)
		if !ok {
			return nil, false
		}
		out[key] = done
	}
	return out, true
}

func (x *execution) resolve(typ string, f *ast.Field, value any) (any, error) {
	if fault := x.call.fault; fault.Type != "" && fault.Operation == f.Name {
		return nil, &typedError{fault.Type, fault.Message}
	}
	resolver := resolvers()[typ][f.Name]
	if resolver != nil {
		return resolver(x, value, f.ArgumentMap(x.vars))
	}
	if o, ok := value.(object); ok {
		return o[f.Name], nil
	}
	return nil, errors.New("githubsim does not answer " + typ + "." + f.Name)
}

// typedError is a fault's error with a type of its own.
type typedError struct{ typ, message string }

func (e *typedError) Error() string { return e.message }

func (x *execution) fail(err error, f *ast.Field, path []any) {
	e := gqlError{Path: path, Message: err.Error()}
	if f.Position != nil {
		e.Locations = []gqlerror.Location{{Line: f.Position.Line, Column: f.Position.Column}}
	}
	var r *refusal
	var t *typedError
	switch {
	case errors.As(err, &r):
		e.Type = kinds[r.kind].typ
		e.Message = strings.TrimPrefix(e.Message, "Validation Failed: ")
	case errors.As(err, &t):
		e.Type = t.typ
	}
	x.errors = append(x.errors, e)
}
